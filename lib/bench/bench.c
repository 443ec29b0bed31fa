/* Samples, rows, and the table as text and as JSON. */
#include "bench.h"
#include "base/system/whole_file.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROWS = 160, MOST_NOTES = 6 };

typedef struct result {
    bench_row row;
    bool measured;
    double median, low, high;
    int rounds;
    char why[256]; /* the reason if it was not measured */
} result;

static result results[MOST_ROWS];
static int result_count;
static char notes[MOST_NOTES][512];
static int note_count;
static char driver[128];

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_now(void) { return read_clock(CLOCK_MONOTONIC); }

void bench_add_sample(bench_samples *samples, double value)
{
    if (samples->count < BENCH_ROUNDS) samples->value[samples->count++] = value;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bench_samples sort(const bench_samples *samples)
{
    bench_samples sorted = *samples;
    qsort(sorted.value, (size_t)sorted.count, sizeof *sorted.value, compare_numbers);
    return sorted;
}

double bench_median(const bench_samples *samples)
{
    const bench_samples sorted = sort(samples);
    return (sorted.value[(samples->count - 1) / 2] + sorted.value[samples->count / 2]) / 2;
}

static void summarize(result *summary, const bench_samples *samples)
{
    const bench_samples sorted = sort(samples);
    summary->low = sorted.value[0];
    summary->high = sorted.value[sorted.count - 1];
    summary->median = bench_median(samples);
    summary->rounds = sorted.count;
}

void bench_add_row(bench_row row, const bench_samples *samples, lab_status status)
{
    if (result_count == MOST_ROWS) return;
    result *made = &results[result_count++];
    made->row = row;
    made->measured = status == LAB_SUCCESS && samples->count > 0;
    if (made->measured)
        summarize(made, samples);
    else
        snprintf(made->why, sizeof made->why, "%s", status == LAB_SUCCESS ? "no samples" : lab_error_message());
    made->why[strcspn(made->why, "\n")] = '\0';
}

void bench_add_note(const char *text)
{
    if (note_count < MOST_NOTES) snprintf(notes[note_count++], sizeof *notes, "%s", text);
}

void bench_set_driver(const char *text) { snprintf(driver, sizeof driver, "%s", text); }

static lab_status time_one(double *seconds, clockid_t clock, lab_status (*work)(void *), void *user)
{
    double start = read_clock(clock);
    lab_status status = work(user);
    *seconds = read_clock(clock) - start;
    return status;
}

static lab_status compare(bench_samples *ratio, clockid_t clock, lab_status (*first)(void *),
                          lab_status (*second)(void *), void *user)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double of_first = 0, of_second = 0;
        bool first_begins = round % 2 == 0;
        if (first_begins) LAB_TRY(time_one(&of_first, clock, first, user));
        LAB_TRY(time_one(&of_second, clock, second, user));
        if (!first_begins) LAB_TRY(time_one(&of_first, clock, first, user));
        if (round >= 0) bench_add_sample(ratio, of_first / of_second);
    }
    return LAB_SUCCESS;
}

lab_status bench_compare(bench_samples *ratio, lab_status (*first)(void *), lab_status (*second)(void *), void *user)
{
    return compare(ratio, CLOCK_MONOTONIC, first, second, user);
}

lab_status bench_compare_processor_time(bench_samples *ratio, lab_status (*first)(void *), lab_status (*second)(void *),
                                        void *user)
{
    return compare(ratio, CLOCK_PROCESS_CPUTIME_ID, first, second, user);
}

/* --- The table ---------------------------------------------------------------------------------------------- */

static bool meets(const result *measured)
{
    return measured->row.goal == BENCH_AT_LEAST ? measured->median >= measured->row.target
                                                : measured->median <= measured->row.target;
}

/* Three significant digits for any number. */
static const char *format_number(char *out, size_t bytes, double value)
{
    snprintf(out, bytes, "%.*f", value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3, value);
    return out;
}

static void print_result(const result *measured)
{
    char median[32], low[32], high[32], target[48] = "";
    printf("%-48s ", measured->row.name);
    if (measured->row.goal != BENCH_NO_GOAL)
        snprintf(target, sizeof target, "%s %g", measured->row.goal == BENCH_AT_LEAST ? "at least" : "at most",
                 measured->row.target);
    if (!measured->measured) {
        printf("not measured: %s\n", measured->why);
        return;
    }
    printf("%8s %-4s %8s .. %-8s  %-14s "
           "%s\n",
           format_number(median, sizeof median, measured->median), measured->row.unit,
           format_number(low, sizeof low, measured->low), format_number(high, sizeof high, measured->high), target,
           measured->row.goal == BENCH_NO_GOAL ? ""
           : meets(measured)                   ? "met"
                                               : "missed");
}

static void format_date(char *out, size_t bytes)
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(out, bytes, "%Y-%m-%d %H:%M UTC", &parts);
}

/* The device's name, or the reason why there is none. */
static void describe_machine(char *out, size_t bytes)
{
    lab_device_info info;
    if (lab_device_get_info(&info, 0) == LAB_SUCCESS)
        snprintf(out, bytes, "%s", info.name);
    else
        snprintf(out, bytes, "%s", lab_error_message());
}

void bench_print_table(void)
{
    char machine[256], date[64];
    describe_machine(machine, sizeof machine);
    format_date(date, sizeof date);
    printf("%s, %s%s%ld cores online, %s\n", machine, driver, *driver ? ", " : "", sysconf(_SC_NPROCESSORS_ONLN), date);
    printf("The median of up to %d rounds, smallest and largest; things compared were measured in turns.\n",
           BENCH_ROUNDS);
    for (int i = 0; i < note_count; i++) printf("%s\n", notes[i]);
    int others = (int)(100 * bench_share_of_others() + 0.5);
    if (others >= 5)
        printf("Other programs used %d%% of the cores meanwhile: measure again on a quiet machine.\n", others);
    printf("\n");
    printf("%-48s %8s %-4s %8s    %-8s  %-14s\n", "", "median", "", "smallest", "largest", "target");
    for (int i = 0; i < result_count; i++) print_result(&results[i]);
}

static json_t *row_as_json(const result *measured)
{
    json_t *row = json_pack("{s:s, s:s, s:b}", "name", measured->row.name, "unit", measured->row.unit, "measured",
                            measured->measured);
    if (!row) return NULL;
    if (measured->measured) {
        json_object_set_new(row, "median", json_real(measured->median));
        json_object_set_new(row, "smallest", json_real(measured->low));
        json_object_set_new(row, "largest", json_real(measured->high));
        json_object_set_new(row, "rounds", json_integer(measured->rounds));
    } else {
        json_object_set_new(row, "why", json_string(measured->why));
    }
    if (measured->row.goal != BENCH_NO_GOAL) {
        json_object_set_new(row, measured->row.goal == BENCH_AT_LEAST ? "at_least" : "at_most",
                            json_real(measured->row.target));
        if (measured->measured) json_object_set_new(row, "met", json_boolean(meets(measured)));
    }
    return row;
}

static char *table_as_json(void)
{
    char machine[256], date[64];
    describe_machine(machine, sizeof machine);
    format_date(date, sizeof date);
    json_t *rows = json_array();
    for (int i = 0; i < result_count; i++) json_array_append_new(rows, row_as_json(&results[i]));
    json_t *table =
        json_pack("{s:s, s:i, s:s, s:f, s:o}", "machine", machine, "cores", (int)sysconf(_SC_NPROCESSORS_ONLN), "date",
                  date, "share_of_others", bench_share_of_others(), "rows", rows);
    if (table && *driver) json_object_set_new(table, "driver", json_string(driver));
    for (int i = 0; table && i < note_count; i++) {
        json_t *list = json_object_get(table, "notes");
        if (!list) json_object_set_new(table, "notes", list = json_array());
        json_array_append_new(list, json_string(notes[i]));
    }
    char *text = table ? json_dumps(table, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(table);
    return text;
}

lab_status bench_write_json(const char *path)
{
    char *text = table_as_json();
    lab_whole_file *file = NULL;
    lab_status status = text ? lab_whole_file_create(&file, path) : LAB_ERROR_OUT_OF_MEMORY;
    if (status == LAB_SUCCESS) {
        lab_whole_file_write(file, text, strlen(text));
        lab_whole_file_write(file, "\n", 1);
        status = lab_whole_file_finish(file);
    }
    free(text);
    return status;
}
