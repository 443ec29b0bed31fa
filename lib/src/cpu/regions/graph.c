/* The first pass over the text finds definitions, the second uses: a loop uses values before their definitions. */
#include "graph.h"
#include "types.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- names ---- */

static span name_of(const ir_graph *g, int entry)
{
    return entry >= 0 ? g->value[entry].name : g->block[-1 - entry].label;
}

static int compare_entries(const void *a, const void *b, void *graph)
{
    return span_compare(name_of(graph, *(const int *)a), name_of(graph, *(const int *)b));
}

static bool find_name(int *entry, const ir_graph *g, span name)
{
    int low = 0, high = g->names;
    while (low < high) {
        const int middle = (low + high) / 2, order = span_compare(name_of(g, g->sorted[middle]), name);
        if (order == 0) {
            *entry = g->sorted[middle];
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

int ir_find_operand(const ir_graph *g, span operand)
{
    const char *after;
    int entry;
    if (!span_starts_with(operand, "%")) return -1;
    const span name = ir_next_name('%', operand.start, span_end(operand), &after);
    return find_name(&entry, g, name) && entry >= 0 ? entry : -1;
}

static void sort_names(ir_graph *g)
{
    for (int i = 0; i < g->values; ++i) g->sorted[g->names++] = i;
    for (int i = 0; i < g->blocks; ++i) g->sorted[g->names++] = -1 - i;
    qsort_r(g->sorted, (size_t)g->names, sizeof *g->sorted, compare_entries, g);
}

/* ---- instructions ---- */

span ir_callee(const ir_instr *call)
{
    const char *at = call->text.start, *end = span_end(call->text);
    for (span name; (name = ir_next_name('@', at, end, &at)).length;)
        if (*at == '(') return name;
    return (span){end, 0};
}

bool ir_is_call_of(const ir_instr *i, const char *prefix)
{
    return ir_is(i, "call") && span_starts_with(ir_callee(i), prefix);
}

const ir_instr *ir_defining(const ir_graph *g, int value)
{
    const int instr = g->value[value].instr;
    return instr < 0 ? NULL : &g->instr[instr];
}

const ir_instr *ir_last_instr(const ir_graph *g, int node) { return &g->instr[g->node[node].end - 1]; }

/* "br i1 %5, ...", "switch i32 %5, ..." */
span ir_condition(const ir_instr *i)
{
    const span type = ir_item(span_end(i->opcode) + 1, " ");
    return ir_item(span_end(type) + 1, ",");
}

/* ---- what is defined ---- */

static bool read_params(ir_graph *g)
{
    const char *at = span_end(g->name);
    at += *at == '"';
    if (*at != '(') return false;
    for (++at; *at != ')';) {
        const span param = ir_item(at, ",");
        const char *percent = memrchr(param.start, '%', param.length);
        if (!percent || span_find(param, "byval(") || span_find(param, "sret(") || percent == param.start) return false;
        g->value[g->values++] = (ir_value){
            {percent + 1, (size_t)(span_end(param) - percent - 1)}, .instr = -1, .type = ir_item(param.start, " ")};
        at = span_end(param);
        if (*at == ',') at += 2;
    }
    g->params = g->values;
    return true;
}

static span without_prefix(span text, const char *const *prefix, int count)
{
    for (int i = 0; i < count; ++i)
        if (span_starts_with(text, prefix[i])) {
            const size_t length = strlen(prefix[i]);
            return (span){text.start + length, text.length - length};
        }
    return text;
}

static bool add_instr(ir_graph *g, span text)
{
    static const char *const tails[] = {"tail ", "musttail ", "notail "};
    ir_instr *made = &g->instr[g->instrs];
    *made = (ir_instr){.value = -1};
    if (*text.start == '%') {
        const char *equals = span_find(text, " = "), *after;
        const span name = ir_next_name('%', text.start, span_end(text), &after);
        if (!equals || after > equals) return false;
        g->value[g->values] = (ir_value){.name = name, .instr = g->instrs};
        made->value = g->values++;
        text = (span){equals + 3, (size_t)(span_end(text) - equals - 3)};
    }
    made->text = without_prefix(text, tails, 3);
    made->opcode = ir_item(made->text.start, " ");
    ++g->instrs;
    return true;
}

static bool is_terminator(const ir_instr *i)
{
    static const char *const opcodes[] = {"br", "switch", "ret", "unreachable", NULL};
    return span_is_one_of(i->opcode, opcodes);
}

static void begin_node(ir_graph *g, int block)
{
    g->block[block].last_node = g->nodes;
    g->node[g->nodes++] = (ir_node){.block = block, .first = g->instrs, .end = g->instrs};
}

static void begin_block(ir_graph *g, span label)
{
    g->block[g->blocks] = (ir_block){label, g->nodes, g->nodes};
    begin_node(g, g->blocks++);
}

/* A label's line: "12:   ; preds = %5", "._crit_edge:". */
static span label_of(span line)
{
    const bool quoted = *line.start == '"';
    const char *end = quoted ? memchr(line.start + 1, '"', line.length - 1) : memchr(line.start, ':', line.length);
    if (!end) return (span){line.start, 0};
    return (span){line.start + quoted, (size_t)(end - line.start - quoted)};
}

/* The text of the instruction on a line. A switch goes on to its closing bracket. */
static span whole_instr(span line, const char *end)
{
    size_t length = line.length;
    if (span_find(line, " switch ") && !span_find(line, "]")) {
        const char *close = memmem(line.start, (size_t)(end - line.start), "\n  ]", 4);
        if (close) length = (size_t)(close + 4 - line.start);
    }
    while (length > 0 && line.start[length - 1] == '\n') --length;
    return (span){line.start, length};
}

/* If values are numbered, the first block has no label. Its number follows those of the parameters. */
static span first_label(ir_graph *g, char **made)
{
    const span label = {*made, (size_t)sprintf(*made, "%d", g->params)};
    *made += label.length + 1;
    return label;
}

static bool read_body(ir_graph *g, span text, char **made)
{
    const char *at = span_end(g->head), *end = span_end(text);
    bool ended = true;
    for (span line; at < end && (line = ir_line(at)).length; at += line.length) {
        if (*line.start == '}') return ended && g->nodes > 0;
        if (line.length == 1 || *line.start == ';') continue;
        if (*line.start != ' ') {
            const span label = label_of(line);
            if (!label.length || !ended) return false;
            begin_block(g, label);
            ended = false;
            continue;
        }
        if (g->blocks == 0) {
            begin_block(g, first_label(g, made));
            ended = false;
        }
        if (ended) return false;
        const span instr = whole_instr(line, end);
        line.length = ir_line(span_end(instr)).length + instr.length;
        if (!add_instr(g, (span){instr.start + 2, instr.length - 2})) return false;
        ir_instr *added = &g->instr[g->instrs - 1];
        added->node = g->nodes - 1;
        g->node[g->nodes - 1].end = g->instrs;
        ended = is_terminator(added);
        if (ir_is(added, "call") && ir_is_wait(ir_callee(added))) {
            g->node[g->nodes - 1].waits = true;
            begin_node(g, g->blocks - 1);
        }
    }
    return false;
}

/* ---- what is used ---- */

/* The number of elements in each array. */
typedef struct filled {
    int uses, incomings, targets, succs;
} filled;

static void add_succ(ir_graph *g, filled *f, ir_node *n, int next)
{
    for (int i = 0; i < n->succs; ++i)
        if (g->succ[n->succ + i] == next) return;
    g->succ[f->succs++] = next;
    n->succs++;
}

static bool read_incomings(ir_graph *g, filled *f, ir_instr *phi)
{
    const char *at = phi->text.start, *end = span_end(phi->text);
    phi->incoming = f->incomings;
    for (const char *open; at < end && (open = memmem(at, (size_t)(end - at), "[ ", 2));) {
        const span value = ir_item(open + 2, ",");
        int entry;
        if (!find_name(&entry, g, ir_next_name('%', span_end(value), end, &at)) || entry >= 0) return false;
        g->incoming[f->incomings++] = (ir_incoming){value, ir_find_operand(g, value), -1 - entry};
    }
    phi->incomings = f->incomings - phi->incoming;
    return phi->incomings > 0;
}

/* The constant before the label in a line "i32 5, label %7" of a switch; length 0 in other lines. */
static span case_before(const ir_instr *i, const char *label)
{
    const char *line = memrchr(i->text.start, '\n', (size_t)(label - i->text.start));
    if (!line) return (span){label, 0};
    const span type = ir_item(line + 1 + strspn(line + 1, " "), " ");
    return ir_item(span_end(type) + 1, ",");
}

static bool read_uses_of(ir_graph *g, filled *f, ir_instr *instr)
{
    const char *at = instr->text.start, *end = span_end(instr->text);
    ir_node *node = &g->node[instr->node];
    instr->use = f->uses;
    instr->target = f->targets;
    for (span name; (name = ir_next_name('%', at, end, &at)).length;) {
        int entry;
        if (!find_name(&entry, g, name)) continue;
        const char *start = name.start - 1 - (name.start[-1] == '"');
        const span place = {start, (size_t)(at - start)};
        if (entry >= 0) {
            g->use[f->uses++] = (ir_use){place, entry};
        } else if (is_terminator(instr)) {
            g->target[f->targets++] = (ir_target){place, case_before(instr, start), -1 - entry};
            add_succ(g, f, node, g->block[-1 - entry].first_node);
        } else if (!ir_is_phi(instr)) {
            return false;
        }
    }
    instr->uses = f->uses - instr->use;
    instr->targets = f->targets - instr->target;
    return !ir_is_phi(instr) || read_incomings(g, f, instr);
}

static bool read_uses(ir_graph *g)
{
    filled f = {0};
    for (int n = 0; n < g->nodes; ++n) {
        ir_node *node = &g->node[n];
        node->succ = f.succs;
        if (node->first == node->end) return false;
        for (int i = node->first; i < node->end; ++i)
            if (!read_uses_of(g, &f, &g->instr[i])) return false;
        if (node->waits) add_succ(g, &f, node, n + 1);
        if (!node->waits && !is_terminator(&g->instr[node->end - 1])) return false;
    }
    return true;
}

static void read_types(ir_graph *g, char *made)
{
    for (int v = g->params; v < g->values; ++v) g->value[v].type = ir_type_of(ir_defining(g, v), &made);
}

/* ---- the whole ---- */

/* There are no more instructions than lines, and no more uses than % in the text. The types in `made` are shorter than
 * the text, since a comparison's is no longer than that of its operands; the first label has at most 11 bytes. */
static bool allocate(ir_graph *g, span text)
{
    size_t lines = 16, percents = 16;
    for (size_t i = 0; i < text.length; ++i) {
        lines += text.start[i] == '\n';
        percents += text.start[i] == '%';
    }
    lines += percents; /* parameters */
    g->value = calloc(lines, sizeof *g->value);
    g->instr = calloc(lines, sizeof *g->instr);
    g->block = calloc(lines, sizeof *g->block);
    g->node = calloc(lines, sizeof *g->node);
    g->use = calloc(percents, sizeof *g->use);
    g->incoming = calloc(percents, sizeof *g->incoming);
    g->target = calloc(percents, sizeof *g->target);
    g->succ = calloc(percents + lines, sizeof *g->succ);
    g->sorted = calloc(2 * lines, sizeof *g->sorted);
    g->made = malloc(text.length + 16);
    return g->value && g->instr && g->block && g->node && g->use && g->incoming && g->target && g->succ && g->sorted &&
           g->made;
}

ir_reading ir_graph_read(ir_graph *g, span text)
{
    const char *after;
    *g = (ir_graph){.head = ir_line(text.start)};
    g->name = ir_next_name('@', text.start, span_end(g->head), &after);
    if (!allocate(g, text)) return IR_NO_MEMORY;
    char *made = g->made;
    if (!read_params(g) || !read_body(g, text, &made)) return IR_NOT_UNDERSTOOD;
    sort_names(g);
    if (!read_uses(g)) return IR_NOT_UNDERSTOOD;
    read_types(g, made);
    return IR_READ;
}

void ir_graph_free(ir_graph *g)
{
    free(g->value);
    free(g->instr);
    free(g->block);
    free(g->node);
    free(g->use);
    free(g->incoming);
    free(g->target);
    free(g->succ);
    free(g->sorted);
    free(g->made);
}
