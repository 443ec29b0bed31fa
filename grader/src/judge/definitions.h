/*
 * definitions.h: where a student's file defines what the lab asks for. A failed check that knows no line is given that
 * of the function or table of which it speaks. Independent of results and jobs.
 */
#ifndef GRADER_JUDGE_DEFINITIONS_H
#define GRADER_JUDGE_DEFINITIONS_H

#include <jansson.h>
#include <stdbool.h>

/* The lines at which a source text defines functions and tables whose names begin with "LAB_": {"lab01_sum": 14}. The
 * text need not compile; a definition that a macro makes is not found. Yours to free; NULL only without memory. */
json_t *definitions_find(const char *source, const char *lab);

/* Gives each failed check without a location the line of the first name in its message, expected or found that has a
 * definition. False without memory. */
bool definitions_locate(json_t *checks, const json_t *definitions, const char *file);

#endif
