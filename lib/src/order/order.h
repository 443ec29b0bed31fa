/*
 * The order checker: whether what the program enqueues is ordered with what it enqueued before on the same memory, by
 * CUDA's rules alone and whatever the device happens to do. record.c tells it of every call; it calls nobody but the
 * report. What is noted between order_enter and order_leave is one step of the one order in which all threads'
 * calls reach the device.
 */
#ifndef LAB_ORDER_ORDER_H
#define LAB_ORDER_ORDER_H

#include "lab_trace.h"
#include "order_clock.h"
#include "base/stream_identity.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct order_graph order_graph;
typedef struct order_exec order_exec;

extern atomic_int order_mode_now; /* a lab_order_mode */
static inline bool order_is_on(void)
{
    return atomic_load_explicit(&order_mode_now, memory_order_relaxed) != LAB_ORDER_OFF;
}

/* Around noting an operation and handing it to the device: no other thread does so meanwhile. Never held while waiting
 * for the device. */
void order_enter(void);
void order_leave(void);

/* The calling thread makes a call, perhaps its first. `entered`: within order_enter. */
void order_meet_thread(bool entered);

/* Begins what LAB_ORDER asks for; called once when the runtime opens. */
lab_status order_start_from_environment(void);

/* ---- Within order_enter and order_leave ---- */

/* `told`: how many of its accesses, the last ones, are known by lab_next_uses alone. Whether the operation may be enqueued: a finding is reported, and fails the call if the mode is LAB_ORDER_ERROR.
 * `captured`: it becomes a node of a graph and does not run. `exec`: the graph that a launch runs. */
lab_status order_check(const lab_trace_op *op, int told, const stream_identity *identity, bool captured,
                       order_exec *exec);

/* The operation that was checked last has been enqueued, or has not. */
void order_commit(bool enqueued);

/* What is done when the operation that was committed last is; of a copy whose caller waits for its source alone, what is
 * done before it. The caller's to release by order_wait_ended. */
order_clock *order_covered_by_last(bool source_alone);

/* An event was recorded on the stream; the stream waits for the event. */
void order_event_recorded(const void *event, const stream_identity *identity, bool captured);
void order_event_waited(const void *event, const stream_identity *identity, bool captured);

/* ---- Waiting: what a wait that begins now will cover, and its end ---- */

order_clock *order_cover_stream(const stream_identity *identity);
order_clock *order_cover_event(const void *event);
order_clock *order_cover_context(uint64_t context_number);
/* Takes the clock over; the thread knows what it covers if the wait succeeded. */
void order_wait_ended(order_clock *covered, bool success);

/* ---- Objects ---- */

void order_event_ended(const void *event);
void order_stream_ended(const stream_identity *identity);
void order_context_ended(uint64_t context_number);

/* Memory came to be, or is given back: by op->kind, op->object and op->bytes. A pool's memory is allocated on a stream; it
 * is given back on one, or on none. */
void order_memory_made(const lab_trace_op *op, const stream_identity *identity);
lab_status order_memory_given_back(const lab_trace_op *op, const stream_identity *identity);

/* The host touches memory now. */
lab_status order_host_access(const lab_trace_op *op);

/* Order between host threads that the program tells of. */
void order_release(const void *key);
void order_acquire(const void *key);

/* ---- Findings for the record ---- */

/* A record begins: what was found before is not in it, until it happens again. */
void order_record_began(void);

/* The finding of that number, from 0, with record_id of its operations, 0 for one that is in no record. False if there are
 * not as many. */
bool order_recorded_finding(lab_trace_finding *out, size_t number);

/* ---- Graphs ---- */

void order_capture_began(const stream_identity *identity);
/* The nodes of the capture that ended on the stream, with the edges that the device noted; NULL if they are not known. */
order_graph *order_capture_ended(const stream_identity *identity, int nodes, const lab_graph_edge *edge, int edges);
void order_graph_destroy(order_graph *graph);
/* NULL for NULL. `number` is the graph's, for messages. */
order_exec *order_exec_create(const order_graph *graph, uint64_t number);
void order_exec_update(order_exec *exec, int node, const lab_trace_op *op);
void order_exec_destroy(order_exec *exec);

#endif
