#include "wait_name.h"

#include <stddef.h>

const char *cpu_wait_name(cpu_wait_kind kind)
{
    static const char *const name[] = {
        [CPU_WAIT_BARRIER] = "__syncthreads",
        [CPU_WAIT_BARRIER_COUNT] = "__syncthreads_count",
        [CPU_WAIT_BARRIER_AND] = "__syncthreads_and",
        [CPU_WAIT_BARRIER_OR] = "__syncthreads_or",
        [CPU_WAIT_SYNCWARP] = "__syncwarp",
        [CPU_WAIT_ACTIVEMASK] = "__activemask",
        [CPU_WAIT_ALL] = "__all_sync",
        [CPU_WAIT_ANY] = "__any_sync",
        [CPU_WAIT_BALLOT] = "__ballot_sync",
        [CPU_WAIT_SHUFFLE] = "__shfl_sync",
        [CPU_WAIT_SHUFFLE_UP] = "__shfl_up_sync",
        [CPU_WAIT_SHUFFLE_DOWN] = "__shfl_down_sync",
        [CPU_WAIT_SHUFFLE_XOR] = "__shfl_xor_sync",
        [CPU_WAIT_MATCH_ANY] = "__match_any_sync",
        [CPU_WAIT_MATCH_ALL] = "__match_all_sync",
        [CPU_WAIT_REDUCE_AND] = "__reduce_and_sync",
        [CPU_WAIT_REDUCE_OR] = "__reduce_or_sync",
        [CPU_WAIT_REDUCE_XOR] = "__reduce_xor_sync",
        [CPU_WAIT_REDUCE_ADD] = "__reduce_add_sync",
        [CPU_WAIT_REDUCE_MIN] = "__reduce_min_sync",
        [CPU_WAIT_REDUCE_MAX] = "__reduce_max_sync",
    };
    return name[kind];
}

const char *cpu_split_wait_name(const cpu_split *split)
{
    for (unsigned long region = 0; region < split->regions; region++)
        if (split->place[region].kind != ~0u) return cpu_wait_name((cpu_wait_kind)split->place[region].kind);
    return NULL;
}
