/*
 * Random programs for the schedule's tests: steps from buffer to buffer on any of several streams, with just the waits
 * that they need, or with all of them but one.
 */
#ifndef LAB_TESTS_SCHEDULE_RANDOM_PROGRAM_H
#define LAB_TESTS_SCHEDULE_RANDOM_PROGRAM_H

#include "schedule_kit.h"

enum { STREAMS = 4, BUFFERS = 5, STEPS = 40, ALL_EDGES = STEPS * BUFFERS };

typedef struct random_step {
    int stream, source, destination; /* the stream, and the buffers */
    int waits, waits_for[STREAMS];   /* streams whose work so far the step waits for */
    int after[STREAMS];              /* of each stream: the last step that this one comes after, itself on its own */
} random_step;

/* Steps are numbered from 1; 0 stands for none. */
typedef struct random_program {
    unsigned state;
    int edges;       /* the waits that the program needs */
    int left_out;    /* the number of the wait that it lacks; none if that is ALL_EDGES */
    int early, late; /* the two steps that this wait was to order */
    random_step step[STEPS + 1];
    int reached[STREAMS][STREAMS];                 /* `after` of a stream's next step */
    int writer[BUFFERS], reader[BUFFERS][STREAMS]; /* the last steps that wrote or read the buffer */
} random_program;

/* ---- Planning ---- */

static unsigned random_below(random_program *program, unsigned limit)
{
    program->state = program->state * 1664525u + 1013904223u;
    return (program->state >> 8) % limit;
}

/* Makes the step `late`, which is next on its stream, come after `early`. */
static void need(random_program *program, int late, int early)
{
    random_step *step = &program->step[late];
    const int other = program->step[early].stream;
    int *own = program->reached[step->stream];
    if (early == 0 || own[other] >= early) return;
    if (program->edges++ == program->left_out) {
        program->early = early;
        program->late = late;
        return;
    }
    step->waits_for[step->waits++] = other;
    for (int i = 0; i < STREAMS; i++)
        if (program->reached[other][i] > own[i]) own[i] = program->reached[other][i];
}

static void plan_step(random_program *program, int number)
{
    random_step *step = &program->step[number];
    step->stream = (int)random_below(program, STREAMS);
    step->source = (int)random_below(program, BUFFERS);
    step->destination = (int)random_below(program, BUFFERS);
    need(program, number, program->writer[step->source]);
    need(program, number, program->writer[step->destination]);
    for (int i = 0; i < STREAMS; i++) need(program, number, program->reader[step->destination][i]);
    program->reached[step->stream][step->stream] = number;
    memcpy(step->after, program->reached[step->stream], sizeof step->after);
    program->reader[step->source][step->stream] = program->writer[step->destination] = number;
}

static void plan_random_program(random_program *program, unsigned number, int left_out)
{
    *program = (random_program){.state = number, .left_out = left_out};
    for (int step = 1; step <= STEPS; step++) plan_step(program, step);
}

/* ---- What comes out ---- */

/* What the element becomes in each buffer if the steps run in their order. With `late`, the step `put_off` and those
 * that come after it run behind that step instead. */
static void predict(unsigned value[BUFFERS], const random_program *program, int element, int put_off, int late)
{
    bool taken[STEPS + 1] = {false};
    for (int i = 0; i < BUFFERS; i++) value[i] = (unsigned)number_at(element);
    for (int pass = late ? 0 : 1; pass < 2; pass++) {
        for (int i = 1; i <= (pass == 0 ? late : STEPS); i++) {
            const random_step *step = &program->step[i];
            if (taken[i] || (pass == 0 && step->after[program->step[put_off].stream] >= put_off)) continue;
            taken[i] = true;
            value[step->destination] = value[step->source] * 3u + (unsigned)i;
        }
    }
}

/* Whether there is an order in which the wait that is left out is missed. */
static bool lacks_an_edge(const random_program *program)
{
    unsigned expected[BUFFERS], otherwise[BUFFERS];
    const int early = program->early, late = program->late;
    if (!late || program->step[late].after[program->step[early].stream] >= early) return false;
    predict(expected, program, 0, 0, 0);
    predict(otherwise, program, 0, early, late);
    return memcmp(expected, otherwise, sizeof expected) != 0;
}

/* ---- Running ---- */

static void make_random_streams(kit *k)
{
    for (int i = 0; i < STREAMS; i++) {
        LAB_CHECK(lab_stream_create(&k->many[i], LAB_STREAM_NON_BLOCKING));
        LAB_CHECK(lab_event_create(&k->mark[i], LAB_EVENT_DISABLE_TIMING));
    }
}

static void enqueue_step(kit *k, const random_step *step, int number)
{
    for (int i = 0; i < step->waits; i++) {
        const int other = step->waits_for[i];
        record(k->mark[other], k->many[other]);
        wait_for(k->mark[other], k->many[step->stream]);
    }
    compute(k, step->destination, step->source, number, k->many[step->stream]);
}

/* Whether all buffers come out right. */
static bool run_random_program(kit *k, const random_program *program)
{
    unsigned expected[BUFFERS];
    kit_begin(k);
    for (int i = 0; i < BUFFERS; i++) upload(k, i, 0, lab_stream_null());
    LAB_CHECK(lab_device_synchronize());
    for (int i = 1; i <= STEPS; i++) enqueue_step(k, &program->step[i], i);
    LAB_CHECK(lab_device_synchronize());
    for (int i = 0; i < BUFFERS; i++) download(k, i, i, lab_stream_null());
    LAB_CHECK(lab_device_synchronize());
    bool right = true;
    for (int element = 0; element < COUNT; element++) {
        predict(expected, program, element, 0, 0);
        for (int i = 0; i < BUFFERS; i++) right = right && (unsigned)k->pinned[i][element] == expected[i];
    }
    kit_end(k);
    return right;
}

#endif
