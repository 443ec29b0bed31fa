/* Begins record entries and submissions of calls that concern a stream. */
#ifndef LAB_OBJECTS_CONTEXTS_STREAM_RECORD_H
#define LAB_OBJECTS_CONTEXTS_STREAM_RECORD_H

#include "capture.h"
#include "record/submission.h"

/* Sets the stream of a submission, and the capture that the stream is in. */
static inline void submission_on_stream(record_entry *entry, const struct stream *stream)
{
    if (entry) record_on_stream(entry, &stream->identity, capture_id(stream));
}

/* submission_begin, for work on that stream. */
static inline record_entry *submission_begin_on(lab_op_kind kind, const struct stream *stream)
{
    record_entry *entry = submission_begin(kind, stream->identity.device);
    submission_on_stream(entry, stream);
    return entry;
}

/* record_begin, for a call that concerns the stream and does not enqueue work. */
static inline record_entry *stream_record_begin(lab_op_kind kind, const struct stream *stream)
{
    record_entry *entry = record_begin(kind, stream->identity.device);
    if (entry) record_on_stream(entry, &stream->identity, 0);
    return entry;
}

#endif
