/*
 * Running the blocks of a kernel that is built for checking (LAB_MEMCHECK), and what it finds. Knows the ledger and the
 * variables of a module. Independent of how the compiler inserts the checks.
 *
 * A thread ends at its first bad access, which does not take place. The other threads of the block go on if they do not
 * wait for each other, and so do the other blocks. At the end of the grid the finding of its lowest block becomes the
 * kernel's, with the number of other findings: the same on every run.
 */
#ifndef LAB_CPU_CHECKS_MEMCHECK_H
#define LAB_CPU_CHECKS_MEMCHECK_H

#include "base/call_site.h"
#include "cpu/kernel/kernel_blocks.h"
#include "cpu/kernel/kernel_error.h"

#include <stddef.h>

struct backend_context;

struct touched;

/* What the runs of one launch's blocks share. The maker fills in the first four members; the others begin as zeros, and
 * all but the number are zeros again when the launch is done. */
typedef struct cpu_memcheck {
    const struct backend_context *context;
    size_t dynamic_shared;   /* bytes that the launch asked for */
    call_site launched;      /* the program's call */
    struct touched *touched; /* notes what the blocks read and write; NULL if nobody asks */
    _Atomic uint64_t number; /* that tells it from other launches, for kernels apart */
    uint64_t done;           /* blocks */
    uint64_t refused;        /* threads, or blocks whose threads wait for each other, that ended at a bad access */
    uint64_t block;          /* whose finding is kept */
    kernel_error finding;    /* its status is success as long as nothing was found */
    struct kernel_checks_launch *checks; /* the checks besides this one, once a block has begun; NULL if none is on */
} cpu_memcheck;

/* Runs some of a launch's blocks. `ledger_count` is the ledger's count at the launch. False, with *error filled in, if
 * the kernel has failed: at once if a thread stopped it otherwise, else with the last block of all. */
bool cpu_memcheck_run(kernel_error *error, cpu_memcheck *memcheck, const kernel_blocks *blocks, uint64_t ledger_count);

/* Whether a kernel of the context may use memory of the owner. */
bool cpu_memcheck_may_use(const struct backend_context *context, const struct backend_context *owner);

/* Lets kernels of a context use the memory of another, or no longer. False if memory ran out. */
bool cpu_memcheck_set_peer(const struct backend_context *context, const struct backend_context *peer, bool allowed);

/* The context ends: no permission that it has or gives remains. */
void cpu_memcheck_forget_peers(const struct backend_context *context);

#endif
