/*
 * Streams as a pool sees them: which ones use a block beside the stream it belongs to, and how the next user of the
 * block is made to wait for them. A place in a stream is kept as an event behind the seam. Knows nothing of sizes.
 *
 * All functions need the pool's lock, which is the one in its pool_streams, but for those that say otherwise.
 */
#ifndef LAB_POOLS_POOL_STREAM_H
#define LAB_POOLS_POOL_STREAM_H

#include "base/number_map.h"
#include "objects/stream.h"

#include <pthread.h>

/* What a context's attachments are. */
enum { DEFAULT_POOL, DEFAULT_PINNED_POOL };

typedef struct pool_block pool_block;
typedef struct pool_use pool_use;
typedef struct pool_stream pool_stream;

/* A stream that has had something to do with the pool: alive, or ended and still referred to. */
struct pool_stream {
    uint64_t id;
    struct stream *on; /* NULL once the stream is destroyed */
    struct context *context;
    size_t references;       /* chunks, uses and calls under way */
    backend_event *place;    /* alive: for passing use; ended: where it ended; NULL once its context has ended */
    uint64_t place_record;   /* the record's operation that marked it */
    bool pending;            /* ended with work pending that has not been seen done */
    pool_use *uses;          /* all that were ever made for it, by `made_before` */
    pool_use *spare;         /* those that are not in use: their events can be recorded again */
    pool_block *free_blocks; /* its arena: a tree of the device pool's */
    pool_stream *next, *previous;
};

/* A stream's use of a block. While the block is used, the stream may be given more work with it; when the block is
 * freed, the place that its stream has reached is marked. */
struct pool_use {
    pool_stream *by;
    backend_event *place; /* NULL once the stream's context has ended: then the use is over */
    pool_use *made_before;
    uint64_t record;   /* the record's operation that marked it */
    uint64_t sequence; /* the later of two marks on one stream stands for both */
    bool marked;
    pool_use *next;
};

/* All streams of one pool, and the pool's lock. */
typedef struct pool_streams {
    pthread_mutex_t lock;
    number_map by_id;    /* those alive */
    pool_stream *latest; /* of them: the one that was looked for last, or NULL */
    pool_stream *first;
    uint64_t marks;
    struct pool_streams *next, *previous; /* pools that want to be told when a stream ends */
} pool_streams;

/* Without the lock. After pool_streams_open the pool is told of streams that end; pool_streams_close forgets them all,
 * when no use is left. */
void pool_streams_open(pool_streams *streams);
void pool_streams_close(pool_streams *streams);

/* The pool's view of a stream that is alive; NULL if memory ran out. */
static inline pool_stream *pool_stream_of(pool_streams *streams, struct stream *on);

/* Gives back a reference; an ended stream goes with its last one. */
void pool_stream_release(pool_streams *streams, pool_stream *of);

/* Whether all the work given to the stream is done. */
bool pool_stream_done(pool_stream *of);

/* Makes `waiting` wait, on the device, for all the work given to the other stream so far. */
lab_status pool_stream_wait(pool_stream *waiting, pool_stream *other);

bool pool_uses_know(const pool_use *uses, const pool_stream *by);

/* Notes that the stream uses what the list belongs to; false if memory ran out. */
bool pool_uses_note(pool_use **uses, pool_stream *by);

/* Marks the places that the streams have reached. A mark that fails is made later, by who waits for it. */
void pool_uses_mark(pool_streams *streams, pool_use *uses);

bool pool_uses_done(pool_use *uses);

/* Makes the stream wait, on the device, for every use by another one. */
lab_status pool_uses_wait(pool_use *uses, pool_stream *waiting);

/* Moves all uses of the second list, which is empty afterwards, to the first. */
void pool_uses_join(pool_streams *streams, pool_use **into, pool_use **from);

/* Forgets the uses. */
void pool_uses_drop(pool_streams *streams, pool_use **uses);

/* The same for another stream than the last time. */
pool_stream *pool_stream_of_any(pool_streams *streams, struct stream *on);

static inline pool_stream *pool_stream_of(pool_streams *streams, struct stream *on)
{
    return streams->latest && streams->latest->id == on->identity.id ? streams->latest
                                                                     : pool_stream_of_any(streams, on);
}

#endif
