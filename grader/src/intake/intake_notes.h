/*
 * intake_notes.h: what of a class's submissions was left out, renamed or doubled, each with the reason. It knows
 * sentences; not how they come about.
 */
#ifndef GRADER_INTAKE_INTAKE_NOTES_H
#define GRADER_INTAKE_INTAKE_NOTES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct intake_note {
    char *name; /* a file's, a folder's or a student's; any bytes */
    char *reason;
} intake_note;

/* Start with {0}. */
typedef struct intake_notes {
    intake_note *note;
    size_t count;
    size_t more; /* beyond those that are kept */
    bool failed; /* memory ran out: some are lost */
} intake_notes;

void intake_notes_add(intake_notes *notes, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void intake_notes_free(intake_notes *notes);

#endif
