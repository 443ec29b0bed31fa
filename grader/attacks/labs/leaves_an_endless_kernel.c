/* Tries to leave a kernel running for ever on every stream, and to return.
 * Gains a device that is busy when the check and the next student want it. */
static const char source[] = "extern \"C\" __global__ void stay(volatile int *x) { while (!*x) {} }\n";

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    lab_function stay;
    lab_array *array;
    lab_stream *stream;
    LAB_TRY(lab_module_load_source(&module, source, "stay"));
    LAB_TRY(lab_module_get_function(&stay, module, "stay"));
    LAB_TRY(lab_array_zeros(&array, LAB_INT32, LAB_SHAPE(1)));
    for (int i = 0; i < 8; i++) {
        LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
        LAB_TRY(lab_launch(stay, LAB_DIM(64), LAB_DIM(256), 0, stream, LAB_ARGS(array)));
    }
    return LAB_SUCCESS;
}
