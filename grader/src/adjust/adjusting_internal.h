/* adjusting_internal.h: the labs whose results are adjusted: adjusting_labs.c reads and writes them, adjusting_plan.c
 * checks a request about students against them, deciding.c one about a lab, adjusting.c carries it out. */
#ifndef GRADER_ADJUST_ADJUSTING_INTERNAL_H
#define GRADER_ADJUST_ADJUSTING_INTERNAL_H

#include "adjusting.h"
#include "class/class_results.h"
#include "store/adjustments.h"

typedef struct adjusted_lab {
    char *name, *out;      /* its name, and the folder of its results */
    class_results results; /* with the adjustments, those that are planned too */
    json_t *students;      /* their results, and the students of the roster without one; NULL until it is opened */
    bool changed;
} adjusted_lab;

/* An adjustment to come; one of the lab as a whole has no student. */
typedef struct adjusting_plan {
    adjusted_lab *lab;
    char *before; /* the points that counted before, as text */
    store_adjustment row;
    char *student, *id, *says, *who, *why; /* what the row borrows */
} adjusting_plan;

typedef struct adjusting {
    grade_store *store;
    const char *folder;
    bool flat; /* the results of its one lab lie in the folder itself */
    adjusted_lab *lab;
    size_t labs;
    adjusting_plan *plan;
    size_t plans;
} adjusting;

bool adjusting_open(adjusting *all, const char *folder, grader_fault *fault);
void adjusting_close(adjusting *all);

/* The lab by its name, opened; the only one for NULL. */
bool adjusting_find_lab(adjusted_lab **out, adjusting *all, const char *name, grader_fault *fault);

/* The student, by any of the names that a request may use. Borrowed from the lab. */
bool adjusting_find_student(const json_t **out, const adjusted_lab *lab, const char *wanted, grader_fault *fault);

/* What is known of the student of an entry of `students`: {id, name, email, section, groups}. Borrowed. */
const json_t *adjusting_known(const json_t *student);

/* The points that a check of the lab counts; below 0 for an unknown check, which is a fault. */
int adjusting_points_of_check(const adjusted_lab *lab, const char *name, grader_fault *fault);

/* Writes results.json of each changed lab, as the store has it now, and reads the lab again. */
bool adjusting_write(adjusting *all, grader_fault *fault);

/* Checks a request and adds it to the plans. */
bool adjusting_plan_request(adjusting *all, const adjusting_request *request, grader_fault *fault);

/* Adds a decision about the lab to the plans: `who` and `why` are the request's. */
bool adjusting_plan_decision(adjusting *all, adjusted_lab *lab, const json_t *says, const adjusting_request *request,
                             grader_fault *fault);

/* Carries the plans out and prints what they changed. */
bool adjusting_carry_out(FILE *out, adjusting *all, grader_fault *fault);

void adjusting_plan_free(adjusting_plan *plan);

#endif
