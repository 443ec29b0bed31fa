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
    return a != b &&
           !reaches(relations, a < b ? a : b, a < b ? b : a, DEPENDENCE_ALL); /* nothing waits for a later call */
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

/* --- Questions that need no graph ------------------------------------------------------------------------------- */

const lab_trace_op *lab_trace_host_wait_between(const lab_trace *trace, uint64_t after, uint64_t before)
{
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->id > after && op->id < before && op->host_waits) return op;
    }
    return NULL;
}
