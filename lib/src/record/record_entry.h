/* How the running record is stored, for the files of this folder: entries in chunks, and the streams. */
#ifndef LAB_RECORD_RECORD_ENTRY_H
#define LAB_RECORD_RECORD_ENTRY_H

#include "record.h"

enum { CHUNK_ENTRIES = 256, FEW_ACCESSES = 4 };

struct record_entry {
    lab_trace_op op;          /* without device times and waits, which are kept below until the record ends */
    const char *name;         /* a copy that the entry owns if it is recorded, else the caller's */
    char *module, *arguments; /* copies that the entry owns; NULL if it has none */
    lab_trace_access *access; /* `few`, or a longer list that the entry owns */
    int access_capacity;
    uint64_t *waits;
    uint64_t previous; /* stream work: the record_id of the work before it on its stream, or 0 */
    bool dropped;      /* the call failed, or memory ran out for its lists */
    backend_times times;
    uint64_t capture; /* the capture in which the operation became a node of a graph; 0 if it runs */

    /* Until the call returns. */
    bool recorded;         /* it belongs to the running record; else it ends with the call */
    bool submitting;       /* the call holds the submission lock, ... */
    bool checked;          /* ... and the order checker must be told whether its operation was enqueued */
    bool waits_for_source; /* the call waits until a copy's source has been read, not for the copy */
    bool asks;             /* a query that is recorded only if it succeeds; until then op.call_ns is the clock's */
    const stream_identity *stream;
    order_clock *covered; /* what is done once the call has returned */

    lab_trace_access few[FEW_ACCESSES];
};

/* Entries never move: the device holds pointers to their times. */
typedef struct record_chunk {
    struct record_chunk *next;
    record_entry entry[CHUNK_ENTRIES];
} record_chunk;

typedef struct record {
    record_chunk *first, *last;
    uint64_t entries;
    uint64_t entries_before; /* in earlier records */
    int64_t begin_ns;
    uint64_t last_free; /* the number of the last entry that frees memory */
    bool full;          /* operations are missing at the end */
} record;

/* Iterates over all entries of a record: for (record_walk walk = record_walk_begin(r); record_walk_step(&walk);) ... */
typedef struct record_walk {
    record_entry *entry; /* the current entry */
    record_chunk *chunk;
    uint64_t index, left;
} record_walk;

static inline record_walk record_walk_begin(const record *walked)
{
    return (record_walk){.chunk = walked->first, .left = walked->entries};
}

static inline bool record_walk_step(record_walk *walk)
{
    if (walk->left == 0) return false;
    if (walk->index == CHUNK_ENTRIES) {
        walk->chunk = walk->chunk->next;
        walk->index = 0;
    }
    walk->left--;
    walk->entry = &walk->chunk->entry[walk->index++];
    return true;
}

/* ---- record.c ---- */

/* Makes the record the running one. */
void record_attach(record *fresh);

/* Stops the running record and returns it, once no call writes to it any more. Free it with record_free. NULL if there
 * is none. */
record *record_detach(void);
void record_free(record *ended);

/* ---- record_streams.c ---- */

/* The stream of that number, from 1 to record_streams(); false for any other number. */
bool record_get_stream(stream_identity *out, uint64_t number);
uint64_t record_streams(void);

/* Forgets the last operation of each stream, when the running record has ended. */
void record_streams_forget_work(void);

/* ---- record_trace.c ---- */

/* Turns a record that nothing writes to any more into a trace of the backend's work. Free it with lab_trace_free. */
lab_status record_to_trace(lab_trace **out, const record *ended, const lab_backend *backend);

#endif
