/* Printing from the database of grades; see history.h. */
#include "history.h"

#include <stdlib.h>
#include <string.h>

#include "grading_page.h"
#include "store/one_grader.h"
#include "judge/result.h"
#include "store/store.h"
#include "base/text.h"

static void print_clean(FILE *to, const char *text)
{
    char *line = text_clean_line(text, strlen(text));
    fputs(line ? line : "?", to);
    free(line);
}

/* ---- status ------------------------------------------------------------------------------------------------------ */

typedef struct tally {
    FILE *to;
    size_t verdicts[RESULT_VERDICTS];
} tally;

static bool count_verdict(void *user, const store_row *row)
{
    tally *counted = user;
    for (int verdict = 0; verdict < RESULT_VERDICTS; verdict++) {
        counted->verdicts[verdict] += strcmp(row->verdict, result_verdict_name((result_verdict)verdict)) == 0;
    }
    return true;
}

static bool print_fault(void *user, const store_row *row)
{
    FILE *to = user;
    if (strcmp(row->verdict, result_verdict_name(RESULT_GRADER_FAULT)) != 0) return true;
    json_t *result = json_loads(row->json, 0, NULL);
    fprintf(to, "  %s ", row->lab);
    print_clean(to, row->name);
    fputs(": ", to);
    print_clean(to, result_string(result, "summary"));
    fputc('\n', to);
    json_decref(result);
    return true;
}

static void print_state(FILE *to, const store_grading *last, const store_counts *counts, const char *holder)
{
    long long all = (long long)(counts->waiting + counts->running + counts->done);
    fprintf(to, "grading %lld, begun %s by ", (long long)last->id, last->begun);
    print_clean(to, last->who);
    fputs(": ", to);
    print_clean(to, last->why);
    if (*last->ended) {
        char took[32];
        grading_page_duration(took, sizeof took, last->seconds);
        fprintf(to, "\nended %s after %s of work, %lld submissions\n", last->ended, took, all);
    } else {
        fprintf(to, "\n%lld of %lld submissions done, %s\n", (long long)counts->done, all,
                *holder ? holder : "cut short: labgrade resume goes on with it");
    }
}

bool history_status(FILE *to, const char *folder, grader_fault *fault)
{
    grade_store *store;
    store_grading last = {0};
    store_counts counts;
    tally counted = {.to = to};
    if (!store_open_to_read(&store, folder, fault)) return false;
    char *holder = one_grader_at_work(folder);
    bool ok = holder || fault_set(fault, "not enough memory for the status");
    ok = ok && store_find_grading(&last, store, 0, fault) && store_count_jobs(store, last.id, &counts, fault) &&
         store_each_row(store, last.id, NULL, count_verdict, &counted, fault);
    if (ok) {
        print_state(to, &last, &counts, holder);
        for (int verdict = RESULT_VERDICTS - 1; verdict >= 0; verdict--) {
            if (counted.verdicts[verdict] == 0) continue;
            fprintf(to, "  %4zu %s\n", counted.verdicts[verdict], result_verdict_name((result_verdict)verdict));
        }
        if (counted.verdicts[RESULT_GRADER_FAULT]) fputs("faults of the grader, no student's zero:\n", to);
        ok = store_each_row(store, last.id, NULL, print_fault, to, fault);
    }
    free(holder);
    store_grading_free(&last);
    store_close(store);
    return ok;
}

/* ---- list -------------------------------------------------------------------------------------------------------- */

static bool print_grading(void *user, const store_grading *grading)
{
    FILE *to = user;
    fprintf(to, "%5lld  %s  %-11s ", (long long)grading->id, grading->begun, *grading->ended ? "" : "unfinished");
    print_clean(to, grading->who);
    fputs("  ", to);
    print_clean(to, grading->why);
    fputc('\n', to);
    return true;
}

typedef struct result_list {
    FILE *to;
    size_t count;
} result_list;

static bool print_result(void *user, const store_row *row)
{
    result_list *list = user;
    list->count++;
    fprintf(list->to, "%5lld  %s  %s  %-13s ", (long long)row->grading, row->made, row->lab, row->verdict);
    if (!row->kept_only) fprintf(list->to, "%3d/%d", row->points, row->max_points);
    fputs("  ", list->to);
    print_clean(list->to, row->directory);
    fputs("  ", list->to);
    print_clean(list->to, row->who);
    fputs("  ", list->to);
    print_clean(list->to, row->why);
    fputc('\n', list->to);
    return true;
}

bool history_list(FILE *to, const char *folder, const char *student, grader_fault *fault)
{
    grade_store *store;
    result_list list = {.to = to};
    if (!store_open_to_read(&store, folder, fault)) return false;
    bool ok = student ? store_each_of_student(store, student, print_result, &list, fault)
                      : store_each_grading(store, print_grading, to, fault);
    if (ok && student && list.count == 0) ok = fault_set(fault, "%s has no result in %s", student, folder);
    store_close(store);
    return ok;
}

/* ---- diff -------------------------------------------------------------------------------------------------------- */

/* What counts of a result when two are compared. */
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

static bool read_outcomes(outcome_list *out, const history_place *place, grader_fault *fault)
{
    grade_store *store;
    store_grading grading = {0};
    *out = (outcome_list){0};
    if (!store_open_to_read(&store, place->folder, fault)) return false;
    bool ok = store_find_grading(&grading, store, place->grading, fault) &&
              store_each_row(store, grading.id, NULL, keep_outcome, out, fault);
    if (ok && out->failed) ok = fault_set(fault, "not enough memory for the results");
    if (ok && out->count > 1) qsort(out->entry, out->count, sizeof *out->entry, by_lab_and_name);
    store_grading_free(&grading);
    store_close(store);
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

static void print_outcome(FILE *to, const outcome *of)
{
    if (of)
        fprintf(to, "%s %d/%d", of->verdict, of->points, of->max_points);
    else
        fputs("not there", to);
}

static void print_change(FILE *to, const outcome *old, const outcome *new)
{
    const outcome *any = old ? old : new;
    fprintf(to, "%s  ", any->lab);
    print_clean(to, any->name);
    if (strcmp(any->name, any->directory) != 0) {
        fputs(" (", to);
        print_clean(to, any->directory);
        fputc(')', to);
    }
    fputs(": ", to);
    print_outcome(to, old);
    fputs(" -> ", to);
    print_outcome(to, new);
    fputc('\n', to);
}

/* `all` is how many there are in either. */
static size_t print_differences(FILE *to, size_t *all, const outcome_list *old, const outcome_list *new)
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
        print_change(to, a, b);
        differences++;
    }
    return differences;
}

bool history_diff(FILE *to, const history_place *old, const history_place *new, size_t *differences,
                  grader_fault *fault)
{
    outcome_list before = {0}, after = {0};
    bool ok = read_outcomes(&before, old, fault) && read_outcomes(&after, new, fault);
    if (ok) {
        size_t all;
        *differences = print_differences(to, &all, &before, &after);
        fprintf(to, "%zu of %zu submissions differ\n", *differences, all);
    }
    free_outcomes(&before);
    free_outcomes(&after);
    return ok;
}
