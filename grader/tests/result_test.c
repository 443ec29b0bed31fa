/* Verdicts derived from checks, and the format of a result. */
#include "test.h"

#include <signal.h>

#include <stdlib.h>
#include <string.h>

#include "judge/evidence.h"
#include "judge/result.h"

static void add_check(grading_result *result, const char *name, const char *status, const char *kind, int points)
{
    json_t *check = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:s}", "name", name, "title", "Second", "status", status,
                              "kind", kind, "points", points, "max_points", 10, "message", "what happened");
    json_array_append_new(result->checks, check);
}

static grading_result begin(void)
{
    grading_result result = {.max_points = 40};
    result.lab_name = strdup("lab03");
    result.checks = json_array();
    result.timings = json_array();
    result.ratios = json_array();
    add_check(&result, "one", "passed", "", 10);
    return result;
}

static void assert_verdict(grading_result *result, result_verdict verdict, const char *summary)
{
    grader_fault fault;
    cr_assert(result_conclude(result, &fault), "%s", fault.text);
    cr_assert_str_eq(result_verdict_name(result->verdict), result_verdict_name(verdict));
    cr_assert_str_eq(result->summary, summary, "%s", result->summary);
    result_free(result);
}

Test(result, all_passed_is_passed)
{
    grading_result result = begin();
    add_check(&result, "two", "passed", "", 10);
    assert_verdict(&result, RESULT_PASSED, "all 2 checks passed");
}

Test(result, points_are_those_of_the_checks)
{
    grading_result result = begin();
    grader_fault fault;
    add_check(&result, "two", "failed", "rule", 0);
    add_check(&result, "three", "passed", "", 5);
    result_conclude(&result, &fault);
    cr_assert_eq(result.points, 15);
    result_free(&result);
}

Test(result, failed_names_the_first_failure)
{
    grading_result result = begin();
    add_check(&result, "two", "failed", "rule", 0);
    add_check(&result, "three", "failed", "leak", 0);
    assert_verdict(&result, RESULT_FAILED, "1 of 3 checks passed; first failure: \"Second\"");
}

Test(result, crash_comes_before_timeout_and_failed)
{
    grading_result result = begin();
    add_check(&result, "two", "failed", "wrong result", 0);
    add_check(&result, "three", "failed", "timeout", 0);
    add_check(&result, "four", "failed", "crash", 0);
    assert_verdict(&result, RESULT_CRASH, "what happened (1 of 4 checks passed)");
}

Test(result, grader_fault_comes_before_all)
{
    grading_result result = begin();
    add_check(&result, "two", "failed", "crash", 0);
    add_check(&result, "three", "grader fault", "", 0);
    assert_verdict(&result, RESULT_GRADER_FAULT, "not graded: what happened");
}

static void add_extra(grading_result *result, const char *status, const char *kind)
{
    add_check(result, "more", status, kind, 0);
    json_object_set_new(json_array_get(result->checks, json_array_size(result->checks) - 1), "extra", json_true());
}

Test(result, a_task_for_those_who_want_more_fails_no_lab)
{
    static const char *const kinds[] = {"wrong result", "crash", "timeout"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        grading_result result = begin();
        add_extra(&result, "failed", kinds[i]);
        assert_verdict(&result, RESULT_PASSED, "all required checks passed, 1 of 2");
    }
    grading_result result = begin();
    add_extra(&result, "not run", "");
    assert_verdict(&result, RESULT_PASSED, "all required checks passed, 1 of 2");
}

Test(result, a_required_check_or_the_grader_decides_beside_an_extra_one)
{
    grading_result result = begin(), fault = begin();
    add_extra(&result, "failed", "crash");
    add_check(&result, "three", "failed", "rule", 0);
    assert_verdict(&result, RESULT_FAILED, "1 of 3 checks passed; first failure: \"Second\"");
    add_extra(&fault, "grader fault", "");
    assert_verdict(&fault, RESULT_GRADER_FAULT, "not graded: what happened");
}

Test(result, json_has_every_field_of_the_schema)
{
    static const char *const fields[] = {"schema",  "lab",        "submission",       "device",  "started",
                                         "seconds", "seed",       "verdict",          "summary", "points",
                                         "build",   "max_points", "checks",           "timings", "ratios",
                                         "output",  "artifacts",  "output_truncated", "review"};
    grading_result result = begin();
    json_t *json = result_json(&result);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        cr_assert_not_null(json_object_get(json, fields[i]), "%s", fields[i]);
    }
    cr_assert_eq(json_object_size(json), sizeof fields / sizeof *fields);
    cr_assert_str_eq(result_string(json, "schema"), "lab-result/1");
    json_decref(json);
    result_free(&result);
}

/* 2^64 - 1 has more digits than a double keeps. */
Test(result, seed_is_text_and_null_when_secret)
{
    grading_result result = begin();
    result.seed = UINT64_MAX;
    json_t *shown = result_json(&result);
    cr_assert_str_eq(result_string(shown, "seed"), "18446744073709551615");
    result.seed_secret = true;
    json_t *secret = result_json(&result);
    cr_assert(json_is_null(json_object_get(secret, "seed")));
    json_decref(shown);
    json_decref(secret);
    result_free(&result);
}

/* ---- evidence ---------------------------------------------------------------------------------------------------- */

static json_t *manifest_entry(void)
{
    return json_pack("{s:s, s:s, s:i}", "name", "two", "title", "Second", "points", 10);
}

/* Merges a check's output into a result. Returns the status of the check's entry. */
static const char *status_after(grading_result *result, char *printed, int status, subprocess_event event)
{
    json_t *entry = manifest_entry();
    grader_fault fault;
    char errors[] = "last words";
    subprocess_result ended = {.event = event, .exit.status = status, .output = printed, .errors = errors};
    ended.output_bytes = strlen(printed);
    ended.error_bytes = strlen(errors);
    cr_assert(evidence_merge(result, entry, 1, &ended, NULL, &fault), "%s", fault.text);
    json_decref(entry);
    return result_string(json_array_get(result->checks, 1), "status");
}

static void assert_status(char *printed, int status, subprocess_event event, const char *expected)
{
    grading_result result = begin();
    const char *found = status_after(&result, printed, status, event);
    cr_assert_str_eq(found, expected, "status %s", found);
    cr_assert_eq(json_array_size(result.checks), 2u);
    result_free(&result);
}

Test(evidence, of_a_check_that_computes_without_end_is_a_fault_of_the_grader)
{
    grading_result result = begin();
    json_t *entry = manifest_entry();
    grader_fault fault;
    char nothing[] = "";
    subprocess_result ended = {
        .event = SUBPROCESS_EXITED, .exit = {.status = -1, .signal = SIGXCPU}, .output = nothing, .errors = nothing};
    cr_assert(evidence_merge(&result, entry, 1, &ended, NULL, &fault), "%s", fault.text);
    const json_t *found = json_array_get(result.checks, 1);
    cr_assert_str_eq(result_string(found, "status"), "grader fault");
    cr_assert_not_null(strstr(result_string(found, "message"), "the check two computes for longer than a check may"));
    json_decref(entry);
    result_free(&result);
}

#define EVIDENCE(name, status)                                                                                         \
    "{\"check\": {\"name\": \"" name "\", \"status\": \"" status                                                       \
    "\"}, \"timings\": [], \"ratios\": [], \"output\": \"o\"}\n"

Test(evidence, of_a_check_that_passed_is_taken)
{
    char printed[] = EVIDENCE("two", "passed");
    assert_status(printed, 0, SUBPROCESS_EXITED, "passed");
}

Test(evidence, that_contradicts_the_exit_is_a_grader_fault)
{
    char passed[] = EVIDENCE("two", "passed"), failed[] = EVIDENCE("two", "failed");
    assert_status(passed, 1, SUBPROCESS_EXITED, "grader fault");
    assert_status(failed, 0, SUBPROCESS_EXITED, "grader fault");
}

Test(evidence, of_another_check_is_a_grader_fault)
{
    char printed[] = EVIDENCE("one", "passed");
    assert_status(printed, 0, SUBPROCESS_EXITED, "grader fault");
}

Test(evidence, that_is_missing_cut_or_doubled_is_a_grader_fault)
{
    char missing[] = "", cut[] = "{\"check\": {\"name\": \"two\"",
         doubled[] = EVIDENCE("two", "passed") EVIDENCE("two", "passed");
    assert_status(missing, 0, SUBPROCESS_EXITED, "grader fault");
    assert_status(cut, 0, SUBPROCESS_EXITED, "grader fault");
    assert_status(doubled, 0, SUBPROCESS_EXITED, "grader fault");
}

Test(evidence, of_a_check_that_did_not_end_is_a_grader_fault_with_its_last_words)
{
    char printed[] = EVIDENCE("two", "passed");
    grading_result result = begin();
    cr_assert_str_eq(status_after(&result, printed, 0, SUBPROCESS_DEADLINE), "grader fault");
    cr_assert_str_eq(result_string(json_array_get(result.checks, 1), "message"),
                     "the check two did not end; it said: last words");
    result_free(&result);
}

Test(evidence, gets_title_and_hint_from_the_manifest)
{
    char printed[] = EVIDENCE("two", "failed");
    grading_result result = begin();
    status_after(&result, printed, 1, SUBPROCESS_EXITED);
    const json_t *check = json_array_get(result.checks, 1);
    cr_assert_str_eq(result_string(check, "title"), "Second");
    cr_assert_str_eq(result_string(check, "hint"), "make lab03-hint CHECK=2");
    cr_assert_str_eq(result.output, "o");
    result_free(&result);
}
