/* The CUDA driver API: its calls, which lib/tools/cuda-calls.py writes from lib/src/cudart/calls.txt. */
#ifndef LAB_DRIVER_CALLS_H
#define LAB_DRIVER_CALLS_H

#pragma GCC system_header

/* clang-format off */

/* Initialisation and errors */
LAB_CUDA_CALL CUresult cuInit(unsigned int flags);
LAB_CUDA_CALL CUresult cuDriverGetVersion(int *version);
LAB_CUDA_CALL CUresult cuGetErrorName(CUresult error, const char **name);
LAB_CUDA_CALL CUresult cuGetErrorString(CUresult error, const char **text);

/* Devices */
LAB_CUDA_CALL CUresult cuDeviceGetCount(int *count);
LAB_CUDA_CALL CUresult cuDeviceGet(CUdevice *device, int ordinal);
LAB_CUDA_CALL CUresult cuDeviceGetName(char *name, int bytes, CUdevice device);
LAB_CUDA_CALL CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
LAB_CUDA_CALL CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device);
LAB_CUDA_CALL CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
LAB_CUDA_CALL CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
LAB_CUDA_CALL CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
LAB_CUDA_CALL CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
LAB_CUDA_CALL CUresult cuDevicePrimaryCtxRelease(CUdevice device);
LAB_CUDA_CALL CUresult cuDevicePrimaryCtxReset(CUdevice device);
LAB_CUDA_CALL CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);
LAB_CUDA_CALL CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);

/* Contexts */
LAB_CUDA_CALL CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
LAB_CUDA_CALL CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned int
    flags, CUdevice device);
LAB_CUDA_CALL CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice
    device);
LAB_CUDA_CALL CUresult cuCtxDestroy(CUcontext context);
LAB_CUDA_CALL CUresult cuCtxPushCurrent(CUcontext context);
LAB_CUDA_CALL CUresult cuCtxPopCurrent(CUcontext *context);
LAB_CUDA_CALL CUresult cuCtxSetCurrent(CUcontext context);
LAB_CUDA_CALL CUresult cuCtxGetCurrent(CUcontext *context);
LAB_CUDA_CALL CUresult cuCtxGetDevice(CUdevice *device);
LAB_CUDA_CALL CUresult cuCtxGetFlags(unsigned int *flags);
LAB_CUDA_CALL CUresult cuCtxGetId(CUcontext context, unsigned long long *id);
LAB_CUDA_CALL CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version);
LAB_CUDA_CALL CUresult cuCtxSynchronize(void);
LAB_CUDA_CALL CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
LAB_CUDA_CALL CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
LAB_CUDA_CALL CUresult cuCtxDisablePeerAccess(CUcontext peer);

/* Modules and launches */
LAB_CUDA_CALL CUresult cuModuleLoadData(CUmodule *module, const void *image);
LAB_CUDA_CALL CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option
    *options, void **values);
LAB_CUDA_CALL CUresult cuModuleLoad(CUmodule *module, const char *path);
LAB_CUDA_CALL CUresult cuModuleUnload(CUmodule module);
LAB_CUDA_CALL CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
LAB_CUDA_CALL CUresult cuModuleGetGlobal(CUdeviceptr *memory, size_t *bytes, CUmodule module, const char *name);
LAB_CUDA_CALL CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function);
LAB_CUDA_CALL CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
LAB_CUDA_CALL CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
LAB_CUDA_CALL CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int
    grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream
    stream, void **arguments, void **extra);
LAB_CUDA_CALL CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
    unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
    CUstream stream, void **arguments);
LAB_CUDA_CALL CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *user);
LAB_CUDA_CALL CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_size,
    size_t shared_bytes);
LAB_CUDA_CALL CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize
    shared_of, size_t shared_bytes, int limit);

/* Memory */
LAB_CUDA_CALL CUresult cuMemAlloc(CUdeviceptr *memory, size_t bytes);
LAB_CUDA_CALL CUresult cuMemAllocPitch(CUdeviceptr *memory, size_t *pitch, size_t width, size_t height, unsigned int
    element);
LAB_CUDA_CALL CUresult cuMemAllocManaged(CUdeviceptr *memory, size_t bytes, unsigned int flags);
LAB_CUDA_CALL CUresult cuMemFree(CUdeviceptr memory);
LAB_CUDA_CALL CUresult cuMemAllocHost(void **memory, size_t bytes);
LAB_CUDA_CALL CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned int flags);
LAB_CUDA_CALL CUresult cuMemFreeHost(void *memory);
LAB_CUDA_CALL CUresult cuMemHostRegister(void *memory, size_t bytes, unsigned int flags);
LAB_CUDA_CALL CUresult cuMemHostUnregister(void *memory);
LAB_CUDA_CALL CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned int flags);
LAB_CUDA_CALL CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes);
LAB_CUDA_CALL CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr memory);
LAB_CUDA_CALL CUresult cuMemAllocAsync(CUdeviceptr *memory, size_t bytes, CUstream stream);
LAB_CUDA_CALL CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream);
LAB_CUDA_CALL CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
LAB_CUDA_CALL CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
LAB_CUDA_CALL CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes);
LAB_CUDA_CALL CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes);
LAB_CUDA_CALL CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes);
LAB_CUDA_CALL CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream);
LAB_CUDA_CALL CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream);
LAB_CUDA_CALL CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);
LAB_CUDA_CALL CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
    size_t bytes);
LAB_CUDA_CALL CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext
    from_context, size_t bytes, CUstream stream);
LAB_CUDA_CALL CUresult cuMemsetD8(CUdeviceptr memory, unsigned char value, size_t count);
LAB_CUDA_CALL CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, size_t count, CUstream stream);
LAB_CUDA_CALL CUresult cuMemsetD32(CUdeviceptr memory, unsigned int value, size_t count);
LAB_CUDA_CALL CUresult cuMemsetD32Async(CUdeviceptr memory, unsigned int value, size_t count, CUstream stream);

/* Arrays and textures */
LAB_CUDA_CALL CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *of);
LAB_CUDA_CALL CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *of);
LAB_CUDA_CALL CUresult cuArrayDestroy(CUarray array);
LAB_CUDA_CALL CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *of, CUarray array);
LAB_CUDA_CALL CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *of, CUarray array);
LAB_CUDA_CALL CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy);
LAB_CUDA_CALL CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy);
LAB_CUDA_CALL CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream);
LAB_CUDA_CALL CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy);
LAB_CUDA_CALL CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream);
LAB_CUDA_CALL CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *of, const CUDA_TEXTURE_DESC
    *how, const CUDA_RESOURCE_VIEW_DESC *view);
LAB_CUDA_CALL CUresult cuTexObjectDestroy(CUtexObject object);
LAB_CUDA_CALL CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *of);
LAB_CUDA_CALL CUresult cuSurfObjectDestroy(CUsurfObject object);

/* Streams and events */
LAB_CUDA_CALL CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
LAB_CUDA_CALL CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority);
LAB_CUDA_CALL CUresult cuStreamDestroy(CUstream stream);
LAB_CUDA_CALL CUresult cuStreamSynchronize(CUstream stream);
LAB_CUDA_CALL CUresult cuStreamQuery(CUstream stream);
LAB_CUDA_CALL CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
LAB_CUDA_CALL CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags);
LAB_CUDA_CALL CUresult cuStreamGetPriority(CUstream stream, int *priority);
LAB_CUDA_CALL CUresult cuStreamGetCtx(CUstream stream, CUcontext *context);
LAB_CUDA_CALL CUresult cuStreamGetId(CUstream stream, unsigned long long *id);
LAB_CUDA_CALL CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user, unsigned int
    flags);
LAB_CUDA_CALL CUresult cuEventCreate(CUevent *event, unsigned int flags);
LAB_CUDA_CALL CUresult cuEventDestroy(CUevent event);
LAB_CUDA_CALL CUresult cuEventRecord(CUevent event, CUstream stream);
LAB_CUDA_CALL CUresult cuEventQuery(CUevent event);
LAB_CUDA_CALL CUresult cuEventSynchronize(CUevent event);
LAB_CUDA_CALL CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);

/* Capture and graphs */
LAB_CUDA_CALL CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
LAB_CUDA_CALL CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph);
LAB_CUDA_CALL CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status);
LAB_CUDA_CALL CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
LAB_CUDA_CALL CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
LAB_CUDA_CALL CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
LAB_CUDA_CALL CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream);
LAB_CUDA_CALL CUresult cuGraphExecDestroy(CUgraphExec exec);
LAB_CUDA_CALL CUresult cuGraphDestroy(CUgraph graph);

/* Not here: using one is an error with its reason. */
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "virtual addresses cannot be reserved and mapped here: use cuMemAlloc or cuMemAllocAsync")
LAB_CUDA_NOT(cuMemCreate) LAB_CUDA_NOT(cuMemMap) LAB_CUDA_NOT(cuMemUnmap) LAB_CUDA_NOT(cuMemRelease)
LAB_CUDA_NOT(cuMemAddressReserve) LAB_CUDA_NOT(cuMemAddressFree) LAB_CUDA_NOT(cuMemSetAccess)
LAB_CUDA_NOT(cuMemGetAllocationGranularity)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_TYPE(CUresult, name, \
    "virtual addresses cannot be reserved and mapped here: use cuMemAlloc or cuMemAllocAsync")
LAB_CUDA_NOT(CUmemGenericAllocationHandle) LAB_CUDA_NOT(CUmemAllocationProp) LAB_CUDA_NOT(CUmemAccessDesc)
LAB_CUDA_NOT(CUmemAllocationHandleType) LAB_CUDA_NOT(CUmemLocation)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_TYPE(CUresult, name, \
    "the driver has no texture and surface references and mipmaps here: use a texture object (cuTexObjectCreate)")
LAB_CUDA_NOT(CUtexref) LAB_CUDA_NOT(CUsurfref)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_TYPE(CUresult, name, \
    "there is no linker of device code here: give nvrtcCompileProgram the whole source")
LAB_CUDA_NOT(CUlinkState) LAB_CUDA_NOT(CUjitInputType)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_TYPE(CUresult, name, \
    "memory, events and semaphores cannot be shared with other processes or libraries here")
LAB_CUDA_NOT(CUipcMemHandle) LAB_CUDA_NOT(CUipcEventHandle) LAB_CUDA_NOT(CUexternalMemory)
LAB_CUDA_NOT(CUexternalSemaphore)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_TYPE(CUresult, name, \
    "there is no OpenGL or other graphics here: copy the result to the host")
LAB_CUDA_NOT(CUgraphicsResource)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_TYPE(CUresult, name, \
    "the driver's graphs are captured here: use cuStreamBeginCapture, or the runtime's cudaGraphAddKernelNode")
LAB_CUDA_NOT(CUgraphNode) LAB_CUDA_NOT(CUDA_KERNEL_NODE_PARAMS) LAB_CUDA_NOT(CUDA_MEMSET_NODE_PARAMS)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING_TYPE(CUresult, name, \
    "libraries of kernels are not here: use a module")
LAB_CUDA_NOT(CUlibrary) LAB_CUDA_NOT(CUkernel)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "there is no linker of device code here: give nvrtcCompileProgram the whole source")
LAB_CUDA_NOT(cuLinkCreate) LAB_CUDA_NOT(cuLinkAddData) LAB_CUDA_NOT(cuLinkAddFile) LAB_CUDA_NOT(cuLinkComplete)
LAB_CUDA_NOT(cuLinkDestroy)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "the driver has no texture and surface references and mipmaps here: use a texture object (cuTexObjectCreate)")
LAB_CUDA_NOT(cuTexRefCreate) LAB_CUDA_NOT(cuTexRefSetAddress) LAB_CUDA_NOT(cuModuleGetTexRef)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "the driver's graphs are captured here: use cuStreamBeginCapture, or the runtime's cudaGraphAddKernelNode")
LAB_CUDA_NOT(cuGraphCreate) LAB_CUDA_NOT(cuGraphAddKernelNode) LAB_CUDA_NOT(cuGraphAddMemcpyNode)
LAB_CUDA_NOT(cuGraphAddHostNode)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "CUDA 13 removed this form of a launch: use cuLaunchKernel")
LAB_CUDA_NOT(cuParamSetv) LAB_CUDA_NOT(cuParamSeti) LAB_CUDA_NOT(cuParamSetSize) LAB_CUDA_NOT(cuLaunchGrid)
LAB_CUDA_NOT(cuFuncSetBlockShape)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "the driver has no texture and surface references and mipmaps here: use a texture object (cuTexObjectCreate)")
LAB_CUDA_NOT(cuArrayGetMemoryRequirements) LAB_CUDA_NOT(cuArrayGetPlane) LAB_CUDA_NOT(cuArrayGetSparseProperties)
LAB_CUDA_NOT(cuDeviceGetTexture1DLinearMaxWidth) LAB_CUDA_NOT(cuExternalMemoryGetMappedMipmappedArray)
LAB_CUDA_NOT(cuGraphicsResourceGetMappedMipmappedArray) LAB_CUDA_NOT(cuGraphicsSubResourceGetMappedArray)
LAB_CUDA_NOT(cuMemMapArrayAsync) LAB_CUDA_NOT(cuMemcpyAtoA) LAB_CUDA_NOT(cuMemcpyAtoD) LAB_CUDA_NOT(cuMemcpyAtoH)
LAB_CUDA_NOT(cuMemcpyAtoHAsync) LAB_CUDA_NOT(cuMemcpyDtoA) LAB_CUDA_NOT(cuMemcpyHtoA) LAB_CUDA_NOT(cuMemcpyHtoAAsync)
LAB_CUDA_NOT(cuMipmappedArrayCreate) LAB_CUDA_NOT(cuMipmappedArrayDestroy) LAB_CUDA_NOT(cuMipmappedArrayGetLevel)
LAB_CUDA_NOT(cuMipmappedArrayGetMemoryRequirements) LAB_CUDA_NOT(cuMipmappedArrayGetSparseProperties)
LAB_CUDA_NOT(cuModuleGetSurfRef) LAB_CUDA_NOT(cuParamSetTexRef) LAB_CUDA_NOT(cuSurfObjectGetResourceDesc)
LAB_CUDA_NOT(cuSurfRefGetArray) LAB_CUDA_NOT(cuSurfRefSetArray) LAB_CUDA_NOT(cuTexObjectGetResourceDesc)
LAB_CUDA_NOT(cuTexObjectGetResourceViewDesc) LAB_CUDA_NOT(cuTexObjectGetTextureDesc) LAB_CUDA_NOT(cuTexRefDestroy)
LAB_CUDA_NOT(cuTexRefGetAddress) LAB_CUDA_NOT(cuTexRefGetAddressMode) LAB_CUDA_NOT(cuTexRefGetArray)
LAB_CUDA_NOT(cuTexRefGetBorderColor) LAB_CUDA_NOT(cuTexRefGetFilterMode) LAB_CUDA_NOT(cuTexRefGetFlags)
LAB_CUDA_NOT(cuTexRefGetFormat) LAB_CUDA_NOT(cuTexRefGetMaxAnisotropy) LAB_CUDA_NOT(cuTexRefGetMipmapFilterMode)
LAB_CUDA_NOT(cuTexRefGetMipmapLevelBias) LAB_CUDA_NOT(cuTexRefGetMipmapLevelClamp)
LAB_CUDA_NOT(cuTexRefGetMipmappedArray) LAB_CUDA_NOT(cuTexRefSetAddress2D) LAB_CUDA_NOT(cuTexRefSetAddressMode)
LAB_CUDA_NOT(cuTexRefSetArray) LAB_CUDA_NOT(cuTexRefSetBorderColor) LAB_CUDA_NOT(cuTexRefSetFilterMode)
LAB_CUDA_NOT(cuTexRefSetFlags) LAB_CUDA_NOT(cuTexRefSetFormat) LAB_CUDA_NOT(cuTexRefSetMaxAnisotropy)
LAB_CUDA_NOT(cuTexRefSetMipmapFilterMode) LAB_CUDA_NOT(cuTexRefSetMipmapLevelBias)
LAB_CUDA_NOT(cuTexRefSetMipmapLevelClamp) LAB_CUDA_NOT(cuTexRefSetMipmappedArray)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "there is no OpenGL or other graphics here: copy the result to the host")
LAB_CUDA_NOT(cuGraphicsMapResources) LAB_CUDA_NOT(cuGraphicsResourceGetMappedPointer)
LAB_CUDA_NOT(cuGraphicsResourceSetMapFlags) LAB_CUDA_NOT(cuGraphicsUnmapResources)
LAB_CUDA_NOT(cuGraphicsUnregisterResource)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "memory, events and semaphores cannot be shared with other processes or libraries here")
LAB_CUDA_NOT(cuDestroyExternalMemory) LAB_CUDA_NOT(cuDestroyExternalSemaphore)
LAB_CUDA_NOT(cuDeviceGetNvSciSyncAttributes) LAB_CUDA_NOT(cuExternalMemoryGetMappedBuffer)
LAB_CUDA_NOT(cuImportExternalMemory) LAB_CUDA_NOT(cuImportExternalSemaphore) LAB_CUDA_NOT(cuIpcCloseMemHandle)
LAB_CUDA_NOT(cuIpcGetEventHandle) LAB_CUDA_NOT(cuIpcGetMemHandle) LAB_CUDA_NOT(cuIpcOpenEventHandle)
LAB_CUDA_NOT(cuIpcOpenMemHandle) LAB_CUDA_NOT(cuMemExportToShareableHandle)
LAB_CUDA_NOT(cuMemImportFromShareableHandle) LAB_CUDA_NOT(cuMemPoolExportPointer)
LAB_CUDA_NOT(cuMemPoolExportToShareableHandle) LAB_CUDA_NOT(cuMemPoolImportFromShareableHandle)
LAB_CUDA_NOT(cuMemPoolImportPointer) LAB_CUDA_NOT(cuSignalExternalSemaphoresAsync)
LAB_CUDA_NOT(cuWaitExternalSemaphoresAsync)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "conditional nodes of graphs are not here: let the host read the condition and launch")
LAB_CUDA_NOT(cuGraphConditionalHandleCreate)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "this call for graphs is not here: build the graph with cudaGraphAdd...Node, or capture it")
LAB_CUDA_NOT(cuDeviceGetGraphMemAttribute) LAB_CUDA_NOT(cuDeviceGraphMemTrim)
LAB_CUDA_NOT(cuDeviceSetGraphMemAttribute) LAB_CUDA_NOT(cuGraphAddBatchMemOpNode)
LAB_CUDA_NOT(cuGraphAddChildGraphNode) LAB_CUDA_NOT(cuGraphAddDependencies) LAB_CUDA_NOT(cuGraphAddEmptyNode)
LAB_CUDA_NOT(cuGraphAddEventRecordNode) LAB_CUDA_NOT(cuGraphAddEventWaitNode)
LAB_CUDA_NOT(cuGraphAddExternalSemaphoresSignalNode) LAB_CUDA_NOT(cuGraphAddExternalSemaphoresWaitNode)
LAB_CUDA_NOT(cuGraphAddMemAllocNode) LAB_CUDA_NOT(cuGraphAddMemFreeNode) LAB_CUDA_NOT(cuGraphAddMemsetNode)
LAB_CUDA_NOT(cuGraphAddNode) LAB_CUDA_NOT(cuGraphBatchMemOpNodeGetParams) LAB_CUDA_NOT(cuGraphBatchMemOpNodeSetParams)
LAB_CUDA_NOT(cuGraphChildGraphNodeGetGraph) LAB_CUDA_NOT(cuGraphClone) LAB_CUDA_NOT(cuGraphDebugDotPrint)
LAB_CUDA_NOT(cuGraphDestroyNode) LAB_CUDA_NOT(cuGraphEventRecordNodeGetEvent)
LAB_CUDA_NOT(cuGraphEventRecordNodeSetEvent) LAB_CUDA_NOT(cuGraphEventWaitNodeGetEvent)
LAB_CUDA_NOT(cuGraphEventWaitNodeSetEvent) LAB_CUDA_NOT(cuGraphExecBatchMemOpNodeSetParams)
LAB_CUDA_NOT(cuGraphExecChildGraphNodeSetParams) LAB_CUDA_NOT(cuGraphExecEventRecordNodeSetEvent)
LAB_CUDA_NOT(cuGraphExecEventWaitNodeSetEvent) LAB_CUDA_NOT(cuGraphExecExternalSemaphoresSignalNodeSetParams)
LAB_CUDA_NOT(cuGraphExecExternalSemaphoresWaitNodeSetParams) LAB_CUDA_NOT(cuGraphExecGetFlags)
LAB_CUDA_NOT(cuGraphExecHostNodeSetParams) LAB_CUDA_NOT(cuGraphExecKernelNodeSetParams)
LAB_CUDA_NOT(cuGraphExecMemcpyNodeSetParams) LAB_CUDA_NOT(cuGraphExecMemsetNodeSetParams)
LAB_CUDA_NOT(cuGraphExecNodeSetParams) LAB_CUDA_NOT(cuGraphExecUpdate)
LAB_CUDA_NOT(cuGraphExternalSemaphoresSignalNodeGetParams) LAB_CUDA_NOT(cuGraphExternalSemaphoresSignalNodeSetParams)
LAB_CUDA_NOT(cuGraphExternalSemaphoresWaitNodeGetParams) LAB_CUDA_NOT(cuGraphExternalSemaphoresWaitNodeSetParams)
LAB_CUDA_NOT(cuGraphGetEdges) LAB_CUDA_NOT(cuGraphGetNodes) LAB_CUDA_NOT(cuGraphGetRootNodes)
LAB_CUDA_NOT(cuGraphHostNodeGetParams) LAB_CUDA_NOT(cuGraphHostNodeSetParams)
LAB_CUDA_NOT(cuGraphInstantiateWithParams) LAB_CUDA_NOT(cuGraphKernelNodeCopyAttributes)
LAB_CUDA_NOT(cuGraphKernelNodeGetAttribute) LAB_CUDA_NOT(cuGraphKernelNodeGetParams)
LAB_CUDA_NOT(cuGraphKernelNodeSetAttribute) LAB_CUDA_NOT(cuGraphKernelNodeSetParams)
LAB_CUDA_NOT(cuGraphMemAllocNodeGetParams) LAB_CUDA_NOT(cuGraphMemFreeNodeGetParams)
LAB_CUDA_NOT(cuGraphMemcpyNodeGetParams) LAB_CUDA_NOT(cuGraphMemcpyNodeSetParams)
LAB_CUDA_NOT(cuGraphMemsetNodeGetParams) LAB_CUDA_NOT(cuGraphMemsetNodeSetParams) LAB_CUDA_NOT(cuGraphNodeFindInClone)
LAB_CUDA_NOT(cuGraphNodeGetDependencies) LAB_CUDA_NOT(cuGraphNodeGetDependentNodes)
LAB_CUDA_NOT(cuGraphNodeGetEnabled) LAB_CUDA_NOT(cuGraphNodeGetType) LAB_CUDA_NOT(cuGraphNodeSetEnabled)
LAB_CUDA_NOT(cuGraphNodeSetParams) LAB_CUDA_NOT(cuGraphReleaseUserObject) LAB_CUDA_NOT(cuGraphRemoveDependencies)
LAB_CUDA_NOT(cuGraphRetainUserObject) LAB_CUDA_NOT(cuGraphUpload) LAB_CUDA_NOT(cuStreamBeginCaptureToGraph)
LAB_CUDA_NOT(cuStreamGetCaptureInfo) LAB_CUDA_NOT(cuStreamUpdateCaptureDependencies) LAB_CUDA_NOT(cuUserObjectCreate)
LAB_CUDA_NOT(cuUserObjectRelease) LAB_CUDA_NOT(cuUserObjectRetain)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "libraries of kernels are not here: use a module")
LAB_CUDA_NOT(cuKernelGetAttribute) LAB_CUDA_NOT(cuKernelGetFunction) LAB_CUDA_NOT(cuKernelGetLibrary)
LAB_CUDA_NOT(cuKernelGetName) LAB_CUDA_NOT(cuKernelGetParamInfo) LAB_CUDA_NOT(cuKernelSetAttribute)
LAB_CUDA_NOT(cuKernelSetCacheConfig) LAB_CUDA_NOT(cuLibraryEnumerateKernels) LAB_CUDA_NOT(cuLibraryGetGlobal)
LAB_CUDA_NOT(cuLibraryGetKernel) LAB_CUDA_NOT(cuLibraryGetKernelCount) LAB_CUDA_NOT(cuLibraryGetManaged)
LAB_CUDA_NOT(cuLibraryGetModule) LAB_CUDA_NOT(cuLibraryGetUnifiedFunction) LAB_CUDA_NOT(cuLibraryLoadData)
LAB_CUDA_NOT(cuLibraryLoadFromFile) LAB_CUDA_NOT(cuLibraryUnload)
#undef LAB_CUDA_NOT
#define LAB_CUDA_NOT(name) \
    LAB_CUDA_MISSING(CUresult, name, \
    "this call is not here: lib/docs/cuda-calls.md lists those that are")
LAB_CUDA_NOT(cuCheckpointProcessCheckpoint) LAB_CUDA_NOT(cuCheckpointProcessGetRestoreThreadId)
LAB_CUDA_NOT(cuCheckpointProcessGetState) LAB_CUDA_NOT(cuCheckpointProcessLock)
LAB_CUDA_NOT(cuCheckpointProcessRestore) LAB_CUDA_NOT(cuCheckpointProcessUnlock) LAB_CUDA_NOT(cuCoredumpGetAttribute)
LAB_CUDA_NOT(cuCoredumpGetAttributeGlobal) LAB_CUDA_NOT(cuCoredumpSetAttribute)
LAB_CUDA_NOT(cuCoredumpSetAttributeGlobal) LAB_CUDA_NOT(cuCtxAttach) LAB_CUDA_NOT(cuCtxDetach)
LAB_CUDA_NOT(cuCtxFromGreenCtx) LAB_CUDA_NOT(cuCtxGetCacheConfig) LAB_CUDA_NOT(cuCtxGetDevResource)
LAB_CUDA_NOT(cuCtxGetExecAffinity) LAB_CUDA_NOT(cuCtxGetLimit) LAB_CUDA_NOT(cuCtxGetSharedMemConfig)
LAB_CUDA_NOT(cuCtxRecordEvent) LAB_CUDA_NOT(cuCtxResetPersistingL2Cache) LAB_CUDA_NOT(cuCtxSetCacheConfig)
LAB_CUDA_NOT(cuCtxSetFlags) LAB_CUDA_NOT(cuCtxSetLimit) LAB_CUDA_NOT(cuCtxSetSharedMemConfig)
LAB_CUDA_NOT(cuCtxWaitEvent) LAB_CUDA_NOT(cuDevResourceGenerateDesc) LAB_CUDA_NOT(cuDevSmResourceSplitByCount)
LAB_CUDA_NOT(cuDeviceGetByPCIBusId) LAB_CUDA_NOT(cuDeviceGetDefaultMemPool) LAB_CUDA_NOT(cuDeviceGetDevResource)
LAB_CUDA_NOT(cuDeviceGetExecAffinitySupport) LAB_CUDA_NOT(cuDeviceGetHostAtomicCapabilities)
LAB_CUDA_NOT(cuDeviceGetLuid) LAB_CUDA_NOT(cuDeviceGetMemPool) LAB_CUDA_NOT(cuDeviceGetP2PAtomicCapabilities)
LAB_CUDA_NOT(cuDeviceGetP2PAttribute) LAB_CUDA_NOT(cuDeviceGetPCIBusId) LAB_CUDA_NOT(cuDeviceGetProperties)
LAB_CUDA_NOT(cuDeviceRegisterAsyncNotification) LAB_CUDA_NOT(cuDeviceSetMemPool)
LAB_CUDA_NOT(cuDeviceUnregisterAsyncNotification) LAB_CUDA_NOT(cuEventRecordWithFlags)
LAB_CUDA_NOT(cuFlushGPUDirectRDMAWrites) LAB_CUDA_NOT(cuFuncGetModule) LAB_CUDA_NOT(cuFuncGetName)
LAB_CUDA_NOT(cuFuncGetParamInfo) LAB_CUDA_NOT(cuFuncIsLoaded) LAB_CUDA_NOT(cuFuncLoad)
LAB_CUDA_NOT(cuFuncSetSharedMemConfig) LAB_CUDA_NOT(cuFuncSetSharedSize) LAB_CUDA_NOT(cuGetExportTable)
LAB_CUDA_NOT(cuGetProcAddress) LAB_CUDA_NOT(cuGreenCtxCreate) LAB_CUDA_NOT(cuGreenCtxDestroy)
LAB_CUDA_NOT(cuGreenCtxGetDevResource) LAB_CUDA_NOT(cuGreenCtxGetId) LAB_CUDA_NOT(cuGreenCtxRecordEvent)
LAB_CUDA_NOT(cuGreenCtxStreamCreate) LAB_CUDA_NOT(cuGreenCtxWaitEvent)
LAB_CUDA_NOT(cuLaunchCooperativeKernelMultiDevice) LAB_CUDA_NOT(cuLaunchGridAsync) LAB_CUDA_NOT(cuLaunchKernelEx)
LAB_CUDA_NOT(cuLogsCurrent) LAB_CUDA_NOT(cuLogsDumpToFile) LAB_CUDA_NOT(cuLogsDumpToMemory)
LAB_CUDA_NOT(cuLogsRegisterCallback) LAB_CUDA_NOT(cuLogsUnregisterCallback) LAB_CUDA_NOT(cuMemAdvise)
LAB_CUDA_NOT(cuMemAllocFromPoolAsync) LAB_CUDA_NOT(cuMemBatchDecompressAsync)
LAB_CUDA_NOT(cuMemDiscardAndPrefetchBatchAsync) LAB_CUDA_NOT(cuMemDiscardBatchAsync) LAB_CUDA_NOT(cuMemGetAccess)
LAB_CUDA_NOT(cuMemGetAllocationPropertiesFromHandle) LAB_CUDA_NOT(cuMemGetDefaultMemPool)
LAB_CUDA_NOT(cuMemGetHandleForAddressRange) LAB_CUDA_NOT(cuMemGetMemPool) LAB_CUDA_NOT(cuMemHostGetFlags)
LAB_CUDA_NOT(cuMemPoolCreate) LAB_CUDA_NOT(cuMemPoolDestroy) LAB_CUDA_NOT(cuMemPoolGetAccess)
LAB_CUDA_NOT(cuMemPoolGetAttribute) LAB_CUDA_NOT(cuMemPoolSetAccess) LAB_CUDA_NOT(cuMemPoolSetAttribute)
LAB_CUDA_NOT(cuMemPoolTrimTo) LAB_CUDA_NOT(cuMemPrefetchAsync) LAB_CUDA_NOT(cuMemPrefetchBatchAsync)
LAB_CUDA_NOT(cuMemRangeGetAttribute) LAB_CUDA_NOT(cuMemRangeGetAttributes) LAB_CUDA_NOT(cuMemRetainAllocationHandle)
LAB_CUDA_NOT(cuMemSetMemPool) LAB_CUDA_NOT(cuMemcpy3DBatchAsync) LAB_CUDA_NOT(cuMemcpy3DPeer)
LAB_CUDA_NOT(cuMemcpy3DPeerAsync) LAB_CUDA_NOT(cuMemcpyBatchAsync) LAB_CUDA_NOT(cuMemsetD16)
LAB_CUDA_NOT(cuMemsetD16Async) LAB_CUDA_NOT(cuMemsetD2D16) LAB_CUDA_NOT(cuMemsetD2D16Async)
LAB_CUDA_NOT(cuMemsetD2D32) LAB_CUDA_NOT(cuMemsetD2D32Async) LAB_CUDA_NOT(cuMemsetD2D8)
LAB_CUDA_NOT(cuMemsetD2D8Async) LAB_CUDA_NOT(cuModuleEnumerateFunctions) LAB_CUDA_NOT(cuModuleGetFunctionCount)
LAB_CUDA_NOT(cuModuleGetLoadingMode) LAB_CUDA_NOT(cuModuleLoadFatBinary) LAB_CUDA_NOT(cuMulticastAddDevice)
LAB_CUDA_NOT(cuMulticastBindAddr) LAB_CUDA_NOT(cuMulticastBindMem) LAB_CUDA_NOT(cuMulticastCreate)
LAB_CUDA_NOT(cuMulticastGetGranularity) LAB_CUDA_NOT(cuMulticastUnbind)
LAB_CUDA_NOT(cuOccupancyAvailableDynamicSMemPerBlock)
LAB_CUDA_NOT(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) LAB_CUDA_NOT(cuOccupancyMaxActiveClusters)
LAB_CUDA_NOT(cuOccupancyMaxPotentialBlockSizeWithFlags) LAB_CUDA_NOT(cuOccupancyMaxPotentialClusterSize)
LAB_CUDA_NOT(cuParamSetf) LAB_CUDA_NOT(cuPointerGetAttribute) LAB_CUDA_NOT(cuPointerGetAttributes)
LAB_CUDA_NOT(cuPointerSetAttribute) LAB_CUDA_NOT(cuStreamAttachMemAsync) LAB_CUDA_NOT(cuStreamBatchMemOp)
LAB_CUDA_NOT(cuStreamCopyAttributes) LAB_CUDA_NOT(cuStreamGetAttribute) LAB_CUDA_NOT(cuStreamGetDevice)
LAB_CUDA_NOT(cuStreamGetGreenCtx) LAB_CUDA_NOT(cuStreamSetAttribute) LAB_CUDA_NOT(cuStreamWaitValue32)
LAB_CUDA_NOT(cuStreamWaitValue64) LAB_CUDA_NOT(cuStreamWriteValue32) LAB_CUDA_NOT(cuStreamWriteValue64)
LAB_CUDA_NOT(cuTensorMapEncodeIm2col) LAB_CUDA_NOT(cuTensorMapEncodeIm2colWide) LAB_CUDA_NOT(cuTensorMapEncodeTiled)
LAB_CUDA_NOT(cuTensorMapReplaceAddress)
#undef LAB_CUDA_NOT
/* clang-format on */

#endif
