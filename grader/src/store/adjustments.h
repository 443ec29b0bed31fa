/*
 * adjustments.h: what persons decided about students' results, kept in the database of grades. A grading never writes
 * here, so that an adjustment holds for every later result until it is revoked. Independent of what it says.
 */
#ifndef GRADER_STORE_ADJUSTMENTS_H
#define GRADER_STORE_ADJUSTMENTS_H

#include "store.h"

typedef struct store_adjustment {
    int64_t number; /* from 1, in the order in which they were made */
    const char *lab;
    const char *student, *id; /* the submission's name, and the id of the student, "" if it is not known; both "" for
                                 what is decided about the lab */
    const char *says;         /* JSON of the caller, kept as it is */
    const char *made, *who, *why;
    const char *revoked, *revoked_by, *revoked_why; /* "" unless it is revoked */
} store_adjustment;

/* The user's name and host, as gradings have them; yours, NULL without memory. */
char *store_user(void);

/* Adds adjustments, all or none, and numbers them. Only lab, student, id, says, who and why are used. */
bool store_add_adjustments(grade_store *store, store_adjustment *list, size_t count, grader_fault *fault);

/* Revokes an adjustment, which stays in the list. An unknown number and one that is revoked are faults. */
bool store_revoke(grade_store *store, int64_t number, const char *who, const char *why, grader_fault *fault);

/* Calls `each` for every adjustment, of one lab unless that is NULL, until it returns false. Texts are borrowed. */
bool store_each_adjustment(grade_store *store, const char *lab,
                           bool (*each)(void *user, const store_adjustment *adjustment), void *user,
                           grader_fault *fault);

/* Calls `each` for every lab that was ever graded, with the last grading that has it, in order of name. */
bool store_each_lab(grade_store *store, bool (*each)(void *user, const char *lab, int64_t grading), void *user,
                    grader_fault *fault);

#endif
