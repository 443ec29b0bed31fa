/*
 * roster.h: the students of a class, read from a CSV file: a row for each student, with columns for id, name, e-mail,
 * section, group, time of submission and Moodle's status, under the names that learning systems give them. The status
 * says how late a submission is. It knows students and groups, and which of them a submission belongs to. Independent
 * of results.
 */
#ifndef GRADER_COURSE_ROSTER_H
#define GRADER_COURSE_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "intake/submissions.h"

enum { ROSTER_UNKNOWN = -1 };

typedef struct roster_student {
    char *id, *name, *email, *section, *submitted; /* "" where the file has none */
    int64_t late; /* by Moodle's status: seconds after the due time, or ROSTER_UNKNOWN */
} roster_student;

/* The membership of a student in a group. */
typedef struct roster_member {
    size_t student; /* index in the roster */
    char *group;    /* its name */
} roster_member;

typedef struct roster {
    roster_student *student;
    size_t count;
    roster_member *member;
    size_t members;
    bool has_times; /* at least one student has a time of submission, or is late by Moodle's status */
} roster;

/* Parses the file's bytes; faults name `path` and the line. A student with neither id nor name, a repeated id and an
 * invalid time are faults; but two rows of one student may name two groups. Rows that Canvas's gradebook has above its
 * students are skipped. */
bool roster_parse(roster *out, const char *path, const char *bytes, size_t count, grader_fault *fault);

/* Reads and parses the file. */
bool roster_read(roster *out, const char *path, grader_fault *fault);

void roster_free(roster *students);

/* The student of a submission, found by id or e-mail, else by the name, exactly or else by letters and digits in either
 * order; NULL if the roster has none, or several with that name. Borrowed. */
const roster_student *roster_find(const roster *students, const submission *entry);

/* Whether the submission has no student because its name fits several. */
bool roster_fits_several(const roster *students, const submission *entry);

/* Whether the student has that name, in either order. */
bool roster_is_name(const roster_student *student, const char *name);

/* The roster's name of the group with this name, compared exactly or else by letters and digits without case, because
 * systems leave other characters out of file names. NULL if none or several fit; `several` tells which. Borrowed; all
 * calls give the same pointer. */
const char *roster_find_group(const roster *students, const char *name, bool *several);

bool roster_is_member(const roster *students, const roster_student *student, const char *group);

#endif
