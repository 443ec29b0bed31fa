/*
 * Running the blocks of a kernel that is built for checking (LAB_MEMCHECK), and what is said of an access to memory that
 * is not allowed. Knows the ledger, and which variables a module has; refuses to know how the accesses came to be checked.
 *
 * A thread ends at its first bad access, which does not take place. The threads of the block go on if they do not wait
 * for each other, and so do the other blocks; when the grid is done, the finding of its lowest block is the kernel's, and
 * says how many others there were: the same on every run.
 */
#ifndef LAB_CPU_KERNEL_MEMCHECK_H
#define LAB_CPU_KERNEL_MEMCHECK_H

#include "failure.h"
#include "base/call_site.h"

#include <stddef.h>
#include <stdint.h>

struct backend_context;

/* What the runs of one launch's blocks share; all but what the launch says begins as zeros, and is so again at its end. */
typedef struct cpu_check {
    const struct backend_context *context;
    size_t dynamic_shared; /* bytes that the launch asked for */
    call_place launched;   /* the program's call */
    uint64_t done;         /* blocks */
    uint64_t refused;      /* threads, or blocks whose threads wait for each other, that ended at a bad access */
    uint64_t block;        /* whose finding is kept */
    kernel_error finding;  /* its status is success as long as there is none */
} cpu_check;

/* Runs blocks [first, first + count) of the grid's `blocks`. `when` is the ledger's count at the launch. True, with
 * *error filled in, if the kernel has failed: at once if a thread stopped it otherwise, else with the grid's last block. */
bool cpu_check_run(kernel_error *error, cpu_check *of, const cpu_kernel *kernel, const void *const *args,
                   const cpu_launch *launch, uint64_t when, uint64_t first, uint64_t count, uint64_t blocks);

/* Lets kernels of a context use the memory of another, or no longer. False if memory ran out. */
bool cpu_check_set_peer(const struct backend_context *context, const struct backend_context *peer, bool allowed);

/* The context ends: nothing is allowed to it or with it any more. */
void cpu_check_forget_peers(const struct backend_context *context);

#endif
