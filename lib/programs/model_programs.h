/*
 * What a program for the model works on, and how it launches. The programs: model_programs.c has sixty, model_fresh.c
 * more of other shapes.
 */
#ifndef LAB_MODEL_PROGRAMS_H
#define LAB_MODEL_PROGRAMS_H

#include "lab.h"

enum { MOST = 256, STREAMS = 128, EVENTS = STREAMS + 4 };

typedef enum kernel { ADD, TWICE, WORK2K, WORK20K, NOTHING, KERNELS } kernel;

typedef enum pattern {
    ARRAYS,
    CHUNKS,
    PINGPONG,
    BURST,
    MEMORY,
    CHAIN,
    GRAPH_CHAIN,
    FORK,
    GRAPH_FORK,
    HOSTS,
    SPIN,
    SMALL,
    EVENT_RING,
    MOVES,
    POOL,
    SUMS,
    NULLS,
    FRESH
} pattern;

typedef struct kit {
    lab_array *x[MOST], *y[MOST], *one;
    float *host[MOST];
    lab_stream *stream[STREAMS];
    lab_event *event[EVENTS];
    lab_graph_exec *exec;
    lab_mempool *pool;
    lab_module *module;
    lab_function function[KERNELS];
    int arrays, length;
    int full; /* the length on a GPU */
    size_t bytes;
    bool gpu;
} kit;

typedef struct entry entry;
typedef lab_status (*steps)(const entry *e, const kit *k);
struct entry {
    const char *name;
    pattern pattern;
    int streams, count; /* arrays, chunks, rounds or launches */
    int kib;            /* of one array */
    kernel kernel;
    unsigned blocks, threads;
    bool pageable, breadth;
    int every; /* wait after so many; launch a graph so often; microseconds of the host's work */
    /* of fresh programs: what is captured in the first stream, if anything; the program; how many of its streams,
     * from the first, have the highest priority; whether its arrays are as long on the CPU device, too */
    steps captured, program;
    int urgent;
    bool whole;
};

/* Launches the kernel on the kit's arrays of that index; 0 blocks are one for each 256 elements. */
lab_status model_launch(const kit *k, kernel which, unsigned blocks, unsigned threads, int array, lab_stream *stream);

/* Waits for each of the program's streams. */
lab_status model_wait_for_all(const entry *e, const kit *k);

extern const entry model_fresh[];
extern const size_t model_fresh_count;

#endif
