/* What the schedules of the CPU device find: programs that lack one edge, by seed. The process's schedule is begun anew for
 * each seed, as if the program were run again. */
#include "cpu/engine/schedule_setting.h"
#include "lab_trace.h"
#include "schedule_programs.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 100, MOST_MISSED = 1 };

/* Before the first use of the library, or when nothing is pending. */
static void use_schedule(const char *wish)
{
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_SCHEDULE", wish, 1);
    LAB_CHECK(cpu_schedule_open());
}

static void use_seed(const char *word, int seed)
{
    char wish[64];
    snprintf(wish, sizeof wish, "%s:%d", word, seed);
    use_schedule(wish);
}

static bool run_program(kit *in, const program *which, bool right)
{
    kit_begin(in);
    const bool came_out_right = which->run(in, right);
    kit_end(in);
    return came_out_right;
}

Test(schedule, program_with_its_edge_is_right_under_every_seed)
{
    kit in;
    use_seed("adversarial", 1);
    kit_load(&in);
    for (int seed = 1; seed <= SEEDS; seed++) {
        use_seed("adversarial", seed);
        for (int i = 0; i < PROGRAMS; i++)
            cr_assert(run_program(&in, &programs[i], true), "%s is wrong under seed %d", programs[i].name, seed);
    }
}

Test(schedule, program_without_its_edge_is_wrong_under_nearly_every_seed)
{
    kit in;
    int missed[PROGRAMS] = {0};
    use_seed("adversarial", 1);
    kit_load(&in);
    for (int seed = 1; seed <= SEEDS; seed++) {
        use_seed("adversarial", seed);
        for (int i = 0; i < PROGRAMS; i++) missed[i] += run_program(&in, &programs[i], false);
    }
    int right = 0;
    for (int i = 0; i < PROGRAMS; i++) right += missed[i];
    printf("adversarial schedule: %d programs that lack an edge, %d seeds: right by luck in %d of %d runs\n",
           (int)PROGRAMS, (int)SEEDS, right, (int)PROGRAMS * SEEDS);
    fflush(stdout);
    for (int i = 0; i < PROGRAMS; i++)
        cr_assert(missed[i] <= MOST_MISSED, "%s: right under %d of %d seeds", programs[i].name, missed[i], SEEDS);
}

Test(schedule, program_with_its_edge_is_right_in_any_order)
{
    kit in;
    use_seed("random", 1);
    kit_load(&in);
    for (int seed = 1; seed <= SEEDS; seed++) {
        use_seed("random", seed);
        for (int i = 0; i < PROGRAMS; i++)
            cr_assert(run_program(&in, &programs[i], true), "%s is wrong under seed %d", programs[i].name, seed);
    }
}

/* What the other tests are for: as they are enqueued, one after another, nearly all of them come out right. */
Test(schedule, program_without_its_edge_is_mostly_right_first_in_first_out)
{
    kit in;
    int right = 0;
    use_schedule("fifo");
    kit_load(&in);
    for (int i = 0; i < PROGRAMS; i++) right += run_program(&in, &programs[i], false);
    cr_assert_geq(right, PROGRAMS * 3 / 4, "%d of %d", right, (int)PROGRAMS);
}

/* ---- Random programs: steps from buffer to buffer on any stream, with just the waits that they need ---- */

enum { STREAMS = 4, BUFFERS = 5, STEPS = 40 };

typedef struct random_step {
    int stream, from, to;
    int after[STREAMS]; /* of each stream: the last step that this one comes after, itself on its own */
} random_step;

typedef struct random_program {
    unsigned state;
    int waits;       /* needed so far */
    int left_out;    /* the one that the program lacks; none if it is not below `waits` in the end */
    int early, late; /* the two steps that it was to order */
    random_step step[STEPS + 1];
    int reached[STREAMS][STREAMS];                 /* `after` of a stream's next step */
    int writer[BUFFERS], reader[BUFFERS][STREAMS]; /* the last steps to do so, 0 for none */
} random_program;

static unsigned random_below(random_program *of, unsigned limit)
{
    of->state = of->state * 1664525u + 1013904223u;
    return (of->state >> 8) % limit;
}

/* The step `late`, which is next on its stream, comes after `early`. */
static void need(random_program *of, kit *k, int late, int early)
{
    const int stream = of->step[late].stream, other = of->step[early].stream;
    if (early == 0 || of->reached[stream][other] >= early) return;
    if (of->waits++ == of->left_out) {
        of->early = early;
        of->late = late;
        return;
    }
    record(k->mark[other], k->many[other]);
    wait_for(k->mark[other], k->many[stream]);
    for (int i = 0; i < STREAMS; i++)
        if (of->reached[other][i] > of->reached[stream][i]) of->reached[stream][i] = of->reached[other][i];
}

static void take_step(random_program *of, kit *k, int number)
{
    random_step *step = &of->step[number];
    step->stream = (int)random_below(of, STREAMS);
    step->from = (int)random_below(of, BUFFERS);
    step->to = (int)random_below(of, BUFFERS);
    need(of, k, number, of->writer[step->from]);
    need(of, k, number, of->writer[step->to]);
    for (int i = 0; i < STREAMS; i++) need(of, k, number, of->reader[step->to][i]);
    compute(k, step->to, step->from, number, k->many[step->stream]);
    of->reached[step->stream][step->stream] = number;
    memcpy(step->after, of->reached[step->stream], sizeof step->after);
    of->reader[step->from][step->stream] = of->writer[step->to] = number;
}

/* What the element is in each buffer in the end if the steps run in their order; but those that come after the step
 * `put_off`, and itself, behind the step `late`. */
static void predict(unsigned value[BUFFERS], const random_program *of, int element, int put_off, int late)
{
    bool taken[STEPS + 1] = {false};
    for (int i = 0; i < BUFFERS; i++) value[i] = (unsigned)number_at(element);
    for (int pass = put_off ? 0 : 1; pass < 2; pass++) {
        for (int i = 1; i <= (pass == 0 ? late : STEPS); i++) {
            const random_step *step = &of->step[i];
            if (taken[i] || (pass == 0 && step->after[of->step[put_off].stream] >= put_off)) continue;
            taken[i] = true;
            value[step->to] = value[step->from] * 3u + (unsigned)i;
        }
    }
}

/* Whether all buffers come out right. */
static bool run_random_program(random_program *made, kit *k, unsigned number, int left_out)
{
    unsigned expected[BUFFERS];
    *made = (random_program){.state = number, .left_out = left_out};
    kit_begin(k);
    for (int i = 0; i < BUFFERS; i++) upload(k, i, 0, lab_stream_null());
    LAB_CHECK(lab_device_synchronize());
    for (int step = 1; step <= STEPS; step++) take_step(made, k, step);
    LAB_CHECK(lab_device_synchronize());
    for (int i = 0; i < BUFFERS; i++) download(k, i, i, lab_stream_null());
    LAB_CHECK(lab_device_synchronize());
    bool right = true;
    for (int element = 0; element < COUNT; element++) {
        predict(expected, made, element, 0, 0);
        for (int i = 0; i < BUFFERS; i++) right = right && (unsigned)k->pinned[i][element] == expected[i];
    }
    kit_end(k);
    return right;
}

/* Whether there is an order in which the wait that is left out is missed. */
static bool matters(const random_program *made)
{
    unsigned expected[BUFFERS], otherwise[BUFFERS];
    if (made->step[made->late].after[made->step[made->early].stream] >= made->early) return false;
    predict(expected, made, 0, 0, 0);
    predict(otherwise, made, 0, made->early, made->late);
    return memcmp(expected, otherwise, sizeof expected) != 0;
}

static void load_for_random_programs(kit *in)
{
    use_seed("adversarial", 1);
    kit_load(in);
    for (int i = 0; i < STREAMS; i++) {
        LAB_CHECK(lab_stream_create(&in->many[i], LAB_STREAM_NON_BLOCKING));
        LAB_CHECK(lab_event_create(&in->mark[i], LAB_EVENT_DISABLE_TIMING));
    }
}

Test(schedule, random_program_with_all_its_edges_is_right)
{
    kit in;
    static random_program made;
    load_for_random_programs(&in);
    for (int number = 1; number <= 60; number++) {
        use_seed("adversarial", number);
        cr_assert(run_random_program(&made, &in, (unsigned)number, STEPS * BUFFERS), "program %d", number);
    }
}

Test(schedule, random_program_without_an_edge_that_matters_is_wrong)
{
    kit in;
    static random_program made;
    int runs = 0, wrong = 0;
    load_for_random_programs(&in);
    for (int number = 1; number <= 40; number++) {
        int left_out = 0;
        use_seed("adversarial", number);
        do {
            const bool right = run_random_program(&made, &in, (unsigned)number, left_out);
            runs += matters(&made);
            wrong += matters(&made) && !right;
        } while (++left_out < made.waits);
    }
    cr_assert_gt(runs, 100);
    cr_assert_geq(wrong * 100, runs * 99, "%d of %d", wrong, runs);
}

/* ---- The same order again ---- */

enum { MOST_OPERATIONS = 400 };

/* What the device ran, in its order. */
typedef struct order {
    size_t count;
    uint64_t id[MOST_OPERATIONS];
} order;

static const lab_trace *sorted_trace;

static int by_start(const void *one, const void *other)
{
    const lab_trace_op *op = sorted_trace->op;
    const int64_t a = op[*(const uint64_t *)one - 1].start_ns, b = op[*(const uint64_t *)other - 1].start_ns;
    return a < b ? -1 : a > b;
}

/* The order in which a random program's operations run under the seed. */
static void note_order(order *into, kit *in, const char *word, int seed)
{
    static random_program made;
    lab_trace *trace;
    use_seed(word, seed);
    LAB_CHECK(lab_trace_begin());
    run_random_program(&made, in, 1, STEPS * BUFFERS);
    LAB_CHECK(lab_trace_end(&trace));
    into->count = 0;
    for (size_t i = 0; i < trace->ops && into->count < MOST_OPERATIONS; i++)
        if (*lab_op_kind_engine(trace->op[i].kind)) into->id[into->count++] = trace->op[i].id;
    sorted_trace = trace;
    qsort(into->id, into->count, sizeof into->id[0], by_start);
    lab_trace_free(trace);
}

static bool is_same_order(const order *one, const order *other)
{
    return one->count == other->count && memcmp(one->id, other->id, one->count * sizeof one->id[0]) == 0;
}

static atomic_bool computing;

static void *compute_on_the_host(void *unused)
{
    while (atomic_load(&computing)) {}
    return unused;
}

static void check_that_the_seed_decides(const char *word)
{
    enum { BUSY = 6, OTHERS = 8 };
    static order first, again;
    kit in;
    pthread_t busy[BUSY];
    int same = 0;
    use_seed(word, 1);
    load_for_random_programs(&in);
    note_order(&first, &in, word, 7);
    cr_assert_gt(first.count, (size_t)STEPS);
    atomic_store(&computing, true);
    for (int i = 0; i < BUSY; i++) pthread_create(&busy[i], NULL, compute_on_the_host, NULL);
    for (int i = 0; i < 5; i++) {
        note_order(&again, &in, word, 7);
        cr_assert(is_same_order(&first, &again), "the same seed, the same order: %zu operations", first.count);
    }
    atomic_store(&computing, false);
    for (int i = 0; i < BUSY; i++) pthread_join(busy[i], NULL);
    for (int seed = 8; seed < 8 + OTHERS; seed++) {
        note_order(&again, &in, word, seed);
        same += is_same_order(&first, &again);
    }
    cr_assert_lt(same, OTHERS / 2, "other seeds, other orders");
}

Test(schedule, seed_gives_the_same_order_whatever_the_load) { check_that_the_seed_decides("adversarial"); }

Test(schedule, seed_gives_the_same_random_order_whatever_the_load) { check_that_the_seed_decides("random"); }

/* ---- Nothing is put off for ever ---- */

Test(schedule, program_that_asks_again_and_again_gets_its_answer)
{
    kit in;
    use_seed("adversarial", 1);
    kit_load(&in);
    kit_begin(&in);
    upload(&in, 0, 0, in.a);
    compute(&in, 1, 0, 1, in.a);
    record(in.e, in.a);
    wait_for(in.e, in.b);
    download(&in, 1, 1, in.b);
    while (lab_stream_query(in.b) == LAB_ERROR_NOT_READY) {}
    cr_assert(holds_steps(in.pinned[1], 1));
    cr_assert_eq(lab_event_query(in.e), LAB_SUCCESS);
    kit_end(&in);
}

Test(schedule, program_that_looks_at_memory_sees_it_change)
{
    kit in;
    use_seed("adversarial", 1);
    kit_load(&in);
    kit_begin(&in);
    upload(&in, 0, 0, in.a);
    download(&in, 1, 0, in.a);
    while (!holds_steps(in.pinned[1], 0)) __asm__ volatile("" ::: "memory");
    kit_end(&in);
}

static void *ask_until_done(void *stream)
{
    while (lab_stream_query(stream) == LAB_ERROR_NOT_READY) {}
    return NULL;
}

Test(schedule, threads_that_ask_for_the_same_work_have_it_done_once)
{
    enum { ASKING = 4, SEEDS_HERE = 30 };
    kit in;
    use_seed("adversarial", 1);
    kit_load(&in);
    for (int seed = 1; seed <= SEEDS_HERE; seed++) {
        pthread_t asking[ASKING];
        use_seed("adversarial", seed);
        kit_begin(&in);
        upload(&in, 0, 0, in.a);
        for (int i = 1; i <= 5; i++) compute(&in, 0, 0, i, in.a);
        for (int i = 0; i < ASKING; i++) pthread_create(&asking[i], NULL, ask_until_done, in.a);
        for (int i = 0; i < ASKING; i++) pthread_join(asking[i], NULL);
        download(&in, 1, 0, in.a);
        synchronize(in.a);
        cr_assert(holds_steps(in.pinned[1], 5), "seed %d", seed);
        kit_end(&in);
    }
}

typedef struct word_given {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool given;
} word_given;

static void give(void *user)
{
    word_given *given = user;
    pthread_mutex_lock(&given->lock);
    given->given = true;
    pthread_cond_signal(&given->changed);
    pthread_mutex_unlock(&given->lock);
}

static void wait_for_word(void *user)
{
    word_given *of = user;
    pthread_mutex_lock(&of->lock);
    while (!of->given) pthread_cond_wait(&of->changed, &of->lock);
    pthread_mutex_unlock(&of->lock);
}

Test(schedule, thread_that_waits_for_a_host_function_is_woken)
{
    kit in;
    word_given done = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    use_seed("adversarial", 1);
    kit_load(&in);
    kit_begin(&in);
    upload(&in, 0, 0, in.a);
    LAB_CHECK(lab_stream_launch_host_func(in.a, give, &done));
    wait_for_word(&done);
    kit_end(&in);
}

/* A host function that waits for what the program does after it has waited for the device. */
Test(schedule, host_function_that_waits_for_the_program_holds_up_its_own_stream_only)
{
    kit in;
    word_given go = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    for (int seed = 1; seed <= 5; seed++) {
        use_seed("adversarial", seed);
        if (seed == 1) kit_load(&in);
        kit_begin(&in);
        go.given = false;
        upload(&in, 0, 0, in.a);
        download(&in, 1, 0, in.a);
        LAB_CHECK(lab_stream_launch_host_func(in.b, wait_for_word, &go));
        synchronize(in.a);
        cr_assert(holds_steps(in.pinned[1], 0));
        give(&go);
        kit_end(&in);
    }
}

Test(schedule, more_than_can_be_put_off_is_run_meanwhile)
{
    enum { MANY = 3000 };
    kit in;
    use_seed("adversarial", 1);
    kit_load(&in);
    kit_begin(&in);
    upload(&in, 0, 0, in.a);
    for (int i = 0; i < MANY; i++) compute(&in, 1, 0, 1, in.a);
    download(&in, 1, 1, in.a);
    synchronize(in.a);
    cr_assert(holds_steps(in.pinned[1], 1));
    kit_end(&in);
}

/* ---- What may stand in LAB_SCHEDULE ---- */

Test(schedule, unknown_schedule_is_refused_with_those_there_are)
{
    static const char *const wrong[] = {
        "lifo",      "adversarial", "adversarial:", "adversarial:x", "random:-1",
        "random: 1", "fifo:1",      "Fifo",         "random:1,2",    "adversarial:18446744073709551616"};
    setenv("LAB_DEVICE", "cpu", 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int devices;
        setenv("LAB_SCHEDULE", wrong[i], 1);
        cr_assert_eq(lab_device_count(&devices), LAB_ERROR_INVALID_VALUE, "%s", wrong[i]);
        cr_assert_not_null(strstr(lab_error_message(), "use concurrent, fifo, random:SEED or adversarial:SEED"), "%s",
                           lab_error_message());
        cr_assert_not_null(strstr(lab_error_message(), wrong[i]), "%s", lab_error_message());
    }
    int devices;
    setenv("LAB_SCHEDULE", "adversarial:18446744073709551615", 1);
    cr_assert_eq(lab_device_count(&devices), LAB_SUCCESS, "%s", lab_error_message());
}
