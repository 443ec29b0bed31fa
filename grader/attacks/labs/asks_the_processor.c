/* Tries to find the library's memory from a kernel by builtins of the processor: where it returns to, and the base of its
 * thread's data. */
static const char source[] =
    "__attribute__((target(\"fsgsbase\"))) static unsigned long long base() { return __builtin_ia32_rdfsbase64(); }\n"
    "extern \"C\" __global__ void attack(unsigned long long *found)\n"
    "{ *found = base() + (unsigned long long)__builtin_return_address(0); *(unsigned long long *)*found = 0; }\n";

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    lab_function kernel;
    lab_array *found;
    (void)honest, (void)arguments, (void)bytes, (void)out, (void)in, (void)count;
    LAB_TRY(lab_module_load_source(&module, source, "attack"));
    LAB_TRY(lab_module_get_function(&kernel, module, "attack"));
    LAB_TRY(lab_array_zeros(&found, LAB_UINT64, LAB_SHAPE(1)));
    LAB_TRY(lab_launch(kernel, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(found)));
    return lab_device_synchronize();
}
