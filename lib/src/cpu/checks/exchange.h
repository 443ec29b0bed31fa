/*
 * How the threads of a launch share its work and pass values on (LAB_EXCHANGE): through shared memory and by shuffles,
 * or by shuffles alone. Any other way is a finding: memory outside shared memory that one thread writes and another one
 * reads, more than a few votes, barriers with a result. So is a thread that reads more than twice its share of what the
 * launch reads, or that combines in shared memory what the others have read. It watches values on their way and changes
 * none, so that a kernel cannot know that it is watched.
 */
#ifndef LAB_CPU_CHECKS_EXCHANGE_H
#define LAB_CPU_CHECKS_EXCHANGE_H

#include "findings.h"
#include "memcheck_text.h"

typedef struct exchange_launch exchange_launch; /* what the blocks of a launch share */
typedef struct exchange exchange;               /* the blocks that one thread of the host runs */

/* NULL when memory runs out. */
exchange_launch *exchange_launch_create(void);
void exchange_launch_free(exchange_launch *launch);
exchange *exchange_create(exchange_launch *launch, findings *found, const cpu_kernel *kernel,
                          const memcheck_scene *scene, const cpu_launch *shape);
void exchange_free(exchange *check);

/* A block begins, or its last thread has ended. */
void exchange_begin(exchange *check, uint64_t block);
void exchange_end(exchange *check);

/* A thread is about to access memory that is not its own; `shared` is whether it is the block's. */
void exchange_access(exchange *check, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site,
                     bool shared);

/* A thread comes to a barrier, or a lane to an operation of its warp. */
void exchange_wait(exchange *check, unsigned thread, const kernel_place *place);

/* All blocks have ended: adds the thread that has read too much to the findings, if there is one. */
void exchange_launch_end(const exchange_launch *launch, findings *found);

#endif
