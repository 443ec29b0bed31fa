/*
 * Remembers who used which bytes last: for every range of addresses the last write and the reads since. Uses that no
 * later operation can conflict with may be forgotten. Independent of streams. Not thread-safe.
 */
#ifndef LAB_ORDER_ORDER_MEMORY_H
#define LAB_ORDER_ORDER_MEMORY_H

#include "lab_trace.h"
#include "order_clock.h"
#include "base/stream_identity.h"

/* An operation, as remembered for the memory that it used. */
typedef struct order_site {
    uint32_t references;
    uint32_t lane;
    uint64_t time; /* its number on the lane */
    uint64_t number, stream, thread;
    uint64_t record;      /* record_id of its entry; 0 if it is not in a record */
    uint64_t graph, exec; /* of a graph's node: the numbers of the graph and of the executable graph; else 0 */
    lab_op_kind kind;
    const char *name, *file;
    int line;
    call_site launched;    /* a graph's node: where the graph was launched */
    call_site stream_made; /* where its stream was created */
    uint64_t context;      /* of its stream */
    bool null_stream;
    bool pageable;   /* used pageable host memory, whose lifetime is unknown to the library */
    bool host_waits; /* its call waits; for a copy from pageable memory, only until that was read */
    bool updated;    /* by a graph's node that was given another launch */
    bool unseen;     /* a use that no pool knows of: by a graph's node, or declared with lab_next_uses */
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
    int levels; /* at least those that have a segment */
    size_t segments;
    uint64_t random;
    /* Segments used recently, by a hash of their start: most uses are of exactly the bytes of an earlier use. */
    order_segment *recent[1 << ORDER_RECENT_BITS];
} order_memory;

/* Calls `found` for each earlier use that conflicts with this one and that `known` does not cover. Two reads never
 * conflict. `part` is the bytes that both use, and whether the earlier use writes. */
void order_memory_conflicts(const order_memory *memory, const order_use *use, const order_clock *known,
                            void (*found)(void *user, const order_site *site, const order_use *part), void *user);

/* Remembers the use. A write replaces all earlier uses of its bytes, a read the earlier reads that `known` covers.
 * False if memory ran out: then some uses may be forgotten. */
bool order_memory_note(order_memory *memory, const order_use *use, order_site *site, const order_clock *known);

/* Whether a use by this operation, of memory at this address, is not to be forgotten. */
typedef bool order_stays(const order_site *site, uint64_t address);

/* Forget the uses of a range (all but those that stay; NULL: all), the uses that `known` covers, or all uses. */
bool order_memory_forget(order_memory *memory, uint64_t start, uint64_t end, order_stays *stays);
void order_memory_prune(order_memory *memory, const order_clock *known);
void order_memory_clear(order_memory *memory);

/* Gives back one reference to the site and frees it with the last one. order_lane.c implements it. */
void order_site_release(order_site *site);

#endif
