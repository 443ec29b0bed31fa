/* The line that a person sees while waiting for a check. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "page/waiting_line.h"

static char written[4096];
static live_line line;
static job_watcher watcher;

static void begin(lab_terminal terminal)
{
    memset(written, 0, sizeof written);
    line = (live_line){.page = {.file = fmemopen(written, sizeof written, "w"), .terminal = terminal}};
    watcher = waiting_line_watcher(&line);
}

static void running(double seconds) { watcher.running(watcher.user, "Task 2: every array is right", seconds, 20); }

static void assert_written(const char *expected)
{
    fclose(line.page.file);
    cr_assert_str_eq(written, expected, "%s", written);
}

static const lab_terminal wide = {.rewrites = true, .columns = 80};

Test(waiting_line, says_which_check_runs_for_how_long_and_when_it_is_ended)
{
    begin(wide);
    running(5.03);
    assert_written("  Task 2: every array is right: running for 5 s, ended at 20 s");
}

Test(waiting_line, says_nothing_about_a_short_check)
{
    begin(wide);
    running(1.01);
    watcher.ended(watcher.user);
    assert_written("");
}

Test(waiting_line, is_written_over_and_gone_before_the_verdict)
{
    begin(wide);
    running(2.01);
    running(3.02);
    watcher.ended(watcher.user);
    watcher.ended(watcher.user);
    assert_written("  Task 2: every array is right: running for 2 s, ended at 20 s"
                   "\r\033[K  Task 2: every array is right: running for 3 s, ended at 20 s"
                   "\r\033[K");
}

Test(waiting_line, predicts_no_end_once_only_the_checks_own_work_is_left)
{
    begin(wide);
    running(20.5);
    assert_written("  Task 2: every array is right: running for 20 s");
}

Test(waiting_line, leaves_a_column_free_on_a_narrow_terminal)
{
    begin((lab_terminal){.rewrites = true, .columns = 50});
    running(12);
    assert_written("  Task 2: eve...: running for 12 s, ended at 20 s");
    cr_assert_eq(strlen(written), 49u);
}

Test(waiting_line, is_not_written_where_it_could_not_be_erased)
{
    begin((lab_terminal){.columns = 80});
    running(5);
    watcher.ended(watcher.user);
    assert_written("");
}
