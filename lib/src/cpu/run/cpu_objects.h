/* Contexts, streams and events of the CPU devices, as the files of this folder share them; behind the seam they are
 * opaque. */
#ifndef LAB_CPU_RUN_CPU_OBJECTS_H
#define LAB_CPU_RUN_CPU_OBJECTS_H

#include "base/call_site.h"
#include "base/retire.h"
#include "cpu/engine/operation.h"
#include "cpu_graph.h"

/* A place in a capture: what follows there waits for these nodes. A stream has the place where it is now, an event the
 * place where it was recorded. */
typedef struct cpu_capture cpu_capture;
typedef struct cpu_place {
    cpu_capture *capture; /* NULL: none */
    cpu_node_set after;
} cpu_place;

struct backend_stream {
    retired retired;
    backend_context *context;
    bool null, blocking;           /* every stream but the non-blocking ones is ordered with the null stream */
    bool destroyed;                /* by the program: listed until its work is done; takes no more */
    int rank;                      /* of its kernels: see cpu_op */
    uint64_t number;               /* younger streams have higher ones */
    cpu_op *tail;                  /* the last operation enqueued; NULL before the first */
    cpu_place place;               /* in the capture that it is in */
    call_site forked;              /* of the wait that brought it there, as a fork */
    backend_stream *next_captured; /* in the list of that capture's streams */
    backend_stream *next;          /* in the context's list, which leaves the null stream out */
};

/* Fails if another thread has destroyed the stream. With the engine's lock. */
static inline lab_status cpu_stream_check(const backend_stream *stream)
{
    if (!stream->destroyed) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "another thread destroyed the stream during the call");
}

struct backend_context {
    retired retired;
    int device;
    backend_stream null_stream;
    backend_stream *streams; /* the youngest first */
    backend_stream visitors; /* ends with what other contexts' streams do with this one's memory; not in the list */
    uint64_t streams_made;
};

struct backend_event {
    retired retired;
    backend_context *context;
    cpu_op *record;  /* the operation of the last record; NULL before the first */
    cpu_place place; /* in the capture that it was recorded in: `record` means nothing then */
    bool sleeps;     /* LAB_EVENT_BLOCKING_SYNC */
    /* With a schedule: the stream that waited for the event before its first record, NULL if none has, and the last
     * operation of the schedule by then. */
    const backend_stream *waiter;
    uint64_t waited_after;
};

#endif
