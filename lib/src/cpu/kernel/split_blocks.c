/* Mostly, all threads of a block leave a region for the same next one, or some exit and the others are a smaller box,
 * or all warps go from barrier to barrier. Where none of that is so they go on apart, up to a barrier behind which they
 * are together again. Where a schedule shuffles them they are always apart. */
#include "split_blocks.h"

#include "split_apart.h"

#include <stdlib.h>
#include <string.h>

/* The block that a host thread runs. */
typedef struct block_run {
    split_run block;
    split_apart apart;
} block_run;

static _Thread_local block_run *own_run;

/* The threads of a block that go on together: part of its box, when all others have exited. */
typedef struct box {
    unsigned first[3], end[3], threads;
} box;

static unsigned thread_at(const split_run *block, unsigned x, unsigned y, unsigned z)
{
    const unsigned *extent = block->launch->block;
    return (z * extent[1] + y) * extent[0] + x;
}

static unsigned count_predicates(const split_run *block, const box *b)
{
    unsigned sum = 0;
    for (unsigned z = b->first[2]; z < b->end[2]; z++)
        for (unsigned y = b->first[1]; y < b->end[1]; y++)
            for (unsigned x = b->first[0]; x < b->end[0]; x++)
                sum += split_run_slots(block)->predicate[thread_at(block, x, y, z)];
    return sum;
}

static box whole_box(const split_run *block)
{
    const unsigned *extent = block->launch->block;
    return (box){.end = {extent[0], extent[1], extent[2]}, .threads = block->threads};
}

static void add_thread(box *b, unsigned x, unsigned y, unsigned z)
{
    const unsigned at[] = {x, y, z};
    for (int i = 0; i < 3; i++) {
        if (b->threads == 0 || at[i] < b->first[i]) b->first[i] = at[i];
        if (b->threads == 0 || at[i] >= b->end[i]) b->end[i] = at[i] + 1;
    }
    b->threads++;
}

static bool is_full(const box *b)
{
    return b->threads == (b->end[0] - b->first[0]) * (b->end[1] - b->first[1]) * (b->end[2] - b->first[2]);
}

/* Leaves out the threads that exit. Whether all others are a box and continue with the same region, which is then
 * *next. */
static bool narrow(box *b, unsigned *next, const split_run *block)
{
    const unsigned char *own = split_run_slots(block)->next;
    box left = {.threads = 0};
    *next = CPU_SPLIT_EXITED;
    for (unsigned z = b->first[2]; z < b->end[2]; z++)
        for (unsigned y = b->first[1]; y < b->end[1]; y++)
            for (unsigned x = b->first[0]; x < b->end[0]; x++) {
                const unsigned way = own[thread_at(block, x, y, z)];
                if (way == CPU_SPLIT_EXITED) continue;
                if (left.threads && way != *next) return false;
                *next = way;
                add_thread(&left, x, y, z);
            }
    *b = left;
    return is_full(b);
}

/* Whether all threads of the block go on with the same region. */
static bool agree(const split_run *block)
{
    const unsigned char *next = split_run_slots(block)->next;
    return memcmp(next, next + 1, block->threads - 1) == 0;
}

static bool run_together(block_run *run, unsigned char *frame)
{
    split_run *block = &run->block;
    const unsigned *extent = block->launch->block;
    box b = whole_box(block);
    for (unsigned region = 0; region != CPU_SPLIT_EXITED;) {
        const unsigned range[] = {b.first[0], b.end[0],   b.first[1],
                                  b.end[1],   b.first[2], b.end[2],
                                  extent[0],  extent[1],  (unsigned)CPU_SPLIT_NO_WARP};
        region = block->split->run(region, frame, frame, block->slots.start, block->local.start, range);
        if (region == CPU_SPLIT_APART) {
            if (b.threads == block->threads && agree(block))
                region = *split_run_slots(block)->next;
            else if (!narrow(&b, &region, block)) {
                if (!split_apart_go_on(&run->apart, block, frame, &region)) return false;
                b = whole_box(block);
                continue;
            }
        }
        if (region == CPU_SPLIT_EXITED) continue;
        const unsigned kind = split_run_wait(block, region);
        if (kind != ~0u && kind != CPU_WAIT_BARRIER)
            split_run_set_result(frame, kind, b.threads, count_predicates(block, &b));
        if (kind != ~0u) split_run_tell_barrier(block, region);
    }
    return true;
}

/* Runs a region for a whole warp, which lies in a row of the block. The next one is also in its slots. */
static unsigned run_warp(const split_run *block, unsigned region, unsigned warp)
{
    const unsigned first = warp * CPU_WARP_LANES, width = block->launch->block[0], height = block->launch->block[1];
    const unsigned row = first / width, x = first % width, y = row % height, z = row / height;
    const unsigned range[] = {x, x + CPU_WARP_LANES, y, y + 1, z, z + 1, width, height, first};
    unsigned char *frame = split_apart_frame(block, warp);
    const unsigned next = block->split->run(region, frame, frame, block->slots.start, block->local.start, range);
    if (next != CPU_SPLIT_APART) memset(split_run_slots(block)->next + first, (int)next, CPU_WARP_LANES);
    return next;
}

/* Runs whole warps to the next barrier and all at once through it, as long as none of them goes another way or waits
 * for the library. */
static bool run_whole_warps(block_run *run, unsigned char *frame)
{
    const split_run *block = &run->block;
    const unsigned warps = block->threads / CPU_WARP_LANES;
    for (unsigned w = 0; w < warps; w++) memcpy(split_apart_frame(block, w), frame, block->frame_bytes);
    for (unsigned region = 0, next; region != CPU_SPLIT_EXITED; region = next) {
        next = run_warp(block, region, 0);
        bool same = next != CPU_SPLIT_APART && (next == CPU_SPLIT_EXITED || split_run_waits_in_block(block, next));
        for (unsigned w = 1; w < warps; w++) same = run_warp(block, region, w) == next && same;
        if (!same) {
            if (!split_apart_go_on(&run->apart, &run->block, NULL, &next)) return false;
            continue;
        }
        if (next == CPU_SPLIT_EXITED) continue;
        split_run_tell_barrier(block, next);
        if (split_run_wait(block, next) == CPU_WAIT_BARRIER) continue;
        const box all = whole_box(block);
        const unsigned predicates = count_predicates(block, &all);
        for (unsigned w = 0; w < warps; w++)
            split_run_set_result(split_apart_frame(block, w), split_run_wait(block, next), block->threads, predicates);
    }
    return true;
}

static block_run *find_own_run(void)
{
    if (own_run) return own_run;
    own_run = calloc(1, sizeof *own_run);
    if (own_run) split_apart_prepare(&own_run->apart);
    return own_run;
}

static bool waits_in_warps(const cpu_split *split)
{
    for (unsigned long i = 0; i < split->regions; i++)
        if (split->place[i].kind != ~0u && split->place[i].kind >= CPU_WAIT_SYNCWARP) return true;
    return false;
}

static bool has_syncwarps(const cpu_split *split)
{
    for (unsigned long i = 0; i < split->regions; i++)
        if (split->place[i].kind == CPU_WAIT_SYNCWARP) return true;
    return false;
}

/* Whether the threads go on apart, so that each operation of a warp and each exit is told of. */
static bool is_watched_apart(const kernel_watch *watch, const cpu_split *split)
{
    if (!watch) return false;
    return watch->exited || (watch->warp && waits_in_warps(split) && (!watch->syncwarps_alone || has_syncwarps(split)));
}

/* How a block runs, given its first frame. */
typedef bool (*way_to_run)(block_run *run, unsigned char *frame);

static bool run_apart(block_run *run, unsigned char *frame) { return split_apart_run(&run->apart, &run->block, frame); }

static way_to_run find_way(const kernel_blocks *blocks)
{
    if (blocks->shuffle_seed || is_watched_apart(blocks->watch, blocks->kernel->split)) return run_apart;
    if (!waits_in_warps(blocks->kernel->split)) return run_together;
    return blocks->launch->block[0] % CPU_WARP_LANES == 0 ? run_whole_warps : run_apart;
}

bool cpu_split_blocks_hold(uintptr_t address)
{
    const split_memory *local = own_run ? &own_run->block.local : NULL;
    return local && address - (uintptr_t)local->start < local->bytes;
}

bool cpu_split_blocks_hold_for(unsigned thread, uintptr_t address, size_t bytes)
{
    const split_run *block = own_run ? &own_run->block : NULL;
    const uintptr_t offset = block ? address - (uintptr_t)block->local.start - thread * block->local_bytes : 0;
    return block && offset < block->local_bytes && bytes <= block->local_bytes - offset;
}

bool cpu_split_blocks_run(kernel_error *error, const kernel_blocks *blocks)
{
    block_run *run = find_own_run();
    if (!run) return split_run_no_memory(error, blocks->kernel);
    if (!split_run_prepare(&run->block, error, blocks, SPLIT_APART_FRAMES)) return false;
    const way_to_run way = find_way(blocks);
    for (uint64_t block = blocks->first; block < blocks->first + blocks->count; block++) {
        unsigned char *frame = split_run_frame(&run->block, SPLIT_BLOCK_FRAME);
        split_run_begin(&run->block, frame, block, blocks->args);
        if (!way(run, frame)) return false;
    }
    return true;
}
