/* What the checker's files share: lanes, streams, threads, and findings under construction. order_enter guards all of
 * it. */
#ifndef LAB_ORDER_ORDER_STATE_H
#define LAB_ORDER_ORDER_STATE_H

#include "base/number_map.h"
#include "order.h"
#include "order_memory.h"

/* The memory that a use concerns. */
typedef enum order_space { ORDER_DEVICE, ORDER_HOST, ORDER_SPACES } order_space;

/* Memory from its allocation until it is freed. An address that was freed may belong to other memory later. */
typedef struct order_life order_life;

/* An operation being captured, or a node of a graph. */
typedef struct order_node {
    lab_op_kind kind;
    const char *name, *file;
    int line;
    uint64_t number, stream, thread, record;
    call_site stream_made;
    uint64_t context;
    bool null_stream, pageable, host_waits;
    bool updated;     /* a node of an executable graph that has been given another launch */
    bool ends_memory; /* a node of a graph after which the memory of its accesses is not there */
    lab_trace_access *access;
    int accesses;
    int declared;      /* how many of them, the last ones, are known by lab_next_uses alone */
    order_life **life; /* of a copied node: the memory that each access meant when the node was made; NULL if unknown */
    order_host_call *call; /* NULL if it calls no host function */
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
    order_clock *known; /* what is done once its last operation is done */
    uint64_t version;   /* of `known` */
    uint64_t seen_thread, seen_thread_version;
    uint64_t seen_null;    /* the version of the null stream's clock that `known` includes */
    uint64_t seen_by_null; /* the version of `known` that the null stream's clock includes */
    order_capture *capture;
    struct order_stream *next; /* in its context */
} order_stream;

struct order_context {
    uint64_t number;
    order_stream *streams, *null;
    order_clock *ended, *ended_blocking; /* of streams that were destroyed */
    order_context *next;
};

/* ---- order_gate.c: order.h declares order_enter, order_leave and the mode ---- */

/* A step of a device's thread, or of a thread at its end. Neither calls order_enter: a thread that has entered may be
 * waiting for the device, and the device's host function for the end of a thread. Such a thread leaves a note, and the
 * next thread that enters takes the step first. `take` frees the note. */
typedef struct order_note order_note;
struct order_note {
    void (*take)(order_note *note);
    order_note *next;
};
void order_leave_note(order_note *note);

/* Stops the checker because memory ran out. */
void order_give_up(void);

/* The number of the operation that begins now. */
uint64_t order_next_operation(void);

/* Restarts the count of operations. order_gate_count fills in the count, and whether the checker gave up. */
void order_gate_begin(void);
void order_gate_count(lab_order_counts *counts);

/* Adds `other` to a clock. *version grows if the clock has changed; it may be NULL. */
void order_join(order_clock **clock, const order_clock *other, uint64_t *version);

/* ---- order_text.c ---- */

/* A copy of the text that lives as long as the process; "" if memory ran out. */
const char *order_intern(const char *text);

/* ---- order_thread.c ---- */

typedef struct order_thread order_thread;

/* What other files may see of the calling thread. */
typedef struct order_thread_view {
    uint64_t number;
    uint64_t version; /* of `known` */
    const order_clock *known;
} order_thread_view;
const order_thread_view *order_thread_now(void);

/* Adds to what the calling thread knows, because it waited for the device or learned it from another thread. */
void order_thread_learn(const order_clock *learned, bool by_waiting);

/* What at least one thread has waited for, or a host function was called after. Borrowed. */
const order_clock *order_known_to_anybody(void);

/* The mark of the host function that the calling thread runs; 0 if it runs none that the checker knows. */
unsigned order_host_call_now(void);

/* What all threads know to be done: no later operation can conflict with it. The caller's. */
order_clock *order_known_to_all(void);

/* Forgets all threads and host functions, then registers the calling thread. */
void order_threads_begin(void);

/* The marks of starters: first those of threads, then those of host functions. */
enum { ORDER_THREAD_MARKS = 1000, ORDER_HOST_CALL_MARKS = 1000 };

/* ---- order_host_call.c ---- */

order_host_call *order_host_call_retain(order_host_call *call);

/* Adds what is done when the function runs. */
void order_host_call_learn(order_host_call *call, const order_clock *known);

/* A mark for a function that runs now. Not only within order_enter. */
unsigned order_host_call_mark(void);

/* The function of that mark runs. It knows nothing if it was enqueued before the checker was started. */
void order_host_call_runs(const order_host_call *call, unsigned mark);

/* What is known in the last host function of that mark; NULL for another mark. Borrowed. */
const order_clock *order_host_call_known(unsigned mark);

/* Adds what a thread knows that a function of that mark has started: as for threads with the same mark, whatever one of
 * them knows. */
void order_host_call_inherit(order_clock **known, unsigned mark);

/* Whether a host function is still to be called, or belongs to a graph. Its creation opens all pages, and they stay
 * open meanwhile: it may read what the work before it has written, and the checker does not know when it runs. */
bool order_host_calls_live(void);

/* Forgets all host functions. */
void order_host_calls_begin(void);

/* ---- order_capture.c ---- */

/* Fills in the node from the operation, whose accesses it borrows, and its stream; NULL: the host. */
void order_node_set(order_node *node, const lab_trace_op *op, const stream_identity *identity);

/* Frees what a node owns. */
void order_node_clear(order_node *node);

/* Copies a node with its accesses and the memory that it remembers. False if host memory ran out. */
bool order_node_copy(order_node *copy, const order_node *node);

order_capture *order_capture_create(void);
order_capture *order_capture_retain(order_capture *capture);
void order_capture_release(order_capture *capture);

/* Adds a copy of the node, which is returned; NULL if host memory ran out. */
order_node *order_capture_add(order_capture *capture, const order_node *node);

/* ---- order_lane.c ---- */

/* Lanes. A lane that was given back is reused once no memory remembers one of its operations. */
bool order_lane_take(uint32_t *lane);
void order_lane_give_back(uint32_t lane);
size_t order_lanes_taken(void);

/* A site of the node that is on no lane, for messages. */
order_site order_site_of(const order_node *node, uint64_t number);

/* A new site, the next operation of the lane, with one reference; NULL if memory ran out. `number` is for messages. */
order_site *order_site_create(const order_node *node, uint32_t lane, uint64_t number);

/* A copy of the site with one reference, for those of its uses that no pool knows of. */
order_site *order_site_unseen(const order_site *site);

/* ---- order_streams.c ---- */

/* The checker's view of a stream. order_stream_of makes it on first use, or returns NULL if memory ran out;
 * order_stream_find returns NULL if there is none. */
order_stream *order_stream_of(const stream_identity *identity);
order_stream *order_stream_find(const stream_identity *identity);
order_context *order_context_of(uint64_t number);

/* Adds to the clock what the null stream waits for besides its own work: the work of the blocking streams. `null` is
 * the null stream if the clock is its own, else NULL. */
void order_join_blocking(order_clock **clock, const order_context *context, order_stream *null);

/* Called when the thread enqueues something on the stream: the stream learns what CUDA's rules make it wait for. */
void order_advance(order_stream *stream, const order_thread_view *thread);

/* What is done before work that the thread would enqueue on the stream now; before what the host does now, without a
 * stream. The caller's. */
order_clock *order_known_on(const stream_identity *identity);

/* Adds what is done once the stream has done what was enqueued on it so far; nothing if it has ended. */
void order_join_stream(order_clock **clock, uint64_t id);

/* A site on the stream: after its operation of that time or, if `time` is 0, after all that was enqueued there so far.
 * The caller's reference; NULL if memory ran out. */
order_site *order_place_on(const stream_identity *identity, const order_node *node, uint64_t time);

void order_drop_capture(order_stream *stream);

/* Takes the capture that began on the stream away from all its streams. The caller's reference, or NULL. */
order_capture *order_take_capture(const stream_identity *identity);

void order_streams_forget(void);

/* ---- order_use.c ---- */

/* Finds and reports earlier uses that conflict with those of the operation and that its clock does not cover. Fails if
 * the mode is LAB_ORDER_ERROR. */
lab_status order_examine(const order_site *site, const order_node *node, const order_clock *clock);

/* Remembers the uses of the operation. */
void order_note_uses(order_site *site, const order_node *node, const order_clock *clock);

/* Forgets all uses. */
void order_uses_begin(void);

/* Forgets uses that no later operation can conflict with, from time to time. */
void order_uses_prune(uint64_t operations);

/* How many ranges are remembered. */
size_t order_uses_segments(void);

/* ---- order_pages.c: order.h declares order_guard_pages ---- */

/* The operation uses host memory that way, of a block that begins with a page, and no host function is live. */
void order_pages_used(order_site *site, const lab_trace_access *access, uint64_t block_end);

/* What at least one thread has waited for has grown. */
void order_pages_learned(const order_clock *anybody);

/* Opens the pages of all work that uses some of these bytes. */
void order_pages_open(uint64_t start, uint64_t end);

/* ---- order_graph.c ---- */

/* Checks all nodes of a launch that begins after what `before` knows. */
lab_status order_exec_examine(order_exec *exec, const order_clock *before, const order_node *launch);

/* Remembers the uses of all nodes. *after then also knows the launch to be done. */
void order_exec_note(order_exec *exec, order_clock **after);

/* ---- order_allocations.c ---- */

struct order_life {
    int references;
    uint64_t start, bytes;
    const char *file; /* where it was allocated */
    int line;
    order_site *freed;  /* where it was freed; NULL if it was not, or is unknown */
    uint64_t last_born; /* when it was freed: order_allocation.born of the latest allocation */
};

/* Memory that was allocated, and perhaps freed since. */
typedef struct order_allocation {
    uint64_t start, bytes;
    uint64_t born;        /* counts allocations */
    const char *variable; /* the name of a module's variable; else NULL */
    const char *file;
    int line;
    bool pooled;       /* a block of a pool */
    order_site *made;  /* pool memory: where it was allocated, in the order of its stream, */
    order_site *freed; /* and where it was freed; NULL if not */
    order_clock *done; /* what is done before the pool hands the freed block out again */
    uint64_t *told;    /* pool memory: the streams whose uses the pool orders, because it saw one or was told */
    int tolds;
    bool registered;  /* host memory of the program's own, which neither begins nor ends with its pinning */
    bool of_graph;    /* see order_memory_is_of_graph */
    order_life *life; /* NULL until a node remembers it */
} order_allocation;

/* Allocations, for messages and to find uses of freed memory. */
void order_allocations_add(order_space space, const lab_trace_op *op);
void order_allocations_end(order_space space, const lab_trace_op *op, const stream_identity *identity);

/* Sets where the pool memory at the address was allocated; takes the reference over. */
void order_allocations_made_by(uint64_t address, order_site *site);

/* Where the pool memory at the address was allocated, and where it was freed; NULL if it was not, or is unknown. */
const order_site *order_allocations_made(uint64_t address);
const order_site *order_allocations_freed(uint64_t address);

/* Notes that the pool knows that the stream uses the block that holds the address; whether it does. */
void order_allocations_tell(order_space space, uint64_t address, uint64_t stream);
bool order_allocations_were_told(order_space space, uint64_t address, uint64_t stream);

/* Whether an operation is done before the pool hands the block out again, because the stream on which the block was
 * freed came after it. */
bool order_allocations_waited(uint64_t address, const order_site *site);

/* Adds what is done once the streams that the block's pool knows of have done what was enqueued on them so far. */
void order_allocations_join_told(order_clock **clock, order_space space, uint64_t address);
void order_allocations_clear(void);

/* The allocation that holds the address; NULL if there is none. */
const order_allocation *order_allocation_of(order_space space, uint64_t address);

/* Lets a copied node that remembers nothing yet remember the memory that is at its addresses now. */
void order_allocations_remember(order_node *node);

/* The allocation to which the address belongs since the memory was freed; NULL if there is none. */
const order_allocation *order_life_next(const order_life *life, order_space space, uint64_t address);

/* ---- order_life.c: both accept NULL ---- */

order_life *order_life_retain(order_life *life);
void order_life_release(order_life *life);

/* ---- order_words.c ---- */

/* The bytes of a finding. `use.writes` says whether the earlier operation writes. */
typedef struct order_bytes {
    order_space space;
    order_use use;
    const order_life *life; /* the memory that a node of a graph was captured with; NULL if unknown, or no matter */
} order_bytes;

/* Fills in the bytes, the allocation and the texts of a finding about the two operations. */
void order_describe(lab_order_finding *made, const order_bytes *bytes, const order_site *first,
                    const order_site *second);

/* ---- order_report.c ---- */

/* Reports a finding: `first` is an earlier operation, `second` the one being checked, after what `known` covers. Fails
 * if the mode is LAB_ORDER_ERROR. */
lab_status order_report(lab_order_kind kind, const order_site *first, const order_site *second,
                        const order_clock *known, bool second_writes, const order_bytes *bytes);
void order_report_clear(void);
uint64_t order_report_count(void);
uint64_t order_report_causes(void);

/* ---- order_print.c ---- */

/* Prints the finding, which is the one of that number, from 1. */
void order_print(const lab_order_finding *finding, size_t number);

/* Prints the number of findings, of which so many have a cause of their own. */
void order_print_count(const lab_order_counts *counts, uint64_t causes);

/* The same of a program that ends inside a host function. */
void order_print_count_in_host_function(uint64_t findings);

#endif
