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
    bool null;
    bool per_thread;
};

/* The stream behind a handle; NULL means the calling thread's current stream. `call` names the public function
 * for the message. Opens the runtime. */
lab_status stream_resolve(struct stream **out, lab_stream *handle, const char *call);

/* Makes the handle of a context's null stream; called once a context. */
lab_status stream_adopt_null(lab_stream **out, struct context *owner);

#endif
