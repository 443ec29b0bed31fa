/*
 * roster.h: who is in the class: a CSV file with a row a student and columns id, name, e-mail, section and when the work
 * was handed in, by whatever name learning systems give them. It knows students, and which of them a submission is; not results.
 */
#ifndef GRADER_ROSTER_H
#define GRADER_ROSTER_H

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"
#include "submissions.h"

typedef struct roster_student {
    char *id, *name, *email, *section, *submitted; /* "" where the file has none */
} roster_student;

typedef struct roster {
    roster_student *student;
    size_t count;
    bool has_times; /* of somebody it says when the work was handed in */
} roster;

/* Reads the file's bytes; `path` is its name in faults, which say the line. A student with neither id nor name, or with
 * another's id, or with a time that is none, is a fault. What Canvas's gradebook has above its students is none. */
bool roster_parse(roster *out, const char *path, const char *bytes, size_t count, grader_fault *fault);

/* The same from a file. */
bool roster_read(roster *out, const char *path, grader_fault *fault);

void roster_free(roster *students);

/* Whose submission it is: by id, by e-mail, by name in either order; NULL for nobody on the roster. Borrowed. */
const roster_student *roster_find(const roster *students, const submission *entry);

#endif
