/* What persons decided about a lab; see decisions.h. */
#include "decisions.h"

#include <string.h>

#include "judge/result.h"
#include "score.h"

bool decisions_is_one(const json_t *adjustment)
{
    return json_is_number(json_object_get(adjustment, "weight")) || *result_string(adjustment, "release");
}

json_t *decisions_of(const json_t *adjustments)
{
    json_t *list = json_array(), *adjustment;
    size_t index;
    json_array_foreach((json_t *)adjustments, index, adjustment)
    {
        if (!decisions_is_one(adjustment)) continue;
        json_t *copy = json_copy(adjustment);
        json_object_del(copy, "student");
        json_object_del(copy, "id");
        json_array_append_new(list, copy);
    }
    return list;
}

/* ---- points of checks -------------------------------------------------------------------------------------------- */

/* The points that a check counts by the decisions; NULL if they do not say. */
static const json_t *weight_of(const json_t *decisions, const char *check)
{
    const json_t *weight = NULL, *decision;
    size_t index;
    json_array_foreach((json_t *)decisions, index, decision)
    {
        const json_t *said = json_object_get(decision, "weight");
        if (json_is_number(said) && strcmp(result_string(decision, "check"), check) == 0) weight = said;
    }
    return weight;
}

/* Adds to a number of the result. */
static void add_to(json_t *result, const char *field, double more)
{
    json_object_set_new(result, field, score_json(json_number_value(json_object_get(result, field)) + more));
}

/* Whether the check counts in the result's max_points: result_conclude leaves out what could not be measured. */
static bool was_measured(const json_t *check)
{
    return strcmp(result_string(check, "status"), "not measured") != 0 ||
           strcmp(result_string(check, "kind"), "impossible time") == 0;
}

static void weigh_check(json_t *result, json_t *check, double most)
{
    const double points = json_number_value(json_object_get(check, "points"));
    const double before = json_number_value(json_object_get(check, "max_points"));
    const double share = before > 0 ? points / before : strcmp(result_string(check, "status"), "passed") == 0;
    json_object_set_new(check, "weighed",
                        json_pack("{s:o, s:o}", "points", score_json(points), "max_points", score_json(before)));
    json_object_set_new(check, "points", score_json(share * most));
    json_object_set_new(check, "max_points", score_json(most));
    add_to(result, "points", share * most - points);
    if (was_measured(check)) add_to(result, "max_points", most - before);
}

void decisions_weigh(json_t *result, const json_t *decisions)
{
    size_t index;
    json_t *check;
    json_array_foreach(json_object_get(result, "checks"), index, check)
    {
        const json_t *weight = weight_of(decisions, result_string(check, "name"));
        if (weight) weigh_check(result, check, json_number_value(weight));
    }
}

/* ---- release ----------------------------------------------------------------------------------------------------- */

bool decisions_hold(const json_t *decisions, const json_t *settings, const char *section)
{
    bool held = strcmp(result_string(settings, "release"), "held") == 0;
    const json_t *decision;
    size_t index;
    json_array_foreach((json_t *)decisions, index, decision)
    {
        const char *release = result_string(decision, "release"), *about = result_string(decision, "section");
        if (*release && (!*about || strcmp(about, section) == 0)) held = strcmp(release, "held") == 0;
    }
    return held;
}
