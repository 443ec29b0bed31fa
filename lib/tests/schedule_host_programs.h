/* Programs of schedule_programs.h whose edge is between host and device: synchronization and host functions. */
#ifndef LAB_TESTS_SCHEDULE_HOST_PROGRAMS_H
#define LAB_TESTS_SCHEDULE_HOST_PROGRAMS_H

#include "schedule_kit.h"

/* ---- Synchronization ---- */

static bool host_synchronizes_before_it_reads(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    download(k, 1, 0, k->a);
    if (right) synchronize(k->a);
    return holds_steps(k->pinned[1], 0);
}

static bool host_synchronizes_the_stream_it_reads_from(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    download(k, 1, 0, k->a);
    upload(k, 2, 0, k->b);
    download(k, 2, 2, k->b);
    synchronize(right ? k->a : k->b);
    return holds_steps(k->pinned[1], 0);
}

static bool host_synchronizes_every_stream(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    upload(k, 2, 0, k->b);
    compute(k, 1, 0, 1, k->a);
    compute(k, 3, 2, 1, k->b);
    download(k, 1, 1, k->a);
    download(k, 2, 3, k->b);
    if (right) synchronize(k->a);
    synchronize(k->b);
    return holds_steps(k->pinned[1], 1) && holds_steps(k->pinned[2], 1);
}

/* The stream that was enqueued on last is mostly the last to end. */
static bool host_waits_for_more_than_the_last_stream(kit *k, bool right)
{
    enum { PAIRS = 3 };
    lab_stream *stream[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        LAB_CHECK(lab_stream_create(&stream[i], LAB_STREAM_NON_BLOCKING));
        upload(k, i, 0, stream[i]);
        compute(k, i + PAIRS, i, 1, stream[i]);
    }
    for (int i = right ? 0 : PAIRS - 1; i < PAIRS; i++) synchronize(stream[i]);
    for (int i = 0; i < PAIRS; i++) download(k, i + 1, i + PAIRS, k->a);
    LAB_CHECK(lab_device_synchronize());
    bool all = true;
    for (int i = 0; i < PAIRS; i++) {
        all = all && holds_steps(k->pinned[i + 1], 1);
        LAB_CHECK(lab_stream_destroy(stream[i]));
    }
    return all;
}

static bool pinned_source_stays_until_it_is_copied(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    if (right) synchronize(k->a);
    memset(k->pinned[0], 0x55, BYTES);
    compute(k, 1, 0, 1, k->a);
    download(k, 1, 1, k->a);
    synchronize(k->a);
    return holds_steps(k->pinned[1], 1);
}

static bool event_is_recorded_before_the_host_waits_for_it(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    download(k, 1, 0, k->a);
    if (right) record(k->e, k->a);
    LAB_CHECK(lab_event_synchronize(k->e));
    const bool came = holds_steps(k->pinned[1], 0);
    record(k->e, k->a);
    return came;
}

static bool each_stream_has_its_own_end_event(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    download(k, 1, 0, k->a);
    record(right ? k->f : k->e, k->a);
    upload(k, 2, 0, k->b);
    download(k, 2, 2, k->b);
    record(k->e, k->b);
    if (right) LAB_CHECK(lab_event_synchronize(k->f));
    LAB_CHECK(lab_event_synchronize(k->e));
    return holds_steps(k->pinned[1], 0) && holds_steps(k->pinned[2], 0);
}

static bool query_is_asked_until_it_says_yes(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    download(k, 1, 0, k->a);
    record(k->e, k->a);
    while (lab_event_query(k->e) == LAB_ERROR_NOT_READY && right) {}
    return holds_steps(k->pinned[1], 0);
}

static RACES int last_of(const int *numbers) { return ((const volatile int *)numbers)[COUNT - 1]; }

/* The last number may arrive before the others. */
static bool last_number_is_no_sign_that_all_have_come(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    download(k, 1, 0, k->a);
    while (lab_stream_query(k->a) == LAB_ERROR_NOT_READY)
        if (!right && last_of(k->pinned[1]) == number_at(COUNT - 1)) break;
    return holds_steps(k->pinned[1], 0);
}

static bool destroying_a_stream_is_no_synchronization(kit *k, bool right)
{
    lab_stream *passing;
    LAB_CHECK(lab_stream_create(&passing, LAB_STREAM_NON_BLOCKING));
    upload(k, 0, 0, passing);
    download(k, 1, 0, passing);
    if (right) synchronize(passing);
    LAB_CHECK(lab_stream_destroy(passing));
    return holds_steps(k->pinned[1], 0);
}

/* ---- Host functions ---- */

static RACES void make_numbers(void *user)
{
    for (int i = 0; i < COUNT; i++) ((int *)user)[i] = number_at(i);
}

static bool copy_waits_for_the_host_function_that_writes_its_source(kit *k, bool right)
{
    LAB_CHECK(lab_stream_launch_host_func(k->a, make_numbers, k->pinned[3]));
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    upload(k, 0, 3, k->b);
    download(k, 1, 0, k->b);
    LAB_CHECK(lab_device_synchronize());
    return holds_steps(k->pinned[1], 0);
}

typedef struct two_rows {
    const int *source;
    int *destination;
} two_rows;

static RACES void copy_numbers(void *user)
{
    const two_rows *rows = user;
    for (int i = 0; i < COUNT; i++) rows->destination[i] = rows->source[i];
}

static bool host_function_waits_for_the_copy_that_it_reads(kit *k, bool right)
{
    two_rows rows = {k->pinned[1], k->pinned[2]};
    upload(k, 0, 0, k->a);
    download(k, 1, 0, k->a);
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    LAB_CHECK(lab_stream_launch_host_func(k->b, copy_numbers, &rows));
    synchronize(k->a);
    synchronize(k->b);
    return holds_steps(k->pinned[2], 0);
}

static bool host_waits_for_the_host_function(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    LAB_CHECK(lab_stream_launch_host_func(k->a, make_numbers, k->pinned[3]));
    if (right) synchronize(k->a);
    const bool there = holds_steps(k->pinned[3], 0);
    synchronize(k->a);
    return there;
}

#endif
