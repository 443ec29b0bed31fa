/* The model: its schedules, its critical path and its advice. Times in these tests are microseconds: on the plain
 * profile a copy of an array takes 1 and a kernel 10. */
#include "base/op_kind.h"
#include "sample_record.h"
#include "trace/model/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A device with round numbers; the lines of `changed` replace its own. */
static lab_profile *profile_with(const char *changed)
{
    static const char *const lines[] = {"multiprocessors 4",
                                        "threads_per_multiprocessor 100",
                                        "kernels_at_once 8",
                                        "queues 8",
                                        "queue_turn 0 us",
                                        "copy_engines 2",
                                        "htod_rate 1 GB/s",
                                        "dtoh_rate 1 GB/s",
                                        "both_rate 2 GB/s",
                                        "copy_start 0 us",
                                        "peer_rate 0.5 GB/s",
                                        "peer_access_rate 2 GB/s",
                                        "pageable_htod_rate 0.5 GB/s",
                                        "pageable_dtoh_rate 0.5 GB/s",
                                        "staging_bytes 0 bytes",
                                        "pageable_start 0 us",
                                        "read_rate 1000 GB/s",
                                        "write_rate 1000 GB/s",
                                        "cache_rate 1000 GB/s",
                                        "hand_over 0 us",
                                        "stream_gap 0 us",
                                        "graph_step 0 us",
                                        "graph_branch 0 us",
                                        "launch_argument 0 us",
                                        "sum_join 0 us",
                                        "fill_call 0 us",
                                        "pool_call 0 us",
                                        "memory_rate 1000 GB/s",
                                        "thread_rate 0.2 GB/s",
                                        "cache_bytes 1 MiB",
                                        "kernel_start 0 us",
                                        "launch_call 0 us",
                                        "copy_call 0 us",
                                        "event_call 0 us",
                                        "graph_call 0 us",
                                        "other_call 0 us",
                                        "wait_call 0 us",
                                        "host_function 0 us",
                                        "kernel k 1 1000 bytes 10 us 30 us"};
    char text[4096] = "";
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        size_t key = strcspn(lines[i], " ") + 1;
        const char *own = changed;
        while (own && strncmp(own, lines[i], key) != 0) own = (own = strchr(own, '\n')) ? own + 1 : NULL;
        if (!own) strcat(strcat(text, lines[i]), "\n");
    }
    strcat(text, changed ? changed : "");
    lab_profile *profile = NULL;
    cr_assert_eq(lab_profile_parse(&profile, text, strlen(text), "plain"), LAB_SUCCESS, "%s", lab_error_message());
    return profile;
}

/* Models the record on the plain profile with changes, and frees the record. The caller frees the model. */
static lab_model *model_of(lab_trace *trace, const char *changed)
{
    lab_profile *profile = profile_with(changed);
    lab_model *model = NULL;
    cr_assert_eq(lab_model_run(&model, trace, profile, NULL), LAB_SUCCESS, "%s", lab_error_message());
    lab_profile_free(profile);
    lab_trace_free(trace);
    return model;
}

static void expect_makespan(lab_trace *trace, const char *changed, double microseconds)
{
    lab_model *model = model_of(trace, changed);
    cr_assert_float_eq(model->makespan_ms * 1e3, microseconds, 1e-6, "%g us", model->makespan_ms * 1e3);
    lab_model_free(model);
}

/* Arrays on separate streams, from stream 2 on, depth first, with a wait at the end. */
static lab_trace *depth_first(int arrays, lab_host_memory memory)
{
    lab_trace *trace = sample_streams(arrays + 1);
    for (uint64_t k = 1; k <= (uint64_t)arrays; k++) {
        sample_in(trace, k + 1, k, memory);
        sample_kernel(trace, k + 1, k);
        sample_out(trace, k + 1, k, memory);
    }
    for (uint64_t k = 1; k <= (uint64_t)arrays; k++) sample_stream_sync(trace, k + 1);
    return trace;
}

/* The same on one stream, the host waiting after each array. */
static lab_trace *one_by_one(int arrays, lab_host_memory memory)
{
    lab_trace *trace = sample_streams(2);
    for (uint64_t k = 1; k <= (uint64_t)arrays; k++) {
        sample_in(trace, 2, k, memory);
        sample_kernel(trace, 2, k);
        sample_out(trace, 2, k, memory);
        sample_stream_sync(trace, 2);
    }
    return trace;
}

/* --- Schedules -------------------------------------------------------------------------------------------------- */

Test(model, runs_the_operations_of_one_stream_one_after_another)
{
    lab_model *model = model_of(one_by_one(2, LAB_HOST_PINNED), NULL);
    cr_assert_float_eq(model->makespan_ms, 0.024, 1e-9);
    cr_assert_float_eq(model->serial_ms, 0.024, 1e-9);
    cr_assert_float_eq(model->summary.copy_kernel_overlap_ms, 0, 1e-9);
    lab_model_free(model);
}

Test(model, overlaps_copies_both_ways_and_kernels_of_different_streams)
{
    lab_model *model = model_of(depth_first(2, LAB_HOST_PINNED), NULL);
    const lab_trace_op *op = model->trace->op;
    const int64_t start[] = {0, 1000, 11000, 1000, 2000, 12000};
    for (int i = 0; i < 6; i++)
        cr_assert_eq(op[i].start_ns, start[i], "operation %d begins at %ld", i + 1, (long)op[i].start_ns);
    cr_assert_float_eq(model->makespan_ms, 0.013, 1e-9);
    lab_model_free(model);
}

Test(model, runs_no_more_kernels_at_once_than_the_device_can)
{
    expect_makespan(depth_first(2, LAB_HOST_PINNED), "kernels_at_once 1\n", 22);
}

/* 240 threads: two such kernels do not fit. */
static void add_wide_kernel(lab_trace *trace, uint64_t stream)
{
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL,
                                     .name = "k",
                                     .stream = stream,
                                     .grid = LAB_DIM(4),
                                     .block = LAB_DIM(60),
                                     .access = &(lab_trace_access){10000 * stream, 240000, .writes = true},
                                     .accesses = 1});
}

Test(model, gives_a_kernel_that_fills_the_device_all_of_it)
{
    lab_trace *trace = sample_streams(3);
    for (uint64_t stream = 2; stream <= 3; stream++) add_wide_kernel(trace, stream);
    expect_makespan(trace, "cache_bytes 0 bytes\n", 60); /* 240 threads of 400, the work of one thread each: 30 us */
}

Test(model, lets_copies_both_ways_share_the_bus)
{
    lab_trace *trace = sample_streams(3);
    sample_in(trace, 2, 1, LAB_HOST_PINNED);
    sample_out(trace, 3, 2, LAB_HOST_PINNED);
    expect_makespan(trace, "both_rate 1 GB/s\n", 2);
}

Test(model, takes_turns_where_there_is_one_copy_engine)
{
    lab_trace *trace = sample_streams(3);
    sample_in(trace, 2, 1, LAB_HOST_PINNED);
    sample_out(trace, 3, 2, LAB_HOST_PINNED);
    expect_makespan(trace, "copy_engines 1\n", 2);
    trace = sample_streams(3);
    sample_in(trace, 2, 1, LAB_HOST_PINNED);
    sample_out(trace, 3, 2, LAB_HOST_PINNED);
    expect_makespan(trace, NULL, 1);
}

Test(model, holds_the_caller_of_a_pageable_copy)
{
    expect_makespan(depth_first(2, LAB_HOST_PAGEABLE), NULL, 28); /* 2 + 10 + 2, twice: the copy out holds the host */
}

Test(model, lets_a_small_pageable_copy_to_the_device_return_at_once)
{
    lab_trace *trace = sample_streams(3);
    sample_in(trace, 2, 1, LAB_HOST_PAGEABLE);
    sample_kernel(trace, 3, 2);
    expect_makespan(trace, "staging_bytes 1000 bytes\nkernel k 1 1000 bytes 10 us 10 us\n", 10);
}

Test(model, holds_back_what_is_enqueued_after_a_wait)
{
    lab_trace *trace = sample_streams(3);
    sample_kernel(trace, 2, 1);
    sample_stream_sync(trace, 2);
    sample_kernel(trace, 3, 2);
    expect_makespan(trace, "cache_bytes 0 bytes\nwait_call 1 us\n", 61);
}

Test(model, orders_streams_by_events)
{
    lab_trace *trace = sample_streams(3);
    sample_kernel(trace, 2, 1);
    uint64_t record = sample_event_record(trace, 2);
    sample_event_wait(trace, 3, record);
    sample_kernel(trace, 3, 2);
    expect_makespan(trace, NULL, 60);
}

Test(model, orders_streams_by_the_rules_of_the_null_stream)
{
    lab_trace *trace = sample_streams(2);
    uint64_t first = sample_kernel(trace, 2, 1);
    sample_add(trace,
               (lab_trace_op){.kind = LAB_OP_COPY_DTOH, .stream = 1, .bytes = 1000, .waits_for = &first, .waits = 1});
    expect_makespan(trace, NULL, 31);
}

Test(model, keeps_the_order_of_streams_that_share_a_hardware_queue)
{
    for (int queues = 1; queues <= 2; queues++) {
        lab_trace *trace = sample_streams(3);
        sample_kernel(trace, 2, 1);
        sample_out(trace, 2, 1, LAB_HOST_PINNED);
        sample_out(trace, 3, 2, LAB_HOST_PINNED);
        lab_model *model = model_of(trace, queues == 1 ? "queues 1\n" : "queues 2\n");
        cr_assert_eq(model->trace->op[2].start_ns, queues == 1 ? 31000 : 0);
        lab_model_free(model);
    }
}

/* Stream 2 has kernels one to three. Stream 3, of another priority, has then the fourth, and a copy of its output. */
static lab_model *model_with_priority(int priority, const char *changed)
{
    lab_trace *trace = sample_streams(2);
    const lab_trace_stream other = {.id = 3, .priority = priority};
    cr_assert_eq(lab_trace_append_stream(trace, &other), LAB_SUCCESS);
    for (uint64_t array = 1; array <= 3; array++) sample_kernel(trace, 2, array);
    sample_kernel(trace, 3, 4);
    sample_out(trace, 3, 4, LAB_HOST_PINNED);
    return model_of(trace, changed);
}

Test(model, starts_kernels_of_a_higher_priority_first)
{
    for (int priority = 0; priority >= -5; priority -= 5) {
        lab_model *model = model_with_priority(priority, "kernels_at_once 1\n");
        cr_assert_eq(model->trace->op[0].start_ns, 0, "a running kernel is not interrupted");
        cr_assert_eq(model->trace->op[3].start_ns, priority ? 30000 : 90000);
        cr_assert_eq(model->trace->op[1].start_ns, priority ? 60000 : 30000);
        lab_model_free(model);
    }
}

Test(model, keeps_streams_of_different_priorities_in_queues_of_their_own)
{
    for (int priority = 0; priority >= -1; priority--) {
        lab_model *model = model_with_priority(priority, "queues 1\nkernels_at_once 2\n");
        cr_assert_eq(model->trace->op[3].start_ns, priority ? 0 : 60000);
        lab_model_free(model);
    }
}

Test(model, starts_no_kernel_while_one_of_a_higher_priority_waits_for_room)
{
    for (int priority = 0; priority >= -1; priority--) {
        const lab_trace_stream other = {.id = 4, .priority = priority};
        lab_trace *trace = sample_streams(3);
        cr_assert_eq(lab_trace_append_stream(trace, &other), LAB_SUCCESS);
        add_wide_kernel(trace, 2);
        add_wide_kernel(trace, 4);
        sample_kernel(trace, 3, 1);
        lab_model *model = model_of(trace, NULL);
        cr_assert_eq(model->trace->op[1].start_ns, 30000);
        cr_assert_eq(model->trace->op[2].start_ns, priority ? 30000 : 0);
        lab_model_free(model);
    }
}

Test(model, puts_a_queue_aside_whose_kernel_behind_another_waits_for_its_copy)
{
    for (int turn = 0; turn <= 5; turn += 5) {
        lab_trace *trace = sample_streams(3);
        sample_in(trace, 2, 1, LAB_HOST_PINNED);
        sample_in(trace, 3, 2, LAB_HOST_PINNED);
        sample_kernel(trace, 2, 1);
        sample_kernel(trace, 3, 2);
        lab_model *model = model_of(trace, turn ? "queues 1\nqueue_turn 5 us\n" : "queues 1\n");
        cr_assert_eq(model->trace->op[2].start_ns, 1000);
        cr_assert_eq(model->trace->op[3].start_ns, turn ? 6000 : 2000);
        lab_model_free(model);
    }
}

Test(model, puts_a_queue_aside_for_no_longer_than_its_kernel_takes)
{
    for (int empty = 0; empty <= 1; empty++) {
        lab_trace *trace = sample_streams(3);
        sample_in(trace, 2, 1, LAB_HOST_PINNED);
        sample_in(trace, 3, 2, LAB_HOST_PINNED);
        sample_kernel(trace, 2, 1);
        if (empty)
            sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL, .name = "empty", .module = "m.cu", .stream = 3});
        else
            sample_kernel(trace, 3, 2);
        lab_model *model = model_of(trace, "queues 1\nqueue_turn 500 us\nkernel k 1 1000 bytes 3 us 3 us\n");
        cr_assert_eq(model->trace->op[3].start_ns, empty ? 2000 : 4000);
        lab_model_free(model);
    }
}

Test(model, counts_a_kernel_longer_when_its_memory_has_left_the_cache)
{
    lab_trace *trace = sample_streams(2);
    sample_in(trace, 2, 1, LAB_HOST_PINNED);
    sample_in(trace, 2, 2, LAB_HOST_PINNED);
    sample_kernel(trace, 2, 2);
    expect_makespan(trace, "cache_bytes 2500 bytes\n", 12);
    trace = sample_streams(2);
    for (uint64_t array = 1; array <= 3; array++) sample_in(trace, 2, array, LAB_HOST_PINNED);
    sample_kernel(trace, 2, 1);
    expect_makespan(trace, "cache_bytes 2500 bytes\n", 33);
}

Test(model, counts_a_kernel_longer_when_those_beside_it_need_the_cache)
{
    static const char *const caches[] = {"copy_call 3 us\ncache_bytes 1500 bytes\n",
                                         "copy_call 3 us\ncache_bytes 2500 bytes\n"};
    for (int large = 0; large <= 1; large++) {
        lab_trace *trace = sample_streams(3);
        for (uint64_t array = 1; array <= 2; array++) { /* the second copy begins when the first kernel runs */
            sample_in(trace, array + 1, array, LAB_HOST_PINNED);
            sample_kernel(trace, array + 1, array);
        }
        expect_makespan(trace, caches[large], large ? 17 : 37);
    }
}

Test(model, counts_only_the_memory_of_a_kernel_that_the_profile_does_not_list)
{
    lab_trace *trace = sample_streams(2);
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL,
                                     .name = "other",
                                     .module = "5e",
                                     .stream = 2,
                                     .grid = LAB_DIM(1),
                                     .block = LAB_DIM(10),
                                     .access = &(lab_trace_access){64, 2000, .reads = true},
                                     .accesses = 1});
    expect_makespan(trace, NULL, 1); /* 10 threads of 0.2 bytes per nanosecond */
}

static const char computing[] = "computing c 10 us 40 us\n";

/* A launch of `blocks` blocks of 100 threads, which fill a multiprocessor, on a stream. */
static void add_launch(lab_trace *trace, uint64_t stream, const char *name, unsigned blocks,
                       const lab_trace_access *access)
{
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL,
                                     .name = name,
                                     .stream = stream,
                                     .grid = LAB_DIM(blocks),
                                     .block = LAB_DIM(100),
                                     .access = access,
                                     .accesses = access ? 1 : 0});
}

Test(model, takes_a_launch_of_the_librarys_own_as_fit_for_the_device)
{
    const lab_trace_access large = {64, 20000, .reads = true};
    lab_trace *trace = sample_streams(2);
    add_launch(trace, 2, "array_sum", 1, &large); /* 100 threads of the record's device, but 400 of this one's */
    expect_makespan(trace, "thread_rate 0.01 GB/s\n", 5);
}

Test(model, counts_a_computing_kernel_alone_as_long_as_one_thread_takes)
{
    const lab_trace_access large = {64, 1 << 30, .reads = true, .writes = true};
    lab_trace *trace = sample_streams(2);
    add_launch(trace, 2, "c", 1, &large); /* a quarter of the device could do 10 us of work for each thread */
    expect_makespan(trace, computing, 10);
}

Test(model, counts_a_computing_kernel_longer_when_it_has_more_threads_than_compute_at_once)
{
    lab_trace *trace = sample_streams(2);
    add_launch(trace, 2, "c", 4, NULL);
    expect_makespan(trace, computing, 40);
    trace = sample_streams(2);
    add_launch(trace, 2, "c", 8, NULL); /* two waves */
    expect_makespan(trace, computing, 80);
}

Test(model, lets_kernels_that_run_together_share_the_multiprocessors)
{
    lab_trace *trace = sample_streams(3);
    add_launch(trace, 2, "c", 2, NULL);
    add_launch(trace, 3, "c", 2, NULL);
    expect_makespan(trace, "launch_call 5 us\ncomputing c 10 us 40 us\n", 45); /* 20 each, together 40, from 5 on */
}

Test(model, lets_kernels_that_run_together_share_the_memory)
{
    const lab_trace_access one = {64, 20000, .reads = true}, other = {65536, 20000, .reads = true};
    static const char slow[] = "read_rate 1 GB/s\nthread_rate 1 GB/s\ncache_bytes 1 bytes\n";
    lab_trace *trace = sample_streams(3);
    add_launch(trace, 2, "other", 2, &one);
    expect_makespan(trace, slow, 20);
    trace = sample_streams(3);
    add_launch(trace, 2, "other", 2, &one);
    add_launch(trace, 3, "other", 2, &other);
    expect_makespan(trace, slow, 40);
}

Test(model, counts_reads_and_writes_apart_and_both_as_the_caches_when_it_has_them)
{
    static const char rates[] = "read_rate 2 GB/s\nwrite_rate 1 GB/s\ncache_rate 8 GB/s\nthread_rate 1 GB/s\n";
    const lab_trace_access both = {64, 20000, .reads = true, .writes = true};
    lab_trace *trace = sample_streams(2);
    add_launch(trace, 2, "other", 4, &both);
    expect_makespan(trace, rates, 30);
    trace = sample_streams(2);
    add_launch(trace, 2, "other", 4, &both);
    add_launch(trace, 2, "other", 4, &both);
    expect_makespan(trace, rates, 35);
}

Test(model, adds_the_hand_over_from_one_engine_to_another)
{
    expect_makespan(depth_first(1, LAB_HOST_PINNED), "hand_over 3 us\n", 18);
}

Test(model, adds_the_gap_between_streams_where_one_waits_for_the_other)
{
    lab_trace *trace = sample_streams(3);
    sample_kernel(trace, 2, 1);
    uint64_t event = sample_event_record(trace, 2);
    sample_event_wait(trace, 3, event);
    sample_kernel(trace, 3, 1);
    expect_makespan(trace, "stream_gap 3 us\n", 43); /* 30 outside the cache, then 10 */
    trace = sample_streams(3);                       /* the event was done before the wait was called: nothing to add */
    sample_kernel(trace, 2, 1);
    event = sample_event_record(trace, 2);
    sample_stream_sync(trace, 2);
    sample_event_wait(trace, 3, event);
    sample_kernel(trace, 3, 1);
    expect_makespan(trace, "stream_gap 3 us\nwait_call 4 us\n", 44);
}

/* Streams 2 and 3 work, the second twice as long; stream 4 waits for both, in this order, before it works. */
static lab_trace *joined(bool longest_first)
{
    lab_trace *trace = sample_streams(4);
    sample_kernel(trace, 2, 1);
    const uint64_t one = sample_event_record(trace, 2);
    sample_kernel(trace, 3, 2);
    sample_kernel(trace, 3, 2);
    const uint64_t two = sample_event_record(trace, 3);
    sample_event_wait(trace, 4, longest_first ? two : one);
    sample_event_wait(trace, 4, longest_first ? one : two);
    sample_kernel(trace, 4, 1);
    return trace;
}

Test(model, lets_a_stream_pass_one_wait_after_another_from_that_which_held_it_up)
{
    lab_model *model = model_of(joined(false), NULL);
    const double free = model->makespan_ms * 1e3;
    lab_model_free(model);
    expect_makespan(joined(false), "stream_gap 3 us\n", free + 3);
    expect_makespan(joined(true), "stream_gap 3 us\n", free + 6);
}

Test(model, adds_the_start_of_a_pageable_copy)
{
    lab_trace *trace = sample_streams(2);
    sample_in(trace, 2, 1, LAB_HOST_PAGEABLE);
    expect_makespan(trace, "pageable_start 5 us\n", 7);
}

Test(model, lets_host_functions_of_streams_overlap)
{
    lab_trace *trace = sample_streams(3);
    for (uint64_t stream = 2; stream <= 3; stream++)
        for (int i = 0; i < 2; i++)
            sample_add(trace, (lab_trace_op){.kind = LAB_OP_HOST_FUNCTION, .name = "", .stream = stream});
    expect_makespan(trace, "host_function 8 us\n", 16); /* two of a stream, one after the other */
}

static const lab_trace_op between_devices = {.kind = LAB_OP_COPY_DTOD, .stream = 2, .bytes = 1000, .peer = 2};

Test(model, copies_between_devices_through_the_host_or_with_peer_access)
{
    lab_trace *trace = sample_streams(2);
    lab_trace_op copy = between_devices;
    sample_add(trace, copy);
    copy.peer_access = true;
    sample_add(trace, copy);
    expect_makespan(trace, NULL, 2.5); /* one after the other */
}

/* A node of graph 1: the kernel k on an array of its own. */
static uint64_t add_node(lab_trace *trace, uint64_t graph, const uint64_t *waits_for, int waits)
{
    return sample_add(trace, (lab_trace_op){.kind = LAB_OP_GRAPH_NODE,
                                            .name = "c",
                                            .object = graph,
                                            .grid = LAB_DIM(1),
                                            .block = LAB_DIM(1),
                                            .waits_for = waits_for,
                                            .waits = waits});
}

static void add_graph_launch(lab_trace *trace, const char *name)
{
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_GRAPH_LAUNCH, .name = name, .stream = 2, .object = 9});
}

static const char graphs[] = "graph_step 1 us\ngraph_branch 2 us\nkernel_start 5 us\ncomputing c 10 us 40 us\n";

Test(model, counts_the_nodes_of_a_graph_one_after_another)
{
    lab_trace *trace = sample_streams(2);
    const uint64_t first = add_node(trace, 1, NULL, 0), second = add_node(trace, 1, &first, 1);
    add_node(trace, 1, &second, 1);
    add_node(trace, 2, NULL, 0); /* of another graph */
    add_graph_launch(trace, "graph 1");
    expect_makespan(trace, graphs, 37); /* one start; three nodes, two steps */
}

Test(model, counts_the_branches_of_a_graph_beside_each_other)
{
    lab_trace *trace = sample_streams(2);
    const uint64_t fork = add_node(trace, 1, NULL, 0);
    const uint64_t branch[] = {add_node(trace, 1, &fork, 1), add_node(trace, 1, &fork, 1),
                               add_node(trace, 1, &fork, 1)};
    add_node(trace, 1, branch, 3);
    add_graph_launch(trace, "graph 1");
    expect_makespan(trace, graphs, 45); /* three nodes, two steps, and four for two more branches each time */
}

Test(model, counts_a_copy_in_a_graph_as_a_copy)
{
    lab_trace *trace = sample_streams(2);
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_GRAPH_NODE, .name = "copy htod", .object = 1, .bytes = 3000});
    add_graph_launch(trace, "graph 1");
    expect_makespan(trace, NULL, 3);
}

Test(model, lets_the_copies_of_a_graph_take_turns)
{
    lab_trace *trace = sample_streams(2);
    const lab_trace_op copy = {.kind = LAB_OP_GRAPH_NODE, .name = "copy htod", .object = 1, .bytes = 3000};
    for (int i = 0; i < 3; i++) sample_add(trace, copy);
    add_graph_launch(trace, "graph 1");
    expect_makespan(trace, NULL, 9);
}

Test(model, hands_over_between_the_engines_in_a_graph)
{
    lab_trace *trace = sample_streams(2);
    lab_trace_op copy = {.kind = LAB_OP_GRAPH_NODE, .name = "copy htod", .object = 1, .bytes = 3000};
    const uint64_t in = sample_add(trace, copy), kernel = add_node(trace, 1, &in, 1);
    copy.name = "copy dtoh";
    copy.waits_for = &kernel;
    copy.waits = 1;
    sample_add(trace, copy);
    add_graph_launch(trace, "graph 1");
    expect_makespan(trace, "computing c 10 us 40 us\nhand_over 4 us\n", 24); /* 3 + 4 + 10 + 4 + 3 */
}

Test(model, counts_no_node_of_a_graph_that_the_record_does_not_have)
{
    lab_trace *trace = sample_streams(2);
    add_node(trace, 1, NULL, 0);
    add_graph_launch(trace, "graph 2");
    add_graph_launch(trace, "else");
    expect_makespan(trace, graphs, 10);
}

/* The makespan of two kernels with 40 microseconds of the record between the launches. */
static double with_host_work(double least)
{
    lab_trace *trace = sample_streams(2);
    sample_kernel(trace, 2, 1);
    sample_kernel(trace, 2, 1);
    trace->op[0].return_ns = 5000;
    trace->op[1].call_ns = 45000;
    lab_profile *profile = profile_with("launch_call 2 us\n");
    lab_model *model = NULL;
    cr_assert_eq(lab_model_run(&model, trace, profile, &(lab_model_options){.host_work_us = least}), LAB_SUCCESS);
    const double makespan = model->makespan_ms * 1e3;
    lab_model_free(model);
    lab_profile_free(profile);
    lab_trace_free(trace);
    return makespan;
}

Test(model, counts_what_the_host_did_between_calls_only_when_asked)
{
    cr_assert_float_eq(with_host_work(0), 42, 1e-6);
    cr_assert_float_eq(with_host_work(41), 42, 1e-6);
    cr_assert_float_eq(with_host_work(40), 54, 1e-6);
}

Test(model, adds_the_joining_of_parts_to_the_librarys_sums)
{
    for (int large = 0; large <= 1; large++)
        for (int own = 0; own <= 1; own++) {
            const lab_trace_access access[] = {{10000, large ? 999992 : 3992, .reads = true},
                                               {2000000, 4, .reads = true, .writes = true}};
            lab_trace *trace = sample_streams(2);
            sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL,
                                             .name = "sum",
                                             .module = own ? "" : "lab.cu",
                                             .stream = 2,
                                             .grid = LAB_DIM(4),
                                             .block = LAB_DIM(100),
                                             .access = access,
                                             .accesses = 2});
            expect_makespan(trace, "sum_join 7 us\nthread_rate 1000 GB/s\n",
                            (large ? 1 : 0.004) + (large && own ? 7 : 0));
        }
}

Test(model, adds_what_each_argument_of_a_launch_costs)
{
    lab_trace *trace = sample_streams(2);
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL,
                                     .name = "c",
                                     .arguments = "0x40 00000001",
                                     .stream = 2,
                                     .grid = LAB_DIM(1),
                                     .block = LAB_DIM(100)});
    expect_makespan(trace, "launch_call 1 us\nlaunch_argument 2 us\ncomputing c 10 us 40 us\n", 15);
}

Test(model, ends_in_total_when_the_last_call_has_returned)
{
    lab_model *model = model_of(depth_first(1, LAB_HOST_PINNED), "wait_call 4 us\n");
    cr_assert_float_eq(model->makespan_ms * 1e3, 12, 1e-6);
    cr_assert_float_eq(model->total_ms * 1e3, 16, 1e-6);
    lab_model_free(model);
}

Test(model, adds_what_the_hosts_calls_cost)
{
    lab_trace *trace = sample_streams(3);
    sample_in(trace, 2, 1, LAB_HOST_PINNED);
    sample_in(trace, 3, 2, LAB_HOST_PINNED);
    expect_makespan(trace, "copy_call 5 us\n", 11);
}

Test(model, lets_the_calls_of_other_threads_go_on)
{
    lab_trace *trace = sample_streams(3);
    sample_kernel(trace, 2, 1);
    sample_stream_sync(trace, 2);
    const lab_trace_access access = {90000, 1000, .writes = true};
    sample_add(trace, (lab_trace_op){.kind = LAB_OP_KERNEL,
                                     .name = "k",
                                     .thread = 2,
                                     .stream = 3,
                                     .grid = LAB_DIM(1),
                                     .block = LAB_DIM(1),
                                     .access = &access,
                                     .accesses = 1});
    expect_makespan(trace, NULL, 30);
}

Test(model, makes_a_call_only_after_the_call_of_another_thread_that_it_waits_for)
{
    lab_trace *trace = sample_streams(3);
    sample_kernel(trace, 2, 1);
    sample_stream_sync(trace, 2);
    uint64_t record = sample_event_record(trace, 2);
    sample_add(trace,
               (lab_trace_op){.kind = LAB_OP_EVENT_WAIT, .thread = 2, .stream = 3, .waits_for = &record, .waits = 1});
    lab_model *model = model_of(trace, NULL);
    cr_assert_eq(model->trace->op[3].call_ns, 30000);
    lab_model_free(model);
}

Test(model, counts_every_array_as_much_larger_as_asked)
{
    lab_trace *trace = one_by_one(1, LAB_HOST_PINNED);
    lab_profile *profile = profile_with(NULL);
    lab_model *model;
    cr_assert_eq(lab_model_run(&model, trace, profile, &(lab_model_options){.scale = 10}), LAB_SUCCESS);
    cr_assert_float_eq(model->makespan_ms, 0.120, 1e-9);
    cr_assert_eq(model->trace->op[0].bytes, 10000);
    lab_model_free(model);
    lab_profile_free(profile);
    lab_trace_free(trace);
}

Test(model, gives_the_same_figure_whatever_was_measured)
{
    lab_trace *trace = depth_first(5, LAB_HOST_PINNED);
    for (size_t i = 0; i < trace->ops; i++) {
        trace->op[i].call_ns = trace->op[i].return_ns = 1000 * (int64_t)i;
        trace->op[i].start_ns = 77777 * (int64_t)i;
        trace->op[i].end_ns = 99999 * (int64_t)i;
    }
    lab_model *measured = model_of(trace, NULL), *without = model_of(depth_first(5, LAB_HOST_PINNED), NULL);
    cr_assert_float_eq(measured->makespan_ms, without->makespan_ms, 0);
    lab_model_free(measured);
    lab_model_free(without);
}

Test(model, of_a_record_without_work_is_empty)
{
    lab_trace *trace = sample_streams(2);
    sample_stream_sync(trace, 2);
    lab_model *model = model_of(trace, NULL);
    cr_assert_float_eq(model->makespan_ms, 0, 0);
    cr_assert_eq(model->steps, 0);
    cr_assert_str_eq(model->advice, "nothing ran on the device");
    lab_model_free(model);
}

Test(model, refuses_arguments_that_make_no_sense)
{
    lab_trace *trace = sample_streams(2);
    lab_profile *profile = profile_with(NULL);
    lab_model *model;
    cr_assert_eq(lab_model_run(NULL, trace, profile, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_model_run(&model, NULL, profile, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_model_run(&model, trace, NULL, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_model_run(&model, trace, profile, &(lab_model_options){.scale = -1}), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_model_run(&model, trace, profile, &(lab_model_options){.scale = NAN}), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_model_run(&model, trace, profile, &(lab_model_options){.host_work_us = -1}),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_null(model);
    lab_profile_free(profile);
    lab_trace_free(trace);
}

/* --- Critical path and advice ----------------------------------------------------------------------------------- */

/* Asserts that the path has no gaps and is as long as the run. */
static void expect_whole_path(const lab_model *model)
{
    int64_t at = model->steps ? model->step[0].from_ns : 0;
    const int64_t begin = at;
    for (size_t i = 0; i < model->steps; i++) {
        cr_assert_eq(model->step[i].from_ns, at, "step %zu begins at %ld, not %ld", i, (long)model->step[i].from_ns,
                     (long)at);
        cr_assert_geq(model->step[i].to_ns, at);
        at = model->step[i].to_ns;
    }
    cr_assert_float_eq((double)(at - begin) / 1e6, model->makespan_ms, 1e-9);
}

Test(model, critical_path_leads_from_the_first_call_to_the_last_result)
{
    lab_model *model = model_of(depth_first(2, LAB_HOST_PINNED), "launch_call 1 us\ncopy_call 1 us\n");
    expect_whole_path(model);
    cr_assert(model->step[0].host, "it begins with the host");
    cr_assert_eq(model->step[model->steps - 1].op, 5, "it ends with the last copy out");
    lab_model_free(model);
}

Test(model, critical_path_leads_through_waits_of_the_host)
{
    lab_model *model = model_of(one_by_one(2, LAB_HOST_PINNED), "wait_call 1 us\ncopy_call 1 us\n");
    size_t waiting = 0;
    expect_whole_path(model);
    for (size_t i = 0; i < model->steps; i++)
        waiting += model->step[i].host && model->trace->op[model->step[i].op].kind == LAB_OP_STREAM_SYNC;
    cr_assert_eq(waiting, 1, "the wait between the arrays");
    lab_model_free(model);
}

static void expect_advice(lab_trace *trace, const char *words)
{
    lab_model *model = model_of(trace, NULL);
    cr_assert_not_null(strstr(model->advice, words), "%s", model->advice);
    cr_assert_not_null(strstr(model->advice, model->label), "%s", model->advice);
    cr_assert_lt(model->advised_ms, model->makespan_ms);
    lab_model_free(model);
}

Test(model, advises_to_enqueue_before_waiting)
{
    lab_trace *trace = sample_streams(9);
    for (uint64_t k = 1; k <= 8; k++) {
        sample_kernel(trace, k + 1, k);
        sample_stream_sync(trace, k + 1);
    }
    expect_advice(trace, "enqueue everything before the host waits for any of it (lab.c:2): 30.0 us instead of 240 us");
}

Test(model, advises_to_pin)
{
    expect_advice(depth_first(8, LAB_HOST_PAGEABLE), "pin the host memory of the copies (lab.c:");
}

Test(model, advises_to_use_streams)
{
    lab_trace *trace = sample_streams(2);
    for (uint64_t k = 1; k <= 8; k++) sample_kernel(trace, 2, k);
    expect_advice(trace, "do not make work wait for work with which it shares no memory: use separate streams, and no "
                         "event between them (lab.c:");
}

Test(model, advises_all_that_is_needed_together)
{
    lab_trace *trace = one_by_one(8, LAB_HOST_PAGEABLE);
    lab_model *model = model_of(trace, NULL);
    cr_assert_not_null(strstr(model->advice, "enqueue everything"), "%s", model->advice);
    cr_assert_not_null(strstr(model->advice, "; then pin"), "%s", model->advice);
    cr_assert_not_null(strstr(model->advice, "; then do not make work"), "%s", model->advice);
    cr_assert_float_eq(model->best_ms, model->advised_ms, 1e-9);
    lab_model_free(model);
}

Test(model, advises_nothing_where_the_work_itself_is_the_bound)
{
    lab_model *model = model_of(depth_first(4, LAB_HOST_PINNED), NULL);
    cr_assert_not_null(strstr(model->advice, "little more to give: kernels are"), "%s", model->advice);
    lab_model_free(model);
}

Test(model, keeps_the_order_of_work_on_the_same_memory_when_it_asks_for_more_streams)
{
    lab_trace *trace = sample_streams(2);
    for (int k = 0; k < 4; k++) sample_kernel(trace, 2, 1);
    lab_model *model = model_of(trace, NULL);
    cr_assert_float_eq(model->best_ms, model->makespan_ms, 0);
    lab_model_free(model);
}

Test(model, keeps_a_write_behind_the_read_before_it_when_it_asks_for_more_streams)
{
    lab_trace *trace = sample_streams(2);
    sample_out(trace, 2, 1, LAB_HOST_PINNED);
    sample_in(trace, 2, 1, LAB_HOST_PINNED);
    lab_model *model = model_of(trace, NULL);
    cr_assert_float_eq(model->best_ms, 0.002, 1e-9);
    lab_model_free(model);
    trace = sample_streams(2);
    sample_out(trace, 2, 1, LAB_HOST_PINNED);
    sample_in(trace, 2, 2, LAB_HOST_PINNED);
    model = model_of(trace, NULL);
    cr_assert_float_eq(model->best_ms, 0.001, 1e-9, "other memory could go beside it");
    lab_model_free(model);
}

/* --- Labels ----------------------------------------------------------------------------------------------------- */

Test(model, labels_every_figure)
{
    lab_model *model = model_of(depth_first(3, LAB_HOST_PAGEABLE), NULL);
    char *text, *timeline;
    cr_assert_str_eq(model->label, "modelled on plain");
    cr_assert_eq(lab_model_text(&text, model, 60, true), LAB_SUCCESS);
    cr_assert_eq(lab_timeline_text(&timeline, model->trace, NULL), LAB_SUCCESS);
    cr_assert_not_null(strstr(timeline, "modelled on plain"), "%s", timeline);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        cr_assert_leq(strlen(line), 60, "%s", line);
        bool figure =
            strncmp(line, "makespan", 8) == 0 || strncmp(line, "best", 4) == 0 || strncmp(line, "one after", 9) == 0;
        if (figure) cr_assert_not_null(strstr(line, "modelled on plain"), "%s", line);
    }
    free(text);
    free(timeline);
    lab_model_free(model);
}

/* --- Any record ------------------------------------------------------------------------------------------------- */

static uint32_t state;
static uint32_t any(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

/* Threads, streams, events, waits and copies at random. */
static lab_trace *random_record(void)
{
    const uint64_t streams = 2 + any(6);
    lab_trace *trace = sample_streams((int)streams);
    for (int i = 0; i < 120; i++) {
        static const lab_op_kind kinds[] = {
            LAB_OP_KERNEL,        LAB_OP_COPY_HTOD,    LAB_OP_COPY_DTOH,    LAB_OP_COPY_DTOD,   LAB_OP_FILL,
            LAB_OP_EVENT_RECORD,  LAB_OP_EVENT_WAIT,   LAB_OP_STREAM_SYNC,  LAB_OP_EVENT_SYNC,  LAB_OP_DEVICE_SYNC,
            LAB_OP_HOST_FUNCTION, LAB_OP_GRAPH_LAUNCH, LAB_OP_STREAM_QUERY, LAB_OP_EVENT_QUERY, LAB_OP_MARK};
        const lab_op_kind kind = kinds[any(sizeof kinds / sizeof *kinds)];
        const uint64_t before = trace->ops ? 1 + any((uint32_t)trace->ops) : 0;
        const lab_trace_access access = {1000 * any(9), 500 + any(2000), .reads = any(2), .writes = any(2)};
        bool sync = kind == LAB_OP_STREAM_SYNC || kind == LAB_OP_EVENT_SYNC || kind == LAB_OP_DEVICE_SYNC;
        sample_add(
            trace,
            (lab_trace_op){.kind = kind,
                           .name = any(2) ? "k" : "other",
                           .thread = 1 + any(3),
                           .stream = kind == LAB_OP_DEVICE_SYNC || kind == LAB_OP_MARK ? 0 : 1 + any((uint32_t)streams),
                           .bytes = any(5000),
                           .host_memory = (lab_host_memory)any(3),
                           .grid = LAB_DIM(1 + any(9)),
                           .block = LAB_DIM(1 + any(90)),
                           .host_waits = sync || any(12) == 0,
                           .access = &access,
                           .accesses = 1,
                           .waits_for = &before,
                           .waits = before && any(3) == 0});
    }
    return trace;
}

Test(model, ends_and_keeps_the_order_for_any_record)
{
    for (uint32_t seed = 1; seed <= 300; seed++) {
        state = seed;
        lab_trace *trace = random_record();
        static const char *const devices[] = {NULL, "queues 1\nqueue_turn 3 us\n",
                                              "copy_engines 1\nkernels_at_once 2\ncopy_call 1 us\n"};
        lab_model *model = model_of(trace, devices[seed % 3]);
        const lab_trace *ran = model->trace;
        int64_t last_of_stream[16] = {0};
        for (size_t i = 0; i < ran->ops; i++) {
            const lab_trace_op *op = &ran->op[i];
            if (!lab_op_is_stream_work(op->kind) || !op->stream) continue;
            cr_assert_geq(op->end_ns, op->start_ns, "seed %u: operation %zu did not end", seed, i + 1);
            cr_assert_geq(op->start_ns, last_of_stream[op->stream],
                          "seed %u: operation %zu (%s) begins at %ld and overtakes its stream, %ld", seed, i + 1,
                          lab_op_kind_name(op->kind), (long)op->start_ns, (long)last_of_stream[op->stream]);
            for (int w = 0; w < op->waits; w++) {
                const lab_trace_op *first = &ran->op[op->waits_for[w] - 1];
                if (lab_op_is_stream_work(first->kind))
                    cr_assert_geq(op->start_ns, first->end_ns, "seed %u: operation %zu", seed, i + 1);
            }
            last_of_stream[op->stream] = op->end_ns;
        }
        expect_whole_path(model);
        cr_assert_leq(model->best_ms, model->makespan_ms);
        lab_model_free(model);
    }
}
