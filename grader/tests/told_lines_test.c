/* A mistake is told by a line of the student's file close to it, also where no call of the library stands. It runs a
 * real lab. */
#include "test.h"

#include <stdlib.h>

#include "base/folder.h"
#include "base/text.h"
#include "shell.h"

/* Makes a mistake in the solution of lab 00 by sed. This check must tell the first line that matches. */
static void assert_told(const char *mistake, int check, const char *line)
{
    char *out;
    grader_fault fault;
    text_buffer command = {0};
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    cr_assert(folder_make_private(&out, "told-lines-test", &fault), "%s", fault.text);
    text_format(&command,
                "sed '%s' solutions/lab00-measure/lab00.c >%s/lab00.c; "
                "line=$(grep -nm1 '%s' %s/lab00.c | cut -d: -f1); "
                "%s/bin/labcheck --root . --build %s --lab lab00 --source %s/lab00.c --out %s --one-check --check %d "
                "| tee /dev/stderr | grep -q \"^look at   lab00.c:$line\\b\"",
                mistake, out, line, out, build, build, out, out, check);
    free(shell(command.text, 0));
    folder_remove(out);
    free(out);
    free(command.text);
}

enum { BENCHMARK_REPEATS = 5, HOST_NUMBERS, FAILURES = 9 };

Test(told_lines, call_whose_status_is_lost_may_lead_to_program_c)
{
    assert_told("/for.*warm_up/s/LAB_TRY(\\(.*\\));/(void)\\1;/", FAILURES, "for.*warm_up");
}

Test(told_lines, wrong_number_is_told_where_it_is_computed)
{
    assert_told("s/numbers.deviation = sqrt/numbers.deviation = fabs/", HOST_NUMBERS, "numbers.deviation +=");
}

Test(told_lines, time_that_is_not_stored_is_told_at_its_work)
{
    assert_told("s/host.k. = lab00_clock/host[0] = lab00_clock/", HOST_NUMBERS, "^        .*lab_event_record(end");
}

Test(told_lines, too_few_repeats_are_told_at_their_loop)
{
    assert_told("s/k < repeats;/k < repeats - 1;/", BENCHMARK_REPEATS, "k < repeats");
}
