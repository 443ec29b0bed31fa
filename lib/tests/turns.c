#include "turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LAB_PLAIN_TESTS
#include <criterion/hooks.h>
#include <criterion/internal/ordered-set.h>
#endif

static unsigned asked[2],
    waiting; /* tests of other and of listed suites that were asked for, and those without a turn */

/* Whether a line of the list is this suite. */
static bool is_listed(const char *suite)
{
    char line[256];
    bool found = false;
    FILE *list = fopen("lib/tools/turns.txt", "r");
    while (list && !found && fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = '\0';
        found = strcmp(line, suite) == 0;
    }
    if (list) fclose(list);
    return found;
}

bool test_has_its_turn(const char *suite)
{
    static const char *last = "";
    static bool last_is_listed;
    unsigned turn, turns;
    if (strcmp(last, suite) != 0) last_is_listed = is_listed(last = suite);
    const char *today = getenv(last_is_listed ? "TEST_TURN" : "TEST_TURN_OF_OTHERS");
    if (!today || sscanf(today, "%u/%u", &turn, &turns) != 2 || turns == 0) return true;
    if (asked[last_is_listed]++ % turns == turn - 1) return true;
    waiting++;
    return false;
}

void test_tell_turns(void)
{
    if (waiting > 0) printf("%u tests have their turn on another day\n", waiting);
    fflush(stdout);
}

#ifndef LAB_PLAIN_TESTS
/* Criterion runs no test that is disabled. */
ReportHook(PRE_ALL)(struct criterion_test_set *tests)
{
    for (struct criterion_ordered_set_node *s = tests->suites->first; s; s = s->next) {
        const struct criterion_suite_set *suite = (const void *)(s + 1);
        if (!suite->tests) continue;
        for (struct criterion_ordered_set_node *t = suite->tests->first; t; t = t->next)
            if (!test_has_its_turn(suite->suite.name))
                ((struct criterion_test *)(void *)(t + 1))->data->disabled = true;
    }
    test_tell_turns();
}
#endif
