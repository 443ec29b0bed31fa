/*
 * What the checks of a launch's kernel found besides bad accesses: each pair of source lines once, counted, with one
 * example in words. Independent of what is looked for.
 */
#ifndef LAB_CPU_CHECKS_FINDINGS_H
#define LAB_CPU_CHECKS_FINDINGS_H

#include "cpu/kernel/kernel_error.h"

#include <stddef.h>
#include <stdint.h>

enum { FINDING_WORDS = 1024 };

typedef struct finding {
    cpu_failure_kind kind;
    const char *file, *function;
    unsigned line, other_line; /* of the access, and of the earlier one that it meets; else 0 */
    unsigned weight; /* the example has the highest, and among those the lowest block that the launch has run */
    uint64_t count, block;
    unsigned block_index[3], thread[3];
    char what[FINDING_WORDS];
} finding;

typedef struct findings findings;

/* NULL when memory runs out. */
findings *findings_create(void);
void findings_free(findings *all);

/* Counts a finding, which has everything but the words. If it is to become the example, returns the place for it, whose
 * words the caller writes before findings_close. Else returns NULL, and there is nothing to close. */
finding *findings_open(findings *all, const finding *found);
void findings_close(findings *all);

/* Writes "thread [3,0,0]", with its block if that is another one than the finding's. */
void findings_write_thread(char *text, size_t capacity, unsigned thread, uint64_t block, uint64_t own_block,
                           const cpu_launch *shape);

/* Describes what was found, if anything was. The caller has the findings to itself. */
bool findings_report(kernel_error *error, const findings *all, const cpu_kernel *kernel);

#endif
