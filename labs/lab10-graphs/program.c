/* The program around the student's functions: arrays with the check's numbers, kernels, streams, events, and the graph
 * of tasks 2 and 3. */
#include "lab10.h"
#include "lab_trace.h"
#include "shared.h"
#include "worker.h"

#include <stdio.h>

enum { UNWRITTEN = -7 };

static lab10_work work;

void lab10_start(void) { lab_trace_mark(LAB10_STARTS); }

void lab10_stop(int way)
{
    char name[64];
    snprintf(name, sizeof name, LAB10_STOPS "%d", way);
    lab_trace_mark(name);
}

/* ---- before and after a call ---- */

static lab_status make_arrays(lab10_memory *shared)
{
    lab_array **array[] = {&work.x, &work.y, &work.u, &work.p, &work.q, &work.s, &work.r};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        LAB_TRY(lab_array_full(array[i], LAB_FLOAT32, LAB_SHAPE((size_t)work.count), LAB_ARG((float)UNWRITTEN)));
    LAB_TRY(lab_array_set(work.x, shared->x));
    return lab_array_set(work.y, shared->y);
}

static lab_status prepare(void *memory, const lab10_arguments *given)
{
    work = (lab10_work){.count = given->count, .steps = given->steps};
    LAB_TRY(worker_pin(memory));
    LAB_TRY(worker_runtime_kernel(&work.advance, "advance"));
    LAB_TRY(worker_runtime_kernel(&work.mix, "mix"));
    LAB_TRY(make_arrays(memory));
    LAB_TRY(worker_runtime_stream(&work.one, "one"));
    LAB_TRY(worker_runtime_stream(&work.two, "two"));
    LAB_TRY(worker_runtime_stream(&work.other, "other"));
    LAB_TRY(lab_event_create(&work.forked, LAB_EVENT_DISABLE_TIMING));
    return lab_event_create(&work.joined, LAB_EVENT_DISABLE_TIMING);
}

/* Ends the capture of a stream that was left capturing, and says whether it was. */
static lab_status end_capture(bool *captured, lab_stream *stream)
{
    lab_capture_status status;
    lab_graph *graph = NULL;
    LAB_TRY(lab_stream_is_capturing(&status, stream));
    *captured = status != LAB_CAPTURE_NONE;
    if (!*captured) return LAB_SUCCESS;
    lab_stream_end_capture(&graph, stream);
    return lab_graph_destroy(graph);
}

static lab_status finish(void)
{
    lab_array *array[] = {work.x, work.y, work.u, work.p, work.q, work.s, work.r};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) LAB_TRY(lab_array_destroy(array[i]));
    LAB_TRY(lab_event_destroy(work.forked));
    return lab_event_destroy(work.joined);
}

/* ---- a graph for tasks 2 and 3 ---- */

static lab_status launch(lab_function kernel, lab_stream *stream, lab_args args)
{
    return lab_launch(kernel, LAB10_GRID(work.count), LAB10_BLOCK, 0, stream, args);
}

WORKER_SOLVES(1) static lab_status capture(lab_graph **out)
{
    LAB_TRY(lab_stream_begin_capture(work.one, LAB_CAPTURE_GLOBAL));
    LAB_TRY(launch(work.advance, work.one, LAB_ARGS(work.u, work.x, work.count, work.steps)));
    LAB_TRY(lab_event_record(work.forked, work.one));
    LAB_TRY(lab_stream_wait_event(work.two, work.forked));
    LAB_TRY(launch(work.advance, work.one, LAB_ARGS(work.p, work.u, work.count, work.steps)));
    LAB_TRY(launch(work.mix, work.two, LAB_ARGS(work.q, work.u, work.y, work.count)));
    LAB_TRY(launch(work.advance, work.two, LAB_ARGS(work.s, work.q, work.count, work.steps)));
    LAB_TRY(lab_event_record(work.joined, work.two));
    LAB_TRY(lab_stream_wait_event(work.one, work.joined));
    LAB_TRY(launch(work.mix, work.one, LAB_ARGS(work.r, work.p, work.s, work.count)));
    return lab_stream_end_capture(out, work.one);
}

/* ---- task 1 ---- */

/* Shows in the record which streams can be used: a kernel on each that does not capture. */
static lab_status use_streams(void)
{
    lab_stream *stream[] = {work.one, work.two, work.other};
    lab_array *to[] = {work.u, work.s, work.p};
    bool captures[LAB10_STREAMS];
    for (int i = 0; i < LAB10_STREAMS; i++) LAB_TRY(end_capture(&captures[i], stream[i]));
    worker_ends(LAB_SUCCESS);
    LAB_TRY(lab_device_synchronize());
    for (int i = 0; i < LAB10_STREAMS; i++)
        if (!captures[i]) LAB_TRY(launch(work.advance, stream[i], LAB_ARGS(to[i], work.x, work.count, work.steps)));
    return lab_device_synchronize();
}

/* Calls lab10_record, and then launches its graph once. */
static lab_status run_record(void *memory, const void *arguments, void *result)
{
    lab10_memory *shared = memory;
    lab_graph *graph = NULL;
    lab_graph_exec *exec;
    (void)result;
    LAB_TRY(prepare(memory, arguments));
    LAB_TRY(lab_device_synchronize());
    LAB_TRY(worker_settle(WORKER_CALL(lab10_record(&graph, &work))));
    if (graph) {
        lab_array *array[] = {work.u, work.p, work.q, work.s, work.r};
        LAB_TRY(lab_graph_instantiate(&exec, graph));
        LAB_TRY(lab_graph_launch(exec, work.other));
        LAB_TRY(lab_device_synchronize());
        for (int i = 0; i < LAB10_RESULTS; i++) LAB_TRY(lab_array_get(array[i], shared->result[i]));
        LAB_TRY(lab_graph_exec_destroy(exec));
        LAB_TRY(lab_graph_destroy(graph));
    }
    return finish();
}

/* lab10_record with a stream that cannot capture, or with a kernel that is no kernel: its third launch fails. */
static lab_status run_record_with_a_fault(void *memory, const void *arguments, void *result)
{
    const lab10_arguments *given = arguments;
    lab10_statuses *statuses = result;
    lab_graph *graph = (lab_graph *)statuses; /* whatever was there before */
    LAB_TRY(prepare(memory, arguments));
    LAB_TRY(lab_device_synchronize());
    lab10_work faulty = work;
    if (given->null)
        faulty.one = lab_stream_null();
    else
        faulty.mix = (lab_function){0};
    worker_begins();
    statuses->status[0] = lab10_record(&graph, &faulty);
    statuses->status[1] = graph != NULL;
    LAB_TRY(use_streams());
    return finish();
}

/* ---- tasks 2 and 3 ---- */

/* A graph that is ready. */
static lab_status make_graph(lab_graph **graph)
{
    LAB_TRY(capture(graph));
    return lab_device_synchronize();
}

static lab_status finish_with_graph(lab_graph *graph)
{
    LAB_TRY(lab_graph_destroy(graph));
    return finish();
}

static lab_status run_replay(void *memory, const void *arguments, void *result)
{
    const lab10_arguments *given = arguments;
    lab10_memory *shared = memory;
    lab_graph *graph;
    (void)result;
    LAB_TRY(prepare(memory, arguments));
    worker_lend(shared->rows, (size_t)(given->rounds * given->count) * sizeof(float));
    worker_lend(shared->results, (size_t)(given->rounds * given->count) * sizeof(float));
    LAB_TRY(make_graph(&graph));
    LAB_TRY(worker_settle(WORKER_CALL(lab10_replay(shared->results, shared->rows, given->rounds, graph, &work))));
    return finish_with_graph(graph);
}

static lab_status run_follow(void *memory, const void *arguments, void *result)
{
    const lab10_arguments *given = arguments;
    const lab_shape shape = LAB_SHAPE((size_t)given->count);
    lab10_memory *shared = memory;
    lab_graph *graph;
    lab_array *from[LAB10_ARRAYS], *to[LAB10_ARRAYS];
    (void)result;
    LAB_TRY(prepare(memory, arguments));
    for (int k = 0; k < given->rounds; k++) {
        LAB_TRY(lab_array_empty(&from[k], LAB_FLOAT32, shape));
        LAB_TRY(lab_array_set(from[k], shared->from[k]));
        LAB_TRY(lab_array_full(&to[k], LAB_FLOAT32, shape, LAB_ARG((float)UNWRITTEN)));
    }
    LAB_TRY(make_graph(&graph));
    LAB_TRY(worker_settle(WORKER_CALL(lab10_follow(to, from, given->rounds, graph, &work))));
    for (int k = 0; k < given->rounds; k++) {
        LAB_TRY(lab_array_get(to[k], shared->to[k]));
        LAB_TRY(lab_array_destroy(from[k]));
        LAB_TRY(lab_array_destroy(to[k]));
    }
    return finish_with_graph(graph);
}

static lab_status run_measure(void *memory, const void *arguments, void *result)
{
    const lab10_arguments *given = arguments;
    lab10_memory *shared = memory;
    lab_graph *graph;
    (void)result;
    LAB_TRY(prepare(memory, arguments));
    LAB_TRY(make_graph(&graph));
    LAB_TRY(worker_settle(WORKER_CALL(lab10_measure(graph, given->rounds, &work))));
    LAB_TRY(lab_array_get(work.r, shared->result[LAB10_R]));
    return finish_with_graph(graph);
}

/* ---- task 4 ---- */

static lab_status run_break(void *memory, const void *arguments, void *result)
{
    const lab10_arguments *given = arguments;
    lab10_statuses *statuses = result;
    lab_capture_mode mode = given->relaxed ? LAB_CAPTURE_RELAXED : LAB_CAPTURE_GLOBAL;
    LAB_TRY(prepare(memory, arguments));
    LAB_TRY(lab_device_synchronize());
    LAB_TRY(lab_thread_exchange_capture_mode(&mode));
    worker_begins();
    statuses->status[0] = lab10_break(&work, given->error);
    if (given->expected && statuses->status[0] != given->expected) return statuses->status[0];
    LAB_TRY(use_streams());
    LAB_TRY(lab_thread_exchange_capture_mode(&mode));
    return finish();
}

/* What the device answers is not for the student's program to say. */
WORKER_SOLVES(4) static lab_status ask_errors(void *memory, const void *arguments, void *result)
{
    lab10_statuses *statuses = result;
    lab_graph *graph;
    lab_stream *blocking;
    LAB_TRY(prepare(memory, arguments));
    LAB_TRY(lab_stream_create(&blocking, LAB_STREAM_DEFAULT));
    statuses->status[LAB10_BEGIN_ON_NULL] = lab_stream_begin_capture(lab_stream_null(), LAB_CAPTURE_GLOBAL);
    LAB_TRY(lab_stream_begin_capture(work.one, LAB_CAPTURE_GLOBAL));
    LAB_TRY(lab_event_record(work.forked, work.one));
    LAB_TRY(lab_stream_wait_event(work.two, work.forked));
    LAB_TRY(launch(work.advance, work.two, LAB_ARGS(work.s, work.y, work.count, work.steps)));
    statuses->status[LAB10_END_UNJOINED] = lab_stream_end_capture(&graph, work.one);
    LAB_TRY(lab_stream_begin_capture(work.one, LAB_CAPTURE_GLOBAL));
    statuses->status[LAB10_SYNCHRONIZE] = lab_stream_synchronize(work.one);
    statuses->status[LAB10_END_INVALIDATED] = lab_stream_end_capture(&graph, work.one);
    LAB_TRY(lab_event_record(work.joined, work.other));
    LAB_TRY(lab_stream_begin_capture(work.one, LAB_CAPTURE_GLOBAL));
    statuses->status[LAB10_WAIT_FOR_OUTSIDE] = lab_stream_wait_event(work.one, work.joined);
    lab_stream_end_capture(&graph, work.one);
    LAB_TRY(lab_stream_begin_capture(blocking, LAB_CAPTURE_GLOBAL));
    statuses->status[LAB10_NULL_BESIDE] =
        launch(work.advance, lab_stream_null(), LAB_ARGS(work.u, work.x, work.count, work.steps));
    lab_stream_end_capture(&graph, blocking);
    LAB_TRY(lab_stream_destroy(blocking));
    return finish();
}

const worker_entry worker_entries[] = {
    {"lab10_record", run_record},   {"lab10_record with a fault", run_record_with_a_fault},
    {"lab10_replay", run_replay},   {"lab10_follow", run_follow},
    {"lab10_measure", run_measure}, {"lab10_break", run_break},
    {"ask_errors", ask_errors},     {0},
};
