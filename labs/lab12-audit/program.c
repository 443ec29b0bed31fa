/* The program around the student's functions: rows, arrays, streams, events, pinned memory and a pool. */
#include "lab12.h"
#include "lab_trace.h"
#include "shared.h"
#include "worker.h"

#include <string.h>

enum { BUFFERS = 2, ARRAYS = 3 * LAB12_ROWS + BUFFERS };

static lab12_work work;
static lab_array *all;                    /* the memory of all arrays of the work */
static lab_array *rows, *results, *array; /* parts of it: all x; all u and v; the one that is made */
static int rounds;                        /* of program 8 */

/* What lasts as long as the program. */
static lab_status load(void)
{
    if (work.staging) return LAB_SUCCESS;
    LAB_TRY(worker_runtime_kernel(&work.advance, "advance"));
    LAB_TRY(worker_runtime_kernel(&work.mix, "mix"));
    LAB_TRY(worker_runtime_kernel(&work.add, "add"));
    LAB_TRY(worker_runtime_kernel(&work.gather, "gather"));
    LAB_TRY(lab_host_alloc((void **)&work.staging, LAB12_MOST * sizeof(float)));
    for (int k = 0; k < LAB12_ROWS; k++) LAB_TRY(lab_host_alloc((void **)&work.pinned[k], LAB12_MOST * sizeof(float)));
    return LAB_SUCCESS;
}

/* Cuts the memory into the arrays: x, u, v and the buffers. */
static lab_status make_arrays(void)
{
    lab_array **const of[] = {work.x, work.u, work.v, work.buffer};
    LAB_TRY(lab_array_empty(&all, LAB_FLOAT32, LAB_SHAPE(ARRAYS, (size_t)work.count)));
    LAB_TRY(lab_array_slice(&rows, all, 0, LAB12_ROWS));
    LAB_TRY(lab_array_slice(&results, all, LAB12_ROWS, 2 * LAB12_ROWS));
    for (size_t i = 0; i < ARRAYS; i++) {
        LAB_TRY(lab_array_slice(&array, all, i, 1));
        of[i / LAB12_ROWS][i % LAB12_ROWS] = array;
    }
    return LAB_SUCCESS;
}

static lab_status destroy_arrays(void)
{
    lab_array **const of[] = {work.x, work.u, work.v, work.buffer};
    for (int i = 0; i < ARRAYS; i++) LAB_TRY(lab_array_destroy(of[i / LAB12_ROWS][i % LAB12_ROWS]));
    LAB_TRY(lab_array_destroy(rows));
    LAB_TRY(lab_array_destroy(results));
    return lab_array_destroy(all);
}

/* What a program finds: `filled` whether the rows are in x already, `lent` whether the block is there. */
typedef struct needs {
    bool filled, lent;
} needs;

/* Makes everything ready for run number `run`. */
static lab_status prepare(const lab12_memory *shared, int run, needs of)
{
    static const char *const mark[] = LAB12_MARKS;
    lab_stream **const stream[] = {&work.one, &work.two, &work.three};
    const float *given = shared->run[run].row;
    LAB_TRY(lab_memset_async(lab_array_data(all), LAB12_UNWRITTEN, lab_array_bytes(all), lab_stream_null()));
    if (of.filled) LAB_TRY(lab_array_set(rows, given));
    for (int k = 0; k < LAB12_ROWS; k++) {
        work.row[k] = given + k * work.count;
        memcpy(work.pinned[k], work.row[k], work.bytes);
    }
    for (int i = 0; i < LAB12_STREAMS; i++) LAB_TRY(lab_stream_create(stream[i], LAB_STREAM_NON_BLOCKING));
    for (int i = 0; i < LAB12_EVENTS; i++) LAB_TRY(lab_event_create(&work.event[i], LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(lab_mempool_create(&work.pool, NULL));
    LAB_TRY(lab_mempool_alloc(&work.block, work.pool, work.bytes, work.one));
    LAB_TRY(lab_memcpy_htod(work.block, given, work.bytes));
    LAB_TRY(lab_array_from_host(&work.table, LAB_UINT64, LAB_SHAPE(1), &work.block));
    if (run % 2) LAB_TRY(lab_mempool_set_limit(work.pool, lab_mempool_total_bytes(work.pool)));
    work.total = lab_array_data(work.v[0]);
    LAB_TRY(lab_device_synchronize());
    if (!of.lent) LAB_TRY(lab_mempool_free(work.pool, work.block, work.one));
    for (int i = 0; i < LAB12_STREAMS; i++) LAB_WITH_STREAM(*stream[i]) lab_trace_mark(mark[i]);
    worker_lend(given, LAB12_ROWS * work.bytes);
    return LAB_SUCCESS;
}

/* Ends what a program that failed left open. */
static void end_capture(void)
{
    lab_graph *graph;
    if (lab_stream_end_capture(&graph, work.one) == LAB_SUCCESS) lab_graph_destroy(graph);
}

/* Reads the results and releases everything. */
static lab_status finish(lab12_run *run)
{
    lab_stream *const stream[] = {work.one, work.two, work.three};
    worker_take_back();
    LAB_TRY(lab_array_get(results, run->result));
    for (int i = 0; i < LAB12_STREAMS; i++) LAB_TRY(lab_stream_destroy(stream[i]));
    for (int i = 0; i < LAB12_EVENTS; i++) LAB_TRY(lab_event_destroy(work.event[i]));
    LAB_TRY(lab_array_destroy(work.table));
    /* A block that was not released is the function's: check_keeps_nothing says so. */
    return lab_mempool_used_bytes(work.pool) ? LAB_SUCCESS : lab_mempool_destroy(work.pool);
}

typedef lab_status program(const lab12_work *of);

/* Runs the program, whose work may run on when it returns. */
static lab_status run_once(program *function, lab12_memory *shared, int run, needs of)
{
    LAB_TRY(prepare(shared, run, of));
    const lab_status status = WORKER_CALL(function(&work));
    if (status != LAB_SUCCESS) end_capture();
    LAB_TRY(lab_device_synchronize());
    LAB_TRY(status);
    return finish(&shared->run[run]);
}

static lab_status run_all(program *function, void *memory, const lab12_arguments *given, needs of)
{
    LAB_TRY(load());
    work.count = given->count;
    work.bytes = (size_t)given->count * sizeof(float);
    rounds = given->rounds;
    LAB_TRY(make_arrays());
    lab_trace_mark(LAB12_STARTS);
    for (int run = 0; run < given->runs; run++) LAB_TRY(run_once(function, memory, run, of));
    lab_trace_mark(LAB12_STOPS);
    return destroy_arrays();
}

/* Smooths row 0, which becomes u[0]. */
static lab_status smooth(const lab12_work *of)
{
    const unsigned blocks = (unsigned)(of->count + LAB12_THREADS - 1) / LAB12_THREADS;
    lab_module *text;
    lab_function kernel;
    LAB_TRY(lab_module_load_source(&text, lab12_smooth(), "lab12.c"));
    LAB_TRY(lab_module_get_function(&kernel, text, "smooth"));
    LAB_TRY(lab_array_set(of->u[0], of->row[0]));
    LAB_TRY(
        lab_launch(kernel, LAB_DIM(blocks), LAB_DIM(LAB12_THREADS), 0, NULL, LAB_ARGS(of->u[0], of->count, rounds)));
    return lab_module_unload(text);
}

#define ENTRY(name, function, ...)                                                                                     \
    static lab_status run_##name(void *memory, const void *arguments, void *result)                                    \
    {                                                                                                                  \
        (void)result;                                                                                                  \
        return run_all(function, memory, arguments, (needs){__VA_ARGS__});                                             \
    }
ENTRY(total, lab12_total, .filled = true)
ENTRY(stage, lab12_stage, .filled = false)
ENTRY(meet, lab12_meet, .filled = true)
ENTRY(lend, lab12_lend, .filled = true, .lent = true)
ENTRY(pipeline, lab12_pipeline, .filled = true)
ENTRY(replay, lab12_replay, .filled = true)
ENTRY(two_buffers, lab12_two_buffers, .filled = false)
ENTRY(smooth, smooth, .filled = false)

const worker_entry worker_entries[] = {
    {"lab12_total", run_total},
    {"lab12_stage", run_stage},
    {"lab12_meet", run_meet},
    {"lab12_lend", run_lend},
    {"lab12_pipeline", run_pipeline},
    {"lab12_replay", run_replay},
    {"lab12_two_buffers", run_two_buffers},
    {"lab12_smooth", run_smooth},
    {0},
};
