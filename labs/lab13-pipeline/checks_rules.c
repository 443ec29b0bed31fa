/* The rules of lab 13's contract; see checks_folder.h. */
#include "checks_folder.h"

#include "find.h"

#include <limits.h>

static bool is_copy(const lab_trace_op *op) { return op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_COPY_DTOH; }

/* The copy of this part of picture k. Fails the check without one. */
static const lab_trace_op *copy_of(const folder *now, int k, lab13_part part)
{
    static const char *const place[] = {
        [LAB13_PIXELS] = "pixels", [LAB13_EDGES] = "edges", [LAB13_HISTOGRAM] = "histogram"};
    const lab_trace_op *copy = folder_copy(now, k, part);
    CHECK_THAT(
        copy, CHECK_RULE,
        check_text("lab13_run copies nothing %s picture[%d].%s", part == LAB13_PIXELS ? "from" : "to", k, place[part]));
    return copy;
}

/* ---- Replays ----------------------------------------------------------------------------------------------------- */

void rule_replays(const folder *now)
{
    const check_work work[] = {{LAB_OP_GRAPH_LAUNCH, .count = now->size.pictures},
                               {LAB_OP_KERNEL, .cause = "kernels run as nodes of a graph, not one by one"},
                               {LAB_OP_COPY_HTOD, .count = CHECK_ANY_COUNT},
                               {LAB_OP_COPY_DTOH, .count = CHECK_ANY_COUNT},
                               {LAB_OP_COPY_DTOD, .count = CHECK_ANY_COUNT},
                               {LAB_OP_FILL, .count = CHECK_ANY_COUNT},
                               {LAB_OP_HOST_FUNCTION, .count = CHECK_ANY_COUNT}};
    check_enqueued(now->program, now->span, work, sizeof work / sizeof *work);
}

/* ---- Memory, lanes and overlap ----------------------------------------------------------------------------------- */

void rule_no_allocation(check_span span)
{
    static const lab_op_kind kind[] = {LAB_OP_POOL_ALLOC, LAB_OP_PINNED_POOL_ALLOC, LAB_OP_MEMORY_ALLOC,
                                       LAB_OP_HOST_ALLOC, LAB_OP_HOST_REGISTER};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        const lab_trace_op *op = check_op_in(span, kind[i], 0);
        CHECK_THAT(!op, CHECK_RULE, "lab13_run allocates memory", .at = check_at(op),
                   .expected = "the lane's blocks, which lab13_open has allocated",
                   .found = check_text("%s of %llu bytes in lab13_run", lab_op_kind_name(op->kind),
                                       (unsigned long long)op->bytes));
    }
}

void rule_lanes(const folder *now)
{
    const check_span all = check_whole(now->trace, "lab13_run");
    for (int k = 0; k < now->size.pictures; k++)
        for (lab13_part part = LAB13_PIXELS; part <= LAB13_HISTOGRAM; part++) {
            const int lane = k % now->size.lanes;
            const lab_trace_op *copy = copy_of(now, k, part), *made = check_op_in(all, LAB_OP_STREAM_CREATE, lane);
            CHECK_THAT(made && copy->stream == made->stream, CHECK_RULE,
                       check_text("lab13_run does not take picture %d through lane[%d]", k, lane), .at = check_at(copy),
                       .expected = check_text("picture %d on the stream of lane %d", k, lane),
                       .found = "a copy of it on another stream");
        }
}

void rule_overlap(const folder *now)
{
    static const lab_op_kind kind[] = {LAB_OP_COPY_HTOD, LAB_OP_GRAPH_LAUNCH, LAB_OP_COPY_DTOH};
    static const char *const word[] = {"copy in", "graph", "copy out"};
    const check_span all = check_whole(now->trace, "lab13_run");
    for (int i = 0; i < 3; i++) {
        const int other = (i + 1) % 3;
        if (check_may_run_beside(now->trace, all, kind[i], kind[other])) continue;
        const lab_trace_op *first = check_op_in(all, kind[other], 0), *second = check_op_in(all, kind[other], 1),
                           *wait = second ? lab_trace_host_wait_between(now->trace, first->id, second->id) : NULL;
        check_fail(CHECK_RULE, check_text("in lab13_run no %s can run beside a %s", word[i], word[other]),
                   .at = check_at(wait ? wait : second),
                   .expected = check_text("a %s that may run beside the %s of another picture", word[i], word[other]),
                   .found = "none: each waits for the other, in every run",
                   .cause =
                       "something orders the lanes: a stream in common, a wait for an event, or a wait of the host");
    }
}

/* The first copy that has ended between the calls of two operations; NULL without one. */
static const lab_trace_op *ended_between(check_span span, const lab_trace_op *first, const lab_trace_op *second)
{
    for (const lab_trace_op *op = span.begins; op < second; op++)
        if (is_copy(op) && op->end_ns > first->call_ns && op->end_ns < second->call_ns) return op;
    return NULL;
}

void rule_enqueued_first(check_span span)
{
    enum { BY_LUCK = 2 }; /* on a machine so busy that the program seems to stand still */
    const lab_trace_op *last = span.begins;
    int stops = 0;
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        if (!is_copy(op) && op->kind != LAB_OP_GRAPH_LAUNCH) continue;
        const lab_trace_op *ended = ended_between(span, last, op);
        last = op;
        if (!ended || ++stops <= BY_LUCK) continue;
        check_fail(
            CHECK_RULE, "lab13_run waits for the device before everything is enqueued", .at = check_at(op),
            .expected = "the whole folder enqueued before the host waits",
            .found = check_text("a %s that is enqueued when the %s of line %d is done", lab_op_kind_name(op->kind),
                                lab_op_kind_name(ended->kind), ended->line),
            .cause = "nothing runs here before the host has waited for long: it waits for a flag, or for a number that "
                     "a copy brings");
    }
}

void rule_copied_once(check_span span)
{
    for (const lab_trace_op *op = span.begins; op < span.ends; op++)
        for (const lab_trace_op *later = op + 1; later < span.ends && is_copy(op); later++)
            CHECK_THAT(later->kind != op->kind || check_host_access(later).address != check_host_access(op).address,
                       CHECK_RULE, "lab13_run copies the same once more", .at = check_at(later),
                       .expected = "each picture copied in once, its edges and its histogram copied out once",
                       .found = check_text("a second copy %s the memory of the copy at line %d",
                                           op->kind == LAB_OP_COPY_HTOD ? "from" : "to", op->line),
                       .cause = "a copy takes its time on the bus, also when it changes nothing");
}

/* ---- Saves ------------------------------------------------------------------------------------------------------- */

/* The picture that this operation says is saved; -1 for none. */
static int saved_by(const lab_trace_op *op) { return check_numbered(op, LAB13_SAVES, INT_MAX); }

int rule_count_saves(const lab_trace *trace)
{
    int found = 0;
    for (size_t i = 0; i < trace->ops; i++) found += saved_by(&trace->op[i]) >= 0;
    return found;
}

/* Whether the thread of an operation was joined before another operation: its end is handed on to its joiner. */
static bool is_joined(const lab_trace *trace, const lab_trace_op *of, const lab_trace_op *before)
{
    const lab_trace_op *end = of;
    for (const lab_trace_op *op = of; op < trace->op + trace->ops; op++)
        if (op->thread == of->thread) end = op;
    for (const lab_trace_op *op = end; op < before && end->kind == LAB_OP_HOST_RELEASE; op++)
        if (op->kind == LAB_OP_HOST_ACQUIRE && op->object == end->object) return true;
    return false;
}

/* Fails the check unless a call of the library has waited for this copy before the save of picture k. A host function
 * behind the copy may tell the host that it has ended. */
static void check_waited(const folder *now, const lab_trace_op *save, const lab_trace_op *copy, int k)
{
    const lab_trace_op *wait = lab_relations_waited_by(check_relations(now->trace), copy->id),
                       *end = now->trace->op + now->trace->ops, *told = copy;
    while (told < end && (told->kind != LAB_OP_HOST_FUNCTION || told->stream != copy->stream)) told++;
    const bool waited = wait && wait < save;
    CHECK_THAT(waited || told == end, CHECK_RULE,
               check_text("lab13_run saves picture %d without a wait by a call of the library", k),
               .at = check_at(told),
               .expected = check_text("an event behind the last copy of picture %d, and a wait for it", k),
               .found = check_text("a host function behind the copy at line %d, and no wait for the copy", copy->line),
               .cause = "what a host function says, by a semaphore or a flag, no record shows: an event stands for the "
                        "copy, and lab_event_synchronize waits for it");
    if (waited) return;
    while (save + 1 < end && save->kind != LAB_OP_HOST_READ) save++;
    const check_edge edge = {copy, save, "the copy", "the save"};
    const check_edge_cause why = check_cause_no_edge(now->trace, &edge);
    check_fail(CHECK_RACE_SUSPECTED, check_text("lab13_run saves picture %d while it may still be on its way", k),
               .at = why.where ? check_at(why.where) : check_at_after(save, copy),
               .expected = check_text("a wait of the host for picture %d, then its save", k),
               .found = check_text("nothing before this save waits for the copy at line %d", copy->line),
               .cause = why.cause ? why.cause : "an event behind the last copy of the picture stands for all of it",
               .earlier = copy, .later = save);
}

/* Fails the check if picture k is saved when later ones have been waited for, by this thread or one that it has joined.
 * A thread that waits ahead, and hands on what has arrived, is no fault. */
static void check_saved_first(const folder *now, const lab_trace_op *save, int k)
{
    const lab_trace_op *later = copy_of(now, k + 1, LAB13_HISTOGRAM),
                       *wait = lab_relations_waited_by(check_relations(now->trace), later->id);
    const bool early = wait && wait->host_waits && wait < save && /* no question in passing */
                       (wait->thread == save->thread || is_joined(now->trace, wait, save));
    CHECK_THAT(!early, CHECK_RULE, check_text("lab13_run waits for later pictures before it saves picture %d", k),
               .at = check_at(wait),
               .expected = check_text("picture %d saved before the host waits for picture %d", k, k + 1),
               .found = "a wait for both",
               .cause = check_text(
                   "this call waits for more than picture %d: the host could compress it while the device works", k));
}

void rule_saves(const folder *now)
{
    int next = 0;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        const int k = saved_by(op);
        if (k < 0) continue;
        CHECK_THAT(k == next, CHECK_RULE, "lab13_run saves the pictures in another order", .at = check_at(op),
                   .expected = check_text("pictures saved in the order of the folder, each once: now picture %d", next),
                   .found = check_text("picture %d", k));
        next++;
        for (lab13_part part = LAB13_EDGES; part <= LAB13_HISTOGRAM; part++)
            check_waited(now, op, copy_of(now, k, part), k);
        if (k + 1 < now->size.pictures) check_saved_first(now, op, k);
    }
    if (next == now->size.pictures) return;
    const check_failed_call refused = check_failure(now->program, LAB_ERROR_NOT_PERMITTED);
    check_fail(CHECK_RULE, "lab13_run does not save every picture",
               .at = refused.at.known ? refused.at : check_at_no_line(),
               .expected = check_text("%d pictures saved", now->size.pictures), .found = check_text("%d", next),
               .cause = refused.message ? refused.message : "work->save is called once for each picture");
}
