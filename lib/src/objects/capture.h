/* What the library itself asks the device while streams capture, in pools for example: no capture minds it. */
#ifndef LAB_OBJECTS_CAPTURE_H
#define LAB_OBJECTS_CAPTURE_H

#include "stream.h"

bool capture_is_on(const struct stream *stream);

/* Whether the stream's work is done; no, of a stream that captures: what it had before the capture cannot be told. */
bool capture_stream_done(const struct stream *stream);

/* Whether the record of an event that was recorded outside of captures is done. */
bool capture_event_done(backend_event *event);

/* Makes the stream wait for such an event; if it captures, which forbids that, the host waits. */
lab_status capture_wait_event(const struct stream *waiting, backend_event *event);

/* Around calls of the library's own that a capture would forbid a program: allocating what a kernel needs, say. */
lab_capture_mode capture_enter_relaxed(void);
void capture_leave_relaxed(lab_capture_mode before);

#endif
