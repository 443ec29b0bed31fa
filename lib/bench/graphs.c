/* The host's cost of a chain of kernels, enqueued one by one or launched as a graph. While the device is busy, the
 * calls do nothing else. When it is idle they also wake it, which costs as much for one kernel as for a graph, and then
 * share the cores with it. */
#include "bench.h"

#include <semaphore.h>

enum { NODES = 100, REPEATS = 10 };

typedef struct graphs {
    lab_module *module;
    lab_function nothing;
    lab_stream *stream;
    lab_graph *graph;
    lab_graph_exec *exec;
    sem_t goes_on; /* a busy device waits for this */
} graphs;

typedef struct results {
    bench_samples ratio, nanoseconds;
} results;

static lab_status enqueue(const graphs *setup)
{
    for (int i = 0; i < NODES; i++)
        LAB_TRY(lab_launch(setup->nothing, LAB_DIM(1), LAB_DIM(1), 0, setup->stream, LAB_NO_ARGS));
    return LAB_SUCCESS;
}

static lab_status replay(const graphs *setup) { return lab_graph_launch(setup->exec, setup->stream); }

static void wait_until_it_goes_on(void *semaphore)
{
    while (sem_wait(semaphore) != 0) continue;
}

/* Adds the seconds of the calls. */
static lab_status time_calls(double *seconds, lab_status (*call)(const graphs *setup), graphs *setup, bool busy)
{
    if (busy) LAB_TRY(lab_stream_launch_host_func(setup->stream, wait_until_it_goes_on, &setup->goes_on));
    double start = bench_now();
    lab_status status = call(setup);
    *seconds += bench_now() - start;
    if (busy) sem_post(&setup->goes_on);
    LAB_TRY(status);
    return lab_stream_synchronize(setup->stream);
}

static lab_status measure(results *out, graphs *setup, bool busy)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double one_by_one = 0, as_graph = 0;
        for (int i = 0; i < REPEATS; i++) {
            LAB_TRY(time_calls(&one_by_one, enqueue, setup, busy));
            LAB_TRY(time_calls(&as_graph, replay, setup, busy));
        }
        if (round < 0) continue;
        bench_add_sample(&out->ratio, one_by_one / as_graph);
        bench_add_sample(&out->nanoseconds, 1e9 * as_graph / (REPEATS * NODES));
    }
    return LAB_SUCCESS;
}

static lab_status prepare(graphs *setup)
{
    LAB_TRY(lab_module_load_source(&setup->module, "extern \"C\" __global__ void nothing() {}\n", "nothing.cu"));
    LAB_TRY(lab_module_get_function(&setup->nothing, setup->module, "nothing"));
    LAB_TRY(lab_stream_create(&setup->stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_stream_begin_capture(setup->stream, LAB_CAPTURE_RELAXED));
    LAB_TRY(enqueue(setup));
    LAB_TRY(lab_stream_end_capture(&setup->graph, setup->stream));
    return lab_graph_instantiate(&setup->exec, setup->graph);
}

void bench_graphs(void)
{
    graphs setup = {0};
    results busy = {0}, idle = {0};
    sem_init(&setup.goes_on, 0, 0);
    lab_status status = prepare(&setup);
    if (status == LAB_SUCCESS) status = measure(&busy, &setup, true);
    if (status == LAB_SUCCESS) status = measure(&idle, &setup, false);
    bench_add_row((bench_row){"graph of 100 kernels: enqueueing over replaying", "", BENCH_AT_LEAST, 3}, &busy.ratio,
                  status);
    bench_add_row((bench_row){"  replaying a node", "ns", BENCH_NO_GOAL, 0}, &busy.nanoseconds, status);
    bench_add_row((bench_row){"  the same, waking an idle device", "", BENCH_NO_GOAL, 0}, &idle.ratio, status);
    lab_graph_exec_destroy(setup.exec);
    lab_graph_destroy(setup.graph);
    lab_stream_destroy(setup.stream);
    lab_module_unload(setup.module);
    sem_destroy(&setup.goes_on);
}
