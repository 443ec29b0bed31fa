/*
 * c_text.h: reads C source as text, whether or not it compiles: where comments, literals and preprocessor lines end,
 * and how much of a function changed.
 */
#ifndef GRADER_BASE_C_TEXT_H
#define GRADER_BASE_C_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The length of a comment, a literal or a preprocessor line that begins here; 0 for code. A literal ends with its line.
 * `line_start` is whether only blanks stand before it on its line. */
size_t c_text_skip(const char *at, bool line_start);

/* Whether the character is one of an identifier. */
bool c_text_is_word(char c);

/* How many lines of a function are new, changed, moved or gone, and how many outside of the functions of `before`. A
 * line is a statement, the head of a loop, a condition or a function, a preprocessor line, or one of several literals
 * in a row. Comments, layout and braces do not count, nor does what initializes an object outside of functions. A
 * change counts once, not as a line that is gone and one that is new. -1 without memory. */
int c_text_changed_lines(const char *before, const char *after, const char *function);

#endif
