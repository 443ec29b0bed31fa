/* Which lane of a warp a shuffle reads: CUDA C++ Programming Guide, "Warp Shuffle Functions". */
#ifndef LAB_CPU_BUILTINS_WARP_LANES_H
#define LAB_CPU_BUILTINS_WARP_LANES_H

#include "kernel_abi.h"

enum { CPU_WARP_LANES = 32 };

/* The size of a shuffle's segments. A width other than a power of two up to 32 is undefined in CUDA. Here it is the
 * power of two below it. */
static inline unsigned cpu_warp_segment(int width)
{
    if (width < 1 || width > CPU_WARP_LANES) return CPU_WARP_LANES;
    return 1u << (31 - __builtin_clz((unsigned)width));
}

/* The lane that a shuffle of `lane` reads, given its `argument` and `width` of a cpu_wait: inside its own segment, or
 * the lane itself where the source would lie outside (up, down, xor beyond the segment's end). */
static inline unsigned cpu_warp_source_lane(cpu_wait_kind kind, unsigned lane, unsigned argument, int width)
{
    const unsigned segment = cpu_warp_segment(width), first = lane & ~(segment - 1), offset = lane - first;
    argument &= CPU_WARP_LANES - 1;
    switch (kind) {
    case CPU_WAIT_SHUFFLE: return first + (argument & (segment - 1));
    case CPU_WAIT_SHUFFLE_UP: return offset >= argument ? lane - argument : lane;
    case CPU_WAIT_SHUFFLE_DOWN: return argument < segment - offset ? lane + argument : lane;
    /* A lower segment may be read, a higher one not. */
    default: return (lane ^ argument) < first + segment ? lane ^ argument : lane;
    }
}

#endif
