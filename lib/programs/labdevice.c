/*
 * labdevice: says for `make doctor` whether labs can run on a GPU here. Each line has four fields separated by bars:
 * the state, name and version of something that this needs, and what it means. Runs a kernel on every GPU as proof.
 * Exit status 0 if labs can run on a GPU.
 */
#include "cuda/cuda_device.h"
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 1000 };

static void row(const char *state, const char *name, const char *version, const char *text)
{
    printf("%s|%s|%s|", state, name, version);
    for (; *text; text++) putchar(*text == '|' || *text == '\n' ? ' ' : *text);
    putchar('\n');
}

static const char *version_text(char *out, size_t bytes, int version)
{
    snprintf(out, bytes, "%d.%d", version / 1000, version % 1000 / 10);
    return out;
}

static bool on_wsl(void) { return access("/dev/dxg", F_OK) == 0; }

/* Runs a kernel on the current device; LAB_ERROR_UNKNOWN if its result is wrong. */
static lab_status prove(void)
{
    lab_module *module;
    lab_function square;
    lab_array *array;
    int host[COUNT];
    LAB_TRY(lab_module_load_source(&module,
                                   "extern \"C\" __global__ void square(int *x, int n) { int i = blockIdx.x * "
                                   "blockDim.x + threadIdx.x; if (i < n) x[i] = i * i + 1; }",
                                   "proof.cu"));
    LAB_TRY(lab_module_get_function(&square, module, "square"));
    LAB_TRY(lab_array_zeros(&array, LAB_INT32, LAB_SHAPE(COUNT)));
    LAB_TRY(lab_launch(square, LAB_DIM(8), LAB_DIM(128), 0, NULL, LAB_ARGS(array, COUNT)));
    LAB_TRY(lab_array_get(array, host));
    for (int i = 0; i < COUNT; i++)
        if (host[i] != i * i + 1) return LAB_ERROR_UNKNOWN;
    LAB_TRY(lab_array_destroy(array));
    return lab_module_unload(module);
}

static bool prove_device(int device)
{
    lab_device_info info;
    char text[1400], name[32];
    lab_status status = lab_device_get_info(&info, device);
    if (status == LAB_SUCCESS) LAB_WITH_DEVICE(device) status = prove();
    snprintf(name, sizeof name, "GPU %d", device);
    if (status == LAB_SUCCESS)
        snprintf(text, sizeof text, "%s: %d multiprocessors, %.1f GiB of memory; a kernel ran on it correctly",
                 info.name, info.multiprocessors, (double)info.total_memory / (1 << 30));
    else
        snprintf(text, sizeof text, "a kernel failed on it: %s",
                 status == LAB_ERROR_UNKNOWN ? "its result was wrong" : lab_error_message());
    row(status == LAB_SUCCESS ? "ok" : "PROBLEM", name, "", text);
    return status == LAB_SUCCESS;
}

/* Shows the libraries next to the driver; returns whether kernels can be compiled. */
static bool show_libraries(const cuda_findings *found)
{
    char version[32];
    if (found->nvrtc && found->nvrtc / 1000 > found->driver / 1000)
        row("PROBLEM", "NVRTC", version_text(version, sizeof version, found->nvrtc),
            "newer than the driver, which may refuse its code: update the driver, or install the toolkit of the "
            "driver's version");
    else if (found->nvrtc)
        row("ok", "NVRTC", version_text(version, sizeof version, found->nvrtc), "compiles kernels for the GPU");
    else
        row("MISSING", "NVRTC", "", found->nvrtc_problem);
    if (found->cupti)
        row("ok", "CUPTI", "", "measures times for the record");
    else
        row("absent", "CUPTI", "",
            on_wsl() ? "events measure times for the record; under WSL2 CUPTI needs Windows 11 and its developer mode"
                     : "events measure times for the record; CUPTI comes with the CUDA Toolkit, and the driver may "
                       "reserve it "
                       "for administrators (NVreg_RestrictProfilingToAdminUsers=0)");
    return found->nvrtc != 0;
}

int main(void)
{
    cuda_findings found;
    char version[32];
    int devices = 0, proven = 0;
    if (!cuda_find(&found)) {
        row("absent", "CUDA device", "",
            "left out of this build: the CUDA Toolkit's headers were not found (set CUDA_PATH); labs run on the CPU "
            "device");
        return EXIT_FAILURE;
    }
    if (!found.driver) {
        char why[sizeof found.driver_problem + 128];
        snprintf(why, sizeof why, "%s; without an NVIDIA GPU there is nothing to do: labs run on the CPU device",
                 found.driver_problem);
        row("absent", "NVIDIA driver", "", why);
        return EXIT_FAILURE;
    }
    row("ok", "NVIDIA driver", version_text(version, sizeof version, found.driver), "the CUDA version of the driver");
    bool can_compile = show_libraries(&found);
    setenv("LAB_DEVICE", "cuda", 1);
    if (can_compile && lab_device_count(&devices) != LAB_SUCCESS) row("PROBLEM", "GPU", "", lab_error_message());
    for (int i = 0; i < devices; i++) proven += prove_device(i);
    return proven > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
