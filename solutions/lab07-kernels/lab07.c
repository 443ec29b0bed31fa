/* Lab 07, kernels. The lesson is in README.md, the contract in lab07.h. */
#include "lab07.h"

lab_status lab07_difference(lab_array *out, const lab_array *x, const lab_array *y)
{
    /* Task 1: create a kernel for any type T, launch it on the current stream, destroy it. */
    lab_elementwise *kernel;
    LAB_TRY(lab_elementwise_create(&kernel, "T x, T y", "T out", "out = (x - y) * (x - y)",
                                   "difference"));
    LAB_TRY(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y, out)));
    return lab_elementwise_destroy(kernel);
}

lab_status lab07_wave(lab_array *out, const lab_array *x, const lab_array *y, const lab_array *z)
{
    /* Task 1: the whole formula in one kernel. */
    lab_elementwise *kernel;
    LAB_TRY(lab_elementwise_create(&kernel, "float32 x, float32 y, float32 z", "float32 out",
                                   "out = sinf(x) + cosf(y) / sqrtf(z)", "wave"));
    LAB_TRY(lab_elementwise_launch(kernel, NULL, LAB_ARGS(x, y, z, out)));
    return lab_elementwise_destroy(kernel);
}

/* Given: one operation as a kernel of its own. */
static lab_status step(const char *inputs, const char *body, lab_args arrays)
{
    lab_elementwise *kernel;
    LAB_TRY(lab_elementwise_create(&kernel, inputs, "float32 out", body, "step"));
    LAB_TRY(lab_elementwise_launch(kernel, NULL, arrays));
    return lab_elementwise_destroy(kernel);
}

/* Given: five kernels, with two arrays for what is between them. */
lab_status lab07_steps(lab_array *out, const lab_array *x, const lab_array *y, const lab_array *z)
{
    lab_array *a, *b;
    LAB_TRY(lab_array_empty(&a, LAB_FLOAT32, lab_array_shape(x)));
    LAB_TRY(lab_array_empty(&b, LAB_FLOAT32, lab_array_shape(x)));
    LAB_TRY(step("float32 y", "out = cosf(y)", LAB_ARGS(y, a)));
    LAB_TRY(step("float32 z", "out = sqrtf(z)", LAB_ARGS(z, b)));
    LAB_TRY(step("float32 a, float32 b", "out = a / b", LAB_ARGS(a, b, a)));
    LAB_TRY(step("float32 x", "out = sinf(x)", LAB_ARGS(x, b)));
    LAB_TRY(step("float32 b, float32 a", "out = b + a", LAB_ARGS(b, a, out)));
    LAB_TRY(lab_array_destroy(a));
    return lab_array_destroy(b);
}

/* Task 1: your prediction. The columns: bytes read, bytes written, for each element. */
const int lab07_bytes[LAB07_FUNCTIONS][LAB07_COLUMNS] = {
    [LAB07_DIFFERENCE] = {8, 4}, /* Task 1 */
    [LAB07_WAVE] = {12, 4},      /* Task 1 */
    [LAB07_STEPS] = {28, 20},    /* Task 1 */
};

/* clang-format off */
const char *lab07_tree(void)
{
    return LAB07_KERNEL
        "extern \"C\" __global__ void tree(float *partial, const float *x, int count)\n"
        "{\n"
        "    __shared__ float value[256];\n"
        "    /* Task 2: combine this thread's numbers, then halve the values to one. */\n"
        "    float mine = IDENTITY;\n"
        "    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;\n"
        "    for (int i = first; i < count; i += stride) mine = combine(mine, x[i]);\n"
        "    value[threadIdx.x] = mine;\n"
        "    for (int half = blockDim.x / 2; half > 0; half /= 2) {\n"
        "        __syncthreads();\n"
        "        if (threadIdx.x < half)\n"
        "            value[threadIdx.x] = combine(value[threadIdx.x], value[threadIdx.x + half]);\n"
        "    }\n"
        "    if (threadIdx.x == 0) partial[blockIdx.x] = value[0];\n"
        "}\n";
}
/* clang-format on */

const lab07_operation lab07_sum = {"a + b", "0.0f"};
const lab07_operation lab07_max = {"fmaxf(a, b)", "-CUDART_INF_F"}; /* Task 2 */

lab_status lab07_reduce(const lab07_work *work)
{
    /* Task 2: from x to partial, then from partial to out. */
    const lab_dim block = LAB_DIM(LAB07_THREADS);
    LAB_TRY(lab_launch(work->tree, LAB_DIM(LAB07_BLOCKS), block, 0, NULL,
                       LAB_ARGS(work->partial, work->x, work->count)));
    return lab_launch(work->tree, LAB_DIM(1), block, 0, NULL,
                      LAB_ARGS(work->out, work->partial, (int)LAB07_BLOCKS));
}

lab_status lab07_softplus(lab_arg x, lab_arg y)
{
    /* Task 3: one expression, in which no intermediate result is too large. */
    lab_expression *softplus;
    LAB_TRY(
        lab_expression_create(&softplus, "x", "maximum(0, x) + log1p(exp(-abs(x)))", "softplus"));
    LAB_TRY(lab_expression_apply(softplus, NULL, LAB_ARGS(x, y)));
    return lab_expression_destroy(softplus);
}

/* clang-format off */
const char *lab07_scale(void)
{
    return LAB07_KERNEL
        "extern \"C\" __global__ void scale(float *x, float factor, int count)\n"
        "{\n"
        "    /* Task 4: begin at this thread's index; go on by the number of threads. */\n"
        "    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;\n"
        "    for (int i = first; i < count; i += stride) x[i] *= factor;\n"
        "}\n";
}

const char *lab07_shuffle(void)
{
    return LAB07_KERNEL
        "extern \"C\" __global__ void tree(float *partial, const float *x, int count)\n"
        "{\n"
        "    /* Task 5: as task 2, but the other thread's value comes by a shuffle. */\n"
        "    float mine = IDENTITY;\n"
        "    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;\n"
        "    for (int i = first; i < count; i += stride) mine = combine(mine, x[i]);\n"
        "    for (int half = 16; half > 0; half /= 2)\n"
        "        mine = combine(mine, __shfl_down_sync(0xffffffffu, mine, half));\n"
        "    if (threadIdx.x == 0) partial[blockIdx.x] = mine;\n"
        "}\n";
}
/* clang-format on */
