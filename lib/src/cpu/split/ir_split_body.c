/* The inside of a region: its instructions, with what lives from region to region fetched and kept, and its ways out. */
#include "ir_split_writer.h"

#include <stdlib.h>
#include <string.h>

/* ---- values in a region ---- */

static void write_mapped(split_writer *w, const ir_instr *i, int temporary);

/* What stands for a value here: its number as "v", or "t" of a temporary that is written first; or a thread's index. */
typedef struct operand {
    char text[24];
} operand;

static operand find_operand(split_writer *w, int value)
{
    operand made;
    const ir_instr *i = split_defining(w, value);
    const int component = i ? ir_thread_component(i) : -1;
    if (component >= 0) {
        snprintf(made.text, sizeof made.text, "%%lab.t%c", "xyz"[component]);
    } else if (w->r->is_local[value] || !split_lives(w, value)) {
        if (w->r->is_local[value]) w->uses_variable[value] = true;
        snprintf(made.text, sizeof made.text, "%%v%d", value);
    } else if (w->r->is_remade[value]) {
        const int number = w->temporaries++;
        write_mapped(w, i, number);
        snprintf(made.text, sizeof made.text, "%%t%d", number);
    } else {
        char type_text[32];
        const span type = split_type_of(w, value, type_text);
        w->uses_variable[value] = true;
        snprintf(made.text, sizeof made.text, "%%t%d", w->temporaries++);
        fprintf(w->body, "  %s = load %.*s, ", made.text, (int)type.length, type.start);
        split_write_pointer(w->body, w, type);
        fprintf(w->body, " %%a%d\n", value);
    }
    return made;
}

/* Text with the values in it under the names that they have here. */
static void write_names(split_writer *w, span text, const operand *names)
{
    const char *copied = text.start, *at = text.start, *end = text.start + text.length;
    for (span name; (name = ir_next_name('%', at, end, &at)).length;) {
        const int value = ir_find_value(w->g, name), block = value < 0 ? ir_find_block(w->g, name) : -1;
        if (value < 0 && block < 0) continue;
        const char *start = name.start - 1 - (name.start[-1] == '"');
        fwrite(copied, 1, (size_t)(start - copied), w->body);
        if (value >= 0)
            fputs((names++)->text, w->body);
        else
            fprintf(w->body, "%%b%d", w->g->block[block].first_node);
        copied = at;
    }
    fwrite(copied, 1, (size_t)(end - copied), w->body);
}

static bool accesses_memory(const ir_instr *i) { return ir_is(i, "load") || ir_is(i, "store"); }

/* Writes the instruction, defining a temporary or, if that is negative, its own value. */
static void write_mapped(split_writer *w, const ir_instr *i, int temporary)
{
    operand few[8], *names = i->uses <= 8 ? few : calloc((size_t)i->uses, sizeof *names);
    if (!names) {
        w->context->out_of_memory = true;
        return;
    }
    for (int u = 0; u < i->uses; ++u) names[u] = find_operand(w, w->g->use[i->use + u]);
    fputs("  ", w->body);
    if (temporary >= 0)
        fprintf(w->body, "%%t%d = ", temporary);
    else if (i->value >= 0)
        fprintf(w->body, "%%v%d = ", i->value);
    write_names(w, i->text, names);
    if (accesses_memory(i)) fprintf(w->body, ", !llvm.access.group !%d", w->group);
    fputc('\n', w->body);
    if (names != few) free(names);
}

/* "%12" as it is here; a constant as it is. */
static void find_text_operand(split_writer *w, char *into, size_t capacity, span text)
{
    const int value = *text.start == '%' ? ir_find_value(w->g, (span){text.start + 1, text.length - 1}) : -1;
    if (value < 0)
        snprintf(into, capacity, "%.*s", (int)text.length, text.start);
    else
        snprintf(into, capacity, "%s", find_operand(w, value).text);
}

/* ---- keeping ---- */

static void write_to_slot(split_writer *w, int slot, span type, const char *value)
{
    char number[24], address[24];
    snprintf(number, sizeof number, "%s", value);
    if (span_is(type, "i1")) {
        snprintf(number, sizeof number, "%%t%d", w->temporaries++);
        fprintf(w->body, "  %s = zext i1 %s to i8\n", number, value);
    }
    snprintf(address, sizeof address, "%%t%d", split_write_slot_address(w->body, w, slot, type));
    split_write_store(w->body, w, split_kept_type(type), span_is(type, "i1") ? number : value, address, true);
}

/* What comes out of the region for all threads lies in variables %oN, where N is the field. */
static void write_to_field(split_writer *w, int field, span type, const char *value, bool *used)
{
    char address[24];
    snprintf(address, sizeof address, "%%o%d", field);
    split_write_store(w->body, w, type, value, address, false);
    used[field] = true;
}

static bool is_barrier_result(const split_writer *w, int value)
{
    const ir_instr *i = split_defining(w, value);
    return i && ir_is(i, "call") && ir_is_barrier(ir_callee(i));
}

/* Whether the region gives the value, rather than finding it. */
static bool changes(const split_writer *w, int value)
{
    const ir_instr *i = split_defining(w, value);
    if (!i) return false;
    if (!is_barrier_result(w, value)) return w->inside[i->node];
    return w->r->entry[w->state] == i->node + 1;
}

static void keep_for(split_writer *w, int state, bool *outs)
{
    const ir_word *live = w->r->live + (size_t)state * (size_t)w->r->words;
    for (int v = 0; v < w->g->values; ++v) {
        if (!ir_has(live, v) || w->r->is_remade[v] || !changes(w, v)) continue;
        char type_text[32];
        const span type = split_type_of(w, v, type_text);
        const operand value = find_operand(w, v);
        if (w->slot[v] >= 0)
            write_to_slot(w, w->slot[v], type, value.text);
        else
            write_to_field(w, w->field[v], type, value.text, outs);
    }
}

/* ---- going from node to node ---- */

/* What comes to the phis at the start of a state from a node, into variables of the region or, at its end, where it is
 * kept. All are read before the first is written. */
static void move_to(split_writer *w, int node, int to, bool leaves, bool *outs)
{
    const ir_node *n = &w->g->node[to];
    for (int pass = 0; pass < 2; ++pass)
        for (int i = n->first; i < n->end && ir_is_phi(&w->g->instr[i]); ++i) {
            const ir_instr *phi = &w->g->instr[i];
            char type_text[32], value[256];
            const char *at = phi->text.start;
            ir_incoming in;
            if (!w->r->is_needed[i]) continue;
            while (ir_next_incoming(&in, &at, w->g, phi) && in.block != w->g->node[node].block) continue;
            const span type = split_type_of(w, phi->value, type_text);
            if (pass == 0) {
                find_text_operand(w, value, sizeof value, in.value);
                fprintf(w->body, "  %%p%d.%d = select i1 true, %.*s %s, %.*s %s\n", node, phi->value, (int)type.length,
                        type.start, value, (int)type.length, type.start, value);
                continue;
            }
            snprintf(value, sizeof value, "%%p%d.%d", node, phi->value);
            if (!leaves) {
                char address[24];
                snprintf(address, sizeof address, "%%m%d", phi->value);
                split_write_store(w->body, w, type, value, address, false);
                w->uses_moved[phi->value] = true;
            } else if (w->moved_slot[phi->value] >= 0) {
                write_to_slot(w, w->moved_slot[phi->value], type, value);
            } else {
                write_to_field(w, w->moved_field[phi->value], type, value, outs);
            }
        }
}

static void leave(split_writer *w, int node, const char *state)
{
    fprintf(w->body, "  br label %%lab.x.end\n");
    fprintf(w->next, "%s[ %s, %%b%d ]", w->exits++ ? ", " : "", state, node);
}

static void note_exit(split_writer *w, int state)
{
    if (w->exits == 0) w->fixed = state;
    if (w->fixed != state) w->fixed = -1;
}

static void write_barrier_exit(split_writer *w, int node, bool *outs)
{
    ir_barrier b;
    char text[256], number[24];
    const int state = w->r->state_of[node + 1];
    ir_read_barrier(&b, w->r, node);
    if (b.predicate.length) {
        find_text_operand(w, text, sizeof text, b.predicate);
        snprintf(number, sizeof number, "%%t%d", w->temporaries++);
        fprintf(w->body, "  %s = trunc i32 %s to i8\n", number, text);
        write_to_slot(w, 1, (span){"i8", 2}, number);
    }
    keep_for(w, state, outs);
    note_exit(w, state);
    snprintf(number, sizeof number, "%d", state);
    leave(w, node, number);
}

/* "label %5" in a branch or switch, as the state that begins there. */
static int state_at(const split_writer *w, const char **at, const char *end)
{
    static const char mark[] = "label ";
    const char *label = memmem(*at, (size_t)(end - *at), mark, sizeof mark - 1);
    if (!label) return -1;
    const span name = ir_next_name('%', label, end, at);
    return w->r->state_of[w->g->block[ir_find_block(w->g, name)].first_node];
}

static void write_cut(split_writer *w, int node, bool *outs)
{
    const ir_instr *branch = split_last_instr(w, node);
    const ir_node *n = &w->g->node[node];
    for (int s = 0; s < n->succs; ++s) {
        const int to = w->g->succ[n->succ + s];
        move_to(w, node, to, true, outs);
        keep_for(w, w->r->state_of[to], outs);
        note_exit(w, -1);
    }
    w->fixed = -1;
    const char *at = branch->text.start, *end = at + branch->text.length;
    if (branch->uses && w->r->varies[w->g->use[branch->use]]) w->agrees = false;
    char condition[256], number[24];
    if (ir_is(branch, "br")) {
        find_text_operand(w, condition, sizeof condition, ir_item(at + strlen("br i1 "), ","));
        const int yes = state_at(w, &at, end), no = state_at(w, &at, end);
        snprintf(number, sizeof number, "%%t%d", w->temporaries++);
        fprintf(w->body, "  %s = select i1 %s, i32 %d, i32 %d\n", number, condition, yes, no);
        leave(w, node, number);
        return;
    }
    const span type = ir_item(at + strlen("switch "), " ");
    find_text_operand(w, condition, sizeof condition, ir_item(type.start + type.length + 1, ","));
    int chosen = state_at(w, &at, end);
    snprintf(number, sizeof number, "%d", chosen);
    for (span line; at < end && (line = ir_line(at)).length; at = line.start + line.length) {
        const char *word = line.start + strspn(line.start, " ");
        if (!span_starts_with((span){word, (size_t)(end - word)}, "i")) continue;
        const span constant = ir_item(word + ir_item(word, " ").length + 1, ",");
        const char *label = word;
        const int state = state_at(w, &label, end), is = w->temporaries++, to = w->temporaries++;
        fprintf(w->body, "  %%t%d = icmp eq %.*s %s, %.*s\n", is, (int)type.length, type.start, condition,
                (int)constant.length, constant.start);
        fprintf(w->body, "  %%t%d = select i1 %%t%d, i32 %d, i32 %s\n", to, is, state, number);
        snprintf(number, sizeof number, "%%t%d", to);
    }
    leave(w, node, number);
}

static void write_end_of_node(split_writer *w, int node, bool *outs)
{
    const ir_node *n = &w->g->node[node];
    const ir_instr *last = split_last_instr(w, node);
    if (n->is_barrier) {
        write_barrier_exit(w, node, outs);
    } else if (w->r->is_cut[node]) {
        write_cut(w, node, outs);
    } else if (ir_is(last, "ret")) {
        char number[24];
        note_exit(w, CPU_SPLIT_EXITED);
        snprintf(number, sizeof number, "%d", CPU_SPLIT_EXITED);
        leave(w, node, number);
    } else {
        for (int s = 0; s < n->succs; ++s)
            if (w->r->state_of[w->g->succ[n->succ + s]] >= 0) move_to(w, node, w->g->succ[n->succ + s], false, outs);
        write_mapped(w, last, -1);
    }
}

/* ---- nodes ---- */

/* Marks what belongs to the region; whether two exits may be taken by different threads is found as they are written. */
void split_find_inside(split_writer *w, int node)
{
    if (w->inside[node]) return;
    w->inside[node] = true;
    const ir_node *n = &w->g->node[node];
    for (int s = 0; s < n->succs && !n->is_barrier && !w->r->is_cut[node]; ++s)
        split_find_inside(w, w->g->succ[n->succ + s]);
}

static void write_phi(split_writer *w, const ir_instr *phi)
{
    char type_text[32];
    const span type = split_type_of(w, phi->value, type_text);
    const char *at = phi->text.start, *between = "";
    fprintf(w->body, "  %%v%d = phi %.*s ", phi->value, (int)type.length, type.start);
    for (ir_incoming in; ir_next_incoming(&in, &at, w->g, phi);) {
        const int from = w->g->block[in.block].last_node;
        if (!w->inside[from]) continue;
        const int value =
            *in.value.start == '%' ? ir_find_value(w->g, (span){in.value.start + 1, in.value.length - 1}) : -1;
        fputs(between, w->body);
        if (value >= 0)
            fprintf(w->body, "[ %%e%d.%d, %%b%d ]", from, value, from);
        else
            fprintf(w->body, "[ %.*s, %%b%d ]", (int)in.value.length, in.value.start, from);
        between = ", ";
    }
    fputc('\n', w->body);
}

/* What phis that stay have from a node, as values of their own at its end. */
static void write_outgoing(split_writer *w, int node)
{
    const ir_node *n = &w->g->node[node];
    for (int s = 0; s < n->succs && !n->is_barrier && !w->r->is_cut[node]; ++s) {
        const ir_node *next = &w->g->node[w->g->succ[n->succ + s]];
        if (w->r->state_of[w->g->succ[n->succ + s]] >= 0) continue;
        for (int i = next->first; i < next->end && ir_is_phi(&w->g->instr[i]); ++i) {
            const char *at = w->g->instr[i].text.start;
            if (!w->r->is_needed[i]) continue;
            for (ir_incoming in; ir_next_incoming(&in, &at, w->g, &w->g->instr[i]);) {
                if (in.block != n->block || *in.value.start != '%') continue;
                const int value = ir_find_value(w->g, (span){in.value.start + 1, in.value.length - 1});
                if (w->outgoing[value] == w->state * w->g->nodes + node + 1) continue;
                w->outgoing[value] = w->state * w->g->nodes + node + 1;
                char type_text[32];
                const span type = split_type_of(w, w->g->instr[i].value, type_text);
                const operand from = find_operand(w, value);
                fprintf(w->body, "  %%e%d.%d = select i1 true, %.*s %s, %.*s %s\n", node, value, (int)type.length,
                        type.start, from.text, (int)type.length, type.start, from.text);
            }
        }
    }
}

/* Puts a value that was there at the region's start, and is now another, into its variable. */
static void write_change(split_writer *w, int value)
{
    char type_text[32], name[24], address[24];
    if (value < 0 || !w->r->is_kept[value] || !split_lives(w, value)) return;
    w->uses_variable[value] = true;
    snprintf(name, sizeof name, "%%v%d", value);
    snprintf(address, sizeof address, "%%a%d", value);
    split_write_store(w->body, w, split_type_of(w, value, type_text), name, address, false);
}

static bool calls_a_function(const ir_instr *i) { return ir_is(i, "call") && !span_starts_with(ir_callee(i), "llvm."); }

void split_write_node(split_writer *w, int node, bool *outs)
{
    const ir_node *n = &w->g->node[node];
    int behind_phis = n->first;
    fprintf(w->body, "b%d:\n", node);
    while (behind_phis < n->end && ir_is_phi(&w->g->instr[behind_phis])) ++behind_phis;
    for (int i = n->first; i + 1 < n->end || (i < n->end && ir_is(&w->g->instr[i], "unreachable")); ++i) {
        const ir_instr *instr = &w->g->instr[i];
        char type_text[32];
        const int v = instr->value;
        for (int p = n->first; i == behind_phis && p < i; ++p)
            if (w->r->is_needed[p]) write_change(w, w->g->instr[p].value);
        if (!w->r->is_needed[i] || (v >= 0 && w->r->is_local[v]) || ir_thread_component(instr) >= 0) continue;
        if (v >= 0 && split_lives(w, v) && w->r->is_remade[v]) continue;
        w->calls = w->calls || calls_a_function(instr);
        if (ir_is_phi(instr) && w->r->is_moved[v]) {
            const span type = split_type_of(w, v, type_text);
            w->uses_moved[v] = true;
            fprintf(w->body, "  %%v%d = load %.*s, ", v, (int)type.length, type.start);
            split_write_pointer(w->body, w, type);
            fprintf(w->body, " %%m%d\n", v);
        } else if (ir_is_phi(instr)) {
            write_phi(w, instr);
        } else {
            write_mapped(w, instr, -1);
            write_change(w, v);
        }
    }
    if (ir_is(split_last_instr(w, node), "unreachable")) return;
    for (int p = n->first; behind_phis + 1 == n->end && p < behind_phis; ++p)
        if (w->r->is_needed[p]) write_change(w, w->g->instr[p].value);
    write_outgoing(w, node);
    write_end_of_node(w, node, outs);
}
