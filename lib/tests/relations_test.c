/* Questions of a check, each with a positive and a negative answer: order and possible overlap, events only, work and
 * span, streams, waits of the host, allocations, lifetimes. */
#include "sample_record.h"
#include "base/monotonic.h"

#include <stdlib.h>
#include <string.h>

static lab_relations *relations_of(const lab_trace *trace)
{
    lab_relations *relations = NULL;
    cr_assert_eq(lab_relations_create(&relations, trace), LAB_SUCCESS, "%s", lab_error_message());
    return relations;
}

/* Asks whether two operations of a record may overlap, and frees the record. */
static void expect_overlap(lab_trace *trace, uint64_t a, uint64_t b, bool expected)
{
    lab_relations *relations = relations_of(trace);
    cr_assert_eq(lab_relations_may_overlap(relations, a, b), expected);
    cr_assert_eq(lab_relations_may_overlap(relations, b, a), expected, "either way round");
    cr_assert_eq(lab_relations_before(relations, a, b), !expected);
    cr_assert_not(lab_relations_before(relations, b, a));
    lab_relations_free(relations);
    lab_trace_free(trace);
}

static void expect_event_only(lab_trace *trace, uint64_t a, uint64_t b, bool expected)
{
    lab_relations *relations = relations_of(trace);
    cr_assert_eq(lab_relations_by_event_only(relations, a, b), expected);
    cr_assert_not(lab_relations_by_event_only(relations, b, a));
    lab_relations_free(relations);
    lab_trace_free(trace);
}

/* --- Order ------------------------------------------------------------------------------------------------------ */

Test(relations, work_on_one_stream_never_overlaps)
{
    lab_trace *trace = sample_streams(2);
    uint64_t a = sample_kernel(trace, 2, 1), b = sample_kernel(trace, 2, 2);
    expect_overlap(trace, a, b, false);
}

Test(relations, work_on_two_streams_may_overlap_whatever_the_times)
{
    lab_trace *trace = sample_streams(3);
    uint64_t a = sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL, .stream = 2, .start_ns = 10, .end_ns = 20});
    uint64_t b = sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL, .stream = 3, .start_ns = 30, .end_ns = 40});
    expect_overlap(trace, a, b, true);
}

Test(relations, an_event_wait_orders_what_follows_and_not_what_stood_before)
{
    lab_trace *trace = sample_streams(3);
    uint64_t early = sample_kernel(trace, 3, 3), a = sample_kernel(trace, 2, 1);
    uint64_t record = sample_event_record(trace, 2);
    uint64_t after_record = sample_kernel(trace, 2, 4);
    sample_event_wait(trace, 3, record);
    uint64_t b = sample_kernel(trace, 3, 2);
    lab_relations *relations = relations_of(trace);
    cr_assert(lab_relations_before(relations, a, b));
    cr_assert(lab_relations_may_overlap(relations, early, a));
    cr_assert(lab_relations_may_overlap(relations, after_record, b), "the event was recorded before that kernel");
    lab_relations_free(relations);
    lab_trace_free(trace);
}

Test(relations, waits_of_the_host_order_what_it_enqueues_later)
{
    static const lab_op_kind syncs[] = {LAB_OP_STREAM_SYNC, LAB_OP_DEVICE_SYNC, LAB_OP_EVENT_SYNC, LAB_OP_MEMORY_FREE};
    for (int i = 0; i < 4; i++) {
        lab_trace *trace = sample_streams(3);
        uint64_t a = sample_kernel(trace, 2, 1);
        uint64_t record = sample_event_record(trace, 2);
        sample_add(trace, (lab_trace_op){.kind = syncs[i],
                                         .stream = syncs[i] == LAB_OP_STREAM_SYNC ? 2 : 0,
                                         .host_waits = true,
                                         .waits_for = &record,
                                         .waits = syncs[i] == LAB_OP_EVENT_SYNC});
        expect_overlap(trace, a, sample_kernel(trace, 3, 2), false);
    }
}

/* A thread of the record: its kernel on its stream, for which it waits. */
static uint64_t wait_on_thread(lab_trace *trace, uint64_t thread, uint64_t stream)
{
    uint64_t kernel = sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL, .stream = stream, .thread = thread});
    sample_add(trace,
               (lab_trace_op){.kind = LAB_OP_STREAM_SYNC, .stream = stream, .thread = thread, .host_waits = true});
    return kernel;
}

static void hand_on(lab_trace *trace, lab_op_kind kind, uint64_t thread, uint64_t key)
{
    sample_add(trace, (lab_trace_op){.kind = kind, .thread = thread, .object = key});
}

Test(relations, what_one_thread_waited_for_is_known_to_another_once_it_was_handed_on)
{
    enum { KEY = 4000, OTHER_KEY = 4008 };
    lab_trace *trace = sample_streams(5);
    uint64_t a = wait_on_thread(trace, 1, 2), b = wait_on_thread(trace, 2, 3);
    hand_on(trace, LAB_OP_HOST_RELEASE, 1, KEY);
    uint64_t late = wait_on_thread(trace, 1, 2);
    hand_on(trace, LAB_OP_HOST_RELEASE, 2, KEY);
    hand_on(trace, LAB_OP_HOST_ACQUIRE, 3, OTHER_KEY);
    uint64_t early = sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL, .stream = 4, .thread = 3});
    hand_on(trace, LAB_OP_HOST_ACQUIRE, 3, KEY);
    uint64_t c = wait_on_thread(trace, 3, 4);
    uint64_t other = wait_on_thread(trace, 2, 5);
    hand_on(trace, LAB_OP_HOST_RELEASE, 2, KEY);
    hand_on(trace, LAB_OP_HOST_ACQUIRE, 3, KEY);
    uint64_t last = wait_on_thread(trace, 3, 4);
    lab_relations *relations = relations_of(trace);
    cr_assert(lab_relations_before(relations, a, c), "released by the first thread");
    cr_assert(lab_relations_before(relations, b, c), "released by the second, with the same key");
    cr_assert_not(lab_relations_before(relations, late, c), "after the release");
    cr_assert_not(lab_relations_before(relations, a, early), "acquired with another key");
    cr_assert_not(lab_relations_before(relations, a, other), "releasing is not acquiring");
    cr_assert(lab_relations_may_overlap(relations, c, other));
    cr_assert(lab_relations_before(relations, other, last), "acquired a second time");
    cr_assert(lab_relations_before(relations, a, last), "known from the first time");
    lab_relations_free(relations);
    lab_trace_free(trace);
}

Test(relations, a_query_orders_what_it_covers_and_forbids_overlap_only_if_the_host_had_to_ask_again)
{
    for (int again = 0; again < 2; again++) {
        lab_trace *trace = sample_streams(3);
        uint64_t a = sample_kernel(trace, 2, 1), later = sample_kernel(trace, 2, 2);
        uint64_t query = sample_stream_query(trace, 2, a, again);
        uint64_t b = sample_kernel(trace, 3, 3);
        sample_kernel(trace, 3, 4);
        lab_relations *relations = relations_of(trace);
        cr_assert(lab_relations_before(relations, a, b));
        cr_assert_not(lab_relations_before(relations, later, b), "enqueued after the query had begun");
        cr_assert_eq(lab_relations_waited_by(relations, a), &trace->op[query - 1]);
        cr_assert_null(lab_relations_waited_by(relations, later));
        cr_assert_eq(lab_relations_may_overlap(relations, a, b), !again);
        cr_assert_eq(lab_relations_sets_may_overlap(relations, (lab_op_set){&a, 1}, (lab_op_set){&b, 1}, NULL), !again);
        cr_assert_eq(lab_trace_host_wait_between(trace, a, b) != NULL, again);
        lab_relations_free(relations);
        lab_trace_free(trace);
    }
}

Test(relations, a_query_in_passing_does_not_take_an_events_merit)
{
    for (int again = 0; again < 2; again++) {
        lab_trace *trace = sample_streams(3);
        uint64_t a = sample_kernel(trace, 2, 1), record = sample_event_record(trace, 2);
        sample_event_wait(trace, 3, record);
        sample_stream_query(trace, 2, record, again);
        uint64_t b = sample_kernel(trace, 3, 2);
        lab_relations *relations = relations_of(trace);
        cr_assert_eq(lab_relations_by_event_only(relations, a, b), !again);
        lab_relations_free(relations);
        lab_trace_free(trace);
    }
}

/* CUDA promises that the source may be reused, not that the bytes have arrived. */
Test(relations, a_synchronous_copy_from_pageable_memory_is_not_done_when_it_returns)
{
    lab_trace *trace = sample_streams(3);
    uint64_t before = sample_kernel(trace, 2, 1);
    uint64_t copy = sample_add(
        trace,
        (lab_trace_op){.kind = LAB_OP_COPY_HTOD, .stream = 2, .host_memory = LAB_HOST_PAGEABLE, .host_waits = true});
    uint64_t other = sample_kernel(trace, 3, 2), same = sample_kernel(trace, 2, 3);
    lab_relations *relations = relations_of(trace);
    cr_assert(lab_relations_before(relations, before, other), "the copy began after that kernel, and has been read");
    cr_assert(lab_relations_may_overlap(relations, copy, other));
    cr_assert(lab_relations_before(relations, copy, same));
    lab_relations_free(relations);
    lab_trace_free(trace);
}

/* The operation that waits for the kernel at the record's beginning; 0 for none. Frees the record. */
static uint64_t waited_by(lab_trace *trace, uint64_t kernel)
{
    lab_relations *relations = relations_of(trace);
    const lab_trace_op *wait = lab_relations_waited_by(relations, kernel);
    uint64_t id = wait ? wait->id : 0;
    cr_assert_null(lab_relations_waited_by(relations, 0));
    cr_assert_null(lab_relations_waited_by(relations, trace->ops + 1));
    lab_relations_free(relations);
    lab_trace_free(trace);
    return id;
}

Test(relations, work_is_waited_for_by_the_first_wait_that_it_must_end_before)
{
    lab_trace *trace = sample_streams(4);
    uint64_t a = sample_kernel(trace, 2, 1), record = sample_event_record(trace, 2);
    sample_stream_sync(trace, 4);
    sample_event_wait(trace, 3, record);
    sample_kernel(trace, 3, 2);
    uint64_t wait = sample_stream_sync(trace, 3);
    sample_stream_sync(trace, 2);
    cr_assert_eq(waited_by(trace, a), wait, "the wait for work that comes after it");
}

Test(relations, work_behind_the_last_wait_or_on_another_stream_is_not_waited_for)
{
    lab_trace *late = sample_streams(2), *beside = sample_streams(3);
    sample_stream_sync(late, 2);
    cr_assert_eq(waited_by(late, sample_kernel(late, 2, 1)), 0);
    uint64_t a = sample_kernel(beside, 2, 1);
    sample_stream_sync(beside, 3);
    cr_assert_eq(waited_by(beside, a), 0);
}

Test(relations, a_call_that_waits_for_its_own_work_is_waited_for)
{
    lab_trace *trace = sample_streams(2);
    uint64_t copy = sample_add(trace, (lab_trace_op){.kind = LAB_OP_COPY_DTOH, .stream = 2, .host_waits = true});
    cr_assert_eq(waited_by(trace, copy), copy);
}

Test(relations, a_wait_for_another_stream_orders_nothing)
{
    lab_trace *trace = sample_streams(4);
    uint64_t a = sample_kernel(trace, 2, 1);
    sample_stream_sync(trace, 4);
    expect_overlap(trace, a, sample_kernel(trace, 3, 2), true);
}

Test(relations, a_wait_of_another_thread_orders_nothing_here)
{
    lab_trace *trace = sample_streams(3);
    uint64_t a = sample_kernel(trace, 2, 1);
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_DEVICE_SYNC, .thread = 2, .host_waits = true});
    expect_overlap(trace, a, sample_kernel(trace, 3, 2), true);
}

Test(relations, a_wait_for_one_device_orders_nothing_on_another)
{
    for (int device = 0; device <= 1; device++) {
        lab_trace *trace = sample_streams(2);
        cr_assert_eq(lab_trace_append_stream(trace, &(lab_trace_stream){.id = 9, .device = 1}), LAB_SUCCESS);
        uint64_t a = sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL, .device = 1, .stream = 9});
        sample_add(trace, (lab_trace_op){.kind = LAB_OP_DEVICE_SYNC, .device = device, .host_waits = true});
        expect_overlap(trace, a, sample_kernel(trace, 2, 1), device == 0);
    }
}

Test(relations, a_second_wait_for_the_device_covers_what_the_first_did)
{
    lab_trace *trace = sample_streams(3);
    uint64_t a = sample_kernel(trace, 2, 1);
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_DEVICE_SYNC, .thread = 2, .host_waits = true});
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_DEVICE_SYNC, .host_waits = true});
    expect_overlap(trace, a, sample_kernel(trace, 3, 2), false);
}

Test(relations, a_copy_that_the_host_waits_for_comes_before_later_work)
{
    lab_trace *trace = sample_streams(3);
    uint64_t a =
        sample_add(trace, (lab_trace_op){.kind = LAB_OP_COPY_DTOH, .stream = 2, .bytes = 8, .host_waits = true});
    expect_overlap(trace, a, sample_kernel(trace, 3, 2), false);
}

Test(relations, sets_name_the_pair_that_may_overlap)
{
    lab_trace *trace = sample_streams(4);
    uint64_t kernels[] = {sample_kernel(trace, 2, 1), sample_kernel(trace, 3, 2)};
    uint64_t copies[] = {sample_out(trace, 2, 1, LAB_HOST_PINNED)};
    uint64_t pair[2];
    lab_relations *relations = relations_of(trace);
    cr_assert(lab_relations_sets_may_overlap(relations, (lab_op_set){kernels, 2}, (lab_op_set){copies, 1}, pair));
    cr_assert_eq(pair[0], kernels[1]);
    cr_assert_eq(pair[1], copies[0]);
    cr_assert_not(lab_relations_sets_may_overlap(relations, (lab_op_set){kernels, 1}, (lab_op_set){copies, 1}, NULL));
    lab_relations_free(relations);
    lab_trace_free(trace);
}

/* Kernels on two streams, of which only the last pair of sets of 100 may overlap. */
Test(relations, sets_of_any_size_name_the_pair_that_may_overlap)
{
    enum { COUNT = 100 };
    lab_trace *trace = sample_streams(4);
    uint64_t a[COUNT], b[COUNT], pair[2];
    for (int i = 0; i < COUNT; i++) {
        a[i] = sample_kernel(trace, 2, 1);
        sample_event_wait(trace, 3, sample_event_record(trace, 2));
        b[i] = sample_kernel(trace, 3, 2);
        if (i + 1 < COUNT) sample_event_wait(trace, 2, sample_event_record(trace, 3));
    }
    lab_relations *relations = relations_of(trace);
    cr_assert_not(lab_relations_sets_may_overlap(relations, (lab_op_set){a, COUNT}, (lab_op_set){b, COUNT}, pair));
    lab_relations_free(relations);
    const uint64_t last = sample_kernel(trace, 2, 1);
    a[COUNT - 1] = last;
    relations = relations_of(trace);
    cr_assert(lab_relations_sets_may_overlap(relations, (lab_op_set){a, COUNT}, (lab_op_set){b, COUNT}, pair));
    cr_assert_eq(pair[0], last);
    cr_assert_eq(pair[1], b[COUNT - 1]);
    lab_relations_free(relations);
    lab_trace_free(trace);
}

/* Checks ask these questions of every operation, and a student's program chooses how many there are. */
Test(relations, of_a_long_record_are_found_in_time)
{
    enum { OPS = 100000, SET = 400 };
    lab_trace *trace = sample_streams(4);
    uint64_t a[SET], b[SET];
    for (int i = 0; i < SET; i++) a[i] = sample_kernel(trace, 2, 1);
    for (int i = 0; i < OPS; i++) sample_add(trace, (lab_trace_op){.kind = LAB_OP_MARK});
    sample_event_wait(trace, 3, sample_event_record(trace, 2));
    for (int i = 0; i < SET; i++) b[i] = sample_kernel(trace, 3, 2);
    const int64_t begun = monotonic_ns();
    lab_relations *relations = relations_of(trace);
    for (uint64_t id = 1; id <= trace->ops; id++) cr_assert_null(lab_relations_waited_by(relations, id));
    cr_assert_not(lab_relations_sets_may_overlap(relations, (lab_op_set){a, SET}, (lab_op_set){b, SET}, NULL));
    cr_assert_lt((double)(monotonic_ns() - begun) / 1e9, 5.0);
    lab_relations_free(relations);
    lab_trace_free(trace);
}

Test(relations, know_nothing_of_operations_that_are_not_there)
{
    lab_trace *trace = sample_streams(2);
    uint64_t a = sample_kernel(trace, 2, 1);
    lab_relations *relations = relations_of(trace);
    cr_assert_not(lab_relations_before(relations, a, 99));
    cr_assert_not(lab_relations_before(relations, 0, a));
    cr_assert_not(lab_relations_may_overlap(relations, a, a));
    lab_relations_free(relations);
    lab_trace_free(trace);
    cr_assert_eq(lab_relations_create(&relations, NULL), LAB_ERROR_INVALID_VALUE);
}

/* --- Events only ------------------------------------------------------------------------------------------------ */

Test(relations, an_event_alone_orders_two_streams)
{
    lab_trace *trace = sample_streams(3);
    uint64_t a = sample_kernel(trace, 2, 1);
    sample_event_wait(trace, 3, sample_event_record(trace, 2));
    expect_event_only(trace, a, sample_kernel(trace, 3, 2), true);
}

Test(relations, an_event_beside_a_wait_of_the_host_is_not_alone)
{
    lab_trace *trace = sample_streams(3);
    uint64_t a = sample_kernel(trace, 2, 1);
    uint64_t record = sample_event_record(trace, 2);
    sample_stream_sync(trace, 2);
    sample_event_wait(trace, 3, record);
    expect_event_only(trace, a, sample_kernel(trace, 3, 2), false);
}

Test(relations, an_event_on_the_stream_that_both_are_on_orders_nothing_more)
{
    lab_trace *trace = sample_streams(2);
    uint64_t a = sample_kernel(trace, 2, 1);
    sample_event_wait(trace, 2, sample_event_record(trace, 2));
    expect_event_only(trace, a, sample_kernel(trace, 2, 2), false);
}

Test(relations, an_event_and_then_a_wait_of_the_host_is_not_an_event_only)
{
    lab_trace *trace = sample_streams(4);
    uint64_t a = sample_kernel(trace, 2, 1);
    sample_event_wait(trace, 3, sample_event_record(trace, 2));
    sample_stream_sync(trace, 3);
    expect_event_only(trace, a, sample_kernel(trace, 4, 2), false);
}

Test(relations, a_wait_of_the_host_is_not_an_event)
{
    lab_trace *trace = sample_streams(3);
    uint64_t a = sample_kernel(trace, 2, 1);
    sample_stream_sync(trace, 2);
    expect_event_only(trace, a, sample_kernel(trace, 3, 2), false);
}

Test(relations, the_null_streams_rules_are_no_event)
{
    lab_trace *trace = sample_streams(2);
    uint64_t a = sample_kernel(trace, 2, 1);
    uint64_t b = sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL, .stream = 1, .waits_for = &a, .waits = 1});
    expect_event_only(trace, a, b, false);
}

Test(relations, find_a_wait_of_the_host_between_two_operations)
{
    lab_trace *trace = sample_streams(2);
    uint64_t a = sample_kernel(trace, 2, 1), b = sample_kernel(trace, 2, 2), sync = sample_stream_sync(trace, 2);
    uint64_t c = sample_kernel(trace, 2, 3);
    cr_assert_null(lab_trace_host_wait_between(trace, a, b));
    cr_assert_eq(lab_trace_host_wait_between(trace, b, c), &trace->op[sync - 1]);
    cr_assert_null(lab_trace_host_wait_between(trace, a, sync), "the ends are not between");
    lab_trace_free(trace);
}

/* --- Lifetimes -------------------------------------------------------------------------------------------------- */

Test(lifetimes, match_each_beginning_with_its_own_end)
{
    lab_trace *trace = sample_streams(3);
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_MEMORY_ALLOC, .object = 64});
    sample_add(trace,
               (lab_trace_op){.kind = LAB_OP_HOST_ALLOC, .object = 64}); /* another kind of memory at that number */
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_MEMORY_FREE, .object = 64, .host_waits = true});
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_MEMORY_ALLOC, .object = 64}); /* the address again */
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_STREAM_CREATE, .stream = 2});
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_STREAM_DESTROY, .stream = 2});
    lab_lifetime *found;
    size_t count;
    cr_assert_eq(lab_trace_lifetimes(&found, &count, trace), LAB_SUCCESS);
    cr_assert_eq(count, 4);
    cr_assert_eq(found[0].made->id, 1);
    cr_assert_eq(found[0].ended->id, 3);
    cr_assert_str_eq(found[0].noun, "device memory");
    cr_assert_null(found[1].ended);
    cr_assert_str_eq(found[1].noun, "pinned memory");
    cr_assert_null(found[2].ended);
    cr_assert_eq(found[3].ended->id, 6);
    free(found);
    lab_trace_free(trace);
}

Test(lifetimes, do_not_end_when_the_same_address_is_given_out_again)
{
    lab_trace *trace = sample_streams(2);
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_MEMORY_ALLOC, .object = 64}); /* its context ended */
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_MEMORY_ALLOC, .object = 64});
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_MEMORY_FREE, .object = 64, .host_waits = true});
    lab_lifetime *leak;
    size_t count;
    cr_assert_eq(lab_trace_leaks(&leak, &count, trace), LAB_SUCCESS);
    cr_assert_eq(count, 1);
    cr_assert_eq(leak[0].made->id, 1);
    free(leak);
    lab_trace_free(trace);
}

/* A call that began earlier gets the address which another thread's call, begun later, frees meanwhile. */
Test(lifetimes, follow_the_times_of_calls_that_overlap)
{
    lab_trace *trace = sample_streams(2);
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_MEMORY_ALLOC, .object = 64});
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_MEMORY_ALLOC, .object = 64});
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_MEMORY_FREE, .object = 64, .host_waits = true});
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_MEMORY_FREE, .object = 64, .host_waits = true});
    for (size_t i = 0; i < trace->ops; i++) trace->op[i].call_ns = trace->op[i].return_ns = 10 * (int64_t)i;
    trace->op[1].return_ns = 25; /* the second one, after the first free */
    lab_lifetime *found;
    size_t count;
    cr_assert_eq(lab_trace_lifetimes(&found, &count, trace), LAB_SUCCESS);
    cr_assert_eq(count, 2);
    cr_assert_eq(found[0].ended->id, 3);
    cr_assert_eq(found[1].ended->id, 4);
    free(found);
    lab_trace_free(trace);
}

/* Runs on every device: the objects that a program never freed, by the line that created them. */
Test(lifetimes, name_the_line_that_made_what_was_left_behind)
{
    lab_stream *kept, *given_back;
    lab_context *context;
    lab_event *event;
    lab_trace *trace;
    lab_lifetime *leak;
    size_t count;
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_stream_create(&given_back, LAB_STREAM_DEFAULT));
    const int line = __LINE__ + 1;
    LAB_CHECK(lab_stream_create(&kept, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_destroy(given_back));
    LAB_CHECK(lab_context_create(&context, 0));
    LAB_CHECK(lab_context_destroy(context));
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_destroy(event));
    LAB_CHECK(lab_trace_end(&trace));
    cr_assert_eq(lab_trace_leaks(&leak, &count, trace), LAB_SUCCESS);
    cr_assert_eq(count, 1);
    cr_assert_str_eq(leak[0].noun, "stream");
    cr_assert_eq(leak[0].made->line, line);
    cr_assert_not_null(strstr(leak[0].made->file, "relations_test.c"));
    free(leak);
    cr_assert_eq(lab_trace_lifetimes(&leak, &count, trace), LAB_SUCCESS);
    bool context_ended = false;
    for (size_t i = 0; i < count; i++) context_ended |= strcmp(leak[i].noun, "context") == 0 && leak[i].ended;
    cr_assert(context_ended, "a context lived from its making to its end");
    free(leak);
    lab_trace_free(trace);
    LAB_CHECK(lab_stream_destroy(kept));
}
