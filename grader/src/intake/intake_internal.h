/*
 * intake_internal.h: what the files that take in a class share. intake_entry.c takes in one entry of a class;
 * intake_gradescope.c and intake_loose.c take in downloads; intake_people.c keeps people apart; intake.c chooses among
 * the forms.
 */
#ifndef GRADER_INTAKE_INTAKE_INTERNAL_H
#define GRADER_INTAKE_INTAKE_INTERNAL_H

#include <sys/types.h>

#include "base/folder.h"
#include "intake.h"
#include "unpack.h"

struct stat;

/* The most bytes taken of one file of a class. The limit of a student's file is smaller; a longer file is cut here and
 * is still seen to be too large. */
enum { INTAKE_FILE_BYTES = 16 << 20 };

/* The visible names in a folder, in order. */
bool intake_read_names(folder_names *out, const char *folder, grader_fault *fault);

/* Whether the name in the folder is of that kind, such as S_IFREG; links are not followed. */
bool intake_is_kind(const char *folder, const char *name, mode_t kind, struct stat *status);

/* Makes a new private folder for the content of an archive; the caller frees it. */
bool intake_make_staging(char **out, intake *taken, grader_fault *fault);

bool intake_unpack(char **out, intake *taken, const char *path, const char *name, const unpack_limits *limits,
                   bool *cut, grader_fault *fault);

/* Keeps a refusal if the archive of this name was cut: what is missing might be the student's file, or another one. */
bool intake_keep_cut(submission *entry, const char *name, bool cut, grader_fault *fault);

/* Keeps note number `first`, if there is one: a student without a file is told this reason. */
bool intake_keep_reason(submission *entry, const intake_notes *notes, size_t first, grader_fault *fault);

/* Limits for the archive of a student, and the note for an archive of a kind that is not read. */
extern const unpack_limits intake_student_limits;
extern const char intake_other_kind[];

/* Adds a student's folder: one submission, or one for each folder "attempt1", "attempt 2", ... in it, and then nothing
 * else of it. Takes over the texts of `entry`. */
bool intake_add(intake *taken, submission *entry, grader_fault *fault);

/* Unpacks the archives in a student's folder into a second folder of the submission. */
bool intake_unpack_inside(intake *taken, submission *entry, grader_fault *fault);

/* Takes in the folders that the metadata lists, and those that it does not. */
bool intake_take_gradescope(intake *taken, const char *folder, const folder_names *names, const char *metadata,
                            grader_fault *fault);

/* Gives those another id, with a note, who share one with somebody else: their address, or the id and their name. */
bool intake_tell_apart(intake *taken, grader_fault *fault);

/* How to read the names of a download that is one folder of files, each named for its student. */
typedef struct intake_loose_form intake_loose_form;

/* The form of most of the names; NULL if the folder holds something else. */
const intake_loose_form *intake_loose_form_of(const char *folder, const folder_names *names);

bool intake_take_loose(intake *taken, const intake_loose_form *form, const char *folder, const folder_names *names,
                       grader_fault *fault);

#endif
