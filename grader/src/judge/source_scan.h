/*
 * source_scan.h: finds in a student's file what its object no longer shows: inline assembly, attributes that run code
 * by themselves or rename functions, headers from elsewhere, lines that pretend to come from another file.
 *
 * It reads the file as it is and as the preprocessor leaves it, by tokens: it understands comments, strings, line
 * splices and, before the preprocessor, trigraphs. The text that the preprocessor left is what is compiled (build.c).
 * Only the student's own file counts, not the system's headers. It knows C's tokens. Independent of symbols, compilers
 * and verdicts.
 */
#ifndef GRADER_JUDGE_SOURCE_SCAN_H
#define GRADER_JUDGE_SOURCE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* A name of the student's file, and its first line. */
typedef struct source_name {
    char *name;
    int line;
} source_name;

/* Start with {0}. */
typedef struct source_names {
    source_name *name;
    size_t count, room;
    uint32_t *slot;     /* by hash: a number in `name`, plus 1; twice `room` of them */
    uint64_t hash_seed; /* a file's author must not choose which names meet */
} source_names;

/* A text with its length. */
typedef struct source_text {
    const char *bytes;
    size_t count;
} source_text;

/* Adds a sentence to `refusals` for each forbidden thing, and lists the names. The sentences call the student's file
 * `file`; it may include headers of the folders `seen`, which ends with NULL. False only without memory. */
bool source_scan(source_names *names, text_buffer *refusals, source_text file_text, source_text preprocessed,
                 const char *file, const char *const *seen);

/* Lists the functions, data and types that a header declares, without parameters, members and macros. False only
 * without memory. */
bool source_header_names(source_names *names, source_text header);

/* The first line of a name; 0 if it does not occur. */
int source_line(const source_names *names, const char *name);

void source_names_free(source_names *names);

#endif
