/* Kernels whose threads wait in their warps, split at the warp functions and with a stack for each thread: both compute
 * the same, and fail in the same words. */
#include "split_kit.h"
#include "warp_kernels.h"

#include "cpu/kernel/kernel_run.h"

#define WARP_KERNEL(name, body) KERNEL(name, LANE body)

/* ---- kernels of the usual kinds ---- */

static const char usual[] =
    "#include <cooperative_groups.h>\n"
    "#include <cooperative_groups/reduce.h>\n"
    "namespace cg = cooperative_groups;\n"
    "__shared__ unsigned s[1024];\n"
    "__device__ unsigned part[32];\n" WARP_KERNEL("sum", "    unsigned v = g * 7 + 1;\n"
                                                         "    for (int o = 16; o; o /= 2)\n"
                                                         "        v += __shfl_down_sync(~0u, v, o);\n"
                                                         "    out[g] = lane == 0 && w == 32 ? v : t;\n")
        WARP_KERNEL("scan", "    unsigned v = g % 13;\n"
                            "    for (unsigned o = 1; o < 32; o *= 2) {\n"
                            "        const unsigned before = __shfl_up_sync(~0u, v, o);\n"
                            "        if (lane >= o) v += before;\n"
                            "    }\n"
                            "    out[g] = v;\n")
            WARP_KERNEL("widths_and_types",
                        "    const double d = __shfl_xor_sync(~0u, t * 0.5, 3, 8);\n"
                        "    const long long l = __shfl_sync(~0u, (long long)t << 33, t * 5, 16);\n"
                        "    const float f = __shfl_up_sync(~0u, t * 0.25f, 2, 4);\n"
                        "    const unsigned u = __shfl_down_sync(~0u, t, lane % 3, 32);\n"
                        "    out[g] = (unsigned)(d * 4) + (unsigned)(l >> 31) * 3 + (unsigned)(f * 8) * 5 + u * 7;\n")
                WARP_KERNEL(
                    "block_sum",
                    "    unsigned v = g;\n"
                    "    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);\n"
                    "    if (lane == 0) s[t / 32] = v;\n"
                    "    __syncthreads();\n"
                    "    if (t < 32) {\n"
                    "        v = t < (n + 31) / 32 ? s[t] : 0;\n"
                    "        for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o);\n"
                    "        if (t == 0) s[0] = v;\n"
                    "    }\n"
                    "    __syncthreads();\n"
                    "    out[g] = s[0] + v;\n") WARP_KERNEL("early_exit",
                                                            "    if (g % 97 > 60) { out[g] = 3; return; }\n"
                                                            "    unsigned v = t;\n"
                                                            "    for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, "
                                                            "v, o) % 1000;\n"
                                                            "    out[g] = v + __popc(__ballot_sync(~0u, v & 1));\n")
                    WARP_KERNEL("a_row_for_each_warp",
                                "    unsigned sum = 0;\n"
                                "    for (unsigned row = blockIdx.x * 5 + t / 32; row < 37; row += 30) {\n"
                                "        unsigned v = 0;\n"
                                "        for (unsigned i = lane; i < 40 + row; i += 32) v += i * row;\n"
                                "        for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);\n"
                                "        if (row & 4) v += __shfl_sync(~0u, lane + row, row);\n"
                                "        sum = sum * 3 + v;\n"
                                "    }\n"
                                "    out[g] = sum;\n")
                        WARP_KERNEL(
                            "warps_at_other_places",
                            "    unsigned v = t;\n"
                            "    if (t / 32 % 3 == 0) {\n"
                            "        for (unsigned i = 0; i < t / 32 + 2; i++) v += __shfl_xor_sync(~0u, v, 1 + i);\n"
                            "    } else if (t / 32 % 3 == 1) {\n"
                            "        s[t] = v; __syncwarp(); v += s[base + (lane + 1) % w];\n"
                            "    }\n"
                            "    __syncthreads();\n"
                            "    s[t] = v;\n"
                            "    __syncthreads();\n"
                            "    out[g] = s[(t + 33) % n] + __reduce_max_sync(~0u, v);\n")
                            WARP_KERNEL(
                                "matches_next_to_shuffles",
                                "    unsigned v = t * 7;\n"
                                "    s[t] = t; __syncthreads();\n"
                                "    if (t / 32 % 2) v += __match_any_sync(~0u, v % 5);\n"
                                "    else if (w == 32) for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);\n"
                                "    __syncthreads();\n"
                                "    out[g] = v + s[(t + 1) % n];\n")
                                WARP_KERNEL("groups",
                                            "    auto block = cg::this_thread_block();\n"
                                            "    auto warp = cg::tiled_partition<32>(block);\n"
                                            "    auto tile = cg::tiled_partition<8>(warp);\n"
                                            "    unsigned v = cg::reduce(tile, t, cg::plus<unsigned>());\n"
                                            "    v += cg::inclusive_scan(warp, v) + tile.meta_group_rank();\n"
                                            "    if (lane & 2) {\n"
                                            "        auto some = cg::coalesced_threads();\n"
                                            "        v += some.shfl(v, 0) + some.size() * 100 + cg::reduce(some, v, "
                                            "cg::greater<unsigned>());\n"
                                            "    }\n"
                                            "    block.sync();\n"
                                            "    v ^= warp.ballot(v & 8) + tile.any(v & 3) + tile.match_any(v % 3);\n"
                                            "    out[g] = v;\n")
                                    WARP_KERNEL("calls", "    out[g] = __popc(__activemask());\n"
                                                         "    if (t % 3 == 1) out[g] += __activemask() * 5; else "
                                                         "out[g] ^= __activemask();\n"
                                                         "    if (n == 7777) __syncwarp();\n");

static const char *const usual_names[] = {"sum",
                                          "scan",
                                          "widths_and_types",
                                          "block_sum",
                                          "early_exit",
                                          "a_row_for_each_warp",
                                          "warps_at_other_places",
                                          "matches_next_to_shuffles",
                                          "groups",
                                          "calls"};
enum { USUAL = sizeof usual_names / sizeof *usual_names };

Test(split_warps, kernels_with_warp_functions_are_split) { check_decision(usual, usual_names, USUAL, true); }

Test(split_warps, usual_kernels_compute_the_same_both_ways)
{
    kernels_use_kept_cache();
    lab_module *split = load("split", usual), *fibers = load("fibers", usual);
    for (int i = 0; i < USUAL; i++) check_same(usual, split, fibers, usual_names[i]);
}

/* ---- failures ---- */

static const char failing[] =
    WARP_KERNEL("outside_its_mask", "    __syncwarp(); out[g] = __shfl_sync(0xffff00ff, t, 3);\n")
        WARP_KERNEL("other_masks", "    out[g] = __ballot_sync(lane < 9 ? ~0u : 0xffffff00, t);\n")
            WARP_KERNEL("other_functions", "    if (lane == 5) __syncwarp(); else out[g] = __any_sync(~0u, t);\n")
                WARP_KERNEL("warp_and_block", "    if (t == 40) __syncthreads(); else out[g] = __any_sync(~0u, t);\n")
                    WARP_KERNEL("other_barriers", "    __syncwarp();\n"
                                                  "    if (t / 32 == 1) __syncthreads();\n"
                                                  "    else out[g] = __syncthreads_count(t);\n")
                        WARP_KERNEL("asserts", "    if (t == 50) __trap(); out[g] = __shfl_sync(~0u, t, 3);\n");

static const char *const failing_names[] = {"outside_its_mask", "other_masks",    "other_functions",
                                            "warp_and_block",   "other_barriers", "asserts"};

/* Runs a kernel that fails, and keeps its message. */
static void fail_with(char message[2000], const char *way, const char *kernel, bool is_split)
{
    kernels_use_kept_cache();
    setenv("LAB_BARRIERS", way, 1);
    cpu_module *module = kernels_load(failing);
    cr_assert_eq(kernels_find(module, kernel)->split != NULL, is_split);
    unsigned out[64];
    const void *const args[] = {&(unsigned *){out}};
    const cpu_launch launch = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
    kernel_error error = {0};
    const kernel_blocks blocks = {.kernel = kernels_find(module, kernel), .args = args, .launch = &launch, .count = 1};
    cr_assert(!cpu_kernel_run(&error, &blocks), "%s %s", kernel, way);
    snprintf(message, 2000, "%d %s", error.status, error.message);
    cpu_module_unload(module);
}

Test(split_warps, kernels_fail_in_the_same_words_both_ways)
{
    for (size_t i = 0; i < sizeof failing_names / sizeof *failing_names; i++) {
        char split[2000], fibers[2000];
        fail_with(split, "split", failing_names[i], true);
        fail_with(fibers, "fibers", failing_names[i], false);
        cr_assert_str_eq(split, fibers, "%s: %s\nbut %s", failing_names[i], split, fibers);
    }
}

/* ---- random kernels ---- */

Test(split_warps, random_kernels_compute_the_same_both_ways) { check_modules(warp_declarations, add_warp_kernel); }
