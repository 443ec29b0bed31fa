/* The runtime API's forms for C++, which take pointers and kernels of any type. cuda_runtime_api.h includes
 * this file, before the macros that note places. */
#ifndef LAB_CUDA_RUNTIME_TEMPLATES_H
#define LAB_CUDA_RUNTIME_TEMPLATES_H

#define LAB_CUDA_TEMPLATE template <class T> static inline LAB_CUDA_HOST

LAB_CUDA_TEMPLATE cudaError_t cudaMalloc(T **memory, size_t bytes) { return (cudaMalloc)((void **)memory, bytes); }
LAB_CUDA_TEMPLATE cudaError_t cudaMallocHost(T **memory, size_t bytes, unsigned int flags = 0)
{
    return (cudaHostAlloc)((void **)memory, bytes, flags);
}
LAB_CUDA_TEMPLATE cudaError_t cudaHostAlloc(T **memory, size_t bytes, unsigned int flags)
{
    return (cudaHostAlloc)((void **)memory, bytes, flags);
}
static inline LAB_CUDA_HOST cudaError_t cudaMallocHost(void **memory, size_t bytes, unsigned int flags)
{
    return (cudaHostAlloc)(memory, bytes, flags);
}
LAB_CUDA_TEMPLATE cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return (cudaHostGetDevicePointer)((void **)device, host, flags);
}
LAB_CUDA_TEMPLATE cudaError_t cudaMallocManaged(T **memory, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    return (cudaMallocManaged)((void **)memory, bytes, flags);
}
LAB_CUDA_TEMPLATE cudaError_t cudaMallocPitch(T **memory, size_t *pitch, size_t width, size_t height)
{
    return (cudaMallocPitch)((void **)memory, pitch, width, height);
}
LAB_CUDA_TEMPLATE cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t stream)
{
    return (cudaMallocAsync)((void **)memory, bytes, stream);
}
static inline LAB_CUDA_HOST cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaMemPool_t pool,
                                                        cudaStream_t stream)
{
    return (cudaMallocFromPoolAsync)(memory, bytes, pool, stream);
}
LAB_CUDA_TEMPLATE cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return (cudaMallocFromPoolAsync)((void **)memory, bytes, pool, stream);
}
LAB_CUDA_TEMPLATE cudaError_t cudaMallocFromPoolAsync(T **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return (cudaMallocFromPoolAsync)((void **)memory, bytes, pool, stream);
}
static inline LAB_CUDA_HOST cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return (cudaEventCreateWithFlags)(event, flags);
}

/* The format of a CUDA array's texels. */
template <class T> LAB_CUDA_HOST cudaChannelFormatDesc cudaCreateChannelDesc() = delete;
#define LAB_CUDA_FORMAT(type, channels, bits, kind)                                                                    \
    template <> inline LAB_CUDA_HOST cudaChannelFormatDesc cudaCreateChannelDesc<type>()                               \
    {                                                                                                                  \
        return cudaChannelFormatDesc{bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 2 ? bits : 0,  \
                                     cudaChannelFormatKind##kind};                                                     \
    }
#define LAB_CUDA_FORMATS(type, name, bits, kind)                                                                       \
    LAB_CUDA_FORMAT(type, 1, bits, kind)                                                                               \
    LAB_CUDA_FORMAT(name##1, 1, bits, kind)                                                                            \
    LAB_CUDA_FORMAT(name##2, 2, bits, kind)                                                                            \
    LAB_CUDA_FORMAT(name##4, 4, bits, kind)
LAB_CUDA_FORMAT(char, 1, 8, Signed)
LAB_CUDA_FORMATS(signed char, char, 8, Signed)
LAB_CUDA_FORMATS(unsigned char, uchar, 8, Unsigned)
LAB_CUDA_FORMATS(short, short, 16, Signed)
LAB_CUDA_FORMATS(unsigned short, ushort, 16, Unsigned)
LAB_CUDA_FORMATS(int, int, 32, Signed)
LAB_CUDA_FORMATS(unsigned int, uint, 32, Unsigned)
LAB_CUDA_FORMATS(float, float, 32, Float)
#undef LAB_CUDA_FORMAT
#undef LAB_CUDA_FORMATS

LAB_CUDA_TEMPLATE cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                                 enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return (cudaMemcpyToSymbol)((const void *)&symbol, from, bytes, offset, kind);
}
LAB_CUDA_TEMPLATE cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                   enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return (cudaMemcpyFromSymbol)(to, (const void *)&symbol, bytes, offset, kind);
}
LAB_CUDA_TEMPLATE cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                                      size_t offset = 0,
                                                      enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                      cudaStream_t stream = 0)
{
    return (cudaMemcpyToSymbolAsync)((const void *)&symbol, from, bytes, offset, kind, stream);
}
LAB_CUDA_TEMPLATE cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                                        enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                                        cudaStream_t stream = 0)
{
    return (cudaMemcpyFromSymbolAsync)(to, (const void *)&symbol, bytes, offset, kind, stream);
}
LAB_CUDA_TEMPLATE cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    return (cudaGetSymbolAddress)(address, (const void *)&symbol);
}
LAB_CUDA_TEMPLATE cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return (cudaGetSymbolSize)(bytes, (const void *)&symbol);
}

LAB_CUDA_TEMPLATE cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                               size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return (cudaLaunchKernel)((const void *)function, grid, block, arguments, shared_bytes, stream);
}
LAB_CUDA_TEMPLATE cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                                          size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return (cudaLaunchCooperativeKernel)((const void *)function, grid, block, arguments, shared_bytes, stream);
}
template <class... Parameters, class... Arguments>
static inline LAB_CUDA_HOST cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                                           void (*kernel)(Parameters...), Arguments &&...arguments)
{
    return [&](Parameters... values) {
        void *pointers[] = {(void *)&values..., 0};
        return (cudaLaunchKernelExC)(config, (const void *)kernel, pointers);
    }(static_cast<Arguments &&>(arguments)...);
}
LAB_CUDA_TEMPLATE cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *function)
{
    return (cudaFuncGetAttributes)(attributes, (const void *)function);
}
LAB_CUDA_TEMPLATE cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute attribute, int value)
{
    return (cudaFuncSetAttribute)((const void *)function, attribute, value);
}
LAB_CUDA_TEMPLATE cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config)
{
    return (cudaFuncSetCacheConfig)((const void *)function, config);
}
LAB_CUDA_TEMPLATE cudaError_t cudaFuncSetSharedMemConfig(T *function, enum cudaSharedMemConfig config)
{
    return (cudaFuncSetSharedMemConfig)((const void *)function, config);
}
LAB_CUDA_TEMPLATE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function, int block_size,
                                                                            size_t shared_bytes)
{
    return (cudaOccupancyMaxActiveBlocksPerMultiprocessor)(blocks, (const void *)function, block_size, shared_bytes);
}

/* The block size, up to a limit, with which a multiprocessor has the most threads, and the grid that fills the device.
 * `shared_of` gives the bytes of dynamic shared memory of a block size. */
template <class SharedOf, class T>
static inline LAB_CUDA_HOST cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block,
                                                                                       T function, SharedOf shared_of,
                                                                                       int limit = 0)
{
    int device, multiprocessors, most;
    cudaError_t failed = (cudaGetDevice)(&device);
    if (!failed) failed = (cudaDeviceGetAttribute)(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (!failed) failed = (cudaDeviceGetAttribute)(&most, cudaDevAttrMaxThreadsPerBlock, device);
    if (failed) return failed;
    if (limit > 0 && limit < most) most = limit;
    int best = 0;
    *grid = *block = 0;
    for (int size = (most + 31) / 32 * 32; size > 0; size -= 32) {
        const int tried = size < most ? size : most;
        int blocks = 0;
        failed =
            (cudaOccupancyMaxActiveBlocksPerMultiprocessor)(&blocks, (const void *)function, tried, shared_of(tried));
        if (failed) return failed;
        if (blocks * tried <= best) continue;
        best = blocks * tried;
        *block = tried;
        *grid = blocks * multiprocessors;
    }
    return cudaSuccess;
}
LAB_CUDA_TEMPLATE cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T function,
                                                                 size_t shared_bytes = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        grid, block, function, [shared_bytes](int) { return shared_bytes; }, limit);
}

/* The forms of CUDA 11 and 13. */
static inline LAB_CUDA_HOST cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                             cudaGraphNode_t *, char *, size_t)
{
    return (cudaGraphInstantiate)(exec, graph, 0ull);
}
static inline LAB_CUDA_HOST cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                                            cudaGraphNode_t *node,
                                                            enum cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info;
    const cudaError_t failed = (cudaGraphExecUpdate)(exec, graph, &info);
    if (node) *node = info.errorNode;
    if (result) *result = info.result;
    return failed;
}
static inline LAB_CUDA_HOST int lab_cuda_location(struct cudaMemLocation location)
{
    return location.type >= cudaMemLocationTypeHost ? cudaCpuDeviceId : location.id;
}
static inline LAB_CUDA_HOST cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes,
                                                             struct cudaMemLocation location, unsigned int,
                                                             cudaStream_t stream = 0)
{
    return (cudaMemPrefetchAsync)(memory, bytes, lab_cuda_location(location), stream);
}
static inline LAB_CUDA_HOST cudaError_t cudaMemAdvise(const void *memory, size_t bytes, enum cudaMemoryAdvise advice,
                                                      struct cudaMemLocation location)
{
    return (cudaMemAdvise)(memory, bytes, advice, lab_cuda_location(location));
}

#endif
