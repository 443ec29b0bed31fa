/* Pairs each call that creates something with the call that ends it, by the stream or object that both name. */
#include "trace/trace.h"
#include "base/status.h"

#include <stdlib.h>

static const struct {
    lab_op_kind made, ended;
    const char *noun;
} pairs[] = {
    {LAB_OP_STREAM_CREATE, LAB_OP_STREAM_DESTROY, "stream"},
    {LAB_OP_EVENT_CREATE, LAB_OP_EVENT_DESTROY, "event"},
    {LAB_OP_MEMORY_ALLOC, LAB_OP_MEMORY_FREE, "device memory"},
    {LAB_OP_HOST_ALLOC, LAB_OP_HOST_FREE, "pinned memory"},
    {LAB_OP_HOST_REGISTER, LAB_OP_HOST_UNREGISTER, "pinning"},
    {LAB_OP_POOL_ALLOC, LAB_OP_POOL_FREE, "pool block"},
    {LAB_OP_PINNED_POOL_ALLOC, LAB_OP_PINNED_POOL_FREE, "pinned pool block"},
    {LAB_OP_CONTEXT_CREATE, LAB_OP_CONTEXT_DESTROY, "context"},
    {LAB_OP_GRAPH_CREATE, LAB_OP_GRAPH_DESTROY, "graph"},
    {LAB_OP_EXEC_CREATE, LAB_OP_EXEC_DESTROY, "executable graph"},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* The beginning or the end of a lifetime. */
typedef struct mention {
    size_t pair;
    uint64_t key;
    const lab_trace_op *op;
    bool end;
} mention;

/* A stream is known by its number, everything else by the operation's object. */
static uint64_t key_of(const lab_trace_op *op)
{
    return op->kind == LAB_OP_STREAM_CREATE || op->kind == LAB_OP_STREAM_DESTROY ? op->stream : op->object;
}

static bool find_mention(mention *out, const lab_trace_op *op)
{
    for (size_t pair = 0; pair < PAIRS; pair++) {
        if (op->kind != pairs[pair].made && op->kind != pairs[pair].ended) continue;
        *out = (mention){pair, key_of(op), op, op->kind == pairs[pair].ended};
        return true;
    }
    return false;
}

/* The moment from which a thing is there, or is there no more. Calls of several threads overlap: one that was begun
 * earlier may get the address that another thread's call, begun later, has freed. */
static int64_t moment_of(const mention *mentioned)
{
    const lab_trace_op *op = mentioned->op;
    return mentioned->end || op->return_ns < op->call_ns ? op->call_ns : op->return_ns;
}

static int by_thing(const void *left, const void *right)
{
    const mention *a = left, *b = right;
    if (a->pair != b->pair) return a->pair < b->pair ? -1 : 1;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    const int64_t one = moment_of(a), other = moment_of(b);
    if (one != other) return one < other ? -1 : 1;
    return (a->op->id > b->op->id) - (a->op->id < b->op->id);
}

static int by_beginning(const void *left, const void *right)
{
    const lab_lifetime *a = left, *b = right;
    return (a->made->id > b->made->id) - (a->made->id < b->made->id);
}

/* An address may be reused: each beginning is matched with the next mention of the same thing, if that is an end. */
lab_status lab_trace_lifetimes(lab_lifetime **out, size_t *count, const lab_trace *trace)
{
    *out = NULL;
    *count = 0;
    mention *all = malloc((trace->ops + 1) * sizeof *all);
    lab_lifetime *found = malloc((trace->ops + 1) * sizeof *found);
    if (!all || !found) {
        free(all);
        free(found);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the record's lifetimes");
    }
    size_t mentions = 0;
    for (size_t i = 0; i < trace->ops; i++) mentions += find_mention(&all[mentions], &trace->op[i]);
    qsort(all, mentions, sizeof *all, by_thing);
    for (size_t i = 0; i < mentions; i++) {
        const mention *each = &all[i];
        if (each->end) continue;
        bool ended = i + 1 < mentions && all[i + 1].end && all[i + 1].pair == each->pair && all[i + 1].key == each->key;
        found[(*count)++] = (lab_lifetime){pairs[each->pair].noun, each->op, ended ? all[i + 1].op : NULL};
    }
    qsort(found, *count, sizeof *found, by_beginning);
    free(all);
    *out = found;
    return LAB_SUCCESS;
}

lab_status lab_trace_leaks(lab_lifetime **out, size_t *count, const lab_trace *trace)
{
    size_t kept = 0;
    LAB_TRY(lab_trace_lifetimes(out, count, trace));
    for (size_t i = 0; i < *count; i++)
        if (!(*out)[i].ended) (*out)[kept++] = (*out)[i];
    *count = kept;
    return LAB_SUCCESS;
}
