/* Two passes over the text: first what is defined, then what is used, which a loop may name before. */
#include "ir_cfg.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static span name_of(const ir_graph *g, int entry)
{
    return entry >= 0 ? g->value[entry].name : g->block[-1 - entry].label;
}

static int compare_spans(span a, span b)
{
    if (a.length != b.length) return a.length < b.length ? -1 : 1;
    return memcmp(a.start, b.start, a.length);
}

static int compare_entries(const void *a, const void *b, void *graph)
{
    return compare_spans(name_of(graph, *(const int *)a), name_of(graph, *(const int *)b));
}

static bool find_name(int *entry, const ir_graph *g, span name)
{
    int low = 0, high = g->names;
    while (low < high) {
        const int middle = (low + high) / 2, order = compare_spans(name_of(g, g->sorted[middle]), name);
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

int ir_find_value(const ir_graph *g, span name)
{
    int entry;
    return find_name(&entry, g, name) && entry >= 0 ? entry : -1;
}

int ir_find_block(const ir_graph *g, span name)
{
    int entry;
    return find_name(&entry, g, name) && entry < 0 ? -1 - entry : -1;
}

static void sort_names(ir_graph *g)
{
    for (int i = 0; i < g->values; ++i) g->sorted[g->names++] = i;
    for (int i = 0; i < g->blocks; ++i) g->sorted[g->names++] = -1 - i;
    qsort_r(g->sorted, (size_t)g->names, sizeof *g->sorted, compare_entries, g);
}

/* ---- calls ---- */

span ir_callee(const ir_instr *call)
{
    const char *at = call->text.start, *end = at + call->text.length;
    for (span name; (name = ir_next_name('@', at, end, &at)).length;)
        if (*at == '(') return name;
    return (span){end, 0};
}

bool ir_is_barrier(span callee) { return span_starts_with(callee, "lab_suspend_syncthreads"); }

/* ---- what is defined ---- */

static bool read_params(ir_graph *g)
{
    const char *at = g->name.start + g->name.length;
    at += *at == '"';
    if (*at != '(') return false;
    for (++at; *at != ')';) {
        const span param = ir_item(at, ",");
        const char *percent = NULL;
        for (size_t i = 0; i < param.length; ++i)
            if (param.start[i] == '%') percent = param.start + i;
        if (!percent || span_find(param, "byval(") || span_find(param, "sret(") || percent == param.start) return false;
        g->value[g->values++] = (ir_value){
            {percent + 1, (size_t)(param.start + param.length - percent - 1)}, -1, ir_item(param.start, " ")};
        at = param.start + param.length;
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
        const span name = ir_next_name('%', text.start, text.start + text.length, &after);
        if (!equals || after > equals) return false;
        g->value[g->values] = (ir_value){.name = name, .instr = g->instrs};
        made->value = g->values++;
        text = (span){equals + 3, (size_t)(text.start + text.length - equals - 3)};
    }
    made->text = without_prefix(text, tails, 3);
    made->opcode = ir_item(made->text.start, " ");
    ++g->instrs;
    return true;
}

static bool is_terminator(const ir_instr *i)
{
    return ir_is(i, "br") || ir_is(i, "switch") || ir_is(i, "ret") || ir_is(i, "unreachable");
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

/* The text of the instruction that begins on a line: a switch goes on to its bracket. */
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

/* The first block has no label where values have no names: its number is then the number of parameters. */
static bool read_body(ir_graph *g, span text, char *first_label)
{
    const char *at = g->head.start + g->head.length, *end = text.start + text.length;
    sprintf(first_label, "%d", g->params);
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
            begin_block(g, (span){first_label, strlen(first_label)});
            ended = false;
        }
        if (ended) return false;
        span instr = whole_instr(line, end);
        line.length = ir_line(instr.start + instr.length).length + instr.length;
        instr.start += 2;
        instr.length -= 2;
        if (!add_instr(g, instr)) return false;
        ir_instr *added = &g->instr[g->instrs - 1];
        added->node = g->nodes - 1;
        g->node[g->nodes - 1].end = g->instrs;
        ended = is_terminator(added);
        if (ir_is(added, "call") && ir_is_barrier(ir_callee(added))) {
            g->node[g->nodes - 1].is_barrier = true;
            begin_node(g, g->blocks - 1);
        }
    }
    return false;
}

/* ---- what is used ---- */

static void add_succ(ir_graph *g, int *count, ir_node *n, int to)
{
    for (int i = 0; i < n->succs; ++i)
        if (g->succ[n->succ + i] == to) return;
    g->succ[(*count)++] = to;
    n->succs++;
}

static bool read_uses(ir_graph *g)
{
    int uses = 0, succs = 0;
    for (int n = 0; n < g->nodes; ++n) {
        ir_node *node = &g->node[n];
        node->succ = succs;
        if (node->first == node->end) return false;
        for (int i = node->first; i < node->end; ++i) {
            ir_instr *instr = &g->instr[i];
            const char *at = instr->text.start, *end = at + instr->text.length;
            instr->use = uses;
            for (span name; (name = ir_next_name('%', at, end, &at)).length;) {
                int entry;
                if (!find_name(&entry, g, name)) continue;
                if (entry >= 0)
                    g->use[uses++] = entry;
                else if (!ir_is(instr, "phi"))
                    add_succ(g, &succs, node, g->block[-1 - entry].first_node);
            }
            instr->uses = uses - instr->use;
        }
        if (node->is_barrier) add_succ(g, &succs, node, n + 1);
        if (!node->is_barrier && !is_terminator(&g->instr[node->end - 1])) return false;
    }
    return true;
}

bool ir_next_incoming(ir_incoming *in, const char **at, const ir_graph *g, const ir_instr *phi)
{
    const char *end = phi->text.start + phi->text.length, *after;
    const char *open = *at < end ? memmem(*at, (size_t)(end - *at), "[ ", 2) : NULL;
    if (!open) return false;
    in->value = ir_item(open + 2, ",");
    const span label = ir_next_name('%', in->value.start + in->value.length, end, &after);
    in->block = ir_find_block(g, label);
    *at = after;
    return in->block >= 0;
}

/* ---- reading ---- */

ir_reading ir_graph_read(ir_graph *g, span text)
{
    size_t lines = 16, percents = 16;
    for (size_t i = 0; i < text.length; ++i) {
        lines += text.start[i] == '\n';
        percents += text.start[i] == '%';
    }
    const char *after;
    *g = (ir_graph){.head = ir_line(text.start)};
    g->name = ir_next_name('@', text.start, text.start + g->head.length, &after);
    lines += percents; /* parameters */
    g->value = calloc(lines, sizeof *g->value);
    g->instr = calloc(lines, sizeof *g->instr);
    g->block = calloc(lines, sizeof *g->block);
    g->node = calloc(lines, sizeof *g->node);
    g->use = calloc(percents, sizeof *g->use);
    g->succ = calloc(percents + lines, sizeof *g->succ);
    g->sorted = calloc(2 * lines, sizeof *g->sorted);
    char *first_label = malloc(16);
    g->first_label = first_label;
    if (!g->value || !g->instr || !g->block || !g->node || !g->use || !g->succ || !g->sorted || !first_label)
        return IR_NO_MEMORY;
    if (!read_params(g) || !read_body(g, text, first_label)) return IR_NOT_UNDERSTOOD;
    sort_names(g);
    return read_uses(g) ? IR_READ : IR_NOT_UNDERSTOOD;
}

void ir_graph_free(ir_graph *g)
{
    free(g->value);
    free(g->instr);
    free(g->block);
    free(g->node);
    free(g->use);
    free(g->succ);
    free(g->sorted);
    free(g->first_label);
}

/* ---- types ---- */

static bool is_type(span word)
{
    static const char *const names[] = {"float", "double", "half", "bfloat", "void", "ptr"};
    if (!word.length) return false;
    if (strchr("<{[%", *word.start)) return true;
    if (*word.start == 'i' && isdigit((unsigned char)word.start[1])) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (span_starts_with(word, names[i]) && !isalnum((unsigned char)word.start[strlen(names[i])])) return true;
    return false;
}

/* The first type at or after `at` in the instruction, words that are no types skipped. */
static span first_type(const char *at, const char *end)
{
    while (at < end) {
        const span word = ir_item(at, " ,");
        if (is_type(word)) return word;
        at = word.start + word.length;
        at += strspn(at, " ,(");
        if (!word.length && at < end && !*at) break;
    }
    return (span){end, 0};
}

static const char *after_comma(span type_and_operand)
{
    const span item = ir_item(type_and_operand.start, ",");
    return item.start + item.length + (item.start[item.length] == ',' ? 2 : 0);
}

static span comparison_type(span operand, char *made)
{
    static const span bit = {"i1", 2};
    if (*operand.start != '<') return bit;
    snprintf(made, 32, "<%d x i1>", atoi(operand.start + 1));
    return (span){made, strlen(made)};
}

/* The first field of "{ i32, i1 } %5, 0", or the second. */
static span field_type(span aggregate, const char *end)
{
    if (*aggregate.start != '{') return (span){end, 0};
    const char *comma = memrchr(aggregate.start, ',', (size_t)(end - aggregate.start));
    const char *at = aggregate.start + 2;
    for (int field = comma ? atoi(comma + 1) : 0; field > 0; --field) {
        at += ir_item(at, ",").length;
        at += *at == ',' ? 2 : 0;
    }
    return ir_item(at, ", ");
}

static bool is_one_of(span opcode, const char *const *names)
{
    for (; *names; ++names)
        if (span_is(opcode, *names)) return true;
    return false;
}

span ir_type_of(const ir_instr *i, char made[static 32])
{
    static const char *const arithmetic[] = {"add",  "sub",  "mul",  "udiv", "sdiv", "urem",   "srem", "shl",
                                             "lshr", "ashr", "and",  "or",   "xor",  "fadd",   "fsub", "fmul",
                                             "fdiv", "frem", "fneg", "load", "phi",  "freeze", "call", NULL};
    static const char *const casts[] = {"trunc",  "zext",   "sext",    "fptrunc",  "fpext",    "fptoui", "fptosi",
                                        "uitofp", "sitofp", "bitcast", "ptrtoint", "inttoptr", NULL};
    const char *end = i->text.start + i->text.length;
    const char *operands = i->opcode.start + i->opcode.length + 1;
    const span none = {end, 0}, type = operands < end ? first_type(operands, end) : none;
    if (!type.length) return none;
    if (is_one_of(i->opcode, arithmetic)) return type;
    if (ir_is(i, "icmp") || ir_is(i, "fcmp")) return comparison_type(type, made);
    if (ir_is(i, "select")) return first_type(after_comma(type), end);
    if (ir_is(i, "atomicrmw")) {
        const char *comma = memchr(operands, ',', (size_t)(end - operands));
        return comma ? first_type(comma + 2, end) : none;
    }
    if (ir_is(i, "extractvalue")) return field_type(type, end);
    if (ir_is(i, "insertvalue") || ir_is(i, "insertelement")) return type;
    if (ir_is(i, "extractelement")) {
        const char *by = strstr(type.start, " x ");
        return by && by < end ? (span){by + 3, (size_t)(type.start + type.length - by - 4)} : none;
    }
    if (is_one_of(i->opcode, casts)) {
        const char *to = memmem(operands, (size_t)(end - operands), " to ", 4);
        return to ? ir_item(to + 4, ", ") : none;
    }
    if (ir_is(i, "getelementptr") && span_find(i->text, "ptr ") && !span_find(i->text, "*")) return (span){"ptr", 3};
    return none;
}
