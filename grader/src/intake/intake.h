/*
 * intake.h: makes a list of submissions from what an instructor has of a class's work.
 *
 *   folders      one subfolder a student, or one archive
 *   Canvas       a folder of files "lovelacead_4711_90210_lab03.c"
 *   Moodle       subfolders "Ada Lovelace_4711_assignsubmission_file_", or files whose names begin so
 *   Gradescope   subfolders "submission_4711" next to submission_metadata.yml
 *   Blackboard   a folder of files "Lab 3_ada_attempt_2026-11-20-23-41-07_lab03.c"
 *   Brightspace  subfolders "13394-80551 - Ada Lovelace - Nov 20, 2026 1141 PM", or files whose names begin so
 *   Autolab      a folder of files "ada@example.edu_3_lab03.c"
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
    const char *layout; /* "folders" or the system's name, as above */
    char *staging;      /* a private folder for unpacked archives, removed at the end; NULL until it is needed */
    int unpacked;       /* folders in it so far */
    const unpack_reader *reader;
} intake;

/* Takes in the folder or archive at `path`. If `results` lies in it, that folder is left out. Several attempts of one
 * student are several submissions (attempts.h). Finding no submission at all is a fault. `reader` reads archives until
 * this returns. */
bool intake_open(intake *out, const char *path, const char *results, const unpack_reader *reader, grader_fault *fault);

void intake_close(intake *taken);

/* The file that a lab asks for, and the workbook's own texts of it, which are nobody's work; NULL where unknown. */
typedef struct intake_wanted {
    const char *file;
    char *starter, *solution;
} intake_wanted;

/* Reads the workbook's texts. Free them with intake_wanted_free. `file` is borrowed. */
bool intake_wanted_read(intake_wanted *out, const char *file, const char *starter, const char *solution,
                        grader_fault *fault);
void intake_wanted_free(intake_wanted *wanted);

/* Finds a submission's file for a lab, which may lie deeper or be renamed, by the rules of grader/docs/intake.md. Free
 * the result with submissions_file_free. */
bool intake_find(submission_file *out, const submission *entry, const intake_wanted *wanted, grader_fault *fault);

/* Finds the file of each submission, and notes what the instructor must know about it. */
bool intake_locate(intake *taken, const intake_wanted *wanted, grader_fault *fault);

#endif
