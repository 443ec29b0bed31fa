/* What kernels are written with: headers, CUDA's own functions and groups of threads, the same on every device. */
#include "test.h"

#include "lab.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Runs the source's kernel k(uint32_t *out), and copies `out` there and back. */
#define run(out, source, grid, block) run_kernel(out, sizeof(out), source, grid, block)
static void run_kernel(uint32_t *out, size_t bytes, const char *source, lab_dim grid, lab_dim block)
{
    lab_module *module;
    lab_function function;
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, bytes));
    LAB_CHECK(lab_memcpy_htod(memory, out, bytes));
    LAB_CHECK(lab_module_load_source(&module, source, "language.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, "k"));
    LAB_CHECK(lab_launch(function, grid, block, 0, NULL, LAB_ARGS(memory)));
    LAB_CHECK(lab_memcpy_dtoh(out, memory, bytes));
    LAB_CHECK(lab_module_unload(module));
    LAB_CHECK(lab_mem_free(memory));
}

/* lab.h, Modules and kernels: the headers that every device has. */
Test(kernel_language, a_source_may_include_the_usual_headers_of_cuda_and_c)
{
    static const char source[] =
        "#include \"cuda_runtime.h\"\n#include \"device_launch_parameters.h\"\n#include <cuda.h>\n"
        "#include <vector_types.h>\n#include <math_constants.h>\n#include <assert.h>\n#include <float.h>\n"
        "#include <limits.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <cmath>\n#include <cstdint>\n"
        "struct pair { int8_t first; uint64_t second; };\n"
        "__device__ float infinite = INFINITY, largest = FLT_MAX;\n"
        "extern \"C\" __global__ void k(uint32_t *out)\n"
        "{\n"
        "    const float sixteen = out[0] + 16;\n"
        "    assert(out != NULL);\n"
        "    const bool all = isinf(infinite) && isnan(NAN) && infinite > largest && CUDART_INF_F == infinite &&\n"
        "                     CUDART_PI_F == (float)M_PI && DBL_MAX < HUGE_VAL && FLT_EPSILON + 1 > 1;\n"
        "    out[0] = (uint32_t)(sqrt(sixteen) + sinf(0) + fmin(sixteen, 100.0f) + abs(-1) + M_PI);\n"
        "    out[1] = INT_MAX;\n"
        "    out[2] = UINT32_MAX;\n"
        "    out[3] = offsetof(pair, second) + sizeof(ptrdiff_t) + sizeof(uintptr_t);\n"
        "    out[4] = all;\n"
        "    const int64_t wide = INT64_MIN + UINT8_MAX + CHAR_BIT;\n"
        "    memcpy(&out[5], &wide, sizeof wide);\n"
        "    memset(&out[7], 1, sizeof out[7]);\n"
        "}\n";
    const uint32_t expected[] = {4 + 16 + 1 + 3, INT_MAX, UINT32_MAX, 8 + 8 + 8, 1, 255 + 8, 0x80000000, 0x01010101};
    uint32_t out[8] = {0};
    run(out, source, LAB_DIM(1), LAB_DIM(1));
    for (int i = 0; i < 8; i++) cr_assert_eq(out[i], expected[i], "%d: %x", i, out[i]);
}

/* CUDA C++ Programming Guide, "Time Function": the counter of a multiprocessor goes on in every clock cycle. */
Test(kernel_language, the_clock_goes_on_while_a_thread_sleeps)
{
    uint32_t out[2] = {0};
    run(out,
        "#include <time.h>\n"
        "extern \"C\" __global__ void k(unsigned *out)\n"
        "{\n"
        "    const clock_t begin = clock();\n"
        "    const long long begin64 = clock64();\n"
        "    for (int i = 0; i < 1000; i++) __nanosleep(100);\n"
        "    out[0] = clock() != begin;\n"
        "    out[1] = clock64() > begin64;\n"
        "}\n",
        LAB_DIM(1), LAB_DIM(1));
    cr_assert_eq(out[0], 1);
    cr_assert_eq(out[1], 1);
}

#define GROUPS                                                                                                         \
    "#include <cooperative_groups.h>\n"                                                                                \
    "#include <cooperative_groups/reduce.h>\n"                                                                         \
    "#include <cooperative_groups/scan.h>\n"                                                                           \
    "#include <cooperative_groups/memcpy_async.h>\n"                                                                   \
    "namespace cg = cooperative_groups;\n"

enum { THREADS = 64, VALUES = 16 };

/* CUDA C++ Programming Guide, "Cooperative Groups": ranks and sizes. */
Test(kernel_language, groups_tell_their_size_and_a_threads_rank_in_them)
{
    static uint32_t out[2 * THREADS * VALUES];
    run(out,
        GROUPS
        "extern \"C\" __global__ void k(unsigned *out)\n"
        "{\n"
        "    const cg::thread_block block = cg::this_thread_block();\n"
        "    const auto grid = cg::this_grid();\n"
        "    const cg::thread_block_tile<8> eight = cg::tiled_partition<8>(block);\n"
        "    const auto two = cg::tiled_partition<2>(eight);\n"
        "    const cg::thread_group four = cg::tiled_partition(block, 4);\n"
        "    const unsigned values[] = {\n"
        "        block.thread_rank(), (unsigned)block.size(), block.thread_index().y, block.group_index().x,\n"
        "        block.group_dim().x, (unsigned)grid.thread_rank(), (unsigned)grid.size(),\n"
        "        eight.thread_rank(), (unsigned)eight.size(), eight.meta_group_rank(), eight.meta_group_size(),\n"
        "        two.thread_rank(), two.meta_group_rank(), two.meta_group_size(),\n"
        "        (unsigned)four.thread_rank(), (unsigned)four.size()};\n"
        "    memcpy(&out[16 * grid.thread_rank()], values, sizeof values);\n"
        "    cg::sync(block), eight.sync(), two.sync(), four.sync();\n"
        "}\n",
        LAB_DIM(2), LAB_DIM(16, 4));
    for (uint32_t i = 0; i < 2 * THREADS; i++) {
        const uint32_t t = i % THREADS;
        const uint32_t expected[VALUES] = {t, 64,    t / 16, i / 64, 16,        i, 128,   t % 8,
                                           8, t / 8, 8,      t % 2,  t % 8 / 2, 4, t % 4, 4};
        for (int v = 0; v < VALUES; v++)
            cr_assert_eq(out[i * VALUES + (uint32_t)v], expected[v], "thread %u, value %d: %u", i, v,
                         out[i * VALUES + (uint32_t)v]);
    }
}

/* CUDA C++ Programming Guide, "Cooperative Groups", "Thread Block Tile": its functions see the tile alone. */
Test(kernel_language, the_threads_of_a_tile_exchange_values)
{
    static uint32_t out[THREADS * VALUES];
    run(out,
        GROUPS
        "struct pair { double first; int second; };\n"
        "extern \"C\" __global__ void k(unsigned *out)\n"
        "{\n"
        "    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());\n"
        "    const int t = threadIdx.x;\n"
        "    const pair own = {t / 2.0, t};\n"
        "    const pair other = tile.shfl(own, 3);\n"
        "    int same;\n"
        "    const unsigned values[] = {\n"
        "        (unsigned)tile.shfl(t, 5), (unsigned)tile.shfl_up(t, 1), (unsigned)tile.shfl_down(t, 2),\n"
        "        (unsigned)tile.shfl_xor(t, 6), tile.ballot(t % 3 == 0), tile.any(t == 9) != 0,\n"
        "        tile.all(t >= 8) != 0, tile.match_any(t / 2), tile.match_all(t / 8, same), same != 0,\n"
        "        (unsigned)(2 * other.first), (unsigned)other.second,\n"
        "        (unsigned)cg::reduce(tile, t, cg::plus<int>()), (unsigned)cg::reduce(tile, t, cg::greater<int>()),\n"
        "        (unsigned)cg::inclusive_scan(tile, t), (unsigned)cg::exclusive_scan(tile, t)};\n"
        "    memcpy(&out[16 * t], values, sizeof values);\n"
        "}\n",
        LAB_DIM(1), LAB_DIM(THREADS));
    for (uint32_t t = 0; t < THREADS; t++) {
        const uint32_t first = t & ~7u, rank = t % 8;
        uint32_t thirds = 0, before = 0;
        for (uint32_t i = 0; i < 8; i++) thirds |= (uint32_t)((first + i) % 3 == 0) << i;
        for (uint32_t i = 0; i < rank; i++) before += first + i;
        const uint32_t expected[VALUES] = {first + 5,  rank ? t - 1 : t, rank < 6 ? t + 2 : t, t ^ 6,     thirds,
                                           first == 8, first >= 8,       3u << (rank & ~1u),   0xff,      1,
                                           first + 3,  first + 3,        8 * first + 28,       first + 7, before + t,
                                           before};
        for (int v = 0; v < VALUES; v++)
            cr_assert_eq(out[t * VALUES + (uint32_t)v], expected[v], "thread %u, value %d: %u", t, v,
                         out[t * VALUES + (uint32_t)v]);
    }
}

/* CUDA C++ Programming Guide, "Cooperative Groups": coalesced_threads groups the threads that came together. */
Test(kernel_language, threads_that_came_together_are_a_group)
{
    enum { LANES = 32 };
    static uint32_t out[LANES * VALUES];
    run(out,
        GROUPS "extern \"C\" __global__ void k(unsigned *out)\n"
               "{\n"
               "    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());\n"
               "    const int t = threadIdx.x;\n"
               "    const auto half = cg::binary_partition(warp, t % 4 == 0);\n"
               "    const auto label = cg::labeled_partition(warp, t % 5);\n"
               "    unsigned values[16] = {half.thread_rank(), (unsigned)half.size(), label.thread_rank(),\n"
               "                           (unsigned)label.size(), label.meta_group_size()};\n"
               "    if (t % 3 == 0) {\n"
               "        const cg::coalesced_group third = cg::coalesced_threads();\n"
               "        values[5] = third.thread_rank();\n"
               "        values[6] = third.size();\n"
               "        values[7] = third.shfl(t, 2);\n"
               "        values[8] = third.shfl_up(t, 1);\n"
               "        values[9] = third.shfl_down(t, 1);\n"
               "        values[10] = third.ballot(t % 2);\n"
               "        values[11] = cg::reduce(third, t, cg::plus<int>());\n"
               "        values[12] = third.any(t == 1) != 0;\n"
               "        values[13] = third.all(t % 3 == 0) != 0;\n"
               "        values[14] = cg::tiled_partition(third, 4).size();\n"
               "        values[15] = cg::reduce(third, t, cg::less<int>());\n"
               "    }\n"
               "    memcpy(&out[16 * t], values, sizeof values);\n"
               "}\n",
        LAB_DIM(1), LAB_DIM(LANES));
    for (uint32_t t = 0; t < LANES; t++) {
        const bool fourth = t % 4 == 0;
        uint32_t expected[VALUES] = {fourth ? t / 4 : t - t / 4 - 1, fourth ? 8 : 24, t / 5, t % 5 < 2 ? 7 : 6, 5};
        if (t % 3 == 0) {
            const uint32_t third[] = {t / 3,          11, 6, t ? t - 3 : 0, t < 30 ? t + 3 : 30, 0x2aa, 165, 0, 1,
                                      t < 24 ? 4 : 3, 0};
            memcpy(&expected[5], third, sizeof third);
        }
        for (int v = 0; v < VALUES; v++)
            cr_assert_eq(out[t * VALUES + (uint32_t)v], expected[v], "thread %u, value %d: %u", t, v,
                         out[t * VALUES + (uint32_t)v]);
    }
}

/* CUDA C++ Programming Guide, "Cooperative Groups": a function takes any group, and its barrier is the group's. */
Test(kernel_language, a_function_sums_over_the_group_it_is_given)
{
    static uint32_t out[2 * THREADS];
    for (uint32_t i = 0; i < THREADS; i++) out[i] = i + 1;
    run(out,
        GROUPS "__device__ int sum_of(cg::thread_group group, int *scratch, int value)\n"
               "{\n"
               "    const int rank = group.thread_rank();\n"
               "    for (int half = group.size() / 2; half > 0; half /= 2) {\n"
               "        scratch[rank] = value;\n"
               "        group.sync();\n"
               "        if (rank < half) value += scratch[rank + half];\n"
               "        group.sync();\n"
               "    }\n"
               "    return value;\n"
               "}\n"
               "extern \"C\" __global__ void k(unsigned *out)\n"
               "{\n"
               "    __shared__ int values[64], scratch[64];\n"
               "    const auto block = cg::this_thread_block();\n"
               "    const int t = block.thread_rank();\n"
               "    cg::memcpy_async(block, values, (const int *)out, sizeof values);\n"
               "    cg::wait(block);\n"
               "    const int all = sum_of(block, scratch, values[t]);\n"
               "    block.sync();\n"
               "    const int four = sum_of(cg::tiled_partition(block, 4), scratch + (t & ~3), values[t]);\n"
               "    out[t] = all;\n"
               "    out[64 + t] = four;\n"
               "}\n",
        LAB_DIM(1), LAB_DIM(THREADS));
    cr_assert_eq(out[0], 64 * 65 / 2);
    for (uint32_t t = 0; t < THREADS; t += 4) cr_assert_eq(out[THREADS + t], 4 * t + 10, "%u", t);
}
