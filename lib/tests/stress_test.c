/* Random legal work from several host threads on many streams, with events, the null stream, copies and destroyed
 * streams. Every step appends to its stream's log, and checks that what must come before it has happened. */
#include "conformance/gate.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, STREAMS = 4, STEPS = 350, LOG_LENGTH = STEPS + 2, PUBLISHED = 8 };

/* On the device: the same as run_step below. */
static const char SOURCE[] = "extern \"C\" __global__ void step(volatile int *log, int value, const volatile int "
                             "*seen, int at_least, int *errors)\n"
                             "{\n"
                             "    int length = log[0];\n"
                             "    if (length != value || seen[0] < at_least) atomicAdd(errors, 1);\n"
                             "    log[1 + length] = value;\n"
                             "    log[0] = length + 1;\n"
                             "}\n";

/* One stream's history: how many steps were enqueued, and the log that they write: its length, then 0, 1, 2, ... */
typedef struct stream_track {
    lab_stream *stream;
    bool blocking;
    int *log; /* pinned: kernels and host functions write it */
    int enqueued;
    lab_deviceptr cell; /* a number that copies carry */
    int *sent, *received;
    int copies;
} stream_track;

/* Work of another track whose end an event marks. */
typedef struct promise {
    lab_event *event;
    const int *log;
    int length;
} promise;

static lab_function step;
static int *errors; /* pinned */

static pthread_mutex_t board_lock = PTHREAD_MUTEX_INITIALIZER;
static promise board[PUBLISHED]; /* shared by all threads */

typedef struct worker {
    unsigned state;
    stream_track own[STREAMS],
        null_track; /* all threads use the null stream; its log here has this thread's steps only */
} worker;

static unsigned random_below(worker *me, unsigned limit)
{
    me->state = me->state * 1664525u + 1013904223u;
    return (me->state >> 8) % limit;
}

static void *allocate_pinned(size_t bytes)
{
    void *memory;
    LAB_CHECK(lab_host_alloc(&memory, bytes));
    memset(memory, 0, bytes);
    return memory;
}

/* --- Steps -------------------------------------------------------------------------------------------------- */

typedef struct host_step {
    int *log, value;
    const int *seen;
    int at_least;
} host_step;

static void run_step(void *user)
{
    host_step *work = user;
    int length = __atomic_load_n(work->log, __ATOMIC_ACQUIRE);
    if (length != work->value || __atomic_load_n(work->seen, __ATOMIC_ACQUIRE) < work->at_least)
        __atomic_fetch_add(errors, 1, __ATOMIC_RELAXED);
    work->log[1 + length] = work->value;
    __atomic_store_n(work->log, length + 1, __ATOMIC_RELEASE);
    free(work);
}

/* Enqueues the track's next step, as a kernel or a host function, which checks what it must find in another log. */
static void enqueue_step(worker *me, stream_track *track, promise must_see)
{
    const int *seen = must_see.log ? must_see.log : track->log;
    int value = track->enqueued++;
    if (random_below(me, 3) == 0) {
        host_step *work = malloc(sizeof *work);
        *work = (host_step){track->log, value, seen, must_see.length};
        LAB_CHECK(lab_stream_launch_host_func(track->stream, run_step, work));
    } else {
        LAB_CHECK(lab_launch(step, LAB_DIM(1), LAB_DIM(1), 0, track->stream,
                             LAB_ARGS((lab_deviceptr)(uintptr_t)track->log, value, (lab_deviceptr)(uintptr_t)seen,
                                      must_see.length, (lab_deviceptr)(uintptr_t)errors)));
    }
}

/* A number goes to the device and comes back: it must be this one, and not that of an earlier or later copy. */
static void enqueue_copies(worker *me, stream_track *track)
{
    int i = track->copies;
    if (i == STEPS) return;
    track->copies++;
    track->sent[i] = i + 1;
    if (random_below(me, 4) == 0) {
        int pageable = i + 1;
        LAB_CHECK(lab_memcpy_htod_async(track->cell, &pageable, sizeof pageable, track->stream));
    } else {
        LAB_CHECK(lab_memcpy_htod_async(track->cell, &track->sent[i], sizeof(int), track->stream));
    }
    if (random_below(me, 4) == 0) LAB_CHECK(lab_memset_async(track->cell + 64, 9, 64, track->stream));
    LAB_CHECK(lab_memcpy_dtod_async(track->cell + 128, track->cell, sizeof(int), track->stream));
    LAB_CHECK(lab_memcpy_dtoh_async(&track->received[i], track->cell + 128, sizeof(int), track->stream));
}

/* The null stream's step must see everything that the thread enqueued on its blocking streams, and the next step on
 * each of them must see the null stream's. */
static void enqueue_null_step(worker *me)
{
    stream_track *before = &me->own[random_below(me, STREAMS)];
    enqueue_step(me, &me->null_track, before->blocking ? (promise){NULL, before->log, before->enqueued} : (promise){0});
    stream_track *behind = &me->own[random_below(me, STREAMS)];
    if (behind->blocking) enqueue_step(me, behind, (promise){NULL, me->null_track.log, me->null_track.enqueued});
}

static void publish(worker *me, stream_track *track)
{
    promise *place = &board[random_below(me, PUBLISHED)];
    pthread_mutex_lock(&board_lock);
    LAB_CHECK(lab_event_record(place->event, track->stream));
    place->log = track->log;
    place->length = track->enqueued;
    pthread_mutex_unlock(&board_lock);
}

static void wait_for_published(worker *me, stream_track *track)
{
    promise *place = &board[random_below(me, PUBLISHED)];
    pthread_mutex_lock(&board_lock);
    LAB_CHECK(lab_stream_wait_event(track->stream, place->event));
    promise waited_for = *place;
    pthread_mutex_unlock(&board_lock);
    if (waited_for.log) enqueue_step(me, track, waited_for);
}

/* The track continues on another stream, which only an event orders behind the old one. */
static void change_stream(worker *me, stream_track *track)
{
    lab_event *end;
    LAB_CHECK(lab_event_create(&end, random_below(me, 2) ? LAB_EVENT_DEFAULT : LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_event_record(end, track->stream));
    LAB_CHECK(lab_stream_destroy(track->stream));
    LAB_CHECK(lab_stream_create(&track->stream, track->blocking ? LAB_STREAM_DEFAULT : LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_wait_event(track->stream, end));
    LAB_CHECK(lab_event_destroy(end));
}

static void count_error_if(bool wrong)
{
    if (wrong) __atomic_fetch_add(errors, 1, __ATOMIC_RELAXED);
}

static void wait_on_the_host(worker *me, stream_track *track)
{
    int expected = track->enqueued;
    switch (random_below(me, 4)) {
    case 0: LAB_CHECK(lab_stream_synchronize(track->stream)); break;
    case 1: LAB_CHECK(lab_device_synchronize()); break;
    case 2:
        while (lab_stream_query(track->stream) == LAB_ERROR_NOT_READY) {}
        break;
    default: {
        lab_event *end;
        LAB_CHECK(lab_event_create(&end, random_below(me, 2) ? LAB_EVENT_BLOCKING_SYNC : LAB_EVENT_DEFAULT));
        LAB_CHECK(lab_event_record(end, track->stream));
        LAB_CHECK(lab_event_synchronize(end));
        LAB_CHECK(lab_event_destroy(end));
    }
    }
    count_error_if(__atomic_load_n(track->log, __ATOMIC_ACQUIRE) != expected);
}

static void enqueue_something(worker *me)
{
    stream_track *track = &me->own[random_below(me, STREAMS)];
    unsigned what = random_below(me, 100);
    if (what < 40)
        enqueue_step(me, track, (promise){0});
    else if (what < 60)
        enqueue_copies(me, track);
    else if (what < 72)
        publish(me, track);
    else if (what < 84)
        wait_for_published(me, track);
    else if (what < 90)
        enqueue_null_step(me);
    else if (what < 95)
        wait_on_the_host(me, track);
    else
        change_stream(me, track);
}

/* --- The run ------------------------------------------------------------------------------------------------ */

static stream_track make_track(lab_stream *stream, bool blocking)
{
    stream_track made = {.stream = stream, .blocking = blocking};
    made.log = allocate_pinned(2 * LOG_LENGTH * sizeof(int));
    made.sent = allocate_pinned(STEPS * sizeof(int));
    made.received = allocate_pinned(STEPS * sizeof(int));
    LAB_CHECK(lab_mem_alloc(&made.cell, 256));
    return made;
}

static void make_worker(worker *me, unsigned seed)
{
    me->state = seed;
    me->null_track = make_track(lab_stream_null(), true);
    for (int i = 0; i < STREAMS; i++) {
        lab_stream *stream;
        bool blocking = i % 2 == 0;
        LAB_CHECK(lab_stream_create(&stream, blocking ? LAB_STREAM_DEFAULT : LAB_STREAM_NON_BLOCKING));
        me->own[i] = make_track(stream, blocking);
    }
}

static void *work(void *user)
{
    for (int i = 0; i < STEPS; i++) enqueue_something(user);
    return NULL;
}

static void check_track(const stream_track *track)
{
    cr_assert_eq(track->log[0], track->enqueued, "%d of %d steps ran", track->log[0], track->enqueued);
    for (int i = 0; i < track->enqueued; i++)
        cr_assert_eq(track->log[1 + i], i, "step %d ran as number %d", track->log[1 + i], i);
    for (int i = 0; i < track->copies; i++)
        cr_assert_eq(track->received[i], i + 1, "copy %d brought %d", i, track->received[i]);
}

static void run_workers(unsigned seed)
{
    static worker workers[THREADS];
    pthread_t thread[THREADS];
    for (unsigned i = 0; i < THREADS; i++) make_worker(&workers[i], seed + i * 7919);
    for (int i = 0; i < THREADS; i++) cr_assert_eq(pthread_create(&thread[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    LAB_CHECK(lab_device_synchronize());
    cr_assert_eq(*errors, 0, "%d steps ran before what they had to wait for (seed %u)", *errors, seed);
    for (int i = 0; i < THREADS; i++) {
        check_track(&workers[i].null_track);
        for (int k = 0; k < STREAMS; k++) check_track(&workers[i].own[k]);
    }
}

Test(stress, random_legal_work_of_several_threads_keeps_every_order_it_was_promised)
{
    lab_module *module;
    LAB_CHECK(lab_module_load_source(&module, SOURCE, "stress_test.cu"));
    LAB_CHECK(lab_module_get_function(&step, module, "step"));
    errors = allocate_pinned(sizeof *errors);
    for (int i = 0; i < PUBLISHED; i++) LAB_CHECK(lab_event_create(&board[i].event, LAB_EVENT_DISABLE_TIMING));
    run_workers(1);
}
