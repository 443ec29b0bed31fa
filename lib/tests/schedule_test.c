/* What the schedules of the CPU device find: programs that lack one edge, by seed. The schedule begins again for
 * each seed, as if the program were run again. */
#include "base/monotonic.h"
#include "cpu/engine/schedule_setting.h"
#include "lab_trace.h"
#include "schedule_programs.h"
#include "schedule_random_program.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SEEDS = 25, SECONDS = 200 }; /* SECONDS: a test that waits for longer has failed */

/* Call it before the first use of the library, or when nothing is pending. */
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

static bool run_program(kit *k, const edge_program *program, bool right)
{
    kit_begin(k);
    const bool came_out_right = program->run(k, right);
    kit_end(k);
    return came_out_right;
}

Test(schedule, program_with_its_edge_is_right_under_every_seed)
{
    kit k;
    use_seed("adversarial", 1);
    kit_load(&k);
    for (int seed = 1; seed <= SEEDS; seed++) {
        use_seed("adversarial", seed);
        for (int i = 0; i < PROGRAMS; i++)
            cr_assert(run_program(&k, &programs[i], true), "%s is wrong under seed %d", programs[i].name, seed);
    }
}

Test(schedule, program_without_its_edge_is_wrong_under_every_seed)
{
    kit k;
    use_seed("adversarial", 1);
    kit_load(&k);
    for (int seed = 1; seed <= SEEDS; seed++) {
        use_seed("adversarial", seed);
        for (int i = 0; i < PROGRAMS; i++)
            cr_assert_not(run_program(&k, &programs[i], false), "%s is right under seed %d", programs[i].name, seed);
    }
}

Test(schedule, program_with_its_edge_is_right_in_any_order)
{
    kit k;
    use_seed("random", 1);
    kit_load(&k);
    for (int seed = 1; seed <= SEEDS; seed++) {
        use_seed("random", seed);
        for (int i = 0; i < PROGRAMS; i++)
            cr_assert(run_program(&k, &programs[i], true), "%s is wrong under seed %d", programs[i].name, seed);
    }
}

/* The seed decides which of two uses comes on the wrong side of an operation between them. */
Test(schedule, operation_between_two_uses_is_late_under_some_seeds)
{
    enum { MANY_SEEDS = 100, LEAST_WRONG = 20 };
    kit k;
    int wrong[BETWEEN_PROGRAMS] = {0};
    use_seed("adversarial", 1);
    kit_load(&k);
    for (int seed = 1; seed <= MANY_SEEDS; seed++) {
        use_seed("adversarial", seed);
        for (int i = 0; i < BETWEEN_PROGRAMS; i++) {
            const edge_program *program = &between_programs[i];
            cr_assert(run_program(&k, program, true), "%s is wrong under seed %d", program->name, seed);
            wrong[i] += !run_program(&k, program, false);
        }
    }
    for (int i = 0; i < BETWEEN_PROGRAMS; i++)
        cr_assert_geq(wrong[i], LEAST_WRONG, "%s: wrong under %d of %d seeds", between_programs[i].name, wrong[i],
                      (int)MANY_SEEDS);
}

/* The wait comes before the first record, and the consumer before the producer: backwards, that is the right order. The
 * seed decides whether the consumer counts as the later one. */
Test(schedule, consumer_that_waits_before_the_record_is_early_under_some_seeds)
{
    enum { MANY_SEEDS = 100, LEAST_WRONG = 20 };
    kit k;
    int wrong = 0;
    use_seed("adversarial", 1);
    kit_load(&k);
    for (int seed = 1; seed <= MANY_SEEDS; seed++) {
        const edge_program program = {"producer_comes_before_the_consumer", producer_comes_before_the_consumer};
        use_seed("adversarial", seed);
        cr_assert(run_program(&k, &program, true), "wrong under seed %d", seed);
        wrong += !run_program(&k, &program, false);
    }
    cr_assert_geq(wrong, LEAST_WRONG, "wrong under %d of %d seeds", wrong, (int)MANY_SEEDS);
}

/* The reason for the other tests: in the order of the calls, nearly all programs come out right. */
Test(schedule, program_without_its_edge_is_mostly_right_first_in_first_out)
{
    kit k;
    int right = 0;
    use_schedule("fifo");
    kit_load(&k);
    for (int i = 0; i < PROGRAMS; i++) right += run_program(&k, &programs[i], false);
    cr_assert_geq(right, PROGRAMS * 3 / 4, "%d of %d", right, (int)PROGRAMS);
}

/* ---- Random programs ---- */

static void load_for_random_programs(kit *k)
{
    use_seed("adversarial", 1);
    kit_load(k);
    make_random_streams(k);
}

Test(schedule, random_program_with_all_its_edges_is_right)
{
    kit k;
    random_program program;
    load_for_random_programs(&k);
    for (int number = 1; number <= 60; number++) {
        use_seed("adversarial", number);
        plan_random_program(&program, (unsigned)number, ALL_EDGES);
        cr_assert(run_random_program(&k, &program), "program %d", number);
    }
}

Test(schedule, random_program_without_an_edge_that_matters_is_wrong)
{
    kit k;
    random_program program;
    int runs = 0, wrong = 0;
    load_for_random_programs(&k);
    for (int number = 1; number <= 20; number++) {
        int left_out = 0;
        use_seed("adversarial", number);
        do {
            plan_random_program(&program, (unsigned)number, left_out);
            if (!lacks_an_edge(&program)) continue;
            runs++;
            wrong += !run_random_program(&k, &program);
        } while (++left_out < program.edges);
    }
    cr_assert_gt(runs, 100);
    cr_assert_geq(wrong * 100, runs * 99, "%d of %d", wrong, runs);
}

/* ---- The same order again ---- */

enum { MOST_OPERATIONS = 400 };

/* The operations that the device ran, in its order. */
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
static void note_order(order *noted, kit *k, const char *word, int seed)
{
    random_program program;
    lab_trace *trace;
    plan_random_program(&program, 1, ALL_EDGES);
    use_seed(word, seed);
    LAB_CHECK(lab_trace_begin());
    run_random_program(k, &program);
    LAB_CHECK(lab_trace_end(&trace));
    noted->count = 0;
    for (size_t i = 0; i < trace->ops && noted->count < MOST_OPERATIONS; i++)
        if (*lab_op_kind_engine(trace->op[i].kind)) noted->id[noted->count++] = trace->op[i].id;
    sorted_trace = trace;
    qsort(noted->id, noted->count, sizeof noted->id[0], by_start);
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

static void start_computing(pthread_t *thread, int threads)
{
    atomic_store(&computing, true);
    for (int i = 0; i < threads; i++) cr_assert_eq(pthread_create(&thread[i], NULL, compute_on_the_host, NULL), 0);
}

static void stop_computing(const pthread_t *thread, int threads)
{
    atomic_store(&computing, false);
    for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
}

static void check_that_the_seed_decides(const char *word)
{
    enum { BUSY = 6, OTHERS = 8 };
    static order first, again;
    kit k;
    pthread_t busy[BUSY];
    int same = 0;
    use_seed(word, 1);
    load_for_random_programs(&k);
    note_order(&first, &k, word, 7);
    cr_assert_gt(first.count, (size_t)STEPS);
    start_computing(busy, BUSY);
    for (int i = 0; i < 5; i++) {
        note_order(&again, &k, word, 7);
        cr_assert(is_same_order(&first, &again), "the same seed, the same order: %zu operations", first.count);
    }
    stop_computing(busy, BUSY);
    for (int seed = 8; seed < 8 + OTHERS; seed++) {
        note_order(&again, &k, word, seed);
        same += is_same_order(&first, &again);
    }
    cr_assert_lt(same, OTHERS / 2, "other seeds, other orders");
}

Test(schedule, seed_gives_the_same_order_whatever_the_load) { check_that_the_seed_decides("adversarial"); }

Test(schedule, seed_gives_the_same_random_order_whatever_the_load) { check_that_the_seed_decides("random"); }

/* ---- Nothing is put off forever ---- */

Test(schedule, program_that_asks_again_and_again_gets_its_answer)
{
    kit k;
    use_seed("adversarial", 1);
    kit_load(&k);
    kit_begin(&k);
    upload(&k, 0, 0, k.a);
    compute(&k, 1, 0, 1, k.a);
    record(k.e, k.a);
    wait_for(k.e, k.b);
    download(&k, 1, 1, k.b);
    while (lab_stream_query(k.b) == LAB_ERROR_NOT_READY) {}
    cr_assert(holds_steps(k.pinned[1], 1));
    cr_assert_eq(lab_event_query(k.e), LAB_SUCCESS);
    kit_end(&k);
}

Test(schedule, program_that_looks_at_memory_sees_it_change)
{
    enum { BUSY = 3 };
    kit k;
    pthread_t busy[BUSY];
    use_seed("adversarial", 1);
    kit_load(&k);
    kit_begin(&k);
    upload(&k, 0, 0, k.a);
    download(&k, 1, 0, k.a);
    cr_assert_not(holds_steps(k.pinned[1], 0), "the copies are put off");
    start_computing(busy, BUSY); /* the copies run when all threads together have computed for half a second */
    const int64_t limit = monotonic_ns() + SECONDS * INT64_C(1000000000);
    bool changed = false;
    while (!changed && monotonic_ns() < limit) changed = holds_steps(k.pinned[1], 0);
    cr_assert(changed, "after %d seconds of looking", (int)SECONDS);
    stop_computing(busy, BUSY);
    kit_end(&k);
}

static void *ask_until_done(void *stream)
{
    while (lab_stream_query(stream) == LAB_ERROR_NOT_READY) {}
    return NULL;
}

Test(schedule, threads_that_ask_for_the_same_work_have_it_done_once)
{
    enum { ASKING = 4, SEEDS_HERE = 10 };
    kit k;
    use_seed("adversarial", 1);
    kit_load(&k);
    for (int seed = 1; seed <= SEEDS_HERE; seed++) {
        pthread_t asking[ASKING];
        use_seed("adversarial", seed);
        kit_begin(&k);
        upload(&k, 0, 0, k.a);
        for (int i = 1; i <= 5; i++) compute(&k, 0, 0, i, k.a);
        for (int i = 0; i < ASKING; i++) pthread_create(&asking[i], NULL, ask_until_done, k.a);
        for (int i = 0; i < ASKING; i++) pthread_join(asking[i], NULL);
        download(&k, 1, 0, k.a);
        synchronize(k.a);
        cr_assert(holds_steps(k.pinned[1], 5), "seed %d", seed);
        kit_end(&k);
    }
}

/* A word that one thread gives and another waits for. */
typedef struct awaited_word {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int given; /* how often */
} awaited_word;
#define NO_WORD                                                                                                        \
    {                                                                                                                  \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0                                                         \
    }

static void give(awaited_word *word)
{
    pthread_mutex_lock(&word->lock);
    word->given++;
    pthread_cond_signal(&word->changed);
    pthread_mutex_unlock(&word->lock);
}

/* False if the word was not given in time. */
static bool wait_for_word(awaited_word *word)
{
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += SECONDS;
    pthread_mutex_lock(&word->lock);
    while (!word->given && pthread_cond_clockwait(&word->changed, &word->lock, CLOCK_MONOTONIC, &limit) == 0) {}
    const bool given = word->given;
    pthread_mutex_unlock(&word->lock);
    return given;
}

/* What a host function finds, and tells the thread that waits for it. */
typedef struct host_report {
    awaited_word done;
    const int *numbers;
    bool arrived;
} host_report;

static void report_numbers(void *user)
{
    host_report *report = user;
    report->arrived = holds_steps(report->numbers, 0);
    give(&report->done);
}

Test(schedule, thread_that_waits_for_a_host_function_is_woken)
{
    kit k;
    use_seed("adversarial", 1);
    kit_load(&k);
    kit_begin(&k);
    host_report report = {.done = NO_WORD, .numbers = k.pinned[1]};
    upload(&k, 0, 0, k.a);
    download(&k, 1, 0, k.a);
    LAB_CHECK(lab_stream_launch_host_func(k.a, report_numbers, &report));
    cr_assert(wait_for_word(&report.done), "after %d seconds", (int)SECONDS);
    cr_assert(report.arrived, "the function is called behind the copies of its stream");
    kit_end(&k);
    cr_assert_eq(report.done.given, 1, "the function is called once");
}

static void wait_for_program(void *user) { wait_for_word(user); }

/* A host function that waits for what the program does after it has waited for the device. */
Test(schedule, host_function_that_waits_for_the_program_holds_up_its_own_stream_only)
{
    kit k;
    for (int seed = 1; seed <= 2; seed++) {
        awaited_word go = NO_WORD;
        use_seed("adversarial", seed);
        if (seed == 1) kit_load(&k);
        kit_begin(&k);
        upload(&k, 0, 0, k.a);
        download(&k, 1, 0, k.a);
        LAB_CHECK(lab_stream_launch_host_func(k.b, wait_for_program, &go));
        synchronize(k.a);
        cr_assert(holds_steps(k.pinned[1], 0));
        cr_assert_eq(lab_stream_query(k.b), LAB_ERROR_NOT_READY, "the function waits for the word");
        give(&go);
        kit_end(&k);
    }
}

Test(schedule, more_than_can_be_put_off_is_run_meanwhile)
{
    enum { MANY = 1000 };
    kit k;
    use_seed("adversarial", 1);
    kit_load(&k);
    kit_begin(&k);
    upload(&k, 0, 0, k.a);
    record(k.e, k.a);
    for (int i = 0; i < MANY; i++) compute(&k, 1, 0, 1, k.a);
    cr_assert_eq(lab_event_query(k.e), LAB_SUCCESS, "the first operation is done before anything is waited for");
    download(&k, 1, 1, k.a);
    synchronize(k.a);
    cr_assert(holds_steps(k.pinned[1], 1));
    kit_end(&k);
}

/* ---- The values of LAB_SCHEDULE ---- */

Test(schedule, unknown_schedule_is_refused_with_a_list_of_all)
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
