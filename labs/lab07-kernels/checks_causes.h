/* Why kernels of lab 07 fail, for its checks. */
#ifndef LAB07_CHECKS_CAUSES_H
#define LAB07_CHECKS_CAUSES_H

#include "check.h"

/* Why a kernel fails, by its message. */
#define PASSED_BY                                                                                                      \
    "some threads of the block pass a barrier by: as a line of the loop, outside the if, it is there for all of them"
static const check_failure_cause why_kernels_fail[] = {
    {"pass values on by shuffles alone", "a warp's threads pass their results on by shuffles, and in no other way"},
    {"pass values on through shared memory", "a block's threads pass results on in shared memory, and in no other way"},
    {"s its share", "a thread that does the work of others, or combines what they have loaded, is no faster than a "
                    "loop: each first combines its own numbers"},
    {"wait at different barriers", PASSED_BY},
    {"passes by this __syncthreads", PASSED_BY},
    {"(write after write): no __", "two threads of a block write the same element: which of them is to write it?"},
    {"__shfl_", "all 32 threads of the warp call the shuffle, and its mask names all of them"},
    {"nothing has written", "a thread reads what no thread has written yet: without a barrier its writer comes "
                            "later, and a thread that has returned or was not launched writes nothing"},
    {"through a null pointer", "an array without elements has no memory: where count is 0, no index is below it"},
    {"past the end of the __shared__", "the shared array has no element of this index: in the first round half of the "
                                       "threads read the other half"},
    {"the __shared__ variable", "a barrier belongs between the two accesses that the message names"},
    {" a race (", "two threads use the same element: have they the same index, or is the stride short?"},
    {"writes 4 bytes at ", "the result has no element of this index: is it the block's, and has the launch that the "
                           "message names as many blocks as lab07.h says?"},
    {"past the end", "the array ends before this index: is count, as launched, its number of elements, and is every "
                     "index below count?"},
    {"the grid's x is 0", "count is 0 here, and the number of blocks does not depend on it"},
    {0},
};

#endif
