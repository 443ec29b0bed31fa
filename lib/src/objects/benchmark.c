/*
 * Benchmarks: a function called again and again, the host's time of each call beside the device's, and what the times
 * come to. Knows clocks, events and statistics; refuses to know what is measured.
 */
#include "benchmark.h"
#include "base/monotonic.h"

#include "stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is measured on one stream: the time from one event to the other. */
typedef struct span {
    struct stream *on;
    lab_event *start, *end;
} span;

typedef struct benchmark {
    lab_status (*function)(void *user);
    void *user;
    int64_t (*now_ns)(void);
    span *span;
    int spans;
    double *time; /* of each run, in milliseconds: the host's, then each stream's */
    int runs, room;
} benchmark;

static lab_status no_host_memory(void)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_benchmark: no host memory for the times");
}

/* ---- the runs ---- */

/* Events belong to the context that is current when they are made, which must be the stream's. */
static lab_status make_span(span *into, lab_stream *stream)
{
    LAB_TRY(stream_resolve(&into->on, stream, "lab_benchmark"));
    lab_context *owner;
    LAB_TRY(lab_stream_get_context(&owner, into->on->handle));
    LAB_TRY(lab_context_push(owner));
    lab_status status = lab_event_create(&into->start, LAB_EVENT_DEFAULT);
    if (status == LAB_SUCCESS) status = lab_event_create(&into->end, LAB_EVENT_DEFAULT);
    lab_context_pop(NULL);
    return status;
}

static lab_status make_spans(benchmark *into, const lab_benchmark_options *options)
{
    into->spans = options->streams ? options->streams : 1;
    into->span = calloc((size_t)into->spans, sizeof *into->span);
    if (!into->span) return no_host_memory();
    for (int i = 0; i < into->spans; i++)
        LAB_TRY(make_span(&into->span[i], options->streams ? options->stream[i] : NULL));
    return LAB_SUCCESS;
}

static void release(benchmark *of)
{
    for (int i = 0; of->span && i < of->spans; i++) {
        lab_event_destroy(of->span[i].start);
        lab_event_destroy(of->span[i].end);
    }
    free(of->span);
    free(of->time);
}

static lab_status warm_up(const benchmark *of, int calls)
{
    for (int i = 0; i < calls; i++) LAB_TRY(of->function(of->user));
    for (int i = 0; i < of->spans; i++) LAB_TRY(lab_stream_synchronize(of->span[i].on->handle));
    return LAB_SUCCESS;
}

/* Where the next run's times go; NULL if there is no memory. */
static double *next_times(benchmark *of)
{
    size_t width = 1 + (size_t)of->spans;
    if (of->runs == of->room) {
        int room = of->room ? 2 * of->room : 64;
        double *grown = realloc(of->time, (size_t)room * width * sizeof *grown);
        if (!grown) return NULL;
        of->time = grown;
        of->room = room;
    }
    return of->time + (size_t)of->runs * width;
}

static lab_status run_once(benchmark *of)
{
    double *time = next_times(of);
    if (!time) return no_host_memory();
    for (int i = 0; i < of->spans; i++) LAB_TRY(lab_event_record(of->span[i].start, of->span[i].on->handle));
    int64_t start = of->now_ns();
    lab_status status = of->function(of->user);
    int64_t end = of->now_ns();
    LAB_TRY(status);
    time[0] = (double)(end - start) * 1e-6;
    for (int i = 0; i < of->spans; i++) LAB_TRY(lab_event_record(of->span[i].end, of->span[i].on->handle));
    for (int i = 0; i < of->spans; i++) {
        float milliseconds;
        LAB_TRY(lab_event_synchronize(of->span[i].end));
        LAB_TRY(lab_event_elapsed_time(&milliseconds, of->span[i].start, of->span[i].end));
        time[1 + i] = (double)milliseconds;
    }
    of->runs++;
    return LAB_SUCCESS;
}

static lab_status run_all(benchmark *of, const lab_benchmark_options *options)
{
    int64_t start = of->now_ns();
    for (int i = 0; i < options->repeats; i++) {
        LAB_TRY(run_once(of));
        if (options->max_seconds > 0 && (double)(of->now_ns() - start) * 1e-9 > options->max_seconds) break;
    }
    return LAB_SUCCESS;
}

/* ---- what they come to ---- */

static int compare_times(const void *one, const void *other)
{
    const double *a = one, *b = other;
    return (*a > *b) - (*a < *b);
}

static void summarise(lab_benchmark_times *into, double *sorted, int runs)
{
    double sum = 0, squares = 0;
    memcpy(sorted, into->sample, (size_t)runs * sizeof *sorted);
    qsort(sorted, (size_t)runs, sizeof *sorted, compare_times);
    for (int i = 0; i < runs; i++) sum += sorted[i];
    into->mean = sum / runs;
    for (int i = 0; i < runs; i++) squares += (sorted[i] - into->mean) * (sorted[i] - into->mean);
    into->deviation = sqrt(squares / runs);
    into->median = (sorted[(runs - 1) / 2] + sorted[runs / 2]) / 2;
    into->min = sorted[0];
    into->max = sorted[runs - 1];
}

static void write_times(FILE *out, const lab_benchmark_times *of)
{
    fprintf(out, " %10.3f us +/- %8.3f (min %.3f, median %.3f, max %.3f)", of->mean * 1e3, of->deviation * 1e3,
            of->min * 1e3, of->median * 1e3, of->max * 1e3);
}

static char *write_line(const lab_benchmark_result *of, const char *name)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out) return NULL;
    fprintf(out, "%-20s: CPU", name);
    write_times(out, &of->cpu);
    for (int i = 0; i < of->streams; i++) {
        fprintf(out, "; device %d", of->device[i].device);
        write_times(out, &of->device[i]);
    }
    if (fclose(out) == 0) return line;
    free(line);
    return NULL;
}

/* The samples of one stream, or of the host, taken out of the runs' times. */
static void collect(lab_benchmark_times *into, double *sample, double *sorted, const benchmark *of, int which)
{
    for (int run = 0; run < of->runs; run++) sample[run] = of->time[(size_t)run * (1 + (size_t)of->spans) + which];
    into->device = which == 0 ? -1 : of->span[which - 1].on->context->device;
    into->sample = sample;
    summarise(into, sorted, of->runs);
}

static lab_status conclude(lab_benchmark_result **out, const benchmark *of, const char *name)
{
    size_t runs = (size_t)of->runs, width = 1 + (size_t)of->spans;
    lab_benchmark_result *made = calloc(1, sizeof *made);
    lab_benchmark_times *device = calloc((size_t)of->spans, sizeof *device);
    double *sample = malloc((width + 1) * runs * sizeof *sample); /* and as many to sort them */
    if (!made || !device || !sample) {
        free(made);
        free(device);
        free(sample);
        return no_host_memory();
    }
    *made = (lab_benchmark_result){.runs = of->runs, .streams = of->spans, .device = device};
    double *sorted = sample + width * runs;
    collect(&made->cpu, sample, sorted, of, 0);
    for (int i = 0; i < of->spans; i++) collect(&device[i], sample + (size_t)(i + 1) * runs, sorted, of, i + 1);
    made->line = write_line(made, name);
    if (!made->line) {
        lab_benchmark_free(made);
        return no_host_memory();
    }
    *out = made;
    return LAB_SUCCESS;
}

/* ---- lab.h's ---- */

static lab_status check_options(const lab_benchmark_options *options)
{
    if (options->warm_ups < 0 || options->repeats < 1)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_benchmark: %d warm-up calls and %d repeats; at least 0 and 1 are needed",
                        options->warm_ups, options->repeats);
    if (!(options->max_seconds >= 0))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_benchmark: max_seconds is %g; 0 means no limit",
                        options->max_seconds);
    if (options->streams < 0 || (options->streams > 0 && !options->stream))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_benchmark: %d streams are to be measured, and stream is %s",
                        options->streams, options->stream ? "not NULL" : "NULL");
    return LAB_SUCCESS;
}

lab_status benchmark_run(lab_benchmark_result **out, lab_status (*function)(void *user), void *user,
                         const lab_benchmark_options *options, int64_t (*now_ns)(void))
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_benchmark: out is NULL");
    *out = NULL;
    if (!function) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_benchmark: function is NULL");
    const lab_benchmark_options usual = LAB_BENCHMARK_OPTIONS_INIT;
    if (!options) options = &usual;
    LAB_TRY(check_options(options));
    benchmark running = {function, user, now_ns, .runs = 0};
    lab_status status = make_spans(&running, options);
    if (status == LAB_SUCCESS) status = warm_up(&running, options->warm_ups);
    if (status == LAB_SUCCESS) status = run_all(&running, options);
    if (status == LAB_SUCCESS) status = conclude(out, &running, options->name ? options->name : "");
    release(&running);
    return status;
}

lab_status lab_benchmark(lab_benchmark_result **out, lab_status (*function)(void *user), void *user,
                         const lab_benchmark_options *options)
{
    return benchmark_run(out, function, user, options, monotonic_ns);
}

void lab_benchmark_free(lab_benchmark_result *result)
{
    if (!result) return;
    free((char *)result->line);
    free((double *)result->cpu.sample); /* one piece of memory: the streams' samples follow */
    free((lab_benchmark_times *)result->device);
    free(result);
}
