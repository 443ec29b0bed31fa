/*
 * definitions.h: where a student's file defines what the lab asks for, as the compiler sees the file. A failed check
 * that knows no line is given that of the function or table of which it speaks. Independent of results and jobs.
 */
#ifndef GRADER_JUDGE_DEFINITIONS_H
#define GRADER_JUDGE_DEFINITIONS_H

#include <jansson.h>
#include <stdbool.h>

#include "source/tokens.h"

/* The lines of `file` with its functions and tables, from the first to the last: {"lab01_sum": [14, 22]}. `source` is
 * what the compiler's preprocessor makes of the file (build_text). A function begins with the first line of code in its
 * body, a table with its name. The entries of a table and the cases of a function are there too: "lab01_waits[3]",
 * "lab06_numpy_body(LAB_INT8)". A function's third part is the line at which it ends (check_at_name), its fourth has
 * the words of its body, each with the first line that has it: those of its code, and then those of its strings, which
 * may be lines of a kernel. What a macro makes is where the macro is used. The caller frees the result; NULL only
 * without memory. */
json_t *definitions_find(preprocessed_text source, const char *file);

/* Gives each failed check without a location the line of the definition at which it says to look (check_look_at), or
 * of the first name in its message, expected or found that begins with "LAB_" and has a definition. A location that is
 * only guessed stays if it is in that definition. False without memory. */
bool definitions_locate(json_t *checks, const json_t *definitions, const char *file, const char *lab);

/* Gives each location in the file that names no function the one with its line, or with the line to change
 * (open_tasks_mark_calls). False without memory. */
bool definitions_name(json_t *checks, const json_t *definitions, const char *file);

#endif
