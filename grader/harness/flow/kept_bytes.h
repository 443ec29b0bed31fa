/*
 * The bytes that the device process has kept of copies between host and device, as the check reads them: the reader of
 * base/system/evidence.h. The program never has this memory. Read it while the program stands still and its device has
 * no work left, as after check_trace.
 */
#ifndef GRADER_HARNESS_FLOW_KEPT_BYTES_H
#define GRADER_HARNESS_FLOW_KEPT_BYTES_H

#include "base/system/evidence.h"

/* The size of the memory in which a check has bytes kept: more than twice what lab 03 copies on a GPU. */
enum { KEPT_BYTES_ROOM = 1 << 30 };

typedef struct check_evidence {
    const evidence_head *head;
    size_t bytes;
} check_evidence;

/* Maps the memory of this descriptor, which stays the caller's. False if it is not evidence. */
bool kept_bytes_map(check_evidence *out, int descriptor);
void kept_bytes_unmap(check_evidence *mapped); /* all zeros are accepted */

/* Whether copies are missing, because the memory was full. */
bool kept_bytes_are_incomplete(const check_evidence *mapped);

/* The entry after this one, or the first if it is NULL; NULL at the end. Entries that did not arrive whole are left
 * out. */
const evidence_entry *kept_bytes_next(const check_evidence *mapped, const evidence_entry *entry);

static inline const unsigned char *kept_bytes_of(const evidence_entry *entry)
{
    return (const unsigned char *)(entry + 1);
}

#endif
