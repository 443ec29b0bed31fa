/* The driver's modules, their functions and variables, and launches. */
#include "cudart/cudart.h"

#include "base/system/text_file.h"
#include "cudart/image.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static lab_function function_of(CUfunction function) { return (lab_function){(uintptr_t)function}; }

/* ---- modules ---- */

/* A module of labcc's image, of which a program may ask by mangled names. */
typedef struct compiled {
    const lab_module *module;
    char *image;
    struct compiled *next;
} compiled;

static compiled *all_compiled;
static pthread_mutex_t compiled_lock = PTHREAD_MUTEX_INITIALIZER;

/* Takes the image. */
static CUresult load_compiled(CUmodule *module, char *image)
{
    compiled *made = malloc(sizeof *made);
    const lab_status status =
        made ? lab_module_load_source((lab_module **)module, image, "a module of labcc") : LAB_ERROR_OUT_OF_MEMORY;
    if (status != LAB_SUCCESS) {
        free(made);
        free(image);
        return made ? cudart_driver_end(status)
                    : cudart_driver_fail(CUDA_ERROR_OUT_OF_MEMORY, "cuModuleLoadData: no memory for the module");
    }
    pthread_mutex_lock(&compiled_lock);
    *made = (compiled){(lab_module *)*module, image, all_compiled};
    all_compiled = made;
    pthread_mutex_unlock(&compiled_lock);
    return CUDA_SUCCESS;
}

static void forget_compiled(const lab_module *module)
{
    pthread_mutex_lock(&compiled_lock);
    for (compiled **at = &all_compiled; *at; at = &(*at)->next) {
        compiled *each = *at;
        if (each->module != module) continue;
        *at = each->next;
        free(each->image);
        free(each);
        break;
    }
    pthread_mutex_unlock(&compiled_lock);
}

/* The kernel's name in the module, which the caller frees; NULL if the name is not a mangled one of the module. */
static char *find_mangled(const lab_module *module, const char *name)
{
    char *found = NULL;
    pthread_mutex_lock(&compiled_lock);
    for (const compiled *each = all_compiled; each; each = each->next)
        if (each->module == module) found = image_kernel_name(each->image, name);
    pthread_mutex_unlock(&compiled_lock);
    return found;
}

static CUresult load(CUmodule *module, const char *image)
{
    char *copy = image_copy(image);
    if (copy) return load_compiled(module, copy);
    static const char first[] = IMAGE_FIRST_LINE;
    const char *line_end = strncmp(image, first, sizeof first - 1) == 0 ? strchr(image, '\n') : NULL;
    char name[256];
    if (!line_end)
        return cudart_driver_fail(CUDA_ERROR_INVALID_IMAGE,
                                  "cuModuleLoadData: this is no image of nvrtcGetPTX or labcc -fatbin; PTX, cubins "
                                  "and fat binaries of NVIDIA's compilers cannot be loaded here");
    const size_t length = (size_t)(line_end - image) - (sizeof first - 1);
    if (length >= sizeof name)
        return cudart_driver_fail(CUDA_ERROR_INVALID_IMAGE, "cuModuleLoadData: the name is too long");
    memcpy(name, image + sizeof first - 1, length);
    name[length] = '\0';
    return cudart_driver_end(lab_module_load_source((lab_module **)module, line_end + 1, name));
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    DRIVER_BEGIN(true);
    if (!module || !image) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuModuleLoadData: an argument is NULL");
    return load(module, image);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                            void **values)
{
    /* The logs that a program asks for are empty. */
    for (unsigned i = 0; options && values && i < count; i++)
        if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            values[i] = NULL;
        else if ((options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER) && values[i])
            *(char *)values[i] = '\0';
    return cuModuleLoadData(module, image);
}

CUresult cuModuleLoad(CUmodule *module, const char *path)
{
    DRIVER_BEGIN(true);
    char *image;
    if (!module || !path) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuModuleLoad: an argument is NULL");
    const lab_status status = text_file_read(&image, path);
    if (status != LAB_SUCCESS) return cudart_driver_end(status);
    const CUresult failed = load(module, image);
    free(image);
    return failed;
}

CUresult cuModuleUnload(CUmodule module)
{
    DRIVER_BEGIN(true);
    if (!module) return cudart_driver_fail(CUDA_ERROR_INVALID_HANDLE, "cuModuleUnload: the module is NULL");
    forget_compiled((lab_module *)module);
    return cudart_driver_end(lab_module_unload((lab_module *)module));
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    DRIVER_BEGIN(true);
    lab_function found = {0};
    char *mangled = module && name ? find_mangled((lab_module *)module, name) : NULL;
    const lab_status status =
        lab_module_get_function(function ? &found : NULL, (lab_module *)module, mangled ? mangled : name);
    free(mangled);
    if (function) *function = (CUfunction)(uintptr_t)found.handle;
    return cudart_driver_end(status);
}

CUresult cuModuleGetGlobal(CUdeviceptr *memory, size_t *bytes, CUmodule module, const char *name)
{
    DRIVER_BEGIN(true);
    CUdeviceptr unused;
    size_t size;
    return cudart_driver_end(
        lab_module_get_global(memory ? memory : &unused, bytes ? bytes : &size, (lab_module *)module, name));
}

/* ---- functions ---- */

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
    DRIVER_BEGIN(false);
    struct cudaFuncAttributes of;
    if (!value) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuFuncGetAttribute: value is NULL");
    const lab_status status = cudart_function_attributes(&of, function_of(function));
    if (status != LAB_SUCCESS) return cudart_driver_end(status);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = of.maxThreadsPerBlock; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = (int)of.sharedSizeBytes; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = (int)of.constSizeBytes; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = (int)of.localSizeBytes; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = of.numRegs; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = of.ptxVersion; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = of.binaryVersion; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = of.cacheModeCA; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = of.maxDynamicSharedSizeBytes; return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = of.preferredShmemCarveout; return CUDA_SUCCESS;
    }
    return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuFuncGetAttribute: there is no attribute %d here",
                              (int)attribute);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    int most = 0;
    const CUresult failed = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function);
    if (failed != CUDA_SUCCESS) return failed;
    const bool is_shared = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    if (is_shared ? value >= 0 && value <= most : attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
        return CUDA_SUCCESS;
    return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuFuncSetAttribute: attribute %d cannot be %d", (int)attribute,
                              value);
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config)
{
    int value;
    (void)config;
    return cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_size,
                                                     size_t shared_bytes)
{
    DRIVER_BEGIN(true);
    if (!blocks || block_size <= 0)
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "occupancy: NULL, or no thread");
    return cudart_driver_end(cudart_function_occupancy(blocks, function_of(function), block_size, shared_bytes));
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t shared_bytes, int limit)
{
    DRIVER_BEGIN(true);
    struct cudaDeviceProp of;
    int device, most, best = 0;
    if (!grid || !block) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "occupancy: NULL");
    lab_status status = lab_device_current(&device);
    if (status == LAB_SUCCESS) status = cudart_device_properties(&of, device);
    if (status != LAB_SUCCESS) return cudart_driver_end(status);
    most = limit > 0 && limit < of.maxThreadsPerBlock ? limit : of.maxThreadsPerBlock;
    *grid = *block = 0;
    for (int size = (most + of.warpSize - 1) / of.warpSize * of.warpSize; size > 0; size -= of.warpSize) {
        const int tried = size < most ? size : most;
        int blocks;
        status = cudart_function_occupancy(&blocks, function_of(function), tried,
                                           shared_of ? shared_of(tried) : shared_bytes);
        if (status != LAB_SUCCESS) return cudart_driver_end(status);
        if (blocks * tried <= best) continue;
        best = blocks * tried;
        *block = tried;
        *grid = blocks * of.multiProcessorCount;
    }
    return CUDA_SUCCESS;
}

/* ---- launches ---- */

/* The arguments in a buffer, as CU_LAUNCH_PARAM_BUFFER_POINTER gives it: each is aligned as its size is. */
static lab_status read_buffer(void **argument, CUfunction function, void **extra)
{
    char *buffer = NULL;
    size_t bytes = 0, at = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = extra[1];
        if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *(size_t *)extra[1];
    }
    lab_parameters of;
    LAB_TRY(lab_function_get_parameters(&of, function_of(function)));
    for (int i = 0; i < of.count; i++) {
        const size_t size = of.parameter[i].size, lowest = size & -size, aligned = lowest < 16 ? lowest : 16;
        at = (at + aligned - 1) / aligned * aligned;
        if (!buffer || at + size > bytes) return LAB_ERROR_INVALID_VALUE;
        argument[i] = buffer + at;
        at += size;
    }
    return LAB_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void **arguments, void **extra)
{
    DRIVER_BEGIN(true);
    void *argument[LAB_MOST_PARAMETERS];
    if (arguments && extra)
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel: kernelParams and extra");
    if (extra) {
        const lab_status status = read_buffer(argument, function, extra);
        if (status != LAB_SUCCESS) return cudart_driver_end(status);
    }
    const lab_dim grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
    return cudart_driver_end(cudart_launch_raw(function_of(function), grid, block, shared_bytes, cudart_stream(stream),
                                               extra ? argument : arguments, false));
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared_bytes, CUstream stream, void **arguments)
{
    DRIVER_BEGIN(true);
    const lab_dim grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
    return cudart_driver_end(
        cudart_launch_raw(function_of(function), grid, block, shared_bytes, cudart_stream(stream), arguments, true));
}
