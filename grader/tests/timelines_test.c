/* The timelines of a lab's run, as `make labNN-timeline` draws them. One test runs a real lab. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/text.h"
#include "lab.h"
#include "lab_trace.h"
#include "page/predictions.h"
#include "page/timelines.h"
#include "shell.h"

static char *out; /* the folder of the results */

/* Runs labcheck, and returns what it prints. */
static char *labcheck(const char *lab, const char *options, int status)
{
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
    char *command =
        text_make("%s/bin/labcheck --root . --build %s --lab %s --out %s %s 2>&1", build, build, lab, out, options);
    char *said = shell(command, status);
    free(command);
    return said;
}

static void assert_drawn(const char *lab, const char *options, int status, const char *const *phrases,
                         const char *missing)
{
    char *page = labcheck(lab, options, status);
    for (; *phrases; phrases++) assert_says(page, *phrases);
    cr_assert(!missing || !strstr(page, missing), "%s", page);
    free(page);
}

#define PHRASES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void begin(void)
{
    grader_fault fault;
    cr_assert(folder_make_private(&out, "timelines-test", &fault), "%s", fault.text);
}

static void end(void)
{
    folder_remove(out);
    free(out);
}

/* The profile of the modelled device has no kernel of this lab. */
Test(timelines, are_there_for_each_check_with_a_record)
{
    begin();
    assert_drawn("lab01", "--source solutions/lab01-streams/lab01.c --predict laptop", 0,
                 PHRASES("\nMeasured on ", "lab02: read labs/lab02-events/README.md and run",
                         "here  modelled on laptop\n 1  Task 1: ", " memory counts.\n"),
                 NULL);
    assert_drawn("lab01", "--predict abacus", 2, PHRASES("there is no profile \"abacus\"; use h200, laptop, or"),
                 "Measured");
    assert_drawn("lab01", "--timeline", 0,
                 PHRASES("lab01_two_sums\nMeasured on ", "\nOther timelines, by `make lab01-timeline CHECK=N",
                         "\n   1  Task 1: "),
                 "modelled");
    assert_drawn("lab01", "--timeline --check 2", 0,
                 PHRASES("Task 1: copies and sum run on a stream of your own\nMeasured on "), "modelled");
    assert_drawn("lab01", "--timeline --check 4", 2, PHRASES("check 4 left no record in the last run"), NULL);
    assert_drawn("lab01", "--timeline --check 99", 2, PHRASES("lab01 has the checks 1 to "), NULL);
    end();
}

/* Records lab 03's kernel on two streams, with pinned memory or with a wait after each, and draws it as the verdict
 * does. */
static char *draw_two_streams(bool waits)
{
    enum { COUNT = 4096, STREAMS = 2 };
    static float host[STREAMS][COUNT];
    lab_stream *stream[STREAMS];
    lab_array *array[STREAMS];
    lab_module *module;
    lab_function advance;
    lab_trace *trace;
    setenv("LAB_DEVICE", "cpu", 1);
    LAB_CHECK(lab_module_load_file(&module, "labs/lab03-concurrency/kernels.cu"));
    LAB_CHECK(lab_module_get_function(&advance, module, "advance"));
    LAB_CHECK(lab_host_register(host, sizeof host));
    for (int k = 0; k < STREAMS; k++) {
        LAB_CHECK(lab_stream_create(&stream[k], LAB_STREAM_NON_BLOCKING));
        LAB_CHECK(lab_array_empty(&array[k], LAB_FLOAT32, LAB_SHAPE(COUNT)));
    }
    LAB_CHECK(lab_trace_begin());
    for (int k = 0; k < STREAMS; k++) {
        LAB_CHECK(lab_array_set_async(array[k], host[k], stream[k]));
        LAB_CHECK(lab_launch(advance, LAB_DIM(1), LAB_DIM(64), 0, stream[k], LAB_ARGS(array[k], COUNT, 3.5f, 8)));
        LAB_CHECK(lab_array_get_async(array[k], host[k], stream[k]));
        if (waits) LAB_CHECK(lab_stream_synchronize(stream[k]));
    }
    LAB_CHECK(lab_trace_end(&trace));
    char *path = folder_path(out, "trace.json"), *text = NULL;
    size_t bytes;
    LAB_CHECK(lab_trace_save(trace, path));
    lab_trace_free(trace);
    free(path);
    grader_fault fault;
    const text_page page = {.file = open_memstream(&text, &bytes), .terminal = {.columns = 80}};
    cr_assert(timelines_draw_shown(&page, out, &fault), "%s", fault.text);
    fclose(page.file);
    return text;
}

Test(timelines, are_modelled_on_one_stream_and_as_written)
{
    begin();
    char *page = draw_two_streams(false);
    assert_says(page, "Measured on ");
    assert_says(page, "\nThe same calls on one stream, modelled on h200, arrays 256 times as large\n");
    assert_says(page, "\n1 stream, ");
    assert_says(page, "\nYour calls, modelled on h200, arrays 256 times as large\n");
    assert_says(page, "\n2 streams, ");
    free(page);
    end();
}

/* The longest line of a page, in bytes. */
static size_t longest_line(const char *page)
{
    size_t longest = 0;
    for (const char *at = page; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (strcspn(at, "\n") > longest) longest = strcspn(at, "\n");
    return longest;
}

/* A result of two checks, of which the first has the record that draw_two_streams leaves. */
static char *predict(const char *profile, bool expected)
{
    char *text = NULL;
    size_t bytes;
    grader_fault fault = {0};
    const text_page page = {.file = open_memstream(&text, &bytes), .terminal = {.columns = 80}};
    grading_result result = {.checks = json_pack("[{s:s}, {s:s}]", "title",
                                                 "Task 2: copies and kernels of 200 arrays overlap, whatever their "
                                                 "lengths are",
                                                 "title", "Task 3: no record")};
    strcpy(result.device.name, "a laptop");
    cr_assert_eq(predictions_print(&page, out, &result, profile, &fault), expected);
    fclose(page.file);
    json_decref(result.checks);
    if (expected) return text;
    free(text);
    return strdup(fault.text);
}

Test(timelines, predicts_the_time_of_each_record_on_another_device)
{
    begin();
    char *page = predict("h200", true);
    assert_says(page, "Nothing to predict: no check left a record");
    free(page);
    free(draw_two_streams(false));
    char *shown = folder_path(out, "trace.json"), *own = folder_path(out, "trace-1.json");
    cr_assert_eq(rename(shown, own), 0);
    for (int i = 0; i < 2; i++) {
        page = predict(i ? "laptop" : "h200", true);
        assert_says(page, i ? "here  modelled on laptop\n" : "here  modelled on h200\n");
        assert_says(page, "\n 1  Task 2: copies and kernels of ");
        assert_says(page, "\"here\" is a laptop.");
        cr_assert_null(strstr(page, "Task 3"), "a check without a record has no row:\n%s", page);
        cr_assert_null(strstr(page, "Of the kernels"), "the profile lists the kernel:\n%s", page);
        cr_assert_leq(longest_line(page), 80, "%s", page);
        free(page);
    }
    page = predict("abacus", false);
    assert_says(page, "there is no profile \"abacus\"; use h200, laptop, or the path of a file");
    free(page);
    free(shown);
    free(own);
    end();
}

Test(timelines, say_where_streams_gain_nothing_and_what_to_change)
{
    begin();
    char *page = draw_two_streams(true);
    assert_says(page, "\nOn one stream these calls would take as long, modelled on h200. The first thing\n"
                      "to change: enqueue everything before the host waits");
    cr_assert_null(strstr(page, "Your calls"), "%s", page);
    free(page);
    end();
}
