/*
 * Random programs: kernels, fills, copies, host functions, blocks of a pool, graphs, events and waits on streams of all
 * kinds, made from a seed. Any two uses of the same bytes, one of them a write, are ordered. This file computes the
 * order by following edges back, step by step, without the library: a comparison with the library compares two
 * computations.
 *
 *   random_program program;
 *   random_program_make(&program, seed, 80, PROGRAM_ALL_WORK);
 *
 * run_program.h runs programs. This file knows CUDA's rules for the order of streams, and no device.
 */
#ifndef LAB_TESTS_PROGRAMS_RANDOM_PROGRAM_H
#define LAB_TESTS_PROGRAMS_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    PROGRAM_STREAMS = 5, /* the null stream, two blocking streams and two non-blocking ones */
    PROGRAM_EVENTS = 3,  /* few, so that they are recorded repeatedly */
    PROGRAM_BUFFERS = 8,
    PROGRAM_HOSTS = 2, /* pinned buffers */
    PROGRAM_PLACES =
        PROGRAM_BUFFERS + PROGRAM_HOSTS, /* `target` and `source` of a step: the pinned ones are the last */
    PROGRAM_BUFFER_BYTES = 4096,
    PROGRAM_STEPS = 512,
    PROGRAM_WORDS = PROGRAM_STEPS / 64,
};

typedef enum program_step_kind {
    STEP_KERNEL,   /* writes buffer `target` from all of buffer `source` */
    STEP_FILL,     /* writes bytes of `target` */
    STEP_COPY,     /* bytes of `target` from the same bytes of `source` */
    STEP_UPLOAD,   /* the same from a pinned buffer */
    STEP_DOWNLOAD, /* the same to a pinned buffer */
    STEP_HOST,     /* a host function writes pinned `target` from all of pinned `source` */
    STEP_POOL,     /* two kernels write `target` from `source` through a block of a pool */
    STEP_SET,    /* bytes of `target` from pageable memory, on the null stream; the host waits for what is before it */
    STEP_READ,   /* bytes of `source` to pageable memory, on the null stream; the host waits */
    STEP_GRAPH,  /* launches a graph that was captured from `nodes` */
    STEP_RECORD, /* of `event` on `stream`; this and the following steps use no memory */
    STEP_WAIT,   /* of `stream` for `event` */
    STEP_SYNC_STREAM, /* the host waits for `stream` */
    STEP_SYNC_EVENT,  /* the host waits for `event` */
    STEP_MISTAKE,     /* a call that is refused; `event` selects it */
    STEP_NOTHING,     /* removed */
} program_step_kind;

/* How many of the kinds of work, from the first, are drawn. */
enum { PROGRAM_SIMPLE_WORK = STEP_COPY + 1, PROGRAM_NODE_WORK = STEP_HOST + 1, PROGRAM_ALL_WORK = STEP_GRAPH + 1 };

enum { PROGRAM_MISTAKES = 10 };

typedef struct program_step {
    program_step_kind kind;
    int stream, event;
    int target, source;
    unsigned offset, bytes;
    unsigned reads, writes; /* one bit per place */
    uint64_t nodes;         /* the seed of a graph */
} program_step;

typedef struct random_program {
    uint64_t random;
    int steps;
    program_step step[PROGRAM_STEPS];
} random_program;

static inline unsigned program_draw(uint64_t *random, unsigned below)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*random >> 33) % below;
}

/* ---- What must have happened before a step begins ---- */

/* For each step, the steps that are done before it. */
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

/* The state after some steps: the last step of each stream, the last record of each event, and the waits of the host.
 * */
typedef struct program_state {
    int last[PROGRAM_STREAMS], record[PROGRAM_EVENTS], host;
    bool host_before; /* the host has waited for everything before that step, but not for the step itself */
} program_state;

static inline void program_state_begin(program_state *state)
{
    state->host_before = false;
    for (int i = 0; i < PROGRAM_STREAMS; i++) state->last[i] = -1;
    for (int i = 0; i < PROGRAM_EVENTS; i++) state->record[i] = -1;
    state->host = -1;
}

/* Follows what the null stream waits for, or what the host waits for with it. */
static inline void program_follow_stream(program_order *order, int step, const program_state *state, int stream)
{
    program_follow(order, step, state->last[stream]);
    for (int i = 0; i < PROGRAM_STREAMS && stream == 0; i++)
        if (program_is_blocking(i)) program_follow(order, step, state->last[i]);
}

static inline void program_follow_host(program_order *order, int step, const program_state *state)
{
    if (state->host >= 0 && state->host_before)
        for (int i = 0; i < PROGRAM_WORDS; i++) order->before[step][i] |= order->before[state->host][i];
    else
        program_follow(order, step, state->host);
}

static inline void program_advance(program_order *order, program_state *state, const program_step *step, int number)
{
    memset(order->before[number], 0, sizeof order->before[number]);
    if (step->kind >= STEP_MISTAKE) return;
    program_follow_host(order, number, state);
    if (step->kind == STEP_SYNC_STREAM || step->kind == STEP_SYNC_EVENT) {
        if (step->kind == STEP_SYNC_STREAM)
            program_follow_stream(order, number, state, step->stream);
        else
            program_follow(order, number, state->record[step->event]);
        state->host = number;
        state->host_before = false;
        return;
    }
    program_follow_stream(order, number, state, step->stream);
    if (program_is_blocking(step->stream)) program_follow(order, number, state->last[0]);
    if (step->kind == STEP_WAIT) program_follow(order, number, state->record[step->event]);
    if (step->kind == STEP_RECORD) state->record[step->event] = number;
    if (step->kind == STEP_READ || step->kind == STEP_SET) {
        state->host = number;
        state->host_before = step->kind == STEP_SET;
    }
    state->last[step->stream] = number;
}

/* ---- What a step uses ---- */

static inline bool program_is_partial(const program_step *step)
{
    return step->kind == STEP_FILL || step->kind == STEP_COPY || step->kind == STEP_UPLOAD ||
           step->kind == STEP_DOWNLOAD || step->kind == STEP_SET || step->kind == STEP_READ;
}

static inline bool program_uses(const program_step *step, int place, bool write, unsigned *first, unsigned *end)
{
    bool partial = program_is_partial(step);
    if (step->kind >= STEP_RECORD || !((write ? step->writes : step->reads) >> place & 1)) return false;
    *first = partial ? step->offset : 0;
    *end = partial ? step->offset + step->bytes : PROGRAM_BUFFER_BYTES;
    return true;
}

static inline bool program_conflict(const program_step *one, const program_step *other)
{
    for (int place = 0; place < PROGRAM_PLACES; place++)
        for (int way = 1; way < 4; way++) { /* write and write, write and read, read and write */
            unsigned a, b, c, d;
            if (program_uses(one, place, way & 1, &a, &b) && program_uses(other, place, way & 2, &c, &d) && a < d &&
                c < b)
                return true;
        }
    return false;
}

/* The first two steps that conflict and that nothing orders; false if there are none. */
static inline bool program_find_race(const random_program *program, int *first, int *second)
{
    static program_order order;
    program_state state;
    program_state_begin(&state);
    for (*second = 0; *second < program->steps; ++*second) {
        program_advance(&order, &state, &program->step[*second], *second);
        for (*first = 0; *first < *second; ++*first)
            if (program_conflict(&program->step[*first], &program->step[*second]) &&
                !program_is_before(&order, *first, *second))
                return true;
    }
    return false;
}

/* ---- Making work ---- */

/* The buffers that work may use: the first and the number of device buffers, and of pinned ones. */
typedef struct program_ground {
    int buffer, buffers, host, hosts;
} program_ground;

static const program_ground program_all = {0, PROGRAM_BUFFERS, PROGRAM_BUFFERS, PROGRAM_HOSTS};
/* Grounds that have nothing in common. */
static const program_ground program_part[2] = {{0, 2, PROGRAM_BUFFERS, 1}, {2, 2, PROGRAM_BUFFERS + 1, 1}};

static inline void program_draw_places(program_step *step, uint64_t *random, program_ground ground)
{
    step->target = ground.buffer + (int)program_draw(random, (unsigned)ground.buffers);
    step->source =
        ground.buffer +
        (step->target - ground.buffer + 1 + (int)program_draw(random, (unsigned)ground.buffers - 1)) % ground.buffers;
    if (step->kind == STEP_DOWNLOAD || step->kind == STEP_HOST)
        step->target = ground.host + (int)program_draw(random, (unsigned)ground.hosts);
    if (step->kind == STEP_UPLOAD || step->kind == STEP_HOST)
        step->source = ground.host + (int)program_draw(random, (unsigned)ground.hosts);
    step->writes = step->kind == STEP_READ ? 0 : 1u << step->target;
    step->reads = step->kind == STEP_FILL || step->kind == STEP_SET ? 0 : 1u << step->source;
}

static inline program_step program_draw_work(uint64_t *random, int kinds, program_ground ground)
{
    program_step made = {.kind = (program_step_kind)program_draw(random, (unsigned)kinds)};
    if (made.kind == STEP_GRAPH && program_draw(random, 3)) made.kind = STEP_KERNEL; /* graphs are expensive */
    made.stream = (int)program_draw(random, PROGRAM_STREAMS);
    if (made.kind == STEP_SET || made.kind == STEP_READ) made.stream = 0;
    program_draw_places(&made, random, ground);
    made.offset = program_draw(random, PROGRAM_BUFFER_BYTES - 1);
    made.bytes = 1 + program_draw(random, PROGRAM_BUFFER_BYTES - made.offset);
    return made;
}

/* ---- Graphs ---- */

enum { PROGRAM_NODES = 12 };

/* The captured work: nodes one after another on one stream, then on it and another at once, then on the first again. */
typedef struct program_graph {
    int stream, other;
    int mode;     /* a lab_capture_mode */
    int launches; /* one after another */
    int head, main, branch, tail;
    program_step node[PROGRAM_NODES]; /* in the head, the main part, the branch and the tail */
} program_graph;

static inline int program_graph_nodes(const program_graph *graph)
{
    return graph->head + graph->main + graph->branch + graph->tail;
}

static inline void program_make_graph(program_graph *out, uint64_t seed)
{
    uint64_t random = seed;
    *out = (program_graph){.stream = 1 + (int)program_draw(&random, PROGRAM_STREAMS - 1)};
    out->other = 1 + (out->stream + (int)program_draw(&random, PROGRAM_STREAMS - 2)) % (PROGRAM_STREAMS - 1);
    out->mode = (int)program_draw(&random, 3);
    out->launches = 1 + (int)program_draw(&random, 2);
    int *part[] = {&out->head, &out->main, &out->branch, &out->tail}, made = 0;
    const int buffers = 4 * (int)program_draw(&random, PROGRAM_BUFFERS / 4); /* others work on the rest meanwhile */
    for (int p = 0; p < 4; p++) {
        program_ground ground = program_part[p == 2];
        ground.buffer += buffers;
        if (p == 0 || p == 3) ground.buffers = 4 - ground.buffer % 4;
        *part[p] = (p == 0) + (int)program_draw(&random, 3);
        for (int i = 0; i < *part[p]; i++) out->node[made++] = program_draw_work(&random, PROGRAM_NODE_WORK, ground);
    }
}

/* Completes a step whose nodes follow from one number. */
static inline void program_finish_graph(program_step *step, uint64_t *random)
{
    program_graph graph;
    step->nodes = *random;
    program_make_graph(&graph, step->nodes);
    step->reads = step->writes = 0;
    for (int i = 0; i < program_graph_nodes(&graph); i++) {
        step->reads |= graph.node[i].reads;
        step->writes |= graph.node[i].writes;
    }
}

/* ---- Making a program ---- */

static inline program_step program_draw_step(uint64_t *random, int kinds)
{
    program_step made = program_draw_work(random, kinds, program_all);
    if (made.kind == STEP_GRAPH) program_finish_graph(&made, random);
    if (program_draw(random, 12) == 0)
        return (program_step){.kind = STEP_SYNC_STREAM, .stream = (int)program_draw(random, PROGRAM_STREAMS)};
    if (program_draw(random, 12) == 0)
        return (program_step){.kind = STEP_SYNC_EVENT, .event = (int)program_draw(random, PROGRAM_EVENTS)};
    if (kinds == PROGRAM_ALL_WORK && program_draw(random, 12) == 0)
        return (program_step){.kind = STEP_MISTAKE,
                              .stream = (int)program_draw(random, PROGRAM_STREAMS),
                              .event = (int)program_draw(random, PROGRAM_MISTAKES)};
    return made;
}

/* Makes a program of about `steps` steps, with the first `kinds` kinds of work. */
static inline void random_program_make(random_program *out, uint64_t seed, int steps, int kinds)
{
    static program_order order;
    program_state state;
    program_state_begin(&state);
    *out = (random_program){.random = seed};
    while (out->steps < steps && out->steps < PROGRAM_STEPS - 2 * PROGRAM_STREAMS - 1) {
        program_step work = program_draw_step(&out->random, kinds);
        for (int first = 0; work.kind < STEP_RECORD && first < out->steps; first++) {
            if (!program_conflict(&out->step[first], &work)) continue;
            program_state then = state;
            program_advance(&order, &then, &work, out->steps);
            if (program_is_before(&order, first, out->steps)) continue;
            int event = (int)program_draw(&out->random, PROGRAM_EVENTS);
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

#endif
