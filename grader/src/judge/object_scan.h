/*
 * object_scan.h: the names and sections of a relocatable ELF object, which a stranger's compiler run has made: every
 * field is checked against the file's size, and a file that is no such object, or a damaged one, is said to be so.
 * It knows ELF and nothing of which names are allowed.
 */
#ifndef GRADER_JUDGE_OBJECT_SCAN_H
#define GRADER_JUDGE_OBJECT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

typedef enum object_symbol_kind {
    OBJECT_UNDEFINED, /* used and not defined here */
    OBJECT_DEFINED,   /* defined for other objects to see */
    OBJECT_INDIRECT,  /* chosen by a function that runs before main */
} object_symbol_kind;

/* What is told, in the order of the file. Strings are valid during the call. */
typedef struct object_visitor {
    void (*symbol)(void *user, object_symbol_kind kind, const char *name);
    void (*section)(void *user, const char *name, bool runs_at_start, bool executable);
    void *user;
} object_visitor;

/* False if the bytes are no whole ELF object of 64 bits in this machine's byte order. */
bool object_scan(const void *bytes, size_t count, const object_visitor *visitor);

#endif
