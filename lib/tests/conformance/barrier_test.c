/* Barriers of a block: CUDA C++ Programming Guide, "Synchronization Functions": a barrier waits until all threads of
 * the block that have not exited have reached it. What they wrote to global and shared memory before it is visible to
 * all of them after it. */
#include "schedules.h"
#include "test.h"

#include "lab.h"

#include <stdlib.h>
#include <string.h>

static const char SOURCE[] =
    "__device__ unsigned thread_number()\n"
    "{\n"
    "    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n"
    "}\n"
    "__device__ unsigned thread_count() { return blockDim.x * blockDim.y * blockDim.z; }\n"
    "__device__ unsigned block_number() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }\n"
    "\n"
    "extern \"C\" __global__ void reverse(unsigned *out)\n"
    "{\n"
    "    __shared__ unsigned value[1024];\n"
    "    unsigned i = thread_number(), n = thread_count();\n"
    "    value[i] = block_number() * 10000 + i;\n"
    "    __syncthreads();\n"
    "    out[block_number() * n + i] = value[n - 1 - i];\n"
    "}\n"
    "extern \"C\" __global__ void rotate_dynamic(unsigned *out, int rounds)\n"
    "{\n"
    "    extern __shared__ unsigned ring[];\n"
    "    unsigned i = thread_number(), n = thread_count();\n"
    "    ring[i] = block_number() + i;\n"
    "    for (int round = 0; round < rounds; round++) {\n"
    "        __syncthreads();\n"
    "        unsigned next = ring[(i + 1) % n];\n"
    "        __syncthreads();\n"
    "        ring[i] = next;\n"
    "    }\n"
    "    out[block_number() * n + i] = ring[i];\n"
    "}\n"
    "extern \"C\" __global__ void forms(int *out, unsigned limit)\n"
    "{\n"
    "    unsigned i = thread_number(), n = thread_count();\n"
    "    int count = __syncthreads_count(i < limit ? -7 : 0);\n"
    "    int all = __syncthreads_and(i < limit), any = __syncthreads_or(i < limit);\n"
    "    out[i] = count;\n"
    "    out[n + i] = all != 0;\n"
    "    out[2 * n + i] = any != 0;\n"
    "}\n"
    "extern \"C\" __global__ void leave_early(int *out, unsigned stay)\n"
    "{\n"
    "    __shared__ int sum;\n"
    "    unsigned i = thread_number();\n"
    "    if (i == 0) sum = 0;\n"
    "    __syncthreads();\n"
    "    if (i >= stay) return;\n"
    "    atomicAdd(&sum, 1);\n"
    "    int count = __syncthreads_count(1);\n"
    "    out[i] = sum * 10000 + count;\n"
    "}\n"
    "extern \"C\" __global__ void leave_warp_by_warp(int *out)\n"
    "{\n"
    "    for (unsigned round = 0;; round++) {\n"
    "        if (threadIdx.x / 32 == round) { out[threadIdx.x] += round; return; }\n"
    "        int left = __syncthreads_count(1);\n"
    "        out[threadIdx.x] = 100000 * (left == (int)(blockDim.x - 32 * (round + 1)));\n"
    "    }\n"
    "}\n"
    "extern \"C\" __global__ void global_memory(int *turn, int *out)\n"
    "{\n"
    "    turn[threadIdx.x] = 3 * threadIdx.x;\n"
    "    __syncthreads();\n"
    "    out[threadIdx.x] = turn[threadIdx.x ^ 1];\n"
    "}\n"
    "template <class T, int SIZE> __device__ T sum_of_block(T value)\n"
    "{\n"
    "    __shared__ T part[SIZE];\n"
    "    part[threadIdx.x] = value;\n"
    "    for (int step = SIZE / 2; step > 0; step /= 2) {\n"
    "        __syncthreads();\n"
    "        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];\n"
    "    }\n"
    "    __syncthreads();\n"
    "    return part[0];\n"
    "}\n"
    "extern \"C\" __global__ void sums(long long *whole, double *real)\n"
    "{\n"
    "    whole[threadIdx.x] = sum_of_block<long long, 128>(threadIdx.x * 1000000007LL);\n"
    "    real[threadIdx.x] = sum_of_block<double, 128>(threadIdx.x * 0.5);\n"
    "}\n"
    "__device__ __noinline__ void meet(int *slot, int value) { *slot = value; __syncthreads(); }\n"
    "extern \"C\" __global__ void nested(int *out)\n"
    "{\n"
    "    __shared__ int slot[64];\n"
    "    float kept[8];\n"
    "    for (int k = 0; k < 8; k++) kept[k] = threadIdx.x * 8 + k;\n"
    "    for (int k = 0; k < 8; k++) {\n"
    "        meet(&slot[threadIdx.x], threadIdx.x + k);\n"
    "        kept[k] += slot[(threadIdx.x + 1) % 64];\n"
    "        __syncthreads();\n"
    "    }\n"
    "    int sum = 0;\n"
    "    for (int k = 0; k < 8; k++) sum += kept[k] == threadIdx.x * 8 + k + (threadIdx.x + 1) % 64 + k;\n"
    "    out[threadIdx.x] = sum * 1000 + threadIdx.x;\n"
    "}\n"
    "extern \"C\" __global__ void uniform_branch(int *out, int way)\n"
    "{\n"
    "    __shared__ int slot[96];\n"
    "    if (blockIdx.x % 2 == way) {\n"
    "        slot[threadIdx.x] = threadIdx.x;\n"
    "        __syncthreads();\n"
    "        out[blockIdx.x * blockDim.x + threadIdx.x] = slot[blockDim.x - 1 - threadIdx.x];\n"
    "    } else {\n"
    "        out[blockIdx.x * blockDim.x + threadIdx.x] = -1;\n"
    "    }\n"
    "}\n"
    "extern \"C\" __global__ void count_blocks(unsigned *visits, unsigned *sum)\n"
    "{\n"
    "    __shared__ unsigned own;\n"
    "    if (threadIdx.x == 0) own = atomicAdd(visits, 1);\n"
    "    __syncthreads();\n"
    "    unsigned mine = own;\n"
    "    for (int i = 0; i < 5; i++) {\n"
    "        if (__syncthreads_count(own == mine) == (int)blockDim.x) atomicAdd(sum, 1);\n"
    "    }\n"
    "}\n"
    "extern \"C\" __global__ void registers(double *out)\n"
    "{\n"
    "    double a = threadIdx.x + 0.5, b = threadIdx.x * 3.0, c = 1.0 / (threadIdx.x + 1);\n"
    "    float d = threadIdx.x * 0.25f; long long e = threadIdx.x * 1234567890123LL;\n"
    "    for (int i = 0; i < 10; i++) { __syncthreads(); a += b; b += c; c *= 0.5; d += 1.0f; e ^= i; }\n"
    "    out[threadIdx.x] = a + b + c + d + e;\n"
    "}\n";

static lab_function find(const char *name)
{
    static lab_module *module;
    lab_function function;
    if (!module) LAB_CHECK(lab_module_load_source(&module, SOURCE, "barrier_test.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, name));
    return function;
}

/* Device memory of zeros. */
static lab_deviceptr make_zeroed(size_t bytes)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, bytes));
    LAB_CHECK(lab_memset_async(memory, 0, bytes, lab_stream_null()));
    return memory;
}

/* The contents of device memory, which is freed; to be freed by the caller. */
static void *take_out(lab_deviceptr memory, size_t bytes)
{
    void *host = malloc(bytes);
    LAB_CHECK(lab_memcpy_dtoh(host, memory, bytes));
    LAB_CHECK(lab_mem_free(memory));
    return host;
}

static const lab_dim blocks[] = {{1, 1, 1},  {2, 1, 1},   {31, 1, 1}, {32, 1, 1},   {33, 1, 1},
                                 {64, 1, 1}, {100, 1, 1}, {1, 77, 1}, {16, 16, 1},  {5, 7, 3},
                                 {1, 1, 64}, {32, 32, 1}, {8, 8, 16}, {1023, 1, 1}, {1024, 1, 1}};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

static unsigned threads_of(lab_dim block) { return block.x * block.y * block.z; }

/* CUDA C++ Programming Guide, Synchronization Functions: __syncthreads. */
Test(barrier, shared_memory_written_before_is_read_after_in_blocks_of_any_shape)
{
    const lab_dim grid = {3, 2, 2};
    for (int b = 0; b < BLOCKS; b++) {
        unsigned n = threads_of(blocks[b]);
        size_t bytes = 12 * n * sizeof(unsigned);
        lab_deviceptr out = make_zeroed(bytes);
        LAB_CHECK(lab_launch(find("reverse"), grid, blocks[b], 0, NULL, LAB_ARGS(out)));
        unsigned *host = take_out(out, bytes);
        for (unsigned i = 0; i < 12 * n; i++)
            cr_assert_eq(host[i], i / n * 10000 + n - 1 - i % n, "%u threads, block %u, thread %u: %u", n, i / n, i % n,
                         host[i]);
        free(host);
    }
}

/* CUDA C++ Programming Guide, Synchronization Functions: __syncthreads. */
Test(barrier, loops_with_two_barriers_rotate_dynamic_shared_memory)
{
    enum { ROUNDS = 37, GRID = 5 };
    for (int b = 0; b < BLOCKS; b++) {
        unsigned n = threads_of(blocks[b]);
        size_t bytes = GRID * n * sizeof(unsigned);
        lab_deviceptr out = make_zeroed(bytes);
        LAB_CHECK(lab_launch(find("rotate_dynamic"), LAB_DIM(GRID), blocks[b], n * sizeof(unsigned), NULL,
                             LAB_ARGS(out, (int)ROUNDS)));
        unsigned *host = take_out(out, bytes);
        for (unsigned i = 0; i < GRID * n; i++)
            cr_assert_eq(host[i], i / n + (i % n + ROUNDS) % n, "%u threads, block %u, thread %u", n, i / n, i % n);
        free(host);
    }
}

/* CUDA C++ Programming Guide, Synchronization Functions: __syncthreads. */
Test(barrier, count_and_or_forms_give_every_thread_the_same_answer)
{
    for (int b = 0; b < BLOCKS; b++) {
        unsigned n = threads_of(blocks[b]);
        const unsigned limits[] = {0, 1, n / 2, n - 1, n};
        for (int l = 0; l < 5; l++) {
            lab_deviceptr out = make_zeroed(3 * n * sizeof(int));
            LAB_CHECK(lab_launch(find("forms"), LAB_DIM(1), blocks[b], 0, NULL, LAB_ARGS(out, limits[l])));
            int *host = take_out(out, 3 * n * sizeof(int));
            for (unsigned i = 0; i < n; i++) {
                cr_assert_eq(host[i], (int)limits[l], "%u threads, %u of them: count is %d", n, limits[l], host[i]);
                cr_assert_eq(host[n + i], limits[l] == n, "%u threads, %u of them: and", n, limits[l]);
                cr_assert_eq(host[2 * n + i], limits[l] > 0, "%u threads, %u of them: or", n, limits[l]);
            }
            free(host);
        }
    }
}

/* CUDA C++ Programming Guide, Synchronization Functions: __syncthreads. */
Test(barrier, threads_that_have_exited_do_not_hold_it)
{
    for (int b = 0; b < BLOCKS; b++) {
        unsigned n = threads_of(blocks[b]);
        const unsigned stays[] = {1, (n + 1) / 2, n};
        for (int s = 0; s < 3; s++) {
            lab_deviceptr out = make_zeroed(n * sizeof(int));
            LAB_CHECK(lab_launch(find("leave_early"), LAB_DIM(1), blocks[b], 0, NULL, LAB_ARGS(out, stays[s])));
            int *host = take_out(out, n * sizeof(int));
            for (unsigned i = 0; i < n; i++)
                cr_assert_eq(host[i], i < stays[s] ? (int)stays[s] * 10001 : 0, "%u of %u stay, thread %u: %d",
                             stays[s], n, i, host[i]);
            free(host);
        }
    }
}

/* Only whole warps exit: a GPU hangs if threads of one warp leave a loop with a barrier in different rounds. */
/* CUDA C++ Programming Guide, Synchronization Functions: __syncthreads. */
Test(barrier, warps_may_exit_between_the_rounds_of_a_loop)
{
    enum { THREADS = 200 };
    lab_deviceptr out = make_zeroed(THREADS * sizeof(int));
    LAB_CHECK(lab_launch(find("leave_warp_by_warp"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out)));
    int *host = take_out(out, THREADS * sizeof(int));
    for (int i = 0; i < THREADS; i++) cr_assert_eq(host[i], i >= 32 ? 100000 + i / 32 : 0, "thread %d: %d", i, host[i]);
    free(host);
}

/* CUDA C++ Programming Guide, Synchronization Functions: __syncthreads. */
Test(barrier, global_memory_written_before_is_read_after_by_the_block)
{
    enum { THREADS = 512 };
    lab_deviceptr turn = make_zeroed(THREADS * sizeof(int)), out = make_zeroed(THREADS * sizeof(int));
    LAB_CHECK(lab_launch(find("global_memory"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(turn, out)));
    int *host = take_out(out, THREADS * sizeof(int));
    for (int i = 0; i < THREADS; i++) cr_assert_eq(host[i], 3 * (i ^ 1));
    free(host);
    LAB_CHECK(lab_mem_free(turn));
}

/* CUDA C++ Programming Guide, Synchronization Functions: __syncthreads. */
Test(barrier, works_inside_a_template_device_function)
{
    enum { THREADS = 128 };
    lab_deviceptr whole = make_zeroed(THREADS * sizeof(int64_t)), real = make_zeroed(THREADS * sizeof(double));
    LAB_CHECK(lab_launch(find("sums"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(whole, real)));
    int64_t *wholes = take_out(whole, THREADS * sizeof *wholes);
    double *reals = take_out(real, THREADS * sizeof *reals);
    for (int i = 0; i < THREADS; i++) {
        cr_assert_eq(wholes[i], INT64_C(1000000007) * (THREADS * (THREADS - 1) / 2), "thread %d", i);
        cr_assert_eq(reals[i], 0.5 * (THREADS * (THREADS - 1) / 2), "thread %d", i);
    }
    free(wholes);
    free(reals);
}

/* CUDA C++ Programming Guide, Synchronization Functions: __syncthreads. */
Test(barrier, works_inside_a_function_that_is_not_inlined_and_keeps_local_arrays)
{
    enum { THREADS = 64 };
    lab_deviceptr out = make_zeroed(THREADS * sizeof(int));
    LAB_CHECK(lab_launch(find("nested"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out)));
    int *host = take_out(out, THREADS * sizeof(int));
    for (int i = 0; i < THREADS; i++) cr_assert_eq(host[i], 8000 + i, "thread %d: %d", i, host[i]);
    free(host);
}

/* CUDA C++ Programming Guide, Synchronization Functions: __syncthreads. */
Test(barrier, a_condition_that_is_the_same_for_the_whole_block_may_skip_it)
{
    enum { GRID = 6, THREADS = 96 };
    lab_deviceptr out = make_zeroed(GRID * THREADS * sizeof(int));
    LAB_CHECK(lab_launch(find("uniform_branch"), LAB_DIM(GRID), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out, 1)));
    int *host = take_out(out, GRID * THREADS * sizeof(int));
    for (int i = 0; i < GRID * THREADS; i++)
        cr_assert_eq(host[i], i / THREADS % 2 ? THREADS - 1 - i % THREADS : -1, "block %d, thread %d: %d", i / THREADS,
                     i % THREADS, host[i]);
    free(host);
}

/* Numbers such as 10.5 and 7.5 are exact, so the order of additions does not matter. */
/* CUDA C++ Programming Guide, Synchronization Functions: __syncthreads. */
Test(barrier, local_variables_of_every_type_are_kept_across_it)
{
    enum { THREADS = 333 };
    lab_deviceptr out = make_zeroed(THREADS * sizeof(double));
    LAB_CHECK(lab_launch(find("registers"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out)));
    double *host = take_out(out, THREADS * sizeof(double));
    for (int t = 0; t < THREADS; t++) {
        double a = t + 0.5, b = t * 3.0, c = 1.0 / (t + 1);
        float d = (float)t * 0.25f;
        long long e = t * 1234567890123LL;
        for (int i = 0; i < 10; i++) a += b, b += c, c *= 0.5, d += 1.0f, e ^= i;
        double expected = a + b + c + (double)d + (double)e;
        cr_assert_float_eq(host[t], expected, 1e-12 * expected + 1e-9, "thread %d: %.17g, not %.17g", t, host[t],
                           expected);
    }
    free(host);
}

/* CUDA C++ Programming Guide, Synchronization Functions: __syncthreads. */
Test(barrier, blocks_of_many_launches_on_several_streams_do_not_meet_each_other)
{
    enum { STREAMS = 4, LAUNCHES = 10, GRID = 64, THREADS = 96 };
    races_on_purpose(); /* the kernels race by atomic operations, which count as writes */
    lab_stream *stream[STREAMS];
    lab_function count_blocks = find("count_blocks");
    for (int s = 0; s < STREAMS; s++) LAB_CHECK(lab_stream_create(&stream[s], LAB_STREAM_NON_BLOCKING));
    lab_deviceptr counters = make_zeroed(2 * sizeof(unsigned));
    LAB_CHECK(lab_device_synchronize());
    for (int launch = 0; launch < LAUNCHES; launch++)
        for (int s = 0; s < STREAMS; s++)
            LAB_CHECK(lab_launch(count_blocks, LAB_DIM(GRID), LAB_DIM(THREADS), 0, stream[s],
                                 LAB_ARGS(counters, counters + sizeof(unsigned))));
    LAB_CHECK(lab_device_synchronize());
    unsigned *host = take_out(counters, 2 * sizeof(unsigned));
    cr_assert_eq(host[0], STREAMS * LAUNCHES * GRID, "%u blocks", host[0]);
    cr_assert_eq(host[1], STREAMS * LAUNCHES * GRID * THREADS * 5, "%u of %d waits", host[1],
                 STREAMS * LAUNCHES * GRID * THREADS * 5);
    free(host);
}
