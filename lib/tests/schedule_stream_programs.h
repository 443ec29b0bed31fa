/* Programs of schedule_programs.h whose edge is between streams: events, rounds over two buffers, the null stream. */
#ifndef LAB_TESTS_SCHEDULE_STREAM_PROGRAMS_H
#define LAB_TESTS_SCHEDULE_STREAM_PROGRAMS_H

#include "schedule_kit.h"

/* ---- Between two streams ---- */

static bool consumer_waits_for_producer(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    compute(k, 1, 0, 1, k->a);
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    compute(k, 2, 1, 2, k->b);
    download(k, 1, 2, k->b);
    synchronize(k->b);
    return holds_steps(k->pinned[1], 2);
}

static bool wait_comes_after_record(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    compute(k, 1, 0, 1, k->a);
    if (!right) wait_for(k->e, k->b);
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    download(k, 1, 1, k->b);
    LAB_CHECK(lab_device_synchronize());
    return holds_steps(k->pinned[1], 1);
}

/* Not in the list of programs: see schedule_test.c. */
static bool producer_comes_before_the_consumer(kit *k, bool right)
{
    if (!right) wait_for(k->e, k->b);
    if (!right) download(k, 1, 1, k->b);
    upload(k, 0, 0, k->a);
    compute(k, 1, 0, 1, k->a);
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    if (right) download(k, 1, 1, k->b);
    LAB_CHECK(lab_device_synchronize());
    return holds_steps(k->pinned[1], 1);
}

static bool record_comes_after_the_work(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    if (!right) record(k->e, k->a);
    compute(k, 1, 0, 1, k->a);
    if (right) record(k->e, k->a);
    wait_for(k->e, k->b);
    download(k, 1, 1, k->b);
    LAB_CHECK(lab_device_synchronize());
    return holds_steps(k->pinned[1], 1);
}

static bool record_is_on_the_producers_stream(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    compute(k, 1, 0, 1, k->a);
    record(k->e, right ? k->a : k->b);
    wait_for(k->e, k->b);
    download(k, 1, 1, k->b);
    download(k, 2, 0, k->a);
    synchronize(k->a);
    synchronize(k->b);
    return holds_steps(k->pinned[1], 1);
}

static bool input_is_not_overwritten_while_it_is_read(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    record(k->f, k->a);
    wait_for(k->f, k->b);
    compute(k, 1, 0, 1, k->a);
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    LAB_CHECK(lab_memset_async(k->device[0], 7, BYTES, k->b));
    download(k, 1, 1, k->a);
    synchronize(k->b);
    synchronize(k->a);
    return holds_steps(k->pinned[1], 1);
}

static bool both_writers_take_their_turn(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    record(k->f, k->a);
    wait_for(k->f, k->b);
    compute(k, 0, 0, 1, k->a);
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    compute(k, 0, 0, 2, k->b);
    record(k->f, k->b);
    wait_for(k->f, k->a);
    download(k, 1, 0, k->a);
    synchronize(k->a);
    return holds_steps(k->pinned[1], 2);
}

static bool fill_comes_before_the_kernel(kit *k, bool right)
{
    LAB_CHECK(lab_memset_async(k->device[0], 0, BYTES, k->a));
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    compute(k, 1, 0, 4, k->b);
    download(k, 1, 1, k->b);
    LAB_CHECK(lab_device_synchronize());
    for (int i = 0; i < COUNT; i++)
        if (k->pinned[1][i] != 4) return false;
    return true;
}

static bool copy_within_the_device_waits_for_its_source(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    LAB_CHECK(lab_memcpy_dtod_async(k->device[1], k->device[0], BYTES, k->b));
    download(k, 2, 0, k->a);
    download(k, 1, 1, k->b);
    synchronize(k->a);
    synchronize(k->b);
    return holds_steps(k->pinned[1], 0);
}

static bool kernel_waits_for_every_slice(kit *k, bool right)
{
    enum { SLICES = 3, SLICE = COUNT / SLICES };
    lab_stream *stream[SLICES];
    lab_event *uploaded[SLICES];
    for (int i = 0; i < SLICES; i++) {
        LAB_CHECK(lab_stream_create(&stream[i], LAB_STREAM_NON_BLOCKING));
        LAB_CHECK(lab_event_create(&uploaded[i], LAB_EVENT_DISABLE_TIMING));
        LAB_CHECK(lab_memcpy_htod_async(k->device[0] + (size_t)i * SLICE * sizeof(int), k->pinned[0] + i * SLICE,
                                        SLICE * sizeof(int), stream[i]));
        record(uploaded[i], stream[i]);
    }
    for (int i = right ? 0 : SLICES - 1; i < SLICES; i++) wait_for(uploaded[i], k->a);
    compute(k, 1, 0, 1, k->a);
    download(k, 1, 1, k->a);
    LAB_CHECK(lab_device_synchronize());
    for (int i = 0; i < SLICES; i++) {
        LAB_CHECK(lab_stream_destroy(stream[i]));
        LAB_CHECK(lab_event_destroy(uploaded[i]));
    }
    return holds_steps(k->pinned[1], 1);
}

static bool address_in_a_number_is_waited_for_too(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    LAB_CHECK(lab_launch(k->step_at, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, k->b,
                         LAB_ARGS((unsigned long)k->device[0], k->device[1], (int)COUNT, 1)));
    download(k, 1, 1, k->b);
    download(k, 2, 0, k->a);
    LAB_CHECK(lab_device_synchronize());
    return holds_steps(k->pinned[1], 1);
}

/* ---- In rounds ---- */

enum { ROUNDS = 6, ROUND = COUNT / ROUNDS };

/* Uses two buffers in turn: one is filled while the other is worked on. With `fills_early`, a fill does not wait for
 * the work on its buffer; with `works_early`, the work does not wait for the fill. */
static bool run_rounds(kit *k, bool fills_early, bool works_early, int distance)
{
    lab_event *filled[ROUNDS], *worked[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        LAB_CHECK(lab_event_create(&filled[i], LAB_EVENT_DISABLE_TIMING));
        LAB_CHECK(lab_event_create(&worked[i], LAB_EVENT_DISABLE_TIMING));
    }
    for (int i = 0; i < ROUNDS; i++) {
        const int buffer = i % 2;
        if (i >= distance && !fills_early) wait_for(worked[i - distance], k->a);
        LAB_CHECK(lab_memcpy_htod_async(k->device[buffer], k->pinned[0] + i * ROUND, ROUND * sizeof(int), k->a));
        record(filled[i], k->a);
        if (!works_early) wait_for(filled[i], k->b);
        LAB_CHECK(
            lab_launch(k->step, LAB_DIM(1), LAB_DIM(THREADS), 0, k->b,
                       LAB_ARGS(k->device[buffer], k->device[2] + (size_t)i * ROUND * sizeof(int), (int)ROUND, 1)));
        record(worked[i], k->b);
    }
    download(k, 1, 2, k->b);
    synchronize(k->b);
    for (int i = 0; i < ROUNDS; i++) {
        LAB_CHECK(lab_event_destroy(filled[i]));
        LAB_CHECK(lab_event_destroy(worked[i]));
    }
    return holds_steps(k->pinned[1], 1);
}

static bool round_waits_for_its_fill(kit *k, bool right) { return run_rounds(k, false, !right, 2); }

static bool fill_waits_for_the_round_before_on_its_buffer(kit *k, bool right)
{
    return run_rounds(k, !right, false, 2);
}

/* Off by one, the fill waits for the work of three rounds ago, which was on the other buffer. */
static bool fill_waits_for_the_right_round(kit *k, bool right) { return run_rounds(k, false, false, right ? 2 : 3); }

/* ---- The null stream ---- */

static bool null_stream_orders_blocking_streams_only(kit *k, bool right)
{
    lab_stream *other;
    LAB_CHECK(lab_stream_create(&other, right ? LAB_STREAM_DEFAULT : LAB_STREAM_NON_BLOCKING));
    upload(k, 0, 0, lab_stream_null());
    compute(k, 1, 0, 1, lab_stream_null());
    download(k, 1, 1, other);
    synchronize(other);
    LAB_CHECK(lab_stream_destroy(other));
    return holds_steps(k->pinned[1], 1);
}

static bool synchronizing_the_null_stream_waits_for_blocking_streams_only(kit *k, bool right)
{
    lab_stream *other;
    LAB_CHECK(lab_stream_create(&other, right ? LAB_STREAM_DEFAULT : LAB_STREAM_NON_BLOCKING));
    upload(k, 0, 0, other);
    download(k, 1, 0, other);
    synchronize(lab_stream_null());
    const bool came = holds_steps(k->pinned[1], 0);
    LAB_CHECK(lab_stream_destroy(other));
    return came;
}

/* CUDA says of such a copy only that it might be synchronous. Its memory is static, since the copy may run after the
 * return. */
static RACES bool copy_to_pageable_memory_is_waited_for_too(kit *k, bool right)
{
    static int pageable[COUNT];
    memset(pageable, 0, BYTES);
    upload(k, 0, 0, k->a);
    LAB_CHECK(lab_memcpy_dtoh_async(pageable, k->device[0], BYTES, k->a));
    if (right) synchronize(k->a);
    return holds_steps(pageable, 0);
}

/* A synchronous copy of pageable memory returns when it is staged. */
static bool synchronous_copy_has_arrived_for_the_null_stream_only(kit *k, bool right)
{
    int pageable[COUNT];
    memcpy(pageable, k->pinned[0], BYTES);
    LAB_CHECK(lab_memcpy_htod(k->device[0], pageable, BYTES));
    if (right) synchronize(lab_stream_null());
    compute(k, 1, 0, 1, k->a);
    download(k, 1, 1, k->a);
    LAB_CHECK(lab_device_synchronize());
    return holds_steps(k->pinned[1], 1);
}

#endif
