/* What the host spends on a chain of kernels: enqueueing them one by one, and launching them as a graph. */
#include "bench.h"

enum { NODES = 100, REPEATS = 10 };

typedef struct graphs {
    lab_module *module;
    lab_function nothing;
    lab_stream *stream;
    lab_graph *graph;
    lab_graph_exec *exec;
} graphs;

static lab_status enqueue(const graphs *of)
{
    for (int i = 0; i < NODES; i++)
        LAB_TRY(lab_launch(of->nothing, LAB_DIM(1), LAB_DIM(1), 0, of->stream, LAB_NO_ARGS));
    return LAB_SUCCESS;
}

static lab_status replay(const graphs *of) { return lab_graph_launch(of->exec, of->stream); }

/* Adds the seconds that the calls take, the device being idle before each. */
static lab_status time_calls(double *seconds, lab_status (*call)(const graphs *of), const graphs *of)
{
    double start = bench_now();
    LAB_TRY(call(of));
    *seconds += bench_now() - start;
    return lab_stream_synchronize(of->stream);
}

static lab_status measure(bench_samples *ratio, bench_samples *nanoseconds, const graphs *of)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double one_by_one = 0, as_graph = 0;
        for (int i = 0; i < REPEATS; i++) {
            LAB_TRY(time_calls(&one_by_one, enqueue, of));
            LAB_TRY(time_calls(&as_graph, replay, of));
        }
        if (round < 0) continue;
        bench_add_sample(ratio, one_by_one / as_graph);
        bench_add_sample(nanoseconds, 1e9 * as_graph / (REPEATS * NODES));
    }
    return LAB_SUCCESS;
}

static lab_status prepare(graphs *of)
{
    LAB_TRY(lab_module_load_source(&of->module, "extern \"C\" __global__ void nothing() {}\n", "nothing.cu"));
    LAB_TRY(lab_module_get_function(&of->nothing, of->module, "nothing"));
    LAB_TRY(lab_stream_create(&of->stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_stream_begin_capture(of->stream, LAB_CAPTURE_RELAXED));
    LAB_TRY(enqueue(of));
    LAB_TRY(lab_stream_end_capture(&of->graph, of->stream));
    return lab_graph_instantiate(&of->exec, of->graph);
}

void bench_graphs(void)
{
    graphs of = {0};
    bench_samples ratio = {0}, nanoseconds = {0};
    lab_status status = prepare(&of);
    if (status == LAB_SUCCESS) status = measure(&ratio, &nanoseconds, &of);
    bench_add_row((bench_row){"graph of 100 kernels: enqueueing over replaying", "", BENCH_AT_LEAST, 3}, &ratio,
                  status);
    bench_add_row((bench_row){"graph of 100 kernels, replaying a node", "ns", BENCH_NO_GOAL, 0}, &nanoseconds, status);
    lab_graph_exec_destroy(of.exec);
    lab_graph_destroy(of.graph);
    lab_stream_destroy(of.stream);
    lab_module_unload(of.module);
}
