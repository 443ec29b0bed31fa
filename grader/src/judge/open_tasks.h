/*
 * open_tasks.h: what a student's file still has of the lab's starter: TODO(n) that are not done, and functions and
 * tables in which nothing has been written. Independent of jobs.
 */
#ifndef GRADER_JUDGE_OPEN_TASKS_H
#define GRADER_JUDGE_OPEN_TASKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The tasks that this text marks with TODO(n), n from 0 to 63: bit n. */
uint64_t open_tasks_marked(const char *text, size_t count);

/* The functions and tables in which the starter marks a task and that are still the starter's, but for blanks:
 * {"lab01_sum": 2}, with the tasks as bits. One whose task is to find the place, "TODO(2) in this function", is not
 * listed: its code is what there is to look at. `definitions` are the source's, `given` the starter's (definitions.h).
 * Owned by the caller; NULL only without memory. */
json_t *open_tasks_untouched(const char *source, const json_t *definitions, const char *starter, const json_t *given);

/* Gives each failed check whose line is in such a definition the field "unwritten", true. False without memory. */
bool open_tasks_mark(json_t *checks, const json_t *untouched, const json_t *definitions, const char *file);

/* Gives each place of a failed check, its "location" and those of its "edge", the field "change" where the line is in a
 * function that the starter gives and asks nothing in: the line from which that is called is the one to change. False
 * without memory. */
bool open_tasks_mark_calls(json_t *checks, const char *file, const char *source, const json_t *definitions,
                           const char *starter, const json_t *given);

/* Those of the marked tasks that are not done, as text: "1, 3". A task is done when all checks whose title begins with
 * its number, "Task 2: ", have passed and none of its definitions is untouched. Owned by the caller; NULL without
 * memory. */
char *open_tasks_left(uint64_t marked, const json_t *checks, const json_t *untouched);

#endif
