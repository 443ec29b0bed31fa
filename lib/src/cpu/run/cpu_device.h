/* What the files of the CPU devices share: their contexts, streams and events, and their order. */
#ifndef LAB_CPU_RUN_CPU_DEVICE_H
#define LAB_CPU_RUN_CPU_DEVICE_H

#include "cpu_capture.h"

struct backend_stream {
    backend_context *context;
    bool null, blocking;           /* ordered with the null stream: every stream but the non-blocking ones */
    bool destroyed;                /* given back with work pending: kept until that is done */
    int rank;                      /* of its kernels, 0 the highest priority: see cpu_op */
    uint64_t number;               /* younger streams have higher ones */
    cpu_op *tail;                  /* the last operation enqueued, NULL if none was */
    cpu_place place;               /* in the capture it is in */
    backend_stream *next_captured; /* in the list of that capture's streams */
    backend_stream *next;          /* in the context's list; the null stream is not in it */
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
    cpu_op *record;  /* what the last record stands for, NULL if never recorded */
    cpu_place place; /* in the capture it was recorded in; record means nothing then */
    bool sleeps;     /* LAB_EVENT_BLOCKING_SYNC */
};

/* Puts the operation at the end of the stream, ordered after what CUDA's rules say, and submits it. Takes over the
 * caller's reference. Once a kernel has failed, an operation that has not begun is done without being run, */
lab_status cpu_stream_enqueue(backend_stream *stream, cpu_op *op);

/* ... but one that others count on meanwhile is run all the same. */
lab_status cpu_stream_enqueue_always(backend_stream *stream, cpu_op *op);

/* The latter for a caller that holds the engine's lock. */
lab_status cpu_stream_append(backend_stream *stream, cpu_op *op);

/* A launch as an operation, to be enqueued or put into a graph. */
lab_status cpu_kernel_create(cpu_op **out, backend_context *context, const backend_launch *launch);

/* Waits, without allocating, until the operations that were the last of the context's streams are done; of its blocking
 * streams only, if asked. What other threads enqueue meanwhile may be waited for too. */
void cpu_streams_wait(backend_context *context, bool blocking_only);

/* Makes the operation wait for the last operations of all streams of the context, of the blocking ones only if asked. */
lab_status cpu_streams_depend(cpu_op *op, backend_context *context, bool blocking_only);

/* Waits for the operation that is the stream's last now. */
void cpu_stream_wait(backend_stream *stream);

/* Frees streams that were destroyed with work pending which is done now; with the engine's lock. */
void cpu_streams_reap(backend_context *context);

/* device.c's: starts the device's threads if they do not run yet. */
lab_status cpu_device_start(int device);
bool cpu_can_access_peer(int device, int peer);

/* What stopped a kernel, as a lab_status; 0 if nothing has. From then on nothing of the process runs or is enqueued. */
extern atomic_int cpu_stopped;

/* Puts the process in error, for good, unless it is already. */
void cpu_process_fail(lab_status status, const char *message);

/* The failure as the calling thread's error; success if there is none. */
lab_status cpu_process_check(void);

/* cpu_context_synchronize that does not mind a failure: for what gives things back. */
lab_status cpu_context_drain(backend_context *context);

/* context.c's. */
lab_status cpu_context_create(backend_context **out, int device);
void cpu_context_destroy(backend_context *context);
lab_status cpu_context_reset(backend_context *context);
lab_status cpu_context_synchronize(backend_context *context);
lab_status cpu_peer_access(backend_context *context, backend_context *peer, bool enable);
void cpu_context_used_by(backend_context *context, backend_stream *stream);

/* stream.c's. */
void cpu_stream_priorities(int *least, int *greatest, int device);
backend_stream *cpu_stream_null(backend_context *context);
lab_status cpu_stream_create(backend_stream **out, backend_context *context, unsigned flags, int priority);
lab_status cpu_stream_destroy(backend_stream *stream);
void *cpu_stream_native(backend_stream *stream);
lab_status cpu_stream_wrap(backend_stream **out, backend_context *context, void *native, unsigned *flags,
                           int *priority);
lab_status cpu_stream_synchronize(backend_stream *stream);
/* Whether all work is done that a query of the stream would ask for. No question: a schedule goes on as before. */
bool cpu_stream_is_idle(const backend_stream *stream);
lab_status cpu_stream_query(backend_stream *stream);
lab_status cpu_stream_wait_event(backend_stream *stream, backend_event *event);
lab_status cpu_host_function(backend_stream *stream, const backend_host_call *call, backend_times *times);

/* event.c's. */
lab_status cpu_event_create(backend_event **out, backend_context *context, unsigned flags);
lab_status cpu_event_destroy(backend_event *event);
lab_status cpu_event_record(backend_event *event, backend_stream *stream, backend_times *times);
lab_status cpu_event_query(backend_event *event);
lab_status cpu_event_synchronize(backend_event *event);
lab_status cpu_event_elapsed_time(float *milliseconds, backend_event *start, backend_event *end);

/* memory.c's. */
lab_status cpu_memory_alloc(uint64_t *address, backend_context *context, size_t bytes);
lab_status cpu_memory_free(backend_context *context, uint64_t address, size_t bytes);
lab_status cpu_memory_info(size_t *free_bytes, size_t *total_bytes, backend_context *context);
lab_status cpu_host_alloc(void **out, backend_context *context, size_t bytes);
lab_status cpu_host_free(backend_context *context, void *memory, size_t bytes);
lab_status cpu_host_register(backend_context *context, void *memory, size_t bytes);
lab_status cpu_host_unregister(backend_context *context, void *memory, size_t bytes);
lab_status cpu_copy(backend_stream *stream, const backend_copy *copy, backend_times *times);
lab_status cpu_fill(backend_stream *stream, uint64_t destination, unsigned char value, size_t bytes,
                    backend_times *times);
bool cpu_memory_left(backend_stream *stream, uint64_t address, size_t bytes);
size_t cpu_total_memory(void); /* of one device */

/* capture.c's. */
lab_status cpu_capture_begin(backend_stream *stream, lab_capture_mode mode);
lab_status cpu_capture_end(backend_graph **out, backend_stream *stream);
lab_status cpu_capture_status(lab_capture_status *status, backend_stream *stream);
void cpu_capture_exchange_mode(lab_capture_mode *mode);
lab_status cpu_capture_check_unsafe(const char *call);
lab_status cpu_capture_synchronize_context(backend_context *context);

/* graph.c's. */
void cpu_graph_destroy(backend_graph *graph);
int cpu_graph_nodes(const lab_graph_node **first, const backend_graph *graph);
int cpu_graph_edges(const lab_graph_edge **first, const backend_graph *graph);
uint64_t cpu_graph_function(const backend_graph *graph, int node);
lab_status cpu_exec_create(backend_exec **out, const backend_graph *graph);
void cpu_exec_destroy(backend_exec *exec);
lab_status cpu_exec_launch(backend_exec *exec, backend_stream *stream, backend_times *times);
lab_status cpu_exec_update_kernel(backend_exec *exec, int node, const backend_launch *launch);

/* module.c's. */
lab_status cpu_module_open(backend_module **out, backend_context *context, const char *source, const char *name);
lab_status cpu_module_close(backend_module *module, backend_context *context);
int cpu_module_kernels(const backend_kernel **first, const backend_module *module);
bool cpu_module_global(uint64_t *address, size_t *bytes, backend_module *module, backend_context *context,
                       const char *name);
void cpu_module_find_accesses(backend_module *module, backend_context *context);
lab_status cpu_launch_kernel(backend_stream *stream, const backend_launch *launch, backend_times *times);

/* generated.c's. */
extern const backend_generated cpu_generated;

#endif
