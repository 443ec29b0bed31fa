/*
 * c_text.h: reads C source as text, whether or not it compiles: where comments, literals and preprocessor lines end.
 */
#ifndef GRADER_SOURCE_C_TEXT_H
#define GRADER_SOURCE_C_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The length of a comment, a literal or a preprocessor line that begins here; 0 for code. A literal ends with its line.
 * `line_start` is whether only blanks stand before it on its line. */
size_t c_text_skip(const char *at, bool line_start);

/* Whether the character is one of an identifier. */
bool c_text_is_word(char c);

#endif
