/* The stored measurements: every file of lib/bench/results is complete and agrees with the README next to it. */
#include "test.h"

#include <glob.h>
#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static bool is_text(const json_t *row, const char *name) { return json_is_string(json_object_get(row, name)); }

/* The number; fails the test if there is none. */
static double number(const json_t *row, const char *name, const char *path)
{
    const json_t *value = json_object_get(row, name);
    cr_assert(json_is_number(value), "%s, \"%s\": no number %s", path, json_string_value(json_object_get(row, "name")),
              name);
    return json_number_value(value);
}

static void check_figures(const json_t *row, const char *path)
{
    const char *name = json_string_value(json_object_get(row, "name"));
    const double median = number(row, "median", path), smallest = number(row, "smallest", path),
                 largest = number(row, "largest", path);
    cr_assert(smallest <= median && median <= largest, "%s, \"%s\": the median is outside its bounds", path, name);
    cr_assert_geq(number(row, "rounds", path), 1, "%s, \"%s\"", path, name);
    const bool least = json_object_get(row, "at_least"), most = json_object_get(row, "at_most");
    cr_assert(!(least && most), "%s, \"%s\": two targets", path, name);
    cr_assert_eq(json_is_boolean(json_object_get(row, "met")), least || most, "%s, \"%s\"", path, name);
    if (!least && !most) return;
    const bool met = least ? median >= number(row, "at_least", path) : median <= number(row, "at_most", path);
    cr_assert_eq(json_is_true(json_object_get(row, "met")), met, "%s, \"%s\": met is not what the figures say", path,
                 name);
}

static void check_row(const json_t *row, const char *path)
{
    cr_assert(is_text(row, "name") && is_text(row, "unit"), "%s: a row without name or unit", path);
    cr_assert(json_is_boolean(json_object_get(row, "measured")), "%s: a row that does not say whether it was measured",
              path);
    if (json_is_true(json_object_get(row, "measured")))
        check_figures(row, path);
    else
        cr_assert(is_text(row, "why"), "%s: a row without figures that does not say why", path);
}

Test(bench_results, every_kept_run_is_whole)
{
    glob_t found;
    cr_assert_eq(glob("lib/bench/results/*.json", 0, NULL, &found), 0, "there are no stored runs");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        json_error_t error;
        json_t *run = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
        cr_assert(json_is_object(run), "%s: line %d: %s", path, error.line, error.text);
        cr_assert(is_text(run, "machine") && is_text(run, "date"), "%s: no machine or no date", path);
        cr_assert(json_is_integer(json_object_get(run, "cores")), "%s: no cores", path);
        cr_assert(number(run, "share_of_others", path) >= 0, "%s", path);
        const json_t *rows = json_object_get(run, "rows"), *row;
        cr_assert_gt(json_array_size(rows), 0, "%s: no rows", path);
        size_t at;
        json_array_foreach(rows, at, row) check_row(row, path);
        json_decref(run);
    }
    globfree(&found);
}
