/* The contents of memory after a random program, computed step by step without the library: the program has no races,
 * so every order that it allows gives the same contents. */
#ifndef LAB_TESTS_PROGRAMS_COMPUTED_PROGRAM_H
#define LAB_TESTS_PROGRAMS_COMPUTED_PROGRAM_H

#include "random_program.h"

typedef struct program_memory {
    unsigned char place[PROGRAM_PLACES][PROGRAM_BUFFER_BYTES];
} program_memory;

static inline void program_compute_all(unsigned char *target, const unsigned char *contents, int factor)
{
    for (int i = 0; i < PROGRAM_BUFFER_BYTES; i++) target[i] = (unsigned char)(factor * contents[i] + i);
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
    unsigned char *target = memory->place[step->target], *contents = memory->place[step->source];
    switch (step->kind) {
    case STEP_KERNEL: program_compute_all(target, contents, 3); break;
    case STEP_HOST: program_compute_all(target, contents, 5); break;
    case STEP_POOL:
        program_compute_all(target, contents, 3);
        program_compute_all(target, target, 3);
        break;
    case STEP_FILL: memset(target + step->offset, (unsigned char)step->bytes, step->bytes); break;
    case STEP_SET: memset(target + step->offset, (unsigned char)(step->bytes ^ step->offset), step->bytes); break;
    case STEP_COPY:
    case STEP_UPLOAD:
    case STEP_DOWNLOAD: memcpy(target + step->offset, contents + step->offset, step->bytes); break;
    case STEP_GRAPH: program_compute_graph(memory, step); break;
    default: break;
    }
}

#endif
