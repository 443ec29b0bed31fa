/* Which values differ from thread to thread: those made from others that do, and those that depend on the way that a
 * thread has come, where a branch sends threads different ways within a region. */
#include "ir_regions.h"

#include <stdlib.h>
#include <string.h>

/* Which nodes all threads come to from a node, unless they leave the region or stop. */
static void find_postdominators(const ir_regions *r, ir_word *after, int words)
{
    const ir_graph *g = &r->graph;
    memset(after, 0xff, (size_t)g->nodes * (size_t)words * sizeof *after);
    for (bool changed = true; changed;) {
        changed = false;
        for (int n = g->nodes - 1; n >= 0; --n) {
            ir_word *own = after + (size_t)n * (size_t)words;
            const bool leaves = g->node[n].is_barrier || r->is_cut[n] || ir_is(ir_last_instr(g, n), "ret");
            for (int w = 0; w < words; ++w) {
                ir_word set = leaves ? 0 : ~(ir_word)0;
                for (int s = 0; s < g->node[n].succs && !leaves; ++s)
                    set &= after[(size_t)g->succ[g->node[n].succ + s] * (size_t)words + (size_t)w];
                if (n / 64 == w) set |= UINT64_C(1) << n % 64;
                changed = changed || own[w] != set;
                own[w] = set;
            }
        }
    }
}

enum { APART = 1, MEETS = 2 }; /* of a node: not all threads may come to it; they come from different ways */

/* From a node that follows a branch that varies, up to where all come together. */
static void spread(const ir_regions *r, unsigned char *mark, const ir_word *together, int branch, int node)
{
    const ir_graph *g = &r->graph;
    if (node != branch && ir_has(together, node)) {
        mark[node] |= MEETS;
        return;
    }
    if (mark[node] & APART) return;
    mark[node] |= APART | MEETS;
    if (g->node[node].is_barrier || r->is_cut[node]) return;
    for (int s = 0; s < g->node[node].succs; ++s) spread(r, mark, together, branch, g->succ[g->node[node].succ + s]);
}

static bool phi_varies(const ir_regions *r, const ir_instr *i, unsigned char mark)
{
    for (int u = 0; u < i->uses; ++u)
        if (r->varies[r->graph.use[i->use + u]]) return true;
    return mark & MEETS;
}

static bool value_varies(const ir_regions *r, int value, const unsigned char *mark)
{
    const ir_instr *i = ir_defining(r, value);
    if (!i) return false;
    if (ir_is_phi(i)) return phi_varies(r, i, mark[i->node]) || mark[i->node] & APART;
    if (ir_reads_launch(i) || ir_is_barrier_instr(r, (int)(i - r->graph.instr))) return false;
    if (!ir_is_pure(i) || mark[i->node] & APART) return true;
    for (int u = 0; u < i->uses; ++u)
        if (r->varies[r->graph.use[i->use + u]]) return true;
    return false;
}

static bool ends_varying(const ir_regions *r, int node)
{
    const ir_instr *i = ir_last_instr(&r->graph, node);
    for (int u = 0; u < i->uses; ++u)
        if (r->varies[r->graph.use[i->use + u]]) return true;
    return false;
}

bool ir_find_varying(ir_regions *r)
{
    const ir_graph *g = &r->graph;
    const int words = (g->nodes + 63) / 64;
    ir_word *after = calloc((size_t)g->nodes * (size_t)words, sizeof *after);
    unsigned char *mark = calloc((size_t)g->nodes, 1), *own = calloc((size_t)g->nodes, 1);
    if (after && mark && own) {
        find_postdominators(r, after, words);
        for (bool changed = true; changed;) {
            changed = false;
            for (int v = 0; v < g->values; ++v) {
                if (r->varies[v] || !value_varies(r, v, mark)) continue;
                r->varies[v] = changed = true;
            }
            for (int n = 0; n < g->nodes; ++n) {
                if (g->node[n].succs < 2 || r->is_cut[n] || !ends_varying(r, n)) continue;
                memset(own, 0, (size_t)g->nodes);
                for (int s = 0; s < g->node[n].succs; ++s)
                    spread(r, own, after + (size_t)n * (size_t)words, n, g->succ[g->node[n].succ + s]);
                for (int m = 0; m < g->nodes; ++m) {
                    changed = changed || own[m] & ~mark[m];
                    mark[m] |= own[m];
                }
            }
        }
    }
    const bool done = after && mark && own;
    free(after);
    free(mark);
    free(own);
    return done;
}
