/*
 * intake_internal.h: what the files that take in submissions share; for intake.c and intake_loose.c alone.
 */
#ifndef GRADER_INTAKE_INTAKE_INTERNAL_H
#define GRADER_INTAKE_INTAKE_INTERNAL_H

#include <dirent.h>
#include <sys/types.h>

#include "intake.h"

struct stat;

/* The most that is taken of one file of a class. A student's may be smaller; a larger one is seen to be too large. */
enum { INTAKE_FILE_BYTES = 16 << 20 };

/* The visible names in a folder, in order; freed with intake_free_names. */
bool intake_read_names(struct dirent ***out, int *count, const char *folder, grader_fault *fault);
void intake_free_names(struct dirent **names, int count);

/* Whether the name in the folder is of that kind, such as S_IFREG; links are not followed. */
bool intake_is_kind(const char *folder, const char *name, mode_t kind, struct stat *status);

/* A new folder of one's own for what comes out of an archive; yours to free. */
bool intake_make_staging(char **out, intake *taken, grader_fault *fault);

/* Archives that lie in a student's folder are unpacked beside it. */
bool intake_unpack_inside(intake *taken, submission *entry, grader_fault *fault);

/* A download that is one folder of files, each named for its student: how its names are read. */
typedef struct intake_loose_form intake_loose_form;

/* The form that most of the names are of; NULL if the folder holds something else. */
const intake_loose_form *intake_loose_form_of(const char *folder, struct dirent **names, int count);

bool intake_take_loose(intake *taken, const intake_loose_form *form, const char *folder, struct dirent **names,
                       int count, grader_fault *fault);

#endif
