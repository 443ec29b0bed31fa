/* Why numbers are wrong, by what they look like. Each likeness is what a plausible mistake leaves, bit for bit. Where
 * no likeness holds for every wrong number, nothing is told. */
#include "check_state.h"

#include <math.h>
#include <string.h>

#include "base/plain_text.h"

enum { MOST_PLACES = 64, FEWEST_MOVED = 4 };

/* An array with wrong numbers. */
typedef struct numbers {
    const float *expected, *found;
    size_t count, first, last, wrong; /* first, last: the first wrong one and the last */
    const check_difference *allowed;
    ptrdiff_t moved; /* of a likeness: how far */
} numbers;

typedef bool (*likeness)(const numbers *all, size_t i);

static bool same_bits(float one, float other) { return float_bits(one) == float_bits(other); }

static bool is_wrong(const numbers *all, size_t i)
{
    return !floats_agree(all->expected[i], all->found[i], all->allowed);
}

/* Whether the likeness holds for each wrong number. */
static bool all_are(const numbers *all, likeness is_like)
{
    for (size_t i = all->first; i <= all->last; i++)
        if (is_wrong(all, i) && !is_like(all, i)) return false;
    return true;
}

static bool is_input(const numbers *all, size_t i) { return same_bits(all->found[i], all->allowed->input[i]); }

/* Device memory as the CPU device hands it out to checks. */
static bool is_fresh(const numbers *all, size_t i) { return float_bits(all->found[i]) == UINT32_MAX; }

static bool is_first(const numbers *all, size_t i) { return same_bits(all->found[i], all->found[all->first]); }

static bool is_whole(const numbers *all, size_t i) { return all->found[i] == truncf(all->expected[i]); }

static bool is_double(const numbers *all, size_t i) { return all->found[i] == 2 * all->expected[i]; }

static bool is_negative(const numbers *all, size_t i) { return all->found[i] == -all->expected[i]; }

static bool is_moved(const numbers *all, size_t i)
{
    const size_t from = i + (size_t)all->moved;
    return from >= all->count || float_bits(all->found[i]) == CHECK_POISON ||
           same_bits(all->found[i], all->expected[from]);
}

static bool is_repeated(const numbers *all, size_t i)
{
    return same_bits(all->found[i], all->expected[i % all->first]);
}

/* "hold 0", "were never written" */
static const char *what_they_hold(float value)
{
    return float_bits(value) != CHECK_POISON ? check_text("hold %.9g", (double)value) : "were never written";
}

/* Whether the first wrong one was never written. */
static bool is_unwritten(const numbers *all) { return float_bits(all->found[all->first]) == CHECK_POISON; }

/* The cause of wrong numbers that are all the same; NULL where they are neither at the end nor at the beginning. */
static const char *cause_of_same(const numbers *all)
{
    size_t first = all->first; /* right ones that hold the same are no sign of work */
    while (first > 0 && same_bits(all->found[first - 1], all->found[all->first])) first--;
    const bool together = all->wrong == all->last - all->first + 1, begin = together && first == 0,
               end = together && all->last == all->count - 1;
    const char *hold = what_they_hold(all->found[all->first]);
    if (begin && end)
        return check_text("%s, or %s",
                          is_unwritten(all) ? "nothing was written there: a copy out or all the work on it is missing"
                                            : check_text("all %s: nothing was computed there", hold),
                          all->allowed->array ? "what belongs there has gone elsewhere by its offset or index"
                          : is_unwritten(all) ? "the copy out is for another array"
                                              : "the index does not depend on the thread");
    if (end && all->first == 1)
        return check_text("only element 0 is right, and all others %s: one thread has worked, or a loop has made one "
                          "round",
                          hold);
    if (end && all->wrong > 1)
        return check_text("the first %zu are right, and all from there on %s: the launch, a copy or a loop ends there",
                          all->first, hold);
    if (begin && all->wrong > 1)
        return check_text("the last %zu are right, and all before them %s: the launch, a copy or a loop begins there",
                          all->count - 1 - all->last, hold);
    return NULL;
}

/* Whether the wrong numbers are right ones from other places, all equally far away. */
static bool find_move(numbers *all)
{
    int places = 0;
    if (all->wrong < FEWEST_MOVED) return false;
    for (size_t k = 0; k < all->count && places < MOST_PLACES; k++) {
        if (k == all->first || !same_bits(all->found[all->first], all->expected[k])) continue;
        places++;
        all->moved = (ptrdiff_t)k - (ptrdiff_t)all->first;
        const size_t far = (size_t)(all->moved < 0 ? -all->moved : all->moved);
        if (far + FEWEST_MOVED <= all->wrong && all_are(all, is_moved)) return true;
    }
    return false;
}

static const char *cause_of_numbers(numbers *all)
{
    const bool several = all->wrong > 1;
    if (all->allowed->input && all_are(all, is_input))
        return "the wrong numbers are the input's own, in the same places: nothing was computed there";
    if (all_are(all, is_fresh))
        return "device memory was read that nothing had written: it was read too early, or another array was written";
    if ((several || is_unwritten(all)) && all_are(all, is_first)) return cause_of_same(all);
    if (several && all_are(all, is_whole))
        return "what stands behind the point is missing: a division of integers, or an int on the way";
    if (several && all_are(all, is_double)) return "each wrong number is twice the right one: was it added twice?";
    if (several && all_are(all, is_negative)) return "each wrong number has the other sign: is something exchanged?";
    if (all->first > 1 && several && all_are(all, is_repeated))
        return check_text("from element %zu on the first %zu numbers begin again: an offset does not go on", all->first,
                          all->first);
    if (find_move(all))
        return check_text("each wrong number belongs %zu places %s: an index or an offset is off by so many",
                          (size_t)(all->moved < 0 ? -all->moved : all->moved), all->moved < 0 ? "before" : "behind");
    if (all->first > 1 && all->first == all->count / sizeof(float) && all->wrong == all->count - all->first)
        return "only the first quarter is right: is a number of floats given where their bytes are asked for?";
    return NULL;
}

/* ---- arrays that have each other's numbers --------------------------------------------------------------------- */

typedef struct wrong_numbers {
    const char *cause; /* of the first array with wrong numbers */
    size_t arrays, room;
    struct compared {
        size_t array;
        uint64_t expected, found; /* hashes; found: 0 where the array is right */
    } * each;
} wrong_numbers;

static void remember(wrong_numbers *kept, size_t array, uint64_t expected, uint64_t found)
{
    if (kept->arrays == kept->room) {
        struct compared *more = check_alloc((2 * kept->room + 8) * sizeof *more);
        if (kept->arrays) memcpy(more, kept->each, kept->arrays * sizeof *more);
        kept->room = 2 * kept->room + 8;
        kept->each = more;
    }
    kept->each[kept->arrays++] = (struct compared){array, expected, found};
}

/* The array whose numbers this one has; NULL for none. */
static const struct compared *owner_of(const wrong_numbers *kept, const struct compared *which)
{
    for (size_t k = 0; k < kept->arrays; k++)
        if (kept->each[k].expected == which->found && kept->each[k].expected != which->expected) return &kept->each[k];
    return NULL;
}

static const char *cause_of_arrays(const wrong_numbers *kept, const char *name)
{
    const char *cause = NULL;
    int looked = 0;
    for (size_t k = 0; k < kept->arrays && looked < MOST_PLACES; k++) {
        if (!kept->each[k].found) continue;
        const struct compared *owner = owner_of(kept, &kept->each[k]);
        if (!owner) return NULL;
        if (looked++ == 0)
            cause = check_text("%s %zu has the numbers of %s %zu: the offset or the index of one is used for another",
                               name, kept->each[k].array, name, owner->array);
    }
    return cause;
}

/* ---- for compare_floats.c -------------------------------------------------------------------------------------- */

static uint64_t hash_of(const float *array, size_t count)
{
    return lab_text_hash((const char *)array, count * sizeof *array);
}

void wrong_numbers_add(check_difference *difference, size_t array, const float *expected, const float *found,
                       size_t count, size_t wrong)
{
    numbers all = {expected, found, count, 0, count - 1, wrong, difference, 0};
    if (!difference->looks) difference->looks = check_alloc(sizeof *difference->looks);
    wrong_numbers *kept = difference->looks;
    if (difference->array) remember(kept, array, hash_of(expected, count), wrong ? hash_of(found, count) : 0);
    if (!wrong) return;
    while (!is_wrong(&all, all.first)) all.first++;
    while (!is_wrong(&all, all.last)) all.last--;
    if (difference->arrays == 0) kept->cause = cause_of_numbers(&all);
}

const char *wrong_numbers_cause(const check_difference *difference)
{
    const wrong_numbers *kept = difference->looks;
    if (!kept) return NULL;
    const char *exchanged = difference->array ? cause_of_arrays(kept, difference->array) : NULL;
    if (exchanged || difference->arrays == 1 || !kept->cause) return exchanged ? exchanged : kept->cause;
    return check_text("in %s %zu %s", difference->array, difference->first_array, kept->cause);
}
