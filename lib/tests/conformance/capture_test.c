/* Capture: which calls a capture forbids, what they do to it, and what events and forks mean in it (cuda.h, "Stream
 * Management": cuStreamBeginCapture, cuThreadExchangeStreamCaptureMode, cuStreamEndCapture, cuStreamIsCapturing; the
 * statuses are those that a GPU with driver 13.0 gives). */
#include "alone.h"
#include "gate.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 64 };

/* The objects of every test here: a blocking and a non-blocking stream, a stream for forks, an event, device memory. */
typedef struct scene {
    lab_stream *stream, *fork, *free_stream;
    lab_event *event, *joined;
    lab_deviceptr memory;
} scene;

static scene make_scene(void)
{
    scene made;
    LAB_CHECK(lab_stream_create(&made.stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_create(&made.fork, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_create(&made.free_stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&made.event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_create(&made.joined, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_mem_alloc(&made.memory, BYTES));
    return made;
}

static scene begin(lab_capture_mode mode)
{
    scene made = make_scene();
    LAB_CHECK(lab_stream_begin_capture(made.stream, mode));
    return made;
}

static lab_capture_status status_of(lab_stream *stream)
{
    lab_capture_status status;
    LAB_CHECK(lab_stream_is_capturing(&status, stream));
    return status;
}

static lab_status fill(const scene *stage, lab_stream *stream)
{
    return lab_memset_async(stage->memory, 1, BYTES, stream);
}

static lab_status end(lab_stream *stream, int *nodes)
{
    lab_graph *graph = (lab_graph *)&graph;
    const lab_graph_node *node;
    lab_status status = lab_stream_end_capture(&graph, stream);
    if (status != LAB_SUCCESS) {
        cr_assert_null(graph, "a capture that failed gives no graph");
        return status;
    }
    LAB_CHECK(lab_graph_get_nodes(&node, nodes, graph));
    LAB_CHECK(lab_graph_destroy(graph));
    return LAB_SUCCESS;
}

/* The capture is valid, and ends with this number of nodes. */
static void assert_ends(const scene *stage, int nodes)
{
    int found = -1;
    cr_assert_eq(status_of(stage->stream), LAB_CAPTURE_ACTIVE);
    cr_assert_eq(end(stage->stream, &found), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(found, nodes, "%d nodes", found);
    cr_assert_eq(status_of(stage->stream), LAB_CAPTURE_NONE);
}

/* The capture is invalid; its streams accept nothing until it ends, and work normally afterwards. */
static void assert_invalidated(const scene *stage)
{
    cr_assert_eq(status_of(stage->stream), LAB_CAPTURE_INVALIDATED);
    cr_assert_eq(fill(stage, stage->stream), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
    cr_assert_eq(end(stage->stream, NULL), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
    cr_assert_eq(status_of(stage->stream), LAB_CAPTURE_NONE);
    cr_assert_eq(fill(stage, stage->stream), LAB_SUCCESS);
    cr_assert_eq(lab_stream_synchronize(stage->stream), LAB_SUCCESS);
}

static void fork_from(const scene *stage)
{
    LAB_CHECK(fill(stage, stage->stream));
    LAB_CHECK(lab_event_record(stage->event, stage->stream));
    LAB_CHECK(lab_stream_wait_event(stage->fork, stage->event));
}

/* --- Beginning and ending ----------------------------------------------------------------------------------- */

/* cuda.h, Stream Management: cuStreamBeginCapture. */
Test(capture, cannot_begin_on_the_null_stream)
{
    cr_assert_eq(lab_stream_begin_capture(lab_stream_null(), LAB_CAPTURE_RELAXED),
                 LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_eq(lab_stream_begin_capture(NULL, LAB_CAPTURE_RELAXED), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                 "NULL is the current stream, here the null stream");
}

/* cuda.h, Stream Management: cuStreamBeginCapture. */
Test(capture, can_begin_on_a_threads_default_stream)
{
    int nodes;
    LAB_CHECK(lab_stream_begin_capture(lab_stream_per_thread(), LAB_CAPTURE_GLOBAL));
    cr_assert_eq(end(lab_stream_per_thread(), &nodes), LAB_SUCCESS);
}

/* cuda.h, Stream Management: cuStreamBeginCapture. */
Test(capture, mode_must_be_one_of_three)
{
    scene stage = make_scene();
    cr_assert_eq(lab_stream_begin_capture(stage.stream, (lab_capture_mode)7), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_begin_capture(stage.stream, (lab_capture_mode)-1), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(status_of(stage.stream), LAB_CAPTURE_NONE);
}

/* cuda.h, Stream Management: cuStreamEndCapture. */
Test(capture, that_never_began_cannot_end)
{
    scene stage = make_scene();
    cr_assert_eq(end(stage.stream, NULL), LAB_ERROR_ILLEGAL_STATE);
}

/* cuda.h, Stream Management: cuStreamBeginCapture. */
Test(capture, beginning_twice_is_refused_and_harmless)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    cr_assert_eq(lab_stream_begin_capture(stage.stream, LAB_CAPTURE_RELAXED), LAB_ERROR_ILLEGAL_STATE);
    assert_ends(&stage, 0);
}

/* cuda.h, Stream Management: cuStreamBeginCapture. */
Test(capture, cannot_begin_on_a_fork_of_another)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    fork_from(&stage);
    cr_assert_eq(lab_stream_begin_capture(stage.fork, LAB_CAPTURE_RELAXED), LAB_ERROR_ILLEGAL_STATE);
    assert_ends(&stage, 1);
}

/* cuda.h, Stream Management: cuStreamEndCapture. */
Test(capture, ends_on_the_stream_where_it_began)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    fork_from(&stage);
    cr_assert_eq(end(stage.fork, NULL), LAB_ERROR_STREAM_CAPTURE_UNMATCHED);
    assert_invalidated(&stage);
}

typedef struct ending {
    lab_stream *stream;
    lab_status status;
} ending;

static void *end_there(void *user)
{
    ending *result = user;
    int nodes;
    result->status = end(result->stream, &nodes);
    return NULL;
}

static lab_status end_on_another_thread(lab_stream *stream)
{
    pthread_t thread;
    ending result = {stream, LAB_SUCCESS};
    pthread_create(&thread, NULL, end_there, &result);
    pthread_join(thread, NULL);
    return result.status;
}

/* cuda.h, Stream Management: cuStreamEndCapture. */
Test(capture, another_thread_may_not_end_it_and_drops_it)
{
    for (int mode = LAB_CAPTURE_GLOBAL; mode <= LAB_CAPTURE_THREAD_LOCAL; mode++) {
        scene stage = begin((lab_capture_mode)mode);
        cr_assert_eq(end_on_another_thread(stage.stream), LAB_ERROR_STREAM_CAPTURE_WRONG_THREAD);
        cr_assert_eq(status_of(stage.stream), LAB_CAPTURE_NONE);
        cr_assert_eq(end(stage.stream, NULL), LAB_ERROR_ILLEGAL_STATE);
    }
}

/* cuda.h, Stream Management: cuStreamEndCapture. */
Test(capture, another_thread_may_end_a_relaxed_one)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    cr_assert_eq(end_on_another_thread(stage.stream), LAB_SUCCESS);
    cr_assert_eq(status_of(stage.stream), LAB_CAPTURE_NONE);
}

/* --- What is captured --------------------------------------------------------------------------------------- */

/* cuda.h, Stream Management: cuStreamBeginCapture. */
Test(capture, operations_do_not_run)
{
    scene stage = make_scene();
    unsigned char host[BYTES] = {0};
    LAB_CHECK(lab_memset_async(stage.memory, 7, BYTES, stage.free_stream));
    LAB_CHECK(lab_stream_synchronize(stage.free_stream));
    LAB_CHECK(lab_stream_begin_capture(stage.stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(fill(&stage, stage.stream));
    assert_ends(&stage, 1);
    LAB_CHECK(lab_stream_synchronize(stage.stream));
    LAB_CHECK(lab_memcpy_dtoh(host, stage.memory, BYTES));
    cr_assert_eq(host[0], 7, "the fill ran: %d", host[0]);
}

/* cuda.h, Stream Management: cuStreamBeginCapture. */
Test(capture, begins_while_earlier_work_is_pending)
{
    gate closed = GATE_CLOSED;
    scene stage = make_scene();
    gate_close_stream(&closed, stage.stream);
    LAB_CHECK(lab_stream_begin_capture(stage.stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(fill(&stage, stage.stream));
    assert_ends(&stage, 1);
    cr_assert_eq(lab_stream_query(stage.stream), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stage.stream));
}

static void count_call(void *user) { ++*(int *)user; }

/* CUDA C++ Programming Guide, CUDA Graphs: nodes and edges of a capture. */
Test(capture, copies_of_pageable_memory_and_host_functions_are_nodes)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    unsigned char host[BYTES];
    int calls = 0;
    cr_assert_eq(lab_memcpy_htod_async(stage.memory, host, BYTES, stage.stream), LAB_SUCCESS);
    cr_assert_eq(lab_memcpy_dtoh_async(host, stage.memory, BYTES, stage.stream), LAB_SUCCESS);
    cr_assert_eq(lab_stream_launch_host_func(stage.stream, count_call, &calls), LAB_SUCCESS);
    assert_ends(&stage, 3);
    cr_assert_eq(calls, 0);
}

static void note_callback(lab_stream *stream, lab_status status, void *user)
{
    (void)stream, (void)status;
    count_call(user);
}

/* cuda.h, Stream Management: cuStreamAddCallback. */
Test(capture, callbacks_cannot_be_captured)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    int calls = 0;
    cr_assert_eq(lab_stream_add_callback(stage.stream, note_callback, &calls), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_invalidated(&stage);
    cr_assert_eq(calls, 0);
}

/* CUDA C++ Programming Guide, CUDA Graphs: nodes and edges of a capture. */
Test(capture, an_event_record_is_not_a_node)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    LAB_CHECK(lab_event_record(stage.event, stage.stream));
    assert_ends(&stage, 0);
}

/* --- Waiting and querying ----------------------------------------------------------------------------------- */

/* CUDA C++ Programming Guide, CUDA Graphs: prohibited and unhandled operations. */
Test(capture, synchronizing_the_stream_invalidates)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    cr_assert_eq(lab_stream_synchronize(stage.stream), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_invalidated(&stage);
}

/* CUDA C++ Programming Guide, CUDA Graphs: prohibited and unhandled operations. */
Test(capture, querying_the_stream_invalidates)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    cr_assert_eq(lab_stream_query(stage.stream), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_invalidated(&stage);
}

/* CUDA C++ Programming Guide, CUDA Graphs: prohibited and unhandled operations. */
Test(capture, synchronizing_a_fork_invalidates)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    fork_from(&stage);
    cr_assert_eq(lab_stream_synchronize(stage.fork), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_eq(status_of(stage.fork), LAB_CAPTURE_INVALIDATED);
    assert_invalidated(&stage);
    cr_assert_eq(status_of(stage.fork), LAB_CAPTURE_NONE);
}

/* CUDA C++ Programming Guide, CUDA Graphs: prohibited and unhandled operations. */
Test(capture, synchronizing_the_device_invalidates_even_a_relaxed_non_blocking_one)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_invalidated(&stage);
    LAB_CHECK(lab_stream_begin_capture(stage.free_stream, LAB_CAPTURE_RELAXED));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_eq(end(stage.free_stream, NULL), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
    cr_assert_eq(lab_device_synchronize(), LAB_SUCCESS);
}

/* --- Calls that a capture does not see ---------------------------------------------------------------------- */

static lab_status synchronize_other(scene *stage) { return lab_stream_synchronize(stage->free_stream); }
static lab_status query_other(scene *stage) { return lab_stream_query(stage->free_stream); }
static lab_status query_event(scene *stage) { return lab_event_query(stage->event); }
static lab_status synchronize_event(scene *stage) { return lab_event_synchronize(stage->event); }

static lab_status allocate(scene *stage)
{
    (void)stage;
    lab_deviceptr memory;
    LAB_TRY(lab_mem_alloc(&memory, BYTES));
    lab_capture_mode mode = LAB_CAPTURE_RELAXED;
    LAB_CHECK(lab_thread_exchange_capture_mode(&mode));
    lab_status status = lab_mem_free(memory);
    LAB_CHECK(lab_thread_exchange_capture_mode(&mode));
    return status;
}

static lab_status free_memory(scene *stage)
{
    lab_status status = lab_mem_free(stage->memory);
    if (status != LAB_SUCCESS) return status;
    lab_capture_mode mode = LAB_CAPTURE_RELAXED;
    LAB_CHECK(lab_thread_exchange_capture_mode(&mode));
    status = lab_mem_alloc(&stage->memory, BYTES);
    LAB_CHECK(lab_thread_exchange_capture_mode(&mode));
    return status;
}

static lab_status allocate_pinned(scene *stage)
{
    (void)stage;
    void *memory;
    LAB_TRY(lab_host_alloc(&memory, BYTES));
    return lab_host_free(memory);
}

static lab_status register_memory(scene *stage)
{
    (void)stage;
    static unsigned char memory[BYTES];
    LAB_TRY(lab_host_register(memory, BYTES));
    return lab_host_unregister(memory);
}

typedef lab_status (*unsafe_call)(scene *stage);
static const unsafe_call unsafe[] = {synchronize_other, query_other, query_event,     synchronize_event,
                                     allocate,          free_memory, allocate_pinned, register_memory};
enum { UNSAFE_CALLS = sizeof unsafe / sizeof unsafe[0] };

static void record_outside(scene *stage)
{
    LAB_CHECK(lab_event_record(stage->event, stage->free_stream));
    LAB_CHECK(lab_stream_synchronize(stage->free_stream));
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(capture, unsafe_calls_of_its_thread_invalidate_unless_it_is_relaxed)
{
    for (int mode = LAB_CAPTURE_GLOBAL; mode <= LAB_CAPTURE_THREAD_LOCAL; mode++)
        for (int i = 0; i < UNSAFE_CALLS; i++) {
            scene stage = make_scene();
            record_outside(&stage);
            LAB_CHECK(lab_stream_begin_capture(stage.stream, (lab_capture_mode)mode));
            cr_assert_eq(unsafe[i](&stage), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED, "call %d in mode %d", i, mode);
            assert_invalidated(&stage);
        }
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(capture, unsafe_calls_are_allowed_in_a_relaxed_one)
{
    scene stage = make_scene();
    record_outside(&stage);
    LAB_CHECK(lab_stream_begin_capture(stage.stream, LAB_CAPTURE_RELAXED));
    for (int i = 0; i < UNSAFE_CALLS; i++)
        cr_assert_eq(unsafe[i](&stage), LAB_SUCCESS, "call %d: %s", i, lab_error_message());
    assert_ends(&stage, 0);
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(capture, a_refused_free_leaves_the_memory_allocated)
{
    scene stage = make_scene();
    static unsigned char pageable[BYTES];
    void *pinned;
    LAB_CHECK(lab_host_alloc(&pinned, BYTES));
    LAB_CHECK(lab_host_register(pageable, BYTES));
    LAB_CHECK(lab_stream_begin_capture(stage.stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_mem_free(stage.memory), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_eq(lab_host_free(pinned), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_eq(lab_host_unregister(pageable), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_invalidated(&stage);
    cr_assert_eq(lab_mem_free(stage.memory), LAB_SUCCESS);
    cr_assert_eq(lab_host_free(pinned), LAB_SUCCESS);
    cr_assert_eq(lab_host_unregister(pageable), LAB_SUCCESS);
}

typedef struct visitor {
    scene *stage;
    lab_capture_mode mode;
    lab_status allocated, synchronized;
} visitor;

static void *visit(void *user)
{
    visitor *guest = user;
    LAB_CHECK(lab_thread_exchange_capture_mode(&guest->mode));
    guest->allocated = allocate(guest->stage);
    guest->synchronized = synchronize_other(guest->stage);
    return NULL;
}

/* The results of calls by a thread of the given mode while this thread captures. */
static visitor visit_capture(scene *stage, lab_capture_mode mode)
{
    pthread_t thread;
    visitor sent = {.stage = stage, .mode = mode};
    pthread_create(&thread, NULL, visit, &sent);
    pthread_join(thread, NULL);
    return sent;
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(capture, a_global_one_forbids_unsafe_calls_of_other_threads)
{
    scene stage = begin(LAB_CAPTURE_GLOBAL);
    visitor told = visit_capture(&stage, LAB_CAPTURE_GLOBAL);
    cr_assert_eq(told.allocated, LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_eq(told.synchronized, LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED, "an invalid capture forbids them still");
    assert_invalidated(&stage);
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(capture, a_thread_local_or_relaxed_one_does_not_mind_other_threads)
{
    for (int mode = LAB_CAPTURE_THREAD_LOCAL; mode <= LAB_CAPTURE_RELAXED; mode++) {
        scene stage = begin((lab_capture_mode)mode);
        visitor told = visit_capture(&stage, LAB_CAPTURE_GLOBAL);
        cr_assert_eq(told.allocated, LAB_SUCCESS);
        cr_assert_eq(told.synchronized, LAB_SUCCESS);
        assert_ends(&stage, 0);
    }
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(capture, a_threads_own_mode_frees_it_from_the_captures_of_others)
{
    for (int mode = LAB_CAPTURE_THREAD_LOCAL; mode <= LAB_CAPTURE_RELAXED; mode++) {
        scene stage = begin(LAB_CAPTURE_GLOBAL);
        cr_assert_eq(visit_capture(&stage, (lab_capture_mode)mode).allocated, LAB_SUCCESS);
        assert_ends(&stage, 0);
    }
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(capture, exchanging_the_mode_gives_the_one_before)
{
    lab_capture_mode mode = LAB_CAPTURE_RELAXED;
    LAB_CHECK(lab_thread_exchange_capture_mode(&mode));
    cr_assert_eq(mode, LAB_CAPTURE_GLOBAL);
    scene stage = begin(LAB_CAPTURE_GLOBAL);
    cr_assert_eq(allocate(&stage), LAB_SUCCESS, "a relaxed thread is free of its own capture's rule too");
    LAB_CHECK(lab_thread_exchange_capture_mode(&mode));
    cr_assert_eq(mode, LAB_CAPTURE_RELAXED);
    mode = (lab_capture_mode)3;
    cr_assert_eq(lab_thread_exchange_capture_mode(&mode), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_thread_exchange_capture_mode(NULL), LAB_ERROR_INVALID_VALUE);
    assert_ends(&stage, 0);
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(capture, creating_asking_for_memory_and_measuring_are_safe)
{
    scene stage = make_scene();
    lab_stream *stream;
    lab_event *event;
    size_t free_bytes, total_bytes;
    float milliseconds;
    record_outside(&stage);
    LAB_CHECK(lab_stream_begin_capture(stage.stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_stream_create(&stream, LAB_STREAM_DEFAULT), LAB_SUCCESS);
    cr_assert_eq(lab_event_create(&event, LAB_EVENT_DEFAULT), LAB_SUCCESS);
    cr_assert_eq(lab_mem_get_info(&free_bytes, &total_bytes), LAB_SUCCESS);
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, stage.event, stage.event), LAB_SUCCESS);
    cr_assert_eq(lab_event_destroy(event), LAB_SUCCESS);
    cr_assert_eq(lab_stream_destroy(stream), LAB_SUCCESS);
    assert_ends(&stage, 0);
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(capture, enqueuing_on_other_streams_is_safe)
{
    gate closed = GATE_CLOSED;
    scene stage = begin(LAB_CAPTURE_GLOBAL);
    gate_close_stream(&closed, stage.free_stream);
    cr_assert_eq(lab_memset_async(stage.memory, 1, BYTES / 2, stage.free_stream), LAB_SUCCESS);
    cr_assert_eq(lab_memset_async(stage.memory + BYTES / 2, 1, BYTES / 2, stage.fork), LAB_SUCCESS);
    gate_open(&closed);
    assert_ends(&stage, 0);
    LAB_CHECK(lab_stream_synchronize(stage.free_stream));
}

/* --- The null stream ---------------------------------------------------------------------------------------- */

static lab_status fill_null(scene *stage) { return fill(stage, lab_stream_null()); }
static lab_status query_null(scene *stage) { return (void)stage, lab_stream_query(lab_stream_null()); }
static lab_status synchronize_null(scene *stage) { return (void)stage, lab_stream_synchronize(lab_stream_null()); }
static lab_status record_null(scene *stage) { return lab_event_record(stage->joined, lab_stream_null()); }

static lab_status copy_in(scene *stage)
{
    unsigned char host[BYTES] = {0};
    return lab_memcpy_htod(stage->memory, host, BYTES);
}

static lab_status copy_out(scene *stage)
{
    unsigned char host[BYTES];
    return lab_memcpy_dtoh(host, stage->memory, BYTES);
}

static const unsafe_call of_null[] = {fill_null, query_null, synchronize_null, record_null, copy_in, copy_out};
enum { NULL_CALLS = sizeof of_null / sizeof of_null[0] };

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT. */
Test(capture, of_a_blocking_stream_forbids_the_null_stream)
{
    for (int i = 0; i < NULL_CALLS; i++) {
        scene stage = begin(LAB_CAPTURE_RELAXED);
        cr_assert_eq(of_null[i](&stage), LAB_ERROR_STREAM_CAPTURE_IMPLICIT, "call %d", i);
        assert_invalidated(&stage);
        cr_assert_eq(of_null[i](&stage), LAB_SUCCESS, "call %d after the end: %s", i, lab_error_message());
        LAB_CHECK(lab_stream_synchronize(lab_stream_null()));
    }
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT. */
Test(capture, of_a_non_blocking_stream_leaves_the_null_stream_alone)
{
    scene stage = make_scene();
    int nodes;
    LAB_CHECK(lab_stream_begin_capture(stage.free_stream, LAB_CAPTURE_RELAXED));
    for (int i = 0; i < NULL_CALLS; i++) {
        lab_status status = of_null[i](&stage);
        cr_assert(status == LAB_SUCCESS || (of_null[i] == query_null && status == LAB_ERROR_NOT_READY), "call %d: %s",
                  i, lab_error_message());
    }
    cr_assert_eq(end(stage.free_stream, &nodes), LAB_SUCCESS);
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(capture, synchronous_copies_are_safe_beside_a_global_one_of_a_non_blocking_stream)
{
    scene stage = make_scene();
    int nodes;
    LAB_CHECK(lab_stream_begin_capture(stage.free_stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(copy_in(&stage), LAB_SUCCESS);
    cr_assert_eq(copy_out(&stage), LAB_SUCCESS);
    cr_assert_eq(end(stage.free_stream, &nodes), LAB_SUCCESS);
}

/* cuda.h, Stream Management: cuStreamIsCapturing. */
Test(capture, asking_whether_the_null_stream_captures_is_refused_and_harmless)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    lab_capture_status status;
    cr_assert_eq(lab_stream_is_capturing(&status, lab_stream_null()), LAB_ERROR_STREAM_CAPTURE_IMPLICIT);
    assert_ends(&stage, 0);
    cr_assert_eq(status_of(lab_stream_null()), LAB_CAPTURE_NONE);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT. */
Test(capture, the_null_stream_cannot_wait_for_an_event_of_one)
{
    scene stage = make_scene();
    LAB_CHECK(lab_stream_begin_capture(stage.free_stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_event_record(stage.event, stage.free_stream));
    cr_assert_eq(lab_stream_wait_event(lab_stream_null(), stage.event), LAB_ERROR_STREAM_CAPTURE_IMPLICIT);
    cr_assert_eq(end(stage.free_stream, NULL), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
}

/* --- Forks and events --------------------------------------------------------------------------------------- */

/* CUDA C++ Programming Guide, CUDA Graphs: cross-stream dependencies and events. */
Test(capture, a_stream_that_waits_for_an_event_of_one_captures_too)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    fork_from(&stage);
    cr_assert_eq(status_of(stage.fork), LAB_CAPTURE_ACTIVE);
    LAB_CHECK(fill(&stage, stage.fork));
    LAB_CHECK(lab_event_record(stage.joined, stage.fork));
    LAB_CHECK(lab_stream_wait_event(stage.stream, stage.joined));
    LAB_CHECK(fill(&stage, stage.stream));
    assert_ends(&stage, 3);
    cr_assert_eq(status_of(stage.fork), LAB_CAPTURE_NONE);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_STREAM_CAPTURE_UNJOINED. */
Test(capture, a_fork_with_work_must_be_joined)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    fork_from(&stage);
    LAB_CHECK(fill(&stage, stage.fork));
    cr_assert_eq(end(stage.stream, NULL), LAB_ERROR_STREAM_CAPTURE_UNJOINED);
    if (memory_is_ours())
        cr_assert_not_null(strstr(lab_error_message(), "; the fork is at capture_test.c:"), "%s", lab_error_message());
    cr_assert_eq(status_of(stage.stream), LAB_CAPTURE_NONE);
    cr_assert_eq(status_of(stage.fork), LAB_CAPTURE_NONE);
    cr_assert_eq(fill(&stage, stage.fork), LAB_SUCCESS);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_STREAM_CAPTURE_UNJOINED. */
Test(capture, work_on_a_fork_after_the_join_is_not_joined)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    fork_from(&stage);
    LAB_CHECK(fill(&stage, stage.fork));
    LAB_CHECK(lab_event_record(stage.joined, stage.fork));
    LAB_CHECK(lab_stream_wait_event(stage.stream, stage.joined));
    LAB_CHECK(fill(&stage, stage.fork));
    cr_assert_eq(end(stage.stream, NULL), LAB_ERROR_STREAM_CAPTURE_UNJOINED);
}

/* cuda.h, Stream Management: cuStreamEndCapture. */
Test(capture, a_fork_without_work_need_not_be_joined)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    fork_from(&stage);
    assert_ends(&stage, 1);
    cr_assert_eq(status_of(stage.fork), LAB_CAPTURE_NONE);
}

/* CUDA C++ Programming Guide, CUDA Graphs: prohibited and unhandled operations. */
Test(capture, asking_for_an_event_of_one_invalidates)
{
    lab_status (*const call[])(scene *) = {query_event, synchronize_event};
    for (int i = 0; i < 2; i++) {
        scene stage = begin(LAB_CAPTURE_RELAXED);
        LAB_CHECK(fill(&stage, stage.stream));
        LAB_CHECK(lab_event_record(stage.event, stage.stream));
        cr_assert_eq(call[i](&stage), LAB_ERROR_CAPTURED_EVENT);
        cr_assert_eq(call[i](&stage), LAB_ERROR_INVALID_VALUE, "an event of an invalid capture stands for nothing");
        assert_invalidated(&stage);
    }
}

/* CUDA C++ Programming Guide, CUDA Graphs: prohibited and unhandled operations. */
Test(capture, measuring_to_an_event_of_one_is_refused_and_harmless)
{
    float milliseconds;
    scene stage = begin(LAB_CAPTURE_RELAXED);
    LAB_CHECK(lab_event_record(stage.event, stage.stream));
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, stage.event, stage.event), LAB_ERROR_CAPTURED_EVENT);
    assert_ends(&stage, 0);
}

/* cuda.h, Stream Management: cuStreamWaitEvent. */
Test(capture, an_event_of_one_that_ended_stands_for_nothing_until_it_is_recorded_again)
{
    float milliseconds;
    scene stage = begin(LAB_CAPTURE_RELAXED);
    LAB_CHECK(fill(&stage, stage.stream));
    LAB_CHECK(lab_event_record(stage.event, stage.stream));
    assert_ends(&stage, 1);
    cr_assert_eq(lab_event_query(stage.event), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_event_synchronize(stage.event), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_wait_event(stage.free_stream, stage.event), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, stage.event, stage.event), LAB_ERROR_INVALID_VALUE);
    record_outside(&stage);
    cr_assert_eq(lab_event_query(stage.event), LAB_SUCCESS);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_STREAM_CAPTURE_ISOLATION. */
Test(capture, cannot_wait_for_an_event_recorded_outside)
{
    scene stage = make_scene();
    record_outside(&stage);
    LAB_CHECK(lab_stream_begin_capture(stage.stream, LAB_CAPTURE_RELAXED));
    cr_assert_eq(lab_stream_wait_event(stage.stream, stage.event), LAB_ERROR_STREAM_CAPTURE_ISOLATION);
    assert_invalidated(&stage);
}

/* H200, measured: waiting in a capture for an event of a capture that has ended. */
Test(capture, waiting_for_an_event_of_one_that_ended_invalidates_another)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    LAB_CHECK(fill(&stage, stage.stream));
    LAB_CHECK(lab_event_record(stage.event, stage.stream));
    assert_ends(&stage, 1);
    LAB_CHECK(lab_stream_begin_capture(stage.stream, LAB_CAPTURE_RELAXED));
    cr_assert_eq(lab_stream_wait_event(stage.stream, stage.event), LAB_ERROR_INVALID_VALUE);
    assert_invalidated(&stage);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED. */
Test(capture, a_refused_unload_leaves_the_module_loaded)
{
    lab_module *module;
    lab_function nothing;
    scene stage = make_scene();
    LAB_CHECK(lab_module_load_source(&module, "extern \"C\" __global__ void nothing() {}", NULL));
    LAB_CHECK(lab_stream_begin_capture(stage.stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_module_unload(module), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    assert_invalidated(&stage);
    cr_assert_eq(lab_module_get_function(&nothing, module, "nothing"), LAB_SUCCESS);
    LAB_CHECK(lab_module_unload(module));
}

/* cuda.h, Stream Management: cuStreamWaitEvent. */
Test(capture, waiting_for_an_event_never_recorded_has_no_effect)
{
    scene stage = begin(LAB_CAPTURE_GLOBAL);
    cr_assert_eq(lab_stream_wait_event(stage.stream, stage.event), LAB_SUCCESS);
    assert_ends(&stage, 0);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_STREAM_CAPTURE_MERGE. */
Test(capture, two_cannot_become_one)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    LAB_CHECK(lab_stream_begin_capture(stage.free_stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(fill(&stage, stage.free_stream));
    LAB_CHECK(lab_event_record(stage.event, stage.free_stream));
    cr_assert_eq(lab_stream_wait_event(stage.stream, stage.event), LAB_ERROR_STREAM_CAPTURE_MERGE);
    assert_invalidated(&stage);
    cr_assert_eq(end(stage.free_stream, NULL), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_STREAM_CAPTURE_INVALIDATED. */
Test(capture, recording_in_an_invalid_one_is_refused)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    lab_stream_query(stage.stream);
    cr_assert_eq(lab_event_record(stage.event, stage.stream), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
    assert_invalidated(&stage);
}

/* cuda.h, Event Management: cuEventDestroy. */
Test(capture, destroying_an_event_of_one_is_harmless)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    fork_from(&stage);
    cr_assert_eq(lab_event_destroy(stage.event), LAB_SUCCESS);
    assert_ends(&stage, 1);
}

/* cuda.h, Stream Management: cuStreamDestroy. */
Test(capture, ends_when_its_stream_is_destroyed)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    fork_from(&stage);
    cr_assert_eq(lab_stream_destroy(stage.stream), LAB_SUCCESS);
    cr_assert_eq(status_of(stage.fork), LAB_CAPTURE_NONE);
    cr_assert_eq(fill(&stage, stage.fork), LAB_SUCCESS);
    cr_assert_eq(lab_event_query(stage.event), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(end(stage.fork, NULL), LAB_ERROR_ILLEGAL_STATE);
    cr_assert_eq(lab_device_synchronize(), LAB_SUCCESS);
}

/* cuda.h, Stream Management: cuStreamDestroy. */
Test(capture, goes_on_when_a_fork_is_destroyed)
{
    scene stage = begin(LAB_CAPTURE_RELAXED);
    fork_from(&stage);
    cr_assert_eq(lab_stream_destroy(stage.fork), LAB_SUCCESS);
    assert_ends(&stage, 1);
}

/* cuda.h, Context Management: cuCtxDestroy. */
Test(capture, ends_with_its_context)
{
    lab_context *context;
    LAB_CHECK(lab_context_create(&context, 0));
    scene stage = begin(LAB_CAPTURE_GLOBAL);
    fork_from(&stage);
    cr_assert_eq(lab_context_destroy(context), LAB_SUCCESS);
    stage = make_scene();
    cr_assert_eq(synchronize_other(&stage), LAB_SUCCESS, "no capture is left that would forbid it");
}

/* --- Bad input ---------------------------------------------------------------------------------------------- */

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE. */
Test(capture, refuses_what_it_cannot_use)
{
    scene stage = make_scene();
    lab_graph *graph;
    lab_capture_status status;
    LAB_CHECK(lab_stream_destroy(stage.fork));
    cr_assert_eq(lab_stream_begin_capture(stage.fork, LAB_CAPTURE_GLOBAL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_end_capture(&graph, stage.fork), LAB_ERROR_INVALID_HANDLE);
    cr_assert_null(graph);
    cr_assert_eq(lab_stream_is_capturing(&status, stage.fork), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_end_capture(NULL, stage.stream), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_is_capturing(NULL, stage.stream), LAB_ERROR_INVALID_VALUE);
}
