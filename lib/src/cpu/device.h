/* What the files of the CPU device share: its contexts, streams and events, and their order. */
#ifndef LAB_SRC_CPU_DEVICE_H
#define LAB_SRC_CPU_DEVICE_H

#include "engine.h"

struct backend_stream {
    backend_context *context;
    bool null, blocking; /* ordered with the null stream: every stream but the non-blocking ones */
    bool destroyed;      /* given back with work pending: kept until that is done */
    cpu_op *tail;        /* the last operation enqueued, NULL if none was */
    backend_stream *next; /* in the context's list; the null stream is not in it */
};

struct backend_context {
    int device;
    backend_stream null_stream;
    backend_stream *streams;
};

struct backend_event {
    cpu_op *record; /* what the last record stands for, NULL if never recorded */
    bool sleeps;    /* LAB_EVENT_BLOCKING_SYNC */
};

/* Puts the operation at the end of the stream, ordered after what CUDA's rules say, and submits it. Takes over the
 * caller's reference. */
lab_status cpu_stream_enqueue(backend_stream *stream, cpu_op *op);

/* stream.c's entries of the backend. */
lab_status cpu_context_primary(backend_context **out, int device);
lab_status cpu_context_synchronize(backend_context *context);
backend_stream *cpu_stream_null(backend_context *context);
lab_status cpu_stream_create(backend_stream **out, backend_context *context, unsigned flags);
lab_status cpu_stream_destroy(backend_stream *stream);
lab_status cpu_stream_synchronize(backend_stream *stream);
lab_status cpu_stream_query(backend_stream *stream);
lab_status cpu_stream_wait_event(backend_stream *stream, backend_event *event);
lab_status cpu_host_function(backend_stream *stream, void (*function)(void *), void *user, backend_times *times);

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
lab_status cpu_fill(backend_stream *stream, uint64_t destination, unsigned char value, size_t bytes, backend_times *times);
size_t cpu_total_memory(void);

/* module.c's. */
lab_status cpu_module_open(backend_module **out, backend_context *context, const char *source, const char *name);
lab_status cpu_module_close(backend_module *module, backend_context *context);
int cpu_module_kernels(const backend_kernel **first, const backend_module *module);
lab_status cpu_launch_kernel(backend_stream *stream, const backend_launch *launch, backend_times *times);

#endif
