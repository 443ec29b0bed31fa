/* A wrong answer gives the right numbers by luck. The test follows what the student sees of the order checker's
 * finding, from the verdict to the timeline. It runs a real lab. */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/text.h"
#include "lab_trace.h"
#include "shell.h"

static char *out; /* takes the place of build/, except for its programs */

/* The text without line breaks and indentation, to search it as one line. */
static char *joined(const char *text)
{
    char *line = malloc(strlen(text) + 1), *next = line;
    for (const char *at = text; *at; at++)
        if (*at != '\n' && *at != ' ')
            *next++ = *at;
        else if (next > line && next[-1] != ' ')
            *next++ = ' ';
    *next = '\0';
    return line;
}

/* The verdict on a lab's wrong answer, such as "no_wait". Its results go to OUT/lab02. */
static char *check_answer(const char *lab, const char *wrong)
{
    grader_fault fault;
    cr_assert(folder_make_private(&out, "order-finding-test", &fault), "%s", fault.text);
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    text_buffer command = {0};
    text_format(&command,
                "mkdir -p %s/%s && ln -s \"$(realpath %s)\"/bin %s/bin && %s/bin/labcheck --root . --build %s --lab %s "
                "--source %s/%s/wrong/%s.c --out %s/%s",
                out, lab, build, out, build, build, lab, build, lab, wrong, out, lab);
    char *verdict = shell(command.text, 1);
    free(command.text);
    return verdict;
}

static void assert_verdict(const char *verdict)
{
    char *line = joined(verdict);
    assert_says(line, "costs 30 points in 3 checks: 2, 4 and 9 what lab02_pipeline lacks an edge: nothing makes "
                      "consume wait for produce");
    assert_says(line, "what the same mistake as in check 2, told below");
    cr_assert_null(strstr(line, "use bytes"), "a mistake is told once: %s", line);
    cr_assert_null(strstr(line, "lab02.c"), "the file has one name: %s", line);
    assert_says(line, "FAILED: race suspected");
    assert_says(line, "cause nothing waits for the event that is recorded at line 24, behind produce");
    assert_says(line, "look at no_wait.c:25 in lab02_pipeline, a call that leads to line 13");
    assert_says(line, "`make lab02-timeline");
    free(line);
}

/* The timeline as ASCII text of 80 columns: each of the two operations has a letter below it, in its row. */
static void assert_timeline(char *timeline)
{
    const char *produce = strstr(timeline, "stream 2"), *consume = strstr(timeline, "stream 3");
    cr_assert(produce && consume, "%s", timeline);
    const char *first = strstr(produce, " A\n"), *second = strstr(consume, " A\n");
    cr_assert(first && first < consume && second, "%s", timeline);
    assert_says(timeline, "\nA kernel consume (lab02.c:13)");
    assert_says(timeline, "\n  To order them: record an event on stream 2");
    for (char *line = strtok(timeline, "\n"); line; line = strtok(NULL, "\n"))
        cr_assert(strlen(line) <= 80 || strstr(line, out) || strstr(line, "BUILD="), "%s", line);
}

static void assert_record(const char *path)
{
    lab_trace *trace;
    cr_assert_eq(lab_trace_load(&trace, path), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_eq(trace->findings, 1);
    cr_assert_str_eq(trace->op[trace->finding[0].first - 1].name, "produce");
    cr_assert_str_eq(trace->op[trace->finding[0].second - 1].name, "consume");
    lab_trace_free(trace);
}

Test(order_finding, is_reported_and_drawn_with_both_lines_and_the_missing_edge)
{
    char *verdict = check_answer("lab02", "no_wait"), *record = folder_path(out, "lab02/trace.json");
    text_buffer show = {0}, print = {0};
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    text_format(&show,
                "lib/tools/show-timeline.sh lab02 %s '' %s/bin/labcheck --root . --build %s --lab lab02 --out %s/lab02 "
                "--timeline",
                out, build, build, out);
    text_format(&print, "cat %s/lab02/timeline.svg", out);
    char *timeline = shell(show.text, 0), *drawing = shell(print.text, 0);
    assert_verdict(verdict);
    assert_timeline(timeline);
    assert_record(record);
    assert_says(drawing, "<rect class=\"f\"");
    assert_says(drawing, "To order them: record an event on stream 2");
    free(show.text);
    free(print.text);
    free(verdict);
    free(timeline);
    free(drawing);
    free(record);
    folder_remove(out);
    free(out);
}

static void assert_says_of(const char *lab, const char *wrong, const char *words)
{
    char *verdict = check_answer(lab, wrong), *line = joined(verdict);
    assert_says(line, words);
    free(line);
    free(verdict);
    folder_remove(out);
    free(out);
}

/* In a check that gives no cause of its own. */
Test(order_finding, says_that_right_numbers_were_luck)
{
    assert_says_of("lab12", "pipeline_without_an_edge",
                   "cause nothing makes one of the two wait for the other; if the numbers were right this time, that "
                   "was luck look at pipeline_without_an_edge.c:65");
}

Test(order_finding, says_which_call_is_on_another_stream_than_those_around_it)
{
    assert_says_of("lab01", "sums_on_the_null_stream",
                   "cause the kernel at line 10 is on another stream than the calls before and behind it, at lines 9 "
                   "and 11: is it the one that is meant? look at sums_on_the_null_stream.c:10");
}

Test(order_finding, says_which_wait_comes_before_its_record)
{
    assert_says_of("lab12", "pipeline_waits_before_recording",
                   "cause the wait at line 65 comes before the record at line 66: an event that was not recorded yet "
                   "holds nothing back look at pipeline_waits_before_recording.c:65");
}

Test(order_finding, says_what_was_given_back_before_its_use)
{
    assert_says_of("lab12", "graph_tells_the_pool",
                   "found pool free (graph_tells_the_pool.c:86), and then graph launch graph 1 "
                   "(graph_tells_the_pool.c:87) cause memory that was "
                   "released is used: by then it may be another owner's");
}

Test(order_finding, names_the_wait_that_makes_an_edge_too_many)
{
    assert_says_of(
        "lab12", "meeting_one_after_the_other",
        "kernel advance 2 of 2 is enqueued behind this wait, which stands for the record at line 36: for all "
        "that was on that stream by then, kernel advance 1 of 2 too look at meeting_one_after_the_other.c:37");
}
