/* A branch decides about a wait if a way from it leads through one before the first place that all its ways reach:
 * their meeting place, the immediate postdominator. The branch and the meeting place are marked. */
#include "mark_ways.h"

#include "cpu/ir/debug.h"
#include "cpu/ir/emit.h"
#include "cpu/regions/dataflow.h"
#include "cpu/split/module.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_NODES = 8192 };

typedef struct pass {
    FILE *out;
    const char *ir; /* the module */
    debug_info debug;
    ir_symbols all;
    signed char *waits; /* by symbol: what calling it may wait for, a waiting; -1 if not known yet */
    bool *is_last;      /* by symbol: calling it may be the last thing that a thread does */
    unsigned meetings;  /* numbered so far in the module */
} pass;

/* What a thread may wait for: nothing, a warp function, a barrier of the block. */
typedef enum waiting { NO_WAIT, WARP_WAIT, BLOCK_WAIT } waiting;

/* One function. */
typedef struct ways {
    ir_graph graph;
    ir_flow after;  /* the nodes that every way from a node to the end reaches; bit `nodes`: no way ends */
    waiting *waits; /* by node */
    bool *seen;     /* by node, while one search goes on */
    int *opens;     /* by node: the node that is the meeting place that its branch opens, or -1 */
    int *closes;    /* by node: its own number as a meeting place, or -1 */
    bool is_thread; /* its end is the thread's */
} ways;

/* ---- what waits ---- */

static bool is_wait(span name) { return ir_is_wait(name) && !span_is(name, IR_WAIT_PREFIX "activemask"); }

static waiting find_waiting(pass *p, span callee)
{
    ir_symbol *called = callee.length ? ir_find_symbol(&p->all, callee) : NULL;
    if (!called) return NO_WAIT;
    signed char *known = &p->waits[called - p->all.list];
    if (*known >= 0) return *known;
    ir_forget_reached(&p->all);
    ir_reach(&p->all, called);
    *known = NO_WAIT;
    for (int i = 0; i < p->all.count && *known != BLOCK_WAIT; i++) {
        const span name = p->all.list[i].name;
        if (p->all.list[i].reached && is_wait(name)) *known = ir_is_barrier(name) ? BLOCK_WAIT : WARP_WAIT;
    }
    return *known;
}

static bool find_waits(pass *p, ways *w)
{
    bool any = false;
    for (int i = 0; i < w->graph.instrs; i++) {
        const ir_instr *instr = &w->graph.instr[i];
        const waiting found = ir_is(instr, "call") ? find_waiting(p, ir_callee(instr)) : NO_WAIT;
        if (found > w->waits[instr->node]) w->waits[instr->node] = found;
        any = any || found;
    }
    return any;
}

/* ---- where ways meet ---- */

static void reach_itself(void *user, int node, ir_word *set, int words)
{
    const ir_graph *g = user;
    (void)words;
    if (ir_is(ir_last_instr(g, node), "ret")) memset(set, 0, (size_t)words * sizeof *set);
    ir_put(set, node);
}

/* The first node behind this one that all its ways reach, or -1. */
static int find_meeting(const ways *w, int node)
{
    const ir_word *own = ir_flow_set(&w->after, node);
    if (ir_has(own, w->graph.nodes)) return -1;
    for (int other = 0; other < w->graph.nodes; other++) {
        if (other == node || !ir_has(own, other)) continue;
        const ir_word *its = ir_flow_set(&w->after, other);
        bool is_next = true;
        for (int word = 0; word < w->after.words && is_next; word++) {
            ir_word mine = own[word];
            if (node / 64 == word) mine &= ~(UINT64_C(1) << node % 64);
            is_next = mine == its[word];
        }
        if (is_next) return other;
    }
    return -1;
}

/* The most for which a thread may wait between a node and the end. */
static waiting find_most(ways *w, int node, int end)
{
    if (node == end || w->seen[node]) return NO_WAIT;
    w->seen[node] = true;
    waiting most = w->waits[node];
    const ir_node *n = &w->graph.node[node];
    for (int s = 0; s < n->succs; s++) {
        const waiting found = find_most(w, w->graph.succ[n->succ + s], end);
        if (found > most) most = found;
    }
    return most;
}

static bool is_destructor(const ir_instr *instr)
{
    const span name = ir_is(instr, "call") ? ir_callee(instr) : (span){0};
    if (name.length < 4 || !span_starts_with(name, "_ZN")) return false;
    const char *end = span_end(name) - 4;
    return end[0] == 'D' && end[1] >= '0' && end[1] <= '2' && end[2] == 'E' && end[3] == 'v';
}

/* Whether nothing but destructors runs any more between an instruction of the node and the end of the function. A
 * `return` and the other ways out of a scope with objects lead through the same calls of destructors, behind which a
 * switch parts them: such a place is an end if one of its ways is. */
static bool is_end_from(const ir_graph *g, int node, int first)
{
    const ir_node *n = &g->node[node];
    const ir_instr *last = ir_last_instr(g, node);
    bool destroys = false;
    for (int i = first; i < n->end - 1; i++) {
        const ir_instr *instr = &g->instr[i];
        destroys = destroys || is_destructor(instr);
        if (!is_destructor(instr) && !ir_is(instr, "load") && !ir_is(instr, "bitcast")) return false;
    }
    if (ir_is(last, "ret")) return true;
    if (n->succs != 1 && !(destroys && ir_is(last, "switch"))) return false;
    for (int s = 0; s < n->succs; s++) {
        const int next = g->succ[n->succ + s];
        if (next > node && is_end_from(g, next, g->node[next].first)) return true;
    }
    return false;
}

static bool is_end(const ways *w, int node) { return is_end_from(&w->graph, node, w->graph.node[node].first); }

static void forget_seen(ways *w) { memset(w->seen, 0, (size_t)w->graph.nodes * sizeof *w->seen); }

/* Marks what a node leads to as seen. */
static void see(ways *w, int node)
{
    const ir_node *n = &w->graph.node[node];
    for (int s = 0; s < n->succs; s++) {
        const int next = w->graph.succ[n->succ + s];
        if (w->seen[next]) continue;
        w->seen[next] = true;
        see(w, next);
    }
}

static bool leads_to(ways *w, int node, int other)
{
    forget_seen(w);
    see(w, node);
    return w->seen[other];
}

/* The source line at which a loop ends, by the mark of the branch that closes it: "!llvm.loop !61", with
 * "!61 = distinct !{!61, !60, !62}". False if it is unknown. */
static bool find_loop_end(debug_place *place, const pass *p, const ir_instr *closing)
{
    static const char mark[] = "!llvm.loop !";
    const char *loop = span_find(closing->text, mark);
    if (!loop) return false;
    char name[32], end[32];
    const int number = atoi(loop + sizeof mark - 1);
    snprintf(name, sizeof name, "\n!%d = distinct !{", number);
    const char *node = strstr(p->ir, name);
    int location = 0;
    if (!node || sscanf(node + strlen(name), "!%*d, !%*d, !%d", &location) != 1) return false;
    snprintf(end, sizeof end, ", !dbg !%d\n", location);
    return debug_find(place, &p->debug, span_of(end));
}

static bool is_same(span a, span b) { return a.length == b.length && memcmp(a.start, b.start, a.length) == 0; }

/* The last line of the source among those of a node and of all that it leads to, of the function of the loop alone. 0
 * if there is none. */
static unsigned find_last_line(const pass *p, ways *w, int node, const debug_place *loop)
{
    unsigned last = 0;
    forget_seen(w);
    w->seen[node] = true;
    see(w, node);
    for (int i = 0; i < w->graph.instrs; i++) {
        debug_place place;
        const ir_instr *instr = &w->graph.instr[i];
        const span text = {instr->text.start, instr->text.length + 1};
        if (!w->seen[instr->node] || ir_is(instr, "ret") || !debug_find(&place, &p->debug, text)) continue;
        if (!is_same(place.function, loop->function) || !is_same(place.file, loop->file)) continue;
        if (place.line > last) last = place.line;
    }
    return last;
}

/* Whether the meeting place is the way to a `return` in a loop with the branch. In the graph it follows the loop, as
 * what stands behind the loop does; the lines of the source differ. */
static bool is_return_in_loop(const pass *p, ways *w, int branch, int meeting)
{
    if (leads_to(w, meeting, branch) || !leads_to(w, branch, branch)) return false;
    for (int n = 0; n < w->graph.nodes; n++) {
        debug_place loop;
        if (!find_loop_end(&loop, p, ir_last_instr(&w->graph, n))) continue;
        if (!leads_to(w, branch, n) || !leads_to(w, n, branch)) continue;
        const unsigned last = find_last_line(p, w, meeting, &loop);
        if (last && last <= loop.line) return true;
    }
    return false;
}

static void find_branch(pass *p, ways *w, int node)
{
    const ir_node *n = &w->graph.node[node];
    const int end = n->succs > 1 ? find_meeting(w, node) : -1;
    if (end < 0 || (w->is_thread && (is_end(w, end) || is_return_in_loop(p, w, node, end)))) return;
    forget_seen(w);
    waiting most = NO_WAIT;
    for (int s = 0; s < n->succs; s++) {
        const waiting found = find_most(w, w->graph.succ[n->succ + s], end);
        if (found > most) most = found;
    }
    if (!most) return;
    if (w->closes[end] < 0) w->closes[end] = (int)(2 * p->meetings++);
    if (most == BLOCK_WAIT) w->closes[end] |= 1;
    w->opens[node] = end;
}

static bool find_branches(pass *p, ways *w)
{
    const size_t nodes = (size_t)w->graph.nodes;
    w->waits = calloc(nodes, sizeof *w->waits);
    w->seen = calloc(nodes, sizeof *w->seen);
    w->opens = malloc(nodes * sizeof *w->opens);
    w->closes = malloc(nodes * sizeof *w->closes);
    if (!w->waits || !w->seen || !w->opens || !w->closes) return false;
    for (int n = 0; n < w->graph.nodes; n++) w->opens[n] = w->closes[n] = -1;
    if (w->graph.nodes > MOST_NODES || !find_waits(p, w)) return true;
    if (!ir_flow_solve(&w->after, &w->graph, w->graph.nodes + 1, IR_EVERY_WAY, reach_itself, &w->graph)) return false;
    for (int n = 0; n < w->graph.nodes; n++) find_branch(p, w, n);
    return true;
}

/* ---- writing ---- */

static void write_mark(FILE *out, int meeting, bool closes)
{
    fprintf(out, "  call void @lab_check_way(i32 %d, i32 %d)\n", meeting, closes);
}

/* Copies a function. A node's mark as a meeting place comes behind its phis, the one for its branch before that. */
static void write_function(pass *p, const ways *w, span text)
{
    const char *copied = text.start;
    for (int n = 0; n < w->graph.nodes; n++) {
        int first = w->graph.node[n].first;
        while (ir_is_phi(&w->graph.instr[first])) first++;
        const int at[] = {first, w->graph.node[n].end - 1},
                  mark[] = {w->closes[n], w->opens[n] < 0 ? -1 : w->closes[w->opens[n]]};
        for (int i = 0; i < 2; i++) {
            if (mark[i] < 0) continue;
            const char *instr = w->graph.instr[at[i]].text.start;
            const char *line = (const char *)memrchr(copied, '\n', (size_t)(instr - copied));
            line = line ? line + 1 : copied;
            ir_emit_span(p->out, (span){copied, (size_t)(line - copied)});
            write_mark(p->out, mark[i], i == 0);
            copied = line;
        }
    }
    ir_emit_span(p->out, (span){copied, (size_t)(span_end(text) - copied)});
}

/* ---- functions ---- */

/* Whether the end of the function may be the thread's: some call of it is the last thing that its caller does. */
static bool ends_thread(const pass *p, span name)
{
    const ir_symbol *own = ir_find_symbol(&p->all, name);
    return span_starts_with(name, "lab_thread_") || (own && p->is_last[own - p->all.list]);
}

/* Notes which functions this one calls last, if its end is a thread's, and sets *changed if one of them was not noted
 * before. False when memory runs out. */
static bool note_calls(bool *changed, pass *p, span text)
{
    ir_graph g = {0};
    const ir_reading reading = ir_graph_read(&g, text);
    const bool ends = reading == IR_READ && ends_thread(p, g.name);
    for (int i = 0; ends && i < g.instrs; i++) {
        const span callee = ir_is(&g.instr[i], "call") ? ir_callee(&g.instr[i]) : (span){0};
        const ir_symbol *called = callee.length ? ir_find_symbol(&p->all, callee) : NULL;
        if (!called || p->is_last[called - p->all.list] || !is_end_from(&g, g.instr[i].node, i + 1)) continue;
        *changed = p->is_last[called - p->all.list] = true;
    }
    ir_graph_free(&g);
    return reading != IR_NO_MEMORY;
}

/* A function that is not understood is copied as it is. */
static bool mark_function(pass *p, span text)
{
    ways w = {0};
    const ir_reading reading = ir_graph_read(&w.graph, text);
    bool done = reading != IR_NO_MEMORY;
    if (reading == IR_READ) w.is_thread = ends_thread(p, w.graph.name);
    if (reading == IR_READ) done = find_branches(p, &w);
    if (done && reading == IR_READ)
        write_function(p, &w, text);
    else
        ir_emit_span(p->out, text);
    ir_graph_free(&w.graph);
    free(w.after.set);
    free(w.waits);
    free(w.seen);
    free(w.opens);
    free(w.closes);
    return done;
}

/* The functions of kernels, and those that they call. Other functions of the library's own wait for nobody. */
static bool is_marked(span line)
{
    const char *after;
    if (!span_starts_with(line, "define ")) return false;
    const span name = ir_next_name('@', line.start, span_end(line), &after);
    return !span_starts_with(name, "lab_") || span_starts_with(name, "lab_thread_");
}

/* The function to mark that begins with this line, to its end; length 0 if none does. */
static span marked_function(span line)
{
    const char *end = is_marked(line) ? strstr(line.start, "\n}\n") : NULL;
    return (span){line.start, end ? (size_t)(end + 3 - line.start) : 0};
}

static bool find_ends(pass *p, const char *ir)
{
    bool done = true, changed = true;
    while (done && changed) {
        changed = false;
        const char *at = ir;
        for (span line; done && (line = ir_line(at)).length; at += line.length) {
            const span function = marked_function(line);
            if (function.length) line = function;
            if (function.length) done = note_calls(&changed, p, function);
        }
    }
    return done;
}

static bool mark_module(pass *p, const char *ir)
{
    if (!ir_find_symbols(&p->all, ir) || !debug_read(&p->debug, ir)) return false;
    p->waits = malloc((size_t)p->all.count + 1);
    p->is_last = calloc((size_t)p->all.count + 1, sizeof *p->is_last);
    if (!p->waits || !p->is_last) return false;
    memset(p->waits, -1, (size_t)p->all.count);
    bool done = find_ends(p, ir);
    for (span line; done && (line = ir_line(ir)).length; ir += line.length) {
        const span function = marked_function(line);
        if (function.length) {
            line = function;
            done = mark_function(p, line);
        } else {
            ir_emit_span(p->out, line);
        }
    }
    return done;
}

bool cpu_ir_mark_ways(cpu_text *out, const char *ir)
{
    pass p = {.out = open_memstream(&out->data, &out->size), .ir = ir};
    if (!p.out) return false;
    const bool done = mark_module(&p, ir);
    ir_free_symbols(&p.all);
    debug_free(&p.debug);
    free(p.waits);
    free(p.is_last);
    return ir_emit_end(p.out, out) && done;
}
