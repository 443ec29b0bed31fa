/* The CUDA runtime API: its calls, which lib/tools/cuda-calls.py writes from lib/src/cudart/calls.txt. */
#ifndef LAB_RUNTIME_CALLS_H
#define LAB_RUNTIME_CALLS_H

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
#define LAB_NO_RUNTIME_1 \
    "textures and surfaces are not supported: read the memory through a pointer"
#define LAB_NO_RUNTIME_2 \
    "CUDA arrays, which only textures and surfaces read, are not supported: use cudaMallocPitch or cudaMalloc"
#define LAB_NO_RUNTIME_3 \
    "there is no OpenGL or other graphics here: copy the result to the host"
#define LAB_NO_RUNTIME_4 \
    "memory and semaphores of graphics libraries cannot be imported here"
#define LAB_NO_RUNTIME_5 \
    "memory and events cannot be shared with other processes here: use threads"
#define LAB_NO_RUNTIME_6 \
    "CUDA 10 removed this form of a launch: use <<<...>>> or cudaLaunchKernel"
#define LAB_NO_RUNTIME_7 \
    "CUDA 13 removed launches on several devices at once: launch on each"
#define LAB_NO_RUNTIME_8 \
    "CUDA arrays and textures are not supported: read the memory through a pointer"
#define LAB_NO_RUNTIME_9 \
    "memory, events and semaphores cannot be shared with other processes or libraries here"
#define LAB_NO_RUNTIME_10 \
    "this call for graphs is not here: build the graph with cudaGraphAdd...Node, or capture it"
#define LAB_NO_RUNTIME_11 \
    "libraries of kernels are not here: use a module"
#define LAB_NO_RUNTIME_12 \
    "this call is not here: lib/docs/cuda-calls.md lists those that are"
typedef int cudaTextureObject_t LAB_CUDA_UNAVAILABLE(LAB_NO_RUNTIME_1);
typedef int cudaSurfaceObject_t LAB_CUDA_UNAVAILABLE(LAB_NO_RUNTIME_1);
struct LAB_CUDA_UNAVAILABLE(LAB_NO_RUNTIME_1) cudaResourceDesc {
    int none;
};
struct LAB_CUDA_UNAVAILABLE(LAB_NO_RUNTIME_1) cudaTextureDesc {
    int none;
};
struct LAB_CUDA_UNAVAILABLE(LAB_NO_RUNTIME_1) cudaResourceViewDesc {
    int none;
};
struct LAB_CUDA_UNAVAILABLE(LAB_NO_RUNTIME_1) cudaChannelFormatDesc {
    int none;
};
struct LAB_CUDA_UNAVAILABLE(LAB_NO_RUNTIME_1) textureReference {
    int none;
};
LAB_CUDA_MISSING(cudaError_t, cudaCreateTextureObject, LAB_NO_RUNTIME_1)
LAB_CUDA_MISSING(cudaError_t, cudaDestroyTextureObject, LAB_NO_RUNTIME_1)
LAB_CUDA_MISSING(cudaError_t, cudaGetTextureObjectResourceDesc, LAB_NO_RUNTIME_1)
LAB_CUDA_MISSING(cudaError_t, cudaBindTexture, LAB_NO_RUNTIME_1)
LAB_CUDA_MISSING(cudaError_t, cudaBindTexture2D, LAB_NO_RUNTIME_1)
LAB_CUDA_MISSING(cudaError_t, cudaBindTextureToArray, LAB_NO_RUNTIME_1)
LAB_CUDA_MISSING(cudaError_t, cudaUnbindTexture, LAB_NO_RUNTIME_1)
LAB_CUDA_MISSING(cudaError_t, cudaCreateSurfaceObject, LAB_NO_RUNTIME_1)
LAB_CUDA_MISSING(cudaError_t, cudaDestroySurfaceObject, LAB_NO_RUNTIME_1)
LAB_CUDA_MISSING(cudaError_t, cudaCreateChannelDesc, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaMallocArray, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaMalloc3DArray, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaFreeArray, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpyToArray, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpyFromArray, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpy2DToArray, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpy2DToArrayAsync, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpy2DFromArray, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaMallocMipmappedArray, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaFreeMipmappedArray, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaGetMipmappedArrayLevel, LAB_NO_RUNTIME_2)
LAB_CUDA_MISSING(cudaError_t, cudaGraphicsGLRegisterBuffer, LAB_NO_RUNTIME_3)
LAB_CUDA_MISSING(cudaError_t, cudaGraphicsGLRegisterImage, LAB_NO_RUNTIME_3)
LAB_CUDA_MISSING(cudaError_t, cudaGraphicsMapResources, LAB_NO_RUNTIME_3)
LAB_CUDA_MISSING(cudaError_t, cudaGraphicsUnmapResources, LAB_NO_RUNTIME_3)
LAB_CUDA_MISSING(cudaError_t, cudaGraphicsUnregisterResource, LAB_NO_RUNTIME_3)
LAB_CUDA_MISSING(cudaError_t, cudaGraphicsResourceGetMappedPointer, LAB_NO_RUNTIME_3)
LAB_CUDA_MISSING(cudaError_t, cudaGraphicsSubResourceGetMappedArray, LAB_NO_RUNTIME_3)
LAB_CUDA_MISSING(cudaError_t, cudaGLSetGLDevice, LAB_NO_RUNTIME_3)
LAB_CUDA_MISSING(cudaError_t, cudaImportExternalMemory, LAB_NO_RUNTIME_4)
LAB_CUDA_MISSING(cudaError_t, cudaImportExternalSemaphore, LAB_NO_RUNTIME_4)
LAB_CUDA_MISSING(cudaError_t, cudaDestroyExternalMemory, LAB_NO_RUNTIME_4)
LAB_CUDA_MISSING(cudaError_t, cudaDestroyExternalSemaphore, LAB_NO_RUNTIME_4)
LAB_CUDA_MISSING(cudaError_t, cudaSignalExternalSemaphoresAsync, LAB_NO_RUNTIME_4)
LAB_CUDA_MISSING(cudaError_t, cudaWaitExternalSemaphoresAsync, LAB_NO_RUNTIME_4)
LAB_CUDA_MISSING(cudaError_t, cudaExternalMemoryGetMappedBuffer, LAB_NO_RUNTIME_4)
LAB_CUDA_MISSING(cudaError_t, cudaIpcGetMemHandle, LAB_NO_RUNTIME_5)
LAB_CUDA_MISSING(cudaError_t, cudaIpcOpenMemHandle, LAB_NO_RUNTIME_5)
LAB_CUDA_MISSING(cudaError_t, cudaIpcCloseMemHandle, LAB_NO_RUNTIME_5)
LAB_CUDA_MISSING(cudaError_t, cudaIpcGetEventHandle, LAB_NO_RUNTIME_5)
LAB_CUDA_MISSING(cudaError_t, cudaIpcOpenEventHandle, LAB_NO_RUNTIME_5)
LAB_CUDA_MISSING(cudaError_t, cudaConfigureCall, LAB_NO_RUNTIME_6)
LAB_CUDA_MISSING(cudaError_t, cudaSetupArgument, LAB_NO_RUNTIME_6)
LAB_CUDA_MISSING(cudaError_t, cudaLaunch, LAB_NO_RUNTIME_6)
LAB_CUDA_MISSING(cudaError_t, cudaLaunchCooperativeKernelMultiDevice, LAB_NO_RUNTIME_7)
LAB_CUDA_MISSING(cudaError_t, cudaArrayGetInfo, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaArrayGetMemoryRequirements, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaArrayGetPlane, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaArrayGetSparseProperties, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaDeviceGetTexture1DLinearMaxWidth, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaExternalMemoryGetMappedMipmappedArray, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaGetChannelDesc, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaGetSurfaceObjectResourceDesc, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaGetTextureObjectResourceViewDesc, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaGetTextureObjectTextureDesc, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaGraphicsResourceGetMappedMipmappedArray, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpy2DArrayToArray, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpy2DFromArrayAsync, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpyArrayToArray, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpyFromArrayAsync, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpyToArrayAsync, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaMipmappedArrayGetMemoryRequirements, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaMipmappedArrayGetSparseProperties, LAB_NO_RUNTIME_8)
LAB_CUDA_MISSING(cudaError_t, cudaGraphicsResourceSetMapFlags, LAB_NO_RUNTIME_3)
LAB_CUDA_MISSING(cudaError_t, cudaDeviceGetNvSciSyncAttributes, LAB_NO_RUNTIME_9)
LAB_CUDA_MISSING(cudaError_t, cudaMemPoolExportPointer, LAB_NO_RUNTIME_9)
LAB_CUDA_MISSING(cudaError_t, cudaMemPoolExportToShareableHandle, LAB_NO_RUNTIME_9)
LAB_CUDA_MISSING(cudaError_t, cudaMemPoolImportFromShareableHandle, LAB_NO_RUNTIME_9)
LAB_CUDA_MISSING(cudaError_t, cudaMemPoolImportPointer, LAB_NO_RUNTIME_9)
LAB_CUDA_MISSING(cudaError_t, cudaDeviceGetGraphMemAttribute, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaDeviceGraphMemTrim, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaDeviceSetGraphMemAttribute, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphAddEventRecordNode, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphAddEventWaitNode, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphAddExternalSemaphoresSignalNode, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphAddExternalSemaphoresWaitNode, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphAddMemAllocNode, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphAddMemFreeNode, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphAddMemcpyNodeFromSymbol, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphAddMemcpyNodeToSymbol, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphAddNode, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphChildGraphNodeGetGraph, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphConditionalHandleCreate, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphDestroyNode, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphEventRecordNodeGetEvent, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphEventRecordNodeSetEvent, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphEventWaitNodeGetEvent, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphEventWaitNodeSetEvent, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecChildGraphNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecEventRecordNodeSetEvent, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecEventWaitNodeSetEvent, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecExternalSemaphoresSignalNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecExternalSemaphoresWaitNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecGetFlags, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecHostNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecMemcpyNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecMemcpyNodeSetParams1D, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecMemcpyNodeSetParamsFromSymbol, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecMemcpyNodeSetParamsToSymbol, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecMemsetNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExecNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExternalSemaphoresSignalNodeGetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExternalSemaphoresSignalNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExternalSemaphoresWaitNodeGetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphExternalSemaphoresWaitNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphHostNodeGetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphHostNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphInstantiateWithParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphKernelNodeCopyAttributes, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphKernelNodeGetAttribute, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphKernelNodeSetAttribute, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphMemAllocNodeGetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphMemFreeNodeGetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphMemcpyNodeGetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphMemcpyNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphMemcpyNodeSetParams1D, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphMemcpyNodeSetParamsFromSymbol, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphMemcpyNodeSetParamsToSymbol, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphMemsetNodeGetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphMemsetNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphNodeFindInClone, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphNodeGetDependencies, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphNodeGetDependentNodes, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphNodeGetEnabled, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphNodeSetEnabled, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphNodeSetParams, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphReleaseUserObject, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphRemoveDependencies, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGraphRetainUserObject, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaStreamBeginCaptureToGraph, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaStreamGetCaptureInfo, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaStreamUpdateCaptureDependencies, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaUserObjectCreate, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaUserObjectRelease, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaUserObjectRetain, LAB_NO_RUNTIME_10)
LAB_CUDA_MISSING(cudaError_t, cudaGetFuncBySymbol, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaGetKernel, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaKernelSetAttributeForDevice, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaLibraryEnumerateKernels, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaLibraryGetGlobal, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaLibraryGetKernel, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaLibraryGetKernelCount, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaLibraryGetManaged, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaLibraryGetUnifiedFunction, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaLibraryLoadData, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaLibraryLoadFromFile, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaLibraryUnload, LAB_NO_RUNTIME_11)
LAB_CUDA_MISSING(cudaError_t, cudaCtxResetPersistingL2Cache, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaDeviceFlushGPUDirectRDMAWrites, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaDeviceGetHostAtomicCapabilities, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaDeviceGetP2PAtomicCapabilities, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaDeviceGetP2PAttribute, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaDeviceRegisterAsyncNotification, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaDeviceUnregisterAsyncNotification, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaFuncGetName, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaFuncGetParamInfo, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaGetDriverEntryPoint, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaGetDriverEntryPointByVersion, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaGetExportTable, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaLogsCurrent, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaLogsDumpToFile, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaLogsDumpToMemory, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaLogsRegisterCallback, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaLogsUnregisterCallback, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemDiscardAndPrefetchBatchAsync, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemDiscardBatchAsync, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemGetDefaultMemPool, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemGetMemPool, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemPoolGetAccess, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemPrefetchBatchAsync, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemRangeGetAttribute, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemRangeGetAttributes, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemSetMemPool, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpy3DBatchAsync, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpy3DPeer, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpy3DPeerAsync, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaMemcpyBatchAsync, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaOccupancyMaxActiveClusters, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaOccupancyMaxPotentialClusterSize, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaStreamCopyAttributes, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaStreamGetAttribute, LAB_NO_RUNTIME_12)
LAB_CUDA_MISSING(cudaError_t, cudaStreamSetAttribute, LAB_NO_RUNTIME_12)
/* clang-format on */

#endif
