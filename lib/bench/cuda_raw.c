/* The driver's calls, comparisons in turns, and the groups of rows for a GPU. */
#include "cuda_raw.h"
#include "cuda/libraries/nvrtc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *raw_symbol(const char *name)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return driver ? dlsym(driver, name) : NULL;
}

lab_status raw_load(CUfunction *out, const char *source, const char *kernel)
{
    CUdevice device;
    int major = 0, minor = 0;
    cuda_image image;
    CUmodule module;
    RAW_TRY(cuda.cuDeviceGet, &device, 0);
    RAW_TRY(cuda.cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    RAW_TRY(cuda.cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    LAB_TRY(cuda_nvrtc_compile(&image, source, "raw.cu", 10 * major + minor));
    CUresult result = cuda.cuModuleLoadData(&module, image.data);
    free(image.data);
    if (result != CUDA_SUCCESS) return lab_fail(LAB_ERROR_UNKNOWN, "cuModuleLoadData: %s", cuda_error_name(result));
    RAW_TRY(cuda.cuModuleGetFunction, out, module, kernel);
    return LAB_SUCCESS;
}

/* Runs each once; adds their times. */
static lab_status take_turn(double *of_ours, double *of_raw, raw_timed *ours, raw_timed *raw, bool ours_first,
                            void *user)
{
    double took_ours = 0, took_raw = 0;
    if (ours_first) LAB_TRY(ours(&took_ours, user));
    LAB_TRY(raw(&took_raw, user));
    if (!ours_first) LAB_TRY(ours(&took_ours, user));
    *of_ours += took_ours;
    *of_raw += took_raw;
    return LAB_SUCCESS;
}

lab_status raw_compare(raw_comparison *comparison, raw_timed *ours, raw_timed *raw, int turns, void *user)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double of_ours = 0, of_raw = 0;
        for (int turn = 0; turn < turns; turn++)
            LAB_TRY(take_turn(&of_ours, &of_raw, ours, raw, (round + turn) % 2 == 0, user));
        of_ours /= turns;
        of_raw /= turns;
        if (round < 0) continue;
        bench_add_sample(&comparison->ours, of_ours);
        bench_add_sample(&comparison->raw, of_raw);
        bench_add_sample(&comparison->above, of_ours - of_raw);
        bench_add_sample(&comparison->ratio, of_ours / of_raw);
    }
    return LAB_SUCCESS;
}

/* "580.159.04, CUDA 13.0" */
static void describe_driver(void)
{
    char line[256] = "", text[128];
    int version = 0;
    FILE *file = fopen("/proc/driver/nvidia/version", "re");
    if (file && !fgets(line, sizeof line, file)) *line = '\0';
    if (file) fclose(file);
    const char *number = line; /* the first number of the form 580.159.04 */
    int parts = 0, whole, part;
    while (*number && (parts = sscanf(number, "%d.%d.", &whole, &part)) < 2) {
        number += strcspn(number, " ");
        number += strspn(number, " ");
    }
    cuda.cuDriverGetVersion(&version);
    snprintf(text, sizeof text, "%.*s%sCUDA %d.%d", (int)strcspn(number, " \n"), number, parts == 2 ? ", " : "",
             version / 1000, version % 1000 / 10);
    bench_set_driver(text);
}

bool bench_cuda(const char *program)
{
    lab_device_info info;
    if (lab_device_get_info(&info, 0) != LAB_SUCCESS) {
        fprintf(stderr, "bench: %s\n", lab_error_message());
        return false;
    }
    describe_driver();
    cupy_measure();
    bench_cuda_calls();
    bench_cuda_lab03();
    bench_cuda_bandwidth();
    bench_cuda_first(program);
    bench_cuda_devices();
    bench_cuda_tracing(); /* last: CUPTI stays in the process */
    return true;
}
