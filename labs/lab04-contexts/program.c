/* The program around the student's functions: jobs, work that waits for all threads to be there, and looks at the
 * current context. */
#include "lab04.h"
#include "shared.h"
#include "worker.h"

#include <stdatomic.h>
#include <time.h>

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
static atomic_int most_inside;
static atomic_bool in_vain;
static atomic_int calls[LAB04_JOBS];
static const lab04_job *first_job;
static int fails;

/* Waits until all threads are inside, for at most a second. Once one thread has waited in vain, later ones do not
 * wait. */
static lab_status meet(const lab04_job *job)
{
    enum { PATIENCE_MS = 1000 };
    const struct timespec millisecond = {.tv_nsec = 1000000};
    int number = (int)(job - first_job), now = atomic_fetch_add(&inside, 1) + 1, most = atomic_load(&most_inside);
    if (number >= 0 && number < LAB04_JOBS) atomic_fetch_add(&calls[number], 1);
    while (now > most && !atomic_compare_exchange_weak(&most_inside, &most, now)) {}
    for (int waited = 0; atomic_load(&most_inside) < LAB04_JOBS && !atomic_load(&in_vain); waited++) {
        if (waited == PATIENCE_MS) atomic_store(&in_vain, true);
        nanosleep(&millisecond, NULL);
    }
    atomic_fetch_sub(&inside, 1);
    return number == fails - 1 ? LAB_ERROR_NOT_READY : LAB_SUCCESS;
}

static lab_status run_threads(void *memory, const void *arguments, void *result)
{
    static lab04_job jobs[LAB04_JOBS];
    lab04_meeting *seen = result;
    (void)memory;
    first_job = jobs;
    fails = ((const lab04_failure *)arguments)->fails;
    seen->returned = (int)lab04_run_threads(meet, jobs, LAB04_JOBS);
    seen->failed = (int)LAB_ERROR_NOT_READY;
    seen->together = atomic_load(&most_inside);
    for (int k = 0; k < LAB04_JOBS; k++) seen->calls[k] = atomic_load(&calls[k]);
    return LAB_SUCCESS;
}

/* ---- the stack of contexts ------------------------------------------------------------------------------------- */

/* Not reachable through the look's `user`, because the student's code has that pointer. */
static struct {
    lab04_walked *seen;
    uint64_t made[2]; /* the contexts A and B, in order of appearance */
} eyes;

static void look(void *user, int step)
{
    (void)user;
    lab_context *current = lab_context_current();
    lab_context_info info = {0};
    if (step < 0 || step >= LAB04_STEPS) return;
    eyes.seen->found[step] = LAB04_NONE;
    if (!current || lab_context_get_info(&info, current) != LAB_SUCCESS) return;
    if (info.primary) {
        eyes.seen->found[step] = LAB04_PRIMARY;
        return;
    }
    for (int k = 0; k < 2; k++) {
        if (!eyes.made[k]) eyes.made[k] = info.id;
        if (eyes.made[k] != info.id) continue;
        eyes.seen->found[step] = k == 0 ? LAB04_A : LAB04_B;
        return;
    }
}

static lab_status walk(void *memory, const void *arguments, void *result)
{
    (void)memory, (void)arguments;
    eyes.seen = result;
    for (int step = 0; step < LAB04_STEPS; step++) eyes.seen->predicted[step] = (int)lab04_current[step];
    look(NULL, 0);
    return lab04_walk((lab04_look){look, NULL});
}

static lab_status foreign_launch(void *memory, const void *arguments, void *result)
{
    lab04_job jobs[LAB04_JOBS];
    lab04_refusal *seen = result;
    lab_status found = LAB_SUCCESS;
    LAB_TRY(make_jobs(jobs, memory, arguments));
    seen->predicted = (int)lab04_foreign; /* before the experiment: later it would not be a prediction */
    LAB_TRY(lab04_foreign_launch(&found, &jobs[0]));
    seen->found = (int)found;
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
