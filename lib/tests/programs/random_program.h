/*
 * Random programs: kernels, fills, copies, events and waits on streams of all kinds, made from a seed and ordered so that
 * no two uses of the same bytes, one of them a write, are left without order. What is ordered is computed here by
 * following edges back, step by step, and by nothing of the library: whoever compares with it compares two computations.
 *
 *   random_program program;
 *   random_program_make(&program, seed, 80);
 *   random_program_run(&program, &on);       on a stage of streams, events and memory
 *
 * Knows CUDA's rules for the order of streams; refuses to know what a device does with a program.
 */
#ifndef LAB_TESTS_PROGRAMS_RANDOM_PROGRAM_H
#define LAB_TESTS_PROGRAMS_RANDOM_PROGRAM_H

#include "lab.h"

#include <string.h>

enum {
    PROGRAM_STREAMS = 5, /* the null stream, two blocking ones, two that are not */
    PROGRAM_EVENTS = 3,  /* few, so that they are recorded again and again */
    PROGRAM_BUFFERS = 4,
    PROGRAM_BUFFER_BYTES = 4096,
    PROGRAM_STEPS = 512,
    PROGRAM_WORDS = PROGRAM_STEPS / 64,
};

typedef enum program_step_kind {
    STEP_KERNEL,      /* writes buffer `to` from all of buffer `from` */
    STEP_FILL,        /* writes bytes of `to` */
    STEP_COPY,        /* bytes of `to` from the same bytes of `from` */
    STEP_RECORD,      /* of `event` on `stream` */
    STEP_WAIT,        /* of `stream` for `event` */
    STEP_SYNC_STREAM, /* the host waits for `stream` */
    STEP_SYNC_EVENT,  /* the host waits for `event` */
    STEP_NOTHING,     /* taken out */
} program_step_kind;

typedef struct program_step {
    program_step_kind kind;
    int stream, event;
    int to, from;
    unsigned offset, bytes;
} program_step;

typedef struct random_program {
    uint64_t random;
    int steps;
    program_step step[PROGRAM_STEPS];
} random_program;

/* What a program runs on. kernel: (unsigned char *to, const unsigned char *from), one thread a byte. */
typedef struct program_stage {
    lab_stream *stream[PROGRAM_STREAMS];
    lab_event *event[PROGRAM_EVENTS];
    lab_array *buffer[PROGRAM_BUFFERS]; /* uint8 */
    lab_function kernel;
} program_stage;

static inline unsigned random_program_draw(random_program *of, unsigned below)
{
    of->random = of->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(of->random >> 33) % below;
}

/* ---- What must have happened before a step begins ---- */

/* For each step the steps that are done before it. */
typedef struct program_order {
    uint64_t before[PROGRAM_STEPS][PROGRAM_WORDS];
} program_order;

static inline bool program_is_before(const program_order *order, int first, int second)
{
    return order->before[second][first / 64] >> (first % 64) & 1;
}

static inline void program_follow(program_order *order, int step, int earlier)
{
    if (earlier < 0) return;
    for (int i = 0; i < PROGRAM_WORDS; i++) order->before[step][i] |= order->before[earlier][i];
    order->before[step][earlier / 64] |= (uint64_t)1 << (earlier % 64);
}

static inline bool program_is_blocking(int stream) { return stream == 1 || stream == 2; }

/* Where everything stands after some steps: the last step of each stream, the last record of each event, and the waits of
 * the host. */
typedef struct program_state {
    int last[PROGRAM_STREAMS], record[PROGRAM_EVENTS], host;
} program_state;

static inline void program_state_begin(program_state *state)
{
    for (int i = 0; i < PROGRAM_STREAMS; i++) state->last[i] = -1;
    for (int i = 0; i < PROGRAM_EVENTS; i++) state->record[i] = -1;
    state->host = -1;
}

/* What the null stream waits for, or the host that waits for it. */
static inline void program_follow_stream(program_order *order, int step, const program_state *state, int stream)
{
    program_follow(order, step, state->last[stream]);
    for (int i = 0; i < PROGRAM_STREAMS && stream == 0; i++)
        if (program_is_blocking(i)) program_follow(order, step, state->last[i]);
}

static inline void program_advance(program_order *order, program_state *state, const program_step *step, int number)
{
    memset(order->before[number], 0, sizeof order->before[number]);
    if (step->kind == STEP_NOTHING) return;
    program_follow(order, number, state->host);
    if (step->kind == STEP_SYNC_STREAM || step->kind == STEP_SYNC_EVENT) {
        if (step->kind == STEP_SYNC_STREAM)
            program_follow_stream(order, number, state, step->stream);
        else
            program_follow(order, number, state->record[step->event]);
        state->host = number;
        return;
    }
    program_follow_stream(order, number, state, step->stream);
    if (program_is_blocking(step->stream)) program_follow(order, number, state->last[0]);
    if (step->kind == STEP_WAIT) program_follow(order, number, state->record[step->event]);
    if (step->kind == STEP_RECORD) state->record[step->event] = number;
    state->last[step->stream] = number;
}

/* ---- What a step uses ---- */

static inline bool program_uses(const program_step *step, int buffer, bool write, unsigned *from, unsigned *to)
{
    bool whole = step->kind == STEP_KERNEL;
    if (step->kind > STEP_COPY || buffer != (write ? step->to : step->from)) return false;
    if (!write && step->kind == STEP_FILL) return false;
    *from = whole ? 0 : step->offset;
    *to = whole ? PROGRAM_BUFFER_BYTES : step->offset + step->bytes;
    return true;
}

static inline bool program_conflict(const program_step *one, const program_step *other)
{
    for (int buffer = 0; buffer < PROGRAM_BUFFERS; buffer++)
        for (int way = 1; way < 4; way++) { /* write and write, write and read, read and write */
            unsigned a, b, c, d;
            if (program_uses(one, buffer, way & 1, &a, &b) && program_uses(other, buffer, way & 2, &c, &d) && a < d &&
                c < b)
                return true;
        }
    return false;
}

/* The first two steps that conflict and that nothing orders; false if there are none. */
static inline bool program_find_race(const random_program *of, int *first, int *second)
{
    static program_order order;
    program_state state;
    program_state_begin(&state);
    for (*second = 0; *second < of->steps; ++*second) {
        program_advance(&order, &state, &of->step[*second], *second);
        for (*first = 0; *first < *second; ++*first)
            if (program_conflict(&of->step[*first], &of->step[*second]) && !program_is_before(&order, *first, *second))
                return true;
    }
    return false;
}

/* ---- Making ---- */

static inline program_step program_draw_work(random_program *of)
{
    program_step made = {.kind = (program_step_kind)random_program_draw(of, 3)};
    made.stream = (int)random_program_draw(of, PROGRAM_STREAMS);
    made.to = (int)random_program_draw(of, PROGRAM_BUFFERS);
    made.from = (made.to + 1 + (int)random_program_draw(of, PROGRAM_BUFFERS - 1)) % PROGRAM_BUFFERS;
    made.offset = random_program_draw(of, PROGRAM_BUFFER_BYTES - 1);
    made.bytes = 1 + random_program_draw(of, PROGRAM_BUFFER_BYTES - made.offset);
    return made;
}

/* A program of about so many steps. */
static inline void random_program_make(random_program *out, uint64_t seed, int steps)
{
    static program_order order;
    program_state state;
    program_state_begin(&state);
    *out = (random_program){.random = seed};
    while (out->steps < steps && out->steps < PROGRAM_STEPS - 2 * PROGRAM_STREAMS - 1) {
        program_step work = program_draw_work(out);
        if (random_program_draw(out, 12) == 0)
            work = (program_step){.kind = STEP_SYNC_STREAM, .stream = (int)random_program_draw(out, PROGRAM_STREAMS)};
        else if (random_program_draw(out, 12) == 0)
            work = (program_step){.kind = STEP_SYNC_EVENT, .event = (int)random_program_draw(out, PROGRAM_EVENTS)};
        for (int first = 0; work.kind <= STEP_COPY && first < out->steps; first++) {
            if (!program_conflict(&out->step[first], &work)) continue;
            program_state then = state;
            program_advance(&order, &then, &work, out->steps);
            if (program_is_before(&order, first, out->steps)) continue;
            int event = (int)random_program_draw(out, PROGRAM_EVENTS);
            const program_step edge[] = {{.kind = STEP_RECORD, .stream = out->step[first].stream, .event = event},
                                         {.kind = STEP_WAIT, .stream = work.stream, .event = event}};
            for (int i = 0; i < 2; i++) {
                program_advance(&order, &state, &edge[i], out->steps);
                out->step[out->steps++] = edge[i];
            }
        }
        program_advance(&order, &state, &work, out->steps);
        out->step[out->steps++] = work;
    }
}

/* ---- Running ---- */

static inline lab_status random_program_run_step(const program_step *step, const program_stage *on)
{
    lab_stream *stream = on->stream[step->stream];
    lab_deviceptr to = lab_array_data(on->buffer[step->to]) + step->offset,
                  from = lab_array_data(on->buffer[step->from]) + step->offset;
    switch (step->kind) {
    case STEP_KERNEL:
        return lab_launch(on->kernel, LAB_DIM(PROGRAM_BUFFER_BYTES / 64), LAB_DIM(64), 0, stream,
                          LAB_ARGS(on->buffer[step->to], on->buffer[step->from]));
    case STEP_FILL: return lab_memset_async(to, (unsigned char)step->bytes, step->bytes, stream);
    case STEP_COPY: return lab_memcpy_dtod_async(to, from, step->bytes, stream);
    case STEP_RECORD: return lab_event_record(on->event[step->event], stream);
    case STEP_WAIT: return lab_stream_wait_event(stream, on->event[step->event]);
    case STEP_SYNC_STREAM: return lab_stream_synchronize(stream);
    case STEP_SYNC_EVENT: return lab_event_synchronize(on->event[step->event]);
    case STEP_NOTHING: break;
    }
    return LAB_SUCCESS;
}

static inline lab_status random_program_run(const random_program *of, const program_stage *on)
{
    for (int i = 0; i < of->steps; i++) LAB_TRY(random_program_run_step(&of->step[i], on));
    return lab_device_synchronize();
}

#endif
