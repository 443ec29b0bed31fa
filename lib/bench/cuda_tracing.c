/* The cost of a record: launches while one is running and after one has ended, compared with launches before the first.
 * The first record of a process opens CUPTI, which stays. */
#include "cuda_raw.h"
#include "lab_trace.h"

enum { LAUNCHES = 500, ROUNDS = 7 };

typedef struct tracing {
    lab_module *module;
    lab_function nothing;
    lab_stream *stream;
} tracing;

static lab_status launches(double *took, const tracing *setup)
{
    double start = bench_now();
    for (int i = 0; i < LAUNCHES; i++)
        LAB_TRY(lab_launch(setup->nothing, LAB_DIM(1), LAB_DIM(1), 0, setup->stream, LAB_NO_ARGS));
    *took = 1e6 * (bench_now() - start) / LAUNCHES;
    return lab_stream_synchronize(setup->stream);
}

static lab_status sample(bench_samples *samples, int rounds, const tracing *setup)
{
    double took;
    for (int i = 0; i < rounds; i++) {
        LAB_TRY(launches(&took, setup));
        bench_add_sample(samples, took);
    }
    return LAB_SUCCESS;
}

static lab_status measure(bench_samples samples[3], const tracing *setup)
{
    double warm_up;
    lab_trace *trace;
    for (int i = 0; i < BENCH_WARM_UPS; i++) LAB_TRY(launches(&warm_up, setup));
    LAB_TRY(sample(&samples[0], BENCH_ROUNDS, setup));
    for (int round = 0; round < ROUNDS; round++) {
        LAB_TRY(lab_trace_begin());
        LAB_TRY(launches(&warm_up, setup));
        lab_status status = sample(&samples[1], BENCH_ROUNDS / ROUNDS, setup);
        LAB_TRY(lab_trace_end(&trace));
        lab_trace_free(trace);
        LAB_TRY(status);
        LAB_TRY(launches(&warm_up, setup));
        LAB_TRY(sample(&samples[2], BENCH_ROUNDS / ROUNDS, setup));
    }
    return LAB_SUCCESS;
}

void bench_cuda_tracing(void)
{
    tracing setup = {0};
    bench_samples samples[3] = {0};
    lab_status status =
        lab_module_load_source(&setup.module, "extern \"C\" __global__ void nothing() {}\n", "nothing.cu");
    if (status == LAB_SUCCESS) status = lab_module_get_function(&setup.nothing, setup.module, "nothing");
    if (status == LAB_SUCCESS) status = lab_stream_create(&setup.stream, LAB_STREAM_NON_BLOCKING);
    if (status == LAB_SUCCESS) status = measure(samples, &setup);
    bench_add_row((bench_row){"empty launch before any record", "us", BENCH_NO_GOAL, 0}, &samples[0], status);
    bench_add_row((bench_row){"  while a record runs", "us", BENCH_NO_GOAL, 0}, &samples[1], status);
    bench_add_row((bench_row){"  after it has ended", "us", BENCH_NO_GOAL, 0}, &samples[2], status);
    lab_stream_destroy(setup.stream);
    lab_module_unload(setup.module);
}
