/* The program around the student's functions: arrays with the check's numbers, kernels, streams, and pinned memory. */
#include "lab09.h"
#include "lab_trace.h"
#include "shared.h"
#include "worker.h"

enum { UNWRITTEN = -7 };

static lab09_work work; /* host functions use it until the device is done */
static lab09_batch batches[LAB09_BATCHES];
static float total;

/* Says in the record which streams of task 3 these are. */
static void mark_streams(lab_stream *const *stream)
{
    static const char *const mark[] = LAB09_MARKS;
    for (int i = 0; i < LAB09_STREAMS; i++) LAB_WITH_STREAM(stream[i]) lab_trace_mark(mark[i]);
}

static lab_status prepare(void *memory, const lab09_arguments *given)
{
    work = (lab09_work){.count = given->count, .steps = given->steps};
    LAB_TRY(worker_pin(memory));
    LAB_TRY(worker_runtime_kernel(&work.advance, "advance"));
    LAB_TRY(worker_runtime_kernel(&work.mix, "mix"));
    LAB_TRY(worker_runtime_stream(&work.one, "one"));
    return worker_runtime_stream(&work.two, "two");
}

/* ---- tasks 1 to 3 ---------------------------------------------------------------------------------------------- */

typedef lab_status student(lab09_memory *shared, lab_stream *const *stream);

/* Calls the function with streams of the work, or of these priorities. */
static lab_status compute(student *function, void *memory, const lab09_arguments *given, const int *priority)
{
    lab09_memory *shared = memory;
    LAB_TRY(prepare(memory, given));
    const lab_shape shape = LAB_SHAPE((size_t)given->count);
    lab_array **array[] = {&work.x, &work.y, &work.u, &work.v, &work.p, &work.q, &work.r};
    lab_stream *stream[LAB09_STREAMS] = {work.one, work.two};
    for (int i = 0; i < LAB09_RESULTS + 2; i++)
        LAB_TRY(lab_array_full(array[i], LAB_FLOAT32, shape, LAB_ARG((float)UNWRITTEN)));
    LAB_TRY(lab_array_set(work.x, shared->x));
    LAB_TRY(lab_array_set(work.y, shared->y));
    for (int i = 0; priority && i < LAB09_STREAMS; i++)
        LAB_TRY(lab_stream_create_with_priority(&stream[i], LAB_STREAM_NON_BLOCKING, priority[i]));
    LAB_TRY(lab_device_synchronize());
    if (priority) mark_streams(stream);
    worker_lend(shared->answer, (size_t)given->count * sizeof(float));
    LAB_TRY(worker_settle(WORKER_CALL(function(shared, stream))));
    for (int i = 0; i < LAB09_RESULTS; i++) LAB_TRY(lab_array_get(*array[i + 2], shared->result[i]));
    for (int i = 0; i < LAB09_RESULTS + 2; i++) LAB_TRY(lab_array_destroy(*array[i]));
    for (int i = 0; priority && i < LAB09_STREAMS; i++) LAB_TRY(lab_stream_destroy(stream[i]));
    return LAB_SUCCESS;
}

#define STUDENT(name, ...)                                                                                             \
    static lab_status name(lab09_memory *shared, lab_stream *const *stream)                                            \
    {                                                                                                                  \
        (void)shared, (void)stream;                                                                                    \
        return lab09_##name(__VA_ARGS__);                                                                              \
    }
STUDENT(at_once, &work)
STUDENT(in_order, &work)
STUDENT(branches, &work)
STUDENT(ask, shared->answer, &work, stream)

#define ENTRY(name, priority)                                                                                          \
    static lab_status run_##name(void *memory, const void *arguments, void *result)                                    \
    {                                                                                                                  \
        (void)result;                                                                                                  \
        return compute(name, memory, arguments, priority);                                                             \
    }
ENTRY(at_once, NULL)
ENTRY(in_order, NULL)
ENTRY(branches, NULL)

static lab_status run_ask(void *memory, const void *arguments, void *result)
{
    int least, greatest;
    (void)result;
    LAB_TRY(lab_stream_priority_range(&least, &greatest));
    const int priority[] = {greatest, (least + greatest) / 2, least};
    return compute(ask, memory, arguments, priority);
}

static lab_status run_open_streams(void *memory, const void *arguments, void *result)
{
    lab_stream *stream[LAB09_STREAMS] = {0};
    (void)memory, (void)arguments, (void)result;
    lab_status status = worker_settle(WORKER_CALL(lab09_open_streams(stream)));
    if (status == LAB_SUCCESS) mark_streams(stream);
    for (int i = 0; i < LAB09_STREAMS && status == LAB_SUCCESS; i++) status = lab_stream_destroy(stream[i]);
    return status;
}

/* What the device answers is not for the student's program to say. */
static lab_status ask_priorities(void *memory, const void *arguments, void *result)
{
    lab09_priorities *range = result;
    (void)memory, (void)arguments;
    return lab_stream_priority_range(&range->least, &range->greatest);
}

/* ---- task 4 ---------------------------------------------------------------------------------------------------- */

static lab_status run_in_turn(void *memory, const void *arguments, void *result)
{
    lab09_memory *shared = memory;
    (void)result;
    LAB_TRY(prepare(memory, arguments));
    const size_t count = (size_t)work.count;
    lab_stream *const stream[] = {work.one, work.two};
    work.batches = LAB09_BATCHES;
    work.batch = batches;
    total = 0;
    for (int k = 0; k < LAB09_BATCHES; k++) {
        lab09_batch *batch = &batches[k];
        *batch =
            (lab09_batch){.count = work.count, .host = shared->batch_host[k], .total = &total, .stream = stream[k % 2]};
        lab_array **array[] = {&batch->x, &batch->u, &batch->v};
        for (int i = 0; i < 3; i++)
            LAB_TRY(lab_array_full(array[i], LAB_FLOAT32, LAB_SHAPE(count), LAB_ARG((float)UNWRITTEN)));
        LAB_TRY(lab_array_set(batch->x, shared->batch_x[k]));
        worker_lend(batch->host, count * sizeof(float));
    }
    LAB_TRY(lab_device_synchronize());
    LAB_TRY(worker_settle(WORKER_CALL(lab09_in_turn(&work))));
    for (int k = 0; k < LAB09_BATCHES; k++) {
        LAB_TRY(lab_array_get(batches[k].v, shared->batch_v[k]));
        LAB_TRY(lab_array_destroy(batches[k].x));
        LAB_TRY(lab_array_destroy(batches[k].u));
        LAB_TRY(lab_array_destroy(batches[k].v));
    }
    return LAB_SUCCESS;
}

const worker_entry worker_entries[] = {
    {"lab09_at_once", run_at_once},
    {"lab09_in_order", run_in_order},
    {"lab09_branches", run_branches},
    {"lab09_open_streams", run_open_streams},
    {"lab09_ask", run_ask},
    {"lab09_in_turn", run_in_turn},
    {"ask_priorities", ask_priorities},
    {0},
};
