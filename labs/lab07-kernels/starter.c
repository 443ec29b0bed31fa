/* Lab 07, kernels. The lesson is in README.md, the contract in lab07.h. */
#include "lab07.h"

lab_status lab07_difference(lab_array *out, const lab_array *x, const lab_array *y)
{
    /* TODO(1): create a kernel for any type T, launch it on the current stream, destroy it. */
    return LAB_SUCCESS; /* TODO(1) */
}

lab_status lab07_wave(lab_array *out, const lab_array *x, const lab_array *y, const lab_array *z)
{
    /* TODO(1): the whole formula in one kernel. */
    return LAB_SUCCESS; /* TODO(1) */
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
    [LAB07_DIFFERENCE] = {0, 0}, /* TODO(1) */
    [LAB07_WAVE] = {0, 0},       /* TODO(1) */
    [LAB07_STEPS] = {0, 0},      /* TODO(1) */
};

/* clang-format off */
const char *lab07_tree(void)
{
    return LAB07_KERNEL
        "extern \"C\" __global__ void tree(float *partial, const float *x, int count)\n"
        "{\n"
        "    __shared__ float value[256];\n"
        "    /* TODO(2): combine this thread's numbers, then halve the values to one. */\n"
        "}\n";
}
/* clang-format on */

const lab07_operation lab07_sum = {"a + b", "0.0f"};
const lab07_operation lab07_max = {"fmaxf(a, b)", "0.0f"}; /* TODO(2) */

lab_status lab07_reduce(const lab07_work *work)
{
    /* TODO(2): from x to partial, then from partial to out. */
    return LAB_SUCCESS; /* TODO(2) */
}

lab_status lab07_softplus(lab_arg x, lab_arg y)
{
    /* TODO(3): one expression, in which no intermediate result is too large. */
    return LAB_SUCCESS; /* TODO(3) */
}

/* clang-format off */
const char *lab07_scale(void)
{
    return LAB07_KERNEL
        "extern \"C\" __global__ void scale(float *x, float factor, int count)\n"
        "{\n"
        "    /* TODO(4): begin at this thread's index; go on by the number of threads. */\n"
        "}\n";
}

const char *lab07_shuffle(void)
{
    return LAB07_KERNEL
        "extern \"C\" __global__ void tree(float *partial, const float *x, int count)\n"
        "{\n"
        "    /* TODO(5): as task 2, but the other thread's value comes by a shuffle. */\n"
        "}\n";
}
/* clang-format on */
