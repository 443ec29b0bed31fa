/*
 * Runs random programs (random_program.h) against lab.h, on a stage of streams, events and memory. What a call gives is the
 * caller's to judge: steps that are mistakes are refused.
 */
#ifndef LAB_TESTS_PROGRAMS_RUN_PROGRAM_H
#define LAB_TESTS_PROGRAMS_RUN_PROGRAM_H

#include "lab.h"
#include "random_program.h"

#include <string.h>

/* The stage's kernel: a thread a byte. */
#define PROGRAM_KERNEL                                                                                                 \
    "extern \"C\" __global__ void mix(unsigned char *to, const unsigned char *from)\n"                                 \
    "{\n"                                                                                                              \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                                             \
    "    to[i] = (unsigned char)(3 * from[i] + i);\n"                                                                  \
    "}\n"

/* What a host function works on. */
typedef struct program_host_call {
    unsigned char *to;
    const unsigned char *from;
} program_host_call;

/* What a program runs on. Programs of simple work need the first part. */
typedef struct program_stage {
    lab_stream *stream[PROGRAM_STREAMS];
    lab_event *event[PROGRAM_EVENTS];
    lab_array *buffer[PROGRAM_BUFFERS]; /* uint8 */
    lab_function kernel;

    lab_event *fork, *join;
    lab_mempool *pool;
    unsigned char *host[PROGRAM_HOSTS]; /* pinned */
    program_host_call call[PROGRAM_HOSTS][PROGRAM_HOSTS];
    unsigned char pageable[PROGRAM_BUFFER_BYTES]; /* what STEP_READ read, at its offset */
} program_stage;

#define PROGRAM_LAUNCH(stream, to, from)                                                                               \
    lab_launch(on->kernel, LAB_DIM(PROGRAM_BUFFER_BYTES / 64), LAB_DIM(64), 0, (stream), LAB_ARGS(to, from))

static inline void program_call_host(void *user)
{
    const program_host_call *call = (const program_host_call *)user;
    for (int i = 0; i < PROGRAM_BUFFER_BYTES; i++) call->to[i] = (unsigned char)(5 * call->from[i] + i);
}

static inline lab_status program_run_host(const program_step *step, const program_stage *on, lab_stream *stream)
{
    const program_host_call *call = &on->call[step->to - PROGRAM_BUFFERS][step->from - PROGRAM_BUFFERS];
    LAB_TRY(lab_next_uses_host(call->to, PROGRAM_BUFFER_BYTES, true));
    LAB_TRY(lab_next_uses_host(call->from, PROGRAM_BUFFER_BYTES, false));
    return lab_stream_launch_host_func(stream, program_call_host, (void *)call);
}

/* Work that may be captured. */
static inline lab_status program_run_node(const program_step *step, const program_stage *on, lab_stream *stream)
{
    bool to_host = step->to >= PROGRAM_BUFFERS, from_host = step->from >= PROGRAM_BUFFERS;
    lab_deviceptr to = to_host ? 0 : lab_array_data(on->buffer[step->to]) + step->offset,
                  from = from_host ? 0 : lab_array_data(on->buffer[step->from]) + step->offset;
    switch (step->kind) {
    case STEP_KERNEL: return PROGRAM_LAUNCH(stream, on->buffer[step->to], on->buffer[step->from]);
    case STEP_FILL: return lab_memset_async(to, (unsigned char)step->bytes, step->bytes, stream);
    case STEP_COPY: return lab_memcpy_dtod_async(to, from, step->bytes, stream);
    case STEP_UPLOAD:
        return lab_memcpy_htod_async(to, on->host[step->from - PROGRAM_BUFFERS] + step->offset, step->bytes, stream);
    case STEP_DOWNLOAD:
        return lab_memcpy_dtoh_async(on->host[step->to - PROGRAM_BUFFERS] + step->offset, from, step->bytes, stream);
    default: return program_run_host(step, on, stream);
    }
}

static inline lab_status program_run_pool(const program_step *step, const program_stage *on, lab_stream *stream)
{
    lab_deviceptr block;
    LAB_TRY(lab_mempool_alloc(&block, on->pool, PROGRAM_BUFFER_BYTES, stream));
    LAB_TRY(PROGRAM_LAUNCH(stream, block, on->buffer[step->from]));
    LAB_TRY(PROGRAM_LAUNCH(stream, on->buffer[step->to], block));
    return lab_mempool_free(on->pool, block, stream);
}

static inline lab_status program_capture(const program_graph *graph, const program_stage *on)
{
    lab_stream *stream = on->stream[graph->stream], *other = on->stream[graph->other];
    const program_step *node = graph->node;
    for (int i = 0; i < graph->head; i++) LAB_TRY(program_run_node(node++, on, stream));
    LAB_TRY(lab_event_record(on->fork, stream));
    LAB_TRY(lab_stream_wait_event(other, on->fork));
    for (int i = 0; i < graph->main; i++) LAB_TRY(program_run_node(node++, on, stream));
    for (int i = 0; i < graph->branch; i++) LAB_TRY(program_run_node(node++, on, other));
    LAB_TRY(lab_event_record(on->join, other));
    LAB_TRY(lab_stream_wait_event(stream, on->join));
    for (int i = 0; i < graph->tail; i++) LAB_TRY(program_run_node(node++, on, stream));
    return LAB_SUCCESS;
}

static inline lab_status program_run_graph(const program_step *step, const program_stage *on, lab_stream *stream)
{
    program_graph graph;
    lab_graph *made = NULL;
    lab_graph_exec *exec = NULL;
    program_make_graph(&graph, step->nodes);
    LAB_TRY(lab_stream_begin_capture(on->stream[graph.stream], (lab_capture_mode)graph.mode));
    lab_status status = program_capture(&graph, on), ended = lab_stream_end_capture(&made, on->stream[graph.stream]);
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

/* What the calls give, one or two. None of them has an effect that lasts. */
static inline int program_run_mistake(const program_step *step, const program_stage *on)
{
    int number = step->stream ? step->stream : 1;
    lab_stream *stream = on->stream[number], *other = on->stream[number % (PROGRAM_STREAMS - 1) + 1];
    lab_deviceptr end = lab_array_data(on->buffer[0]) + PROGRAM_BUFFER_BYTES;
    lab_graph *graph = NULL;
    lab_status status;
    switch (step->event) {
    case 0: return (int)lab_memset_async(end - 1, 0, (size_t)1 << 40, stream);
    case 1: return (int)lab_stream_begin_capture(on->stream[0], LAB_CAPTURE_RELAXED);
    case 2: return (int)lab_stream_end_capture(&graph, stream);
    case 3: return (int)lab_launch(on->kernel, LAB_DIM(1), LAB_DIM(2048), 0, stream, LAB_ARGS(end, end));
    case 4: return (int)lab_stream_wait_event(stream, NULL);
    case 5: return (int)lab_mem_free(end - 1);
    }
    if ((status = lab_stream_begin_capture(stream, LAB_CAPTURE_THREAD_LOCAL)) != LAB_SUCCESS) return (int)status;
    switch (step->event) {
    case 6: status = lab_stream_synchronize(stream); break;
    case 7:
        status = lab_event_record(on->fork, stream);
        if (status == LAB_SUCCESS) status = lab_stream_wait_event(other, on->fork);
        break;
    case 8: status = lab_stream_end_capture(&graph, other); break;
    default: status = lab_stream_wait_event(stream, on->event[0]); break;
    }
    lab_status ended = lab_stream_end_capture(&graph, stream);
    lab_graph_destroy(graph);
    return program_both(status, ended);
}

static inline lab_status program_set(const program_step *step, program_stage *on)
{
    memset(on->pageable + step->offset, (int)(step->bytes ^ step->offset), step->bytes);
    return lab_memcpy_htod(lab_array_data(on->buffer[step->to]) + step->offset, on->pageable + step->offset,
                           step->bytes);
}

/* What the step's calls give: 0 for success, a status, or of mistakes and questions two in one number. */
static inline int program_run_step(const program_step *step, program_stage *on)
{
    lab_stream *stream = on->stream[step->stream];
    lab_status status;
    switch (step->kind) {
    case STEP_POOL: return (int)program_run_pool(step, on, stream);
    case STEP_GRAPH: return (int)program_run_graph(step, on, stream);
    case STEP_SET: return (int)program_set(step, on);
    case STEP_READ:
        return (int)lab_memcpy_dtoh(on->pageable + step->offset, lab_array_data(on->buffer[step->from]) + step->offset,
                                    step->bytes);
    case STEP_RECORD: return (int)lab_event_record(on->event[step->event], stream);
    case STEP_WAIT: return (int)lab_stream_wait_event(stream, on->event[step->event]);
    case STEP_SYNC_STREAM:
        status = lab_stream_synchronize(stream);
        return program_both(status, lab_stream_query(stream));
    case STEP_SYNC_EVENT:
        status = lab_event_synchronize(on->event[step->event]);
        return program_both(status, lab_event_query(on->event[step->event]));
    case STEP_MISTAKE: return program_run_mistake(step, on);
    case STEP_NOTHING: return 0;
    default: return (int)program_run_node(step, on, stream);
    }
}

/* All steps of a program without mistakes; the first failure. */
static inline lab_status random_program_run(const random_program *of, program_stage *on)
{
    for (int i = 0; i < of->steps; i++) {
        int given = program_run_step(&of->step[i], on);
        if (given != 0) return (lab_status)given;
    }
    return lab_device_synchronize();
}

#endif
