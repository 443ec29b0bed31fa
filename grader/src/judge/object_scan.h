/*
 * object_scan.h: the names and sections of a relocatable ELF object that was compiled from a stranger's file. Every
 * field is checked against the file's size; damaged files and other kinds of files are reported. It knows ELF.
 * Independent of which names are allowed.
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

/* Hears of each symbol and section, in the order of the file. Strings are valid during the call. */
typedef struct object_visitor {
    void (*symbol)(void *user, object_symbol_kind kind, const char *name);
    void (*section)(void *user, const char *name, bool runs_at_start, bool executable);
    void *user;
} object_visitor;

/* False unless the bytes are a whole 64-bit ELF object in this machine's byte order. */
bool object_scan(const void *bytes, size_t count, const object_visitor *visitor);

#endif
