/* Counting attempts and choosing among them; see attempts.h. */
#include "attempts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/text.h"
#include "judge/result.h"
#include "judge/source_file.h"
#include "score.h"

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static bool same_student(const submission *a, const submission *b)
{
    return a->id && b->id ? strcmp(a->id, b->id) == 0 : !a->id && !b->id && strcmp(a->name, b->name) == 0;
}

/* Whether the submission has something for this lab, even if it cannot be graded. */
static bool has_file(const submission *entry)
{
    return entry->found.refusal || (entry->found.path && access(entry->found.path, F_OK) == 0);
}

/* In place of the number of an attempt that is left out because another one has the file, or one that may be it. */
enum { LEFT_OUT = -1, LEFT_OUT_FOR_LIKELY = -2 };

/* What an attempt has, the more the larger. */
typedef enum attempt_has { OTHER_FILES, FILE_THAT_MAY_BE_IT, THE_FILE } attempt_has;

static attempt_has what_has(const submission *entry)
{
    if (has_file(entry)) return THE_FILE;
    return entry->found.likely || entry->found.is_worth_a_note ? FILE_THAT_MAY_BE_IT : OTHER_FILES;
}

/* Among the attempts that begin with `entry[first]`, finds the latest of those that have most. */
static void find_latest(submission **latest, attempt_has *most, const submission_list *list, size_t first)
{
    *latest = NULL;
    *most = OTHER_FILES;
    for (size_t i = first; i < list->count; i++) {
        submission *entry = &list->entry[i];
        if (!same_student(&list->entry[first], entry)) continue;
        const attempt_has has = what_has(entry);
        bool better = !*latest || has > *most || (has == *most && entry->order >= (*latest)->order);
        if (better) *latest = entry;
        if (has > *most) *most = has;
    }
}

static bool rename_entry(intake *taken, submission *entry, const char *name, grader_fault *fault)
{
    char *copy = strdup(name);
    if (!copy) return fault_memory(fault, "a name");
    if (entry->id && strcasecmp(entry->name, name) != 0)
        intake_notes_add(&taken->notes, entry->name, "has the id %s, as %s has: taken as an attempt of theirs",
                         entry->id, name);
    free(entry->name);
    entry->name = copy;
    return true;
}

/* Gives the attempts of one student the name of the latest, and those that are to be left out a negative number. The
 * first entry comes last, because the others are compared with it. */
static bool rename_attempts(intake *taken, size_t first, const char *name, attempt_has most, grader_fault *fault)
{
    submission_list *list = &taken->list;
    for (size_t i = list->count; i-- > first;) {
        submission *entry = &list->entry[i];
        if (!same_student(&list->entry[first], entry)) continue;
        entry->attempt = what_has(entry) == most ? 1 : most == THE_FILE ? LEFT_OUT : LEFT_OUT_FOR_LIKELY;
        FAULT_TRY(rename_entry(taken, entry, name, fault));
    }
    return true;
}

/* Says with the latest, where no attempt has the file, what the others hold: a system may count two files that were
 * handed in together as two attempts, as Canvas does. */
static bool tell_others(intake *taken, size_t first, submission *latest, const char *file, grader_fault *fault)
{
    text_buffer text = {0};
    const submission_list *list = &taken->list;
    text_format(&text, "%s%sother attempts hold: ", latest->why ? latest->why : "", latest->why ? "; " : "");
    const size_t told = text.length;
    for (size_t i = first; i < list->count; i++) {
        if (&list->entry[i] == latest || !same_student(&list->entry[first], &list->entry[i])) continue;
        char *contents = source_file_contents(list->entry[i].folder);
        text_format(&text, "%s%s", text.length > told ? "; " : "", contents ? contents : "?");
        free(contents);
    }
    if (text.failed) return fault_memory(fault, "the attempts");
    intake_notes_add(&taken->notes, latest->name, "no attempt has %s; %s", file, text.text);
    free(latest->why);
    latest->why = text.text;
    return true;
}

static bool mark_attempts(intake *taken, size_t first, const char *file, grader_fault *fault)
{
    submission *latest;
    attempt_has most;
    find_latest(&latest, &most, &taken->list, first);
    char *name = strdup(latest->name);
    if (!name) return fault_memory(fault, "a name");
    bool ok = (most == THE_FILE || tell_others(taken, first, latest, file, fault)) &&
              rename_attempts(taken, first, name, most, fault);
    free(name);
    return ok;
}

static bool has_several(const submission_list *list, size_t first)
{
    for (size_t i = first + 1; i < list->count; i++) {
        if (same_student(&list->entry[first], &list->entry[i])) return true;
    }
    return false;
}

/* Removes what was marked with a negative number, with a note. */
static void leave_out_marked(intake *taken, const char *file)
{
    submission_list *list = &taken->list;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->entry[i].attempt >= 0) {
            list->entry[kept++] = list->entry[i];
            continue;
        }
        char *contents = source_file_contents(list->entry[i].folder);
        intake_notes_add(&taken->notes, list->entry[i].name,
                         "an attempt without %s is left out: another one has %s; this one holds: %s", file,
                         list->entry[i].attempt == LEFT_OUT ? "it" : "what may be it", contents ? contents : "?");
        free(contents);
        submissions_entry_free(&list->entry[i]);
    }
    list->count = kept;
}

/* Notes two attempts of one student that only the names of their folders put in order. */
static void note_order(intake *taken, const submission *before, const submission *entry)
{
    if (before->order != entry->order) return;
    intake_notes_add(&taken->notes, entry->name,
                     "has several attempts, and nothing says which is later: taken in order of their folders' names");
}

/* Numbers the attempts of each student, which stand together. */
static void number_attempts(intake *taken)
{
    submission_list *list = &taken->list;
    for (size_t first = 0, end; first < list->count; first = end) {
        end = first + 1;
        while (end < list->count && same_student(&list->entry[first], &list->entry[end])) end++;
        for (size_t i = first; i < end; i++) {
            if (i > first) note_order(taken, &list->entry[i - 1], &list->entry[i]);
            list->entry[i].attempt = (int)(i - first) + 1;
            list->entry[i].attempts = (int)(end - first);
        }
    }
}

bool attempts_number(intake *taken, const intake_wanted *wanted, grader_fault *fault)
{
    submission_list *list = &taken->list;
    FAULT_TRY(intake_locate(taken, wanted, fault));
    for (size_t i = 0; i < list->count; i++) {
        if (list->entry[i].attempt == 0 && has_several(list, i))
            FAULT_TRY(mark_attempts(taken, i, wanted->file, fault));
    }
    leave_out_marked(taken, wanted->file);
    FAULT_TRY(submissions_finish(list, fault));
    number_attempts(taken);
    return true;
}

bool attempts_is_kept_only(const submission *entry, course_attempts rule)
{
    return rule == COURSE_LATEST && entry->attempt < entry->attempts;
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static bool is_fault(const json_t *result)
{
    return result_verdict_named(result_string(result, "verdict")) == RESULT_GRADER_FAULT;
}

/* The points that count, as a share of the possible ones; -1 without points. */
static double share_of(const json_t *result)
{
    const int full = score_full_points(result);
    const double score = full > 0 ? score_of(result) : NAN;
    return isnan(score) ? -1 : score / full;
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

/* The entry of an attempt in the list of the student's attempts; NULL without memory. `result` is null for an attempt
 * that was not graded. */
static json_t *list_entry(const json_t *listed, const json_t *result, size_t number, bool counts)
{
    const bool graded = json_is_object(result);
    json_t *entry = json_deep_copy(listed), *late = json_object_get(result, "late");
    bool ok = json_object_set_new(entry, "number", json_integer((json_int_t)number)) == 0 &&
              json_object_set_new(entry, "counts", json_boolean(counts)) == 0 &&
              json_object_set_new(entry, "verdict", json_string(graded ? result_string(result, "verdict") : "")) == 0;
    const char *const fields[] = {"points", "max_points"};
    for (size_t i = 0; ok && i < sizeof fields / sizeof *fields; i++) {
        json_t *value = graded ? json_object_get(result, fields[i]) : json_null();
        ok = json_object_set(entry, fields[i], value) == 0;
    }
    if (ok && json_is_object(late)) ok = json_object_set(entry, "late", late) == 0;
    if (ok) return entry;
    json_decref(entry);
    return NULL;
}

/* The list of a student's attempts; NULL without memory. */
static json_t *list_attempts(const json_t *results, const json_t *listed, size_t chosen)
{
    json_t *list = json_array(), *known;
    size_t index;
    json_array_foreach((json_t *)listed, index, known)
    {
        json_t *entry = list_entry(known, json_array_get(results, index), index + 1, index == chosen);
        if (json_array_append_new(list, entry) == 0) continue;
        json_decref(list);
        return NULL;
    }
    return list;
}

bool attempts_choose(json_t **counts, json_t *results, const json_t *listed, course_attempts rule)
{
    const size_t count = json_array_size(results), chosen = rule == COURSE_BEST ? find_best(results) : count - 1;
    *counts = json_array_get(results, chosen);
    if (!json_is_object(*counts)) return false;
    return json_object_set_new(*counts, "attempts", list_attempts(results, listed, chosen)) == 0 &&
           json_object_set_new(*counts, "attempts_rule", rule_text(results, chosen, rule)) == 0;
}
