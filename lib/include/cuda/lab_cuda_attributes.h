/*
 * The attributes of devices: their names in both interfaces, their number, and the member of cudaDeviceProp with the
 * same value.
 */
#ifndef LAB_CUDA_ATTRIBUTES_H
#define LAB_CUDA_ATTRIBUTES_H

/* clang-format off */
/* X(cudaDevAttr..., CU_DEVICE_ATTRIBUTE_..., number, member of cudaDeviceProp) */
#define LAB_CUDA_ATTRIBUTE_TABLE(X)                                                                                    \
    X(MaxThreadsPerBlock, MAX_THREADS_PER_BLOCK, 1, maxThreadsPerBlock)                                                \
    X(MaxBlockDimX, MAX_BLOCK_DIM_X, 2, maxThreadsDim[0])                                                              \
    X(MaxBlockDimY, MAX_BLOCK_DIM_Y, 3, maxThreadsDim[1])                                                              \
    X(MaxBlockDimZ, MAX_BLOCK_DIM_Z, 4, maxThreadsDim[2])                                                              \
    X(MaxGridDimX, MAX_GRID_DIM_X, 5, maxGridSize[0])                                                                  \
    X(MaxGridDimY, MAX_GRID_DIM_Y, 6, maxGridSize[1])                                                                  \
    X(MaxGridDimZ, MAX_GRID_DIM_Z, 7, maxGridSize[2])                                                                  \
    X(MaxSharedMemoryPerBlock, MAX_SHARED_MEMORY_PER_BLOCK, 8, sharedMemPerBlock)                                      \
    X(TotalConstantMemory, TOTAL_CONSTANT_MEMORY, 9, totalConstMem)                                                    \
    X(WarpSize, WARP_SIZE, 10, warpSize)                                                                               \
    X(MaxPitch, MAX_PITCH, 11, memPitch)                                                                               \
    X(MaxRegistersPerBlock, MAX_REGISTERS_PER_BLOCK, 12, regsPerBlock)                                                 \
    X(ClockRate, CLOCK_RATE, 13, clockRate)                                                                            \
    X(TextureAlignment, TEXTURE_ALIGNMENT, 14, textureAlignment)                                                       \
    X(GpuOverlap, GPU_OVERLAP, 15, deviceOverlap)                                                                      \
    X(MultiProcessorCount, MULTIPROCESSOR_COUNT, 16, multiProcessorCount)                                              \
    X(KernelExecTimeout, KERNEL_EXEC_TIMEOUT, 17, kernelExecTimeoutEnabled)                                            \
    X(Integrated, INTEGRATED, 18, integrated)                                                                          \
    X(CanMapHostMemory, CAN_MAP_HOST_MEMORY, 19, canMapHostMemory)                                                     \
    X(ComputeMode, COMPUTE_MODE, 20, computeMode)                                                                      \
    X(MaxTexture1DWidth, MAXIMUM_TEXTURE1D_WIDTH, 21, maxTexture1D)                                                    \
    X(MaxTexture2DWidth, MAXIMUM_TEXTURE2D_WIDTH, 22, maxTexture2D[0])                                                 \
    X(MaxTexture2DHeight, MAXIMUM_TEXTURE2D_HEIGHT, 23, maxTexture2D[1])                                               \
    X(MaxTexture3DWidth, MAXIMUM_TEXTURE3D_WIDTH, 24, maxTexture3D[0])                                                 \
    X(MaxTexture3DHeight, MAXIMUM_TEXTURE3D_HEIGHT, 25, maxTexture3D[1])                                               \
    X(MaxTexture3DDepth, MAXIMUM_TEXTURE3D_DEPTH, 26, maxTexture3D[2])                                                 \
    X(MaxTexture2DLayeredWidth, MAXIMUM_TEXTURE2D_LAYERED_WIDTH, 27, maxTexture2DLayered[0])                           \
    X(MaxTexture2DLayeredHeight, MAXIMUM_TEXTURE2D_LAYERED_HEIGHT, 28, maxTexture2DLayered[1])                         \
    X(MaxTexture2DLayeredLayers, MAXIMUM_TEXTURE2D_LAYERED_LAYERS, 29, maxTexture2DLayered[2])                         \
    X(SurfaceAlignment, SURFACE_ALIGNMENT, 30, surfaceAlignment)                                                       \
    X(ConcurrentKernels, CONCURRENT_KERNELS, 31, concurrentKernels)                                                    \
    X(EccEnabled, ECC_ENABLED, 32, ECCEnabled)                                                                         \
    X(PciBusId, PCI_BUS_ID, 33, pciBusID)                                                                              \
    X(PciDeviceId, PCI_DEVICE_ID, 34, pciDeviceID)                                                                     \
    X(TccDriver, TCC_DRIVER, 35, tccDriver)                                                                            \
    X(MemoryClockRate, MEMORY_CLOCK_RATE, 36, memoryClockRate)                                                         \
    X(GlobalMemoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH, 37, memoryBusWidth)                                               \
    X(L2CacheSize, L2_CACHE_SIZE, 38, l2CacheSize)                                                                     \
    X(MaxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR, 39, maxThreadsPerMultiProcessor)                    \
    X(AsyncEngineCount, ASYNC_ENGINE_COUNT, 40, asyncEngineCount)                                                      \
    X(UnifiedAddressing, UNIFIED_ADDRESSING, 41, unifiedAddressing)                                                    \
    X(MaxTexture1DLayeredWidth, MAXIMUM_TEXTURE1D_LAYERED_WIDTH, 42, maxTexture1DLayered[0])                           \
    X(MaxTexture1DLayeredLayers, MAXIMUM_TEXTURE1D_LAYERED_LAYERS, 43, maxTexture1DLayered[1])                         \
    X(PciDomainId, PCI_DOMAIN_ID, 50, pciDomainID)                                                                     \
    X(TexturePitchAlignment, TEXTURE_PITCH_ALIGNMENT, 51, texturePitchAlignment)                                       \
    X(ComputeCapabilityMajor, COMPUTE_CAPABILITY_MAJOR, 75, major)                                                     \
    X(ComputeCapabilityMinor, COMPUTE_CAPABILITY_MINOR, 76, minor)                                                     \
    X(StreamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED, 78, streamPrioritiesSupported)                           \
    X(GlobalL1CacheSupported, GLOBAL_L1_CACHE_SUPPORTED, 79, globalL1CacheSupported)                                   \
    X(LocalL1CacheSupported, LOCAL_L1_CACHE_SUPPORTED, 80, localL1CacheSupported)                                      \
    X(MaxSharedMemoryPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81, sharedMemPerMultiprocessor)          \
    X(MaxRegistersPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR, 82, regsPerMultiprocessor)                      \
    X(ManagedMemory, MANAGED_MEMORY, 83, managedMemory)                                                                \
    X(IsMultiGpuBoard, MULTI_GPU_BOARD, 84, isMultiGpuBoard)                                                           \
    X(MultiGpuBoardGroupID, MULTI_GPU_BOARD_GROUP_ID, 85, multiGpuBoardGroupID)                                        \
    X(HostNativeAtomicSupported, HOST_NATIVE_ATOMIC_SUPPORTED, 86, hostNativeAtomicSupported)                          \
    X(SingleToDoublePrecisionPerfRatio, SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 87, singleToDoublePrecisionPerfRatio)   \
    X(PageableMemoryAccess, PAGEABLE_MEMORY_ACCESS, 88, pageableMemoryAccess)                                          \
    X(ConcurrentManagedAccess, CONCURRENT_MANAGED_ACCESS, 89, concurrentManagedAccess)                                 \
    X(ComputePreemptionSupported, COMPUTE_PREEMPTION_SUPPORTED, 90, computePreemptionSupported)                        \
    X(CanUseHostPointerForRegisteredMem, CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 91,                                  \
      canUseHostPointerForRegisteredMem)                                                                               \
    X(Reserved92, CAN_USE_STREAM_MEM_OPS_V1, 92, lab_stream_memory_operations)                                         \
    X(CooperativeLaunch, COOPERATIVE_LAUNCH, 95, cooperativeLaunch)                                                    \
    X(CooperativeMultiDeviceLaunch, COOPERATIVE_MULTI_DEVICE_LAUNCH, 96, cooperativeMultiDeviceLaunch)                 \
    X(MaxSharedMemoryPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97, sharedMemPerBlockOptin)                     \
    X(HostRegisterSupported, HOST_REGISTER_SUPPORTED, 99, hostRegisterSupported)                                       \
    X(PageableMemoryAccessUsesHostPageTables, PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 100,                       \
      pageableMemoryAccessUsesHostPageTables)                                                                          \
    X(DirectManagedMemAccessFromHost, DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 101, directManagedMemAccessFromHost)        \
    X(Reserved102, VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102, lab_virtual_memory)                                       \
    X(Reserved103, HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 103, lab_virtual_memory)                               \
    X(MaxBlocksPerMultiprocessor, MAX_BLOCKS_PER_MULTIPROCESSOR, 106, maxBlocksPerMultiProcessor)                      \
    X(Reserved107, GENERIC_COMPRESSION_SUPPORTED, 107, lab_compression)                                                \
    X(MaxPersistingL2CacheSize, MAX_PERSISTING_L2_CACHE_SIZE, 108, persistingL2CacheMaxSize)                           \
    X(MaxAccessPolicyWindowSize, MAX_ACCESS_POLICY_WINDOW_SIZE, 109, accessPolicyMaxWindowSize)                        \
    X(ReservedSharedMemoryPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK, 111, reservedSharedMemPerBlock)                  \
    X(MemoryPoolsSupported, MEMORY_POOLS_SUPPORTED, 115, memoryPoolsSupported)                                         \
    X(MemoryPoolSupportedHandleTypes, MEMPOOL_SUPPORTED_HANDLE_TYPES, 119, memoryPoolSupportedHandleTypes)             \
    X(ClusterLaunch, CLUSTER_LAUNCH, 120, clusterLaunch)                                                               \
    X(IpcEventSupport, IPC_EVENT_SUPPORTED, 125, ipcEventSupported)
/* clang-format on */

#endif
