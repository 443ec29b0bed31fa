/*
 * hollow.h: files that do nothing, made of a solution: with all function bodies empty, and as one comment. A lab's checks
 * give no points to either. It knows as much of C as that takes: comments, literals, braces, what stands before a body.
 */
#ifndef GRADER_HOLLOW_H
#define GRADER_HOLLOW_H

/* The file with every function returning zero of its type at once. Yours to free; NULL without memory. */
char *hollow_bodies(const char *source);

/* The file as nothing but comments. Yours to free; NULL without memory. */
char *hollow_all(const char *source);

#endif
