/* Queries and waits that the library itself makes while streams capture, in pools for example. No capture forbids
 * them. */
#ifndef LAB_OBJECTS_CONTEXTS_CAPTURE_H
#define LAB_OBJECTS_CONTEXTS_CAPTURE_H

#include "stream.h"

/* The number of the capture that the stream is in, as the device knows it; 0 if it is in none. */
uint64_t capture_id(const struct stream *stream);

/* Whether any capture has begun and not ended. */
bool capture_is_any_on(void);

static inline bool capture_is_on(const struct stream *stream) { return capture_id(stream) != 0; }

/* Whether the stream's work is done. False for a capturing stream, whose earlier work cannot be queried. */
bool capture_stream_done(const struct stream *stream);

/* Whether an event that was recorded outside of captures is done. */
bool capture_event_done(backend_event *event);

/* Makes the stream wait for such an event. If the stream is capturing, the host waits instead. */
lab_status capture_wait_event(const struct stream *waiting, backend_event *event);

/* Called before and after calls that a capture forbids the program but not the library, such as allocating a kernel's
 * workspace. `before` is the mode that the first returned. */
lab_capture_mode capture_enter_relaxed(void);
void capture_leave_relaxed(lab_capture_mode before);

#endif
