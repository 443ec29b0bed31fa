// cuda_pipeline.h for kernels of both devices, and in CUDA files: an asynchronous copy from global to shared memory is
// an ordinary one, so that it is done before anything waits for it. Where kernels are checked, marks say when it may
// be.

#ifdef LAB_MARKS
#define LAB_MARK(mark) mark
#else
#define LAB_MARK(mark)
#endif

__device__ __forceinline__ void __pipeline_memcpy_async(void *__restrict__ shared, const void *__restrict__ global,
                                                        size_t bytes, size_t zeros = 0)
{
    assert((bytes == 4 || bytes == 8 || bytes == 16) && zeros <= bytes);
    if (zeros > 0) {
        for (size_t i = 0; i < bytes; ++i)
            ((char *)shared)[i] = i < bytes - zeros ? ((const char *)global)[i] : (char)0;
    } else if (bytes == 4) {
        *(unsigned *)shared = *(const unsigned *)global;
    } else if (bytes == 8) {
        *(uint2 *)shared = *(const uint2 *)global;
    } else {
        *(uint4 *)shared = *(const uint4 *)global;
    }
    LAB_MARK(lab_mark_asynchronous(shared, bytes));
}
__device__ __forceinline__ void __pipeline_commit() { LAB_MARK(lab_mark_fence(lab_fence_commit)); }
__device__ __forceinline__ void __pipeline_wait_prior(size_t groups)
{
    LAB_MARK(lab_mark_fence(lab_fence_wait + (unsigned)groups));
}
