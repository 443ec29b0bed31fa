/* The points that count; see score.h. */
#include "score.h"

#include <math.h>
#include <string.h>

#include "judge/result.h"

/* ---- by the grader alone ----------------------------------------------------------------------------------------- */

int score_full_points(const json_t *result)
{
    int most = result_integer(result, "max_points"), all = 0;
    size_t index;
    json_t *check;
    json_array_foreach(json_object_get(result, "checks"), index, check) all += result_integer(check, "max_points");
    return all > most ? all : most;
}

static double number_of(const json_t *entry, const char *field)
{
    return json_number_value(json_object_get(entry, field));
}

/* The points that count if the checks gave so many of so many that could be measured. One division at the end keeps
 * equal points equal. */
static double in_proportion(const json_t *result, double points, int measured, int full)
{
    const double off = number_of(json_object_get(result, "late"), "percent");
    return measured > 0 ? (100 - off) * points * full / (100.0 * measured) : 0;
}

static bool has_score(const json_t *result)
{
    const result_verdict verdict = result_verdict_named(result_string(result, "verdict"));
    const bool nothing_measured = verdict == RESULT_NOT_MEASURED && result_integer(result, "max_points") == 0;
    return verdict != RESULT_GRADER_FAULT && !nothing_measured;
}

double score_of(const json_t *result)
{
    if (!has_score(result)) return NAN;
    return in_proportion(result, number_of(result, "points"), result_integer(result, "max_points"),
                         score_full_points(result));
}

/* ---- as persons adjusted them ------------------------------------------------------------------------------------ */

static bool is_set(const json_t *adjustment, const char *word)
{
    return json_is_true(json_object_get(adjustment, word));
}

static bool any_is_set(const json_t *adjustments, const char *word)
{
    size_t index;
    json_t *adjustment;
    json_array_foreach(adjustments, index, adjustment) if (is_set(adjustment, word)) return true;
    return false;
}

/* The points of a check, or of the whole, after an adjustment. Points that a person gave when there were `of` keep
 * their share of the points that there are now. */
static double adjusted(double points, const json_t *adjustment, int now)
{
    const double of = number_of(adjustment, "of");
    const double number = number_of(adjustment, "points") * (of > 0 ? now / of : 1);
    return is_set(adjustment, "relative") ? points + number : number;
}

static bool gives_points(const json_t *adjustment) { return json_is_number(json_object_get(adjustment, "points")); }

static const json_t *find_check(const json_t *result, const char *name)
{
    size_t index;
    json_t *check;
    json_array_foreach(json_object_get(result, "checks"), index, check)
    {
        if (strcmp(result_string(check, "name"), name) == 0) return check;
    }
    return NULL;
}

/* The points of a check after the first `count` adjustments; `given` is whether one of them gives points for it. */
static double check_points(const json_t *result, const json_t *adjustments, size_t count, const char *name, bool *given)
{
    const json_t *check = find_check(result, name);
    double points = number_of(check, "points");
    *given = false;
    for (size_t i = 0; i < count; i++) {
        const json_t *adjustment = json_array_get(adjustments, i);
        if (!gives_points(adjustment) || strcmp(result_string(adjustment, "check"), name) != 0) continue;
        *given = true;
        points = adjusted(points, adjustment, result_integer(check, "max_points"));
    }
    return points;
}

double score_check_points(const json_t *result, const json_t *adjustments, const char *check)
{
    bool given;
    return check_points(result, adjustments, json_array_size(adjustments), check, &given);
}

/* The score by the checks alone, after the first `count` adjustments. A check that was not measured counts as measured
 * once a person gives points for it. */
static double by_checks(const json_t *result, const json_t *adjustments, size_t count, int full)
{
    double points = number_of(result, "points");
    int measured = result_integer(result, "max_points");
    size_t index;
    json_t *check;
    json_array_foreach(json_object_get(result, "checks"), index, check)
    {
        bool given;
        const double now = check_points(result, adjustments, count, result_string(check, "name"), &given);
        if (given) points += now - number_of(check, "points");
        if (given && strcmp(result_string(check, "status"), "not measured") == 0)
            measured += result_integer(check, "max_points");
    }
    return measured || has_score(result) ? in_proportion(result, points, measured, full) : NAN;
}

/* The full points of a result: its own, or else `full`. */
static int full_or(const json_t *result, int full)
{
    const int own = score_full_points(result);
    return own > 0 ? own : full;
}

double score_adjusted(const json_t *result, const json_t *adjustments, int full)
{
    const int whole = full_or(result, full);
    double score = score_of(result);
    size_t index;
    json_t *adjustment;
    json_array_foreach(adjustments, index, adjustment)
    {
        if (!gives_points(adjustment)) continue;
        if (*result_string(adjustment, "check") == '\0') {
            score = adjusted(score, adjustment, whole);
            continue;
        }
        const double before = by_checks(result, adjustments, index, whole);
        const double after = by_checks(result, adjustments, index + 1, whole);
        score = isnan(score) ? after : score + after - before;
    }
    return score;
}

void score_waive_lateness(json_t *result, const json_t *adjustments)
{
    json_t *late = json_object_get(result, "late");
    if (!json_is_object(late) || !any_is_set(adjustments, "lateness_waived")) return;
    json_object_set_new(late, "percent", json_integer(0));
    json_object_set_new(late, "over", json_null());
    json_object_set(late, "points", json_object_get(result, "points"));
}

const char *score_due(const json_t *adjustments)
{
    const char *due = "";
    size_t index;
    json_t *adjustment;
    json_array_foreach((json_t *)adjustments, index, adjustment)
    {
        if (*result_string(adjustment, "due")) due = result_string(adjustment, "due");
    }
    return due;
}

/* ---- in results.json --------------------------------------------------------------------------------------------- */

json_t *score_json(double score)
{
    const double rounded = round(score * 1e4) / 1e4;
    if (isnan(score)) return json_null();
    return rounded == floor(rounded) ? json_integer((json_int_t)rounded) : json_real(rounded);
}

/* The points that persons gave for checks, by the checks' names. */
static json_t *points_of_checks(const json_t *result, const json_t *adjustments)
{
    json_t *points = json_object(), *check;
    size_t index;
    json_array_foreach(json_object_get(result, "checks"), index, check)
    {
        bool given;
        const char *name = result_string(check, "name");
        const double now = check_points(result, adjustments, json_array_size(adjustments), name, &given);
        if (given) json_object_set_new(points, name, score_json(fmax(now, 0)));
    }
    return points;
}

/* Whether the student is excused: no adjustment after the one that says so sets the points for the whole. */
static bool is_excused(const json_t *adjustments)
{
    bool excused = false;
    size_t index;
    json_t *adjustment;
    json_array_foreach(adjustments, index, adjustment)
    {
        const bool gives_score =
            gives_points(adjustment) && !is_set(adjustment, "relative") && *result_string(adjustment, "check") == '\0';
        excused = is_set(adjustment, "excused") || (excused && !gives_score);
    }
    return excused;
}

static bool set_adjusted(json_t *result, const json_t *adjustments, bool excused)
{
    json_t *facts =
        json_pack("{s:b, s:b, s:b, s:b, s:s, s:o, s:O}", "excused", excused, "set_aside",
                  any_is_set(adjustments, "set_aside"), "resubmission", any_is_set(adjustments, "resubmission"),
                  "lateness_waived", any_is_set(adjustments, "lateness_waived"), "due", score_due(adjustments),
                  "checks", points_of_checks(result, adjustments), "list", adjustments);
    return json_object_set_new(result, "adjusted", facts) == 0;
}

bool score_set(json_t *result, const json_t *adjustments, int full)
{
    const bool any = json_array_size(adjustments) > 0, excused = is_excused(adjustments);
    const int whole = any ? full_or(result, full) : score_full_points(result);
    double score = score_adjusted(result, adjustments, full);
    if (excused) score = NAN;
    if (any && score > whole && !any_is_set(adjustments, "beyond")) score = whole;
    if (score < 0) score = 0;
    return json_object_set_new(result, "score", score_json(score)) == 0 &&
           json_object_set_new(result, "full_points", json_integer(whole)) == 0 &&
           (!any || set_adjusted(result, adjustments, excused));
}
