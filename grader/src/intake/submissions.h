/*
 * submissions.h: the list of what is to be graded, in order of name. It knows names and folders, whatever bytes are in
 * them; not where they came from (intake.h) and not what is in a submission.
 */
#ifndef GRADER_INTAKE_SUBMISSIONS_H
#define GRADER_INTAKE_SUBMISSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

typedef struct submission {
    char *name;   /* the subfolder's, any bytes */
    char *folder; /* its path */
    char *safe;   /* a name for files about it, unique among the submissions */
    char *more;   /* a second folder with files of it, from an archive that lay in the first; NULL for none */
    char *why;    /* what could not be taken of its archives, a sentence; NULL for nothing */
    char *id, *email, *submitted; /* as a learning system has them; NULL where it says nothing */
    char *group;                  /* names a submission that several students share; NULL for one's own */
    long long order;              /* of several attempts of one student, the latest has the largest */
    int attempt, attempts;        /* this is number `attempt`, from 1, of so many; 0 until attempts.h counted them */
} submission;

typedef struct submission_list {
    submission *entry;
    size_t count;
    size_t skipped; /* files that were no student's */
} submission_list;

/* What tells a student from others; NULL where nothing is known. */
typedef struct submission_student {
    const char *name, *id, *email;
} submission_student;

/* Appends a submission, taking over the texts of `entry`, also when memory runs out; then sorts
 * the list by name, and one student's by their order, and gives each its safe name. */
bool submissions_append(submission_list *list, const submission *entry, grader_fault *fault);
bool submissions_finish(submission_list *list, grader_fault *fault);

/* Makes a submission that of this student; or appends a copy of it that is the student's. */
bool submissions_give(submission *entry, const submission_student *to, grader_fault *fault);
bool submissions_share(submission_list *list, size_t number, const submission_student *with, grader_fault *fault);

void submissions_entry_free(submission *entry);
void submissions_free(submission_list *list);

#endif
