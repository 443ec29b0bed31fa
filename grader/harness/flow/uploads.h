/*
 * What was uploaded: which bytes are parts of the given inputs, and which the device had delivered before, so that the
 * host only passed them on. All other bytes are the host's own.
 */
#ifndef GRADER_HARNESS_FLOW_UPLOADS_H
#define GRADER_HARNESS_FLOW_UPLOADS_H

#include "content.h"
#include "kept_runs.h"

/* Uploaded bytes at these device addresses that are known. */
typedef struct known_bytes {
    uint32_t op;        /* the upload */
    uint32_t delivery;  /* the copy that had delivered them before, ... */
    uint64_t delivered; /* ... and their device address there; 0, 0 for an input */
    uint64_t first, end;
    uint64_t reach;       /* the last end of these and earlier ones of the upload */
    size_t input, offset; /* the input */
} known_bytes;

typedef struct uploads {
    kept_runs runs;
    known_bytes *known; /* by upload and address */
    size_t knowns, capacity;
} uploads;

/* `input` holds all inputs, some of which may be empty. False if memory runs out. Call uploads_free in any case. */
bool uploads_read(uploads *out, const check_evidence *kept, const lab_trace *trace, const content_text *input,
                  size_t inputs);
void uploads_free(uploads *read);

/* Adds the bytes that had been delivered before they were uploaded. */
bool uploads_add_delivered(uploads *all, const kept_runs *deliveries);

/* The number of the first known bytes of the upload that end after the address; all->knowns if there are none. */
size_t uploads_find(const uploads *all, uint32_t op, uint64_t address);

/* The first byte in the range that is of none of these kinds; `end` if there is none. */
enum { UPLOADED_INPUT = 1, UPLOADED_DELIVERED = 2, UPLOADED_ZERO = 4 };
uint64_t uploads_first_not(const uploads *all, uint32_t op, uint64_t first, uint64_t end, unsigned kinds);

#endif
