/*
 * roster.h: the students of a class, read from a CSV file: a row for each student, with columns for id, logins, name,
 * e-mail, section, group, time of submission and Moodle's status, under the names that learning systems give them
 * (column_names.h). The status says how late a submission is. It knows students and groups; roster_match.h knows which
 * of them a submission belongs to. Independent of results.
 */
#ifndef GRADER_COURSE_ROSTER_H
#define GRADER_COURSE_ROSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum { ROSTER_UNKNOWN = -1, ROSTER_ALSO = 4 };

typedef struct roster_student {
    char *id, *name, *email, *section, *submitted, *github; /* "" where the file has none */
    char *also[ROSTER_ALSO];                                /* other ids and logins; "" for none */
    size_t first_length; /* how many bytes of the name are the first name; 0 where one column has the name */
    int64_t late;        /* by Moodle's status: seconds after the due time, or ROSTER_UNKNOWN */
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
    bool dropped_zeros;
    char *columns; /* which columns were read as what, for a person; NULL in an empty roster */
} roster;

/* How to read the file. */
typedef struct roster_reading {
    const char *columns; /* which column is what, 'id=ID,name="Full name"'; NULL where their names say it */
    bool dropped_zeros;  /* a spreadsheet dropped zeros at the beginning of ids: 12345 is 0012345 too */
} roster_reading;

/* Parses the file's bytes; faults name `path` and the line. A student with neither id nor name, a repeated id and an
 * invalid time are faults; but two rows of one student may name two groups. Rows that Canvas's gradebook has above its
 * students are skipped. */
bool roster_parse(roster *out, const roster_reading *how, const char *path, const char *bytes, size_t count,
                  grader_fault *fault);

/* Reads and parses the file. */
bool roster_read(roster *out, const roster_reading *how, const char *path, grader_fault *fault);

void roster_free(roster *students);

#endif
