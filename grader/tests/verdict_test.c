/* The page of a verdict: its contents, and that it fits the terminal. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/page_layout.h"
#include "page/verdict.h"

static char printed_text[16384];
static const char *build = "", *variables = "", *next_lab = NULL, *lesson = NULL;
static bool whole = false;

/* Prints into printed_text. */
static const char *print(const grading_result *result, lab_terminal terminal)
{
    memset(printed_text, 0, sizeof printed_text);
    FILE *file = fmemopen(printed_text, sizeof printed_text, "w");
    const verdict_page page = {
        .file = file,
        .terminal = terminal,
        .out = "build/lab03",
        .command = "make lab03",
        .build = build,
        .variables = variables,
        .next_lab = next_lab,
        .lesson = lesson,
        .whole = whole,
    };
    verdict_print(&page, result);
    fclose(file);
    return printed_text;
}

static const lab_terminal plain = {.utf8 = true, .columns = 80};

static json_t *failed_check(void)
{
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:i, s:s, s:s, s:s, s:[{s:s, s:s, s:s}], s:i, s:s, s:{s:s, s:i, s:s}, s:s}", "name",
        "copies", "title", "Copies overlap kernels on every stream of the lab", "status", "failed", "kind", "rule",
        "points", 0, "max_points", 20, "message",
        "no copy ran while a kernel of another stream was running on the device", "expected", "overlap", "found",
        "none", "mismatches", "where", "array 1, element 2", "expected", "3", "found", "4", "mismatch_count", 9,
        "cause", "pageable memory", "location", "file", "lab03.c", "line", 31, "function", "lab03_run", "hint",
        "make lab03-hint CHECK=1");
}

static grading_result failed_result(void)
{
    grading_result result = {.verdict = RESULT_FAILED, .max_points = 20, .build_ok = true};
    result.lab_name = strdup("lab03");
    result.lab_title = strdup("200 arrays at once");
    result.submission = strdup("lab03.c");
    result.file = strdup("lab03.c");
    result.summary = strdup("0 of 1 checks passed");
    result.checks = json_pack("[o]", failed_check());
    result.timings = json_pack("[{s:s, s:s, s:f, s:f, s:f}]", "label", "serial", "who", "yours", "median_ms", 70.1,
                               "min_ms", 68.0, "max_ms", 75.2);
    result.ratios = json_pack("[{s:s, s:f, s:f}]", "label", "times faster", "yours", 1.84, "reference", 1.86);
    return result;
}

static void assert_says(const char *page, const char *phrase)
{
    cr_assert_not_null(strstr(page, phrase), "no \"%s\" in:\n%s", phrase, page);
}

Test(verdict, of_a_failure_says_what_where_and_what_next)
{
    grading_result result = failed_result();
    const char *page = print(&result, plain);
    static const char *const phrases[] = {"FAILED  0 of 20 points",
                                          "expected  overlap",
                                          "found     none",
                                          "and 8 more",
                                          "lab03.c:31 in lab03_run",
                                          "make lab03-hint CHECK=1",
                                          "array 1, element 2: expected 3, found 4",
                                          "cause     pageable memory",
                                          "70.1 (68 to 75.2)",
                                          "1.84        1.86",
                                          "`make lab03 V=1` prints everything"};
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) assert_says(page, phrases[i]);
    result_free(&result);
}

/* What stands on a screen of 24 lines when the verdict is printed. */
Test(verdict, of_a_failure_ends_with_the_first_one_on_the_screen_that_remains)
{
    grading_result result = failed_result();
    for (int i = 0; i < 40; i++) json_array_append_new(result.checks, failed_check());
    const char *page = print(&result, plain), *line = page + strlen(page) - 1;
    for (int lines = 0; line > page && lines < 23; line--) lines += line[-1] == '\n';
    static const char *const phrases[] = {"FAILED  0 of 20 points",    "check 1   Copies overlap", "no copy ran",
                                          "cause     pageable memory", "lab03.c:31 in lab03_run",  "gives a hint"};
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) assert_says(line, phrases[i]);
    result_free(&result);
}

Test(verdict, told_whole_has_every_finding_in_full)
{
    grading_result result = failed_result();
    json_array_append_new(result.checks, failed_check());
    whole = true;
    const char *page = print(&result, plain);
    assert_says(strstr(page, "and 8 more") + 1, "and 8 more");
    cr_assert_null(strstr(page, "V=1"));
    result_free(&result);
}

/* Passed checks take a line each, whatever their titles. */
Test(verdict, of_a_passed_check_is_one_line)
{
    grading_result result = failed_result();
    json_t *check = json_array_get(result.checks, 0);
    json_object_set_new(check, "status", json_string("passed"));
    json_object_set_new(check, "title",
                        json_string("A title that is far too long for one line of eighty columns, and ends"));
    result.verdict = RESULT_PASSED;
    next_lab = "labs/lab04-contexts";
    const char *page = print(&result, plain);
    assert_says(page, "too long for one line of eighty colu...\n");
    assert_says(page, "Then continue with lab04: read\n          labs/lab04-contexts/README.md and run `make lab04`.");
    next_lab = NULL;
    assert_says(print(&result, plain), "This was the last lab");
    result_free(&result);
}

Test(verdict, of_a_failure_names_the_place_in_the_lesson)
{
    grading_result result = failed_result();
    lesson = "labs/lab03-concurrency/README.md#task-3-pinned-memory";
    assert_says(print(&result, plain), "labs/lab03-concurrency/README.md#task-3-pinned-memory\n");
    result_free(&result);
}

Test(verdict, commands_it_names_find_what_was_built_elsewhere)
{
    grading_result result = failed_result();
    json_object_set_new(json_array_get(result.checks, 0), "timeline", json_string("make lab03-timeline"));
    variables = " BUILD=/tmp/b";
    const char *page = print(&result, (lab_terminal){.utf8 = true, .columns = 200});
    assert_says(page,
                "`make lab03-timeline BUILD=/tmp/b` draws both calls and marks them. `make lab03 V=1 BUILD=/tmp/b`");
    assert_says(page, "`make lab03-hint CHECK=1 BUILD=/tmp/b` gives a hint. Then run `make lab03 BUILD=/tmp/b` again.");
    assert_says(page, "make lab03 SEED=0 BUILD=/tmp/b\n");
    result_free(&result);
}

Test(verdict, has_a_column_for_the_reference_only_where_it_was_measured)
{
    grading_result result = failed_result();
    json_array_clear(result.ratios);
    cr_assert_null(strstr(print(&result, plain), "reference"));
    json_array_append_new(result.timings,
                          json_pack("{s:s, s:s, s:f}", "label", "serial", "who", "reference", "median_ms", 69.0));
    assert_says(print(&result, plain), "reference");
    result_free(&result);
}

static void add_part(grading_result *result, const char *label, double milliseconds)
{
    json_array_append_new(result->timings,
                          json_pack("{s:s, s:s, s:f}", "label", label, "who", "reference", "median_ms", milliseconds));
}

/* The bars are drawn to one scale, each part with its own sign, and a part that is too short still has a column. */
Test(verdict, of_times_with_parts_draws_each_as_a_bar)
{
    grading_result result = failed_result();
    add_part(&result, "first run: context", 50.0);
    add_part(&result, "first run: compilation", 50.0);
    add_part(&result, "next run: context", 50.0);
    add_part(&result, "next run: load", 0.001);
    const char *page = print(&result, (lab_terminal){.columns = 44});
    assert_says(page, "milliseconds, with their parts\n"
                      "first run     ##########==========       100\n"
                      "next run      ##########+                 50\n"
                      "# context   = compilation   + load\n");
    cr_assert_null(strstr(page, "first run: context"), "%s", page);
    assert_says(print(&result, (lab_terminal){.columns = 44, .utf8 = true}), "next run      ██████████▒        ");
    result_free(&result);
}

Test(verdict, of_a_missing_file_says_how_to_go_on)
{
    grading_result result = failed_result();
    result.verdict = RESULT_MISSING_FILE;
    free(result.summary);
    result.summary = strdup("lab03.c is missing; the folder holds: mine.c");
    assert_says(print(&result, plain), "lab03.c is missing; the folder holds: mine.c. Put your work into\n"
                                       "          lab03.c, or start over with `make lab03-reset`.");
    result_free(&result);
}

/* Checks 1 and 2 fail for want of the same order; 3 and 4 for something else, which keeps 5 from running. */
static grading_result result_of_two_mistakes(void)
{
    static const char *const names[] = {"one", "two", "three", "four", "five"};
    grading_result result = failed_result();
    for (int i = 0; i < 4; i++) json_array_append_new(result.checks, failed_check());
    for (size_t i = 0; i < 5; i++) {
        json_t *check = json_array_get(result.checks, i);
        json_object_set_new(check, "name", json_string(names[i]));
        if (i < 2)
            json_object_set_new(check, "edge",
                                json_pack("{s:{s:i}, s:{s:i}}", "first", "line", 1, "second", "line", 2));
        if (i == 2)
            json_object_set_new(check, "message", json_string("the sum is wrong. Block 3 has 7. Block 4 has 8"));
        if (i == 3) json_object_set_new(check, "message", json_string("the mean is wrong"));
    }
    json_object_set_new(json_array_get(result.checks, 0), "timeline", json_string("make lab03-timeline"));
    json_object_set_new(json_array_get(result.checks, 4), "status", json_string("not run"));
    json_object_set_new(json_array_get(result.checks, 4), "needs", json_string("three"));
    cr_assert(result_mark_roots(result.checks));
    return result;
}

Test(verdict, of_one_mistake_in_several_checks_tells_it_once_with_what_it_costs)
{
    grading_result result = result_of_two_mistakes();
    const char *page = print(&result, plain);
    assert_says(page, "`make lab03-timeline` draws both calls and marks them.");
    assert_says(page, "costs     40 points in 2 checks: 1 and 2\n");
    assert_says(page, "what      the same mistake as in check 1, told below\n");
    assert_says(page, "costs     60 points in 3 checks: 3, 4 and 5\n");
    const char *again = strstr(page, "the same mistake as in check 3\n");
    cr_assert(again && !strstr(again + 1, "the same mistake"), "%s", page);
    cr_assert_null(strstr(page, "the mean is wrong"), "%s", page);
    result_free(&result);
}

Test(verdict, of_a_long_message_has_its_first_sentence_first)
{
    grading_result result = result_of_two_mistakes();
    const char *page = print(&result, plain);
    assert_says(page, "what      the sum is wrong\n");
    cr_assert_null(strstr(page, "Block 3"), "%s", page);
    whole = true;
    page = print(&result, plain);
    whole = false;
    assert_says(page, "what      the sum is wrong\n            details   Block 3 has 7. Block 4 has 8\n");
    result_free(&result);
}

Test(verdict, points_to_the_call_of_a_function_that_the_lab_gives)
{
    grading_result result = failed_result();
    json_t *place = json_object_get(json_array_get(result.checks, 0), "location");
    json_object_set_new(place, "called_at", json_integer(50));
    assert_says(print(&result, (lab_terminal){.columns = 200}),
                "look at   lab03.c:31 in lab03_run, called at line 50\n");
    json_object_set_new(place, "change", json_integer(50));
    assert_says(print(&result, (lab_terminal){.columns = 200}),
                "look at   lab03.c:50 in lab03_run, a call that leads to line 31\n");
    result_free(&result);
}

/* In a loop a call may come after one that stands below it. */
Test(verdict, says_after_which_calls_a_call_is_wrong)
{
    grading_result result = failed_result();
    json_t *place = json_object_get(json_array_get(result.checks, 0), "location");
    json_object_set_new(place, "after", json_pack("[i, i]", 40, 44));
    assert_says(print(&result, (lab_terminal){.columns = 200}),
                "look at   lab03.c:31 in lab03_run, when it runs after line 40 and line 44\n");
    result_free(&result);
}

Test(verdict, of_an_unsolved_starter_looks_different_from_a_failure)
{
    grading_result result = failed_result();
    result.open_tasks = strdup("1, 2");
    const char *page = print(&result, plain);
    assert_says(page, "NOT SOLVED YET");
    assert_says(page, "TODO 1, 2");
    result_free(&result);
}

/* A second check that failed in a function that is still the starter's. */
static void add_unwritten(grading_result *result, bool extra)
{
    json_t *check = failed_check();
    json_object_set_new(check, "title", json_string("Task 2: shuffles"));
    json_object_set_new(check, "message", json_string("the shuffled sum differs"));
    json_object_set_new(check, "unwritten", json_true());
    if (extra) json_object_set_new(check, "extra", json_true());
    json_array_append_new(result->checks, check);
}

Test(verdict, of_a_function_that_is_not_written_yet_has_one_line)
{
    grading_result result = failed_result();
    add_unwritten(&result, false);
    const char *page = print(&result, plain);
    assert_says(page, " – to write   0/20   Task 2: shuffles\n");
    cr_assert_null(strstr(page, "the shuffled sum differs"), "%s", page);
    assert_says(page, "no copy ran while");
    whole = true;
    assert_says(print(&result, plain), "the shuffled sum differs");
    whole = false;
    result_free(&result);
}

Test(verdict, of_a_fresh_starter_tells_its_first_task_in_full)
{
    grading_result result = failed_result();
    json_array_clear(result.checks);
    add_unwritten(&result, false);
    add_unwritten(&result, false);
    const char *page = print(&result, plain), *told = strstr(page, "the shuffled sum differs");
    cr_assert(told && !strstr(told + 1, "the shuffled sum differs"), "%s", page);
    result_free(&result);
}

Test(verdict, passed_leaves_an_extra_task_to_those_who_want_more)
{
    grading_result result = failed_result();
    json_array_clear(result.checks);
    add_unwritten(&result, true);
    result.verdict = RESULT_PASSED;
    result.open_tasks = strdup("2");
    const char *page = print(&result, plain);
    assert_says(page, "PASSED  0 of 20 points");
    assert_says(page, "\"Task 2: shuffles\" is for those who want more.");
    static const char *const words[] = {"NOT SOLVED", "FAILED", "TODO", "SEED=", "the shuffled sum differs"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) cr_assert_null(strstr(page, words[i]), "%s", page);
    json_object_del(json_array_get(result.checks, 0), "unwritten");
    assert_says(print(&result, plain), "the shuffled sum differs");
    result_free(&result);
}

Test(verdict, says_once_why_checks_were_not_run)
{
    grading_result result = failed_result();
    json_t *left = failed_check();
    json_object_set_new(left, "status", json_string("not run"));
    json_object_set_new(left, "message", json_string("after \"Copies\", which failed"));
    json_array_append(result.checks, left);
    json_array_append_new(result.checks, failed_check());
    json_array_append_new(result.checks, left);
    const char *page = print(&result, plain), *why = strstr(page, "why       after \"Copies\", which failed");
    cr_assert(why && !strstr(why + 1, "why  "), "%s", page);
    result_free(&result);
}

Test(verdict, of_broken_code_says_so_even_with_open_tasks)
{
    grading_result result = failed_result();
    result.open_tasks = strdup("1, 2");
    result.verdict = RESULT_CRASH;
    assert_says(print(&result, plain), "BROKEN: crash");
    result_free(&result);
}

Test(verdict, of_a_crash_names_its_check_if_another_failed_before)
{
    grading_result result = failed_result();
    json_t *crash = failed_check();
    json_object_set_new(crash, "kind", json_string("crash"));
    json_array_append_new(result.checks, crash);
    result.verdict = RESULT_CRASH;
    assert_says(print(&result, plain), "BROKEN: crash in check 2  0 of 20 points");
    result_free(&result);
}

Test(verdict, of_a_file_of_another_name_names_that_one)
{
    grading_result result = failed_result();
    free(result.submission);
    result.submission = strdup("/tmp/my.c");
    variables = " FILE=/tmp/my.c";
    const char *page = print(&result, (lab_terminal){.utf8 = true, .columns = 200});
    assert_says(page, "look at   my.c:31 in lab03_run");
    assert_says(page, "Then run `make lab03 FILE=/tmp/my.c` again.");
    result.verdict = RESULT_PASSED;
    next_lab = "labs/lab04-contexts";
    assert_says(print(&result, (lab_terminal){.utf8 = true, .columns = 200}),
                "read labs/lab04-contexts/README.md and run");
    result_free(&result);
}

/* A check that a hang kept from running. */
static json_t *check_not_run(const char *title, const char *why)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i}", "title", title, "status", "not run", "message", why, "kind", "",
                     "points", 0, "max_points", 10);
}

Test(verdict, of_a_hang_says_once_why_other_checks_were_not_run_and_what_they_are_worth)
{
    grading_result result = failed_result();
    const char *first = "it needs lab03_run, which did not end above", *second = "it needs lab03_end";
    result.verdict = RESULT_TIMEOUT;
    result.max_points = 50;
    json_array_append_new(result.checks, check_not_run("Second", first));
    json_array_append_new(result.checks, check_not_run("Third", first));
    json_array_append_new(result.checks, check_not_run("Fourth", second));
    const char *page = print(&result, plain);
    assert_says(page, "BROKEN: timeout  0 of 50 points; 30 could not be tried\n");
    assert_says(
        page, " – not run    0/20   checks 2 to 3\n            why       it needs lab03_run, which did not end above\n"
              " – not run    0/10   Fourth\n            why       it needs lab03_end\n");
    result_free(&result);
}

Test(verdict, fits_a_narrow_terminal)
{
    grading_result result = failed_result();
    for (int row = 0; row < 2; row++)
        json_array_append_new(
            result.timings, json_pack("{s:s, s:s, s:f, s:f, s:f, s:b}", "label",
                                      row ? "ten threads, one context for all of them" : "ten threads", "who",
                                      "reference", "median_ms", 1234.5, "min_ms", 68.0, "max_ms", 1275.2, "stable", 0));
    const char *page = print(&result, (lab_terminal){.columns = 44});
    assert_says(page, "Times with ~ vary too much to be compared;");
    assert_says(page, "~1234");
    for (const char *line = page; *line; line += strcspn(line, "\n") + 1) {
        cr_assert_leq(strcspn(line, "\n"), 44u, "too wide: %.*s", (int)strcspn(line, "\n"), line);
    }
    result_free(&result);
}

Test(verdict, breaks_no_command)
{
    grading_result result = failed_result();
    for (int columns = 40; columns <= 120; columns++) {
        const char *page = print(&result, (lab_terminal){.utf8 = true, .columns = columns});
        assert_says(page, "`make lab03-hint CHECK=1`");
        assert_says(page, "`make lab03`");
    }
    result_free(&result);
}

Test(verdict, is_ascii_where_the_terminal_is)
{
    grading_result result = failed_result();
    const char *page = print(&result, (lab_terminal){.columns = 80});
    for (const char *at = page; *at; at++) cr_assert_gt((signed char)*at, 0, "not ASCII: %s", at);
    assert_says(page, "x FAILED");
    result_free(&result);
}

Test(verdict, uses_colour_only_where_it_is_wanted)
{
    grading_result result = failed_result();
    cr_assert_null(strchr(print(&result, plain), '\033'));
    cr_assert_not_null(strchr(print(&result, (lab_terminal){.color = true, .utf8 = true, .columns = 80}), '\033'));
    result_free(&result);
}

Test(layout, cuts_long_text_between_two_characters)
{
    char text[256] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    text_page page = {.file = file, .terminal = {.utf8 = true, .columns = 80}};
    page_cut(&page, 9, "nine cols|");
    page_cut(&page, 10, "|nine cols");
    page_cut(&page, 6, "|\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9");
    page.terminal.utf8 = false;
    page_cut(&page, 6, "|\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9");
    fclose(file);
    cr_assert_str_eq(text, "nine c...|nine cols|\u00e9\u00e9...|??...", "%s", text);
}

Test(layout, breaks_lines_at_words_and_keeps_long_ones)
{
    char text[256] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    const text_page page = {.file = file, .terminal = {.utf8 = true, .columns = 30}};
    page_field(&page, 2, 6, "label", "one two three four five sixseveneightnineteneleven twelve");
    fclose(file);
    cr_assert_str_eq(text,
                     "  label one two three four\n"
                     "        five\n"
                     "        sixseveneightnineteneleven\n"
                     "        twelve\n",
                     "%s", text);
}
