/*
 * The order checker: decides whether work that a program enqueues is ordered with earlier work on the same memory. It
 * follows CUDA's rules alone, whatever the device happens to do. The record passes every call on to it.
 *
 * What is noted between order_enter and order_leave is one step in the one order in which all threads' calls reach the
 * device.
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

/* Called before an operation is noted and after the device has accepted it: no other thread does either meanwhile.
 * Some calls hold it while they wait for the device: a copy of pageable memory, a launch alone whose accesses are
 * measured (order_begin), all under some schedules. So no thread of a device may call it. */
void order_enter(void);
void order_leave(void);

/* Makes sure that the checker knows the calling thread. `entered`: the caller is within order_enter. */
void order_meet_thread(bool entered);

/* Starts the checker in the mode that LAB_ORDER asks for. Called once, when the runtime opens. */
lab_status order_start_from_environment(void);

/* ---- Within order_enter and order_leave ---- */

/* Decides whether the operation may be enqueued. Reports every finding; fails on one if the mode is LAB_ORDER_ERROR.
 * `declared`: how many of its accesses, the last ones, are known by lab_next_uses alone. `captured`: the operation
 * becomes a node of a graph and does not run. `exec`: the graph that a launch runs, else NULL. */
lab_status order_check(const lab_trace_op *op, int declared, const stream_identity *identity, bool captured,
                       order_exec *exec);

/* The same in two steps, for an operation whose accesses are known only once it has been enqueued, and that runs:
 * order_begin before, order_judge afterwards. */
void order_begin(const lab_trace_op *op, const stream_identity *identity);
lab_status order_judge(const lab_trace_op *op, int declared);

/* A kernel or a copy uses a variable of a module: its name, for messages. `host`: the memory is the host's. */
void order_memory_is_variable(uint64_t address, uint64_t bytes, bool host, const char *name);

/* The allocation at the address belongs to a graph, whose launches begin and end it again and again: a node that uses
 * it means whatever memory is there when it runs. */
void order_memory_is_of_graph(uint64_t address);

/* Whether the operation that was checked last has been enqueued. */
void order_commit(bool enqueued);

/* What is done once the operation that was committed last is done. With `source_alone`, for a copy whose caller waits
 * for its source alone: what is done before the copy. Pass the clock to order_wait_ended. */
order_clock *order_covered_by_last(bool source_alone);

/* An event was recorded on the stream; the stream waits for the event. */
void order_event_recorded(const void *event, const stream_identity *identity, bool captured);
void order_event_waited(const void *event, const stream_identity *identity, bool captured);

/* ---- Waiting: what a wait that begins now will cover, and its end ---- */

order_clock *order_cover_stream(const stream_identity *identity);
order_clock *order_cover_event(const void *event);
order_clock *order_cover_context(uint64_t context_number);
/* Ends a wait: if it succeeded, the thread knows what the clock covers. Takes the clock over. */
void order_wait_ended(order_clock *covered, bool success);

/* ---- Objects ---- */

void order_event_ended(const void *event);
void order_stream_ended(const stream_identity *identity);
void order_context_ended(uint64_t context_number);

/* Memory was allocated or pinned, or is about to be freed: op->kind says which, op->object and op->bytes say what. A
 * pool's memory is allocated on a stream; it is freed on a stream or on none, which is NULL. `waited` is what the call
 * waits for before it frees; it may be NULL. If the call is to fail, the memory counts as kept. */
void order_memory_made(const lab_trace_op *op, const stream_identity *identity);
lab_status order_memory_given_back(const lab_trace_op *op, const stream_identity *identity, const order_clock *waited);

/* A pool, of host or of device memory, was told that the stream uses the block. Until the block is freed the pool
 * orders that stream's uses, also those that it does not see. */
void order_memory_told(bool host, uint64_t address, const stream_identity *identity);

/* The host accesses memory now. */
lab_status order_host_access(const lab_trace_op *op);

/* How the program's pages are closed to it (order_pages.c): whether these bytes can be, and from now on the program's
 * accesses of that kind are told of; neither kind: the pages are open. An access that is told of opens its page. */
typedef struct order_page_guard {
    bool (*holds)(uint64_t address, uint64_t bytes);
    void (*refuse)(uint64_t start, uint64_t end, bool reads, bool writes);
} order_page_guard;

/* Closes pages with work to come by this guard. Once, before any memory is allocated. */
void order_guard_pages(const order_page_guard *used);

/* Whether the calling thread is between order_enter and order_leave. */
bool order_is_entered(void);

/* An access was told of: the pages of the work that uses this page are open from now on. */
void order_pages_told(uint64_t address);

/* Order between host threads, as the program declares it. */
void order_release(const void *key);
void order_acquire(const void *key);

/* ---- Findings for the record ---- */

/* A record begins. Earlier findings are not in it, until they happen again. */
void order_record_began(void);

/* The finding of that number, from 0, with the record_id of its two operations, 0 for one that is in no record. False
 * if the number is too large. */
bool order_recorded_finding(lab_trace_finding *out, size_t number);

/* ---- Graphs ---- */

void order_capture_began(const stream_identity *identity);
/* The nodes of the capture that ended on the stream, with the edges that the device noted. NULL if the checker does not
 * know them. */
order_graph *order_capture_ended(const stream_identity *identity, int nodes, const lab_graph_edge *edge, int edges);
void order_graph_destroy(order_graph *graph);
/* An executable graph; NULL if `graph` is NULL. `number` is the graph's, for messages. */
order_exec *order_exec_create(const order_graph *graph, uint64_t number);
void order_exec_update(order_exec *exec, int node, const lab_trace_op *op);
void order_exec_destroy(order_exec *exec);

/* What marks the calling thread, or the host function that it runs, as a starter of threads; 0 if the checker has not
 * met it. A thread that works for a thread of another process is told the mark of what counts as its starter, before
 * its first call. */
unsigned order_starter_mark(void);
void order_thread_set_starter(unsigned mark);

/* ---- Host functions ---- */

/* What is known to be done when a host function runs, for the threads that it starts. NULL if the checker is off or
 * memory ran out; the functions accept that. A device may release it while it holds a lock. */
typedef struct order_host_call order_host_call;
order_host_call *order_host_call_create(void);
void order_host_call_release(order_host_call *call);

/* The operation that was checked last, or its node, calls the function. Within order_enter. */
void order_calls(order_host_call *call);

/* The node that was checked last ends the memory that it accesses. Within order_enter. */
void order_ends_memory(void);

/* Before and after the function, on the thread that runs it, which may be a device's. */
void order_host_call_begin(order_host_call *call);
void order_host_call_end(void);

/* The function that the calling thread runs releases the key: what is done when it runs is known to who acquires it. */
void order_host_call_release_key(const void *key);

/* The language of the program, whose calls the texts of findings name, and whose pools are meant: CUDA's do not look
 * after streams that use a block. ORDER_LAB unless another is set. */
typedef enum order_language { ORDER_LAB, ORDER_CUDA } order_language;
void order_speak(order_language spoken);
order_language order_spoken(void);

#endif
