/* How far the parts of a plan are; see plan_status.h. */
#include "plan_status.h"

#include <jansson.h>
#include <stdlib.h>

#include "outcome.h"
#include "plan.h"

static bool open_plan(work_plan *out, const char *folder, grader_fault *fault)
{
    char *place = plan_place(folder);
    bool ok = place ? plan_open(out, place, fault) : fault_memory(fault, "the plan");
    free(place);
    return ok;
}

/* Counts one more under a name. */
static void count(json_t *counts, const char *name)
{
    const json_int_t before = json_integer_value(json_object_get(counts, name));
    json_object_set_new_nocheck(counts, name, json_integer(before + 1));
}

static void print_counts(FILE *out, const char *what, const json_t *counts)
{
    const char *node;
    json_t *number;
    json_object_foreach((json_t *)counts, node, number)
    {
        fprintf(out, "  %4lld %s %s\n", (long long)json_integer_value(number), what, node);
    }
}

/* What each node has, found or begun and not merged so far. */
static void print_nodes(FILE *out, const work_plan *plan)
{
    json_t *done = json_object(), *begun = json_object(), *failed = json_object();
    for (size_t number = 1; number <= plan_count(plan); number++) {
        const outcome_history history = outcome_look_back(plan, number);
        json_t *fault = history.begun && !history.done ? outcome_read_fault(plan, number) : NULL;
        if (history.begun) count(history.done ? done : fault ? failed : begun, history.node);
        json_decref(fault);
    }
    print_counts(out, "graded on", done);
    print_counts(out, "begun on", begun);
    print_counts(out, "not graded, by a fault of", failed);
    json_decref(done);
    json_decref(begun);
    json_decref(failed);
}

void plan_status_print(FILE *out, const char *folder)
{
    work_plan plan = {0};
    grader_fault none;
    if (plan_is_there(folder) && open_plan(&plan, folder, &none)) print_nodes(out, &plan);
    plan_close(&plan);
}

static bool has_work(const work_plan *plan, size_t part, size_t parts)
{
    size_t first, last;
    plan_range(&first, &last, plan, part, parts);
    for (size_t number = first; number <= last; number++) {
        if (!outcome_is_there(plan, number)) return true;
    }
    return false;
}

static void print_left(FILE *out, const work_plan *plan, size_t parts)
{
    const char *separator = "";
    for (size_t part = 1; part <= parts; part++) {
        if (!has_work(plan, part, parts)) continue;
        size_t end = part;
        while (end < parts && has_work(plan, end + 1, parts)) end++;
        fprintf(out, end > part ? "%s%zu-%zu" : "%s%zu", separator, part, end);
        separator = ",";
        part = end;
    }
    fputc('\n', out);
}

/* Results that a node has written, by its log, and that this machine does not see. */
static size_t count_late(const work_plan *plan)
{
    size_t late = 0;
    for (size_t number = 1; number <= plan_count(plan); number++) {
        late += !outcome_is_there(plan, number) && outcome_look_back(plan, number).done;
    }
    return late;
}

bool plan_status_left(FILE *out, const char *folder, size_t parts, grader_fault *fault)
{
    work_plan plan = {0};
    bool ok = open_plan(&plan, folder, fault);
    if (ok) print_left(out, &plan, parts);
    const size_t late = ok ? count_late(&plan) : 0;
    if (late) fprintf(out, "%zu results are late\n", late);
    plan_close(&plan);
    return ok;
}
