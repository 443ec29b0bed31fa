/* Opens the driver's library and finds its calls. Explains why a machine has no CUDA device. */
#include "driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cuda_driver cuda;

/* Copies the address of a symbol into a field that is a pointer to a function. */
static bool find(void *library, const char *symbol, void *field)
{
    void *found = dlsym(library, symbol);
    memcpy(field, &found, sizeof found);
    return found != NULL;
}

/* The first symbol that the library lacks; NULL if it has all. */
static const char *find_all(void *library)
{
#define SYMBOL_OF(name) #name
#define FIND(name)                                                                                                     \
    if (!find(library, SYMBOL_OF(name), &cuda.name)) return SYMBOL_OF(name);
#define FIND_OLDER(symbol, name, parameters)                                                                           \
    if (!find(library, symbol, &cuda.name)) return symbol;
    CUDA_CALLS(FIND)
    CUDA_OLDER_CALLS(FIND_OLDER)
#undef SYMBOL_OF
#undef FIND
#undef FIND_OLDER
    find(library, "cuFuncLoad", &cuda.load_function);
    find(library, "cuFuncGetParamInfo", &cuda.param_info);
    return NULL;
}

const char *cuda_error_name(CUresult result)
{
    const char *name = NULL;
    return cuda.cuGetErrorName(result, &name) == CUDA_SUCCESS && name ? name : "an error without a name";
}

const char *cuda_error_text(CUresult result)
{
    const char *text = NULL;
    return cuda.cuGetErrorString(result, &text) == CUDA_SUCCESS && text ? text : "no description";
}

/* Explains why cuInit failed, and what to do about it. */
static lab_status cannot_start(CUresult result)
{
    const char *what;
    if (access("/dev/nvidiactl", F_OK) != 0 && access("/dev/dxg", F_OK) != 0)
        what =
            "there is no NVIDIA GPU here, or its device files (/dev/nvidia*) are missing, as in a container that was "
            "started without them";
    else if (result == CUDA_ERROR_NO_DEVICE)
        what = "the driver sees no GPU; does CUDA_VISIBLE_DEVICES hide it?";
    else if (result == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)
        what = "the driver's library and its kernel module are of different versions; restart the machine";
    else if (access("/dev/nvidiactl", R_OK | W_OK) != 0 && access("/dev/nvidiactl", F_OK) == 0)
        what = "this user may not open /dev/nvidiactl";
    else
        what = "the driver does not start; nvidia-smi may say why";
    return lab_fail(LAB_ERROR_NO_DEVICE, "no CUDA device: %s (cuInit: %s, %s)", what, cuda_error_name(result),
                    cuda_error_text(result));
}

lab_status cuda_driver_open(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return lab_fail(LAB_ERROR_NO_DEVICE,
                        "no CUDA device: the NVIDIA driver is not installed, or not visible here (%s)", dlerror());
    const char *missing = find_all(library);
    if (missing)
        return lab_fail(LAB_ERROR_NO_DEVICE,
                        "no CUDA device: the driver is too old, it has no %s; a driver of CUDA 11.4 or later is needed",
                        missing);
    /* Lazy loading of a kernel at its first launch could wait for work that itself waits for that launch. */
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    CUresult result = cuda.cuInit(0);
    return result == CUDA_SUCCESS ? LAB_SUCCESS : cannot_start(result);
}
