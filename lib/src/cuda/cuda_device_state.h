/* What the files of the CUDA device share: contexts, streams and events, and the way to call the driver. */
#ifndef LAB_CUDA_CUDA_DEVICE_STATE_H
#define LAB_CUDA_CUDA_DEVICE_STATE_H

#include "base/retire.h"
#include "seam/backend.h"
#include "cuda/libraries/driver.h"

#include <pthread.h>

struct backend_stream {
    retired retired;
    backend_context *context;
    CUstream native;
    bool null;
    bool foreign;                    /* another library created and owns it */
    _Atomic(CUevent) moment;         /* used by cuda_stream_mark; NULL before its first call */
    backend_stream *next, *previous; /* in the context's list */
};

struct backend_context {
    retired retired;
    CUcontext native;
    int device;
    bool primary;
    uint64_t serial; /* a number that no other context of the process has or had; new after a reset */
    backend_stream null_stream;
    CUevent probe; /* never recorded: its query is the mildest call that captures may forbid */

    pthread_mutex_t lock;          /* protects the members below */
    backend_stream streams;        /* the head of the list; the null stream is not in it */
    CUstream visitors;             /* waits for other contexts' uses of this one's memory; NULL if there are none */
    struct cuda_host_call *called; /* host functions that have not returned, except captured ones */
    atomic_bool calls_host;        /* it has had a host function */
    backend_context *next;         /* in the list of all */
};

struct backend_event {
    retired retired;
    backend_context *context;
    CUevent native;
};

/* ---- calls of the driver ---- */

extern _Thread_local uint64_t cuda_entered; /* the serial of the driver's current context on this thread */
lab_status cuda_make_current(const backend_context *context);

/* The list of all contexts that are alive. */
void cuda_contexts_add(backend_context *made);
void cuda_contexts_remove(const backend_context *ended);
void cuda_contexts_each(void (*visit)(backend_context *context, void *user), void *user);

/* Makes the context the driver's current one. */
static inline lab_status cuda_enter(const backend_context *context)
{
    return cuda_entered == context->serial ? LAB_SUCCESS : cuda_make_current(context);
}

/* Translates the driver's result of a failed call: sets the message and returns the status. After a kernel has failed,
 * every call returns that failure, and the message names the kernels that may have failed. CUDA_ERROR_NOT_READY sets no
 * message. */
lab_status cuda_fail(CUresult result, const char *call) __attribute__((cold));

/* The same for any result; CUDA_SUCCESS is LAB_SUCCESS. */
static inline lab_status cuda_status(CUresult result, const char *call)
{
    return result == CUDA_SUCCESS ? LAB_SUCCESS : cuda_fail(result, call);
}

/* Whether a kernel is known to have failed, and with what status; LAB_SUCCESS if none has. */
bool cuda_has_failed(void);
lab_status cuda_failure(void);

/* Notes a failure of which the driver does not know, unless there is one already. Calls that the driver makes still
 * succeed: cuda_check then fails with it. */
void cuda_fail_for_good(lab_status status, const char *message);
lab_status cuda_check(void);

/* Notes that the kernel was launched, in case one fails; forgets kernels whose module ends. */
void cuda_note_suspect(const backend_kernel *kernel);
void cuda_forget_suspects(const backend_kernel *first, int count);

/* Makes a call; if it fails, returns from the enclosing function. */
#define CUDA_TRY(call, ...)                                                                                            \
    do {                                                                                                               \
        CUresult cuda_result_ = cuda.call(__VA_ARGS__);                                                                \
        if (cuda_result_ != CUDA_SUCCESS) return cuda_fail(cuda_result_, #call);                                       \
    } while (0)

/* ---- cuda_capture.c ---- */

/* The number of captures that may be in progress. While it is 0, no call needs to ask the driver. */
extern atomic_int cuda_captures;

bool cuda_is_captured(const backend_stream *stream);

/* The stream's capture as the driver knows it; false if the stream is not in a valid capture. */
bool cuda_capture_ask(const backend_stream *stream, cuuint64_t *id, CUgraph *graph, CUgraphNode *last);

CUstreamCaptureMode cuda_native_mode(lab_capture_mode mode);

/* Notes that the operation enqueued last on the stream became this node, if the stream captures. Strings are copied. */
typedef struct cuda_captured {
    lab_graph_node node;
    uint64_t function; /* backend_launch.function */
} cuda_captured;
lab_status cuda_capture_note(backend_stream *stream, const cuda_captured *what);

/* The node that the operation enqueued last on the stream became; NULL if the stream does not capture. */
CUgraphNode cuda_capture_last(const backend_stream *stream);

/* Makes a noted node of the stream's capture stand for another one too. Does nothing if either is NULL. */
void cuda_capture_merge(const backend_stream *stream, CUgraphNode noted, CUgraphNode other);

static inline bool cuda_capture_possible(void)
{
    return atomic_load_explicit(&cuda_captures, memory_order_relaxed) > 0;
}

/* The graph that the stream's capture is making; NULL if it does not capture. */
CUgraph cuda_captured_graph(const backend_stream *stream);

/* Makes driver calls for the library's own use and stores their result: they are not captured, and no capture forbids
 * them. */
#define CUDA_RELAXED(result, calls)                                                                                    \
    do {                                                                                                               \
        lab_capture_mode cuda_mode_ = LAB_CAPTURE_RELAXED;                                                             \
        cuda_capture_exchange_mode(&cuda_mode_);                                                                       \
        (result) = (calls);                                                                                            \
        cuda_capture_exchange_mode(&cuda_mode_);                                                                       \
    } while (0)

/* ---- cuda_times.c ---- */

/* Surrounds the call that enqueues timed work; does nothing if `times` is NULL. */
typedef struct cuda_span {
    backend_times *times;
    CUevent start;
} cuda_span;
cuda_span cuda_span_open(backend_stream *stream, backend_times *times);
/* The same for work that CUPTI does not report. */
cuda_span cuda_span_open_by_events(backend_stream *stream, backend_times *times);
void cuda_span_close(cuda_span *span, backend_stream *stream, bool enqueued);
void cuda_times_begin(void);
void cuda_times_end(void);

static inline cuda_span cuda_span_begin(backend_stream *stream, backend_times *times)
{
    return times ? cuda_span_open(stream, times) : (cuda_span){NULL, NULL};
}

static inline void cuda_span_end(cuda_span *span, backend_stream *stream, CUresult result)
{
    if (span->times) cuda_span_close(span, stream, result == CUDA_SUCCESS);
}

/* ---- the entries of the backend ---- */

/* cuda_device_state.c */
lab_status cuda_devices_open(int *found);
lab_status cuda_device_info(lab_device_info *info, int device);
bool cuda_can_access_peer(int device, int peer);
CUdevice cuda_native_device(int device);
int cuda_architecture(int device); /* 90 for compute capability 9.0 */

/* cuda_context.c */
lab_status cuda_context_primary(backend_context **out, int device);
lab_status cuda_context_create(backend_context **out, int device);
void cuda_context_destroy(backend_context *context);
lab_status cuda_context_reset(backend_context *context);
lab_status cuda_context_synchronize(backend_context *context);
lab_status cuda_context_wait(backend_context *context);
lab_status cuda_peer_access(backend_context *context, backend_context *peer, bool enable);
void cuda_context_used_by(backend_context *context, backend_stream *stream);

/* cuda_stream.c */
void cuda_stream_priorities(int *least, int *greatest, int device);
void cuda_stream_note_priorities(int device); /* of the current context's device */
backend_stream *cuda_stream_null(backend_context *context);
lab_status cuda_stream_create(backend_stream **out, backend_context *context, unsigned flags, int priority);
lab_status cuda_stream_destroy(backend_stream *stream);
void *cuda_stream_native(backend_stream *stream);
lab_status cuda_stream_wrap(backend_stream **out, backend_context *context, void *native, unsigned *flags,
                            int *priority);
lab_status cuda_stream_synchronize(backend_stream *stream);
lab_status cuda_stream_query(backend_stream *stream);
lab_status cuda_stream_wait_event(backend_stream *stream, backend_event *event);
CUresult cuda_stream_mark(backend_stream *stream); /* records the stream's `moment`; its context is current */

/* cuda_host_call.c */
lab_status cuda_host_function(backend_stream *stream, const backend_host_call *call, backend_times *times);
/* The same for a host function of the library's own, which a graph does not show. */
lab_status cuda_host_function_unseen(backend_stream *stream, const backend_host_call *call);
void cuda_host_calls_drop(backend_context *context); /* releases those that will never be called */

/* cuda_event.c */
lab_status cuda_event_create(backend_event **out, backend_context *context, unsigned flags);
lab_status cuda_event_destroy(backend_event *event);
lab_status cuda_event_record(backend_event *event, backend_stream *stream, backend_times *times);
lab_status cuda_event_query(backend_event *event);
lab_status cuda_event_synchronize(backend_event *event);
lab_status cuda_event_elapsed_time(float *milliseconds, backend_event *start, backend_event *end);

/* cuda_memory.c */
lab_status cuda_memory_alloc(uint64_t *address, backend_context *context, size_t bytes);
lab_status cuda_memory_free(backend_context *context, uint64_t address, size_t bytes);
lab_status cuda_memory_info(size_t *free_bytes, size_t *total_bytes, backend_context *context);
lab_status cuda_host_alloc(void **out, backend_context *context, size_t bytes);
lab_status cuda_host_free(backend_context *context, void *memory, size_t bytes);
lab_status cuda_host_register(backend_context *context, void *memory, size_t bytes);
lab_status cuda_host_unregister(backend_context *context, void *memory, size_t bytes);
lab_status cuda_copy(backend_stream *stream, const backend_copy *copy, backend_times *times);
lab_status cuda_fill(backend_stream *stream, uint64_t destination, unsigned char value, size_t bytes,
                     backend_times *times);
bool cuda_memory_left(backend_stream *stream, uint64_t address, size_t bytes);

/* cuda_module.c */
lab_status cuda_module_load(backend_module **out, int64_t *compile_ns, backend_context *context, const char *source,
                            const char *name);
lab_status cuda_module_unload(backend_module *module, backend_context *context);
int cuda_module_kernels(const backend_kernel **first, const backend_module *module);
bool cuda_module_global(uint64_t *address, size_t *bytes, backend_module *module, backend_context *context,
                        const char *name);
void cuda_module_find_accesses(backend_module *module, backend_context *context);
lab_status cuda_function_info(lab_function_info *info, const backend_kernel *kernel, backend_context *context);
lab_status cuda_launch(backend_stream *stream, const backend_launch *launch, backend_times *times);

/* cuda_capture.c */
lab_status cuda_capture_begin(backend_stream *stream, lab_capture_mode mode);
lab_status cuda_capture_end(backend_graph **out, backend_stream *stream);
lab_status cuda_capture_status(lab_capture_status *status, backend_stream *stream);
uint64_t cuda_capture_id(backend_stream *stream);
bool cuda_capture_any(void);
void cuda_capture_exchange_mode(lab_capture_mode *mode);
lab_status cuda_capture_check_unsafe(const char *call);
void cuda_capture_leave(const backend_stream *stream); /* called before the stream is destroyed */

/* cuda_graph.c */
backend_graph *cuda_graph_create(backend_context *context); /* NULL, with the message set, if there is no memory */
lab_status cuda_graph_add(backend_graph *graph, CUgraphNode node, const cuda_captured *what);
void cuda_graph_merge(backend_graph *graph, CUgraphNode noted, CUgraphNode other);
lab_status cuda_graph_finish(backend_graph *graph,
                             CUgraph native); /* takes ownership of the native graph, even on failure */
void cuda_graph_destroy(backend_graph *graph);
int cuda_graph_nodes(const lab_graph_node **first, const backend_graph *graph);
int cuda_graph_edges(const lab_graph_edge **first, const backend_graph *graph);
uint64_t cuda_graph_function(const backend_graph *graph, int node);
lab_status cuda_exec_create(backend_exec **out, const backend_graph *graph);
void cuda_exec_destroy(backend_exec *exec);
lab_status cuda_exec_upload(backend_exec *exec, backend_stream *stream);
lab_status cuda_exec_launch(backend_exec *exec, backend_stream *stream, backend_times *times);
lab_status cuda_exec_update_kernel(backend_exec *exec, int node, const backend_launch *launch);

/* cuda_generated.c */
extern const backend_generated cuda_generated;

#endif
