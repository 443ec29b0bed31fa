/* Tries to keep the device busy for days by the largest grid and block that a launch takes.
 * Gains the same as an endless kernel, without a loop. */
static const char source[] =
    "extern \"C\" __global__ void add(float *x) { atomicAdd(x, 1.0f); __syncthreads(); atomicAdd(x, 1.0f); }\n";

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    lab_function add;
    lab_array *array;
    LAB_TRY(lab_module_load_source(&module, source, "add"));
    LAB_TRY(lab_module_get_function(&add, module, "add"));
    LAB_TRY(lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_TRY(lab_launch(add, LAB_DIM(2147483647, 65535, 65535), LAB_DIM(1024), 0, NULL, LAB_ARGS(array)));
    return LAB_SUCCESS;
}
