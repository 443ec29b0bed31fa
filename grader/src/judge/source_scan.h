/*
 * source_scan.h: what a student's file says that an object no longer shows: inline assembly, attributes that run code
 * by themselves or rename functions, headers from elsewhere, lines that pretend to come from another file.
 *
 * It reads the file as it is and as the preprocessor leaves it, by tokens: comments, strings, line splices and
 * trigraphs are understood, and only what stands in the student's own file counts, not the system's headers. It knows
 * C's tokens and nothing of symbols, compilers or verdicts.
 */
#ifndef GRADER_JUDGE_SOURCE_SCAN_H
#define GRADER_JUDGE_SOURCE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* A name of the student's file, and the first line that it stands on. */
typedef struct source_name {
    char *name;
    int line;
} source_name;

typedef struct source_names {
    source_name *name;
    size_t count, room;
} source_names;

/* A text with its length. */
typedef struct source_text {
    const char *bytes;
    size_t count;
} source_text;

/* Adds a sentence to `refusals` for each thing that is not allowed, and lists the names. `file` is what the sentences
 * call the student's file; `seen` are the folders, ending with NULL, whose headers it may include. False only without
 * memory. */
bool source_scan(source_names *names, text_buffer *refusals, source_text file_text, source_text preprocessed,
                 const char *file, const char *const *seen);

/* Lists what a header declares: functions, data and types, not parameters, members or macros. False only without
 * memory. */
bool source_header_names(source_names *names, source_text header);

/* The first line that a name stands on; 0 if it does not. */
int source_line(const source_names *names, const char *name);

void source_names_free(source_names *names);

#endif
