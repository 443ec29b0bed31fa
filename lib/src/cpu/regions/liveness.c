/* Finds what a kernel needs, which values are computed again where they are used, and which live from region to region.
 * */
#include "regions.h"
#include "instructions.h"

#include <stdlib.h>

enum { MOST_REMADE = 32 }; /* instructions that compute a value again */

/* The value of a use. Among those of a wait only its arguments count: -1 for the others. */
static int used_value(const ir_regions *r, const ir_instr *i, int use)
{
    const int value = r->graph.use[i->use + use].value;
    if (!ir_is_wait_instr(&r->graph, i)) return value;
    const ir_wait *wait = &r->wait[i->node];
    for (int a = 0; a < wait->arguments; ++a)
        if (wait->argument[a].value == value) return value;
    return -1;
}

/* ---- what is needed ---- */

static void need(ir_regions *r, int instr)
{
    if (instr < 0 || r->is_needed[instr]) return;
    const ir_instr *i = &r->graph.instr[instr];
    r->is_needed[instr] = true;
    for (int u = 0; u < i->uses; ++u) {
        const int value = used_value(r, i, u);
        if (value >= 0) need(r, r->graph.value[value].instr);
    }
}

static void find_needed(ir_regions *r)
{
    for (int i = 0; i < r->graph.instrs; ++i)
        if (ir_is_wait_instr(&r->graph, &r->graph.instr[i]) || ir_has_effects(&r->graph.instr[i])) need(r, i);
}

/* ---- what is computed again ---- */

/* How many instructions compute the value again, given the costs of its operands. More than MOST_REMADE if the value is
 * kept instead: nothing is saved if a varying operand must be kept for it. Addresses are the exception, since their
 * type may be unknown. */
static int cost_to_remake(const ir_regions *r, const ir_instr *i, const int *cost)
{
    if (ir_thread_component(i) >= 0) return 1;
    if (!ir_is_cheap(i)) return MOST_REMADE + 1;
    const bool is_address = ir_is(i, "getelementptr");
    int sum = 1;
    for (int u = 0; u < i->uses && sum <= MOST_REMADE; ++u) {
        const int source = r->graph.use[i->use + u].value;
        if (r->is_remade[source])
            sum += cost[source];
        else if (!is_address && r->varies[source] && !r->is_local[source])
            return MOST_REMADE + 1;
    }
    return sum;
}

static bool find_remade(ir_regions *r)
{
    const ir_graph *g = &r->graph;
    int *cost = calloc((size_t)g->values + 1, sizeof *cost);
    for (int v = g->params; v < g->values && cost; ++v) {
        const ir_instr *i = ir_defining(g, v);
        r->is_local[v] = ir_is(i, "alloca");
        cost[v] = cost_to_remake(r, i, cost);
        r->is_remade[v] = cost[v] <= MOST_REMADE;
    }
    const bool done = cost;
    free(cost);
    return done;
}

/* ---- what lives ---- */

/* The values that each node uses before it defines them, and those that it defines. */
typedef struct node_values {
    const ir_regions *r;
    ir_word *used, *defined;
} node_values;

static void add_use(const ir_regions *r, ir_word *used, const ir_word *defined, int value)
{
    if (value >= 0 && !ir_has(defined, value) && !r->is_local[value]) ir_put(used, value);
}

/* Adds the values that the phis of a node's successors have from the node. */
static void add_incoming(const ir_regions *r, ir_word *used, const ir_word *defined, int node)
{
    const ir_graph *g = &r->graph;
    for (int s = 0; s < g->node[node].succs; ++s) {
        const ir_node *next = &g->node[g->succ[g->node[node].succ + s]];
        for (int i = next->first; i < next->end && ir_is_phi(&g->instr[i]); ++i) {
            const ir_incoming *edge = &g->incoming[g->instr[i].incoming];
            for (int k = 0; k < g->instr[i].incomings && r->is_needed[i]; ++k)
                if (edge[k].block == g->node[node].block) add_use(r, used, defined, edge[k].value);
        }
    }
}

static void read_node(const ir_regions *r, ir_word *used, ir_word *defined, int node)
{
    const ir_graph *g = &r->graph;
    for (int i = g->node[node].first; i < g->node[node].end; ++i) {
        const ir_instr *instr = &g->instr[i];
        for (int u = 0; u < instr->uses && r->is_needed[i] && !ir_is_phi(instr); ++u)
            add_use(r, used, defined, used_value(r, instr, u));
        if (instr->value >= 0 && !ir_is_wait_instr(g, instr)) ir_put(defined, instr->value);
    }
    add_incoming(r, used, defined, node);
}

/* The values that live before a node are those that it uses, and those that live after it and that it does not define.
 * */
static void live_before(void *user, int node, ir_word *set, int words)
{
    const node_values *n = user;
    const ir_word *used = n->used + (size_t)node * (size_t)words, *defined = n->defined + (size_t)node * (size_t)words;
    const int result = n->r->graph.node[node].waits ? n->r->wait[node].result : -1;
    if (result >= 0) set[result / 64] &= ~(UINT64_C(1) << result % 64);
    for (int w = 0; w < words; ++w) set[w] = (set[w] & ~defined[w]) | used[w];
}

/* Adds the values from which a value is computed again. */
static void add_sources(const ir_regions *r, ir_word *live, int value)
{
    const ir_instr *i = ir_defining(&r->graph, value);
    if (!i || !r->is_remade[value]) return;
    for (int u = 0; u < i->uses; ++u) {
        const int source = r->graph.use[i->use + u].value;
        if (!r->is_local[source]) ir_put(live, source);
        add_sources(r, live, source);
    }
}

/* Finds the values that live at the beginning of a region, and are therefore kept. */
static void find_kept(ir_regions *r, int region, const ir_word *live_at_entry)
{
    const ir_graph *g = &r->graph;
    ir_word *live = r->live + (size_t)region * (size_t)r->words;
    memcpy(live, live_at_entry, (size_t)r->words * sizeof *live);
    for (int v = 0; v < g->values; ++v)
        if (ir_has(live, v)) add_sources(r, live, v);
    for (int v = 0; v < g->values; ++v)
        if (ir_has(live, v) && !r->is_remade[v]) r->is_kept[v] = true;
    for (int i = g->node[r->entry[region]].first; ir_is_phi(&g->instr[i]); ++i)
        if (r->is_needed[i]) r->is_moved[g->instr[i].value] = true;
}

static bool find_lives(ir_regions *r)
{
    const size_t nodes = (size_t)r->graph.nodes, words = (size_t)ir_words(r->graph.values);
    node_values n = {r, calloc(nodes * words, sizeof *n.used), calloc(nodes * words, sizeof *n.defined)};
    ir_flow flow = {0};
    r->words = (int)words;
    r->live = calloc((size_t)r->regions * words, sizeof *r->live);
    bool done = n.used && n.defined && r->live;
    for (size_t node = 0; done && node < nodes; ++node)
        read_node(r, n.used + node * words, n.defined + node * words, (int)node);
    done = done && ir_flow_solve(&flow, &r->graph, r->graph.values, IR_SOME_WAY, live_before, &n);
    for (int s = 0; done && s < r->regions; ++s) find_kept(r, s, ir_flow_set(&flow, r->entry[s]));
    free(flow.set);
    free(n.used);
    free(n.defined);
    return done;
}

bool ir_find_live(ir_regions *r)
{
    find_needed(r);
    return find_remade(r) && find_lives(r);
}
