/* By the CUDA C++ Programming Guide, "Warp Vote", "Match", "Reduce" and "Shuffle Functions". */
#include "warp.h"

#include <stddef.h>

/* The result of a shuffle that reads a lane outside the operation: undefined in CUDA, and a conspicuous value here. */
static const unsigned long long UNDEFINED = 0xffffffffffffffff;

/* The lowest lane of a set, and the set without it. */
static unsigned lowest(uint32_t lanes) { return (unsigned)__builtin_ctz(lanes); }
static uint32_t without_lowest(uint32_t lanes) { return lanes & (lanes - 1); }

/* The lane that a shuffle of `lane` reads: inside its own segment of `width` lanes, or the lane itself where the source
 * would lie outside (up, down, xor beyond the segment's end). */
static unsigned source_lane(cpu_wait_kind kind, unsigned lane, unsigned argument, unsigned width)
{
    const unsigned first = lane & ~(width - 1), offset = lane - first;
    switch (kind) {
    case CPU_WAIT_SHUFFLE: return first + (argument & (width - 1));
    case CPU_WAIT_SHUFFLE_UP: return offset >= argument ? lane - argument : lane;
    case CPU_WAIT_SHUFFLE_DOWN: return argument < width - offset ? lane + argument : lane;
    /* A lower segment may be read, a higher one not. */
    default: return (lane ^ argument) < first + width ? lane ^ argument : lane;
    }
}

/* A width other than a power of two up to 32 is undefined in CUDA. Here it is the power of two below it. */
static unsigned segment_width(int width)
{
    if (width < 1 || width > CPU_WARP_LANES) return CPU_WARP_LANES;
    return 1u << (31 - __builtin_clz((unsigned)width));
}

bool cpu_warp_source(unsigned *source, const cpu_wait *wait, unsigned lane)
{
    if (wait->kind < CPU_WAIT_SHUFFLE || wait->kind > CPU_WAIT_SHUFFLE_XOR) return false;
    *source = source_lane(wait->kind, lane, wait->argument & (CPU_WARP_LANES - 1), segment_width(wait->width));
    return *source != lane;
}

static void shuffle(cpu_wait *const wait[], uint32_t members)
{
    for (uint32_t lanes = members; lanes; lanes = without_lowest(lanes)) {
        unsigned source = lowest(lanes);
        cpu_wait *own = wait[source];
        cpu_warp_source(&source, own, source);
        own->result = members >> source & 1 ? wait[source]->value : UNDEFINED;
    }
}

/* The lanes whose value equals that of `lane`. */
static uint32_t equal_lanes(cpu_wait *const wait[], uint32_t members, unsigned lane)
{
    uint32_t equal = 0;
    for (uint32_t lanes = members; lanes; lanes = without_lowest(lanes))
        if (wait[lowest(lanes)]->value == wait[lane]->value) equal |= 1u << lowest(lanes);
    return equal;
}

static unsigned reduce(cpu_wait *const wait[], uint32_t members, cpu_wait_kind kind)
{
    unsigned result = (unsigned)wait[lowest(members)]->value;
    for (uint32_t lanes = without_lowest(members); lanes; lanes = without_lowest(lanes)) {
        const unsigned value = (unsigned)wait[lowest(lanes)]->value;
        switch (kind) {
        case CPU_WAIT_REDUCE_AND: result &= value; break;
        case CPU_WAIT_REDUCE_OR: result |= value; break;
        case CPU_WAIT_REDUCE_XOR: result ^= value; break;
        case CPU_WAIT_REDUCE_ADD: result += value; break;
        case CPU_WAIT_REDUCE_MIN: result = value < result ? value : result; break;
        default: result = value > result ? value : result; break;
        }
    }
    return result;
}

/* The members whose value is not 0. */
static uint32_t voters(cpu_wait *const wait[], uint32_t members)
{
    uint32_t set = 0;
    for (uint32_t lanes = members; lanes; lanes = without_lowest(lanes))
        if (wait[lowest(lanes)]->value) set |= 1u << lowest(lanes);
    return set;
}

static void give_all(cpu_wait *const wait[], uint32_t members, unsigned result)
{
    for (uint32_t lanes = members; lanes; lanes = without_lowest(lanes)) wait[lowest(lanes)]->result = result;
}

void cpu_warp_complete(cpu_wait *const wait[CPU_WARP_LANES], uint32_t members)
{
    const unsigned first = lowest(members);
    const cpu_wait_kind kind = wait[first]->kind;
    switch (kind) {
    case CPU_WAIT_SYNCWARP: break;
    case CPU_WAIT_ACTIVEMASK: give_all(wait, members, members); break;
    case CPU_WAIT_ALL: give_all(wait, members, voters(wait, members) == members); break;
    case CPU_WAIT_ANY: give_all(wait, members, voters(wait, members) != 0); break;
    case CPU_WAIT_BALLOT: give_all(wait, members, voters(wait, members)); break;
    case CPU_WAIT_SHUFFLE:
    case CPU_WAIT_SHUFFLE_UP:
    case CPU_WAIT_SHUFFLE_DOWN:
    case CPU_WAIT_SHUFFLE_XOR: shuffle(wait, members); break;
    case CPU_WAIT_MATCH_ANY:
        for (uint32_t lanes = members; lanes; lanes = without_lowest(lanes))
            wait[lowest(lanes)]->result = equal_lanes(wait, members, lowest(lanes));
        break;
    case CPU_WAIT_MATCH_ALL: give_all(wait, members, equal_lanes(wait, members, first) == members ? members : 0); break;
    default: give_all(wait, members, reduce(wait, members, kind)); break;
    }
}
