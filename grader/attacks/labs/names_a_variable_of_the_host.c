/* Tries to write to the C library's and the harness's variables from a kernel, by their names. */
static const char source[] = "extern \"C\" char **environ;\n"
                             "extern \"C\" int worker_entries;\n"
                             "extern \"C\" __global__ void attack(unsigned long long *found)\n"
                             "{ *found = (unsigned long long)environ[0]; worker_entries = 0; }\n";

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
