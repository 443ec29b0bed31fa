/* A mistake is told by a line of the student's file close to it, also where no call of the library stands. It runs
 * real labs. */
#include "test.h"

#include <stdlib.h>

#include "base/folder.h"
#include "base/text.h"
#include "shell.h"

/* Changes a file by sed, the lab's solution or its starter. This check must tell the first line that matches. */
static void assert_told_in(const char *lab, const char *file, const char *mistake, int check, const char *line)
{
    char *out;
    grader_fault fault;
    text_buffer command = {0};
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    cr_assert(folder_make_private(&out, "told-lines-test", &fault), "%s", fault.text);
    text_format(&command,
                "sed '%s' %s >%s/%s.c; line=$(grep -nm1 '%s' %s/%s.c | cut -d: -f1); "
                "%s/bin/labcheck --root . --build %s --lab %s --source %s/%s.c --out %s --one-check --check %d "
                "| tee /dev/stderr | grep -q \"^look at   %s.c:$line\\b\"",
                mistake, file, out, lab, line, out, lab, build, build, lab, out, lab, out, check, lab);
    free(shell(command.text, 0));
    folder_remove(out);
    free(out);
    free(command.text);
}

static void assert_told(const char *mistake, int check, const char *line)
{
    assert_told_in("lab00", "solutions/lab00-measure/lab00.c", mistake, check, line);
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

Test(told_lines, starter_that_makes_no_stream_is_told_at_the_function_that_makes_them)
{
    enum { GIVEN_BACK = 10 };
    assert_told_in("lab03", "labs/lab03-concurrency/starter.c",
                   "/^lab_status lab03_open/,/^}/s,return.*,& // its line,", GIVEN_BACK, "// its line");
}

Test(told_lines, kernel_that_reads_too_early_is_told_at_its_own_line_and_not_at_the_launch)
{
    enum { ORDERED = 3 };
    assert_told_in("lab07", "solutions/lab07-kernels/lab07.c", "/__syncthreads();/d", ORDERED,
                   "value\\[threadIdx.x + half\\]");
}

Test(told_lines, fork_that_is_not_joined_is_told_at_the_fork_and_not_at_the_end_of_the_capture)
{
    enum { GRAPH = 1 };
    assert_told_in("lab10", "solutions/lab10-graphs/lab10.c", "/work->joined/d", GRAPH,
                   "wait_event(work->two, work->forked)");
}

Test(told_lines, failed_call_that_notes_no_line)
{
    enum { OWN_CONTEXTS = 3 };
    assert_told_in("lab04", "solutions/lab04-contexts/lab04.c",
                   "/lab_context_destroy(context)/s/$/\\n    LAB_TRY(lab_context_pop(NULL));/", OWN_CONTEXTS,
                   "lab_context_pop");
}

Test(told_lines, event_that_is_recorded_on_the_waiting_stream_is_told_at_its_record)
{
    enum { ONE_PAIR = 2 };
    assert_told_in("lab09", "solutions/lab09-ordering/lab09.c", "s/record(u_done, work->one/record(u_done, work->two/",
                   ONE_PAIR, "record(u_done");
}

Test(told_lines, kernel_that_goes_past_its_array_is_told_at_the_launch_and_not_at_the_copy_behind_it)
{
    enum { LIMIT = 3 };
    assert_told_in("lab05", "solutions/lab05-pools/lab05.c",
                   "s/LAB_ARGS(buffer, piece)/LAB_ARGS(buffer, count)/;"
                   "s/LAB05_GRID(piece)/LAB05_GRID(count)/",
                   LIMIT, "LAB_ARGS(buffer, count)");
}

Test(told_lines, early_return_is_told_at_its_line_and_not_at_the_last_return)
{
    enum { OWN_POOL = 6 };
    assert_told_in("lab05", "solutions/lab05-pools/lab05.c",
                   "/if (pool->blocks == LAB05_MOST_BLOCKS)/d;s/^    if (!best) return.*/&\\n    if (pool->blocks > 9)"
                   "\\n        return LAB_ERROR_OUT_OF_MEMORY;/",
                   OWN_POOL, "^        return LAB_ERROR_OUT");
}

Test(told_lines, time_between_exchanged_events_is_told_where_it_is_asked_for)
{
    enum { TIMES = 9 };
    assert_told_in("lab03", "solutions/lab03-concurrency/lab03.c",
                   "s/work->start.k., work->end.k./work->end[k], work->start[k]/", TIMES, "lab_event_elapsed_time");
}

Test(told_lines, kernel_that_a_module_lacks_is_told_at_its_name_and_not_at_the_cleanup)
{
    enum { LOADED = 4 };
    assert_told_in("lab08", "solutions/lab08-overheads/lab08.c", "s/\"answer\"/\"reply\"/", LOADED, "\"reply\"");
}

Test(told_lines, wait_that_orders_nothing_is_told_at_its_own_line)
{
    enum { PIPELINE = 5 };
    assert_told_in("lab12", "solutions/lab12-audit/lab12.c",
                   "s/wait_event(work->two, work->event.0.)/wait_event(work->one, work->event[0])/", PIPELINE,
                   "wait_event(work->one, work->event.0.)");
}

Test(told_lines, record_that_stands_for_no_new_work_is_told_at_its_own_line)
{
    assert_told_in("lab12", "labs/lab12-audit/starter.c",
                   "/memset_async(work->total/s/$/\\n    LAB_TRY(lab_event_record(work->event[0], work->one));\\n    "
                   "LAB_TRY(lab_stream_wait_event(work->one, work->event[0]));/",
                   1, "event_record(work->event.0., work->one)");
}

Test(told_lines, status_that_is_not_kept_is_told_at_the_call_that_gave_it)
{
    enum { ABROAD = 7 };
    assert_told_in("lab04", "solutions/lab04-contexts/lab04.c", "s/found = lab_launch/found = 0, lab_launch/", ABROAD,
                   "found = 0, lab_launch");
}

Test(told_lines, what_is_missing_at_the_end_is_told_at_the_return)
{
    enum { FAILURES_OF_JOBS = 2 };
    assert_told_in("lab04", "solutions/lab04-contexts/lab04.c",
                   "/LAB_TRY(seats/{N;s,.*,    return LAB_SUCCESS; // end,}", FAILURES_OF_JOBS, "// end");
}
