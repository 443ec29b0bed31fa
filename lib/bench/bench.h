/*
 * Shared by the benchmarks: a clock, rounds of samples, and the table of results. Two things that are compared are
 * measured in turns in one run, so that other work on the machine affects both. A row is the median of the rounds with
 * their smallest and largest. Nothing here passes or fails: a target is only shown next to the row.
 */
#ifndef LAB_BENCH_H
#define LAB_BENCH_H

#include "lab.h"

enum { BENCH_ROUNDS = 21, BENCH_WARM_UPS = 3 };

typedef struct bench_samples {
    double value[BENCH_ROUNDS];
    int count;
} bench_samples;

typedef enum bench_goal {
    BENCH_NO_GOAL,
    BENCH_AT_LEAST,
    BENCH_AT_MOST,
} bench_goal;

/* The text of a row next to its samples. */
typedef struct bench_row {
    const char *name;
    const char *unit; /* "" for a ratio */
    bench_goal goal;
    double target;
} bench_row;

/* Seconds of a monotonic clock. */
double bench_now(void);

void bench_add_sample(bench_samples *samples, double value);

/* Needs at least one sample. */
double bench_median(const bench_samples *samples);

/* Adds the row to the table, with its samples if the measurement succeeded, else with the thread's message. */
void bench_add_row(bench_row row, const bench_samples *samples, lab_status status);

/* Adds a line below the table's head: a condition of the measurements, or why something is missing. */
void bench_add_note(const char *text);

/* Runs `first` and `second` in turns, after warm-ups, and adds the ratio of their seconds for each round. Both begin
 * and end with the device idle. */
lab_status bench_compare(bench_samples *ratio, lab_status (*first)(void *user), lab_status (*second)(void *user),
                         void *user);

/* The same in processor time, of all threads of this process: other programs change it little. */
lab_status bench_compare_processor_time(bench_samples *ratio, lab_status (*first)(void *user),
                                        lab_status (*second)(void *user), void *user);

/* The part of all cores' time, from 0 to 1, that other programs have used since bench_watch_others. */
void bench_watch_others(void);
double bench_share_of_others(void);

/* Sets the device's driver, for the table; none by default. */
void bench_set_driver(const char *text);

/* Prints the table; writes it as JSON, whole or not at all. */
void bench_print_table(void);
lab_status bench_write_json(const char *path);

/* The benchmarks: each adds its rows, even if it fails. */
void bench_saxpy(void);
void bench_streams(void);
void bench_overheads(void);
void bench_order(void);
void bench_pools(void);
void bench_compile(void);
void bench_copies(void);
void bench_generated(void);
void bench_barriers(void);
void bench_checks(void);
void bench_graphs(void);
void bench_wire(void);
void bench_apart(void);
void bench_against_loops(void);

/* The other processes of bench_checks: prints what they measured. Returns the exit status. */
int bench_checked_kernels(void);

/* The other process of bench_apart: measures what standard input asks for. Returns the exit status. */
int bench_apart_rounds(void);

/* All benchmarks on a GPU; `program` is this program, to be run again for first uses. False, with the reason on stderr,
 * if there is no GPU. */
bool bench_cuda(const char *program);

/* Runs in a new process: measures a first use of the GPU in the way that `how` names, prints the seconds and returns
 * the exit status. */
int bench_cuda_first_use(const char *how);

#endif
