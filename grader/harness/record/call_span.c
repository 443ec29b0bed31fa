/* What the record shows of one call of the student's function, between two marks that the lab's program sets around
 * it: what it had not waited for when it returned, what it made and did not release, and whether another call did
 * the same. */
#include "plan.h"
#include "record/records.h"
#include "worker/call.h"

#include <stdlib.h>
#include <string.h>

const char *check_one(const char *noun)
{
    const char *article = strstr(noun, "memory") ? "" : strchr("aeiou", *noun) ? "an " : "a ";
    return check_text("%s%s", article, noun);
}

check_span check_between(const lab_trace *trace, const char *begins, const char *ends, const char *function)
{
    check_span span = {.function = function};
    int marks = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (check_is_mark(op, begins)) span.begins = op, marks++;
        if (check_is_mark(op, ends)) span.ends = op, marks++;
    }
    CHECK_THAT(marks == 2 && span.begins && span.ends && span.begins < span.ends, CHECK_RULE,
               check_text("%s was not called once", function));
    return span;
}

check_span check_span_of(const lab_trace *trace, const char *function)
{
    return check_between(trace, CALL_BEGINS, CALL_ENDS, function);
}

check_span check_whole(const lab_trace *trace, const char *function)
{
    return (check_span){.begins = trace->op, .ends = trace->op + trace->ops, .function = function};
}

/* The first copy out of the span that nothing waited for in time, or else the last other work; NULL for none. What is
 * enqueued before a copy out that was waited for is no question of waiting: the copy itself lacks an order. */
static const lab_trace_op *find_undone(const lab_trace *trace, check_span span)
{
    const lab_trace_op *undone = NULL;
    lab_relations *relations = check_relations(trace);
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        if (!check_is_work(op)) continue;
        const lab_trace_op *wait = lab_relations_waited_by(relations, op->id);
        if (wait && wait <= span.ends) {
            if (op->kind == LAB_OP_COPY_DTOH) undone = NULL;
            continue;
        }
        undone = op;
        if (op->kind == LAB_OP_COPY_DTOH) return undone;
    }
    return undone;
}

/* The last call in the student's file that waits after this work, for something else; NULL for none. */
static const lab_trace_op *vain_wait(check_span span, const lab_trace_op *undone)
{
    for (const lab_trace_op *op = span.ends; --op > undone;)
        if ((op->kind == LAB_OP_STREAM_SYNC || op->kind == LAB_OP_EVENT_SYNC) && check_is_students(op)) return op;
    return NULL;
}

void check_waits_for_all(const lab_trace *trace, check_span span)
{
    const lab_trace_op *undone = find_undone(trace, span), *vain = undone ? vain_wait(span, undone) : NULL;
    if (!undone) return;
    const char *work = lab_op_kind_name(undone->kind), *then = span.then ? span.then : "returns";
    check_fail(CHECK_RACE_SUSPECTED, check_text("%s %s without having waited for its work", span.function, then),
               .at = check_at(vain        ? vain
                              : span.then ? span.ends
                                          : undone),
               .lacks_an_end = !vain && !span.then,
               .expected = check_text("all work done when %s %s", span.function, then),
               .found = vain ? check_text("no call that waits for the %s at line %d", work, undone->line)
                             : check_text("no call that waits for this %s", work),
               .cause = vain && vain->kind == LAB_OP_EVENT_SYNC
                            ? "this waits for an event that was not recorded behind that work, on its stream"
                        : vain ? "this waits for another stream than that work is on; NULL means the current one"
                        : undone->kind == LAB_OP_COPY_DTOH
                            ? "this copy is enqueued, and nothing waits for its stream: lab_stream_synchronize does, "
                              "before the function returns"
                            : "the device may still be at work then");
}

/* Fails the check if the host waits in the span, with this message. */
static void check_no_wait(const lab_trace *trace, check_span span, const char *message, const char *expected,
                          const char *cause)
{
    const lab_trace_op *wait = lab_trace_host_wait_between(trace, span.begins->id, span.ends->id);
    CHECK_THAT(!wait, CHECK_RULE, message, .at = check_at(wait), .expected = expected,
               .found = check_text("the host waits (%s)", lab_op_kind_name(wait->kind)), .cause = cause);
}

void check_returns_at_once(const lab_trace *trace, check_span span)
{
    check_no_wait(trace, span, check_text("%s waits for the device", span.function),
                  "calls that enqueue, and return at once",
                  "the host stands still here, and what it enqueues later is ordered after all that it waited for; an "
                  "event would let the device continue by itself");
}

void check_waits_at_the_end(const lab_trace *trace, check_span span)
{
    const check_span all = span;
    for (const lab_trace_op *op = all.begins; op < all.ends; op++)
        if (check_is_work(op)) span.ends = op;
    if (span.ends == all.ends) return;
    check_no_wait(trace, span, check_text("%s waits before everything is enqueued", span.function),
                  "all work enqueued before the host waits",
                  "the host stands still here, and no stream gets more work meanwhile");
}

/* Whether memory of the driver was taken by a pool, which keeps it: a block of the pool lies in it, or the call that
 * took it also did something else, as lab_array_sum does, whose partial sums have memory of the library's own. */
static bool is_chunk(const lab_trace *trace, const lab_trace_op *memory)
{
    if (memory->kind != LAB_OP_MEMORY_ALLOC && memory->kind != LAB_OP_HOST_ALLOC) return false;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        const bool pooled = op->kind == LAB_OP_POOL_ALLOC || op->kind == LAB_OP_PINNED_POOL_ALLOC;
        if (pooled && op->object - memory->object < memory->bytes) return true;
        const bool same_call = op->kind == LAB_OP_KERNEL && op->thread == memory->thread && op->line == memory->line &&
                               strcmp(op->file, memory->file) == 0;
        if (same_call) return true;
    }
    return false;
}

/* What the span made, or was given to destroy, and left; of those with the noun all but the first. NULL noun: nothing
 * may be left. `first` is that with the noun. */
static lab_lifetime find_left(const lab_trace *trace, check_span span, const char *noun, const lab_trace_op **first)
{
    lab_lifetime *life, kept = {.noun = NULL};
    size_t lives;
    if (lab_trace_lifetimes(&life, &lives, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    for (const lab_lifetime *each = life; each < life + lives; each++) {
        const bool later = each->ended && each->ended < span.ends;
        if (each->made < (span.given ? span.given : span.begins) || each->made >= span.ends || later) continue;
        if (is_chunk(trace, each->made)) continue;
        if (noun && !*first && strcmp(each->noun, noun) == 0)
            *first = each->made;
        else
            kept = *each;
    }
    free(life);
    return kept;
}

void check_keeps_nothing(const lab_trace *trace, check_span span) { check_leaves(trace, span, NULL); }

const lab_trace_op *check_leaves(const lab_trace *trace, check_span span, const char *noun)
{
    const lab_trace_op *first = NULL;
    lab_lifetime kept = find_left(trace, span, noun, &first);
    if (!kept.noun) return first;
    const char *another = noun && strcmp(kept.noun, noun) == 0 ? "another " : NULL;
    if (span.block && kept.made->kind == LAB_OP_POOL_ALLOC) kept.noun = span.block;
    if (noun && span.block && strcmp(noun, "pool block") == 0) noun = span.block;
    const char *one = another ? check_text("%s%s", another, kept.noun) : check_one(kept.noun);
    const bool given = kept.made < span.begins;
    check_fail(CHECK_LEAK, check_text("%s leaves %s behind", span.function, one),
               .at = given ? check_at_no_line() : check_at(kept.made),
               .expected = noun ? check_text("%s, and nothing else", check_one(noun))
                                : check_text("everything released when %s returns", span.function),
               .found = check_text("%s that is still there", one),
               .cause = given ? "what the function is given to destroy is never destroyed"
                              : "what is made at this line is never released");
}

void check_joins(const lab_trace *trace, const char *function)
{
    for (size_t i = 0; i < trace->ops; i++) {
        if (!check_is_mark(&trace->op[i], PROTOCOL_JOINED_NO_THREAD)) continue;
        check_fail(CHECK_RULE, check_text("%s joins a thread that is not there", function),
                   .at = check_at(&trace->op[i]), .expected = "each thread that was started joined once",
                   .found = "a join of a thread that was joined before, or never started",
                   .cause = "a thread is gone once it is joined: C leaves open what another join does");
    }
}

void check_first_call(const lab_trace *first, const lab_trace *second, const char *function)
{
    for (size_t i = 0; i < second->ops; i++) {
        const lab_op_kind kind = second->op[i].kind;
        const int needed = check_count_ops(second, kind), made = check_count_ops(first, kind);
        if (made >= needed) continue;
        check_fail(CHECK_RULE, check_text("%s does not do its work in its first call", function),
                   .at = check_at(&second->op[i]), .expected = "the same work in each call",
                   .found =
                       check_text("%s: %d in the first call, %d in the second", lab_op_kind_name(kind), made, needed));
    }
}
