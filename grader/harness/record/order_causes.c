/* The causes of an order that is not the one asked for: which wait makes an edge too many, and why a wait that is there
 * makes no edge. */
#include "program/program.h"

/* The record that an event wait stands for; NULL if the event was not recorded yet. */
static const lab_trace_op *record_of(const lab_trace *trace, const lab_trace_op *wait)
{
    return wait->waits ? &trace->op[wait->waits_for[0] - 1] : NULL;
}

static bool is_wait_of(const lab_trace_op *op, const lab_trace_op *later)
{
    return op->kind == LAB_OP_EVENT_WAIT && op->stream == later->stream;
}

check_edge_cause check_cause_edge(const lab_trace *trace, const check_edge *edge)
{
    const lab_trace_op *earlier = edge->earlier, *later = edge->later, *record;
    const bool along = earlier->stream == later->stream;
    check_edge_cause found = {later, along ? "both are on one stream, which keeps the order of the calls"
                                           : "something between the two calls makes the later one wait"};
    lab_relations *relations;
    if (lab_relations_create(&relations, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    for (const lab_trace_op *wait = trace->op; wait < later && !along && found.where == later; wait++) {
        if (!is_wait_of(wait, later) || !(record = record_of(trace, wait))) continue;
        if (!lab_relations_before(relations, earlier->id, record->id)) continue;
        found.where = wait;
        found.cause = check_text("%s is enqueued behind this wait, which stands for the record at line %d: for all "
                                 "that was on that stream by then, %s too",
                                 edge->later_name, record->line, edge->earlier_name);
    }
    lab_relations_free(relations);
    return found;
}

/* The event of this wait was recorded later, behind the operation. */
static const lab_trace_op *late_record(const lab_trace *trace, const lab_trace_op *wait, const lab_trace_op *behind)
{
    for (const lab_trace_op *op = (wait > behind ? wait : behind) + 1; op < trace->op + trace->ops; op++)
        if (op->kind == LAB_OP_EVENT_RECORD && op->object == wait->object && op->stream == behind->stream) return op;
    return NULL;
}

/* Whether the event of this wait is recorded anywhere, also for a later wait. */
static bool is_recorded(const lab_trace *trace, const lab_trace_op *wait)
{
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++)
        if (op->kind == LAB_OP_EVENT_RECORD && op->object == wait->object) return true;
    return wait->waits > 0;
}

/* Whether the wait stands for this work: its event was recorded behind it, on its stream. */
static bool stands_for(const lab_trace *trace, const lab_trace_op *wait, const lab_trace_op *work)
{
    const lab_trace_op *record = wait->kind == LAB_OP_EVENT_WAIT ? record_of(trace, wait) : NULL;
    return record && record > work && record->stream == work->stream;
}

/* Whether work of the device follows the operation on its stream, before `end`. */
static bool holds_work_back(const lab_trace_op *op, const lab_trace_op *end)
{
    for (const lab_trace_op *next = op + 1; next < end; next++)
        if (next->stream == op->stream && check_is_work(next)) return true;
    return false;
}

/* A wait for the earlier work that comes too late, or is on another stream where nothing needs it; NULL for none. */
static const lab_trace_op *stray_wait(const lab_trace *trace, const check_edge *edge)
{
    const lab_trace_op *end = trace->op + trace->ops;
    for (const lab_trace_op *wait = edge->earlier; wait < end; wait++) {
        if (!stands_for(trace, wait, edge->earlier)) continue;
        if (wait->stream == edge->later->stream) return wait > edge->later ? wait : NULL;
        if (wait->stream == edge->earlier->stream || !holds_work_back(wait, end)) return wait;
    }
    return NULL;
}

check_edge_cause check_cause_no_edge(const lab_trace *trace, const check_edge *edge)
{
    const lab_trace_op *earlier = edge->earlier, *later = edge->later, *wait = later;
    while (wait > trace->op && !is_wait_of(wait, later)) wait--;
    if (!is_wait_of(wait, later)) wait = NULL;
    const lab_trace_op *record = wait ? record_of(trace, wait) : NULL,
                       *late = wait && !record ? late_record(trace, wait, earlier) : NULL,
                       *stray = wait ? NULL : stray_wait(trace, edge);
    if (stray && stray->stream == later->stream)
        return (check_edge_cause){stray, check_text("the wait at line %d comes after %s: move it before that call",
                                                    stray->line, edge->later_name)};
    if (stray)
        return (check_edge_cause){stray, check_text("the wait at line %d is on another stream than %s: "
                                                    "lab_stream_wait_event takes first the stream that is to wait",
                                                    stray->line, edge->later_name)};
    if (late)
        return (check_edge_cause){wait, check_text("the wait at line %d comes before the record at line %d: an event "
                                                   "that was not recorded yet holds nothing back",
                                                   wait->line, late->line)};
    if (wait && !is_recorded(trace, wait))
        return (check_edge_cause){
            wait,
            check_text("the wait at line %d is for an event that nothing records: it holds nothing back", wait->line)};
    const lab_trace_op *again = record ? late_record(trace, wait, earlier) : NULL;
    if (record && record < earlier && record->stream == earlier->stream)
        return (check_edge_cause){again && again < later ? wait : record,
                                  check_text("the wait at line %d stands for the record at line %d, which comes "
                                             "before %s",
                                             wait->line, record->line, edge->earlier_name)};
    if (record && record->stream != earlier->stream)
        return (check_edge_cause){wait, check_text("the wait at line %d stands for the record at line %d, which is not "
                                                   "on the stream of %s",
                                                   wait->line, record->line, edge->earlier_name)};
    return (check_edge_cause){NULL, NULL};
}
