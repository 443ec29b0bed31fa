/* saxpy of 2^22 floats, with a thread for each and with few threads that stride through all: a launch on the device,
 * from the call to completion, compared with a hand-written loop for the same number of cores, one slice per core. Both
 * work on the same memory, which on the CPU device is host memory: the place of the memory, and what the caches still
 * hold of it, matters more than the code. */
#include "bench.h"
#include "by_hand.h"
#include "base/status.h"

#include <stdlib.h>

enum { COUNT = 1 << 22, BLOCK = 256, FEW_BLOCKS = 64, REPEATS = 10 };

static const char SOURCE[] = "extern \"C\" __global__ void saxpy(float *y, const float *x, float a, int count)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < count) y[i] = a * x[i] + y[i];\n"
                             "}\n"
                             "extern \"C\" __global__ void strided(float *y, const float *x, float a, int count)\n"
                             "{\n"
                             "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * "
                             "blockDim.x)\n"
                             "        y[i] = a * x[i] + y[i];\n"
                             "}\n";

typedef struct saxpy {
    lab_module *module;
    lab_function saxpy, strided;
    lab_array *x, *y;
    by_hand *team;
} saxpy;

static lab_status launch(const saxpy *setup, lab_function function, unsigned blocks)
{
    for (int i = 0; i < REPEATS; i++) {
        LAB_TRY(lab_launch(function, LAB_DIM(blocks), LAB_DIM(BLOCK), 0, NULL,
                           LAB_ARGS(setup->y, setup->x, 0.5f, (int)COUNT)));
        LAB_TRY(lab_stream_synchronize(NULL));
    }
    return LAB_SUCCESS;
}

static lab_status launch_saxpy(void *user)
{
    const saxpy *setup = user;
    return launch(setup, setup->saxpy, COUNT / BLOCK);
}

static lab_status launch_strided(void *user)
{
    const saxpy *setup = user;
    return launch(setup, setup->strided, FEW_BLOCKS);
}

static lab_status loop(void *user)
{
    const saxpy *setup = user;
    float *y = (float *)(uintptr_t)lab_array_data(setup->y);
    const float *x = (const float *)(uintptr_t)lab_array_data(setup->x);
    for (int i = 0; i < REPEATS; i++) by_hand_saxpy(setup->team, y, x, 0.5f, COUNT);
    return LAB_SUCCESS;
}

/* Fills the array with numbers that stay in range however often y becomes y + x / 2. */
static lab_status fill(lab_array *array)
{
    float *host = malloc(COUNT * sizeof *host);
    if (!host) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the data");
    for (int i = 0; i < COUNT; i++) host[i] = (float)(i % 1000);
    lab_status status = lab_array_set(array, host);
    free(host);
    return status;
}

static lab_status prepare(saxpy *setup)
{
    lab_device_info info;
    LAB_TRY(lab_device_get_info(&info, 0));
    setup->team = by_hand_start(info.multiprocessors);
    if (!setup->team) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no threads for the hand-written loop");
    LAB_TRY(lab_array_empty(&setup->x, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(lab_array_empty(&setup->y, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(fill(setup->x));
    LAB_TRY(fill(setup->y));
    LAB_TRY(lab_module_load_source(&setup->module, SOURCE, "saxpy.cu"));
    LAB_TRY(lab_module_get_function(&setup->saxpy, setup->module, "saxpy"));
    return lab_module_get_function(&setup->strided, setup->module, "strided");
}

void bench_saxpy(void)
{
    saxpy setup = {0};
    bench_samples ratio = {0}, strided = {0};
    lab_status status = prepare(&setup);
    if (status == LAB_SUCCESS) status = bench_compare(&ratio, loop, launch_saxpy, &setup);
    bench_add_row((bench_row){"saxpy 2^22: speed of a hand-written loop's", "", BENCH_AT_LEAST, 0.85}, &ratio, status);
    if (status == LAB_SUCCESS) status = bench_compare(&strided, loop, launch_strided, &setup);
    bench_add_row((bench_row){"saxpy 2^22, grid-stride: the same", "", BENCH_AT_LEAST, 0.25}, &strided, status);
    lab_module_unload(setup.module);
    lab_array_destroy(setup.x);
    lab_array_destroy(setup.y);
    by_hand_stop(setup.team);
}
