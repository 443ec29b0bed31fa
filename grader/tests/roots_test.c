/* Which failed checks are one mistake: by what the harness found, and on real labs' wrong answers. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/text.h"
#include "judge/result.h"
#include "shell.h"

/* A failed check "1", "2" and so on, at this line, with these texts and fields. */
static void add(json_t *checks, const char *kind, int line, const char *message, const char *cause, const char *more)
{
    json_t *fields = more ? json_loads(more, 0, NULL) : json_object();
    json_t *check = json_pack("{s:o, s:s, s:s, s:i, s:i, s:s, s:s, s:{s:s, s:i, s:s}}", "name",
                              json_sprintf("%zu", json_array_size(checks) + 1), "status", "failed", "kind", kind,
                              "points", 0, "max_points", 10, "message", message, "cause", cause, "location", "file",
                              "lab01.c", "line", line, "function", "");
    cr_assert(check && json_is_object(fields), "%s", more);
    json_object_update(check, fields);
    json_decref(fields);
    json_array_append_new(checks, check);
}

/* The roots of all checks: "1 1 3". */
static void assert_roots(json_t *checks, const char *wanted)
{
    text_buffer roots = {0};
    const json_t *check;
    size_t index;
    cr_assert(result_mark_roots(checks));
    json_array_foreach(checks, index, check)
    {
        const char *root = result_string(check, "root");
        text_format(&roots, "%s%s", index ? " " : "", *root ? root : "-");
    }
    cr_assert_str_eq(roots.text, wanted);
    free(roots.text);
    json_decref(checks);
}

static const char *const edge = "{\"edge\": {\"first\": {\"line\": 3}, \"second\": {\"line\": 4}}}";
static const char *const other_edge = "{\"edge\": {\"first\": {\"line\": 3}, \"second\": {\"line\": 5}}}";

Test(roots, two_checks_for_want_of_the_same_order_are_one_mistake_whatever_they_say)
{
    json_t *checks = json_array();
    add(checks, "race suspected", 4, "nothing orders b", "add a wait", edge);
    add(checks, "wrong result", 9, "the numbers are wrong", "", edge);
    add(checks, "race suspected", 4, "nothing orders b", "add a wait", other_edge);
    add(checks, "race suspected", 4, "nothing orders b", "add a wait", NULL);
    assert_roots(checks, "1 1 3 4");
}

Test(roots, one_line_is_one_mistake_if_both_say_the_same_of_it)
{
    json_t *checks = json_array();
    add(checks, "wrong result", 4, "event 2 is not done (under LAB_SCHEDULE=adversarial:3)", "",
        "{\"found\": \"LATE\"}");
    add(checks, "wrong result", 4, "event 3 is not done", "", "{\"found\": \"LATE\"}");
    add(checks, "wrong result", 5, "event 3 is not done", "", "{\"found\": \"LATE\"}");
    add(checks, "wrong result", 4, "the copy failed, and the function hides it", "look at the status", NULL);
    add(checks, "rule", 4, "another thing", "look at the status", NULL);
    add(checks, "wrong result", 4, "the copy fails, too", "look at the status", NULL);
    assert_roots(checks, "1 1 3 4 5 4");
}

Test(roots, schedules_make_no_other_message)
{
    json_t *checks = json_array();
    add(checks, "rule", 4, "it waits (under LAB_SCHEDULE=adversarial:3)", "", NULL);
    add(checks, "rule", 4, "it waits (under LAB_SCHEDULE=adversarial:77)", "", NULL);
    add(checks, "rule", 4, "it waits twice", "", NULL);
    assert_roots(checks, "1 1 3");
}

Test(roots, wrong_numbers_of_one_line_are_one_mistake_unless_their_causes_differ)
{
    json_t *checks = json_array();
    add(checks, "wrong result", 4, "wrong: 1 of 1", "", "{\"mismatch_count\": 1}");
    add(checks, "wrong result", 4, "wrong: 9 of 9", "", "{\"mismatch_count\": 9}");
    add(checks, "wrong result", 4, "wrong: 5 of 9", "too few threads", "{\"mismatch_count\": 5}");
    assert_roots(checks, "1 1 3");
}

/* The line of a function's last call is no mistake's line: two things can be missing behind it. */
Test(roots, guessed_lines_alone_join_nothing)
{
    static const char *const guess = "{\"mismatch_count\": 1, \"found\": \"0\", \"location\": {\"file\": \"lab01.c\", "
                                     "\"line\": 4, \"guessed\": true}}";
    json_t *checks = json_array();
    add(checks, "wrong result", 4, "u is wrong", "", guess);
    add(checks, "wrong result", 4, "v is wrong", "", guess);
    add(checks, "wrong result", 4, "u is wrong", "", guess);
    assert_roots(checks, "1 2 1");
}

Test(roots, checks_in_a_part_that_is_not_written_are_one)
{
    json_t *checks = json_array();
    add(checks, "rule", 4, "no stream is made", "", "{\"unwritten\": true}");
    add(checks, "wrong result", 4, "the sum is wrong", "", "{\"unwritten\": true}");
    add(checks, "wrong result", 8, "the mean is wrong", "", "{\"unwritten\": true}");
    assert_roots(checks, "1 1 3");
}

Test(roots, a_check_that_another_kept_from_running_is_part_of_its_mistake)
{
    json_t *checks = json_array();
    add(checks, "rule", 4, "it waits", "", NULL);
    add(checks, "rule", 4, "it waits", "", NULL);
    add(checks, "", 0, "after 2", "", "{\"status\": \"not run\", \"needs\": \"2\"}");
    add(checks, "", 0, "another was asked for", "", "{\"status\": \"not run\"}");
    add(checks, "", 0, "", "", "{\"status\": \"passed\"}");
    json_t *kept = json_incref(checks);
    assert_roots(checks, "1 1 1 - -");
    const root_cost cost = result_root_cost(kept, json_array_get(kept, 0));
    cr_assert_eq(cost.checks, 3);
    cr_assert_eq(cost.points, 30);
    json_decref(kept);
}

Test(roots, marks_of_an_earlier_run_are_replaced)
{
    json_t *checks = json_array();
    add(checks, "rule", 4, "it waits", "", "{\"root\": \"9\", \"mistake\": \"leak\"}");
    add(checks, "", 0, "", "", "{\"status\": \"passed\", \"root\": \"1\"}");
    assert_roots(checks, "1 -");
}

/* ---- real labs --------------------------------------------------------------------------------------------------- */

/* What the lab's wrong answer lost, mistake by mistake: "missing order: 3 checks, 30 points". */
static void assert_mistakes(const char *lab, const char *wrong, const char *wanted)
{
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    grader_fault fault;
    text_buffer command = {0}, told = {0};
    const json_t *check;
    size_t index;
    char *out;
    cr_assert(folder_make_private(&out, "roots-test", &fault), "%s", fault.text);
    text_format(&command, "%s/bin/labcheck --root . --build %s --lab %s --source %s/%s/wrong/%s.c --out %s", build,
                build, lab, build, lab, wrong, out);
    free(shell(command.text, 1));
    char *path = folder_path(out, "result.json");
    json_t *result = json_load_file(path, 0, NULL), *checks = json_object_get(result, "checks");
    json_array_foreach(checks, index, check)
    {
        if (!result_tells_root(check)) continue;
        const root_cost cost = result_root_cost(checks, check);
        text_format(&told, "%s%s: %d checks, %d points", told.length ? "; " : "", result_string(check, "mistake"),
                    cost.checks, cost.points);
    }
    cr_assert_str_eq(told.text ? told.text : "", wanted, "%s", wrong);
    json_decref(result);
    folder_remove(out);
    free(path);
    free(out);
    free(command.text);
    free(told.text);
}

/* The consumer waits for nothing: by the record, in an adversarial order, and where only events are counted. */
Test(roots, a_wait_that_is_missing_is_one_mistake_in_each_check_that_finds_it)
{
    assert_mistakes("lab02", "no_wait", "missing order: 3 checks, 30 points");
    assert_mistakes("lab02", "waits_before_recording", "missing order: 3 checks, 30 points");
    assert_mistakes("lab09", "joins_without_an_edge", "missing order: 3 checks, 25 points");
    assert_mistakes("lab09", "host_functions_as_they_come", "missing order: 4 checks, 30 points");
}

Test(roots, a_wrong_call_is_one_mistake_in_each_check_that_finds_it)
{
    assert_mistakes("lab02", "fills_ones_everywhere", "mistake: 3 checks, 25 points");
    assert_mistakes("lab09", "mixes_the_wrong_way_round", "mistake: 3 checks, 25 points");
    assert_mistakes("lab09", "largest_number_is_urgent", "mistake: 2 checks, 15 points");
}

Test(roots, two_consequences_that_checks_find_at_two_lines_are_two)
{
    assert_mistakes("lab02", "asks_once", "mistake: 1 checks, 15 points; mistake: 1 checks, 5 points");
    assert_mistakes("lab09", "calls_it_twice", "mistake: 3 checks, 25 points; mistake: 1 checks, 5 points");
}
