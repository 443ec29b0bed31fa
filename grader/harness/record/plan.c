/* The operations of a plan in a record, and the edges between them; see plan.h. */
#include "plan.h"
#include "program/program.h"

#include <string.h>

bool check_writes_block(const lab_trace_op *op, const lab_trace_op *block)
{
    for (int i = 0; i < op->accesses; i++)
        if (op->access[i].writes && !op->access[i].host && op->access[i].address == block->object) return true;
    return false;
}

const lab_trace_op *check_writer(check_span span, const lab_trace_op *block)
{
    const lab_trace_op *last = NULL, *writer = NULL;
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        if (check_is_work(op)) last = op;
        const bool kernel = op->kind == LAB_OP_KERNEL || op->kind == LAB_OP_GRAPH_NODE;
        if (kernel && (!block || check_writes_block(op, block))) writer = op;
    }
    return writer ? writer : last;
}

check_finding check_explain_calls(check_program *program, check_span span, check_finding why)
{
    const check_failed_call refused = check_failure(program, LAB_ERROR_NOT_PERMITTED);
    bool works = false;
    for (const lab_trace_op *op = span.begins; op < span.ends; op++)
        works = works || check_is_work(op) || op->kind == LAB_OP_GRAPH_NODE;
    if (!works)
        why.cause =
            check_text("%s enqueues nothing: is it written yet, or does it leave before its work?", span.function);
    if (!refused.message) return why;
    return (check_finding){.at = refused.at.known ? refused.at : why.at, .cause = refused.message};
}

int check_plan_add(check_plan *plan, check_step step, const int *after)
{
    const int number = plan->steps++;
    if (number == CHECK_PLAN_STEPS) check_fault("a plan has more than %d steps", CHECK_PLAN_STEPS);
    plan->step[number] = step;
    for (; *after < CHECK_PLAN_STEPS; after++) {
        if (*after < 0) continue;
        plan->waits[number][*after] = true;
        for (int i = 0; i < number; i++) plan->waits[number][i] |= plan->waits[*after][i];
    }
    return number;
}

/* ---- the steps ------------------------------------------------------------------------------------------------- */

static bool is_planned(const check_plan *plan, const lab_trace_op *op)
{
    return plan->graph ? op->kind == LAB_OP_GRAPH_NODE && op->object == plan->graph : check_is_work(op);
}

/* Whether the operation is what the step names: it writes the block, or copies from it, or is that kernel; of a step
 * without both, it is of that kind. */
static bool suits(const lab_trace_op *op, const check_step *step)
{
    if (op->kind != step->kind) return false;
    if (!step->block) return !step->kernel || strcmp(op->name, step->kernel) == 0;
    return op->kind == LAB_OP_COPY_DTOH ? check_uses_block(op, step->block) : check_writes_block(op, step->block);
}

/* Gives the operation to the first step that it suits and that is still to be found. */
static void give(check_plan *plan, const lab_trace_op *op, bool on_its_stream)
{
    for (int i = 0; i < plan->steps; i++) {
        check_step *step = &plan->step[i];
        if (step->op || !suits(op, step) || (on_its_stream && op->stream != step->stream)) continue;
        step->op = op;
        return;
    }
}

/* The step to which the operation was given; NULL for none. */
static check_step *owner_of(check_plan *plan, const lab_trace_op *op)
{
    for (int i = 0; i < plan->steps; i++)
        if (plan->step[i].op == op) return &plan->step[i];
    return NULL;
}

void check_plan_match(check_plan *plan)
{
    for (int by_stream = 1; by_stream >= 0; by_stream--)
        for (const lab_trace_op *op = plan->span.begins; op < plan->span.ends; op++)
            if (is_planned(plan, op) && !owner_of(plan, op)) give(plan, op, by_stream);
}

/* "`one`"; of any stream of the plan "`one` or `two`". */
static const char *name_of_stream(const check_plan *plan, uint64_t stream)
{
    const char *any = NULL;
    for (int i = 0; i < CHECK_PLAN_STREAMS && plan->stream[i].id; i++) {
        if (plan->stream[i].id == stream) return plan->stream[i].name;
        any = any ? check_text("%s or %s", any, plan->stream[i].name) : plan->stream[i].name;
    }
    if (!stream) return any;
    return check_stream(plan->trace, stream)->null_stream ? "the null stream" : "another stream";
}

/* Why a call is on this stream, which is not the one asked for. */
static const char *cause_of_stream(const check_plan *plan, uint64_t stream)
{
    if (check_stream(plan->trace, stream)->null_stream)
        return "this call names the null stream, or takes no stream, as a copy without _async";
    return check_text("this call names %s as its stream; NULL stands for the current one",
                      name_of_stream(plan, stream));
}

static bool is_on_its_stream(const check_plan *plan, const check_step *step)
{
    for (int i = 0; i < CHECK_PLAN_STREAMS && !step->stream; i++)
        if (plan->stream[i].id && step->op->stream == plan->stream[i].id) return true;
    return step->stream == CHECK_ANY_STREAM || (step->stream && step->op->stream == step->stream);
}

/* That the grid is large enough, the numbers show. */
static void check_shape(const check_plan *plan, const check_step *step)
{
    const lab_trace_op *op = step->op;
    if (plan->threads && (op->kind == LAB_OP_KERNEL || op->kind == LAB_OP_GRAPH_NODE))
        check_launched(plan->span, op, 1, 0, plan->threads, step->name);
}

static void check_missing(const check_plan *plan)
{
    for (int i = 0; i < plan->steps; i++) {
        const check_step *step = &plan->step[i];
        if (step->op) continue;
        const check_finding why = check_explain_calls(plan->program, plan->span, (check_finding){0});
        check_fail(CHECK_RULE, check_text("%s does not enqueue %s", plan->span.function, step->name),
                   .at = why.at.known                    ? why.at
                         : i > 0 && plan->step[i - 1].op ? check_at(plan->step[i - 1].op)
                                                         : check_at_no_line(),
                   .expected = step->name, .found = "nothing that does it", .cause = why.cause);
    }
}

/* Whether the operation is a piece more of a copy that was found. */
static bool is_piece(const check_plan *plan, const lab_trace_op *op)
{
    for (int i = 0; i < plan->steps && plan->pieces; i++)
        if (op->kind != LAB_OP_KERNEL && plan->step[i].op && plan->step[i].op->kind == op->kind &&
            plan->step[i].op->stream == op->stream)
            return true;
    return false;
}

/* Fails the check if a step is missing of which the operation has all but the block. */
static void check_block(const check_plan *plan, const lab_trace_op *op)
{
    const char *noun = plan->span.block ? plan->span.block : "array", *cause = NULL;
    const check_step *meant = NULL;
    for (int i = 0; i < plan->steps; i++) {
        const check_step *step = &plan->step[i];
        const bool writes = step->block && check_writes_block(op, step->block);
        if (writes || (!cause && step->block && check_uses_block(op, step->block)))
            cause = check_text("this call %s the %s of %s", writes ? "writes" : "has", noun, step->name);
        if (!meant && !step->op && step->block && step->kind == op->kind && step->stream == op->stream) meant = step;
    }
    if (meant && cause)
        check_fail(CHECK_RULE, check_text("%s enqueues %s with another %s", plan->span.function, meant->name, noun),
                   .at = check_at(op), .expected = check_text("%s with the %s for it", meant->name, noun),
                   .found = check_text("%s with another one", meant->name), .cause = cause);
}

/* The step of the operation's kind that was not found; NULL for none. */
static const check_step *missing_like(const check_plan *plan, const lab_trace_op *op)
{
    for (int i = 0; i < plan->steps; i++)
        if (!plan->step[i].op && plan->step[i].kind == op->kind) return &plan->step[i];
    return NULL;
}

void check_plan_find(check_plan *plan)
{
    const char *function = plan->span.function;
    check_plan_match(plan);
    for (const lab_trace_op *op = plan->span.begins; op < plan->span.ends; op++) {
        if (!is_planned(plan, op)) continue;
        check_step *const found = owner_of(plan, op);
        if (!found && is_piece(plan, op)) continue;
        if (!found) check_block(plan, op);
        const check_step *lacks = missing_like(plan, op);
        CHECK_THAT(found, CHECK_RULE,
                   check_text("%s enqueues what %s.h does not ask for, or the same twice", function, check_lab_name),
                   .at = check_at(op), .expected = check_text("%d operations", plan->steps),
                   .found = check_text("one more: %s%s%s", lab_op_kind_name(op->kind), *op->name ? " " : "", op->name),
                   .cause = lacks ? check_text("%s is missing: if this call is meant for it, it names another array",
                                               lacks->name)
                                  : NULL);
        const char *asked = name_of_stream(plan, found->stream), *used = name_of_stream(plan, op->stream);
        CHECK_THAT(is_on_its_stream(plan, found), CHECK_RULE,
                   check_text("%s enqueues %s on %s instead of %s", function, found->name, used, asked),
                   .at = check_at(op), .expected = check_text("%s on %s", found->name, asked),
                   .found = check_text("%s on %s", found->name, used), .cause = cause_of_stream(plan, op->stream));
        check_shape(plan, found);
    }
    check_missing(plan);
}

/* ---- the edges ------------------------------------------------------------------------------------------------- */

/* The longest chain of steps, each of which waits for the one before. */
static int longest_chain(const check_plan *of)
{
    int length[CHECK_PLAN_STEPS] = {0}, longest = 0;
    for (int round = 0; round < of->steps; round++)
        for (int later = 0; later < of->steps; later++) {
            int before = 0;
            for (int earlier = 0; earlier < of->steps; earlier++)
                if (of->waits[later][earlier] && length[earlier] > before) before = length[earlier];
            length[later] = before + 1;
            if (length[later] > longest) longest = length[later];
        }
    return longest;
}

/* Which nodes of the graph wait for which, directly. */
static void find_direct(check_plan *found)
{
    for (int later = 0; later < found->steps; later++) {
        const lab_trace_op *op = found->step[later].op;
        for (int earlier = 0; earlier < found->steps; earlier++) {
            found->waits[later][earlier] = false;
            for (int w = 0; w < op->waits; w++)
                found->waits[later][earlier] |= op->waits_for[w] == found->step[earlier].op->id;
        }
    }
}

/* Adds the edges that follow from others: what waits for p waits for all that p waits for. */
static void close_edges(check_plan *found)
{
    for (int by = 0; by < found->steps; by++)
        for (int later = 0; later < found->steps; later++)
            for (int earlier = 0; earlier < found->steps; earlier++)
                found->waits[later][earlier] |= found->waits[later][by] && found->waits[by][earlier];
}

/* What a question in passing learns is enough, and never too much. */
static void find_related(check_plan *found, const check_plan *plan)
{
    lab_relations *relations = check_relations(plan->trace);
    for (int later = 0; later < found->steps; later++)
        for (int earlier = 0; earlier < found->steps; earlier++) {
            const uint64_t first = found->step[earlier].op->id, second = found->step[later].op->id;
            found->waits[later][earlier] =
                lab_relations_before(relations, first, second) &&
                (plan->waits[later][earlier] || !lab_relations_may_overlap(relations, first, second));
        }
}

/* An edge too many between two others that are too many is their doing. */
static bool follows_from_another(const check_plan *plan, const check_plan *found, int later, int earlier)
{
    for (int by = 0; by < plan->steps && found->waits[later][earlier]; by++)
        if (found->waits[later][by] && found->waits[by][earlier] &&
            !(plan->waits[later][by] && plan->waits[by][earlier]))
            return true;
    return false;
}

/* Whether one is to wait for the other, and for nothing that waits for that. */
static bool waits_directly(const check_plan *plan, int later, int earlier)
{
    bool direct = plan->waits[later][earlier];
    for (int by = 0; by < plan->steps; by++) direct = direct && !(plan->waits[later][by] && plan->waits[by][earlier]);
    return direct;
}

/* Whether the later step is to wait for something before this record on its stream. */
static bool needs_record(const check_plan *plan, int later, const lab_trace_op *record)
{
    for (int i = 0; i < plan->steps; i++)
        if (waits_directly(plan, later, i) && plan->step[i].op->stream == record->stream && plan->step[i].op < record)
            return true;
    return false;
}

/* A wait that is needed has a record that comes too late. A capture's records and waits are not in the record: only
 * their edges are. */
static check_edge_cause cause_of_extra(const check_plan *plan, const check_edge *edge, int later)
{
    check_edge_cause found = check_cause_edge(plan->trace, edge);
    const lab_trace_op *wait = found.where,
                       *record = wait->kind == LAB_OP_EVENT_WAIT ? &plan->trace->op[wait->waits_for[0] - 1] : NULL;
    if (record && needs_record(plan, later, record))
        return (check_edge_cause){record, check_text("this record comes behind %s, and the wait at line %d stands for "
                                                     "all that is on its stream by then",
                                                     edge->earlier_name, wait->line)};
    if (plan->graph && edge->earlier->stream != edge->later->stream)
        found.cause = check_text("the event for which this stream waits was recorded behind %s: it stands for all that "
                                 "was on that stream by then",
                                 edge->earlier_name);
    return found;
}

static _Noreturn void fail_for_edge(const check_plan *plan, const check_plan *found, int later, int earlier)
{
    const check_step *first = &plan->step[earlier], *second = &plan->step[later];
    const bool waits = found->waits[later][earlier];
    const check_edge edge = {first->op, second->op, first->name, second->name};
    check_edge_cause why = waits ? cause_of_extra(plan, &edge, later) : check_cause_no_edge(plan->trace, &edge);
    if (!why.where)
        why = (check_edge_cause){
            second->op,
            check_text("no event, and no stream, makes %s wait: add lab_stream_wait_event before it", second->name)};
    if (plan->waits[earlier][later])
        why.cause = check_text("the two come in the wrong order: %s is to wait for %s", first->name, second->name);
    if (!waits && !plan->graph && check_unordered(plan->program))
        check_artifact_trace(plan->trace, plan->span.function);
    check_fail(waits ? CHECK_RULE : CHECK_RACE_SUSPECTED,
               check_text(waits ? "%s has an edge too many: %s waits for %s"
                                : "%s lacks an edge: nothing makes %s wait for %s",
                          plan->span.function, second->name, first->name),
               .at = check_at(why.where),
               .expected = check_text("work %d, span %d: %s %s for %s", plan->steps, longest_chain(plan), second->name,
                                      waits ? "does not wait" : "waits", first->name),
               .found = check_text("work %d, span %d: %s %s for %s", plan->steps, longest_chain(found), second->name,
                                   waits ? "waits" : "does not wait", first->name),
               .cause = why.cause, .earlier = waits ? NULL : first->op, .later = waits ? NULL : second->op);
}

/* Draws the graph next to the one that was asked for. */
static void draw_graph(const check_plan *plan, const check_plan *direct, const char *title)
{
    check_graph drawing = {.title = title, .nodes = plan->steps};
    for (int later = 0; later < plan->steps; later++) {
        drawing.name[later] = plan->step[later].name;
        for (int earlier = 0; earlier < plan->steps; earlier++) {
            drawing.wanted[earlier][later] = waits_directly(plan, later, earlier);
            drawing.found[earlier][later] = direct->waits[later][earlier];
        }
    }
    check_artifact_graph(plan->trace, &drawing);
}

void check_plan_edges(const check_plan *plan, const char *title)
{
    check_plan found = *plan;
    if (plan->graph) {
        find_direct(&found);
        draw_graph(plan, &found, title);
        close_edges(&found);
    } else {
        find_related(&found, plan);
    }
    for (int later = 0; later < plan->steps; later++)
        for (int earlier = plan->steps; earlier-- > 0;)
            if (found.waits[later][earlier] != plan->waits[later][earlier] &&
                !follows_from_another(plan, &found, later, earlier))
                fail_for_edge(plan, &found, later, earlier);
}
