/*
 * intake_notes.h: the notes on what was left out, renamed or doubled while submissions were taken in, each with the
 * reason.
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
    size_t more; /* notes beyond those that are kept */
    bool failed; /* memory ran out: some notes are lost */
} intake_notes;

void intake_notes_add(intake_notes *notes, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void intake_notes_free(intake_notes *notes);

#endif
