/* The order of a record's operations, whatever their times: answers for checks, from the graph of dependence.h. */
#include "model.h"
#include "base/op_kind.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

struct lab_relations {
    dependence order;
    bool *reached; /* the moments after `start`, by edges of `kinds`: the last answer */
    size_t start;
    dependence_set kinds;
    size_t *wait;      /* of each moment: the first operation that waits for it, or `ops` */
    uint64_t *mask[2]; /* of each moment: which operations of a part of a set it comes after */
};

static lab_status no_memory(void)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the record's order");
}

/* Finds the first wait of all moments at once, from the last moment back: checks ask for every operation. */
static void find_waits(lab_relations *relations)
{
    const dependence *order = &relations->order;
    const size_t ops = order->trace->ops;
    size_t *wait = relations->wait;
    for (size_t m = 0; m < 2 * ops; m++) {
        const lab_trace_op *op = &order->trace->op[dependence_op(m)];
        bool waits = dependence_is_return(m) && (op->host_waits || lab_op_is_query(op->kind));
        wait[m] = waits ? dependence_op(m) : ops;
    }
    for (size_t m = 2 * ops; m-- > 0;)
        for (size_t e = order->first[m]; e < order->first[m + 1]; e++) {
            const dependence_edge *edge = &order->edge[e];
            if ((DEPENDENCE_LEARNED & 1u << edge->kind) && wait[m] < wait[edge->source]) wait[edge->source] = wait[m];
        }
}

lab_status lab_relations_create(lab_relations **out, const lab_trace *trace)
{
    if (!out || !trace)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_relations_create: %s is NULL", out ? "trace" : "out");
    *out = NULL;
    lab_relations *made = calloc(1, sizeof *made);
    if (!made) return no_memory();
    made->start = SIZE_MAX;
    const size_t moments = 2 * trace->ops + 1;
    made->reached = malloc(moments * sizeof *made->reached);
    made->wait = malloc(moments * sizeof *made->wait);
    for (int i = 0; i < 2; i++) made->mask[i] = malloc(moments * sizeof *made->mask[i]);
    bool whole = made->reached && made->wait && made->mask[0] && made->mask[1];
    lab_status status = whole ? lab_dependence_create(&made->order, trace) : no_memory();
    if (status == LAB_SUCCESS)
        find_waits(made);
    else
        lab_relations_free(made);
    if (status == LAB_SUCCESS) *out = made;
    return status;
}

void lab_relations_free(lab_relations *relations)
{
    if (!relations) return;
    lab_dependence_clear(&relations->order);
    free(relations->reached);
    free(relations->wait);
    for (int i = 0; i < 2; i++) free(relations->mask[i]);
    free(relations);
}

/* Finds what comes after the operation's work; keeps the answer, since the next question often begins there too. */
static void reach_from(lab_relations *relations, uint64_t id, dependence_set kinds)
{
    size_t start = dependence_done((size_t)id - 1);
    if (relations->start != start || relations->kinds != kinds) {
        lab_dependence_reach(&relations->order, start, kinds, relations->reached);
        relations->start = start;
        relations->kinds = kinds;
    }
}

static bool reaches(lab_relations *relations, uint64_t before, uint64_t after, dependence_set kinds)
{
    size_t ops = relations->order.trace->ops;
    if (before < 1 || before > ops || after < 1 || after > ops || before == after) return false;
    reach_from(relations, before, kinds);
    return relations->reached[dependence_done((size_t)after - 1)];
}

bool lab_relations_before(lab_relations *relations, uint64_t before, uint64_t after)
{
    return before < after && reaches(relations, before, after, DEPENDENCE_LEARNED);
}

const lab_trace_op *lab_relations_waited_by(lab_relations *relations, uint64_t id)
{
    const lab_trace *trace = relations->order.trace;
    if (id < 1 || id > trace->ops) return NULL;
    const size_t first = relations->wait[dependence_done((size_t)id - 1)];
    return first < trace->ops ? &trace->op[first] : NULL;
}

bool lab_relations_may_overlap(lab_relations *relations, uint64_t a, uint64_t b)
{
    return a != b && !reaches(relations, a, b, DEPENDENCE_ALL) && !reaches(relations, b, a, DEPENDENCE_ALL);
}

/* The next operations of a set, as many as a mask has bits. */
static lab_op_set part_of(lab_op_set set, size_t first)
{
    const size_t left = set.count - first;
    return (lab_op_set){set.id + first, left < 64 ? left : 64};
}

/* Whether the moments of the operation come after number `bit` of the part that the mask is about. */
static bool is_after(const lab_relations *relations, const uint64_t *mask, uint64_t id, size_t bit)
{
    const size_t ops = relations->order.trace->ops;
    return id >= 1 && id <= ops && (mask[dependence_done((size_t)id - 1)] >> bit & 1);
}

/* Finds for each moment which operations of the part it comes after, all in one pass. */
static void reach_from_part(const lab_relations *relations, lab_op_set part, uint64_t *mask)
{
    const dependence *order = &relations->order;
    const size_t ops = order->trace->ops;
    memset(mask, 0, 2 * ops * sizeof *mask);
    for (size_t i = 0; i < part.count; i++)
        if (part.id[i] >= 1 && part.id[i] <= ops) mask[dependence_done((size_t)part.id[i] - 1)] |= (uint64_t)1 << i;
    for (size_t m = 0; m < 2 * ops; m++)
        for (size_t e = order->first[m]; e < order->first[m + 1]; e++)
            if (DEPENDENCE_ALL & 1u << order->edge[e].kind) mask[m] |= mask[order->edge[e].source];
}

static bool parts_may_overlap(const lab_relations *relations, lab_op_set a, lab_op_set b, uint64_t pair[2])
{
    for (size_t i = 0; i < a.count; i++)
        for (size_t k = 0; k < b.count; k++) {
            if (a.id[i] == b.id[k] || is_after(relations, relations->mask[0], b.id[k], i) ||
                is_after(relations, relations->mask[1], a.id[i], k))
                continue;
            if (pair) pair[0] = a.id[i];
            if (pair) pair[1] = b.id[k];
            return true;
        }
    return false;
}

/* A pass over the record for each 64 operations, rather than one for each pair. */
bool lab_relations_sets_may_overlap(lab_relations *relations, lab_op_set a, lab_op_set b, uint64_t pair[2])
{
    for (size_t i = 0; i < a.count; i += 64) {
        reach_from_part(relations, part_of(a, i), relations->mask[0]);
        for (size_t k = 0; k < b.count; k += 64) {
            reach_from_part(relations, part_of(b, k), relations->mask[1]);
            if (parts_may_overlap(relations, part_of(a, i), part_of(b, k), pair)) return true;
        }
    }
    return false;
}

bool lab_relations_by_event_only(lab_relations *relations, uint64_t before, uint64_t after)
{
    return before < after && reaches(relations, before, after, DEPENDENCE_ON_DEVICE) &&
           !reaches(relations, before, after, DEPENDENCE_ALL & ~(1u << DEPENDENCE_EVENT));
}

/* --- Work and span ---------------------------------------------------------------------------------------------- */

/* Whether the operation counts as work; events do not. */
static bool counts(const lab_trace_op *op)
{
    return lab_dependence_is_work(op) && op->kind != LAB_OP_EVENT_RECORD && op->kind != LAB_OP_EVENT_WAIT;
}

static double duration(const lab_trace_op *op, const lab_profile *profile)
{
    model_cost cost = lab_model_cost(op, profile, 1, false);
    return (cost.rate > 0 ? cost.bytes / cost.rate : cost.cached) / 1e6;
}

lab_status lab_relations_work_span(lab_work_span *out, const lab_relations *relations, const lab_profile *profile)
{
    const dependence *order = &relations->order;
    size_t moments = 2 * order->trace->ops;
    size_t *chain = calloc(moments + 1, sizeof *chain);
    double *time = calloc(moments + 1, sizeof *time);
    if (!chain || !time) {
        free(chain);
        free(time);
        return no_memory();
    }
    *out = (lab_work_span){0};
    for (size_t m = 0; m < moments; m++) {
        for (size_t e = order->first[m]; e < order->first[m + 1]; e++) {
            size_t source = order->edge[e].source;
            if (!(DEPENDENCE_ALL & 1u << order->edge[e].kind)) continue;
            if (chain[source] > chain[m]) chain[m] = chain[source];
            if (time[source] > time[m]) time[m] = time[source];
        }
        const lab_trace_op *op = &order->trace->op[dependence_op(m)];
        if (dependence_is_return(m) || !counts(op)) continue;
        double lasts = profile ? duration(op, profile) : 0;
        out->work++;
        out->work_ms += lasts;
        chain[m]++;
        time[m] += lasts;
        if (chain[m] > out->span) out->span = chain[m];
        if (time[m] > out->span_ms) out->span_ms = time[m];
    }
    free(chain);
    free(time);
    return LAB_SUCCESS;
}

/* --- Questions that need no graph ------------------------------------------------------------------------------- */

static const lab_trace_op *find(const lab_trace *trace, uint64_t id)
{
    return id >= 1 && id <= trace->ops ? &trace->op[id - 1] : NULL;
}

const lab_trace_op *lab_trace_first_not_on(const lab_trace *trace, lab_op_set set, uint64_t stream)
{
    for (size_t i = 0; i < set.count; i++) {
        const lab_trace_op *op = find(trace, set.id[i]);
        if (op && op->stream != stream) return op;
    }
    return NULL;
}

const lab_trace_op *lab_trace_host_wait_between(const lab_trace *trace, uint64_t after, uint64_t before)
{
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->id > after && op->id < before && op->host_waits) return op;
    }
    return NULL;
}

size_t lab_trace_driver_allocations(const lab_trace *trace, uint64_t after, uint64_t before)
{
    size_t count = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        bool allocates = op->kind == LAB_OP_MEMORY_ALLOC || op->kind == LAB_OP_HOST_ALLOC;
        count += allocates && op->id > after && op->id < before;
    }
    return count;
}

typedef struct turn {
    int64_t when;
    int set, change;
} turn;

static int by_time(const void *left, const void *right)
{
    const turn *a = left, *b = right;
    return (a->when > b->when) - (a->when < b->when);
}

static size_t add_turns(turn *turns, const lab_trace *trace, lab_op_set set, int number)
{
    size_t count = 0;
    for (size_t i = 0; i < set.count; i++) {
        const lab_trace_op *op = find(trace, set.id[i]);
        if (!op || !lab_trace_ran(op)) continue;
        turns[count++] = (turn){op->start_ns, number, 1};
        turns[count++] = (turn){op->end_ns, number, -1};
    }
    return count;
}

lab_status lab_trace_overlap(double *out_ms, const lab_trace *trace, lab_op_set a, lab_op_set b)
{
    *out_ms = 0;
    turn *turns = malloc((2 * (a.count + b.count) + 1) * sizeof *turns);
    if (!turns) return no_memory();
    size_t count = add_turns(turns, trace, a, 0);
    count += add_turns(turns + count, trace, b, 1);
    qsort(turns, count, sizeof *turns, by_time);
    int64_t running[2] = {0}, together = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && running[0] > 0 && running[1] > 0) together += turns[i].when - turns[i - 1].when;
        running[turns[i].set] += turns[i].change;
    }
    free(turns);
    *out_ms = (double)together / 1e6;
    return LAB_SUCCESS;
}
