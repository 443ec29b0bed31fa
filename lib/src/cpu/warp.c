/* Barriers and warp operations, by CUDA C++ Programming Guide, "Synchronization Functions" and "Warp ... Functions". */
#include "warp.h"

#include <stddef.h>

/* What a shuffle gives that reads a lane which takes no part: undefined in CUDA, and a value that shows here. */
static const unsigned long long UNDEFINED = 0xffffffffffffffff;

static const struct {
    const char *name;
    bool of_block;
} kinds[] = {
    [CPU_WAIT_BARRIER] = {"__syncthreads", true},
    [CPU_WAIT_BARRIER_COUNT] = {"__syncthreads_count", true},
    [CPU_WAIT_BARRIER_AND] = {"__syncthreads_and", true},
    [CPU_WAIT_BARRIER_OR] = {"__syncthreads_or", true},
    [CPU_WAIT_SYNCWARP] = {"__syncwarp", false},
    [CPU_WAIT_ACTIVEMASK] = {"__activemask", false},
    [CPU_WAIT_ALL] = {"__all_sync", false},
    [CPU_WAIT_ANY] = {"__any_sync", false},
    [CPU_WAIT_BALLOT] = {"__ballot_sync", false},
    [CPU_WAIT_SHUFFLE] = {"__shfl_sync", false},
    [CPU_WAIT_SHUFFLE_UP] = {"__shfl_up_sync", false},
    [CPU_WAIT_SHUFFLE_DOWN] = {"__shfl_down_sync", false},
    [CPU_WAIT_SHUFFLE_XOR] = {"__shfl_xor_sync", false},
    [CPU_WAIT_MATCH_ANY] = {"__match_any_sync", false},
    [CPU_WAIT_MATCH_ALL] = {"__match_all_sync", false},
    [CPU_WAIT_REDUCE_AND] = {"__reduce_and_sync", false},
    [CPU_WAIT_REDUCE_OR] = {"__reduce_or_sync", false},
    [CPU_WAIT_REDUCE_XOR] = {"__reduce_xor_sync", false},
};

const char *cpu_wait_name(cpu_wait_kind kind) { return kinds[kind].name; }

bool cpu_wait_is_of_block(cpu_wait_kind kind) { return kinds[kind].of_block; }

/* The lane that a shuffle of `lane` reads: inside its own segment of `width` lanes, or its own where the source would
 * lie outside (up, down, xor beyond the segment's end). */
static unsigned source_lane(cpu_wait_kind kind, unsigned lane, unsigned argument, unsigned width)
{
    unsigned first = lane / width * width, offset = lane - first;
    switch (kind) {
    case CPU_WAIT_SHUFFLE: return first + argument % width;
    case CPU_WAIT_SHUFFLE_UP: return offset >= argument ? lane - argument : lane;
    case CPU_WAIT_SHUFFLE_DOWN: return argument < width - offset ? lane + argument : lane;
    /* A lower segment may be read, a higher one not. */
    default: return (lane ^ argument) < first + width ? lane ^ argument : lane;
    }
}

static unsigned long long shuffle(cpu_wait *const wait[], unsigned lane)
{
    const cpu_wait *own = wait[lane];
    unsigned width = own->width >= 1 && own->width <= CPU_WARP_LANES ? (unsigned)own->width : CPU_WARP_LANES;
    unsigned from = source_lane(own->kind, lane, own->argument & (CPU_WARP_LANES - 1), width);
    return from < CPU_WARP_LANES && wait[from] ? wait[from]->value : UNDEFINED;
}

/* The lanes whose value equals that of `lane`. */
static unsigned equal_lanes(cpu_wait *const wait[], unsigned lane)
{
    unsigned equal = 0;
    for (unsigned other = 0; other < CPU_WARP_LANES; other++)
        if (wait[other] && wait[other]->value == wait[lane]->value) equal |= 1u << other;
    return equal;
}

/* What the values of all lanes together give. */
typedef struct votes {
    unsigned members, set; /* lanes that take part; of them those whose value is not 0 */
    unsigned all_and, all_or, all_xor;
} votes;

static votes gather(cpu_wait *const wait[])
{
    votes of = {.all_and = 0xffffffff};
    for (unsigned lane = 0; lane < CPU_WARP_LANES; lane++) {
        if (!wait[lane]) continue;
        unsigned value = (unsigned)wait[lane]->value;
        of.members |= 1u << lane;
        if (value) of.set |= 1u << lane;
        of.all_and &= value;
        of.all_or |= value;
        of.all_xor ^= value;
    }
    return of;
}

static unsigned long long result_of(cpu_wait *const wait[], unsigned lane, votes of)
{
    cpu_wait *own = wait[lane];
    switch (own->kind) {
    case CPU_WAIT_ACTIVEMASK: return of.members;
    case CPU_WAIT_ALL: return of.set == of.members;
    case CPU_WAIT_ANY: return of.set != 0;
    case CPU_WAIT_BALLOT: return of.set;
    case CPU_WAIT_SHUFFLE:
    case CPU_WAIT_SHUFFLE_UP:
    case CPU_WAIT_SHUFFLE_DOWN:
    case CPU_WAIT_SHUFFLE_XOR: return shuffle(wait, lane);
    case CPU_WAIT_MATCH_ANY: return equal_lanes(wait, lane);
    case CPU_WAIT_MATCH_ALL:
        own->all_equal = equal_lanes(wait, lane) == of.members;
        return own->all_equal ? of.members : 0;
    case CPU_WAIT_REDUCE_AND: return of.all_and;
    case CPU_WAIT_REDUCE_OR: return of.all_or;
    case CPU_WAIT_REDUCE_XOR: return of.all_xor;
    default: return 0;
    }
}

void cpu_warp_complete(cpu_wait *const wait[CPU_WARP_LANES])
{
    votes of = gather(wait);
    for (unsigned lane = 0; lane < CPU_WARP_LANES; lane++)
        if (wait[lane]) wait[lane]->result = result_of(wait, lane, of);
}

void cpu_barrier_complete(cpu_wait *const wait[], unsigned count)
{
    unsigned there = 0, set = 0;
    for (unsigned thread = 0; thread < count; thread++) {
        if (!wait[thread]) continue;
        there++;
        set += wait[thread]->value != 0;
    }
    for (unsigned thread = 0; thread < count; thread++) {
        if (!wait[thread]) continue;
        cpu_wait_kind kind = wait[thread]->kind;
        wait[thread]->result = kind == CPU_WAIT_BARRIER_COUNT ? set : kind == CPU_WAIT_BARRIER_AND ? set == there : set > 0;
    }
}
