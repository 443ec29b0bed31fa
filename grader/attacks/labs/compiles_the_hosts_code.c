/* Tries to have the CPU device compile a kernel that calls the C library. The kernel finds the harness's
 * functions in the program's own file and lets them begin a new record. */
static const char source[] =
    "#include <elf.h>\n"
    "#include <stdio.h>\n"
    "extern \"C\" int strcmp(const char *, const char *);\n"
    "extern \"C\" __global__ void find(unsigned long long *at)\n"
    "{\n"
    "    static unsigned char program[64 << 20];\n"
    "    static const char *const wanted[] = {\"worker_runtime_record_begin\", \"worker_runtime_call_begins\"};\n"
    "    unsigned long long base = 0;\n"
    "    FILE *maps = fopen(\"/proc/self/maps\", \"r\"), *file = fopen(\"/proc/self/exe\", \"r\");\n"
    "    if (!maps || fscanf(maps, \"%llx\", &base) != 1 || !file || !fread(program, 1, sizeof program, file)) "
    "return;\n"
    "    Elf64_Ehdr *header = (Elf64_Ehdr *)program;\n"
    "    Elf64_Shdr *section = (Elf64_Shdr *)(program + header->e_shoff);\n"
    "    for (int i = 0; i < header->e_shnum; i++) {\n"
    "        if (section[i].sh_type != SHT_SYMTAB) continue;\n"
    "        Elf64_Sym *symbol = (Elf64_Sym *)(program + section[i].sh_offset);\n"
    "        char *names = (char *)program + section[section[i].sh_link].sh_offset;\n"
    "        for (unsigned long k = 0; k < section[i].sh_size / sizeof *symbol; k++)\n"
    "            for (int w = 0; w < 2; w++)\n"
    "                if (strcmp(names + symbol[k].st_name, wanted[w]) == 0)\n"
    "                    at[w] = (header->e_type == ET_DYN ? base : 0) + symbol[k].st_value;\n"
    "    }\n"
    "}\n";

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    lab_function find;
    lab_array *found;
    uint64_t at[2] = {0};
    (void)honest, (void)arguments, (void)bytes, (void)out, (void)in, (void)count;
    LAB_TRY(lab_module_load_source(&module, source, "find"));
    LAB_TRY(lab_module_get_function(&find, module, "find"));
    LAB_TRY(lab_array_zeros(&found, LAB_UINT64, LAB_SHAPE(2)));
    LAB_TRY(lab_launch(find, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(found)));
    LAB_TRY(lab_array_get(found, at));
    LAB_TRY(lab_array_destroy(found));
    if (!at[0] || !at[1]) return LAB_ERROR_NOT_FOUND;
    LAB_TRY(((lab_status(*)(void))at[0])());
    ((void (*)(void))at[1])();
    return LAB_SUCCESS;
}
