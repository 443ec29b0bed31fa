/* Kernels: launches with pointers to values, their attributes, and how many blocks run at the same time. */
#include "cudart.h"

#include "objects/work/module.h"
#include "register.h"
#include "texture.h"

enum { MOST_BLOCKS_OF_MULTIPROCESSOR = 32, REGISTERS = 32, VERSION = 70 };

lab_status cudart_launch_raw(lab_function function, lab_dim grid, lab_dim block, size_t shared_bytes,
                             lab_stream *stream, void **arguments, bool cooperative)
{
    lab_raw_args raw;
    LAB_TRY(lab_args_raw(&raw, function, arguments));
    cudart_textures_declare(&raw);
    return cooperative ? lab_launch_cooperative(function, grid, block, shared_bytes, stream, raw.args)
                       : lab_launch(function, grid, block, shared_bytes, stream, raw.args);
}

static bool fits(unsigned extent, int most) { return extent >= 1 && extent <= (unsigned)most; }

cudaError_t cudart_launch_check(dim3 grid, dim3 block)
{
    int device;
    struct cudaDeviceProp of;
    lab_status status = lab_device_current(&device);
    if (status == LAB_SUCCESS) status = cudart_device_properties(&of, device);
    if (status != LAB_SUCCESS) return cudart_end(status);
    const bool is_fit = fits(grid.x, of.maxGridSize[0]) && fits(grid.y, of.maxGridSize[1]) &&
                        fits(grid.z, of.maxGridSize[2]) && fits(block.x, of.maxThreadsDim[0]) &&
                        fits(block.y, of.maxThreadsDim[1]) && fits(block.z, of.maxThreadsDim[2]) &&
                        (uint64_t)block.x * block.y * block.z <= (uint64_t)of.maxThreadsPerBlock;
    if (is_fit) return cudaSuccess;
    return cudart_fail(cudaErrorInvalidConfiguration,
                       "a grid of %ux%ux%u blocks of %ux%ux%u threads: each extent must be at least 1, and a block has "
                       "at most %d threads",
                       grid.x, grid.y, grid.z, block.x, block.y, block.z, of.maxThreadsPerBlock);
}

cudaError_t cudart_kernel_find(lab_function *function, const void *host_function)
{
    const lab_status status = cudart_function(function, host_function);
    return status == LAB_ERROR_NOT_FOUND
               ? cudart_fail(host_function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction,
                             "%p is not a __global__ function", host_function)
               : cudart_end(status);
}

static cudaError_t launch(const void *host_function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                          cudaStream_t stream, bool cooperative)
{
    lab_function function;
    cudaError_t failed = cudart_kernel_find(&function, host_function);
    if (failed == cudaSuccess) failed = cudart_launch_check(grid, block);
    if (failed != cudaSuccess) return failed;
    return cudart_end(cudart_launch_raw(function, as_lab_dim(grid), as_lab_dim(block), shared_bytes,
                                        cudart_stream(stream), arguments, cooperative));
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared_bytes,
                             cudaStream_t stream)
{
    const bool by_launch = cudart_launch_begins();
    cudaError_t result = cudart_begin();
    if (result == cudaSuccess) result = launch(function, grid, block, arguments, shared_bytes, stream, false);
    if (by_launch) lab_cuda_there(0);
    return result;
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                        size_t shared_bytes, cudaStream_t stream)
{
    CUDART_BEGIN;
    return launch(function, grid, block, arguments, shared_bytes, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments)
{
    CUDART_BEGIN;
    bool cooperative = false;
    if (!config) return cudart_fail(cudaErrorInvalidValue, "cudaLaunchKernelExC: config is NULL");
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const cudaLaunchAttributeID id = config->attrs[i].id;
        if (id == cudaLaunchAttributeCooperative)
            cooperative = config->attrs[i].val.cooperative != 0;
        else if (id != cudaLaunchAttributeIgnore && id != cudaLaunchAttributePriority &&
                 id != cudaLaunchAttributeAccessPolicyWindow)
            return cudart_fail(cudaErrorNotSupported, "cudaLaunchKernelExC: the attribute %d is not here", (int)id);
    }
    return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream,
                  cooperative);
}

/* ---- attributes and occupancy ---- */

lab_status cudart_function_attributes(struct cudaFuncAttributes *attributes, lab_function handle)
{
    lab_function_info info;
    struct cudaDeviceProp of;
    LAB_TRY(lab_function_get_info(&info, handle));
    RETIRE_SCOPE;
    const struct function *found = function_get(handle);
    if (!found) return LAB_ERROR_INVALID_HANDLE;
    LAB_TRY(cudart_device_properties(&of, found->context->device));
    *attributes = (struct cudaFuncAttributes){.sharedSizeBytes = info.shared_bytes,
                                              .constSizeBytes = info.constant_bytes,
                                              .localSizeBytes = info.local_bytes,
                                              .maxThreadsPerBlock = info.max_block_threads,
                                              .numRegs = info.registers ? info.registers : REGISTERS,
                                              .ptxVersion = info.ptx_version ? info.ptx_version : VERSION,
                                              .binaryVersion = of.major * 10 + of.minor,
                                              .maxDynamicSharedSizeBytes = (int)info.max_launch_bytes,
                                              .preferredShmemCarveout = -1};
    return LAB_SUCCESS;
}

lab_status cudart_function_occupancy(int *blocks, lab_function function, int block_size, size_t shared_bytes)
{
    struct cudaFuncAttributes kernel;
    struct cudaDeviceProp of;
    int device;
    LAB_TRY(cudart_function_attributes(&kernel, function));
    LAB_TRY(lab_device_current(&device));
    LAB_TRY(cudart_device_properties(&of, device));
    const int threads = (block_size + of.warpSize - 1) / of.warpSize * of.warpSize;
    const size_t shared = kernel.sharedSizeBytes + shared_bytes;
    int found = of.maxBlocksPerMultiProcessor ? of.maxBlocksPerMultiProcessor : MOST_BLOCKS_OF_MULTIPROCESSOR;
    if (threads > 0 && of.maxThreadsPerMultiProcessor / threads < found)
        found = of.maxThreadsPerMultiProcessor / threads;
    if (shared && of.sharedMemPerMultiprocessor / shared < (size_t)found)
        found = (int)(of.sharedMemPerMultiprocessor / shared);
    *blocks = block_size > of.maxThreadsPerBlock ? 0 : found;
    return LAB_SUCCESS;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *host_function)
{
    CUDART_BEGIN;
    lab_function function;
    if (!attributes) return cudart_fail(cudaErrorInvalidValue, "cudaFuncGetAttributes: attributes is NULL");
    const cudaError_t failed = cudart_kernel_find(&function, host_function);
    return failed == cudaSuccess ? cudart_end(cudart_function_attributes(attributes, function)) : failed;
}

cudaError_t cudaFuncSetAttribute(const void *host_function, enum cudaFuncAttribute attribute, int value)
{
    struct cudaFuncAttributes kernel;
    const cudaError_t failed = cudaFuncGetAttributes(&kernel, host_function);
    if (failed != cudaSuccess) return failed;
    const bool is_shared = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize;
    if (is_shared ? value >= 0 && value <= kernel.maxDynamicSharedSizeBytes
                  : attribute == cudaFuncAttributePreferredSharedMemoryCarveout && value >= -1 && value <= 100)
        return cudaSuccess;
    return cudart_fail(cudaErrorInvalidValue, "cudaFuncSetAttribute: attribute %d cannot be %d", (int)attribute, value);
}

cudaError_t cudaFuncSetCacheConfig(const void *host_function, enum cudaFuncCache config)
{
    (void)config;
    struct cudaFuncAttributes kernel;
    return cudaFuncGetAttributes(&kernel, host_function);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *host_function, enum cudaSharedMemConfig config)
{
    (void)config;
    struct cudaFuncAttributes kernel;
    return cudaFuncGetAttributes(&kernel, host_function);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host_function, int block_size,
                                                          size_t shared_bytes)
{
    CUDART_BEGIN;
    lab_function function;
    if (!blocks || block_size <= 0)
        return cudart_fail(cudaErrorInvalidValue, "the place for the blocks is NULL, or the block has no thread");
    const cudaError_t failed = cudart_kernel_find(&function, host_function);
    return failed == cudaSuccess ? cudart_end(cudart_function_occupancy(blocks, function, block_size, shared_bytes))
                                 : failed;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host_function,
                                                                   int block_size, size_t shared_bytes,
                                                                   unsigned int flags)
{
    if (flags > cudaOccupancyDisableCachingOverride)
        return cudart_fail(cudaErrorInvalidValue, "unknown flags 0x%x", flags);
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host_function, block_size, shared_bytes);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host_function, int blocks,
                                                      int block_size)
{
    struct cudaFuncAttributes kernel;
    if (!bytes || blocks <= 0 || block_size <= 0)
        return cudart_fail(cudaErrorInvalidValue, "the place for the bytes is NULL, or there is no block or thread");
    const cudaError_t failed = cudaFuncGetAttributes(&kernel, host_function);
    if (failed != cudaSuccess) return failed;
    const size_t own = kernel.sharedSizeBytes, most = (size_t)kernel.maxDynamicSharedSizeBytes;
    const size_t share = (own + most) / (size_t)blocks;
    *bytes = share > own ? share - own : 0;
    return cudaSuccess;
}
