/*
 * Mostly all threads of a block leave a region for the same next one. Where they do not, they go on in groups, each with
 * a frame of its own, until those that have not exited are all at a barrier; groups that have come to the same place with
 * the same frame are one again. So they go from the start if a schedule chooses who is first.
 */
#include "split_blocks.h"

#include "cpu/run/schedule.h"
#include "warp.h"

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
    kernel_error *error;
    uint64_t number; /* in linear order */
    unsigned block[3];
    unsigned threads;
    size_t frame_bytes;
    memory frames; /* one a group, and one more */
    memory slots;  /* begins with the regions that threads go to, then their predicates */
    memory local;
    int groups;
    group group[MOST_THREADS + 1]; /* one more while a group is taken apart */
} block_run;

static _Thread_local block_run *own_run;

const char *cpu_split_waits_at(const cpu_split *split)
{
    for (unsigned long region = 0; region < split->regions; region++)
        if (split->place[region].kind != ~0u) return cpu_wait_name((cpu_wait_kind)split->place[region].kind);
    return "__syncthreads";
}

static const unsigned char *next_of(const block_run *run) { return run->slots.start; }

static const unsigned char *predicates_of(const block_run *run) { return run->slots.start + CPU_SPLIT_STRIDE; }

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
    group *to[CPU_SPLIT_EXITED] = {NULL};
    for (unsigned t = 0; t < run->threads; t++) {
        const unsigned next = next_of(run)[t];
        if (!(threads[t / 64] >> t % 64 & 1) || next == CPU_SPLIT_EXITED) continue;
        if (!to[next]) to[next] = find_group(run, next, frame);
        if (!to[next]) to[next] = add_group(run, next, frame);
        add_thread(to[next], t);
    }
}

/* Runs a region for threads of one row, [first, end); where they go on stands in the slots then. */
static void run_row(block_run *run, const group *g, unsigned char *out, unsigned first, unsigned end)
{
    const unsigned width = run->launch->block[0], height = run->launch->block[1];
    const unsigned row = first / width, x = first % width, y = row % height, z = row / height;
    const unsigned range[] = {x, x + end - first, y, y + 1, z, z + 1, width, height};
    const unsigned next = run->split->run(g->region, g->frame, out, run->slots.start, run->local.start, range);
    if (next != CPU_SPLIT_APART) memset(run->slots.start + first, (int)next, end - first);
}

/* Runs the threads' region, those that follow each other in a row together. */
static void run_threads(block_run *run, const group *g, unsigned char *out)
{
    const unsigned width = run->launch->block[0];
    for (unsigned t = 0, end; t < run->threads; t = end) {
        for (end = t + 1; end % width != 0 && has_thread(g, end) == has_thread(g, t);) end++;
        if (has_thread(g, t)) run_row(run, g, out, t, end);
    }
}

/* The same one by one, in an order of the schedule's. */
static void run_shuffled_threads(block_run *run, const group *g, unsigned char *out)
{
    uint64_t factor, number;
    cpu_schedule_shuffle(&factor, &number, run->number * run->split->regions + g->region, run->threads);
    for (unsigned i = 0; i < run->threads; i++, number = (number + factor) % run->threads)
        if (has_thread(g, (unsigned)number)) run_row(run, g, out, (unsigned)number, (unsigned)number + 1);
}

static void step(block_run *run, int number)
{
    const group g = run->group[number];
    unsigned char *out = spare_frame(run);
    memcpy(out, g.frame, run->frame_bytes);
    (cpu_schedule_is_adversarial() ? run_shuffled_threads : run_threads)(run, &g, out);
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
    kernel_place at[MOST_THREADS] = {{0}};
    for (int i = 0; i < run->groups; i++) {
        for (unsigned t = 0; t < run->threads; t++)
            if (has_thread(&run->group[i], t)) at[t] = place_of(run, i);
    }
    kernel_error_stuck(run->error, run->kernel, run->block, KERNEL_AT_DIFFERENT_BARRIERS, at, run->threads);
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
            predicates += predicates_of(run)[t];
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
    for (unsigned t = 0; t < run->threads; t++) sum += predicates_of(run)[t];
    return sum;
}

/* Whether all threads go on with the same region. */
static bool agree(const block_run *run) { return memcmp(next_of(run), next_of(run) + 1, run->threads - 1) == 0; }

static bool run_block(block_run *run, const void *const *args)
{
    const unsigned *extent = run->launch->block, none[3] = {0};
    const unsigned range[] = {0, extent[0], 0, extent[1], 0, extent[2], extent[0], extent[1]};
    unsigned char *frame = spare_frame(run);
    memset(frame, 0, run->frame_bytes);
    run->split->begin(frame, args, run->launch, run->block, none);
    if (cpu_schedule_is_adversarial()) {
        memset(run->slots.start, 0, run->threads);
        return run_apart(run, frame);
    }
    for (unsigned region = 0; region != CPU_SPLIT_EXITED;) {
        region = run->split->run(region, frame, frame, run->slots.start, run->local.start, range);
        if (region == CPU_SPLIT_APART) {
            if (!agree(run)) return run_apart(run, frame);
            region = *next_of(run);
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

bool cpu_split_run(kernel_error *error, const cpu_kernel *kernel, const void *const *args, const cpu_launch *launch,
                   uint64_t first, uint64_t count)
{
    block_run *run = own_run ? own_run : (own_run = calloc(1, sizeof *run));
    if (run) {
        run->kernel = kernel;
        run->split = kernel->split;
        run->launch = launch;
        run->error = error;
        run->threads = launch->block[0] * launch->block[1] * launch->block[2];
    }
    if (!run || !prepare(run)) {
        error->status = LAB_ERROR_OUT_OF_MEMORY;
        snprintf(error->message, sizeof error->message, "kernel '%s': no host memory for the threads of a block",
                 kernel->name);
        return false;
    }
    for (uint64_t block = first; block < first + count; block++) {
        run->number = block;
        run->block[0] = (unsigned)(block % launch->grid[0]);
        run->block[1] = (unsigned)(block / launch->grid[0] % launch->grid[1]);
        run->block[2] = (unsigned)(block / launch->grid[0] / launch->grid[1]);
        if (!run_block(run, args)) return false;
    }
    return true;
}
