/* Tries to forge the marks of the harness: that the call has returned, that a clock was read, that work was enqueued, that
 * somebody looked. Gains what a check believes of them. */
#include "lab_trace.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const char *marks[] = {"returned",
                           "clock",
                           "enqueue",
                           "chore",
                           "look",
                           "step",
                           "done",
                           "meet",
                           "look 1",
                           "look 2",
                           "look 3",
                           "begin",
                           "lab01_sum returned",
                           "lab02_pipeline returned",
                           "lab03_depth_first returned",
                           "lab04_walk returned",
                           "lab05_sequence returned"};
    for (int round = 0; round < 60; round++)
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) lab_trace_mark(marks[i]);
    return LAB_SUCCESS;
}
