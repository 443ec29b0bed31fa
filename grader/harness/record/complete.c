/* Adds to the finding of a check what the record shows of it, and the lines that nobody has told: once, when the check
 * has failed and its programs still stand; see records.h. */
#include "record/records.h"

#include <stdlib.h>
#include <string.h>

/* ---- two operations that nothing orders ------------------------------------------------------------------------ */

/* "kernel scale" */
static const char *name_of(const lab_trace_op *op)
{
    return check_text("%s%s%s", lab_op_kind_name(op->kind), *op->name ? " " : "", op->name);
}

/* "kernel scale (lab02.c:40)" */
static const char *call_text(const lab_trace_op *op)
{
    const char *slash = strrchr(op->file, '/'), *file = slash ? slash + 1 : op->file;
    return *file ? check_text("%s (%s:%d)", name_of(op), file, op->line) : name_of(op);
}

/* The recorded finding with which this sentence begins; NULL if the record does not have it. */
static const lab_trace_finding *find_finding(const lab_trace *trace, const char *sentence)
{
    for (size_t i = 0; i < trace->findings; i++)
        if (strncmp(sentence, trace->finding[i].text, strlen(trace->finding[i].text)) == 0) return &trace->finding[i];
    return NULL;
}

/* Of two such operations the first frees what the second uses: no order is missing. */
static bool is_of_freed_memory(const lab_trace_finding *found) { return strstr(found->text, " has freed") != NULL; }

/* Says in `text` why nothing orders the two, and looks at the call that should; nothing where that cannot be told. */
static void tell_wait(check_finding *finding, const char **text, const lab_trace *trace, const lab_trace_op *first,
                      const lab_trace_op *second)
{
    const check_edge edge = {first, second, name_of(first), name_of(second)};
    const check_edge_cause why = check_cause_no_edge(trace, &edge);
    if (!why.cause) return;
    *text = why.cause;
    if (why.where->caller || check_is_students(why.where)) finding->at = check_at(why.where);
}

/* Shows the student the record, in which the order checker found something, and says what was expected and found, and
 * where. What the sentence would then repeat is left out. */
static void show_unordered(void *user)
{
    check_finding *finding = user;
    const char *call = finding->unordered.call;
    const lab_trace *trace = check_trace(finding->unordered.program);
    const lab_trace_finding *found = find_finding(trace, finding->unordered.sentence);
    check_artifact_trace(trace, check_text("%s, with unordered uses marked", call));
    if (!found || !found->second) return;
    finding->message = check_text("in %s, %s", call, found->text);
    finding->at = check_at(&trace->op[found->second - 1]);
    finding->expected = check_text("an order: %s", found->edge);
    if (!found->first) return;
    const lab_trace_op *first = &trace->op[found->first - 1], *second = &trace->op[found->second - 1];
    if (is_of_freed_memory(found)) {
        finding->found = check_text("%s, and then %s", call_text(first), call_text(second));
        finding->cause = "memory that was released is used: by then it may be another owner's";
        return;
    }
    finding->found = check_text("none between %s and %s", call_text(first), call_text(second));
    if (first->kind == LAB_OP_COPY_HTOD && second->kind == LAB_OP_COPY_HTOD)
        finding->cause =
            "both copies write the same memory: if each has an array of its own, one of them names the other's";
    tell_wait(finding, &finding->cause, trace, first, second);
}

static bool quotes(const char *text, const lab_trace_finding *found) { return text && strstr(text, found->text); }

/* The operations of the order checker's finding that the check tells. */
static void find_told(check_finding *finding)
{
    for (int i = 0; i < records_kept() && !finding->later; i++) {
        const lab_trace *trace = records_get(i);
        for (size_t k = 0; k < trace->findings && !finding->later; k++) {
            const lab_trace_finding *found = &trace->finding[k];
            if (!found->first || !found->second || is_of_freed_memory(found)) continue;
            if (!quotes(finding->message, found) && !quotes(finding->cause, found)) continue;
            finding->earlier = &trace->op[found->first - 1];
            finding->later = &trace->op[found->second - 1];
            if (!finding->cause)
                tell_wait(finding, &finding->cause, trace, finding->earlier, finding->later);
            else if (!finding->found)
                tell_wait(finding, &finding->found, trace, finding->earlier, finding->later);
        }
    }
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

/* The student's program that was started last; NULL for none. */
static check_program *students_program(void)
{
    check_program *program = this_check.programs;
    while (program && program->reference) program = program->next;
    return program;
}

static void take_record(void *program) { check_trace(program); }

/* The student's last call in the last record. */
static check_place last_call(void)
{
    const lab_trace *trace = getenv("LAB_CHECK_SOURCE") ? records_last() : NULL;
    for (size_t i = trace ? trace->ops : 0; i-- > 0;)
        if (trace->op[i].caller || check_is_students(&trace->op[i])) return check_at(&trace->op[i]);
    return (check_place){0};
}

/* The line of the place's caller, where the program still is. */
static bool find_caller(source_place *found, const check_place *at)
{
    const check_program *program = this_check.programs;
    while (program && program != at->program) program = program->next;
    const uint64_t caller = program ? at->caller : 0;
    return caller && source_place_of_addresses(found, &caller, 1, program);
}

/* Where nothing but the caller is known, that is the place. */
static void add_caller(check_place *at)
{
    source_place place;
    const bool guessed = at->guessed;
    if (!find_caller(&place, at)) return;
    if (at->file)
        at->called_at = place.line;
    else
        *at = place_of_source(&place, NULL, 0);
    at->guessed = guessed;
}

/* Adds the line of the last call, as far out as it is known. Before the call that the place is in, or at it, that line
 * says nothing of an end. */
static void add_last_call(check_place *at)
{
    source_place place;
    const check_place call = last_call();
    if (!at->file || !call.known) return;
    const int line = find_caller(&place, &call) ? place.line : call.line;
    if (line != at->line && line > at->called_at) at->last_call = line;
}

static void find_lines(check_finding *finding)
{
    check_place *at = &finding->at;
    check_ending ignored;
    check_program *program = students_program();
    if (!at->known) {
        /* Its record says where the program was last, if it can still be had. */
        if (program && program->device && (program->recorded || records_kept()))
            check_catch(&ignored, take_record, program);
        const check_place call = last_call();
        if (call.known) *at = call;
        at->guessed = true;
    }
    add_caller(at);
    if (!at->file && !at->function && program) {
        const check_place way = place_of_way(program);
        if (way.known) *at = way;
    }
    if (finding->kind == CHECK_LEAK || finding->lacks_an_end) add_last_call(at);
}

/* Names the two operations that nothing orders, with their lines. */
static void find_pair(check_finding *finding)
{
    find_told(finding);
    const lab_trace_op *const pair[] = {finding->earlier, finding->later};
    for (int i = 0; i < 2 && finding->later; i++) {
        finding->pair[i].what = name_of(pair[i]);
        finding->pair[i].at = check_at(pair[i]);
        add_caller(&finding->pair[i].at);
    }
}

void records_complete(check_finding *finding)
{
    check_ending ignored;
    check_finding shown = *finding;
    if (finding->unordered.program && finding->unordered.program->recorded &&
        check_catch(&ignored, show_unordered, &shown))
        *finding = shown;
    find_pair(finding);
    find_lines(finding);
}
