/* What a random program leaves in memory, computed here step by step: it has no races, so every order that it allows gives the
 * same as its own. Uses nothing of the library. */
#ifndef LAB_TESTS_PROGRAMS_COMPUTED_PROGRAM_H
#define LAB_TESTS_PROGRAMS_COMPUTED_PROGRAM_H

#include "random_program.h"

typedef struct program_memory {
    unsigned char place[PROGRAM_PLACES][PROGRAM_BUFFER_BYTES];
} program_memory;

static inline void program_compute_all(unsigned char *to, const unsigned char *from, int factor)
{
    for (int i = 0; i < PROGRAM_BUFFER_BYTES; i++) to[i] = (unsigned char)(factor * from[i] + i);
}

static inline void program_compute(program_memory *memory, const program_step *step);

static inline void program_compute_graph(program_memory *memory, const program_step *step)
{
    program_graph graph;
    program_make_graph(&graph, step->nodes);
    for (int launch = 0; launch < graph.launches; launch++)
        for (int i = 0; i < program_graph_nodes(&graph); i++) program_compute(memory, &graph.node[i]);
}

static inline void program_compute(program_memory *memory, const program_step *step)
{
    unsigned char *to = memory->place[step->to], *from = memory->place[step->from];
    switch (step->kind) {
    case STEP_KERNEL: program_compute_all(to, from, 3); break;
    case STEP_HOST: program_compute_all(to, from, 5); break;
    case STEP_POOL:
        program_compute_all(to, from, 3);
        program_compute_all(to, to, 3);
        break;
    case STEP_FILL: memset(to + step->offset, (unsigned char)step->bytes, step->bytes); break;
    case STEP_SET: memset(to + step->offset, (unsigned char)(step->bytes ^ step->offset), step->bytes); break;
    case STEP_COPY:
    case STEP_UPLOAD:
    case STEP_DOWNLOAD: memcpy(to + step->offset, from + step->offset, step->bytes); break;
    case STEP_GRAPH: program_compute_graph(memory, step); break;
    default: break;
    }
}

#endif
