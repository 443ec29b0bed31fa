/*
 * Evidence: the bytes of every copy between host and device memory, as they were copied, in memory that the device
 * process shares with the check alone. It is only appended to. It holds all copies since evidence_begin or
 * evidence_clear, in the order in which they ran, or says that it is incomplete. While it is off, which is the default,
 * a copy costs one load more.
 */
#ifndef LAB_BASE_SYSTEM_EVIDENCE_H
#define LAB_BASE_SYSTEM_EVIDENCE_H

#include "base/program/host_memory.h"

#include <stdatomic.h>

/* ---- What the memory holds ---- */

typedef enum evidence_way { EVIDENCE_UPLOAD = 1, EVIDENCE_DELIVERY } evidence_way; /* to the device; from it */

typedef enum evidence_state {
    EVIDENCE_OPEN = 1, /* the bytes are on their way */
    EVIDENCE_WHOLE,
    EVIDENCE_FAILED, /* the program's memory was not there */
} evidence_state;

/* A range of bytes that was copied, which may be a part of a copy. Its bytes follow it, and then, at the next multiple
 * of 64 bytes, the next entry. */
typedef struct evidence_entry {
    uint64_t number;  /* 1, 2, 3, ... in the order in which the parts began */
    uint64_t copy;    /* lab_trace_op.kept of the copy; a number that no operation has, if it is not in the record */
    uint64_t address; /* in the program */
    uint64_t bytes;
    int64_t begin_ns; /* CLOCK_MONOTONIC */
    _Atomic uint32_t state;
    uint32_t way;
    uint64_t unused[2];
} evidence_entry;

/* The beginning of the memory. */
typedef struct evidence_head {
    uint64_t bytes;              /* of the memory */
    _Atomic uint64_t first;      /* where the first entry is, from the beginning of the memory */
    _Atomic uint64_t end;        /* where the last one ends */
    _Atomic uint32_t incomplete; /* 1: there was no room for an entry, and later ones are missing too */
    uint32_t unused[9];
} evidence_head;

_Static_assert(sizeof(evidence_entry) == 64 && sizeof(evidence_head) == 64, "both sides have the same layout");

/* Where the entry after this one is, from the beginning of the memory. */
static inline uint64_t evidence_after(uint64_t at, uint64_t bytes)
{
    return at + sizeof(evidence_entry) + (bytes + 63) / 64 * 64;
}

/* ---- For the check's channel to the device process ---- */

/* Keeps the bytes of all copies from now on, in a new memory of this size. False if there is none, and the evidence is
 * as before. Called before the program's first copy. */
bool evidence_begin(size_t bytes);

/* The memory as a file, which stays this process's own; -1 before evidence_begin. */
int evidence_descriptor(void);

/* Begins without entries again. Copies that have begun before are not in the evidence. */
void evidence_clear(void);

/* Stops keeping bytes. The memory stays as it is. */
void evidence_end(void);

/* ---- For the copies ---- */

/* Whether bytes are kept. */
extern atomic_bool evidence_kept;
static inline bool evidence_is_kept(void) { return atomic_load_explicit(&evidence_kept, memory_order_relaxed); }

/* host_memory_read and _write for copies between host and device memory: `into` and `from` are device memory, or on the
 * way there. If bytes are kept, these are, under the copy's number, and what is kept is what arrives: the program's
 * memory is read once, and what the program has in its memory later does not matter. */
static inline bool evidence_upload(void *into, uint64_t address, size_t bytes, uint64_t copy);
static inline bool evidence_deliver(uint64_t address, const void *from, size_t bytes, uint64_t copy);

/* A pointer by which a copy engine may move these bytes itself; NULL if the functions above must. */
static inline void *evidence_direct(uint64_t address, size_t bytes)
{
    return evidence_is_kept() ? NULL : host_memory_local(address, bytes);
}

/* ---- Used by the inline functions only ---- */

bool evidence_keep_upload(void *into, uint64_t address, size_t bytes, uint64_t copy);
bool evidence_keep_delivery(uint64_t address, const void *from, size_t bytes, uint64_t copy);

static inline bool evidence_upload(void *into, uint64_t address, size_t bytes, uint64_t copy)
{
    return evidence_is_kept() ? evidence_keep_upload(into, address, bytes, copy)
                              : host_memory_read(into, address, bytes);
}

static inline bool evidence_deliver(uint64_t address, const void *from, size_t bytes, uint64_t copy)
{
    return evidence_is_kept() ? evidence_keep_delivery(address, from, bytes, copy)
                              : host_memory_write(address, from, bytes);
}

#endif
