/* What single calls cost the host: a launch, a record, a graph, a block of a pool, each beside the driver's own. */
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
    const calls *of = user;
    double start = bench_now();
    for (int i = 0; i < LAUNCHES; i++)
        LAB_TRY(lab_launch(of->nothing, LAB_DIM(1), LAB_DIM(1), 0, of->stream, LAB_NO_ARGS));
    *took = 1e6 * (bench_now() - start) / LAUNCHES;
    return lab_stream_synchronize(of->stream);
}

static lab_status records(double *took, void *user)
{
    const calls *of = user;
    double start = bench_now();
    for (int i = 0; i < RECORDS; i++) LAB_TRY(lab_event_record(of->event, of->stream));
    *took = 1e6 * (bench_now() - start) / RECORDS;
    return lab_stream_synchronize(of->stream);
}

static lab_status graphs(double *took, void *user)
{
    const calls *of = user;
    double start = bench_now();
    for (int i = 0; i < GRAPHS; i++) LAB_TRY(lab_graph_launch(of->exec, of->stream));
    *took = 1e6 * (bench_now() - start) / GRAPHS;
    return lab_stream_synchronize(of->stream);
}

static lab_status hits(double *took, void *user)
{
    const calls *of = user;
    double start = bench_now();
    for (int i = 0; i < HITS; i++) {
        lab_deviceptr memory;
        LAB_TRY(lab_mempool_alloc(&memory, of->pool, BYTES, of->stream));
        LAB_TRY(lab_mempool_free(of->pool, memory, of->stream));
    }
    *took = 1e9 * (bench_now() - start) / HITS;
    return LAB_SUCCESS;
}

/* ---- the driver's ---- */

static lab_status raw_launches(double *took, void *user)
{
    const calls *of = user;
    double start = bench_now();
    for (int i = 0; i < LAUNCHES; i++)
        RAW_TRY(cuda.cuLaunchKernel, of->raw_nothing, 1, 1, 1, 1, 1, 1, 0, of->raw_stream, NULL, NULL);
    *took = 1e6 * (bench_now() - start) / LAUNCHES;
    RAW_TRY(cuda.cuStreamSynchronize, of->raw_stream);
    return LAB_SUCCESS;
}

static lab_status raw_records(double *took, void *user)
{
    const calls *of = user;
    double start = bench_now();
    for (int i = 0; i < RECORDS; i++) RAW_TRY(cuda.cuEventRecord, of->raw_event, of->raw_stream);
    *took = 1e6 * (bench_now() - start) / RECORDS;
    RAW_TRY(cuda.cuStreamSynchronize, of->raw_stream);
    return LAB_SUCCESS;
}

static lab_status raw_graphs(double *took, void *user)
{
    const calls *of = user;
    double start = bench_now();
    for (int i = 0; i < GRAPHS; i++) RAW_TRY(cuda.cuGraphLaunch, of->raw_exec, of->raw_stream);
    *took = 1e6 * (bench_now() - start) / GRAPHS;
    RAW_TRY(cuda.cuStreamSynchronize, of->raw_stream);
    return LAB_SUCCESS;
}

static lab_status raw_hits(double *took, void *user)
{
    const calls *of = user;
    double start = bench_now();
    for (int i = 0; i < HITS; i++) {
        CUdeviceptr memory;
        RAW_TRY(of->raw_alloc, &memory, BYTES, of->raw_stream);
        RAW_TRY(of->raw_free, memory, of->raw_stream);
    }
    *took = 1e9 * (bench_now() - start) / HITS;
    RAW_TRY(cuda.cuStreamSynchronize, of->raw_stream);
    return LAB_SUCCESS;
}

/* ---- ready-made kernels, which the driver has none of ---- */

static lab_status measure_arrays(bench_samples *elementwise, bench_samples *reduction, const calls *of)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double start = bench_now();
        for (int i = 0; i < ARRAY_CALLS; i++)
            LAB_TRY(lab_elementwise_launch(of->kernel, of->stream, LAB_ARGS(of->x, of->x, 0.5f, of->x)));
        double first = bench_now() - start;
        LAB_TRY(lab_stream_synchronize(of->stream));
        start = bench_now();
        for (int i = 0; i < ARRAY_CALLS; i++) LAB_TRY(lab_array_sum(of->one, of->x, of->stream));
        double second = bench_now() - start;
        LAB_TRY(lab_stream_synchronize(of->stream));
        if (round < 0) continue;
        bench_add_sample(elementwise, 1e6 * first / ARRAY_CALLS);
        bench_add_sample(reduction, 1e6 * second / ARRAY_CALLS);
    }
    return LAB_SUCCESS;
}

/* ---- */

static lab_status prepare(calls *of)
{
    LAB_TRY(lab_module_load_source(&of->module, SOURCE, "nothing.cu"));
    LAB_TRY(lab_module_get_function(&of->nothing, of->module, "nothing"));
    LAB_TRY(lab_stream_create(&of->stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_event_create(&of->event, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_mempool_create(&of->pool, NULL));
    LAB_TRY(lab_array_zeros(&of->x, LAB_FLOAT32, LAB_SHAPE(1 << 20)));
    LAB_TRY(lab_array_zeros(&of->one, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_TRY(lab_stream_synchronize(NULL));
    LAB_TRY(lab_stream_begin_capture(of->stream, LAB_CAPTURE_RELAXED));
    for (int i = 0; i < NODES; i++)
        LAB_TRY(lab_launch(of->nothing, LAB_DIM(1), LAB_DIM(1), 0, of->stream, LAB_NO_ARGS));
    LAB_TRY(lab_stream_end_capture(&of->graph, of->stream));
    LAB_TRY(lab_graph_instantiate(&of->exec, of->graph));
    return lab_elementwise_create(&of->kernel, "T x, T y, float32 a", "T z", "z = (x - y) * (x - y) + a",
                                  "squared_difference");
}

static lab_status prepare_raw(calls *of)
{
    LAB_TRY(raw_load(&of->raw_nothing, SOURCE, "nothing"));
    RAW_TRY(cuda.cuStreamCreateWithPriority, &of->raw_stream, CU_STREAM_NON_BLOCKING, 0);
    RAW_TRY(cuda.cuEventCreate, &of->raw_event, CU_EVENT_DEFAULT);
    RAW_TRY(cuda.cuStreamBeginCapture, of->raw_stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    for (int i = 0; i < NODES; i++)
        RAW_TRY(cuda.cuLaunchKernel, of->raw_nothing, 1, 1, 1, 1, 1, 1, 0, of->raw_stream, NULL, NULL);
    RAW_TRY(cuda.cuStreamEndCapture, of->raw_stream, &of->raw_graph);
    RAW_TRY(cuda.instantiate, &of->raw_exec, of->raw_graph, 0);
    of->raw_alloc = (CUresult(*)(CUdeviceptr *, size_t, CUstream))raw_symbol("cuMemAllocAsync");
    of->raw_free = (CUresult(*)(CUdeviceptr, CUstream))raw_symbol("cuMemFreeAsync");
    return of->raw_alloc && of->raw_free ? LAB_SUCCESS : lab_fail(LAB_ERROR_UNKNOWN, "there is no cuMemAllocAsync");
}

static void release(const calls *of)
{
    lab_graph_exec_destroy(of->exec);
    lab_graph_destroy(of->graph);
    lab_elementwise_destroy(of->kernel);
    lab_array_destroy(of->x);
    lab_array_destroy(of->one);
    lab_event_destroy(of->event);
    lab_stream_destroy(of->stream);
    lab_mempool_destroy(of->pool);
    lab_module_unload(of->module);
    if (of->raw_exec) cuda.cuGraphExecDestroy(of->raw_exec);
    if (of->raw_graph) cuda.cuGraphDestroy(of->raw_graph);
    if (of->raw_event) cuda.cuEventDestroy(of->raw_event);
    if (of->raw_stream) cuda.cuStreamDestroy(of->raw_stream);
}

void bench_cuda_calls(void)
{
    static calls of;
    raw_comparison launch = {0}, record = {0}, graph = {0}, pool = {0};
    bench_samples elementwise = {0}, reduction = {0};
    lab_status status = prepare(&of);
    if (status == LAB_SUCCESS) status = prepare_raw(&of);

    if (status == LAB_SUCCESS) status = raw_compare(&launch, launches, raw_launches, TURNS, &of);
    bench_add_row((bench_row){"empty launch, enqueueing", "us", BENCH_NO_GOAL, 0}, &launch.ours, status);
    bench_add_row((bench_row){"  cuLaunchKernel", "us", BENCH_NO_GOAL, 0}, &launch.raw, status);
    cupy_add_row("  CuPy", "us", "launch");
    bench_add_row((bench_row){"  above cuLaunchKernel", "us", BENCH_AT_MOST, 0.1}, &launch.above, status);

    if (status == LAB_SUCCESS) status = raw_compare(&record, records, raw_records, TURNS, &of);
    bench_add_row((bench_row){"event record", "us", BENCH_NO_GOAL, 0}, &record.ours, status);
    bench_add_row((bench_row){"  cuEventRecord", "us", BENCH_NO_GOAL, 0}, &record.raw, status);
    cupy_add_row("  CuPy", "us", "record");
    bench_add_row((bench_row){"  above cuEventRecord", "us", BENCH_AT_MOST, 0.1}, &record.above, status);

    if (status == LAB_SUCCESS) status = raw_compare(&graph, graphs, raw_graphs, TURNS, &of);
    bench_add_row((bench_row){"graph of 10 kernels, launching", "us", BENCH_NO_GOAL, 0}, &graph.ours, status);
    bench_add_row((bench_row){"  cuGraphLaunch", "us", BENCH_NO_GOAL, 0}, &graph.raw, status);
    cupy_add_row("  CuPy", "us", "graph");
    bench_add_row((bench_row){"  above cuGraphLaunch", "us", BENCH_AT_MOST, 1}, &graph.above, status);

    if (status == LAB_SUCCESS) status = raw_compare(&pool, hits, raw_hits, TURNS, &of);
    bench_add_row((bench_row){"pool, 1 MiB that is there, allocate and free", "ns", BENCH_AT_MOST, 100}, &pool.ours,
                  status);
    bench_add_row((bench_row){"  cuMemAllocAsync, cuMemFreeAsync", "ns", BENCH_NO_GOAL, 0}, &pool.raw, status);
    cupy_add_row("  CuPy", "ns", "pool");

    if (status == LAB_SUCCESS) status = measure_arrays(&elementwise, &reduction, &of);
    bench_add_row((bench_row){"elementwise 2^20, enqueueing", "us", BENCH_NO_GOAL, 0}, &elementwise, status);
    cupy_add_row("  CuPy", "us", "elementwise");
    bench_add_row((bench_row){"sum 2^20, enqueueing", "us", BENCH_NO_GOAL, 0}, &reduction, status);
    cupy_add_row("  CuPy", "us", "reduction");
    release(&of);
}
