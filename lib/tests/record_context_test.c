/* The record with several contexts: the calls it lists, and null streams that order only their own context. */
#include "lab_trace.h"
#include "test.h"

#include <string.h>

/* The first operation of the kind; NULL if there is none. */
static const lab_trace_op *find(const lab_trace *trace, lab_op_kind kind)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == kind) return &trace->op[i];
    return NULL;
}

Test(record, names_the_beginning_the_waiting_and_the_end_of_a_context)
{
    lab_context *context;
    lab_context_info info;
    lab_trace *trace;
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_context_create(&context, 0));
    LAB_CHECK(lab_context_get_info(&info, context));
    LAB_CHECK(lab_context_synchronize(context));
    LAB_CHECK(lab_context_destroy(context));
    LAB_CHECK(lab_trace_end(&trace));
    const lab_op_kind kinds[] = {LAB_OP_CONTEXT_CREATE, LAB_OP_CONTEXT_SYNC, LAB_OP_CONTEXT_DESTROY};
    for (int i = 0; i < 3; i++) {
        const lab_trace_op *op = find(trace, kinds[i]);
        cr_assert_not_null(op, "%s", lab_op_kind_name(kinds[i]));
        cr_assert_eq(op->object, info.id);
        cr_assert_eq(op->host_waits, kinds[i] != LAB_OP_CONTEXT_CREATE);
        cr_assert_gt(op->line, 0);
        cr_assert_not_null(strstr(op->file, "record_context_test.c"), "%s", op->file);
    }
    lab_trace_free(trace);
}

Test(record, the_null_stream_of_one_context_does_not_order_streams_of_another)
{
    lab_context *context;
    lab_stream *own, *of_primary;
    lab_deviceptr memory;
    lab_trace *trace;
    LAB_CHECK(lab_stream_create(&of_primary, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_context_create(&context, 0));
    LAB_CHECK(lab_stream_create(&own, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_memset_async(memory, 1, 16, lab_stream_null()));
    LAB_CHECK(lab_memset_async(memory + 16, 1, 16, of_primary));
    LAB_CHECK(lab_memset_async(memory + 32, 1, 16, own));
    LAB_CHECK(lab_trace_end(&trace));
    cr_assert_eq(trace->ops, 3u);
    cr_assert_eq(trace->op[1].waits, 0, "the primary context's stream");
    cr_assert_eq(trace->op[2].waits, 1, "the context's own stream");
    cr_assert_eq(trace->op[2].waits_for[0], 1u);
    lab_context_info info;
    LAB_CHECK(lab_context_get_info(&info, context));
    for (size_t i = 0; i < trace->streams; i++)
        cr_assert_eq(trace->stream[i].context == info.id, trace->stream[i].id != trace->op[1].stream, "stream %d",
                     (int)trace->stream[i].id);
    lab_trace_free(trace);
}

Test(record, a_second_handle_is_recorded_as_the_stream_itself)
{
    lab_stream *stream, *wrapped;
    lab_trace *trace;
    void *native;
    uint64_t id;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_get_id(&id, stream));
    LAB_CHECK(lab_stream_native(&native, stream));
    LAB_CHECK(lab_stream_from_native(&wrapped, native));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_stream_synchronize(wrapped));
    LAB_CHECK(lab_trace_end(&trace));
    cr_assert_eq(trace->op[0].stream, id);
    lab_trace_free(trace);
}
