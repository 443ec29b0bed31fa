/* A test that shares one processor with others: what it starts gets an eighth of it. */
#ifndef GRADER_TESTS_ONE_PROCESSOR_H
#define GRADER_TESTS_ONE_PROCESSOR_H

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/process_tree.h"
#include "test.h"

enum { LOOPS = 7 };

/* Makes this process and those that it starts share one processor, with LOOPS loops. Each loop is a session of its own,
 * as what the grader starts is: some systems divide a processor between sessions first. */
static inline void share_a_processor(pid_t loop[LOOPS])
{
    cpu_set_t allowed, one;
    int processor = 0;
    grader_fault why;
    cr_assert_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    while (!CPU_ISSET(processor, &allowed)) processor++;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    for (int i = 0; i < LOOPS; i++) {
        loop[i] = fork();
        if (loop[i] == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || setsid() < 0)) _exit(1);
        for (volatile unsigned k = 0; loop[i] == 0;) k = k + 1;
        cr_assert_gt(loop[i], 0);
        cr_assert(process_tree_own(loop[i], &why), "%s", why.text);
    }
}

static inline void end_loops(const pid_t loop[LOOPS])
{
    for (int i = 0; i < LOOPS; i++) {
        kill(loop[i], SIGKILL);
        waitpid(loop[i], NULL, 0);
        process_tree_disown(loop[i]);
    }
}

#endif
