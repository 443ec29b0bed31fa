/* The points that count; see score.h. */
#include "score.h"

#include <math.h>

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

/* The points that count if the checks gave so many of so many that could be measured. One division at the end keeps
 * equal points equal. */
static double in_proportion(const json_t *result, double points, int measured, int full)
{
    const double off = json_number_value(json_object_get(json_object_get(result, "late"), "percent"));
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
    if (!has_score(result)) return -1;
    return in_proportion(result, result_integer(result, "points"), result_integer(result, "max_points"),
                         score_full_points(result));
}

/* ---- in results.json --------------------------------------------------------------------------------------------- */

/* A number as short as it is exact to four places; null below 0. */
static json_t *score_json(double score)
{
    const double rounded = round(score * 1e4) / 1e4;
    if (score < 0) return json_null();
    return rounded == floor(rounded) ? json_integer((json_int_t)rounded) : json_real(rounded);
}

bool score_set(json_t *result)
{
    return json_object_set_new(result, "score", score_json(score_of(result))) == 0 &&
           json_object_set_new(result, "full_points", json_integer(score_full_points(result))) == 0;
}
