/* Finds work that the device had not finished when a call returned. The program marks each return in its record. A mark
 * at the very end of the record is taken off again, so that checks and drawings show only what the student's code
 * did. Work that the host had waited for is done, however far the clocks of a GPU and its host lie apart. */
#include "record/records.h"

#include <string.h>

int64_t check_clock_slack_ns(void) { return strcmp(check_device()->kind, "cuda") == 0 ? 100000 : 0; }

/* What is looked at: a record, and which operation waited for which, made when it is asked for first. */
typedef struct looked_at {
    const lab_trace *trace;
    lab_relations *relations;
} looked_at;

/* Whether one of the first `calls` of the record waited for the operation. */
static bool is_waited_for(looked_at *record, const lab_trace_op *op, size_t calls)
{
    if (!record->relations && lab_relations_create(&record->relations, record->trace) != LAB_SUCCESS)
        check_fault("%s", lab_error_message());
    const lab_trace_op *wait = lab_relations_waited_by(record->relations, op->id);
    return wait && wait->id <= calls;
}

/* Counts the operations among the first `calls` of the record that had not ended at that time. */
static int count_outstanding(const lab_trace_op **first, looked_at *record, size_t calls, int64_t ns)
{
    int count = 0;
    int64_t latest = ns + check_clock_slack_ns();
    for (size_t i = 0; i < calls; i++) {
        const lab_trace_op *op = &record->trace->op[i];
        bool on_device = check_is_work(op);
        if (!on_device || (op->end_ns >= 0 && op->end_ns <= latest) || is_waited_for(record, op, calls)) continue;
        if (count++ == 0) *first = op;
    }
    return count;
}

static void fail_if_any(looked_at *record, size_t calls, int64_t ns, const char *function)
{
    const lab_trace_op *first = NULL;
    int count = count_outstanding(&first, record, calls, ns);
    if (count == 0) return;
    check_fail(CHECK_RACE_SUSPECTED, check_text("%s returned while the device was still at work", function),
               .at = check_at(first), .expected = check_text("all work done when %s returns", function),
               .found = check_text("%d operation%s outstanding, the first: %s%s%s, call #%llu, stream %llu", count,
                                   count == 1 ? "" : "s", lab_op_kind_name(first->kind), *first->name ? " " : "",
                                   first->name, (unsigned long long)first->id, (unsigned long long)first->stream),
               .cause = check_text("nothing waits for its stream before %s returns", function));
}

/* When the work that an operation put on the device ended; INT64_MAX for never. */
static int64_t end_of(const lab_trace_op *op)
{
    if (!check_is_work(op)) return INT64_MIN;
    return op->end_ns < 0 ? INT64_MAX : op->end_ns;
}

void check_nothing_outstanding(const lab_trace *trace, const char *function)
{
    const int64_t slack = check_clock_slack_ns();
    looked_at record = {trace, NULL};
    int64_t latest = INT64_MIN; /* the last end of the work so far: a record may hold as many marks as operations */
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (end_of(op) > latest) latest = end_of(op);
        bool outstanding = latest > op->call_ns + slack;
        if (outstanding && record_is_return(op, function)) fail_if_any(&record, i, op->call_ns, function);
    }
    const call_return *last = record_last_return(trace);
    if (last && strcmp(last->function, function) == 0) fail_if_any(&record, trace->ops, last->ns, function);
    lab_relations_free(record.relations);
}
