/* Sets of bytes, as spans that lie apart, sorted. */
#ifndef GRADER_HARNESS_FLOW_SPANS_H
#define GRADER_HARNESS_FLOW_SPANS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct span {
    size_t first, end;
} span;

/* Start with {0}; free(all.span) ends it. */
typedef struct spans {
    span *span;
    size_t count, capacity;
} spans;

/* False if memory runs out. */
bool spans_add(spans *all, size_t first, size_t end);

bool spans_have(const spans *all, size_t first, size_t end);

/* The first byte below `size` that is missing; `size` if none is. */
size_t spans_first_missing(const spans *all, size_t size);

size_t spans_bytes(const spans *all);

#endif
