/*
 * Who used which bytes last: for every range of addresses the last write and the reads since, of those operations that
 * a later one may still have to be ordered after. Knows nothing of streams; one thread at a time.
 */
#ifndef LAB_ORDER_ORDER_MEMORY_H
#define LAB_ORDER_ORDER_MEMORY_H

#include "lab_trace.h"
#include "order_clock.h"

/* An operation, as the memory that it used remembers it. */
typedef struct order_site {
    uint32_t references;
    uint32_t lane;
    uint64_t time; /* its number on the lane */
    uint64_t number, stream, thread;
    uint64_t record;      /* record_id of its entry; 0 if it is in no record */
    uint64_t graph, exec; /* of a node: the graph's number, and which of its executable graphs; else 0 */
    lab_op_kind kind;
    const char *name, *file;
    int line;
    bool pageable; /* used host memory whose life the library does not see */
    bool unseen;   /* a use that no pool knows of: by the node of a graph, or one that the checker was told of */
} order_site;

/* A part of the bytes that an operation used, and how. */
typedef struct order_use {
    uint64_t start, end;
    bool writes;
} order_use;

typedef struct order_segment order_segment;

enum { ORDER_LEVELS = 16, ORDER_RECENT_BITS = 5 };

/* A skip list over the segments, by address. */
typedef struct order_memory {
    order_segment *first[ORDER_LEVELS];
    int levels; /* those that have a segment, and perhaps some more */
    size_t segments;
    uint64_t random;
    order_segment *recent[1 << ORDER_RECENT_BITS]; /* used lately, by a hash of where they start: most uses are of the
                                                      very bytes of an earlier one */
} order_memory;

/* Calls `found` for each earlier use of the bytes that conflicts with this one, two reads never doing so, and that is not
 * in `known`; it decides whether the two are ordered. `part` is the bytes that both used, and how the earlier one did. */
void order_memory_conflicts(const order_memory *memory, const order_use *use, const order_clock *known,
                            void (*found)(void *user, const order_site *site, const order_use *part), void *user);

/* Notes the use: a write takes the place of all earlier uses of its bytes, a read that of the earlier reads that `known`
 * covers. False if memory ran out: then some uses may be forgotten. */
bool order_memory_note(order_memory *memory, const order_use *use, order_site *site, const order_clock *known);

/* Forgets the uses of a range but for the unseen ones, if `keeps_unseen`; all that `known` covers; or all. */
bool order_memory_forget(order_memory *memory, uint64_t start, uint64_t end, bool keeps_unseen);
void order_memory_prune(order_memory *memory, const order_clock *known);
void order_memory_clear(order_memory *memory);

/* Called when a site's last use has been forgotten; frees it. The lanes' keeper implements it. */
void order_site_release(order_site *site);

#endif
