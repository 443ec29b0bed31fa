/* Tests that take turns by the day (turns.h). */
#include "test.h"
#include "turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Asks for twice as many tests of a suite on each of so many days. Returns on how many days each ran; all alike, or it
 * fails. `name` is the environment's variable. */
static int days_of_each(const char *suite, const char *name)
{
    enum { DAYS = 7, TESTS = 2 * DAYS };
    int ran[TESTS] = {0};
    for (int day = 1; day <= DAYS; day++) {
        char turn[8];
        snprintf(turn, sizeof turn, "%d/%d", day, DAYS);
        setenv(name, turn, 1);
        for (int i = 0; i < TESTS; i++) ran[i] += test_has_its_turn(suite);
    }
    for (int i = 1; i < TESTS; i++) cr_assert_eq(ran[i], ran[0], "test %d of %s runs on %d days", i, suite, ran[i]);
    return ran[0];
}

Test(turns, each_test_of_a_listed_suite_runs_on_one_day_of_a_week)
{
    cr_assert_eq(days_of_each("sanitizers", "TEST_TURN"), 1);
    cr_assert_eq(days_of_each("graded_kernels", "TEST_TURN"), 1);
}

Test(turns, other_tests_run_every_day)
{
    cr_assert_eq(days_of_each("stream", "TEST_TURN"), 7);
    cr_assert_eq(days_of_each("sanitizer_kernels", "TEST_TURN"), 7);
}

Test(turns, other_tests_have_turns_where_they_run_once_more)
{
    setenv("TEST_TURN", "1/7", 1);
    cr_assert_eq(days_of_each("stream", "TEST_TURN_OF_OTHERS"), 1);
}

Test(turns, all_tests_run_where_nobody_asks_for_turns)
{
    unsetenv("TEST_TURN");
    unsetenv("TEST_TURN_OF_OTHERS");
    for (int i = 0; i < 5; i++) cr_assert(test_has_its_turn("sanitizers"));
}

Test(turns, each_listed_suite_exists)
{
    char line[256], command[512];
    int suites = 0;
    FILE *list = fopen("lib/tools/turns.txt", "r");
    cr_assert(list);
    while (fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0' || !*line) continue;
        snprintf(command, sizeof command, "grep -rq --include='*_test.c' '^Test(%s,' lib/tests grader/tests", line);
        cr_assert_eq(system(command), 0, "%s is no suite of a test", line);
        suites++;
    }
    fclose(list);
    cr_assert_geq(suites, 20);
}
