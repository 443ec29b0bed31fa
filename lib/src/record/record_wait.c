/* What a call that does not return waits for, from the running record: from the call to its stream, to the first operation
 * there that has not ended, to what that waits for on another stream. It runs in a signal handler, so it allocates nothing
 * and waits for no lock. It knows the record's order; what a device is really at, only by the times that it notes. */
#include "base/op_kind.h"
#include "record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STREAMS_TOLD = 4 }; /* so many streams, each waiting for the next */

typedef struct words {
    char *text;
    size_t bytes, length;
} words;

static void say(words *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(words *to, const char *format, ...)
{
    va_list arguments;
    if (to->length + 1 >= to->bytes) return;
    va_start(arguments, format);
    const int length = vsnprintf(to->text + to->length, to->bytes - to->length, format, arguments);
    va_end(arguments);
    to->length += length > 0 ? (size_t)length : 0;
}

/* ---- finding operations ------------------------------------------------------------------------------------------ */

/* What is looked for, and what was found; `id` of it is 0 if nothing was. */
typedef struct search {
    uint64_t id, stream, thread, up_to;
    bool late; /* times come when the record ends: no operation is known to have ended */
    lab_trace_op found;
} search;

static bool find_number(void *user, const lab_trace_op *op)
{
    search *of = user;
    if (op->id == of->id) of->found = *op;
    return !of->found.id;
}

static lab_trace_op op_of(uint64_t id)
{
    search by_id = {.id = id};
    record_show(find_number, &by_id);
    return by_id.found;
}

/* Calls that have not returned: the last one of this thread, or the first of any. */
static bool find_open(void *user, const lab_trace_op *op)
{
    search *of = user;
    const bool own = op->thread == of->thread, open = !op->return_ns;
    if (open && (own || !of->found.id)) of->found = *op;
    return true;
}

/* The first work that is not known to have ended, on one stream or (0) on any; if no end is known, the last work. */
static bool find_unfinished(void *user, const lab_trace_op *op)
{
    search *of = user;
    const bool here = !of->stream || op->stream == of->stream, work = lab_op_is_stream_work(op->kind);
    /* The device does not note when it has passed a wait: it has if the event's record has ended. */
    bool ended = op->end_ns >= 0;
    if (op->kind == LAB_OP_EVENT_WAIT) {
        const lab_trace_op recorded = op->waits ? op_of(op->waits_for[0]) : (lab_trace_op){0};
        ended = !recorded.id || recorded.end_ns >= 0;
    }
    if (work && here && !ended && op->id <= of->up_to) of->found = *op;
    return of->late || !of->found.id;
}

static lab_trace_op unfinished_on(uint64_t stream, uint64_t up_to)
{
    search of = {.stream = stream, .up_to = up_to, .late = record_times_come_late()};
    record_show(find_unfinished, &of);
    return of.found;
}

/* ---- words --------------------------------------------------------------------------------------------------------- */

static void say_op(words *to, const lab_trace_op *op)
{
    say(to, "the %s%s%s", lab_op_kind_name(op->kind), *op->name ? " " : "", op->name);
    if (*op->file) say(to, " of %s:%d", op->file, op->line);
}

/* The operation, of another stream, that this one waits for and that has not ended; its id is 0 if there is none. */
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

/* "stream 2, where ...", of the first operation that has not ended. */
static void say_stream(words *to, const lab_trace_op *first)
{
    lab_trace_op op = *first;
    for (int told = 0; told < STREAMS_TOLD; told++) {
        say(to, "stream %llu, where ", (unsigned long long)op.stream);
        say_op(to, &op);
        const lab_trace_op before = blocker_of(&op);
        if (!before.id) break;
        say(to, " waits for ");
        op = before;
        if (told + 1 == STREAMS_TOLD) say(to, "another stream");
    }
    if (record_times_come_late())
        say(to, " was enqueued last");
    else
        say(to, op.start_ns >= 0 ? " has begun and not ended" : " has not begun");
}

static void say_wait(words *to, const lab_trace_op *call)
{
    lab_trace_op before = {0};
    if (call->kind == LAB_OP_EVENT_SYNC) before = call->waits ? op_of(call->waits_for[0]) : before;
    const uint64_t stream = before.id ? before.stream : call->stream, up_to = before.id ? before.id : call->id;
    const lab_trace_op first = unfinished_on(stream, up_to);
    /* Under a schedule a call that only enqueues may be where the work runs. */
    if (first.id && (call->host_waits || first.start_ns >= 0)) say_stream(to, &first);
}

bool lab_trace_find_wait(lab_trace_wait *out)
{
    if (!out) return false;
    *out = (lab_trace_wait){.file = ""};
    search open = {.thread = record_thread()};
    if (!record_show(find_open, &open) || !open.found.id) return false;
    words to = {out->text, sizeof out->text, 0};
    out->own = open.found.thread == open.thread;
    out->kind = open.found.kind;
    out->file = open.found.file;
    out->line = open.found.line;
    say_wait(&to, &open.found);
    return true;
}
