/* The page of a verdict; see verdict.h. */
#include "verdict.h"

#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/page_layout.h"
#include "base/text.h"
#include "lab_trace.h"

enum { STATUS = 12, LABEL = 10 };

static bool is(const json_t *check, const char *field, const char *value)
{
    return strcmp(result_string(check, field), value) == 0;
}

static const char *mark(const text_page *page, const char *utf8, const char *ascii)
{
    return page->terminal.utf8 ? utf8 : ascii;
}

/* "Not solved yet" is for a file that runs and still has open tasks; broken code is called broken. */
static bool is_unsolved(const grading_result *result)
{
    return result_verdict_is_failure(result->verdict) && result->open_tasks && *result->open_tasks;
}

/* ---- the head -------------------------------------------------------------------------------------------------- */

static void print_head(const text_page *page, const grading_result *result)
{
    page_colored(page, PAGE_BOLD, "%s  %s", result->lab_name, result->lab_title);
    fprintf(page->file, "\n%s on %s\n\n", result->submission, result->device.name);
}

/* ---- checks ---------------------------------------------------------------------------------------------------- */

static void print_field(const text_page *page, const char *label, const char *text)
{
    if (*text) page_field(page, STATUS, LABEL, label, text);
}

static void print_mismatches(const text_page *page, const json_t *check)
{
    enum { SHOWN = 3 };
    const json_t *mismatches = json_object_get(check, "mismatches"), *mismatch;
    json_int_t more = json_integer_value(json_object_get(check, "mismatch_count"));
    size_t index;
    json_array_foreach(mismatches, index, mismatch)
    {
        if (index == SHOWN) break;
        text_buffer line = {0};
        text_format(&line, "%s: expected %s, found %s", result_string(mismatch, "where"),
                    result_string(mismatch, "expected"), result_string(mismatch, "found"));
        print_field(page, index == 0 ? "first" : "", line.text ? line.text : "");
        free(line.text);
        more--;
    }
    text_buffer rest = {0};
    if (more > 0) text_format(&rest, "and %lld more", (long long)more);
    if (rest.text) page_field(page, STATUS, LABEL, "", rest.text);
    free(rest.text);
}

static void print_location(const text_page *page, const json_t *check)
{
    const json_t *location = json_object_get(check, "location");
    text_buffer text = {0};
    if (!json_is_object(location)) return;
    const char *function = result_string(location, "function");
    text_format(&text, "%s:%d", result_string(location, "file"), result_integer(location, "line"));
    if (*function) text_format(&text, " in %s", function);
    if (text.text) print_field(page, "look at", text.text);
    free(text.text);
}

/* A message of several lines comes from the compiler of a kernel: its source lines and marks keep their places. */
static void print_message(const text_page *page, const json_t *check)
{
    const char *message = result_string(check, "message"), *rest = strchr(message, '\n');
    char *first = rest ? strndup(message, (size_t)(rest - message)) : NULL;
    print_field(page, "what", first ? first : message);
    if (first) page_block(page, 2, rest + 1);
    free(first);
}

static void print_marked(const text_page *page, const json_t *check, const char *variables)
{
    text_buffer text = {0};
    const char *command = result_string(check, "timeline");
    if (*command) text_format(&text, "the timeline below marks both; `%s%s` draws it", command, variables);
    if (text.text) print_field(page, "drawn", text.text);
    free(text.text);
}

/* Whether two checks failed for the same reason, found at the same place. */
static bool is_same_finding(const json_t *one, const json_t *other)
{
    return is(one, "kind", "race suspected") && is(other, "kind", "race suspected") && *result_string(one, "found") &&
           is(one, "found", result_string(other, "found"));
}

/* Later findings are short: they often repeat the first one. */
static void print_short_finding(const text_page *page, const json_t *check, const json_t *first, const char *variables)
{
    if (is_same_finding(check, first)) {
        print_field(page, "what", "the same two calls in no order, as above");
        return;
    }
    print_message(page, check);
    print_field(page, "cause", result_string(check, "cause"));
    print_location(page, check);
    print_marked(page, check, variables);
}

static void print_hint(const text_page *page, const json_t *check, const char *variables)
{
    text_buffer text = {0};
    const char *command = result_string(check, "hint");
    if (*command) text_format(&text, "%s%s", command, variables);
    if (text.text) print_field(page, "hint", text.text);
    free(text.text);
}

static void print_finding(const text_page *page, const json_t *check, const char *variables)
{
    print_message(page, check);
    print_field(page, "kind", result_string(check, "kind"));
    print_field(page, "expected", result_string(check, "expected"));
    print_field(page, "found", result_string(check, "found"));
    print_mismatches(page, check);
    print_field(page, "cause", result_string(check, "cause"));
    print_location(page, check);
    print_marked(page, check, variables);
    print_hint(page, check, variables);
}

static void print_status(const text_page *page, const json_t *check)
{
    const char *word = result_string(check, "status");
    page_color color = PAGE_DIM;
    const char *sign = mark(page, "–", "-");
    if (is(check, "status", "passed")) {
        color = PAGE_GOOD;
        sign = mark(page, "✓", "+");
    } else if (is(check, "status", "failed")) {
        color = PAGE_BAD;
        sign = mark(page, "✗", "x");
        word = "FAILED";
    } else if (is(check, "status", "grader fault")) {
        color = PAGE_WARN;
        sign = "!";
        word = "not graded";
    } else if (is(check, "status", "not measured")) {
        color = PAGE_WARN;
        word = "unmeasured";
    }
    page_colored(page, color, " %s %s", sign, word);
    page_left(page, STATUS - 3 - page_columns(word), "");
}

/* Prints why a check did not run, unless the check before it had the same reason. Returns the reason. */
static const char *print_why(const text_page *page, const json_t *check, const char *last)
{
    const char *why = result_string(check, "message");
    if (strcmp(why, last) != 0) print_field(page, "why", why);
    return why;
}

/* Shows the first check that did not pass in full. A file with open tasks must fail the checks of later tasks, so their
 * findings are left out. */
static void print_checks(const text_page *page, const grading_result *result, const char *variables)
{
    const json_t *check;
    size_t index;
    const json_t *first = NULL;
    const char *why = "";
    json_array_foreach(result->checks, index, check)
    {
        print_status(page, check);
        text_buffer title = {0};
        text_format(&title, "%3d/%-3d  %s", result_integer(check, "points"), result_integer(check, "max_points"),
                    result_string(check, "title"));
        page_text(page, STATUS, title.text ? title.text : "");
        free(title.text);
        why = is(check, "status", "not run") ? print_why(page, check, why) : "";
        if (is(check, "status", "passed") || is(check, "status", "not run")) continue;
        if (!first)
            print_finding(page, check, variables);
        else if (!is_unsolved(result))
            print_short_finding(page, check, first, variables);
        if (!first) first = check;
    }
}

/* ---- times ----------------------------------------------------------------------------------------------------- */

static const json_t *find_timing(const json_t *timings, const char *label, const char *who)
{
    size_t index;
    const json_t *timing;
    json_array_foreach(timings, index, timing)
    {
        if (is(timing, "label", label) && is(timing, "who", who)) return timing;
    }
    return NULL;
}

/* Three digits, and all digits from a thousand on. */
static void write_number(char *text, size_t size, const json_t *number)
{
    double value = json_number_value(number);
    snprintf(text, size, value >= 999.5 ? "%.0f" : "%.3g", value);
}

/* Two columns of numbers behind the labels. */
typedef struct number_table {
    int label, number; /* columns */
    bool spread;       /* room for the least and the most */
} number_table;

static void print_label(const text_page *page, const number_table *table, const char *label)
{
    if (page_columns(label) <= table->label) {
        page_left(page, table->label, label);
    } else {
        page_text(page, 0, label);
        page_left(page, table->label, "");
    }
}

/* Prints the least and the most beside the median; one sample, such as a modelled time, alone. */
static void print_time(const text_page *page, const number_table *table, const json_t *timing)
{
    char text[96] = "", median[32], least[32], most[32];
    if (timing) {
        write_number(median, sizeof median, json_object_get(timing, "median_ms"));
        write_number(least, sizeof least, json_object_get(timing, "min_ms"));
        write_number(most, sizeof most, json_object_get(timing, "max_ms"));
        bool alone = json_integer_value(json_object_get(timing, "samples")) == 1 || !table->spread;
        snprintf(text, sizeof text, alone ? "%s" : "%s (%s to %s)", median, least, most);
    }
    page_right(page, table->number, text);
}

static void print_table_head(const text_page *page, const number_table *table, const char *what)
{
    fputc('\n', page->file);
    print_label(page, table, what);
    page_right(page, table->number, "yours");
    page_right(page, table->number, "reference");
    fputc('\n', page->file);
}

/* The widest table that fits on the page. */
static number_table make_table(const text_page *page, int label, int number, int narrow)
{
    bool wide = page->terminal.columns >= label + 2 * number;
    if (wide) return (number_table){label, number, true};
    return (number_table){page->terminal.columns - 2 * narrow, narrow, false};
}

/* Names the rows whose samples lie too far apart to be compared with anything. */
static void print_unstable(const text_page *page, const grading_result *result)
{
    const json_t *timing;
    size_t index;
    int rows = 0;
    text_buffer list = {0};
    json_array_foreach(result->timings, index, timing)
    {
        if (!json_is_false(json_object_get(timing, "stable"))) continue;
        text_format(&list, "%s%s (%s)", rows++ ? "; " : "", result_string(timing, "label"),
                    result_string(timing, "who"));
    }
    text_format(&list, "; that costs no points");
    if (rows && !list.failed) page_field(page, 0, LABEL, "unstable", list.text);
    free(list.text);
}

static void print_timings(const text_page *page, const grading_result *result)
{
    const number_table table = make_table(page, 29, 25, 12);
    const json_t *timing;
    size_t index;
    if (json_array_size(result->timings) == 0) return;
    print_table_head(page, &table, table.spread ? "milliseconds (least to most)" : "milliseconds");
    json_array_foreach(result->timings, index, timing)
    {
        const char *label = result_string(timing, "label");
        const json_t *yours = find_timing(result->timings, label, "yours");
        const json_t *reference = find_timing(result->timings, label, "reference");
        if (timing != (yours ? yours : reference)) continue;
        print_label(page, &table, label);
        print_time(page, &table, yours);
        print_time(page, &table, reference);
        fputc('\n', page->file);
    }
    print_unstable(page, result);
}

static void print_ratios(const text_page *page, const grading_result *result)
{
    const number_table table = make_table(page, 54, 12, 12);
    const json_t *ratio;
    size_t index;
    if (json_array_size(result->ratios) == 0) return;
    print_table_head(page, &table, "ratios");
    json_array_foreach(result->ratios, index, ratio)
    {
        char yours[32], reference[32];
        snprintf(yours, sizeof yours, "%.2f", json_number_value(json_object_get(ratio, "yours")));
        snprintf(reference, sizeof reference, "%.2f", json_number_value(json_object_get(ratio, "reference")));
        print_label(page, &table, result_string(ratio, "label"));
        page_right(page, table.number, yours);
        page_right(page, table.number, reference);
        fputc('\n', page->file);
    }
}

/* ---- timeline and files ---------------------------------------------------------------------------------------- */

/* Draws the timeline from the record, because the page decides width, character set and colour. */
static void print_timeline(const text_page *page, const char *trace_path)
{
    lab_trace *trace;
    char *text;
    lab_timeline_options options = {LAB_TIMELINE_DEFAULTS};
    options.columns = page->terminal.columns;
    options.ascii = !page->terminal.utf8;
    options.color = page->terminal.color;
    if (lab_trace_load(&trace, trace_path) != LAB_SUCCESS) return;
    if (lab_timeline_text(&text, trace, &options) == LAB_SUCCESS) {
        fprintf(page->file, "\n%s", text);
        free(text);
    }
    lab_trace_free(trace);
}

static void print_artifacts(const text_page *page, const grading_result *result, const char *out)
{
    char *trace = result->trace ? folder_path(out, result->trace) : NULL;
    char *drawing = result->timeline_svg ? folder_path(out, result->timeline_svg) : NULL;
    if (trace) print_timeline(page, trace);
    fputc('\n', page->file);
    if (drawing) page_field(page, 0, LABEL, "drawn", drawing);
    if (trace) page_field(page, 0, LABEL, "record", trace);
    if (trace) page_field(page, 0, LABEL, "", "(opens in ui.perfetto.dev and chrome://tracing)");
    if (trace || drawing) fputc('\n', page->file);
    free(trace);
    free(drawing);
}

/* ---- build, output and what to do next --------------------------------------------------------------------------- */

static void print_build(const text_page *page, const grading_result *result)
{
    if (!result->build_messages || !*result->build_messages) return;
    fprintf(page->file, "%s\n", result->build_ok ? "The compiler warns:" : "The compiler says:");
    page_block(page, 2, result->build_messages);
    fputc('\n', page->file);
}

static void print_output(const text_page *page, const grading_result *result)
{
    if (!result->output || !*result->output || result->verdict == RESULT_PASSED) return;
    enum { SHOWN_LINES = 10 };
    const char *end = result->output;
    for (int lines = 0; *end && lines < SHOWN_LINES; lines++) end += strcspn(end, "\n") + (strchr(end, '\n') != NULL);
    char *head = strndup(result->output, (size_t)(end - result->output));
    fprintf(page->file, "\nYour program printed:\n");
    if (head) page_block(page, 2, head);
    if (*end || result->output_truncated) page_block(page, 2, "...");
    free(head);
}

/* The points of the checks that did not run. */
static int untried_points(const grading_result *result)
{
    size_t index;
    const json_t *check;
    int points = 0;
    json_array_foreach(result->checks, index, check)
    {
        if (is(check, "status", "not run")) points += result_integer(check, "max_points");
    }
    return points;
}

static void print_headline(const text_page *page, const grading_result *result)
{
    if (result->verdict == RESULT_PASSED) {
        page_colored(page, PAGE_GOOD, "PASSED");
    } else if (is_unsolved(result)) {
        page_colored(page, PAGE_WARN, "NOT SOLVED YET");
    } else if (result->verdict == RESULT_GRADER_FAULT) {
        page_colored(page, PAGE_WARN, "NOT GRADED");
    } else if (result->verdict == RESULT_NOT_MEASURED) {
        page_colored(page, PAGE_WARN, "NOT MEASURED");
    } else if (result_verdict_is_failure(result->verdict)) {
        page_colored(page, PAGE_BAD, "FAILED");
    } else {
        page_colored(page, PAGE_BAD, "BROKEN: %s", result_verdict_name(result->verdict));
    }
    fprintf(page->file, "  %d of %d points", result->points, result->max_points);
    const int untried = untried_points(result);
    if (result->build_ok && untried) fprintf(page->file, "; %d could not be tried", untried);
    fputc('\n', page->file);
}

/* One sentence: the next thing to do. */
static void print_next(const verdict_page *page, const text_page *layout, const grading_result *result)
{
    text_buffer next = {0};
    const json_t *failure = result_first_failure(result);
    switch (result->verdict) {
    case RESULT_PASSED:
        text_format(&next, "%s, then go on.",
                    result->trace ? "Compare your timeline with the lesson's questions"
                                  : "Answer the lesson's questions");
        break;
    case RESULT_GRADER_FAULT:
        text_format(&next, "%s. Your code is not the cause: fix this, then run `%s%s` again.", result->summary,
                    page->command, page->variables);
        break;
    case RESULT_NOT_MEASURED: text_format(&next, "%s.", result->summary); break;
    case RESULT_MISSING_FILE:
        text_format(&next, "%s. Give your file that name, or start over with `%s-reset%s`.", result->summary,
                    page->command, page->variables);
        break;
    case RESULT_BUILD_ERROR:
        text_format(&next, "Fix the first error above, then run `%s%s` again.", page->command, page->variables);
        break;
    default:
        if (is_unsolved(result)) {
            text_format(&next, "Still to do in %s: TODO %s. ", result->file, result->open_tasks);
        }
        text_format(&next, "Begin with \"%s\"; a hint: `%s%s`. Then run `%s%s` again.", result_string(failure, "title"),
                    result_string(failure, "hint"), page->variables, page->command, page->variables);
        break;
    }
    if (next.text) page_field(layout, 0, LABEL, "next", next.text);
    free(next.text);
}

/* Every run has new input data; looking for a mistake is easier with the same data again. */
static void print_seed(const verdict_page *page, const text_page *layout, const grading_result *result)
{
    text_buffer again = {0};
    if (!result_first_failure(result)) return;
    text_format(&again, "%s SEED=%llu%s", page->command, (unsigned long long)result->seed, page->variables);
    if (again.text) page_field(layout, 0, LABEL, "same data", again.text);
    free(again.text);
}

void verdict_print(const verdict_page *page, const grading_result *result)
{
    const text_page layout = {.file = page->file, .terminal = page->terminal};
    print_head(&layout, result);
    print_build(&layout, result);
    print_checks(&layout, result, page->variables);
    print_timings(&layout, result);
    print_ratios(&layout, result);
    print_output(&layout, result);
    print_artifacts(&layout, result, page->out);
    print_headline(&layout, result);
    print_next(page, &layout, result);
    print_seed(page, &layout, result);
}
