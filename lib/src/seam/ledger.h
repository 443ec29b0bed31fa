/*
 * The ledger of memory, kept while LAB_MEMCHECK is set: the exact bytes that kernels may use, the calls that allocated
 * them and the calls that freed them. Covers allocations, blocks of pools and pinned memory alike. Independent of
 * kernels.
 *
 * The order of the program's calls decides whether an access is allowed, not the clock: a kernel enqueued before memory
 * is freed on a stream may still use that memory, and a kernel enqueued after may not, whenever they run. The ledger
 * therefore counts its changes, each launch keeps the count, and freed memory stays in the ledger.
 */
#ifndef LAB_SEAM_LEDGER_H
#define LAB_SEAM_LEDGER_H

#include "backend.h"
#include "base/call_site.h"

typedef struct ledger_entry {
    uint64_t address;
    size_t bytes;
    const backend_context *owner; /* NULL for host memory, which all contexts may use */
    call_site made, freed;        /* the program's calls; file "" if unknown */
    uint64_t born, died;          /* the counts between which it was usable */
    bool internal;                /* the library uses it */
} ledger_entry;

/* Reads LAB_MEMCHECK when the runtime opens. */
lab_status ledger_open(void);

/* Whether the ledger is kept. If not, the functions below do nothing and find nothing. */
static inline bool ledger_is_kept(void);

/* The count of changes now. */
uint64_t ledger_now(void);

/* Another number after every change of the memory that is usable: as long as it stays the same, so do the answers. It
 * is kept in this process until another place is given, such as one that a process which asks has too; nothing here
 * depends on the number. */
void ledger_version_keep_at(_Atomic uint64_t *place);
uint64_t ledger_version(void);

/* Adds memory that is usable from the calling thread's current call on. */
void ledger_add(uint64_t address, size_t bytes, const backend_context *owner);

/* Marks all memory that begins in the range as freed: it is neither usable nor split into blocks any more. */
void ledger_remove(uint64_t address, size_t bytes);

/* Says whether a pool splits the memory at the address into blocks: if so, only the blocks are usable. */
void ledger_set_pooled(uint64_t address, bool pooled);

/* Marks the memory at the address as used by the library itself. */
void ledger_set_internal(uint64_t address);

typedef enum ledger_answer {
    LEDGER_USABLE,  /* the address is in *found, which was usable then; it may end before the access does */
    LEDGER_FREED,   /* the address was in *found, which was freed before */
    LEDGER_NEAR,    /* *found is the nearest memory that was usable then */
    LEDGER_NOTHING, /* no memory was usable then */
    LEDGER_UNKNOWN, /* too long ago, or memory for the ledger ran out */
} ledger_answer;

/* The state of the bytes at that count. */
ledger_answer ledger_find(ledger_entry *found, uint64_t address, size_t bytes, uint64_t when);

/* Whether the memory that held the bytes at that count has been freed since. False if that is unknown. */
bool ledger_freed_since(uint64_t address, size_t bytes, uint64_t when);

/* Whom ledger_find asks on this thread, in a process that keeps no ledger; NULL: the ledger here. */
typedef struct ledger_asked {
    ledger_answer (*find)(const struct ledger_asked *self, ledger_entry *found, uint64_t address, size_t bytes,
                          uint64_t when);
} ledger_asked;
extern _Thread_local const ledger_asked *ledger_other;

/* " at lab03.c:40": where the last memory that began at the address was freed; "" if unknown. Returns `out`. */
const char *ledger_where_freed(char *out, size_t capacity, uint64_t address);

/* "lab03.c"; "" if the place is unknown. */
const char *ledger_file(call_site place);

/* " at lab03.c:31"; "" if the place is unknown. */
void ledger_write_place(char *out, size_t capacity, call_site place);
enum { LEDGER_PLACE_WORDS = 128 };

/* "4096 bytes allocated at lab03.c:31", ", which were freed at lab03.c:40" with `freed`. Returns `out`. */
const char *ledger_describe(char *out, size_t capacity, const ledger_entry *entry, bool freed);

/* What ledger_is_kept looks at. */
extern atomic_bool ledger_kept;
static inline bool ledger_is_kept(void) { return atomic_load_explicit(&ledger_kept, memory_order_relaxed); }

#endif
