/*
 * The machine's CUDA driver, opened at run time so that the library also runs without one. Lists the calls that the
 * device needs and their names in the driver.
 *
 * For calls whose form has changed between versions of cuda.h, the table has the name of the form used here, which
 * every driver since 11.4 has.
 */
#ifndef LAB_CUDA_LIBRARIES_DRIVER_H
#define LAB_CUDA_LIBRARIES_DRIVER_H

#include "base/status.h"

#include <cuda.h>

#define CUDA_CALLS(X)                                                                                                  \
    X(cuInit)                                                                                                          \
    X(cuDriverGetVersion)                                                                                              \
    X(cuGetErrorName)                                                                                                  \
    X(cuGetErrorString)                                                                                                \
    X(cuDeviceGet)                                                                                                     \
    X(cuDeviceGetCount)                                                                                                \
    X(cuDeviceGetName)                                                                                                 \
    X(cuDeviceGetAttribute)                                                                                            \
    X(cuDeviceGetPCIBusId)                                                                                             \
    X(cuDeviceTotalMem)                                                                                                \
    X(cuDeviceCanAccessPeer)                                                                                           \
    X(cuDevicePrimaryCtxRetain)                                                                                        \
    X(cuDevicePrimaryCtxRelease)                                                                                       \
    X(cuDevicePrimaryCtxReset)                                                                                         \
    X(cuCtxDestroy)                                                                                                    \
    X(cuCtxSetCurrent)                                                                                                 \
    X(cuCtxPopCurrent)                                                                                                 \
    X(cuCtxSynchronize)                                                                                                \
    X(cuCtxGetStreamPriorityRange)                                                                                     \
    X(cuCtxEnablePeerAccess)                                                                                           \
    X(cuCtxDisablePeerAccess)                                                                                          \
    X(cuStreamCreateWithPriority)                                                                                      \
    X(cuStreamDestroy)                                                                                                 \
    X(cuStreamSynchronize)                                                                                             \
    X(cuStreamGetCtx)                                                                                                  \
    X(cuStreamGetFlags)                                                                                                \
    X(cuStreamGetPriority)                                                                                             \
    X(cuStreamQuery)                                                                                                   \
    X(cuStreamWaitEvent)                                                                                               \
    X(cuStreamAddCallback)                                                                                             \
    X(cuStreamBeginCapture)                                                                                            \
    X(cuStreamEndCapture)                                                                                              \
    X(cuStreamIsCapturing)                                                                                             \
    X(cuThreadExchangeStreamCaptureMode)                                                                               \
    X(cuLaunchHostFunc)                                                                                                \
    X(cuLaunchKernel)                                                                                                  \
    X(cuLaunchCooperativeKernel)                                                                                       \
    X(cuEventCreate)                                                                                                   \
    X(cuEventDestroy)                                                                                                  \
    X(cuEventRecord)                                                                                                   \
    X(cuEventQuery)                                                                                                    \
    X(cuEventSynchronize)                                                                                              \
    X(cuMemAlloc)                                                                                                      \
    X(cuMemFree)                                                                                                       \
    X(cuMemGetInfo)                                                                                                    \
    X(cuMemHostAlloc)                                                                                                  \
    X(cuMemFreeHost)                                                                                                   \
    X(cuMemHostRegister)                                                                                               \
    X(cuMemHostUnregister)                                                                                             \
    X(cuMemcpyHtoD)                                                                                                    \
    X(cuMemcpyDtoH)                                                                                                    \
    X(cuMemcpyHtoDAsync)                                                                                               \
    X(cuMemcpyDtoHAsync)                                                                                               \
    X(cuMemcpyDtoDAsync)                                                                                               \
    X(cuMemsetD8Async)                                                                                                 \
    X(cuModuleLoadData)                                                                                                \
    X(cuModuleUnload)                                                                                                  \
    X(cuLinkCreate)                                                                                                    \
    X(cuLinkAddData)                                                                                                   \
    X(cuLinkComplete)                                                                                                  \
    X(cuLinkDestroy)                                                                                                   \
    X(cuModuleGetFunction)                                                                                             \
    X(cuModuleGetGlobal)                                                                                               \
    X(cuFuncGetAttribute)                                                                                              \
    X(cuGraphDestroy)                                                                                                  \
    X(cuGraphUpload)                                                                                                   \
    X(cuGraphLaunch)                                                                                                   \
    X(cuGraphExecDestroy)                                                                                              \
    X(cuGraphRetainUserObject)                                                                                         \
    X(cuUserObjectCreate)                                                                                              \
    X(cuUserObjectRelease)

/* Name in the driver, name here, form. */
#define CUDA_OLDER_CALLS(X)                                                                                            \
    X("cuCtxCreate_v2", create_context, (CUcontext * context, unsigned flags, CUdevice device))                        \
    X("cuDeviceGetUuid_v2", device_uuid, (CUuuid * uuid, CUdevice device))                                             \
    X("cuEventElapsedTime", elapsed_time, (float *milliseconds, CUevent start, CUevent end))                           \
    X("cuStreamGetCaptureInfo_v2", capture_info,                                                                       \
      (CUstream stream, CUstreamCaptureStatus * status, cuuint64_t * id, CUgraph * graph, const CUgraphNode **after,   \
       size_t *count))                                                                                                 \
    X("cuGraphGetEdges", graph_edges, (CUgraph graph, CUgraphNode * from, CUgraphNode * to, size_t * count))           \
    X("cuGraphInstantiateWithFlags", instantiate, (CUgraphExec * exec, CUgraph graph, unsigned long long flags))       \
    X("cuGraphExecKernelNodeSetParams", set_kernel_params,                                                             \
      (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *params))

typedef struct cuda_driver {
#define CUDA_FIELD(name) __typeof__(&name) name;
#define CUDA_OLDER_FIELD(symbol, name, parameters) CUresult(*name) parameters;
    CUDA_CALLS(CUDA_FIELD)
    CUDA_OLDER_CALLS(CUDA_OLDER_FIELD)
#undef CUDA_FIELD
#undef CUDA_OLDER_FIELD
    CUresult (*load_function)(CUfunction function); /* cuFuncLoad, since 12.4; else NULL */
    /* cuFuncGetParamInfo, the same */
    CUresult (*param_info)(CUfunction function, size_t param, size_t *offset, size_t *bytes);
} cuda_driver;

/* The calls, once cuda_driver_open has succeeded. */
extern cuda_driver cuda;

/* Opens and initialises the driver. LAB_ERROR_NO_DEVICE, with the reason as message, if no usable driver exists. */
lab_status cuda_driver_open(void);

/* The driver's name and text of an error: "CUDA_ERROR_INVALID_VALUE", "invalid argument". */
const char *cuda_error_name(CUresult result);
const char *cuda_error_text(CUresult result);

#endif
