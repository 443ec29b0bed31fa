/* The library's own queries and waits, made in the capture mode that permits them. */
#include "capture.h"

#include "runtime.h"

uint64_t capture_id(const struct stream *stream)
{
    return stream->identity.null ? 0 : runtime_backend()->capture_id(stream->native);
}

bool capture_is_any_on(void) { return runtime_backend()->capture_any(); }

lab_capture_mode capture_enter_relaxed(void)
{
    lab_capture_mode mode = LAB_CAPTURE_RELAXED;
    runtime_backend()->capture_exchange_mode(&mode);
    return mode;
}

void capture_leave_relaxed(lab_capture_mode before) { runtime_backend()->capture_exchange_mode(&before); }

/* The null stream, too, cannot be queried while a blocking stream is capturing. */
bool capture_stream_done(const struct stream *stream)
{
    lab_capture_status status;
    if (runtime_backend()->capture_status(&status, stream->native) != LAB_SUCCESS || status != LAB_CAPTURE_NONE)
        return false;
    lab_capture_mode before = capture_enter_relaxed();
    bool done = runtime_backend()->stream_query(stream->native) == LAB_SUCCESS;
    capture_leave_relaxed(before);
    return done;
}

bool capture_event_done(backend_event *event)
{
    lab_capture_mode before = capture_enter_relaxed();
    bool done = runtime_backend()->event_query(event) == LAB_SUCCESS;
    capture_leave_relaxed(before);
    return done;
}

lab_status capture_wait_event(const struct stream *waiting, backend_event *event)
{
    if (!capture_is_on(waiting)) return runtime_backend()->stream_wait_event(waiting->native, event);
    lab_capture_mode before = capture_enter_relaxed();
    lab_status status = runtime_backend()->event_synchronize(event);
    capture_leave_relaxed(before);
    return status;
}
