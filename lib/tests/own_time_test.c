/* Own time of a device: which of its calls count, and that another process can read them meanwhile. */
#include "base/monotonic.h"
#include "base/system/own_time.h"
#include "seam/timed_backend.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

static atomic_bool entered, go_on;

static void block(void)
{
    atomic_store(&entered, true);
    while (!atomic_load(&go_on)) sched_yield();
}

static lab_status blocks(backend_context **out, int device)
{
    (void)out, (void)device;
    block();
    return LAB_ERROR_NO_DEVICE;
}

static lab_status blocks_for_work(backend_context *context)
{
    (void)context;
    block();
    return LAB_SUCCESS;
}

static const lab_backend blocking = {.context_create = blocks, .context_synchronize = blocks_for_work};

static void *create(void *timed)
{
    backend_context *made;
    cr_assert_eq(((const lab_backend *)timed)->context_create(&made, 0), LAB_ERROR_NO_DEVICE);
    return NULL;
}

static void *synchronize(void *timed)
{
    cr_assert_eq(((const lab_backend *)timed)->context_synchronize(NULL), LAB_SUCCESS);
    return NULL;
}

/* As another process sees it. */
static const own_time *map(void)
{
    void *memory = mmap(NULL, sizeof(own_time), PROT_READ, MAP_SHARED, own_time_file(), 0);
    cr_assert_neq(memory, MAP_FAILED);
    return memory;
}

static pthread_t enter(void *(*call)(void *))
{
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, call, (void *)timed_backend(&blocking)), 0);
    while (!atomic_load(&entered)) sched_yield();
    return thread;
}

static void leave(pthread_t thread)
{
    atomic_store(&go_on, true);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}

Test(own_time, call_that_waits_for_no_work_counts_while_it_is_under_way_and_after)
{
    const own_time *counted = map();
    cr_assert_eq(own_time_of_all(counted, monotonic_ns()), 0);
    const pthread_t thread = enter(create);
    while (own_time_of_stay(counted, monotonic_ns()) == 0) sched_yield();
    const int64_t before = own_time_of_all(counted, monotonic_ns());
    leave(thread);
    cr_assert_eq(own_time_of_stay(counted, monotonic_ns()), 0);
    cr_assert_geq(own_time_of_all(counted, monotonic_ns()), before);
}

Test(own_time, stay_that_began_before_anybody_looked_counts)
{
    const pthread_t thread = enter(create);
    const own_time *counted = map();
    while (own_time_of_stay(counted, monotonic_ns()) == 0) sched_yield();
    leave(thread);
    cr_assert_geq(own_time_of_all(counted, monotonic_ns()), OWN_TIME_LEAST_NS);
}

Test(own_time, wait_for_work_does_not_count)
{
    const own_time *counted = map();
    const pthread_t thread = enter(synchronize);
    const int64_t begun = monotonic_ns();
    while (monotonic_ns() - begun < 2 * OWN_TIME_LEAST_NS) sched_yield();
    cr_assert_eq(own_time_of_all(counted, monotonic_ns()), 0);
    leave(thread);
}

Test(own_time, quick_calls_do_not_add_up)
{
    const own_time *counted = map();
    own_time_begins();
    const int64_t now = monotonic_ns();
    cr_assert_eq(own_time_of_stay(counted, atomic_load(&counted->since) + OWN_TIME_LEAST_NS - 1), 0);
    cr_assert_gt(own_time_of_stay(counted, now + OWN_TIME_LEAST_NS), 0);
    own_time_ends();
}
