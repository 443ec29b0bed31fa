/* What clang calls for a launch, kernel<<<grid, block, shared_bytes, stream>>>(...). labcc itself puts the built-ins of
 * kernels before every CUDA file. */
#ifndef LAB_CUDA_DEVICE_H
#define LAB_CUDA_DEVICE_H

extern "C" LAB_CUDA_HOST unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                                              cudaStream_t stream = 0,
                                                              const char *file = __builtin_FILE(),
                                                              int line = __builtin_LINE(),
                                                              int per_thread = LAB_CUDA_PER_THREAD);

#endif
