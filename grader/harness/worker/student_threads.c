/* Keeps a list of the threads, tells the record when each starts and ends, and decides when each begins. */
#include "student_threads.h"
#include "worker.h"

#include "protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int threads_unjoined;
static _Atomic uint64_t started_at;     /* where the last of them was started */
static _Thread_local uint64_t begun_at; /* where this thread was started; 0 for one of another kind */

int student_threads_unjoined(void) { return atomic_load(&threads_unjoined); }

uint64_t student_threads_last_start(void) { return atomic_load(&started_at) - worker_base(); }

uint64_t student_thread_start(void) { return begun_at ? begun_at - worker_base() : 0; }

typedef enum thread_progress { STARTED, BEGUN, ENDED } thread_progress;

typedef struct started_thread {
    void *(*body)(void *); /* of pthread_create; NULL for thrd_create */
    thrd_start_t start;    /* of thrd_create */
    void *user;
    uint64_t caller; /* where it was started */
    pthread_t thread;
    unsigned step;       /* that started it */
    bool is_late;        /* it begins behind the next step; else before its creator goes on */
    atomic_int progress; /* a thread_progress */
    atomic_int holders;  /* the list, and the creator while it waits; the last one frees it */
    clockid_t clock;     /* its processor time */
    int64_t used;        /* of it, in nanoseconds, when it began */
    pid_t number;        /* the kernel's */
    struct started_thread *next;
} started_thread;

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static pthread_cond_t stepped = PTHREAD_COND_INITIALIZER;
static unsigned threads_started, steps; /* a step starts a thread or waits for one */
static started_thread *to_join;         /* the threads that nothing has joined */

/* ---- when a thread begins ---- */

/* A thread may begin before pthread_create returns, or long after. So every other one begins before its creator goes
 * on, and the others behind the creator's next step, as far as a moment is enough. What a thread reads before it is
 * written, or after it was overwritten, is then wrong every time. */
enum { MOST_BEFORE_US = 50000, MOST_BEHIND_US = 20000, GLANCE_US = 100, WELL_BEGUN_US = 50, MOST_BLOCKED = 5 };

static void let_go(started_thread *started)
{
    if (atomic_fetch_sub(&started->holders, 1) == 1) free(started);
}

/* The caller holds the lock. */
static void step(void)
{
    steps++;
    pthread_cond_broadcast(&stepped);
}

static void wait_for_step_after(unsigned before)
{
    struct timespec end;
    int cancel;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += MOST_BEHIND_US * 1000L;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&threads_lock);
    while (steps == before && pthread_cond_clockwait(&stepped, &threads_lock, CLOCK_MONOTONIC, &end) == 0) {}
    pthread_mutex_unlock(&threads_lock);
    pthread_setcancelstate(cancel, NULL);
}

/* The nanoseconds of processor time of a thread; that of one that has ended is without end. */
static int64_t used_by(clockid_t clock)
{
    struct timespec used;
    return clock_gettime(clock, &used) == 0 ? used.tv_sec * INT64_C(1000000000) + used.tv_nsec : INT64_MAX;
}

/* Whether the thread has done a little of its work. */
static bool has_well_begun(const started_thread *started)
{
    const int progress = atomic_load(&started->progress);
    return progress == ENDED || (progress == BEGUN && used_by(started->clock) - started->used > WELL_BEGUN_US * 1000);
}

/* Whether the thread waits for something, in the middle of its work. */
static bool is_blocked(const started_thread *started)
{
    char path[64], line[64], state = 0;
    if (atomic_load(&started->progress) != BEGUN) return false;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)started->number);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t bytes = read(file, line, sizeof line - 1);
    close(file);
    line[bytes > 0 ? bytes : 0] = 0;
    const char *name_ends = strrchr(line, ')');
    return name_ends && sscanf(name_ends, ") %c", &state) == 1 && state != 'R';
}

/* A thread that stays blocked may wait for its creator. */
static void wait_until_begun(started_thread *started)
{
    const struct timespec glance = {.tv_nsec = GLANCE_US * 1000L};
    for (int us = 0, blocked = 0; us < MOST_BEFORE_US && !has_well_begun(started); us += GLANCE_US) {
        blocked = is_blocked(started) ? blocked + 1 : 0;
        if (blocked == MOST_BLOCKED) break;
        nanosleep(&glance, NULL);
    }
    let_go(started);
}

/* ---- threads ---- */

static void thread_ends(void *user)
{
    started_thread *started = user;
    worker_runtime_hand_on(started);
    atomic_store(&started->progress, ENDED);
}

/* The record learns when a thread starts and ends: work whose end it waits for comes before what its joiner enqueues
 * afterwards. The record of the thread is the key. */
static void *run_thread(void *user)
{
    started_thread *started = user;
    void *result = NULL;
    begun_at = started->caller;
    worker_runtime_thread(begun_at - worker_base());
    if (started->is_late) wait_for_step_after(started->step);
    pthread_cleanup_push(thread_ends, started);
    worker_runtime_take_on(started);
    pthread_getcpuclockid(pthread_self(), &started->clock);
    started->used = used_by(started->clock);
    started->number = gettid();
    atomic_store(&started->progress, BEGUN);
    result = started->body ? started->body(started->user) : (void *)(intptr_t)started->start(started->user);
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
    atomic_fetch_add(&threads_unjoined, 1);
    worker_runtime_hand_on(started);
    pthread_mutex_lock(&threads_lock);
    step();
    started->step = steps;
    started->is_late = threads_started++ % 2;
    started->holders = started->is_late ? 1 : 2;
    int error = pthread_create(thread, attributes, run_thread, started);
    if (error) {
        atomic_fetch_sub(&threads_unjoined, 1);
        free(started);
    } else {
        started->thread = *thread;
        started->next = to_join;
        to_join = started;
    }
    pthread_mutex_unlock(&threads_lock);
    if (!error && !started->is_late) wait_until_begun(started);
    return error;
}

/* Takes the record of a thread off the list; NULL if nothing has to join the thread. */
static started_thread *take(pthread_t thread)
{
    pthread_mutex_lock(&threads_lock);
    step();
    started_thread **link = &to_join;
    while (*link && !pthread_equal((*link)->thread, thread)) link = &(*link)->next;
    started_thread *started = *link;
    if (started) *link = started->next;
    pthread_mutex_unlock(&threads_lock);
    return started;
}

static void put_back(started_thread *started)
{
    pthread_mutex_lock(&threads_lock);
    started->next = to_join;
    to_join = started;
    pthread_mutex_unlock(&threads_lock);
}

typedef enum join_kind { JOIN, TRY_JOIN, JOIN_UNTIL } join_kind;

static int join(join_kind kind, pthread_t thread, void **result, clockid_t clock, const struct timespec *end)
{
    started_thread *started = take(thread);
    if (!started) {
        worker_runtime_mark(PROTOCOL_JOINED_NO_THREAD);
        return ESRCH;
    }
    const int error = kind == JOIN       ? pthread_join(thread, result)
                      : kind == TRY_JOIN ? pthread_tryjoin_np(thread, result)
                                         : pthread_clockjoin_np(thread, result, clock, end);
    if (error) {
        put_back(started);
        return error;
    }
    worker_runtime_take_on(started);
    atomic_fetch_sub(&threads_unjoined, 1);
    let_go(started);
    return 0;
}

int worker_thread_join(pthread_t thread, void **result) { return join(JOIN, thread, result, 0, NULL); }

int worker_thread_tryjoin(pthread_t thread, void **result) { return join(TRY_JOIN, thread, result, 0, NULL); }

int worker_thread_timedjoin(pthread_t thread, void **result, const struct timespec *end)
{
    return join(JOIN_UNTIL, thread, result, CLOCK_REALTIME, end);
}

int worker_thread_clockjoin(pthread_t thread, void **result, clockid_t clock, const struct timespec *end)
{
    return join(JOIN_UNTIL, thread, result, clock, end);
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
