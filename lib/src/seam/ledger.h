/*
 * The ledger of memory, kept while LAB_MEMCHECK is set: which bytes kernels may use, byte by byte as they were asked for,
 * who asked, and what became of them. Knows allocations, blocks of pools and pinned memory alike; refuses to know kernels.
 *
 * Whether an access is allowed is decided in the order of the program's calls, not by the clock: memory that is freed on
 * a stream may still be used by a kernel enqueued before, and not by one enqueued after, whenever they run. The ledger
 * therefore counts its changes, a launch remembers the count, and what was freed is remembered too.
 */
#ifndef LAB_SEAM_LEDGER_H
#define LAB_SEAM_LEDGER_H

#include "backend.h"
#include "base/call_site.h"

typedef struct ledger_entry {
    uint64_t address;
    size_t bytes;
    const backend_context *owner; /* NULL for host memory, which all contexts may use */
    call_place made, freed;       /* the program's calls; file "" if unknown */
    uint64_t born, died;          /* counts: it could be used from one to the other */
    bool internal;                /* the library's own */
} ledger_entry;

/* Reads LAB_MEMCHECK; called when the runtime opens. */
lab_status ledger_open(void);

/* Whether the ledger is kept; all that follows does nothing, and finds nothing, if not. */
static inline bool ledger_is_kept(void);

/* The count of changes now. */
uint64_t ledger_now(void);

/* Memory that can be used from now on, from the current call of the calling thread on. */
void ledger_add(uint64_t address, size_t bytes, const backend_context *owner);

/* All memory that begins in the range cannot be used any more, nor cut into blocks. */
void ledger_remove(uint64_t address, size_t bytes);

/* The memory at the address is from now on, or no longer, cut into blocks by a pool: it is they that can be used. */
void ledger_set_pooled(uint64_t address, bool pooled);

/* The memory at the address is the library's own. */
void ledger_set_internal(uint64_t address);

typedef enum ledger_answer {
    LEDGER_USABLE,  /* the address is in *found, which could be used then; its end may be nearer than the access's */
    LEDGER_FREED,   /* the address was in *found, which was freed before */
    LEDGER_NEAR,    /* *found is the nearest that could be used then */
    LEDGER_NOTHING, /* nothing could */
    LEDGER_UNKNOWN, /* it is too long ago, or memory for the ledger ran out */
} ledger_answer;

/* What the bytes were at that count. */
ledger_answer ledger_find(ledger_entry *found, uint64_t address, size_t bytes, uint64_t when);

/* " at lab03.c:40": where the last memory that began at the address was freed; "" if that is not known. Returns `into`. */
const char *ledger_where_freed(char *into, size_t capacity, uint64_t address);

/* " at lab03.c:31", without the file's folder; "" if the place is unknown. */
void ledger_write_place(char *into, size_t capacity, call_place place);
enum { LEDGER_PLACE_WORDS = 128 };

/* "4096 bytes allocated at lab03.c:31", ", which were freed at lab03.c:40" with `freed`. Returns `into`. */
const char *ledger_describe(char *into, size_t capacity, const ledger_entry *entry, bool freed);

/* What ledger_is_kept looks at. */
extern atomic_bool ledger_kept;
static inline bool ledger_is_kept(void) { return atomic_load_explicit(&ledger_kept, memory_order_relaxed); }

#endif
