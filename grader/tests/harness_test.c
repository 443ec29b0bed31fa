/* The trusted side of a check, tested by the evidence of fixtures/harness/checks.c. */
#include "test.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/folder.h"
#include "base/plain_text.h"
#include "judge/result.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "toy.h"

static char *format(const char *form, const char *text)
{
    text_buffer made = {0};
    text_format(&made, form, text);
    return made.text;
}

/* The name of the student's file for the checks. */
static const char *source = "LAB_CHECK_SOURCE=toylab.c";

/* The folder with the predictions for the checks. */
static const char *tables = "LAB_CHECK_TABLES=/nowhere";

/* The device of the lab; not told: the checks ask the reference. */
static const char *device = "LAB_CHECK_DEVICE=";

/* Checks and their program, below the build folder. */
typedef struct fixture {
    const char *checks, *program;
} fixture;
static const fixture harness_fixture = {"%s/harness/checks", "%s/toylab/reference"};
static const fixture linger_fixture = {"%s/linger/checks", "%s/linger/reference"};
static const fixture failing_fixture = {"%s/failing/checks", "%s/failing/reference"};

/* Runs one check and returns its evidence, NULL if it left none. The seed is chosen so that the check's own is 0. */
static json_t *evidence_in(const fixture *where, const char *name)
{
    char *program = format(where->checks, toy_build()), *wanted = format("%s", name);
    char *path = format(where->program, toy_build());
    char *reference = format("LAB_CHECK_REFERENCE=%s", path), *student = format("LAB_CHECK_PROGRAM=%s", path);
    char *server = format("LAB_CHECK_SERVER=%s/bin/labserver", toy_build());
    char seed[64];
    snprintf(seed, sizeof seed, "LAB_CHECK_SEED=%llu", (unsigned long long)lab_text_hash(name, strlen(name)));
    const char *const arguments[] = {program, "--check", wanted, NULL};
    const char *const extra[] = {reference, student, server, seed, "LAB_CHECK_RERUNS=2", source, tables, device, NULL};
    char **environment = environment_make(extra);
    subprocess_options options = {.arguments = arguments, .environment = (const char *const *)environment};
    options.output_limit = 64 << 20;
    options.separate_errors = true;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 60, &fault), "%s", fault.text);
    json_t *evidence = json_loadb(result.output, result.output_bytes, 0, NULL);
    const json_t *check = json_object_get(evidence, "check");
    cr_assert_eq(result.exit.status == 0, strcmp(result_string(check, "status"), "passed") == 0,
                 "exit and evidence agree");
    subprocess_result_free(&result);
    environment_free(environment);
    free(program);
    free(wanted);
    free(path);
    free(reference);
    free(student);
    free(server);
    return evidence;
}

static json_t *evidence_of(const char *name) { return evidence_in(&harness_fixture, name); }

static void assert_status_in(const fixture *where, const char *name, const char *status, const char *message)
{
    json_t *evidence = evidence_in(where, name);
    const json_t *check = json_object_get(evidence, "check");
    cr_assert_str_eq(result_string(check, "status"), status, "%s: %s", name, result_string(check, "message"));
    cr_assert_not_null(strstr(result_string(check, "message"), message), "%s", result_string(check, "message"));
    cr_assert_eq(result_integer(check, "points"), strcmp(status, "passed") == 0);
    json_decref(evidence);
}

static void assert_status(const char *name, const char *status, const char *message)
{
    assert_status_in(&harness_fixture, name, status, message);
}

Test(harness, check_that_computes_without_end_is_ended)
{
    char *program = format(harness_fixture.checks, toy_build());
    const char *const arguments[] = {program, "--check", "computes_without_end", NULL};
    const char *const environment[] = {"LAB_CHECK_COMPUTING=1", "LAB_CHECK_SEED=1", NULL};
    const subprocess_options options = {.arguments = arguments, .environment = environment, .output_limit = 1 << 20};
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 30, &fault), "%s", fault.text);
    cr_assert_eq(result.event, SUBPROCESS_EXITED);
    cr_assert_eq(result.exit.signal, SIGXCPU);
    subprocess_result_free(&result);
    free(program);
}

Test(harness, random_numbers_are_philox)
{
    assert_status("philox_gives_the_published_numbers", "passed", "");
    assert_status("random_arrays_are_their_elements", "passed", "");
}

Test(harness, draws_are_within_their_bounds)
{
    assert_status("draws_are_within_their_bounds", "grader fault", "no number is from 7 to 6");
}

Test(harness, comparison_knows_nan_and_neighbours)
{
    assert_status("the_same_bits_are_equal_also_of_nan", "passed", "");
    assert_status("neighbours_are_one_ulp_apart", "passed", "");
    json_t *evidence = evidence_of("neighbours_are_one_ulp_apart");
    cr_assert_eq(result_integer(json_object_get(evidence, "check"), "mismatch_count"), 0,
                 "a check that passed shows no mismatches");
    json_decref(evidence);
    assert_status("a_bound_is_of_the_error_and_forgives_no_nan", "passed", "");
    assert_status("a_bound_that_is_none", "grader fault", "inf bounds no error");
    assert_status("nan_differs_from_every_number", "failed", "they differ: 3 of 4 elements differ, in 1 array");
}

Test(harness, last_digits_alone_have_a_cause)
{
    json_t *evidence = evidence_of("a_product_is_rounded_once_or_twice");
    const json_t *check = json_object_get(evidence, "check");
    cr_assert_str_eq(result_string(check, "message"), "they differ: 1 of 1 element differs");
    cr_assert_not_null(strstr(result_string(check, "cause"), "the same steps in another order"));
    json_decref(evidence);
    evidence = evidence_of("nan_differs_from_every_number");
    cr_assert_str_eq(result_string(json_object_get(evidence, "check"), "cause"), "");
    json_decref(evidence);
}

Test(harness, wrong_numbers_tell_their_cause_by_what_they_look_like)
{
    static const char *const cause[][2] = {
        {"looks_like_the_input", "the wrong numbers are the input's own"},
        {"looks_like_a_missing_tail", "the first 5 are right, and all from there on hold 0"},
        {"looks_like_a_missing_head", "the last 3 are right, and all before them hold -7"},
        {"looks_like_one_thread", "only element 0 is right, and all others hold 0"},
        {"looks_like_nothing_computed", "all hold 0"},
        {"looks_like_nothing_written", "nothing was written there"},
        {"looks_like_integers", "a division of integers"},
        {"looks_like_twice", "twice the right one"},
        {"looks_like_the_other_sign", "the other sign"},
        {"looks_like_an_index_too_far", "belongs 1 places behind"},
        {"looks_like_another_row", "row 0 has the numbers of row 1"},
        {"looks_like_half_a_row", "in row 1 the first 4 are right"},
    };
    static const char *const none[] = {"looks_like_no_mistake", "looks_like_two_mistakes"};
    for (size_t i = 0; i < sizeof cause / sizeof *cause; i++) {
        json_t *evidence = evidence_of(cause[i][0]);
        const char *told = result_string(json_object_get(evidence, "check"), "cause");
        cr_expect_not_null(strstr(told, cause[i][1]), "%s: %s", cause[i][0], told);
        json_decref(evidence);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        json_t *evidence = evidence_of(none[i]);
        cr_expect_str_eq(result_string(json_object_get(evidence, "check"), "cause"), "", "%s", none[i]);
        json_decref(evidence);
    }
}

Test(harness, mismatches_name_array_and_element)
{
    json_t *evidence = evidence_of("nan_differs_from_every_number");
    const json_t *first = json_array_get(json_object_get(json_object_get(evidence, "check"), "mismatches"), 0);
    cr_assert_str_eq(result_string(first, "where"), "array 4, element 0");
    cr_assert_str_eq(result_string(first, "expected"), "1");
    cr_assert_str_eq(result_string(first, "found"), "nan");
    json_decref(evidence);
}

Test(harness, failure_shows_what_was_said_before_it)
{
    json_t *evidence = evidence_of("says_all_it_knows_when_it_fails");
    const json_t *check = json_object_get(evidence, "check");
    cr_assert_str_eq(result_string(check, "message"), "message 5\xEF\xBF\xBD");
    cr_assert_str_eq(result_string(check, "cause"), "cause 1");
    cr_assert_str_eq(result_string(check, "expected"), "expected 2");
    cr_assert_str_eq(result_string(check, "found"), "found 3");
    cr_assert_str_eq(result_string(check, "kind"), "leak");
    cr_assert_eq(result_integer(json_object_get(check, "location"), "line"), 4);
    json_decref(evidence);
}

Test(harness, failure_at_a_call_without_a_file_has_no_location)
{
    json_t *evidence = evidence_of("knows_no_line_when_it_fails");
    cr_assert(json_is_null(json_object_get(json_object_get(evidence, "check"), "location")));
    json_decref(evidence);
}

Test(harness, pass_shows_no_cause)
{
    json_t *evidence = evidence_of("says_nothing_of_a_cause_when_it_passes");
    const json_t *check = json_object_get(evidence, "check");
    cr_assert_str_eq(result_string(check, "cause"), "");
    cr_assert_str_eq(result_string(check, "expected"), "");
    cr_assert(json_is_null(json_object_get(check, "location")));
    json_decref(evidence);
}

Test(harness, table_is_that_of_the_file_and_no_other)
{
    static const int numbers[3] = {3, 1, 4};
    char *folder, *variable, *path;
    grader_fault fault;
    assert_status("table_of_three_numbers", "failed", "toylab.c has no table of constants named three");
    cr_assert(folder_make_private(&folder, "tables-test", &fault), "%s", fault.text);
    path = folder_path(folder, "three");
    tables = variable = format("LAB_CHECK_TABLES=%s", folder);
    cr_assert(folder_write(path, (const char *)numbers, sizeof numbers, &fault), "%s", fault.text);
    assert_status("table_of_three_numbers", "passed", "");
    for (int more = -1; more <= 1; more += 2) {
        char bytes[16] = "";
        cr_assert(folder_write(path, bytes, sizeof numbers + (size_t)more, &fault), "%s", fault.text);
        json_t *evidence = evidence_of("table_of_three_numbers");
        const json_t *check = json_object_get(evidence, "check");
        cr_assert_str_eq(result_string(check, "kind"), "rule");
        cr_assert_str_eq(result_string(check, "message"),
                         "the table three of toylab.c has another size than the lab's");
        cr_assert_str_eq(result_string(check, "expected"), "12 bytes");
        cr_assert_not_null(strstr(result_string(check, "cause"), "as the lab's header declares it"));
        json_decref(evidence);
    }
    folder_remove(path);
    cr_assert_eq(symlink("/etc/hostname", path), 0);
    assert_status("table_of_three_numbers", "grader fault", "cannot read the table three");
    folder_remove(folder);
    free(folder);
    free(variable);
    free(path);
}

Test(harness, failure_of_the_grader_is_its_own_fault)
{
    assert_status("more_memory_than_there_is", "grader fault", "not enough memory");
    assert_status("more_shared_memory_than_there_is", "grader fault", "shared memory");
    assert_status("a_reference_that_fails", "grader fault", "the reference program failed: nowhere failed");
    assert_status("too_many_bytes_of_arguments", "grader fault", "more than 2048 bytes");
    assert_status("a_snapshot_outside_the_memory", "grader fault", "shared memory");
}

Test(harness, a_check_that_passes_has_followed_what_it_looked_at)
{
    assert_status("outputs_that_nothing_follows", "grader fault",
                  "the check outputs_that_nothing_follows gives points for outputs of a run that no check_flow");
    assert_status("times_of_what_nothing_follows", "grader fault", "times of a program whose outputs no check_flow");
    assert_status_in(&linger_fixture, "a_record_alone", "grader fault", "a record without outputs");
    assert_status_in(&linger_fixture, "an_order_without_outputs", "grader fault", "the order of a run");
    assert_status("outputs_of_the_reference", "passed", "");
    assert_status("times_of_the_reference", "passed", "");
    assert_status_in(&linger_fixture, "a_record_after_a_check_of_the_outputs", "passed", "");
    source = "LAB_CHECK_SOURCE=grader/tests/fixtures/failing/program.c";
    assert_status_in(&failing_fixture, "calls_that_fail_alone", "grader fault", "calls that fail");
}

Test(harness, a_check_may_say_why_it_follows_nothing)
{
    assert_status("outputs_for_a_reason", "passed", "");
    assert_status("what_the_program_says", "passed", "");
    assert_status("what_the_program_says_without_a_reason", "grader fault", "does not say why");
}

Test(harness, less_time_is_a_better_order_unless_work_is_missing)
{
    assert_status("no_time_at_all_is_not_the_best", "failed", "toy_run does less than the work");
    assert_status("less_time_than_the_work_takes", "failed", "toy_run does less than the work");
    assert_status("less_time_by_a_better_order", "passed", "");
    assert_status("the_time_of_the_work", "passed", "");
    assert_status("more_time_than_a_ninth_more", "failed", "1.2 times as long as it needs to");
}

static void assert_slow(const char *name, const char *cause)
{
    json_t *evidence = evidence_of(name);
    const json_t *check = json_object_get(evidence, "check");
    cr_assert_not_null(strstr(result_string(check, "cause"), cause), "%s", result_string(check, "cause"));
    cr_assert_eq(result_integer(json_object_get(check, "location"), "line"), 7);
    json_decref(evidence);
}

Test(harness, points_lost_to_a_better_order_have_a_cause_and_a_line)
{
    assert_slow("more_work_than_there_is", "24.0 ms of work in this run, and 20.0 ms in the workbook's own calls");
    assert_slow("a_change_that_is_enough", "the first thing to change: pin the memory");
    assert_slow("no_change_that_would_be_enough", "the same work in a better order takes less time");
}

Test(harness, steps_of_one_kernel_are_told_by_their_streams)
{
    assert_status("one_kernel_on_two_streams", "passed", "");
    assert_status("one_kernel_on_two_streams_backwards", "passed", "");
    assert_status("one_kernel_on_a_third_stream_first", "failed", "enqueues right on another stream instead of `two`");
}

Test(harness, check_that_crashes_leaves_no_evidence) { cr_assert_null(evidence_of("a_check_that_crashes")); }

Test(harness, call_of_an_unknown_entry_fails)
{
    assert_status("an_entry_that_does_not_exist", "failed", "the program has no entry named \"nowhere\"");
}

Test(harness, two_programs_take_turns_and_are_timed)
{
    json_t *evidence = evidence_of("program_and_reference_take_turns");
    const json_t *timings = json_object_get(evidence, "timings"),
                 *ratio = json_array_get(json_object_get(evidence, "ratios"), 0);
    cr_assert_str_eq(result_string(json_object_get(evidence, "check"), "status"), "passed");
    cr_assert_eq(json_array_size(timings), 2u);
    cr_assert_str_eq(result_string(json_array_get(timings, 1), "who"), "reference");
    cr_assert_eq(result_integer(json_array_get(timings, 0), "samples"), 4);
    cr_assert_eq(json_array_size(json_object_get(json_array_get(timings, 0), "samples_ms")), 4u);
    cr_assert_eq(json_real_value(json_object_get(ratio, "reference")), 4.0);
    json_decref(evidence);
    assert_status("the_median_is_in_the_middle", "passed", "");
}

Test(harness, rows_that_vary_are_measured_again_and_then_called_unstable)
{
    json_t *evidence = evidence_of("rows_that_vary_are_measured_again");
    const json_t *timings = json_object_get(evidence, "timings"),
                 *ratio = json_array_get(json_object_get(evidence, "ratios"), 0);
    cr_assert_str_eq(result_string(json_object_get(evidence, "check"), "status"), "passed", "it costs no points");
    cr_assert(json_is_true(json_object_get(json_array_get(timings, 0), "stable")));
    cr_assert(json_is_false(json_object_get(json_array_get(timings, 1), "stable")));
    cr_assert_eq(json_real_value(json_object_get(ratio, "yours")), 31.0, "a warm-up and three times ten rounds");
    json_decref(evidence);
}

Test(harness, each_row_has_the_student_and_then_the_reference)
{
    json_t *evidence = evidence_of("both_programs_have_each_row");
    const json_t *timings = json_object_get(evidence, "timings");
    static const char *const labels[] = {"odd", "even", "odd", "even"}, *const who[] = {"yours", "yours", "reference",
                                                                                        "reference"};
    cr_assert_str_eq(result_string(json_object_get(evidence, "check"), "status"), "passed");
    for (size_t i = 0; i < 4; i++) {
        cr_assert_str_eq(result_string(json_array_get(timings, i), "label"), labels[i]);
        cr_assert_str_eq(result_string(json_array_get(timings, i), "who"), who[i]);
    }
    json_decref(evidence);
}

Test(harness, a_mark_has_the_number_at_its_end) { assert_status("a_mark_has_a_number", "passed", ""); }

Test(harness, a_copy_is_told_by_the_first_access_of_each_side) { assert_status("a_copy_has_two_sides", "passed", ""); }

Test(harness, measuring_ends_before_the_time_is_over)
{
    json_t *evidence = evidence_of("measuring_ends_before_the_time_is_over");
    const json_t *slow = json_array_get(json_object_get(evidence, "timings"), 0);
    cr_assert_str_eq(result_string(json_object_get(evidence, "check"), "status"), "passed",
                     "a busy machine is no hang");
    cr_assert_eq(result_integer(slow, "samples"), 1);
    json_decref(evidence);
}

Test(harness, bound_holds_unless_the_reference_breaks_it)
{
    assert_status("a_bound_that_the_reference_breaks_is_none", "passed", "");
    assert_status("a_bound_that_only_you_break_is_one", "not measured", "copy: a sample took 1e-09 ms, and copying");
}

/* The second and the ninth of ten samples enclose the median with 97.9 %; no two of four samples do with 95 %. */
Test(harness, interval_of_the_median_is_that_of_ordered_samples)
{
    json_t *evidence = evidence_of("the_interval_holds_the_median");
    const json_t *timings = json_object_get(evidence, "timings"), *ten = json_array_get(timings, 0),
                 *four = json_array_get(timings, 1);
    cr_assert_eq(json_real_value(json_object_get(ten, "low_ms")), 2.0);
    cr_assert_eq(json_real_value(json_object_get(ten, "high_ms")), 9.0);
    cr_assert_eq(json_real_value(json_object_get(four, "low_ms")), 1.0);
    cr_assert_eq(json_real_value(json_object_get(four, "high_ms")), 4.0);
    cr_assert(json_is_null(json_object_get(four, "stable")), "too few to say");
    json_decref(evidence);
}

/* Otherwise a program that uses up the time would make the reference late, which would be the grader's fault. */
Test(harness, time_that_a_program_uses_up_is_not_the_references)
{
    assert_status("the_references_time_is_its_own", "passed", "");
}

Test(harness, program_stands_still_between_calls) { assert_status("no_thread_works_between_calls", "passed", ""); }

Test(harness, time_between_events_lies_between_what_the_record_notes)
{
    assert_status("an_event_lies_between_what_is_noted_of_it", "passed", "");
    assert_status("a_moment_that_is_known_has_no_bounds", "passed", "");
}

Test(harness, busy_machine_is_no_fault_of_the_program)
{
    assert_status_in(&linger_fixture, "time_that_others_had_is_no_time_of_the_programs", "passed", "");
    assert_status_in(&linger_fixture, "a_machine_that_stays_busy", "grader fault",
                     "the machine is busy: wait_for_a_kernel did not end");
}

Test(harness, device_at_work_on_its_own_is_no_fault_of_the_program)
{
    assert_status_in(&linger_fixture, "a_device_at_work_on_its_own_is_waited_for", "passed", "");
    assert_status_in(&linger_fixture, "a_call_of_the_device_takes_all_of_the_time", "grader fault",
                     "the device is busy: wait_for_an_event did not end");
}

Test(harness, each_call_has_the_limit_and_all_have_another)
{
    assert_status_in(&linger_fixture, "a_call_has_the_limit_whatever_earlier_ones_took", "failed",
                     "lock_twice did not end within 2 seconds");
    assert_status_in(&linger_fixture, "all_calls_have_a_limit_together", "failed",
                     ", the rest of the 8 that all calls of this check have");
    assert_status_in(&linger_fixture, "a_start_is_no_time_of_calls", "passed", "");
}

Test(harness, device_is_asked_of_the_reference) { assert_status("the_device_is_the_references", "passed", ""); }

Test(harness, schedule_of_a_check_reaches_its_programs)
{
    assert_status("programs_run_under_the_schedule_of_their_round", "passed", "");
    assert_status("fifo_has_no_seed", "passed", "");
    setenv("LAB_SCHEDULE", "fifo", 1);
    assert_status("without_a_schedule_it_is_the_users", "passed", "");
    assert_status("programs_run_under_the_schedule_of_their_round", "passed", "");
}

Test(harness, setting_of_a_check_reaches_its_device)
{
    assert_status_in(&linger_fixture, "the_device_has_the_setting", "passed", "");
    assert_status_in(&linger_fixture, "without_a_setting_there_is_none", "passed", "");
    setenv("LAB_CPU_PRIORITIES", "2", 1);
    assert_status_in(&linger_fixture, "the_device_has_the_setting", "passed", "");
}

/* It would run on the GPU, were it not for the setting. */
Test(harness, setting_has_the_cpu_device_also_where_there_is_a_gpu)
{
    device = "LAB_CHECK_DEVICE=cuda\nA GPU\n1\n1\n";
    setenv("LAB_DEVICE", "cuda", 1);
    assert_status_in(&linger_fixture, "the_device_has_the_setting", "passed", "");
}

Test(harness, check_has_as_many_devices_as_it_asks_for)
{
    assert_status_in(&linger_fixture, "there_are_as_many_devices_as_asked_for", "passed", "");
    assert_status_in(&linger_fixture, "there_is_one_device", "passed", "");
}

Test(harness, a_program_may_have_a_setting_of_its_own)
{
    assert_status_in(&linger_fixture, "one_program_has_a_setting_of_its_own", "passed", "");
}

/* It would run on the GPUs, if there were two. */
Test(harness, too_few_gpus_are_replaced_by_cpu_devices)
{
    device = "LAB_CHECK_DEVICE=cuda\nA GPU\n1\n1\n";
    setenv("LAB_DEVICE", "cuda", 1);
    assert_status_in(&linger_fixture, "there_are_two_devices_and_a_schedule", "passed", "");
}

/* Its programs would run on the GPU, were it not for the schedule. */
Test(harness, an_unkind_schedule_has_the_cpu_device_also_where_there_is_a_gpu)
{
    device = "LAB_CHECK_DEVICE=cuda\nA GPU\n1\n1\n";
    setenv("LAB_DEVICE", "cuda", 1);
    assert_status("programs_run_under_the_schedule_of_their_round", "passed", "");
}

Test(harness, a_call_that_nothing_orders_fails_with_the_finding_and_its_line)
{
    source = "LAB_CHECK_SOURCE=grader/tests/fixtures/linger/program.c";
    json_t *evidence = evidence_in(&linger_fixture, "a_call_that_nothing_orders_fails");
    const json_t *check = json_object_get(evidence, "check"), *location = json_object_get(check, "location");
    cr_assert_str_eq(result_string(check, "status"), "failed");
    cr_assert_str_eq(result_string(check, "kind"), "race suspected");
    cr_assert_not_null(strstr(result_string(check, "message"), "in race, "), "%s", result_string(check, "message"));
    cr_assert_str_eq(result_string(location, "file"), source + strlen("LAB_CHECK_SOURCE="));
    cr_assert_gt(result_integer(location, "line"), 0);
    json_decref(evidence);
    source = "LAB_CHECK_SOURCE=other.c";
    evidence = evidence_in(&linger_fixture, "a_call_that_nothing_orders_fails");
    cr_assert(json_is_null(json_object_get(json_object_get(evidence, "check"), "location")),
              "a line outside the student's file is no help");
    json_decref(evidence);
}

/* The message and the cause of a check of a plan that is not kept. */
static void assert_plan(const char *name, const char *message, const char *cause)
{
    json_t *evidence = evidence_in(&linger_fixture, name);
    const json_t *check = json_object_get(evidence, "check");
    cr_assert_str_eq(result_string(check, "message"), message, "%s: %s", name, result_string(check, "message"));
    cr_assert_not_null(strstr(result_string(check, "cause"), cause), "%s: %s", name, result_string(check, "cause"));
    json_decref(evidence);
}

Test(harness, a_plan_tells_each_way_of_not_being_kept)
{
    const char *lacks = "follow_a_plan lacks an edge: nothing makes v wait for u";
    assert_plan("a_plan_without_the_wait", lacks, "nothing waits for the event that is recorded at line");
    assert_plan("a_plan_without_the_record", lacks, "is for an event that nothing records");
    assert_plan("a_plan_recorded_first", lacks, "which comes before u");
    assert_plan("a_plan_recorded_first_with_another_wait", lacks, "which comes before u");
    assert_plan("a_plan_waiting_on_its_own", lacks, "is on another stream than v");
    assert_plan("a_plan_waiting_late", lacks, "comes after v");
    assert_plan("a_plan_with_an_edge_too_many", "follow_a_plan has an edge too many: v waits for u",
                "v is enqueued behind this wait, which stands for the record at line");
    assert_plan("a_plan_ordered_by_the_host", "follow_a_plan has an edge too many: v waits for u",
                "the host waits here for u, and enqueues v only after that");
    assert_plan("a_plan_with_another_block", "follow_a_plan enqueues v with another array",
                "this call writes the array of u");
    assert_plan("a_plan_on_one_stream", "follow_a_plan enqueues v on `one` instead of `two`", "");
    assert_plan("a_plan_on_one_stream_without_blocks", "follow_a_plan enqueues v on `one` instead of `two`", "");
    assert_plan("a_plan_on_any_stream", "the longest chain of follow_a_plan is too long", "");
    assert_plan("a_plan_with_one_more", "follow_a_plan enqueues what linger.h does not ask for, or the same twice", "");
    assert_plan("a_plan_without_v", "follow_a_plan does not enqueue v", "");
    assert_plan("a_plan_of_which_nothing_is_done", "follow_a_plan does not enqueue u",
                "is it written yet, or does it leave before its work?");
    assert_plan("a_plan_that_waits", "follow_a_plan waits for the device", "the host stands still here");
    assert_plan("a_plan_with_its_edge", "the longest chain of follow_a_plan is too long",
                "fill 2 of 2 is enqueued behind this wait");
}

Test(harness, kinds_run_beside_each_other_where_nothing_orders_some_two)
{
    assert_plan("fills_beside_each_other", "beside", "");
    assert_plan("fills_in_turn", "in turn", "");
}

Test(harness, a_case_is_called_compared_and_followed)
{
    assert_status_in(&linger_fixture, "a_case", "passed", "");
    assert_plan("a_case_with_wrong_numbers", "follow_a_case leaves wrong numbers in out: 100 of 100 elements differ",
                "the wrong numbers are the input's own"); /* not the size of the kernel behind the copy */
    assert_plan("a_case_that_lacks_a_step", "follow_a_case leaves wrong numbers in out: 100 of 100 elements differ",
                "twice is missing: nothing does it");
    assert_plan("a_case_with_a_small_kernel", "follow_a_case leaves wrong numbers in out: 50 of 100 elements differ",
                "doubles is launched with 1 blocks of 50 threads, which is 50; 100 numbers need one each");
    assert_status_in(&linger_fixture, "a_case_that_changes_its_input", "failed", "the program changed in");
    assert_status_in(&linger_fixture, "a_case_of_rows", "passed", "");
    assert_plan("a_case_of_rows_with_wrong_numbers",
                "follow_a_case leaves wrong numbers in out: 100 of 100 elements differ, in 4 rows", "told so");
    assert_plan("a_case_that_writes_behind", "follow_a_case writes past the end of out",
                "the copy there has more bytes");
    assert_status_in(&linger_fixture, "a_case_of_an_unknown_array", "grader fault",
                     "out of follow_a_case is made from \"on\", and no array above it has that name");
}

Test(harness, a_check_may_look_beyond_missing_order)
{
    assert_status_in(&linger_fixture, "a_check_of_something_else_gets_the_answer_and_the_finding", "passed", "");
}

Test(harness, failure_under_a_schedule_names_it_and_ends_the_rounds)
{
    json_t *evidence = evidence_of("a_failure_under_a_schedule_names_it");
    const char *message = result_string(json_object_get(evidence, "check"), "message");
    char told[64], under[64];
    cr_assert_eq(sscanf(message, "the third was told %63s (under LAB_SCHEDULE=%63[^)])", told, under), 2, "%s",
                 message);
    cr_assert_str_eq(told, under);
    cr_assert_eq(strncmp(told, "random:", 7), 0, "%s", told);
    json_decref(evidence);
}

Test(harness, unkind_program_has_a_schedule_of_its_own)
{
    assert_status("an_unkind_program_runs_beside_others", "passed", "");
    setenv("LAB_SCHEDULE", "fifo", 1);
    assert_status("an_unkind_program_runs_beside_others", "passed", "");
}

Test(harness, unkind_program_has_the_cpu_device_and_others_the_gpu)
{
    device = "LAB_CHECK_DEVICE=cuda\nA GPU\n1\n1\n";
    setenv("LAB_DEVICE", "cuda", 1);
    assert_status("an_unkind_program_leaves_the_device_to_others", "passed", "");
}

Test(harness, failure_names_the_schedule_of_the_program_that_was_called_last)
{
    json_t *evidence = evidence_of("a_failure_of_an_unkind_program_names_its_schedule");
    const char *message = result_string(json_object_get(evidence, "check"), "message");
    char told[64], under[64];
    cr_assert_eq(sscanf(message, "it was told %63s (under LAB_SCHEDULE=%63[^)])", told, under), 2, "%s", message);
    cr_assert_str_eq(told, under);
    json_decref(evidence);
    evidence = evidence_of("a_failure_after_an_unkind_program_names_no_schedule");
    cr_assert_str_eq(result_string(json_object_get(evidence, "check"), "message"), "it is wrong");
    json_decref(evidence);
    evidence = evidence_of("a_broken_rule_under_a_schedule_names_none");
    cr_assert_str_eq(result_string(json_object_get(evidence, "check"), "message"), "it waits");
    json_decref(evidence);
}

static void assert_level(const char *name, const char *status, int points, const char *level)
{
    json_t *evidence = evidence_of(name);
    const json_t *check = json_object_get(evidence, "check");
    cr_assert_str_eq(result_string(check, "status"), status);
    cr_assert_eq(result_integer(check, "points"), points, "%s has %d points", name, result_integer(check, "points"));
    cr_assert_str_eq(result_string(check, "level"), level);
    json_decref(evidence);
}

Test(harness, level_of_a_failing_check_is_that_of_its_last_round)
{
    assert_level("a_level_counts_once_all_rounds_reach_it", "failed", 1, "half");
    assert_level("a_round_begins_without_a_level", "failed", 0, "");
    assert_level("a_level_is_not_shown_once_the_check_passes", "passed", 3, "");
    assert_status("a_level_that_was_not_declared_is_a_fault", "grader fault", "the check has no level \"hafl\"");
}

Test(harness, work_that_was_waited_for_or_asked_for_is_not_outstanding)
{
    assert_status_in(&linger_fixture, "waiting_leaves_nothing", "passed", "");
    assert_status_in(&linger_fixture, "asking_until_it_is_done_leaves_nothing", "passed", "");
    assert_status_in(&linger_fixture, "the_last_return_is_not_in_the_record", "passed", "");
}

/* The processor time of the processes that this one has waited for. */
static double seconds_of_children(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* A program chooses how long its record is. A check's own work grows no faster, and has an end. */
Test(harness, long_record_is_looked_at_in_seconds_or_not_at_all)
{
    assert_status_in(&linger_fixture, "record_is_as_long_as_it_may_be", "passed", "");
    assert_status_in(&linger_fixture, "record_has_one_operation_more", "failed",
                     "the program's record is too long: 32769 operations");
    json_t *evidence = evidence_in(&linger_fixture, "record_has_a_hundred_thousand");
    const json_t *check = json_object_get(evidence, "check");
    cr_assert_str_eq(result_string(check, "kind"), "record flood");
    cr_assert_not_null(strstr(result_string(check, "message"), "too long: 100"), "%s", result_string(check, "message"));
    cr_assert_lt(seconds_of_children(), 30);
    json_decref(evidence);
}

Test(harness, work_outstanding_when_a_call_returns_is_named_with_its_line)
{
    json_t *evidence = evidence_in(&linger_fixture, "what_is_left_is_named");
    const json_t *check = json_object_get(evidence, "check"), *location = json_object_get(check, "location");
    cr_assert_str_eq(result_string(check, "kind"), "race suspected");
    cr_assert_str_eq(result_string(check, "message"), "leave_it returns without having waited for its work");
    cr_assert_str_eq(result_string(check, "found"), "no call that waits for this host function");
    cr_assert_not_null(strstr(result_string(location, "file"), "program.c"), "%s", result_string(location, "file"));
    cr_assert_gt(result_integer(location, "line"), 10);
    json_decref(evidence);
}

/* The cause of a call that never returns is what its processes do. */
static void assert_cause_of_hang(const char *name, const char *cause)
{
    source = "LAB_CHECK_SOURCE=program.c";
    json_t *evidence = evidence_in(&linger_fixture, name);
    const json_t *check = json_object_get(evidence, "check");
    cr_assert_str_eq(result_string(check, "cause"), cause, "%s: %s", name, result_string(check, "message"));
    cr_assert_not_null(strstr(result_string(check, "found"), "seconds of processor time in this check, and "));
    json_decref(evidence);
}

Test(harness, wait_that_never_ends_is_told_from_work_that_never_ends)
{
    assert_cause_of_hang("lock_is_taken_twice", "a wait for something that never happens");
    assert_cause_of_hang("a_call_of_the_device_takes_long",
                         "the device is slow: it is at work on a call that waits for "
                         "nothing of yours, as when others use it");
    assert_cause_of_hang("kernel_never_ends",
                         "a wait for work that does not end: a loop in a kernel, a host function or a thread");
}

/* A call never returns: the message has all of these parts, and the location is in the program's file. */
static void assert_hang(const char *name, const char *function, const char *const *says)
{
    source = "LAB_CHECK_SOURCE=program.c";
    json_t *evidence = evidence_in(&linger_fixture, name);
    const json_t *check = json_object_get(evidence, "check"), *location = json_object_get(check, "location");
    const char *message = result_string(check, "message");
    cr_assert_str_eq(result_string(check, "kind"), "timeout", "%s", message);
    for (; *says; says++) cr_assert_not_null(strstr(message, *says), "no \"%s\" in: %s", *says, message);
    cr_assert_str_eq(result_string(location, "function"), function);
    cr_assert_str_eq(result_string(location, "file"), "program.c");
    json_decref(evidence);
}
#define ASSERT_HANG(name, function, ...) assert_hang(name, function, (const char *const[]){__VA_ARGS__, NULL})

/* However long the limit is: the looks at the processes are counted, not the seconds. */
Test(harness, call_that_waits_for_nothing_is_ended_before_its_limit)
{
    ASSERT_HANG("nothing_has_anything_to_do", "lock_twice",
                "lock_twice did not end, and had nothing to do for 5 seconds: it waits in lock_twice at program.c:");
    assert_cause_of_hang("nothing_has_anything_to_do", "a wait for something that never happens");
}

Test(harness, device_in_a_call_of_its_own_has_something_to_do)
{
    assert_status_in(&linger_fixture, "the_device_has_something_to_do", "grader fault",
                     "the device is busy: lock_twice did not end");
}

Test(harness, wait_behind_an_event_that_is_never_reached_tells_the_chain)
{
    ASSERT_HANG("event_is_never_reached", "wait_behind_an_event",
                "did not end within 2 seconds: lab_stream_synchronize at program.c:", "waits for stream ",
                "where the event wait of ", "program.c:", "where the host function of ", "has begun and not ended");
}

Test(harness, event_that_is_never_reached_is_told_with_the_work_before_it)
{
    ASSERT_HANG("event_is_waited_for", "wait_for_an_event",
                "lab_event_synchronize at program.c:", "where the host function of ", "has begun and not ended");
}

Test(harness, endless_kernel_is_named_by_the_call_that_waits_for_it)
{
    ASSERT_HANG("kernel_never_ends", "wait_for_a_kernel",
                "lab_device_synchronize at program.c:", "where the kernel spin of ", "has begun and not ended");
}

Test(harness, endless_loop_is_told_with_its_line)
{
    ASSERT_HANG("loop_never_ends", "loop", "it is in its own code, in loop at program.c:");
}

Test(harness, endless_loop_that_calls_the_library_is_not_a_wait)
{
    source = "LAB_CHECK_SOURCE=program.c";
    json_t *evidence = evidence_in(&linger_fixture, "loop_of_calls_never_ends");
    const json_t *check = json_object_get(evidence, "check");
    const char *message = result_string(check, "message");
    cr_assert_not_null(strstr(message, "it is in loop_over_calls at program.c:"), "%s", message);
    cr_assert_null(strstr(message, "has not returned"), "%s", message);
    cr_assert_str_eq(result_string(check, "cause"), "a loop that does not end");
    json_decref(evidence);
}

Test(harness, thread_that_is_joined_tells_what_it_waits_for)
{
    ASSERT_HANG("thread_never_ends", "join_a_thread",
                "it is in join_a_thread at program.c:", "while the event sync of ", "waits for stream ",
                "where the host function of ");
}

Test(harness, lock_that_is_never_free_is_a_wait_and_not_a_loop)
{
    ASSERT_HANG("lock_is_taken_twice", "lock_twice",
                "it waits in lock_twice at program.c:", "but for nothing in the library");
}

static void assert_crash_cause(const char *name, const char *says)
{
    source = "LAB_CHECK_SOURCE=program.c";
    json_t *evidence = evidence_in(&linger_fixture, name);
    const char *cause = result_string(json_object_get(evidence, "check"), "cause");
    cr_assert_not_null(strstr(cause, says), "no \"%s\" in: %s", says, cause);
    json_decref(evidence);
}

/* The device's own fault handler runs before the program's. */
Test(harness, null_pointer_is_the_programs_own_beside_a_device_too)
{
    assert_crash_cause("pointer_is_null", "a pointer that is NULL was used");
}

Test(harness, crash_in_the_library_is_not_blamed_on_the_students_line)
{
    assert_crash_cause("library_gets_a_bad_address", "the crash was not in your own code: it got an invalid address");
}

/* ---- calls that are made to fail --------------------------------------------------------------------------------- */

static void assert_failing(const char *name, const char *kind, const char *message, const char *found)
{
    source = "LAB_CHECK_SOURCE=grader/tests/fixtures/failing/program.c";
    if (!kind) {
        assert_status_in(&failing_fixture, name, "passed", "");
        return;
    }
    json_t *evidence = evidence_in(&failing_fixture, name);
    const json_t *check = json_object_get(evidence, "check"), *location = json_object_get(check, "location");
    const char *said = result_string(check, "message");
    cr_assert_str_eq(result_string(check, "kind"), kind, "%s: %s", name, said);
    cr_assert_not_null(strstr(said, message), "no \"%s\" in: %s", message, said);
    cr_assert_not_null(strstr(result_string(check, "found"), found), "%s", result_string(check, "found"));
    cr_assert_gt(result_integer(location, "line"), 0, "%s", name);
    json_decref(evidence);
}

/* How often a text contains another. */
static int occurrences(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

Test(harness, captured_graph_is_drawn_beside_the_one_asked_for)
{
    json_t *evidence = evidence_in(&failing_fixture, "draws_a_graph");
    const json_t *artifacts = json_object_get(evidence, "artifacts");
    cr_assert_str_eq(result_string(artifacts, "timeline_text"), "diamond\ndigraph diamond {\n    a -> b;\n    a -> c;\n"
                                                                "    b -> c [label=\"too many\", penwidth=3];\n"
                                                                "    b -> d [label=\"missing\", style=dashed];\n"
                                                                "    c -> d;\n}\n");
    const char *svg = result_string(artifacts, "timeline_svg"), *captured = strstr(svg, ">captured<");
    cr_assert(strstr(svg, ">asked for<") < captured);
    cr_assert_eq(occurrences(svg, "<circle"), 8, "four nodes in each panel");
    cr_assert_eq(occurrences(svg, "<path"), 1 + 4 + 5, "a tip, the edges asked for, the captured and the missing one");
    cr_assert_eq(occurrences(captured, "class=\"more\""), 1);
    cr_assert_eq(occurrences(captured, "class=\"less\""), 1);
    cr_assert_eq(occurrences(svg, "class=\"more\"") + occurrences(svg, "class=\"less\""), 2,
                 "marks when captured only");
    cr_assert_str_neq(result_string(artifacts, "trace"), "", "the record is there, too");
    json_decref(evidence);
}

/* What is missing has no line: the verdict has that of the work and that of the last call. */
Test(harness, work_that_nobody_waits_for_is_told_with_the_last_call)
{
    source = "LAB_CHECK_SOURCE=grader/tests/fixtures/failing/program.c";
    json_t *evidence = evidence_in(&failing_fixture, "work_that_nobody_waits_for");
    const json_t *check = json_object_get(evidence, "check"), *location = json_object_get(check, "location");
    cr_assert_str_eq(result_string(check, "kind"), "race suspected", "%s", result_string(check, "message"));
    cr_assert_gt(result_integer(location, "line"), 0);
    cr_assert_gt(result_integer(location, "last_call"), result_integer(location, "line"));
    json_decref(evidence);
}

Test(harness, right_function_passes_whatever_fails)
{
    assert_failing("right_function_passes", NULL, "", "");
    assert_failing("program_that_never_recovers_is_replaced", NULL, "", "");
}

Test(harness, status_that_is_not_passed_on_is_named_with_the_call)
{
    assert_failing("swallowed_status", "wrong result", "but swallows returned LAB_SUCCESS", "LAB_SUCCESS");
    assert_failing("swallowed_status", "wrong result", "lab_array_fill (grader/tests/fixtures/failing/program.c:", "");
    assert_failing("clean_ups_may_follow", NULL, "", "");
    assert_failing("going_on_is_named", "rule", "failed, and goes_on continues", "lab_stream_create (");
    assert_failing("another_status_may_be_enough", NULL, "", "");
    assert_failing("program_may_end_instead", NULL, "", "");
    assert_failing("success_is_never_enough", "wrong result", "but swallows returned LAB_SUCCESS", "LAB_SUCCESS");
    assert_failing("another_status", "wrong result", "but returns_another returned LAB_ERROR_UNKNOWN", "");
}

Test(harness, call_that_an_earlier_failure_hides_fails_in_a_new_program)
{
    assert_failing("status_behind_an_earlier_failure", "wrong result", "but keeps_capturing returned LAB_SUCCESS",
                   "LAB_SUCCESS");
}

Test(harness, status_of_the_end_of_a_capture_counts)
{
    assert_failing("end_of_a_capture_fails", NULL, "", "");
    assert_failing("end_of_a_capture_is_swallowed", "wrong result", "lab_stream_end_capture (", "LAB_SUCCESS");
}

Test(harness, what_is_left_when_a_call_fails_is_named)
{
    assert_failing("leak_is_named", "leak", "leaves_streams left 2 streams behind", "2 streams, the first made at ");
    assert_failing("leak_may_be_allowed", NULL, "", "");
    assert_failing("leak_of_something_else_does_not_count", NULL, "", "");
    assert_failing("thread_is_left", "leak", "forgets_its_thread left 1 thread behind", "1 thread that is not joined");
    assert_failing("thread_may_be_left", NULL, "", "");
}

Test(harness, capture_that_goes_on_when_a_call_fails_is_named)
{
    assert_failing("capture_is_left", "rule", "lab_stream_launch_host_func (", "a stream that still captures");
    assert_failing("capture_that_is_ended_is_not_left", NULL, "", "");
}

Test(harness, what_is_current_when_a_call_fails_is_what_was)
{
    assert_failing("another_stream_is_current", "rule", "another stream is current than before", "another stream");
    assert_failing("another_stream_may_be_current", NULL, "", "");
    assert_failing("another_context_is_current", "rule", "another context is current than before", "another context");
}

Test(harness, cause_of_what_is_not_given_back_is_the_checks_own)
{
    assert_failing("cause_of_what_is_kept", "leak", "1 stream was not released", "0 released");
    json_t *evidence = evidence_in(&failing_fixture, "cause_of_what_is_kept");
    cr_assert_str_eq(result_string(json_object_get(evidence, "check"), "cause"), "nothing destroys it");
    json_decref(evidence);
}

Test(harness, what_is_left_is_told_of_the_function_that_releases_it)
{
    static const char *const told[][2] = {{"what_another_is_to_release", "cleans_up does not release every stream"},
                                          {"what_nobody_makes", "forgets_its_thread makes no stream"}};
    for (int i = 0; i < 2; i++) {
        json_t *evidence = evidence_in(&failing_fixture, told[i][0]);
        cr_assert_str_eq(result_string(json_object_get(evidence, "check"), "message"), told[i][1]);
        json_decref(evidence);
    }
}

Test(harness, waits_queries_and_clean_ups_fail_only_if_asked_for)
{
    assert_failing("waits_are_left_alone", NULL, "", "");
    assert_failing("waits_fail_if_asked_for", "wrong result", "lab_stream_synchronize (", "LAB_SUCCESS");
    assert_failing("queries_fail_if_asked_for", "wrong result", "lab_stream_query (", "LAB_SUCCESS");
    assert_failing("clean_ups_are_left_alone", NULL, "", "");
    assert_failing("clean_ups_may_fail", NULL, "", "");
    assert_failing("rest_is_kept_when_a_clean_up_fails", "leak", "after lab_stream_destroy (", "1 stream, made at ");
}

Test(harness, hang_or_crash_after_a_failure_names_the_call)
{
    assert_failing("hang_names_the_call", "timeout", "hangs, after lab_device_synchronize (", "");
    assert_failing("crash_names_the_call", "crash", "after lab_device_synchronize (", "");
}

Test(harness, function_without_a_call_that_fails_proves_nothing)
{
    source = "LAB_CHECK_SOURCE=another.c";
    assert_status_in(&failing_fixture, "nothing_can_fail", "failed", "hangs makes no call of the library");
}

/* ---- texts of tests that held ------------------------------------------------------------------------------------ */

static void assert_texts(const char *name, const char *expected, const char *found, const char *cause)
{
    json_t *evidence = evidence_of(name);
    const json_t *check = json_object_get(evidence, "check");
    const char *const fields[] = {"expected", "found", "cause"}, *const texts[] = {expected, found, cause};
    for (int i = 0; i < 3; i++) {
        const json_t *said = json_object_get(check, fields[i]);
        cr_assert_str_eq(json_is_string(said) ? json_string_value(said) : "", texts[i], "%s: %s", name, fields[i]);
    }
    json_decref(evidence);
}

Test(harness, texts_of_a_test_that_held_are_not_shown_with_a_later_failure)
{
    assert_texts("says_nothing_of_a_test_with_the_line_of_another_file", "", "of another file", "");
    assert_texts("says_the_texts_of_a_function_that_has_ended", "", "round 2", "");
}

/* What `checks --manifest` prints of a fixture. */
static json_t *manifest_of(const char *checks)
{
    char *program = format(checks, toy_build());
    const char *const arguments[] = {program, "--manifest", NULL};
    subprocess_options options = {.arguments = arguments, .output_limit = 1 << 20};
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 60, &fault), "%s", fault.text);
    json_t *manifest = json_loads(result.output, 0, NULL);
    cr_assert_not_null(manifest, "%s", result.output);
    subprocess_result_free(&result);
    free(program);
    return manifest;
}

Test(harness, manifest_tells_the_limit_of_each_check)
{
    json_t *manifest = manifest_of(failing_fixture.checks), *checks = json_object_get(manifest, "checks"), *check;
    size_t index;
    int declared = 0, usual = 0;
    json_array_foreach(checks, index, check)
    {
        const double seconds = json_number_value(json_object_get(check, "seconds"));
        declared += seconds == 5;
        usual += seconds == 20;
    }
    cr_assert(declared > 0 && usual > 0 && declared + usual == (int)json_array_size(checks));
    json_decref(manifest);
}

Test(harness, what_a_check_leaves_out_of_its_texts_is_the_usual)
{
    json_t *manifest = manifest_of(failing_fixture.checks), *check, *found = NULL;
    size_t index;
    json_array_foreach(json_object_get(manifest, "checks"), index,
                       check) if (strcmp(result_string(check, "name"), "an_ending_with_the_usual_texts") == 0) found =
        check;
    cr_assert_str_eq(result_string(found, "title"), "A call that fails ends the function, with its status");
    const json_t *hints = json_object_get(found, "hints");
    cr_assert_eq(json_array_size(hints), 3);
    cr_assert(strstr(json_string_value(json_array_get(hints, 0)), "returns a status"));
    cr_assert_str_eq(json_string_value(json_array_get(hints, 1)), "it is LAB_TRY");
    cr_assert_str_eq(json_string_value(json_array_get(hints, 2)), "around each call");
    json_decref(manifest);
}

/* Asserts what `checks` prints that runs all checks of the toy lab, with this program of the build folder. */
static void assert_all_say(const char *program, bool passed, const char *printed)
{
    char *checks = format("%s/toylab/checks", toy_build()), *path = format(program, toy_build());
    char *student = format("LAB_CHECK_PROGRAM=%s", path);
    char *server = format("LAB_CHECK_SERVER=%s/bin/labserver", toy_build());
    const char *const arguments[] = {checks, NULL}, *const extra[] = {student, server, source, tables, device, NULL};
    char **environment = environment_make(extra);
    const subprocess_options options = {
        .arguments = arguments, .environment = (const char *const *)environment, .output_limit = 1 << 20};
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 60, &fault), "%s", fault.text);
    cr_assert_str_eq(result.output, printed);
    cr_assert_eq(result.exit.status == 0, passed);
    subprocess_result_free(&result);
    environment_free(environment);
    free(server);
    free(student);
    free(path);
    free(checks);
}

Test(harness, checks_alone_run_all_and_print_a_line_each)
{
    assert_all_say("%s/toylab/reference", true,
                   "passed every_element_is_right\npassed the_sum_is_right\npassed the_second_call_is_right_too\n"
                   "3 passed, 0 failed\n");
#define CANNOT_START ": grader fault: cannot start /nowhere: No such file or directory\n"
    assert_all_say("/nowhere", false,
                   "failed every_element_is_right" CANNOT_START "failed the_sum_is_right" CANNOT_START
                   "failed the_second_call_is_right_too" CANNOT_START "0 passed, 3 failed\n");
}
