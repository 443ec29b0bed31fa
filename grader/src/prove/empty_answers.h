/*
 * empty_answers.h: turns a solution into files that do nothing: one with all function bodies empty, one that is a
 * comment. A lab's checks must give no points to either. It knows the C that this takes: comments, literals, braces,
 * what precedes a body.
 */
#ifndef GRADER_PROVE_EMPTY_ANSWERS_H
#define GRADER_PROVE_EMPTY_ANSWERS_H

/* The file with functions that do nothing but return zero of their type. Yours to free; NULL without memory. */
char *empty_answers_bodies(const char *source);

/* The file with every line in a comment. Yours to free; NULL without memory. */
char *empty_answers_all(const char *source);

#endif
