/*
 * submissions.h: the list of what is to be graded, in order of name. Names and paths may hold any bytes. Independent of
 * where submissions come from (intake.h) and of their content.
 */
#ifndef GRADER_INTAKE_SUBMISSIONS_H
#define GRADER_INTAKE_SUBMISSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

/* Where a lab's file lies in a submission (intake.h): a path, or a refusal. */
typedef struct submission_file {
    char *path;                   /* need not exist: its reader says what lies there instead */
    char *refusal;                /* a sentence: several files could be the one, or the list of files is not complete */
    char *note;                   /* "graded: src/lab03.c; also seen: ..."; NULL for a file alone in its place */
    char *likely;                 /* of a submission without the file: the one that it probably is; NULL for none */
    bool is_starter, is_solution; /* the workbook's own text, but for spaces and ends of lines */
    bool is_worth_a_note;         /* other files could have been meant: the instructor is told too */
} submission_file;

typedef struct submission {
    char *name;   /* the subfolder's, any bytes */
    char *folder; /* its path */
    char *safe;   /* a name for files about it, unique among the submissions */
    char *more;   /* a second folder, with the content of archives that lay in the first; NULL for none */
    char *why;    /* a sentence on what its archives did not give; NULL for nothing */
    char *cut;    /* a refusal: what of an archive is missing, so that nothing of it counts; NULL for nothing */
    char *id, *email, *submitted; /* from a learning system; NULL where it says nothing */
    char *group;                  /* names a submission that several students share; NULL otherwise */
    char *whole;                  /* begins with the assignment's name and ends with the student's; NULL for others */
    char *account;                /* what stands behind the assignment's name; NULL where unknown */
    char *accepted;               /* the file that an instructor takes for the lab's; NULL for one by its name */
    bool has_accepted_owner;      /* an instructor said whose it is */
    long long order;              /* of several attempts of one student, the latest has the largest */
    submission_file found;        /* the lab's file; empty before intake_locate */
    int attempt, attempts;        /* number `attempt`, from 1, of `attempts`; 0 until attempts.h has counted them */
} submission;

typedef struct submission_list {
    submission *entry;
    size_t count;
    size_t skipped; /* files that belong to no student */
} submission_list;

/* What distinguishes a student from others; NULL where unknown. */
typedef struct submission_student {
    const char *name, *id, *email;
} submission_student;

/* Appends a submission. Takes over the texts of `entry`, also when it fails. */
bool submissions_append(submission_list *list, const submission *entry, grader_fault *fault);

/* Sorts the list by name, and each student's submissions by their order, and gives each its safe name. */
bool submissions_finish(submission_list *list, grader_fault *fault);

/* Whether two submissions of one id are of two people: the addresses differ, or the names if one has no address. */
bool submissions_are_of_two(const submission_student *one, const submission_student *other);

/* The account in a submission's name, or else its name. Borrowed. */
const char *submissions_account(const submission *entry);

/* Makes this student the owner of a submission; or appends a copy that the student owns. */
bool submissions_give(submission *entry, const submission_student *student, grader_fault *fault);
bool submissions_share(submission_list *list, size_t number, const submission_student *student, grader_fault *fault);

void submissions_file_free(submission_file *file);
void submissions_entry_free(submission *entry);
void submissions_free(submission_list *list);

#endif
