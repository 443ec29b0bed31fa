/* The record with several contexts: the calls it lists, and null streams that order only their own context. */
#include "lab_trace.h"
#include "test.h"

#include <pthread.h>
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

/* --- Marks ------------------------------------------------------------------------------------------------------ */

static uint64_t stream_id(lab_stream *stream)
{
    uint64_t id;
    LAB_CHECK(lab_stream_get_id(&id, stream));
    return id;
}

static uint64_t context_id(lab_context *context)
{
    lab_context_info info;
    LAB_CHECK(lab_context_get_info(&info, context));
    return info.id;
}

static void assert_mark(const lab_trace_op *mark, uint64_t context, uint64_t stream, const char *where)
{
    cr_assert_eq(mark->kind, LAB_OP_MARK);
    cr_assert_eq(mark->object, context, "the context %s", where);
    cr_assert_eq(mark->stream, stream, "the stream %s", where);
}

static void *mark(void *user)
{
    (void)user;
    lab_trace_mark("");
    return NULL;
}

Test(record, a_mark_has_the_current_context_and_stream_of_its_thread)
{
    lab_context *context;
    lab_stream *stream, *own;
    lab_trace *trace;
    pthread_t thread;
    LAB_CHECK(lab_trace_begin());
    lab_trace_mark("");
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    const uint64_t primary = context_id(lab_context_current()), first = stream_id(stream),
                   null = stream_id(lab_stream_null());
    lab_trace_mark("");
    LAB_WITH_STREAM(stream) lab_trace_mark("");
    lab_trace_mark("");
    LAB_CHECK(lab_stream_use(stream));
    lab_trace_mark("");
    cr_assert_eq(pthread_create(&thread, NULL, mark, NULL), 0);
    pthread_join(thread, NULL);
    LAB_CHECK(lab_context_create(&context, 0));
    const uint64_t second = context_id(context), second_null = stream_id(lab_stream_null());
    lab_trace_mark("");
    LAB_CHECK(lab_stream_create(&own, LAB_STREAM_DEFAULT));
    const uint64_t last = stream_id(own);
    LAB_CHECK(lab_stream_use(own));
    lab_trace_mark("");
    LAB_CHECK(lab_stream_destroy(own));
    lab_trace_mark("");
    LAB_CHECK(lab_context_push(context));
    LAB_CHECK(lab_context_destroy(context));
    lab_trace_mark("");
    LAB_CHECK(lab_context_pop(NULL));
    lab_trace_mark("");
    LAB_CHECK(lab_trace_end(&trace));

    const lab_trace_op *op[12];
    int marks = 0;
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == LAB_OP_MARK && marks < 12) op[marks++] = &trace->op[i];
    cr_assert_eq(marks, 11);
    assert_mark(op[0], 0, 0, "before the primary context is made");
    assert_mark(op[1], primary, null, "at first");
    assert_mark(op[2], primary, first, "in a scope");
    assert_mark(op[3], primary, null, "after the scope");
    assert_mark(op[4], primary, first, "that is used");
    assert_mark(op[5], primary, null, "of another thread");
    cr_assert_neq(op[5]->thread, op[4]->thread);
    assert_mark(op[6], second, second_null, "that was made");
    assert_mark(op[7], second, last, "of the context that was made");
    assert_mark(op[8], second, 0, "that was destroyed");
    assert_mark(op[9], 0, 0, "below one that was destroyed");
    assert_mark(op[10], primary, first, "from before");
    for (int i = 0; i < marks; i++) cr_assert_eq(op[i]->bytes, i == 2, "mark %d: whether a scope made it current", i);
    lab_trace_free(trace);
}
