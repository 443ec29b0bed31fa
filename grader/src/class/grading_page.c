/* Lines about a grading under way; see grading_page.h. */
#include "grading_page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/folder.h"
#include "judge/result.h"
#include "base/text.h"

/* ---- for programs ---------------------------------------------------------------------------------------------- */

/* Writes an event and releases it. A log that cannot be written stops nothing: the results are elsewhere. */
static void log_event(grading_page *page, const char *name, json_t *event)
{
    char time_text[32];
    struct tm utc;
    time_t now = time(NULL);
    strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    if (event && page->log && json_object_set_new(event, "event", json_string(name)) == 0 &&
        json_object_set_new(event, "time", json_string(time_text)) == 0) {
        json_dumpf(event, page->log, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(6));
        fputc('\n', page->log);
        fflush(page->log);
    }
    json_decref(event);
}

static json_t *clean(const char *text)
{
    char *line = text_clean_line(text, strlen(text));
    json_t *string = json_string(line ? line : "?");
    free(line);
    return string;
}

/* ---- for people ------------------------------------------------------------------------------------------------- */

void grading_page_duration(char *text, size_t bytes, double seconds)
{
    long whole = seconds < 1 ? 1 : lround(seconds);
    if (whole < 60)
        snprintf(text, bytes, "%ld s", whole);
    else if (whole < 3570)
        snprintf(text, bytes, "%ld min", (whole + 30) / 60);
    else
        snprintf(text, bytes, "%ld h %02ld min", (whole + 30) / 3600, (whole + 30) % 3600 / 60);
}

/* How long the remaining jobs may take, by those that are done: at least one. */
static double seconds_left(const grading_page *page)
{
    return (clock_seconds() - page->begun) / (double)page->done * (double)page->left;
}

/* On a terminal, writes the line each time over the last one; in a file, after each tenth of a larger class. */
static void print_progress(grading_page *page)
{
    enum { LARGE = 20, PARTS = 10 };
    const int64_t all = page->done + page->left;
    const bool due = all >= LARGE && page->done > 0 && page->done % (all / PARTS) == 0;
    const bool live = page->page.terminal.rewrites;
    if ((!live && !due) || page->left == 0) return;
    char text[128], duration[32];
    int length = snprintf(text, sizeof text, "%lld of %lld", (long long)page->done, (long long)all);
    if (page->done > 0) {
        grading_page_duration(duration, sizeof duration, seconds_left(page));
        snprintf(text + length, sizeof text - (size_t)length, ", about %s left", duration);
    }
    live_line_show(&page->progress, text);
    if (live) return;
    fprintf(page->page.file, "%s\n", text);
    fflush(page->page.file);
}

static void print_line(const grading_page *page, const json_t *result)
{
    const text_page *out = &page->page;
    const char *verdict = result_string(result, "verdict");
    bool fault = result_verdict_named(verdict) == RESULT_GRADER_FAULT;
    bool passed = result_verdict_named(verdict) == RESULT_PASSED;
    const char *student = result_string(json_object_get(result, "submission"), "name");
    char *name = text_clean_line(student, strlen(student)), points[32];
    snprintf(points, sizeof points, "%d/%d", result_integer(result, "points"), result_integer(result, "max_points"));
    page_colored(out, fault ? PAGE_WARN : passed ? PAGE_GOOD : PAGE_BAD, "%-14s", verdict);
    page_right(out, 8, points);
    fputs("  ", out->file);
    if (page->several_labs) fprintf(out->file, "%s  ", result_string(json_object_get(result, "lab"), "name"));
    page_text(out, 24, name ? name : "?");
    if (fault) page_field(out, 24, 0, "", result_string(result, "summary"));
    fflush(out->file);
    free(name);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

bool grading_page_begin(grading_page *page, const char *out, int64_t grading, int64_t left, int64_t kept,
                        grader_fault *fault)
{
    char *path = folder_path(out, "grading.jsonl");
    page->log = path ? fopen(path, "ae") : NULL;
    if (!page->log) fault_errno(fault, "cannot write %s", path ? path : out);
    free(path);
    if (!page->log) return false;
    page->page = (text_page){.file = stdout, .terminal = lab_terminal_describe(STDOUT_FILENO)};
    page->progress = (live_line){.page = page->page};
    page->begun = clock_seconds();
    page->left = left;
    log_event(page, "begin",
              json_pack("{s:I, s:I, s:I}", "grading", (json_int_t)grading, "jobs", (json_int_t)left, "kept",
                        (json_int_t)kept));
    print_progress(page);
    return true;
}

void grading_page_result(grading_page *page, const json_t *result)
{
    page->done++;
    page->left--;
    log_event(page, "result",
              json_pack("{s:s, s:o, s:s, s:i, s:i, s:f, s:I, s:f}", "lab",
                        result_string(json_object_get(result, "lab"), "name"), "name",
                        clean(result_string(json_object_get(result, "submission"), "name")), "verdict",
                        result_string(result, "verdict"), "points", result_integer(result, "points"), "max_points",
                        result_integer(result, "max_points"), "seconds",
                        json_number_value(json_object_get(result, "seconds")), "left", (json_int_t)page->left,
                        "seconds_left", seconds_left(page)));
    live_line_clear(&page->progress);
    print_line(page, result);
    print_progress(page);
}

void grading_page_retry(grading_page *page, const char *name, const char *why)
{
    log_event(page, "retry", json_pack("{s:o, s:o}", "name", clean(name), "why", clean(why)));
}

void grading_page_end(grading_page *page, const char *how)
{
    if (!page->log) return;
    live_line_clear(&page->progress);
    log_event(page, "end", json_pack("{s:o, s:f}", "how", clean(how), "seconds", clock_seconds() - page->begun));
    fclose(page->log);
    page->log = NULL;
}
