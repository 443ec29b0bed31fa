/* Contexts, streams and events of the CPU devices, as the files of this folder share them; behind the seam they are
 * opaque. */
#ifndef LAB_CPU_RUN_CPU_OBJECTS_H
#define LAB_CPU_RUN_CPU_OBJECTS_H

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
    backend_context *context;
    bool null, blocking;           /* every stream but the non-blocking ones is ordered with the null stream */
    bool destroyed;                /* by the program, with work pending: kept until that is done */
    int rank;                      /* of its kernels: see cpu_op */
    uint64_t number;               /* younger streams have higher ones */
    cpu_op *tail;                  /* the last operation enqueued; NULL before the first */
    cpu_place place;               /* in the capture that it is in */
    backend_stream *next_captured; /* in the list of that capture's streams */
    backend_stream *next;          /* in the context's list, which leaves the null stream out */
};

struct backend_context {
    int device;
    backend_stream null_stream;
    backend_stream *streams; /* the youngest first */
    backend_stream visitors; /* ends with what other contexts' streams do with this one's memory; not in the list */
    uint64_t streams_made;
};

struct backend_event {
    backend_context *context;
    cpu_op *record;  /* the operation of the last record; NULL before the first */
    cpu_place place; /* in the capture that it was recorded in: `record` means nothing then */
    bool sleeps;     /* LAB_EVENT_BLOCKING_SYNC */
};

#endif
