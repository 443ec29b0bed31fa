/* Finds where regions begin and end, and whether the kernel can be written as regions. */
#include "regions.h"
#include "instructions.h"
#include "loops.h"

#include <stdlib.h>

/* A kernel that exceeds one of these limits runs on fibers. */
enum {
    MOST_NODES = 4000,
    MOST_INSTRS = 20000,
    MOST_REGIONS = 200, /* the number of a region is a byte */
    LINE_BYTES = 64,    /* the alignment of local memory */
};

const ir_wait *ir_wait_before(const ir_regions *r, int region)
{
    const int before = r->entry[region] - 1;
    return before >= 0 && r->graph.node[before].waits ? &r->wait[before] : NULL;
}

static bool read_waits(ir_regions *r)
{
    for (int n = 0; n < r->graph.nodes; ++n)
        if (r->graph.node[n].waits && !ir_read_wait(&r->wait[n], &r->graph, n)) return false;
    return true;
}

/* ---- states ---- */

typedef struct stops {
    const ir_graph *g;
    const bool *ends_turn; /* of each node, or NULL */
} stops;

static bool ends_turn(const stops *s, int node) { return s->ends_turn && s->ends_turn[node]; }

/* The set of waits, or ends of turns, that may come next. The end of the kernel is one more, whichever return it is. */
static void stop_at(void *user, int node, ir_word *set, int words)
{
    const stops *s = user;
    const bool stops_here = s->g->node[node].waits || ends_turn(s, node);
    if (!stops_here && !ir_is(ir_last_instr(s->g, node), "ret")) return;
    memset(set, 0, (size_t)words * sizeof *set);
    ir_put(set, stops_here ? node : s->g->nodes);
}

static bool is_empty(const ir_word *set, int words)
{
    for (int w = 0; w < words; ++w)
        if (set[w]) return false;
    return true;
}

/* Whether a node's successors lead to different sets of waits. Successors that lead to none do not count. */
static bool is_cut(const ir_graph *g, const ir_flow *flow, int node)
{
    const ir_word *first = NULL;
    for (int s = 0; s < g->node[node].succs && !g->node[node].waits; ++s) {
        const ir_word *next = ir_flow_set(flow, g->succ[g->node[node].succ + s]);
        if (is_empty(next, flow->words)) continue;
        if (first && memcmp(first, next, (size_t)flow->words * sizeof *next) != 0) return true;
        first = next;
    }
    return false;
}

static bool find_cuts(ir_regions *r, const bool *turns)
{
    ir_flow flow;
    stops s = {&r->graph, turns};
    const bool done = ir_flow_solve(&flow, &r->graph, r->graph.nodes + 1, IR_SOME_WAY, stop_at, &s);
    for (int n = 0; done && n < r->graph.nodes; ++n) {
        r->is_cut[n] = ends_turn(&s, n) || is_cut(&r->graph, &flow, n);
        r->has_turns = r->has_turns || ends_turn(&s, n);
    }
    free(flow.set);
    return done;
}

static void add_region(ir_regions *r, int node)
{
    if (r->region_at[node] >= 0) return;
    r->region_at[node] = r->regions;
    r->entry[r->regions++] = node;
}

static void find_starts(ir_regions *r)
{
    const ir_graph *g = &r->graph;
    for (int n = 0; n < g->nodes; ++n) r->region_at[n] = -1;
    add_region(r, 0);
    for (int n = 0; n < g->nodes; ++n)
        for (int s = 0; s < g->node[n].succs && ir_ends_region(r, n); ++s) add_region(r, g->succ[g->node[n].succ + s]);
}

static int count_from(const ir_regions *r, int *seen, int mark, int node)
{
    const ir_node *n = &r->graph.node[node];
    if (seen[node] == mark) return 0;
    seen[node] = mark;
    int instrs = n->end - n->first;
    for (int s = 0; s < n->succs && !ir_ends_region(r, node); ++s)
        instrs += count_from(r, seen, mark, r->graph.succ[n->succ + s]);
    return instrs;
}

/* Code that belongs to several regions is written for each of them. In some kernels that would be too much. */
static bool is_too_long(const ir_regions *r)
{
    int *seen = calloc((size_t)r->graph.nodes, sizeof *seen), instrs = 0;
    for (int s = 0; s < r->regions && seen; ++s) instrs += count_from(r, seen, s + 1, r->entry[s]);
    const bool too_long = !seen || instrs > MOST_INSTRS;
    free(seen);
    return too_long;
}

/* ---- the whole ---- */

/* Whether a thread's variable has a fixed size and is made at the kernel's start. */
static bool is_simple_variable(const ir_instr *i)
{
    static const char align[] = ", align ";
    const char *more = span_find(i->text, ", ");
    if (i->node != 0 || i->uses) return false;
    return !more || (strncmp(more, align, strlen(align)) == 0 && atoi(more + strlen(align)) <= LINE_BYTES);
}

/* What prevents that kept values have known types and every instruction is part of a region; NULL if nothing does. */
static const char *why_not_kept(const ir_regions *r)
{
    const ir_graph *g = &r->graph;
    for (int v = 0; v < g->values; ++v)
        if ((r->is_kept[v] || r->is_moved[v]) && !g->value[v].type.length)
            return "a value that lives across a wait has an unknown type";
    for (int i = 0; i < g->instrs; ++i) {
        const ir_instr *instr = &g->instr[i];
        if ((ir_is(instr, "alloca") && !is_simple_variable(instr)) || ir_is_call_of(instr, "llvm.stack"))
            return "a local variable has no fixed size, or is aligned to more than 64 bytes";
        if (ir_names_thread(instr) && !ir_is_dropped(instr) && ir_thread_component(instr) < 0)
            return "threadIdx is read through a pointer";
    }
    return NULL;
}

static bool allocate(ir_regions *r)
{
    const size_t nodes = (size_t)r->graph.nodes, values = (size_t)r->graph.values + 1;
    r->wait = calloc(nodes, sizeof *r->wait);
    r->entry = calloc(nodes, sizeof *r->entry);
    r->region_at = calloc(nodes, sizeof *r->region_at);
    r->is_cut = calloc(nodes, 1);
    r->varies = calloc(values, 1);
    r->is_remade = calloc(values, 1);
    r->is_kept = calloc(values, 1);
    r->is_moved = calloc(values, 1);
    r->is_local = calloc(values, 1);
    r->is_needed = calloc((size_t)r->graph.instrs, 1);
    return r->wait && r->entry && r->region_at && r->is_cut && r->varies && r->is_remade && r->is_kept && r->is_moved &&
           r->is_local && r->is_needed;
}

static ir_reading not_understood(ir_regions *r, const char *why)
{
    r->why = why;
    return IR_NOT_UNDERSTOOD;
}

static ir_reading find_regions(ir_regions *r, span kernel, ir_cuts cuts, const bool *turns)
{
    static const char too_long[] = "it is too long";
    const ir_reading reading = ir_graph_read(&r->graph, kernel);
    if (reading == IR_NO_MEMORY) return reading;
    if (reading == IR_NOT_UNDERSTOOD)
        return not_understood(r, "it has a parameter or an instruction of an unknown form");
    if (r->graph.nodes > MOST_NODES || r->graph.instrs > MOST_INSTRS) return not_understood(r, too_long);
    if (!allocate(r)) return IR_NO_MEMORY;
    if (!read_waits(r)) return not_understood(r, "a barrier or warp function has an unknown form");
    if (cuts == IR_CUT_AT_BRANCHES && !find_cuts(r, turns)) return IR_NO_MEMORY;
    find_starts(r);
    if (r->regions > MOST_REGIONS || is_too_long(r)) return not_understood(r, too_long);
    if (!ir_find_varying(r) || !ir_find_live(r)) return IR_NO_MEMORY;
    r->why = why_not_kept(r);
    return r->why ? IR_NOT_UNDERSTOOD : IR_READ;
}

/* Finds the regions of the kernel with turns; leaves *r as it is if there are none, or it cannot be written so. */
static ir_reading find_turns(ir_regions *r, span kernel)
{
    ir_loops loops;
    ir_regions turned = {0};
    ir_reading reading = ir_loops_find(&loops, r) ? IR_NOT_UNDERSTOOD : IR_NO_MEMORY;
    if (reading != IR_NO_MEMORY && loops.any) {
        reading = ir_loops_write(&turned.text, &loops, &r->graph, kernel) ? IR_READ : IR_NO_MEMORY;
        const span text = {turned.text.data, turned.text.size};
        if (reading == IR_READ) reading = find_regions(&turned, text, IR_CUT_AT_BRANCHES, loops.ends_turn);
    }
    ir_loops_free(&loops);
    ir_regions_free(reading == IR_READ ? r : &turned);
    if (reading == IR_READ) *r = turned;
    return reading == IR_NO_MEMORY ? IR_NO_MEMORY : IR_READ;
}

ir_reading ir_regions_find(ir_regions *r, span kernel, ir_cuts cuts)
{
    *r = (ir_regions){0};
    const ir_reading reading = find_regions(r, kernel, cuts, NULL);
    return reading == IR_READ && cuts == IR_CUT_AT_BRANCHES ? find_turns(r, kernel) : reading;
}

void ir_regions_free(ir_regions *r)
{
    free(r->text.data);
    ir_graph_free(&r->graph);
    free(r->wait);
    free(r->entry);
    free(r->region_at);
    free(r->is_cut);
    free(r->varies);
    free(r->is_remade);
    free(r->is_kept);
    free(r->is_moved);
    free(r->is_local);
    free(r->is_needed);
    free(r->live);
}
