/*
 * model_programs: small programs, to compare the model with a GPU. On the CPU device each is recorded, with small
 * arrays and kernels of one step, and modelled; the table has the times that an H200 took next to it
 * (lib/bench/results/model_programs.txt). On a GPU, `LAB_DEVICE=cuda model_programs` prints such a file of its own.
 *
 * Every second of the sixty here was set aside: no figure of the profile was chosen with it. The fresh ones
 * (model_fresh.c) come after them. A file of the sixty alone is of the profile's machine: the exit status is 1 if the
 * median error of either half is more than 5%, or variants are not in the order of their times. A file of all is of any
 * machine, and only compared.
 */
#include "lab.h"
#include "lab_trace.h"
#include "base/monotonic.h"
#include "model_kernels.h"
#include "model_order.h"
#include "model_programs.h"
#include "own_process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 9, UNTIMED = 3, SMALLER = 64, HOST_WORK_US = 20, MEDIAN_PERCENT = 5, RECORDS = 25 };

static const entry entries[] = {
    {"arrays-serial-pinned", ARRAYS, 1, 32, 1024, WORK20K, 1, .threads = 64},
    {"arrays-serial-pageable", ARRAYS, 1, 32, 1024, WORK20K, 1, .threads = 64, .pageable = true},
    {"arrays-4-depth", ARRAYS, 4, 32, 1024, WORK20K, 1, .threads = 64},
    {"arrays-4-breadth", ARRAYS, 4, 32, 1024, WORK20K, 1, .threads = 64, .breadth = true},
    {"arrays-8-depth", ARRAYS, 8, 64, 1024, WORK20K, 1, .threads = 64},
    {"arrays-8-breadth", ARRAYS, 8, 64, 1024, WORK20K, 1, .threads = 64, .breadth = true},
    {"arrays-32-depth", ARRAYS, 32, 64, 1024, WORK20K, 1, .threads = 64},
    {"arrays-32-breadth", ARRAYS, 32, 64, 1024, WORK20K, 1, .threads = 64, .breadth = true},
    {"arrays-8-depth-pageable", ARRAYS, 8, 32, 1024, WORK20K, 1, .threads = 64, .pageable = true},
    {"arrays-16-small", ARRAYS, 16, 128, 64, WORK2K, 1, .threads = 64},
    {"arrays-2-big", ARRAYS, 2, 8, 16384, WORK20K, 4, .threads = 256},
    {"chunks-1", CHUNKS, 1, 16, 4096, TWICE, 1024, .threads = 256},
    {"chunks-2", CHUNKS, 2, 16, 4096, TWICE, 1024, .threads = 256},
    {"chunks-3", CHUNKS, 3, 16, 4096, TWICE, 1024, .threads = 256},
    {"chunks-4-small", CHUNKS, 4, 64, 512, TWICE, 256, .threads = 256},
    {"chunks-2-breadth", CHUNKS, 2, 16, 4096, TWICE, 1024, .threads = 256, .breadth = true},
    {"chunks-1-pageable", CHUNKS, 1, 16, 4096, TWICE, 1024, .threads = 256, .pageable = true},
    {"chunks-2-pageable", CHUNKS, 2, 16, 4096, TWICE, 1024, .threads = 256, .pageable = true},
    {"chunks-3-work", CHUNKS, 3, 16, 4096, WORK20K, 4, .threads = 256},
    {"pingpong-1m", PINGPONG, 2, 32, 1024, TWICE, 256, .threads = 256},
    {"pingpong-16k", PINGPONG, 2, 64, 16, TWICE, 4, .threads = 256},
    {"pingpong-work", PINGPONG, 2, 16, 1024, WORK20K, 2, .threads = 256},
    {"pingpong-8m", PINGPONG, 2, 8, 8192, TWICE, 1024, .threads = 256},
    {"burst-1-stream", BURST, 1, 16, 64, WORK20K, 16, .threads = 256},
    {"burst-4-streams", BURST, 4, 16, 64, WORK20K, 16, .threads = 256},
    {"burst-16-streams", BURST, 16, 16, 64, WORK20K, 16, .threads = 256},
    {"burst-full", BURST, 4, 8, 64, WORK2K, 1056, .threads = 256},
    {"burst-two-waves", BURST, 1, 4, 64, WORK2K, 2112, .threads = 256},
    {"burst-half", BURST, 4, 8, 64, WORK2K, 528, .threads = 256},
    {"burst-132", BURST, 8, 16, 64, WORK2K, 132, .threads = 1024},
    {"burst-128-streams", BURST, 128, 128, 16, WORK20K, 1, .threads = 64},
    {"memory-1", MEMORY, 1, 8, 65536, ADD, 0, .threads = 256},
    {"memory-2", MEMORY, 2, 8, 65536, ADD, 0, .threads = 256},
    {"memory-small-1", MEMORY, 1, 64, 1024, ADD, 0, .threads = 256},
    {"memory-small-8", MEMORY, 8, 64, 1024, ADD, 0, .threads = 256},
    {"memory-twice", MEMORY, 1, 8, 65536, TWICE, 2112, .threads = 256},
    {"chain-50", CHAIN, 1, 50, 64, WORK2K, 1, .threads = 256},
    {"graph-chain-50", GRAPH_CHAIN, 1, 50, 64, WORK2K, 1, .threads = 256, .every = 4},
    {"graph-chain-200", GRAPH_CHAIN, 1, 200, 64, NOTHING, 1, .threads = 32, .every = 2},
    {"fork-8", FORK, 8, 10, 64, WORK20K, 8, .threads = 256},
    {"graph-fork-8", GRAPH_FORK, 8, 10, 64, WORK20K, 8, .threads = 256, .every = 2},
    {"graph-fork-4-small", GRAPH_FORK, 4, 20, 64, WORK2K, 1, .threads = 64, .every = 8},
    {"hosts-1", HOSTS, 1, 20, 64, WORK2K, 1, .threads = 64},
    {"hosts-2", HOSTS, 2, 20, 256, WORK20K, 1, .threads = 64},
    {"spin-short", SPIN, 1, 20, 64, WORK20K, 8, .threads = 64, .every = 50},
    {"spin-long", SPIN, 1, 20, 64, WORK20K, 8, .threads = 64, .every = 300},
    {"small-1000", SMALL, 1, 1000, 16, NOTHING, 1, .threads = 32},
    {"small-1000-sync-10", SMALL, 1, 1000, 16, NOTHING, 1, .threads = 32, .every = 10},
    {"small-300-sync-1", SMALL, 1, 300, 16, NOTHING, 1, .threads = 32, .every = 1},
    {"small-1000-4-streams", SMALL, 4, 1000, 16, NOTHING, 1, .threads = 32},
    {"small-work", SMALL, 1, 500, 16, WORK2K, 1, .threads = 32},
    {"events-500", EVENT_RING, 2, 500, 16, NOTHING, 1, .threads = 32},
    {"events-work", EVENT_RING, 4, 100, 16, WORK2K, 1, .threads = 64},
    {"moves-64m", MOVES, 1, 4, 65536, NOTHING, 1, .threads = 32},
    {"moves-1m", MOVES, 1, 32, 1024, NOTHING, 1, .threads = 32},
    {"moves-2-streams", MOVES, 2, 8, 65536, NOTHING, 1, .threads = 32},
    {"pool-64", POOL, 1, 64, 1024, TWICE, 256, .threads = 256},
    {"sums-4m", SUMS, 1, 16, 4096, NOTHING, 1, .threads = 32},
    {"sums-256m", SUMS, 1, 4, 262144, NOTHING, 1, .threads = 32},
    {"nulls-20", NULLS, 2, 20, 64, WORK2K, 1, .threads = 64},
};
enum { ENTRIES = sizeof entries / sizeof *entries, PROGRAMS_MOST = 128, PARTS = 3 };

static double now(void) { return 1e-9 * (double)monotonic_ns(); }

static bool is_graph(const entry *e) { return e->pattern == GRAPH_CHAIN || e->pattern == GRAPH_FORK || e->captured; }

/* By how much the arrays are smaller on the CPU device; not those of sums, whose kernels depend on their length. */
static int smaller(const entry *e, bool gpu)
{
    return gpu || e->pattern == SUMS || e->whole || e->kib < 1024 ? 1 : SMALLER;
}

static lab_status launch(const entry *e, const kit *k, int array, lab_stream *s)
{
    return model_launch(k, e->kernel, e->blocks, e->threads, array, s);
}

static void host_work(void *user) { (void)user; }

static lab_status fork_once(const entry *e, const kit *k, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        LAB_TRY(launch(e, k, 0, k->stream[0]));
        LAB_TRY(lab_event_record(k->event[STREAMS], k->stream[0]));
        for (int s = 1; s < e->streams; s++) {
            LAB_TRY(lab_stream_wait_event(k->stream[s], k->event[STREAMS]));
            LAB_TRY(launch(e, k, s, k->stream[s]));
            LAB_TRY(lab_event_record(k->event[s], k->stream[s]));
            LAB_TRY(lab_stream_wait_event(k->stream[0], k->event[s]));
        }
    }
    return LAB_SUCCESS;
}

static lab_status run_arrays(const entry *e, const kit *k)
{
    for (int part = 0; part < (e->breadth ? 3 : 1); part++)
        for (int i = 0; i < e->count; i++) {
            lab_stream *s = k->stream[i % e->streams];
            if (!e->breadth || part == 0) LAB_TRY(lab_array_set_async(k->x[i], k->host[i], s));
            if (!e->breadth || part == 1) LAB_TRY(launch(e, k, i, s));
            if (!e->breadth || part == 2) LAB_TRY(lab_array_get_async(k->x[i], k->host[i], s));
        }
    return model_wait_for_all(e, k);
}

static lab_status run_pingpong(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) {
        int b = i % 2;
        if (i >= 2) LAB_TRY(lab_stream_wait_event(k->stream[0], k->event[2 + b]));
        LAB_TRY(lab_array_set_async(k->x[b], k->host[b], k->stream[0]));
        LAB_TRY(lab_event_record(k->event[b], k->stream[0]));
        LAB_TRY(lab_stream_wait_event(k->stream[1], k->event[b]));
        LAB_TRY(launch(e, k, b, k->stream[1]));
        LAB_TRY(lab_event_record(k->event[2 + b], k->stream[1]));
    }
    return model_wait_for_all(e, k);
}

static lab_status run_launches(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) LAB_TRY(launch(e, k, i % k->arrays, k->stream[i % e->streams]));
    return model_wait_for_all(e, k);
}

static lab_status run_graph(const entry *e, const kit *k)
{
    for (int i = 0; i < e->every; i++) LAB_TRY(lab_graph_launch(k->exec, k->stream[0]));
    return lab_stream_synchronize(k->stream[0]);
}

static lab_status run_fork(const entry *e, const kit *k)
{
    LAB_TRY(fork_once(e, k, e->count));
    return model_wait_for_all(e, k);
}

static lab_status run_hosts(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) {
        LAB_TRY(launch(e, k, i % e->streams, k->stream[i % e->streams]));
        LAB_TRY(lab_stream_launch_host_func(k->stream[i % e->streams], host_work, NULL));
    }
    return model_wait_for_all(e, k);
}

static lab_status run_spin(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) {
        LAB_TRY(launch(e, k, 0, k->stream[0]));
        for (double end = now() + 1e-6 * e->every; now() < end;) {}
    }
    return model_wait_for_all(e, k);
}

static lab_status run_small(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) {
        LAB_TRY(launch(e, k, i % e->streams, k->stream[i % e->streams]));
        if (e->every && i % e->every == e->every - 1) LAB_TRY(lab_stream_synchronize(k->stream[i % e->streams]));
    }
    return model_wait_for_all(e, k);
}

static lab_status run_events(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) {
        int s = i % e->streams, t = (i + 1) % e->streams;
        LAB_TRY(launch(e, k, 0, k->stream[s]));
        LAB_TRY(lab_event_record(k->event[s], k->stream[s]));
        LAB_TRY(lab_stream_wait_event(k->stream[t], k->event[s]));
    }
    return model_wait_for_all(e, k);
}

static lab_status run_moves(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) {
        int s = i % e->streams;
        LAB_TRY(lab_memset_async(lab_array_data(k->x[i]), 0, k->bytes, k->stream[s]));
        LAB_TRY(lab_memcpy_dtod_async(lab_array_data(k->y[i]), lab_array_data(k->x[i]), k->bytes, k->stream[s]));
    }
    return model_wait_for_all(e, k);
}

static lab_status run_pool(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) {
        lab_deviceptr m;
        LAB_TRY(lab_mempool_alloc(&m, k->pool, k->bytes, k->stream[0]));
        LAB_TRY(lab_launch(k->function[TWICE], LAB_DIM(e->blocks), LAB_DIM(e->threads), 0, k->stream[0],
                           LAB_ARGS(m, k->length)));
        LAB_TRY(lab_mempool_free(k->pool, m, k->stream[0]));
    }
    return model_wait_for_all(e, k);
}

static lab_status run_sums(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) LAB_TRY(lab_array_sum(k->one, k->x[0], k->stream[0]));
    return model_wait_for_all(e, k);
}

static lab_status run_nulls(const entry *e, const kit *k)
{
    for (int i = 0; i < e->count; i++) {
        LAB_TRY(launch(e, k, 0, k->stream[0]));
        LAB_TRY(launch(e, k, 1, k->stream[1]));
        LAB_TRY(launch(e, k, 0, lab_stream_null()));
    }
    return lab_stream_synchronize(lab_stream_null());
}

/* Runs the program once. */
static lab_status run(const entry *e, const kit *k)
{
    static const steps patterns[] = {
        [ARRAYS] = run_arrays,     [CHUNKS] = run_arrays,  [PINGPONG] = run_pingpong, [BURST] = run_launches,
        [MEMORY] = run_launches,   [CHAIN] = run_launches, [GRAPH_CHAIN] = run_graph, [GRAPH_FORK] = run_graph,
        [FORK] = run_fork,         [HOSTS] = run_hosts,    [SPIN] = run_spin,         [SMALL] = run_small,
        [EVENT_RING] = run_events, [MOVES] = run_moves,    [POOL] = run_pool,         [SUMS] = run_sums,
        [NULLS] = run_nulls,
    };
    return e->program ? e->program(e, k) : patterns[e->pattern](e, k);
}

static int arrays_of(const entry *e)
{
    const int least = e->streams > 2 ? e->streams : 2;
    switch (e->pattern) {
    case ARRAYS:
    case CHUNKS:
    case MOVES:
    case FRESH: return e->count;
    case MEMORY: return e->count < 8 ? e->count : 8;
    default: return least;
    }
}

static lab_status load(kit *k)
{
    static const char *const names[KERNELS] = {"add", "twice", "work2k", "work20k", "nothing"};
    char text[sizeof MODEL_KERNELS + 64];
    /* What the CPU device records needs no more than one step; the time of a kernel comes from the profile. */
    snprintf(text, sizeof text, "#define STEPS(n) %s\n%s", k->gpu ? "(n)" : "1", MODEL_KERNELS);
    LAB_TRY(lab_module_load_source(&k->module, text, "model_programs.cu"));
    for (kernel i = 0; i < KERNELS; i++) LAB_TRY(lab_module_get_function(&k->function[i], k->module, names[i]));
    return LAB_SUCCESS;
}

static lab_status prepare(const entry *e, kit *k, bool gpu)
{
    const bool two = e->kernel == ADD || e->pattern == MOVES || e->pattern == FRESH;
    int usual, urgent;
    *k = (kit){.arrays = arrays_of(e), .full = e->kib * 256, .gpu = gpu};
    k->length = k->full / smaller(e, gpu);
    k->bytes = (size_t)k->length * sizeof(float);
    for (int i = 0; i < k->arrays; i++) {
        LAB_TRY(lab_array_zeros(&k->x[i], LAB_FLOAT32, LAB_SHAPE((size_t)k->length)));
        if (two) LAB_TRY(lab_array_zeros(&k->y[i], LAB_FLOAT32, LAB_SHAPE((size_t)k->length)));
        k->host[i] = calloc(1, k->bytes);
        if (!k->host[i]) return LAB_ERROR_OUT_OF_MEMORY;
        if (!e->pageable) LAB_TRY(lab_host_register(k->host[i], k->bytes));
    }
    LAB_TRY(lab_array_zeros(&k->one, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_TRY(lab_stream_priority_range(&usual, &urgent));
    for (int i = 0; i < e->streams; i++)
        LAB_TRY(lab_stream_create_with_priority(&k->stream[i], e->pattern == NULLS ? 0 : LAB_STREAM_NON_BLOCKING,
                                                i < e->urgent ? urgent : usual));
    for (int i = 0; i < EVENTS; i++) LAB_TRY(lab_event_create(&k->event[i], LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(load(k));
    LAB_TRY(lab_mempool_create(&k->pool, NULL));
    return lab_device_synchronize();
}

/* Captures the program's graph, if it has one. */
static lab_status capture(const entry *e, kit *k)
{
    lab_graph *graph;
    if (!is_graph(e)) return LAB_SUCCESS;
    LAB_TRY(lab_stream_begin_capture(k->stream[0], LAB_CAPTURE_THREAD_LOCAL));
    for (int i = 0; i < e->count && e->pattern == GRAPH_CHAIN; i++) LAB_TRY(launch(e, k, 0, k->stream[0]));
    if (e->captured) LAB_TRY(e->captured(e, k));
    if (e->pattern == GRAPH_FORK) LAB_TRY(fork_once(e, k, e->count));
    LAB_TRY(lab_stream_end_capture(&graph, k->stream[0]));
    LAB_TRY(lab_graph_instantiate(&k->exec, graph));
    return lab_graph_destroy(graph);
}

static lab_status finish(const entry *e, kit *k)
{
    if (k->exec) LAB_TRY(lab_graph_exec_destroy(k->exec));
    LAB_TRY(lab_mempool_destroy(k->pool));
    LAB_TRY(lab_module_unload(k->module));
    for (int i = 0; i < EVENTS; i++) LAB_TRY(lab_event_destroy(k->event[i]));
    for (int i = 0; i < e->streams; i++) LAB_TRY(lab_stream_destroy(k->stream[i]));
    for (int i = 0; i < k->arrays; i++) {
        if (!e->pageable) LAB_TRY(lab_host_unregister(k->host[i]));
        free(k->host[i]);
        LAB_TRY(lab_array_destroy(k->x[i]));
        if (k->y[i]) LAB_TRY(lab_array_destroy(k->y[i]));
    }
    return lab_array_destroy(k->one);
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* On a GPU: the program's times in one process. */
static lab_status measure(double took[RUNS], const entry *e)
{
    static kit k;
    LAB_TRY(prepare(e, &k, true));
    LAB_TRY(capture(e, &k));
    for (int r = -UNTIMED; r < RUNS; r++) {
        const double start = now();
        LAB_TRY(run(e, &k));
        if (r >= 0) took[r] = 1e3 * (now() - start);
    }
    return finish(e, &k);
}

static const entry *entry_of(size_t i) { return i < ENTRIES ? &entries[i] : &model_fresh[i - ENTRIES]; }

enum { PROCESSES = 7, SAMPLES = PROCESSES * RUNS };

/* The times of every program, process after process. */
typedef struct measured_times {
    int process;
    double took[PROGRAMS_MOST][SAMPLES];
} measured_times;

static void measure_programs(void *user)
{
    measured_times *times = user;
    for (size_t i = 0; i < ENTRIES + model_fresh_count; i++)
        LAB_CHECK(measure(times->took[i] + (size_t)times->process * RUNS, entry_of(i)));
}

/* Prints the median of each program's times and the quartiles. */
static int measure_all(void)
{
    measured_times *times = own_process_memory(sizeof *times);
    if (!times) return EXIT_FAILURE;
    for (; times->process < PROCESSES; times->process++)
        if (!own_process_run(measure_programs, times)) return EXIT_FAILURE;
    for (size_t i = 0; i < ENTRIES + model_fresh_count; i++) {
        double *took = times->took[i];
        qsort(took, SAMPLES, sizeof *took, by_size);
        printf("%-24s %8.4f %8.4f %8.4f\n", entry_of(i)->name, took[SAMPLES / 2], took[SAMPLES / 4],
               took[SAMPLES - 1 - SAMPLES / 4]);
    }
    return EXIT_SUCCESS;
}

/* On the CPU device: the program's time on the profile, in milliseconds. */
static lab_status predict(double *out, const entry *e, const lab_profile *profile)
{
    static kit k;
    lab_trace *trace;
    lab_model *model;
    LAB_TRY(prepare(e, &k, false));
    LAB_TRY(lab_trace_begin());
    LAB_TRY(capture(e, &k));
    LAB_TRY(run(e, &k));
    LAB_TRY(lab_trace_end(&trace));
    const lab_model_options options = {smaller(e, false), e->pattern == SPIN ? HOST_WORK_US : 0};
    LAB_TRY(lab_model_run(&model, trace, profile, &options));
    *out = model->total_ms;
    lab_model_free(model);
    lab_trace_free(trace);
    return finish(e, &k);
}

/* The same. Where the host's work counts: of several records, that in which this machine disturbed it least. */
static lab_status predict_undisturbed(double *out, const entry *e, const lab_profile *profile)
{
    LAB_TRY(predict(out, e, profile));
    for (int more = 1; more < RECORDS && e->pattern == SPIN; more++) {
        double again;
        LAB_TRY(predict(&again, e, profile));
        if (again < *out) *out = again;
    }
    return LAB_SUCCESS;
}

/* Whether the median error is within the bound. */
static bool sum_up(const char *what, double *error, size_t count)
{
    size_t within = 0;
    qsort(error, count, sizeof *error, by_size);
    for (size_t i = 0; i < count; i++) within += error[i] <= 10;
    printf("%-10s %2zu programs: median error %4.1f %%, nine in ten within %4.1f %%, %zu within 10 %%\n", what, count,
           error[count / 2], error[(9 * count + 9) / 10 - 1], within);
    return error[count / 2] <= MEDIAN_PERCENT;
}

/* The next measured program of the file; false at its end. */
static bool next_measured(FILE *file, char name[64], double figure[3])
{
    char line[256];
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%63[^# ] %lf %lf %lf", name, &figure[0], &figure[1], &figure[2]) == 4) return true;
    return false;
}

/* Prints a row of the table. */
static model_time compare(const double figure[3], const lab_profile *profile, const entry *each, const char *marked)
{
    double modelled;
    LAB_CHECK(predict_undisturbed(&modelled, each, profile));
    const double difference = 100 * (modelled / figure[0] - 1);
    printf("%-24s %9.4f (%.4f to %.4f) %9.4f  %+6.1f %%%s%s\n", each->name, figure[0], figure[1], figure[2], modelled,
           difference, *marked ? "  " : "", marked);
    return (model_time){figure[0], modelled};
}

static double percent_wrong(model_time time) { return fabs(100 * (time.modelled / time.measured - 1)); }

/* Whether two programs do the same work, in another order or with other streams. */
static bool are_variants(const entry *a, const entry *b)
{
    return a->pattern == b->pattern && a->count == b->count && a->kib == b->kib && a->kernel == b->kernel &&
           a->blocks == b->blocks && a->threads == b->threads && (a->every == b->every || a->pattern == SMALL);
}

static int compare_all(FILE *measured, const lab_profile *profile)
{
    static const char *const marked[] = {"", "set aside", "fresh"};
    double error[PARTS][PROGRAMS_MOST], all[PROGRAMS_MOST], figure[3];
    model_time time[PROGRAMS_MOST];
    model_order pairs = {0};
    size_t count[PARTS] = {0}, programs = 0;
    char name[64];
    puts("program                   measured (quartiles)           modelled  difference");
    for (size_t i = 0; i < ENTRIES + model_fresh_count; i++) {
        const size_t part = i < ENTRIES ? i % 2 : 2;
        const entry *each = entry_of(i);
        const bool measured_too = next_measured(measured, name, figure);
        if (i == ENTRIES && !measured_too) break; /* a file of the sixty alone */
        if (!measured_too || strcmp(name, each->name) != 0) {
            fprintf(stderr, "model_programs: the measured times do not have %s in its place\n", each->name);
            return EXIT_FAILURE;
        }
        time[i] = compare(figure, profile, each, marked[part]);
        for (size_t j = 0; j < i && i < ENTRIES; j++)
            if (are_variants(each, &entries[j])) model_order_add(&pairs, time[i], time[j]);
        error[part][count[part]++] = all[programs++] = percent_wrong(time[i]);
    }
    puts("");
    const bool tuned = sum_up("tuned", error[0], count[0]), aside = sum_up("set aside", error[1], count[1]);
    const bool fresh = count[2] == 0 || sum_up("fresh", error[2], count[2]);
    sum_up("all", all, programs);
    const bool ordered = model_order_print(&pairs);
    return tuned && aside && fresh && ordered ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    const char *device = getenv("LAB_DEVICE");
    if (device && strcmp(device, "cuda") == 0) return measure_all();
    FILE *measured = argc == 2 || argc == 3 ? fopen(argv[1], "re") : NULL;
    if (!measured) {
        fprintf(stderr, "usage: model_programs FILE [PROFILE]: the file of measured times, as LAB_DEVICE=cuda "
                        "model_programs prints it, and the device's profile (h200)\n");
        return EXIT_FAILURE;
    }
    lab_profile *profile;
    setenv("LAB_DEVICE", "cpu", 1);
    LAB_CHECK(lab_profile_open(&profile, argc == 3 ? argv[2] : "h200"));
    const int status = compare_all(measured, profile);
    lab_profile_free(profile);
    fclose(measured);
    return status;
}
