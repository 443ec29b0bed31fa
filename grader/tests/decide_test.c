/* What persons decide about a lab: points of its checks, and the release of its results. */
#include "test.h"

#include <signal.h>
#include <sys/wait.h>

#include "adjusted_class.h"
#include "base/clock.h"

#define WEIGH(check, points, ...) WORDS("weigh", "--check", check, "--points", points, __VA_ARGS__)

static json_t *check_of(json_t *entry, const char *name)
{
    size_t index;
    json_t *check;
    json_array_foreach(json_object_get(entry, "checks"), index, check)
    {
        if (strcmp(result_string(check, "name"), name) == 0) return check;
    }
    cr_assert(false, "no check %s", name);
    return NULL;
}

static void assert_points(const char *name, double score, int full, int points)
{
    json_t *all = results(), *entry = entry_of(all, name);
    cr_assert_float_eq(json_number_value(json_object_get(entry, "score")), score, 1e-9, "%s has %g", name,
                       json_number_value(json_object_get(entry, "score")));
    cr_assert_eq(result_integer(entry, "full_points"), full);
    cr_assert_eq(result_integer(entry, "points"), points);
    json_decref(all);
}

/* ada passes checks of 60, 30 and 10 points, grace that of 30 alone. */
Test(decide, points_of_a_check_change_without_running_anything)
{
    graded_class();
    assert_adjust(WEIGH("every_element_is_right", "20", "--why", "too hard", "--who", "ann"), 0,
                  "    1  toylab: every_element_is_right counts 20 points; the lab has 60");
    assert_points("ada", 60, 60, 60);
    assert_points("grace", 30, 60, 30);
    assert_points("zuse", 0, 60, 0);
    json_t *all = results(), *check = check_of(entry_of(all, "ada"), "every_element_is_right");
    cr_assert_eq(result_integer(check, "points"), 20);
    cr_assert_eq(result_integer(check, "max_points"), 20);
    cr_assert_eq(result_integer(json_object_get(check, "weighed"), "max_points"), 60);
    cr_assert_null(json_object_get(check_of(entry_of(all, "ada"), "the_sum_is_right"), "weighed"));
    const json_t *decision = json_array_get(json_object_get(all, "decisions"), 0);
    cr_assert_str_eq(result_string(decision, "who"), "ann");
    cr_assert_str_eq(result_string(decision, "why"), "too hard");
    json_decref(all);
    assert_query("SELECT points || '/' || max_points FROM result WHERE name = 'ada'", "100/100");
    assert_call("labgrade", WORDS("regrade", "--student", "ada", "--out", out), 0, "1 passed");
    assert_points("ada", 60, 60, 60);
    assert_adjust(ADJUST("--revoke", "1", "--why", "a mistake"), 0, "adjustment 1 is revoked");
    assert_points("ada", 100, 100, 100);
    all = results();
    cr_assert_eq(json_array_size(json_object_get(all, "decisions")), 0);
    json_decref(all);
    end();
}

Test(decide, check_that_counts_nothing_leaves_the_score)
{
    graded_class();
    assert_adjust(WEIGH("every_element_is_right", "0", "--why", "the task was wrong"), 0, "the lab has 40");
    assert_points("ada", 40, 40, 40);
    assert_points("grace", 30, 40, 30);
    assert_adjust(WEIGH("the_sum_is_right", "0", "--why", "x"), 0, "the lab has 10");
    assert_adjust(WEIGH("the_second_call_is_right_too", "0", "--why", "x"), 2, "toylab would have no points");
    assert_adjust(WEIGH("every_element_is_right", "5", "--why", "after all"), 0, "the lab has 15");
    assert_points("ada", 15, 15, 15);
    end();
}

/* bob's last check reached a level that gives 4 of its 10 points. */
Test(decide, level_of_a_check_keeps_its_share)
{
    begin();
    hand_in("bob", "keeps_the_first_result");
    assert_call("labgrade", WORDS(GRADE), 0, "1 submission");
    assert_points("bob", 94, 100, 94);
    assert_adjust(WEIGH("the_second_call_is_right_too", "5", "--why", "less"), 0, "the lab has 95");
    assert_points("bob", 92, 95, 92);
    assert_adjust(WEIGH("the_second_call_is_right_too", "6", "--why", "odd"), 0, "the lab has 96");
    json_t *all = results();
    cr_assert_float_eq(json_number_value(json_object_get(entry_of(all, "bob"), "points")), 92.4, 1e-9);
    json_decref(all);
    assert_adjust(ADJUST("--student", "bob", "--check", "the_second_call_is_right_too", "--points", "+1", "--why", "x"),
                  0, "92.4 of 96 -> 93.4 of 96");
    end();
}

Test(decide, points_that_persons_gave_keep_their_share)
{
    graded_class();
    assert_adjust(ADJUST("--student", "grace", "--check", "every_element_is_right", "--points", "30", "--why", "half"),
                  0, "30 of 100 -> 60 of 100");
    assert_adjust(ADJUST("--student", "zuse", "--points", "50", "--why", "half"), 0, "0 of 100 -> 50 of 100");
    assert_adjust(WEIGH("every_element_is_right", "20", "--why", "less"), 0, "the lab has 60");
    assert_points("grace", 40, 60, 30);
    assert_points("zuse", 30, 60, 0);
    assert_adjust(ADJUST("--student", "grace", "--check", "every_element_is_right", "--points", "20", "--why", "all"),
                  0, "40 of 60 -> 50 of 60");
    assert_adjust(ADJUST("--student", "grace", "--check", "every_element_is_right", "--points", "21", "--why", "x"), 2,
                  "would have 21 of 20 points");
    end();
}

Test(decide, weight_that_cannot_be_is_refused)
{
    graded_class();
    assert_adjust(WEIGH("the_sum_is_rihgt", "5", "--why", "x"), 2, "(nearest: the_sum_is_right)");
    assert_adjust(WEIGH("the_sum_is_right", "5", NULL), 2, "why is needed");
    assert_adjust(WEIGH("the_sum_is_right", "-5", "--why", "x"), 2, "points \"-5\": a whole number");
    assert_adjust(WEIGH("the_sum_is_right", "2.5", "--why", "x"), 2, "points \"2.5\": a whole number");
    assert_adjust(WORDS("weigh", "--points", "5", "--why", "x"), 2, "which check?");
    assert_query("SELECT COUNT(*) FROM adjustment", "0");
    end();
}

/* ---- release ----------------------------------------------------------------------------------------------------- */

static bool is_held(const char *name)
{
    json_t *all = results();
    const bool held = json_is_true(json_object_get(entry_of(all, name), "held"));
    json_decref(all);
    return held;
}

Test(decide, results_are_held_back_and_released_by_section)
{
    begin();
    hand_in("ada", "right");
    hand_in("grace", "wrong");
    char *roster = put("class.csv", "id,name,section\nada,Ada,A\ngrace,Grace,B\nzuse,Zuse,B\n");
    assert_call("labgrade", WORDS(GRADE, "--roster", roster), 0, "2 submissions");
    cr_assert_not(is_held("ada"));
    assert_adjust(WORDS("hold", "--why", "until all have handed in"), 0, "    1  toylab: held back");
    cr_assert(is_held("ada") && is_held("grace"));
    assert_adjust(WORDS("release", "--section", "A"), 0, "toylab: released for section A");
    cr_assert(!is_held("ada") && is_held("grace"));
    assert_call("labgrade", WORDS("regrade", "--out", out), 0, "2 submissions");
    cr_assert(!is_held("ada") && is_held("grace"));
    json_t *all = results();
    const json_t *absent = json_array_get(json_object_get(all, "not_handed_in"), 0);
    cr_assert(json_is_true(json_object_get(absent, "held")));
    json_decref(all);
    assert_adjust(WORDS("release", "--section", "C"), 2, "toylab has no section \"C\"");
    assert_adjust(WORDS("release", "--lab", "lab01"), 2, "lab01 was not graded in ");
    assert_adjust(ADJUST("--revoke", "2", "--why", "too early"), 0, "is revoked");
    cr_assert(is_held("ada") && is_held("grace"));
    assert_adjust(WORDS("release", "--who", "ann"), 0, "toylab: released");
    cr_assert(!is_held("ada") && !is_held("grace"));
    assert_adjust(ADJUST("--list"), 0, "toylab: held back  (");
    assert_adjust(ADJUST("--list"), 0, "toylab: released  (ann)\n");
    free(roster);
    end();
}

Test(decide, course_can_hold_every_result_back)
{
    begin();
    hand_in("ada", "right");
    char *course = put("course.txt", "release = held\n[toylab]\n"), *flat = out;
    assert_call("labgrade", WORDS(GRADE, "--course", course), 0, "1 submission");
    out = folder_path(flat, "toylab");
    cr_assert(is_held("ada"));
    char *inner = out;
    out = flat;
    assert_adjust(WORDS("release", NULL), 0, "toylab: released");
    out = inner;
    cr_assert_not(is_held("ada"));
    free(out);
    out = flat;
    free(course);
    end();
}

/* ---- killed ------------------------------------------------------------------------------------------------------ */

/* Starts labgrade with these words and kills it after so many microseconds. */
static void kill_after(const char *const *more, unsigned microseconds)
{
    text_buffer program = {0};
    text_format(&program, "%s/bin/labgrade", toy_build());
    char *arguments[16] = {program.text, (char *)more[0], "--out", out};
    for (int i = 1, count = 4; more[i]; i++) arguments[count++] = (char *)more[i];
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout)) _exit(1);
        execv(program.text, arguments);
        _exit(1);
    }
    usleep(microseconds);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    free(program.text);
}

/* Whatever was killed is in the list or is not, and results.json agrees after resume; before it, it is whole. */
Test(decide, killed_at_any_moment_a_word_is_there_or_is_not)
{
    enum { TIMES = 12 };
    graded_class();
    const double begun = clock_seconds();
    assert_adjust(WORDS("hold", NULL), 0, "held back");
    const double whole = (clock_seconds() - begun) * 1e6; /* microseconds of a command that nobody kills */
    for (unsigned i = 0; i < TIMES; i++) {
        const unsigned moment = (unsigned)(whole * i / TIMES);
        kill_after(ADJUST("--student", "zuse", "--points", "+1", "--why", "x"), moment);
        kill_after(WEIGH("the_sum_is_right", i % 2 ? "30" : "50", "--why", "x"), moment);
        kill_after(WORDS(i % 2 ? "release" : "hold", NULL), moment);
        json_decref(results());
    }
    assert_adjust(ADJUST("--student", "zuse", "--points", "+1", "--why", "whole"), 0, "zuse: ");
    assert_call("labgrade", WORDS("resume", "--out", out), 0, "3 submissions");
    char *points = query("SELECT COUNT(*) FROM adjustment WHERE student = 'zuse'");
    char *weight = query("SELECT COALESCE((SELECT json_extract(says, '$.weight') FROM adjustment WHERE says LIKE"
                         " '%weight%' ORDER BY id DESC LIMIT 1), 30)");
    char *held = query("SELECT COALESCE((SELECT says LIKE '%held%' FROM adjustment WHERE says LIKE '%release%' ORDER BY"
                       " id DESC LIMIT 1), 0)");
    json_t *all = results(), *zuse = entry_of(all, "zuse");
    cr_assert_eq(json_array_size(json_object_get(json_object_get(zuse, "adjusted"), "list")), (size_t)atoi(points));
    cr_assert_eq(result_integer(check_of(zuse, "the_sum_is_right"), "max_points"), atoi(weight));
    cr_assert_eq(is_held("zuse"), atoi(held));
    json_decref(all);
    free(points);
    free(weight);
    free(held);
    end();
}
