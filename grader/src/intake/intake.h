/*
 * intake.h: what an instructor has of a class's work, whatever it came as, made a list of submissions.
 *
 *   folders      one subfolder a student, or one archive
 *   Canvas       a folder of files "lovelacead_4711_90210_lab03.c"
 *   Moodle       subfolders "Ada Lovelace_4711_assignsubmission_file_", or files whose names begin so
 *   Gradescope   subfolders "submission_4711" beside submission_metadata.yml
 *
 * Each also as one archive of all that. Nothing a student hands in stops the others: what cannot be taken is noted with
 * the reason. It knows folders, archives and names; layouts.h knows how systems name things, source_file.h reads.
 */
#ifndef GRADER_INTAKE_INTAKE_H
#define GRADER_INTAKE_INTAKE_H

#include <stdbool.h>

#include "base/fault.h"
#include "intake_notes.h"
#include "submissions.h"

typedef struct intake {
    submission_list list;
    intake_notes notes;
    const char *layout; /* "folders", "Canvas", "Moodle", "Gradescope" */
    char *staging;      /* where archives were unpacked: a private folder, removed at the end; NULL if there are none */
    int unpacked;       /* how many */
} intake;

/* Takes in what is at `path`, a folder or an archive; `results`, if it lies there, is none of it. Several attempts of one
 * student are several submissions (attempts.h). No submission at all is a fault that says so. */
bool intake_open(intake *out, const char *path, const char *results, grader_fault *fault);

void intake_close(intake *taken);

/* Where the submission's file for a lab is: its path, or why there is none that could be read, one of the two yours to
 * free. It may lie deeper or be renamed as learning systems do; several that could be it are a reason. A path need not
 * exist: who reads it says what lies there instead. */
bool intake_find(char **path, char **refusal, const submission *from, const char *file, grader_fault *fault);

#endif
