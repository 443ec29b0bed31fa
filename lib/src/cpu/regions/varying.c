/* A value varies from thread to thread if it is made from others that do, or if it depends on the way by which a thread
 * came, after a branch that sends threads different ways within a region. */
#include "regions.h"
#include "instructions.h"

#include <stdlib.h>

/* How the threads of a block come to a node. */
enum {
    APART = 1, /* perhaps not all of them */
    MEETS = 2  /* perhaps by different ways */
};

/* The nodes that every thread reaches from a node, unless it leaves the region or ends. */
static void come_to(void *user, int node, ir_word *set, int words)
{
    const ir_regions *r = user;
    if (ir_ends_region(r, node) || ir_is(ir_last_instr(&r->graph, node), "ret"))
        memset(set, 0, (size_t)words * sizeof *set);
    ir_put(set, node);
}

/* Marks the nodes from a successor of a branch that varies up to the node that all threads reach. */
static void spread(const ir_regions *r, unsigned char *mark, const ir_word *together, int branch, int node)
{
    const ir_graph *g = &r->graph;
    if (node != branch && ir_has(together, node)) {
        mark[node] |= MEETS;
        return;
    }
    if (mark[node] & APART) return;
    mark[node] |= APART | MEETS;
    if (ir_ends_region(r, node)) return;
    for (int s = 0; s < g->node[node].succs; ++s) spread(r, mark, together, branch, g->succ[g->node[node].succ + s]);
}

static bool uses_varying(const ir_regions *r, const ir_instr *i)
{
    for (int u = 0; u < i->uses; ++u)
        if (r->varies[r->graph.use[i->use + u].value]) return true;
    return false;
}

static bool value_varies(const ir_regions *r, int value, const unsigned char *mark)
{
    const ir_instr *i = ir_defining(&r->graph, value);
    if (!i) return false;
    if (ir_is_phi(i)) return uses_varying(r, i) || mark[i->node] & (MEETS | APART);
    if (ir_is_wait_instr(&r->graph, i)) return ir_is_of_warp(&r->wait[i->node]);
    if (ir_reads_launch(i)) return false;
    return !ir_is_pure(i) || mark[i->node] & APART || uses_varying(r, i);
}

/* Marks the nodes after a branch that varies. Returns whether a mark is new. */
static bool mark_behind(const ir_regions *r, unsigned char *mark, unsigned char *own, const ir_word *together, int node)
{
    const ir_graph *g = &r->graph;
    bool is_new = false;
    memset(own, 0, (size_t)g->nodes);
    for (int s = 0; s < g->node[node].succs; ++s) spread(r, own, together, node, g->succ[g->node[node].succ + s]);
    for (int n = 0; n < g->nodes; ++n) {
        is_new = is_new || own[n] & ~mark[n];
        mark[n] |= own[n];
    }
    return is_new;
}

/* Values make branches vary, and branches make values vary, until nothing changes any more. */
static void find_varying(ir_regions *r, const ir_flow *together, unsigned char *mark, unsigned char *own)
{
    const ir_graph *g = &r->graph;
    for (bool changed = true; changed;) {
        changed = false;
        for (int v = 0; v < g->values; ++v) {
            if (r->varies[v] || !value_varies(r, v, mark)) continue;
            r->varies[v] = changed = true;
        }
        for (int n = 0; n < g->nodes; ++n)
            if (g->node[n].succs > 1 && !r->is_cut[n] && uses_varying(r, ir_last_instr(g, n)))
                changed = mark_behind(r, mark, own, ir_flow_set(together, n), n) || changed;
    }
}

bool ir_find_varying(ir_regions *r)
{
    const size_t nodes = (size_t)r->graph.nodes;
    ir_flow together;
    unsigned char *mark = calloc(nodes, 1), *own = calloc(nodes, 1);
    const bool done = ir_flow_solve(&together, &r->graph, r->graph.nodes, IR_EVERY_WAY, come_to, r) && mark && own;
    if (done) find_varying(r, &together, mark, own);
    free(together.set);
    free(mark);
    free(own);
    return done;
}
