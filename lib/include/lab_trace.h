/*
 * lab_trace.h: what a program did, recorded operation by operation, for checks and tools.
 *
 * A record lists every call that enqueued work, waited or created something, in the order of the calls: on which
 * stream, from which line, with which memory, when it was called, and when the device ran it. A record is saved as one
 * JSON file, which Perfetto and chrome://tracing open and lab_trace_load reads back completely.
 *
 * Captured work does not run. When its capture ends it is a node of a graph: an operation of the kind "graph node", at
 * the place and with the line of the captured call, with what it would use, and with the nodes that it waits for. A
 * failed capture leaves nothing, nor does one that began before the record. A graph launch is one operation, from the
 * start of its first node to the end of its last, without the memory that its nodes use.
 *
 * A query is an operation if it succeeds and its thread has not yet learned from a query of the same stream or event
 * that the work is done. A query of a stream or event without recorded work is none, nor is "not ready": a loop of
 * queries leaves one operation. The record does not show whether the program would have asked again. It does show
 * whether the host had to: host_waits means that an earlier query of the same stream or event was not ready, and that
 * its thread has made only queries since. Questions about what a program waits for count every query that succeeded.
 * Questions about waits that a program should not make count those with host_waits alone, so that one question in
 * passing, whose answer is luck, costs nothing.
 *
 * With LAB_TRACE=FILE in its environment a program records itself, from its first use of the library until it exits,
 * and then writes the file. Tools include this header; a lab's solution needs only lab.h.
 */
#ifndef LAB_TRACE_H
#define LAB_TRACE_H

#include "lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of operation. The columns of the table:
 *   word         the operation in the file
 *   engine       the engine of the device that runs it; "" if none does
 *   stream work  whether it is enqueued on a stream
 *   host waits   whether every such call makes the host wait for the device; of a synchronous copy and of a query only
 *                the operation's host_waits says so */
/* clang-format off */
#define LAB_OP_TABLE(X)                                                                 \
    X(LAB_OP_KERNEL,            "kernel",            "compute", true,  false)           \
    X(LAB_OP_COPY_HTOD,         "copy htod",         "htod",    true,  false)           \
    X(LAB_OP_COPY_DTOH,         "copy dtoh",         "dtoh",    true,  false)           \
    X(LAB_OP_COPY_DTOD,         "copy dtod",         "compute", true,  false)           \
    X(LAB_OP_FILL,              "fill",              "compute", true,  false)           \
    X(LAB_OP_HOST_FUNCTION,     "host function",     "host",    true,  false)           \
    X(LAB_OP_EVENT_RECORD,      "event record",      "",        true,  false)           \
    X(LAB_OP_EVENT_WAIT,        "event wait",        "",        true,  false)           \
    X(LAB_OP_GRAPH_LAUNCH,      "graph launch",      "compute", true,  false)           \
    X(LAB_OP_STREAM_SYNC,       "stream sync",       "",        false, true)            \
    X(LAB_OP_EVENT_SYNC,        "event sync",        "",        false, true)            \
    X(LAB_OP_DEVICE_SYNC,       "device sync",       "",        false, true)            \
    X(LAB_OP_STREAM_QUERY,      "stream query",      "",        false, false)           \
    X(LAB_OP_EVENT_QUERY,       "event query",       "",        false, false)           \
    X(LAB_OP_STREAM_CREATE,     "stream create",     "",        false, false)           \
    X(LAB_OP_STREAM_DESTROY,    "stream destroy",    "",        false, false)           \
    X(LAB_OP_EVENT_CREATE,      "event create",      "",        false, false)           \
    X(LAB_OP_EVENT_DESTROY,     "event destroy",     "",        false, false)           \
    X(LAB_OP_MEMORY_ALLOC,      "memory alloc",      "",        false, false)           \
    X(LAB_OP_MEMORY_FREE,       "memory free",       "",        false, true)            \
    X(LAB_OP_HOST_ALLOC,        "host alloc",        "",        false, false)           \
    X(LAB_OP_HOST_FREE,         "host free",         "",        false, true)            \
    X(LAB_OP_HOST_REGISTER,     "host register",     "",        false, false)           \
    X(LAB_OP_HOST_UNREGISTER,   "host unregister",   "",        false, true)            \
    X(LAB_OP_POOL_ALLOC,        "pool alloc",        "",        false, false)           \
    X(LAB_OP_POOL_FREE,         "pool free",         "",        false, false)           \
    X(LAB_OP_PINNED_POOL_ALLOC, "pinned pool alloc", "",        false, false)           \
    X(LAB_OP_PINNED_POOL_FREE,  "pinned pool free",  "",        false, false)           \
    X(LAB_OP_MODULE_LOAD,       "module load",       "",        false, false)           \
    X(LAB_OP_MODULE_UNLOAD,     "module unload",     "",        false, true)            \
    X(LAB_OP_CONTEXT_CREATE,    "context create",    "",        false, false)           \
    X(LAB_OP_CONTEXT_DESTROY,   "context destroy",   "",        false, true)            \
    X(LAB_OP_CONTEXT_SYNC,      "context sync",      "",        false, true)            \
    X(LAB_OP_HOST_READ,         "host read",         "",        false, false)           \
    X(LAB_OP_HOST_WRITE,        "host write",        "",        false, false)           \
    X(LAB_OP_HOST_RELEASE,      "host release",      "",        false, false)           \
    X(LAB_OP_HOST_ACQUIRE,      "host acquire",      "",        false, false)           \
    X(LAB_OP_GRAPH_NODE,        "graph node",        "",        false, false)           \
    X(LAB_OP_GRAPH_CREATE,      "graph create",      "",        false, false)           \
    X(LAB_OP_GRAPH_DESTROY,     "graph destroy",     "",        false, false)           \
    X(LAB_OP_EXEC_CREATE,       "graph instantiate", "",        false, false)           \
    X(LAB_OP_EXEC_UPDATE,       "graph update",      "",        false, false)           \
    X(LAB_OP_EXEC_DESTROY,      "exec destroy",      "",        false, false)           \
    X(LAB_OP_MARK,              "mark",              "",        false, false)           \
    X(LAB_OP_RANGE_PUSH,        "range push",        "",        false, false)           \
    X(LAB_OP_RANGE_POP,         "range pop",         "",        false, false)
/* clang-format on */

typedef enum lab_op_kind {
#define LAB_OP_ENUM(name, word, engine, stream_work, host_waits) name,
    LAB_OP_TABLE(LAB_OP_ENUM)
#undef LAB_OP_ENUM
        LAB_OP_KINDS
} lab_op_kind;

/* "kernel", "copy htod", ...: the word in the file. */
const char *lab_op_kind_name(lab_op_kind kind);

/* The engine of the device that runs operations of this kind: "compute", "htod", "dtoh", "host" or "". */
const char *lab_op_kind_engine(lab_op_kind kind);

/* The kind of host memory that an operation uses. */
typedef enum lab_host_memory {
    LAB_HOST_NONE,     /* no host memory */
    LAB_HOST_PAGEABLE, /* malloc, the stack, a mapped file */
    LAB_HOST_PINNED,   /* lab_host_alloc or lab_host_register */
} lab_host_memory;

/* A range of memory that an operation reads or writes. */
typedef struct lab_trace_access {
    uint64_t address; /* device address, or host address if `host` */
    uint64_t bytes;
    bool host;
    bool reads;
    bool writes;
} lab_trace_access;

/* One operation. Times are nanoseconds since the record began; -1 if there is none, because the device did not run the
 * operation or had not finished it when the record was taken. The record owns strings and lists. */
typedef struct lab_trace_op {
    uint64_t id; /* 1, 2, 3, ... in the order of the calls */
    lab_op_kind kind;
    /* Kernel, graph ("graph 2"), module, mark or range (of its push); of a graph node that is no kernel, its kind
     * ("copy htod"); "" for the others. */
    const char *name;
    int device;
    /* lab_stream_get_id; 0 if no stream is involved. Of a mark: the calling thread's current stream. */
    uint64_t stream;
    /* An event's number, a context's id, a graph's number (of its nodes too), an executable graph's number (of its
     * launches and updates too), or the address of memory created or freed; 0 if none. Of a mark: the id of the calling
     * thread's current context. Of a host release or acquire: its key. Of a range's push: its colour. */
    uint64_t object;
    uint64_t thread; /* host threads are numbered 1, 2, ... as they first call */
    /* Moved, filled, allocated or pinned; 0 otherwise. Of a graph update: the node's number, from 0. Of a mark: 1 if
     * LAB_WITH_STREAM made the current stream current, 0 if lab_stream_use did or nothing. */
    uint64_t bytes;
    /* Copies between host and device whose bytes are kept for a check: their number there. 0 otherwise. */
    uint64_t kept;
    lab_host_memory host_memory;
    int peer; /* Copies between devices: 1 + the number of the device that `device` copies from or to. 0 otherwise */
    bool peer_access; /* of these: one device may use the other's memory, so the bytes need not go through the host */
    lab_dim grid, block; /* kernels, also as graph nodes and in updates; 0 otherwise */
    /* Kernels and module loads: the SHA-256 of the source that the program gave, in hexadecimal: of the text that it
     * loaded or, for a kernel of lab_elementwise_create and the like, of the text that was made from its own. "" for
     * the kernels of the library's own operations, such as lab_array_sum. */
    const char *module;
    int64_t compile_ns; /* module loads: how long the compiler ran; 0 if the cache of kernels had its result */
    /* Kernels that the program gave: a word for each argument. A pointer is "0x7f00dead0000". Any other value is its
     * bytes, as in "0000803f" for 1.0f; a struct of more than 16 bytes is "#" and the SHA-256 of its bytes. ""
     * otherwise. */
    const char *arguments;
    int64_t call_ns, return_ns; /* the host's call */
    bool host_waits;            /* the call waits for the work: a sync, a synchronous copy, a query asked again */
    /* The device's work. The moment that an event notes lies between the two, which are equal on the CPU device. */
    int64_t start_ns, end_ns;
    int lane;         /* the multiprocessor or engine that started it; -1 if none */
    const char *file; /* where the program made the call; "" if unknown */
    int line;         /* 0 if unknown */
    uint64_t caller;  /* where that function was called, or a mark's, as an address for addr2line; 0 if unknown */
    const lab_trace_access *access; /* for kernels, one per pointer argument; more for a view with gaps */
    int accesses;
    int declared; /* how many of them, the last ones, are known by lab_next_uses and lab_next_uses_host alone */
    /* Ids of the operations that this one waits for in addition to earlier ones on its stream: the event record behind
     * an event wait, event sync or event query, and what the null stream orders before it. Of a stream query: also
     * the last operation on its stream, since later ones may be in the record before it. Of a graph node: those of its
     * graph. */
    const uint64_t *waits_for;
    int waits;
} lab_trace_op;

/* A stream that the record mentions. */
typedef struct lab_trace_stream {
    uint64_t id;
    int device;
    uint64_t context; /* lab_context_info.id of its context; 0 if unknown */
    int priority;     /* after clamping; 0 if unknown */
    bool null_stream;
    bool non_blocking;
} lab_trace_stream;

/* A finding of the order checker: two operations by their ids (0 for one that is not in the record, such as a refused
 * call), what is wrong with them, and what would order them. The record owns the texts. */
typedef struct lab_trace_finding {
    uint64_t first, second; /* in the order of the calls */
    const char *text, *edge;
} lab_trace_finding;

typedef struct lab_trace {
    char device_name[128]; /* of device 0 */
    char device_kind[8];   /* "cpu" or "cuda"; "model" if the times are modelled */
    int multiprocessors;
    int64_t duration_ns; /* from the beginning of the record to its end */
    lab_trace_op *op;
    size_t ops;
    lab_trace_stream *stream;
    size_t streams;
    lab_trace_finding *finding; /* marked in timelines; empty if the order checker was off */
    size_t findings;
    void *storage; /* holds the strings and lists; private to the library */
} lab_trace;

/* Begins a new record in this process; a running record is discarded. */
lab_status lab_trace_begin(void);

/* Waits for all devices, ends the record and returns it. LAB_ERROR_NOT_PERMITTED if no record was begun. */
lab_status lab_trace_end(lab_trace **out);

/* Adds a named mark to the running record at this moment; does nothing if no record is running. The mark has the
 * calling thread's current context and stream; both are 0 if there is none, because it was destroyed or is the primary
 * context, which is made on first use. */
void lab_trace_mark(const char *name);

/* For each operation the index of its partner, if it is one end of a range (lab_range_push): the last range that its
 * thread had opened and not closed. SIZE_MAX for the others, and for an end whose partner is not in the record. Freed
 * with free(). */
lab_status lab_trace_ranges(size_t **out, const lab_trace *trace);

/* ------------------------------------------------------------------------------------------------------
 * The order checker
 *
 * Two uses of the same bytes, one of them a write, must be ordered: if nothing orders them they are a mistake, even if
 * the device happens to run them in the right order. The checker finds the mistake when the second use is enqueued,
 * from the calls alone. Its answer does not depend on timing and is the same on every device.
 *
 *   LAB_ORDER=report   in the environment prints each finding to stderr, once for each pair of places, and their number
 *                      when the process exits, also if it is 0
 *   LAB_ORDER=report:STATUS
 *                      the same; if there are findings the process exits with that status, from 1 to 255
 *   LAB_ORDER=error    prints nothing, and the call that completes the pair fails with LAB_ERROR_NOT_ORDERED
 *   LAB_ORDER=off      checks nothing; this is the default
 *
 * What orders two uses: the order of one stream; an event recorded on one stream and waited for by another; the null
 * stream's rules; the edges of a graph; and a host thread that waited, for everything that it enqueues afterwards. A
 * thread waits for a stream, event, device or context, by a synchronous copy, by freeing driver memory, or by a query
 * that succeeds. An asynchronous copy of pageable memory never counts as a wait, since CUDA does not promise that it
 * waits.
 *
 * Which bytes: copies and fills are exact. For a kernel's pointer, clang finds in the optimised code whether the kernel
 * reads or writes through it; on a GPU's machine without clang, the parameter's const decides. An array or a view
 * counts as a whole, any other pointer to the end of its allocation. A view whose elements are apart in memory counts
 * run by run, but from its first element to its last if it has more than 64 runs of elements side by side. The host's
 * own uses are known for synchronous copies, and where the program declares them with lab_host_reads and
 * lab_host_writes. lab_next_uses and lab_next_uses_host declare memory that a kernel finds through other pointers, or
 * that a host function uses.
 *
 * LAB_ORDER_MEASURE=1 makes the CPU device run each launch at once and tell the checker which bytes it has touched,
 * also through pointers in structs and in memory; the launch waits for it. LAB_MEMCHECK's checks are on too. What the
 * compiler knows still decides for the nodes of a graph, for a launch while a host function is still to be called, for
 * kernels in a process of their own, and on a GPU. With LAB_ORDER=error the kernel of the call that fails has run.
 *
 * LAB_ORDER_HOST=pages finds the host's own uses of pinned memory on the CPU device, without a declaration: pages of
 * pending work are closed to the program, and an access that meets one is judged at the place "host+0x1234" of its
 * instruction, for addr2line, and then succeeds. Kernels run in a process of their own. No call can fail on such a
 * finding: with LAB_ORDER=error it is printed. LAB_ORDER_HOST=declared is the default.
 *
 * Host threads: what a thread has waited for is known to that thread, to threads that it starts later, and, once it has
 * ended, to all. A thread that a host function starts knows the work before that function to be done. Threads that hand
 * work to each other in other ways declare it with lab_host_release and lab_host_acquire.
 */

typedef enum lab_order_mode {
    LAB_ORDER_OFF,
    LAB_ORDER_COLLECT, /* keeps findings for lab_order_get_finding and prints nothing */
    LAB_ORDER_REPORT,  /* also prints them */
    LAB_ORDER_ERROR,   /* keeps them and fails the call */
} lab_order_mode;

typedef enum lab_order_kind {
    LAB_ORDER_RACE,                  /* two uses in no order, one of them a write */
    LAB_ORDER_USE_BEFORE_ALLOCATION, /* by a graph or a declared use: on a stream that does not wait for the stream that
                                        was given the block, while its last owner may still use it. Any use or free of
                                        memory of cudaMallocAsync on a stream that does not wait for its allocation */
    LAB_ORDER_USE_AFTER_FREE,        /* of memory that was freed before, whoever has its bytes now: a node of a graph
                                        means the memory that it was captured with */
    LAB_ORDER_FREE_IN_USE,           /* memory returned while a graph, a declared use or another context may use it */
} lab_order_kind;

/* One of the two operations of a finding. The library owns the texts and never frees them. */
typedef struct lab_order_side {
    lab_op_kind kind;
    const char *name; /* a kernel's name, or what a node of a graph does with memory; "" for other kinds */
    uint64_t number;  /* 1, 2, 3, ... in the order of the calls since the checker started */
    uint64_t stream;  /* 0: the host */
    uint64_t thread;  /* the calling host thread */
    uint64_t graph;   /* the graph it is a node of; 0 if none */
    const char *file; /* where the program made the call; "" if unknown */
    int line;
    bool writes;
    bool null_stream;        /* the stream is the null stream */
    uint64_t context;        /* of this context */
    const char *stream_file; /* where the stream was created; "" if unknown */
    int stream_line;
    const char *launch_file; /* of a graph's node: where the graph was launched; else "" */
    int launch_line;
} lab_order_side;

typedef struct lab_order_finding {
    lab_order_kind kind;
    lab_order_side first, second; /* in the order of the calls */
    bool host;                    /* the bytes are host memory */
    uint64_t address, bytes;      /* the bytes that both use; 0 bytes: how many is unknown, see lab_args_raw */
    uint64_t offset;              /* of these bytes in their allocation */
    uint64_t allocation_bytes;    /* the allocation's size; 0 if unknown */
    const char *allocation_file;  /* where it was allocated */
    int allocation_line;
    const char *variable; /* the variable of a module that the bytes are in; else "" */
    uint64_t same_cause;  /* the earlier finding, counted from 1, whose missing edge is this one's too; 0 if none */
    uint64_t times;       /* how often this pair of places was found */
    const char *text;     /* what is wrong, in a sentence */
    const char *edge;     /* what would order the two, in a sentence */
} lab_order_finding;

/* What the checker has seen since it started. */
typedef struct lab_order_counts {
    uint64_t operations; /* operations that use memory */
    uint64_t findings;   /* pairs of places */
    size_t segments;     /* ranges of memory remembered now */
    size_t lanes;        /* streams and chains of graph nodes distinguished now */
    bool gave_up;        /* memory ran out: checking has stopped */
} lab_order_counts;

/* Starts the checker, which forgets everything; LAB_ORDER_OFF stops it and keeps its findings. */
lab_status lab_order_start(lab_order_mode mode);
lab_order_counts lab_order_get_counts(void);

/* The finding with that number, from 0. LAB_ERROR_INVALID_VALUE if there are fewer findings. */
lab_status lab_order_get_finding(lab_order_finding *out, size_t number);

/* A failed call of the process, on any thread; lab_error_message knows only the calling thread's. `number` counts the
 * failures of the process; `file` is "" if lab.h's macros did not see the call. */
enum { LAB_FAILURE_FILE_BYTES = 256, LAB_FAILURE_MESSAGE_BYTES = 3000 };
typedef struct lab_failure {
    uint64_t number;
    char file[LAB_FAILURE_FILE_BYTES];
    int line;
    uint64_t caller;                         /* as in lab_trace_op */
    char message[LAB_FAILURE_MESSAGE_BYTES]; /* a longer message is cut */
} lab_failure;

/* The number of failed calls; and the latest call that failed with this status after failure number `after`. False if
 * there is none. */
uint64_t lab_failures(void);
bool lab_last_failure(lab_failure *out, lab_status status, uint64_t after);

/* A call of the library that has not returned. */
typedef struct lab_trace_wait {
    bool own; /* a call of the calling thread, not of another */
    lab_op_kind kind;
    const char *file; /* where the call is; "" if unknown */
    int line;
    /* What the call waits for, as in "stream 2, where the event wait of b.c:39 waits for stream 1, where the host
     * function of b.c:36 has begun and not ended"; "" if the record does not say. */
    char text[512];
} lab_trace_wait;

/* Finds in the running record what a hanging program waits for: the calling thread's last unfinished call, or else the
 * first of another thread. For a signal handler that interrupts such a call: it allocates nothing and waits for no
 * lock. A GPU reports what has ended only when the record ends; there the text names the last work that was enqueued.
 * False if no call is unfinished, or no record is running. */
bool lab_trace_find_wait(lab_trace_wait *out);

/* Frees a record from lab_trace_end or lab_trace_load. NULL is accepted. */
void lab_trace_free(lab_trace *trace);

/* Writes the record as a Chrome trace-event JSON file, whole or not at all. */
lab_status lab_trace_save(const lab_trace *trace, const char *path);

/* Reads such a file. Every field is checked: a file that is not a complete, consistent record gives
 * LAB_ERROR_INVALID_VALUE; the message names the operation and the field. */
lab_status lab_trace_load(lab_trace **out, const char *path);

/* How much work the device did at the same time, from the start and end times of kernels and copies. A graph launch
 * counts as one kernel. */
typedef struct lab_trace_summary {
    size_t kernels, copies_htod, copies_dtoh;
    size_t streams_used;                /* streams that ran a kernel or copy */
    double span_ms;                     /* first start to last end */
    double kernel_ms, htod_ms, dtoh_ms; /* sums of durations */
    double copy_kernel_overlap_ms;      /* time when a copy and a kernel of different streams ran */
    double kernel_kernel_overlap_ms;    /* time when two or more kernels ran */
    double both_ways_ms;                /* time when copies ran in both directions */
} lab_trace_summary;
lab_trace_summary lab_trace_summarize(const lab_trace *trace);

/* --- Device profiles ---------------------------------------------------------------------------------------------- */

/* The rates and costs of one device, for the model. */
typedef struct lab_profile lab_profile;

/* Opens one of the library's own profiles by its name, "h200" or "laptop", or a file by its path (a name with a
 * slash or a dot in it). LAB_ERROR_FILE_NOT_FOUND, or LAB_ERROR_INVALID_VALUE with a message that names file, line
 * and key. To be freed with lab_profile_free. */
lab_status lab_profile_open(lab_profile **out, const char *name);
void lab_profile_free(lab_profile *profile); /* NULL is accepted */

/* Whether the kernel of this name was measured on the device. Of others only the memory traffic is known. */
bool lab_profile_has_kernel(const lab_profile *profile, const char *kernel);

/* --- Questions of a check --------------------------------------------------------------------------------------------
 *
 * What a record shows about how a program is built, as opposed to how long anything took: the answers are the same in
 * every run. Operations are named by their ids; an id that the record does not have counts as absent.
 */

/* Some operations of a record, by their ids; borrowed. */
typedef struct lab_op_set {
    const uint64_t *id;
    size_t count;
} lab_op_set;

/* The first call between two operations, neither of them included, that makes the host wait for the device; NULL if
 * there is none. A query counts if it has host_waits. The record has the calls of all threads in the order in which
 * they began; a query has its place by its end. */
const lab_trace_op *lab_trace_host_wait_between(const lab_trace *trace, uint64_t after, uint64_t before);

/* Something that was created, and the call that destroyed or freed it. */
typedef struct lab_lifetime {
    /* "stream", "event", "device memory", "pinned memory", "pinning", "pool block", "pinned pool block", "context",
     * "graph", "executable graph" */
    const char *noun;
    const lab_trace_op *made;  /* its file and line say where */
    const lab_trace_op *ended; /* NULL: never, as far as the record shows */
} lab_lifetime;

/* Everything created during the record, in the order of creation; and the part of it that was never destroyed or freed.
 * An object that ends with its context, without a call of its own, counts as never destroyed. *out is yours, to be
 * freed with free(); the record owns what it points to. */
lab_status lab_trace_lifetimes(lab_lifetime **out, size_t *count, const lab_trace *trace);
lab_status lab_trace_leaks(lab_lifetime **out, size_t *count, const lab_trace *trace);

/* The order that a program enforces, whatever the times: by streams, events, the null stream's rules, waiting calls of
 * one thread, and what lab_host_release and lab_host_acquire declare. Other communication of host threads is unknown,
 * their start and their end too. The record is borrowed. One thread at a time. */
typedef struct lab_relations lab_relations;
lab_status lab_relations_create(lab_relations **out, const lab_trace *trace);
void lab_relations_free(lab_relations *relations); /* NULL is accepted */

/* Whether the work of one operation is always done before the other's begins. Every query that succeeded counts as a
 * wait for what it covers. */
bool lab_relations_before(lab_relations *relations, uint64_t before, uint64_t after);

/* The first call by which a host thread waits for an operation's work: a wait for its stream, for an event behind it,
 * for other work that comes after it, for the device, a query that succeeded, or its own call. NULL if no recorded call
 * does. */
const lab_trace_op *lab_relations_waited_by(lab_relations *relations, uint64_t id);

/* Whether nothing orders two operations: a device with free resources could run them at the same time. Of queries, only
 * those with host_waits count here and in the questions below. */
bool lab_relations_may_overlap(lab_relations *relations, uint64_t a, uint64_t b);

/* Whether an operation of one set could overlap an operation of the other; `pair` gets their ids if it is not NULL. */
bool lab_relations_sets_may_overlap(lab_relations *relations, lab_op_set a, lab_op_set b, uint64_t pair[2]);

/* Whether only waits for events on the device order the two: not a wait of the host, a common stream or a rule of the
 * null stream. */
bool lab_relations_by_event_only(lab_relations *relations, uint64_t before, uint64_t after);

/* --- Model -----------------------------------------------------------------------------------------------------------
 *
 * How long a recorded program would take on another device: its operations, in the order of its calls, scheduled in
 * simulated time on a profile of that device. Nothing measured on this machine enters: the same program gives the same
 * figure everywhere. A modelled figure is an estimate, and is labelled wherever it is shown: "modelled on h200".
 *
 * The model simulates calls, streams, events, the null stream's rules, calls that hold the host, copy engines,
 * multiprocessors and hardware queues. Kernels that run together share the multiprocessors and the memory. A graph's
 * launch lasts as long as its nodes, if the record has their capture. The host's computation between calls takes no
 * time unless the options ask for it. For a kernel that the profile does not list, only the memory it uses counts.
 */

/* The last thing that an operation's start waited for. */
typedef enum lab_model_reason {
    LAB_MODEL_HOST,   /* its own call */
    LAB_MODEL_ORDER,  /* an operation ordered before it: by its stream, an event, the null stream */
    LAB_MODEL_ENGINE, /* an operation that held its engine */
    LAB_MODEL_QUEUE,  /* an earlier operation in the hardware queue that their streams share */
} lab_model_reason;

/* A step of the critical path, which makes up the program's time from its first call to its last result. */
typedef struct lab_model_step {
    size_t op;    /* index into the record's operations */
    bool host;    /* the host's calls, beginning with this one, or its waiting; else the device's work */
    size_t calls; /* host: the number of calls, one after another */
    int64_t from_ns, to_ns;
    lab_model_reason reason; /* of the device's work */
} lab_model_step;

typedef struct lab_model_options {
    double scale; /* the factor by which every array counts as larger; 0 means 1 */
    /* What the host did between two calls of a thread counts as its work if it took at least so many microseconds in
     * the record. 0: it takes no time, and the figure is the same on every machine. */
    double host_work_us;
} lab_model_options;

typedef struct lab_model {
    char label[48];     /* "modelled on h200": belongs next to every figure */
    double makespan_ms; /* from the first call that enqueues work to the end of the last work */
    double total_ms;    /* from that call until the last call has returned: what the program measures of itself */
    double measured_ms; /* the record itself between the same moments, on the device that it is from */
    double serial_ms;   /* all work, one operation after another */
    double best_ms;     /* the same work with pinned memory, no waits, and only the order that its memory needs */
    lab_trace_summary summary;
    lab_trace *trace;     /* the record with modelled times, for timelines; device_name is the label */
    lab_model_step *step; /* the critical path */
    size_t steps;
    char advice[512];  /* the first thing to change, in words */
    double advised_ms; /* the makespan after that change */
} lab_model;

/* Models a record. `options` may be NULL. The result is yours, to be freed with lab_model_free. */
lab_status lab_model_run(lab_model **out, const lab_trace *trace, const lab_profile *profile,
                         const lab_model_options *options);
void lab_model_free(lab_model *model); /* NULL is accepted */

/* The result as text of at most `columns` columns, with every figure labelled. Yours, to be freed with free(). */
lab_status lab_model_text(char **out, const lab_model *model, int columns, bool ascii);

/* How a timeline is drawn. A field of 0 means its default, so set only what differs:
 * (lab_timeline_options){.columns = 60}. */
typedef struct lab_timeline_options {
    int columns;       /* text: width of a line, at least 40; 0 means 80 */
    bool ascii;        /* text: no characters outside ASCII */
    bool color;        /* text: ANSI colours as a second signal */
    int max_rows;      /* rows of streams shown, 0 means 16; the rest are combined in one row that gives their number */
    const char *title; /* NULL for none */
    int64_t from_ns, to_ns; /* the time to show; both 0 means from the first to the last operation on the device */
} lab_timeline_options;
#define LAB_TIMELINE_DEFAULTS .columns = 80, .max_rows = 16 /* the defaults spelled out */

/* The timeline as text, with one row per stream. Yours, to be freed with free(). The record's findings are A, B, C,
 * ...: the letters are below their operations, and the findings, with what is missing, at the end. */
lab_status lab_timeline_text(char **out, const lab_trace *trace, const lab_timeline_options *options);

/* The timeline as one self-contained SVG document, light and dark. Yours, to be freed with free(). The operations of a
 * finding have frames with its letter, joined by a line. */
lab_status lab_timeline_svg(char **out, const lab_trace *trace, const lab_timeline_options *options);

/* A run to compare with others, and its title: before and after, CPU and GPU, measured and modelled. */
typedef struct lab_timeline_run {
    const lab_trace *trace;
    const char *title; /* NULL for none */
} lab_timeline_run;
enum { LAB_TIMELINE_RUNS = 8 }; /* at most */

/* Several runs, one below the other, on the same time scale, each from its own beginning. The options' title is not
 * used. The drawing has one axis and one legend. Yours, to be freed with free(). */
lab_status lab_timelines_text(char **out, const lab_timeline_run *run, size_t runs,
                              const lab_timeline_options *options);
lab_status lab_timelines_svg(char **out, const lab_timeline_run *run, size_t runs, const lab_timeline_options *options);

#ifdef __cplusplus
}
#endif
#endif
