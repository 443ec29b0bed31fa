/* Goes from the last node to the first until no set changes any more: two or three times for most kernels. */
#include "dataflow.h"

#include <stdlib.h>

/* Puts the set at the end of a node into `set`. */
static void meet_successors(ir_word *set, const ir_flow *flow, const ir_graph *g, int node, ir_meet meet)
{
    const ir_node *n = &g->node[node];
    memset(set, meet == IR_EVERY_WAY ? 0xff : 0, (size_t)flow->words * sizeof *set);
    for (int s = 0; s < n->succs; ++s) {
        const ir_word *next = ir_flow_set(flow, g->succ[n->succ + s]);
        for (int w = 0; w < flow->words; ++w) set[w] = meet == IR_EVERY_WAY ? set[w] & next[w] : set[w] | next[w];
    }
}

bool ir_flow_solve(ir_flow *flow, const ir_graph *g, int count, ir_meet meet, ir_transfer transfer, void *user)
{
    flow->words = ir_words(count);
    const size_t bytes = (size_t)flow->words * sizeof *flow->set;
    flow->set = malloc((size_t)g->nodes * bytes);
    ir_word *set = malloc(bytes);
    if (flow->set && set) {
        memset(flow->set, meet == IR_EVERY_WAY ? 0xff : 0, (size_t)g->nodes * bytes);
        for (bool changed = true; changed;) {
            changed = false;
            for (int n = g->nodes - 1; n >= 0; --n) {
                meet_successors(set, flow, g, n, meet);
                transfer(user, n, set, flow->words);
                changed = changed || memcmp(ir_flow_set(flow, n), set, bytes) != 0;
                memcpy(ir_flow_set(flow, n), set, bytes);
            }
        }
    }
    const bool done = flow->set && set;
    free(set);
    return done;
}
