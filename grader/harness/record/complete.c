/* Adds to the finding of a check what the record shows of it, and the lines that nobody has told: once, when the check
 * has failed and its programs still stand; see records.h. */
#include "record/records.h"

#include "find.h"

#include <stdio.h>
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

/* Says why nothing orders the two, where a wait or their streams show it, and looks there. */
static void tell_wait(check_finding *finding, const lab_trace *trace, const lab_trace_op *first,
                      const lab_trace_op *second)
{
    const check_edge edge = {first, second, name_of(first), name_of(second)};
    const check_edge_cause why = records_cause_unordered(trace, &edge);
    if (!why.cause) return;
    finding->cause = why.cause;
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
    tell_wait(finding, trace, first, second);
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
            const char *told = finding->cause;
            tell_wait(finding, trace, finding->earlier, finding->later);
            if (finding->cause != told && !finding->found) finding->found = told;
        }
    }
}

/* ---- a kernel that used memory where there is none ------------------------------------------------------------- */

/* The launch of this kernel; NULL if there are several, at different lines. */
static const lab_trace_op *only_launch(const lab_trace *trace, const char *kernel)
{
    const lab_trace_op *found = NULL;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        if (op->kind != LAB_OP_KERNEL || strcmp(op->name, kernel) != 0) continue;
        if (found && (found->line != op->line || strcmp(found->file, op->file) != 0)) return NULL;
        found = op;
    }
    return found;
}

/* Says what is wrong with a launch, where what it was given shows that. Else a place that is told is nearer. */
static void show_launch(void *user)
{
    check_finding *finding = user;
    const lab_trace *trace = check_trace(finding->strayed.program);
    const lab_trace_op *launch = finding->strayed.told ? NULL : only_launch(trace, finding->strayed.name);
    if (launch) finding->at = check_at(launch);
    if (!this_check.launches.kernel) return;
    const check_finding why = check_explain_arguments(
        check_whole(trace, finding->strayed.name), this_check.launches.kernel, this_check.launches.argument, *finding);
    finding->at = why.at;
    finding->cause = why.cause;
}

/* The student's program that was started last; NULL for none. */
static check_program *students_program(void)
{
    check_program *program = this_check.programs;
    while (program && program->reference) program = program->next;
    return program;
}

/* ---- calls that were refused for what an earlier one did --------------------------------------------------------- */

/* The last call of this kind that the student's file made, for this object or, with 0, for any; NULL for none, and for
 * calls of any object at several lines. */
static const lab_trace_op *find_call(const lab_trace *trace, lab_op_kind kind, uint64_t object)
{
    const lab_trace_op *last = NULL;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        if (op->kind != kind || (object && op->object != object) || !check_is_students(op)) continue;
        if (last && !object && last->line != op->line) return NULL;
        last = op;
    }
    return last;
}

/* The number in front of these words of the message; 0 without it. */
static uint64_t number_before(const char *message, const char *words)
{
    const char *at = strstr(message, words), *number = at;
    while (number && number > message && number[-1] != ' ') number--;
    return at ? strtoull(number, NULL, 0) : 0;
}

/* Of what was released, an address says which it was, and a handle no more. */
static const lab_trace_op *find_release(check_finding *finding, const lab_trace *trace)
{
    static const struct {
        const char *noun;
        lab_op_kind kind;
    } of[] = {
        {"stream", LAB_OP_STREAM_DESTROY}, {"event", LAB_OP_EVENT_DESTROY}, {"executable graph", LAB_OP_EXEC_DESTROY},
        {"graph", LAB_OP_GRAPH_DESTROY},   {"0x", LAB_OP_POOL_FREE},        {"0x", LAB_OP_MEMORY_FREE}};
    const uint64_t address = number_before(finding->message, " was freed already");
    const lab_trace_op *found = NULL;
    for (size_t i = 0; i < sizeof of / sizeof *of && !found; i++) {
        const bool by_handle = strstr(finding->message, check_text(": the %s was destroyed", of[i].noun));
        if (by_handle || (address && of[i].noun[0] == '0')) found = find_call(trace, of[i].kind, address);
    }
    return found;
}

/* The place is the call that comes too early, but of two that release the second. */
static void explain_refusal(void *user)
{
    check_finding *finding = user;
    check_program *program = students_program();
    if (!program || !program->device || !program->recorded) return;
    const lab_trace *trace = check_trace(program);
    const lab_trace_op *released = find_release(finding, trace), *event;
    if (released && released->line != finding->at.line) {
        const bool again = strstr(finding->message, "_destroy: ") || strstr(finding->message, "_free: 0x");
        finding->cause = check_text("the %s at line %d comes before this call at line %d: %s",
                                    lab_op_kind_name(released->kind), released->line, finding->at.line,
                                    again ? "is another variable meant?" : "does it belong behind that?");
        if (!again) finding->at = check_at(released);
    }
    if (!strstr(finding->message, "lab_event_record: event ")) return;
    if (!(event = find_call(trace, LAB_OP_EVENT_CREATE, number_before(finding->message, " belongs to ")))) return;
    finding->cause = check_text("this event is of device %d, which was current when it was made", event->device);
    finding->at = check_at(event);
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

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

/* Takes the program's last record, if it can still be had. */
static void take_last_record(check_program *program)
{
    check_ending ignored;
    if (program && program->device && (program->recorded || records_kept()))
        check_catch(&ignored, take_record, program);
}

/* Where the event was made of which the library says that it "(event 3) was created with" what does not do: there the
 * student can act, not at the call that found it. */
static void look_at_creation(check_finding *finding)
{
    static const char words[] = " was created with ";
    unsigned long long event;
    const char *made = strstr(finding->message, words), *number = made;
    while (number && number > finding->message && *number != '(') number--;
    if (!made || sscanf(number, "(event %llu)", &event) != 1) return;
    take_last_record(students_program());
    const lab_trace *trace = records_last();
    for (size_t i = 0; trace && i < trace->ops; i++)
        if (trace->op[i].kind == LAB_OP_EVENT_CREATE && trace->op[i].object == event)
            finding->at = check_at(&trace->op[i]);
}

static void find_lines(check_finding *finding)
{
    check_place *at = &finding->at;
    check_program *program = students_program();
    look_at_creation(finding);
    if (!at->known) {
        take_last_record(program); /* it says where the program was last */
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
    if (finding->strayed.program && finding->strayed.program->recorded && check_catch(&ignored, show_launch, &shown))
        *finding = shown;
    shown = *finding;
    if (finding->expected && strcmp(finding->expected, "LAB_SUCCESS") == 0 &&
        check_catch(&ignored, explain_refusal, &shown))
        *finding = shown;
    find_pair(finding);
    find_lines(finding);
}
