/*
 * Random kernels whose lanes wait for each other: masks, lanes that go different ways or exit early, shuffles, votes,
 * tiles and barriers. CUDA defines each result: a value from a lane that takes no part is left out, and so are lanes
 * that have exited in the answer of a match. Mask m<k> names the lanes that have come to a place, and perhaps some that
 * have exited.
 */
#ifndef LAB_TESTS_WARP_KERNELS_H
#define LAB_TESTS_WARP_KERNELS_H

#include "random_kernels.h"

/* source_of is the lane that PTX's shfl reads, by its kind: idx, up, down, bfly. */
static const char warp_declarations[] =
    "#include <cooperative_groups.h>\n"
    "__shared__ unsigned s[1024];\n"
    "__device__ unsigned source_of(int kind, unsigned lane, unsigned by, unsigned width)\n"
    "{\n"
    "    const unsigned first = lane & ~(width - 1), last = first + width - 1, step = by % 32;\n"
    "    if (kind == 0) return first + (by & (width - 1));\n"
    "    if (kind == 1) return lane < first + step ? lane : lane - step;\n"
    "    if (kind == 2) return lane + step > last ? lane : lane + step;\n"
    "    return (lane ^ step) > last ? lane : lane ^ step;\n"
    "}\n"
    "__device__ unsigned sum_of(unsigned mask, unsigned lane, unsigned v)\n"
    "{\n"
    "    const unsigned live = __ballot_sync(mask, 1);\n"
    "    for (int o = 16; o; o /= 2) {\n"
    "        const unsigned other = __shfl_xor_sync(mask, v, o);\n"
    "        v += live >> (lane ^ o) & 1 ? other : o;\n"
    "    }\n"
    "    return v;\n"
    "}\n"
    "template <unsigned size> __device__ auto tile_of()\n"
    "{ return cooperative_groups::tiled_partition<size>(cooperative_groups::this_thread_block()); }\n";

#define LANE "    const unsigned lane = t % 32, base = t - lane, w = n - base < 32 ? n - base : 32;\n"

enum { MOST_DEPTH = 3 };

static void add_statements(program *p, int depth, int mask);

static void add_block(program *p, int depth, int mask)
{
    add(p, "{\n");
    add_statements(p, depth + 1, mask);
    add(p, "}\n");
}

static void add_shuffle(program *p, int mask)
{
    static const char *const type[] = {"unsigned", "int", "float", "double", "long long"};
    static const char *const name[] = {"shfl", "shfl_up", "shfl_down", "shfl_xor"};
    const char target = variable(p), source = variable(p);
    const unsigned kind = pick(p, 4), number = pick(p, 5), width = pick(p, 2) ? 1u << pick(p, 6) : 32;
    add(p, "{ const unsigned live = __ballot_sync(m%d, 1), by = ", mask);
    if (pick(p, 3))
        add(p, "%u;\n", pick(p, 34));
    else
        add(p, "%c %% 37;\n", variable(p));
    add(p, "const %s v = __%s_sync(m%d, (%s)(%c & 0xfffff), by, %u);\n", type[number], name[kind], mask, type[number],
        source, width);
    add(p, "if (live >> source_of(%u, lane, by, %u) & 1) %c += (unsigned)(long long)v; }\n", kind, width, target);
}

static void add_vote(program *p, int mask)
{
    static const char *const vote[] = {"all", "any"};
    static const char *const kind[] = {"ballot",     "reduce_and", "reduce_or", "reduce_xor",
                                       "reduce_add", "reduce_min", "reduce_max"};
    const char target = variable(p), source = variable(p);
    switch (pick(p, 6)) {
    case 0:
        add(p, "{ int all; %c += __match_all_sync(m%d, %c & %u, &all) & __ballot_sync(m%d, 1); %c ^= all; }\n", target,
            mask, source, pick(p, 4), mask, source);
        break;
    case 1:
        add(p, "%c += __match_any_sync(m%d, %c & %u) & __ballot_sync(m%d, 1);\n", target, mask, source, 1 + pick(p, 60),
            mask);
        break;
    case 2:
        add(p, "%c += __%s_sync(m%d, %c & %u) != 0;\n", target, vote[pick(p, 2)], mask, source, 1 + pick(p, 60));
        break;
    default: add(p, "%c += __%s_sync(m%d, %c & %u);\n", target, kind[pick(p, 7)], mask, source, 1 + pick(p, 60));
    }
}

/* A function of a tile, whose lanes that have not exited are all at this place. */
static void add_tile(program *p)
{
    const unsigned size = 4u << pick(p, 4);
    const char target = variable(p), source = variable(p);
    switch (pick(p, 4)) {
    case 0: add(p, "%c ^= tile_of<%u>().ballot(%c & %u);\n", target, size, source, 1 + pick(p, 7)); break;
    case 1: add(p, "%c += tile_of<%u>().any(%c %% %u == 1) != 0;\n", target, size, source, 2 + pick(p, 60)); break;
    case 2: add(p, "tile_of<%u>().sync();\n", size); break;
    default:
        add(p,
            "{ const auto tile = tile_of<%u>(); const unsigned live = tile.ballot(1), v = tile.shfl(%c, %u);\n"
            "if (live >> %u & 1) %c = %c * 3 + v; }\n",
            size, source, size - 3, size - 3, target, target);
    }
}

/* Lanes go two ways, each with the mask of those that go with them. */
static void add_ways(program *p, int depth, int mask)
{
    const int own = ++p->loops;
    const char by = variable(p);
    const unsigned bits = 1 + pick(p, 7);
    add(p, "const unsigned d%d = (%c ^ t) & %u, m%d = __ballot_sync(m%d, d%d), m%d = m%d & ~m%d;\nif (d%d)\n", own, by,
        bits, own, mask, own, own + 1, mask, own, own);
    p->loops++;
    add_block(p, depth, own);
    if (!pick(p, 2)) return;
    add(p, "else\n");
    add_block(p, depth, own + 1);
}

/* Lanes leave a loop one after another. */
static void add_lanes_loop(program *p, int depth, int mask)
{
    const int own = ++p->loops;
    add(p, "unsigned m%d = m%d;\nfor (unsigned i%d = 0;; i%d++) {\nm%d = __ballot_sync(m%d, i%d < (t & %u));\n", own,
        mask, own, own, own, own, own, 1 + pick(p, 3));
    add(p, "if (!(m%d >> lane & 1)) break;\n", own);
    add_statements(p, depth + 1, own);
    add(p, "}\n");
}

static void add_common(program *p, int depth, int mask)
{
    const char target = variable(p), source = variable(p);
    switch (pick(p, depth < MOST_DEPTH ? 13 : 7)) {
    case 0:
    case 1: add_shuffle(p, mask); break;
    case 2: add_vote(p, mask); break;
    case 3: add(p, "%c = sum_of(m%d, lane, %c);\n", target, mask, source); break;
    case 4: add(p, "%c += __activemask() >> lane & 1;\n", target); break;
    case 5:
        if (mask == 0)
            add(p, "s[t] = %c; __syncwarp(m0); %c ^= s[base + (lane + %u) %% w]; __syncwarp(m0);\n", source, target,
                pick(p, 40));
        else
            add(p, "__syncwarp(m%d);\n", mask);
        break;
    case 6:
        if (mask == 0)
            add_tile(p);
        else
            add(p, "%c = sum_of(m%d, lane, %c) + lane;\n", target, mask, source);
        break;
    case 7: add_ways(p, depth, mask); break;
    case 8: add_lanes_loop(p, depth, mask); break;
    case 9: {
        const int loop = ++p->loops;
        add(p, "for (unsigned i%d = 0; i%d < ((t / 32 + blockIdx.x) & %u); i%d++) {\n", loop, loop, 1 + pick(p, 3),
            loop);
        add_statements(p, depth + 1, mask);
        add(p, "%c += i%d;\n}\n", target, loop);
        break;
    }
    case 10:
        add(p, "if ((t / 32 ^ blockIdx.x) & %u)\n", 1 + pick(p, 3));
        add_block(p, depth, mask);
        if (pick(p, 2)) {
            add(p, "else\n");
            add_block(p, depth, mask);
        }
        break;
    case 11:
        add(p, "if (__any_sync(m%d, (%c & %u) == 1))\n", mask, source, 1 + pick(p, 31));
        add_block(p, depth, mask);
        break;
    default:
        if (p->has_exit) break;
        p->has_exit = true;
        add(p, "if (t %% 7 == %u) { out[g] = %c; return; }\n", pick(p, 7), source);
        break;
    }
}

static void add_statements(program *p, int depth, int mask)
{
    for (unsigned i = 1 + pick(p, 4); i > 0; i--) {
        if (pick(p, 3) == 0)
            add_own(p);
        else
            add_common(p, depth, mask);
    }
}

static void add_warp_kernel(program *p, int number)
{
    static const char *const all[] = {"~0u", "__activemask()", "__ballot_sync(~0u, 1)"};
    p->has_exit = false;
    p->loops = 0;
    add(p,
        "extern \"C\" __global__ void k%d(unsigned *out)\n{\n%s"
        "    unsigned a = t, b = t * 3 + 1, c = blockIdx.x, l[8] = {t, 1, 2, 3, 4, 5, 6, 7};\n"
        "    const unsigned m0 = %s;\n"
        "    s[t] = t; __syncthreads();\n",
        number, START LANE, all[pick(p, 3)]);
    for (int i = 0; i < 4; i++) {
        add_statements(p, 0, 0);
        if (pick(p, 2)) add(p, "__syncthreads(); s[t] = a; __syncthreads(); b += s[(t + 35) %% n]; __syncthreads();\n");
    }
    add(p, "for (int i = 0; i < 8; i++) a = a * 5 + l[i];\nout[g] = a ^ b * 3 ^ c * 7;\n}\n");
}

#endif
