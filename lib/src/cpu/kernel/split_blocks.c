/*
 * Mostly, all threads of a block leave a region for the same next one. Where they do not, they go on in groups, each
 * with a frame of its own, until all that have not exited are at a barrier. Groups that have come to the same place
 * with the same frame become one again. In a shuffled order, threads go on in groups from the start.
 */
#include "split_blocks.h"

#include "base/shuffle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024, WORDS = MOST_THREADS / 64, LINE = 64 };

typedef struct group {
    unsigned region;
    bool waits; /* at the barrier before it */
    unsigned char *frame;
    uint64_t threads[WORDS];
} group;

/* Memory that a host thread keeps from block to block, in cache lines. */
typedef struct memory {
    unsigned char *start;
    size_t bytes;
} memory;

/* The block that a host thread runs. */
typedef struct block_run {
    const cpu_kernel *kernel;
    const cpu_split *split;
    const cpu_launch *launch;
    const uint64_t *shuffle_seed;
    kernel_error *error;
    uint64_t number; /* in linear order */
    unsigned block[3];
    unsigned threads;
    size_t frame_bytes;
    memory frames; /* one for each group, and one more */
    memory slots;  /* begins with the regions that threads go to, followed by their predicates */
    memory local;
    int groups;
    group group[MOST_THREADS + 1]; /* one more while a group is taken apart */
} block_run;

static _Thread_local block_run *own_run;

static const unsigned char *next_regions(const block_run *run) { return run->slots.start; }

static const unsigned char *thread_predicates(const block_run *run) { return run->slots.start + CPU_SPLIT_STRIDE; }

static unsigned char *spare_frame(const block_run *run) { return run->frames.start + MOST_THREADS * run->frame_bytes; }

/* ---- barriers ---- */

static bool has_barrier(const block_run *run, unsigned region) { return run->split->place[region].kind != ~0u; }

static unsigned barrier_result(unsigned kind, unsigned threads, unsigned predicates)
{
    if (kind == CPU_WAIT_BARRIER_AND) return predicates == threads;
    return kind == CPU_WAIT_BARRIER_COUNT ? predicates : predicates > 0;
}

/* A frame begins with the result of the last barrier. */
static void set_result(unsigned char *frame, unsigned result) { memcpy(frame, &result, sizeof result); }

/* ---- threads in groups ---- */

static bool has_thread(const group *g, unsigned t) { return g->threads[t / 64] >> t % 64 & 1; }

static void add_thread(group *g, unsigned t) { g->threads[t / 64] |= UINT64_C(1) << t % 64; }

static group *add_group(block_run *run, unsigned region, const unsigned char *frame)
{
    group *made = &run->group[run->groups];
    unsigned char *own = made->frame;
    *made = (group){.region = region, .waits = has_barrier(run, region), .frame = own};
    memcpy(own, frame, run->frame_bytes);
    run->groups++;
    return made;
}

static group *find_group(block_run *run, unsigned region, const unsigned char *frame)
{
    for (int i = 0; i < run->groups; i++) {
        group *g = &run->group[i];
        if (g->region == region && g->waits == has_barrier(run, region) && !memcmp(g->frame, frame, run->frame_bytes))
            return g;
    }
    return NULL;
}

static void remove_group(block_run *run, int number)
{
    const group removed = run->group[number];
    run->group[number] = run->group[--run->groups];
    run->group[run->groups] = removed; /* its frame stays in the array */
}

/* Each thread of the set joins the group that goes where it goes. */
static void regroup(block_run *run, const uint64_t threads[WORDS], const unsigned char *frame)
{
    group *joined[CPU_SPLIT_EXITED] = {NULL};
    for (unsigned t = 0; t < run->threads; t++) {
        const unsigned next = next_regions(run)[t];
        if (!(threads[t / 64] >> t % 64 & 1) || next == CPU_SPLIT_EXITED) continue;
        if (!joined[next]) joined[next] = find_group(run, next, frame);
        if (!joined[next]) joined[next] = add_group(run, next, frame);
        add_thread(joined[next], t);
    }
}

/* Runs a region for threads [first, end) of one row. The slots then tell where they go on. */
static void run_row(block_run *run, const group *g, unsigned char *out, unsigned first, unsigned end)
{
    const unsigned width = run->launch->block[0], height = run->launch->block[1];
    const unsigned row = first / width, x = first % width, y = row % height, z = row / height;
    const unsigned range[] = {x, x + end - first, y, y + 1, z, z + 1, width, height};
    const unsigned next = run->split->run(g->region, g->frame, out, run->slots.start, run->local.start, range);
    if (next != CPU_SPLIT_APART) memset(run->slots.start + first, (int)next, end - first);
}

/* Runs the region of the group's threads, neighbours in a row together. */
static void run_threads(block_run *run, const group *g, unsigned char *out)
{
    const unsigned width = run->launch->block[0];
    for (unsigned t = 0, end; t < run->threads; t = end) {
        for (end = t + 1; end % width != 0 && has_thread(g, end) == has_thread(g, t);) end++;
        if (has_thread(g, t)) run_row(run, g, out, t, end);
    }
}

/* The same one by one, in a shuffled order. */
static void run_shuffled_threads(block_run *run, const group *g, unsigned char *out)
{
    const uint64_t turn = run->number * run->split->regions + g->region;
    const shuffle order = shuffle_by_seed(*run->shuffle_seed, turn, run->threads);
    for (unsigned i = 0; i < run->threads; i++) {
        const unsigned t = (unsigned)shuffle_at(&order, i);
        if (has_thread(g, t)) run_row(run, g, out, t, t + 1);
    }
}

static void step(block_run *run, int number)
{
    const group g = run->group[number];
    unsigned char *out = spare_frame(run);
    memcpy(out, g.frame, run->frame_bytes);
    (run->shuffle_seed ? run_shuffled_threads : run_threads)(run, &g, out);
    remove_group(run, number);
    regroup(run, g.threads, out);
}

/* Where a group waits. */
static kernel_place place_of(const block_run *run, int number)
{
    const cpu_split_place *place = &run->split->place[run->group[number].region];
    return (kernel_place){place->file, place->line, (cpu_wait_kind)place->kind};
}

static bool fail_at_different(block_run *run)
{
    kernel_place place[MOST_THREADS] = {{0}};
    for (int i = 0; i < run->groups; i++) {
        for (unsigned t = 0; t < run->threads; t++)
            if (has_thread(&run->group[i], t)) place[t] = place_of(run, i);
    }
    kernel_error_stuck(run->error, run->kernel, run->block, KERNEL_AT_DIFFERENT_BARRIERS, place, run->threads);
    return false;
}

/* All threads that have not exited wait. */
static bool complete_barrier(block_run *run)
{
    const kernel_place place = place_of(run, 0);
    unsigned threads = 0, predicates = 0;
    for (int i = 0; i < run->groups; i++) {
        const kernel_place other = place_of(run, i);
        if (!kernel_place_equal(&place, &other)) return fail_at_different(run);
        for (unsigned t = 0; t < run->threads; t++) {
            if (!has_thread(&run->group[i], t)) continue;
            threads++;
            predicates += thread_predicates(run)[t];
        }
    }
    for (int i = 0; i < run->groups; i++) {
        set_result(run->group[i].frame, barrier_result(place.kind, threads, predicates));
        run->group[i].waits = false;
    }
    return true;
}

static int find_running(const block_run *run)
{
    for (int i = 0; i < run->groups; i++)
        if (!run->group[i].waits) return i;
    return -1;
}

/* Goes on in groups, from the regions in the slots to the end of the block. */
static bool run_apart(block_run *run, const unsigned char *frame)
{
    uint64_t all[WORDS];
    memset(all, 0xff, sizeof all);
    run->groups = 0;
    regroup(run, all, frame);
    while (run->groups) {
        const int running = find_running(run);
        if (running >= 0)
            step(run, running);
        else if (!complete_barrier(run))
            return false;
    }
    return true;
}

/* ---- blocks ---- */

static unsigned count_predicates(const block_run *run)
{
    unsigned sum = 0;
    for (unsigned t = 0; t < run->threads; t++) sum += thread_predicates(run)[t];
    return sum;
}

/* Whether all threads go on with the same region. */
static bool agree(const block_run *run)
{
    return memcmp(next_regions(run), next_regions(run) + 1, run->threads - 1) == 0;
}

static bool run_block(block_run *run, const void *const *args)
{
    const unsigned *extent = run->launch->block, none[3] = {0};
    const unsigned range[] = {0, extent[0], 0, extent[1], 0, extent[2], extent[0], extent[1]};
    unsigned char *frame = spare_frame(run);
    memset(frame, 0, run->frame_bytes);
    run->split->begin(frame, args, run->launch, run->block, none);
    if (run->shuffle_seed) {
        memset(run->slots.start, 0, run->threads);
        return run_apart(run, frame);
    }
    for (unsigned region = 0; region != CPU_SPLIT_EXITED;) {
        region = run->split->run(region, frame, frame, run->slots.start, run->local.start, range);
        if (region == CPU_SPLIT_APART) {
            if (!agree(run)) return run_apart(run, frame);
            region = *next_regions(run);
        }
        if (region == CPU_SPLIT_EXITED || !has_barrier(run, region)) continue;
        const unsigned kind = run->split->place[region].kind;
        if (kind != CPU_WAIT_BARRIER) set_result(frame, barrier_result(kind, run->threads, count_predicates(run)));
    }
    return true;
}

/* ---- memory ---- */

static bool reserve(memory *m, size_t bytes)
{
    if (m->bytes >= bytes) return true;
    free(m->start);
    bytes = (bytes + LINE - 1) / LINE * LINE;
    void *start = NULL;
    *m = (memory){0};
    if (posix_memalign(&start, LINE, bytes) != 0) return false;
    *m = (memory){start, bytes};
    return true;
}

static bool prepare(block_run *run)
{
    unsigned long bytes[3];
    run->split->sizes(bytes);
    run->frame_bytes = (bytes[0] + LINE - 1) / LINE * LINE;
    if (!reserve(&run->frames, (MOST_THREADS + 2) * run->frame_bytes) || !reserve(&run->slots, bytes[1]) ||
        !reserve(&run->local, bytes[2] * run->threads + LINE))
        return false;
    for (int i = 0; i <= MOST_THREADS; i++)
        run->group[i].frame = run->frames.start + (size_t)(i < MOST_THREADS ? i : i + 1) * run->frame_bytes;
    return true;
}

bool cpu_split_blocks_run(kernel_error *error, const kernel_blocks *blocks)
{
    block_run *run = own_run ? own_run : (own_run = calloc(1, sizeof *run));
    if (run) {
        run->kernel = blocks->kernel;
        run->split = blocks->kernel->split;
        run->launch = blocks->launch;
        run->shuffle_seed = blocks->shuffle_seed;
        run->error = error;
        run->threads = kernel_block_threads(blocks->launch);
    }
    if (!run || !prepare(run)) {
        error->status = LAB_ERROR_OUT_OF_MEMORY;
        snprintf(error->message, sizeof error->message, "kernel '%s': no host memory for the threads of a block",
                 blocks->kernel->name);
        return false;
    }
    for (uint64_t block = blocks->first; block < blocks->first + blocks->count; block++) {
        run->number = block;
        kernel_block_index(run->block, block, run->launch);
        if (!run_block(run, blocks->args)) return false;
    }
    return true;
}
