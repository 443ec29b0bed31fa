/* Tries to use up the descriptors of the device process by its own means: each module that is loaded keeps a file open, each
 * thread a channel. Gains a device process that cannot write the record: a fault of the grader. */
static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static const char source[] = "extern \"C\" __global__ void k(int *x) { *x = 1; }\n";
    lab_module *module;
    for (int i = 0; i < 5000; i++)
        if (lab_module_load_source(&module, source, "k")) break;
    return LAB_SUCCESS;
}
