/*
 * plan.h: the work of a grading as a folder, so that other machines can do it: OUT/+plan.
 *
 * plan.json names the labs and their versions, jobs.json lists the submissions by number, and each submission has a
 * folder of its own, 000001, with job.json and the file to grade. Everything is found by its name: a file system that
 * is shared may list a folder late. Only this user can enter the folder, for it holds the seeds of the students. It
 * knows files. Independent of how a submission is graded; outcome.h is for what comes back.
 */
#ifndef GRADER_PLAN_PLAN_H
#define GRADER_PLAN_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "keys/content_key.h"

typedef struct work_plan {
    char *folder;
    json_t *head;    /* plan.json: its "labs" have a "name", the rest is the caller's */
    json_t *jobs;    /* jobs.json: [lab, directory, key] of each submission, from number 1 */
    json_t *numbers; /* "lab/directory": number */
} work_plan;

/* OUT/+plan; the caller frees it; NULL without memory. */
char *plan_place(const char *out);

/* Whether a folder of results has a plan. */
bool plan_is_there(const char *out);

/* Whether the folder itself is a plan, such as a copy of one. */
bool plan_is_in(const char *folder);

/* Begins a plan, which appears at `folder` when it is whole. */
bool plan_begin(work_plan *out, const char *folder, grader_fault *fault);

/* Adds a submission: its lab, its folder among the results, the key of everything that its result depends on, and what
 * else the caller wants to find in job.json. `job` is taken over. `file` names the file to grade; NULL for none. */
bool plan_add(work_plan *plan, json_t *job, const content_key *key, const char *file, const char *source, size_t bytes,
              grader_fault *fault);

/* Makes the plan appear, in place of an earlier one. `head` is taken over. Close the plan in any case. */
bool plan_end(work_plan *plan, json_t *head, grader_fault *fault);

/* Opens a plan to read. */
bool plan_open(work_plan *out, const char *folder, grader_fault *fault);
void plan_close(work_plan *plan);

/* What plan.json says of a lab; NULL for nothing. Borrowed. */
const json_t *plan_lab(const work_plan *plan, const char *name);

size_t plan_count(const work_plan *plan);

/* The number of a submission; 0 if the plan does not have it. */
size_t plan_number(const work_plan *plan, const char *lab, const char *directory);

/* The key of a submission in hexadecimal digits. Borrowed. */
const char *plan_key(const work_plan *plan, size_t number);

/* FOLDER/000001/NAME; the caller frees it; NULL without memory. */
char *plan_path(const work_plan *plan, size_t number, const char *name);

/* What job.json of a submission says: yours. */
bool plan_read_job(json_t **out, const work_plan *plan, size_t number, grader_fault *fault);

/* The first and last number of a part of all submissions; first > last for a part without any. */
void plan_range(size_t *first, size_t *last, const work_plan *plan, size_t part, size_t parts);

enum { PLAN_KEY_DIGITS = 2 * sizeof(content_key) + 1 };
void plan_key_text(char text[PLAN_KEY_DIGITS], const content_key *key);

#endif
