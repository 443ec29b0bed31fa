/* Benchmarks: which calls are made and measured, what the times come to, when they end. The host's time comes from a
 * clock that the measured function turns itself. */
#include "objects/work/benchmark.h"
#include "conformance/gate.h"
#include "test.h"

#include <math.h>
#include <string.h>

static int64_t now;

static int64_t tell(void) { return now; }

/* What the measured function does: its calls take 1, 2, 3, ... microseconds of the clock. */
typedef struct counted {
    int calls;
    int fails_at; /* the number of the call that fails */
} counted;

static lab_status count(void *user)
{
    counted *counter = user;
    if (++counter->calls == counter->fails_at) return lab_array_set(NULL, NULL);
    now += 1000 * counter->calls;
    return LAB_SUCCESS;
}

static lab_benchmark_result *run(counted *counter, lab_benchmark_options options)
{
    lab_benchmark_result *result;
    cr_assert_eq(benchmark_run(&result, count, counter, &options, tell), LAB_SUCCESS, "%s", lab_error_message());
    return result;
}

Test(benchmark, warm_up_calls_are_made_and_not_measured)
{
    counted counter = {0};
    lab_benchmark_result *result = run(&counter, (lab_benchmark_options){.warm_ups = 3, .repeats = 4});
    cr_assert_eq(counter.calls, 7);
    cr_assert_eq(result->runs, 4);
    for (int i = 0; i < 4; i++) cr_assert_float_eq(result->cpu.sample[i], (4 + i) * 1e-3, 1e-12);
    lab_benchmark_free(result);
}

Test(benchmark, times_are_summed_up)
{
    counted counter = {0};
    lab_benchmark_result *result = run(&counter, (lab_benchmark_options){.repeats = 4});
    cr_assert_float_eq(result->cpu.mean, 2.5e-3, 1e-12);
    cr_assert_float_eq(result->cpu.median, 2.5e-3, 1e-12);
    cr_assert_float_eq(result->cpu.min, 1e-3, 1e-12);
    cr_assert_float_eq(result->cpu.max, 4e-3, 1e-12);
    cr_assert_float_eq(result->cpu.deviation, sqrt(1.25) * 1e-3, 1e-12);
    cr_assert_eq(result->cpu.device, -1);
    lab_benchmark_free(result);
    counter.calls = 0;
    result = run(&counter, (lab_benchmark_options){.repeats = 3});
    cr_assert_float_eq(result->cpu.median, 2e-3, 1e-12, "of an odd number it is the middle one");
    lab_benchmark_free(result);
}

Test(benchmark, of_many_runs_keeps_every_sample)
{
    counted counter = {0};
    lab_benchmark_result *result = run(&counter, (lab_benchmark_options){.repeats = 1000});
    for (int i = 0; i < 1000; i++) {
        cr_assert_float_eq(result->cpu.sample[i], (1 + i) * 1e-3, 1e-9, "run %d", i);
        cr_assert(result->device[0].sample[i] >= 0, "run %d", i);
    }
    lab_benchmark_free(result);
}

Test(benchmark, the_time_limit_lets_the_run_that_passes_it_end)
{
    counted counter = {0};
    lab_benchmark_result *result = run(&counter, (lab_benchmark_options){.repeats = 1000, .max_seconds = 14e-6});
    cr_assert_eq(result->runs, 5, "1 + 2 + 3 + 4 + 5 microseconds are more than 14");
    lab_benchmark_free(result);
    counter.calls = 0;
    result = run(&counter, (lab_benchmark_options){.repeats = 1000, .max_seconds = 1e-12});
    cr_assert_eq(result->runs, 1, "one run is always measured");
    lab_benchmark_free(result);
}

Test(benchmark, an_error_of_the_function_ends_it_and_is_passed_on)
{
    for (int at = 1; at <= 5; at++) {
        counted counter = {.fails_at = at};
        lab_benchmark_result *result = (lab_benchmark_result *)&counter;
        lab_benchmark_options options = {.warm_ups = 2, .repeats = 3};
        cr_assert_eq(benchmark_run(&result, count, &counter, &options, tell), LAB_ERROR_INVALID_HANDLE);
        cr_assert_not_null(strstr(lab_error_message(), "lab_array_set"), "%s", lab_error_message());
        cr_assert_null(result);
        cr_assert_eq(counter.calls, at);
    }
}

Test(benchmark, the_line_has_the_name_and_both_times_in_microseconds)
{
    counted counter = {0};
    lab_benchmark_result *result = run(&counter, (lab_benchmark_options){.repeats = 3, .name = "softplus"});
    static const char expected[] =
        "softplus            : CPU      2.000 us +/-    0.816 (min 1.000, median 2.000, max 3.000); device 0 ";
    cr_assert_eq(strncmp(result->line, expected, strlen(expected)), 0, "%s", result->line);
    cr_assert_null(strchr(result->line, '\n'));
    lab_benchmark_free(result);
}

/* ---- streams ---- */

typedef struct watched {
    lab_stream *stream[2];
    int calls, calls_too_early;
    atomic_int done;
} watched;

static void add_one(void *user) { atomic_fetch_add((atomic_int *)user, 1); }

/* Enqueues on the first stream, and notes whether what earlier calls enqueued there is done. */
static lab_status watch(void *user)
{
    watched *watcher = user;
    watcher->calls_too_early += atomic_load(&watcher->done) < watcher->calls;
    watcher->calls++;
    return lab_stream_launch_host_func(watcher->stream[0], add_one, &watcher->done);
}

Test(benchmark, a_run_begins_when_the_work_of_the_one_before_is_done)
{
    watched watcher = {.calls = 0};
    for (int i = 0; i < 2; i++) LAB_CHECK(lab_stream_create(&watcher.stream[i], LAB_STREAM_NON_BLOCKING));
    lab_benchmark_result *result;
    lab_benchmark_options options = {.warm_ups = 1, .repeats = 20, .stream = watcher.stream, .streams = 2};
    LAB_CHECK(lab_benchmark(&result, watch, &watcher, &options));
    cr_assert_eq(watcher.calls_too_early, 0);
    cr_assert_eq(atomic_load(&watcher.done), 21, "the last run's work is done at the end");
    cr_assert_eq(result->streams, 2);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(result->device[i].device, 0);
        cr_assert(result->device[i].min >= 0 && result->device[i].min <= result->device[i].max);
    }
    lab_benchmark_free(result);
}

typedef struct switching {
    lab_stream *first, *second;
    lab_deviceptr memory;
    size_t bytes;
    int calls_too_early;
} switching;

/* Notes whether the first stream's earlier work is done, enqueues more, and makes the second stream the current one. */
static lab_status work_and_switch(void *user)
{
    switching *streams = user;
    streams->calls_too_early += lab_stream_query(streams->first) != LAB_SUCCESS;
    LAB_TRY(lab_memset_async(streams->memory, 1, streams->bytes, streams->first));
    return lab_stream_use(streams->second);
}

Test(benchmark, the_stream_that_is_current_at_the_beginning_is_measured)
{
    switching streams = {.bytes = 32 << 20};
    gate closed = GATE_CLOSED;
    LAB_CHECK(lab_mem_alloc(&streams.memory, streams.bytes));
    LAB_CHECK(lab_stream_create(&streams.first, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&streams.second, LAB_STREAM_NON_BLOCKING));
    gate_close_stream(&closed, streams.second); /* waiting for it would never end */
    LAB_CHECK(lab_stream_use(streams.first));
    lab_benchmark_result *result;
    LAB_CHECK(lab_benchmark(&result, work_and_switch, &streams, &(lab_benchmark_options){.repeats = 20}));
    cr_assert_eq(streams.calls_too_early, 0, "each run waits for the first stream's work of the run before");
    cr_assert_eq(lab_stream_query(streams.first), LAB_SUCCESS, "the last run's work is done at the end");
    cr_assert_eq(lab_stream_query(streams.second), LAB_ERROR_NOT_READY, "the second stream is not waited for");
    cr_assert_eq(result->streams, 1);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(streams.second));
    lab_benchmark_free(result);
    LAB_CHECK(lab_mem_free(streams.memory));
}

Test(benchmark, streams_of_several_contexts_are_measured_together)
{
    lab_context *own;
    lab_stream *stream[2] = {lab_stream_null(), NULL};
    LAB_CHECK(lab_context_create(&own, 0));
    LAB_CHECK(lab_stream_create(&stream[1], LAB_STREAM_DEFAULT));
    counted counter = {0};
    lab_benchmark_result *result = run(&counter, (lab_benchmark_options){.repeats = 2, .stream = stream, .streams = 2});
    cr_assert_eq(result->streams, 2);
    cr_assert_eq(lab_context_current(), own, "the thread's context is what it was");
    lab_benchmark_free(result);
    LAB_CHECK(lab_context_destroy(own));
}

Test(benchmark, what_makes_no_sense_is_refused)
{
    counted counter = {0};
    lab_benchmark_result *result = (lab_benchmark_result *)&counter;
    lab_stream *destroyed;
    LAB_CHECK(lab_stream_create(&destroyed, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_destroy(destroyed));
    const lab_benchmark_options wrong[] = {
        {.warm_ups = -1, .repeats = 1},    {.repeats = 0},
        {.repeats = 1, .max_seconds = -1}, {.repeats = 1, .max_seconds = NAN},
        {.repeats = 1, .streams = 1},      {.repeats = 1, .streams = -1, .stream = &destroyed}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_eq(lab_benchmark(&result, count, &counter, &wrong[i]), LAB_ERROR_INVALID_VALUE, "%zu", i);
    cr_assert_null(result);
    cr_assert_eq(lab_benchmark(NULL, count, &counter, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_benchmark(&result, NULL, &counter, NULL), LAB_ERROR_INVALID_VALUE);
    lab_benchmark_options gone = {.repeats = 1, .stream = &destroyed, .streams = 1};
    cr_assert_eq(lab_benchmark(&result, count, &counter, &gone), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(counter.calls, 0, "the function was not called");
    lab_benchmark_free(NULL);
}
