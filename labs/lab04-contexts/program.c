/* The program around the student's functions: jobs, work that waits for all threads to be there, and looks at the
 * current context. */
#include "lab04.h"
#include "lab_trace.h"
#include "shared.h"
#include "worker.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>

static void mark(const char *what, int number)
{
    char name[64];
    snprintf(name, sizeof name, "%s%d", what, number);
    lab_trace_mark(name);
}

/* ---- jobs ------------------------------------------------------------------------------------------------------ */

static lab_function shift_of_primary;

/* Loads the kernel in the primary context, once. */
static lab_status prepare(void *memory, const void *arguments, void *result)
{
    static lab_module *module;
    (void)memory, (void)arguments, (void)result;
    if (module) return LAB_SUCCESS;
    LAB_TRY(lab_module_load_file(&module, "kernels.cu"));
    return lab_module_get_function(&shift_of_primary, module, "shift");
}

static lab_status make_jobs(lab04_job jobs[LAB04_JOBS], void *memory, const lab04_arguments *given)
{
    lab04_memory *shared = memory;
    LAB_TRY(prepare(NULL, NULL, NULL));
    for (int k = 0; k < LAB04_JOBS; k++)
        jobs[k] = (lab04_job){given->count[k], shared->input[k], shared->output[k], given->by[k], shift_of_primary};
    return LAB_SUCCESS;
}

static lab_status run_all(lab04_work *work, void *memory, const lab04_arguments *given)
{
    lab04_job jobs[LAB04_JOBS];
    LAB_TRY(make_jobs(jobs, memory, given));
    return lab04_run_threads(work, jobs, LAB04_JOBS);
}

static lab_status own_context(void *memory, const void *arguments, void *result)
{
    (void)result;
    return run_all(lab04_own_context, memory, arguments);
}

static lab_status shared_context(void *memory, const void *arguments, void *result)
{
    (void)result;
    return run_all(lab04_shared_context, memory, arguments);
}

/* ---- threads that meet ----------------------------------------------------------------------------------------- */

static atomic_int inside;
static atomic_bool in_vain;
static const lab04_job *first_job;
static lab04_endings endings;

/* Marks the beginning and the end of a job, between which it waits until all jobs have begun, for at most a second.
 * Once one thread has waited in vain, later ones do not wait. */
static lab_status meet(const lab04_job *job)
{
    enum { PATIENCE_MS = 1000 };
    const struct timespec millisecond = {.tv_nsec = 1000000};
    ptrdiff_t number = job - first_job;
    if (number < 0 || number >= LAB04_JOBS) return LAB_ERROR_UNKNOWN;
    mark(LAB04_BEGINS, (int)number);
    atomic_fetch_add(&inside, 1);
    for (int waited = 0; atomic_load(&inside) < LAB04_JOBS && !atomic_load(&in_vain); waited++) {
        if (waited == PATIENCE_MS) atomic_store(&in_vain, true);
        nanosleep(&millisecond, NULL);
    }
    mark(LAB04_ENDS, (int)number);
    return (lab_status)endings.status[number];
}

static lab_status run_threads(void *memory, const void *arguments, void *result)
{
    static lab04_job jobs[LAB04_JOBS];
    (void)memory;
    first_job = jobs;
    endings = *(const lab04_endings *)arguments;
    ((lab04_returned *)result)->status = (int)lab04_run_threads(meet, jobs, LAB04_JOBS);
    return LAB_SUCCESS;
}

/* ---- the stack of contexts ------------------------------------------------------------------------------------- */

/* The mark has the current context, as the device knows it. */
static void look(void *user, int step)
{
    (void)user;
    mark(LAB04_AFTER, step);
}

static lab_status walk(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments, (void)result;
    lab_context_current(); /* makes the primary context: until its first use, a mark has none */
    look(NULL, 0);
    return lab04_walk((lab04_look){look, NULL});
}

static lab_status foreign_launch(void *memory, const void *arguments, void *result)
{
    lab04_job jobs[LAB04_JOBS];
    lab_status found = LAB_SUCCESS;
    LAB_TRY(make_jobs(jobs, memory, arguments));
    LAB_TRY(lab04_foreign_launch(&found, &jobs[0]));
    ((lab04_returned *)result)->status = (int)found;
    return LAB_SUCCESS;
}

const worker_entry worker_entries[] = {
    {"prepare", prepare},
    {"lab04_run_threads", run_threads},
    {"lab04_own_context", own_context},
    {"lab04_walk", walk},
    {"lab04_foreign_launch", foreign_launch},
    {"lab04_shared_context", shared_context},
    {0},
};
