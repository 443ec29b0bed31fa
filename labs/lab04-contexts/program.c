/* The program around the student's functions: jobs, work that waits for all threads to be there, and looks at the
 * current context. */
#include "lab04.h"
#include "lab_trace.h"
#include "shared.h"
#include "worker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void mark(const char *what, int number)
{
    char name[64];
    snprintf(name, sizeof name, "%s%d", what, number);
    lab_trace_mark(name);
}

/* ---- jobs ------------------------------------------------------------------------------------------------------ */

static lab_status make_jobs(lab04_job jobs[LAB04_JOBS], void *memory, const lab04_arguments *given)
{
    lab04_memory *shared = memory;
    lab_function shift; /* in the primary context */
    LAB_TRY(worker_runtime_kernel(&shift, "shift"));
    for (int k = 0; k < LAB04_JOBS; k++)
        jobs[k] = (lab04_job){given->count[k], shared->input[k], shared->output[k], given->by[k], shift};
    return LAB_SUCCESS;
}

/* What a thread of the program's own is told: the checks of tasks 2 and 5 do not depend on lab04_run_threads. */
typedef struct worker_seat {
    pthread_barrier_t *start;
    lab04_work *work;
    const lab04_job *job;
    int number;
    lab_status status;
} worker_seat;

/* All threads begin at the same moment. */
static void *work_on(void *user)
{
    worker_seat *taken = user;
    mark(LAB04_BEGINS, taken->number);
    pthread_barrier_wait(taken->start);
    taken->status = taken->work(taken->job);
    mark(LAB04_ENDS, taken->number);
    return NULL;
}

static lab_status run_all(lab04_work *work, void *memory, const lab04_arguments *given)
{
    lab04_job jobs[LAB04_JOBS];
    pthread_t thread[LAB04_JOBS];
    worker_seat seats[LAB04_JOBS];
    pthread_barrier_t start;
    int count = 0;
    while (count < LAB04_JOBS && given->count[count] > 0) count++;
    LAB_TRY(make_jobs(jobs, memory, given));
    if (pthread_barrier_init(&start, NULL, (unsigned)count) != 0) return LAB_ERROR_OUT_OF_MEMORY;
    lab_trace_mark(LAB04_RUNS);
    for (int k = 0; k < count; k++) {
        seats[k] = (worker_seat){&start, work, &jobs[k], k, LAB_SUCCESS};
        if (pthread_create(&thread[k], NULL, work_on, &seats[k]) != 0) abort();
    }
    for (int k = 0; k < count; k++) pthread_join(thread[k], NULL);
    lab_trace_mark(LAB04_RAN);
    pthread_barrier_destroy(&start);
    for (int k = 0; k < count; k++) LAB_TRY(seats[k].status);
    return LAB_SUCCESS;
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
static atomic_bool in_vain, returned;
static const lab04_job *first_job;
static lab04_endings endings;

static void sleep_a_millisecond(void)
{
    const struct timespec millisecond = {.tv_nsec = 1000000};
    nanosleep(&millisecond, NULL);
}

/* Goes on for a fifth of a second, or for ever if lab04_run_threads returns meanwhile: its seats are gone then. */
static void linger(void)
{
    enum { PATIENCE_MS = 200 };
    for (int waited = 0; waited < PATIENCE_MS && !atomic_load(&returned); waited++) sleep_a_millisecond();
    while (atomic_load(&returned)) sleep_a_millisecond();
}

/* Marks the beginning and the end of a job, between which it waits until all jobs have begun, for at most a second.
 * Once one thread has waited in vain, later ones do not wait, also not in later calls. */
static lab_status meet(const lab04_job *job)
{
    enum { PATIENCE_MS = 1000 };
    ptrdiff_t number = job - first_job;
    if (number < 0 || number >= endings.count) return LAB_ERROR_UNKNOWN;
    mark(LAB04_BEGINS, (int)number);
    atomic_fetch_add(&inside, 1);
    for (int waited = 0; atomic_load(&inside) < endings.count && !atomic_load(&in_vain); waited++) {
        if (waited == PATIENCE_MS) atomic_store(&in_vain, true);
        sleep_a_millisecond();
    }
    if (endings.lingers[number] && !atomic_load(&in_vain)) linger();
    mark(LAB04_ENDS, (int)number);
    return (lab_status)endings.status[number];
}

static lab_status run_threads(void *memory, const void *arguments, void *result)
{
    static lab04_job jobs[LAB04_MOST_THREADS];
    (void)memory;
    first_job = jobs;
    endings = *(const lab04_endings *)arguments;
    atomic_store(&inside, 0);
    atomic_store(&returned, false);
    lab_trace_mark(LAB04_CALLS);
    ((lab04_returned *)result)->status = (int)lab04_run_threads(meet, jobs, endings.count);
    atomic_store(&returned, true);
    return LAB_SUCCESS;
}

/* ---- the stack of contexts ------------------------------------------------------------------------------------- */

/* The mark has the current context, as the device knows it. A call with another `user` leaves none. */
static char looked_at;
static void look(void *user, int step)
{
    if (user == &looked_at) mark(LAB04_AFTER, step);
}

static lab_status walk(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments, (void)result;
    lab_context_current(); /* makes the primary context: until its first use, a mark has none */
    look(&looked_at, 0);
    return lab04_walk((lab04_look){look, &looked_at});
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

/* For a check of failing calls: the launch fails in any case, and with another status if it is made to. */
static lab_status foreign_or_found(void *memory, const void *arguments, void *result)
{
    lab04_returned launched;
    (void)result;
    LAB_TRY(foreign_launch(memory, arguments, &launched));
    return launched.status == LAB_ERROR_INVALID_HANDLE ? LAB_SUCCESS : (lab_status)launched.status;
}

const worker_entry worker_entries[] = {
    {"lab04_run_threads", run_threads},
    {"lab04_own_context", own_context},
    {"lab04_walk", walk},
    {"lab04_foreign_launch", foreign_launch},
    {"lab04_foreign_launch or *found", foreign_or_found},
    {"lab04_shared_context", shared_context},
    {0},
};
