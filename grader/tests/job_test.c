/* One submission from file to result: every variant of the toy lab gets exactly its verdict, also the hostile ones. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/device_lock.h"
#include "base/folder.h"
#include "judge/job.h"
#include "base/text.h"
#include "toy.h"

/* A job under test, with what it needs. */
typedef struct toy_job {
    lab_parts parts;
    grading_job job;
    grading_result result;
    char *out;
    char *source;
} toy_job;

static toy_job prepare(const char *variant)
{
    toy_job toy = {0};
    grader_fault fault;
    text_buffer source = {0};
    const lab_parts_places places = {.root = ".", .build = toy_build(), .name = "toylab", .folder = TOY_FOLDER};
    cr_assert(lab_parts_open(&toy.parts, &places, &fault), "%s (make builds the toy lab before the tests)", fault.text);
    cr_assert(folder_make_private(&toy.out, "job-test", &fault), "%s", fault.text);
    text_format(&source, "%s/class/%s/toylab.c", TOY_FOLDER, variant);
    toy.source = source.text;
    toy.job = (grading_job){.source = toy.source, .submission = variant, .out = toy.out, .out_name = "", .seed = 7};
    toy.job.seconds = 20;
    return toy;
}

static void run(toy_job *toy)
{
    setenv("LAB_TOY_STATE", toy->out, 1); /* where some variants note that they have been called before */
    toy->job.parts = &toy->parts;
    job_run(&toy->result, &toy->job);
}

static void release(toy_job *toy)
{
    result_free(&toy->result);
    lab_parts_close(&toy->parts);
    folder_remove(toy->out);
    free(toy->out);
    free(toy->source);
}

static const json_t *check_of(const toy_job *toy, size_t index) { return json_array_get(toy->result.checks, index); }

static void assert_verdict(const toy_job *toy, result_verdict verdict, int points)
{
    const grading_result *result = &toy->result;
    cr_assert_str_eq(result_verdict_name(result->verdict), result_verdict_name(verdict), "%s", result->summary);
    cr_assert_eq(result->points, points, "%d points: %s", result->points, result->summary);
}

/* Runs a variant whose first check must fail with this kind and with these words in its message. */
static void assert_first_check(const char *variant, result_verdict verdict, int points, const char *kind,
                               const char *message)
{
    toy_job toy = prepare(variant);
    if (verdict == RESULT_TIMEOUT) toy.job.seconds = 2;
    run(&toy);
    assert_verdict(&toy, verdict, points);
    const json_t *check = check_of(&toy, 0);
    cr_assert_str_eq(result_string(check, "kind"), kind);
    cr_assert_not_null(strstr(result_string(check, "message"), message), "%s", result_string(check, "message"));
    release(&toy);
}

/* ---- right and wrong --------------------------------------------------------------------------------------------- */

Test(job, right_solution_passes_with_full_points)
{
    toy_job toy = prepare("right");
    run(&toy);
    assert_verdict(&toy, RESULT_PASSED, 100);
    cr_assert_eq(json_array_size(toy.result.timings), 1u);
    release(&toy);
}

Test(job, wrong_answer_shows_its_first_mismatches)
{
    toy_job toy = prepare("wrong");
    run(&toy);
    assert_verdict(&toy, RESULT_WRONG_RESULT, 30);
    const json_t *check = check_of(&toy, 0);
    cr_assert_eq(json_array_size(json_object_get(check, "mismatches")), 5u);
    cr_assert_eq(result_integer(check, "mismatch_count"), 999, "element 0 needs no index");
    release(&toy);
}

/* What a watcher heard about a check whose program waits for a file. */
typedef struct told {
    const char *awaited;
    char title[64];
    double seconds, limit;
    size_t begun, ended; /* how many checks began and ended, as the watcher heard it */
} told;

static void hear_running(void *user, const char *title, double seconds, double limit)
{
    told *so_far = user;
    snprintf(so_far->title, sizeof so_far->title, "%s", title);
    so_far->seconds = seconds;
    so_far->limit = limit;
    so_far->begun = so_far->ended + 1;
    cr_assert_eq(close(open(so_far->awaited, O_WRONLY | O_CREAT, 0600)), 0);
}

static void hear_ended(void *user) { ((told *)user)->ended++; }

Test(job, watcher_hears_of_a_check_while_it_runs_and_of_the_end_of_each)
{
    toy_job toy = prepare("right");
    grader_fault fault;
    text_buffer code = {0};
    told heard = {.awaited = folder_path(toy.out, "awaited")};
    text_format(&code,
                "#include \"toylab.h\"\n#include <unistd.h>\n"
                "lab_status toy_run(float *out, const float *in, int count)\n"
                "{ while (access(\"%s\", F_OK)) usleep(1000);"
                "  for (int k = 0; k < count; k++) out[k] = 3.0f * in[k] + (float)k; return LAB_SUCCESS; }\n"
                "lab_status toy_sum(float *sum, const float *in, int count)\n"
                "{ *sum = 0; for (int k = 0; k < count; k++) *sum += in[k]; return LAB_SUCCESS; }\n",
                heard.awaited);
    char *waits = folder_path(toy.out, "toylab.c");
    cr_assert(folder_write(waits, code.text, code.length, &fault), "%s", fault.text);
    const job_watcher watcher = {.running = hear_running, .ended = hear_ended, .user = &heard};
    toy.job.source = waits;
    toy.job.watch = &watcher;
    toy.job.seconds = 60;
    run(&toy);
    assert_verdict(&toy, RESULT_PASSED, 100);
    cr_assert_str_eq(heard.title, result_string(check_of(&toy, heard.begun - 1), "title"));
    cr_assert_gt(heard.seconds, 0);
    cr_assert_eq(heard.limit, 60);
    cr_assert_eq(heard.ended, json_array_size(toy.result.checks));
    free((char *)heard.awaited);
    free(waits);
    free(code.text);
    release(&toy);
}

Test(job, starter_fails_and_lists_its_open_tasks)
{
    toy_job toy = prepare("starter");
    run(&toy);
    assert_verdict(&toy, RESULT_WRONG_RESULT, 0);
    cr_assert_str_eq(toy.result.open_tasks, "1, 2");
    cr_assert_str_eq(result_string(check_of(&toy, 0), "cause"), "toy_run never wrote to out");
    release(&toy);
}

/* Whether the first check of lab 01's starter is told as not written yet, where the lab knows these definitions of it.
 */
static bool is_unwritten(json_t *given)
{
    toy_job toy = prepare("starter");
    grader_fault fault;
    const lab_parts_places places = {.root = ".", .build = toy_build(), .name = "lab01"};
    lab_parts_close(&toy.parts);
    cr_assert(lab_parts_open(&toy.parts, &places, &fault), "%s", fault.text);
    toy.parts.given = given;
    toy.job.source = toy.parts.starter;
    toy.job.checks = JOB_FIRST_FAILURE;
    run(&toy);
    const bool unwritten = json_is_true(json_object_get(check_of(&toy, 0), "unwritten"));
    release(&toy);
    return unwritten;
}

Test(job, definitions_of_the_starter_are_found_once_a_lab)
{
    cr_assert(is_unwritten(NULL), "the job finds them by itself");
    cr_assert_not(is_unwritten(json_object()), "the lab knows that the starter defines nothing");
}

Test(job, seed_decides_the_inputs)
{
    toy_job toy = prepare("wrong"), same = prepare("wrong"), other = prepare("wrong");
    other.job.seed = 8;
    run(&toy);
    run(&same);
    run(&other);
    const json_t *first = json_object_get(check_of(&toy, 0), "mismatches");
    cr_assert(json_equal(first, json_object_get(check_of(&same, 0), "mismatches")));
    cr_assert_not(json_equal(first, json_object_get(check_of(&other, 0), "mismatches")));
    release(&toy);
    release(&same);
    release(&other);
}

Test(job, result_kept_from_the_first_call_fails_the_second)
{
    toy_job toy = prepare("keeps_the_first_result");
    run(&toy);
    assert_verdict(&toy, RESULT_WRONG_RESULT, 94);
    release(&toy);
}

Test(job, level_that_a_failing_check_reached_gives_its_points_and_is_named)
{
    toy_job toy = prepare("keeps_the_first_result");
    run(&toy);
    const json_t *check = check_of(&toy, 2);
    cr_assert_str_eq(result_string(check, "status"), "failed");
    cr_assert_str_eq(result_string(check, "level"), "the first call is right");
    cr_assert_eq(result_integer(check, "points"), 4);
    cr_assert_not_null(strstr(toy.result.summary, "(reached: the first call is right, 4 of 10 points)"), "%s",
                       toy.result.summary);
    cr_assert_null(json_object_get(check_of(&toy, 0), "level"));
    release(&toy);
    toy_job wrong = prepare("wrong");
    run(&wrong);
    cr_assert_eq(result_integer(check_of(&wrong, 2), "points"), 0);
    cr_assert_null(json_object_get(check_of(&wrong, 2), "level"));
    release(&wrong);
}

Test(job, error_returned_is_reported_with_its_name)
{
    toy_job toy = prepare("returns_an_error");
    run(&toy);
    assert_verdict(&toy, RESULT_WRONG_RESULT, 30);
    cr_assert_str_eq(result_string(check_of(&toy, 0), "found"), "LAB_ERROR_OUT_OF_MEMORY");
    release(&toy);
}

/* An endless loop of allocations ends itself, not the student's desktop. */
/* A program's debug information is its author's, and a few megabytes of it can ask addr2line for a gigabyte. */
Test(job, debug_information_cannot_make_the_grader_use_much_memory)
{
    struct rusage used;
    toy_job toy = prepare("grown_debug_information");
    run(&toy);
    assert_verdict(&toy, RESULT_CRASH, 0);
    cr_assert_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
    cr_assert_lt(used.ru_maxrss, 400l << 10, "a process took %ld MiB", used.ru_maxrss >> 10);
    release(&toy);
}

Test(job, memory_is_limited_without_a_sandbox_too)
{
    toy_job toy = prepare("asks_for_its_limit");
    run(&toy);
    assert_verdict(&toy, RESULT_PASSED, 100);
    release(&toy);
}

/* ---- broken ------------------------------------------------------------------------------------------------------ */

static void assert_crash(const char *variant, const char *message, int line, const char *function, const char *cause)
{
    toy_job toy = prepare(variant);
    run(&toy);
    assert_verdict(&toy, RESULT_CRASH, 30);
    const json_t *check = check_of(&toy, 0), *location = json_object_get(check, "location");
    cr_assert_str_eq(result_string(check, "message"), message);
    cr_assert_eq(result_integer(location, "line"), line);
    cr_assert_str_eq(result_string(location, "function"), function);
    cr_assert_str_eq(result_string(check, "cause"), cause);
    release(&toy);
}

Test(job, null_pointer_is_a_crash_with_its_line)
{
    assert_crash("null_pointer", "crashed: SIGSEGV (invalid memory access) in toy_run at toylab.c:9", 9, "toy_run",
                 "a pointer that is NULL was used");
}

Test(job, crash_inside_the_library_is_reported_where_it_was_called)
{
    assert_crash("null_in_library", "crashed: SIGSEGV (invalid memory access) in toy_run at toylab.c:10", 10, "toy_run",
                 "a pointer that is NULL was used");
}

Test(job, division_by_zero_is_a_crash_with_its_line)
{
    assert_crash("division_by_zero", "crashed: SIGFPE (integer division by zero) in toy_run at toylab.c:7", 7,
                 "toy_run", "");
}

Test(job, stack_overflow_is_a_crash_in_the_function_that_recurs)
{
    assert_crash("stack_overflow", "crashed: SIGSEGV (invalid memory access) in descend at toylab.c:5", 5, "descend",
                 "the stack is full: a function calls itself without end, or a local array is too large");
}

Test(job, crash_in_a_function_of_the_file_also_tells_the_line_that_called_it)
{
    toy_job toy = prepare("null_pointer_in_a_function");
    run(&toy);
    const json_t *location = json_object_get(check_of(&toy, 0), "location");
    cr_assert_str_eq(result_string(location, "function"), "triple");
    cr_assert_eq(result_integer(location, "line"), 4);
    cr_assert_eq(result_integer(location, "called_at"), 9);
    release(&toy);
}

Test(job, exit_with_success_before_the_answer_is_a_crash)
{
    assert_first_check("exits_early", RESULT_CRASH, 30, "crash", "exited by itself, with status 0, during toy_run");
}

Test(job, program_that_gives_up_is_quoted)
{
    toy_job toy = prepare("gives_up");
    run(&toy);
    assert_verdict(&toy, RESULT_CRASH, 30);
    cr_assert_str_eq(result_string(check_of(&toy, 0), "found"),
                     "its last line of output: toylab.c:12: no more streams");
    cr_assert_str_eq(toy.result.output, "toylab.c:12: no more streams\n");
    release(&toy);
}

Test(job, endless_loop_that_ignores_signals_is_a_timeout)
{
    assert_first_check("hangs", RESULT_TIMEOUT, 30, "timeout", "toy_run did not end within 2 seconds");
}

/* The lock of a device that no other test uses. */
static device_lock lock_of_nobody(const char *name)
{
    device_info device = {.kind = "cpu"};
    grader_fault fault;
    device_lock lock;
    snprintf(device.name, sizeof device.name, "device of the job's test");
    snprintf(device.uuids, sizeof device.uuids, "test-job-%s", name);
    cr_assert(device_lock_open(&lock, &device, &fault), "%s", fault.text);
    return lock;
}

Test(job, late_call_in_company_is_run_again_alone)
{
    device_lock lock = lock_of_nobody("late in company");
    toy_job toy = prepare("slow_in_company"), without = prepare("slow_in_company");
    toy.job.seconds = without.job.seconds = 2;
    toy.job.device_lock = &lock;
    run(&toy);
    assert_verdict(&toy, RESULT_PASSED, 100);
    cr_assert_eq(json_array_size(toy.result.checks), 3u);
    run(&without);
    assert_verdict(&without, RESULT_TIMEOUT, 70);
    release(&toy);
    release(&without);
    device_lock_close(&lock);
}

Test(job, call_that_hangs_alone_too_is_a_timeout)
{
    device_lock lock = lock_of_nobody("hangs alone too");
    toy_job toy = prepare("hangs");
    toy.job.seconds = 2;
    toy.job.device_lock = &lock;
    run(&toy);
    assert_verdict(&toy, RESULT_TIMEOUT, 30);
    cr_assert_eq(json_array_size(toy.result.checks), 3u);
    release(&toy);
    device_lock_close(&lock);
}

static void assert_not_run(const json_t *check, const char *message)
{
    cr_assert_str_eq(result_string(check, "status"), "not run");
    cr_assert_str_eq(result_string(check, "message"), message);
    cr_assert_str_eq(result_string(check, "kind"), "");
    cr_assert_eq(result_integer(check, "points"), 0);
    cr_assert_eq(result_integer(check, "max_points"), 10);
}

Test(job, call_that_hung_is_not_repeated_while_a_person_waits)
{
    toy_job toy = prepare("hangs");
    toy.job.seconds = 4; /* a fourth of it for each call after the one that hung */
    toy.job.skips_hung = true;
    run(&toy);
    assert_verdict(&toy, RESULT_TIMEOUT, 30);
    cr_assert_str_eq(result_string(check_of(&toy, 0), "kind"), "timeout");
    cr_assert_str_eq(result_string(check_of(&toy, 1), "status"), "passed", "toy_sum is another call");
    assert_not_run(check_of(&toy, 2), "it needs toy_run, which did not end above");
    cr_assert_eq(toy.result.max_points, 100);
    release(&toy);
}

Test(job, slow_call_after_a_hang_is_not_called_a_hang_while_a_person_waits)
{
    toy_job toy = prepare("sums_slowly_and_hangs_first");
    toy.job.seconds = 2;
    toy.job.skips_hung = true;
    run(&toy);
    assert_verdict(&toy, RESULT_TIMEOUT, 0);
    const json_t *check = check_of(&toy, 1);
    cr_assert_str_eq(result_string(check, "status"), "not run");
    cr_assert_str_eq(result_string(check, "message"),
                     "toy_sum did not end within 0.5 seconds; it is given longer once toy_run ends");
    release(&toy);
}

Test(job, slow_call_after_a_hang_costs_a_class_nothing)
{
    device_lock lock = lock_of_nobody("slow after a hang");
    toy_job toy = prepare("sums_slowly_and_hangs_first");
    toy.job.seconds = 4;
    toy.job.device_lock = &lock;
    run(&toy);
    assert_verdict(&toy, RESULT_TIMEOUT, 40);
    cr_assert_str_eq(result_string(check_of(&toy, 1), "status"), "passed");
    cr_assert_str_eq(result_string(check_of(&toy, 2), "status"), "passed");
    release(&toy);
    device_lock_close(&lock);
}

Test(job, program_that_is_stopped_is_a_timeout)
{
    assert_first_check("stops_itself", RESULT_TIMEOUT, 30, "timeout", "");
}

Test(job, program_without_its_first_thread_is_a_timeout)
{
    assert_first_check("first_thread_ends", RESULT_TIMEOUT, 30, "timeout", "");
}

Test(job, thread_that_nobody_joins_is_named_unless_the_function_fails_first)
{
    toy_job toy = prepare("leaves_a_thread");
    run(&toy);
    assert_verdict(&toy, RESULT_RACE_SUSPECTED, 0);
    cr_assert_str_eq(result_string(check_of(&toy, 0), "message"),
                     "toy_run returned before it had joined a thread that it had started");
    cr_assert_not_null(strstr(result_string(check_of(&toy, 0), "cause"), "pthread_join"));
    cr_assert_str_eq(result_string(check_of(&toy, 1), "found"), "LAB_ERROR_INVALID_VALUE");
    release(&toy);
}

Test(job, thread_that_nobody_joins_is_named_though_it_has_ended)
{
    toy_job toy = prepare("leaves_an_ended_thread");
    run(&toy);
    assert_verdict(&toy, RESULT_RACE_SUSPECTED, 30);
    cr_assert_str_eq(result_string(check_of(&toy, 0), "message"),
                     "toy_run returned before it had joined a thread that it had started");
    release(&toy);
}

static void assert_always_right(const char *variant)
{
    toy_job toy = prepare(variant);
    for (int i = 0; i < 5; i++) {
        if (i > 0) result_free(&toy.result);
        run(&toy);
        assert_verdict(&toy, RESULT_PASSED, toy.parts.max_points);
    }
    release(&toy);
}

Test(job, threads_that_are_joined_are_accepted)
{
    assert_always_right("joins_its_thread");
    assert_always_right("joins_in_other_ways");
}

/* A thread begins before pthread_create returns, or long after. On a busy machine the moment that each is given may be
 * too short. */
static void assert_order_of_threads_is_seen(const char *variant)
{
    enum { TRIES = 10 };
    toy_job toy = prepare(variant);
    run(&toy);
    for (int i = 1; i < TRIES && toy.result.verdict == RESULT_PASSED; i++) {
        result_free(&toy.result);
        run(&toy);
    }
    cr_assert_eq(toy.result.verdict, RESULT_WRONG_RESULT, "%s", toy.result.summary);
    release(&toy);
}

Test(job, thread_that_is_told_too_late_is_found) { assert_order_of_threads_is_seen("tells_too_late"); }

Test(job, threads_that_share_what_they_are_told_are_found) { assert_order_of_threads_is_seen("shares_what_it_tells"); }

Test(job, join_that_finds_no_thread_fails_every_time)
{
    toy_job toy = prepare("joins_no_thread");
    run(&toy);
    assert_verdict(&toy, RESULT_PASSED, toy.parts.max_points);
    release(&toy);
}

Test(job, flood_of_output_is_cut)
{
    toy_job toy = prepare("floods_output");
    run(&toy);
    assert_verdict(&toy, RESULT_OUTPUT_FLOOD, 30);
    cr_assert(toy.result.output_truncated);
    cr_assert_leq(strlen(toy.result.output), 16384u);
    release(&toy);
}

Test(job, compiler_messages_are_those_about_the_file)
{
    toy_job toy = prepare("does_not_compile");
    run(&toy);
    assert_verdict(&toy, RESULT_BUILD_ERROR, 0);
    cr_assert_not_null(strstr(toy.result.build_messages, "toylab.c:6:"), "%s", toy.result.build_messages);
    cr_assert_null(strstr(toy.result.build_messages, "toylab.h"), "%s", toy.result.build_messages);
    cr_assert_str_eq(result_string(check_of(&toy, 0), "status"), "not run");
    release(&toy);
}

Test(job, file_in_utf_16_is_not_graded)
{
    enum { LINES = 3000 };
    static const char line[] = "i\0n\0t\0 \0x\0;\0\n";
    toy_job toy = prepare("right");
    char *path = folder_path(toy.out, "toylab.c");
    FILE *file = fopen(path, "w");
    cr_assert_eq(fwrite("\xff\xfe", 1, 2, file), 2);
    for (int i = 0; i < LINES; i++) cr_assert_eq(fwrite(line, sizeof line, 1, file), 1);
    fclose(file);
    toy.job.source = path;
    run(&toy);
    assert_verdict(&toy, RESULT_MISSING_FILE, 0);
    cr_assert_not_null(strstr(toy.result.summary, "toylab.c is not plain text but UTF-16"), "%s", toy.result.summary);
    free(path);
    release(&toy);
}

Test(job, missing_function_is_named_with_its_header)
{
    toy_job toy = prepare("missing_function");
    run(&toy);
    assert_verdict(&toy, RESULT_BUILD_ERROR, 0);
    cr_assert_str_eq(toy.result.build_messages, "toylab.c does not define toy_run, which toylab.h declares\n");
    release(&toy);
}

Test(job, second_main_and_unknown_function_are_named)
{
    toy_job toy = prepare("defines_main");
    run(&toy);
    assert_verdict(&toy, RESULT_BUILD_ERROR, 0);
    cr_assert_not_null(strstr(toy.result.build_messages, "toylab.c defines main,"), "%s", toy.result.build_messages);
    cr_assert_not_null(strstr(toy.result.build_messages, "toylab.c:8 uses helper_that_is_nowhere,"));
    release(&toy);
}

Test(job, missing_file_says_what_is_there)
{
    toy_job toy = prepare("missing_file");
    run(&toy);
    assert_verdict(&toy, RESULT_MISSING_FILE, 0);
    cr_assert_str_eq(toy.result.summary, "toylab.c is missing; the folder holds: main.c");
    release(&toy);
}

/* Otherwise each function of the contract would be reported as missing. */
Test(job, empty_file_is_one_sentence)
{
    static const char *const texts[] = {"", " \t\r\n\n"};
    for (size_t i = 0; i < 2; i++) {
        grader_fault fault;
        toy_job toy = prepare("right");
        free(toy.source);
        toy.job.source = toy.source = folder_path(toy.out, "toylab.c");
        cr_assert(folder_write(toy.source, texts[i], strlen(texts[i]), &fault), "%s", fault.text);
        run(&toy);
        assert_verdict(&toy, RESULT_MISSING_FILE, 0);
        cr_assert_str_eq(toy.result.summary, "toylab.c is empty");
        release(&toy);
    }
}

Test(job, pipe_in_place_of_the_file_is_not_opened)
{
    toy_job toy = prepare("right");
    char *pipe = folder_path(toy.out, "toylab.c");
    mkfifo(pipe, 0600);
    toy.job.source = pipe;
    run(&toy);
    assert_verdict(&toy, RESULT_MISSING_FILE, 0);
    release(&toy);
    free(pipe);
}

/* ---- hostile ----------------------------------------------------------------------------------------------------- */

Test(job, printed_result_earns_nothing)
{
    toy_job toy = prepare("prints_a_result");
    run(&toy);
    assert_verdict(&toy, RESULT_WRONG_RESULT, 30);
    cr_assert_null(strchr(toy.result.output, '\033'), "the output is clean");
    release(&toy);
}

Test(job, done_without_the_number_of_the_call_breaks_the_rules)
{
    assert_first_check("forges_done", RESULT_FAILED, 30, "rule", "an answer that it was not asked for");
}

Test(job, message_before_the_first_call_breaks_the_rules)
{
    assert_first_check("speaks_unasked", RESULT_FAILED, 0, "rule", "an answer that it was not asked for");
}

/* The first message is sent too early: the work comes after the snapshot. */
Test(job, done_with_a_stolen_number_earns_nothing)
{
    toy_job toy = prepare("says_done_twice");
    run(&toy);
    assert_verdict(&toy, RESULT_WRONG_RESULT, 30);
    cr_assert_str_eq(result_string(check_of(&toy, 0), "cause"), "toy_run never wrote to out");
    cr_assert_str_eq(result_string(check_of(&toy, 2), "kind"), "wrong result");
    release(&toy);
}

Test(job, bytes_that_are_no_message_break_the_rules)
{
    assert_first_check("sends_garbage", RESULT_FAILED, 30, "rule", "an invalid message");
}

Test(job, closed_descriptors_break_the_rules)
{
    assert_first_check("closes_everything", RESULT_FAILED, 30, "rule", "closed the connection to its check");
}

Test(job, work_done_after_the_answer_is_not_seen)
{
    toy_job toy = prepare("writes_late");
    run(&toy);
    cr_assert_eq(toy.result.verdict, RESULT_WRONG_RESULT);
    cr_assert_str_eq(result_string(check_of(&toy, 0), "cause"), "toy_run never wrote to out");
    release(&toy);
}

Test(job, changed_inputs_break_the_rules)
{
    assert_first_check("changes_inputs", RESULT_FAILED, 40, "rule", "the program changed the inputs");
}

/* The daemon prints its process id, so that the test looks for exactly this one. */
Test(job, daemon_does_not_survive)
{
    int daemon = 0;
    toy_job toy = prepare("leaves_a_daemon");
    run(&toy);
    assert_verdict(&toy, RESULT_PASSED, 100);
    cr_assert_eq(sscanf(toy.result.output, "daemon %d", &daemon), 1, "%s", toy.result.output);
    cr_assert(kill(daemon, 0) < 0 && errno == ESRCH, "process %d is still there", daemon);
    release(&toy);
}

/* ---- the room for files, in a sandbox ---------------------------------------------------------------------------- */

/* A sandbox with little memory, and so with little room for files. Prints why and returns false where there can be
 * none. */
static bool open_little_room(sandbox *box)
{
    enum { MEMORY_BYTES = 128 << 20 };
    grader_fault fault;
    const sandbox_options options = {.memory_bytes = MEMORY_BYTES};
    /* Users other than root get mounts only in a process without threads, and Criterion has one. */
    if (geteuid() != 0 || !sandbox_open(box, &options, &fault) || box->room_bytes == 0) {
        fprintf(stderr, "not run: no sandbox, or no bounded folders, for this test\n");
#ifndef LAB_PLAIN_TESTS
        cr_skip_test("no sandbox, or no bounded folders, for this test");
#endif
        return false;
    }
    return true;
}

/* Runs a variant in such a sandbox. */
static bool run_in_little_room(toy_job *toy, sandbox *box, const char *variant)
{
    if (!open_little_room(box)) return false;
    *toy = prepare(variant);
    toy->job.sandbox = box;
    run(toy);
    return true;
}

Test(job, full_disk_of_a_submission_is_its_own_fault)
{
    toy_job toy;
    sandbox box;
    if (!run_in_little_room(&toy, &box, "fills_the_disk")) return;
    assert_verdict(&toy, RESULT_OUTPUT_FLOOD, 30);
    const json_t *first = check_of(&toy, 0), *third = check_of(&toy, 2);
    cr_assert_str_eq(result_string(first, "message"), "the program filled all the room for its files during toy_run");
    cr_assert_str_eq(result_string(check_of(&toy, 1), "status"), "passed", "the earlier check's files are gone");
    cr_assert_str_eq(result_string(third, "kind"), "output flood");
    release(&toy);
    sandbox_close(&box);
}

Test(job, object_that_does_not_fit_is_a_build_error_that_says_so)
{
    toy_job toy;
    sandbox box;
    if (!run_in_little_room(&toy, &box, "huge_object")) return;
    assert_verdict(&toy, RESULT_BUILD_ERROR, 0);
    cr_assert_not_null(strstr(toy.result.build_messages, "building it fills the room"), "%s",
                       toy.result.build_messages);
    release(&toy);
    sandbox_close(&box);
}

Test(job, file_that_takes_too_much_to_compile_is_a_build_error_that_says_so)
{
    toy_job toy;
    sandbox box;
    if (!open_little_room(&box)) return;
    toy = prepare("right");
    toy.job.sandbox = &box;
    toy.job.source = "grader/attacks/macros_without_end.c";
    run(&toy);
    assert_verdict(&toy, RESULT_BUILD_ERROR, 0);
    cr_assert_not_null(strstr(toy.result.build_messages, "more time or memory than it may"), "%s",
                       toy.result.build_messages);
    release(&toy);
    sandbox_close(&box);
}

/* ---- faults of the grader ---------------------------------------------------------------------------------------- */

static void assert_fault(toy_job *toy, const char *summary)
{
    assert_verdict(toy, RESULT_GRADER_FAULT, 0);
    cr_assert_not_null(strstr(toy->result.summary, summary), "%s", toy->result.summary);
    release(toy);
}

Test(job, folder_that_cannot_be_made_is_a_grader_fault)
{
    toy_job toy = prepare("right");
    setenv("TMPDIR", "/nowhere", 1);
    run(&toy);
    assert_fault(&toy, "not graded: cannot use /nowhere for temporary files");
}

/* A file-size limit simulates a full disk. */
Test(job, full_disk_is_a_grader_fault)
{
    toy_job toy = prepare("right");
    struct rlimit limit = {1, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    run(&toy);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_fault(&toy, "not graded: cannot write ");
}

Test(job, checks_that_leave_no_evidence_are_a_grader_fault)
{
    toy_job toy = prepare("right");
    free(toy.parts.checks);
    toy.parts.checks = strdup("/bin/true");
    run(&toy);
    assert_fault(&toy, "left no whole evidence");
}

/* Otherwise a program could avoid a zero by returning this status. */
Test(job, machine_is_not_blamed_on_the_programs_word)
{
    toy_job toy = prepare("blames_the_machine");
    run(&toy);
    cr_assert_eq(toy.result.verdict, RESULT_WRONG_RESULT, "%s", toy.result.summary);
    cr_assert_eq(toy.result.points, 30, "the points of the other check");
    release(&toy);
}

Test(job, machine_that_fails_the_reference_too_is_a_grader_fault)
{
    setenv("LAB_TOY_BROKEN", "1", 1);
    toy_job toy = prepare("blames_the_machine");
    run(&toy);
    cr_assert_eq(toy.result.verdict, RESULT_GRADER_FAULT, "%s", toy.result.summary);
    cr_assert_not_null(strstr(toy.result.summary, "the probe of the machine"), "%s", toy.result.summary);
    cr_assert_eq(toy.result.points, 30, "the points of the other check");
    release(&toy);
}

Test(job, missing_compiler_is_a_grader_fault)
{
    toy_job toy = prepare("right");
    free(toy.parts.compiler);
    toy.parts.compiler = strdup("/nowhere/gcc");
    run(&toy);
    assert_fault(&toy, "not graded: cannot start /nowhere/gcc: No such file or directory");
}

/* ---- the parts --------------------------------------------------------------------------------------------------- */

static void assert_does_not_open(const lab_parts_places *places, const char *sentence)
{
    lab_parts parts;
    grader_fault fault;
    cr_assert_not(lab_parts_open(&parts, places, &fault));
    cr_assert_not_null(strstr(fault.text, sentence), "%s", fault.text);
}

Test(lab_parts, unknown_lab_lists_the_labs)
{
    assert_does_not_open(&(lab_parts_places){.root = ".", .build = toy_build(), .name = "lab99"},
                         "there is no lab \"lab99\"; the labs are: lab");
    assert_does_not_open(&(lab_parts_places){.root = ".", .build = toy_build(), .name = "../x"},
                         "there is no lab \"../x\"");
}

Test(lab_parts, lab_that_is_not_built_says_how_to_build_it)
{
    assert_does_not_open(&(lab_parts_places){.root = ".", .build = "grader", .name = "toylab", .folder = TOY_FOLDER},
                         "run `make toylab` first");
}
