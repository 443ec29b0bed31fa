/*
 * Measuring in processes of their own: what the host's calls cost differs by a fifth and more from one process to the
 * next, by where its memory and threads happen to be, so that many times of one process are one sample.
 */
#ifndef LAB_OWN_PROCESS_H
#define LAB_OWN_PROCESS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Zeroed memory, which such processes share with this one. It ends with this process. NULL if there is none. */
static inline void *own_process_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Calls `work` in a process of its own and waits for it; false if it did not end well, of which it has told. This
 * process must not have used a device. */
static inline bool own_process_run(void (*work)(void *user), void *user)
{
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        work(user);
        exit(EXIT_SUCCESS);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

#endif
