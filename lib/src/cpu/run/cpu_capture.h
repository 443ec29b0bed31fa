/*
 * Capture on the CPU devices: which streams capture, what their operations become, and which calls a capture forbids.
 * Streams, events and memory ask here first; they know nothing else of graphs.
 */
#ifndef LAB_CPU_RUN_CPU_CAPTURE_H
#define LAB_CPU_RUN_CPU_CAPTURE_H

#include "cpu/engine/operation.h"

/* Entries of the backend. */
lab_status cpu_capture_begin(backend_stream *stream, lab_capture_mode mode);
lab_status cpu_capture_end(backend_graph **out, backend_stream *stream);
lab_status cpu_capture_status(lab_capture_status *status, backend_stream *stream);
uint64_t cpu_capture_id(backend_stream *stream);
bool cpu_capture_any(void);
void cpu_capture_exchange_mode(lab_capture_mode *mode);
lab_status cpu_capture_check_unsafe(const char *call);

/* ---- With the engine's lock ---- */

/* True if the operation must not be submitted: it has become a node of the capture that the stream is in, or *status
 * says why it is refused. */
bool cpu_capture_takes(lab_status *status, backend_stream *stream, cpu_op *op);

/* True if capture decides the meaning of recording the event on the stream, or of waiting for it: *status is the
 * outcome. */
bool cpu_capture_records(lab_status *status, backend_event *event, backend_stream *stream);
bool cpu_capture_waits(lab_status *status, backend_stream *stream, backend_event *event);

/* The event no longer stands for a place in a capture. */
void cpu_capture_forget(backend_event *event);

/* The stream is about to go: a capture that began on it ends. */
void cpu_capture_leave(backend_stream *stream);

/* Fails if the event must not be waited for, nor asked whether it is done. */
lab_status cpu_capture_check_event(const backend_event *event);

/* Fails if one of the events stands for a place in a capture, so that no time can be measured between them. */
lab_status cpu_capture_check_times(const backend_event *start, const backend_event *end);

/* ---- Without the lock ---- */

/* Fails if the stream must not be waited for, nor asked whether it is done, as this call does. */
lab_status cpu_capture_check_stream(backend_stream *stream, const char *call);

/* Fails if a stream of the context captures, so that the context cannot be waited for. */
lab_status cpu_capture_check_context(const backend_context *context);

#endif
