/* A right answer that tests every status by hand. */
#include "lab04.h"

#include <pthread.h>

/* Given: runs a job in the current context, with a kernel and a stream of that context. */
static lab_status run_job(const lab04_job *job, lab_function shift, lab_stream *stream)
{
    lab_array *array;
    {
        lab_status result;
        if ((result = lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE((size_t)job->count))) != LAB_SUCCESS)
            return result;
    }
    {
        lab_status result;
        if ((result = lab_array_set_async(array, job->input, stream)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_launch(shift, LAB04_GRID(job->count), LAB04_BLOCK, 0, stream,
                                 LAB_ARGS(array, job->count, job->by))) != LAB_SUCCESS)
            return result;
    }
    {
        lab_status result;
        if ((result = lab_array_get_async(array, job->output, stream)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_stream_synchronize(stream)) != LAB_SUCCESS) return result;
    }
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
    for (int k = 0; k < count; k++) {
        lab_status result;
        if ((result = seats[k].status) != LAB_SUCCESS) return result;
    }
    return LAB_SUCCESS;
}

lab_status lab04_own_context(const lab04_job *job)
{

    lab_context *context;
    lab_module *module;
    lab_function shift;
    {
        lab_status result;
        if ((result = lab_context_create(&context, 0)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_module_load_file(&module, "kernels.cu")) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_module_get_function(&shift, module, "shift")) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = run_job(job, shift, lab_stream_null())) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_module_unload(module)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_context_destroy(context)) != LAB_SUCCESS) return result;
    }
    return LAB_SUCCESS;
}

lab_status lab04_walk(lab04_look look)
{

    lab_context *a, *b;
    {
        lab_status result;
        if ((result = lab_context_create(&a, 0)) != LAB_SUCCESS) return result;
    }
    look.call(look.user, 1);
    {
        lab_status result;
        if ((result = lab_context_create(&b, 0)) != LAB_SUCCESS) return result;
    }
    look.call(look.user, 2);
    {
        lab_status result;
        if ((result = lab_context_pop(NULL)) != LAB_SUCCESS) return result;
    }
    look.call(look.user, 3);
    {
        lab_status result;
        if ((result = lab_context_push(b)) != LAB_SUCCESS) return result;
    }
    look.call(look.user, 4);
    {
        lab_status result;
        if ((result = lab_context_pop(NULL)) != LAB_SUCCESS) return result;
    }
    look.call(look.user, 5);
    {
        lab_status result;
        if ((result = lab_context_destroy(b)) != LAB_SUCCESS) return result;
    }
    look.call(look.user, 6);
    {
        lab_status result;
        if ((result = lab_context_destroy(a)) != LAB_SUCCESS) return result;
    }
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
    {
        lab_status result;
        if ((result = lab_context_create(&home, 0)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_module_load_file(&module, "kernels.cu")) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_module_get_function(&shift, module, "shift")) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_context_create(&abroad, 0)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE((size_t)job->count))) != LAB_SUCCESS)
            return result;
    }
    *found = lab_launch(shift, LAB04_GRID(job->count), LAB04_BLOCK, 0, lab_stream_null(),
                        LAB_ARGS(array, job->count, job->by));
    {
        lab_status result;
        if ((result = lab_array_destroy(array)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_context_destroy(abroad)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_module_unload(module)) != LAB_SUCCESS) return result;
    }
    {
        lab_status result;
        if ((result = lab_context_destroy(home)) != LAB_SUCCESS) return result;
    }
    return LAB_SUCCESS;
}

const lab_status lab04_foreign = LAB_ERROR_INVALID_HANDLE;

lab_status lab04_shared_context(const lab04_job *job)
{

    {
        lab_status result;
        if ((result = run_job(job, job->shift, lab_stream_per_thread())) != LAB_SUCCESS) return result;
    }
    return LAB_SUCCESS;
}
