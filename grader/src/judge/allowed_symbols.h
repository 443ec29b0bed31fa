/*
 * allowed_symbols.h: what a lab's functions may use and define, and the sentences about violations.
 *
 * A function may use the library (lab.h), what the lab's header declares, and the C library's functions that compute,
 * print, allocate and start threads. It may not open files or connections, start processes, map memory, load code or
 * change how signals and exits are handled. A lab's allowed.txt widens that with lines "+ NAME" and narrows it with
 * lines "- NAME: why"; a line that begins with # is a comment. A file may define functions of its own, which build.h
 * hides. It may not define names that would replace those of the library, the harness or the system. It knows names;
 * source_scan.h and object_scan.h know where they come from.
 */
#ifndef GRADER_JUDGE_ALLOWED_SYMBOLS_H
#define GRADER_JUDGE_ALLOWED_SYMBOLS_H

#include <stdbool.h>

#include "base/fault.h"
#include "base/text.h"
#include "lab_parts.h"
#include "source_scan.h"

typedef struct symbol_rules {
    source_names library;  /* what lab.h declares */
    source_names contract; /* what the lab's header declares */
    char *allowed;         /* the text of allowed.txt; "" without one */
} symbol_rules;

bool allowed_symbols_open(symbol_rules *out, const lab_parts *parts, grader_fault *fault);
void allowed_symbols_close(symbol_rules *rules);

/* Adds a sentence to `refusals` for each forbidden thing in the object. The sentences call the student's file `file`;
 * `names` are its names with their lines. False only without memory. */
bool allowed_symbols_check(text_buffer *refusals, const symbol_rules *rules, const void *object, size_t bytes,
                           const char *file, const source_names *names);

/* The names that stay visible to the other objects of the program, one a line: yours; NULL without memory. */
char *allowed_symbols_kept(const symbol_rules *rules);

#endif
