/*
 * What a run of the model works on, shared by its parts: the host's calls and the order of moments (model_run.c), the
 * engines (model_engine.c), memory and tables (model_tables.c).
 */
#ifndef LAB_TRACE_MODEL_MODEL_SIMULATION_H
#define LAB_TRACE_MODEL_MODEL_SIMULATION_H

#include "model.h"

typedef enum engine_kind { ENGINE_HTOD, ENGINE_DTOH, ENGINE_COMPUTE, ENGINE_HOST, ENGINES } engine_kind;

typedef struct queue {
    size_t head, tail;   /* operations not started; MODEL_NONE if empty */
    int64_t aside_since; /* put aside then; -1 if it is not */
    int64_t aside_until; /* when it is looked at again; -1 while its next operation still waits */
} queue;

typedef struct engine {
    engine_kind kind;
    queue *queue;
    int queues;
    int at;           /* the queue it stays with */
    size_t running;   /* how many operations */
    size_t operation; /* a copy: which; its bytes left at `since`, and its rate */
    double left, rate;
    int64_t since;
    double share, bytes; /* kernels: of the device's threads, and what they use */
} engine;

/* Something that happens: a thread calls (or goes on), an operation ends, an engine looks again. */
typedef enum event_kind { EVENT_CALL, EVENT_ENQUEUE, EVENT_END, EVENT_LOOK } event_kind;
typedef struct event {
    int64_t when;
    uint64_t number; /* ties go by the order in which events were made */
    event_kind kind;
    size_t subject;   /* operation, or engine */
    unsigned version; /* of an operation's end; an older one is void */
} event;

typedef struct simulation {
    const dependence *order;
    const lab_trace *trace;
    const lab_profile *profile;
    double scale;
    model_change change;
    model_run *into;
    model_cost *cost;
    size_t *pending;             /* of each moment: what it waits for and is not there yet */
    size_t *after, *first_after; /* moments that wait for a moment */
    size_t *behind;              /* of each operation: the next in its queue */
    bool *after_kernel;          /* ... whether the one enqueued before it in its hardware queue is a kernel */
    bool *enqueued, *done;
    unsigned *version;
    size_t *ready_cause; /* of each moment: the operation that came last */
    size_t *next_call;   /* of each operation: the next call of its thread */
    size_t *rank;        /* of each stream: how many of its device, the null stream aside, are older */
    size_t *parked;      /* calls, one a thread at most, that may only be made after another thread's */
    size_t parked_count;
    engine *engine;
    queue *queues;
    size_t engines;
    bool *kernel_last; /* of each device and hardware queue: whether a kernel was enqueued last */
    uint64_t *buffer;  /* addresses that kernels use, in order */
    double *touched;   /* of each: the device's traffic up to its last use */
    size_t buffers;
    double *traffic; /* of each device, in bytes */
    event *heap;
    size_t events, heap_capacity;
    uint64_t event_number;
    bool failed; /* there was no memory for an event */
} simulation;

/* Rounded up. No single thing lasts longer than 1000 seconds: so the sum of a record's times is a number. */
int64_t lab_model_nanoseconds(double time);

/* Adds an event; takes out the next one, of which there must be one. */
void lab_model_push(simulation *of, int64_t when, event_kind kind, size_t subject, unsigned version);
event lab_model_pop(simulation *of);

/* Which engine runs the operation: its kind, -1 for an event record or wait; the engine itself, of one that has a kind. */
int lab_model_engine_of(const lab_trace_op *op);
engine *lab_model_engine_for(simulation *of, size_t op);

/* Puts an enqueued operation behind the others of its hardware queue; takes one that has ended off its engine. */
void lab_model_append(simulation *of, size_t op);
void lab_model_leave_engine(simulation *of, size_t op, int64_t now);

/* Starts what can start on the engine, in the order in which it takes it. `ended` has just ended there; MODEL_NONE if
 * nothing has. */
void lab_model_look(simulation *of, engine *on, int64_t now, size_t ended);

/* Whether a copy of pageable memory holds its caller; whether the call waits for the device at all. */
bool lab_model_is_held(const simulation *of, size_t op);
bool lab_model_waits(const simulation *of, size_t op);

/* Allocates and fills the tables; false if there is no memory. To be freed either way. */
bool lab_model_make_tables(simulation *of);
void lab_model_free_tables(simulation *of);

#endif
