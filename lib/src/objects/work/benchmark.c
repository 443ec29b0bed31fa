/* Benchmarks: call a function repeatedly, measure each call on the host and on the device, and summarise the times. */
#include "benchmark.h"
#include "base/monotonic.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The time measured on one stream, from one event to the other. */
typedef struct span {
    lab_stream *stream;
    int device;
    lab_event *start, *end;
} span;

typedef struct benchmark {
    lab_status (*function)(void *user);
    void *user;
    int64_t (*now_ns)(void);
    span *span;
    int spans;
    double *time; /* in milliseconds: for each run the host's time, then each stream's */
    int runs, capacity;
} benchmark;

static lab_status no_host_memory(void)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_benchmark: no host memory for the times");
}

/* ---- the runs ---- */

/* Makes the stream's context current meanwhile: events belong to the context that is current when they are made. */
static lab_status make_span(span *made, lab_stream *handle)
{
    lab_context *owner;
    made->stream = handle ? handle : lab_stream_current();
    LAB_TRY(lab_stream_get_context(&owner, handle));
    LAB_TRY(lab_stream_get_device(&made->device, handle));
    LAB_TRY(lab_context_push(owner));
    lab_status status = lab_event_create(&made->start, LAB_EVENT_DEFAULT);
    if (status == LAB_SUCCESS) status = lab_event_create(&made->end, LAB_EVENT_DEFAULT);
    lab_context_pop(NULL);
    return status;
}

static lab_status make_spans(benchmark *bench, const lab_benchmark_options *options)
{
    bench->spans = options->streams ? options->streams : 1;
    bench->span = calloc((size_t)bench->spans, sizeof *bench->span);
    if (!bench->span) return no_host_memory();
    for (int i = 0; i < bench->spans; i++)
        LAB_TRY(make_span(&bench->span[i], options->streams ? options->stream[i] : NULL));
    return LAB_SUCCESS;
}

static void release(benchmark *bench)
{
    for (int i = 0; bench->span && i < bench->spans; i++) {
        lab_event_destroy(bench->span[i].start);
        lab_event_destroy(bench->span[i].end);
    }
    free(bench->span);
    free(bench->time);
}

static lab_status warm_up(const benchmark *bench, int calls)
{
    for (int i = 0; i < calls; i++) LAB_TRY(bench->function(bench->user));
    for (int i = 0; i < bench->spans; i++) LAB_TRY(lab_stream_synchronize(bench->span[i].stream));
    return LAB_SUCCESS;
}

/* Room for the times of the next run; NULL if memory ran out. */
static double *next_times(benchmark *bench)
{
    size_t width = 1 + (size_t)bench->spans;
    if (bench->runs == bench->capacity) {
        int capacity = bench->capacity ? 2 * bench->capacity : 64;
        double *grown = realloc(bench->time, (size_t)capacity * width * sizeof *grown);
        if (!grown) return NULL;
        bench->time = grown;
        bench->capacity = capacity;
    }
    return bench->time + (size_t)bench->runs * width;
}

static lab_status run_once(benchmark *bench)
{
    double *time = next_times(bench);
    if (!time) return no_host_memory();
    for (int i = 0; i < bench->spans; i++) LAB_TRY(lab_event_record(bench->span[i].start, bench->span[i].stream));
    int64_t start = bench->now_ns();
    lab_status status = bench->function(bench->user);
    int64_t end = bench->now_ns();
    LAB_TRY(status);
    time[0] = (double)(end - start) * 1e-6;
    for (int i = 0; i < bench->spans; i++) LAB_TRY(lab_event_record(bench->span[i].end, bench->span[i].stream));
    for (int i = 0; i < bench->spans; i++) {
        float milliseconds;
        LAB_TRY(lab_event_synchronize(bench->span[i].end));
        LAB_TRY(lab_event_elapsed_time(&milliseconds, bench->span[i].start, bench->span[i].end));
        time[1 + i] = (double)milliseconds;
    }
    bench->runs++;
    return LAB_SUCCESS;
}

static lab_status run_all(benchmark *bench, const lab_benchmark_options *options)
{
    int64_t start = bench->now_ns();
    for (int i = 0; i < options->repeats; i++) {
        LAB_TRY(run_once(bench));
        if (options->max_seconds > 0 && (double)(bench->now_ns() - start) * 1e-9 > options->max_seconds) break;
    }
    return LAB_SUCCESS;
}

/* ---- the result ---- */

static int compare_times(const void *one, const void *other)
{
    const double *a = one, *b = other;
    return (*a > *b) - (*a < *b);
}

static void summarise(lab_benchmark_times *times, double *sorted, int runs)
{
    double sum = 0, squares = 0;
    memcpy(sorted, times->sample, (size_t)runs * sizeof *sorted);
    qsort(sorted, (size_t)runs, sizeof *sorted, compare_times);
    for (int i = 0; i < runs; i++) sum += sorted[i];
    times->mean = sum / runs;
    for (int i = 0; i < runs; i++) squares += (sorted[i] - times->mean) * (sorted[i] - times->mean);
    times->deviation = sqrt(squares / runs);
    times->median = (sorted[(runs - 1) / 2] + sorted[runs / 2]) / 2;
    times->min = sorted[0];
    times->max = sorted[runs - 1];
}

static void write_times(FILE *out, const lab_benchmark_times *times)
{
    fprintf(out, " %10.3f us +/- %8.3f (min %.3f, median %.3f, max %.3f)", times->mean * 1e3, times->deviation * 1e3,
            times->min * 1e3, times->median * 1e3, times->max * 1e3);
}

static char *write_line(const lab_benchmark_result *result, const char *name)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out) return NULL;
    fprintf(out, "%-20s: CPU", name);
    write_times(out, &result->cpu);
    for (int i = 0; i < result->streams; i++) {
        fprintf(out, "; device %d", result->device[i].device);
        write_times(out, &result->device[i]);
    }
    if (fclose(out) == 0) return line;
    free(line);
    return NULL;
}

/* Collects and summarises the samples of one column of the times: 0 is the host, then the streams. */
static void collect(lab_benchmark_times *times, double *sample, double *sorted, const benchmark *bench, int column)
{
    for (int run = 0; run < bench->runs; run++)
        sample[run] = bench->time[(size_t)run * (1 + (size_t)bench->spans) + column];
    times->device = column == 0 ? -1 : bench->span[column - 1].device;
    times->sample = sample;
    summarise(times, sorted, bench->runs);
}

static lab_status conclude(lab_benchmark_result **out, const benchmark *bench, const char *name)
{
    size_t runs = (size_t)bench->runs, width = 1 + (size_t)bench->spans;
    lab_benchmark_result *made = calloc(1, sizeof *made);
    lab_benchmark_times *device = calloc((size_t)bench->spans, sizeof *device);
    double *sample = malloc((width + 1) * runs * sizeof *sample); /* one more for sorting */
    if (!made || !device || !sample) {
        free(made);
        free(device);
        free(sample);
        return no_host_memory();
    }
    *made = (lab_benchmark_result){.runs = bench->runs, .streams = bench->spans, .device = device};
    double *sorted = sample + width * runs;
    collect(&made->cpu, sample, sorted, bench, 0);
    for (int i = 0; i < bench->spans; i++) collect(&device[i], sample + (size_t)(i + 1) * runs, sorted, bench, i + 1);
    made->line = write_line(made, name);
    if (!made->line) {
        lab_benchmark_free(made);
        return no_host_memory();
    }
    *out = made;
    return LAB_SUCCESS;
}

/* ---- public functions ---- */

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
    free((double *)result->cpu.sample); /* the streams' samples are in the same allocation */
    free((lab_benchmark_times *)result->device);
    free(result);
}
