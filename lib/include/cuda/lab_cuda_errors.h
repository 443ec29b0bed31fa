/*
 * The error codes of CUDA's two interfaces, with the names and texts that cudaGetErrorName and cudaGetErrorString of
 * CUDA 13.0 answer. A column for each interface: most codes mean the same in both.
 */
#ifndef LAB_CUDA_ERRORS_H
#define LAB_CUDA_ERRORS_H

/* clang-format off */
/* X(runtime name, driver name, code, text) */
#define LAB_CUDA_ERROR_TABLE(X) \
    X(cudaSuccess, CUDA_SUCCESS, 0, "no error") \
    X(cudaErrorInvalidValue, CUDA_ERROR_INVALID_VALUE, 1, "invalid argument") \
    X(cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory") \
    X(cudaErrorInitializationError, CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error") \
    X(cudaErrorCudartUnloading, CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down") \
    X(cudaErrorProfilerDisabled, CUDA_ERROR_PROFILER_DISABLED, 5,\
      "profiler disabled while using external profiling tool") \
    X(cudaErrorProfilerNotInitialized, CUDA_ERROR_PROFILER_NOT_INITIALIZED, 6,\
      "profiler not initialized: call cudaProfilerInitialize()") \
    X(cudaErrorProfilerAlreadyStarted, CUDA_ERROR_PROFILER_ALREADY_STARTED, 7, "profiler already started") \
    X(cudaErrorProfilerAlreadyStopped, CUDA_ERROR_PROFILER_ALREADY_STOPPED, 8, "profiler already stopped") \
    X(cudaErrorStubLibrary, CUDA_ERROR_STUB_LIBRARY, 34, "CUDA driver is a stub library") \
    X(cudaErrorCallRequiresNewerDriver, CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, 36,\
      "API call is not supported in the installed CUDA driver") \
    X(cudaErrorDevicesUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE, 46,\
      "CUDA-capable device(s) is/are busy or unavailable") \
    X(cudaErrorNoDevice, CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected") \
    X(cudaErrorInvalidDevice, CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal") \
    X(cudaErrorDeviceNotLicensed, CUDA_ERROR_DEVICE_NOT_LICENSED, 102, "device doesn't have valid Grid license") \
    X(cudaErrorInvalidKernelImage, CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid") \
    X(cudaErrorDeviceUninitialized, CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context") \
    X(cudaErrorMapBufferObjectFailed, CUDA_ERROR_MAP_FAILED, 205, "mapping of buffer object failed") \
    X(cudaErrorUnmapBufferObjectFailed, CUDA_ERROR_UNMAP_FAILED, 206, "unmapping of buffer object failed") \
    X(cudaErrorArrayIsMapped, CUDA_ERROR_ARRAY_IS_MAPPED, 207, "array is mapped") \
    X(cudaErrorAlreadyMapped, CUDA_ERROR_ALREADY_MAPPED, 208, "resource already mapped") \
    X(cudaErrorNoKernelImageForDevice, CUDA_ERROR_NO_BINARY_FOR_GPU, 209,\
      "no kernel image is available for execution on the device") \
    X(cudaErrorAlreadyAcquired, CUDA_ERROR_ALREADY_ACQUIRED, 210, "resource already acquired") \
    X(cudaErrorNotMapped, CUDA_ERROR_NOT_MAPPED, 211, "resource not mapped") \
    X(cudaErrorNotMappedAsArray, CUDA_ERROR_NOT_MAPPED_AS_ARRAY, 212, "resource not mapped as array") \
    X(cudaErrorNotMappedAsPointer, CUDA_ERROR_NOT_MAPPED_AS_POINTER, 213, "resource not mapped as pointer") \
    X(cudaErrorECCUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE, 214, "uncorrectable ECC error encountered") \
    X(cudaErrorUnsupportedLimit, CUDA_ERROR_UNSUPPORTED_LIMIT, 215, "limit is not supported on this architecture") \
    X(cudaErrorDeviceAlreadyInUse, CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216,\
      "exclusive-thread device already in use by a different thread") \
    X(cudaErrorPeerAccessUnsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217,\
      "peer access is not supported between these two devices") \
    X(cudaErrorInvalidPtx, CUDA_ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed") \
    X(cudaErrorInvalidGraphicsContext, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, 219, "invalid OpenGL or DirectX context") \
    X(cudaErrorNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE, 220,\
      "uncorrectable NVLink error detected during the execution") \
    X(cudaErrorJitCompilerNotFound, CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221, "PTX JIT compiler library not found") \
    X(cudaErrorUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222,\
      "the provided PTX was compiled with an unsupported toolchain.") \
    X(cudaErrorJitCompilationDisabled, CUDA_ERROR_JIT_COMPILATION_DISABLED, 223, "PTX JIT compilation was disabled") \
    X(cudaErrorUnsupportedExecAffinity, CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224,\
      "the provided execution affinity is not supported") \
    X(cudaErrorUnsupportedDevSideSync, CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225,\
      "the provided PTX contains unsupported call to cudaDeviceSynchronize") \
    X(cudaErrorContained, CUDA_ERROR_CONTAINED, 226,\
      "Invalid access of peer GPU memory over nvlink or a hardware error") \
    X(cudaErrorInvalidSource, CUDA_ERROR_INVALID_SOURCE, 300, "device kernel image is invalid") \
    X(cudaErrorFileNotFound, CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found") \
    X(cudaErrorSharedObjectSymbolNotFound, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302,\
      "shared object symbol not found") \
    X(cudaErrorSharedObjectInitFailed, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303,\
      "shared object initialization failed") \
    X(cudaErrorOperatingSystem, CUDA_ERROR_OPERATING_SYSTEM, 304,\
      "OS call failed or operation not supported on this OS") \
    X(cudaErrorInvalidResourceHandle, CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle") \
    X(cudaErrorIllegalState, CUDA_ERROR_ILLEGAL_STATE, 401, "the operation cannot be performed in the present state") \
    X(cudaErrorLossyQuery, CUDA_ERROR_LOSSY_QUERY, 402, "attempted introspection would be semantically lossy") \
    X(cudaErrorSymbolNotFound, CUDA_ERROR_NOT_FOUND, 500, "named symbol not found") \
    X(cudaErrorNotReady, CUDA_ERROR_NOT_READY, 600, "device not ready") \
    X(cudaErrorIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered") \
    X(cudaErrorLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701,\
      "too many resources requested for launch") \
    X(cudaErrorLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated") \
    X(cudaErrorLaunchIncompatibleTexturing, CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703,\
      "launch uses incompatible texturing mode") \
    X(cudaErrorPeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704,\
      "peer access is already enabled") \
    X(cudaErrorPeerAccessNotEnabled, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705, "peer access has not been enabled") \
    X(cudaErrorSetOnActiveProcess, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708,\
      "cannot set while device is active in this process") \
    X(cudaErrorContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed") \
    X(cudaErrorAssert, CUDA_ERROR_ASSERT, 710, "device-side assert triggered") \
    X(cudaErrorTooManyPeers, CUDA_ERROR_TOO_MANY_PEERS, 711, "peer mapping resources exhausted") \
    X(cudaErrorHostMemoryAlreadyRegistered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712,\
      "part or all of the requested memory range is already mapped") \
    X(cudaErrorHostMemoryNotRegistered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713,\
      "pointer does not correspond to a registered memory region") \
    X(cudaErrorHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error") \
    X(cudaErrorIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, "an illegal instruction was encountered") \
    X(cudaErrorMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address") \
    X(cudaErrorInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE, 717,\
      "operation not supported on global/shared address space") \
    X(cudaErrorInvalidPc, CUDA_ERROR_INVALID_PC, 718, "invalid program counter") \
    X(cudaErrorLaunchFailure, CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure") \
    X(cudaErrorCooperativeLaunchTooLarge, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720,\
      "too many blocks in cooperative launch") \
    X(cudaErrorTensorMemoryLeak, CUDA_ERROR_TENSOR_MEMORY_LEAK, 721, "tensor memory not completely freed") \
    X(cudaErrorNotPermitted, CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted") \
    X(cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported") \
    X(cudaErrorSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY, 802, "system not yet initialized") \
    X(cudaErrorSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803,\
      "system has unsupported display driver / cuda driver combination") \
    X(cudaErrorCompatNotSupportedOnDevice, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804,\
      "forward compatibility was attempted on non supported HW") \
    X(cudaErrorMpsConnectionFailed, CUDA_ERROR_MPS_CONNECTION_FAILED, 805,\
      "MPS client failed to connect to the MPS control daemon or the MPS server") \
    X(cudaErrorMpsRpcFailure, CUDA_ERROR_MPS_RPC_FAILURE, 806,\
      "the remote procedural call between the MPS server and the MPS client failed") \
    X(cudaErrorMpsServerNotReady, CUDA_ERROR_MPS_SERVER_NOT_READY, 807,\
      "MPS server is not ready to accept new MPS client requests") \
    X(cudaErrorMpsMaxClientsReached, CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808,\
      "the hardware resources required to create MPS client have been exhausted") \
    X(cudaErrorMpsMaxConnectionsReached, CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809,\
      "the hardware resources required to support device connections have been exhausted") \
    X(cudaErrorMpsClientTerminated, CUDA_ERROR_MPS_CLIENT_TERMINATED, 810,\
      "the MPS client has been terminated by the server") \
    X(cudaErrorCdpNotSupported, CUDA_ERROR_CDP_NOT_SUPPORTED, 811,\
      "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it") \
    X(cudaErrorCdpVersionMismatch, CUDA_ERROR_CDP_VERSION_MISMATCH, 812,\
      "unsupported interaction between different versions of CUDA Dynamic Parallelism") \
    X(cudaErrorStreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900,\
      "operation not permitted when stream is capturing") \
    X(cudaErrorStreamCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901,\
      "operation failed due to a previous error during capture") \
    X(cudaErrorStreamCaptureMerge, CUDA_ERROR_STREAM_CAPTURE_MERGE, 902,\
      "operation would result in a merge of separate capture sequences") \
    X(cudaErrorStreamCaptureUnmatched, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903,\
      "capture was not ended in the same stream as it began") \
    X(cudaErrorStreamCaptureUnjoined, CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904, "capturing stream has unjoined work") \
    X(cudaErrorStreamCaptureIsolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905,\
      "dependency created on uncaptured work in another stream") \
    X(cudaErrorStreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906,\
      "operation would make the legacy stream depend on a capturing blocking stream") \
    X(cudaErrorCapturedEvent, CUDA_ERROR_CAPTURED_EVENT, 907,\
      "operation not permitted on an event last recorded in a capturing stream") \
    X(cudaErrorStreamCaptureWrongThread, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908,\
      "attempt to terminate a thread-local capture sequence from another thread") \
    X(cudaErrorTimeout, CUDA_ERROR_TIMEOUT, 909, "wait operation timed out") \
    X(cudaErrorGraphExecUpdateFailure, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910,\
      "the graph update was not performed because it included changes which violated constraints specific to " \
      "instantiated graph update") \
    X(cudaErrorExternalDevice, CUDA_ERROR_EXTERNAL_DEVICE, 911,\
      "an async error has occured in external entity outside of CUDA") \
    X(cudaErrorInvalidClusterSize, CUDA_ERROR_INVALID_CLUSTER_SIZE, 912,\
      "a kernel launch error has occurred due to cluster misconfiguration") \
    X(cudaErrorFunctionNotLoaded, CUDA_ERROR_FUNCTION_NOT_LOADED, 913,\
      "the function handle is not loaded when calling an API that requires a loaded function") \
    X(cudaErrorInvalidResourceType, CUDA_ERROR_INVALID_RESOURCE_TYPE, 914,\
      "one or more resources passed in are not valid resource types for the operation") \
    X(cudaErrorInvalidResourceConfiguration, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, 915,\
      "one or more resources are insufficient or non-applicable for the operation") \
    X(cudaErrorUnknown, CUDA_ERROR_UNKNOWN, 999, "unknown error")

/* X(runtime name, code, text): codes that only the runtime has */
#define LAB_CUDA_RUNTIME_ERROR_TABLE(X) \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") \
    X(cudaErrorInvalidPitchValue, 12, "invalid pitch argument") \
    X(cudaErrorInvalidSymbol, 13, "invalid device symbol") \
    X(cudaErrorInvalidHostPointer, 16, "invalid host pointer") \
    X(cudaErrorInvalidDevicePointer, 17, "invalid device pointer") \
    X(cudaErrorInvalidTexture, 18, "invalid texture reference") \
    X(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer") \
    X(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor") \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") \
    X(cudaErrorAddressOfConstant, 22, "invalid address of constant") \
    X(cudaErrorTextureFetchFailed, 23, "fetch from texture failed") \
    X(cudaErrorTextureNotBound, 24, "cannot fetch from a texture that is not bound") \
    X(cudaErrorSynchronizationError, 25, "incorrect use of __syncthreads()") \
    X(cudaErrorInvalidFilterSetting, 26, "linear filtering not supported for non-float type") \
    X(cudaErrorInvalidNormSetting, 27, "read as normalized float not supported for data type") \
    X(cudaErrorMixedDeviceExecution, 28, "device emulation mode and device execution mode cannot be mixed") \
    X(cudaErrorNotYetImplemented, 31, "feature not yet implemented") \
    X(cudaErrorMemoryValueTooLarge, 32, "memory size or pointer value too large to fit in 32 bit") \
    X(cudaErrorInsufficientDriver, 35, "CUDA driver version is insufficient for CUDA runtime version") \
    X(cudaErrorInvalidSurface, 37, "invalid surface reference") \
    X(cudaErrorDuplicateVariableName, 43, "duplicate global variable looked up by string name") \
    X(cudaErrorDuplicateTextureName, 44, "duplicate texture looked up by string name") \
    X(cudaErrorDuplicateSurfaceName, 45, "duplicate surface looked up by string name") \
    X(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context") \
    X(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured") \
    X(cudaErrorPriorLaunchFailure, 53, "unspecified launch failure in prior launch") \
    X(cudaErrorLaunchMaxDepthExceeded, 65, "launch would exceed maximum depth of nested launches") \
    X(cudaErrorLaunchFileScopedTex, 66,\
      "launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)") \
    X(cudaErrorLaunchFileScopedSurf, 67,\
      "launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)") \
    X(cudaErrorSyncDepthExceeded, 68,\
      "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth") \
    X(cudaErrorLaunchPendingCountExceeded, 69,\
      "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount") \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function") \
    X(cudaErrorSoftwareValidityNotEstablished, 103, "integrity checks failed") \
    X(cudaErrorStartupFailure, 127, "startup failure in cuda runtime")
/* clang-format on */

#endif
