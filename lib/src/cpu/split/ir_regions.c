/* Sets are bits; everything is found by repeating a step until nothing changes. */
#include "ir_regions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_NODES = 4000,
    MOST_INSTRS = 20000,
    MOST_STATES = 200, /* a state is a byte */
    LINE_BYTES = 64,   /* to which local memory is aligned */
    MOST_REMADE = 32   /* instructions to make a value again */
};

static void put(ir_word *set, int i) { set[i / 64] |= UINT64_C(1) << i % 64; }

static bool add_all(ir_word *to, const ir_word *from, int words)
{
    ir_word added = 0;
    for (int w = 0; w < words; ++w) {
        added |= from[w] & ~to[w];
        to[w] |= from[w];
    }
    return added != 0;
}

const ir_instr *ir_defining(const ir_regions *r, int value)
{
    return r->graph.value[value].instr < 0 ? NULL : &r->graph.instr[r->graph.value[value].instr];
}

const ir_instr *ir_last_instr(const ir_graph *g, int node) { return &g->instr[g->node[node].end - 1]; }

/* ---- instructions ---- */

/* The built-ins' own variable that an instruction's text names: "_ZL10lab_thread", also in parts, ".0" behind it. */
static const char *own_variable(const ir_instr *i, const char *variable)
{
    const char *at = i->text.start, *end = at + i->text.length, *after;
    for (span name; (name = ir_next_name('@', at, end, &after)).length; at = after) {
        if (!span_starts_with(name, "_ZL")) continue;
        const size_t skipped = 3 + strspn(name.start + 3, "0123456789");
        const span rest = {name.start + skipped, name.length - skipped};
        if (span_starts_with(rest, variable)) return rest.start;
    }
    return NULL;
}

int ir_thread_component(const ir_instr *i)
{
    const char *name =
        ir_is(i, "load") && span_starts_with(i->text, "load i32, ") ? own_variable(i, "lab_thread") : NULL;
    if (!name) return -1;
    if (name[10] == '.') return name[11] - '0';
    if (name[10] == ',' && !span_find(i->text, "getelementptr")) return 0;
    const char *close = memchr(name, ')', (size_t)(i->text.start + i->text.length - name));
    if (!close || close[-2] != ' ' || !isdigit((unsigned char)close[-1])) return -1;
    const int number = close[-1] - '0';
    return span_find(i->text, "i8, ") ? number / 4 : number;
}

static bool is_call_of(const ir_instr *i, const char *prefix)
{
    return ir_is(i, "call") && span_starts_with(ir_callee(i), prefix);
}

bool ir_is_dropped(const ir_instr *i)
{
    if (is_call_of(i, "llvm.lifetime.") || is_call_of(i, "llvm.assume") || is_call_of(i, "llvm.experimental.noalias"))
        return true;
    return (ir_is(i, "store") || is_call_of(i, "llvm.memcpy.")) && own_variable(i, "lab_thread");
}

/* The same for every thread of the block, always: blockIdx and its like. */
bool ir_reads_launch(const ir_instr *i)
{
    return ir_is(i, "load") &&
           (own_variable(i, "lab_block") || own_variable(i, "lab_grid") || own_variable(i, "lab_launch"));
}

static bool is_one_of(span s, const char *const *names)
{
    for (; *names; ++names)
        if (span_is(s, *names)) return true;
    return false;
}

/* Depends on nothing but its operands, and does nothing else. */
bool ir_is_pure(const ir_instr *i)
{
    static const char *const opcodes[] = {"add",           "sub",
                                          "mul",           "shl",
                                          "lshr",          "ashr",
                                          "and",           "or",
                                          "xor",           "fadd",
                                          "fsub",          "fmul",
                                          "fdiv",          "frem",
                                          "fneg",          "icmp",
                                          "fcmp",          "select",
                                          "trunc",         "zext",
                                          "sext",          "fptrunc",
                                          "fpext",         "fptoui",
                                          "fptosi",        "uitofp",
                                          "sitofp",        "bitcast",
                                          "ptrtoint",      "inttoptr",
                                          "getelementptr", "extractvalue",
                                          "insertvalue",   "extractelement",
                                          "insertelement", "shufflevector",
                                          "udiv",          "sdiv",
                                          "urem",          "srem",
                                          "freeze",        NULL};
    static const char *const functions[] = {"smin",  "smax",    "umin",       "umax",     "abs",  "fabs",
                                            "fma",   "fmuladd", "sqrt",       "floor",    "ceil", "trunc",
                                            "rint",  "minnum",  "maxnum",     "copysign", "ctlz", "cttz",
                                            "ctpop", "bswap",   "bitreverse", "fshl",     "fshr", NULL};
    if (is_one_of(i->opcode, opcodes)) return true;
    if (!is_call_of(i, "llvm.")) return false;
    const span name = ir_callee(i), kind = {name.start + 5, strcspn(name.start + 5, ".(")};
    return is_one_of(kind, functions);
}

/* What makes a value again as cheaply as it could be fetched. */
static bool is_cheap(const ir_instr *i)
{
    static const char *const opcodes[] = {"add",     "sub",      "mul",      "shl",           "lshr",  "ashr", "and",
                                          "or",      "xor",      "icmp",     "select",        "trunc", "zext", "sext",
                                          "bitcast", "ptrtoint", "inttoptr", "getelementptr", NULL};
    return is_one_of(i->opcode, opcodes);
}

/* ---- barriers ---- */

static span last_word(span s)
{
    const char *space = memrchr(s.start, ' ', s.length);
    return space ? (span){space + 1, (size_t)(s.start + s.length - space - 1)} : s;
}

bool ir_read_barrier(ir_barrier *b, const ir_regions *r, int node)
{
    static const struct {
        const char *name;
        cpu_wait_kind kind;
    } forms[] = {{"lab_suspend_syncthreads", CPU_WAIT_BARRIER},
                 {"lab_suspend_syncthreads_count", CPU_WAIT_BARRIER_COUNT},
                 {"lab_suspend_syncthreads_and", CPU_WAIT_BARRIER_AND},
                 {"lab_suspend_syncthreads_or", CPU_WAIT_BARRIER_OR}};
    const ir_instr *call = ir_last_instr(&r->graph, node);
    const span callee = ir_callee(call);
    for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
        if (!span_is(callee, forms[f].name)) continue;
        *b = (ir_barrier){.kind = forms[f].kind, .predicate = {call->text.start, 0}, .result = call->value};
        span argument = ir_item(callee.start + callee.length + 1, ",");
        if (f > 0) {
            argument = ir_item(argument.start + argument.length + 2, ",");
            b->predicate = last_word(argument);
        }
        const span file = ir_item(argument.start + argument.length + 2, ",");
        const char *address = span_find(file, "getelementptr");
        b->file = address ? (span){address, (size_t)(file.start + file.length - address)} : last_word(file);
        b->line = last_word(ir_item(file.start + file.length + 2, ","));
        return *b->file.start != '%' && b->line.length && isdigit((unsigned char)*b->line.start);
    }
    return false;
}

/* ---- states ---- */

/* The sets of barriers at which, from each node on, threads come next, and of the end as one more. */
static bool find_cuts(ir_regions *r)
{
    const ir_graph *g = &r->graph;
    const int words = g->nodes / 64 + 1;
    ir_word *stop = calloc((size_t)g->nodes * (size_t)words, sizeof *stop);
    if (!stop) return false;
    for (bool changed = true; changed;) {
        changed = false;
        for (int n = g->nodes - 1; n >= 0; --n) {
            ir_word *own = stop + (size_t)n * (size_t)words;
            if (g->node[n].is_barrier || ir_is(ir_last_instr(g, n), "ret")) {
                /* Where it returns makes no difference. */
                const int bit = g->node[n].is_barrier ? n : g->nodes;
                changed = changed || !ir_has(own, bit);
                put(own, bit);
                continue;
            }
            for (int s = 0; s < g->node[n].succs; ++s)
                if (add_all(own, stop + (size_t)g->succ[g->node[n].succ + s] * (size_t)words, words)) changed = true;
        }
    }
    static const ir_word nowhere;
    for (int n = 0; n < g->nodes; ++n) {
        const ir_word *first = NULL;
        for (int s = 0; s < g->node[n].succs && !g->node[n].is_barrier; ++s) {
            const ir_word *next = stop + (size_t)g->succ[g->node[n].succ + s] * (size_t)words;
            bool ends = false;
            for (int w = 0; w < words; ++w) ends = ends || next[w] != nowhere;
            if (!ends) continue;
            if (first && memcmp(first, next, (size_t)words * sizeof *next) != 0) r->is_cut[n] = true;
            first = next;
        }
    }
    free(stop);
    return true;
}

static void add_state(ir_regions *r, int node)
{
    if (r->state_of[node] >= 0) return;
    r->state_of[node] = r->states;
    r->entry[r->states++] = node;
}

static void find_states(ir_regions *r)
{
    const ir_graph *g = &r->graph;
    for (int n = 0; n < g->nodes; ++n) r->state_of[n] = -1;
    add_state(r, 0);
    for (int n = 0; n < g->nodes; ++n)
        if (g->node[n].is_barrier || r->is_cut[n])
            for (int s = 0; s < g->node[n].succs; ++s) add_state(r, g->succ[g->node[n].succ + s]);
}

static int count_from(const ir_regions *r, int *seen, int mark, int node)
{
    const ir_node *n = &r->graph.node[node];
    if (seen[node] == mark) return 0;
    seen[node] = mark;
    int instrs = n->end - n->first;
    for (int s = 0; s < n->succs && !n->is_barrier && !r->is_cut[node]; ++s)
        instrs += count_from(r, seen, mark, r->graph.succ[n->succ + s]);
    return instrs;
}

/* What several regions have in common is written for each: in odd kernels that would be too much. */
static bool is_too_long(const ir_regions *r)
{
    int *seen = calloc((size_t)r->graph.nodes, sizeof *seen), instrs = 0;
    for (int s = 0; s < r->states && seen; ++s) instrs += count_from(r, seen, s + 1, r->entry[s]);
    const bool too_long = !seen || instrs > MOST_INSTRS;
    free(seen);
    return too_long;
}

/* ---- what is needed ---- */

bool ir_is_barrier_instr(const ir_regions *r, int instr)
{
    const ir_node *n = &r->graph.node[r->graph.instr[instr].node];
    return n->is_barrier && n->end == instr + 1;
}

static bool has_effects(const ir_regions *r, int instr)
{
    const ir_instr *i = &r->graph.instr[instr];
    if (ir_is_dropped(i)) return false;
    if (i->value < 0 || ir_is_barrier_instr(r, instr)) return true;
    if (ir_is(i, "load")) return span_starts_with(i->text, "load volatile") || span_starts_with(i->text, "load atomic");
    return !ir_is_pure(i) && !ir_is_phi(i) && !ir_is(i, "alloca");
}

static void need(ir_regions *r, int instr)
{
    const ir_graph *g = &r->graph;
    if (instr < 0 || r->is_needed[instr]) return;
    r->is_needed[instr] = true;
    const ir_instr *i = &g->instr[instr];
    if (ir_is_barrier_instr(r, instr)) {
        ir_barrier b;
        if (!ir_read_barrier(&b, r, i->node) || !b.predicate.length || *b.predicate.start != '%') return;
        need(r, g->value[ir_find_value(g, (span){b.predicate.start + 1, b.predicate.length - 1})].instr);
        return;
    }
    for (int u = 0; u < i->uses; ++u) need(r, g->value[g->use[i->use + u]].instr);
}

static void find_needed(ir_regions *r)
{
    for (int i = 0; i < r->graph.instrs; ++i)
        if (has_effects(r, i)) need(r, i);
}

/* The values that an instruction which is needed uses: of a barrier only the predicate. */
static int used_value(const ir_regions *r, const ir_instr *i, int use)
{
    const ir_graph *g = &r->graph;
    const int value = g->use[i->use + use];
    if (!ir_is_barrier_instr(r, (int)(i - g->instr))) return value;
    ir_barrier b;
    if (!ir_read_barrier(&b, r, i->node) || !b.predicate.length) return -1;
    return span_equal(g->value[value].name, (span){b.predicate.start + 1, b.predicate.length - 1}) ? value : -1;
}

/* ---- what is made again ---- */

/* How many instructions make the value again, given that for what it is made from; more than MOST_REMADE if it is kept:
 * made from what varies, and is kept, saves nothing, but the type of an address may not be known. */
static int cost_to_remake(const ir_regions *r, const ir_instr *i, const int *cost)
{
    if (ir_thread_component(i) >= 0 || ir_reads_launch(i)) return 1;
    const bool is_address = ir_is(i, "getelementptr");
    if (!is_cheap(i)) return MOST_REMADE + 1;
    int sum = 1;
    for (int u = 0; u < i->uses && sum <= MOST_REMADE; ++u) {
        const int from = r->graph.use[i->use + u];
        if (r->is_remade[from])
            sum += cost[from];
        else if (!is_address && r->varies[from] && !r->is_local[from])
            return MOST_REMADE + 1;
    }
    return sum;
}

static bool find_remade(ir_regions *r)
{
    const ir_graph *g = &r->graph;
    int *cost = calloc((size_t)g->values + 1, sizeof *cost);
    for (int v = g->params; v < g->values && cost; ++v) {
        const ir_instr *i = ir_defining(r, v);
        r->is_local[v] = ir_is(i, "alloca");
        cost[v] = cost_to_remake(r, i, cost);
        r->is_remade[v] = cost[v] <= MOST_REMADE;
    }
    const bool done = cost;
    free(cost);
    return done;
}

/* ---- what lives ---- */

static void add_use(const ir_regions *r, ir_word *live, const ir_word *defined, int value)
{
    if (value >= 0 && !ir_has(defined, value) && !r->is_local[value]) put(live, value);
}

/* What is used at the end of a node because the next ones begin with phis. */
static void add_incoming(const ir_regions *r, ir_word *live, const ir_word *defined, int node)
{
    const ir_graph *g = &r->graph;
    for (int s = 0; s < g->node[node].succs; ++s) {
        const int next = g->succ[g->node[node].succ + s];
        for (int i = g->node[next].first; i < g->node[next].end && ir_is_phi(&g->instr[i]); ++i) {
            const char *at = g->instr[i].text.start;
            if (!r->is_needed[i]) continue;
            for (ir_incoming in; ir_next_incoming(&in, &at, g, &g->instr[i]);)
                if (in.block == g->node[node].block && *in.value.start == '%')
                    add_use(r, live, defined, ir_find_value(g, (span){in.value.start + 1, in.value.length - 1}));
        }
    }
}

/* used: needed by the node itself, from its start; defined: by it. */
static void read_node(const ir_regions *r, ir_word *used, ir_word *defined, int node)
{
    const ir_graph *g = &r->graph;
    for (int i = g->node[node].first; i < g->node[node].end; ++i) {
        const ir_instr *instr = &g->instr[i];
        for (int u = 0; u < instr->uses && r->is_needed[i] && !ir_is_phi(instr); ++u)
            add_use(r, used, defined, used_value(r, instr, u));
        if (instr->value >= 0 && !ir_is_barrier_instr(r, i)) put(defined, instr->value);
    }
    add_incoming(r, used, defined, node);
}

/* What a value is made from again must live as well. */
static void add_sources(const ir_regions *r, ir_word *live, int value)
{
    const ir_instr *i = ir_defining(r, value);
    if (!i || !r->is_remade[value]) return;
    for (int u = 0; u < i->uses; ++u) {
        const int source = r->graph.use[i->use + u];
        if (!r->is_local[source]) put(live, source);
        add_sources(r, live, source);
    }
}

static bool find_live(ir_regions *r)
{
    const ir_graph *g = &r->graph;
    const size_t words = (size_t)r->words, nodes = (size_t)g->nodes;
    ir_word *used = calloc(nodes * words, sizeof *used), *defined = calloc(nodes * words, sizeof *defined);
    ir_word *live = calloc(nodes * words, sizeof *live);
    r->live = calloc((size_t)r->states * words, sizeof *r->live);
    const bool done = used && defined && live && r->live;
    for (int n = 0; done && n < g->nodes; ++n) read_node(r, used + (size_t)n * words, defined + (size_t)n * words, n);
    for (bool changed = done; changed;) {
        changed = false;
        for (int n = g->nodes - 1; n >= 0; --n) {
            ir_word *own = live + (size_t)n * words;
            const ir_barrier none = {.result = -1};
            ir_barrier b = none;
            if (g->node[n].is_barrier) ir_read_barrier(&b, r, n);
            for (size_t w = 0; w < words; ++w) {
                ir_word set = 0;
                for (int s = 0; s < g->node[n].succs; ++s)
                    set |= live[(size_t)g->succ[g->node[n].succ + s] * words + w];
                if (b.result >= 0 && (size_t)b.result / 64 == w) set &= ~(UINT64_C(1) << b.result % 64);
                set = (set & ~defined[(size_t)n * words + w]) | used[(size_t)n * words + w];
                changed = changed || set != own[w];
                own[w] = set;
            }
        }
    }
    for (int s = 0; done && s < r->states; ++s) {
        ir_word *own = r->live + (size_t)s * words;
        memcpy(own, live + (size_t)r->entry[s] * words, words * sizeof *own);
        for (int v = 0; v < g->values; ++v)
            if (ir_has(own, v)) add_sources(r, own, v);
        for (int v = 0; v < g->values; ++v)
            if (ir_has(own, v) && !r->is_remade[v]) r->is_kept[v] = true;
        for (int i = g->node[r->entry[s]].first; ir_is_phi(&g->instr[i]); ++i)
            if (r->is_needed[i]) r->is_moved[g->instr[i].value] = true;
    }
    free(used);
    free(defined);
    free(live);
    return done;
}

/* ---- the whole ---- */

/* Whether the types of what is kept can be told, and nothing stands in the code that a region cannot hold. */
static bool can_be_kept(const ir_regions *r)
{
    const ir_graph *g = &r->graph;
    char made[32];
    for (int v = 0; v < g->values; ++v)
        if ((r->is_kept[v] || r->is_moved[v]) && ir_defining(r, v) && !ir_type_of(ir_defining(r, v), made).length)
            return false;
    for (int i = 0; i < g->instrs; ++i) {
        const ir_instr *instr = &g->instr[i];
        const char *more = ir_is(instr, "alloca") ? span_find(instr->text, ", ") : NULL;
        if (ir_is(instr, "alloca") && (instr->node != 0 || instr->uses)) return false;
        if (more && strncmp(more, ", align ", 8) != 0) return false;
        const char *align = ir_is(instr, "alloca") ? span_find(instr->text, ", align ") : NULL;
        if (align && atoi(align + strlen(", align ")) > LINE_BYTES) return false;
        if (is_call_of(instr, "llvm.stack")) return false;
        if (ir_is_dropped(instr) || ir_thread_component(instr) >= 0 || !own_variable(instr, "lab_thread")) continue;
        return false;
    }
    for (int n = 0; n < g->nodes; ++n) {
        ir_barrier b;
        if (g->node[n].is_barrier && !ir_read_barrier(&b, r, n)) return false;
    }
    return true;
}

ir_reading ir_regions_find(ir_regions *r, span kernel)
{
    *r = (ir_regions){0};
    const ir_reading reading = ir_graph_read(&r->graph, kernel);
    if (reading != IR_READ) return reading;
    const ir_graph *g = &r->graph;
    if (g->nodes > MOST_NODES || g->instrs > MOST_INSTRS) return IR_NOT_UNDERSTOOD;
    const size_t nodes = (size_t)g->nodes, values = (size_t)g->values + 1;
    r->words = g->values / 64 + 1;
    r->entry = calloc(nodes, sizeof *r->entry);
    r->state_of = calloc(nodes, sizeof *r->state_of);
    r->is_cut = calloc(nodes, 1);
    r->varies = calloc(values, 1);
    r->is_remade = calloc(values, 1);
    r->is_kept = calloc(values, 1);
    r->is_moved = calloc(values, 1);
    r->is_local = calloc(values, 1);
    r->is_needed = calloc((size_t)g->instrs, 1);
    if (!r->entry || !r->state_of || !r->is_cut || !r->varies || !r->is_remade || !r->is_kept || !r->is_moved ||
        !r->is_local || !r->is_needed || !find_cuts(r))
        return IR_NO_MEMORY;
    find_states(r);
    if (r->states > MOST_STATES || is_too_long(r)) return IR_NOT_UNDERSTOOD;
    find_needed(r);
    if (!ir_find_varying(r)) return IR_NO_MEMORY;
    if (!find_remade(r) || !find_live(r)) return IR_NO_MEMORY;
    return can_be_kept(r) ? IR_READ : IR_NOT_UNDERSTOOD;
}

void ir_regions_free(ir_regions *r)
{
    ir_graph_free(&r->graph);
    free(r->entry);
    free(r->state_of);
    free(r->is_cut);
    free(r->varies);
    free(r->is_remade);
    free(r->is_kept);
    free(r->is_moved);
    free(r->is_local);
    free(r->is_needed);
    free(r->live);
}
