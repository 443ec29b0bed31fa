/*
 * The state of a run of the model, shared by its parts: the host's calls and the order of moments (model_run.c), the
 * engines (model_engine.c), memory and tables (model_tables.c).
 */
#ifndef LAB_TRACE_MODEL_MODEL_SIMULATION_H
#define LAB_TRACE_MODEL_MODEL_SIMULATION_H

#include "model.h"

typedef enum engine_kind {
    ENGINE_HTOD,
    ENGINE_DTOH,
    ENGINE_COMPUTE,
    ENGINE_HOST,
    ENGINE_PEER, /* copies from and to other devices */
    ENGINES
} engine_kind;

typedef struct queue {
    size_t head, tail;   /* operations not started; MODEL_NONE if empty */
    int64_t aside_since; /* when it was put aside; -1 if it is not */
    int64_t aside_until; /* when the engine looks at it again; -1 while its next operation still waits */
} queue;

typedef struct engine {
    engine_kind kind;
    queue *queue;
    int queues;
    int at;           /* the queue that it stays with */
    size_t running;   /* the number of operations */
    size_t operation; /* the running copy, its bytes left at `since`, and its rate */
    double left, rate;
    int64_t since;
    double share, bytes;      /* of running kernels: the share of the device's threads, and the bytes they use */
    double computing, memory; /* what they need of all computing and of all memory traffic, each running as if alone */
    double slowdown;          /* the larger of the two, at least 1: since `since`, they take that much longer */
    size_t first;             /* of the running kernels; `behind` leads on */
} engine;

/* An event of the simulation: a thread calls (or continues), an operation is enqueued or ends, an engine looks again.
 * */
typedef enum event_kind { EVENT_CALL, EVENT_ENQUEUE, EVENT_END, EVENT_LOOK } event_kind;
typedef struct event {
    int64_t when;
    uint64_t number; /* decides ties: the order in which events were created */
    event_kind kind;
    size_t subject;   /* operation, or engine */
    unsigned version; /* of an operation's end; an outdated version is ignored */
} event;

typedef struct simulation {
    const dependence *order;
    const lab_trace *trace;
    const lab_profile *profile;
    double scale;
    double host_work; /* nanoseconds: the least time between two calls that counts as the host's work; 0: none does */
    model_change change;
    model_run *run;
    model_cost *cost;
    size_t *pending;             /* for each moment, the number of waits that remain */
    size_t *after, *first_after; /* moments that wait for a moment */
    size_t *behind;              /* for each operation, the next in its queue; while it runs, another that runs */
    double *left;                /* for each running kernel, its time alone that was left at its engine's `since` */
    bool *gone;                  /* for each operation, whether its memory had left the cache when it started */
    int64_t *ready;              /* for each operation, when what it waited for has been handed over; -1: at once */
    size_t *root;                /* for each operation, itself; for an event's, the work behind it, or MODEL_NONE */
    size_t *waits;      /* for a wait for an event, how many come before it in a row, from that which held up */
    bool *after_kernel; /* for each operation, whether the previous one in its hardware queue is a kernel */
    bool *enqueued, *done;
    unsigned *version;
    size_t *ready_cause; /* for each moment, the awaited operation that came last */
    size_t *next_call;   /* for each operation, the next call of its thread */
    size_t *place;       /* for each stream, its hardware queue; those of the highest priority come first */
    int levels;          /* of priorities; the streams of each have hardware queues of their own */
    size_t *parked;      /* calls, at most one per thread, that must follow another thread's */
    size_t parked_count;
    engine *engine;
    queue *queues;
    size_t engines;
    bool *kernel_last; /* for each device and hardware queue, whether a kernel was enqueued last */
    uint64_t *buffer;  /* addresses that kernels use, sorted */
    double *touched;   /* for each, the device's traffic up to its last use */
    size_t buffers;
    double *traffic; /* for each device, in bytes */
    event *heap;
    size_t events, heap_capacity;
    uint64_t event_number;
    bool failed; /* no memory for an event */
} simulation;

/* Rounds up, and limits every time to 1000 seconds, so that the sum of a record's times does not overflow. */
int64_t lab_model_nanoseconds(double time);

/* Adds an event; removes the next one, which must exist. */
void lab_model_push(simulation *sim, int64_t when, event_kind kind, size_t subject, unsigned version);
event lab_model_pop(simulation *sim);

/* The kind of engine that runs the operation, -1 for an event record or wait; and the engine itself, if it has a kind.
 * */
int lab_model_engine_of(const lab_trace_op *op);
engine *lab_model_engine_for(simulation *sim, size_t op);

/* Appends an enqueued operation to its hardware queue; removes one that has ended from its engine. */
void lab_model_append(simulation *sim, size_t op);
void lab_model_leave_engine(simulation *sim, size_t op, int64_t now);

/* When the engine of `op` can begin with it, after `before`, which has ended, on whatever engine. */
int64_t lab_model_handed_over(const simulation *sim, size_t before, size_t op);

/* Starts what can start on the engine, in the engine's order. `ended` has just ended there; MODEL_NONE if nothing has.
 * */
void lab_model_look(simulation *sim, engine *unit, int64_t now, size_t ended);

/* Whether a copy of pageable memory holds its caller; whether the call waits for the device. */
bool lab_model_is_held(const simulation *sim, size_t op);
bool lab_model_waits(const simulation *sim, size_t op);

/* Adds to the launches of graphs what their nodes take; false if there is no memory. */
bool lab_model_add_graphs(simulation *sim);

/* Allocates and fills the tables; false if there is no memory. To be freed in either case. */
bool lab_model_make_tables(simulation *sim);
void lab_model_free_tables(simulation *sim);

#endif
