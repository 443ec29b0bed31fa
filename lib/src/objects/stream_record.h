/* Calls that concern a stream, as the record and the order checker hear of them. */
#ifndef LAB_OBJECTS_STREAM_RECORD_H
#define LAB_OBJECTS_STREAM_RECORD_H

#include "capture.h"
#include "record/submission.h"

/* Notes the stream of a submission: whether it captures decides what becomes of the work. */
static inline void submission_on_stream(record_entry *entry, const struct stream *stream)
{
    if (entry) record_on_stream(entry, &stream->identity, capture_is_on(stream));
}

/* submission_begin, for work on that stream. */
static inline record_entry *submission_begin_on(lab_op_kind kind, const struct stream *stream)
{
    record_entry *entry = submission_begin(kind, stream->identity.device);
    submission_on_stream(entry, stream);
    return entry;
}

/* record_begin, for a call that concerns the stream and enqueues nothing. */
static inline record_entry *stream_record_begin(lab_op_kind kind, const struct stream *stream)
{
    record_entry *entry = record_begin(kind, stream->identity.device);
    if (entry) record_on_stream(entry, &stream->identity, false);
    return entry;
}

#endif
