// cuda/atomic: the operations in kernels and host code, and what its orders and scopes mean to racecheck.
// run LAB_DEVICE=cpu: sums 2016 2016.0 63 0 63, bits 64 63 0, pointer 64, swapped 1, host 5 6
// run LAB_DEVICE=cpu: last block 8128, message 42, within a block 1984
// run LAB_RACECHECK=1: last block 8128, message 42, within a block 1984
// run LAB_SCHEDULE=adversarial:1: last block 8128, message 42, within a block 1984
// run LAB_RACECHECK=1 WRONG=relaxed: atomics.cu:44: reads 4 bytes
// run LAB_RACECHECK=1 WRONG=scope: atomics.cu:44: reads 4 bytes
// run LAB_RACECHECK=1 WRONG=shared: a function with _block in its name, or of cuda::thread_scope_block
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda/atomic>

struct results {
    int sum, least, most, swapped;
    float fractions;
    unsigned any, all, odd;
    int *pointer;
};

__global__ void use_all(results *r)
{
    const int t = threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device>(r->sum) += t;
    cuda::atomic_ref<float>(r->fractions).fetch_add(t, cuda::memory_order_relaxed);
    cuda::atomic_ref<int>(r->most).fetch_max(t);
    cuda::atomic_ref<int>(r->least).fetch_min(t);
    cuda::std::atomic_ref<unsigned>(r->any).fetch_or(t + 1 == 64 ? 64 : 0, cuda::std::memory_order_relaxed);
    cuda::atomic_ref<unsigned>(r->all).fetch_and(t < 32 ? 63 : 127);
    cuda::atomic_ref<unsigned>(r->odd).fetch_xor(1);
    cuda::atomic_ref<int *>(r->pointer)++;
    int expected = 0;
    cuda::atomic_ref<int> swapped(r->swapped);
    while (!swapped.compare_exchange_weak(expected, 1) && expected == 0) continue;
}

// Adds up what the blocks have written in the last one that arrives. ORDER and SCOPE are those of the counter.
template <cuda::memory_order ORDER, cuda::thread_scope SCOPE> __global__ void add_up(int *part, int *count, int *out)
{
    part[blockIdx.x] = blockIdx.x;
    cuda::atomic_ref<int, SCOPE> arrived(*count);
    if (arrived.fetch_add(1, ORDER) != (int)gridDim.x - 1) return;
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++) sum += part[i];
    *out = sum;
}

__device__ cuda::atomic<int, cuda::thread_scope_device> ready, begun;

__global__ void pass_on(int *data, int *out)
{
    if (begun++ == 0) {
        *data = 42;
        ready.store(1, cuda::memory_order_release);
    } else {
        ready.wait(0, cuda::memory_order_acquire);
        *out = *data;
    }
}

template <bool EACH_BLOCK> __global__ void count_within(int *count)
{
    cuda::atomic_ref<int, cuda::thread_scope_block> mine(count[EACH_BLOCK ? blockIdx.x : 0]);
    mine.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
}

int main()
{
    const char *wrong = getenv("WRONG") ? getenv("WRONG") : "";
    results *r;
    int *x;
    cudaMallocManaged(&r, sizeof *r), cudaMallocManaged(&x, 1024 * sizeof *x);
    memset(r, 0, sizeof *r), memset(x, 0, 1024 * sizeof *x);
    r->all = 255, r->least = 1000, r->pointer = x;
    use_all<<<1, 64>>>(r);
    cudaDeviceSynchronize();

    cuda::atomic<int> host(4);
    cuda::std::atomic_thread_fence(cuda::std::memory_order_seq_cst);
    const int next = ++host;
    printf("sums %d %.1f %d %d %u, bits %u %u %u, pointer %d, swapped %d, host %d %d\n", r->sum, r->fractions, r->most,
           r->least, r->all, r->any, r->all, r->odd, (int)(r->pointer - x), r->swapped, next, host.exchange(0) + 1);

    int *part = x, *count = x + 256, *out = x + 257, *data = x + 258, *message = x + 259, *within = x + 260;
    if (strcmp(wrong, "relaxed") == 0)
        add_up<cuda::memory_order_relaxed, cuda::thread_scope_device><<<128, 1>>>(part, count, out);
    else if (strcmp(wrong, "scope") == 0)
        add_up<cuda::memory_order_acq_rel, cuda::thread_scope_block><<<128, 1>>>(part, count, out);
    else
        add_up<cuda::memory_order_acq_rel, cuda::thread_scope_device><<<128, 1>>>(part, count, out);
    pass_on<<<2, 1>>>(data, message);
    if (strcmp(wrong, "shared") == 0)
        count_within<false><<<2, 32>>>(within);
    else
        count_within<true><<<4, 32>>>(within);
    cudaDeviceSynchronize();
    printf("last block %d, message %d, within a block %d\n", *out, *message,
           within[0] + within[1] + within[2] + within[3]);
}
