/* What a call enqueued, counted by sorts, and its longest chain; see plan.h. */
#include "plan.h"
#include "record/records.h"

#include <string.h>

/* ---- sorts of work --------------------------------------------------------------------------------------------- */

/* "kernel add", "copy htod" */
static const char *name_of_sort(const check_work *work)
{
    return check_text("%s%s%s", lab_op_kind_name(work->kind), work->kernel ? " " : "",
                      work->kernel ? work->kernel : "");
}

/* The sort of an operation, or `sorts`. */
static int sort_of(const lab_trace_op *op, const check_work *work, int sorts)
{
    int i = 0;
    while (i < sorts && (op->kind != work[i].kind || (work[i].kernel && strcmp(op->name, work[i].kernel) != 0))) i++;
    return i;
}

void check_enqueued(check_program *program, check_span span, const check_work *work, int sorts)
{
    int *count = check_alloc((size_t)sorts * sizeof *count);
    const lab_trace_op **last = check_alloc((size_t)sorts * sizeof *last), *any = NULL;
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        if (!check_is_work(op)) continue;
        const int i = sort_of(op, work, sorts);
        CHECK_THAT(i < sorts && (count[i] < work[i].count || work[i].count == CHECK_ANY_COUNT), CHECK_RULE,
                   check_text("%s enqueues what %s.h does not ask for, or too often", span.function, check_lab_name),
                   .at = check_at(op),
                   .expected = i < sorts ? check_text("%s: %d", name_of_sort(&work[i]), work[i].count)
                                         : "the operations that are asked for, and no other",
                   .found = check_text("one more: %s%s%s", lab_op_kind_name(op->kind), *op->name ? " " : "", op->name),
                   .cause = i < sorts ? work[i].cause : NULL);
        CHECK_THAT(!work[i].stream || op->stream == work[i].stream, CHECK_RULE,
                   check_text("%s enqueues %s on another stream", span.function, name_of_sort(&work[i])),
                   .at = check_at(op),
                   .expected = work[i].on ? check_text("%s on %s", name_of_sort(&work[i]), work[i].on) : NULL,
                   .found = check_text("%s on another stream", name_of_sort(&work[i])), .cause = work[i].cause);
        count[i]++;
        last[i] = any = op;
    }
    for (int i = 0; i < sorts; i++) {
        if (count[i] == work[i].count || work[i].count == CHECK_ANY_COUNT) continue;
        const check_finding why = check_explain_calls(program, span, (check_finding){.at = check_at(last[i])});
        check_fail(CHECK_RULE, check_text("%s does not enqueue every %s", span.function, name_of_sort(&work[i])),
                   .at = why.at.known ? why.at
                         : any        ? check_at(any)
                                      : check_at_name(span.function),
                   .expected = check_text("%s: %d", name_of_sort(&work[i]), work[i].count),
                   .found = check_text("%d", count[i]), .cause = why.cause);
    }
}

/* ---- overlap --------------------------------------------------------------------------------------------------- */

static lab_op_set operations_of(check_span span, lab_op_kind kind)
{
    uint64_t *id = check_alloc((size_t)(span.ends - span.begins + 1) * sizeof *id);
    lab_op_set made = {.id = id};
    for (const lab_trace_op *op = span.begins; op < span.ends; op++)
        if (op->kind == kind) id[made.count++] = op->id;
    return made;
}

bool check_may_run_beside(const lab_trace *trace, check_span span, lab_op_kind one, lab_op_kind other)
{
    return lab_relations_sets_may_overlap(check_relations(trace), operations_of(span, one), operations_of(span, other),
                                          NULL);
}

/* ---- chains ---------------------------------------------------------------------------------------------------- */

/* Work of a call in the order of the calls; and the longest chain that ends with each. */
typedef struct chains {
    const lab_trace_op **work;
    int *length, *before; /* before: the chain's operation before, or -1 */
    int works, longest;   /* longest: the last of the longest chain */
} chains;

static chains find_chains(const lab_trace *trace, check_span span)
{
    const size_t most = (size_t)(span.ends - span.begins);
    chains found = {check_alloc(most * sizeof *found.work), check_alloc(most * sizeof *found.length),
                    check_alloc(most * sizeof *found.before), 0, 0};
    lab_relations *relations = check_relations(trace);
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        const int last = found.works;
        if (!check_is_work(op)) continue;
        found.work[last] = op;
        found.length[last] = 1;
        found.before[last] = -1;
        for (int i = 0; i < last; i++)
            if (found.length[i] >= found.length[last] &&
                !lab_relations_may_overlap(relations, found.work[i]->id, op->id)) {
                found.length[last] = found.length[i] + 1;
                found.before[last] = i;
            }
        if (found.length[last] > found.length[found.longest]) found.longest = last;
        found.works++;
    }
    return found;
}

/* "kernel advance 2 of 6", with several devices of the work "kernel advance 2 of 6 on device 1" */
static const char *name_of(const chains *found, const lab_trace_op *which)
{
    int number = 0, count = 0, devices = 0;
    for (int i = 0; i < found->works; i++) {
        const lab_trace_op *op = found->work[i];
        if (op->device > devices) devices = op->device;
        if (op->kind != which->kind || strcmp(op->name, which->name) != 0) continue;
        count++;
        if (op <= which) number++;
    }
    return check_text("%s%s%s%s%s", lab_op_kind_name(which->kind), *which->name ? " " : "", which->name,
                      count > 1 ? check_text(" %d of %d", number, count) : "",
                      devices ? check_text(" on device %d", which->device) : "");
}

/* The edge of the longest chain that need not be: it leads to another stream, and the two share no memory. On one
 * stream the order is the program's, unless no other edge is the cause. */
static check_edge find_needless_edge(const chains *found)
{
    check_edge needless = {NULL, NULL, NULL, NULL};
    for (int later = found->longest; found->before[later] >= 0; later = found->before[later]) {
        const lab_trace_op *first = found->work[found->before[later]], *second = found->work[later];
        if (records_share_memory(first, second) || (needless.later && first->stream == second->stream)) continue;
        needless = (check_edge){first, second, name_of(found, first), name_of(found, second)};
    }
    return needless;
}

void check_chain(const lab_trace *trace, check_span span, int most)
{
    const chains found = find_chains(trace, span);
    const int length = found.works ? found.length[found.longest] : 0;
    if (length <= most) return;
    const check_edge needless = find_needless_edge(&found);
    const check_edge_cause why = needless.later ? check_cause_edge(trace, &needless) : (check_edge_cause){NULL, NULL};
    const char *found_text = check_text("work %d, span %d", found.works, length);
    if (needless.later)
        found_text = check_text("%s: %s waits for %s, and need not: neither writes what the other uses", found_text,
                                needless.later_name, needless.earlier_name);
    check_fail(CHECK_RULE, check_text("the longest chain of %s is too long", span.function),
               .at = why.where ? check_at(why.where) : check_at_name(span.function),
               .expected = check_text("work %d, span %d", found.works, most), .found = found_text, .cause = why.cause);
}
