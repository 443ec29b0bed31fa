/*
 * source_file.h: the student's one file, read, or a sentence for why it cannot be graded. It knows a file and the
 * folder around it. Independent of labs and verdicts.
 */
#ifndef GRADER_JUDGE_SOURCE_FILE_H
#define GRADER_JUDGE_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

enum { SOURCE_FILE_MOST_BYTES = 1 << 20 };

typedef struct source_file {
    char *bytes; /* NULL if it cannot be graded; otherwise with an extra NUL */
    size_t count;
    char *refusal; /* why not: "lab03.c is missing; the folder holds: main.c"; NULL otherwise */
} source_file;

/* Reads the file at `path`, which the refusal calls `name`. False only for a fault of the grader. */
bool source_file_read(source_file *out, const char *path, const char *name, grader_fault *fault);

/* Adds another reason to the refusal. */
bool source_file_explain(source_file *file, const char *why, grader_fault *fault);

/* What a folder holds, "main.c, notes.txt and 3 more"; "nothing" for an empty one. The caller frees it; NULL without
 * memory. */
char *source_file_contents(const char *folder);

void source_file_free(source_file *file);

#endif
