/*
 * One block of a split kernel: its memory, and a region for some of its threads. Independent of which threads go on
 * together, and of what they wait for.
 */
#ifndef LAB_CPU_KERNEL_SPLIT_RUN_H
#define LAB_CPU_KERNEL_SPLIT_RUN_H

#include "kernel_blocks.h"

#include <stddef.h>

enum {
    SPLIT_SPARE_FRAME, /* holds nothing between two calls */
    SPLIT_BLOCK_FRAME, /* of all threads, as long as they go on together */
    SPLIT_MORE_FRAMES
};

/* Memory that a host thread keeps from block to block, in cache lines. */
typedef struct split_memory {
    unsigned char *start;
    size_t bytes;
} split_memory;

/* The block that a host thread runs. */
typedef struct split_run {
    const cpu_kernel *kernel;
    const cpu_split *split;
    const cpu_launch *launch;
    const uint64_t *shuffle_seed;
    const kernel_watch *watch;
    kernel_error *error;
    uint64_t number; /* in linear order */
    unsigned block[3];
    unsigned threads;
    size_t frame_bytes, local_bytes; /* of a frame; of a thread's local memory */
    split_memory frames, slots, local;
} split_run;

/* Makes the run ready for the launch's blocks, with memory for that many frames. False, with *error
 * filled in, when memory runs out. */
bool split_run_prepare(split_run *run, kernel_error *error, const kernel_blocks *blocks, size_t frames);

/* Says that there is no memory. False. */
bool split_run_no_memory(kernel_error *error, const cpu_kernel *kernel);

/* Begins a block: its frame then has the arguments. */
void split_run_begin(split_run *run, unsigned char *frame, uint64_t block, const void *const *args);

/* Runs a region for threads [first, end). The frames may be the same. Returns the next region of all of them, or
 * CPU_SPLIT_APART; cpu_split_slots.next has it for each. */
unsigned split_run_threads(split_run *run, unsigned region, const unsigned char *frame, unsigned char *next_frame,
                           unsigned first, unsigned end);

/* Clears what no thread reads any more from a region on that is behind a barrier of the block. */
void split_run_clear(const split_run *run, unsigned region, unsigned char *frame);

static inline unsigned char *split_run_frame(const split_run *run, size_t number)
{
    return run->frames.start + number * run->frame_bytes;
}

static inline cpu_split_slots *split_run_slots(const split_run *run) { return (void *)run->slots.start; }

/* The kind of the wait before a region, a cpu_wait_kind; ~0u if there is none. */
static inline unsigned split_run_wait(const split_run *run, unsigned region) { return run->split->place[region].kind; }

static inline bool split_run_waits(const split_run *run, unsigned region) { return split_run_wait(run, region) != ~0u; }

/* Whether it is a barrier of the block. */
static inline bool split_run_waits_in_block(const split_run *run, unsigned region)
{
    return split_run_wait(run, region) < CPU_WAIT_SYNCWARP;
}

/* Where threads wait that go on with a region. */
kernel_place split_run_place(const split_run *run, unsigned region);

/* Tells the watch that all threads passed the barrier before a region. */
static inline void split_run_tell_barrier(const split_run *run, unsigned region)
{
    const kernel_place place = split_run_place(run, region);
    if (run->watch) run->watch->barrier(run->watch->user, &place);
}

/* Puts the result of a barrier into a frame, given how many threads have come, and how many of their predicates are not
 * 0. */
void split_run_set_result(unsigned char *frame, unsigned kind, unsigned threads, unsigned predicates);

#endif
