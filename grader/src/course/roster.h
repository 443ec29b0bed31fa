/*
 * roster.h: who is in the class: a CSV file with a row a student and columns id, name, e-mail, section, group and when the
 * work was handed in, by whatever name learning systems give them. It knows students and groups, and which of them a
 * submission is of; not results.
 */
#ifndef GRADER_COURSE_ROSTER_H
#define GRADER_COURSE_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "intake/submissions.h"

typedef struct roster_student {
    char *id, *name, *email, *section, *submitted; /* "" where the file has none */
} roster_student;

/* That a student is in a group. */
typedef struct roster_member {
    size_t student; /* which of the students */
    char *group;    /* its name */
} roster_member;

typedef struct roster {
    roster_student *student;
    size_t count;
    roster_member *member;
    size_t members;
    bool has_times; /* of somebody it says when the work was handed in */
} roster;

/* Reads the file's bytes; `path` is its name in faults, which say the line. A student with neither id nor name, or with
 * another's id, or with a time that is none, is a fault; but two rows of one student that name two groups are one student
 * in both. What Canvas's gradebook has above its students is none. */
bool roster_parse(roster *out, const char *path, const char *bytes, size_t count, grader_fault *fault);

/* The same from a file. */
bool roster_read(roster *out, const char *path, grader_fault *fault);

void roster_free(roster *students);

/* Whose submission it is: by id, by e-mail, by name in either order; NULL for nobody on the roster. Borrowed. */
const roster_student *roster_find(const roster *students, const submission *entry);

/* Whether the student bears that name, in either order. */
bool roster_is_name(const roster_student *student, const char *name);

/* The name on the roster of the group that is called so there, or called so but for case and what is neither letter nor
 * digit: systems leave that out of names of files. NULL for none; `several` says whether that is because more than one
 * fits. Borrowed, the same for each call. */
const char *roster_find_group(const roster *students, const char *name, bool *several);

bool roster_is_member(const roster *students, const roster_student *student, const char *group);

#endif
