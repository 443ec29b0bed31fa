/*
 * empty_answers.h: turns a solution into files that do nothing: one with all function bodies empty, one that is a
 * comment. A lab's checks must give no points to either.
 */
#ifndef GRADER_PROVE_EMPTY_ANSWERS_H
#define GRADER_PROVE_EMPTY_ANSWERS_H

#include "source/tokens.h"

/* The file with functions that do nothing but return zero of their type. `source` is what the compiler's preprocessor
 * makes of `file`, and so is the result: it compiles as the file does. Functions of headers stay. The caller frees it;
 * NULL without memory. */
char *empty_answers_bodies(preprocessed_text source, const char *file);

/* The file with every line in a comment. The caller frees it; NULL without memory. */
char *empty_answers_all(const char *source);

#endif
