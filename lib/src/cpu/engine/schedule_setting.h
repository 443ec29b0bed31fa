/*
 * Which schedule LAB_SCHEDULE asks for, and the random numbers of its seed. Independent of operations.
 *
 *   concurrent       the default: the engine's threads take what is ready
 *   fifo             each operation runs when it is enqueued, before anything else is enqueued
 *   random:SEED      any ready operation runs next; when, is the seed's choice too
 *   adversarial:SEED the order that exposes missing edges best: an operation runs only when the host waits for it, and
 *                    of two that touch the same memory and that nothing orders the later one runs first
 */
#ifndef LAB_CPU_ENGINE_SCHEDULE_SETTING_H
#define LAB_CPU_ENGINE_SCHEDULE_SETTING_H

#include "seam/backend.h"

typedef enum cpu_schedule {
    CPU_SCHEDULE_CONCURRENT,
    CPU_SCHEDULE_FIFO,
    CPU_SCHEDULE_RANDOM,
    CPU_SCHEDULE_ADVERSARIAL,
} cpu_schedule;

/* Reads LAB_SCHEDULE. A later call begins the schedule again; no operation may be pending then. */
lab_status cpu_schedule_open(void);

cpu_schedule cpu_schedule_now(void);

/* Whether operations run one at a time, in an order that a schedule chooses. */
bool cpu_schedule_is_on(void);

/* Whether the schedule is to be adversarial where CUDA leaves a choice. */
bool cpu_schedule_is_adversarial(void);

/* Whether the seed chooses in which order the threads of a block run. */
bool cpu_schedule_shuffles_threads(void);

uint64_t cpu_schedule_seed(void);

/* The next random number of the seed, from 0 to limit - 1. Needs the engine's lock. */
uint64_t cpu_schedule_random(uint64_t limit);

#endif
