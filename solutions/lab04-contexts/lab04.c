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
    /* Task 1: start all threads, then wait for all, then look at how they ended. */
    pthread_t thread[LAB04_MOST_JOBS];
    seat seats[LAB04_MOST_JOBS];
    for (int k = 0; k < count; k++) {
        seats[k] = (seat){work, &jobs[k], LAB_SUCCESS};
        pthread_create(&thread[k], NULL, sit, &seats[k]);
    }
    for (int k = 0; k < count; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < count; k++) LAB_TRY(seats[k].status);
    return LAB_SUCCESS;
}

lab_status lab04_own_context(const lab04_job *job)
{
    /* Task 2: make a context, load the kernel in it, run the job, release everything. */
    lab_context *context;
    lab_module *module;
    lab_function shift;
    LAB_TRY(lab_context_create(&context, 0));
    LAB_TRY(lab_module_load_file(&module, "kernels.cu"));
    LAB_TRY(lab_module_get_function(&shift, module, "shift"));
    LAB_TRY(run_job(job, shift, lab_stream_null()));
    LAB_TRY(lab_module_unload(module));
    LAB_TRY(lab_context_destroy(context));
    return LAB_SUCCESS;
}

lab_status lab04_walk(lab04_look look)
{
    /* Task 3: the seven steps, with a look after each. */
    lab_context *a, *b;
    LAB_TRY(lab_context_create(&a, 0));
    look.call(look.user, 1);
    LAB_TRY(lab_context_create(&b, 0));
    look.call(look.user, 2);
    LAB_TRY(lab_context_pop(NULL));
    look.call(look.user, 3);
    LAB_TRY(lab_context_push(b));
    look.call(look.user, 4);
    LAB_TRY(lab_context_pop(NULL));
    look.call(look.user, 5);
    LAB_TRY(lab_context_destroy(b));
    look.call(look.user, 6);
    LAB_TRY(lab_context_destroy(a));
    look.call(look.user, 7);
    return LAB_SUCCESS;
}

/* Task 3: your prediction, before the walk and after each of its steps. */
const lab04_which lab04_current[LAB04_STEPS] = {
    [0] = LAB04_PRIMARY, /* Task 3 */
    [1] = LAB04_A,       /* Task 3 */
    [2] = LAB04_B,       /* Task 3 */
    [3] = LAB04_A,       /* Task 3 */
    [4] = LAB04_B,       /* Task 3 */
    [5] = LAB04_A,       /* Task 3 */
    [6] = LAB04_A,       /* Task 3 */
    [7] = LAB04_PRIMARY, /* Task 3 */
};

lab_status lab04_foreign_launch(lab_status *found, const lab04_job *job)
{
    /* Task 4: a kernel of one context, an array and a stream of another. */
    lab_context *home, *abroad;
    lab_module *module;
    lab_function shift;
    lab_array *array;
    LAB_TRY(lab_context_create(&home, 0));
    LAB_TRY(lab_module_load_file(&module, "kernels.cu"));
    LAB_TRY(lab_module_get_function(&shift, module, "shift"));
    LAB_TRY(lab_context_create(&abroad, 0));
    LAB_TRY(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE((size_t)job->count)));
    *found = lab_launch(shift, LAB04_GRID(job->count), LAB04_BLOCK, 0, lab_stream_null(),
                        LAB_ARGS(array, job->count, job->by));
    LAB_TRY(lab_array_destroy(array));
    LAB_TRY(lab_context_destroy(abroad));
    LAB_TRY(lab_module_unload(module));
    LAB_TRY(lab_context_destroy(home));
    return LAB_SUCCESS;
}

/* Task 4: your prediction of what that launch returns. */
const lab_status lab04_foreign = LAB_ERROR_INVALID_HANDLE; /* Task 4 */

lab_status lab04_shared_context(const lab04_job *job)
{
    /* Task 5: run the job in the primary context, on the thread's own default stream. */
    LAB_TRY(run_job(job, job->shift, lab_stream_per_thread()));
    return LAB_SUCCESS;
}
