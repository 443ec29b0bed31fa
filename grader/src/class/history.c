/* Printing from the database of grades; see history.h. */
#include "history.h"

#include <stdlib.h>
#include <string.h>

#include "adjustments.h"
#include "base/text.h"
#include "class_results.h"
#include "grading_page.h"
#include "judge/result.h"
#include "plan/plan.h"
#include "plan/plan_status.h"
#include "store/one_grader.h"
#include "store/store.h"

static void print_clean(FILE *out, const char *text)
{
    char *line = text_clean_line(text, strlen(text));
    fputs(line ? line : "?", out);
    free(line);
}

/* ---- status ------------------------------------------------------------------------------------------------------ */

typedef struct tally {
    size_t verdicts[RESULT_VERDICTS + 1]; /* the last: without a result so far */
} tally;

static bool count_verdict(void *user, const store_row *row)
{
    tally *counted = user;
    counted->verdicts[result_verdict_named(row->verdict)]++;
    return true;
}

static bool print_fault(void *user, const store_row *row)
{
    FILE *out = user;
    if (result_verdict_named(row->verdict) != RESULT_GRADER_FAULT) return true;
    json_t *result = json_loads(row->json, 0, NULL);
    fprintf(out, "  %s ", row->lab);
    print_clean(out, row->name);
    fputs(": ", out);
    print_clean(out, result_string(result, "summary"));
    fputc('\n', out);
    json_decref(result);
    return true;
}

static void print_state(FILE *out, const store_grading *last, const store_counts *counts, const char *holder,
                        bool in_parts)
{
    long long all = (long long)(counts->waiting + counts->running + counts->done);
    fprintf(out, "grading %lld, begun %s by ", (long long)last->id, last->begun);
    print_clean(out, last->who);
    fputs(": ", out);
    print_clean(out, last->why);
    if (*last->ended) {
        char took[32];
        grading_page_duration(took, sizeof took, last->seconds);
        fprintf(out, "\nended %s after %s of work, %lld submissions\n", last->ended, took, all);
    } else {
        fprintf(out, "\n%lld of %lld submissions done, %s\n", (long long)counts->done, all,
                *holder    ? holder
                : in_parts ? "in parts"
                           : "cut short: labgrade resume continues it");
    }
}

static void print_tally(FILE *out, const tally *counted)
{
    for (int verdict = RESULT_VERDICTS - 1; verdict >= 0; verdict--) {
        if (counted->verdicts[verdict] == 0) continue;
        fprintf(out, "  %4zu %s\n", counted->verdicts[verdict], result_verdict_name((result_verdict)verdict));
    }
    if (counted->verdicts[RESULT_GRADER_FAULT]) fputs("faults of the grader, which cost no student points:\n", out);
}

typedef struct adjusted_list {
    FILE *out;
    const char *lab;
} adjusted_list;

static bool print_adjusted(void *user, json_t *result)
{
    const adjusted_list *list = user;
    if (!json_object_get(result, "adjusted")) return true;
    char *score = adjustments_score_text(result);
    fprintf(list->out, "  %s ", list->lab);
    print_clean(list->out, adjustments_name(result));
    fprintf(list->out, ": %s, adjusted by a person\n", score ? score : "?");
    free(score);
    return true;
}

/* The students of a lab whose points persons adjusted. */
static bool print_adjusted_of(FILE *out, grade_store *store, int64_t grading, const store_lab *lab, grader_fault *fault)
{
    adjusted_list list = {.out = out, .lab = lab->name};
    class_results graded = {.store = store, .grading = grading, .lab = lab->name};
    bool ok = class_results_open(&graded, fault);
    if (ok && json_array_size(graded.adjustments) > 0)
        ok = class_results_everybody(&graded, print_adjusted, &list, fault);
    class_results_close(&graded);
    return ok;
}

static bool print_all_adjusted(FILE *out, grade_store *store, int64_t grading, grader_fault *fault)
{
    store_lab *labs = NULL;
    size_t count = 0;
    bool ok = true;
    FAULT_TRY(store_labs(&labs, &count, store, grading, fault));
    for (size_t i = 0; ok && i < count; i++) ok = print_adjusted_of(out, store, grading, &labs[i], fault);
    store_labs_free(labs, count);
    return ok;
}

static bool print_status(FILE *out, grade_store *store, const char *folder, const char *holder, grader_fault *fault)
{
    store_grading last = {0};
    store_counts counts;
    tally counted = {0};
    FAULT_TRY(store_find_grading(&last, store, 0, fault));
    bool ok = store_count_jobs(store, last.id, &counts, fault) &&
              store_each_row(store, last.id, NULL, count_verdict, &counted, fault);
    if (ok) {
        print_state(out, &last, &counts, holder, plan_is_there(folder));
        plan_status_print(out, folder);
        print_tally(out, &counted);
        ok = store_each_row(store, last.id, NULL, print_fault, out, fault) &&
             (!*last.ended || print_all_adjusted(out, store, last.id, fault));
    }
    store_grading_free(&last);
    return ok;
}

bool history_status(FILE *out, const char *folder, grader_fault *fault)
{
    grade_store *store;
    FAULT_TRY(store_open_to_read(&store, folder, fault));
    char *holder = one_grader_at_work(folder);
    bool ok = holder ? print_status(out, store, folder, holder, fault) : fault_memory(fault, "the status");
    free(holder);
    store_close(store);
    return ok;
}

/* ---- list -------------------------------------------------------------------------------------------------------- */

static bool print_grading(void *user, const store_grading *grading)
{
    FILE *out = user;
    fprintf(out, "%5lld  %s  %-11s ", (long long)grading->id, grading->begun, *grading->ended ? "" : "unfinished");
    print_clean(out, grading->who);
    fputs("  ", out);
    print_clean(out, grading->why);
    fputc('\n', out);
    return true;
}

typedef struct result_list {
    FILE *out;
    size_t count;
} result_list;

static bool print_result(void *user, const store_row *row)
{
    result_list *list = user;
    list->count++;
    fprintf(list->out, "%5lld  %s  %s  %-13s ", (long long)row->grading, row->made, row->lab, row->verdict);
    if (!row->kept_only) fprintf(list->out, "%3d/%d", row->points, row->max_points);
    fputs("  ", list->out);
    print_clean(list->out, row->directory);
    fputs("  ", list->out);
    print_clean(list->out, row->who);
    fputs("  ", list->out);
    print_clean(list->out, row->why);
    fputc('\n', list->out);
    return true;
}

static bool list_student(FILE *out, grade_store *store, const char *folder, const char *student, grader_fault *fault)
{
    result_list list = {.out = out};
    FAULT_TRY(store_each_of_student(store, student, print_result, &list, fault));
    return list.count > 0 || fault_set(fault, "%s has no result in %s", student, folder);
}

bool history_list(FILE *out, const char *folder, const char *student, grader_fault *fault)
{
    grade_store *store;
    FAULT_TRY(store_open_to_read(&store, folder, fault));
    bool ok = student ? list_student(out, store, folder, student, fault)
                      : store_each_grading(store, print_grading, out, fault);
    store_close(store);
    return ok;
}

/* ---- diff -------------------------------------------------------------------------------------------------------- */

/* What two results are compared by. */
typedef struct outcome {
    char *lab, *name, *directory, *verdict;
    int points, max_points;
} outcome;

typedef struct outcome_list {
    outcome *entry;
    size_t count;
    bool failed;
} outcome_list;

static bool keep_outcome(void *user, const store_row *row)
{
    outcome_list *list = user;
    if (row->kept_only) return true;
    outcome *larger = realloc(list->entry, (list->count + 1) * sizeof *larger);
    list->failed = !larger;
    if (!larger) return false;
    list->entry = larger;
    outcome *entry = &list->entry[list->count++];
    *entry = (outcome){.lab = strdup(row->lab),
                       .name = strdup(row->name),
                       .directory = strdup(row->directory),
                       .verdict = strdup(*row->verdict ? row->verdict : "not graded yet"),
                       .points = row->points,
                       .max_points = row->max_points};
    list->failed = !entry->lab || !entry->name || !entry->directory || !entry->verdict;
    return !list->failed;
}

static int by_lab_and_name(const void *a, const void *b)
{
    const outcome *x = a, *y = b;
    int labs = strcmp(x->lab, y->lab);
    int names = labs ? labs : strcmp(x->name, y->name);
    return names ? names : strcmp(x->directory, y->directory);
}

static bool read_grading(outcome_list *out, grade_store *store, int64_t number, grader_fault *fault)
{
    store_grading grading = {0};
    FAULT_TRY(store_find_grading(&grading, store, number, fault));
    bool ok = store_each_row(store, grading.id, NULL, keep_outcome, out, fault);
    store_grading_free(&grading);
    FAULT_TRY(ok);
    return !out->failed || fault_memory(fault, "the results");
}

static bool read_outcomes(outcome_list *out, const history_place *place, grader_fault *fault)
{
    grade_store *store;
    FAULT_TRY(store_open_to_read(&store, place->folder, fault));
    bool ok = read_grading(out, store, place->grading, fault);
    store_close(store);
    if (ok && out->count > 1) qsort(out->entry, out->count, sizeof *out->entry, by_lab_and_name);
    return ok;
}

static void free_outcomes(outcome_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->entry[i].lab);
        free(list->entry[i].name);
        free(list->entry[i].directory);
        free(list->entry[i].verdict);
    }
    free(list->entry);
}

/* `entry` is NULL where a grading does not have the submission. */
static void print_outcome(FILE *out, const outcome *entry)
{
    if (entry)
        fprintf(out, "%s %d/%d", entry->verdict, entry->points, entry->max_points);
    else
        fputs("not there", out);
}

static void print_change(FILE *out, const outcome *old, const outcome *new)
{
    const outcome *any = old ? old : new;
    fprintf(out, "%s  ", any->lab);
    print_clean(out, any->name);
    if (strcmp(any->name, any->directory) != 0) {
        fputs(" (", out);
        print_clean(out, any->directory);
        fputc(')', out);
    }
    fputs(": ", out);
    print_outcome(out, old);
    fputs(" -> ", out);
    print_outcome(out, new);
    fputc('\n', out);
}

/* Returns how many submissions differ; sets `all` to how many are in either list. */
static size_t print_differences(FILE *out, size_t *all, const outcome_list *old, const outcome_list *new)
{
    size_t i = 0, k = 0, differences = 0;
    *all = 0;
    while (i < old->count || k < new->count) {
        const outcome *a = i < old->count ? &old->entry[i] : NULL, *b = k < new->count ? &new->entry[k] : NULL;
        int order = !a ? 1 : !b ? -1 : by_lab_and_name(a, b);
        if (order < 0) b = NULL;
        if (order > 0) a = NULL;
        i += a != NULL;
        k += b != NULL;
        ++*all;
        if (a && b && strcmp(a->verdict, b->verdict) == 0 && a->points == b->points && a->max_points == b->max_points) {
            continue;
        }
        print_change(out, a, b);
        differences++;
    }
    return differences;
}

bool history_diff(FILE *out, const history_place *old, const history_place *new, size_t *differences,
                  grader_fault *fault)
{
    outcome_list before = {0}, after = {0};
    bool ok = read_outcomes(&before, old, fault) && read_outcomes(&after, new, fault);
    if (ok) {
        size_t all;
        *differences = print_differences(out, &all, &before, &after);
        fprintf(out, "%zu of %zu submissions differ\n", *differences, all);
    }
    free_outcomes(&before);
    free_outcomes(&after);
    return ok;
}
