/* Lab 10, graphs. The lesson is in README.md, the contract in lab10.h. */
#include "lab10.h"

/* Given: to = advance(from) on a stream. */
static lab_status advance(const lab10_work *work, lab_array *to, lab_array *from,
                          lab_stream *stream)
{
    return lab_launch(work->advance, LAB10_GRID(work->count), LAB10_BLOCK, 0, stream,
                      LAB_ARGS(to, from, work->count, work->steps));
}

/* Given: to = mix(a, b) on a stream. */
static lab_status mix(const lab10_work *work, lab_array *to, lab_array *a, lab_array *b,
                      lab_stream *stream)
{
    return lab_launch(work->mix, LAB10_GRID(work->count), LAB10_BLOCK, 0, stream,
                      LAB_ARGS(to, a, b, work->count));
}

lab_status lab10_enqueue(const lab10_work *work)
{
    /* Task 1: five kernels; `two` forks behind u, and joins before r. */
    LAB_TRY(advance(work, work->u, work->x, work->one));
    LAB_TRY(lab_event_record(work->forked, work->one));
    LAB_TRY(lab_stream_wait_event(work->two, work->forked));
    LAB_TRY(advance(work, work->p, work->u, work->one));
    LAB_TRY(mix(work, work->q, work->u, work->y, work->two));
    LAB_TRY(advance(work, work->s, work->q, work->two));
    LAB_TRY(lab_event_record(work->joined, work->two));
    LAB_TRY(lab_stream_wait_event(work->one, work->joined));
    LAB_TRY(mix(work, work->r, work->p, work->s, work->one));
    return LAB_SUCCESS;
}

lab_status lab10_record(lab_graph **out, const lab10_work *work)
{
    /* Task 1: capture lab10_enqueue; a capture that has begun must be ended. */
    *out = NULL;
    LAB_TRY(lab_stream_begin_capture(work->one, LAB_CAPTURE_GLOBAL));
    lab_status status = lab10_enqueue(work), ended = lab_stream_end_capture(out, work->one);
    if (status == LAB_SUCCESS) return ended;
    lab_graph_destroy(*out);
    *out = NULL;
    return status;
}

lab_status lab10_replay(float *results, const float *rows, int rounds, lab_graph *graph,
                        const lab10_work *work)
{
    /* Task 2: instantiate; for each row a copy in, a launch, a copy out. */
    lab_graph_exec *exec;
    LAB_TRY(lab_graph_instantiate(&exec, graph));
    for (int k = 0; k < rounds; k++) {
        const size_t row = (size_t)k * (size_t)work->count;
        LAB_TRY(lab_array_set_async(work->x, rows + row, work->other));
        LAB_TRY(lab_graph_launch(exec, work->other));
        LAB_TRY(lab_array_get_async(work->r, results + row, work->other));
    }
    return lab_graph_exec_destroy(exec);
}

lab_status lab10_follow(lab_array *const to[], lab_array *const from[], int rounds,
                        lab_graph *graph, const lab10_work *work)
{
    /* Task 2: instantiate; for each pair update the two nodes that use it, and launch. */
    lab_graph_exec *exec;
    LAB_TRY(lab_graph_instantiate(&exec, graph));
    for (int k = 0; k < rounds; k++) {
        LAB_TRY(lab_graph_exec_update_kernel(exec, LAB10_U, work->advance, LAB10_GRID(work->count),
                                             LAB10_BLOCK, 0,
                                             LAB_ARGS(work->u, from[k], work->count, work->steps)));
        LAB_TRY(lab_graph_exec_update_kernel(exec, LAB10_R, work->mix, LAB10_GRID(work->count),
                                             LAB10_BLOCK, 0,
                                             LAB_ARGS(to[k], work->p, work->s, work->count)));
        LAB_TRY(lab_graph_launch(exec, work->other));
    }
    return lab_graph_exec_destroy(exec);
}

lab_status lab10_measure(lab_graph *graph, int rounds, const lab10_work *work)
{
    /* Task 3: instantiate; the clock around the calls, then around the launches. */
    lab_graph_exec *exec;
    LAB_TRY(lab_graph_instantiate(&exec, graph));
    lab10_start();
    for (int k = 0; k < rounds; k++) LAB_TRY(lab10_enqueue(work));
    lab10_stop(LAB10_CALLS);
    LAB_TRY(lab_stream_synchronize(work->one));
    lab10_start();
    for (int k = 0; k < rounds; k++) LAB_TRY(lab_graph_launch(exec, work->other));
    lab10_stop(LAB10_LAUNCHES);
    LAB_TRY(lab_stream_synchronize(work->other));
    return lab_graph_exec_destroy(exec);
}

const lab_status lab10_errors[LAB10_ERRORS] = {
    [LAB10_BEGIN_ON_NULL] = LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
    [LAB10_END_UNJOINED] = LAB_ERROR_STREAM_CAPTURE_UNJOINED,
    [LAB10_SYNCHRONIZE] = LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
    [LAB10_END_INVALIDATED] = LAB_ERROR_STREAM_CAPTURE_INVALIDATED,
    [LAB10_WAIT_FOR_OUTSIDE] = LAB_ERROR_STREAM_CAPTURE_ISOLATION,
    [LAB10_NULL_BESIDE] = LAB_ERROR_STREAM_CAPTURE_IMPLICIT,
};

lab_status lab10_break(const lab10_work *work, int error)
{
    /* Task 4: begin, spoil and end a capture. */
    lab_graph *graph;
    if (error == LAB10_BEGIN_ON_NULL)
        return lab_stream_begin_capture(lab_stream_null(), LAB_CAPTURE_GLOBAL);
    LAB_TRY(lab_stream_begin_capture(work->one, LAB_CAPTURE_GLOBAL));
    lab_status status = advance(work, work->u, work->x, work->one);
    if (status == LAB_SUCCESS && error == LAB10_SYNCHRONIZE)
        status = lab_stream_synchronize(work->one);
    if (status == LAB_SUCCESS) status = lab_event_record(work->forked, work->one);
    if (status == LAB_SUCCESS) status = lab_stream_wait_event(work->two, work->forked);
    if (status == LAB_SUCCESS) status = mix(work, work->q, work->u, work->y, work->two);
    lab_status ended = lab_stream_end_capture(&graph, work->one);
    return status == LAB_SUCCESS ? ended : status;
}
