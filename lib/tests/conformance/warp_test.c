/* Operations of the 32 threads of a warp: CUDA C++ Programming Guide, "Warp Vote Functions", "Warp Match Functions",
 * "Warp Reduce Functions", "Warp Shuffle Functions". A lane that a shuffle reads must participate, or the result is
 * undefined: these tests ignore such results. */
#include "test.h"

#include "lab.h"

#include <stdlib.h>

enum { LANES = 32 };

static const char SOURCE[] =
    "template <class T> __device__ void shuffle(T *out, int argument, int width)\n"
    "{\n"
    "    int i = threadIdx.x, n = blockDim.x;\n"
    "    T value = (T)((i + 1) * 1000003.25);\n"
    "    out[i] = __shfl_sync(0xffffffff, value, argument, width);\n"
    "    out[n + i] = __shfl_up_sync(0xffffffff, value, argument, width);\n"
    "    out[2 * n + i] = __shfl_down_sync(0xffffffff, value, argument, width);\n"
    "    out[3 * n + i] = __shfl_xor_sync(0xffffffff, value, argument, width);\n"
    "}\n"
    "extern \"C\" __global__ void shuffle_int(int *out, int a, int w) { shuffle(out, a, w); }\n"
    "extern \"C\" __global__ void shuffle_unsigned(unsigned *out, int a, int w) { shuffle(out, a, w); }\n"
    "extern \"C\" __global__ void shuffle_float(float *out, int a, int w) { shuffle(out, a, w); }\n"
    "extern \"C\" __global__ void shuffle_double(double *out, int a, int w) { shuffle(out, a, w); }\n"
    "extern \"C\" __global__ void shuffle_long(long long *out, int a, int w) { shuffle(out, a, w); }\n"
    "\n"
    "extern \"C\" __global__ void default_width(int *out)\n"
    "{\n"
    "    out[threadIdx.x] = __shfl_sync(0xffffffff, (int)threadIdx.x, 5);\n"
    "}\n"
    "extern \"C\" __global__ void votes(unsigned *out, unsigned bits, unsigned mask)\n"
    "{\n"
    "    unsigned lane = threadIdx.x % 32, n = blockDim.x;\n"
    "    if (!(mask >> lane & 1)) return;\n"
    "    int mine = bits >> lane & 1;\n"
    "    out[threadIdx.x] = __all_sync(mask, mine) != 0;\n"
    "    out[n + threadIdx.x] = __any_sync(mask, mine) != 0;\n"
    "    out[2 * n + threadIdx.x] = __ballot_sync(mask, mine ? -4 : 0);\n"
    "}\n"
    "extern \"C\" __global__ void matches(unsigned *out, int *all, int groups)\n"
    "{\n"
    "    int i = threadIdx.x, n = blockDim.x, predicate = -1;\n"
    "    out[i] = __match_any_sync(0xffffffff, i % groups);\n"
    "    out[n + i] = __match_any_sync(0xffffffff, (double)(i / 2 % groups));\n"
    "    out[2 * n + i] = __match_all_sync(0xffffffff, (long long)(i % groups) << 40, &predicate);\n"
    "    all[i] = predicate;\n"
    "}\n"
    "extern \"C\" __global__ void reductions(unsigned *out)\n"
    "{\n"
    "    unsigned i = threadIdx.x, n = blockDim.x, value = i * 2654435761u | 5;\n"
    "    out[i] = __reduce_add_sync(0xffffffff, value);\n"
    "    out[n + i] = __reduce_min_sync(0xffffffff, value);\n"
    "    out[2 * n + i] = __reduce_max_sync(0xffffffff, value);\n"
    "    out[3 * n + i] = __reduce_and_sync(0xffffffff, value);\n"
    "    out[4 * n + i] = __reduce_or_sync(0xffffffff, value);\n"
    "    out[5 * n + i] = __reduce_xor_sync(0xffffffff, value);\n"
    "    out[6 * n + i] = (unsigned)__reduce_add_sync(0xffffffff, (int)value);\n"
    "    out[7 * n + i] = (unsigned)__reduce_min_sync(0xffffffff, (int)value);\n"
    "    out[8 * n + i] = (unsigned)__reduce_max_sync(0xffffffff, (int)value);\n"
    "}\n"
    "extern \"C\" __global__ void two_halves(int *out)\n"
    "{\n"
    "    int i = threadIdx.x, value = i * 3;\n"
    "    if (i % 2) {\n"
    "        for (int k = 0; k < 4; k++) value += __shfl_xor_sync(0xaaaaaaaa, value, 2);\n"
    "        out[i] = value;\n"
    "    } else {\n"
    "        out[i] = __popc(__ballot_sync(0x55555555, value % 4 == 0)) * 1000 + i;\n"
    "    }\n"
    "}\n"
    "extern \"C\" __global__ void same_mask_from_two_lines(int *out)\n"
    "{\n"
    "    int i = threadIdx.x, value;\n"
    "    if (i < 7)\n"
    "        value = __shfl_sync(0xffffffff, i * 2, 31);\n"
    "    else\n"
    "        value = __shfl_sync(0xffffffff, i * 2, 0);\n"
    "    out[i] = value;\n"
    "}\n"
    "extern \"C\" __global__ void exited_lanes(int *out)\n"
    "{\n"
    "    int i = threadIdx.x;\n"
    "    if (i % 32 >= 20) return;\n"
    "    unsigned mask = __ballot_sync(0x000fffff, 1);\n"
    "    int sum = i;\n"
    "    for (int step = 1; step < 4; step *= 2) sum += __shfl_xor_sync(0x000fffff, sum, step);\n"
    "    out[i] = mask == 0x000fffff ? sum : -1;\n"
    "}\n"
    "extern \"C\" __global__ void exit_late(int *out)\n"
    "{\n"
    "    int i = threadIdx.x;\n"
    "    if (i % 32 < 20) out[i] = __popc(__ballot_sync(0xffffffff, 1));\n"
    "}\n"
    "extern \"C\" __global__ void swap_through_shared(int *out)\n"
    "{\n"
    "    __shared__ int slot[128];\n"
    "    int i = threadIdx.x, lane = i % 32, base = i - lane;\n"
    "    for (int round = 0; round < 5; round++) {\n"
    "        slot[i] = i + round;\n"
    "        __syncwarp();\n"
    "        out[i] = slot[base + 31 - lane] - round;\n"
    "        __syncwarp();\n"
    "    }\n"
    "}\n"
    "extern \"C\" __global__ void active(unsigned *out)\n"
    "{\n"
    "    int i = threadIdx.x, n = blockDim.x;\n"
    "    out[i] = __activemask();\n"
    "    if (i % 3 == 0)\n"
    "        out[n + i] = __activemask();\n"
    "    else if (i % 3 == 1)\n"
    "        out[n + i] = __activemask();\n"
    "    if (i < 4) return;\n"
    "    out[2 * n + i] = __activemask();\n"
    "}\n"
    "extern \"C\" __global__ void aggregate(unsigned *counter, unsigned *out, int every)\n"
    "{\n"
    "    unsigned lane = threadIdx.x % 32;\n"
    "    if (threadIdx.x % every) return;\n"
    "    unsigned mask = __activemask(), leader = __ffs(mask) - 1, base = 0;\n"
    "    if (lane == leader) base = atomicAdd(counter, __popc(mask));\n"
    "    base = __shfl_sync(mask, base, leader);\n"
    "    out[base + __popc(mask & ((1u << lane) - 1))] = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "}\n"
    "extern \"C\" __global__ void mixed_with_barriers(int *out)\n"
    "{\n"
    "    __shared__ int part[32];\n"
    "    int i = threadIdx.x, sum = i;\n"
    "    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);\n"
    "    if (i % 32 == 0) part[i / 32] = sum;\n"
    "    __syncthreads();\n"
    "    if (i < 32) {\n"
    "        sum = i < blockDim.x / 32 ? part[i] : 0;\n"
    "        for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);\n"
    "        if (i == 0) part[0] = sum;\n"
    "    }\n"
    "    __syncthreads();\n"
    "    out[i] = part[0];\n"
    "}\n";

static lab_function find(const char *name)
{
    static lab_module *module;
    lab_function function;
    if (!module) LAB_CHECK(lab_module_load_source(&module, SOURCE, "warp_test.cu"));
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

/* --- Shuffles --- */

typedef enum shuffle_form { INDEXED, UP, DOWN, XOR, FORMS } shuffle_form;

/* The thread whose value this thread gets. */
static int source_thread(shuffle_form form, int thread, int argument, int width)
{
    int segment = thread / width * width, offset = thread % width, lane = thread % LANES;
    switch (form) {
    case INDEXED: return segment + argument % width;
    case UP: return offset - argument >= 0 ? thread - argument : thread;
    case DOWN: return offset + argument < width ? thread + argument : thread;
    default: return (lane ^ argument) / width <= lane / width ? thread - lane + (lane ^ argument) : thread;
    }
}

/* Runs a shuffle kernel for every width and some arguments; value_of reads element i as a number. */
static void check_shuffles(const char *kernel, size_t size, int threads, double (*value_of)(const void *, int),
                           double (*value_given)(int thread))
{
    static const int arguments[] = {0, 1, 2, 3, 5, 8, 15, 16, 17, 31};
    for (int width = 1; width <= LANES; width *= 2)
        for (int a = 0; a < (int)(sizeof arguments / sizeof *arguments); a++) {
            lab_deviceptr out = make_zeroed(FORMS * (size_t)threads * size);
            LAB_CHECK(lab_launch(find(kernel), LAB_DIM(1), LAB_DIM((unsigned)threads), 0, NULL,
                                 LAB_ARGS(out, arguments[a], width)));
            void *host = take_out(out, FORMS * (size_t)threads * size);
            for (int i = 0; i < FORMS * threads; i++) {
                int source = source_thread(i / threads, i % threads, arguments[a], width);
                if (source >= threads) continue;
                cr_assert_eq(value_of(host, i), value_given(source),
                             "%s, form %d, width %d, argument %d, thread %d of %d: %.17g", kernel, i / threads, width,
                             arguments[a], i % threads, threads, value_of(host, i));
            }
            free(host);
        }
}

static double int_at(const void *memory, int i) { return ((const int *)memory)[i]; }
static double unsigned_at(const void *memory, int i) { return ((const unsigned *)memory)[i]; }
static double float_at(const void *memory, int i) { return ((const float *)memory)[i]; }
static double double_at(const void *memory, int i) { return ((const double *)memory)[i]; }
static double long_at(const void *memory, int i) { return (double)((const int64_t *)memory)[i]; }
static double whole(int thread) { return (double)(int64_t)((thread + 1) * 1000003.25); }
static double as_float(int thread) { return (float)((thread + 1) * 1000003.25); }
static double as_double(int thread) { return (thread + 1) * 1000003.25; }

/* CUDA C++ Programming Guide, Warp Shuffle Functions: __shfl_sync. */
Test(warp, shuffles_of_int_stay_inside_their_segment) { check_shuffles("shuffle_int", 4, 64, int_at, whole); }
/* CUDA C++ Programming Guide, Warp Shuffle Functions: __shfl_sync. */
Test(warp, shuffles_of_unsigned_stay_inside_their_segment)
{
    check_shuffles("shuffle_unsigned", 4, 32, unsigned_at, whole);
}
/* CUDA C++ Programming Guide, Warp Shuffle Functions: __shfl_sync. */
Test(warp, shuffles_of_float_stay_inside_their_segment) { check_shuffles("shuffle_float", 4, 96, float_at, as_float); }
/* CUDA C++ Programming Guide, Warp Shuffle Functions: __shfl_sync. */
Test(warp, shuffles_of_double_move_all_64_bits) { check_shuffles("shuffle_double", 8, 64, double_at, as_double); }
/* CUDA C++ Programming Guide, Warp Shuffle Functions: __shfl_sync. */
Test(warp, shuffles_of_long_long_move_all_64_bits) { check_shuffles("shuffle_long", 8, 64, long_at, whole); }

/* CUDA C++ Programming Guide, Warp Shuffle Functions: __shfl_sync. */
Test(warp, the_last_warp_of_a_block_may_be_partial)
{
    static const int threads[] = {1, 20, 31, 33, 50};
    for (int i = 0; i < 5; i++) check_shuffles("shuffle_int", 4, threads[i], int_at, whole);
}

/* CUDA C++ Programming Guide, Warp Shuffle Functions: __shfl_sync. */
Test(warp, a_shuffle_without_a_width_spans_the_warp)
{
    lab_deviceptr out = make_zeroed(64 * sizeof(int));
    LAB_CHECK(lab_launch(find("default_width"), LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(out)));
    int *host = take_out(out, 64 * sizeof(int));
    for (int i = 0; i < 64; i++) cr_assert_eq(host[i], i / LANES * LANES + 5);
    free(host);
}

/* --- Votes, matches, reductions --- */

/* CUDA C++ Programming Guide, Warp Vote Functions: __ballot_sync, __activemask. */
Test(warp, votes_are_of_the_lanes_that_the_mask_names)
{
    static const unsigned masks[] = {0xffffffff, 1, 0x80000000, 0x0000ffff, 0xaaaaaaaa, 0x00f0f00f};
    static const unsigned bits[] = {0, 0xffffffff, 0x0000ffff, 1, 0x12345678};
    enum { THREADS = 64 };
    for (int m = 0; m < 6; m++)
        for (int b = 0; b < 5; b++) {
            lab_deviceptr out = make_zeroed(3 * THREADS * sizeof(unsigned));
            LAB_CHECK(
                lab_launch(find("votes"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out, bits[b], masks[m])));
            unsigned *host = take_out(out, 3 * THREADS * sizeof(unsigned));
            for (int i = 0; i < THREADS; i++) {
                if (!(masks[m] >> i % LANES & 1)) continue;
                cr_assert_eq(host[i], (bits[b] & masks[m]) == masks[m], "all of %x in %x", bits[b], masks[m]);
                cr_assert_eq(host[THREADS + i], (bits[b] & masks[m]) != 0, "any of %x in %x", bits[b], masks[m]);
                cr_assert_eq(host[2 * THREADS + i], bits[b] & masks[m], "ballot of %x in %x", bits[b], masks[m]);
            }
            free(host);
        }
}

/* CUDA C++ Programming Guide, Warp Match Functions: __match_any_sync. */
Test(warp, matches_name_the_lanes_with_the_same_value)
{
    enum { THREADS = 64 };
    static const int groups[] = {1, 2, 5, 32};
    for (int g = 0; g < 4; g++) {
        lab_deviceptr out = make_zeroed(3 * THREADS * sizeof(unsigned)), all = make_zeroed(THREADS * sizeof(int));
        LAB_CHECK(lab_launch(find("matches"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out, all, groups[g])));
        unsigned *host = take_out(out, 3 * THREADS * sizeof(unsigned));
        int *alls = take_out(all, THREADS * sizeof(int));
        for (int i = 0; i < THREADS; i++) {
            unsigned same = 0, same_pairs = 0;
            for (int lane = 0; lane < LANES; lane++) {
                int other = i / LANES * LANES + lane;
                if (other % groups[g] == i % groups[g]) same |= 1u << lane;
                if (other / 2 % groups[g] == i / 2 % groups[g]) same_pairs |= 1u << lane;
            }
            cr_assert_eq(host[i], same, "thread %d of %d groups: %x, not %x", i, groups[g], host[i], same);
            cr_assert_eq(host[THREADS + i], same_pairs);
            cr_assert_eq(host[2 * THREADS + i], groups[g] == 1 ? 0xffffffff : 0);
            cr_assert_eq(alls[i], groups[g] == 1);
        }
        free(host);
        free(alls);
    }
}

/* CUDA C++ Programming Guide, Warp Reduce Functions: __reduce_add_sync. */
Test(warp, reductions_give_every_lane_the_result)
{
    enum { THREADS = 64 };
    lab_deviceptr out = make_zeroed(9 * THREADS * sizeof(unsigned));
    LAB_CHECK(lab_launch(find("reductions"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out)));
    unsigned *host = take_out(out, 9 * THREADS * sizeof(unsigned));
    for (unsigned warp = 0; warp < 2; warp++) {
        unsigned add = 0, min = ~0u, max = 0, and = ~0u, or = 0, xor = 0;
        int least = INT32_MAX, most = INT32_MIN;
        for (unsigned i = warp * LANES; i < (warp + 1) * LANES; i++) {
            unsigned value = i * 2654435761u | 5;
            add += value, and &= value, or |= value, xor ^= value;
            if (value < min) min = value;
            if (value > max) max = value;
            if ((int)value < least) least = (int)value;
            if ((int)value > most) most = (int)value;
        }
        const unsigned expected[] = {add, min, max, and, or, xor, add, (unsigned)least, (unsigned)most};
        for (unsigned form = 0; form < 9; form++)
            for (unsigned lane = 0; lane < LANES; lane++)
                cr_assert_eq(host[form * THREADS + warp * LANES + lane], expected[form], "form %u, warp %u, lane %u",
                             form, warp, lane);
    }
    free(host);
}

/* --- Divergence --- */

/* CUDA C++ Programming Guide, Independent Thread Scheduling: masks name who takes part. */
Test(warp, disjoint_masks_in_divergent_branches_work_side_by_side)
{
    lab_deviceptr out = make_zeroed(LANES * sizeof(int));
    LAB_CHECK(lab_launch(find("two_halves"), LAB_DIM(1), LAB_DIM(LANES), 0, NULL, LAB_ARGS(out)));
    int *host = take_out(out, LANES * sizeof(int)), value[LANES], next[LANES];
    for (int i = 0; i < LANES; i++) value[i] = i * 3;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < LANES; i++) next[i] = value[i] + value[i ^ 2];
        for (int i = 0; i < LANES; i++) value[i] = next[i];
    }
    for (int i = 0; i < LANES; i++) cr_assert_eq(host[i], i % 2 ? value[i] : 8000 + i, "lane %d: %d", i, host[i]);
    free(host);
}

/* From compute capability 7.0 on, lanes in one mask may call from different places. */
/* CUDA C++ Programming Guide, Independent Thread Scheduling: masks name who takes part. */
Test(warp, lanes_of_one_mask_meet_from_different_lines)
{
    lab_deviceptr out = make_zeroed(LANES * sizeof(int));
    LAB_CHECK(lab_launch(find("same_mask_from_two_lines"), LAB_DIM(1), LAB_DIM(LANES), 0, NULL, LAB_ARGS(out)));
    int *host = take_out(out, LANES * sizeof(int));
    for (int i = 0; i < LANES; i++) cr_assert_eq(host[i], i < 7 ? 62 : 0, "lane %d: %d", i, host[i]);
    free(host);
}

/* CUDA C++ Programming Guide, Independent Thread Scheduling: masks name who takes part. */
Test(warp, lanes_that_have_exited_are_not_waited_for)
{
    enum { THREADS = 64 };
    lab_deviceptr out = make_zeroed(THREADS * sizeof(int));
    LAB_CHECK(lab_launch(find("exited_lanes"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out)));
    int *host = take_out(out, THREADS * sizeof(int));
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(host[i], i % LANES >= 20 ? 0 : 4 * (i / 4 * 4) + 6, "thread %d: %d", i, host[i]);
    free(host);
}

/* The lower lanes may already be waiting when the upper ones exit. */
/* CUDA C++ Programming Guide, Independent Thread Scheduling: masks name who takes part. */
Test(warp, lanes_that_exit_while_others_wait_for_them_are_let_go)
{
    enum { THREADS = 64 };
    lab_deviceptr out = make_zeroed(THREADS * sizeof(int));
    LAB_CHECK(lab_launch(find("exit_late"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out)));
    int *host = take_out(out, THREADS * sizeof(int));
    for (int i = 0; i < THREADS; i++) cr_assert_eq(host[i], i % LANES < 20 ? 20 : 0, "thread %d: %d", i, host[i]);
    free(host);
}

/* CUDA C++ Programming Guide, Synchronization Functions: __syncwarp. */
Test(warp, shared_memory_written_before_syncwarp_is_read_after_it)
{
    enum { THREADS = 128 };
    lab_deviceptr out = make_zeroed(THREADS * sizeof(int));
    LAB_CHECK(lab_launch(find("swap_through_shared"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out)));
    int *host = take_out(out, THREADS * sizeof(int));
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(host[i], i / LANES * LANES + 31 - i % LANES, "thread %d: %d", i, host[i]);
    free(host);
}

/* CUDA promises that a lane is in its own mask, and that a lane that cannot be at the call is not. */
/* CUDA C++ Programming Guide, Warp Vote Functions: __ballot_sync, __activemask. */
Test(warp, activemask_has_the_caller_and_none_from_elsewhere)
{
    enum { THREADS = 40 };
    lab_deviceptr out = make_zeroed(3 * THREADS * sizeof(unsigned));
    LAB_CHECK(lab_launch(find("active"), LAB_DIM(1), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(out)));
    unsigned *host = take_out(out, 3 * THREADS * sizeof(unsigned));
    for (int i = 0; i < THREADS; i++) {
        unsigned there = 0, same_branch = 0, stayed = 0, own = 1u << i % LANES;
        for (int lane = 0; lane < LANES; lane++) {
            int other = i / LANES * LANES + lane;
            if (other >= THREADS) break;
            there |= 1u << lane;
            if (other % 3 == i % 3) same_branch |= 1u << lane;
            if (other >= 4) stayed |= 1u << lane;
        }
        cr_assert(host[i] & own && !(host[i] & ~there), "thread %d: %x", i, host[i]);
        if (i % 3 < 2)
            cr_assert(host[THREADS + i] & own && !(host[THREADS + i] & ~same_branch), "thread %d: %x", i,
                      host[THREADS + i]);
        if (i >= 4)
            cr_assert(host[2 * THREADS + i] & own && !(host[2 * THREADS + i] & ~stayed), "thread %d: %x", i,
                      host[2 * THREADS + i]);
    }
    free(host);
}

/* CUDA C++ Programming Guide, Atomic Functions: atomicAdd. */
Test(warp, atomics_aggregated_over_the_active_lanes_lose_and_repeat_nothing)
{
    enum { GRID = 20, THREADS = 100 };
    static const int every[] = {1, 2, 3, 7};
    for (int e = 0; e < 4; e++) {
        int per_block = (THREADS + every[e] - 1) / every[e], seen[GRID * THREADS] = {0};
        lab_deviceptr counter = make_zeroed(sizeof(unsigned)), out = make_zeroed(GRID * THREADS * sizeof(unsigned));
        LAB_CHECK(
            lab_launch(find("aggregate"), LAB_DIM(GRID), LAB_DIM(THREADS), 0, NULL, LAB_ARGS(counter, out, every[e])));
        unsigned *count = take_out(counter, sizeof(unsigned)), *host = take_out(out, GRID * THREADS * sizeof(unsigned));
        cr_assert_eq(*count, (unsigned)(GRID * per_block));
        for (unsigned i = 0; i < *count; i++) seen[host[i]]++;
        for (int i = 0; i < GRID * THREADS; i++)
            cr_assert_eq(seen[i], i % THREADS % every[e] == 0, "thread %d, %d times", i, seen[i]);
        free(count);
        free(host);
    }
}

/* CUDA C++ Programming Guide, Synchronization Functions: __syncwarp. */
Test(warp, shuffles_and_barriers_work_together)
{
    static const unsigned threads[] = {32, 64, 256, 1024};
    for (int t = 0; t < 4; t++) {
        unsigned n = threads[t];
        lab_deviceptr out = make_zeroed(n * sizeof(int));
        LAB_CHECK(lab_launch(find("mixed_with_barriers"), LAB_DIM(1), LAB_DIM(n), 0, NULL, LAB_ARGS(out)));
        int *host = take_out(out, n * sizeof(int));
        for (unsigned i = 0; i < n; i++) cr_assert_eq(host[i], (int)(n * (n - 1) / 2), "%u threads, thread %u", n, i);
        free(host);
    }
}
