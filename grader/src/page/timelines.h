/*
 * timelines.h: draws the records of a run: as measured, and where the kernels are known, as a large GPU would run the
 * same calls and all of them on one stream. It knows which of these a record is worth; the trace library draws and
 * models.
 */
#ifndef GRADER_PAGE_TIMELINES_H
#define GRADER_PAGE_TIMELINES_H

#include <stdint.h>

#include "base/page_layout.h"
#include "judge/lab_parts.h"

typedef struct timelines_choice {
    uint64_t check;        /* from 1: this check's own record; 0: the record that the verdict shows */
    const char *out;       /* the folder of the last result */
    const char *variables; /* what every command needs at its end; "" for nothing */
} timelines_choice;

/* Draws the record that the verdict shows, and below it what the model makes of the same calls where the streams can
 * matter. `out` is the folder of the last result. A record that cannot be read is a fault. */
bool timelines_draw_shown(const text_page *page, const char *out, grader_fault *fault);

/* Draws the chosen record of the last run, and says which other checks have one. */
bool timelines_print(const text_page *page, const lab_parts *parts, const timelines_choice *choice,
                     grader_fault *fault);

#endif
