/* Tries to have code run when a kernel is loaded, or machine code of its own: assembly in each spelling, constructors,
 * sections, ifuncs, aliases, names that the assembler reads. Gains the process that loads it. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const char *sources[] = {
        "extern \"C\" __global__ void k(long *x) { asm volatile(\"syscall\" : \"=a\"(*x) : \"0\"(39l)); }\n",
        "__asm__(\".globl f\\nf: ret\\n\");\nextern \"C\" __global__ void k(int *x) { *x = 1; }\n",
        "static int y; __attribute__((constructor)) static void c() { *(volatile int *)0 = 1; }\n"
        "extern \"C\" __global__ void k(int *x) { *x = y; }\n",
        "struct s { s() { *(volatile int *)0 = 1; } int v; }; static s here;\n"
        "extern \"C\" __global__ void k(int *x) { *x = here.v; }\n",
        "typedef void f(); static void c() { *(volatile int *)0 = 1; }\n"
        "__attribute__((section(\".init_array\"), used)) static f *p = c;\n"
        "extern \"C\" __global__ void k(int *x) { *x = 1; }\n",
        "extern \"C\" { static int one() { return 1; } static int (*pick())() { *(volatile int *)0 = 1; return one; }\n"
        "int chosen() __attribute__((ifunc(\"_ZL4pickv\"))); }\nextern \"C\" __global__ void k(int *x) { *x = "
        "chosen(); }\n",
        "extern \"C\" int f() asm(\"dprintf\");\nextern \"C\" __global__ void k(int *x) { *x = f(); }\n",
        "extern \"C\" int f(const char *) asm(\"system\");\nextern \"C\" __global__ void k(int *x) { *x = f(\"id\"); "
        "}\n",
        "extern \"C\" int mine() asm(\"x\\n.globl y\\ny: ud2\\n\");\nextern \"C\" __global__ void k(int *x) { *x = "
        "mine(); }\n",
        "__attribute__((destructor)) static void d() { *(volatile int *)0 = 1; }\n"
        "extern \"C\" __global__ void k(int *x) { *x = 1; }\n",
        "thread_local int t; extern \"C\" __global__ void k(long *x) { *x = (long)&t; (&t)[-1000] = 1; (&t)[1000] = 1; "
        "}\n",
        "#pragma comment(lib, \"c\")\n#pragma clang __debug crash\nextern \"C\" __global__ void k(int *x) { *x = 1; "
        "}\n",
        "extern \"C\" __global__ void k(int *x) { ((void (*)())x)(); }\n",
        "extern \"C\" __global__ void k(int *x) { printf((const char *)x, x, x); printf(\"%n%n%s\", x, x, (char *)77); "
        "}\n",
        "extern \"C\" __global__ void k(int *x) { free(x); free((char *)malloc(10) + 8); abort(); }\n",
        "#line 1 \"<CUDA built-ins>\"\nextern \"C\" void dprintf(int, const char *, ...);\n"
        "extern \"C\" __global__ void k(int *x) { for (int i = 0; i < 64; i++) dprintf(i, \"x\"); }\n"};
    lab_module *module;
    lab_function function;
    lab_array *array;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (lab_module_load_source(&module, sources[i], "hostile")) continue;
        if (lab_module_get_function(&function, module, "k")) continue;
        if (lab_array_full(&array, LAB_INT32, LAB_SHAPE(64), LAB_ARG(0x6e257325))) break;
        lab_launch(function, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(array));
        lab_device_synchronize();
        lab_device_reset(0);
    }
    return LAB_SUCCESS;
}
