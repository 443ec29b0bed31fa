/* Calls of lab 07, and why they fail, for its checks. */
#ifndef LAB07_CHECKS_CAUSES_H
#define LAB07_CHECKS_CAUSES_H

#include "check.h"
#include "plan.h"
#include "shared.h"

#include <float.h>
#include <math.h>

/* One call: what goes in, what came out, and what must be there. */
typedef struct call {
    check_program *program;
    const char *function;
    lab07_arguments given;
    float *input[LAB07_INPUTS], *found, *expected;
    int inputs;     /* how many arrays */
    int outputs;    /* elements that the kernel writes */
    bool reduces;   /* to one number, behind which the shared memory is not looked at */
    float identity; /* of lab07_reduce and lab07_shuffle: IDENTITY, as the kernel sees it */
    const lab_trace *trace;
    check_span span;
} call;

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
    {"nothing has written*also lines ", "a thread reads what another one is yet to write: a barrier belongs between "
                                        "the two lines that the message also names"},
    {"nothing has written", "no thread writes this element, neither before nor later: a thread without numbers writes "
                            "IDENTITY, and does not return before"},
    {"through a null pointer", "an array without elements has no memory: where count is 0, no index is below it"},
    {"past the end of the __shared__", "the shared array has no element of this index: in the first round half of the "
                                       "threads read the other half"},
    {"the __shared__ variable", "a barrier belongs between the two accesses that the message names"},
    {"'scale'*only atomic operations",
     "threads of two blocks use the same element: a thread begins at blockIdx.x * blockDim.x + "
     "threadIdx.x, and its stride is gridDim.x * blockDim.x"},
    {" a race (", "two threads use the same element: have they the same index, or is the stride short?"},
    {"writes 4 bytes at ", "the result has no element of this index: is it the block's, and has the launch that the "
                           "message names as many blocks as lab07.h says?"},
    {"past the end", "the array ends before this index: is count, as launched, its number of elements, and is every "
                     "index below count?"},
    {"the grid's x is 0", "count is 0 here, and the number of blocks does not depend on it"},
    {0},
};

/* Why a prediction is wrong where a function uses so many arrays of floats in this way, and `others` in the other. */
static const char *why_bytes_are_wrong(int predicted, int arrays, int others, int kernels)
{
    if (predicted == 4 * others) return "that is the number of the other column: the first is read, the second written";
    if (predicted == arrays) return "that is how many arrays there are: a float has 4 bytes";
    if (kernels > 1) return "each kernel counts by itself: what one of them writes, another one reads again";
    return predicted > 4 * arrays ? "a kernel moves an array once, however often its formula names it"
                                  : "each input of the formula is read from memory, and its result is written there";
}

/* Why elements have kept what was in them before. */
static const char *cause_of_unwritten(const call *now)
{
    if (check_count_in(now->span, LAB_OP_KERNEL) == 0)
        return now->given.count ? check_text("no kernel is launched: is %s written yet?", now->function)
                                : "no kernel is launched where there are no numbers, and the result stays unwritten: "
                                  "the reduction of none is IDENTITY";
    return now->reduces ? "a block has written no result: thread 0 writes it, also in a block without numbers"
                        : "out was never written: in a launch the arrays have the order of the kernel's declaration, "
                          "the inputs first";
}

/* Which intermediate result was too large or lost, by the numbers that are wrong; NULL if they do not show it. */
static const char *cause_of_softplus(const call *now)
{
    bool up = false, down = false, most = false, zero = false, other = false;
    for (int i = 0; i < now->given.count; i++) {
        const float x = now->input[0][i], found = now->found[i];
        const bool infinite = isinf(found) || isnan(found);
        up |= infinite && x > 0 && x < FLT_MAX;
        down |= infinite && x < 0;
        most |= infinite && x == FLT_MAX;
        zero |= found == 0 && now->expected[i] > 0 && x < -16;
        other |= found == 0 && now->expected[i] > 0 && x >= -16;
    }
    return down ? "e^-x is too large for a float up to x = -89: where x is negative, use e^x"
           : up && zero
               ? "e^x is too large for a float from x = 89 on, where softplus(x) is x; and for a very negative x "
                 "1 + e^x is 1"
           : up             ? "e^x is too large for a float from x = 89 on, but softplus(x) is x there"
           : most           ? "twice the largest float is too large for a float"
           : zero && !other ? "1 + e^x is 1 for a very negative x: log1p(a) is log(1 + a) without that sum"
                            : NULL;
}

#endif
