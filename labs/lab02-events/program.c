/* The program around the student's functions: pinned memory, arrays, kernels and streams; a stream that waits until
 * chores are done; the stage of the experiment with a re-recorded event. */
#include "lab02.h"
#include "shared.h"
#include "worker.h"

#include <stdatomic.h>
#include <time.h>

#include "lab_trace.h"

/* ---- the pipeline ---------------------------------------------------------------------------------------------- */

static lab_status open_work(lab02_work *work, void *memory, const lab02_arguments *given)
{
    lab02_memory *shared = memory;
    *work =
        (lab02_work){.count = given->count, .input = shared->input, .output = shared->output, .shift = given->shift};
    LAB_TRY(worker_pin(memory));
    LAB_TRY(worker_runtime_kernel(&work->produce, "produce"));
    LAB_TRY(worker_runtime_kernel(&work->consume, "consume"));
    LAB_TRY(lab_array_empty(&work->between, LAB_FLOAT32, LAB_SHAPE((size_t)work->count)));
    LAB_TRY(lab_array_empty(&work->result, LAB_FLOAT32, LAB_SHAPE((size_t)work->count)));
    LAB_TRY(worker_runtime_stream(&work->producer, "the producer"));
    LAB_TRY(worker_runtime_stream(&work->consumer, "the consumer"));
    worker_lend(work->input, (size_t)work->count * sizeof(float));
    worker_lend(work->output, (size_t)work->count * sizeof(float));
    return LAB_SUCCESS;
}

static lab_status close_work(lab02_work *work)
{
    LAB_TRY(lab_array_destroy(work->between));
    return lab_array_destroy(work->result);
}

static lab_status pipeline(void *memory, const void *arguments, void *result)
{
    (void)result;
    lab02_work work;
    LAB_TRY(open_work(&work, memory, arguments));
    LAB_TRY(WORKER_CALL(lab02_pipeline(&work)));
    return close_work(&work);
}

static lab_status time_kernel(void *memory, const void *arguments, void *result)
{
    lab02_work work;
    LAB_TRY(open_work(&work, memory, arguments));
    LAB_TRY(WORKER_CALL(lab02_time_kernel(result, &work)));
    return close_work(&work);
}

/* ---- chores ---------------------------------------------------------------------------------------------------- */

/* Not reachable through the chore's `user`, because the student's code has that pointer. */
static struct {
    atomic_int chores;
    int needed;
} shop;
static char token; /* nothing is in it: the chore's `user` */
static const struct timespec millisecond = {.tv_nsec = 1000000};

static void do_chore(void *user)
{
    const int before = atomic_load(&shop.chores);
    if (before >= shop.needed) nanosleep(&millisecond, NULL);
    if (before < shop.needed + LAB02_LATE_CHORES)
        lab_trace_mark(user == &token ? LAB02_CHORE_MARK : LAB02_STRANGE_CHORE_MARK);
    atomic_fetch_add(&shop.chores, 1);
}

/* Runs on the stream: returns when the chores are done, or when none was done for a second. */
static void wait_for_chores(void *user)
{
    enum { PATIENCE_MS = 1000 };
    (void)user;
    int done = 0;
    for (int waited = 0; waited < PATIENCE_MS && done < shop.needed; waited++) {
        nanosleep(&millisecond, NULL);
        const int now = atomic_load(&shop.chores);
        if (now > done) waited = 0;
        done = now;
    }
}

static lab_status wait_usefully(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)result;
    lab_stream *stream;
    atomic_store(&shop.chores, 0);
    shop.needed = ((const lab02_patience *)arguments)->chores;
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_stream_launch_host_func(stream, wait_for_chores, NULL));
    lab_status status = lab02_wait_usefully(stream, (lab02_chore){do_chore, &token});
    worker_runtime_returned("lab02_wait_usefully");
    LAB_TRY(lab_stream_synchronize(stream));
    LAB_TRY(lab_stream_destroy(stream));
    return status;
}

/* ---- an event recorded twice ----------------------------------------------------------------------------------- */

/* Called in the reference: what the calls return is not for the student's program to say. */
static lab_status ask_never_recorded(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments;
    int *found = ((lab02_statuses *)result)->found;
    lab_event *never, *recorded;
    float milliseconds;
    LAB_TRY(lab_event_create(&never, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_event_create(&recorded, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_event_record(recorded, lab_stream_null()));
    LAB_TRY(lab_event_synchronize(recorded));
    found[LAB02_QUERY] = (int)lab_event_query(never);
    found[LAB02_SYNCHRONIZE] = (int)lab_event_synchronize(never);
    found[LAB02_WAIT] = (int)lab_stream_wait_event(lab_stream_null(), never);
    found[LAB02_ELAPSED_TIME] = (int)lab_event_elapsed_time(&milliseconds, never, recorded);
    LAB_TRY(lab_event_destroy(never));
    return lab_event_destroy(recorded);
}

static lab_status rerecord(void *memory, const void *arguments, void *result)
{
    (void)arguments, (void)result;
    lab02_memory *shared = memory;
    lab02_stage stage;
    lab_array **array[] = {&stage.a, &stage.b, &stage.c, &stage.d};
    for (int i = 0; i < 4; i++) LAB_TRY(lab_array_empty(array[i], LAB_FLOAT32, LAB_SHAPE(LAB02_FILLED)));
    LAB_TRY(worker_runtime_stream(&stage.first, "the first stream"));
    LAB_TRY(worker_runtime_stream(&stage.second, "the second stream"));
    LAB_TRY(worker_runtime_stream(&stage.third, "the third stream"));
    LAB_TRY(lab_event_create(&stage.event, LAB_EVENT_DISABLE_TIMING));
    LAB_TRY(WORKER_CALL(lab02_rerecord(&stage)));
    LAB_TRY(lab_device_synchronize());
    for (int i = 0; i < 4; i++) LAB_TRY(lab_array_get(*array[i], shared->filled[i]));
    LAB_TRY(lab_event_destroy(stage.event));
    for (int i = 0; i < 4; i++) LAB_TRY(lab_array_destroy(*array[i]));
    return LAB_SUCCESS;
}

const worker_entry worker_entries[] = {
    {"lab02_pipeline", pipeline}, {"lab02_time_kernel", time_kernel},         {"lab02_wait_usefully", wait_usefully},
    {"lab02_rerecord", rerecord}, {"ask_never_recorded", ask_never_recorded}, {0},
};
