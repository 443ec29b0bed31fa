/*
 * Runs random programs (random_program.h) against lab.h, on a stage of streams, events and memory. The caller judges
 * the results of calls: steps that are mistakes are refused.
 */
#ifndef LAB_TESTS_PROGRAMS_RUN_PROGRAM_H
#define LAB_TESTS_PROGRAMS_RUN_PROGRAM_H

#include "lab.h"
#include "random_program.h"

#include <string.h>

/* The stage's kernel: one thread per byte. */
#define PROGRAM_KERNEL                                                                                                 \
    "extern \"C\" __global__ void mix(unsigned char *to, const unsigned char *from)\n"                                 \
    "{\n"                                                                                                              \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                                             \
    "    to[i] = (unsigned char)(3 * from[i] + i);\n"                                                                  \
    "}\n"

/* The argument of a host function. */
typedef struct program_host_call {
    unsigned char *target;
    const unsigned char *source;
} program_host_call;

/* The objects on which a program runs. Programs of simple work need only the first part. */
typedef struct program_stage {
    lab_stream *stream[PROGRAM_STREAMS];
    lab_event *event[PROGRAM_EVENTS];
    lab_array *buffer[PROGRAM_BUFFERS]; /* uint8 */
    lab_function kernel;

    lab_event *fork, *join;
    lab_mempool *pool;
    unsigned char *host[PROGRAM_HOSTS]; /* pinned */
    program_host_call call[PROGRAM_HOSTS][PROGRAM_HOSTS];
    unsigned char pageable[PROGRAM_BUFFER_BYTES]; /* the bytes of STEP_READ, at their offset */
} program_stage;

#define PROGRAM_LAUNCH(stream, to, from)                                                                               \
    lab_launch(stage->kernel, LAB_DIM(PROGRAM_BUFFER_BYTES / 64), LAB_DIM(64), 0, (stream), LAB_ARGS(to, from))

static inline void program_call_host(void *user)
{
    const program_host_call *call = (const program_host_call *)user;
    for (int i = 0; i < PROGRAM_BUFFER_BYTES; i++) call->target[i] = (unsigned char)(5 * call->source[i] + i);
}

static inline lab_status program_run_host(const program_step *step, const program_stage *stage, lab_stream *stream)
{
    const program_host_call *call = &stage->call[step->target - PROGRAM_BUFFERS][step->source - PROGRAM_BUFFERS];
    LAB_TRY(lab_next_uses_host(call->target, PROGRAM_BUFFER_BYTES, true));
    LAB_TRY(lab_next_uses_host(call->source, PROGRAM_BUFFER_BYTES, false));
    return lab_stream_launch_host_func(stream, program_call_host, (void *)call);
}

/* Enqueues work that may be captured. */
static inline lab_status program_run_node(const program_step *step, const program_stage *stage, lab_stream *stream)
{
    bool to_host = step->target >= PROGRAM_BUFFERS, from_host = step->source >= PROGRAM_BUFFERS;
    lab_deviceptr target = to_host ? 0 : lab_array_data(stage->buffer[step->target]) + step->offset,
                  from = from_host ? 0 : lab_array_data(stage->buffer[step->source]) + step->offset;
    switch (step->kind) {
    case STEP_KERNEL: return PROGRAM_LAUNCH(stream, stage->buffer[step->target], stage->buffer[step->source]);
    case STEP_FILL: return lab_memset_async(target, (unsigned char)step->bytes, step->bytes, stream);
    case STEP_COPY: return lab_memcpy_dtod_async(target, from, step->bytes, stream);
    case STEP_UPLOAD:
        return lab_memcpy_htod_async(target, stage->host[step->source - PROGRAM_BUFFERS] + step->offset, step->bytes,
                                     stream);
    case STEP_DOWNLOAD:
        return lab_memcpy_dtoh_async(stage->host[step->target - PROGRAM_BUFFERS] + step->offset, from, step->bytes,
                                     stream);
    default: return program_run_host(step, stage, stream);
    }
}

static inline lab_status program_run_pool(const program_step *step, const program_stage *stage, lab_stream *stream)
{
    lab_deviceptr block;
    LAB_TRY(lab_mempool_alloc(&block, stage->pool, PROGRAM_BUFFER_BYTES, stream));
    LAB_TRY(PROGRAM_LAUNCH(stream, block, stage->buffer[step->source]));
    LAB_TRY(PROGRAM_LAUNCH(stream, stage->buffer[step->target], block));
    return lab_mempool_free(stage->pool, block, stream);
}

static inline lab_status program_capture(const program_graph *graph, const program_stage *stage)
{
    lab_stream *stream = stage->stream[graph->stream], *other = stage->stream[graph->other];
    const program_step *node = graph->node;
    for (int i = 0; i < graph->head; i++) LAB_TRY(program_run_node(node++, stage, stream));
    LAB_TRY(lab_event_record(stage->fork, stream));
    LAB_TRY(lab_stream_wait_event(other, stage->fork));
    for (int i = 0; i < graph->main; i++) LAB_TRY(program_run_node(node++, stage, stream));
    for (int i = 0; i < graph->branch; i++) LAB_TRY(program_run_node(node++, stage, other));
    LAB_TRY(lab_event_record(stage->join, other));
    LAB_TRY(lab_stream_wait_event(stream, stage->join));
    for (int i = 0; i < graph->tail; i++) LAB_TRY(program_run_node(node++, stage, stream));
    return LAB_SUCCESS;
}

static inline lab_status program_run_graph(const program_step *step, const program_stage *stage, lab_stream *stream)
{
    program_graph graph;
    lab_graph *made = NULL;
    lab_graph_exec *exec = NULL;
    program_make_graph(&graph, step->nodes);
    LAB_TRY(lab_stream_begin_capture(stage->stream[graph.stream], (lab_capture_mode)graph.mode));
    lab_status status = program_capture(&graph, stage),
               ended = lab_stream_end_capture(&made, stage->stream[graph.stream]);
    if (status == LAB_SUCCESS) status = ended;
    if (status == LAB_SUCCESS) status = lab_graph_instantiate(&exec, made);
    for (int i = 0; i < graph.launches && status == LAB_SUCCESS; i++) status = lab_graph_launch(exec, stream);
    lab_graph_exec_destroy(exec);
    lab_graph_destroy(made);
    return status;
}

static inline int program_both(lab_status one, lab_status other) { return 1000 * (int)one + (int)other; }

static const char *const program_mistake_words[PROGRAM_MISTAKES] = {
    "fill beyond the end of a buffer",
    "capture the null stream",
    "end a capture that did not begin",
    "launch with blocks of 2048 threads",
    "wait for no event",
    "free an address inside a buffer",
    "synchronize a stream that captures, end the capture",
    "end a capture whose fork was not joined",
    "end a capture on another stream, then on its own",
    "wait in a capture for an event from outside, end the capture",
};

/* Makes the step's one or two wrong calls, which have no lasting effect; returns their results. */
static inline int program_run_mistake(const program_step *step, const program_stage *stage)
{
    int number = step->stream ? step->stream : 1;
    lab_stream *stream = stage->stream[number], *other = stage->stream[number % (PROGRAM_STREAMS - 1) + 1];
    lab_deviceptr end = lab_array_data(stage->buffer[0]) + PROGRAM_BUFFER_BYTES;
    lab_graph *graph = NULL;
    lab_status status;
    switch (step->event) {
    case 0: return (int)lab_memset_async(end - 1, 0, (size_t)1 << 40, stream);
    case 1: return (int)lab_stream_begin_capture(stage->stream[0], LAB_CAPTURE_RELAXED);
    case 2: return (int)lab_stream_end_capture(&graph, stream);
    case 3: return (int)lab_launch(stage->kernel, LAB_DIM(1), LAB_DIM(2048), 0, stream, LAB_ARGS(end, end));
    case 4: return (int)lab_stream_wait_event(stream, NULL);
    case 5: return (int)lab_mem_free(end - 1);
    }
    if ((status = lab_stream_begin_capture(stream, LAB_CAPTURE_THREAD_LOCAL)) != LAB_SUCCESS) return (int)status;
    switch (step->event) {
    case 6: status = lab_stream_synchronize(stream); break;
    case 7:
        status = lab_event_record(stage->fork, stream);
        if (status == LAB_SUCCESS) status = lab_stream_wait_event(other, stage->fork);
        break;
    case 8: status = lab_stream_end_capture(&graph, other); break;
    default: status = lab_stream_wait_event(stream, stage->event[0]); break;
    }
    lab_status ended = lab_stream_end_capture(&graph, stream);
    lab_graph_destroy(graph);
    return program_both(status, ended);
}

static inline lab_status program_set(const program_step *step, program_stage *stage)
{
    memset(stage->pageable + step->offset, (int)(step->bytes ^ step->offset), step->bytes);
    return lab_memcpy_htod(lab_array_data(stage->buffer[step->target]) + step->offset, stage->pageable + step->offset,
                           step->bytes);
}

/* Runs a step; returns 0 for success, or a status; for mistakes and queries two results in one number. */
static inline int program_run_step(const program_step *step, program_stage *stage)
{
    lab_stream *stream = stage->stream[step->stream];
    lab_status status;
    switch (step->kind) {
    case STEP_POOL: return (int)program_run_pool(step, stage, stream);
    case STEP_GRAPH: return (int)program_run_graph(step, stage, stream);
    case STEP_SET: return (int)program_set(step, stage);
    case STEP_READ:
        return (int)lab_memcpy_dtoh(stage->pageable + step->offset,
                                    lab_array_data(stage->buffer[step->source]) + step->offset, step->bytes);
    case STEP_RECORD: return (int)lab_event_record(stage->event[step->event], stream);
    case STEP_WAIT: return (int)lab_stream_wait_event(stream, stage->event[step->event]);
    case STEP_SYNC_STREAM:
        status = lab_stream_synchronize(stream);
        return program_both(status, lab_stream_query(stream));
    case STEP_SYNC_EVENT:
        status = lab_event_synchronize(stage->event[step->event]);
        return program_both(status, lab_event_query(stage->event[step->event]));
    case STEP_MISTAKE: return program_run_mistake(step, stage);
    case STEP_NOTHING: return 0;
    default: return (int)program_run_node(step, stage, stream);
    }
}

/* Runs all steps of a program without mistakes; returns the first failure. */
static inline lab_status random_program_run(const random_program *program, program_stage *stage)
{
    for (int i = 0; i < program->steps; i++) {
        int given = program_run_step(&program->step[i], stage);
        if (given != 0) return (lab_status)given;
    }
    return lab_device_synchronize();
}

#endif
