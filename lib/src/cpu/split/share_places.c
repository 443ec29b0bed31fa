/*
 * A sum in a loop is three values, each of which may be kept: what the phi gets, the phi, and the next sum. They are
 * never needed at the same time, and one slot holds them all, as one register would: a thread then loads it once and
 * stores it once in an iteration, and what would be a copy from slot to slot is nothing at all.
 *
 * What a slot is needed for is known where regions end. There a thread stores all that the regions behind it need, and
 * it has loaded all before it stores the first. So two kept values can share a slot unless, at some end of a region,
 * both are needed behind it and are not the same value.
 */
#include "writer.h"

#include <stdlib.h>

/* Something kept: 2 * value for the value itself, 2 * value + 1 for what a phi gets. */
typedef struct sharing {
    const ir_regions *r;
    int *root;          /* of each: one that it shares with, or itself */
    int *next;          /* the next that shares with it, a ring */
    ir_word *conflicts; /* of each: a set */
    int words;
    int *needed, *content; /* at one end of a region: those that are needed behind it, and the values in them */
} sharing;

static bool has_slot(const ir_regions *r, int kept)
{
    const int v = kept / 2;
    return r->varies[v] && (kept % 2 ? r->is_moved[v] : r->is_kept[v]);
}

/* The value that a node passes to a phi; -1 for a constant. */
static int passed(const ir_graph *g, const ir_instr *phi, int node)
{
    const ir_incoming *edge = &g->incoming[phi->incoming];
    while (edge->block != g->node[node].block) ++edge;
    return edge->value;
}

static ir_word *conflicts_of(const sharing *s, int kept) { return s->conflicts + (size_t)kept * (size_t)s->words; }

/* Notes which of those needed behind the end of a region cannot share. */
static void note_conflicts(const sharing *s, int count)
{
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < a; ++b) {
            if (s->content[a] >= 0 && s->content[a] == s->content[b]) continue;
            ir_put(conflicts_of(s, s->needed[a]), s->needed[b]);
            ir_put(conflicts_of(s, s->needed[b]), s->needed[a]);
        }
}

static void add_needed(sharing *s, int *count, int kept, int content)
{
    if (!has_slot(s->r, kept)) return;
    for (int i = 0; i < *count; ++i)
        if (s->needed[i] == kept) return;
    s->needed[*count] = kept;
    s->content[(*count)++] = content;
}

static void look_at_end(sharing *s, int node)
{
    const ir_graph *g = &s->r->graph;
    const ir_node *n = &g->node[node];
    int count = 0;
    for (int i = 0; i < n->succs; ++i) {
        const int next = g->succ[n->succ + i];
        for (int v = 0; v < g->values; ++v)
            if (ir_lives(s->r, s->r->region_at[next], v)) add_needed(s, &count, 2 * v, v);
        for (int p = g->node[next].first; p < g->node[next].end && ir_is_phi(&g->instr[p]); ++p)
            if (s->r->is_needed[p]) add_needed(s, &count, 2 * g->instr[p].value + 1, passed(g, &g->instr[p], node));
    }
    note_conflicts(s, count);
}

/* Whether none of those that share with one conflicts with one of the others. */
static bool can_share(const sharing *s, int a, int b)
{
    for (int i = s->next[a];; i = s->next[i]) {
        for (int k = s->next[b];; k = s->next[k]) {
            if (ir_has(conflicts_of(s, i), k)) return false;
            if (k == b) break;
        }
        if (i == a) return true;
    }
}

static void share(sharing *s, int a, int b)
{
    if (!has_slot(s->r, a) || !has_slot(s->r, b) || s->root[a] == s->root[b] || !can_share(s, a, b)) return;
    const int after = s->next[a];
    for (int i = s->next[b];; i = s->next[i]) {
        s->root[i] = s->root[a];
        if (i == b) break;
    }
    s->next[a] = s->next[b];
    s->next[b] = after;
}

/* What a phi gets shares with the phi, and with the values that are passed to it. */
static void share_with_phi(sharing *s, int v)
{
    const ir_graph *g = &s->r->graph;
    const ir_instr *phi = ir_defining(g, v);
    if (!has_slot(s->r, 2 * v + 1)) return;
    share(s, 2 * v + 1, 2 * v);
    for (int i = 0; i < phi->incomings; ++i) {
        const int from = g->incoming[phi->incoming + i].value;
        if (from < 0) continue;
        share(s, 2 * v + 1, 2 * from);
        share(s, 2 * v + 1, 2 * from + 1);
    }
}

int *split_share_places(const ir_regions *r)
{
    const ir_graph *g = &r->graph;
    const size_t all = 2 * (size_t)g->values + 2, words = (size_t)ir_words(2 * g->values);
    sharing s = {r,          calloc(all, sizeof(int)), calloc(all, sizeof(int)), calloc(all * words, sizeof(ir_word)),
                 (int)words, calloc(all, sizeof(int)), calloc(all, sizeof(int))};
    const bool allocated = s.root && s.next && s.conflicts && s.needed && s.content;
    for (int i = 0; allocated && i < (int)all; ++i) s.root[i] = s.next[i] = i;
    for (int n = 0; allocated && n < g->nodes && !ir_has_warp_waits(r); ++n)
        if (ir_ends_region(r, n)) look_at_end(&s, n);
    for (int v = 0; allocated && v < g->values && !ir_has_warp_waits(r); ++v) share_with_phi(&s, v);
    free(s.next);
    free(s.conflicts);
    free(s.needed);
    free(s.content);
    if (allocated) return s.root;
    free(s.root);
    return NULL;
}
