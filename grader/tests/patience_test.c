/* How long the grader waits on a machine that others use too. What the processes had of it is handed in, but for the
 * last tests, in which a program shares one processor. */
#include "test.h"

#include <unistd.h>

#include "base/subprocess.h"
#include "machine/patience.h"
#include "one_processor.h"

/* Of a limit of 20 seconds, which have passed. */
static patience begin(void) { return (patience){.limit = 20, .passed = 20}; }

static void expect(patience_answer wanted, double seconds, processor_time running, double others)
{
    double more = 0;
    patience given = begin();
    cr_assert_eq(patience_judge(&given, &more, running, others), wanted, "%.3f", more);
    if (wanted == PATIENCE_MORE) cr_assert(more > seconds - 1e-9 && more < seconds + 1e-9, "%.9f", more);
}

Test(patience, time_lost_to_others_is_added)
{
    expect(PATIENCE_MORE, 18, (processor_time){.used = 2, .waited = 18}, 38);
}

/* A compiler of 2 seconds that waited 16 of the 20 has ended: nobody counted its waiting. */
Test(patience, children_that_have_ended_waited_as_the_others_did)
{
    expect(PATIENCE_MORE, 18, (processor_time){.used = 2.2, .ended = 2, .waited = 1.8}, 38);
    expect(PATIENCE_MORE, 3, (processor_time){.used = 2.2, .ended = 2, .waited = 1.8}, 3);
    expect(PATIENCE_OVER, 0, (processor_time){.used = 2.2, .ended = 2}, 38);
}

Test(patience, wait_that_never_ends_is_over_on_a_busy_machine_too)
{
    expect(PATIENCE_OVER, 0, (processor_time){.used = 0.1, .waited = 0.3}, 40);
}

Test(patience, loop_that_never_ends_is_over_when_it_had_its_time)
{
    expect(PATIENCE_OVER, 0, (processor_time){.used = 20, .waited = 0.2}, 1);
}

Test(patience, own_load_adds_nothing)
{
    expect(PATIENCE_OVER, 0, (processor_time){.used = 39.9, .waited = 1960}, 0.1);
    expect(PATIENCE_OVER, 0, (processor_time){.used = 39.9, .waited = 1960}, -0.1);
}

Test(patience, others_take_no_more_than_they_use)
{
    expect(PATIENCE_MORE, 3, (processor_time){.used = 37, .waited = 1963}, 3);
}

Test(patience, threads_that_wait_at_once_lose_a_second_together)
{
    expect(PATIENCE_MORE, 15, (processor_time){.used = 10, .waited = 30}, 30);
}

Test(patience, nothing_is_added_where_the_system_does_not_tell) { expect(PATIENCE_OVER, 0, (processor_time){0}, 0); }

Test(patience, time_of_a_device_at_work_on_its_own_is_added)
{
    double more;
    patience given = begin();
    given.device = 12;
    cr_assert_eq(patience_judge(&given, &more, (processor_time){.used = 2}, 0), PATIENCE_MORE);
    cr_assert_eq(more, 12);
    given.passed = 32;
    cr_assert_eq(patience_judge(&given, &more, (processor_time){.used = 2}, 0), PATIENCE_OVER);
}

Test(patience, device_is_not_waited_for_without_end)
{
    double more;
    patience given = {.limit = 20, .passed = 1000, .device = 1000};
    cr_assert_eq(patience_judge(&given, &more, (processor_time){.used = 2}, 0), PATIENCE_MORE);
    cr_assert_eq(more, 60);
    cr_assert_eq(patience_judge(&given, &more, (processor_time){.used = 2}, 0), PATIENCE_OVER);
}

/* The device may have waited for a processor meanwhile. */
Test(patience, no_more_is_added_than_has_passed)
{
    double more;
    patience given = begin();
    given.device = 18;
    cr_assert_eq(patience_judge(&given, &more, (processor_time){.used = 2, .waited = 18}, 38), PATIENCE_MORE);
    cr_assert_eq(more, 20);
}

Test(patience, what_has_been_added_is_not_added_again)
{
    double more;
    patience given = begin();
    const processor_time starved = {.used = 2, .waited = 18};
    cr_assert_eq(patience_judge(&given, &more, starved, 38), PATIENCE_MORE);
    cr_assert_eq(patience_judge(&given, &more, starved, 38), PATIENCE_OVER);
}

Test(patience, processes_that_have_ended_count)
{
    double more;
    patience given = begin();
    given.ended = (processor_time){.used = 2, .waited = 18};
    cr_assert_eq(patience_judge(&given, &more, (processor_time){0}, 38), PATIENCE_MORE);
}

/* Asks at every deadline on a machine that gives nothing; whether so much was added at most. */
static void expect_bound(double limit, double most)
{
    double more = limit;
    patience given = {.limit = limit};
    do {
        given.passed += more;
        cr_assert_leq(given.passed, limit + most + 1e-9);
    } while (patience_judge(&given, &more, (processor_time){.waited = given.passed}, 1e9) == PATIENCE_MORE);
    cr_assert_eq(patience_judge(&given, &more, (processor_time){.waited = given.passed}, 1e9), PATIENCE_BUSY);
    cr_assert_eq(given.added, most);
}

Test(patience, machine_that_stays_busy_is_told_and_not_waited_for_without_end)
{
    expect_bound(20, 180);
    expect_bound(120, 400);
    expect_bound(0.2, 60);
}

Test(patience, loop_that_had_its_time_after_all_is_no_fault_of_a_busy_machine)
{
    double more;
    patience given = {.limit = 20, .passed = 200, .added = 180};
    cr_assert_eq(patience_judge(&given, &more, (processor_time){.used = 19, .waited = 300}, 400), PATIENCE_BUSY);
    cr_assert_eq(patience_judge(&given, &more, (processor_time){.used = 20, .waited = 400}, 400), PATIENCE_OVER);
}

/* A host that takes half of each processor: a second of use costs two. */
Test(patience, time_that_the_host_of_a_virtual_machine_takes_is_added)
{
    const processor_time used = {.used = 10, .ended = 2, .waited = 1};
    const machine_time then = {.worked = 5, .stolen = 1}, now = {.worked = 20, .stolen = 16};
    cr_assert_eq(processor_time_with_stolen(used, then, (machine_time){.worked = 20, .stolen = 1}).waited, 1);
    cr_assert_eq(processor_time_with_stolen(used, then, then).waited, 1);
    cr_assert_eq(processor_time_with_stolen(used, then, now).waited, 9);
    expect(PATIENCE_MORE, 10, processor_time_with_stolen((processor_time){.used = 10}, then, now), 20);
    expect(PATIENCE_OVER, 0, (processor_time){.used = 10}, 20);
}

/* ---- looks ------------------------------------------------------------------------------------------------- */

/* How many looks of half a second find nothing to do, of `count` in which the processes had `ready` seconds each. */
static int idle_looks(int count, processor_time each, bool busy)
{
    patience_looks looks = {0};
    processor_time sum = {.used = 1};
    patience_look(&looks, 0.5, sum, false);
    cr_assert_eq(looks.idle, 0, "what was before the first look is not known");
    for (int i = 0; i < count; i++) {
        sum = processor_time_sum(sum, each);
        patience_look(&looks, 0.5, sum, busy);
    }
    return looks.idle;
}

Test(patience, looks_that_find_nothing_to_do_are_counted)
{
    cr_assert_eq(idle_looks(PATIENCE_LOOKS, (processor_time){0}, false), PATIENCE_LOOKS);
    cr_assert_eq(idle_looks(4, (processor_time){.used = 0.01}, false), 4, "a wait that asks now and then");
}

Test(patience, work_and_waiting_for_a_processor_or_a_disk_are_something_to_do)
{
    cr_assert_eq(idle_looks(100, (processor_time){.used = 0.1}, false), 0);
    cr_assert_eq(idle_looks(100, (processor_time){.waited = 0.1}, false), 0);
    cr_assert_eq(idle_looks(100, (processor_time){0}, true), 0, "the system tells of a wait only when it is over");
}

Test(patience, looks_are_counted_in_a_row)
{
    patience_looks looks = {.ready = 3, .idle = PATIENCE_LOOKS - 1};
    patience_look(&looks, 0.5, (processor_time){.used = 4}, false);
    cr_assert_eq(looks.idle, 0);
    patience_look(&looks, 0.5, (processor_time){.used = 4}, false);
    cr_assert_eq(looks.idle, 1);
}

/* ---- one processor for several ------------------------------------------------------------------------------ */

Test(patience, system_tells_what_a_process_used_and_waited)
{
    pid_t loop[LOOPS];
    processor_time first = {0}, now;
    share_a_processor(loop);
    processor_time_add(&first, getpid());
    do {
        now = (processor_time){0};
        processor_time_add(&now, getpid());
        now = processor_time_since(now, first);
    } while (now.used < 0.1 || (now.waited < 0.1 && now.used < 5));
    cr_assert_geq(now.waited, 0.1, "this system does not tell how long a process waited");
    cr_assert_gt(machine_time_now().others, 0.2);
    end_loops(loop);
}

/* A program that needs half a second of a processor, and gets an eighth of one: four seconds, of which it may have
 * three. */
Test(patience, program_that_others_slow_down_is_not_late)
{
    static const char *const arguments[] = {"/usr/bin/python3", "-Sc",
                                            "import time\nwhile time.process_time() < 0.5: pass\nprint('done')", NULL};
    static const char *const environment[] = {NULL};
    const subprocess_options options = {.arguments = arguments, .environment = environment, .output_limit = 1000};
    const double limit = 3;
    pid_t loop[LOOPS];
    subprocess_result result;
    grader_fault fault;
    share_a_processor(loop);
    cr_assert(subprocess_run(&result, &options, limit, &fault), "%s", fault.text);
    end_loops(loop);
    cr_assert_eq(result.event, SUBPROCESS_EXITED, "after %.1f seconds", result.seconds);
    cr_assert_str_eq(result.output, "done\n");
    cr_assert_gt(result.seconds, limit, "nothing was added to the limit");
    subprocess_result_free(&result);
}
