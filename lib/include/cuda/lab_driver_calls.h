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
LAB_CUDA_MISSING(CUresult, cuMemCreate,
    "virtual addresses cannot be reserved and mapped here: use cuMemAlloc or cuMemAllocAsync")
LAB_CUDA_MISSING(CUresult, cuMemMap,
    "virtual addresses cannot be reserved and mapped here: use cuMemAlloc or cuMemAllocAsync")
LAB_CUDA_MISSING(CUresult, cuMemUnmap,
    "virtual addresses cannot be reserved and mapped here: use cuMemAlloc or cuMemAllocAsync")
LAB_CUDA_MISSING(CUresult, cuMemRelease,
    "virtual addresses cannot be reserved and mapped here: use cuMemAlloc or cuMemAllocAsync")
LAB_CUDA_MISSING(CUresult, cuMemAddressReserve,
    "virtual addresses cannot be reserved and mapped here: use cuMemAlloc or cuMemAllocAsync")
LAB_CUDA_MISSING(CUresult, cuMemAddressFree,
    "virtual addresses cannot be reserved and mapped here: use cuMemAlloc or cuMemAllocAsync")
LAB_CUDA_MISSING(CUresult, cuMemSetAccess,
    "virtual addresses cannot be reserved and mapped here: use cuMemAlloc or cuMemAllocAsync")
LAB_CUDA_MISSING(CUresult, cuMemGetAllocationGranularity,
    "virtual addresses cannot be reserved and mapped here: use cuMemAlloc or cuMemAllocAsync")
LAB_CUDA_MISSING(CUresult, cuLinkCreate,
    "there is no linker of device code here: give nvrtcCompileProgram the whole source")
LAB_CUDA_MISSING(CUresult, cuLinkAddData,
    "there is no linker of device code here: give nvrtcCompileProgram the whole source")
LAB_CUDA_MISSING(CUresult, cuLinkAddFile,
    "there is no linker of device code here: give nvrtcCompileProgram the whole source")
LAB_CUDA_MISSING(CUresult, cuLinkComplete,
    "there is no linker of device code here: give nvrtcCompileProgram the whole source")
LAB_CUDA_MISSING(CUresult, cuLinkDestroy,
    "there is no linker of device code here: give nvrtcCompileProgram the whole source")
LAB_CUDA_MISSING(CUresult, cuArrayCreate,
    "CUDA arrays and textures are not supported: read the memory through a pointer")
LAB_CUDA_MISSING(CUresult, cuArrayDestroy,
    "CUDA arrays and textures are not supported: read the memory through a pointer")
LAB_CUDA_MISSING(CUresult, cuArray3DCreate,
    "CUDA arrays and textures are not supported: read the memory through a pointer")
LAB_CUDA_MISSING(CUresult, cuMemcpy2D,
    "CUDA arrays and textures are not supported: read the memory through a pointer")
LAB_CUDA_MISSING(CUresult, cuMemcpy3D,
    "CUDA arrays and textures are not supported: read the memory through a pointer")
LAB_CUDA_MISSING(CUresult, cuTexObjectCreate,
    "CUDA arrays and textures are not supported: read the memory through a pointer")
LAB_CUDA_MISSING(CUresult, cuTexObjectDestroy,
    "CUDA arrays and textures are not supported: read the memory through a pointer")
LAB_CUDA_MISSING(CUresult, cuTexRefCreate,
    "CUDA arrays and textures are not supported: read the memory through a pointer")
LAB_CUDA_MISSING(CUresult, cuTexRefSetAddress,
    "CUDA arrays and textures are not supported: read the memory through a pointer")
LAB_CUDA_MISSING(CUresult, cuModuleGetTexRef,
    "CUDA arrays and textures are not supported: read the memory through a pointer")
LAB_CUDA_MISSING(CUresult, cuGraphCreate,
    "the driver's graphs are captured here: use cuStreamBeginCapture, or the runtime's cudaGraphAddKernelNode")
LAB_CUDA_MISSING(CUresult, cuGraphAddKernelNode,
    "the driver's graphs are captured here: use cuStreamBeginCapture, or the runtime's cudaGraphAddKernelNode")
LAB_CUDA_MISSING(CUresult, cuGraphAddMemcpyNode,
    "the driver's graphs are captured here: use cuStreamBeginCapture, or the runtime's cudaGraphAddKernelNode")
LAB_CUDA_MISSING(CUresult, cuGraphAddHostNode,
    "the driver's graphs are captured here: use cuStreamBeginCapture, or the runtime's cudaGraphAddKernelNode")
LAB_CUDA_MISSING(CUresult, cuParamSetv,
    "CUDA 13 removed this form of a launch: use cuLaunchKernel")
LAB_CUDA_MISSING(CUresult, cuParamSeti,
    "CUDA 13 removed this form of a launch: use cuLaunchKernel")
LAB_CUDA_MISSING(CUresult, cuParamSetSize,
    "CUDA 13 removed this form of a launch: use cuLaunchKernel")
LAB_CUDA_MISSING(CUresult, cuLaunchGrid,
    "CUDA 13 removed this form of a launch: use cuLaunchKernel")
LAB_CUDA_MISSING(CUresult, cuFuncSetBlockShape,
    "CUDA 13 removed this form of a launch: use cuLaunchKernel")
/* clang-format on */

#endif
