/* Slots and local memory are a thread's own, so that only frames are needed more than once. */
#include "split_run.h"

#include "cpu/builtins/warp_lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

static bool reserve(split_memory *m, size_t bytes)
{
    if (m->bytes >= bytes) return true;
    free(m->start);
    bytes = (bytes + LINE - 1) / LINE * LINE;
    void *start = NULL;
    *m = (split_memory){0};
    if (posix_memalign(&start, LINE, bytes) != 0) return false;
    *m = (split_memory){start, bytes};
    return true;
}

bool split_run_no_memory(kernel_error *error, const cpu_kernel *kernel)
{
    error->status = LAB_ERROR_OUT_OF_MEMORY;
    snprintf(error->message, sizeof error->message, "kernel '%s': no host memory for the threads of a block",
             kernel->name);
    return false;
}

bool split_run_prepare(split_run *run, kernel_error *error, const kernel_blocks *blocks, size_t frames)
{
    unsigned long bytes[3];
    run->kernel = blocks->kernel;
    run->split = blocks->kernel->split;
    run->launch = blocks->launch;
    run->shuffle_seed = blocks->shuffle_seed;
    run->watch = blocks->watch;
    run->error = error;
    run->threads = kernel_block_threads(blocks->launch);
    run->split->sizes(bytes);
    run->frame_bytes = (bytes[0] + LINE - 1) / LINE * LINE;
    run->local_bytes = bytes[2];
    if (reserve(&run->frames, frames * run->frame_bytes) && reserve(&run->slots, bytes[1]) &&
        reserve(&run->local, bytes[2] * run->threads + LINE))
        return true;
    return split_run_no_memory(error, run->kernel);
}

void split_run_begin(split_run *run, unsigned char *frame, uint64_t block, const void *const *args)
{
    static const unsigned none[3];
    run->number = block;
    kernel_block_index(run->block, block, run->launch);
    memset(frame, 0, run->frame_bytes);
    run->split->begin(frame, args, run->launch, run->block, none);
}

/* The end of the threads from `begin` on that one call can run: a part of a row, or whole rows of a plane. */
static unsigned find_end(const split_run *run, unsigned begin, unsigned end)
{
    const unsigned width = run->launch->block[0], plane = width * run->launch->block[1];
    const unsigned row_end = begin - begin % width + width, plane_end = begin - begin % plane + plane;
    const unsigned last = end < plane_end ? end : plane_end;
    if (last <= row_end || begin % width) return last < row_end ? last : row_end;
    return last - last % width;
}

unsigned split_run_threads(split_run *run, unsigned region, const unsigned char *frame, unsigned char *next_frame,
                           unsigned first, unsigned end)
{
    const unsigned width = run->launch->block[0], height = run->launch->block[1];
    unsigned all = CPU_SPLIT_EXITED;
    for (unsigned begin = first, stop; begin < end; begin = stop) {
        stop = find_end(run, begin, end);
        if (begin == first && stop < end && frame == next_frame)
            frame = memcpy(split_run_frame(run, SPLIT_SPARE_FRAME), frame, run->frame_bytes);
        const unsigned row = begin / width, x = begin % width, y = row % height, z = row / height;
        const unsigned rows = (stop - begin + width - 1) / width, columns = rows > 1 ? width : stop - begin;
        const bool is_warp = stop - begin == CPU_WARP_LANES && (begin | x) % CPU_WARP_LANES == 0 && rows == 1;
        const bool whole = is_warp && frame == next_frame && !(run->watch && run->watch->warp);
        const unsigned warp = whole ? begin : (unsigned)CPU_SPLIT_NO_WARP;
        const unsigned range[] = {x, x + columns, y, y + rows, z, z + 1, width, height, warp};
        const unsigned next = run->split->run(region, frame, next_frame, run->slots.start, run->local.start, range);
        all = begin == first || all == next ? next : CPU_SPLIT_APART;
        if (next != CPU_SPLIT_APART) memset(run->slots.start + begin, (int)next, stop - begin);
    }
    return all;
}

void split_run_clear(const split_run *run, unsigned region, unsigned char *frame)
{
    const unsigned *extent = run->launch->block;
    const unsigned none[] = {0, 0, 0, 0, 0, 0, extent[0], extent[1], (unsigned)CPU_SPLIT_NO_WARP};
    run->split->run(region, frame, frame, run->slots.start, run->local.start, none);
}

kernel_place split_run_place(const split_run *run, unsigned region)
{
    const cpu_split_place *place = &run->split->place[region];
    return (kernel_place){place->file, place->line, (cpu_wait_kind)place->kind};
}

void split_run_set_result(unsigned char *frame, unsigned kind, unsigned threads, unsigned predicates)
{
    const unsigned result = kind == CPU_WAIT_BARRIER_AND     ? predicates == threads
                            : kind == CPU_WAIT_BARRIER_COUNT ? predicates
                                                             : predicates > 0;
    memcpy(frame, &result, sizeof result); /* a frame begins with it */
}
