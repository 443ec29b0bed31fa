/* Keeps a list of the threads, and tells the record when each starts and ends. */
#include "student_threads.h"
#include "worker.h"

#include "protocol.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int threads_running;
static _Atomic uint64_t started_at;     /* where the last of them was started */
static _Thread_local uint64_t begun_at; /* where this thread was started; 0 for one of another kind */

int student_threads_running(void) { return atomic_load(&threads_running); }

uint64_t student_threads_last_start(void) { return atomic_load(&started_at) - worker_base(); }

uint64_t student_thread_start(void) { return begun_at ? begun_at - worker_base() : 0; }

typedef struct started_thread {
    void *(*body)(void *); /* of pthread_create; NULL for thrd_create */
    thrd_start_t start;    /* of thrd_create */
    void *user;
    uint64_t caller; /* where it was started */
    pthread_t thread;
    struct started_thread *next;
} started_thread;

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static started_thread *to_join; /* the threads that nothing has joined */

static void thread_ends(void *user)
{
    worker_runtime_hand_on(user);
    atomic_fetch_sub(&threads_running, 1);
}

/* The record learns when a thread starts and ends: work whose end it waits for comes before what its joiner enqueues
 * afterwards. The record of the thread is the key. */
static void *run_thread(void *user)
{
    const started_thread started = *(started_thread *)user;
    void *result = NULL;
    begun_at = started.caller;
    worker_runtime_thread(begun_at - worker_base());
    pthread_cleanup_push(thread_ends, user);
    worker_runtime_take_on(user);
    result = started.body ? started.body(started.user) : (void *)(intptr_t)started.start(started.user);
    pthread_cleanup_pop(1);
    return result;
}

/* Starts a thread of either kind. In Linux's C library both kinds are the same and can be joined as each other. */
static int start_thread(pthread_t *thread, const pthread_attr_t *attributes, const started_thread *wanted)
{
    started_thread *started = malloc(sizeof *started);
    if (!started) return EAGAIN;
    *started = *wanted;
    atomic_store(&started_at, started->caller);
    atomic_fetch_add(&threads_running, 1);
    worker_runtime_hand_on(started);
    pthread_mutex_lock(&threads_lock);
    int error = pthread_create(thread, attributes, run_thread, started);
    if (error) {
        atomic_fetch_sub(&threads_running, 1);
        free(started);
    } else {
        started->thread = *thread;
        started->next = to_join;
        to_join = started;
    }
    pthread_mutex_unlock(&threads_lock);
    return error;
}

int worker_thread_join(pthread_t thread, void **result)
{
    pthread_mutex_lock(&threads_lock);
    started_thread **link = &to_join;
    while (*link && !pthread_equal((*link)->thread, thread)) link = &(*link)->next;
    started_thread *started = *link;
    if (started) *link = started->next;
    pthread_mutex_unlock(&threads_lock);
    if (!started) {
        worker_runtime_mark(PROTOCOL_JOINED_NO_THREAD);
        return ESRCH;
    }
    const int error = pthread_join(thread, result);
    if (!error) worker_runtime_take_on(started);
    free(started);
    return error;
}

int worker_thrd_join(thrd_t thread, int *result)
{
    void *ended = NULL;
    const int error = worker_thread_join((pthread_t)thread, &ended);
    if (!error && result) *result = (int)(intptr_t)ended;
    return error ? thrd_error : thrd_success;
}

int worker_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *user)
{
    const started_thread wanted = {.body = body, .user = user, .caller = STUDENT_CALLER};
    return start_thread(thread, attributes, &wanted);
}

int worker_thrd_create(thrd_t *thread, thrd_start_t body, void *user)
{
    pthread_t made;
    const started_thread wanted = {.start = body, .user = user, .caller = STUDENT_CALLER};
    if (start_thread(&made, NULL, &wanted)) return thrd_error;
    *thread = (thrd_t)made;
    return thrd_success;
}
