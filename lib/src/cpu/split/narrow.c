/*
 * Where a region does something for the first threads of a row alone, as in "if (threadIdx.x < step)", its loop over x
 * ends with the last of them: %lab.hi. The other threads would only pass through it. A loop runs for at least one
 * thread, which computes what all threads have in common.
 */
#include "writer.h"
#include "cpu/regions/instructions.h"

#include <ctype.h>
#include <stdlib.h>

enum { MOST_BOUND = 1 << 20 }; /* of a bound that is a constant */

/* ---- threads that only pass through ---- */

/* Whether a thread stores nothing when it leaves the region for the next one. */
static bool passes_on(const split_region *region, int node, int next)
{
    const ir_regions *r = region->k->r;
    const ir_graph *g = region->k->g;
    const int first = r->entry[next];
    for (int v = 0; v < g->values; ++v)
        if (ir_lives(r, next, v) && !r->is_remade[v] && r->varies[v] && split_changes(region, v)) return false;
    for (int i = g->node[first].first; ir_is_phi(&g->instr[i]) && !g->node[node].waits; ++i)
        if (r->is_needed[i] && r->varies[g->instr[i].value]) return false;
    return true;
}

static bool does_nothing(const split_region *region, int node, bool *seen)
{
    const ir_regions *r = region->k->r;
    const ir_graph *g = region->k->g;
    const ir_node *n = &g->node[node];
    if (seen[node]) return true;
    seen[node] = true;
    for (int i = n->first; i + 1 < n->end; ++i)
        if (r->is_needed[i] && ir_has_effects(&g->instr[i])) return false;
    const ir_instr *last = ir_last_instr(g, node);
    if (n->waits && (r->wait[node].arguments || !passes_on(region, node, r->region_at[node + 1]))) return false;
    if (ir_is(last, "unreachable")) return false;
    for (int s = 0; s < n->succs && !n->waits; ++s) {
        const int next = g->succ[n->succ + s];
        if (r->is_cut[node] ? !passes_on(region, node, r->region_at[next]) : !does_nothing(region, next, seen))
            return false;
    }
    return true;
}

/* ---- conditions ---- */

/* Whether the value is threadIdx.x; or, in a loop over the lanes of a warp, the lane. */
static bool is_index(const split_region *region, int value, bool *is_of_lane)
{
    const ir_graph *g = region->k->g;
    const ir_instr *i = value >= 0 ? ir_defining(g, value) : NULL;
    if (!i) return false;
    *is_of_lane = false;
    if (ir_thread_component(i) == 0) return true;
    *is_of_lane = true;
    return region->loop == LOOP_OF_LANES && split_part_of_index(g, i) == PART_LANE;
}

/* Finds the bound below which a comparison holds, or holds not. */
static bool read_comparison(split_bound *b, const split_region *region, const ir_instr *i, bool holds)
{
    const ir_graph *g = region->k->g;
    const span predicate = ir_item(span_end(i->opcode) + 1, " "), type = ir_item(span_end(predicate) + 1, " ");
    const span left = ir_item(span_end(type) + 1, ","), right = ir_item(span_end(left) + 2, ",");
    static const char *const below[] = {"slt", "ult", NULL}, *const above[] = {"sgt", "ugt", NULL};
    const bool is_below = span_is_one_of(predicate, below), is_above = span_is_one_of(predicate, above);
    if (!span_is(type, "i32")) return false;
    const int l = ir_find_operand(g, left), r = ir_find_operand(g, right);
    b->is_signed = *predicate.start == 's';
    if (is_index(region, l, &b->is_of_lane)) {
        b->number = right;
        b->value = r;
        b->is_last = !is_below;
        if (span_is(predicate, holds ? "eq" : "ne")) return r < 0;
        return holds ? is_below : is_above;
    }
    if (!is_index(region, r, &b->is_of_lane)) return false;
    b->number = left;
    b->value = l;
    b->is_last = !is_above;
    return holds ? is_above : is_below;
}

/* Whether the bound is the same for all threads, and what is computed of it cannot overflow. */
static bool is_usable(const split_region *region, const split_bound *b)
{
    if (b->value >= 0) return !region->k->r->varies[b->value] && !b->is_last;
    const long number = isdigit((unsigned char)*b->number.start) ? strtol(b->number.start, NULL, 10) : -1;
    return number >= 0 && number < MOST_BOUND;
}

/* Finds a bound of the threads for which a condition holds, or holds not. */
static bool find_bound(split_bound *b, const split_region *region, int condition, bool holds)
{
    const ir_graph *g = region->k->g;
    const ir_instr *i = ir_defining(g, condition);
    if (!i) return false;
    if (ir_is(i, "icmp")) return read_comparison(b, region, i, holds) && is_usable(region, b);
    if (!holds || !ir_is(i, "and")) return false;
    for (int u = 0; u < i->uses; ++u)
        if (find_bound(b, region, g->use[i->use + u].value, holds)) return true;
    return false;
}

/* ---- the whole ---- */

bool split_find_narrow(split_bound *b, const split_region *region)
{
    const ir_graph *g = region->k->g;
    if (!split_leaves_as_one(region)) return false;
    const int entry = region->k->r->entry[region->number];
    const ir_node *n = &g->node[entry];
    const ir_instr *branch = ir_last_instr(g, entry);
    if (!ir_is(branch, "br") || branch->targets != 2 || branch->uses != 1 || ir_ends_region(region->k->r, entry))
        return false;
    for (int i = n->first; i + 1 < n->end; ++i)
        if (region->k->r->is_needed[i] && ir_has_effects(&g->instr[i])) return false;
    bool found = false;
    for (int target = 0; target < 2 && !found; ++target) {
        const int passing = g->block[g->target[branch->target + target].block].first_node;
        if (!find_bound(b, region, g->use[branch->use].value, target == 1)) continue;
        bool *seen = calloc((size_t)g->nodes, 1);
        if (seen) seen[entry] = true;
        found = seen && does_nothing(region, passing, seen);
        free(seen);
    }
    return found;
}

void split_write_narrow(const split_region *region, const split_bound *b, ir_piece number)
{
    const ir_emitter *e = &region->body;
    const ir_piece last = as_string(region->loop == LOOP_OF_LANES ? "32" : "%lab.x1");
    ir_emit(e, "  %lab.hi.positive = icmp $ $, 0\n", as_string(b->is_signed ? "sgt i32" : "ne i32"), number);
    ir_emit(e, "  %lab.hi.number = select i1 %lab.hi.positive, i32 $, i32 0\n", number);
    ir_emit(e, "  %lab.hi.wanted = add i32 %lab.hi.number, $\n", as_number(b->is_last));
    fputs(region->loop != LOOP_OF_LANES
              ? "  %lab.hi.first = add nuw i32 %lab.x0, 1\n  %lab.hi.end = add i32 %lab.hi.wanted, 0\n"
          : b->is_of_lane ? "  %lab.hi.first = add i32 1, 0\n  %lab.hi.end = add i32 %lab.hi.wanted, 0\n"
                          : "  %lab.hi.first = add i32 1, 0\n"
                            "  %lab.hi.behind = icmp ugt i32 %lab.hi.wanted, %lab.x0\n"
                            "  %lab.hi.lanes = sub i32 %lab.hi.wanted, %lab.x0\n"
                            "  %lab.hi.end = select i1 %lab.hi.behind, i32 %lab.hi.lanes, i32 0\n",
          e->out);
    ir_emit(e,
            "  %lab.hi.some = icmp ugt i32 %lab.hi.end, %lab.hi.first\n"
            "  %lab.hi.least = select i1 %lab.hi.some, i32 %lab.hi.end, i32 %lab.hi.first\n"
            "  %lab.hi.less = icmp ult i32 %lab.hi.least, $\n"
            "  %lab.hi = select i1 %lab.hi.less, i32 %lab.hi.least, i32 $\n",
            last, last);
}
