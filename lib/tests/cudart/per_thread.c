/* A file whose default stream is one of each thread's own. */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM
#include <cuda_runtime_api.h>

int per_thread_default_id(void);

/* The number of the stream that 0 means here. */
int per_thread_default_id(void)
{
    unsigned long long id = 0;
    return cudaStreamGetId(0, &id) == cudaSuccess ? (int)id : -1;
}
