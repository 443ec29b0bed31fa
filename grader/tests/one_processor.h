/* A test that shares one processor with others: what it starts gets a quarter of it. */
#ifndef GRADER_TESTS_ONE_PROCESSOR_H
#define GRADER_TESTS_ONE_PROCESSOR_H

#include <sched.h>
#include <signal.h>

#include "test.h"

enum { LOOPS = 3 };

/* Makes this process and those that it starts share one processor, with LOOPS loops. */
static inline void share_a_processor(pid_t loop[LOOPS])
{
    cpu_set_t allowed, one;
    int processor = 0;
    cr_assert_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    while (!CPU_ISSET(processor, &allowed)) processor++;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    for (int i = 0; i < LOOPS; i++) {
        loop[i] = fork();
        for (volatile int k = 0; loop[i] == 0;) k = k + 1;
        cr_assert_gt(loop[i], 0);
    }
}

static inline void end_loops(const pid_t loop[LOOPS])
{
    for (int i = 0; i < LOOPS; i++) {
        kill(loop[i], SIGKILL);
        waitpid(loop[i], NULL, 0);
    }
}

#endif
