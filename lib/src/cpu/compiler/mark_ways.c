/* A branch decides about a wait if a way from it leads through one before the first place that all its ways reach:
 * their meeting place, the immediate postdominator. The branch and the meeting place are marked. */
#include "mark_ways.h"

#include "cpu/ir/debug.h"
#include "cpu/ir/emit.h"
#include "cpu/split/dataflow.h"
#include "cpu/split/module.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_NODES = 8192 };

typedef struct pass {
    FILE *out;
    const char *ir; /* the module */
    debug_info debug;
    ir_symbols all;
    signed char *waits; /* by symbol: whether calling it may wait; -1 if not known yet */
    int meetings;       /* numbered so far in the module */
} pass;

/* One function. */
typedef struct ways {
    ir_graph graph;
    ir_flow after;  /* the nodes that every way from a node to the end reaches; bit `nodes`: no way ends */
    bool *waits;    /* by node */
    bool *seen;     /* by node, while one search goes on */
    int *opens;     /* by node: the number of the meeting place that its branch opens, or -1 */
    int *closes;    /* by node: its own number as a meeting place, or -1 */
    bool is_thread; /* its end is the thread's */
} ways;

/* ---- what waits ---- */

static bool is_wait(span name)
{
    return span_starts_with(name, "lab_suspend_") && !span_is(name, "lab_suspend_activemask");
}

static bool may_wait(pass *p, span callee)
{
    ir_symbol *called = callee.length ? ir_find_symbol(&p->all, callee) : NULL;
    if (!called) return false;
    signed char *known = &p->waits[called - p->all.list];
    if (*known >= 0) return *known;
    ir_forget_reached(&p->all);
    ir_reach(&p->all, called);
    *known = 0;
    for (int i = 0; i < p->all.count && !*known; i++) *known = p->all.list[i].reached && is_wait(p->all.list[i].name);
    return *known;
}

static bool find_waits(pass *p, ways *w)
{
    bool any = false;
    for (int i = 0; i < w->graph.instrs; i++) {
        const ir_instr *instr = &w->graph.instr[i];
        if (!ir_is(instr, "call") || !may_wait(p, ir_callee(instr))) continue;
        any = w->waits[instr->node] = true;
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

static bool leads_to_wait(ways *w, int node, int end)
{
    if (node == end || w->seen[node]) return false;
    w->seen[node] = true;
    if (w->waits[node]) return true;
    const ir_node *n = &w->graph.node[node];
    for (int s = 0; s < n->succs; s++)
        if (leads_to_wait(w, w->graph.succ[n->succ + s], end)) return true;
    return false;
}

/* Whether nothing happens any more between the node and the end of the function. */
static bool is_end(const ways *w, int node)
{
    const ir_node *n = &w->graph.node[node];
    if (n->end > n->first + 1) return false;
    if (ir_is(ir_last_instr(&w->graph, node), "ret")) return true;
    return n->succs == 1 && w->graph.succ[n->succ] > node && is_end(w, w->graph.succ[n->succ]);
}

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
 * "!61 = distinct !{!61, !60, !62}". 0 if it is unknown. */
static unsigned find_loop_end(const pass *p, const ir_instr *closing)
{
    static const char mark[] = "!llvm.loop !";
    const char *loop = span_find(closing->text, mark);
    if (!loop) return 0;
    char name[32], end[32];
    const int number = atoi(loop + sizeof mark - 1);
    snprintf(name, sizeof name, "\n!%d = distinct !{", number);
    const char *node = strstr(p->ir, name);
    int location = 0;
    debug_place place;
    if (!node || sscanf(node + strlen(name), "!%*d, !%*d, !%d", &location) != 1) return 0;
    snprintf(end, sizeof end, ", !dbg !%d\n", location);
    return debug_find(&place, &p->debug, span_of(end)) ? place.line : 0;
}

/* The last line of the source among those of a node and of all that it leads to. */
static unsigned find_last_line(const pass *p, ways *w, int node)
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
        if (place.line > last) last = place.line;
    }
    return last;
}

/* Whether the meeting place is the way to a `return` in a loop with the branch. In the graph it follows the loop, as
 * what stands behind the loop does; the lines of the source differ. */
static bool is_return_in_loop(const pass *p, ways *w, int branch, int meeting)
{
    unsigned end = 0;
    if (leads_to(w, meeting, branch) || !leads_to(w, branch, branch)) return false;
    for (int n = 0; n < w->graph.nodes; n++) {
        const unsigned line = find_loop_end(p, ir_last_instr(&w->graph, n));
        if (line > end && leads_to(w, branch, n) && leads_to(w, n, branch)) end = line;
    }
    return end && find_last_line(p, w, meeting) <= end;
}

static void find_branch(pass *p, ways *w, int node)
{
    const ir_node *n = &w->graph.node[node];
    const int end = n->succs > 1 ? find_meeting(w, node) : -1;
    if (end < 0 || (w->is_thread && (is_end(w, end) || is_return_in_loop(p, w, node, end)))) return;
    forget_seen(w);
    bool decides = false;
    for (int s = 0; s < n->succs && !decides; s++) decides = leads_to_wait(w, w->graph.succ[n->succ + s], end);
    if (!decides) return;
    if (w->closes[end] < 0) w->closes[end] = p->meetings++;
    w->opens[node] = w->closes[end];
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
        const int at[] = {first, w->graph.node[n].end - 1}, mark[] = {w->closes[n], w->opens[n]};
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

/* A function that is not understood is copied as it is. */
static bool mark_function(pass *p, span text)
{
    ways w = {0};
    const ir_reading reading = ir_graph_read(&w.graph, text);
    bool done = reading != IR_NO_MEMORY;
    w.is_thread = span_starts_with(w.graph.name, "lab_thread_");
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

static bool mark_module(pass *p, const char *ir)
{
    if (!ir_find_symbols(&p->all, ir) || !debug_read(&p->debug, ir)) return false;
    p->waits = malloc((size_t)p->all.count + 1);
    if (!p->waits) return false;
    memset(p->waits, -1, (size_t)p->all.count);
    bool done = true;
    for (span line; done && (line = ir_line(ir)).length; ir += line.length) {
        const char *end = is_marked(line) ? strstr(line.start, "\n}\n") : NULL;
        if (end) {
            line.length = (size_t)(end + 3 - line.start);
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
    return ir_emit_end(p.out, out) && done;
}
