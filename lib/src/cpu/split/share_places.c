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
    int *number;        /* of each that has a slot, counted from 0 */
    ir_word *conflicts; /* of each of these numbers: the set of those with which it cannot share */
    int words;
    int *needed, *content; /* at one end of a region: those that are needed behind it, and the values in them */
} sharing;

static bool has_slot(const ir_regions *r, int kept)
{
    const int v = kept / 2;
    return r->varies[v] && (kept % 2 ? r->is_moved[v] : r->is_kept[v]);
}

static ir_word *conflicts_of(const sharing *s, int kept)
{
    return s->conflicts + (size_t)s->number[kept] * (size_t)s->words;
}

/* Notes which of those needed behind the end of a region cannot share. */
static void note_conflicts(const sharing *s, int count)
{
    for (int a = 0; a < count; ++a)
        for (int b = 0; b < a; ++b) {
            if (s->content[a] >= 0 && s->content[a] == s->content[b]) continue;
            ir_put(conflicts_of(s, s->needed[a]), s->number[s->needed[b]]);
            ir_put(conflicts_of(s, s->needed[b]), s->number[s->needed[a]]);
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
            if (s->r->is_needed[p])
                add_needed(s, &count, 2 * g->instr[p].value + 1, split_incoming(g, &g->instr[p], node)->value);
    }
    note_conflicts(s, count);
}

/* Whether none of those that share with one conflicts with one of the others. */
static bool can_share(const sharing *s, int a, int b)
{
    for (int i = s->next[a];; i = s->next[i]) {
        for (int k = s->next[b];; k = s->next[k]) {
            if (ir_has(conflicts_of(s, i), s->number[k])) return false;
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

/* Counts what has a slot. */
static int count_slots(const sharing *s)
{
    int count = 0;
    for (int i = 0; i < 2 * s->r->graph.values; ++i)
        if (has_slot(s->r, i)) s->number[i] = count++;
    return count;
}

/* False when memory runs out. */
static bool find_sharing(sharing *s)
{
    const ir_graph *g = &s->r->graph;
    const int count = count_slots(s);
    s->words = ir_words(count);
    s->conflicts = calloc((size_t)count + 1, (size_t)s->words * sizeof *s->conflicts);
    if (!s->conflicts) return false;
    for (int n = 0; n < g->nodes; ++n)
        if (ir_ends_region(s->r, n)) look_at_end(s, n);
    for (int v = 0; v < g->values; ++v) share_with_phi(s, v);
    return true;
}

int *split_share_places(const ir_regions *r)
{
    const int all = 2 * r->graph.values;
    const size_t count = (size_t)all + 1;
    sharing s = {.r = r,
                 .root = calloc(count, sizeof *s.root),
                 .next = calloc(count, sizeof *s.next),
                 .number = calloc(count, sizeof *s.number),
                 .needed = calloc(count, sizeof *s.needed),
                 .content = calloc(count, sizeof *s.content)};
    bool done = s.root && s.next && s.number && s.needed && s.content;
    for (int i = 0; done && i < all; ++i) s.root[i] = s.next[i] = i;
    if (done && !ir_has_warp_waits(r)) done = find_sharing(&s);
    free(s.next);
    free(s.number);
    free(s.conflicts);
    free(s.needed);
    free(s.content);
    if (done) return s.root;
    free(s.root);
    return NULL;
}
