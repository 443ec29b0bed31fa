/* Streams above the seam: the object behind a lab_stream handle. */
#ifndef LAB_SRC_STREAM_H
#define LAB_SRC_STREAM_H

#include "runtime.h"

struct stream {
    uint64_t id; /* never used again */
    struct context *context;
    backend_stream *native;
    lab_stream *handle;
    unsigned flags;
    int priority;
    bool null;
    bool per_thread;
    lab_stream *wrapped; /* not NULL: another name for this stream, of which it has nothing but the handle */
    context_member member;
};

/* The stream behind a handle; NULL means the calling thread's current stream. `call` names the public function
 * for the message. Opens the runtime. */
lab_status stream_resolve(struct stream **out, lab_stream *handle, const char *call);

/* Makes the handle of a context's null stream, once a context, and frees it. */
lab_status stream_adopt_null(lab_stream **out, struct context *owner);
void stream_drop_null(lab_stream *handle);

#endif
