/* The beginning and end of streams, below what a program calls. `properties` are what a stream is to be: context, flags,
 * priority, per_thread, and native where the device's stream is there already. */
#ifndef LAB_OBJECTS_STREAM_LIFETIME_H
#define LAB_OBJECTS_STREAM_LIFETIME_H

#include "stream.h"

/* Makes a stream on the device, and its object. */
lab_status stream_make(struct stream **out, struct stream properties);

/* Makes the object of a native stream, which is given back if that fails. */
lab_status stream_begin(struct stream **out, const struct stream *properties);

/* Makes another handle for a stream that has one, `known`. */
lab_status stream_make_alias(struct stream **out, struct context *context, lab_stream *known);

/* Ends the stream, whose handle was taken out of use, and frees it. */
lab_status stream_release(struct stream *removed);

/* Makes the handle of a context's null stream, once a context, and frees it. */
lab_status stream_adopt_null(lab_stream **out, struct context *owner);
void stream_drop_null(lab_stream *handle);

/* The context's stream with this native handle; NULL if none has it. */
lab_stream *stream_find_native(struct context *context, const void *native);

#endif
