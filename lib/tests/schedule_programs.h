/*
 * Small programs that each need one edge: a wait, a synchronization, a choice of stream. Each is told whether to have it,
 * and says whether its data came out right. With the edge they are right under every order that CUDA allows; without it
 * they are right by luck or not at all. They know lab.h alone.
 */
#ifndef LAB_TESTS_SCHEDULE_PROGRAMS_H
#define LAB_TESTS_SCHEDULE_PROGRAMS_H

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

/* Two buffers in turn: one is filled while the other is worked on. `fills_early`: a fill does not wait for the work on
 * its buffer; `works_early`: the work does not wait for the fill. */
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

/* Off by one: it waits for the work of three rounds ago, which was on the other buffer. */
static bool fill_waits_for_the_right_round(kit *k, bool right) { return run_rounds(k, false, false, right ? 2 : 3); }

/* ---- Between host and device ---- */

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

/* The one that was enqueued last is mostly the last to end. */
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

/* That the last number is there says nothing of the others. */
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

/* From pageable memory a synchronous copy returns when it is staged. */
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
    const int *from;
    int *to;
} two_rows;

static RACES void copy_numbers(void *user)
{
    const two_rows *rows = user;
    for (int i = 0; i < COUNT; i++) rows->to[i] = rows->from[i];
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

/* ---- Pools and graphs ---- */

/* The kernel is given the block's address as a number: the pool does not see that its stream uses the block. */
static bool pool_is_told_of_every_user(kit *k, bool right)
{
    lab_mempool *pool;
    lab_deviceptr block, next;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&block, pool, BYTES, k->a));
    LAB_CHECK(lab_memcpy_htod_async(block, k->pinned[0], BYTES, k->a));
    record(k->e, k->a);
    wait_for(k->e, k->b);
    if (right) LAB_CHECK(lab_mempool_record_stream(pool, block, k->b));
    LAB_CHECK(lab_launch(k->step_at, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, k->b,
                         LAB_ARGS((unsigned long)block, k->device[1], (int)COUNT, 1)));
    LAB_CHECK(lab_mempool_free(pool, block, k->a));
    LAB_CHECK(lab_mempool_alloc(&next, pool, BYTES, k->a));
    LAB_CHECK(lab_memset_async(next, 9, BYTES, k->a));
    download(k, 1, 1, k->b);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_mempool_free(pool, next, k->a));
    LAB_CHECK(lab_mempool_destroy(pool));
    return holds_steps(k->pinned[1], 1);
}

/* The same again, without anybody who gets the block next: what was in it is gone when the stream gives it back. */
static bool block_is_given_back_behind_the_use_by_another_stream(kit *k, bool right)
{
    lab_mempool *pool;
    lab_deviceptr block;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&block, pool, BYTES, k->a));
    LAB_CHECK(lab_memcpy_htod_async(block, k->pinned[0], BYTES, k->a));
    record(k->e, k->a);
    wait_for(k->e, k->b);
    LAB_CHECK(lab_launch(k->step_at, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, k->b,
                         LAB_ARGS((unsigned long)block, k->device[1], (int)COUNT, 1)));
    record(k->f, k->b);
    if (right) wait_for(k->f, k->a);
    LAB_CHECK(lab_mempool_free(pool, block, k->a));
    download(k, 1, 1, k->b);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_mempool_destroy(pool));
    return holds_steps(k->pinned[1], 1);
}

static bool use_of_block_after_free(kit *k, bool right, bool at_rest)
{
    lab_mempool *pool;
    lab_deviceptr block;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    LAB_CHECK(lab_mempool_alloc(&block, pool, BYTES, k->a));
    LAB_CHECK(lab_memcpy_htod_async(block, k->pinned[0], BYTES, k->a));
    if (at_rest) synchronize(k->a);
    if (!right) LAB_CHECK(lab_mempool_free(pool, block, k->a));
    LAB_CHECK(lab_launch(k->step_at, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, k->a,
                         LAB_ARGS((unsigned long)block, k->device[1], (int)COUNT, 1)));
    if (right) LAB_CHECK(lab_mempool_free(pool, block, k->a));
    download(k, 1, 1, k->a);
    synchronize(k->a);
    LAB_CHECK(lab_mempool_destroy(pool));
    return holds_steps(k->pinned[1], 1);
}

static bool block_is_given_back_behind_its_last_use(kit *k, bool right)
{
    return use_of_block_after_free(k, right, false);
}

static bool block_is_not_used_after_it_was_given_back_at_rest(kit *k, bool right)
{
    return use_of_block_after_free(k, right, true);
}

static bool graph_keeps_the_edge_between_its_branches(kit *k, bool right)
{
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_stream_begin_capture(k->a, LAB_CAPTURE_GLOBAL));
    upload(k, 0, 0, k->a);
    if (!right) record(k->e, k->a);
    compute(k, 1, 0, 1, k->a);
    if (right) record(k->e, k->a);
    wait_for(k->e, k->b);
    download(k, 1, 1, k->b);
    record(k->f, k->b);
    wait_for(k->f, k->a);
    LAB_CHECK(lab_stream_end_capture(&graph, k->a));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_launch(exec, k->a));
    synchronize(k->a);
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
    return holds_steps(k->pinned[1], 1);
}

static bool stream_waits_for_a_graph_launched_on_another(kit *k, bool right)
{
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_CHECK(lab_stream_begin_capture(k->a, LAB_CAPTURE_GLOBAL));
    upload(k, 0, 0, k->a);
    compute(k, 1, 0, 1, k->a);
    LAB_CHECK(lab_stream_end_capture(&graph, k->a));
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_launch(exec, k->a));
    record(k->e, k->a);
    if (right) wait_for(k->e, k->b);
    download(k, 1, 1, k->b);
    synchronize(k->a);
    synchronize(k->b);
    LAB_CHECK(lab_graph_exec_destroy(exec));
    LAB_CHECK(lab_graph_destroy(graph));
    return holds_steps(k->pinned[1], 1);
}

/* ---- Within a kernel ---- */

/* One block of that kernel, from the first buffer to the second, whose numbers come to pinned[1]. */
static void run_block(kit *k, const char *kernel, int threads)
{
    lab_function function;
    LAB_CHECK(lab_module_get_function(&function, k->module, kernel));
    upload(k, 0, 0, k->a);
    LAB_CHECK(
        lab_launch(function, LAB_DIM(1), LAB_DIM((unsigned)threads), 0, k->a, LAB_ARGS(k->device[0], k->device[1])));
    download(k, 1, 1, k->a);
    synchronize(k->a);
}

static bool threads_of_a_block_wait_at_a_barrier(kit *k, bool right)
{
    run_block(k, right ? "shift_in_step" : "shift", THREADS);
    for (int i = 1; i < THREADS; i++)
        if (k->pinned[1][i] != number_at(i - 1)) return false;
    return true;
}

static bool threads_of_a_block_wait_at_every_barrier(kit *k, bool right)
{
    run_block(k, right ? "shift_twice_in_step" : "shift_twice", THREADS);
    for (int i = 2; i < THREADS; i++)
        if (k->pinned[1][i] != number_at(i - 2)) return false;
    return true;
}

enum { FEW_THREADS = 8, WARP = 32, SUMMED = 128, FEW_BLOCKS = 5 };

/* Whether the first so many are the first number, and their own place added. */
static bool all_heard(const int *found, int count)
{
    for (int i = 0; i < count; i++)
        if (found[i] != number_at(0) + i) return false;
    return true;
}

static bool threads_wait_for_what_the_first_one_says(kit *k, bool right)
{
    run_block(k, right ? "say_in_step" : "say", FEW_THREADS);
    return all_heard(k->pinned[1], FEW_THREADS);
}

static bool first_thread_waits_for_what_it_collects(kit *k, bool right)
{
    run_block(k, right ? "collect_in_step" : "collect", FEW_THREADS);
    for (int i = 0; i < FEW_THREADS; i++)
        if (k->pinned[1][i] != number_at(i)) return false;
    return true;
}

static bool adds_the_sum(kit *k, const char *kernel)
{
    int sum = 0;
    run_block(k, kernel, SUMMED);
    for (int i = 0; i < SUMMED; i++) sum += number_at(i);
    for (int i = 0; i < SUMMED; i++)
        if (k->pinned[1][i] != number_at(i) + sum) return false;
    return true;
}

static bool first_warp_waits_for_the_sums_of_all(kit *k, bool right)
{
    return adds_the_sum(k, right ? "add_sum" : "add_sum_of_parts_too_early");
}

static bool all_warps_wait_for_the_sum_of_the_first(kit *k, bool right)
{
    return adds_the_sum(k, right ? "add_sum" : "add_sum_too_early");
}

static bool lanes_of_a_warp_wait_for_each_other(kit *k, bool right)
{
    run_block(k, right ? "tell_warp_in_step" : "tell_warp", WARP);
    return all_heard(k->pinned[1], WARP);
}

static void tell_blocks(kit *k, int write, int read)
{
    lab_function function;
    LAB_CHECK(lab_module_get_function(&function, k->module, "tell_blocks"));
    LAB_CHECK(lab_launch(function, LAB_DIM(FEW_BLOCKS), LAB_DIM(1), 0, k->a,
                         LAB_ARGS(k->device[0], k->device[2], k->device[1], write, read)));
}

/* Nothing within a kernel orders its blocks. */
static bool blocks_wait_for_another_launch(kit *k, bool right)
{
    upload(k, 0, 0, k->a);
    tell_blocks(k, 1, !right);
    if (right) tell_blocks(k, 0, 1);
    download(k, 1, 1, k->a);
    synchronize(k->a);
    return all_heard(k->pinned[1], FEW_BLOCKS);
}

typedef struct program {
    const char *name;
    bool (*run)(kit *of, bool right);
} program;

#define PROGRAM(name)                                                                                                  \
    {                                                                                                                  \
#name, name                                                                                                    \
    }
static const program programs[] = {
    PROGRAM(consumer_waits_for_producer),
    PROGRAM(wait_comes_after_record),
    PROGRAM(record_comes_after_the_work),
    PROGRAM(record_is_on_the_producers_stream),
    PROGRAM(input_is_not_overwritten_while_it_is_read),
    PROGRAM(both_writers_take_their_turn),
    PROGRAM(fill_comes_before_the_kernel),
    PROGRAM(copy_within_the_device_waits_for_its_source),
    PROGRAM(kernel_waits_for_every_slice),
    PROGRAM(address_in_a_number_is_waited_for_too),
    PROGRAM(round_waits_for_its_fill),
    PROGRAM(fill_waits_for_the_round_before_on_its_buffer),
    PROGRAM(fill_waits_for_the_right_round),
    PROGRAM(host_synchronizes_before_it_reads),
    PROGRAM(host_synchronizes_the_stream_it_reads_from),
    PROGRAM(host_synchronizes_every_stream),
    PROGRAM(host_waits_for_more_than_the_last_stream),
    PROGRAM(pinned_source_stays_until_it_is_copied),
    PROGRAM(event_is_recorded_before_the_host_waits_for_it),
    PROGRAM(each_stream_has_its_own_end_event),
    PROGRAM(query_is_asked_until_it_says_yes),
    PROGRAM(last_number_is_no_sign_that_all_have_come),
    PROGRAM(destroying_a_stream_is_no_synchronization),
    PROGRAM(null_stream_orders_blocking_streams_only),
    PROGRAM(synchronizing_the_null_stream_waits_for_blocking_streams_only),
    PROGRAM(synchronous_copy_has_arrived_for_the_null_stream_only),
    PROGRAM(copy_waits_for_the_host_function_that_writes_its_source),
    PROGRAM(host_function_waits_for_the_copy_that_it_reads),
    PROGRAM(host_waits_for_the_host_function),
    PROGRAM(pool_is_told_of_every_user),
    PROGRAM(block_is_given_back_behind_the_use_by_another_stream),
    PROGRAM(block_is_given_back_behind_its_last_use),
    PROGRAM(block_is_not_used_after_it_was_given_back_at_rest),
    PROGRAM(graph_keeps_the_edge_between_its_branches),
    PROGRAM(stream_waits_for_a_graph_launched_on_another),
    PROGRAM(threads_of_a_block_wait_at_a_barrier),
    PROGRAM(threads_of_a_block_wait_at_every_barrier),
    PROGRAM(threads_wait_for_what_the_first_one_says),
    PROGRAM(first_thread_waits_for_what_it_collects),
    PROGRAM(first_warp_waits_for_the_sums_of_all),
    PROGRAM(all_warps_wait_for_the_sum_of_the_first),
    PROGRAM(lanes_of_a_warp_wait_for_each_other),
    PROGRAM(blocks_wait_for_another_launch),
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

#endif
