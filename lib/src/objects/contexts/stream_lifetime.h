/* How streams begin and end, below the public functions. `properties` are those of the new stream: context, flags,
 * priority, per_thread, and native if the device's stream exists already. */
#ifndef LAB_OBJECTS_CONTEXTS_STREAM_LIFETIME_H
#define LAB_OBJECTS_CONTEXTS_STREAM_LIFETIME_H

#include "stream.h"

/* Makes a stream on the device, and its object. */
lab_status stream_make(struct stream **out, struct stream properties);

/* Makes the object of a native stream, which is destroyed if that fails. */
lab_status stream_begin(struct stream **out, const struct stream *properties);

/* Makes another handle for the stream whose handle is `known`. */
lab_status stream_make_alias(struct stream **out, struct context *context, lab_stream *known);

/* Ends the stream, whose handle the caller has removed, and retires it. */
lab_status stream_release(struct stream *removed);

/* Makes the object of a context's null stream, once for each context, and retires it. */
lab_status stream_adopt_null(lab_stream **out, struct context *owner);
void stream_drop_null(lab_stream *handle);

/* The context's stream with this native handle; NULL if there is none. */
lab_stream *stream_find_native(struct context *context, const void *native);

#endif
