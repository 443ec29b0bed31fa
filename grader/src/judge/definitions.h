/*
 * definitions.h: where a student's file defines what the lab asks for. A failed check that knows no line is given that
 * of the function or table of which it speaks. Independent of results and jobs.
 */
#ifndef GRADER_JUDGE_DEFINITIONS_H
#define GRADER_JUDGE_DEFINITIONS_H

#include <jansson.h>
#include <stdbool.h>

/* The lines of a source text with its functions and tables, from the first to the last: {"lab01_sum": [14, 22]}. A
 * function begins with the first line of code in its body, a table with its name. The entries of a table and the cases
 * of a function are there too: "lab01_waits[3]", "lab06_numpy_body(LAB_INT8)". A function's third part has the words of
 * its body, each with the first line that has it. The text need not compile; a definition that a macro makes is not
 * found. Yours to free; NULL only without memory. */
json_t *definitions_find(const char *source);

/* Gives each failed check without a location the line of the definition at which it says to look (check_look_at), or
 * of the first name in its message, expected or found that begins with "LAB_" and has a definition. A location that is
 * only guessed stays if it is in that definition. False without memory. */
bool definitions_locate(json_t *checks, const json_t *definitions, const char *file, const char *lab);

#endif
