/* The causes of an order that is not the one asked for: which wait makes an edge too many, and why a wait that is there
 * makes no edge. */
#include "record/records.h"

/* The record that an event wait stands for; NULL if the event was not recorded yet. */
static const lab_trace_op *record_of(const lab_trace *trace, const lab_trace_op *wait)
{
    return wait->waits ? &trace->op[wait->waits_for[0] - 1] : NULL;
}

/* Whether this is a wait for an event that holds back the stream of the later operation; or the host, which is on none,
 * where that is an access of the host. */
static bool is_wait_of(const lab_trace_op *op, const lab_trace_op *later)
{
    const bool by_host = later->kind == LAB_OP_HOST_READ || later->kind == LAB_OP_HOST_WRITE;
    return op->kind == (by_host ? LAB_OP_EVENT_SYNC : LAB_OP_EVENT_WAIT) && op->stream == later->stream;
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
    const lab_trace_op *by_host = along ? NULL : lab_relations_waited_by(relations, earlier->id);
    if (by_host && by_host < later && found.where == later) {
        found.where = by_host;
        found.cause = check_text("the host waits here for %s, and enqueues %s only after that", edge->earlier_name,
                                 edge->later_name);
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

/* The first record of the event of this wait, also for a later wait; NULL for none. */
static const lab_trace_op *any_record(const lab_trace *trace, const lab_trace_op *wait)
{
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++)
        if (op->kind == LAB_OP_EVENT_RECORD && op->object == wait->object) return op;
    return NULL;
}

/* The last work on the stream of the record before it, for which a wait may be there; NULL for none. */
static const lab_trace_op *work_before(const lab_trace *trace, const lab_trace_op *record)
{
    for (const lab_trace_op *op = record; op-- > trace->op;)
        if (op->stream == record->stream && check_is_work(op)) return op;
    return NULL;
}

/* The first record behind the work on its stream, for which a wait may be there; NULL for none. */
static const lab_trace_op *record_behind(const lab_trace *trace, const lab_trace_op *work)
{
    for (const lab_trace_op *op = work; op < trace->op + trace->ops; op++)
        if (op->kind == LAB_OP_EVENT_RECORD && op->stream == work->stream) return op;
    return NULL;
}

/* Whether the wait stands for this work: its event was recorded behind it, as the first one on its stream. */
static bool stands_for(const lab_trace *trace, const lab_trace_op *wait, const lab_trace_op *work)
{
    const bool waits = wait->kind == LAB_OP_EVENT_WAIT || wait->kind == LAB_OP_EVENT_SYNC;
    const lab_trace_op *record = waits ? record_of(trace, wait) : NULL;
    return record && record_behind(trace, work) == record;
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
        if (is_wait_of(wait, edge->later)) return wait > edge->later ? wait : NULL;
        if (wait->kind == LAB_OP_EVENT_SYNC) continue;
        if (wait->stream == edge->earlier->stream || (edge->later->stream && !holds_work_back(wait, end))) return wait;
    }
    return NULL;
}

/* How a wait before the later operation fails to make the edge. */
typedef enum failure {
    OF_ANOTHER,     /* nothing shows that it was meant to */
    ANOTHER_EVENT,  /* its event is another one than the same call has recorded behind the work */
    TOO_EARLY,      /* right before the operation, and its event is recorded later, for other work */
    ANOTHER_STREAM, /* its record is on another stream than the work */
    BEFORE_WORK,    /* its record comes before the work */
    NO_RECORD,
    BEFORE_RECORD,
} failure;

/* Whether the wait has work to stand for, and no other wait stands for it by an earlier record, or by the same one. */
static bool has_work(const lab_trace *trace, const lab_trace_op *wait, const lab_trace_op *later)
{
    const lab_trace_op *own = record_of(trace, wait), *work = work_before(trace, own);
    for (const lab_trace_op *op = trace->op; work && op < later; op++) {
        const lab_trace_op *record = is_wait_of(op, later) ? record_of(trace, op) : NULL;
        if (!record || record > own || (record == own && op >= wait)) continue;
        if (work_before(trace, record) == work) return false;
    }
    return work != NULL;
}

static failure failure_of(const lab_trace *trace, const lab_trace_op *wait, const check_edge *edge)
{
    const lab_trace_op *earlier = edge->earlier, *record = record_of(trace, wait);
    if (!record && late_record(trace, wait, earlier)) return BEFORE_RECORD;
    if (!record && !any_record(trace, wait)) return NO_RECORD;
    if (!record) return holds_work_back(wait, edge->later) ? OF_ANOTHER : TOO_EARLY;
    if (record->stream == earlier->stream) return record < earlier ? BEFORE_WORK : OF_ANOTHER;
    const lab_trace_op *own = record_behind(trace, earlier);
    if (own && own < edge->later && own->line == record->line && own->caller == record->caller) return ANOTHER_EVENT;
    return record->stream != wait->stream && has_work(trace, wait, edge->later) ? OF_ANOTHER : ANOTHER_STREAM;
}

/* The wait before the later operation on its stream that was meant for the earlier one; NULL for none. It is looked for
 * between that and the work before it, then further back; of several there, the one whose failure is the last of those
 * above is told, and of one line the last. A wait that is the only one is meant. */
static const lab_trace_op *meant_wait(failure *how, const lab_trace *trace, const check_edge *edge)
{
    const lab_trace_op *meant = NULL, *only = NULL;
    int waits = 0;
    *how = OF_ANOTHER;
    for (const lab_trace_op *wait = edge->later; wait-- > trace->op;) {
        if (meant && wait->stream == edge->later->stream && check_is_work(wait)) break;
        if (!is_wait_of(wait, edge->later)) continue;
        if (only && wait->line == only->line) continue;
        const failure found = failure_of(trace, wait, edge);
        only = wait;
        waits++;
        if (found <= *how) continue;
        *how = found;
        meant = wait;
    }
    if (meant || waits != 1) return meant;
    const lab_trace_op *record = record_of(trace, only);
    if (!record || record->stream == edge->earlier->stream) return NULL;
    *how = ANOTHER_STREAM;
    return only;
}

/* Whether all waits for this record are on its own stream, which has the order without them. */
static bool holds_nothing(const lab_trace *trace, const lab_trace_op *record)
{
    for (const lab_trace_op *op = record; op < trace->op + trace->ops; op++)
        if (op->kind == LAB_OP_EVENT_WAIT && record_of(trace, op) == record && op->stream != record->stream)
            return false;
    return true;
}

/* Whether an earlier record on the stream of this one stands for the same work. */
static bool repeats(const lab_trace *trace, const lab_trace_op *record)
{
    for (const lab_trace_op *op = trace->op; op < record; op++)
        if (op->kind == LAB_OP_EVENT_RECORD && op->stream == record->stream &&
            work_before(trace, op) == work_before(trace, record))
            return true;
    return false;
}

/* Whether anything waits for the event of this record from there on. */
static bool is_awaited(const lab_trace *trace, const lab_trace_op *record)
{
    for (const lab_trace_op *op = record + 1; op < trace->op + trace->ops; op++)
        if ((op->kind == LAB_OP_EVENT_WAIT || op->kind == LAB_OP_EVENT_SYNC || op->kind == LAB_OP_EVENT_QUERY) &&
            op->object == record->object)
            return true;
    return false;
}

static check_edge_cause cause_of_stray(const lab_trace_op *stray, const check_edge *edge)
{
    const bool late = stray->stream == edge->later->stream;
    if (!late && !edge->later->stream)
        return (check_edge_cause){stray, check_text("the wait at line %d holds back a stream, and not the host: "
                                                    "lab_event_synchronize waits on the host",
                                                    stray->line)};
    return (check_edge_cause){stray, check_text(late ? "the wait at line %d comes after %s: move it before that call"
                                                     : "the wait at line %d is on another stream than %s: "
                                                       "lab_stream_wait_event takes first the stream that is to wait",
                                                stray->line, edge->later_name)};
}

/* Where an operation is called between a wait and a record that are next to each other on another stream. */
static check_edge_cause cause_of_gap(const lab_trace *trace, const lab_trace_op *op, const char *name)
{
    for (const lab_trace_op *wait = trace->op; wait < op && check_is_work(op); wait++) {
        const lab_trace_op *next = wait->kind == LAB_OP_EVENT_WAIT ? check_beside(trace, wait, 1) : NULL;
        if (wait->stream == op->stream || !next || next < op || next->kind != LAB_OP_EVENT_RECORD) continue;
        return (check_edge_cause){
            op, check_text("%s is called between the wait at line %d and the record at line %d, and is on another "
                           "stream than these, which have nothing between them there",
                           name, wait->line, next->line)};
    }
    return (check_edge_cause){NULL, NULL};
}

/* A wait between the two calls that would make the edge if record and wait changed their streams; NULL for none. */
static const lab_trace_op *reversed_wait(const lab_trace *trace, const check_edge *edge)
{
    for (const lab_trace_op *wait = edge->earlier; wait < edge->later; wait++) {
        if (wait->kind != LAB_OP_EVENT_WAIT || wait->stream != edge->earlier->stream) continue;
        const lab_trace_op *record = record_of(trace, wait);
        if (record && record->stream == edge->later->stream && !holds_work_back(wait, edge->later)) return wait;
    }
    return NULL;
}

/* Why no wait was meant for the earlier operation: its stream waits for that of the later one, or the record behind it
 * is for nobody. */
static check_edge_cause cause_of_none(const lab_trace *trace, const check_edge *edge)
{
    const lab_trace_op *wait = reversed_wait(trace, edge), *record = record_behind(trace, edge->earlier);
    if (wait)
        return (check_edge_cause){
            wait, check_text("the record at line %d and the wait at line %d make the stream of %s "
                             "wait for that of %s, and not the other way round",
                             record_of(trace, wait)->line, wait->line, edge->earlier_name, edge->later_name)};
    if (record && record < edge->later && !is_awaited(trace, record))
        return (check_edge_cause){edge->later, check_text("nothing waits for the event that is recorded at line %d, "
                                                          "behind %s",
                                                          record->line, edge->earlier_name)};
    return (check_edge_cause){NULL, NULL};
}

check_edge_cause check_cause_no_edge(const lab_trace *trace, const check_edge *edge)
{
    check_edge_cause gap = cause_of_gap(trace, edge->later, edge->later_name);
    if (!gap.cause) gap = cause_of_gap(trace, edge->earlier, edge->earlier_name);
    if (gap.cause) return gap;
    failure how;
    const lab_trace_op *earlier = edge->earlier, *wait = meant_wait(&how, trace, edge),
                       *record = wait ? record_of(trace, wait) : NULL,
                       *late = wait ? late_record(trace, wait, earlier) : NULL,
                       *stray = how < BEFORE_WORK || wait < earlier ? stray_wait(trace, edge) : NULL;
    if (stray && (!wait || how > ANOTHER_STREAM || stray->line != wait->line)) return cause_of_stray(stray, edge);
    if (!wait || failure_of(trace, wait, edge) == OF_ANOTHER) {
        const check_edge_cause none = cause_of_none(trace, edge);
        if (none.cause) return none;
    }
    if (how == TOO_EARLY) late = any_record(trace, wait);
    switch (how) {
    case OF_ANOTHER: return (check_edge_cause){NULL, NULL};
    case ANOTHER_EVENT:
        return (check_edge_cause){wait, check_text("the wait at line %d is for another event than the one that line %d "
                                                   "records behind %s: is its index right?",
                                                   wait->line, record->line, edge->earlier_name)};
    case TOO_EARLY:
    case BEFORE_RECORD:
        return (check_edge_cause){wait, check_text("the wait at line %d comes before the record at line %d: an event "
                                                   "that was not recorded yet holds nothing back",
                                                   wait->line, late->line)};
    case NO_RECORD:
        return (check_edge_cause){
            wait,
            check_text("the wait at line %d is for an event that nothing records: it holds nothing back", wait->line)};
    case BEFORE_WORK:
        return (check_edge_cause){late && late < edge->later ? wait : record,
                                  check_text("the wait at line %d stands for the record at line %d, which comes "
                                             "before %s",
                                             wait->line, record->line, edge->earlier_name)};
    case ANOTHER_STREAM: break;
    }
    return (check_edge_cause){holds_nothing(trace, record) || repeats(trace, record) ? record : wait,
                              check_text("the wait at line %d stands for the record at line %d, which is not "
                                         "on the stream of %s",
                                         wait->line, record->line, edge->earlier_name)};
}

/* The work of the same thread that is called next before the operation (-1) or behind it (1); NULL for none. */
static const lab_trace_op *work_beside(const lab_trace *trace, const lab_trace_op *op, int direction)
{
    const lab_trace_op *end = trace->op + trace->ops, *next = op;
    while (next > trace->op && (next += direction) < end)
        if (next->thread == op->thread && check_is_work(next)) return next;
    return NULL;
}

/* Of a graph's launch the record does not have the memory. */
static bool may_share_memory(const lab_trace_op *one, const lab_trace_op *other)
{
    return !one->accesses || !other->accesses || records_share_memory(one, other);
}

/* Whether this operation is on another stream than the calls before and behind it, which are on `stream`, and of which
 * so many may use its memory. */
static bool is_strayed(const lab_trace *trace, const lab_trace_op *op, uint64_t stream, int sharing)
{
    const lab_trace_op *before = work_beside(trace, op, -1), *behind = work_beside(trace, op, 1);
    if (op->stream == stream || !before || !behind || before->stream != stream || behind->stream != stream)
        return false;
    if (before->line == behind->line) return false; /* a loop that takes turns */
    return may_share_memory(op, before) + may_share_memory(op, behind) >= sharing;
}

/* The one of the two that is on another stream than its neighbours, which are on that of the other. */
static check_edge_cause cause_of_stream(const lab_trace *trace, const check_edge *edge)
{
    const lab_trace_op *const pair[] = {edge->earlier, edge->later};
    if (!check_is_work(edge->earlier) || !check_is_work(edge->later)) return (check_edge_cause){NULL, NULL};
    for (int sharing = 2; sharing > 0; sharing--)
        for (int i = 0; i < 2; i++)
            if (is_strayed(trace, pair[i], pair[1 - i]->stream, sharing))
                return (check_edge_cause){
                    pair[i], check_text("the %s at line %d is on another stream than the calls before and behind it, "
                                        "at lines %d and %d: is it the one that is meant?",
                                        lab_op_kind_name(pair[i]->kind), pair[i]->line,
                                        work_beside(trace, pair[i], -1)->line, work_beside(trace, pair[i], 1)->line)};
    return (check_edge_cause){NULL, NULL};
}

check_edge_cause records_cause_unordered(const lab_trace *trace, const check_edge *edge)
{
    const check_edge_cause why = check_cause_no_edge(trace, edge);
    return why.cause ? why : cause_of_stream(trace, edge);
}
