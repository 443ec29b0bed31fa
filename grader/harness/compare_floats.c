/* Compares arrays of floats and keeps the first differences. */
#include "check_state.h"

#include <math.h>

/* Results that differ by no more are likely rounded differently. */
enum { NEAR_ULPS = 4 };

static char *value_text(float value)
{
    if (float_bits(value) == CHECK_POISON) return check_text("never written");
    if (float_bits(value) == UINT32_MAX) return check_text("nan, like device memory that was never written");
    return check_text("%.9g", (double)value);
}

static char *place_text(const check_difference *difference, size_t array, size_t element)
{
    if (!difference->array) return check_text("element %zu", element);
    return check_text("%s %zu, element %zu", difference->array, array, element);
}

static void show_mismatch(check_difference *difference, size_t array, size_t element, float expected, float found)
{
    if (difference->count > CHECK_SHOWN_MISMATCHES) return;
    difference->shown[difference->count - 1] =
        (check_mismatch){place_text(difference, array, element), value_text(expected), value_text(found)};
}

void check_compare_floats(check_difference *difference, size_t array, const float *expected, const float *found,
                          size_t count)
{
    size_t before = difference->count;
    if (!isfinite(difference->bound) || difference->bound < 0) check_fault("%g bounds no error", difference->bound);
    for (size_t k = 0; k < count; k++) {
        if (floats_agree(expected[k], found[k], difference)) continue;
        if (difference->count++ == 0) {
            difference->first_array = array;
            difference->first_element = k;
        }
        difference->unwritten += float_bits(found[k]) == CHECK_POISON;
        difference->zeros += found[k] == 0.0f;
        difference->near += float_distance(expected[k], found[k]) <= NEAR_ULPS;
        show_mismatch(difference, array, k, expected[k], found[k]);
    }
    wrong_numbers_add(difference, array, expected, found, count, difference->count - before);
    difference->compared += count;
    if (difference->count > before) {
        difference->arrays++;
        difference->last_array = array;
    }
}

void check_fail_if_different(const check_difference *difference, check_finding finding)
{
    const char *array = difference->array;
    if (difference->count == 0) return;
    if (difference->near == difference->count)
        finding.cause =
            "only the last digits differ: the same steps in another order, or other steps with the same sum, round "
            "differently. Compute as the contract says";
    else if (!finding.cause || !*finding.cause)
        finding.cause = wrong_numbers_cause(difference);
    const char *differ = difference->compared == 1 ? "element differs"
                         : difference->count == 1  ? "elements differs"
                                                   : "elements differ";
    finding.kind = CHECK_WRONG_RESULT;
    finding.difference = difference;
    finding.message = check_text("%s: %zu of %zu %s", finding.message, difference->count, difference->compared, differ);
    if (array)
        finding.message = check_text("%s, in %zu %s%s", finding.message, difference->arrays, array,
                                     difference->arrays == 1 ? "" : "s");
    check_fail_with(finding);
}
