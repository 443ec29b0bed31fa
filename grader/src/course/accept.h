/*
 * accept.h: what an instructor accepts about submissions, in a CSV file with the columns `submission`, `file` and
 * `student`: that a file with another name is the lab's, and whose a submission is that the roster does not know. It
 * knows names (grader/docs/intake.md).
 */
#ifndef GRADER_COURSE_ACCEPT_H
#define GRADER_COURSE_ACCEPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "intake/intake.h"
#include "roster.h"

typedef struct acceptance {
    char *submission; /* its name or id; "*" for all */
    char *file;       /* its path in the submission; "" for the lab's own name */
    char *student;    /* id, e-mail or name on the roster; "" for whom the roster finds */
    int line;
} acceptance;

/* Start with {0}. */
typedef struct acceptances {
    acceptance *row;
    size_t count;
    char *path;
} acceptances;

/* Reads the file. A row without a submission, or with neither file nor student, is a fault. */
bool accept_read(acceptances *out, const char *path, grader_fault *fault);
void accept_free(acceptances *accepted);

/* Gives submissions to the students that the rows name. One whom the roster does not have, or who fits several, is a
 * fault; a row about no submission is noted. Called before groups share submissions. */
bool accept_students(intake *taken, const acceptances *accepted, const roster *students, grader_fault *fault);

/* Sets the files that intake_locate takes for the lab's. */
bool accept_files(intake *taken, const acceptances *accepted, grader_fault *fault);

#endif
