/*
 * The ways of a block's threads to barriers and warp functions (LAB_SYNCCHECK): finds the threads that pass by one at
 * which others wait. Knows the marks of the compiler (mark_ways.h), and not what a message says.
 *
 * Between two barriers of the block a thread's way is the list of meeting places that it has passed, and of those that
 * it is on the way to. What happened on the way to a meeting place is forgotten there. So two threads that took the two
 * sides of a branch have the same way behind it, unless one of them waited in between. A barrier of the block compares
 * only meeting places of ways to such barriers: warps may differ in the rounds of loops with warp functions.
 */
#ifndef LAB_CPU_CHECKS_BARRIER_WAYS_H
#define LAB_CPU_CHECKS_BARRIER_WAYS_H

#include <stdbool.h>

typedef struct barrier_ways barrier_ways; /* of the blocks that one thread of the host runs */

/* NULL when memory runs out. */
barrier_ways *barrier_ways_create(void);
void barrier_ways_free(barrier_ways *ways);

/* A block of so many threads begins. */
void barrier_ways_begin(barrier_ways *ways, unsigned threads);

/* A thread is about to decide between ways to a meeting place, or has met; a thread exits. Meeting places of ways to a
 * barrier of the block have odd numbers (mark_ways.h). */
void barrier_ways_mark(barrier_ways *ways, unsigned thread, unsigned meeting, bool met);
void barrier_ways_exit(barrier_ways *ways, unsigned thread);

/* What is wrong with a barrier that all threads which have not exited have come to. */
typedef enum barrier_fault {
    BARRIER_RIGHT,
    BARRIER_PASSED_BY,   /* `other` has passed it by and exited; `thread` waits */
    BARRIER_OTHER_ROUND, /* both wait, having passed by this barrier or another one, one of them more often */
} barrier_fault;

/* All threads pass a barrier, which begins new ways. */
barrier_fault barrier_ways_pass(unsigned *thread, unsigned *other, barrier_ways *ways);

/* Whether a thread that has exited passed by the warp function to which this one has come. */
bool barrier_ways_passed_by(const barrier_ways *ways, unsigned exited, unsigned thread);

#endif
