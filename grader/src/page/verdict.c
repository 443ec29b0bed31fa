/* The page of a verdict; see verdict.h. */
#include "verdict.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/page_layout.h"
#include "base/text.h"
#include "predictions.h"
#include "timelines.h"

enum { STATUS = 12, LABEL = 10 };

static bool is(const json_t *check, const char *field, const char *value)
{
    return strcmp(result_string(check, field), value) == 0;
}

static const char *mark(const text_page *page, const char *utf8, const char *ascii)
{
    return page->terminal.utf8 ? utf8 : ascii;
}

/* Whether the check failed in a function or table in which nothing has been written. */
static bool is_unwritten(const json_t *check) { return json_is_true(json_object_get(check, "unwritten")); }

/* The failure to tell in full; NULL for none. A task for those who want more is told once it is begun. */
static const json_t *told_failure(const grading_result *result)
{
    const json_t *failure = result_first_failure(result);
    return failure && result->verdict == RESULT_PASSED && is_unwritten(failure) ? NULL : failure;
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

static void print_field(const text_page *page, int indent, const char *label, const char *text)
{
    if (*text) page_field(page, indent, LABEL, label, text);
}

static void print_mismatches(const text_page *page, int indent, const json_t *check)
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
        print_field(page, indent, index == 0 ? "first" : "", line.text ? line.text : "");
        free(line.text);
        more--;
    }
    text_buffer rest = {0};
    if (more > 0) text_format(&rest, "and %lld more", (long long)more);
    if (rest.text) page_field(page, indent, LABEL, "", rest.text);
    free(rest.text);
}

static void print_location(const text_page *page, int indent, const json_t *check)
{
    const json_t *location = json_object_get(check, "location");
    text_buffer text = {0};
    json_t *step;
    size_t index;
    if (!json_is_object(location)) return;
    const char *function = result_string(location, "function");
    const int change = result_integer(location, "change");
    text_format(&text, "%s:%d", result_string(location, "file"), change ? change : result_integer(location, "line"));
    if (*function) text_format(&text, " in %s", function);
    if (change) text_format(&text, ", a call that leads to line %d", result_integer(location, "line"));
    if (result_integer(location, "called_at") && !change)
        text_format(&text, ", called at line %d", result_integer(location, "called_at"));
    if (result_integer(location, "last_call"))
        text_format(&text, "; the last call is at line %d", result_integer(location, "last_call"));
    json_array_foreach(json_object_get(location, "after"), index, step)
        text_format(&text, "%s %lld", index ? " and line" : ", when it runs after line", json_integer_value(step));
    if (text.text) print_field(page, indent, "look at", text.text);
    free(text.text);
}

/* The short sentence with which a message begins, and with `whole` what more it says. A message of several lines comes
 * from the compiler of a kernel: its source lines and marks keep their places. */
static void print_message(const text_page *page, int indent, const json_t *check, bool whole)
{
    const char *message = result_string(check, "message"), *lines = strchr(message, '\n'), *more;
    char *first = strndup(message, lines ? (size_t)(lines - message) : strlen(message));
    char *end = first ? strstr(first, ". ") : NULL;
    if (end) *end = '\0';
    more = end ? end + strlen(". ") : "";
    print_field(page, indent, "what", first ? first : message);
    if (whole) print_field(page, indent, "details", more);
    if (lines) page_block(page, 2, lines + 1);
    free(first);
}

/* The number of a check, from 1, by its name. */
static size_t number_of(const grading_result *result, const char *name)
{
    size_t index = 0;
    while (index < json_array_size(result->checks) && !is(json_array_get(result->checks, index), "name", name)) index++;
    return index + 1;
}

/* Of a mistake that more than one check tells of: what it costs. */
static void print_cost(const text_page *page, int indent, const grading_result *result, const json_t *check)
{
    const root_cost cost = result_root_cost(result->checks, check);
    const json_t *other;
    size_t index;
    int listed = 0;
    text_buffer text = {0};
    if (cost.checks < 2 || !result_tells_root(check)) return;
    text_format(&text, "%d points in %d checks: ", cost.points, cost.checks);
    json_array_foreach(result->checks, index, other)
    {
        if (!is(other, "root", result_string(check, "root"))) continue;
        listed++;
        text_format(&text, "%s%zu", listed == 1 ? "" : listed == cost.checks ? " and " : ", ", index + 1);
    }
    if (text.text) print_field(page, indent, "costs", text.text);
    free(text.text);
}

/* Later findings are short, and each mistake is told once: the end of the page tells the first one in full. */
static void print_short_finding(const text_page *page, const grading_result *result, const json_t *check)
{
    const json_t *first = result_first_failure(result);
    const char *root = result_string(check, "root");
    text_buffer same = {0};
    if (!result_tells_root(check) && *root) {
        text_format(&same, "the same mistake as in check %zu%s", number_of(result, root),
                    is(first, "name", root) ? ", told below" : "");
        if (same.text) print_field(page, STATUS, "what", same.text);
        free(same.text);
        return;
    }
    print_message(page, STATUS, check, false);
    print_cost(page, STATUS, result, check);
    print_field(page, STATUS, "cause", result_string(check, "cause"));
    print_location(page, STATUS, check);
}

static void print_finding(const text_page *page, int indent, const grading_result *result, const json_t *check)
{
    print_cost(page, indent, result, check);
    print_message(page, indent, check, true);
    print_field(page, indent, "expected", result_string(check, "expected"));
    print_field(page, indent, "found", result_string(check, "found"));
    print_mismatches(page, indent, check);
    print_field(page, indent, "cause", result_string(check, "cause"));
    print_location(page, indent, check);
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
        if (is_unwritten(check)) {
            color = PAGE_DIM;
            sign = mark(page, "–", "-");
            word = "to write";
        }
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

/* One line: points and title. */
static void print_title(const text_page *page, int points, int max_points, const char *title)
{
    enum { POINTS = 9 };
    fprintf(page->file, "%3d/%-3d  ", points, max_points);
    page_cut(page, page->terminal.columns - STATUS - POINTS, title);
    fputc('\n', page->file);
}

/* Whether a check before this one did not run for the same reason. */
static bool is_told(const json_t *checks, size_t index, const char *why)
{
    for (size_t i = 0; i < index; i++) {
        const json_t *check = json_array_get(checks, i);
        if (is(check, "status", "not run") && is(check, "message", why)) return true;
    }
    return false;
}

/* Checks in a row that did not run for the same reason share a line. Returns the number of the last one. */
static size_t print_not_run(const text_page *page, const json_t *checks, size_t index)
{
    const json_t *check = json_array_get(checks, index), *next;
    const char *why = result_string(check, "message");
    int points = result_integer(check, "max_points");
    size_t last = index;
    while ((next = json_array_get(checks, last + 1)) && is(next, "status", "not run") && is(next, "message", why)) {
        points += result_integer(next, "max_points");
        last++;
    }
    char several[64];
    snprintf(several, sizeof several, "checks %zu to %zu", index + 1, last + 1);
    print_status(page, check);
    print_title(page, 0, points, last > index ? several : result_string(check, "title"));
    if (!is_told(checks, index, why)) print_field(page, STATUS, "why", why);
    return last;
}

static void print_checks(const text_page *page, const grading_result *result, bool whole)
{
    const json_t *first = told_failure(result);
    for (size_t index = 0; index < json_array_size(result->checks); index++) {
        const json_t *check = json_array_get(result->checks, index);
        if (is(check, "status", "not run")) {
            index = print_not_run(page, result->checks, index);
            continue;
        }
        print_status(page, check);
        print_title(page, result_integer(check, "points"), result_integer(check, "max_points"),
                    result_string(check, "title"));
        if (*result_string(check, "level")) print_field(page, STATUS, "reached", result_string(check, "level"));
        if (check == first || is(check, "status", "passed") || (is_unwritten(check) && !whole)) continue;
        if (whole)
            print_finding(page, STATUS, result, check);
        else
            print_short_finding(page, result, check);
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

/* Whether the samples lie too far apart to be compared with anything. */
static bool is_unstable(const json_t *timing) { return json_is_false(json_object_get(timing, "stable")); }

/* Prints the least and the most next to the median; one sample, such as a modelled time, alone. */
static void print_time(const text_page *page, const number_table *table, const json_t *timing)
{
    char text[96] = "", median[32], least[32], most[32];
    if (timing) {
        page_write_milliseconds(median, sizeof median, json_number_value(json_object_get(timing, "median_ms")));
        page_write_milliseconds(least, sizeof least, json_number_value(json_object_get(timing, "min_ms")));
        page_write_milliseconds(most, sizeof most, json_number_value(json_object_get(timing, "max_ms")));
        bool alone = json_integer_value(json_object_get(timing, "samples")) == 1 || !table->spread;
        snprintf(text, sizeof text, alone ? "%s%s" : "%s%s (%s to %s)", is_unstable(timing) ? "~" : "", median, least,
                 most);
    }
    page_right(page, table->number, text);
}

static void print_table_head(const text_page *page, const number_table *table, const char *what, bool compared)
{
    fputc('\n', page->file);
    print_label(page, table, what);
    page_right(page, table->number, "yours");
    if (compared) page_right(page, table->number, "reference");
    fputc('\n', page->file);
}

/* The widest table that fits on the page. */
static number_table make_table(const text_page *page, int label, int number, int narrow)
{
    bool wide = page->terminal.columns >= label + 2 * number;
    if (wide) return (number_table){label, number, true};
    return (number_table){page->terminal.columns - 2 * narrow, narrow, false};
}

static void print_unstable(const text_page *page, const grading_result *result)
{
    const json_t *timing;
    size_t index;
    json_array_foreach(result->timings, index, timing)
    {
        if (!is_unstable(timing)) continue;
        page_text(page, 0, "Times with ~ vary too much to be compared; that costs no points.");
        return;
    }
}

/* How much of a label names the whole of which the row is a part: "first run" of "first run: load"; 0 without one. */
static size_t whole_length(const char *label)
{
    const char *colon = strstr(label, ": ");
    return colon ? (size_t)(colon - label) : 0;
}

static void print_timings(const text_page *page, const grading_result *result)
{
    const number_table table = make_table(page, 29, 25, 12);
    const json_t *timing;
    size_t index, rows = 0;
    bool compared = false, repeated = false;
    json_array_foreach(result->timings, index, timing)
    {
        if (whole_length(result_string(timing, "label"))) continue;
        repeated |= json_integer_value(json_object_get(timing, "samples")) != 1;
        compared |= is(timing, "who", "reference");
        rows++;
    }
    if (rows == 0) return;
    print_table_head(page, &table, table.spread && repeated ? "milliseconds (least to most)" : "milliseconds",
                     compared);
    json_array_foreach(result->timings, index, timing)
    {
        const char *label = result_string(timing, "label");
        const json_t *yours = find_timing(result->timings, label, "yours");
        const json_t *reference = find_timing(result->timings, label, "reference");
        if (timing != (yours ? yours : reference) || whole_length(label)) continue;
        print_label(page, &table, label);
        print_time(page, &table, yours);
        if (compared) print_time(page, &table, reference);
        fputc('\n', page->file);
    }
    print_unstable(page, result);
}

/* ---- bars ------------------------------------------------------------------------------------------------------- */

enum { BAR_LABEL = 14, BAR_NUMBER = 10, PARTS = 5 };

/* The rows of one bar: those from `first` on whose labels begin with the same whole. */
typedef struct cost_bar {
    const char *label;
    size_t length, first, rows; /* of the whole's name; rows */
    double milliseconds;
} cost_bar;

/* The first bar from a row on; without rows if there is none. */
static cost_bar find_bar(const json_t *timings, size_t from)
{
    cost_bar bar = {0};
    for (size_t i = from; i < json_array_size(timings); i++) {
        const json_t *timing = json_array_get(timings, i);
        const char *label = result_string(timing, "label");
        if (bar.rows == 0) bar = (cost_bar){.label = label, .length = whole_length(label), .first = i};
        if (bar.length == 0) continue;
        if (whole_length(label) != bar.length || strncmp(label, bar.label, bar.length) != 0) break;
        bar.milliseconds += json_number_value(json_object_get(timing, "median_ms"));
        bar.rows++;
    }
    return bar;
}

/* The number of a part: the same in every bar, because each has a sign of its own. */
static int find_part(const char *parts[PARTS], const char *part)
{
    int i = 0;
    while (i < PARTS - 1 && parts[i] && strcmp(parts[i], part) != 0) i++;
    if (!parts[i]) parts[i] = part;
    return i;
}

/* Prints each time that consists of parts as a bar. The longest fills the line, and a part has at least one column. */
static void print_bars(const text_page *page, const grading_result *result)
{
    static const char *const utf8[PARTS] = {"█", "▓", "▒", "░", "▚"}, *const ascii[PARTS] = {"#", "=", "+", "-", "."};
    const char *parts[PARTS] = {0};
    double longest = 0;
    for (cost_bar bar = find_bar(result->timings, 0); bar.rows; bar = find_bar(result->timings, bar.first + bar.rows))
        longest = fmax(longest, bar.milliseconds);
    if (longest <= 0) return;
    page_text(page, 0, "\nmilliseconds, with their parts");
    for (cost_bar bar = find_bar(result->timings, 0); bar.rows; bar = find_bar(result->timings, bar.first + bar.rows)) {
        const int room = page->terminal.columns - BAR_LABEL - BAR_NUMBER - (int)bar.rows;
        char name[BAR_LABEL], number[32];
        int used = 0;
        snprintf(name, sizeof name, "%.*s", (int)bar.length, bar.label);
        page_left(page, BAR_LABEL, name);
        for (size_t i = bar.first; i < bar.first + bar.rows; i++) {
            const json_t *timing = json_array_get(result->timings, i);
            const int part = find_part(parts, result_string(timing, "label") + bar.length + strlen(": "));
            const double share = json_number_value(json_object_get(timing, "median_ms")) / longest;
            const int columns = 1 + (room > 0 ? (int)(share * room) : 0);
            for (int k = 0; k < columns; k++) fputs(mark(page, utf8[part], ascii[part]), page->file);
            used += columns;
        }
        page_write_milliseconds(number, sizeof number, bar.milliseconds);
        page_right(page, page->terminal.columns - BAR_LABEL - used, number);
        fputc('\n', page->file);
    }
    text_buffer legend = {0};
    for (int i = 0; i < PARTS && parts[i]; i++)
        text_format(&legend, "%s%s %s", i ? "   " : "", mark(page, utf8[i], ascii[i]), parts[i]);
    if (legend.text) page_text(page, 0, legend.text);
    free(legend.text);
}

/* ---- ratios ----------------------------------------------------------------------------------------------------- */

static void print_ratios(const text_page *page, const grading_result *result)
{
    const number_table table = make_table(page, 54, 12, 12);
    const json_t *ratio;
    size_t index;
    if (json_array_size(result->ratios) == 0) return;
    print_table_head(page, &table, "ratios", true);
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

/* ---- predictions ------------------------------------------------------------------------------------------------ */

static void print_predictions(const verdict_page *page, const text_page *layout, const grading_result *result)
{
    grader_fault fault = {0};
    if (!page->predict || !result->build_ok) return;
    if (!predictions_print(layout, page->out, result, page->predict, &fault)) page_text(layout, 0, fault.text);
}

/* ---- timeline --------------------------------------------------------------------------------------------------- */

static void print_timeline(const verdict_page *page, const text_page *layout, const grading_result *result)
{
    grader_fault unread = {0};
    if (!result->trace) return;
    fputc('\n', layout->file);
    timelines_draw_shown(layout, page->out, &unread);
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

/* The number of the check that decides the verdict, if it is not the first that failed, which is told below; else 0. */
static size_t decisive_number(const grading_result *result)
{
    size_t index;
    const json_t *check;
    json_array_foreach(result->checks, index, check)
    {
        if (is(check, "status", "failed") && is(check, "kind", result_verdict_name(result->verdict)))
            return check == result_first_failure(result) ? 0 : index + 1;
    }
    return 0;
}

static void print_headline(const text_page *page, const grading_result *result)
{
    const size_t decisive = decisive_number(result);
    fputc('\n', page->file);
    if (result->verdict == RESULT_PASSED) {
        page_colored(page, PAGE_GOOD, "PASSED");
    } else if (is_unsolved(result)) {
        page_colored(page, PAGE_WARN, "NOT SOLVED YET");
    } else if (result->verdict == RESULT_GRADER_FAULT) {
        page_colored(page, PAGE_WARN, "NOT GRADED");
    } else if (result->verdict == RESULT_NOT_MEASURED) {
        page_colored(page, PAGE_WARN, "NOT MEASURED");
    } else if (result->verdict == RESULT_FAILED) {
        page_colored(page, PAGE_BAD, "FAILED");
    } else if (result_verdict_is_failure(result->verdict)) {
        page_colored(page, PAGE_BAD, "FAILED: %s", result_verdict_name(result->verdict));
    } else {
        page_colored(page, PAGE_BAD, "BROKEN: %s", result_verdict_name(result->verdict));
    }
    if (decisive) fprintf(page->file, " in check %zu", decisive);
    fprintf(page->file, "  %d of %d points", result->points, result->max_points);
    const int untried = untried_points(result);
    if (result->build_ok && untried) fprintf(page->file, "; %d could not be tried", untried);
    fputc('\n', page->file);
}

/* The number of the first check that failed, from 1. */
static size_t failure_number(const grading_result *result)
{
    const json_t *failure = result_first_failure(result);
    size_t index = 0;
    while (json_array_get(result->checks, index) != failure) index++;
    return index + 1;
}

/* The first failure in full. */
static void print_failure(const text_page *page, const grading_result *result)
{
    char number[24];
    const json_t *failure = told_failure(result);
    if (result->verdict == RESULT_BUILD_ERROR && result->summary) print_field(page, 0, "what", result->summary);
    if (!failure) return;
    snprintf(number, sizeof number, "check %zu", failure_number(result));
    print_field(page, 0, number, result_string(failure, "title"));
    print_finding(page, 0, result, failure);
}

/* "lab04" of "labs/lab04-contexts" */
static void write_lab_name(char *name, size_t size, const char *folder)
{
    const char *slash = strrchr(folder, '/'), *base = slash ? slash + 1 : folder;
    snprintf(name, size, "%.*s", (int)strcspn(base, "-"), base);
}

/* Compare and answer, and the next lab with its command. */
static void write_after_passing(text_buffer *next, const verdict_page *page, const grading_result *result)
{
    char lab[64];
    const json_t *extra = result_first_failure(result);
    if (extra) text_format(next, "\"%s\" is for those who want more. ", result_string(extra, "title"));
    text_format(next, "%s. ",
                result->trace ? "Look at your timeline, then answer the lesson's questions"
                              : "Answer the lesson's questions");
    if (!page->next_lab) {
        text_format(next, "This was the last lab; `make progress%s` lists them all.", page->build);
        return;
    }
    write_lab_name(lab, sizeof lab, page->next_lab);
    text_format(next, "Then continue with %s: read %s/README.md and run `make %s%s`.", lab, page->next_lab, lab,
                page->build);
}

/* The next thing to do. */
static void print_next(const verdict_page *page, const text_page *layout, const grading_result *result)
{
    text_buffer next = {0};
    const json_t *failure = result_first_failure(result);
    switch (result->verdict) {
    case RESULT_PASSED: write_after_passing(&next, page, result); break;
    case RESULT_GRADER_FAULT:
        text_format(&next, "%s. Your code is not the cause: fix this, then run `%s%s` again.", result->summary,
                    page->command, page->variables);
        break;
    case RESULT_NOT_MEASURED: text_format(&next, "%s.", result->summary); break;
    case RESULT_MISSING_FILE:
        text_format(&next, "%s. Put your work into %s, or start over with `%s-reset%s`.", result->summary, result->file,
                    page->command, page->variables);
        break;
    case RESULT_BUILD_ERROR:
        text_format(&next, "Fix the first error, then run `%s%s` again.", page->command, page->variables);
        break;
    default:
        if (is_unsolved(result)) text_format(&next, "Still marked in %s: TODO %s. ", result->file, result->open_tasks);
        text_format(&next, "`%s%s` gives a hint. Then run `%s%s` again.", result_string(failure, "hint"),
                    page->variables, page->command, page->variables);
        break;
    }
    if (next.text) page_field(layout, 0, LABEL, "next", next.text);
    free(next.text);
}

/* What else there is to see of a failure: its timeline, and what this page leaves out. */
static void print_more(const verdict_page *page, const text_page *layout, const grading_result *result)
{
    const json_t *failure = told_failure(result);
    const char *marked = result_string(failure, "timeline");
    char number[24];
    text_buffer more = {0};
    if (!failure) return;
    snprintf(number, sizeof number, "%zu", failure_number(result));
    if (*marked)
        text_format(&more, "`%s%s` draws both calls and marks them. ", marked, page->variables);
    else if (json_object_get(result->records, number))
        text_format(&more, "`%s-timeline CHECK=%s%s` draws this run. ", page->command, number, page->variables);
    if (!page->whole) text_format(&more, "`%s V=1%s` prints everything.", page->command, page->variables);
    if (more.text) page_field(layout, 0, LABEL, "more", more.text);
    if (page->lesson) page_field(layout, 0, LABEL, "read", page->lesson);
    free(more.text);
}

/* Every run has new input data; looking for a mistake is easier with the same data again. */
static void print_seed(const verdict_page *page, const text_page *layout, const grading_result *result)
{
    text_buffer again = {0};
    if (!told_failure(result)) return;
    text_format(&again, "%s SEED=%llu%s", page->command, (unsigned long long)result->seed, page->variables);
    if (again.text) page_field(layout, 0, LABEL, "same data", again.text);
    free(again.text);
}

/* ---- the file's name --------------------------------------------------------------------------------------------- */

static bool is_in_name(char c) { return c == '_' || c == '.' || c == '-' || isalnum((unsigned char)c); }

/* Whether a name goes on here; the full stop of a sentence ends it. */
static bool continues_name(const char *at) { return is_in_name(*at) && (*at != '.' || is_in_name(at[1])); }

/* The text with the file's own name in place of the lab's. Owned by the caller; NULL without memory. */
static char *renamed(const char *text, const char *file, const char *own)
{
    const size_t length = strlen(file);
    text_buffer out = {0};
    text_append(&out, "", 0);
    for (const char *next; length > 0 && (next = strstr(text, file)); text = next + length) {
        const bool is_whole = (next == text || !is_in_name(next[-1])) && !continues_name(next + length);
        text_append(&out, text, (size_t)(next - text));
        text_format(&out, "%s", is_whole ? own : file);
    }
    text_format(&out, "%s", text);
    if (!out.failed) return out.text;
    free(out.text);
    return NULL;
}

/* A copy of a value in which all texts are renamed; NULL without memory. */
static json_t *renamed_value(const json_t *value, const char *file, const char *own)
{
    json_t *copy = json_deep_copy(value), *part;
    const char *key;
    size_t index;
    if (json_is_string(value)) {
        char *text = renamed(json_string_value(value), file, own);
        if (text && copy) json_string_set(copy, text);
        free(text);
    }
    json_object_foreach(copy, key, part) json_object_set_new(copy, key, renamed_value(part, file, own));
    json_array_foreach(copy, index, part) json_array_set_new(copy, index, renamed_value(part, file, own));
    return copy;
}

/* The result with one name for the student's file: its own, which need not be the lab's. What begins here ends with
 * release_told; the rest is the result's. */
static grading_result tell_own_name(const grading_result *result)
{
    const char *slash = strrchr(result->submission, '/'), *own = slash ? slash + 1 : result->submission;
    grading_result told = *result;
    told.checks = renamed_value(result->checks, result->file, own);
    told.summary = result->summary ? renamed(result->summary, result->file, own) : NULL;
    told.build_messages = result->build_messages ? renamed(result->build_messages, result->file, own) : NULL;
    told.file = strdup(own);
    return told;
}

static void release_told(grading_result *told)
{
    json_decref(told->checks);
    free(told->summary);
    free(told->build_messages);
    free(told->file);
}

/* A drawing is for a run without failures: a failure's page is short without it, and ends with the command for it. */
void verdict_print(const verdict_page *page, const grading_result *graded)
{
    const text_page layout = {.file = page->file, .terminal = page->terminal};
    grading_result told = tell_own_name(graded), *result = &told;
    print_head(&layout, result);
    print_build(&layout, result);
    print_checks(&layout, result, page->whole);
    print_timings(&layout, result);
    print_bars(&layout, result);
    print_ratios(&layout, result);
    print_predictions(page, &layout, result);
    if (page->whole || result->verdict == RESULT_PASSED || !result_first_failure(result))
        print_timeline(page, &layout, result);
    print_output(&layout, result);
    print_headline(&layout, result);
    print_failure(&layout, result);
    print_next(page, &layout, result);
    print_more(page, &layout, result);
    print_seed(page, &layout, result);
    release_told(&told);
}
