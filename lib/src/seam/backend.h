/*
 * backend.h: the seam. What a device must do, and nothing else; everything above it is written once.
 *
 * The entries mirror the CUDA driver API. Native objects are opaque to the caller. Every entry may be called from
 * any host thread. Arguments have been checked: handles are live, sizes are not 0, ranges lie inside allocations,
 * a kernel's arguments fit its parameters. An entry that fails has set the thread's message with lab_fail.
 *
 * Work that the device runs reports when it ran through a backend_times, if one is given: it stays valid until the
 * work is done.
 */
#ifndef LAB_SEAM_BACKEND_H
#define LAB_SEAM_BACKEND_H

#include "lab.h"
#include "base/status.h"

#include <stdatomic.h>

enum { BACKEND_MOST_DEVICES = 64 };

/* When the device ran an operation, in nanoseconds of CLOCK_MONOTONIC; 0 means not yet. */
typedef struct backend_times {
    _Atomic int64_t start_ns;
    _Atomic int64_t end_ns;
    _Atomic int lane; /* the multiprocessor that ran the first block, or 0 for a copy engine */
} backend_times;

/* A kernel's parameter, for the checks of a launch. */
typedef struct backend_param {
    const char *name;  /* "" if unknown */
    const char *type;  /* as the source spells it, "const float *"; "" if unknown */
    lab_arg_kind kind; /* LAB_ARG_INTEGER, _FLOAT, _POINTER or _BYTES */
    size_t size;
    lab_dtype element;     /* what a pointer points to; 0 if unknown or no lab_dtype */
    bool pointer_to_const; /* the kernel cannot write through it */
    bool reads, writes;    /* what the kernel may do through a pointer, as far as module_find_accesses tells */
} backend_param;

/* A variable of the module that a kernel may use: __device__ memory. */
typedef struct backend_variable {
    uint64_t address;
    size_t bytes;
    bool reads, writes;
} backend_variable;

typedef struct backend_kernel {
    const char *name;
    int params;
    const backend_param *param;
    size_t shared_bytes; /* of __shared__ variables whose size the source fixes */
    void *native;
    int variables; /* as far as module_find_accesses tells; none if it does not */
    const backend_variable *variable;
} backend_kernel;

typedef struct backend_context backend_context;
typedef struct backend_stream backend_stream;
typedef struct backend_event backend_event;
typedef struct backend_module backend_module;
typedef struct backend_graph backend_graph;
typedef struct backend_exec backend_exec;

typedef enum backend_copy_kind {
    BACKEND_COPY_HTOD,
    BACKEND_COPY_DTOH,
    BACKEND_COPY_DTOD,
} backend_copy_kind;

/* Called once a copy has its place in the order of its stream, and before its caller waits for anything: what the caller
 * holds back other threads with. Not called if the entry fails. `call` may be NULL. */
typedef struct backend_enqueued {
    void (*call)(void *user);
    void *user;
} backend_enqueued;

typedef struct backend_copy {
    backend_copy_kind kind;
    uint64_t destination, source; /* addresses: device or host, as the kind says */
    size_t bytes;
    bool pinned;      /* the host side is pinned */
    bool wait;        /* return when the copy is done; if not, and the host side is pinned, at once */
    bool source_only; /* with `wait`: the caller needs no more than that the source may be used again */
    backend_enqueued enqueued;
} backend_copy;

typedef struct backend_launch {
    const backend_kernel *kernel;
    uint64_t function; /* the caller's name for the kernel; a captured launch keeps it for graph_function */
    lab_dim grid, block;
    size_t shared_bytes;
    const void *const *arguments; /* one pointer a parameter; copied before the call returns */
    const size_t *reach;          /* of each: bytes from there to the end of the memory it points into; or 0 */
} backend_launch;

/*
 * How the device runs generated kernels. `prelude` is CUDA C that stands before each of them and defines, where n, the
 * elements, is a long long and LAB_LANES is a power of two defined before it:
 *   LAB_EACH(i, n) {...}                  this thread's part of the elements: i is a long long from 0 to n - 1; once a
 *                                         kernel, in which no element depends on another
 *   LAB_EACH_ROW(row, n, width) { ...     the same by rows of `width` elements: the outer braces run for each row that
 *     LAB_EACH_IN_ROW(i, column, row)     the thread has a part of, the inner ones for each element of the part
 *     {...} }
 *   LAB_INPUT(name, i)                    in those braces, the element of an input. Before them the kernel defines a
 *                                         struct lab_inputs with a member for each such input, and lab_load(i), which
 *                                         returns one: so the device may load what several elements need beforehand
 *   T lab_reduce_range<T>(first, end, map, reduce)
 *                                         called by all threads of a block: map(i) for first <= i < end, combined by
 *                                         reduce(a, b), valid in thread 0. The order is the same on every device: lane
 *                                         t of LAB_LANES takes first + t, first + t + LAB_LANES, ... one after another;
 *                                         then, for steps of LAB_LANES/2, ..., 2, 1, lane t takes in lane t + step, as
 *                                         far as both have elements. At least one element.
 *   lab_reduce_columns<T>(columns, first, end, map, reduce, store)
 *                                         the same side by side, for columns 0 <= c < columns <= LAB_COLUMNS, defined
 *                                         like LAB_LANES: of map(c, i), each in that order; store(c, value) is called
 *                                         once for each, by any thread. Columns are neighbours in memory, elements not.
 *   bool lab_last_block(counter)          called by all threads of a block: whether all other blocks have called it.
 *                                         What they wrote before is visible then, and the counter is 0 as it was.
 */
typedef struct backend_generated {
    const char *prelude;
    unsigned block_threads;             /* of an elementwise kernel */
    unsigned reduction_threads;         /* of a block that calls lab_reduce_range or lab_reduce_columns */
    unsigned reduction_columns;         /* LAB_COLUMNS: as many as a block can do well */
    size_t block_elements;              /* as many make a block worth its cost ... */
    unsigned blocks_per_multiprocessor; /* ... and more blocks than this gain nothing */
} backend_generated;

typedef struct backend_host_call {
    /* Called in its turn, with LAB_SUCCESS or with the failure of a kernel. No call of this
     * library is allowed inside; the function sees to that. */
    void (*function)(void *user, lab_status status);
    void (*release)(void *user); /* called once, when the function will not be called any more, or if the entry fails */
    void *user;
    bool callback; /* it cannot be captured. CUDA: cuStreamAddCallback */
} backend_host_call;

typedef struct lab_backend {
    const char *kind; /* "cpu" or "cuda" */
    const backend_generated *generated;

    /* Called once, before anything else: finds the devices. */
    lab_status (*open)(int *devices);
    lab_status (*device_info)(lab_device_info *info, int device);

    /* The lowest and the highest priority that streams of the device can have; the lower number is the higher. */
    void (*stream_priorities)(int *least, int *greatest, int device);
    bool (*can_access_peer)(int device, int peer);

    /* The device's primary context, asked for once. CUDA: cuDevicePrimaryCtxRetain. */
    lab_status (*context_primary)(backend_context **out, int device);
    lab_status (*context_create)(backend_context **out, int device);
    /* The context's work is done, and its streams, events, modules and memory have been given back. */
    void (*context_destroy)(backend_context *context);
    /* The same, but the context goes on, unless a kernel has failed: that is for good. CUDA: cuDevicePrimaryCtxReset. */
    lab_status (*context_reset)(backend_context *context);
    lab_status (*context_synchronize)(backend_context *context);
    /* The same for the library's own needs: captures neither forbid it nor mind it. */
    lab_status (*context_wait)(backend_context *context);
    /* Lets kernels of the context use the memory of a context of another device, or no longer. */
    lab_status (*peer_access)(backend_context *context, backend_context *peer, bool enable);
    /* Says that what was enqueued last on a stream of another context uses memory of this one: freeing that memory
     * waits for it. */
    void (*context_used_by)(backend_context *context, backend_stream *stream);

    /* stream_null is the context's legacy default stream: borrowed. */
    backend_stream *(*stream_null)(backend_context *context);
    lab_status (*stream_create)(backend_stream **out, backend_context *context, unsigned flags, int priority);
    /* What other libraries know the stream by. CUDA: the CUstream. */
    void *(*stream_native)(backend_stream *stream);
    /* A stream of the context that somebody else made and keeps, by what other libraries know it by, with its flags and
     * priority; stream_destroy leaves the stream itself alone. LAB_ERROR_INVALID_HANDLE, without a message, if it is none,
     * as far as the device can tell. */
    lab_status (*stream_wrap)(backend_stream **out, backend_context *context, void *native, unsigned *flags,
                              int *priority);
    lab_status (*stream_destroy)(backend_stream *stream);
    lab_status (*stream_synchronize)(backend_stream *stream);
    lab_status (*stream_query)(backend_stream *stream);
    lab_status (*stream_wait_event)(backend_stream *stream, backend_event *event);
    lab_status (*host_function)(backend_stream *stream, const backend_host_call *call, backend_times *times);

    lab_status (*event_create)(backend_event **out, backend_context *context, unsigned flags);
    lab_status (*event_destroy)(backend_event *event);
    lab_status (*event_record)(backend_event *event, backend_stream *stream, backend_times *times);
    lab_status (*event_query)(backend_event *event);
    lab_status (*event_synchronize)(backend_event *event);
    /* Both events have been recorded and measure time. LAB_ERROR_NOT_READY, without a message, if one is not done. */
    lab_status (*event_elapsed_time)(float *milliseconds, backend_event *start, backend_event *end);

    lab_status (*memory_alloc)(uint64_t *address, backend_context *context, size_t bytes);
    lab_status (*memory_free)(backend_context *context, uint64_t address, size_t bytes);
    lab_status (*memory_info)(size_t *free_bytes, size_t *total_bytes, backend_context *context);
    lab_status (*host_alloc)(void **out, backend_context *context, size_t bytes);
    lab_status (*host_free)(backend_context *context, void *memory, size_t bytes);
    lab_status (*host_register)(backend_context *context, void *memory, size_t bytes);
    lab_status (*host_unregister)(backend_context *context, void *memory, size_t bytes);

    lab_status (*copy)(backend_stream *stream, const backend_copy *copy, backend_times *times);
    lab_status (*fill)(backend_stream *stream, uint64_t destination, unsigned char value, size_t bytes,
                       backend_times *times);

    /* The stream gives memory of a pool back: what it holds from where the stream is now is nobody's, and may change. True
     * if the stream was given work for that. */
    bool (*memory_left)(backend_stream *stream, uint64_t address, size_t bytes);

    lab_status (*module_load)(backend_module **out, backend_context *context, const char *source, const char *name);
    /* Waits for the context's work, then unloads. */
    lab_status (*module_unload)(backend_module *module, backend_context *context);
    /* The module's kernels, in the order of the source: borrowed, valid while the module is loaded. */
    int (*module_kernels)(const backend_kernel **first, const backend_module *module);
    /* Where a __device__ or __constant__ variable of the module is; false if no variable has the name outside of its
     * source, or if the context is not to be had. */
    bool (*module_global)(uint64_t *address, size_t *bytes, backend_module *module, backend_context *context,
                          const char *name);
    /* Completes what the kernels are known to read and write. Called before anybody looks at that, and every time: what it
     * costs it costs once. Without it the types of the parameters are all that is known. */
    void (*module_find_accesses)(backend_module *module, backend_context *context);
    lab_status (*launch)(backend_stream *stream, const backend_launch *launch, backend_times *times);

    /*
     * Capture. An operation that is enqueued on a stream that captures becomes a node and does not run; nothing is
     * ever written to its times. Every entry that takes a stream or an event obeys CUDA's rules for captures by itself.
     * Entries for memory do not: their callers ask capture_check_unsafe first, naming the public call.
     */
    lab_status (*capture_begin)(backend_stream *stream, lab_capture_mode mode);
    lab_status (*capture_end)(backend_graph **out, backend_stream *stream);
    lab_status (*capture_status)(lab_capture_status *status, backend_stream *stream);
    void (*capture_exchange_mode)(lab_capture_mode *mode);
    /* Fails, and makes the captures invalid that forbid it, if the calling thread may not make unsafe calls now.
     * CUDA: what cuEventQuery does with an event that was never recorded. */
    lab_status (*capture_check_unsafe)(const char *call);

    void (*graph_destroy)(backend_graph *graph);
    /* Nodes in the order of capture, and edges: how many, and the first: borrowed. */
    int (*graph_nodes)(const lab_graph_node **first, const backend_graph *graph);
    int (*graph_edges)(const lab_graph_edge **first, const backend_graph *graph);
    /* backend_launch.function of a kernel node; 0 for the others. */
    uint64_t (*graph_function)(const backend_graph *graph, int node);
    /* What is made outlives the graph. */
    lab_status (*exec_create)(backend_exec **out, const backend_graph *graph);
    /* Launches that are pending finish first, but are not waited for. */
    void (*exec_destroy)(backend_exec *exec);
    lab_status (*exec_launch)(backend_exec *exec, backend_stream *stream, backend_times *times);
    /* The node is a kernel node. */
    lab_status (*exec_update_kernel)(backend_exec *exec, int node, const backend_launch *launch);

    /* Around a record: from now on entries are given backend_times; all their work is done, and what is known of its
     * times must be there on return. */
    void (*times_begin)(void);
    void (*times_end)(void);
    bool times_come_late; /* there only then: until then nothing of them is known */
} lab_backend;

extern const lab_backend cpu_backend;

#endif
