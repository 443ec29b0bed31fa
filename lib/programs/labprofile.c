/*
 * labprofile: measures a profile of the device that LAB_DEVICE names, and writes it as a file for the model
 * (lib/docs/model.md). Every figure comes from calls of lab.h: times of the host's calls by its clock, times on the
 * device by events around work that a long kernel has held back, so that the host's speed does not enter.
 */
#include "lab.h"
#include "lab_trace.h"
#include "base/monotonic.h"
#include "base/system/whole_file.h"
#include "model_kernels.h"
#include "own_process.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PROCESSES = 7, /* each takes the samples of its rounds */
    ROUNDS = 5,
    SAMPLES = PROCESSES * ROUNDS,
    TRIES = 3,     /* of which the best one is a sample */
    REPEATS = 100, /* operations that one sample is the mean of */
    CALLS = 1000,  /* calls of the host */
    STREAMS = 256,
    QUEUES_TRIED = 64,
    BLOCK = 256, /* threads */
    MIB = 1 << 20,
    SMALL_BYTES = 4096,
    WAYS = 8,    /* streams that take turns, and branches of a graph */
    PIECES = 64, /* small arrays */
    PIECE_BYTES = 64 << 10,
    PROFILE_NAME = 25 /* bytes: what "modelled on" leaves room for on a page */
};

static const char own_kernels[] =
    "#define STEPS(n) (n)\n" MODEL_KERNELS "extern \"C\" __global__ void hold(float *x, int steps)\n"
    "{ if (threadIdx.x) return; float v = x[0]; for (int i = 0; i < steps; i++) v = v * 0.999f + 0.5f; x[0] = v; }\n"
    "extern \"C\" __global__ void none() {}\n"
    "extern \"C\" __global__ void one(float *a) {}\n"
    "extern \"C\" __global__ void three(float *a, float *b, float *c) {}\n"
    /* The compiler does not know the step, so it loads an element when the one before is stored, as in most kernels. */
    "extern \"C\" __global__ void alone(float *x, int n, int step) { for (int i = 0; i < n; i += step) x[i] += 1; }\n";

/* --- Figures ---------------------------------------------------------------------------------------------------- */

typedef enum figure {
    MULTIPROCESSORS,
    THREADS,
    AT_ONCE,
    QUEUES,
    QUEUE_TURN,
    COPY_ENGINES,
    HTOD_RATE,
    DTOH_RATE,
    BOTH_RATE,
    COPY_START,
    PEER,
    PEER_ACCESS,
    PAGEABLE_HTOD,
    PAGEABLE_DTOH,
    PAGEABLE_START,
    STAGING,
    READ_RATE,
    WRITE_RATE,
    CACHE_RATE,
    MEMORY_RATE,
    THREAD_RATE,
    CACHE_BYTES,
    KERNEL_START,
    HAND_OVER,
    STREAM_GAP,
    GRAPH_STEP,
    GRAPH_BRANCH,
    SUM_JOIN,
    LAUNCH_CALL,
    ARGUMENT,
    COPY_CALL,
    FILL_CALL,
    EVENT_CALL,
    GRAPH_CALL,
    POOL_CALL,
    OTHER_CALL,
    WAIT_CALL,
    HOST_FUNCTION,
    KEYS,
    /* Times of kernels, for lines of their own. */
    ADVANCE_CACHED = KEYS,
    ADVANCE_MEMORY,
    WORK2K_ALONE,
    WORK2K_FULL,
    WORK20K_ALONE,
    WORK20K_FULL,
    CHAIN,   /* from the end of an empty kernel to that of the next: kernel_start and its own time */
    NOTHING, /* its own time: no more than it takes as a graph's node */
    FIGURES
} figure;

typedef struct figure_text {
    const char *name, *unit; /* unit "" for a number */
    double least;            /* what the model takes */
} figure_text;

static const figure_text texts[KEYS] = {
    [MULTIPROCESSORS] = {"multiprocessors", "", 1},
    [THREADS] = {"threads_per_multiprocessor", "", 1},
    [AT_ONCE] = {"kernels_at_once", "", 1},
    [QUEUES] = {"queues", "", 1},
    [QUEUE_TURN] = {"queue_turn", "us", 0},
    [COPY_ENGINES] = {"copy_engines", "", 1},
    [HTOD_RATE] = {"htod_rate", "MB/s", 1},
    [DTOH_RATE] = {"dtoh_rate", "MB/s", 1},
    [BOTH_RATE] = {"both_rate", "MB/s", 1},
    [COPY_START] = {"copy_start", "us", 0},
    [PEER] = {"peer_rate", "MB/s", 1},
    [PEER_ACCESS] = {"peer_access_rate", "MB/s", 1},
    [PAGEABLE_HTOD] = {"pageable_htod_rate", "MB/s", 1},
    [PAGEABLE_DTOH] = {"pageable_dtoh_rate", "MB/s", 1},
    [PAGEABLE_START] = {"pageable_start", "us", 0},
    [STAGING] = {"staging_bytes", "bytes", 0},
    [READ_RATE] = {"read_rate", "MB/s", 1},
    [WRITE_RATE] = {"write_rate", "MB/s", 1},
    [CACHE_RATE] = {"cache_rate", "MB/s", 1},
    [MEMORY_RATE] = {"memory_rate", "MB/s", 1},
    [THREAD_RATE] = {"thread_rate", "MB/s", 1},
    [CACHE_BYTES] = {"cache_bytes", "bytes", 0},
    [KERNEL_START] = {"kernel_start", "us", 0},
    [HAND_OVER] = {"hand_over", "us", 0},
    [STREAM_GAP] = {"stream_gap", "us", 0},
    [GRAPH_STEP] = {"graph_step", "us", 0},
    [GRAPH_BRANCH] = {"graph_branch", "us", 0},
    [SUM_JOIN] = {"sum_join", "us", 0},
    [LAUNCH_CALL] = {"launch_call", "us", 0},
    [ARGUMENT] = {"launch_argument", "us", 0},
    [COPY_CALL] = {"copy_call", "us", 0},
    [FILL_CALL] = {"fill_call", "us", 0},
    [EVENT_CALL] = {"event_call", "us", 0},
    [GRAPH_CALL] = {"graph_call", "us", 0},
    [POOL_CALL] = {"pool_call", "us", 0},
    [OTHER_CALL] = {"other_call", "us", 0},
    [WAIT_CALL] = {"wait_call", "us", 0},
    [HOST_FUNCTION] = {"host_function", "us", 0},
};

typedef struct kit {
    lab_device_info info;
    lab_module *module, *lab03;
    lab_function hold, none, one, three, alone, twice, work2k, work20k, advance;
    lab_stream *stream[STREAMS];
    lab_event *event[4];
    lab_mempool *pool;
    lab_graph_exec *chain, *longer, *forks, *more_forks;
    lab_array *large, *other, *result, *small, *parts, *piece[PIECES];
    void *pinned, *pinned_out, *host[PIECES];
    size_t copied, used; /* bytes of a large copy, of the arrays */
    double step_us;      /* of the kernel `hold` */
    double gate_us;      /* how long work is held back */
    double value[FIGURES][SAMPLES];
    int rounds, tries, round, count[FIGURES];
} kit;

static void add(kit *k, figure which, double value) { k->value[which][k->count[which]++] = value; }

static bool is_gpu(const kit *k) { return strcmp(k->info.kind, "cuda") == 0; }

static double now_us(void) { return 1e-3 * (double)monotonic_ns(); }

/* Adds a sample; the round before the first is a warm-up. */
static void note(kit *k, figure which, double value)
{
    if (k->round >= 0) add(k, which, value);
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The median of the samples, which are sorted. */
static double median(kit *k, figure which)
{
    const int count = k->count[which];
    if (count == 0) return 0;
    qsort(k->value[which], (size_t)count, sizeof(double), by_size);
    return k->value[which][count / 2];
}

/* --- Work that is held back ------------------------------------------------------------------------------------- */

static lab_status launch_hold(const kit *k, lab_stream *stream, double us, unsigned blocks)
{
    const int steps = (int)(us / k->step_us) + 1;
    return lab_launch(k->hold, LAB_DIM(blocks), LAB_DIM(BLOCK), 0, stream, LAB_ARGS(k->small, steps));
}

typedef lab_status enqueuer(const kit *k, int count);

/* The time on the device of what `enqueue` adds to the first stream. The work waits until all of it is enqueued: if the
 * gate opened too early, a longer one follows. */
static lab_status time_once(double *us, kit *k, enqueuer *enqueue, int count)
{
    enum { LONGER = 8 };
    for (int i = 0; i < LONGER; i++) {
        float milliseconds;
        LAB_TRY(launch_hold(k, k->stream[0], k->gate_us, 1));
        LAB_TRY(lab_event_record(k->event[0], k->stream[0]));
        LAB_TRY(enqueue(k, count));
        LAB_TRY(lab_event_record(k->event[1], k->stream[0]));
        const bool held = lab_event_query(k->event[0]) == LAB_ERROR_NOT_READY;
        LAB_TRY(lab_stream_synchronize(k->stream[0]));
        LAB_TRY(lab_event_elapsed_time(&milliseconds, k->event[0], k->event[1]));
        *us = 1e3 * milliseconds;
        if (held) break;
        k->gate_us *= 2;
    }
    return LAB_SUCCESS;
}

/* The least of a few times: other work on the machine only adds. */
static lab_status time_on_device(double *us, kit *k, enqueuer *enqueue, int count)
{
    double again;
    LAB_TRY(time_once(us, k, enqueue, count));
    for (int i = 1; i < k->tries; i++) {
        LAB_TRY(time_once(&again, k, enqueue, count));
        if (again < *us) *us = again;
    }
    return LAB_SUCCESS;
}

/* What one operation of `enqueue` takes more when there are `more` than with `few`. */
static lab_status time_of_one(double *us, kit *k, enqueuer *enqueue, int few, int more)
{
    double first, second;
    LAB_TRY(time_on_device(&first, k, enqueue, few));
    LAB_TRY(time_on_device(&second, k, enqueue, more));
    *us = (second - first) / (more - few);
    return LAB_SUCCESS;
}

/* --- Calls of the host ------------------------------------------------------------------------------------------ */

/* The host's time for one of `count` calls in a row; the device's work is then waited for. Few calls find the host's
 * caches cold, and a program makes many. */
#define TIME_CALLS(us, k, count, call)                                                                                 \
    do {                                                                                                               \
        const double begun = now_us();                                                                                 \
        for (int i = 0; i < (count); i++) LAB_TRY(call);                                                               \
        *(us) = (now_us() - begun) / (count);                                                                          \
        LAB_TRY(lab_device_synchronize());                                                                             \
    } while (0)

static lab_status launch_none(const kit *k, lab_stream *stream)
{
    return lab_launch(k->none, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_NO_ARGS);
}

static lab_status copy_in(const kit *k, size_t bytes, lab_stream *stream)
{
    return lab_memcpy_htod_async(lab_array_data(k->large), k->pinned, bytes, stream);
}

static lab_status copy_out(const kit *k, size_t bytes, lab_stream *stream)
{
    return lab_memcpy_dtoh_async(k->pinned_out, lab_array_data(k->other), bytes, stream);
}

static lab_status launch_one(const kit *k)
{
    return lab_launch(k->one, LAB_DIM(1), LAB_DIM(32), 0, k->stream[0], LAB_ARGS(k->small));
}

static lab_status launch_three(const kit *k)
{
    return lab_launch(k->three, LAB_DIM(1), LAB_DIM(32), 0, k->stream[0], LAB_ARGS(k->small, k->result, k->parts));
}

/* As programs copy: arrays of their own memory, before a kernel and behind it, each time in another stream than before.
 * Copies of the same memory in a row cost the host less. */
static lab_status copy_launch_copy(const kit *k, int turn)
{
    const int piece = turn % PIECES;
    lab_stream *stream = k->stream[turn % WAYS];
    LAB_TRY(lab_array_set_async(k->piece[piece], k->host[piece], stream));
    LAB_TRY(lab_launch(k->one, LAB_DIM(1), LAB_DIM(32), 0, stream, LAB_ARGS(k->piece[piece])));
    return lab_array_get_async(k->piece[piece], k->host[piece], stream);
}

static lab_status use_pool(const kit *k)
{
    lab_deviceptr memory;
    LAB_TRY(lab_mempool_alloc(&memory, k->pool, SMALL_BYTES, k->stream[0]));
    return lab_mempool_free(k->pool, memory, k->stream[0]);
}

static lab_status launch_and_wait(const kit *k)
{
    LAB_TRY(launch_none(k, k->stream[0]));
    return lab_stream_synchronize(k->stream[0]);
}

/* As programs use events: behind work, and another stream waits. */
static lab_status launch_and_order(const kit *k)
{
    LAB_TRY(launch_none(k, k->stream[0]));
    LAB_TRY(lab_event_record(k->event[2], k->stream[0]));
    return lab_stream_wait_event(k->stream[1], k->event[2]);
}

static lab_status fill_and_move(const kit *k)
{
    LAB_TRY(lab_memset_async(lab_array_data(k->large), 0, MIB, k->stream[0]));
    return lab_memcpy_dtod_async(lab_array_data(k->other), lab_array_data(k->large), MIB, k->stream[0]);
}

static lab_status measure_calls(kit *k)
{
    lab_stream *stream = k->stream[0];
    double launch, one, us;
    TIME_CALLS(&launch, k, CALLS, launch_none(k, stream));
    TIME_CALLS(&one, k, CALLS, launch_one(k));
    TIME_CALLS(&us, k, CALLS, launch_three(k));
    note(k, ARGUMENT, (us - one) / 2);
    note(k, LAUNCH_CALL, one - (us - one) / 2); /* the first argument costs more than others */
    TIME_CALLS(&us, k, 2 * PIECES, copy_launch_copy(k, i));
    note(k, COPY_CALL, (us - one) / 2);
    TIME_CALLS(&us, k, REPEATS, fill_and_move(k));
    note(k, FILL_CALL, us / 2);
    TIME_CALLS(&us, k, REPEATS, launch_and_order(k));
    note(k, EVENT_CALL, (us - launch) / 2);
    TIME_CALLS(&us, k, CALLS, use_pool(k));
    note(k, POOL_CALL, us / 2);
    TIME_CALLS(&us, k, CALLS, lab_stream_synchronize(stream));
    note(k, OTHER_CALL, us);
    TIME_CALLS(&us, k, REPEATS / 10, lab_graph_launch(k->chain, stream));
    note(k, GRAPH_CALL, us);
    TIME_CALLS(&us, k, REPEATS, launch_and_wait(k));
    note(k, WAIT_CALL, us - launch); /* less an empty kernel: see derive */
    return LAB_SUCCESS;
}

/* --- From one operation to the next ----------------------------------------------------------------------------- */

static lab_status enqueue_chain(const kit *k, int count)
{
    for (int i = 0; i < count; i++) LAB_TRY(launch_none(k, k->stream[0]));
    return LAB_SUCCESS;
}

/* Of few bytes, but of more than one block reduces. */
static lab_status enqueue_joins(const kit *k, int count)
{
    for (int i = 0; i < count; i++) LAB_TRY(lab_array_sum(k->result, k->parts, k->stream[0]));
    return LAB_SUCCESS;
}

static lab_status enqueue_copies_and_kernels(const kit *k, int count)
{
    for (int i = 0; i < count; i++) {
        LAB_TRY(copy_in(k, MIB, k->stream[0]));
        LAB_TRY(launch_none(k, k->stream[0]));
    }
    return LAB_SUCCESS;
}

/* Copies of several streams by turns, so many that one always runs: each stream's next one waits for a kernel, as in
 * most programs. A copy that follows one of its own stream starts sooner. */
static lab_status enqueue_copies_by_turns(const kit *k, int rounds)
{
    LAB_TRY(lab_event_record(k->event[2], k->stream[0]));
    for (int s = 1; s < WAYS; s++) LAB_TRY(lab_stream_wait_event(k->stream[s], k->event[2]));
    for (int i = 0; i < rounds * WAYS; i++) {
        LAB_TRY(copy_in(k, MIB, k->stream[i % WAYS]));
        LAB_TRY(launch_none(k, k->stream[i % WAYS]));
    }
    for (int s = 1; s < WAYS; s++) {
        LAB_TRY(lab_event_record(k->event[3], k->stream[s]));
        LAB_TRY(lab_stream_wait_event(k->stream[0], k->event[3]));
    }
    return LAB_SUCCESS;
}

/* Kernels that last longer than it takes to see that another stream's is done. */
static lab_status launch_work(const kit *k, lab_stream *stream)
{
    return lab_launch(k->work2k, LAB_DIM(1), LAB_DIM(BLOCK), 0, stream, LAB_ARGS(k->large));
}

/* What a step around so many streams takes, by the host's clock. Work that is held back and all there changes streams
 * as if it stayed: the device then has seen the waits before. */
static lab_status time_ring(double *us, const kit *k, int streams)
{
    enum { FEW = 50, MORE = 150 };
    double took[2];
    for (int more = 0; more < 2; more++) {
        LAB_TRY(lab_device_synchronize());
        const double begun = now_us();
        for (int i = 0; i < (more ? MORE : FEW); i++) {
            const int s = i % streams, next = (i + 1) % streams;
            LAB_TRY(launch_work(k, k->stream[s]));
            if (next == s) continue;
            LAB_TRY(lab_event_record(k->event[2 + s % 2], k->stream[s]));
            LAB_TRY(lab_stream_wait_event(k->stream[next], k->event[2 + s % 2]));
        }
        LAB_TRY(lab_device_synchronize());
        took[more] = now_us() - begun;
    }
    *us = (took[1] - took[0]) / (MORE - FEW);
    return LAB_SUCCESS;
}

static void do_nothing(void *user) { (void)user; }

/* A kernel and a host function, by the host's clock and not held back: host functions in a row, or behind kernels that
 * take no time, are faster, since the thread that calls them is still awake. */
static lab_status time_host_functions(double *us, const kit *k)
{
    enum { FUNCTIONS = 20 };
    double each[TRIES];
    for (int try = 0; try < k->tries; try++) {
        const double begun = now_us();
        for (int i = 0; i < FUNCTIONS; i++) {
            LAB_TRY(launch_work(k, k->stream[0]));
            LAB_TRY(lab_stream_launch_host_func(k->stream[0], do_nothing, NULL));
        }
        LAB_TRY(lab_stream_synchronize(k->stream[0]));
        each[try] = (now_us() - begun) / FUNCTIONS;
    }
    qsort(each, (size_t)k->tries, sizeof *each, by_size);
    *us = each[k->tries / 2]; /* not the least: how soon the thread wakes up is luck, also without other work */
    return LAB_SUCCESS;
}

static lab_status enqueue_graph(const kit *k, lab_graph_exec *graph) { return lab_graph_launch(graph, k->stream[0]); }
static lab_status enqueue_chain_graph(const kit *k, int count)
{
    return enqueue_graph(k, count > REPEATS ? k->longer : k->chain);
}
static lab_status enqueue_fork_graph(const kit *k, int count)
{
    return enqueue_graph(k, count > REPEATS ? k->more_forks : k->forks);
}

static lab_status measure_steps(kit *k)
{
    double chain, node, copy, work, us;
    LAB_TRY(time_of_one(&chain, k, enqueue_chain, REPEATS / 2, REPEATS));
    LAB_TRY(time_of_one(&node, k, enqueue_chain_graph, REPEATS, 2 * REPEATS));
    /* Its own time cannot be told from what comes before it. The model needs only the two sums. */
    const double nothing = fmin(chain, node);
    note(k, CHAIN, chain);
    note(k, NOTHING, nothing);
    note(k, KERNEL_START, chain - nothing);
    note(k, GRAPH_STEP, node - nothing);
    LAB_TRY(time_of_one(&us, k, enqueue_fork_graph, REPEATS, REPEATS + REPEATS / 10));
    note(k, GRAPH_BRANCH, (us - 2 * node) / 2 / (WAYS - 1)); /* a fork and a join more */
    LAB_TRY(time_of_one(&us, k, enqueue_joins, REPEATS / 2, REPEATS));
    note(k, SUM_JOIN, us - (chain - nothing));
    LAB_TRY(time_of_one(&copy, k, enqueue_copies_by_turns, REPEATS / 20, REPEATS / 10));
    copy /= WAYS;
    note(k, COPY_START, copy); /* less what its bytes take: see derive */
    LAB_TRY(time_of_one(&us, k, enqueue_copies_and_kernels, REPEATS / 4, REPEATS / 2));
    note(k, HAND_OVER, (us - copy - chain) / 2);
    LAB_TRY(time_ring(&work, k, 1));
    LAB_TRY(time_ring(&us, k, 4));
    note(k, STREAM_GAP, us - work);
    LAB_TRY(time_host_functions(&us, k));
    note(k, HOST_FUNCTION, us - work);
    return LAB_SUCCESS;
}

/* --- Copies between host and device ----------------------------------------------------------------------------- */

static lab_status enqueue_in(const kit *k, int parts)
{
    return copy_in(k, k->copied / 4 * (size_t)parts, k->stream[0]);
}
static lab_status enqueue_out(const kit *k, int parts)
{
    return copy_out(k, k->copied / 4 * (size_t)parts, k->stream[0]);
}

/* By the host's clock. */
static lab_status time_both_ways(double *us, const kit *k, size_t bytes)
{
    const double begun = now_us();
    LAB_TRY(copy_in(k, bytes, k->stream[0]));
    LAB_TRY(copy_out(k, bytes, k->stream[1]));
    LAB_TRY(lab_stream_synchronize(k->stream[0]));
    LAB_TRY(lab_stream_synchronize(k->stream[1]));
    *us = now_us() - begun;
    return LAB_SUCCESS;
}

/* Copies of blocks of pageable memory, by the host's clock: in and out of each, as programs copy, and each allocated
 * alone, as programs do. In one large block the host copies faster. */
static lab_status time_pageable(double in_and_out[2], const kit *k, size_t bytes)
{
    enum { BLOCKS = 64, PASSES = 3 }; /* the last pass counts */
    void *block[BLOCKS];
    const int count = (int)(k->copied / bytes);
    for (int i = 0; i < count; i++)
        if (!(block[i] = calloc(1, bytes))) return LAB_ERROR_OUT_OF_MEMORY;
    for (int pass = 0; pass < PASSES; pass++) {
        in_and_out[0] = in_and_out[1] = 0;
        for (int i = 0; i < count; i++) {
            const lab_deviceptr memory = lab_array_data(k->large) + (size_t)i * bytes;
            const double begun = now_us();
            LAB_TRY(lab_memcpy_htod_async(memory, block[i], bytes, k->stream[0]));
            const double between = now_us();
            LAB_TRY(lab_memcpy_dtoh_async(block[i], memory, bytes, k->stream[0]));
            in_and_out[0] += (between - begun) / count;
            in_and_out[1] += (now_us() - between) / count;
        }
        LAB_TRY(lab_stream_synchronize(k->stream[0]));
    }
    for (int i = 0; i < count; i++) free(block[i]);
    return LAB_SUCCESS;
}

/* The largest pageable copy to the device that returns while work before it still runs. */
static lab_status find_staging(double *bytes, const kit *k)
{
    enum { MOST = 8 * MIB };
    void *pageable = calloc(1, MOST);
    if (!pageable) return LAB_ERROR_OUT_OF_MEMORY;
    *bytes = 0;
    bool returned = true;
    for (size_t size = SMALL_BYTES; returned && size <= MOST; size *= 2) {
        const double hold = 2e3 + 1e-3 * (double)size;
        LAB_TRY(launch_hold(k, k->stream[0], hold, 1));
        LAB_TRY(lab_event_record(k->event[0], k->stream[0]));
        LAB_TRY(lab_memcpy_htod_async(lab_array_data(k->large), pageable, size, k->stream[0]));
        returned = lab_event_query(k->event[0]) == LAB_ERROR_NOT_READY;
        LAB_TRY(lab_stream_synchronize(k->stream[0]));
        if (returned) *bytes = (double)size;
    }
    free(pageable);
    return LAB_SUCCESS;
}

static lab_status measure_copies(kit *k)
{
    const double quarter = (double)k->copied / 4;
    double us, large, start = 0;
    LAB_TRY(time_of_one(&us, k, enqueue_in, 1, 4));
    note(k, HTOD_RATE, quarter / us);
    LAB_TRY(time_of_one(&us, k, enqueue_out, 1, 4));
    note(k, DTOH_RATE, quarter / us);
    LAB_TRY(time_both_ways(&us, k, k->copied / 4));
    LAB_TRY(time_both_ways(&large, k, k->copied));
    note(k, BOTH_RATE, 2 * 3 * quarter / (large - us));
    double some[2], more[2];
    LAB_TRY(time_pageable(some, k, MIB));
    LAB_TRY(time_pageable(more, k, 4 * (size_t)MIB));
    for (int out = 0; out < 2; out++) {
        const double rate = 3.0 * MIB / (more[out] - some[out]);
        note(k, out ? PAGEABLE_DTOH : PAGEABLE_HTOD, rate);
        start += (some[out] - MIB / rate) / 2;
    }
    note(k, PAGEABLE_START, start); /* less what pinned copies take: see derive */
    LAB_TRY(find_staging(&us, k));
    note(k, STAGING, us);
    return LAB_SUCCESS;
}

/* --- Memory of the device --------------------------------------------------------------------------------------- */

static unsigned filling_blocks(const kit *k) { return 8 * (unsigned)k->info.multiprocessors; }

static lab_status launch_over(const kit *k, lab_function kernel, size_t bytes)
{
    return lab_launch(kernel, LAB_DIM(filling_blocks(k)), LAB_DIM(BLOCK), 0, k->stream[0],
                      LAB_ARGS(k->large, (int)(bytes / sizeof(float))));
}

static lab_status enqueue_sums(const kit *k, int count)
{
    for (int i = 0; i < count; i++) LAB_TRY(lab_array_sum(k->result, k->large, k->stream[0]));
    return LAB_SUCCESS;
}

static lab_status enqueue_moves(const kit *k, int count)
{
    for (int i = 0; i < count; i++)
        LAB_TRY(lab_memcpy_dtod_async(lab_array_data(k->other), lab_array_data(k->large), k->used, k->stream[0]));
    return LAB_SUCCESS;
}

static size_t looped; /* bytes that enqueue_loops goes over */

static lab_status enqueue_loops(const kit *k, int count)
{
    for (int i = 0; i < count; i++) LAB_TRY(launch_over(k, k->twice, looped));
    return LAB_SUCCESS;
}

static lab_status enqueue_alone(const kit *k, int count)
{
    const int apart = 64; /* of most kernels, a thread's elements are far from each other */
    return lab_launch(k->alone, LAB_DIM(1), LAB_DIM(1), 0, k->stream[0], LAB_ARGS(k->large, count * apart, apart));
}

enum { CACHED_LEAST = 4 * MIB, CACHED_USUAL = 8 * MIB, CACHED_MOST = 12 * MIB };

/* The rate of reading and writing so many bytes, again and again, but for CACHED_LEAST of them: a small kernel's begin
 * and end would count for most of its time. */
static lab_status time_loops(double *rate, kit *k, size_t bytes)
{
    double least, us;
    looped = CACHED_LEAST;
    LAB_TRY(time_of_one(&least, k, enqueue_loops, 4, 12));
    looped = bytes;
    LAB_TRY(time_of_one(&us, k, enqueue_loops, 4, 12));
    *rate = us > least ? 2 * (double)(bytes - CACHED_LEAST) / (us - least) : 0;
    return LAB_SUCCESS;
}

/* The largest array that is not yet nearer to the memory's rate than to the cache's. */
static lab_status find_cache(double *bytes, kit *k)
{
    double cached, outside, rate;
    LAB_TRY(time_loops(&cached, k, CACHED_MOST));
    LAB_TRY(time_loops(&outside, k, k->used));
    *bytes = 0;
    if (cached < 1.2 * outside) return LAB_SUCCESS; /* no cache that kernels would notice */
    *bytes = CACHED_MOST;
    for (size_t size = CACHED_MOST + CACHED_MOST / 8; size < k->used; size += size / 8) {
        LAB_TRY(time_loops(&rate, k, size));
        if (rate < (cached + outside) / 2) break;
        *bytes = (double)size;
    }
    return LAB_SUCCESS;
}

static lab_status measure_memory(kit *k)
{
    const double bytes = (double)k->used;
    double us;
    LAB_TRY(time_of_one(&us, k, enqueue_sums, 2, 6));
    const double start = median(k, KERNEL_START), reads = us - start - median(k, SUM_JOIN);
    note(k, READ_RATE, bytes / reads);
    looped = k->used;
    LAB_TRY(time_of_one(&us, k, enqueue_loops, 2, 6));
    note(k, WRITE_RATE, bytes / (us - start - reads)); /* with reads, as kernels write */
    LAB_TRY(time_of_one(&us, k, enqueue_moves, 2, 6));
    note(k, MEMORY_RATE, 2 * bytes / (us - start));
    LAB_TRY(time_of_one(&us, k, enqueue_alone, 1 << 12, 1 << 14)); /* 4 MiB: in the cache */
    note(k, THREAD_RATE, sizeof(float) / us);
    looped = CACHED_USUAL; /* with a kernel's begin and end, which count for most of a small one's time */
    LAB_TRY(time_of_one(&us, k, enqueue_loops, 4, 12));
    note(k, CACHE_RATE, us > start ? 2 * (double)CACHED_USUAL / (us - start) : 0);
    if (k->round == 0) {
        double found;
        LAB_TRY(find_cache(&found, k));
        note(k, CACHE_BYTES, found);
    }
    return LAB_SUCCESS;
}

/* --- How much runs at once -------------------------------------------------------------------------------------- */

enum { HOLD_US = 4000 };

/* Kernels of one block on as many streams. */
static lab_status run_kernels(const kit *k, int count)
{
    for (int i = 0; i < count; i++) LAB_TRY(launch_hold(k, k->stream[i], HOLD_US, 1));
    return lab_device_synchronize();
}

/* One kernel of as many blocks, each of which keeps its threads until its first one is done. */
static lab_status run_blocks(const kit *k, int count)
{
    LAB_TRY(launch_hold(k, k->stream[0], HOLD_US, (unsigned)count));
    return lab_device_synchronize();
}

/* Whether as many run in hardly more time than one, at least one time of a few. */
static lab_status fits_beside(bool *fits, const kit *k, enqueuer *run, int count, double one)
{
    *fits = false;
    for (int i = 0; i < k->tries && !*fits; i++) {
        const double begun = now_us();
        LAB_TRY(run(k, count));
        *fits = now_us() - begun < 1.5 * one;
    }
    return LAB_SUCCESS;
}

/* The most that `run` can run in the time of one. */
static lab_status find_most(double *found, const kit *k, enqueuer *run, int most)
{
    int most_found = 1, beyond = most + 1;
    const double begun = now_us();
    LAB_TRY(run(k, 1));
    const double one = now_us() - begun;
    while (beyond - most_found > 1) {
        const int tried = (most_found + beyond) / 2;
        bool fits;
        LAB_TRY(fits_beside(&fits, k, run, tried, one));
        if (fits)
            most_found = tried;
        else
            beyond = tried;
    }
    *found = most_found;
    return LAB_SUCCESS;
}

/* Whether a kernel of stream s waits behind a kernel of the first stream, which itself waits for a copy behind a long
 * kernel: always, not only because the machine was busy. A kernel that waits for another kernel of its stream would not
 * hold up others. */
static lab_status shares_queue(bool *shared, const kit *k, int s)
{
    *shared = true;
    for (int i = 0; i < k->tries && *shared; i++) {
        LAB_TRY(launch_hold(k, k->stream[0], HOLD_US, 1));
        LAB_TRY(lab_event_record(k->event[0], k->stream[0]));
        LAB_TRY(copy_in(k, MIB, k->stream[0])); /* a small one would need no engine for copies */
        LAB_TRY(launch_none(k, k->stream[0]));
        LAB_TRY(launch_none(k, k->stream[s]));
        LAB_TRY(lab_stream_synchronize(k->stream[s]));
        *shared = lab_event_query(k->event[0]) == LAB_SUCCESS;
        LAB_TRY(lab_device_synchronize());
    }
    return LAB_SUCCESS;
}

/* The number of hardware queues: the first other stream that shares the first one's queue. */
static lab_status find_queues(double *found, const kit *k)
{
    bool shared = false;
    int s = 0;
    while (!shared && ++s < QUEUES_TRIED) LAB_TRY(shares_queue(&shared, k, s));
    *found = s;
    return LAB_SUCCESS;
}

static lab_status measure_room(kit *k)
{
    const int processors = k->info.multiprocessors;
    double found;
    if (k->round != 0) return LAB_SUCCESS;
    LAB_TRY(find_most(&found, k, run_kernels, STREAMS));
    note(k, AT_ONCE, found);
    LAB_TRY(find_most(&found, k, run_blocks, 16 * processors));
    const double blocks = found < processors ? 1 : (double)((int)found / processors);
    note(k, THREADS, blocks * BLOCK);
    LAB_TRY(find_queues(&found, k));
    note(k, QUEUES, found);
    note(k, MULTIPROCESSORS, processors);
    return LAB_SUCCESS;
}

/* --- Kernels ---------------------------------------------------------------------------------------------------- */

static lab_function timed; /* what enqueue_timed launches, and with how many blocks of how many threads */
static unsigned timed_blocks, timed_threads;

static lab_status enqueue_timed(const kit *k, int count)
{
    for (int i = 0; i < count; i++)
        LAB_TRY(lab_launch(timed, LAB_DIM(timed_blocks), LAB_DIM(timed_threads), 0, k->stream[0], LAB_ARGS(k->large)));
    return LAB_SUCCESS;
}

/* The time of one more wave of blocks, which leaves out how the first begins and the last ends. */
static lab_status time_wave(double *us, kit *k)
{
    enum { FEW = 2, MORE = 6 };
    const unsigned wave = (unsigned)(k->info.multiprocessors * median(k, THREADS) / BLOCK);
    double few, more;
    timed_threads = BLOCK;
    timed_blocks = FEW * wave;
    LAB_TRY(time_of_one(&few, k, enqueue_timed, 1, 3));
    timed_blocks = MORE * wave;
    LAB_TRY(time_of_one(&more, k, enqueue_timed, 1, 3));
    *us = (more - few) / (MORE - FEW);
    return LAB_SUCCESS;
}

static lab_status time_kernel(kit *k, lab_function kernel, figure alone, figure full)
{
    double us;
    timed = kernel;
    timed_blocks = 1;
    timed_threads = 64;
    LAB_TRY(time_of_one(&us, k, enqueue_timed, 2, 6));
    note(k, alone, us - median(k, KERNEL_START));
    LAB_TRY(time_wave(&us, k));
    note(k, full, us);
    return LAB_SUCCESS;
}

enum { LAB03_BYTES = 4 * MIB, LAB03_THREADS = 64, LAB03_STEPS = 50 };

/* Lab 03's kernel once, its array just copied in or long out of the cache. */
static lab_status time_advance(kit *k, bool cached)
{
    float milliseconds;
    LAB_TRY(copy_in(k, LAB03_BYTES, k->stream[0]));
    if (!cached) LAB_TRY(lab_memset_async(lab_array_data(k->other), 0, lab_array_bytes(k->other), k->stream[0]));
    LAB_TRY(lab_event_record(k->event[0], k->stream[0]));
    LAB_TRY(lab_launch(k->advance, LAB_DIM(1), LAB_DIM(LAB03_THREADS), 0, k->stream[0],
                       LAB_ARGS(k->large, (int)(LAB03_BYTES / sizeof(float)), 3.7f, LAB03_STEPS)));
    LAB_TRY(lab_event_record(k->event[1], k->stream[0]));
    LAB_TRY(lab_stream_synchronize(k->stream[0]));
    LAB_TRY(lab_event_elapsed_time(&milliseconds, k->event[0], k->event[1]));
    note(k, cached ? ADVANCE_CACHED : ADVANCE_MEMORY, 1e3 * milliseconds);
    return LAB_SUCCESS;
}

static lab_status measure_kernels(kit *k)
{
    LAB_TRY(time_kernel(k, k->work2k, WORK2K_ALONE, WORK2K_FULL));
    LAB_TRY(time_kernel(k, k->work20k, WORK20K_ALONE, WORK20K_FULL));
    LAB_TRY(time_advance(k, true));
    return time_advance(k, false);
}

/* --- Set-up ----------------------------------------------------------------------------------------------------- */

static lab_status capture_chain(lab_graph_exec **out, const kit *k, int nodes)
{
    lab_graph *graph;
    LAB_TRY(lab_stream_begin_capture(k->stream[0], LAB_CAPTURE_THREAD_LOCAL));
    for (int i = 0; i < nodes; i++) LAB_TRY(launch_none(k, k->stream[0]));
    LAB_TRY(lab_stream_end_capture(&graph, k->stream[0]));
    LAB_TRY(lab_graph_instantiate(out, graph));
    return lab_graph_destroy(graph);
}

/* Each round is a kernel, from which branches of one kernel lead to the next round's. */
static lab_status capture_forks(lab_graph_exec **out, const kit *k, int rounds)
{
    lab_graph *graph;
    LAB_TRY(lab_stream_begin_capture(k->stream[0], LAB_CAPTURE_THREAD_LOCAL));
    for (int r = 0; r < rounds; r++) {
        LAB_TRY(launch_none(k, k->stream[0]));
        LAB_TRY(lab_event_record(k->event[2], k->stream[0]));
        for (int s = 0; s < WAYS; s++) {
            if (s > 0) LAB_TRY(lab_stream_wait_event(k->stream[s], k->event[2]));
            LAB_TRY(launch_none(k, k->stream[s]));
            if (s > 0) LAB_TRY(lab_event_record(k->event[3], k->stream[s]));
            if (s > 0) LAB_TRY(lab_stream_wait_event(k->stream[0], k->event[3]));
        }
    }
    LAB_TRY(lab_stream_end_capture(&graph, k->stream[0]));
    LAB_TRY(lab_graph_instantiate(out, graph));
    return lab_graph_destroy(graph);
}

static lab_status find_kernels(kit *k, const char *lab03)
{
    const struct {
        lab_function *function;
        const char *name;
    } own[] = {{&k->hold, "hold"},   {&k->none, "none"},   {&k->one, "one"},       {&k->three, "three"},
               {&k->alone, "alone"}, {&k->twice, "twice"}, {&k->work2k, "work2k"}, {&k->work20k, "work20k"}};
    LAB_TRY(lab_module_load_source(&k->module, own_kernels, "labprofile.cu"));
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        LAB_TRY(lab_module_get_function(own[i].function, k->module, own[i].name));
    LAB_TRY(lab_module_load_file(&k->lab03, lab03));
    return lab_module_get_function(&k->advance, k->lab03, "advance");
}

static lab_status make_arrays(kit *k)
{
    const bool gpu = is_gpu(k);
    k->used = (gpu ? 256 : 16) * (size_t)MIB;
    k->copied = (gpu ? 64 : 8) * (size_t)MIB;
    const size_t count = k->used / sizeof(float);
    LAB_TRY(lab_array_zeros(&k->large, LAB_FLOAT32, LAB_SHAPE(count)));
    LAB_TRY(lab_array_zeros(&k->other, LAB_FLOAT32, LAB_SHAPE(count)));
    LAB_TRY(lab_array_zeros(&k->small, LAB_FLOAT32, LAB_SHAPE(SMALL_BYTES)));
    LAB_TRY(lab_array_zeros(&k->parts, LAB_FLOAT32, LAB_SHAPE(MIB / 16)));
    LAB_TRY(lab_array_zeros(&k->result, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_TRY(lab_host_alloc(&k->pinned, k->copied));
    LAB_TRY(lab_host_alloc(&k->pinned_out, k->copied));
    memset(k->pinned, 0, k->copied);
    for (int i = 0; i < PIECES; i++) {
        LAB_TRY(lab_array_zeros(&k->piece[i], LAB_FLOAT32, LAB_SHAPE(PIECE_BYTES / sizeof(float))));
        k->host[i] = calloc(1, PIECE_BYTES);
        if (!k->host[i]) return LAB_ERROR_OUT_OF_MEMORY;
        LAB_TRY(lab_host_register(k->host[i], PIECE_BYTES));
    }
    return LAB_SUCCESS;
}

/* How long a step of `hold` takes. */
static lab_status time_step(kit *k)
{
    enum { STEPS_TIMED = 1 << 20, TIMES = 3 };
    for (int i = 0; i < TIMES; i++) {
        k->step_us = 1;
        const double begun = now_us();
        LAB_TRY(launch_hold(k, k->stream[0], STEPS_TIMED, 1));
        LAB_TRY(lab_stream_synchronize(k->stream[0]));
        k->step_us = (now_us() - begun) / STEPS_TIMED;
    }
    return LAB_SUCCESS;
}

static lab_status prepare(kit *k, const char *lab03)
{
    int device;
    LAB_TRY(lab_device_current(&device));
    LAB_TRY(lab_device_get_info(&k->info, device));
    for (int s = 0; s < STREAMS; s++) LAB_TRY(lab_stream_create(&k->stream[s], LAB_STREAM_NON_BLOCKING));
    for (int i = 0; i < 4; i++)
        LAB_TRY(lab_event_create(&k->event[i], i < 2 ? LAB_EVENT_DEFAULT : LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(lab_mempool_create(&k->pool, NULL));
    LAB_TRY(find_kernels(k, lab03));
    LAB_TRY(make_arrays(k));
    LAB_TRY(lab_device_synchronize());
    LAB_TRY(capture_chain(&k->chain, k, REPEATS));
    LAB_TRY(capture_chain(&k->longer, k, 2 * REPEATS));
    LAB_TRY(capture_forks(&k->forks, k, REPEATS / 10));
    LAB_TRY(capture_forks(&k->more_forks, k, 2 * (REPEATS / 10)));
    k->gate_us = 1000;
    return time_step(k);
}

/* --- Measuring -------------------------------------------------------------------------------------------------- */

/* No measurement of a few milliseconds shows it: what an H200 does is nearer to another GPU than nothing. */
static const double h200_queue_turn_us = 6000;

/* The figures that are others' differences. */
static void derive(kit *k)
{
    const double chain = median(k, CHAIN), copy = median(k, COPY_START);
    const double in_flight = MIB / median(k, HTOD_RATE);
    const double copy_call = median(k, COPY_CALL);
    for (int i = 0; i < k->count[WAIT_CALL]; i++) k->value[WAIT_CALL][i] -= chain;
    for (int i = 0; i < k->count[COPY_START]; i++) k->value[COPY_START][i] -= in_flight;
    const double pinned = copy - in_flight + copy_call + median(k, WAIT_CALL);
    for (int i = 0; i < k->count[PAGEABLE_START]; i++) k->value[PAGEABLE_START][i] -= pinned;
    add(k, QUEUE_TURN, is_gpu(k) ? h200_queue_turn_us : 0);
    const double slower = fmin(median(k, HTOD_RATE), median(k, DTOH_RATE));
    add(k, PEER, slower);
    add(k, PEER_ACCESS, slower);
    const double one = median(k, HTOD_RATE) > median(k, DTOH_RATE) ? median(k, HTOD_RATE) : median(k, DTOH_RATE);
    add(k, COPY_ENGINES, k->info.copy_engines > 1 && median(k, BOTH_RATE) > 1.2 * one ? 2 : 1);
}

static lab_status measure(kit *k)
{
    static lab_status (*const parts[])(kit *) = {measure_calls,  measure_steps, measure_copies,
                                                 measure_memory, measure_room,  measure_kernels};
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
        for (k->round = k->rounds > 1 ? -1 : 0; k->round < k->rounds; k->round++) LAB_TRY(parts[part](k));
    return LAB_SUCCESS;
}

/* What one process has measured. */
typedef struct samples {
    const char *lab03;
    kit k;
} samples;

static void measure_alone(void *user)
{
    samples *own = user;
    LAB_CHECK(prepare(&own->k, own->lab03));
    LAB_CHECK(measure(&own->k));
}

/* Measures in this many processes, one after another; false if one fails. */
static bool measure_in_processes(kit *k, int processes, const char *lab03)
{
    samples *own = own_process_memory(sizeof *own);
    if (!own) return false;
    for (int p = 0; p < processes; p++) {
        *own = (samples){lab03, {.rounds = k->rounds, .tries = k->tries}};
        if (!own_process_run(measure_alone, own)) return false;
        k->info = own->k.info;
        for (figure which = 0; which < FIGURES; which++)
            for (int i = 0; i < own->k.count[which]; i++) add(k, which, own->k.value[which][i]);
    }
    derive(k);
    return true;
}

/* --- The file --------------------------------------------------------------------------------------------------- */

/* Five digits that the profile's reader takes: no exponent. */
static void put_number(FILE *out, double value, bool whole)
{
    int decimals = whole ? 0 : 4;
    for (double each = value; each >= 10 && decimals > 0; each /= 10) decimals--;
    fprintf(out, "%.*f", decimals, value);
}

static double at_least(double value, double least) { return value > least ? value : least; }

static void put_key(FILE *out, kit *k, figure which)
{
    const figure_text *text = &texts[which];
    const bool whole = !*text->unit || strcmp(text->unit, "bytes") == 0;
    const int count = k->count[which];
    const double value = at_least(median(k, which), text->least);
    fprintf(out, "%-26s ", text->name);
    put_number(out, value, whole);
    fprintf(out, "%s%s", *text->unit ? " " : "", text->unit);
    if (count > 1) {
        fprintf(out, "  # ");
        put_number(out, at_least(k->value[which][0], text->least), whole);
        fprintf(out, " to ");
        put_number(out, at_least(k->value[which][count - 1], text->least), whole);
    } else if (which == QUEUE_TURN) {
        fprintf(out, value > 0 ? "  # an H200's: not measured" : "  # not measured");
    } else if (which == PEER || which == PEER_ACCESS) {
        fprintf(out, "  # the slower copy to or from the host: not measured");
    }
    fputc('\n', out);
}

static void put_computing(FILE *out, const char *name, double alone, double full)
{
    const double least = 0.001;
    fprintf(out, "computing %s ", name);
    put_number(out, at_least(alone, least), false);
    fprintf(out, " us ");
    put_number(out, at_least(full, least), false);
    fprintf(out, " us\n");
}

static void put_profile(FILE *out, kit *k)
{
    char day[32];
    const time_t today = time(NULL);
    struct tm date;
    strftime(day, sizeof day, "%Y-%m-%d", gmtime_r(&today, &date));
    fprintf(out, "# Measured by labprofile: the median of up to %d samples, then the least and the most.\n", SAMPLES);
    fprintf(out, "# lib/docs/model.md explains the keys.\n\n");
    fprintf(out, "title %s, measured on %s\n\n", k->info.name, day);
    for (figure which = 0; which < KEYS; which++) put_key(out, k, which);
    fprintf(out, "\nkernel advance %d %d MiB ", LAB03_THREADS, LAB03_BYTES / MIB);
    const double cached = at_least(median(k, ADVANCE_CACHED), 0.001);
    put_number(out, cached, false);
    fprintf(out, " us ");
    put_number(out, at_least(median(k, ADVANCE_MEMORY), cached), false);
    fprintf(out, " us # lab 03, %d steps\n", LAB03_STEPS);
    put_computing(out, "nothing", median(k, NOTHING), median(k, NOTHING));
    put_computing(out, "work2k", median(k, WORK2K_ALONE), median(k, WORK2K_FULL));
    put_computing(out, "work20k", median(k, WORK20K_ALONE), median(k, WORK20K_FULL));
}

/* "this-h100-80gb-hbm3" of "NVIDIA H100 80GB HBM3": the words of a device's name without its maker, and none of the
 * library's own profiles. */
static void short_name(char *out, size_t size, const char *name)
{
    static const char maker[] = "NVIDIA ";
    size_t length = (size_t)snprintf(out, size, "this-");
    if (strncmp(name, maker, strlen(maker)) == 0) name += strlen(maker);
    for (; *name && length + 1 < size; name++) {
        const bool word = isalnum((unsigned char)*name);
        if (word) out[length++] = (char)tolower((unsigned char)*name);
        if (!word && out[length - 1] != '-') out[length++] = '-';
    }
    while (out[length - 1] == '-') length--;
    out[length] = '\0';
}

/* Writes the file, and reads it as the model does. */
static lab_status save(kit *k, const char *path)
{
    char *text = NULL;
    size_t size;
    lab_profile *profile;
    lab_whole_file *file;
    FILE *out = open_memstream(&text, &size);
    if (!out) return LAB_ERROR_OUT_OF_MEMORY;
    put_profile(out, k);
    fclose(out);
    lab_status status = lab_whole_file_create(&file, path);
    if (status == LAB_SUCCESS) {
        (void)lab_whole_file_write(file, text, size); /* finishing reports its error */
        status = lab_whole_file_finish(file);
    }
    free(text);
    LAB_TRY(status);
    LAB_TRY(lab_profile_open(&profile, path));
    lab_profile_free(profile);
    return LAB_SUCCESS;
}

int main(int count, char **argument)
{
    static kit k = {.rounds = ROUNDS, .tries = TRIES};
    char name[PROFILE_NAME], path[4096];
    int processes = PROCESSES;
    if (count == 4 && strcmp(argument[3], "--brief") == 0) {
        k.rounds = k.tries = processes = 1;
    } else if (count != 3) {
        fprintf(stderr, "usage: labprofile FOLDER KERNELS [--brief]\n"
                        "FOLDER is where to write, KERNELS the kernels.cu of lab 03. --brief takes one sample of each "
                        "figure.\n");
        return 2;
    }
    unsetenv("LAB_TRACE"); /* recording costs time, and so does the order checker */
    unsetenv("LAB_ORDER");
    if (!measure_in_processes(&k, processes, argument[2])) return EXIT_FAILURE;
    short_name(name, sizeof name, k.info.name);
    snprintf(path, sizeof path, "%s/%s.profile", argument[1], name);
    LAB_CHECK(save(&k, path));
    printf("%s\n", path);
    return EXIT_SUCCESS;
}
