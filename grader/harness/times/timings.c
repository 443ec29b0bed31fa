/* The result's table of times and ratios. */
#include "check_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "program/grounds.h"
#include "times/copy_bound.h"

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted(const double *values, size_t count)
{
    double *copy = check_alloc(count * sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, compare_doubles);
    return copy;
}

double check_median(const double *values, size_t count)
{
    if (count == 0) check_fault("the median of no values was asked for");
    const double *ordered = sorted(values, count);
    return count % 2 ? ordered[count / 2] : (ordered[count / 2 - 1] + ordered[count / 2]) / 2;
}

static void append(json_t *list, json_t *entry)
{
    if (!entry || json_array_append_new(list, entry) < 0) check_fault("not enough memory for the table of times");
}

/* How many of the ordered samples lie outside the interval on each side: the most for which the true median lies
 * outside with a probability of at most 5 %. It holds for any distribution, because half of all values are below the
 * median. */
static size_t samples_outside(size_t samples)
{
    double term = pow(0.5, (double)samples), below = term;
    size_t outside = 0;
    while (2 * below <= 0.05 && outside < samples / 2) {
        outside++;
        term *= (double)(samples - outside + 1) / (double)outside;
        below += term;
    }
    return outside;
}

typedef struct interval {
    double low, high;
} interval;

static interval median_interval(const double *ordered, size_t samples)
{
    size_t outside = samples_outside(samples), first = outside > 0 ? outside - 1 : 0;
    return (interval){ordered[first], ordered[samples - 1 - first]};
}

static bool is_stable(const double *milliseconds, size_t samples)
{
    interval likely = median_interval(sorted(milliseconds, samples), samples);
    return likely.high - likely.low <= 0.25 * check_median(milliseconds, samples);
}

/* ---- the machine ------------------------------------------------------------------------------------------------- */

/* The largest number after `key` in the lines of a file in /proc; -1 if no line has one. */
static double largest_number(const char *path, const char *key)
{
    char line[512];
    double largest = -1;
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0) continue;
        double number = strtod(*key && colon ? colon + 1 : line, NULL);
        if (number > largest) largest = number;
    }
    if (file) fclose(file);
    return largest;
}

static json_t *number_or_null(double number) { return number < 0 ? json_null() : json_real(number); }

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The samples in the order in which they were taken. */
static json_t *samples_json(const double *milliseconds, size_t samples)
{
    json_t *list = json_array();
    for (size_t i = 0; i < samples; i++) append(list, json_real(milliseconds[i]));
    return list;
}

/* Adds a row. `bound` is the least possible time, 0 if unknown. */
static void add_row(const char *label, check_who who, const double *milliseconds, size_t samples, double bound)
{
    if (who == CHECK_YOURS) grounds_timed();
    double median = check_median(milliseconds, samples);
    const double *ordered = sorted(milliseconds, samples);
    interval likely = median_interval(ordered, samples);
    json_t *stable = samples < CHECK_SAMPLES ? json_null() : json_boolean(is_stable(milliseconds, samples));
    /* clang-format off */
    append(this_check.timings, json_pack("{s:s, s:s, s:f, s:f, s:f, s:I, s:o, s:f, s:f, s:o, s:o, s:b, s:o, s:o}",
                                        "label", label,
                                        "who", who == CHECK_YOURS ? "yours" : "reference",
                                        "median_ms", median,
                                        "min_ms", ordered[0],
                                        "max_ms", ordered[samples - 1],
                                        "samples", (json_int_t)samples,
                                        "samples_ms", samples_json(milliseconds, samples),
                                        "low_ms", likely.low,
                                        "high_ms", likely.high,
                                        "stable", stable,
                                        "bound_ms", bound > 0 ? json_real(bound) : json_null(),
                                        "impossible", ordered[0] < bound,
                                        "load", number_or_null(largest_number("/proc/loadavg", "")),
                                        "clock_mhz", number_or_null(largest_number("/proc/cpuinfo", "cpu MHz"))));
    /* clang-format on */
}

void check_timing(const char *label, check_who who, const double *milliseconds, size_t samples)
{
    add_row(label, who, milliseconds, samples, 0);
}

static int reruns_wanted(void)
{
    const char *text = getenv("LAB_CHECK_RERUNS");
    return text ? atoi(text) : 0;
}

/* Whether fewer than CHECK_SAMPLES rounds are enough: when an instructor grades, only if the student's programs may
 * have no time left for one more. A busy machine can make a round several times as long as the `longest` so far. Where
 * nobody reads the times, the warm-up and one round are. */
static bool is_enough(size_t count, double seconds, double longest)
{
    if (count > 0 && this_check.seconds_left < 4 * longest) return true;
    if (count > 0 && getenv("LAB_CHECK_BRIEFLY")) return true;
    return count >= CHECK_FEWEST_SAMPLES && seconds > CHECK_ENOUGH_SECONDS && reruns_wanted() == 0;
}

/* Runs a set of rounds and returns their number. Sample k of row i is at i * CHECK_SAMPLES + k. */
static size_t run_rounds(double *samples, size_t rows, void (*round)(void *user, double *milliseconds), void *user)
{
    double *one = check_alloc(rows * sizeof *one), begun = clock_seconds(), longest = 0;
    size_t count = 0;
    while (count < CHECK_SAMPLES && !is_enough(count, clock_seconds() - begun, longest)) {
        const double left = this_check.seconds_left;
        round(user, one);
        longest = fmax(longest, left - this_check.seconds_left);
        for (size_t i = 0; i < rows; i++) samples[i * CHECK_SAMPLES + count] = one[i];
        count++;
    }
    return count;
}

static bool all_stable(const double *samples, size_t rows, size_t count)
{
    bool stable = true;
    for (size_t i = 0; i < rows && count == CHECK_SAMPLES; i++)
        stable = stable && is_stable(samples + i * CHECK_SAMPLES, CHECK_SAMPLES);
    return stable;
}

static double least_of(const double *milliseconds, size_t count) { return sorted(milliseconds, count)[0]; }

/* The least possible time of row number `number`. A bound that the reference breaks does not hold on this machine. */
static double bound_of(const check_row *row, size_t rows, size_t number, const double *samples, size_t count)
{
    double bound = row[number].bytes > 0 ? copy_bound_ms(row[number].bytes) : 0;
    for (size_t i = 0; i < rows; i++) {
        bool same = row[i].who == CHECK_REFERENCE && strcmp(row[i].label, row[number].label) == 0;
        if (same && least_of(samples + i * CHECK_SAMPLES, count) < bound) return 0;
    }
    return bound;
}

bool check_measure(double *median, const check_row *row, size_t rows, void (*round)(void *user, double *milliseconds),
                   void *user)
{
    const char *impossible = NULL;
    double *samples = check_alloc(rows * CHECK_SAMPLES * sizeof *samples);
    double *warm_up = check_alloc(rows * sizeof *warm_up);
    double begun = clock_seconds(), seconds = this_check.seconds_left;
    grounds_measure(true);
    round(user, warm_up);
    double set_begun = clock_seconds();
    size_t count = run_rounds(samples, rows, round, user);
    double set_seconds = clock_seconds() - set_begun;
    for (int reruns = reruns_wanted(); !all_stable(samples, rows, count) && reruns > 0; reruns--) {
        if (clock_seconds() - begun + set_seconds > seconds) break;
        count = run_rounds(samples, rows, round, user);
    }
    grounds_measure(false);
    for (size_t i = 0; i < rows; i++) {
        median[i] = check_median(samples + i * CHECK_SAMPLES, count);
        double bound = bound_of(row, rows, i, samples, count), least = least_of(samples + i * CHECK_SAMPLES, count);
        add_row(row[i].label, row[i].who, samples + i * CHECK_SAMPLES, count, bound);
        if (row[i].who != CHECK_YOURS || least >= bound || impossible) continue;
        impossible = check_text("%s: a sample took %.3g ms, and copying its %.0f bytes takes %.3g ms at least on %s",
                                row[i].label, least, row[i].bytes, bound, check_device()->name);
    }
    this_check.impossible = impossible != NULL;
    if (impossible) check_not_measured("%s", impossible);
    return all_stable(samples, rows, count);
}

typedef struct both_programs {
    check_program *program[2];
    void (*round)(check_program *program, double *milliseconds);
    size_t labels;
} both_programs;

static void round_of_both(void *user, double *milliseconds)
{
    const both_programs *both = user;
    for (size_t who = 0; who < 2; who++) both->round(both->program[who], milliseconds + who * both->labels);
}

bool check_measure_both(double *median, const char *const *label, size_t labels, size_t memory_bytes,
                        void (*round)(check_program *program, double *milliseconds))
{
    both_programs both = {{check_start(memory_bytes), check_start_reference(memory_bytes)}, round, labels};
    check_row *rows = check_alloc(2 * labels * sizeof *rows);
    for (size_t i = 0; i < 2 * labels; i++)
        rows[i] = (check_row){.label = label[i % labels], .who = i < labels ? CHECK_YOURS : CHECK_REFERENCE};
    return check_measure(median, rows, 2 * labels, round_of_both, &both);
}

void check_ratio(const char *label, double yours, double reference)
{
    append(this_check.ratios, json_pack("{s:s, s:f, s:f}", "label", label, "yours", yours, "reference", reference));
}
