/*
 * labkernels: runs the compiled kernels of a device process, which starts it (lib/docs/kernels.md).
 *
 *   labkernels PARENT
 *
 * PARENT is the process's number. The files from 3 on are the memory that both share. This process has no other file
 * but standard output and errors, and ends with its parent.
 */
#include "kernels/kernels.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* More than a thread's stack and its variables. */
static const rlim_t STACK_BYTES = 32 * 1024 * 1024;

static char output[BUFSIZ];

int main(int arguments, char **argument)
{
    if (arguments != 2) {
        fprintf(stderr, "usage: %s PARENT\n", argument[0]);
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != (pid_t)atol(argument[1])) return 1;
    setvbuf(stdout, output, _IOLBF, sizeof output);
    apart_head *head = kernels_map_all();
    if (!head) return 3;
    close(STDIN_FILENO);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    const rlim_t memory = head->most_memory + head->threads * STACK_BYTES;
    setrlimit(RLIMIT_DATA, &(struct rlimit){memory, memory});
    prctl(PR_SET_DUMPABLE, 0);
    kernels_serve(head);
    return 4;
}
