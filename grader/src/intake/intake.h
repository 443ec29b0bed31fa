/*
 * intake.h: makes a list of submissions from what an instructor has of a class's work.
 *
 *   folders      one subfolder a student, or one archive
 *   Canvas       a folder of files "lovelacead_4711_90210_lab03.c"
 *   Moodle       subfolders "Ada Lovelace_4711_assignsubmission_file_", or files whose names begin so
 *   Gradescope   subfolders "submission_4711" beside submission_metadata.yml
 *
 * Each may also come as one archive of everything. Nothing that a student hands in stops the others: what cannot be
 * taken in is noted with the reason. download_names.h knows how the systems name things; source_file.h reads the files.
 */
#ifndef GRADER_INTAKE_INTAKE_H
#define GRADER_INTAKE_INTAKE_H

#include <stdbool.h>

#include "base/fault.h"
#include "intake_notes.h"
#include "submissions.h"
#include "unpack.h"

typedef struct intake {
    submission_list list;
    intake_notes notes;
    const char *layout; /* "folders", "Canvas", "Moodle", "Gradescope" */
    char *staging;      /* a private folder for unpacked archives, removed at the end; NULL until it is needed */
    int unpacked;       /* folders in it so far */
    const unpack_reader *reader;
} intake;

/* Takes in the folder or archive at `path`. If `results` lies in it, that folder is left out. Several attempts of one
 * student are several submissions (attempts.h). Finding no submission at all is a fault. `reader` reads archives until
 * this returns. */
bool intake_open(intake *out, const char *path, const char *results, const unpack_reader *reader, grader_fault *fault);

void intake_close(intake *taken);

/* Finds a submission's file for a lab, which may lie deeper or be renamed as learning systems do. Sets either the path
 * or the refusal, a sentence (several files could be the one); both are yours to free. The path need not exist: its
 * reader says what lies there instead. */
bool intake_find(char **path, char **refusal, const submission *entry, const char *file, grader_fault *fault);

#endif
