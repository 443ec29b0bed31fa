/* Counting attempts and choosing among them; see attempts.h. */
#include "attempts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge/result.h"
#include "base/text.h"

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static bool same_student(const submission *a, const submission *b)
{
    return a->id && b->id ? strcmp(a->id, b->id) == 0 : !a->id && !b->id && strcmp(a->name, b->name) == 0;
}

/* Whether something lies there for this lab, also what cannot be graded. */
static bool has_file(bool *has, const submission *entry, const char *file, grader_fault *fault)
{
    char *path = NULL, *refusal = NULL;
    bool ok = intake_find(&path, &refusal, entry, file, fault);
    *has = refusal || (path && access(path, F_OK) == 0);
    free(path);
    free(refusal);
    return ok;
}

/* Of the attempts that `entry[first]` is the first of: the latest that has the file, or else the latest. */
static bool find_latest(const submission **latest, bool *any, const submission_list *list, size_t first,
                        const char *file, grader_fault *fault)
{
    *latest = NULL;
    *any = false;
    for (size_t i = first; i < list->count; i++) {
        const submission *entry = &list->entry[i];
        bool has;
        if (!same_student(&list->entry[first], entry)) continue;
        if (!has_file(&has, entry, file, fault)) return false;
        bool better = !*latest || (has && !*any) || (has == *any && entry->order >= (*latest)->order);
        if (better) *latest = entry;
        *any = *any || has;
    }
    return true;
}

/* Gives the attempts of one student the name of the latest, and marks with a negative number those that are none. */
static bool mark_attempts(intake *taken, size_t first, const char *file, grader_fault *fault)
{
    submission_list *list = &taken->list;
    const submission *latest;
    bool any, has;
    if (!find_latest(&latest, &any, list, first, file, fault)) return false;
    char *name = strdup(latest->name);
    bool ok = name || fault_set(fault, "not enough memory for a name");
    for (size_t i = list->count; ok && i-- > first;) {
        submission *entry = &list->entry[i];
        if (!same_student(&list->entry[first], entry)) continue;
        if (!has_file(&has, entry, file, fault)) ok = false;
        entry->attempt = has || !any ? 1 : -1;
        char *copy = strdup(name);
        if (!copy) ok = fault_set(fault, "not enough memory for a name");
        if (!copy) break;
        free(entry->name);
        entry->name = copy;
    }
    free(name);
    return ok;
}

/* Two attempts of one student without an order are told by their folders, which is to be known. */
static void note_order(intake *taken, const submission *before, const submission *entry)
{
    if (before->order != entry->order) return;
    intake_notes_add(&taken->notes, entry->name,
                     "is there twice, and nothing says which is later: taken in order of their folders' names");
}

bool attempts_number(intake *taken, const char *file, grader_fault *fault)
{
    submission_list *list = &taken->list;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool several = false;
        for (size_t k = i + 1; k < list->count && !several; k++)
            several = same_student(&list->entry[i], &list->entry[k]);
        if (several && list->entry[i].attempt == 0 && !mark_attempts(taken, i, file, fault)) return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->entry[i].attempt >= 0) {
            list->entry[kept++] = list->entry[i];
            continue;
        }
        intake_notes_add(&taken->notes, list->entry[i].name, "an attempt without %s is left out: another one has it",
                         file);
        submissions_entry_free(&list->entry[i]);
    }
    list->count = kept;
    if (!submissions_finish(list, fault)) return false;
    for (size_t i = 0; i < list->count;) {
        size_t end = i + 1;
        while (end < list->count && same_student(&list->entry[i], &list->entry[end])) end++;
        for (size_t k = i; k < end; k++) {
            if (k > i) note_order(taken, &list->entry[k - 1], &list->entry[k]);
            list->entry[k].attempt = (int)(k - i) + 1;
            list->entry[k].attempts = (int)(end - i);
        }
        i = end;
    }
    return true;
}

bool attempts_is_kept_only(const submission *entry, course_attempts rule)
{
    return rule == COURSE_LATEST && entry->attempt < entry->attempts;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static bool is_fault(const json_t *result)
{
    return strcmp(result_string(result, "verdict"), result_verdict_name(RESULT_GRADER_FAULT)) == 0;
}

/* What the points come to, as a share of those that could be had; -1 for what has none. */
static double share_of(const json_t *result)
{
    int most = result_integer(result, "max_points");
    if (!json_is_object(result) || is_fault(result) || most == 0) return -1;
    const json_t *late = json_object_get(json_object_get(result, "late"), "points");
    return (json_is_number(late) ? json_number_value(late) : result_integer(result, "points")) / most;
}

static size_t find_best(const json_t *results)
{
    size_t best = 0, count = json_array_size(results);
    for (size_t i = 1; i < count; i++) {
        if (share_of(json_array_get(results, i)) >= share_of(json_array_get(results, best))) best = i;
    }
    if (share_of(json_array_get(results, best)) >= 1) return best;
    for (size_t i = 0; i < count; i++) {
        if (is_fault(json_array_get(results, i))) return i;
    }
    return best;
}

static json_t *rule_text(const json_t *results, size_t chosen, course_attempts rule)
{
    const char *why = "the latest";
    if (json_array_size(results) == 1) return json_string("");
    if (rule == COURSE_BEST) {
        why = is_fault(json_array_get(results, chosen))
                  ? "the grader failed on it, and it might be the best"
                  : "the most points, each attempt's lateness counted; of equals the later";
    }
    return json_sprintf("attempt %zu of %zu counts: %s", chosen + 1, json_array_size(results), why);
}

bool attempts_choose(json_t **counts, json_t *results, const json_t *listed, course_attempts rule)
{
    size_t count = json_array_size(results), chosen = rule == COURSE_BEST ? find_best(results) : count - 1, index;
    json_t *list = json_array(), *entry;
    bool ok = list && count > 0 && json_is_object(json_array_get(results, chosen));
    json_array_foreach((json_t *)listed, index, entry)
    {
        json_t *result = json_array_get(results, index), *copy = json_deep_copy(entry);
        bool graded = json_is_object(result);
        json_object_set_new(copy, "number", json_integer((json_int_t)index + 1));
        json_object_set_new(copy, "counts", json_boolean(index == chosen));
        json_object_set_new(copy, "verdict", json_string(graded ? result_string(result, "verdict") : ""));
        json_object_set_new(copy, "points", graded ? json_integer(result_integer(result, "points")) : json_null());
        json_object_set_new(copy, "max_points",
                            graded ? json_integer(result_integer(result, "max_points")) : json_null());
        if (graded && json_is_object(json_object_get(result, "late")))
            json_object_set(copy, "late", json_object_get(result, "late"));
        ok = json_array_append_new(list, copy) == 0 && ok;
    }
    if (!ok) {
        json_decref(list);
        return false;
    }
    *counts = json_array_get(results, chosen);
    return json_object_set_new(*counts, "attempts", list) == 0 &&
           json_object_set_new(*counts, "attempts_rule", rule_text(results, chosen, rule)) == 0;
}
