/*
 * What a launch reads and writes, byte by byte, while its blocks run: a bitmap for each page of memory that they meet.
 * Independent of what the memory is.
 */
#ifndef LAB_CPU_CHECKS_TOUCHED_H
#define LAB_CPU_CHECKS_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/builtins/kernel_abi.h"

typedef struct touched touched;

/* Pages that a host thread used last. All zeros at first. */
enum { TOUCHED_RECENT = 16 };
typedef struct touched_recent {
    struct touched_page *page[TOUCHED_RECENT];
} touched_recent;

/* NULL if memory ran out. */
touched *touched_create(void);
void touched_free(touched *t);

/* Notes an access. Several host threads may call it, each with pages of its own. */
void touched_note(touched *t, touched_recent *recent, uintptr_t address, size_t bytes, cpu_site_kind kind);

/* How many bytes were read, each counted once, after all accesses are noted; 0 if memory ran out in touched_note. */
uint64_t touched_bytes_read(const touched *t);

/* Neighbouring bytes that were all written, or all read and not written. A range that touched_list has joined holds
 * other bytes too, and is written if any of its bytes was. */
typedef struct touched_range {
    uintptr_t start, end;
    bool writes;
} touched_range;

/* Lists the ranges by address, once all accesses are noted. If there are more than `most`, neighbours become one range
 * with the bytes between them, but never with another allocation between them. The caller frees *out. False, and *out
 * is NULL, if there are still more than `most`, or if memory ran out here or in touched_note. */
bool touched_list(touched_range **out, size_t *count, const touched *t, size_t most);

#endif
