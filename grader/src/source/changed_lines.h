/*
 * changed_lines.h: how much of a function somebody changed, by the tokens that the compiler compiles. Reads what the
 * compiler's preprocessor wrote: comments, directives and macros are no longer there, so nothing can hide in them.
 */
#ifndef GRADER_SOURCE_CHANGED_LINES_H
#define GRADER_SOURCE_CHANGED_LINES_H

#include "tokens.h"

/* How many lines of a function are new, changed, moved or gone, and how many outside of the functions of `before`. A
 * line is a statement, the head of a loop, a condition or a function, or a literal that follows another one; one that
 * makes several calls is as many lines, and a literal as many as it has lines or statements itself. What LAB_TRY adds
 * to a call is no line. Layout and braces do not count, nor do declarations outside of functions and what initializes
 * an object that `before` has. A change counts once, not as a line that is gone and one that is new. Functions of
 * `before` that are static must stay as they are. -1 without memory. */
int changed_lines(preprocessed_text before, preprocessed_text after, const char *function);

#endif
