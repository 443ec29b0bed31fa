/* What the host spends on a chain of kernels: enqueueing them one by one, and launching them as a graph. While the device
 * is busy that is all the calls do. When it is idle they also wake it, which costs as much for one kernel as for a
 * graph, and then share the cores with it. */
#include "bench.h"

#include <semaphore.h>

enum { NODES = 100, REPEATS = 10 };

typedef struct graphs {
    lab_module *module;
    lab_function nothing;
    lab_stream *stream;
    lab_graph *graph;
    lab_graph_exec *exec;
    sem_t goes_on; /* what a busy device waits for */
} graphs;

typedef struct results {
    bench_samples ratio, nanoseconds;
} results;

static lab_status enqueue(const graphs *of)
{
    for (int i = 0; i < NODES; i++)
        LAB_TRY(lab_launch(of->nothing, LAB_DIM(1), LAB_DIM(1), 0, of->stream, LAB_NO_ARGS));
    return LAB_SUCCESS;
}

static lab_status replay(const graphs *of) { return lab_graph_launch(of->exec, of->stream); }

static void wait_until_it_goes_on(void *semaphore)
{
    while (sem_wait(semaphore) != 0) continue;
}

/* Adds the seconds that the calls take. */
static lab_status time_calls(double *seconds, lab_status (*call)(const graphs *of), graphs *of, bool busy)
{
    if (busy) LAB_TRY(lab_stream_launch_host_func(of->stream, wait_until_it_goes_on, &of->goes_on));
    double start = bench_now();
    lab_status status = call(of);
    *seconds += bench_now() - start;
    if (busy) sem_post(&of->goes_on);
    LAB_TRY(status);
    return lab_stream_synchronize(of->stream);
}

static lab_status measure(results *to, graphs *of, bool busy)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double one_by_one = 0, as_graph = 0;
        for (int i = 0; i < REPEATS; i++) {
            LAB_TRY(time_calls(&one_by_one, enqueue, of, busy));
            LAB_TRY(time_calls(&as_graph, replay, of, busy));
        }
        if (round < 0) continue;
        bench_add_sample(&to->ratio, one_by_one / as_graph);
        bench_add_sample(&to->nanoseconds, 1e9 * as_graph / (REPEATS * NODES));
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
    results busy = {0}, idle = {0};
    sem_init(&of.goes_on, 0, 0);
    lab_status status = prepare(&of);
    if (status == LAB_SUCCESS) status = measure(&busy, &of, true);
    if (status == LAB_SUCCESS) status = measure(&idle, &of, false);
    bench_add_row((bench_row){"graph of 100 kernels: enqueueing over replaying", "", BENCH_AT_LEAST, 3}, &busy.ratio,
                  status);
    bench_add_row((bench_row){"  replaying a node", "ns", BENCH_NO_GOAL, 0}, &busy.nanoseconds, status);
    bench_add_row((bench_row){"  the same, waking an idle device", "", BENCH_NO_GOAL, 0}, &idle.ratio, status);
    lab_graph_exec_destroy(of.exec);
    lab_graph_destroy(of.graph);
    lab_stream_destroy(of.stream);
    lab_module_unload(of.module);
    sem_destroy(&of.goes_on);
}
