/* The finding that tells of a race. Knows where both accesses are in the source; independent of how a race is found. */
#ifndef LAB_CPU_CHECKS_RACE_REPORT_H
#define LAB_CPU_CHECKS_RACE_REPORT_H

#include "findings.h"
#include "memcheck_text.h"
#include "cpu/races/race_order.h"

/* Two accesses that nothing orders. */
typedef struct race_conflict {
    race_stamp earlier;
    unsigned thread;
    uintptr_t address;
    size_t bytes;
    const cpu_site *site; /* NULL if there is no conflict */
    bool again;           /* as in a stamp */
} race_conflict;

/* A block that runs. */
typedef struct race_scene {
    findings *found;
    const cpu_kernel *kernel;
    memcheck_scene memory;
    const cpu_launch *shape;
    uint64_t block;
} race_scene;

/* Where an access was made; a stamp keeps the distance from the module's code. */
static inline const cpu_site *race_site_of(const race_scene *scene, const race_stamp *stamp)
{
    return (const cpu_site *)((intptr_t)scene->kernel->code + stamp->site);
}

void race_report(const race_scene *scene, const race_conflict *found);

#endif
