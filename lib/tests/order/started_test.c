/* The catalogue: threads that host functions, callbacks and nodes of graphs start. */
#include "catalogue.h"

#include <semaphore.h>
#include <time.h>

typedef struct worker {
    ground *kit;
    void *(*body)(void *kit);
    pthread_t thread;
    sem_t started;
} worker;

static void start_worker(void *user)
{
    worker *started = user;
    cr_assert_eq(pthread_create(&started->thread, NULL, started->body, started->kit), 0);
    sem_post(&started->started);
}

static void start_by_callback(lab_stream *stream, lab_status status, void *user)
{
    (void)stream;
    cr_assert_eq(status, LAB_SUCCESS);
    start_worker(user);
}

static worker worker_of(ground *kit, void *(*body)(void *kit))
{
    worker made = {.kit = kit, .body = body};
    sem_init(&made.started, 0, 0);
    return made;
}

/* Without a wait for the device. */
static void join(worker *started)
{
    sem_wait(&started->started);
    cr_assert_eq(pthread_join(started->thread, NULL), 0);
    sem_destroy(&started->started);
}

static void *duplicate_on_two(void *ground_of_it)
{
    ground *kit = ground_of_it;
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
    return NULL;
}

static void *read_pinned(void *ground_of_it)
{
    ground *kit = ground_of_it;
    DO(lab_host_reads(kit->pinned, BYTES));
    return NULL;
}

RIGHT(a_thread_started_by_a_host_function, "the work before the function is done, and memory is the host's")
{
    worker reader = worker_of(kit, read_pinned);
    DO(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_stream_launch_host_func(kit->one, start_worker, &reader));
    join(&reader);
}

RIGHT(a_thread_started_by_a_callback, "the work before the callback is done, on every stream that its stream waits for")
{
    worker next = worker_of(kit, duplicate_on_two);
    DO(SET(kit->three, kit->a));
    DO(lab_event_record(kit->event, kit->three));
    DO(lab_stream_wait_event(kit->one, kit->event));
    DO(lab_stream_add_callback(kit->one, start_by_callback, &next));
    join(&next);
}

RIGHT(a_thread_started_by_a_node, "the nodes before the graph's host function are done, in each launch")
{
    lab_graph *graph;
    lab_graph_exec *exec;
    worker next = worker_of(kit, duplicate_on_two);
    DO(lab_stream_begin_capture(kit->one, LAB_CAPTURE_GLOBAL));
    DO(SET(kit->one, kit->a));
    DO(lab_stream_launch_host_func(kit->one, start_worker, &next));
    DO(lab_stream_end_capture(&graph, kit->one));
    DO(lab_graph_instantiate(&exec, graph));
    for (int i = 0; i < 2; i++) {
        if (i) next = worker_of(kit, duplicate_on_two);
        if (i) DO(lab_stream_wait_event(kit->one, kit->event));
        DO(lab_graph_launch(exec, kit->one));
        join(&next);
        DO(lab_event_record(kit->event, kit->two));
    }
    DO(lab_graph_exec_destroy(exec));
    DO(lab_graph_destroy(graph));
}

static void *start_another(void *ground_of_it)
{
    worker next = worker_of(ground_of_it, duplicate_on_two);
    start_worker(&next);
    join(&next);
    return NULL;
}

RIGHT(a_thread_started_by_a_host_functions_thread,
      "the thread between them has called nothing, and hands on what it knows")
{
    worker between = worker_of(kit, start_another);
    DO(SET(kit->one, kit->a));
    DO(lab_stream_launch_host_func(kit->one, start_worker, &between));
    join(&between);
}

static sem_t work_enqueued;

static void *duplicate_behind_the_work(void *ground_of_it)
{
    sem_wait(&work_enqueued);
    return duplicate_on_two(ground_of_it);
}

WRONG(a_thread_started_before_the_work, "the host function that starts the thread comes before the work",
      .bytes = BYTES, .edge = BY_EVENT)
{
    worker next = worker_of(kit, duplicate_behind_the_work);
    sem_init(&work_enqueued, 0, 0);
    DO(lab_stream_launch_host_func(kit->one, start_worker, &next));
    FIRST(SET(kit->one, kit->a));
    sem_post(&work_enqueued);
    join(&next);
    sem_destroy(&work_enqueued);
}

WRONG(a_thread_started_on_another_stream, "the host function's stream does not wait for the work", .bytes = BYTES,
      .edge = BY_EVENT)
{
    worker next = worker_of(kit, duplicate_on_two);
    FIRST(SET(kit->three, kit->a));
    DO(lab_stream_launch_host_func(kit->one, start_worker, &next));
    join(&next);
}

static void tell_silently(void *posted) { sem_post(posted); }

RIGHT(a_thread_started_before_a_thousand_host_functions,
      "it knows what was done when it was started, however late it calls")
{
    enum { FUNCTIONS = 1000 };
    worker next = worker_of(kit, duplicate_behind_the_work);
    sem_t others;
    sem_init(&others, 0, 0);
    sem_init(&work_enqueued, 0, 0);
    DO(SET(kit->one, kit->a));
    DO(lab_stream_launch_host_func(kit->one, start_worker, &next));
    sem_wait(&next.started);
    sem_post(&next.started);
    for (int i = 0; i < FUNCTIONS; i++) DO(lab_stream_launch_host_func(kit->three, tell_silently, &others));
    for (int i = 0; i < FUNCTIONS; i++) sem_wait(&others);
    sem_post(&work_enqueued);
    join(&next);
    sem_destroy(&work_enqueued);
    sem_destroy(&others);
}

static void tell(void *posted)
{
    lab_host_release(posted);
    sem_post(posted);
}

static void read_when_told(ground *kit, void (*function)(void *posted))
{
    sem_t posted;
    sem_init(&posted, 0, 0);
    FIRST(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_stream_launch_host_func(kit->one, function, &posted));
    sem_wait(&posted);
    lab_host_acquire(&posted);
    SECOND(lab_host_reads(kit->pinned, BYTES));
    DO(lab_stream_synchronize(kit->one));
    sem_destroy(&posted);
}

RIGHT(a_host_function_that_tells, "the function releases, the thread that waits for it acquires")
{
    read_when_told(kit, tell);
}

WRONG(a_host_function_that_tells_silently, "the checker does not see the semaphore", .bytes = BYTES, .edge = BY_WAIT)
{
    read_when_told(kit, tell_silently);
}

static void pause_and_tell(void *posted)
{
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    tell(posted);
}

RIGHT(host_functions_that_a_copy_waits_for, "a copy of pageable memory is enqueued once they have returned")
{
    sem_t posted;
    sem_init(&posted, 0, 0);
    DO(lab_array_get_async(kit->a, kit->pinned, kit->blocking));
    DO(lab_stream_launch_host_func(kit->blocking, pause_and_tell, &posted));
    DO(lab_stream_launch_host_func(kit->blocking, pause_and_tell, &posted));
    DO(lab_array_set(kit->b, kit->pageable));
    sem_wait(&posted);
    lab_host_acquire(&posted);
    DO(lab_host_reads(kit->pinned, BYTES));
    DO(lab_stream_synchronize(kit->blocking));
    sem_destroy(&posted);
}

static sem_t has_called;

static void *read_and_wait(void *ground_of_it)
{
    ground *kit = ground_of_it;
    DO(lab_host_reads(kit->pinned, BYTES));
    sem_post(&has_called);
    sem_wait(&work_enqueued);
    return NULL;
}

/* The thread calls the library no more, so that the function may wait for it. */
static void pause_and_join(void *user)
{
    worker *ending = user;
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    sem_post(&work_enqueued);
    join(ending);
}

RIGHT(a_thread_that_ends_while_a_copy_waits, "a host function joins it, and a copy of pageable memory waits for both")
{
    worker ending = worker_of(kit, read_and_wait);
    sem_init(&has_called, 0, 0);
    sem_init(&work_enqueued, 0, 0);
    start_worker(&ending);
    sem_wait(&has_called);
    DO(lab_stream_launch_host_func(kit->blocking, pause_and_join, &ending));
    DO(lab_array_set(kit->b, kit->pageable));
    DO(lab_stream_synchronize(kit->blocking));
    sem_destroy(&work_enqueued);
    sem_destroy(&has_called);
}
