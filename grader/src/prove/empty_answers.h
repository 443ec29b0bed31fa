/*
 * empty_answers.h: files that do nothing, made of a solution: with all function bodies empty, and as one comment. A lab's checks
 * give no points to either. It knows as much of C as that takes: comments, literals, braces, what stands before a body.
 */
#ifndef GRADER_PROVE_EMPTY_ANSWERS_H
#define GRADER_PROVE_EMPTY_ANSWERS_H

/* The file with every function returning zero of its type at once. Yours to free; NULL without memory. */
char *empty_answers_bodies(const char *source);

/* The file as nothing but comments. Yours to free; NULL without memory. */
char *empty_answers_all(const char *source);

#endif
