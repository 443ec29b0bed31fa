/* saxpy of 2^22 floats: a launch on the device, from the call to its completion, beside a loop written by hand for the
 * same number of cores, one slice a core. Both work on the same memory, which on the CPU device is the host's: where
 * memory lies, and what of it the caches still hold, makes more of a difference than the code. */
#include "bench.h"
#include "by_hand.h"
#include "base/status.h"

#include <stdlib.h>

enum { COUNT = 1 << 22, BLOCK = 256, REPEATS = 10 };

static const char SOURCE[] = "extern \"C\" __global__ void saxpy(float *y, const float *x, float a, int count)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < count) y[i] = a * x[i] + y[i];\n"
                             "}\n";

typedef struct saxpy {
    lab_module *module;
    lab_function function;
    lab_array *x, *y;
    by_hand *team;
} saxpy;

static lab_status launch(void *user)
{
    const saxpy *of = user;
    for (int i = 0; i < REPEATS; i++) {
        LAB_TRY(lab_launch(of->function, LAB_DIM(COUNT / BLOCK), LAB_DIM(BLOCK), 0, NULL,
                           LAB_ARGS(of->y, of->x, 0.5f, (int)COUNT)));
        LAB_TRY(lab_stream_synchronize(NULL));
    }
    return LAB_SUCCESS;
}

static lab_status loop(void *user)
{
    const saxpy *of = user;
    float *y = (float *)(uintptr_t)lab_array_data(of->y);
    const float *x = (const float *)(uintptr_t)lab_array_data(of->x);
    for (int i = 0; i < REPEATS; i++) by_hand_saxpy(of->team, y, x, 0.5f, COUNT);
    return LAB_SUCCESS;
}

/* Numbers that stay ordinary however often y becomes y + x / 2. */
static lab_status fill(lab_array *array)
{
    float *host = malloc(COUNT * sizeof *host);
    if (!host) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the data");
    for (int i = 0; i < COUNT; i++) host[i] = (float)(i % 1000);
    lab_status status = lab_array_set(array, host);
    free(host);
    return status;
}

static lab_status prepare(saxpy *of)
{
    lab_device_info info;
    LAB_TRY(lab_device_get_info(&info, 0));
    of->team = by_hand_start(info.multiprocessors);
    if (!of->team) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no threads for the loop written by hand");
    LAB_TRY(lab_array_empty(&of->x, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(lab_array_empty(&of->y, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(fill(of->x));
    LAB_TRY(fill(of->y));
    LAB_TRY(lab_module_load_source(&of->module, SOURCE, "saxpy.cu"));
    return lab_module_get_function(&of->function, of->module, "saxpy");
}

void bench_saxpy(void)
{
    saxpy of = {0};
    bench_samples ratio = {0};
    lab_status status = prepare(&of);
    if (status == LAB_SUCCESS) status = bench_compare(&ratio, loop, launch, &of);
    bench_add_row((bench_row){"saxpy 2^22: speed of a hand-written loop's", "", BENCH_AT_LEAST, 0.85}, &ratio, status);
    lab_module_unload(of.module);
    lab_array_destroy(of.x);
    lab_array_destroy(of.y);
    by_hand_stop(of.team);
}
