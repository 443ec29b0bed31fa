/* What the checker's files share: lanes, streams, threads, and findings under construction. All of it is guarded by
 * order_enter. */
#ifndef LAB_ORDER_ORDER_STATE_H
#define LAB_ORDER_ORDER_STATE_H

#include "base/number_map.h"
#include "order.h"
#include "order_memory.h"

/* What a use is of. */
typedef enum order_space { ORDER_DEVICE, ORDER_HOST, ORDER_SPACES } order_space;

/* An operation being captured, or a node of a graph. */
typedef struct order_node {
    lab_op_kind kind;
    const char *name, *file;
    int line;
    uint64_t number, stream, thread, record;
    bool pageable, host_waits;
    lab_trace_access *access;
    int accesses;
    int told; /* so many of them, the last ones, are known because the program told of them */
} order_node;

typedef struct order_capture {
    int references;
    order_node *node;
    int nodes, capacity;
} order_capture;

typedef struct order_context order_context;

typedef struct order_stream {
    uint64_t id;
    order_context *context;
    bool null, blocking;
    uint32_t lane;
    order_clock *known; /* what is done when its last operation is */
    uint64_t version;   /* of `known` */
    uint64_t seen_thread, seen_thread_version;
    uint64_t seen_null;    /* version of the null stream's clock that is in this one's */
    uint64_t seen_by_null; /* version of this one's clock that is in the null stream's */
    order_capture *capture;
    struct order_stream *next; /* in its context */
} order_stream;

struct order_context {
    uint64_t number;
    order_stream *streams, *null;
    order_clock *ended, *ended_blocking; /* of streams that were destroyed */
    order_context *next;
};

/* ---- order_gate.c: order_enter, order_leave and the mode are in order.h ---- */

/* The checker gives up: memory ran out. */
void order_give_up(void);

/* The number of the operation that begins now. */
uint64_t order_next_operation(void);

/* Begins to count; fills in how many operations there were, and whether the checker gave up. */
void order_gate_begin(void);
void order_gate_count(lab_order_counts *counts);

/* ---- order_text.c ---- */

/* The text as one that stays as long as the process; "" if memory ran out. */
const char *order_intern(const char *text);

/* ---- order_thread.c ---- */

typedef struct order_thread order_thread;

/* What there is to know of the calling thread. */
typedef struct order_thread_view {
    uint64_t number;
    uint64_t version; /* of `known` */
    const order_clock *known;
} order_thread_view;
const order_thread_view *order_thread_now(void);

/* The calling thread comes to know something, by waiting for the device or from another thread. */
void order_thread_learn(const order_clock *of, bool by_waiting);

/* What some thread has waited for, and what all know: nothing enqueued from now on can be in conflict with that. The
 * latter is the caller's. */
const order_clock *order_known_to_anybody(void);
order_clock *order_known_to_all(void);

/* Forgets all threads and meets this one. */
void order_threads_begin(void);

/* ---- order_capture.c ---- */

/* Makes the node that of the operation, whose accesses it borrows. */
void order_node_set(order_node *node, const lab_trace_op *op);

/* Frees what a node holds. */
void order_node_clear(order_node *node);
bool order_node_copy(order_node *to, const order_node *from);

order_capture *order_capture_create(void);
order_capture *order_capture_retain(order_capture *capture);
void order_capture_release(order_capture *capture);
bool order_capture_add(order_capture *to, const order_node *node);

/* ---- order_lane.c ---- */

/* Lanes. A lane that was given back is used again once no memory remembers an operation of it. */
bool order_lane_take(uint32_t *lane);
void order_lane_give_back(uint32_t lane);
size_t order_lanes_taken(void);

/* A new site with one reference, the next operation of the lane; NULL if memory ran out. `number` is for messages. */
order_site *order_site_create(const order_node *of, uint32_t lane, uint64_t number);

/* The same operation with one reference, for its uses that no pool knows of. */
order_site *order_site_unseen(const order_site *of);

/* ---- order_streams.c ---- */

/* Joins a clock, which changes its holder's version if it learns something. */
void order_join(order_clock **into, const order_clock *from, uint64_t *version);

/* The stream as the checker knows it, met now if it was not; NULL if memory ran out. order_stream_find does not meet it. */
order_stream *order_stream_of(const stream_identity *identity);
order_stream *order_stream_find(const stream_identity *identity);
order_context *order_context_of(uint64_t number);

/* What the null stream waits for beside its own work. */
void order_join_blocking(order_clock **into, const order_context *context, order_stream *null);

/* Something is enqueued on the stream by this thread: the stream learns what the rules make it wait for. */
void order_advance(order_stream *stream, const order_thread_view *by);

/* What is done before work that the thread would enqueue on the stream now, but for the null stream's rules: the
 * caller's. */
order_clock *order_known_on(const stream_identity *identity);

/* A place on the stream: after its operation of that time or, if that is 0, after all that was enqueued there so far. The
 * caller's reference, or NULL. */
order_site *order_place_on(const stream_identity *identity, const order_node *of, uint64_t time);

void order_drop_capture(order_stream *of);

/* Takes the capture that began on the stream from all its streams: the caller's reference to it, or NULL. */
order_capture *order_take_capture(const stream_identity *identity);

void order_streams_forget(void);

/* ---- order_use.c ---- */

/* Looks for uses that conflict with those of an operation and are not in its clock, and reports them. LAB_SUCCESS
 * unless the mode is LAB_ORDER_ERROR. */
lab_status order_examine(const order_site *site, const order_node *of, const order_clock *clock);

/* Notes the uses. */
void order_note_uses(order_site *site, const order_node *of, const order_clock *clock);

/* Forgets all uses; those that cannot matter any more, when many have come together; how many ranges are remembered. */
void order_uses_begin(void);
void order_uses_prune(uint64_t operations);
size_t order_uses_segments(void);

/* ---- order_graph.c ---- */

/* Checks, or notes, all nodes of a launch after what `before` knows. After noting, *after also knows the launch done. */
lab_status order_exec_examine(order_exec *exec, const order_clock *before, const order_node *launch);
void order_exec_note(order_exec *exec, order_clock **after);

/* ---- order_allocations.c ---- */

/* Memory that was made, and perhaps given back. */
typedef struct order_allocation {
    uint64_t start, bytes;
    const char *file;
    int line;
    order_site *made;  /* a pool's memory: where it was allocated, in the order of its stream, */
    order_site *freed; /* and where it was given back */
} order_allocation;

/* Allocations, for the texts and for what was freed. */
void order_allocations_add(order_space space, const lab_trace_op *op);
void order_allocations_end(order_space space, const lab_trace_op *op);
/* Where the pool's memory at the address was allocated, takes a reference over; was allocated, and was given back: NULL if
 * it was not. */
void order_allocations_made_by(uint64_t address, order_site *site);
const order_site *order_allocations_made(uint64_t address);
const order_site *order_allocations_freed(uint64_t address);
void order_allocations_clear(void);

/* The allocation that holds the address; NULL if there is none. */
const order_allocation *order_allocation_of(order_space space, uint64_t address);

/* ---- order_words.c ---- */

/* Fills in the bytes, the allocation and the texts of a finding. `one_launch`: both sides are nodes of one launch. */
void order_describe(lab_order_finding *made, const order_use *use, bool one_launch);

/* ---- order_report.c ---- */

/* One side of a finding is an earlier operation, the other the one now checked. `use` is what they have in common; its
 * `writes` says whether the earlier one writes. */
lab_status order_report(lab_order_kind kind, const order_site *first, const order_site *second, bool second_writes,
                        order_space space, const order_use *use);
void order_report_clear(void);
uint64_t order_report_count(void);

#endif
