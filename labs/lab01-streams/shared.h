/* The memory and arguments that checks.c and program.c of lab 01 share. The student's file does not need
 * them. */
#ifndef LAB01_SHARED_H
#define LAB01_SHARED_H

#include <stdbool.h>
#include <stddef.h>

enum { LAB01_MOST = 16384, LAB01_STEPS = 3, LAB01_PAIRS = 16, LAB01_FILLED = 100 };

/* Arguments of "lab01_sum" and "lab01_two_sums". */
typedef struct lab01_counts {
    size_t count[2];
    bool pinned; /* pins the shared memory, so that no copy makes the host wait */
} lab01_counts;

/* The shared memory. */
typedef struct lab01_memory {
    float input[2][LAB01_MOST];
    float sum[2];
    float filled[LAB01_PAIRS][2][LAB01_FILLED]; /* by "lab01_pair": the arrays, after each pair */
} lab01_memory;

/* Arguments of "lab01_nested" and "lab01_use": the step that fails, from 1, 0 for none; and what it returns. */
typedef struct lab01_failure {
    int step, status;
} lab01_failure;

/* Their marks in the record. A mark has the stream that is current, as the device knows it: while either stream that
 * the function gets is current; before the call; in each step, or in one that gets another `user`; after the call, with
 * the status that it returned. */
#define LAB01_FIRST_MARK "the first stream"
#define LAB01_SECOND_MARK "the second stream"
#define LAB01_BEFORE_MARK "before"
#define LAB01_STEP_MARK "step %d"
#define LAB01_STRANGE_STEP_MARK "step %d with another user"
#define LAB01_AFTER_MARK "after, with status %d"

/* Each stream of the experiment is current at its mark. */
#define LAB01_STREAM_MARKS                                                                                             \
    {                                                                                                                  \
        "the null stream", "the blocking stream", "the other blocking stream", "the non-blocking stream"               \
    }

/* Before each pair of "lab01_pair" the record has a mark with this name, and "lab01_pair returned" after it. */
#define LAB01_PAIR_MARK "pair %d %d"

#endif
