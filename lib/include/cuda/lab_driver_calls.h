/* The CUDA driver API: its calls, which lib/tools/cuda-calls.py writes from lib/src/cudart/calls.txt. */
#ifndef LAB_DRIVER_CALLS_H
#define LAB_DRIVER_CALLS_H

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
#define LAB_NO_DRIVER_1 \
    "virtual addresses cannot be reserved and mapped here: use cuMemAlloc or cuMemAllocAsync"
#define LAB_NO_DRIVER_2 \
    "there is no linker of device code here: give nvrtcCompileProgram the whole source"
#define LAB_NO_DRIVER_3 \
    "CUDA arrays and textures are not supported: read the memory through a pointer"
#define LAB_NO_DRIVER_4 \
    "the driver's graphs are captured here: use cuStreamBeginCapture, or the runtime's cudaGraphAddKernelNode"
#define LAB_NO_DRIVER_5 \
    "CUDA 13 removed this form of a launch: use cuLaunchKernel"
#define LAB_NO_DRIVER_6 \
    "there is no OpenGL or other graphics here: copy the result to the host"
#define LAB_NO_DRIVER_7 \
    "memory, events and semaphores cannot be shared with other processes or libraries here"
#define LAB_NO_DRIVER_8 \
    "this call for graphs is not here: build the graph with cudaGraphAdd...Node, or capture it"
#define LAB_NO_DRIVER_9 \
    "libraries of kernels are not here: use a module"
#define LAB_NO_DRIVER_10 \
    "this call is not here: lib/docs/cuda-calls.md lists those that are"
LAB_CUDA_MISSING(CUresult, cuMemCreate, LAB_NO_DRIVER_1)
LAB_CUDA_MISSING(CUresult, cuMemMap, LAB_NO_DRIVER_1)
LAB_CUDA_MISSING(CUresult, cuMemUnmap, LAB_NO_DRIVER_1)
LAB_CUDA_MISSING(CUresult, cuMemRelease, LAB_NO_DRIVER_1)
LAB_CUDA_MISSING(CUresult, cuMemAddressReserve, LAB_NO_DRIVER_1)
LAB_CUDA_MISSING(CUresult, cuMemAddressFree, LAB_NO_DRIVER_1)
LAB_CUDA_MISSING(CUresult, cuMemSetAccess, LAB_NO_DRIVER_1)
LAB_CUDA_MISSING(CUresult, cuMemGetAllocationGranularity, LAB_NO_DRIVER_1)
LAB_CUDA_MISSING(CUresult, cuLinkCreate, LAB_NO_DRIVER_2)
LAB_CUDA_MISSING(CUresult, cuLinkAddData, LAB_NO_DRIVER_2)
LAB_CUDA_MISSING(CUresult, cuLinkAddFile, LAB_NO_DRIVER_2)
LAB_CUDA_MISSING(CUresult, cuLinkComplete, LAB_NO_DRIVER_2)
LAB_CUDA_MISSING(CUresult, cuLinkDestroy, LAB_NO_DRIVER_2)
LAB_CUDA_MISSING(CUresult, cuArrayCreate, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuArrayDestroy, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuArray3DCreate, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMemcpy2D, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMemcpy3D, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexObjectCreate, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexObjectDestroy, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefCreate, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetAddress, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuModuleGetTexRef, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuGraphCreate, LAB_NO_DRIVER_4)
LAB_CUDA_MISSING(CUresult, cuGraphAddKernelNode, LAB_NO_DRIVER_4)
LAB_CUDA_MISSING(CUresult, cuGraphAddMemcpyNode, LAB_NO_DRIVER_4)
LAB_CUDA_MISSING(CUresult, cuGraphAddHostNode, LAB_NO_DRIVER_4)
LAB_CUDA_MISSING(CUresult, cuParamSetv, LAB_NO_DRIVER_5)
LAB_CUDA_MISSING(CUresult, cuParamSeti, LAB_NO_DRIVER_5)
LAB_CUDA_MISSING(CUresult, cuParamSetSize, LAB_NO_DRIVER_5)
LAB_CUDA_MISSING(CUresult, cuLaunchGrid, LAB_NO_DRIVER_5)
LAB_CUDA_MISSING(CUresult, cuFuncSetBlockShape, LAB_NO_DRIVER_5)
LAB_CUDA_MISSING(CUresult, cuArray3DGetDescriptor, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuArrayGetDescriptor, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuArrayGetMemoryRequirements, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuArrayGetPlane, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuArrayGetSparseProperties, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuDeviceGetTexture1DLinearMaxWidth, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuExternalMemoryGetMappedMipmappedArray, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuGraphicsResourceGetMappedMipmappedArray, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuGraphicsSubResourceGetMappedArray, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMemMapArrayAsync, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMemcpyAtoA, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMemcpyAtoD, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMemcpyAtoH, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMemcpyAtoHAsync, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMemcpyDtoA, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMemcpyHtoA, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMemcpyHtoAAsync, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMipmappedArrayCreate, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMipmappedArrayDestroy, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMipmappedArrayGetLevel, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMipmappedArrayGetMemoryRequirements, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuMipmappedArrayGetSparseProperties, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuModuleGetSurfRef, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuParamSetTexRef, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuSurfObjectCreate, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuSurfObjectDestroy, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuSurfObjectGetResourceDesc, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuSurfRefGetArray, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuSurfRefSetArray, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexObjectGetResourceDesc, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexObjectGetResourceViewDesc, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexObjectGetTextureDesc, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefDestroy, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetAddress, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetAddressMode, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetArray, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetBorderColor, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetFilterMode, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetFlags, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetFormat, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetMaxAnisotropy, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetMipmapFilterMode, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetMipmapLevelBias, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetMipmapLevelClamp, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefGetMipmappedArray, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetAddress2D, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetAddressMode, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetArray, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetBorderColor, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetFilterMode, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetFlags, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetFormat, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetMaxAnisotropy, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetMipmapFilterMode, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetMipmapLevelBias, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetMipmapLevelClamp, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuTexRefSetMipmappedArray, LAB_NO_DRIVER_3)
LAB_CUDA_MISSING(CUresult, cuGraphicsMapResources, LAB_NO_DRIVER_6)
LAB_CUDA_MISSING(CUresult, cuGraphicsResourceGetMappedPointer, LAB_NO_DRIVER_6)
LAB_CUDA_MISSING(CUresult, cuGraphicsResourceSetMapFlags, LAB_NO_DRIVER_6)
LAB_CUDA_MISSING(CUresult, cuGraphicsUnmapResources, LAB_NO_DRIVER_6)
LAB_CUDA_MISSING(CUresult, cuGraphicsUnregisterResource, LAB_NO_DRIVER_6)
LAB_CUDA_MISSING(CUresult, cuDestroyExternalMemory, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuDestroyExternalSemaphore, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuDeviceGetNvSciSyncAttributes, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuExternalMemoryGetMappedBuffer, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuImportExternalMemory, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuImportExternalSemaphore, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuIpcCloseMemHandle, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuIpcGetEventHandle, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuIpcGetMemHandle, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuIpcOpenEventHandle, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuIpcOpenMemHandle, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuMemExportToShareableHandle, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuMemImportFromShareableHandle, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuMemPoolExportPointer, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuMemPoolExportToShareableHandle, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuMemPoolImportFromShareableHandle, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuMemPoolImportPointer, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuSignalExternalSemaphoresAsync, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuWaitExternalSemaphoresAsync, LAB_NO_DRIVER_7)
LAB_CUDA_MISSING(CUresult, cuDeviceGetGraphMemAttribute, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuDeviceGraphMemTrim, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuDeviceSetGraphMemAttribute, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddBatchMemOpNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddChildGraphNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddDependencies, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddEmptyNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddEventRecordNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddEventWaitNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddExternalSemaphoresSignalNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddExternalSemaphoresWaitNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddMemAllocNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddMemFreeNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddMemsetNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphAddNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphBatchMemOpNodeGetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphBatchMemOpNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphChildGraphNodeGetGraph, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphClone, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphConditionalHandleCreate, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphDebugDotPrint, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphDestroyNode, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphEventRecordNodeGetEvent, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphEventRecordNodeSetEvent, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphEventWaitNodeGetEvent, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphEventWaitNodeSetEvent, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecBatchMemOpNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecChildGraphNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecEventRecordNodeSetEvent, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecEventWaitNodeSetEvent, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecExternalSemaphoresSignalNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecExternalSemaphoresWaitNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecGetFlags, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecHostNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecKernelNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecMemcpyNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecMemsetNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExecUpdate, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExternalSemaphoresSignalNodeGetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExternalSemaphoresSignalNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExternalSemaphoresWaitNodeGetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphExternalSemaphoresWaitNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphGetEdges, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphGetNodes, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphGetRootNodes, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphHostNodeGetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphHostNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphInstantiateWithParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphKernelNodeCopyAttributes, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphKernelNodeGetAttribute, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphKernelNodeGetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphKernelNodeSetAttribute, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphKernelNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphMemAllocNodeGetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphMemFreeNodeGetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphMemcpyNodeGetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphMemcpyNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphMemsetNodeGetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphMemsetNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphNodeFindInClone, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphNodeGetDependencies, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphNodeGetDependentNodes, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphNodeGetEnabled, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphNodeGetType, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphNodeSetEnabled, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphNodeSetParams, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphReleaseUserObject, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphRemoveDependencies, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphRetainUserObject, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuGraphUpload, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuStreamBeginCaptureToGraph, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuStreamGetCaptureInfo, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuStreamUpdateCaptureDependencies, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuUserObjectCreate, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuUserObjectRelease, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuUserObjectRetain, LAB_NO_DRIVER_8)
LAB_CUDA_MISSING(CUresult, cuKernelGetAttribute, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuKernelGetFunction, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuKernelGetLibrary, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuKernelGetName, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuKernelGetParamInfo, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuKernelSetAttribute, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuKernelSetCacheConfig, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuLibraryEnumerateKernels, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuLibraryGetGlobal, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuLibraryGetKernel, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuLibraryGetKernelCount, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuLibraryGetManaged, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuLibraryGetModule, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuLibraryGetUnifiedFunction, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuLibraryLoadData, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuLibraryLoadFromFile, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuLibraryUnload, LAB_NO_DRIVER_9)
LAB_CUDA_MISSING(CUresult, cuCheckpointProcessCheckpoint, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCheckpointProcessGetRestoreThreadId, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCheckpointProcessGetState, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCheckpointProcessLock, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCheckpointProcessRestore, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCheckpointProcessUnlock, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCoredumpGetAttribute, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCoredumpGetAttributeGlobal, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCoredumpSetAttribute, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCoredumpSetAttributeGlobal, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxAttach, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxDetach, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxFromGreenCtx, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxGetCacheConfig, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxGetDevResource, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxGetExecAffinity, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxGetLimit, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxGetSharedMemConfig, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxRecordEvent, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxResetPersistingL2Cache, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxSetCacheConfig, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxSetFlags, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxSetLimit, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxSetSharedMemConfig, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuCtxWaitEvent, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDevResourceGenerateDesc, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDevSmResourceSplitByCount, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceGetByPCIBusId, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceGetDefaultMemPool, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceGetDevResource, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceGetExecAffinitySupport, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceGetHostAtomicCapabilities, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceGetLuid, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceGetMemPool, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceGetP2PAtomicCapabilities, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceGetP2PAttribute, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceGetPCIBusId, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceGetProperties, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceRegisterAsyncNotification, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceSetMemPool, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuDeviceUnregisterAsyncNotification, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuEventRecordWithFlags, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuFlushGPUDirectRDMAWrites, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuFuncGetModule, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuFuncGetName, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuFuncGetParamInfo, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuFuncIsLoaded, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuFuncLoad, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuFuncSetSharedMemConfig, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuFuncSetSharedSize, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuGetExportTable, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuGetProcAddress, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuGreenCtxCreate, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuGreenCtxDestroy, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuGreenCtxGetDevResource, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuGreenCtxGetId, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuGreenCtxRecordEvent, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuGreenCtxStreamCreate, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuGreenCtxWaitEvent, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuLaunchCooperativeKernelMultiDevice, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuLaunchGridAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuLaunchKernelEx, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuLogsCurrent, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuLogsDumpToFile, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuLogsDumpToMemory, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuLogsRegisterCallback, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuLogsUnregisterCallback, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemAdvise, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemAllocFromPoolAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemBatchDecompressAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemDiscardAndPrefetchBatchAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemDiscardBatchAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemGetAccess, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemGetAllocationPropertiesFromHandle, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemGetDefaultMemPool, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemGetHandleForAddressRange, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemGetMemPool, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemHostGetFlags, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemPoolCreate, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemPoolDestroy, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemPoolGetAccess, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemPoolGetAttribute, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemPoolSetAccess, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemPoolSetAttribute, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemPoolTrimTo, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemPrefetchAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemPrefetchBatchAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemRangeGetAttribute, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemRangeGetAttributes, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemRetainAllocationHandle, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemSetMemPool, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemcpy2DAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemcpy2DUnaligned, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemcpy3DAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemcpy3DBatchAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemcpy3DPeer, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemcpy3DPeerAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemcpyBatchAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemsetD16, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemsetD16Async, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemsetD2D16, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemsetD2D16Async, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemsetD2D32, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemsetD2D32Async, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemsetD2D8, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMemsetD2D8Async, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuModuleEnumerateFunctions, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuModuleGetFunctionCount, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuModuleGetLoadingMode, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuModuleLoadFatBinary, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMulticastAddDevice, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMulticastBindAddr, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMulticastBindMem, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMulticastCreate, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMulticastGetGranularity, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuMulticastUnbind, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuOccupancyAvailableDynamicSMemPerBlock, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuOccupancyMaxActiveClusters, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuOccupancyMaxPotentialBlockSize, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuOccupancyMaxPotentialBlockSizeWithFlags, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuOccupancyMaxPotentialClusterSize, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuParamSetf, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuPointerGetAttribute, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuPointerGetAttributes, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuPointerSetAttribute, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuStreamAttachMemAsync, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuStreamBatchMemOp, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuStreamCopyAttributes, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuStreamGetAttribute, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuStreamGetDevice, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuStreamGetGreenCtx, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuStreamSetAttribute, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuStreamWaitValue32, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuStreamWaitValue64, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuStreamWriteValue32, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuStreamWriteValue64, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuTensorMapEncodeIm2col, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuTensorMapEncodeIm2colWide, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuTensorMapEncodeTiled, LAB_NO_DRIVER_10)
LAB_CUDA_MISSING(CUresult, cuTensorMapReplaceAddress, LAB_NO_DRIVER_10)
/* clang-format on */

#endif
