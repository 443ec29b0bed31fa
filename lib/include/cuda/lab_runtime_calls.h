/* The CUDA runtime API: its calls, which lib/tools/cuda-calls.py writes from lib/src/cudart/calls.txt. */
#ifndef LAB_RUNTIME_CALLS_H
#define LAB_RUNTIME_CALLS_H

#pragma GCC system_header

/* clang-format off */

/* Errors */
LAB_CUDA_CALL cudaError_t cudaGetLastError(void);
LAB_CUDA_CALL cudaError_t cudaPeekAtLastError(void);
LAB_CUDA_CALL const char *cudaGetErrorName(cudaError_t error);
LAB_CUDA_CALL const char *cudaGetErrorString(cudaError_t error);

/* Devices */
LAB_CUDA_CALL cudaError_t cudaGetDeviceCount(int *count);
LAB_CUDA_CALL cudaError_t cudaGetDevice(int *device);
LAB_CUDA_CALL cudaError_t cudaSetDevice(int device);
LAB_CUDA_CALL cudaError_t cudaSetValidDevices(int *devices, int count);
LAB_CUDA_CALL cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted);
LAB_CUDA_CALL cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
LAB_CUDA_CALL cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
LAB_CUDA_CALL cudaError_t cudaDeviceGetPCIBusId(char *id, int bytes, int device);
LAB_CUDA_CALL cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
LAB_CUDA_CALL cudaError_t cudaDeviceSynchronize(void);
LAB_CUDA_CALL cudaError_t cudaDeviceReset(void);
LAB_CUDA_CALL cudaError_t cudaSetDeviceFlags(unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaGetDeviceFlags(unsigned int *flags);
LAB_CUDA_CALL cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
LAB_CUDA_CALL cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
LAB_CUDA_CALL cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
LAB_CUDA_CALL cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
LAB_CUDA_CALL cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
LAB_CUDA_CALL cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
LAB_CUDA_CALL cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
LAB_CUDA_CALL cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
LAB_CUDA_CALL cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaDeviceDisablePeerAccess(int peer);
LAB_CUDA_CALL cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device, int
    peer);
LAB_CUDA_CALL cudaError_t cudaCtxResetPersistingL2Cache(void);
LAB_CUDA_CALL cudaError_t cudaDriverGetVersion(int *version);
LAB_CUDA_CALL cudaError_t cudaRuntimeGetVersion(int *version);
LAB_CUDA_CALL cudaError_t cudaThreadSynchronize(void);
LAB_CUDA_CALL cudaError_t cudaThreadExit(void);
LAB_CUDA_CALL cudaError_t cudaProfilerStart(void);
LAB_CUDA_CALL cudaError_t cudaProfilerStop(void);

/* Memory */
LAB_CUDA_CALL cudaError_t cudaMalloc(void **memory, size_t bytes);
LAB_CUDA_CALL cudaError_t cudaFree(void *memory);
LAB_CUDA_CALL cudaError_t cudaMallocHost(void **memory, size_t bytes);
LAB_CUDA_CALL cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaFreeHost(void *memory);
LAB_CUDA_CALL cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaHostUnregister(void *memory);
LAB_CUDA_CALL cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
LAB_CUDA_CALL cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned int flags
    LAB_CUDA_DEFAULT(cudaMemAttachGlobal));
LAB_CUDA_CALL cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height);
LAB_CUDA_CALL cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent);
LAB_CUDA_CALL cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
LAB_CUDA_CALL cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory);
LAB_CUDA_CALL cudaError_t cudaMemAdvise(const void *memory, size_t bytes, enum cudaMemoryAdvise advice, int device);
LAB_CUDA_CALL cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, int device, cudaStream_t stream
    LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *memory, size_t bytes
    LAB_CUDA_DEFAULT(0), unsigned int flags LAB_CUDA_DEFAULT(cudaMemAttachSingle));

/* Copies */
LAB_CUDA_CALL cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
LAB_CUDA_CALL cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
    cudaStream_t stream LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes);
LAB_CUDA_CALL cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t
    bytes, cudaStream_t stream LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
    size_t height, enum cudaMemcpyKind kind);
LAB_CUDA_CALL cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t
    width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy);
LAB_CUDA_CALL cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream
    LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaMemset(void *memory, int value, size_t bytes);
LAB_CUDA_CALL cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream
    LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaMemset2D(void *memory, size_t pitch, int value, size_t width, size_t height);
LAB_CUDA_CALL cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int value, size_t width, size_t height,
    cudaStream_t stream LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int value, struct cudaExtent extent);
LAB_CUDA_CALL cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr memory, int value, struct cudaExtent extent,
    cudaStream_t stream LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset
    LAB_CUDA_DEFAULT(0), enum cudaMemcpyKind kind LAB_CUDA_DEFAULT(cudaMemcpyHostToDevice));
LAB_CUDA_CALL cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset
    LAB_CUDA_DEFAULT(0), enum cudaMemcpyKind kind LAB_CUDA_DEFAULT(cudaMemcpyDeviceToHost));
LAB_CUDA_CALL cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
    enum cudaMemcpyKind kind, cudaStream_t stream LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, enum
    cudaMemcpyKind kind, cudaStream_t stream LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaGetSymbolAddress(void **address, const void *symbol);
LAB_CUDA_CALL cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);

/* Arrays, textures and surfaces */
LAB_CUDA_CALL struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum
    cudaChannelFormatKind kind);
LAB_CUDA_CALL cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, size_t
    width, size_t height LAB_CUDA_DEFAULT(0), unsigned int flags LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, struct
    cudaExtent extent, unsigned int flags LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaFreeArray(cudaArray_t array);
LAB_CUDA_CALL cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent, unsigned
    int *flags, cudaArray_t array);
LAB_CUDA_CALL cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array);
LAB_CUDA_CALL cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch,
    size_t width, size_t height, enum cudaMemcpyKind kind);
LAB_CUDA_CALL cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t
    from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaMemcpy2DFromArray(void *to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y,
    size_t width, size_t height, enum cudaMemcpyKind kind);
LAB_CUDA_CALL cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t to_pitch, cudaArray_const_t from, size_t x,
    size_t y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes, enum
    cudaMemcpyKind kind);
LAB_CUDA_CALL cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, enum
    cudaMemcpyKind kind);
LAB_CUDA_CALL cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc
    *resource, const struct cudaTextureDesc *description, const struct cudaResourceViewDesc *view);
LAB_CUDA_CALL cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
LAB_CUDA_CALL cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t
    texture);
LAB_CUDA_CALL cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *description, cudaTextureObject_t
    texture);
LAB_CUDA_CALL cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc
    *resource);
LAB_CUDA_CALL cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);
LAB_CUDA_CALL cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t
    surface);

/* Memory pools */
LAB_CUDA_CALL cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream);
LAB_CUDA_CALL cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
LAB_CUDA_CALL cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t
    stream);
LAB_CUDA_CALL cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
LAB_CUDA_CALL cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
LAB_CUDA_CALL cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
LAB_CUDA_CALL cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
LAB_CUDA_CALL cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
LAB_CUDA_CALL cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
LAB_CUDA_CALL cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
LAB_CUDA_CALL cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value);
LAB_CUDA_CALL cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t
    count);

/* Streams */
LAB_CUDA_CALL cudaError_t cudaStreamCreate(cudaStream_t *stream);
LAB_CUDA_CALL cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
LAB_CUDA_CALL cudaError_t cudaStreamDestroy(cudaStream_t stream);
LAB_CUDA_CALL cudaError_t cudaStreamSynchronize(cudaStream_t stream);
LAB_CUDA_CALL cudaError_t cudaStreamQuery(cudaStream_t stream);
LAB_CUDA_CALL cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags
    LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
LAB_CUDA_CALL cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
LAB_CUDA_CALL cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
LAB_CUDA_CALL cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
LAB_CUDA_CALL cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const
    cudaStreamAttrValue *value);
LAB_CUDA_CALL cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
LAB_CUDA_CALL cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
    unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user);

/* Events */
LAB_CUDA_CALL cudaError_t cudaEventCreate(cudaEvent_t *event);
LAB_CUDA_CALL cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaEventDestroy(cudaEvent_t event);
LAB_CUDA_CALL cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream LAB_CUDA_DEFAULT(0),
    unsigned int flags LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaEventQuery(cudaEvent_t event);
LAB_CUDA_CALL cudaError_t cudaEventSynchronize(cudaEvent_t event);
LAB_CUDA_CALL cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

/* Launches */
LAB_CUDA_CALL cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t
    shared_bytes, cudaStream_t stream);
LAB_CUDA_CALL cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
    size_t shared_bytes, cudaStream_t stream);
LAB_CUDA_CALL cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void
    **arguments);
LAB_CUDA_CALL cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function);
LAB_CUDA_CALL cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value);
LAB_CUDA_CALL cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config);
LAB_CUDA_CALL cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config);
LAB_CUDA_CALL cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int
    block_size, size_t shared_bytes);
LAB_CUDA_CALL cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
    int block_size, size_t shared_bytes, unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
    int block_size);

/* Capture and graphs */
LAB_CUDA_CALL cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
LAB_CUDA_CALL cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
LAB_CUDA_CALL cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
LAB_CUDA_CALL cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
LAB_CUDA_CALL cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaGraphDestroy(cudaGraph_t graph);
LAB_CUDA_CALL cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
LAB_CUDA_CALL cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t
    *after, size_t count, const struct cudaKernelNodeParams *kernel);
LAB_CUDA_CALL cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t
    *after, size_t count, const struct cudaMemcpy3DParms *copy);
LAB_CUDA_CALL cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t
    *after, size_t count, void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
LAB_CUDA_CALL cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t
    *after, size_t count, const struct cudaMemsetParams *fill);
LAB_CUDA_CALL cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
    size_t count, const struct cudaHostNodeParams *call);
LAB_CUDA_CALL cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t
    *after, size_t count, struct cudaMemAllocNodeParams *memory);
LAB_CUDA_CALL cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t
    *after, size_t count, void *memory);
LAB_CUDA_CALL cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *memory);
LAB_CUDA_CALL cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *memory);
LAB_CUDA_CALL cudaError_t cudaDeviceGraphMemTrim(int device);
LAB_CUDA_CALL cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void
    *value);
LAB_CUDA_CALL cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void
    *value);
LAB_CUDA_CALL cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t
    *after, size_t count, cudaGraph_t child);
LAB_CUDA_CALL cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t
    *after, size_t count);
LAB_CUDA_CALL cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const
    cudaGraphNode_t *to, size_t count);
LAB_CUDA_CALL cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
LAB_CUDA_CALL cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
LAB_CUDA_CALL cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t
    *count);
LAB_CUDA_CALL cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type);
LAB_CUDA_CALL cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *kernel);
LAB_CUDA_CALL cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const struct cudaKernelNodeParams
    *kernel);
LAB_CUDA_CALL cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags);
LAB_CUDA_CALL cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags
    LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long
    flags LAB_CUDA_DEFAULT(0));
LAB_CUDA_CALL cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
LAB_CUDA_CALL cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
LAB_CUDA_CALL cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const struct
    cudaKernelNodeParams *kernel);
LAB_CUDA_CALL cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo
    *result);
LAB_CUDA_CALL cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);

/* Not here: using one is an error with its reason. */
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "CUDA 12 removed texture and surface references: use a texture object (cudaCreateTextureObject)")
LAB_CUDA_NOT(cudaBindTexture) LAB_CUDA_NOT(cudaBindTexture2D) LAB_CUDA_NOT(cudaBindTextureToArray)
LAB_CUDA_NOT(cudaBindTextureToMipmappedArray) LAB_CUDA_NOT(cudaBindSurfaceToArray) LAB_CUDA_NOT(cudaUnbindTexture)
LAB_CUDA_NOT(cudaGetTextureReference) LAB_CUDA_NOT(cudaGetSurfaceReference)
LAB_CUDA_NOT(cudaGetTextureAlignmentOffset)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "mipmaps and views of arrays are not supported: use a CUDA array for each size")
LAB_CUDA_NOT(cudaMallocMipmappedArray) LAB_CUDA_NOT(cudaFreeMipmappedArray) LAB_CUDA_NOT(cudaGetMipmappedArrayLevel)
LAB_CUDA_NOT(cudaMipmappedArrayGetMemoryRequirements) LAB_CUDA_NOT(cudaMipmappedArrayGetSparseProperties)
LAB_CUDA_NOT(cudaExternalMemoryGetMappedMipmappedArray) LAB_CUDA_NOT(cudaGraphicsResourceGetMappedMipmappedArray)
LAB_CUDA_NOT(cudaGetTextureObjectResourceViewDesc)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_STRUCT(cudaError_t, name, \
    "CUDA 12 removed texture and surface references: use a texture object (cudaCreateTextureObject)")
LAB_CUDA_NOT(textureReference)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_TYPE(cudaError_t, name, \
    "memory and events cannot be shared with other processes here: use threads")
LAB_CUDA_NOT(cudaIpcMemHandle_t) LAB_CUDA_NOT(cudaIpcEventHandle_t)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_TYPE(cudaError_t, name, \
    "memory and semaphores of graphics libraries cannot be used here")
LAB_CUDA_NOT(cudaExternalMemory_t) LAB_CUDA_NOT(cudaExternalSemaphore_t) LAB_CUDA_NOT(cudaGraphicsResource_t)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_TYPE(cudaError_t, name, \
    "conditional nodes of graphs are not here: let the host read the condition and launch")
LAB_CUDA_NOT(cudaGraphConditionalHandle)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_STRUCT(cudaError_t, name, \
    "memory and semaphores of graphics libraries cannot be used here")
LAB_CUDA_NOT(cudaExternalMemoryHandleDesc) LAB_CUDA_NOT(cudaExternalSemaphoreHandleDesc)
LAB_CUDA_NOT(cudaExternalSemaphoreSignalParams) LAB_CUDA_NOT(cudaExternalSemaphoreWaitParams)
LAB_CUDA_NOT(cudaExternalMemoryBufferDesc)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_STRUCT(cudaError_t, name, \
    "memory, events and semaphores cannot be shared with other processes or libraries here")
LAB_CUDA_NOT(cudaMemPoolPtrExportData)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_STRUCT(cudaError_t, name, \
    "this call for graphs is not here: build the graph with cudaGraphAdd...Node, or capture it")
LAB_CUDA_NOT(cudaGraphNodeParams)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "there is no OpenGL or other graphics here: copy the result to the host")
LAB_CUDA_NOT(cudaGraphicsGLRegisterBuffer) LAB_CUDA_NOT(cudaGraphicsGLRegisterImage)
LAB_CUDA_NOT(cudaGraphicsMapResources) LAB_CUDA_NOT(cudaGraphicsUnmapResources)
LAB_CUDA_NOT(cudaGraphicsUnregisterResource) LAB_CUDA_NOT(cudaGraphicsResourceGetMappedPointer)
LAB_CUDA_NOT(cudaGraphicsSubResourceGetMappedArray) LAB_CUDA_NOT(cudaGLSetGLDevice)
LAB_CUDA_NOT(cudaGLRegisterBufferObject) LAB_CUDA_NOT(cudaGLMapBufferObject) LAB_CUDA_NOT(cudaGLMapBufferObjectAsync)
LAB_CUDA_NOT(cudaGLUnmapBufferObject) LAB_CUDA_NOT(cudaGLUnmapBufferObjectAsync)
LAB_CUDA_NOT(cudaGLUnregisterBufferObject) LAB_CUDA_NOT(cudaGLSetBufferObjectMapFlags) LAB_CUDA_NOT(cudaGLGetDevices)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "memory and semaphores of graphics libraries cannot be imported here")
LAB_CUDA_NOT(cudaImportExternalMemory) LAB_CUDA_NOT(cudaImportExternalSemaphore)
LAB_CUDA_NOT(cudaDestroyExternalMemory) LAB_CUDA_NOT(cudaDestroyExternalSemaphore)
LAB_CUDA_NOT(cudaSignalExternalSemaphoresAsync) LAB_CUDA_NOT(cudaWaitExternalSemaphoresAsync)
LAB_CUDA_NOT(cudaExternalMemoryGetMappedBuffer)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "memory and events cannot be shared with other processes here: use threads")
LAB_CUDA_NOT(cudaIpcGetMemHandle) LAB_CUDA_NOT(cudaIpcOpenMemHandle) LAB_CUDA_NOT(cudaIpcCloseMemHandle)
LAB_CUDA_NOT(cudaIpcGetEventHandle) LAB_CUDA_NOT(cudaIpcOpenEventHandle)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "CUDA 10 removed this form of a launch: use <<<...>>> or cudaLaunchKernel")
LAB_CUDA_NOT(cudaConfigureCall) LAB_CUDA_NOT(cudaSetupArgument) LAB_CUDA_NOT(cudaLaunch)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "CUDA 13 removed launches on several devices at once: launch on each")
LAB_CUDA_NOT(cudaLaunchCooperativeKernelMultiDevice)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "this call for CUDA arrays is not here: use cudaMemcpy2DToArray, cudaMemcpy2DFromArray or cudaMemcpy3D")
LAB_CUDA_NOT(cudaArrayGetMemoryRequirements) LAB_CUDA_NOT(cudaArrayGetPlane)
LAB_CUDA_NOT(cudaArrayGetSparseProperties) LAB_CUDA_NOT(cudaDeviceGetTexture1DLinearMaxWidth)
LAB_CUDA_NOT(cudaMemcpy2DArrayToArray) LAB_CUDA_NOT(cudaMemcpyArrayToArray) LAB_CUDA_NOT(cudaMemcpyFromArrayAsync)
LAB_CUDA_NOT(cudaMemcpyToArrayAsync)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "there is no OpenGL or other graphics here: copy the result to the host")
LAB_CUDA_NOT(cudaGraphicsResourceSetMapFlags)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "memory, events and semaphores cannot be shared with other processes or libraries here")
LAB_CUDA_NOT(cudaDeviceGetNvSciSyncAttributes) LAB_CUDA_NOT(cudaMemPoolExportPointer)
LAB_CUDA_NOT(cudaMemPoolExportToShareableHandle) LAB_CUDA_NOT(cudaMemPoolImportFromShareableHandle)
LAB_CUDA_NOT(cudaMemPoolImportPointer)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "conditional nodes of graphs are not here: let the host read the condition and launch")
LAB_CUDA_NOT(cudaGraphConditionalHandleCreate)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "this call for graphs is not here: build the graph with cudaGraphAdd...Node, or capture it")
LAB_CUDA_NOT(cudaGraphAddEventRecordNode) LAB_CUDA_NOT(cudaGraphAddEventWaitNode)
LAB_CUDA_NOT(cudaGraphAddExternalSemaphoresSignalNode) LAB_CUDA_NOT(cudaGraphAddExternalSemaphoresWaitNode)
LAB_CUDA_NOT(cudaGraphAddMemcpyNodeFromSymbol) LAB_CUDA_NOT(cudaGraphAddMemcpyNodeToSymbol)
LAB_CUDA_NOT(cudaGraphAddNode) LAB_CUDA_NOT(cudaGraphChildGraphNodeGetGraph) LAB_CUDA_NOT(cudaGraphDestroyNode)
LAB_CUDA_NOT(cudaGraphEventRecordNodeGetEvent) LAB_CUDA_NOT(cudaGraphEventRecordNodeSetEvent)
LAB_CUDA_NOT(cudaGraphEventWaitNodeGetEvent) LAB_CUDA_NOT(cudaGraphEventWaitNodeSetEvent)
LAB_CUDA_NOT(cudaGraphExecChildGraphNodeSetParams) LAB_CUDA_NOT(cudaGraphExecEventRecordNodeSetEvent)
LAB_CUDA_NOT(cudaGraphExecEventWaitNodeSetEvent) LAB_CUDA_NOT(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
LAB_CUDA_NOT(cudaGraphExecExternalSemaphoresWaitNodeSetParams) LAB_CUDA_NOT(cudaGraphExecGetFlags)
LAB_CUDA_NOT(cudaGraphExecHostNodeSetParams) LAB_CUDA_NOT(cudaGraphExecMemcpyNodeSetParams)
LAB_CUDA_NOT(cudaGraphExecMemcpyNodeSetParams1D) LAB_CUDA_NOT(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
LAB_CUDA_NOT(cudaGraphExecMemcpyNodeSetParamsToSymbol) LAB_CUDA_NOT(cudaGraphExecMemsetNodeSetParams)
LAB_CUDA_NOT(cudaGraphExecNodeSetParams) LAB_CUDA_NOT(cudaGraphExternalSemaphoresSignalNodeGetParams)
LAB_CUDA_NOT(cudaGraphExternalSemaphoresSignalNodeSetParams)
LAB_CUDA_NOT(cudaGraphExternalSemaphoresWaitNodeGetParams) LAB_CUDA_NOT(cudaGraphExternalSemaphoresWaitNodeSetParams)
LAB_CUDA_NOT(cudaGraphHostNodeGetParams) LAB_CUDA_NOT(cudaGraphHostNodeSetParams)
LAB_CUDA_NOT(cudaGraphInstantiateWithParams) LAB_CUDA_NOT(cudaGraphKernelNodeCopyAttributes)
LAB_CUDA_NOT(cudaGraphKernelNodeGetAttribute) LAB_CUDA_NOT(cudaGraphKernelNodeSetAttribute)
LAB_CUDA_NOT(cudaGraphMemcpyNodeGetParams) LAB_CUDA_NOT(cudaGraphMemcpyNodeSetParams)
LAB_CUDA_NOT(cudaGraphMemcpyNodeSetParams1D) LAB_CUDA_NOT(cudaGraphMemcpyNodeSetParamsFromSymbol)
LAB_CUDA_NOT(cudaGraphMemcpyNodeSetParamsToSymbol) LAB_CUDA_NOT(cudaGraphMemsetNodeGetParams)
LAB_CUDA_NOT(cudaGraphMemsetNodeSetParams) LAB_CUDA_NOT(cudaGraphNodeFindInClone)
LAB_CUDA_NOT(cudaGraphNodeGetDependencies) LAB_CUDA_NOT(cudaGraphNodeGetDependentNodes)
LAB_CUDA_NOT(cudaGraphNodeGetEnabled) LAB_CUDA_NOT(cudaGraphNodeSetEnabled) LAB_CUDA_NOT(cudaGraphNodeSetParams)
LAB_CUDA_NOT(cudaGraphReleaseUserObject) LAB_CUDA_NOT(cudaGraphRemoveDependencies)
LAB_CUDA_NOT(cudaGraphRetainUserObject) LAB_CUDA_NOT(cudaStreamBeginCaptureToGraph)
LAB_CUDA_NOT(cudaStreamGetCaptureInfo) LAB_CUDA_NOT(cudaStreamUpdateCaptureDependencies)
LAB_CUDA_NOT(cudaUserObjectCreate) LAB_CUDA_NOT(cudaUserObjectRelease) LAB_CUDA_NOT(cudaUserObjectRetain)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "libraries of kernels are not here: use a module")
LAB_CUDA_NOT(cudaGetFuncBySymbol) LAB_CUDA_NOT(cudaGetKernel) LAB_CUDA_NOT(cudaKernelSetAttributeForDevice)
LAB_CUDA_NOT(cudaLibraryEnumerateKernels) LAB_CUDA_NOT(cudaLibraryGetGlobal) LAB_CUDA_NOT(cudaLibraryGetKernel)
LAB_CUDA_NOT(cudaLibraryGetKernelCount) LAB_CUDA_NOT(cudaLibraryGetManaged)
LAB_CUDA_NOT(cudaLibraryGetUnifiedFunction) LAB_CUDA_NOT(cudaLibraryLoadData) LAB_CUDA_NOT(cudaLibraryLoadFromFile)
LAB_CUDA_NOT(cudaLibraryUnload)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(cudaError_t, name, \
    "this call is not here: lib/docs/cuda-calls.md lists those that are")
LAB_CUDA_NOT(cudaDeviceFlushGPUDirectRDMAWrites) LAB_CUDA_NOT(cudaDeviceGetHostAtomicCapabilities)
LAB_CUDA_NOT(cudaDeviceGetP2PAtomicCapabilities) LAB_CUDA_NOT(cudaDeviceRegisterAsyncNotification)
LAB_CUDA_NOT(cudaDeviceUnregisterAsyncNotification) LAB_CUDA_NOT(cudaFuncGetName) LAB_CUDA_NOT(cudaFuncGetParamInfo)
LAB_CUDA_NOT(cudaGetDriverEntryPoint) LAB_CUDA_NOT(cudaGetDriverEntryPointByVersion) LAB_CUDA_NOT(cudaGetExportTable)
LAB_CUDA_NOT(cudaLogsCurrent) LAB_CUDA_NOT(cudaLogsDumpToFile) LAB_CUDA_NOT(cudaLogsDumpToMemory)
LAB_CUDA_NOT(cudaLogsRegisterCallback) LAB_CUDA_NOT(cudaLogsUnregisterCallback)
LAB_CUDA_NOT(cudaMemDiscardAndPrefetchBatchAsync) LAB_CUDA_NOT(cudaMemDiscardBatchAsync)
LAB_CUDA_NOT(cudaMemGetDefaultMemPool) LAB_CUDA_NOT(cudaMemGetMemPool) LAB_CUDA_NOT(cudaMemPoolGetAccess)
LAB_CUDA_NOT(cudaMemPrefetchBatchAsync) LAB_CUDA_NOT(cudaMemRangeGetAttribute) LAB_CUDA_NOT(cudaMemRangeGetAttributes)
LAB_CUDA_NOT(cudaMemSetMemPool) LAB_CUDA_NOT(cudaMemcpy3DBatchAsync) LAB_CUDA_NOT(cudaMemcpy3DPeer)
LAB_CUDA_NOT(cudaMemcpy3DPeerAsync) LAB_CUDA_NOT(cudaMemcpyBatchAsync) LAB_CUDA_NOT(cudaOccupancyMaxActiveClusters)
LAB_CUDA_NOT(cudaOccupancyMaxPotentialClusterSize) LAB_CUDA_NOT(cudaStreamGetAttribute)
#undef LAB_CUDA_NOT
/* clang-format on */

#endif
