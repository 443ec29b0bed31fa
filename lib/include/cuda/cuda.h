/*
 * CUDA's driver API over lab.h: what lib/docs/cuda-calls.md lists. Calls, codes and rules are NVIDIA's; programs that
 * include this header compile with NVIDIA's unchanged.
 */
#ifndef LAB_CUDA_CUDA_H
#define LAB_CUDA_CUDA_H
#define __cuda_cuda_h__ /* by which programs see that the header is there */

#include "lab_cuda_attributes.h"
#include "lab_cuda_errors.h"
#include "lab_cuda_place.h"

#include <stddef.h>

#define CUDA_VERSION 12040

typedef enum cudaError_enum {
#define LAB_CUDA_BOTH(runtime, driver, code, text) driver = code,
    LAB_CUDA_ERROR_TABLE(LAB_CUDA_BOTH)
#undef LAB_CUDA_BOTH
        CUDA_ERROR_CONTEXT_ALREADY_CURRENT = 202
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
#ifdef LAB_CUDA_DRIVER_TYPES_H
typedef struct CUuuid_st CUuuid;
#else
typedef struct CUuuid_st {
    char bytes[16];
} CUuuid;
#endif

#include "lab_driver_arrays.h"

#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
enum { CU_STREAM_DEFAULT = 0x0, CU_STREAM_NON_BLOCKING = 0x1 };
enum {
    CU_EVENT_DEFAULT = 0x0,
    CU_EVENT_BLOCKING_SYNC = 0x1,
    CU_EVENT_DISABLE_TIMING = 0x2,
    CU_EVENT_INTERPROCESS = 0x4
};
enum { CU_EVENT_RECORD_DEFAULT = 0x0, CU_EVENT_WAIT_DEFAULT = 0x0 };
enum {
    CU_CTX_SCHED_AUTO = 0x0,
    CU_CTX_SCHED_SPIN = 0x1,
    CU_CTX_SCHED_YIELD = 0x2,
    CU_CTX_SCHED_BLOCKING_SYNC = 0x4,
    CU_CTX_MAP_HOST = 0x8
};
enum { CU_MEMHOSTALLOC_PORTABLE = 0x1, CU_MEMHOSTALLOC_DEVICEMAP = 0x2, CU_MEMHOSTALLOC_WRITECOMBINED = 0x4 };
enum { CU_MEMHOSTREGISTER_PORTABLE = 0x1, CU_MEMHOSTREGISTER_DEVICEMAP = 0x2 };
enum { CU_MEM_ATTACH_GLOBAL = 0x1, CU_MEM_ATTACH_HOST = 0x2, CU_MEM_ATTACH_SINGLE = 0x4 };

typedef enum CUdevice_attribute_enum {
#define LAB_CUDA_ATTRIBUTE(runtime, driver, number, member) CU_DEVICE_ATTRIBUTE_##driver = number,
    LAB_CUDA_ATTRIBUTE_TABLE(LAB_CUDA_ATTRIBUTE)
#undef LAB_CUDA_ATTRIBUTE
        CU_DEVICE_ATTRIBUTE_MAX
} CUdevice_attribute;
#define CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED

typedef enum CUcomputemode_enum {
    CU_COMPUTEMODE_DEFAULT = 0,
    CU_COMPUTEMODE_PROHIBITED = 2,
    CU_COMPUTEMODE_EXCLUSIVE_PROCESS = 3
} CUcomputemode;

/* What cuCtxCreate takes since CUDA 12.5. */
typedef struct CUexecAffinityParam_st {
    int type;
    union {
        struct {
            unsigned int val;
        } smCount;
    } param;
} CUexecAffinityParam;
typedef struct CUctxCigParam_st {
    int sharedDataType;
    void *sharedData;
} CUctxCigParam;
typedef struct CUctxCreateParams_st {
    CUexecAffinityParam *execAffinityParams;
    int numExecAffinityParams;
    CUctxCigParam *cigParams;
} CUctxCreateParams;

typedef enum CUfunction_attribute_enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_NUM_REGS,
    CU_FUNC_ATTRIBUTE_PTX_VERSION,
    CU_FUNC_ATTRIBUTE_BINARY_VERSION,
    CU_FUNC_ATTRIBUTE_CACHE_MODE_CA,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
} CUfunction_attribute;
typedef enum CUfunc_cache_enum {
    CU_FUNC_CACHE_PREFER_NONE,
    CU_FUNC_CACHE_PREFER_SHARED,
    CU_FUNC_CACHE_PREFER_L1,
    CU_FUNC_CACHE_PREFER_EQUAL
} CUfunc_cache;

/* Options of cuModuleLoadDataEx: there is no just-in-time compiler of PTX for them. */
typedef enum CUjit_option_enum {
    CU_JIT_MAX_REGISTERS,
    CU_JIT_THREADS_PER_BLOCK,
    CU_JIT_WALL_TIME,
    CU_JIT_INFO_LOG_BUFFER,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_ERROR_LOG_BUFFER,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_OPTIMIZATION_LEVEL,
    CU_JIT_TARGET_FROM_CUCONTEXT,
    CU_JIT_TARGET,
    CU_JIT_FALLBACK_STRATEGY,
    CU_JIT_GENERATE_DEBUG_INFO,
    CU_JIT_LOG_VERBOSE
} CUjit_option;

#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)

typedef enum CUstreamCaptureMode_enum {
    CU_STREAM_CAPTURE_MODE_GLOBAL,
    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
    CU_STREAM_CAPTURE_MODE_RELAXED
} CUstreamCaptureMode;
typedef enum CUstreamCaptureStatus_enum {
    CU_STREAM_CAPTURE_STATUS_NONE,
    CU_STREAM_CAPTURE_STATUS_ACTIVE,
    CU_STREAM_CAPTURE_STATUS_INVALIDATED
} CUstreamCaptureStatus;

typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *user);
typedef void (*CUhostFn)(void *user);
typedef size_t (*CUoccupancyB2DSize)(int block_size);

#include "lab_driver_calls.h"
#include "lab_driver_places.h"

/* The form of CUDA 13. */
#ifndef LAB_NO_LOCATION
#undef cuCtxCreate
#define LAB_CUDA_PICK_4(a, b, c, d, name, ...) name
#define cuCtxCreate(...)                                                                                               \
    LAB_CUDA_PICK_4(__VA_ARGS__, cuCtxCreate_v4, LAB_CUDA_CONTEXT_3, LAB_CUDA_CONTEXT_3, LAB_CUDA_CONTEXT_3, )         \
    (__VA_ARGS__)
#define LAB_CUDA_CONTEXT_3(context, flags, device) LAB_CUDA_AT((cuCtxCreate)(context, flags, device))
#endif

#endif
