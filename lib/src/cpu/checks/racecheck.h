/*
 * Races between the threads of a launch (LAB_RACECHECK): two accesses to a byte, one of them a write, that nothing
 * orders. Found whether or not they took place in an unlucky order. Knows which accesses conflict. Independent of how
 * threads run.
 *
 * Atomic operations never race with each other, those for one block only within the block. Volatile accesses to global
 * memory do not race with atomic operations, nor with each other between warps, since flags are made of them. Between
 * lanes of a warp, and in shared memory, volatile orders nothing. Two writes of the same value are no race.
 */
#ifndef LAB_CPU_CHECKS_RACECHECK_H
#define LAB_CPU_CHECKS_RACECHECK_H

#include "findings.h"
#include "memcheck_text.h"

typedef struct racecheck_launch racecheck_launch; /* what the blocks of a launch share */
typedef struct racecheck racecheck;               /* the blocks that one thread of the host runs */

/* NULL when memory runs out. */
racecheck_launch *racecheck_launch_create(void);
void racecheck_launch_free(racecheck_launch *launch);
racecheck *racecheck_create(racecheck_launch *launch, findings *found, const cpu_kernel *kernel,
                            const memcheck_scene *scene, const cpu_launch *shape, const void *const *args);
void racecheck_free(racecheck *check);

/* All blocks have ended. */
void racecheck_launch_end(racecheck_launch *launch, const cpu_launch *shape);

/* A block begins, or its last thread has ended. */
void racecheck_begin(racecheck *check, uint64_t block);
void racecheck_end(racecheck *check);

/* A thread is about to access memory; `shared` is whether it is the block's. */
void racecheck_access(racecheck *check, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site,
                      bool shared);

/* The shared memory of blocks, if no other check must be told of accesses to it: before the first block begins. */
void racecheck_keep_words(racecheck *check, uintptr_t begin, size_t bytes);

/* Reads may be compared late, if no other check must be told of them: before the first block begins. */
void racecheck_keep_reads(racecheck *check);

/* The accesses that need not be told of. */
cpu_known_accesses *racecheck_known(racecheck *check);

/* The reads of some bytes must be told of again. */
void racecheck_forget_reads(racecheck *check, uintptr_t address, size_t bytes);

/* An atomic or volatile access has taken place; a fence, for other blocks too or for the thread's own. */
void racecheck_accessed(racecheck *check, unsigned thread, uintptr_t address);
void racecheck_fence(racecheck *check, unsigned thread, bool for_block);

/* The thread ends a group of asynchronous copies, or waits for all groups but the last ones: a cpu_fence. */
void racecheck_copies(racecheck *check, unsigned thread, unsigned which);

/* All threads passed a barrier; lanes passed __syncwarp. */
void racecheck_barrier(racecheck *check);
void racecheck_warp(racecheck *check, unsigned warp, uint32_t lanes);

#endif
