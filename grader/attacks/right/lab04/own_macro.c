/* A right answer with its own macro, which prints what failed, instead of LAB_TRY. */
#include "lab04.h"

#include <stdio.h>

/* Prints the failed call on standard error, and returns its status. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        const lab_status tried = (call);                                                                               \
        if (tried != LAB_SUCCESS) {                                                                                    \
            fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, lab_status_name(tried),                 \
                    lab_error_message());                                                                              \
            return tried;                                                                                              \
        }                                                                                                              \
    } while (0)

#include <pthread.h>

/* Given: runs a job in the current context, with a kernel and a stream of that context. */
static lab_status run_job(const lab04_job *job, lab_function shift, lab_stream *stream)
{
    lab_array *array;
    TRY(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE((size_t)job->count)));
    TRY(lab_array_set_async(array, job->input, stream));
    TRY(lab_launch(shift, LAB04_GRID(job->count), LAB04_BLOCK, 0, stream, LAB_ARGS(array, job->count, job->by)));
    TRY(lab_array_get_async(array, job->output, stream));
    TRY(lab_stream_synchronize(stream));
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

    pthread_t thread[LAB04_MOST_JOBS];
    seat seats[LAB04_MOST_JOBS];
    for (int k = 0; k < count; k++) {
        seats[k] = (seat){work, &jobs[k], LAB_SUCCESS};
        pthread_create(&thread[k], NULL, sit, &seats[k]);
    }
    for (int k = 0; k < count; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < count; k++) TRY(seats[k].status);
    return LAB_SUCCESS;
}

lab_status lab04_own_context(const lab04_job *job)
{

    lab_context *context;
    lab_module *module;
    lab_function shift;
    TRY(lab_context_create(&context, 0));
    TRY(lab_module_load_file(&module, "kernels.cu"));
    TRY(lab_module_get_function(&shift, module, "shift"));
    TRY(run_job(job, shift, lab_stream_null()));
    TRY(lab_module_unload(module));
    TRY(lab_context_destroy(context));
    return LAB_SUCCESS;
}

lab_status lab04_walk(lab04_look look)
{

    lab_context *a, *b;
    TRY(lab_context_create(&a, 0));
    look.call(look.user, 1);
    TRY(lab_context_create(&b, 0));
    look.call(look.user, 2);
    TRY(lab_context_pop(NULL));
    look.call(look.user, 3);
    TRY(lab_context_push(b));
    look.call(look.user, 4);
    TRY(lab_context_pop(NULL));
    look.call(look.user, 5);
    TRY(lab_context_destroy(b));
    look.call(look.user, 6);
    TRY(lab_context_destroy(a));
    look.call(look.user, 7);
    return LAB_SUCCESS;
}

const lab04_which lab04_current[LAB04_STEPS] = {
    [0] = LAB04_PRIMARY, [1] = LAB04_A, [2] = LAB04_B, [3] = LAB04_A,
    [4] = LAB04_B,       [5] = LAB04_A, [6] = LAB04_A, [7] = LAB04_PRIMARY,
};

lab_status lab04_foreign_launch(lab_status *found, const lab04_job *job)
{

    lab_context *home, *abroad;
    lab_module *module;
    lab_function shift;
    lab_array *array;
    TRY(lab_context_create(&home, 0));
    TRY(lab_module_load_file(&module, "kernels.cu"));
    TRY(lab_module_get_function(&shift, module, "shift"));
    TRY(lab_context_create(&abroad, 0));
    TRY(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE((size_t)job->count)));
    *found = lab_launch(shift, LAB04_GRID(job->count), LAB04_BLOCK, 0, lab_stream_null(),
                        LAB_ARGS(array, job->count, job->by));
    TRY(lab_array_destroy(array));
    TRY(lab_context_destroy(abroad));
    TRY(lab_module_unload(module));
    TRY(lab_context_destroy(home));
    return LAB_SUCCESS;
}

const lab_status lab04_foreign = LAB_ERROR_INVALID_HANDLE;

lab_status lab04_shared_context(const lab04_job *job)
{

    TRY(run_job(job, job->shift, lab_stream_per_thread()));
    return LAB_SUCCESS;
}
