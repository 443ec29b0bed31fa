/* Finds out what a call that does not return waits for: from the call to its stream, to the first operation there that
 * has not ended, to the operation of another stream that this one waits for. Runs in a signal handler, so it allocates
 * nothing and waits for no lock. It sees the running record only: the order of the calls, and the times that the device
 * notes. */
#include "base/op_kind.h"
#include "base/text_writer.h"
#include "record.h"

enum { MOST_STREAMS = 4 }; /* named in one text, each waiting for the next */

/* ---- finding operations ---- */

/* What is searched for, and what was found: found.id is 0 if nothing was. */
typedef struct search {
    uint64_t id, stream, thread, up_to;
    bool late; /* times come only when the record ends: no operation is known to have ended */
    lab_trace_op found;
} search;

static bool find_number(void *user, const lab_trace_op *op)
{
    search *wanted = user;
    if (op->id == wanted->id) wanted->found = *op;
    return !wanted->found.id;
}

static lab_trace_op op_of(uint64_t id)
{
    search by_id = {.id = id};
    record_show(find_number, &by_id);
    return by_id.found;
}

/* Finds a call that has not returned: the last one of this thread, or else the first of any thread. */
static bool find_open(void *user, const lab_trace_op *op)
{
    search *wanted = user;
    const bool own = op->thread == wanted->thread, open = !op->return_ns;
    if (open && (own || !wanted->found.id)) wanted->found = *op;
    return true;
}

/* Finds the first work that is not known to have ended, on one stream or (0) on any. If times come late: the last
 * work. */
static bool find_unfinished(void *user, const lab_trace_op *op)
{
    search *wanted = user;
    const bool here = !wanted->stream || op->stream == wanted->stream, work = lab_op_is_stream_work(op->kind);
    /* The device does not note the end of a wait: the wait has ended if the event's record has. */
    bool ended = op->end_ns >= 0;
    if (op->kind == LAB_OP_EVENT_WAIT) {
        const lab_trace_op recorded = op->waits ? op_of(op->waits_for[0]) : (lab_trace_op){0};
        ended = !recorded.id || recorded.end_ns >= 0;
    }
    if (work && here && !ended && op->id <= wanted->up_to) wanted->found = *op;
    return wanted->late || !wanted->found.id;
}

static lab_trace_op unfinished_on(uint64_t stream, uint64_t up_to)
{
    search wanted = {.stream = stream, .up_to = up_to, .late = record_times_come_late()};
    record_show(find_unfinished, &wanted);
    return wanted.found;
}

/* ---- texts ---- */

static void write_op(text_writer *out, const lab_trace_op *op)
{
    text_write(out, "the %s%s%s", lab_op_kind_name(op->kind), *op->name ? " " : "", op->name);
    if (*op->file) text_write(out, " of %s:%d", op->file, op->line);
}

/* The unfinished operation of another stream that this one waits for; its id is 0 if there is none. */
static lab_trace_op blocker_of(const lab_trace_op *op)
{
    lab_trace_op none = {0};
    for (int i = 0; i < op->waits; i++) {
        const lab_trace_op before = op_of(op->waits_for[i]);
        const lab_trace_op first = before.id ? unfinished_on(before.stream, before.id) : none;
        if (first.id && first.stream != op->stream) return first;
    }
    return none;
}

/* "stream 2, where the kernel scale of lab02.c:40 has not begun". `first` is the first unfinished operation. */
static void write_stream(text_writer *out, const lab_trace_op *first)
{
    lab_trace_op op = *first;
    for (int streams = 0; streams < MOST_STREAMS; streams++) {
        text_write(out, "stream %llu, where ", (unsigned long long)op.stream);
        write_op(out, &op);
        const lab_trace_op before = blocker_of(&op);
        if (!before.id) break;
        text_write(out, " waits for ");
        op = before;
        if (streams + 1 == MOST_STREAMS) text_write(out, "another stream");
    }
    if (record_times_come_late())
        text_write(out, " was enqueued last");
    else
        text_write(out, op.start_ns >= 0 ? " has begun and not ended" : " has not begun");
}

/* Finds the latest record of an event, before a call. */
static bool find_event_record(void *user, const lab_trace_op *op)
{
    search *wanted = user;
    if (op->kind == LAB_OP_EVENT_RECORD && op->object == wanted->id && op->id < wanted->up_to) wanted->found = *op;
    return true;
}

/* The record of the event that the call waits for; its id is 0 if there is none. A call of another thread does not show
 * its waits. */
static lab_trace_op event_record_of(const lab_trace_op *call)
{
    search latest = {.id = call->object, .up_to = call->id};
    if (call->kind != LAB_OP_EVENT_SYNC) return latest.found;
    if (call->waits) return op_of(call->waits_for[0]);
    record_show(find_event_record, &latest);
    return latest.found;
}

static void write_wait(text_writer *out, const lab_trace_op *call)
{
    const lab_trace_op before = event_record_of(call);
    const uint64_t stream = before.id ? before.stream : call->stream, up_to = before.id ? before.id : call->id;
    const lab_trace_op first = unfinished_on(stream, up_to);
    /* Under a schedule, work may run inside a call that only enqueues. */
    if (first.id && (call->host_waits || first.start_ns >= 0)) write_stream(out, &first);
}

bool lab_trace_find_wait(lab_trace_wait *out) { return out && record_find_wait(out, record_thread()); }

bool record_find_wait(lab_trace_wait *out, uint64_t thread)
{
    *out = (lab_trace_wait){.file = ""};
    search open = {.thread = thread};
    if (!record_show(find_open, &open) || !open.found.id) return false;
    out->own = open.found.thread == open.thread;
    out->kind = open.found.kind;
    out->file = open.found.file;
    out->line = open.found.line;
    write_wait(&(text_writer){out->text, sizeof out->text, 0}, &open.found);
    return true;
}
