/*
 * Reads of arrays that no block of the launch is expected to write. They race with nothing as long as that is so, and
 * are only written down: rows of reads in even steps, most of which the code of a kernel continues by itself
 * (cpu_read_run). Whoever does write such an array is then compared with what is written down, so that a wrong
 * expectation costs time alone. Knows what a row is; independent of what orders accesses.
 */
#ifndef LAB_CPU_RACES_READ_RUNS_H
#define LAB_CPU_RACES_READ_RUNS_H

#include <stdbool.h>

#include "cpu/builtins/race_abi.h"

#include <stddef.h>
#include <stdint.h>

/* The arrays of a launch that its blocks are expected only to read. */
enum { READ_ARRAYS = 8 };
typedef struct read_arrays {
    struct {
        uintptr_t begin, end;
    } array[READ_ARRAYS];
    unsigned count;
} read_arrays;

/* Reads of one site: the first, and how many follow it, each a step further. */
typedef struct read_run {
    const cpu_site *site;
    uintptr_t address, address_step;
    uint32_t block, when; /* as in a stamp */
    uint32_t count, thread;
    uint8_t thread_step, bytes;
    bool again; /* as in a stamp */
} read_run;

/* The runs that one thread of the host has written down. */
typedef struct read_runs {
    cpu_known_accesses *known; /* where the code finds those that go on */
    const read_arrays *arrays;
    bool is_open;                   /* whether reads are written down now */
    read_run begun[CPU_WINDOWS];    /* those that go on: count is without what the code has added */
    unsigned given[CPU_WINDOWS];    /* how many the code could add */
    unsigned char use[CPU_WINDOWS]; /* how many short runs a site may still have before it is left alone */
    read_run *ended;
    size_t count;
} read_runs;

/* Free them in any case. */
void read_runs_make(read_runs *runs, cpu_known_accesses *known, const read_arrays *arrays);
void read_runs_free(read_runs *runs);

/* Threads have synchronised, or a block begins: all runs end. Whether reads are written down from now on. */
void read_runs_end(read_runs *runs, bool is_open);

/* Whether a plain read, by a thread of the block at that count, has been written down. */
bool read_runs_take(read_runs *runs, const read_run *read);

/* Whether there is no room for more: they must be taken out. */
bool read_runs_are_full(const read_runs *runs);

/* Takes out all that is written down. What is returned is valid until the next call here. */
const read_run *read_runs_take_out(size_t *count, read_runs *runs);

/* Whether some bytes are of an array that is expected only to be read. */
static inline bool read_arrays_meet(const read_arrays *arrays, uintptr_t address, size_t bytes)
{
    for (unsigned i = 0; i < arrays->count; i++)
        if (address < arrays->array[i].end && address + bytes > arrays->array[i].begin) return true;
    return false;
}

#endif
