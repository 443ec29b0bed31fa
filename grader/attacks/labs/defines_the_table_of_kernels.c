/* Tries to write the tables by which the device process knows a module: macros of the source rename those that the
 * library writes behind it, and tables of its own take their place. Gains any address and number in the device process. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const char *sources[] = {
        "extern \"C\" __global__ void k(int *x) { *x = 1; }\n"
        "struct fake { const char *name; int line, params; const void *a, *b, *c, *d; long more[32]; };\n"
        "extern \"C\" __attribute__((visibility(\"default\"))) const fake fakes[] asm(\"lab_kernels\") = {\n"
        " {\"k\", 1, 0x7fffffff, (void *)0x41414141, (void *)0x42424242, (void *)0x43434343, (void *)0x44444444, {}}, "
        "{}};\n",
        "#define lab_kernels lab_others\nextern \"C\" __global__ void k(int *x) { *x = 1; }\n"
        "#undef lab_kernels\n"
        "extern \"C\" LAB_EXPORT const cpu_kernel lab_kernels[] = {{\"k\", 1, 1000000, 0, 0, 0, 0}, {}};\n"
        "#define lab_kernels lab_others\n",
        "extern \"C\" { LAB_EXPORT int lab_facts[1000] = {-1, -1, -1, -1}; LAB_EXPORT char lab_texts[1000] = "
        "\"xxxx\";\n"
        "LAB_EXPORT long lab_variable_table[100] = {1, 2, 3}; LAB_EXPORT char lab_variable_names[100] = \"v\";\n"
        "LAB_EXPORT void *lab_variables[100] = {(void *)1}; }\nextern \"C\" __global__ void k(int *x) { *x = 1; }\n",
        "extern \"C\" __global__ void k(int *x) { *x = 1; }\n"
        "#define cpu_kernel const struct { const char *n; long p[9]; }\n#define lab_thread_k (void *)1\n"
        "#define lab_entry_k(...) lab_entry_k(__VA_ARGS__)\n#define lab_names_k x\n#define namespace\n",
        "extern \"C\" __global__ void k(int *x) { *x = 1; }\n#define lab_run_thread lab_other\n#define lab_run "
        "lab_other\n"
        "template <> struct lab_kernel<&::k> { enum { lab_params = 1000000 };\n"
        " static void lab_other(...) {} struct lab_table { const long *lab_param; lab_table(const char *const *) : "
        "lab_param((long *)16) {} }; };\n"};
    lab_module *module;
    lab_function function;
    lab_array *array;
    for (int i = 0; i < 5; i++) {
        if (lab_module_load_source(&module, sources[i], "tables")) continue;
        if (lab_module_get_function(&function, module, "k")) continue;
        if (lab_array_zeros(&array, LAB_INT32, LAB_SHAPE(64))) break;
        lab_launch(function, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(array));
        lab_device_synchronize();
        lab_device_reset(0);
    }
    return LAB_SUCCESS;
}
