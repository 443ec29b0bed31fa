/* What a record of the run costs: launches while one is running, and after one has ended, beside before any. The first
 * record of a process opens CUPTI, which stays. */
#include "cuda_raw.h"
#include "lab_trace.h"

enum { LAUNCHES = 500, ROUNDS = 7 };

typedef struct tracing {
    lab_module *module;
    lab_function nothing;
    lab_stream *stream;
} tracing;

static lab_status launches(double *took, const tracing *of)
{
    double start = bench_now();
    for (int i = 0; i < LAUNCHES; i++)
        LAB_TRY(lab_launch(of->nothing, LAB_DIM(1), LAB_DIM(1), 0, of->stream, LAB_NO_ARGS));
    *took = 1e6 * (bench_now() - start) / LAUNCHES;
    return lab_stream_synchronize(of->stream);
}

static lab_status sample(bench_samples *into, int rounds, const tracing *of)
{
    double took;
    for (int i = 0; i < rounds; i++) {
        LAB_TRY(launches(&took, of));
        bench_add_sample(into, took);
    }
    return LAB_SUCCESS;
}

static lab_status measure(bench_samples samples[3], const tracing *of)
{
    double warm_up;
    lab_trace *trace;
    for (int i = 0; i < BENCH_WARM_UPS; i++) LAB_TRY(launches(&warm_up, of));
    LAB_TRY(sample(&samples[0], BENCH_ROUNDS, of));
    for (int round = 0; round < ROUNDS; round++) {
        LAB_TRY(lab_trace_begin());
        LAB_TRY(launches(&warm_up, of));
        lab_status status = sample(&samples[1], BENCH_ROUNDS / ROUNDS, of);
        LAB_TRY(lab_trace_end(&trace));
        lab_trace_free(trace);
        LAB_TRY(status);
        LAB_TRY(launches(&warm_up, of));
        LAB_TRY(sample(&samples[2], BENCH_ROUNDS / ROUNDS, of));
    }
    return LAB_SUCCESS;
}

void bench_cuda_tracing(void)
{
    tracing of = {0};
    bench_samples samples[3] = {0};
    lab_status status = lab_module_load_source(&of.module, "extern \"C\" __global__ void nothing() {}\n", "nothing.cu");
    if (status == LAB_SUCCESS) status = lab_module_get_function(&of.nothing, of.module, "nothing");
    if (status == LAB_SUCCESS) status = lab_stream_create(&of.stream, LAB_STREAM_NON_BLOCKING);
    if (status == LAB_SUCCESS) status = measure(samples, &of);
    bench_add_row((bench_row){"empty launch before any record", "us", BENCH_NO_GOAL, 0}, &samples[0], status);
    bench_add_row((bench_row){"  while a record runs", "us", BENCH_NO_GOAL, 0}, &samples[1], status);
    bench_add_row((bench_row){"  after it has ended", "us", BENCH_NO_GOAL, 0}, &samples[2], status);
    lab_stream_destroy(of.stream);
    lab_module_unload(of.module);
}
