/* Answers a check's questions about a record; see check.h. */
#include "record/records.h"

#include <stdlib.h>
#include <string.h>

int check_count_ops(const lab_trace *trace, lab_op_kind kind)
{
    int count = 0;
    for (size_t i = 0; i < trace->ops; i++) count += trace->op[i].kind == kind;
    return count;
}

const lab_trace_op *check_last_op(const lab_trace *trace, lab_op_kind kind)
{
    for (size_t i = trace->ops; i-- > 0;)
        if (trace->op[i].kind == kind) return &trace->op[i];
    return NULL;
}

const lab_trace_stream *check_stream(const lab_trace *trace, uint64_t id)
{
    static const lab_trace_stream unknown;
    for (size_t i = 0; i < trace->streams; i++)
        if (trace->stream[i].id == id) return &trace->stream[i];
    return &unknown;
}

int64_t check_clock_slack_ns(void) { return strcmp(check_device()->kind, "cuda") == 0 ? 100000 : 0; }

bool check_is_work(const lab_trace_op *op) { return *lab_op_kind_engine(op->kind) != 0; }

bool check_is_students(const lab_trace_op *op)
{
    const char *source = getenv("LAB_CHECK_SOURCE");
    return source && strcmp(op->file, source) == 0;
}

void check_ordered(const check_program *program, const char *function, check_place at)
{
    const char *unordered = check_unordered(program);
    CHECK_THAT(!unordered, CHECK_RACE_SUSPECTED,
               check_text("%s is right only if its work runs in a certain order, which nothing enforces", function),
               .at = at, .expected = "something that orders every two uses of the same memory, one of them a write",
               .cause = unordered);
}

bool check_is_note(const lab_trace_op *op)
{
    return op->kind == LAB_OP_MARK || op->kind == LAB_OP_HOST_RELEASE || op->kind == LAB_OP_HOST_ACQUIRE ||
           op->kind == LAB_OP_RANGE_PUSH || op->kind == LAB_OP_RANGE_POP;
}

bool check_is_mark(const lab_trace_op *op, const char *name)
{
    return op->kind == LAB_OP_MARK && strcmp(op->name, name) == 0;
}

const lab_trace_op *check_mark(const lab_trace *trace, const char *name)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (check_is_mark(&trace->op[i], name)) return &trace->op[i];
    check_fail(CHECK_RULE, check_text("the record has no mark \"%s\"", name));
}

const lab_trace_op *check_beside(const lab_trace *trace, const lab_trace_op *op, int direction)
{
    for (int64_t i = (int64_t)op->id - 1 + direction; i >= 0 && i < (int64_t)trace->ops; i += direction)
        if (trace->op[i].stream == op->stream && !check_is_note(&trace->op[i]) &&
            trace->op[i].kind != LAB_OP_STREAM_QUERY)
            return &trace->op[i];
    return NULL;
}

const lab_trace_op *check_pool_block(const lab_trace *trace, int which)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == LAB_OP_POOL_ALLOC && which-- == 0) return &trace->op[i];
    check_fail(CHECK_RULE, "the record lacks the arrays that the lab made");
}

bool check_uses_block(const lab_trace_op *op, const lab_trace_op *block)
{
    for (int i = 0; i < op->accesses; i++) {
        const lab_trace_access *access = &op->access[i];
        if (!access->host && access->address < block->object + block->bytes &&
            block->object < access->address + access->bytes)
            return true;
    }
    return false;
}

bool records_share_memory(const lab_trace_op *one, const lab_trace_op *other)
{
    for (int i = 0; i < one->accesses; i++)
        for (int k = 0; k < other->accesses; k++) {
            const lab_trace_access *a = &one->access[i], *b = &other->access[k];
            if (a->host == b->host && (a->writes || b->writes) && a->address < b->address + b->bytes &&
                b->address < a->address + a->bytes)
                return true;
        }
    return false;
}

/* The objects of a kind: how many were made, how many of these were not released, and the first that was not. */
typedef struct kept_objects {
    size_t made, kept;
    const lab_trace_op *first;
} kept_objects;

static kept_objects find_kept(const lab_trace *trace, const char *noun)
{
    lab_lifetime *life;
    size_t lives;
    kept_objects found = {0};
    if (lab_trace_lifetimes(&life, &lives, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    for (size_t i = 0; i < lives; i++) {
        if (strcmp(life[i].noun, noun) != 0) continue;
        found.made++;
        if (!life[i].ended && !found.kept++) found.first = life[i].made;
    }
    free(life);
    return found;
}

void check_given_back(const lab_trace *trace, const char *noun, const char *function, const char *cause)
{
    const kept_objects of = find_kept(trace, noun);
    CHECK_THAT(of.made, CHECK_RULE, check_text("no %s was ever made", noun),
               .at = function ? check_at_name(function) : check_at(NULL));
    CHECK_THAT(of.kept == 0, CHECK_LEAK,
               check_text("%zu %s%s not released; %s made here", of.kept, noun, of.kept == 1 ? " was" : "s were",
                          of.kept == 1 ? "it was" : "the first was"),
               .at = check_at(of.first), .expected = check_text("as many released as made: %zu", of.made),
               .found = check_text("%zu released", of.made - of.kept), .cause = cause);
}

void check_released_by(const lab_trace *trace, const char *noun, const char *made_by, const char *released_by)
{
    const kept_objects of = find_kept(trace, noun);
    CHECK_THAT(of.made, CHECK_RULE, check_text("%s makes no %s", made_by, noun), .at = check_at_name(made_by),
               .expected = check_text("%ss, which %s makes and %s releases", noun, made_by, released_by),
               .found = "none", .cause = check_text("%s is not written yet, or makes none in this call", made_by));
    CHECK_THAT(!of.kept, CHECK_LEAK, check_text("%s does not release every %s", released_by, noun),
               .at = check_at_name(released_by),
               .expected = check_text("every %s of %s released by %s", noun, made_by, released_by),
               .found = check_text("%zu of %zu are left, the first made at line %d", of.kept, of.made, of.first->line),
               .cause = check_text("%s releases all that %s made, in every call", released_by, made_by));
}
