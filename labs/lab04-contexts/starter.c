/* Lab 04, contexts. The lesson is in README.md, the contract in lab04.h. */
#include "lab04.h"

#include <pthread.h>

/* Given: runs a job in the current context, with a kernel and a stream of that context. */
static lab_status run_job(const lab04_job *job, lab_function shift, lab_stream *stream)
{
    lab_array *array;
    LAB_TRY(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE((size_t)job->count)));
    LAB_TRY(lab_array_set_async(array, job->input, stream));
    LAB_TRY(lab_launch(shift, LAB04_GRID(job->count), LAB04_BLOCK, 0, stream,
                       LAB_ARGS(array, job->count, job->by)));
    LAB_TRY(lab_array_get_async(array, job->output, stream));
    LAB_TRY(lab_stream_synchronize(stream));
    return lab_array_destroy(array);
}

/* Given: what a thread is told, and how it ended. */
typedef struct seat {
    lab04_work *work;
    const lab04_job *job;
    lab_status status;
} seat;

static void *sit(void *user)
{
    seat *taken = user;
    taken->status = taken->work(taken->job);
    return NULL;
}

lab_status lab04_run_threads(lab04_work *work, const lab04_job *jobs, int count)
{
    /* TODO(1): start all threads, then wait for all, then look at how they ended. */
    return LAB_SUCCESS;
}

lab_status lab04_own_context(const lab04_job *job)
{
    /* TODO(2): make a context, load the kernel in it, run the job, release everything. */
    return LAB_SUCCESS;
}

lab_status lab04_walk(lab04_look look)
{
    /* TODO(3): the seven steps, with a look after each. */
    return LAB_SUCCESS;
}

/* Task 3: your prediction, before the walk and after each of its steps. */
const lab04_which lab04_current[LAB04_STEPS] = {
    [0] = LAB04_NONE, /* TODO(3) */
    [1] = LAB04_NONE, /* TODO(3) */
    [2] = LAB04_NONE, /* TODO(3) */
    [3] = LAB04_NONE, /* TODO(3) */
    [4] = LAB04_NONE, /* TODO(3) */
    [5] = LAB04_NONE, /* TODO(3) */
    [6] = LAB04_NONE, /* TODO(3) */
    [7] = LAB04_NONE, /* TODO(3) */
};

lab_status lab04_foreign_launch(lab_status *found, const lab04_job *job)
{
    /* TODO(4): a kernel of one context, an array and a stream of another. */
    return LAB_SUCCESS;
}

/* Task 4: your prediction of what that launch returns. */
const lab_status lab04_foreign = LAB_ERROR_UNKNOWN; /* TODO(4) */

lab_status lab04_shared_context(const lab04_job *job)
{
    /* TODO(5): run the job in the primary context, on the thread's own default stream. */
    return LAB_SUCCESS;
}
