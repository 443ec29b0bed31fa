/* By the CUDA C++ Programming Guide, "Warp Vote", "Match" and "Reduce Functions"; for shuffles see warp_lanes.h. */
#include "warp.h"

#include <stddef.h>

/* The lowest lane of a set, and the set without it. */
static unsigned lowest(uint32_t lanes) { return (unsigned)__builtin_ctz(lanes); }
static uint32_t without_lowest(uint32_t lanes) { return lanes & (lanes - 1); }

bool cpu_warp_source(unsigned *source, const cpu_wait *wait, unsigned lane)
{
    if (wait->kind < CPU_WAIT_SHUFFLE || wait->kind > CPU_WAIT_SHUFFLE_XOR) return false;
    *source = cpu_warp_source_lane(wait->kind, lane, wait->argument, wait->width);
    return *source != lane;
}

static void shuffle(const warp_operation *o, uint32_t members)
{
    for (uint32_t lanes = members; lanes; lanes = without_lowest(lanes)) {
        const unsigned lane = lowest(lanes);
        const unsigned source = cpu_warp_source_lane(o->kind, lane, o->argument[lane], o->width[lane]);
        o->result[lane] = members >> source & 1 ? o->value[source] : CPU_WARP_UNDEFINED;
    }
}

/* The lanes whose value equals that of `lane`. */
static uint32_t equal_lanes(const warp_operation *o, uint32_t members, unsigned lane)
{
    uint32_t equal = 0;
    for (uint32_t lanes = members; lanes; lanes = without_lowest(lanes))
        if (o->value[lowest(lanes)] == o->value[lane]) equal |= 1u << lowest(lanes);
    return equal;
}

static unsigned reduce(const warp_operation *o, uint32_t members)
{
    unsigned result = (unsigned)o->value[lowest(members)];
    for (uint32_t lanes = without_lowest(members); lanes; lanes = without_lowest(lanes)) {
        const unsigned value = (unsigned)o->value[lowest(lanes)];
        switch (o->kind) {
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
static uint32_t voters(const warp_operation *o, uint32_t members)
{
    uint32_t set = 0;
    for (uint32_t lanes = members; lanes; lanes = without_lowest(lanes))
        if (o->value[lowest(lanes)]) set |= 1u << lowest(lanes);
    return set;
}

static void give_all(const warp_operation *o, uint32_t members, unsigned result)
{
    for (uint32_t lanes = members; lanes; lanes = without_lowest(lanes)) o->result[lowest(lanes)] = result;
}

void cpu_warp_complete(const warp_operation *o, uint32_t members)
{
    switch (o->kind) {
    case CPU_WAIT_SYNCWARP: break;
    case CPU_WAIT_ACTIVEMASK: give_all(o, members, members); break;
    case CPU_WAIT_ALL: give_all(o, members, voters(o, members) == members); break;
    case CPU_WAIT_ANY: give_all(o, members, voters(o, members) != 0); break;
    case CPU_WAIT_BALLOT: give_all(o, members, voters(o, members)); break;
    case CPU_WAIT_SHUFFLE:
    case CPU_WAIT_SHUFFLE_UP:
    case CPU_WAIT_SHUFFLE_DOWN:
    case CPU_WAIT_SHUFFLE_XOR: shuffle(o, members); break;
    case CPU_WAIT_MATCH_ANY:
        for (uint32_t lanes = members; lanes; lanes = without_lowest(lanes))
            o->result[lowest(lanes)] = equal_lanes(o, members, lowest(lanes));
        break;
    case CPU_WAIT_MATCH_ALL:
        give_all(o, members, equal_lanes(o, members, lowest(members)) == members ? members : 0);
        break;
    default: give_all(o, members, reduce(o, members)); break;
    }
}
