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
    /* TODO(1): five kernels; `two` forks behind u, and joins before r. */
    return LAB_SUCCESS;
}

lab_status lab10_record(lab_graph **out, const lab10_work *work)
{
    /* TODO(1): capture lab10_enqueue; a capture that has begun must be ended. */
    *out = NULL;
    return LAB_SUCCESS; /* TODO(1) */
}

lab_status lab10_replay(float *results, const float *rows, int rounds, lab_graph *graph,
                        const lab10_work *work)
{
    /* TODO(2): instantiate; for each row a copy in, a launch, a copy out. */
    return LAB_SUCCESS; /* TODO(2) */
}

lab_status lab10_follow(lab_array *const to[], lab_array *const from[], int rounds,
                        lab_graph *graph, const lab10_work *work)
{
    /* TODO(2): instantiate; for each pair update the two nodes that use it, and launch. */
    return LAB_SUCCESS; /* TODO(2) */
}

lab_status lab10_measure(lab_graph *graph, int rounds, const lab10_work *work)
{
    /* TODO(3): instantiate; the clock around the calls, then around the launches. */
    return LAB_SUCCESS; /* TODO(3) */
}

const lab_status lab10_errors[LAB10_ERRORS] = {
    [LAB10_BEGIN_ON_NULL] = LAB_SUCCESS,    /* TODO(4) */
    [LAB10_END_UNJOINED] = LAB_SUCCESS,     /* TODO(4) */
    [LAB10_SYNCHRONIZE] = LAB_SUCCESS,      /* TODO(4) */
    [LAB10_END_INVALIDATED] = LAB_SUCCESS,  /* TODO(4) */
    [LAB10_WAIT_FOR_OUTSIDE] = LAB_SUCCESS, /* TODO(4) */
    [LAB10_NULL_BESIDE] = LAB_SUCCESS,      /* TODO(4) */
};

lab_status lab10_break(const lab10_work *work, int error)
{
    /* TODO(4): begin, spoil and end a capture. */
    return LAB_SUCCESS; /* TODO(4) */
}
