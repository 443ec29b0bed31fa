/* The host's cost of single calls: a launch, a record, a graph, a pool's block, each compared with the driver's call.
 * */
#include "cuda_raw.h"

enum {
    TURNS = 10,
    LAUNCHES = 100,
    RECORDS = 100,
    GRAPHS = 50,
    NODES = 10,
    HITS = 5000,
    BYTES = 1 << 20,
    ARRAY_CALLS = 200
};

static const char SOURCE[] = "extern \"C\" __global__ void nothing() {}\n";

typedef struct calls {
    lab_module *module;
    lab_function nothing;
    lab_stream *stream;
    lab_event *event;
    lab_graph *graph;
    lab_graph_exec *exec;
    lab_mempool *pool;
    lab_elementwise *kernel;
    lab_array *x, *one;
    CUfunction raw_nothing;
    CUstream raw_stream;
    CUevent raw_event;
    CUgraph raw_graph;
    CUgraphExec raw_exec;
    CUresult (*raw_alloc)(CUdeviceptr *memory, size_t bytes, CUstream stream);
    CUresult (*raw_free)(CUdeviceptr memory, CUstream stream);
} calls;

/* ---- ours ---- */

static lab_status launches(double *took, void *user)
{
    const calls *setup = user;
    double start = bench_now();
    for (int i = 0; i < LAUNCHES; i++)
        LAB_TRY(lab_launch(setup->nothing, LAB_DIM(1), LAB_DIM(1), 0, setup->stream, LAB_NO_ARGS));
    *took = 1e6 * (bench_now() - start) / LAUNCHES;
    return lab_stream_synchronize(setup->stream);
}

static lab_status records(double *took, void *user)
{
    const calls *setup = user;
    double start = bench_now();
    for (int i = 0; i < RECORDS; i++) LAB_TRY(lab_event_record(setup->event, setup->stream));
    *took = 1e6 * (bench_now() - start) / RECORDS;
    return lab_stream_synchronize(setup->stream);
}

static lab_status graphs(double *took, void *user)
{
    const calls *setup = user;
    double start = bench_now();
    for (int i = 0; i < GRAPHS; i++) LAB_TRY(lab_graph_launch(setup->exec, setup->stream));
    *took = 1e6 * (bench_now() - start) / GRAPHS;
    return lab_stream_synchronize(setup->stream);
}

static lab_status hits(double *took, void *user)
{
    const calls *setup = user;
    double start = bench_now();
    for (int i = 0; i < HITS; i++) {
        lab_deviceptr memory;
        LAB_TRY(lab_mempool_alloc(&memory, setup->pool, BYTES, setup->stream));
        LAB_TRY(lab_mempool_free(setup->pool, memory, setup->stream));
    }
    *took = 1e9 * (bench_now() - start) / HITS;
    return LAB_SUCCESS;
}

/* ---- the driver's ---- */

static lab_status raw_launches(double *took, void *user)
{
    const calls *setup = user;
    double start = bench_now();
    for (int i = 0; i < LAUNCHES; i++)
        RAW_TRY(cuda.cuLaunchKernel, setup->raw_nothing, 1, 1, 1, 1, 1, 1, 0, setup->raw_stream, NULL, NULL);
    *took = 1e6 * (bench_now() - start) / LAUNCHES;
    RAW_TRY(cuda.cuStreamSynchronize, setup->raw_stream);
    return LAB_SUCCESS;
}

static lab_status raw_records(double *took, void *user)
{
    const calls *setup = user;
    double start = bench_now();
    for (int i = 0; i < RECORDS; i++) RAW_TRY(cuda.cuEventRecord, setup->raw_event, setup->raw_stream);
    *took = 1e6 * (bench_now() - start) / RECORDS;
    RAW_TRY(cuda.cuStreamSynchronize, setup->raw_stream);
    return LAB_SUCCESS;
}

static lab_status raw_graphs(double *took, void *user)
{
    const calls *setup = user;
    double start = bench_now();
    for (int i = 0; i < GRAPHS; i++) RAW_TRY(cuda.cuGraphLaunch, setup->raw_exec, setup->raw_stream);
    *took = 1e6 * (bench_now() - start) / GRAPHS;
    RAW_TRY(cuda.cuStreamSynchronize, setup->raw_stream);
    return LAB_SUCCESS;
}

static lab_status raw_hits(double *took, void *user)
{
    const calls *setup = user;
    double start = bench_now();
    for (int i = 0; i < HITS; i++) {
        CUdeviceptr memory;
        RAW_TRY(setup->raw_alloc, &memory, BYTES, setup->raw_stream);
        RAW_TRY(setup->raw_free, memory, setup->raw_stream);
    }
    *took = 1e9 * (bench_now() - start) / HITS;
    RAW_TRY(cuda.cuStreamSynchronize, setup->raw_stream);
    return LAB_SUCCESS;
}

/* ---- the library's kernels, which the driver does not have ---- */

static lab_status measure_arrays(bench_samples *elementwise, bench_samples *reduction, const calls *setup)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double start = bench_now();
        for (int i = 0; i < ARRAY_CALLS; i++)
            LAB_TRY(lab_elementwise_launch(setup->kernel, setup->stream, LAB_ARGS(setup->x, setup->x, 0.5f, setup->x)));
        double first = bench_now() - start;
        LAB_TRY(lab_stream_synchronize(setup->stream));
        start = bench_now();
        for (int i = 0; i < ARRAY_CALLS; i++) LAB_TRY(lab_array_sum(setup->one, setup->x, setup->stream));
        double second = bench_now() - start;
        LAB_TRY(lab_stream_synchronize(setup->stream));
        if (round < 0) continue;
        bench_add_sample(elementwise, 1e6 * first / ARRAY_CALLS);
        bench_add_sample(reduction, 1e6 * second / ARRAY_CALLS);
    }
    return LAB_SUCCESS;
}

/* ---- */

static lab_status prepare(calls *setup)
{
    LAB_TRY(lab_module_load_source(&setup->module, SOURCE, "nothing.cu"));
    LAB_TRY(lab_module_get_function(&setup->nothing, setup->module, "nothing"));
    LAB_TRY(lab_stream_create(&setup->stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_event_create(&setup->event, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_mempool_create(&setup->pool, NULL));
    LAB_TRY(lab_array_zeros(&setup->x, LAB_FLOAT32, LAB_SHAPE(1 << 20)));
    LAB_TRY(lab_array_zeros(&setup->one, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_TRY(lab_stream_synchronize(NULL));
    LAB_TRY(lab_stream_begin_capture(setup->stream, LAB_CAPTURE_RELAXED));
    for (int i = 0; i < NODES; i++)
        LAB_TRY(lab_launch(setup->nothing, LAB_DIM(1), LAB_DIM(1), 0, setup->stream, LAB_NO_ARGS));
    LAB_TRY(lab_stream_end_capture(&setup->graph, setup->stream));
    LAB_TRY(lab_graph_instantiate(&setup->exec, setup->graph));
    return lab_elementwise_create(&setup->kernel, "T x, T y, float32 a", "T z", "z = (x - y) * (x - y) + a",
                                  "squared_difference");
}

static lab_status prepare_raw(calls *setup)
{
    LAB_TRY(raw_load(&setup->raw_nothing, SOURCE, "nothing"));
    RAW_TRY(cuda.cuStreamCreateWithPriority, &setup->raw_stream, CU_STREAM_NON_BLOCKING, 0);
    RAW_TRY(cuda.cuEventCreate, &setup->raw_event, CU_EVENT_DEFAULT);
    RAW_TRY(cuda.cuStreamBeginCapture, setup->raw_stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    for (int i = 0; i < NODES; i++)
        RAW_TRY(cuda.cuLaunchKernel, setup->raw_nothing, 1, 1, 1, 1, 1, 1, 0, setup->raw_stream, NULL, NULL);
    RAW_TRY(cuda.cuStreamEndCapture, setup->raw_stream, &setup->raw_graph);
    RAW_TRY(cuda.instantiate, &setup->raw_exec, setup->raw_graph, 0);
    setup->raw_alloc = (CUresult(*)(CUdeviceptr *, size_t, CUstream))raw_symbol("cuMemAllocAsync");
    setup->raw_free = (CUresult(*)(CUdeviceptr, CUstream))raw_symbol("cuMemFreeAsync");
    return setup->raw_alloc && setup->raw_free ? LAB_SUCCESS
                                               : lab_fail(LAB_ERROR_UNKNOWN, "there is no "
                                                                             "cuMemAllocAsync");
}

static void release(const calls *setup)
{
    lab_graph_exec_destroy(setup->exec);
    lab_graph_destroy(setup->graph);
    lab_elementwise_destroy(setup->kernel);
    lab_array_destroy(setup->x);
    lab_array_destroy(setup->one);
    lab_event_destroy(setup->event);
    lab_stream_destroy(setup->stream);
    lab_mempool_destroy(setup->pool);
    lab_module_unload(setup->module);
    if (setup->raw_exec) cuda.cuGraphExecDestroy(setup->raw_exec);
    if (setup->raw_graph) cuda.cuGraphDestroy(setup->raw_graph);
    if (setup->raw_event) cuda.cuEventDestroy(setup->raw_event);
    if (setup->raw_stream) cuda.cuStreamDestroy(setup->raw_stream);
}

void bench_cuda_calls(void)
{
    static calls setup;
    raw_comparison launch = {0}, record = {0}, graph = {0}, pool = {0};
    bench_samples elementwise = {0}, reduction = {0};
    lab_status status = prepare(&setup);
    if (status == LAB_SUCCESS) status = prepare_raw(&setup);

    if (status == LAB_SUCCESS) status = raw_compare(&launch, launches, raw_launches, TURNS, &setup);
    bench_add_row((bench_row){"empty launch, enqueueing", "us", BENCH_NO_GOAL, 0}, &launch.ours, status);
    bench_add_row((bench_row){"  cuLaunchKernel", "us", BENCH_NO_GOAL, 0}, &launch.raw, status);
    cupy_add_row("  CuPy", "us", "launch");
    bench_add_row((bench_row){"  above cuLaunchKernel", "us", BENCH_AT_MOST, 0.1}, &launch.above, status);

    if (status == LAB_SUCCESS) status = raw_compare(&record, records, raw_records, TURNS, &setup);
    bench_add_row((bench_row){"event record", "us", BENCH_NO_GOAL, 0}, &record.ours, status);
    bench_add_row((bench_row){"  cuEventRecord", "us", BENCH_NO_GOAL, 0}, &record.raw, status);
    cupy_add_row("  CuPy", "us", "record");
    bench_add_row((bench_row){"  above cuEventRecord", "us", BENCH_AT_MOST, 0.1}, &record.above, status);

    if (status == LAB_SUCCESS) status = raw_compare(&graph, graphs, raw_graphs, TURNS, &setup);
    bench_add_row((bench_row){"graph of 10 kernels, launching", "us", BENCH_NO_GOAL, 0}, &graph.ours, status);
    bench_add_row((bench_row){"  cuGraphLaunch", "us", BENCH_NO_GOAL, 0}, &graph.raw, status);
    cupy_add_row("  CuPy", "us", "graph");
    bench_add_row((bench_row){"  above cuGraphLaunch", "us", BENCH_AT_MOST, 1}, &graph.above, status);

    if (status == LAB_SUCCESS) status = raw_compare(&pool, hits, raw_hits, TURNS, &setup);
    bench_add_row((bench_row){"pool, 1 MiB that is there, allocate and free", "ns", BENCH_AT_MOST, 100}, &pool.ours,
                  status);
    bench_add_row((bench_row){"  cuMemAllocAsync, cuMemFreeAsync", "ns", BENCH_NO_GOAL, 0}, &pool.raw, status);
    cupy_add_row("  CuPy", "ns", "pool");

    if (status == LAB_SUCCESS) status = measure_arrays(&elementwise, &reduction, &setup);
    bench_add_row((bench_row){"elementwise 2^20, enqueueing", "us", BENCH_NO_GOAL, 0}, &elementwise, status);
    cupy_add_row("  CuPy", "us", "elementwise");
    bench_add_row((bench_row){"sum 2^20, enqueueing", "us", BENCH_NO_GOAL, 0}, &reduction, status);
    cupy_add_row("  CuPy", "us", "reduction");
    release(&setup);
}
