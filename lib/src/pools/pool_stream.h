/*
 * Streams as a pool sees them: which streams use a block besides its home stream, and how the next user of the block
 * waits for them. A backend event marks a place in a stream.
 *
 * All functions need the pool's lock, which is in its pool_streams, except those that say otherwise.
 */
#ifndef LAB_POOLS_POOL_STREAM_H
#define LAB_POOLS_POOL_STREAM_H

#include "base/number_map.h"
#include "objects/contexts/stream.h"

#include <pthread.h>

/* The attachments of a context. */
enum { DEFAULT_POOL, DEFAULT_PINNED_POOL };

/* Fails because a pool's own lists cannot grow. `call` names the public function, here and below. */
lab_status pool_no_host_memory(const char *call) __attribute__((cold));

/* Fails because pool_stream_of has returned NULL, or noting a use failed. */
lab_status pool_stream_refused(const struct stream *stream, const char *call) __attribute__((cold));

/* Fails because another thread has destroyed the pool that the call has found. */
lab_status pool_ended(const char *call) __attribute__((cold));

typedef struct pool_block pool_block;
typedef struct pool_use pool_use;
typedef struct pool_stream pool_stream;

/* A stream that has used the pool: alive, or ended and still referred to. */
struct pool_stream {
    uint64_t id;
    struct stream *object; /* NULL once the stream is destroyed */
    struct context *context;
    size_t references;       /* chunks, uses and calls under way */
    backend_event *place;    /* alive: for temporary use; ended: where it ended; NULL once its context has ended */
    uint64_t place_record;   /* record_id of the operation that marked it */
    bool pending;            /* ended, and its work is not known to be done */
    pool_use *uses;          /* all that were ever made for it, linked by `made_before` */
    pool_use *spare;         /* those not in use, linked by `next`: their events can be recorded again */
    pool_block *free_blocks; /* its arena: the tree of a device pool's free blocks */
    pool_stream *next, *previous;
};

/* A stream's use of a block. While the block is used, more work with it may be enqueued on the stream. When the block
 * is freed, the place that the stream has reached is marked. */
struct pool_use {
    pool_stream *user;
    backend_event *place; /* NULL once the stream's context has ended, and the use with it */
    pool_use *made_before;
    uint64_t record;   /* record_id of the operation that marked it */
    uint64_t sequence; /* of marks: the later of two marks on one stream covers both */
    bool marked;
    pool_use *next;
};

/* All streams of one pool, and the pool's lock. */
typedef struct pool_streams {
    pthread_mutex_t lock;
    number_map by_id;    /* those alive */
    pool_stream *latest; /* the live stream that was looked up last, or NULL */
    pool_stream *first;
    uint64_t marks;
    struct pool_streams *next, *previous; /* in the list of pools, which are told when a stream ends */
} pool_streams;

/* Called without the lock. After pool_streams_open, the pool is told of streams and contexts that end, of any thread.
 * From pool_streams_begin_close to pool_streams_close it is not: what it knows of them is dropped in between, its uses
 * first. pool_streams_close frees all streams, once no use is left. */
void pool_streams_open(pool_streams *streams);
void pool_streams_begin_close(void);
void pool_streams_close(pool_streams *streams);

/* The pool's view of a stream; NULL if memory ran out, or another thread has destroyed the stream. */
static inline pool_stream *pool_stream_of(pool_streams *streams, struct stream *stream);

/* Releases a reference. The last one frees a stream that has ended. */
void pool_stream_release(pool_streams *streams, pool_stream *stream);

/* Whether all work enqueued on the stream is known to be done. */
bool pool_stream_done(pool_stream *stream);

/* Makes `waiting` wait, on the device, for all work enqueued on the other stream so far. */
lab_status pool_stream_wait(pool_stream *waiting, pool_stream *other);

/* Whether the list contains a use by the stream. */
bool pool_uses_know(const pool_use *uses, const pool_stream *user);

/* Adds a use by the stream to the list, unless it contains one. False if memory ran out. */
bool pool_uses_note(pool_use **uses, pool_stream *user);

/* Marks the places that the streams have reached. If a mark fails, whoever waits for the use makes it later. */
void pool_uses_mark(pool_streams *streams, pool_use *uses);

/* Whether all uses of the list are known to be done. */
bool pool_uses_done(pool_use *uses);

/* Makes the stream wait, on the device, for every use by another stream. */
lab_status pool_uses_wait(pool_use *uses, pool_stream *waiting);

/* Moves all uses of the list `other`, which is empty afterwards, to the first list. */
void pool_uses_join(pool_streams *streams, pool_use **uses, pool_use **other);

/* Empties the list. */
void pool_uses_drop(pool_streams *streams, pool_use **uses);

/* The same, for a stream other than the latest. Used by pool_stream_of only. */
pool_stream *pool_stream_of_any(pool_streams *streams, struct stream *stream);

static inline pool_stream *pool_stream_of(pool_streams *streams, struct stream *stream)
{
    return streams->latest && streams->latest->id == stream->identity.id ? streams->latest
                                                                         : pool_stream_of_any(streams, stream);
}

#endif
