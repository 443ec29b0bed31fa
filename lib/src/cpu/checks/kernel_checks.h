/*
 * The checks besides memcheck (LAB_RACECHECK, LAB_INITCHECK, LAB_SYNCCHECK, LAB_EXCHANGE) while blocks run: passes each
 * access and each synchronisation on to those that are on. Independent of how threads run.
 */
#ifndef LAB_CPU_CHECKS_KERNEL_CHECKS_H
#define LAB_CPU_CHECKS_KERNEL_CHECKS_H

#include "cpu/kernel/kernel_blocks.h"
#include "cpu/kernel/kernel_error.h"
#include "memcheck_text.h"

typedef struct kernel_checks_launch kernel_checks_launch; /* what the blocks of a launch share */
typedef struct kernel_checks kernel_checks;               /* the blocks that one thread of the host runs */

/* NULL if no such check is on, or memory runs out. */
kernel_checks_launch *kernel_checks_launch_create(void);
void kernel_checks_launch_free(kernel_checks_launch *launch);

/* Describes what was found; false if nothing was, or `launch` is NULL. */
bool kernel_checks_report(kernel_error *error, const kernel_checks_launch *launch, const cpu_kernel *kernel,
                          const cpu_launch *shape);

/* NULL if `launch` is NULL, or memory runs out. */
kernel_checks *kernel_checks_create(kernel_checks_launch *launch, const cpu_kernel *kernel, const memcheck_scene *scene,
                                    const cpu_launch *shape, const void *const *args);
void kernel_checks_free(kernel_checks *checks);

/* Whether a check is on that needs the accesses. */
bool kernel_checks_need_accesses(void);

/* A block begins, or has ended. */
void kernel_checks_begin(kernel_checks *checks, uint64_t block);
void kernel_checks_end(kernel_checks *checks);

/* A thread is about to access memory that is not its own; has, with an atomic or volatile access; comes to a fence. */
void kernel_checks_access(kernel_checks *checks, unsigned thread, uintptr_t address, size_t bytes,
                          const cpu_site *site);
void kernel_checks_accessed(kernel_checks *checks, unsigned thread, uintptr_t address);
void kernel_checks_fence(kernel_checks *checks, unsigned thread, unsigned which);

/* A thread has read bytes of shared memory at a site that is followed: which read that is, if nothing has written them,
 * else 0. */
unsigned kernel_checks_unwritten(kernel_checks *checks, unsigned thread, uintptr_t address, size_t bytes,
                                 const cpu_site *site);

/* What a lane brings to a shuffle; what it gets there, if shuffles are followed (cpu_launch.brings, gets). */
void kernel_checks_brings(kernel_checks *checks, unsigned thread, unsigned source);
bool kernel_checks_follow_shuffles(const kernel_checks *checks);
unsigned kernel_checks_gets(const kernel_checks *checks, unsigned thread);

/* A thread uses the value of such a read or shuffle in a line, or puts it into shared memory, whose bytes then count as
 * unwritten. */
void kernel_checks_used(kernel_checks *checks, unsigned thread, unsigned source, unsigned line, bool hands_on);
void kernel_checks_holds(kernel_checks *checks, unsigned thread, uintptr_t address, size_t bytes, unsigned source,
                         unsigned line);

/* Before the first block begins: the accesses that need not be told of from then on; NULL if each must. */
cpu_known_accesses *kernel_checks_known(kernel_checks *checks);

/* Whether what is written is all that must be noted of accesses to this memory, which kernels may use. If so, the
 * window gets the place where that is noted. */
bool kernel_checks_window(cpu_window *memory, const kernel_checks *checks);

/* A thread decides between ways to barriers, or comes to where they meet (cpu_launch.way). */
void kernel_checks_way(kernel_checks *checks, unsigned thread, unsigned meeting, bool met);

/* For threads that wait for each other; NULL if no check asks. */
const kernel_watch *kernel_checks_watch(const kernel_checks *checks);

#endif
