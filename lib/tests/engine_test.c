/* The CPU device's engine: no operation runs before all its dependencies are done, and every block runs once,
 * whatever the shape of the graph and the number of threads that hand operations over. */
#include "cpu/engine/engine.h"
#include "cpu/engine/engine_lock.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, NODES = 500, MOST_DEPENDENCIES = 6, MOST_BLOCKS = 40, MULTIPROCESSORS = 3 };

/* An operation of the graph, and when it ran, on a clock that ticks with every start and end of blocks. */
typedef struct node node;
struct node {
    cpu_op *op;
    bool marker; /* has nothing to run */
    const node *after[MOST_DEPENDENCIES];
    int dependencies;
    uint64_t blocks;
    atomic_long started, ended; /* the first start, the last end; 0 if none */
    atomic_int runs[MOST_BLOCKS];
    long done; /* `ended`; of a marker: that of the last node it waited for */
};

static node graph[THREADS][NODES];
static atomic_int submitted[THREADS];   /* nodes of the thread that others may depend on */
static node *in_order[THREADS * NODES]; /* in the order of the calls: each after those it depends on */
static int nodes_in_order;
static atomic_long ticks;

static void run_node(cpu_op *op, uint64_t first, uint64_t count)
{
    node *ran = *(node **)cpu_op_payload(op);
    long now = atomic_fetch_add(&ticks, 1) + 1, before = 0;
    atomic_compare_exchange_strong(&ran->started, &before, now);
    for (uint64_t block = first; block < first + count; block++) atomic_fetch_add(&ran->runs[block], 1);
    now = atomic_fetch_add(&ticks, 1) + 1;
    before = atomic_load(&ran->ended);
    while (before < now && !atomic_compare_exchange_weak(&ran->ended, &before, now)) {}
}

static unsigned random_below(unsigned *state, unsigned limit)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % limit;
}

static cpu_queue random_queue(unsigned *state)
{
    static const cpu_queue queues[] = {CPU_QUEUE_COMPUTE, CPU_QUEUE_COMPUTE, CPU_QUEUE_COMPUTE, CPU_QUEUE_HTOD,
                                       CPU_QUEUE_DTOH,    CPU_QUEUE_HOST,    CPU_QUEUE_NONE};
    return queues[random_below(state, sizeof queues / sizeof *queues)];
}

/* A node already handed over by any thread, recent ones more often; NULL if there is none. */
static const node *random_earlier(unsigned *state)
{
    unsigned thread = random_below(state, THREADS);
    int count = atomic_load(&submitted[thread]);
    if (count == 0) return NULL;
    int window = random_below(state, 4) == 0 ? count : count < 8 ? count : 8;
    return &graph[thread][count - 1 - (int)random_below(state, (unsigned)window)];
}

static bool submit_node(node *made, unsigned *state)
{
    cpu_queue queue = random_queue(state);
    made->op = cpu_op_create(queue, sizeof made);
    if (!made->op) return false;
    *(node **)cpu_op_payload(made->op) = made;
    made->marker = queue == CPU_QUEUE_NONE;
    made->blocks = queue == CPU_QUEUE_COMPUTE ? 1 + random_below(state, MOST_BLOCKS) : 1;
    made->op->run = run_node;
    made->op->blocks = made->blocks;
    unsigned dependencies = random_below(state, MOST_DEPENDENCIES + 1);
    bool noted = true;
    cpu_engine_lock();
    for (unsigned i = 0; i < dependencies; i++) {
        const node *first = random_earlier(state);
        if (!first) continue;
        made->after[made->dependencies++] = first;
        noted = noted && cpu_op_depend(made->op, first->op) == LAB_SUCCESS;
    }
    in_order[nodes_in_order++] = made;
    cpu_op_submit(made->op);
    cpu_engine_unlock();
    return noted;
}

/* Hands over a thread's part of the graph, and now and then waits for some of it. */
static void *submit_all(void *user)
{
    int thread = *(int *)user;
    unsigned state = (unsigned)thread * 7919 + 17;
    for (int i = 0; i < NODES; i++) {
        if (!submit_node(&graph[thread][i], &state)) return "no memory";
        atomic_store(&submitted[thread], i + 1);
        if (random_below(&state, 50) == 0) {
            cpu_op_wait(graph[thread][i].op, random_below(&state, 2) == 0);
            if (!cpu_op_done(graph[thread][i].op)) return "a wait returned before the end";
        }
    }
    return NULL;
}

static void check_node(node *checked)
{
    cr_assert(cpu_op_done(checked->op));
    long ready = 0;
    for (int i = 0; i < checked->dependencies; i++)
        if (checked->after[i]->done > ready) ready = checked->after[i]->done;
    checked->done = checked->marker ? ready : atomic_load(&checked->ended);
    if (checked->marker) return;
    cr_assert_gt(atomic_load(&checked->started), ready, "an operation started at %ld, what it depends on ended at %ld",
                 atomic_load(&checked->started), ready);
    for (uint64_t block = 0; block < checked->blocks; block++)
        cr_assert_eq(atomic_load(&checked->runs[block]), 1, "block %d of %d ran %d times", (int)block,
                     (int)checked->blocks, atomic_load(&checked->runs[block]));
}

static void start_engine(void)
{
    cr_assert_eq(cpu_engine_start(0, MULTIPROCESSORS), LAB_SUCCESS, "%s", lab_error_message());
}

Test(engine, keeps_every_dependency_of_a_random_graph_that_threads_hand_over_at_once)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    start_engine();
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        cr_assert_eq(pthread_create(&thread[i], NULL, submit_all, &number[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        cr_assert_null(wrong, "%s", (const char *)wrong);
    }
    cr_assert_eq(nodes_in_order, THREADS * NODES);
    for (int i = 0; i < nodes_in_order; i++) cpu_op_wait(in_order[i]->op, true);
    for (int i = 0; i < nodes_in_order; i++) check_node(in_order[i]);
    for (int i = 0; i < nodes_in_order; i++) cpu_op_drop(in_order[i]->op);
}

/* --- Small shapes ------------------------------------------------------------------------------------------- */

static cpu_op *make_op(cpu_queue queue, node *made, uint64_t blocks)
{
    cpu_op *op = cpu_op_create(queue, sizeof made);
    cr_assert_not_null(op);
    *(node **)cpu_op_payload(op) = made;
    op->run = run_node;
    op->blocks = made->blocks = blocks;
    return op;
}

static void submit_after(cpu_op *op, cpu_op *first)
{
    cpu_engine_lock();
    cr_assert_eq(cpu_op_depend(op, first), LAB_SUCCESS);
    cpu_op_submit(op);
    cpu_engine_unlock();
}

Test(engine, operations_that_become_ready_together_start_in_the_order_they_were_handed_over)
{
    enum { WAITING = 200 };
    static node waiting[WAITING + 1];
    cpu_op *op[WAITING];
    start_engine();
    cpu_op *gate = make_op(CPU_QUEUE_NONE, &waiting[WAITING], 1);
    for (int i = 0; i < WAITING; i++) submit_after(op[i] = make_op(CPU_QUEUE_HTOD, &waiting[i], 1), gate);
    submit_after(gate, NULL);
    for (int i = 0; i < WAITING; i++) cpu_op_wait(op[i], false);
    for (int i = 1; i < WAITING; i++)
        cr_assert_lt(atomic_load(&waiting[i - 1].started), atomic_load(&waiting[i].started), "operation %d overtook",
                     i);
    for (int i = 0; i < WAITING; i++) cpu_op_drop(op[i]);
    cpu_op_drop(gate);
}

Test(engine, a_chain_of_many_markers_ends)
{
    enum { LENGTH = 20000 };
    static node nothing;
    start_engine();
    cpu_op *first = make_op(CPU_QUEUE_NONE, &nothing, 1), *last = first;
    for (int i = 0; i < LENGTH; i++) {
        cpu_op *next = make_op(CPU_QUEUE_NONE, &nothing, 1);
        submit_after(next, last);
        if (last != first) cpu_op_drop(last);
        last = next;
    }
    cr_assert_not(cpu_op_done(last));
    submit_after(first, NULL);
    cpu_op_wait(last, true);
    cpu_op_drop(first);
    cpu_op_drop(last);
}

Test(engine, an_operation_that_was_given_up_runs_nothing_but_ends)
{
    static node given_up, after;
    start_engine();
    cpu_op *op = make_op(CPU_QUEUE_COMPUTE, &given_up, 5), *next = make_op(CPU_QUEUE_COMPUTE, &after, 1);
    cpu_engine_lock();
    cr_assert_eq(cpu_op_depend(next, op), LAB_SUCCESS);
    cpu_op_submit(next);
    cpu_op_abandon(op);
    cpu_engine_unlock();
    cpu_op_wait(next, true);
    cr_assert_eq(atomic_load(&given_up.runs[0]), 0);
    cr_assert_eq(atomic_load(&after.runs[0]), 1);
    cpu_op_drop(op);
    cpu_op_drop(next);
}

Test(engine, times_are_those_of_the_first_block_and_the_last)
{
    static node timed;
    backend_times times = {0};
    start_engine();
    cpu_op *op = make_op(CPU_QUEUE_COMPUTE, &timed, MOST_BLOCKS);
    op->times = &times;
    submit_after(op, NULL);
    cpu_op_wait(op, true);
    cr_assert_gt(atomic_load(&times.start_ns), 0);
    cr_assert_leq(atomic_load(&times.start_ns), atomic_load(&times.end_ns));
    cr_assert(atomic_load(&times.lane) >= 0 && atomic_load(&times.lane) < MULTIPROCESSORS);
    cpu_op_drop(op);
}
