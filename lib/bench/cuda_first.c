/*
 * The time to the first result, each time in a new process: with the library, with an empty and with a full cache of
 * kernels; with the driver's calls and NVRTC; and the driver's time for a context alone.
 */
#include "cuda_raw.h"
#include "cuda/libraries/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 11, COUNT = 64 };

static const char SOURCE[] = "extern \"C\" __global__ void one(float *x) { x[threadIdx.x] = 1; }\n";

static lab_status check(const float *result)
{
    for (int i = 0; i < COUNT; i++)
        if (result[i] != 1) return lab_fail(LAB_ERROR_UNKNOWN, "the first result is wrong");
    return LAB_SUCCESS;
}

/* ---- in a new process ---- */

static lab_status by_library(void)
{
    lab_module *module;
    lab_function one;
    lab_array *x;
    float result[COUNT];
    LAB_TRY(lab_module_load_source(&module, SOURCE, "one.cu"));
    LAB_TRY(lab_module_get_function(&one, module, "one"));
    LAB_TRY(lab_array_empty(&x, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(lab_launch(one, LAB_DIM(1), LAB_DIM(COUNT), 0, NULL, LAB_ARGS(x)));
    LAB_TRY(lab_array_get(x, result));
    return check(result);
}

static lab_status make_context(void)
{
    CUdevice device;
    CUcontext context;
    LAB_TRY(cuda_driver_open());
    RAW_TRY(cuda.cuDeviceGet, &device, 0);
    RAW_TRY(cuda.cuDevicePrimaryCtxRetain, &context, device);
    RAW_TRY(cuda.cuCtxSetCurrent, context);
    return LAB_SUCCESS;
}

static lab_status by_driver(void)
{
    CUfunction one;
    CUdeviceptr x;
    float result[COUNT];
    void *arguments[] = {&x};
    LAB_TRY(make_context());
    LAB_TRY(raw_load(&one, SOURCE, "one"));
    RAW_TRY(cuda.cuMemAlloc, &x, sizeof result);
    RAW_TRY(cuda.cuLaunchKernel, one, 1, 1, 1, COUNT, 1, 1, 0, NULL, arguments, NULL);
    RAW_TRY(cuda.cuMemcpyDtoH, result, x, sizeof result);
    return check(result);
}

int bench_cuda_first_use(const char *how)
{
    double start = bench_now();
    const lab_status status = strcmp(how, "library") == 0  ? by_library()
                              : strcmp(how, "driver") == 0 ? by_driver()
                                                           : make_context();
    printf("%.9f\n", bench_now() - start);
    if (status == LAB_SUCCESS) return 0;
    fprintf(stderr, "%s\n", lab_error_message());
    return 1;
}

/* ---- in this process ---- */

static lab_status time_process(double *milliseconds, const char *program, const char *how)
{
    char command[4096];
    double seconds = 0;
    snprintf(command, sizeof command, "'%s' --first %s", program, how);
    FILE *output = popen(command, "re");
    const int read = output ? fscanf(output, "%lf", &seconds) : 0;
    const int status = output ? pclose(output) : -1;
    if (read != 1 || status != 0) return lab_fail(LAB_ERROR_UNKNOWN, "%s did not finish", command);
    *milliseconds = 1e3 * seconds;
    return LAB_SUCCESS;
}

typedef struct firsts {
    bench_samples cold, warm, driver, context, of_driver, above_context;
} firsts;

static lab_status measure_round(firsts *times, const char *program)
{
    double cold = 0, warm = 0, driver = 0, context = 0;
    LAB_TRY(lab_cache_clear());
    LAB_TRY(time_process(&cold, program, "library"));
    LAB_TRY(time_process(&driver, program, "driver"));
    LAB_TRY(time_process(&warm, program, "library"));
    LAB_TRY(time_process(&context, program, "context"));
    bench_add_sample(&times->cold, cold);
    bench_add_sample(&times->warm, warm);
    bench_add_sample(&times->driver, driver);
    bench_add_sample(&times->context, context);
    bench_add_sample(&times->of_driver, cold / driver);
    bench_add_sample(&times->above_context, warm - context);
    return LAB_SUCCESS;
}

/* Uses its own cache, so that no other cache is cleared. */
static lab_status measure(firsts *times, const char *program)
{
    char folder[] = "/tmp/lab-bench-XXXXXX", command[64];
    if (!mkdtemp(folder)) return lab_fail(LAB_ERROR_UNKNOWN, "cannot create a folder in /tmp");
    const char *before = getenv("LAB_CACHE_DIR");
    char *kept = before ? strdup(before) : NULL;
    setenv("LAB_CACHE_DIR", folder, 1);
    double warm_up = 0;
    lab_status status = time_process(&warm_up, program, "driver");
    for (int round = 0; round < ROUNDS && status == LAB_SUCCESS; round++) status = measure_round(times, program);
    if (kept)
        setenv("LAB_CACHE_DIR", kept, 1);
    else
        unsetenv("LAB_CACHE_DIR");
    free(kept);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0 && status == LAB_SUCCESS) status = lab_fail(LAB_ERROR_UNKNOWN, "%s stays", folder);
    return status;
}

void bench_cuda_first(const char *program)
{
    firsts times = {0};
    const lab_status status = measure(&times, program);
    bench_add_row((bench_row){"first result, nothing in the cache", "ms", BENCH_NO_GOAL, 0}, &times.cold, status);
    bench_add_row((bench_row){"  the driver's calls and NVRTC", "ms", BENCH_NO_GOAL, 0}, &times.driver, status);
    bench_add_row((bench_row){"  over them", "", BENCH_AT_MOST, 1.1}, &times.of_driver, status);
    bench_add_row((bench_row){"first result, from the cache", "ms", BENCH_NO_GOAL, 0}, &times.warm, status);
    bench_add_row((bench_row){"  a context of the driver alone", "ms", BENCH_NO_GOAL, 0}, &times.context, status);
    bench_add_row((bench_row){"  above it", "ms", BENCH_AT_MOST, 10}, &times.above_context, status);
}
