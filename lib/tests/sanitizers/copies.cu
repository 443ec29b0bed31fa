// Asynchronous copies to shared memory, and loads of read-only data: what orders them with other accesses.
#include <cuda_pipeline.h>

//: own_copy_read_at_once 1 64 0
//: racecheck writes at (c): a race (read after write): the copy is asynchronous: no __pipeline_wait_prior() of its thread comes
extern "C" __global__ void own_copy_read_at_once(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    if (threadIdx.x) return;
    __pipeline_memcpy_async(&tile[0], &in[0], sizeof(int)); // (c)
    __pipeline_commit();
    out[0] = tile[0];
    __pipeline_wait_prior(0);
}

//: own_copy_read_at_once_right 1 64 0
extern "C" __global__ void own_copy_read_at_once_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x];
}

//: waited_for_without_a_barrier 1 64 0
//: racecheck __syncthreads()
extern "C" __global__ void waited_for_without_a_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

//: waited_for_without_a_barrier_right 1 64 0
extern "C" __global__ void waited_for_without_a_barrier_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __syncthreads();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

//: waited_for_before_it_is_a_group 1 64 0
//: racecheck writes at (c): a race (read after write): the copy is asynchronous: no __pipeline_wait_prior() of its thread comes
extern "C" __global__ void waited_for_before_it_is_a_group(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int)); // (c)
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
    __pipeline_commit();
}

//: two_buffers_one_group_too_early 1 64 0
//: racecheck writes at (c): a race (read after write): the copy is asynchronous: no __pipeline_wait_prior() of its thread comes
extern "C" __global__ void two_buffers_one_group_too_early(int *out, const int *in, int *zero, int n)
{
    __shared__ __align__(16) int tile[2][64];
    int sum = 0;
    for (int part = 0; part < 4; part++) {
        __pipeline_memcpy_async(&tile[part & 1][threadIdx.x], &in[64 * part + threadIdx.x], sizeof(int)); // (c)
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[part & 1][63 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

//: two_buffers_one_group_too_early_right 1 64 0
extern "C" __global__ void two_buffers_one_group_too_early_right(int *out, const int *in, int *zero, int n)
{
    __shared__ __align__(16) int tile[2][64];
    int sum = 0;
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    for (int part = 0; part < 4; part++) {
        if (part < 3)
            __pipeline_memcpy_async(&tile[part + 1 & 1][threadIdx.x], &in[64 * (part + 1) + threadIdx.x], sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[part & 1][63 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

//: read_only_load_of_what_a_barrier_orders 1 64 0
//: racecheck __ldg() is for memory that nothing writes during the kernel
//: missed its load is not ordered by the barrier, so to compute-sanitizer's initcheck it reads what nothing has written
extern "C" __global__ void read_only_load_of_what_a_barrier_orders(int *out, const int *in, int *zero, int n)
{
    out[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    zero[threadIdx.x] = __ldg(&out[63 - threadIdx.x]);
}

//: read_only_load_of_what_a_barrier_orders_right 1 64 0
extern "C" __global__ void read_only_load_of_what_a_barrier_orders_right(int *out, const int *in, int *zero, int n)
{
    out[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    zero[threadIdx.x] = out[63 - threadIdx.x] + __ldg(&in[63 - threadIdx.x]);
}
