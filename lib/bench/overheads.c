/* The cost of calls without work: an empty kernel, an event. */
#include "bench.h"

enum { ROUND_TRIPS = 300, LAUNCHES = 1000, EVENTS = 1000 };

typedef struct overheads {
    lab_module *module;
    lab_function nothing;
    lab_stream *stream;
    lab_event *event;
} overheads;

static lab_status round_trips(const overheads *setup, bench_samples *microseconds)
{
    double start = bench_now();
    for (int i = 0; i < ROUND_TRIPS; i++) {
        LAB_TRY(lab_launch(setup->nothing, LAB_DIM(1), LAB_DIM(1), 0, setup->stream, LAB_NO_ARGS));
        LAB_TRY(lab_stream_synchronize(setup->stream));
    }
    if (microseconds) bench_add_sample(microseconds, 1e6 * (bench_now() - start) / ROUND_TRIPS);
    return LAB_SUCCESS;
}

static lab_status launches(const overheads *setup, bench_samples *microseconds)
{
    double start = bench_now();
    for (int i = 0; i < LAUNCHES; i++)
        LAB_TRY(lab_launch(setup->nothing, LAB_DIM(1), LAB_DIM(1), 0, setup->stream, LAB_NO_ARGS));
    if (microseconds) bench_add_sample(microseconds, 1e6 * (bench_now() - start) / LAUNCHES);
    return lab_stream_synchronize(setup->stream);
}

static lab_status records(const overheads *setup, bench_samples *nanoseconds)
{
    double start = bench_now();
    for (int i = 0; i < EVENTS; i++) LAB_TRY(lab_event_record(setup->event, setup->stream));
    if (nanoseconds) bench_add_sample(nanoseconds, 1e9 * (bench_now() - start) / EVENTS);
    return lab_stream_synchronize(setup->stream);
}

static lab_status queries(const overheads *setup, bench_samples *nanoseconds)
{
    double start = bench_now();
    for (int i = 0; i < EVENTS; i++) LAB_TRY(lab_event_query(setup->event));
    if (nanoseconds) bench_add_sample(nanoseconds, 1e9 * (bench_now() - start) / EVENTS);
    return LAB_SUCCESS;
}

static lab_status prepare(overheads *setup)
{
    LAB_TRY(lab_module_load_source(&setup->module, "extern \"C\" __global__ void nothing() {}\n", "nothing.cu"));
    LAB_TRY(lab_module_get_function(&setup->nothing, setup->module, "nothing"));
    LAB_TRY(lab_stream_create(&setup->stream, LAB_STREAM_NON_BLOCKING));
    return lab_event_create(&setup->event, LAB_EVENT_DEFAULT);
}

static lab_status measure(const overheads *setup, bench_samples samples[4])
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        bool counts = round >= 0;
        LAB_TRY(round_trips(setup, counts ? &samples[0] : NULL));
        LAB_TRY(launches(setup, counts ? &samples[1] : NULL));
        LAB_TRY(records(setup, counts ? &samples[2] : NULL));
        LAB_TRY(queries(setup, counts ? &samples[3] : NULL));
    }
    return LAB_SUCCESS;
}

void bench_overheads(void)
{
    overheads setup = {0};
    bench_samples samples[4] = {0};
    lab_status status = prepare(&setup);
    if (status == LAB_SUCCESS) status = measure(&setup, samples);
    bench_add_row((bench_row){"empty launch and synchronize", "us", BENCH_AT_MOST, 20}, &samples[0], status);
    bench_add_row((bench_row){"empty launch, enqueueing alone", "us", BENCH_AT_MOST, 2}, &samples[1], status);
    bench_add_row((bench_row){"event record", "ns", BENCH_NO_GOAL, 0}, &samples[2], status);
    bench_add_row((bench_row){"event query", "ns", BENCH_NO_GOAL, 0}, &samples[3], status);
    lab_event_destroy(setup.event);
    lab_stream_destroy(setup.stream);
    lab_module_unload(setup.module);
}
