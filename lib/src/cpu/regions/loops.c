/* Whether a loop is worth a region is read from the addresses in it: the threads in a row must access neighbours, or
 * all the same element. */
#include "loops.h"
#include "instructions.h"

#include "cpu/ir/emit.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

enum {
    UNKNOWN = INT_MIN,
    FAR = 1 << 20,  /* of a stride that is known: the largest */
    LEAST_STEP = 16 /* by which an index grows if all threads leave a loop at about the same time */
};

/* A loop with one way back: from the latch to the header. */
typedef struct loop {
    int header, latch;
    bool *inside; /* of each node */
    bool has_waits;
} loop;

typedef struct search {
    const ir_regions *r;
    const ir_graph *g;
    ir_loops *found;
    int *first_pred, *pred; /* the predecessors of node N: pred[first_pred[N]] up to first_pred[N + 1] */
    bool *is_back;          /* of each node: it leads back to a header */
    loop at;                /* the loop that is being looked at */
    bool by_warps;          /* the kernel's regions are of 32 threads, which are too few for a turn */
} search;

/* ---- loops ---- */

static void find_preds(search *s)
{
    const ir_graph *g = s->g;
    for (int n = 0; n < g->nodes; ++n)
        for (int k = 0; k < g->node[n].succs; ++k) ++s->first_pred[g->succ[g->node[n].succ + k] + 1];
    for (int n = 0; n < g->nodes; ++n) s->first_pred[n + 1] += s->first_pred[n];
    for (int n = g->nodes - 1; n >= 0; --n)
        for (int k = 0; k < g->node[n].succs; ++k) {
            const int next = g->succ[g->node[n].succ + k];
            int at = s->first_pred[next];
            while (s->pred[at] >= 0) ++at;
            s->pred[at] = n;
        }
}

/* Adds what leads to a node without passing the header. False if the kernel's start does: then this is no loop with one
 * way in. */
static bool add_inside(search *s, int node)
{
    if (s->at.inside[node]) return true;
    if (node == 0) return false;
    s->at.inside[node] = true;
    s->at.has_waits = s->at.has_waits || s->g->node[node].waits;
    for (int p = s->first_pred[node]; p < s->first_pred[node + 1]; ++p)
        if (!add_inside(s, s->pred[p])) return false;
    return true;
}

/* Whether an edge leads back to a header. s->at is then its loop. */
static bool find_loop(search *s, int latch, int header)
{
    memset(s->at.inside, 0, (size_t)s->g->nodes);
    s->at = (loop){header, latch, s->at.inside, s->g->node[header].waits};
    if (header == 0) return false;
    s->at.inside[header] = true;
    return add_inside(s, latch);
}

/* ---- indices ---- */

static bool is_defined_inside(const search *s, int value)
{
    const ir_instr *i = value >= 0 ? ir_defining(s->g, value) : NULL;
    return i && s->at.inside[i->node];
}

/* The two operands at the end of an instruction: "add nsw i32 %a, 5". */
static void read_operands(span operand[2], const ir_instr *i)
{
    const char *comma = memrchr(i->text.start, ',', i->text.length);
    const char *space = memrchr(i->text.start, ' ', (size_t)(comma - i->text.start));
    operand[0] = (span){space + 1, (size_t)(comma - space - 1)};
    operand[1] = ir_item(comma + 2, ",");
}

static bool is_shift_by_half(const ir_instr *i, const char *opcode)
{
    span operand[2];
    if (!i || !ir_is(i, opcode) || i->uses != 1 || !span_find(i->text, " i64 ")) return false;
    read_operands(operand, i);
    return span_is(operand[1], "32");
}

/* The value whose lower 32 bits "ashr (shl %value, 32), 32" is, as a signed number; -1 for another value. clang writes
 * an int so that begins with a number of 64 bits and grows by one, like the ranks and sizes of cooperative groups. */
static int wider_value(const ir_graph *g, int value)
{
    const ir_instr *right = value >= 0 ? ir_defining(g, value) : NULL;
    if (!is_shift_by_half(right, "ashr")) return -1;
    const ir_instr *left = ir_defining(g, g->use[right->use].value);
    return is_shift_by_half(left, "shl") ? g->use[left->use].value : -1;
}

static bool is_of_phi(const ir_graph *g, int value, int phi)
{
    return value >= 0 && (value == phi || wider_value(g, value) == phi);
}

/* Whether an instruction loses the upper half of what it is given. */
static bool takes_lower_half(const ir_instr *i)
{
    return is_shift_by_half(i, "shl") || (ir_is(i, "trunc") && span_find(i->text, " to i32"));
}

/* Whether nothing depends on the upper halves of a phi and of what it is in the next iteration. */
static bool has_lower_half_alone(const ir_graph *g, const ir_instr *phi, int next)
{
    for (int n = 0; n < g->instrs; ++n) {
        const ir_instr *i = &g->instr[n];
        for (int u = 0; u < i->uses; ++u) {
            const int value = g->use[i->use + u].value;
            if ((value == phi->value || value == next) && i != phi && !takes_lower_half(i)) return false;
        }
    }
    return true;
}

/* The addition behind a phi of the header: "add %phi, step", of something that is the same in all iterations. NULL if
 * the phi is another one. *start is its value before the first iteration. */
static const ir_instr *find_addition(const search *s, const ir_instr *phi, const ir_incoming **start)
{
    const ir_graph *g = s->g;
    const ir_incoming *edge = &g->incoming[phi->incoming];
    if (phi->incomings != 2) return NULL;
    const int back = g->block[edge[1].block].last_node == s->at.latch;
    *start = &edge[!back];
    const ir_instr *next = edge[back].value >= 0 ? ir_defining(g, edge[back].value) : NULL;
    if (!next || !ir_is(next, "add") || g->block[edge[back].block].last_node != s->at.latch) return NULL;
    int own = 0;
    for (int u = 0; u < next->uses; ++u) {
        const int value = g->use[next->use + u].value;
        if (is_of_phi(g, value, phi->value))
            own += value == phi->value || has_lower_half_alone(g, phi, next->value) ? 1 : 2;
        else if (is_defined_inside(s, value))
            return NULL;
    }
    return own == 1 ? next : NULL;
}

/* The operand of an addition that is not the phi. */
static span step_of(const ir_graph *g, const ir_instr *addition, int phi)
{
    const char *comma = memrchr(addition->text.start, ',', addition->text.length);
    const span right = ir_item(comma + 2, ",");
    if (!is_of_phi(g, ir_find_operand(g, right), phi)) return right;
    const char *space = memrchr(addition->text.start, ' ', (size_t)(comma - addition->text.start));
    return (span){space + 1, (size_t)(comma - space - 1)};
}

/* Whether a value is computed from threadIdx, what all threads have in common, and nothing else. */
static bool is_of_index(const ir_regions *r, int value, int *visits)
{
    const ir_instr *i = ir_defining(&r->graph, value);
    if (!r->varies[value] || (i && ir_thread_component(i) >= 0)) return true;
    if (!i || !ir_is_cheap(i) || --*visits < 0) return false;
    for (int u = 0; u < i->uses; ++u)
        if (!is_of_index(r, r->graph.use[i->use + u].value, visits)) return false;
    return true;
}

/* Notes the phis of the header that ir_loops_write changes. */
static void note_steps(search *s)
{
    const ir_graph *g = s->g;
    for (int i = g->node[s->at.header].first; ir_is_phi(&g->instr[i]); ++i) {
        const ir_instr *phi = &g->instr[i];
        const ir_incoming *start;
        const ir_instr *next = find_addition(s, phi, &start);
        if (!next || start->value < 0 || !s->r->varies[start->value] || !is_of_index(s->r, start->value, ALL_VISITS))
            continue;
        s->found->steps[phi->value] = next->value;
        s->found->any = true;
    }
}

/* ---- strides ---- */

/* By how much a value grows from one thread to the next in a row; UNKNOWN if that is not known to be one number. */
static int stride_of(const search *s, int value, int *visits);

static int near_enough(long long stride) { return stride > FAR || stride < -FAR ? UNKNOWN : (int)stride; }

static int times(int stride, span factor)
{
    if (stride == 0 || stride == UNKNOWN) return stride;
    if (!isdigit((unsigned char)*factor.start) && *factor.start != '-') return UNKNOWN;
    const long long number = strtoll(factor.start, NULL, 10);
    return number > FAR || number < -FAR ? UNKNOWN : near_enough(stride * number);
}

static int operand_stride(const search *s, span operand, int *visits)
{
    const int value = ir_find_operand(s->g, operand);
    return value < 0 ? 0 : stride_of(s, value, visits);
}

/* Of what is computed from threadIdx.x and a number: the number of the warp is the same for the threads of a warp, and
 * their lanes are neighbours. */
static int stride_in_warp(const ir_instr *i, span operand)
{
    enum { WARP = 32, WARP_BITS = 5 };
    if (!isdigit((unsigned char)*operand.start)) return UNKNOWN;
    const long long number = strtoll(operand.start, NULL, 10);
    if (ir_is(i, "lshr")) return number >= WARP_BITS ? 0 : UNKNOWN;
    if (ir_is(i, "udiv")) return number > 0 && number % WARP == 0 ? 0 : UNKNOWN;
    if (ir_is(i, "urem")) return number > 0 && number % WARP == 0 ? 1 : UNKNOWN;
    if (ir_is(i, "and")) return number > 0 && (number + 1) % WARP == 0 && (number & (number + 1)) == 0 ? 1 : UNKNOWN;
    return UNKNOWN;
}

static int stride_of_two(const search *s, const ir_instr *i, int *visits)
{
    span operand[2];
    read_operands(operand, i);
    const int a = operand_stride(s, operand[0], visits), b = operand_stride(s, operand[1], visits);
    if (a == UNKNOWN || b == UNKNOWN) return UNKNOWN;
    if (ir_is(i, "add")) return near_enough((long long)a + b);
    if (ir_is(i, "sub")) return near_enough((long long)a - b);
    if (ir_is(i, "mul")) return a == 0 ? times(b, operand[0]) : b == 0 ? times(a, operand[1]) : UNKNOWN;
    if (ir_is(i, "shl") && isdigit((unsigned char)*operand[1].start) && atoi(operand[1].start) < 20)
        return near_enough((long long)a * (1 << atoi(operand[1].start)));
    if (a == 1 && b == 0 && !s->by_warps) return stride_in_warp(i, operand[1]);
    return a == 0 && b == 0 ? 0 : UNKNOWN;
}

/* In elements of the last index: the others must be the same for all threads. */
static int stride_of_address(const search *s, const ir_instr *i, int *visits)
{
    int last = 0;
    for (int u = 0; u < i->uses; ++u) {
        const ir_use *use = &s->g->use[i->use + u];
        const int stride = stride_of(s, use->value, visits);
        const bool is_last = span_end(use->place) == span_end(i->text);
        const bool is_base = u == 0 && i->uses > 1;
        if (stride == UNKNOWN || (stride && !is_last && !is_base)) return UNKNOWN;
        last += stride;
    }
    return last;
}

static int stride_of_phi(const search *s, const ir_instr *phi, int *visits)
{
    const ir_incoming *start;
    const ir_instr *next = phi->node == s->at.header ? find_addition(s, phi, &start) : NULL;
    if (!next || operand_stride(s, step_of(s->g, next, phi->value), visits) != 0) return UNKNOWN;
    return start->value < 0 ? 0 : stride_of(s, start->value, visits);
}

static int stride_of(const search *s, int value, int *visits)
{
    static const char *const same[] = {"sext", "zext", "trunc", "bitcast", NULL};
    static const char *const two[] = {"add", "sub", "mul", "shl", "and", "or", "lshr", "ashr", "udiv", "urem", NULL};
    const ir_instr *i = ir_defining(s->g, value);
    if (!s->r->varies[value]) return 0;
    if (!i || --*visits < 0) return UNKNOWN;
    const int component = ir_thread_component(i);
    if (component >= 0) return component == 0;
    if (ir_is_phi(i)) return stride_of_phi(s, i, visits);
    const int wider = wider_value(s->g, value);
    if (wider >= 0) return stride_of(s, wider, visits);
    if (span_is_one_of(i->opcode, same)) return i->uses ? stride_of(s, s->g->use[i->use].value, visits) : UNKNOWN;
    if (span_is_one_of(i->opcode, two)) return stride_of_two(s, i, visits);
    if (ir_is(i, "getelementptr")) return stride_of_address(s, i, visits);
    if (ir_is(i, "load") && i->uses == 1) return stride_of(s, s->g->use[i->use].value, visits) == 0 ? 0 : UNKNOWN;
    return UNKNOWN;
}

/* ---- which loops ---- */

/* Whether an instruction of the loop can be part of a vector loop. *side_by_side if threads in a row access neighbours
 * there. */
static bool fits(const search *s, const ir_instr *i, bool *side_by_side)
{
    const bool is_load = ir_is(i, "load"), is_store = ir_is(i, "store");
    if (ir_is_dropped(i) || ir_is_phi(i) || ir_is_pure(i) || ir_reads_launch(i) || ir_thread_component(i) >= 0)
        return true;
    if (ir_is(i, "br") || ir_is(i, "switch")) return true;
    if ((!is_load && !is_store) || ir_has_effects(i) != is_store || span_starts_with(i->text, "store volatile") ||
        span_starts_with(i->text, "store atomic"))
        return false;
    const int address = i->uses ? s->g->use[i->use + i->uses - 1].value : -1;
    const int stride = address < 0 ? 0 : stride_of(s, address, ALL_VISITS);
    if (stride != 0 && stride != 1 && stride != -1) return false;
    *side_by_side = *side_by_side || stride != 0;
    return is_load || stride != 0;
}

static int without_trunc(const ir_graph *g, int value)
{
    const ir_instr *i = value >= 0 ? ir_defining(g, value) : NULL;
    return i && ir_is(i, "trunc") && i->uses ? g->use[i->use].value : value;
}

/* Whether the threads leave the loop at about the same time: all at once, or when an index that grows by large steps
 * comes to a number that they have in common. All at once also means that a branch before the loop sends only some of
 * them into it: what it tests then varies, but has a stride of 0. */
static bool leaves_together(const search *s)
{
    const ir_graph *g = s->g;
    const ir_instr *branch = ir_last_instr(g, s->at.latch);
    if (!ir_is(branch, "br") || branch->targets != 2 || branch->uses != 1) return false;
    const int condition = g->use[branch->use].value;
    const ir_instr *test = ir_defining(g, condition);
    if (!s->r->varies[condition]) return true;
    if (!test || !ir_is(test, "icmp")) return false;
    span operand[2];
    read_operands(operand, test);
    if (operand_stride(s, operand[0], ALL_VISITS) == 0 && operand_stride(s, operand[1], ALL_VISITS) == 0) return true;
    for (int i = g->node[s->at.header].first; ir_is_phi(&g->instr[i]); ++i) {
        const ir_instr *phi = &g->instr[i];
        const ir_incoming *start;
        const ir_instr *next = find_addition(s, phi, &start);
        for (int o = 0; o < 2 && next; ++o) {
            const int value = without_trunc(g, ir_find_operand(g, operand[o]));
            if (value < 0 || (value != next->value && value != phi->value)) continue;
            const span step = step_of(g, next, phi->value);
            const bool is_number = ir_find_operand(g, step) < 0;
            return operand_stride(s, operand[!o], ALL_VISITS) == 0 && stride_of(s, value, ALL_VISITS) != UNKNOWN &&
                   (!is_number || labs(strtol(step.start, NULL, 10)) >= LEAST_STEP);
        }
    }
    return false;
}

/* Whether the loop contains no other, and is left from its latch alone. */
static bool is_simple(const search *s)
{
    const ir_graph *g = s->g;
    for (int n = 0; n < g->nodes; ++n) {
        if (!s->at.inside[n] || n == s->at.latch) continue;
        if (s->is_back[n] || g->node[n].succs == 0) return false;
        for (int k = 0; k < g->node[n].succs; ++k)
            if (!s->at.inside[g->succ[g->node[n].succ + k]]) return false;
    }
    return true;
}

static bool is_worth_turns(const search *s)
{
    const ir_graph *g = s->g;
    bool side_by_side = false;
    if (s->at.has_waits || !is_simple(s) || !leaves_together(s)) return false;
    for (int n = 0; n < g->nodes; ++n)
        for (int i = g->node[n].first; s->at.inside[n] && i < g->node[n].end; ++i)
            if (!fits(s, &g->instr[i], &side_by_side)) return false;
    return side_by_side;
}

static void note_turns(search *s)
{
    for (int p = s->first_pred[s->at.header]; p < s->first_pred[s->at.header + 1]; ++p)
        s->found->ends_turn[s->pred[p]] = true;
    s->found->any = true;
}

/* ---- the whole ---- */

static void find_all(search *s)
{
    const ir_graph *g = s->g;
    find_preds(s);
    for (int n = 0; n < g->nodes; ++n)
        for (int k = 0; k < g->node[n].succs; ++k)
            s->is_back[n] = s->is_back[n] || find_loop(s, n, g->succ[g->node[n].succ + k]);
    for (int n = 0; n < g->nodes; ++n)
        for (int k = 0; k < g->node[n].succs && s->is_back[n]; ++k) {
            if (!find_loop(s, n, g->succ[g->node[n].succ + k])) continue;
            const bool takes_turns = is_worth_turns(s);
            if (takes_turns) note_turns(s);
            if (takes_turns || s->at.has_waits) note_steps(s);
        }
}

bool ir_loops_find(ir_loops *loops, const ir_regions *r)
{
    const size_t nodes = (size_t)r->graph.nodes, values = (size_t)r->graph.values;
    search s = {.r = r, .g = &r->graph, .found = loops, .by_warps = ir_has_warp_waits(r)};
    *loops = (ir_loops){.ends_turn = calloc(nodes, 1), .steps = malloc((values + 1) * sizeof *loops->steps)};
    size_t succs = 0;
    for (size_t n = 0; n < nodes; ++n) succs += (size_t)r->graph.node[n].succs;
    s.first_pred = calloc(nodes + 1, sizeof *s.first_pred);
    s.pred = malloc((succs + 1) * sizeof *s.pred);
    s.is_back = calloc(nodes, 1);
    s.at.inside = calloc(nodes, 1);
    const bool done = loops->ends_turn && loops->steps && s.first_pred && s.pred && s.is_back && s.at.inside;
    for (size_t v = 0; done && v < values; ++v) loops->steps[v] = -1;
    for (size_t p = 0; done && p < succs; ++p) s.pred[p] = -1;
    if (done) find_all(&s);
    free(s.first_pred);
    free(s.pred);
    free(s.is_back);
    free(s.at.inside);
    return done;
}

void ir_loops_free(ir_loops *loops)
{
    free(loops->ends_turn);
    free(loops->steps);
}

/* ---- writing ---- */

static const char *line_of(const ir_instr *i)
{
    const char *line = i->text.start;
    while (line[-1] != '\n') --line;
    return line;
}

/* Writes "steps = phi [0], [steps + step]" in place of the phi's text. */
static void write_steps(const ir_emitter *e, const ir_graph *g, const ir_instr *phi, int next)
{
    const char *copied = phi->text.start;
    ir_emit(e, "$ = ", as_local("lab.steps.", phi->value));
    for (int k = 0; k < phi->incomings; ++k) {
        const ir_incoming *edge = &g->incoming[phi->incoming + k];
        const span before = {copied, (size_t)(edge->text.start - copied)};
        if (edge->value == next)
            ir_emit(e, "$$", as_text(before), as_local("lab.steps.next.", phi->value));
        else
            ir_emit(e, "$0", as_text(before));
        copied = span_end(edge->text);
    }
    ir_emit_span(e->out, (span){copied, (size_t)(span_end(phi->text) - copied)});
}

/* Writes "i = start + steps" and the addition of the step. */
static void write_sum(const ir_emitter *e, const ir_graph *g, const ir_instr *phi, int next)
{
    const ir_incoming *edge = &g->incoming[phi->incoming];
    const span start = edge[edge[0].value == next].text, type = g->value[phi->value].type;
    const ir_piece steps = as_local("lab.steps.", phi->value);
    const char *line = line_of(phi);
    ir_emit(e, "$add $ $, $\n", as_text((span){line, (size_t)(phi->text.start - line)}), as_text(type), as_text(start),
            steps);
    ir_emit(e, "  $ = add $ $, $\n", as_local("lab.steps.next.", phi->value), as_text(type), steps,
            as_text(step_of(g, ir_defining(g, next), phi->value)));
}

/* Writes the phis of a header, and the sums behind them. Returns the end of what has been copied. */
static const char *write_header(const ir_emitter *e, const ir_loops *loops, const ir_graph *g, int node,
                                const char *copied)
{
    int i = g->node[node].first;
    for (; ir_is_phi(&g->instr[i]); ++i) {
        const ir_instr *phi = &g->instr[i];
        if (loops->steps[phi->value] < 0) continue;
        const char *line = line_of(phi);
        ir_emit(e, "$  ", as_text((span){copied, (size_t)(line - copied)}));
        write_steps(e, g, phi, loops->steps[phi->value]);
        copied = span_end(phi->text);
    }
    const char *behind = line_of(&g->instr[i]);
    ir_emit_span(e->out, (span){copied, (size_t)(behind - copied)});
    for (int p = g->node[node].first; p < i; ++p) {
        const int v = g->instr[p].value;
        if (loops->steps[v] >= 0) write_sum(e, g, &g->instr[p], loops->steps[v]);
    }
    return behind;
}

bool ir_loops_write(cpu_text *out, const ir_loops *loops, const ir_graph *g, span kernel)
{
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    const ir_emitter e = {.out = file};
    const char *copied = kernel.start;
    for (int n = 0; n < g->nodes; ++n)
        if (ir_is_phi(&g->instr[g->node[n].first])) copied = write_header(&e, loops, g, n, copied);
    ir_emit_span(file, (span){copied, (size_t)(span_end(kernel) - copied)});
    return ir_emit_end(file, out);
}
