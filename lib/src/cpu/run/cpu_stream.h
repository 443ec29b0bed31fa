/* Streams of the CPU devices: enqueueing an operation, and waiting for what was enqueued. */
#ifndef LAB_CPU_RUN_CPU_STREAM_H
#define LAB_CPU_RUN_CPU_STREAM_H

#include "cpu_objects.h"

/* Entries of the backend. */
void cpu_stream_priorities(int *least, int *greatest, int device);
backend_stream *cpu_stream_null(backend_context *context);
lab_status cpu_stream_create(backend_stream **out, backend_context *context, unsigned flags, int priority);
lab_status cpu_stream_destroy(backend_stream *stream);
void *cpu_stream_native(backend_stream *stream);
lab_status cpu_stream_wrap(backend_stream **out, backend_context *context, void *native, unsigned *flags,
                           int *priority);
lab_status cpu_stream_synchronize(backend_stream *stream);
lab_status cpu_stream_query(backend_stream *stream);
lab_status cpu_stream_wait_event(backend_stream *stream, backend_event *event);
void cpu_stream_wait_in_vain(backend_stream *stream, backend_event *event);
lab_status cpu_stream_host_function(backend_stream *stream, const backend_host_call *call, backend_times *times);

/* Puts the operation at the end of the stream, ordered by CUDA's rules, and submits it. Takes over the caller's
 * reference. Once a kernel has failed, an operation that has not begun ends without being run. */
lab_status cpu_stream_enqueue(backend_stream *stream, cpu_op *op);

/* The same for an operation that others rely on: it runs even if a kernel has failed meanwhile. */
lab_status cpu_stream_enqueue_always(backend_stream *stream, cpu_op *op);

/* Whether all work that a query of the stream asks for is done. Unlike a query, it makes nothing run. */
bool cpu_stream_is_idle(const backend_stream *stream);

/* Whether work on the stream would wait for other streams: it is the null stream, and a blocking stream has work. */
bool cpu_stream_orders_others(const backend_stream *stream);

/* Waits for the operation that is the stream's last now. */
void cpu_stream_wait(backend_stream *stream);

/* Waits, without allocating, until the operations that were the last of the context's streams are done; only of its
 * blocking streams, if asked. It may also wait for what other threads enqueue meanwhile. */
void cpu_streams_wait(backend_context *context, bool blocking_only);

/* ---- With the engine's lock ---- */

/* The stream takes no more operations and forgets its last one. */
void cpu_stream_close(backend_stream *stream);

/* cpu_stream_enqueue_always, without telling a schedule. */
lab_status cpu_stream_append(backend_stream *stream, cpu_op *op);

/* Makes the operation wait for the last operations of all streams of the context; only of the blocking ones, if
 * asked. */
lab_status cpu_streams_depend(cpu_op *op, backend_context *context, bool blocking_only);

/* Frees streams that were destroyed with work pending which is done now. */
void cpu_streams_reap(backend_context *context);

#endif
