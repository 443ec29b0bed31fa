/*
 * backend.h: the seam. What a device must implement, and nothing else; everything above it is written once.
 *
 * The entries mirror the CUDA driver API. Native objects are opaque to the caller. Every entry may be called from
 * any host thread. The caller has checked the arguments: handles are live, sizes are not 0, ranges lie inside
 * allocations, a kernel's arguments fit its parameters. An entry that fails sets the thread's message with lab_fail.
 *
 * Another thread may end an object that an entry has been given. The CPU device retires it (base/retire.h), and refuses
 * to enqueue work that would need it; the CUDA device leaves that to the driver.
 *
 * An operation writes the times of its run to its backend_times, if one is given, which stays valid until the work is
 * done.
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
    const char *type;  /* as spelled in the source: "const float *"; "" if unknown */
    lab_arg_kind kind; /* LAB_ARG_INTEGER, _FLOAT, _POINTER or _BYTES */
    size_t size;
    lab_dtype element;     /* what a pointer points to; 0 if unknown or not a lab_dtype */
    bool pointer_to_const; /* the kernel cannot write through it */
    bool reads, writes;    /* what the kernel may do through a pointer, as far as module_find_accesses knows */
} backend_param;

/* A variable of the module that a kernel may use: __device__ memory. */
enum { BACKEND_VARIABLE_NAME_BYTES = 64 };
typedef struct backend_variable {
    char name[BACKEND_VARIABLE_NAME_BYTES]; /* its beginning, if it is longer */
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
    int variables; /* as far as module_find_accesses knows; else 0 */
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

/* Called once a copy has its place in the order of its stream, before the caller waits for anything: the caller can
 * then release the locks that hold back other threads. Not called if the entry fails. `call` may be NULL. */
typedef struct backend_enqueued {
    void (*call)(void *user);
    void *user;
} backend_enqueued;

typedef struct backend_copy {
    backend_copy_kind kind;
    uint64_t destination, source; /* device or host addresses, depending on the kind */
    size_t bytes;
    uint64_t number;  /* of the copy in the evidence */
    bool pinned;      /* the host side is pinned */
    bool wait;        /* return when the copy is done; without it, a copy of pinned memory returns at once */
    bool source_only; /* with `wait`: return as soon as the source may be reused */
    backend_enqueued enqueued;
} backend_copy;

/* The address on the host's side. */
static inline uint64_t backend_copy_host(const backend_copy *copy)
{
    return copy->kind == BACKEND_COPY_HTOD ? copy->source : copy->destination;
}

/* What a launch has read and written, by address. The caller frees the list. */
typedef struct backend_touched {
    bool known; /* the device waited for the launch and noted it */
    size_t ranges;
    struct backend_touched_range {
        uint64_t address, bytes;
        bool writes;
    } * range;
} backend_touched;

typedef struct backend_launch {
    const backend_kernel *kernel;
    uint64_t function; /* the caller's name for the kernel; a captured launch keeps it for graph_function */
    lab_dim grid, block;
    size_t shared_bytes;
    const void *const *arguments; /* one pointer per parameter; copied before the call returns */
    const size_t *reach;          /* for each, the bytes from there to the end of the memory it points into; or 0 */
    size_t (*find_reach)(uint64_t address); /* the same for an address in device memory; 0 for any other number */
    bool (*is_loaded)(uint64_t function);   /* false once another thread unloads the kernel's module */
    bool cooperative;         /* its blocks run at the same time; a graph's node is what it was captured as */
    backend_touched *touched; /* NULL if nobody asks, and always while the stream captures */
} backend_launch;

/*
 * How the device runs generated kernels. `prelude` is CUDA C that precedes each of them. LAB_LANES, a power of two, is
 * defined before it; n, the number of elements, is a long long. The prelude defines:
 *   LAB_EACH(i, n) {...}                  this thread's part of the elements: i is a long long from 0 to n - 1. Once
 *                                         per kernel, in which no element depends on another
 *   LAB_EACH_ROW(row, n, width) { ...     the same by rows of `width` elements: the outer braces run for each row of
 *                                         which
 *     LAB_EACH_IN_ROW(i, column, row)     the thread has a part, the inner ones for each element of that part
 *     {...} }
 *   LAB_INPUT(array, loaded, i)           in those braces, element i of an input's array. Before them the kernel
 *                                         defines a struct lab_inputs with a member for each such input, and
 *                                         lab_load(i), which returns one: the device may thus load the inputs of
 *                                         several elements first, into lab_in, whose member is `loaded`
 *   LAB_ONE_COPY                          follows __global__, with what the device has to say of each such kernel
 *   T lab_reduce_range<T>(first, end, map, reduce)
 *                                         called by all threads of a block: map(i) for first <= i < end, combined by
 *                                         reduce(a, b), valid in thread 0. The order is the same on every device: lane
 *                                         t of LAB_LANES takes first + t, first + t + LAB_LANES, ... one after another;
 *                                         then, for steps of LAB_LANES/2, ..., 2, 1, lane t takes in lane t + step, if
 *                                         both have elements. At least one element.
 *   T lab_reduce_partial<T>(count, map, reduce)
 *                                         the same from 0 to count, for the few results that blocks left to one of them
 *   lab_reduce_columns<T>(columns, first, end, map, reduce, store)
 *                                         the same for columns 0 <= c < columns <= LAB_COLUMNS side by side: map(c, i)
 *                                         combined in that order for each column; store(c, value) is called once per
 *                                         column, by any thread. LAB_COLUMNS is defined like LAB_LANES. Columns are
 *                                         adjacent in memory, elements are not.
 *   bool lab_last_block(counter)          called by all threads of a block: whether all other blocks have called it. If
 *                                         so, what they wrote before is visible, and the counter is 0 again.
 */
#define GENERATED_SOURCE "#line 1 \"<generated>\"\n" /* what the source of each of them begins with */
typedef struct backend_generated {
    const char *prelude;
    unsigned block_threads;             /* in an elementwise kernel */
    unsigned reduction_threads;         /* in a block that calls one of the three lab_reduce_ functions */
    unsigned reduction_columns;         /* LAB_COLUMNS: as many as a block handles efficiently */
    size_t block_elements;              /* elements that make a block worth its cost */
    unsigned blocks_per_multiprocessor; /* more blocks than this gain nothing */
} backend_generated;

typedef struct backend_host_call {
    /* Called in its turn, with LAB_SUCCESS or with a kernel's failure. It must not call this library; the function
     * itself ensures that. */
    void (*function)(void *user, lab_status status);
    void (*release)(void *user); /* called once, after the last call of the function, or if the entry fails */
    void *user;
    bool callback;    /* cannot be captured. CUDA: cuStreamAddCallback */
    const char *name; /* of the node that it becomes: a constant, or NULL for a function of the program */
} backend_host_call;

/* Work of a host function of the library's own: a function that copies or fills bytes of the host's. */
typedef struct backend_host_work {
    uint64_t source, destination; /* the same twice for a fill */
    size_t bytes;
    void (*function)(void *user);
    void *user;
} backend_host_work;

typedef struct lab_backend {
    const char *kind; /* "cpu" or "cuda" */
    const backend_generated *generated;

    /* Called once, before anything else: finds the devices. */
    lab_status (*open)(int *devices);
    lab_status (*device_info)(lab_device_info *info, int device);

    /* The lowest and the highest priority of the device's streams; a lower number is a higher priority. */
    void (*stream_priorities)(int *least, int *greatest, int device);
    bool (*can_access_peer)(int device, int peer);

    /* The device's primary context; called once. CUDA: cuDevicePrimaryCtxRetain. */
    lab_status (*context_primary)(backend_context **out, int device);
    lab_status (*context_create)(backend_context **out, int device);
    /* Called when the context's work is done and its streams, events, modules and memory have been freed. */
    void (*context_destroy)(backend_context *context);
    /* The same, but the context remains usable, unless a kernel has failed: that is permanent. CUDA:
     * cuDevicePrimaryCtxReset. */
    lab_status (*context_reset)(backend_context *context);
    lab_status (*context_synchronize)(backend_context *context);
    /* The same for the library's own use: allowed during captures, which it does not affect. */
    lab_status (*context_wait)(backend_context *context);
    /* Allows or forbids kernels of the context to use the memory of a context of another device. */
    lab_status (*peer_access)(backend_context *context, backend_context *peer, bool enable);
    /* Says that the last work on a stream of another context uses memory of this one: freeing that memory waits for
     * it. */
    void (*context_used_by)(backend_context *context, backend_stream *stream);

    /* stream_null is the context's legacy default stream: borrowed. */
    backend_stream *(*stream_null)(backend_context *context);
    lab_status (*stream_create)(backend_stream **out, backend_context *context, unsigned flags, int priority);
    /* The handle by which other libraries know the stream. CUDA: the CUstream. */
    void *(*stream_native)(backend_stream *stream);
    /* Wraps a stream of the context that another library created and owns, given its native handle; returns its flags
     * and priority. stream_destroy does not destroy the native stream. LAB_ERROR_INVALID_HANDLE, without a message, if
     * the device can tell that the handle is not a stream. */
    lab_status (*stream_wrap)(backend_stream **out, backend_context *context, void *native, unsigned *flags,
                              int *priority);
    lab_status (*stream_destroy)(backend_stream *stream);
    lab_status (*stream_synchronize)(backend_stream *stream);
    lab_status (*stream_query)(backend_stream *stream);
    lab_status (*stream_wait_event)(backend_stream *stream, backend_event *event);
    /* The stream was to wait for an event that was never recorded. NULL if the device makes nothing of it. */
    void (*stream_wait_in_vain)(backend_stream *stream, backend_event *event);
    lab_status (*host_function)(backend_stream *stream, const backend_host_call *call, backend_times *times);
    /* Calls the work, on the thread of a host function. If some of its bytes are not there, the device fails, for good.
     * NULL if the device cannot tell. */
    void (*host_work)(const backend_host_work *work);

    lab_status (*event_create)(backend_event **out, backend_context *context, unsigned flags);
    lab_status (*event_destroy)(backend_event *event);
    lab_status (*event_record)(backend_event *event, backend_stream *stream, backend_times *times);
    lab_status (*event_query)(backend_event *event);
    lab_status (*event_synchronize)(backend_event *event);
    /* Called for events that were recorded and measure time. LAB_ERROR_NOT_READY, without a message, if one is not
     * done. */
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

    /* The stream returns memory to its pool: from the stream's current place on, the contents are undefined and may
     * change. True if the device enqueued work on the stream for that. */
    bool (*memory_left)(backend_stream *stream, uint64_t address, size_t bytes);

    /* *compile_ns: how long the compiler ran; 0 if its result was in the cache. */
    lab_status (*module_load)(backend_module **out, int64_t *compile_ns, backend_context *context, const char *source,
                              const char *name);
    /* Waits for the context's work, then unloads. backend_launch.is_loaded returns false for its kernels already. */
    lab_status (*module_unload)(backend_module *module, backend_context *context);
    /* The module's kernels, in the order of the source: borrowed, valid while the module is loaded. */
    int (*module_kernels)(const backend_kernel **first, const backend_module *module);
    /* The address of a __device__ or __constant__ variable of the module; false if no variable is visible under this
     * name, or if the context is unavailable. */
    bool (*module_global)(uint64_t *address, size_t *bytes, backend_module *module, backend_context *context,
                          const char *name);
    /* Finds what the kernels read and write. Called before every use of that information; only the first call costs
     * anything. Without it only the types of the parameters are known. */
    void (*module_find_accesses)(backend_module *module, backend_context *context);
    /* Writes what a GPU has of a kernel's needs; the rest of `info` is there. NULL if the device has nothing of it. */
    lab_status (*function_info)(lab_function_info *info, const backend_kernel *kernel, backend_context *context);
    lab_status (*launch)(backend_stream *stream, const backend_launch *launch, backend_times *times);

    /*
     * Capture. An operation that is enqueued on a stream that captures becomes a node and does not run; nothing is
     * ever written to its times. Every entry that takes a stream or an event implements CUDA's rules for captures.
     * Entries for memory do not: their callers call capture_check_unsafe first, naming the public call.
     */
    lab_status (*capture_begin)(backend_stream *stream, lab_capture_mode mode);
    lab_status (*capture_end)(backend_graph **out, backend_stream *stream);
    lab_status (*capture_status)(lab_capture_status *status, backend_stream *stream);
    /* A number of the capture that the stream is in, unique in the process; 0 if it is in none, UINT64_MAX if the
     * capture is invalid. */
    uint64_t (*capture_id)(backend_stream *stream);
    /* Whether any capture of the process has begun and not ended. */
    bool (*capture_any)(void);
    void (*capture_exchange_mode)(lab_capture_mode *mode);
    /* Fails, and invalidates the captures that forbid it, if the calling thread may not make unsafe calls now.
     * CUDA: the effect of cuEventQuery on an event that was never recorded. */
    lab_status (*capture_check_unsafe)(const char *call);

    void (*graph_destroy)(backend_graph *graph);
    /* The number of nodes, in the order of capture, or of edges; *first is borrowed. */
    int (*graph_nodes)(const lab_graph_node **first, const backend_graph *graph);
    int (*graph_edges)(const lab_graph_edge **first, const backend_graph *graph);
    /* backend_launch.function of a kernel node; 0 for other nodes. */
    uint64_t (*graph_function)(const backend_graph *graph, int node);
    /* The executable graph outlives the graph. */
    lab_status (*exec_create)(backend_exec **out, const backend_graph *graph);
    /* Pending launches still run; the call does not wait for them. */
    void (*exec_destroy)(backend_exec *exec);
    lab_status (*exec_launch)(backend_exec *exec, backend_stream *stream, backend_times *times);
    /* Prepares the next launch. NULL if there is nothing to prepare. */
    lab_status (*exec_upload)(backend_exec *exec, backend_stream *stream);
    /* Called for kernel nodes only. */
    lab_status (*exec_update_kernel)(backend_exec *exec, int node, const backend_launch *launch);

    /* The beginning and the end of a record. Between them, entries get backend_times. At the end all their work is
     * done, and times_end returns when all known times have been written. */
    void (*times_begin)(void);
    void (*times_end)(void);
    bool times_come_late; /* times are written only by times_end */
} lab_backend;

extern const lab_backend cpu_backend;

#endif
