/* The pools in a record: their allocations, and the waits that they add to keep streams apart. */
#include "conformance/gate.h"
#include "lab_trace.h"
#include "test.h"

#include <string.h>

static const lab_trace_op *find(const lab_trace *trace, lab_op_kind kind, size_t which)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == kind && which-- == 0) return &trace->op[i];
    cr_assert(false, "the record has no such \"%s\"", lab_op_kind_name(kind));
    return NULL;
}

static size_t count(const lab_trace *trace, lab_op_kind kind)
{
    size_t found = 0;
    for (size_t i = 0; i < trace->ops; i++) found += trace->op[i].kind == kind;
    return found;
}

static uint64_t id_of(lab_stream *stream)
{
    uint64_t id;
    LAB_CHECK(lab_stream_get_id(&id, stream));
    return id;
}

Test(pool_record, pools_are_shown_with_stream_bytes_address_and_line)
{
    lab_stream *stream;
    lab_deviceptr memory;
    void *pinned;
    lab_trace *trace;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_mempool_alloc(&memory, NULL, 400, stream));
    int line = __LINE__ - 1;
    LAB_CHECK(lab_mempool_free(NULL, memory, stream));
    LAB_CHECK(lab_mempool_alloc(&memory, NULL, 400, stream));
    LAB_CHECK(lab_pinned_mempool_alloc(&pinned, NULL, 400));
    LAB_CHECK(lab_pinned_mempool_free(NULL, pinned));
    LAB_CHECK(lab_trace_end(&trace));
    const lab_trace_op *alloc = find(trace, LAB_OP_POOL_ALLOC, 0);
    cr_assert(alloc->bytes == 400 && alloc->object == memory && alloc->stream == id_of(stream));
    cr_assert_eq(alloc->line, line);
    cr_assert_not(alloc->host_waits);
    cr_assert_eq(find(trace, LAB_OP_POOL_FREE, 0)->object, memory);
    cr_assert_eq(count(trace, LAB_OP_POOL_ALLOC), 2);
    cr_assert_eq(count(trace, LAB_OP_MEMORY_ALLOC), 1, "the device is asked once");
    cr_assert_eq(find(trace, LAB_OP_PINNED_POOL_ALLOC, 0)->object, (uint64_t)(uintptr_t)pinned);
    cr_assert_eq(find(trace, LAB_OP_PINNED_POOL_FREE, 0)->object, (uint64_t)(uintptr_t)pinned);
    lab_trace_free(trace);
}

Test(pool_record, a_wait_between_streams_names_the_place_it_waits_for)
{
    gate closed = GATE_CLOSED;
    lab_stream *own, *user;
    lab_deviceptr memory, again;
    lab_trace *trace;
    LAB_CHECK(lab_stream_create(&own, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&user, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_mempool_alloc(&memory, NULL, 400, own));
    LAB_CHECK(lab_trace_begin());
    gate_close_stream(&closed, user);
    LAB_CHECK(lab_memset_async(memory, 1, 400, user));
    LAB_CHECK(lab_mempool_free(NULL, memory, own));
    LAB_CHECK(lab_mempool_alloc(&again, NULL, 400, own));
    gate_open(&closed);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_trace_end(&trace));
    cr_assert_eq(again, memory);
    const lab_trace_op *place = find(trace, LAB_OP_EVENT_RECORD, 0), *wait = find(trace, LAB_OP_EVENT_WAIT, 0);
    cr_assert_eq(place->stream, id_of(user));
    cr_assert_eq(wait->stream, id_of(own));
    cr_assert(wait->waits == 1 && wait->waits_for[0] == place->id);
    lab_trace_free(trace);
}

Test(pool_record, a_block_that_stays_on_its_stream_adds_nothing)
{
    lab_trace *trace;
    LAB_CHECK(lab_trace_begin());
    for (int i = 0; i < 5; i++) {
        lab_array *array;
        LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(100)));
        LAB_CHECK(lab_memset_async(lab_array_data(array), 0, 400, NULL));
        LAB_CHECK(lab_array_destroy(array));
    }
    LAB_CHECK(lab_trace_end(&trace));
    cr_assert_eq(count(trace, LAB_OP_EVENT_RECORD) + count(trace, LAB_OP_EVENT_WAIT), 0);
    cr_assert_eq(count(trace, LAB_OP_MEMORY_FREE), 0);
    lab_trace_free(trace);
}
