/* adjusted_class.h: a graded class of the toy lab, and what persons say about it by labgrade adjust and its kin. */
#ifndef GRADER_TESTS_ADJUSTED_CLASS_H
#define GRADER_TESTS_ADJUSTED_CLASS_H

#include "toy_class.h"

/* Calls labgrade adjust, which knows neither --root nor --build. */
static inline subprocess_result adjust(const char *const *more)
{
    return call_in("labgrade", (const char *const[]){"--out", out, NULL}, more);
}

static inline void assert_adjust(const char *const *more, int status, const char *says)
{
    assert_said(adjust(more), status, says);
}

#define ADJUST(...) WORDS("adjust", __VA_ARGS__)

/* ada has 100 of 100 points, grace 30, zuse does not compile. */
static inline void graded_class(void)
{
    begin();
    hand_in("ada", "right");
    hand_in("grace", "wrong");
    hand_in("zuse", "does_not_compile");
    assert_call("labgrade", WORDS(GRADE), 0, "3 submissions of toylab");
}

/* The student's entry in results.json; borrowed from `all`. */
static inline json_t *entry_of(json_t *all, const char *name)
{
    size_t index;
    json_t *entry;
    json_array_foreach(json_object_get(all, "submissions"), index, entry)
    {
        if (strcmp(result_string(json_object_get(entry, "submission"), "name"), name) == 0) return entry;
    }
    cr_assert(false, "no %s", name);
    return NULL;
}

static inline void assert_score(const char *name, double score, int points)
{
    json_t *all = results(), *entry = entry_of(all, name);
    cr_assert_float_eq(json_number_value(json_object_get(entry, "score")), score, 1e-9, "%s has %g", name,
                       json_number_value(json_object_get(entry, "score")));
    cr_assert_eq(result_integer(entry, "points"), points, "the grader's points stay");
    json_decref(all);
}

#endif
