/* Hand-made records for tests of their readers: calls in order, with small numbers. */
#ifndef LAB_TESTS_SAMPLE_RECORD_H
#define LAB_TESTS_SAMPLE_RECORD_H

#include "test.h"
#include "trace/trace.h"

static inline lab_trace *sample_record(void)
{
    lab_trace *trace = NULL;
    cr_assert_eq(lab_trace_create(&trace), LAB_SUCCESS, "%s", lab_error_message());
    lab_trace_set_device(trace, "Test CPU", "cpu", 2);
    trace->duration_ns = 1000000000;
    return trace;
}

/* Streams 1 to `count`; stream 1 is the null stream. */
static inline lab_trace *sample_streams(int count)
{
    lab_trace *trace = sample_record();
    for (int id = 1; id <= count; id++) {
        lab_trace_stream stream = {.id = (uint64_t)id, .null_stream = id == 1};
        cr_assert_eq(lab_trace_append_stream(trace, &stream), LAB_SUCCESS, "%s", lab_error_message());
    }
    return trace;
}

/* Appends a call at the line of lab.c that equals its id; returns the id. */
static inline uint64_t sample_add(lab_trace *trace, lab_trace_op op)
{
    if (op.thread == 0) op.thread = 1;
    if (op.start_ns == 0 && op.end_ns == 0) op.start_ns = op.end_ns = -1;
    op.lane = -1;
    op.file = "folder/lab.c";
    op.line = (int)trace->ops + 1;
    cr_assert_eq(lab_trace_append(trace, &op), LAB_SUCCESS, "%s", lab_error_message());
    return trace->ops;
}

/* The three steps of array number `array`, of 1000 bytes at device address 10000 * array. */
static inline uint64_t sample_in(lab_trace *trace, uint64_t stream, uint64_t array, lab_host_memory memory)
{
    const lab_trace_access access[] = {{1000000 + 10000 * array, 1000, .host = true, .reads = true},
                                       {10000 * array, 1000, .writes = true}};
    return sample_add(trace, (lab_trace_op){.kind = LAB_OP_COPY_HTOD,
                                            .stream = stream,
                                            .bytes = 1000,
                                            .host_memory = memory,
                                            .access = access,
                                            .accesses = 2});
}

static inline uint64_t sample_kernel(lab_trace *trace, uint64_t stream, uint64_t array)
{
    const lab_trace_access access[] = {{10000 * array, 1000, .reads = true, .writes = true}};
    return sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL,
                                            .name = "k",
                                            .stream = stream,
                                            .grid = LAB_DIM(1),
                                            .block = LAB_DIM(1),
                                            .access = access,
                                            .accesses = 1});
}

static inline uint64_t sample_out(lab_trace *trace, uint64_t stream, uint64_t array, lab_host_memory memory)
{
    const lab_trace_access access[] = {{10000 * array, 1000, .reads = true},
                                       {5000000 + 10000 * array, 1000, .host = true, .writes = true}};
    return sample_add(trace, (lab_trace_op){.kind = LAB_OP_COPY_DTOH,
                                            .stream = stream,
                                            .bytes = 1000,
                                            .host_memory = memory,
                                            .access = access,
                                            .accesses = 2});
}

static inline uint64_t sample_event_record(lab_trace *trace, uint64_t stream)
{
    return sample_add(trace, (lab_trace_op){.kind = LAB_OP_EVENT_RECORD, .stream = stream, .object = 7});
}

static inline uint64_t sample_event_wait(lab_trace *trace, uint64_t stream, uint64_t record)
{
    return sample_add(
        trace,
        (lab_trace_op){.kind = LAB_OP_EVENT_WAIT, .stream = stream, .object = 7, .waits_for = &record, .waits = 1});
}

/* A query that succeeded. It covers `last`. */
static inline uint64_t sample_stream_query(lab_trace *trace, uint64_t stream, uint64_t last, bool host_waits)
{
    return sample_add(
        trace,
        (lab_trace_op){
            .kind = LAB_OP_STREAM_QUERY, .stream = stream, .host_waits = host_waits, .waits_for = &last, .waits = 1});
}

static inline uint64_t sample_stream_sync(lab_trace *trace, uint64_t stream)
{
    return sample_add(trace, (lab_trace_op){.kind = LAB_OP_STREAM_SYNC, .stream = stream, .host_waits = true});
}

#endif
