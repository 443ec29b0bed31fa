/* What the columns of LAB_OP_TABLE say of a kind of operation. Its word and engine are in lab_trace.h. */
#ifndef LAB_BASE_OP_KIND_H
#define LAB_BASE_OP_KIND_H

#include "lab_trace.h"

/* Whether operations of this kind are enqueued on a stream. */
static inline bool lab_op_is_stream_work(lab_op_kind kind)
{
    switch (kind) {
#define STREAM_WORK(name, word, engine, stream_work, host_waits)                                                       \
    case name: return stream_work;
        LAB_OP_TABLE(STREAM_WORK)
#undef STREAM_WORK
    case LAB_OP_KINDS: break;
    }
    return false;
}

/* Whether operations of this kind are queries that succeeded. */
static inline bool lab_op_is_query(lab_op_kind kind)
{
    return kind == LAB_OP_STREAM_QUERY || kind == LAB_OP_EVENT_QUERY;
}

/* Whether every call of this kind makes the host wait for the device. */
static inline bool lab_op_waits_on_host(lab_op_kind kind)
{
    switch (kind) {
#define HOST_WAITS(name, word, engine, stream_work, host_waits)                                                        \
    case name: return host_waits;
        LAB_OP_TABLE(HOST_WAITS)
#undef HOST_WAITS
    case LAB_OP_KINDS: break;
    }
    return false;
}

#endif
