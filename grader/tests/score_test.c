/* The arithmetic of a score that a person adjusted. */
#include "test.h"

#include <jansson.h>
#include <stdlib.h>

#include "course/score.h"

static void assert_set(const char *result, const char *adjustments, const char *score)
{
    json_t *entry = json_loads(result, 0, NULL), *list = json_loads(adjustments, 0, NULL);
    cr_assert(entry && list && score_set(entry, list, 100));
    char *found = json_dumps(json_object_get(entry, "score"), JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    cr_assert_str_eq(found, score, "%s with %s: %s", result, adjustments, found);
    free(found);
    json_decref(entry);
    json_decref(list);
}

Test(score, adjustments_keep_a_score_within_its_limits)
{
    const char *half = "{\"verdict\": \"failed\", \"points\": 50, \"max_points\": 100}";
    assert_set(half, "[]", "50");
    assert_set(half, "[{\"points\": -70, \"relative\": true}]", "0");
    assert_set(half, "[{\"points\": 70, \"relative\": true}]", "100");
    assert_set(half, "[{\"points\": 70, \"relative\": true, \"beyond\": true}]", "120");
    assert_set(half, "[{\"points\": 70}, {\"points\": -70, \"relative\": true}]", "0");
    assert_set(half, "[{\"excused\": true}, {\"points\": 5, \"relative\": true}]", "null");
    assert_set(half, "[{\"excused\": true}, {\"points\": 70}]", "70");
}

Test(score, check_that_was_not_measured_counts_once_a_person_gives_it_points)
{
    const char *open = "{\"verdict\": \"not measured\", \"points\": 60, \"max_points\": 80, \"checks\": ["
                       "{\"name\": \"a\", \"status\": \"passed\", \"points\": 60, \"max_points\": 80},"
                       "{\"name\": \"b\", \"status\": \"not measured\", \"points\": 0, \"max_points\": 20}]}";
    assert_set(open, "[]", "75");
    assert_set(open, "[{\"check\": \"b\", \"points\": 10}]", "70");
    assert_set(open, "[{\"points\": 10, \"relative\": true}, {\"check\": \"b\", \"points\": 10}]", "80");
}

Test(score, lateness_takes_its_share_of_a_checks_points_but_not_of_a_persons_score)
{
    const char *late = "{\"verdict\": \"failed\", \"points\": 50, \"max_points\": 100, \"late\": {\"percent\": 20},"
                       "\"checks\": [{\"name\": \"a\", \"status\": \"failed\", \"points\": 0, \"max_points\": 100}]}";
    assert_set(late, "[]", "40");
    assert_set(late, "[{\"check\": \"a\", \"points\": 10}]", "48");
    assert_set(late, "[{\"points\": 90}]", "90");
}

Test(score, person_can_give_points_where_the_grader_failed)
{
    const char *fault = "{\"verdict\": \"grader fault\", \"points\": 0, \"max_points\": 0}";
    assert_set(fault, "[]", "null");
    assert_set(fault, "[{\"points\": 5, \"relative\": true}]", "null");
    assert_set(fault, "[{\"points\": 75}]", "75");
}
