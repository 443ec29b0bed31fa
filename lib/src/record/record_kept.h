/* How a record is kept while it runs, for the files that keep it and that turn it into a trace. */
#ifndef LAB_RECORD_RECORD_KEPT_H
#define LAB_RECORD_RECORD_KEPT_H

#include "order/order.h"
#include "record.h"

enum { CHUNK_ENTRIES = 256, FEW_ACCESSES = 4 };

struct record_entry {
    lab_trace_op op;          /* its device times and what it waits for stay unset until the record ends */
    const char *name;         /* the entry's own if it is recorded, else the caller's */
    lab_trace_access *access; /* `few`, or a longer list that is the entry's own */
    int access_capacity;
    int told; /* so many accesses, the last ones, are known by lab_next_uses alone */
    uint64_t *waits;
    bool dropped; /* the call failed, or memory ran out for its lists */
    backend_times times;

    /* For the order checker, while the call goes on. */
    bool recorded;         /* it belongs to the running record; if not, it ends with the call */
    bool submitting;       /* the call is within order_enter and order_leave, ... */
    bool checked;          /* ... and its operation waits for order_commit */
    bool captured;         /* the operation becomes a node of a graph */
    bool waits_for_source; /* the caller waits for a copy's source alone */
    const struct stream *on;
    order_clock *covered; /* what is done when the call returns */

    lab_trace_access few[FEW_ACCESSES];
};

/* Entries never move: the device holds pointers to their times. */
typedef struct chunk {
    struct chunk *next;
    record_entry entry[CHUNK_ENTRIES];
} chunk;

typedef struct record {
    chunk *first, *last;
    uint64_t entries;
    uint64_t entries_before; /* of earlier records */
    int64_t begin_ns;
    bool full; /* operations are missing at the end */
} record;

/* What the record knows of a stream, at its number minus 1. */
typedef struct stream_state {
    int device;
    uint64_t context;
    bool null, blocking;
    uint64_t last_op; /* the last operation enqueued on it in the running record, 0 if none */
} stream_state;

/* What is known of the stream of that number; false if there is none. */
bool record_get_stream(stream_state *out, uint64_t number);

/* How many streams there are so far: the last number. */
uint64_t record_streams(void);

/* The record as a trace, once nothing writes to it any more. */
lab_status record_to_trace(lab_trace **out, const record *of);

/* What lab_trace_begin does, with the runtime open. */
lab_status record_start(void);

#endif
