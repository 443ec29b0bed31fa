/*
 * What becomes of reads that were only written down (read_runs.h) once it matters: the shadow gets them, and each is
 * compared with what blocks have written meanwhile. Knows that a block writes nothing that it has read so far, and has
 * acquired nothing from others.
 */
#ifndef LAB_CPU_CHECKS_LATE_READS_H
#define LAB_CPU_CHECKS_LATE_READS_H

#include "cpu/races/race_shadow.h"
#include "cpu/races/read_runs.h"
#include "race_report.h"

/* The arrays of the launch that are the targets of pointers through which, as the optimiser says, its kernel only
 * reads, and of no others. `ledger_count` is the ledger's count at the launch. */
void late_reads_expect(read_arrays *arrays, const cpu_kernel *kernel, const void *const *args, uint64_t ledger_count);

/* Tells of races with what the shadow of the launch's memory remembers, in the scene, whose block is that of each read
 * meanwhile. */
void late_reads_tell(race_scene *scene, race_shadow *shadow, race_recent *recent, const read_run *run, size_t count);

#endif
