/* Writes the instructions of a region. It loads kept values where they are used, and stores them where it is left. */
#include "writer.h"
#include "cpu/regions/instructions.h"

#include <stdlib.h>

/* ---- values in a region ---- */

static void write_instr(split_region *region, const ir_instr *i, const ir_piece *result);

ir_piece split_find_value(split_region *region, int value)
{
    static const char *const index[] = {"%lab.tx", "%lab.ty", "%lab.tz"};
    const ir_regions *r = region->k->r;
    const ir_instr *i = ir_defining(region->k->g, value);
    const int component = i ? ir_thread_component(i) : -1;
    if (component >= 0) return as_string(index[component]);
    if (r->is_local[value]) region->uses_variable[value] = true;
    if (r->is_local[value] || !ir_lives(r, region->number, value)) return as_local("v", value);
    const ir_piece made = split_temporary(region);
    if (r->is_remade[value]) {
        write_instr(region, i, &made);
    } else {
        region->uses_variable[value] = true;
        split_write_load(&region->body, made, region->k->g->value[value].type, as_local("a", value), NO_GROUP);
    }
    return made;
}

/* The same for an operand, which may be a constant. */
static ir_piece find_operand(split_region *region, span text, int value)
{
    return value < 0 ? as_text(text) : split_find_value(region, value);
}

/* Writes an instruction's text with the names that its values and blocks have in the region. */
static void write_renamed(const split_region *region, const ir_instr *i, const ir_piece *value)
{
    const ir_graph *g = region->k->g;
    const ir_emitter *e = &region->body;
    const char *copied = i->text.start;
    for (int u = 0; u < i->uses; ++u) {
        const span place = g->use[i->use + u].place;
        ir_emit(e, "$$", as_text((span){copied, (size_t)(place.start - copied)}), value[u]);
        copied = span_end(place);
    }
    for (int t = 0; t < i->targets; ++t) {
        const ir_target *target = &g->target[i->target + t];
        ir_emit(e, "$$", as_text((span){copied, (size_t)(target->place.start - copied)}),
                as_local("b", g->block[target->block].first_node));
        copied = span_end(target->place);
    }
    ir_emit_span(e->out, (span){copied, (size_t)(span_end(i->text) - copied)});
}

/* Gives a value another name. */
static void write_copy(split_region *region, ir_piece name, span type, ir_piece value)
{
    ir_emit(&region->body, "  $ = select i1 true, $ $, $ $\n", name, as_text(type), value, as_text(type), value);
}

/* Writes the instruction. `result` is the name of the value that it defines, or NULL. */
static void write_instr(split_region *region, const ir_instr *i, const ir_piece *result)
{
    const split_part part = region->loop == LOOP_OF_WARPS ? split_part_of_index(region->k->g, i) : NO_PART;
    if (part != NO_PART) {
        write_copy(region, *result, span_of("i32"), as_string(part == PART_LANE ? "%lab.lane" : "%lab.warp"));
        return;
    }
    ir_piece *value = calloc((size_t)i->uses + 1, sizeof *value);
    if (!value) {
        region->out_of_memory = true;
        return;
    }
    for (int u = 0; u < i->uses; ++u) value[u] = split_find_value(region, region->k->g->use[i->use + u].value);
    fputs("  ", region->body.out);
    if (result) ir_emit(&region->body, "$ = ", *result);
    write_renamed(region, i, value);
    if (ir_is(i, "load") || ir_is(i, "store"))
        ir_emit(&region->body, ", !llvm.access.group !$", as_number(region->group));
    fputc('\n', region->body.out);
    free(value);
}

/* ---- keeping ---- */

static void write_to_slot(split_region *region, int slot, span type, ir_piece value)
{
    const bool is_bit = span_is(type, "i1");
    const ir_piece stored = is_bit ? split_temporary(region) : value;
    if (is_bit) ir_emit(&region->body, "  $ = zext i1 $ to i8\n", stored, value);
    const ir_piece address = split_write_slot_address(&region->body, region, slot, type);
    split_write_store(&region->body, split_slot_type(type), stored, address, region->group);
}

/* Stores a value in its place. A field N has a variable %oN while the region runs. */
static void write_to_place(split_region *region, int place, ir_piece value)
{
    const split_place *p = &region->k->place[place];
    region->touches[place] = true;
    if (p->is_slot)
        write_to_slot(region, p->number, p->type, value);
    else
        split_write_store(&region->body, p->type, value, as_local("o", p->number), NO_GROUP);
}

static void keep_for(split_region *region, int next)
{
    const ir_regions *r = region->k->r;
    for (int v = 0; v < region->k->g->values; ++v)
        if (ir_lives(r, next, v) && !r->is_remade[v] && split_changes(region, v))
            write_to_place(region, region->k->kept[v], split_find_value(region, v));
}

/* ---- going from node to node ---- */

const ir_incoming *split_incoming(const ir_graph *g, const ir_instr *phi, int node)
{
    const ir_incoming *edge = &g->incoming[phi->incoming];
    while (edge->block != g->node[node].block) ++edge;
    return edge;
}

/* Stores the values that a node passes to the phis at the start of a region: in their places if this region is left,
 * else in variables. All values are read before the first is stored. */
static void move_to(split_region *region, int node, int next, bool leaves)
{
    const ir_graph *g = region->k->g;
    const ir_node *n = &g->node[next];
    for (int i = n->first; i < n->end && ir_is_phi(&g->instr[i]); ++i) {
        const ir_instr *phi = &g->instr[i];
        if (!region->k->r->is_needed[i]) continue;
        const ir_incoming *edge = split_incoming(g, phi, node);
        const ir_piece value = find_operand(region, edge->text, edge->value);
        write_copy(region, as_local_pair("p", node, phi->value), g->value[phi->value].type, value);
    }
    for (int i = n->first; i < n->end && ir_is_phi(&g->instr[i]); ++i) {
        const int v = g->instr[i].value;
        const ir_piece value = as_local_pair("p", node, v);
        if (!region->k->r->is_needed[i]) continue;
        if (leaves) {
            write_to_place(region, region->k->moved[v], value);
        } else {
            split_write_store(&region->body, g->value[v].type, value, as_local("m", v), NO_GROUP);
            region->uses_moved[v] = true;
        }
    }
}

/* ---- exits ---- */

/* Leaves the region from a node. The next region is a constant or a value. */
static void leave(split_region *region, int node, ir_piece next)
{
    const bool is_first = ftello(region->ways_out.out) == 0;
    fputs("  br label %lab.x.end\n", region->body.out);
    ir_emit(&region->ways_out, "$[ $, $ ]", as_string(is_first ? "" : ", "), next, as_local("b", node));
}

/* Stores a value for the warp as a number of 32 bits. */
static void write_narrow(split_region *region, ir_piece value)
{
    const ir_piece number = split_temporary(region);
    ir_emit(&region->body, "  $ = trunc i64 $ to i32\n", number, value);
    const ir_piece address = split_write_narrow_address(&region->body, region, VALUE_SLOT);
    split_write_store(&region->body, span_of("i32"), number, address, region->group);
}

/* Stores what a thread brings to a wait. Of that a whole warp needs the value to complete it, and a shuffle's lane
 * unless that is a constant. */
static void write_arguments(split_region *region, const ir_wait *wait)
{
    static const int slot[IR_MOST_ARGUMENTS] = {MASK_SLOT, VALUE_SLOT, ARGUMENT_SLOT, WIDTH_SLOT};
    const bool completes = region->loop == LOOP_OF_LANES && split_completes(wait);
    const bool varies = wait->arguments > 2 && wait->argument[2].value >= 0;
    for (int a = 0; a < wait->arguments; ++a) {
        if (completes && slot[a] != VALUE_SLOT && !(varies && slot[a] == ARGUMENT_SLOT)) continue;
        const ir_piece value = find_operand(region, wait->argument[a].text, wait->argument[a].value);
        if (completes && slot[a] == VALUE_SLOT && split_is_narrow(region->k->g, wait)) {
            write_narrow(region, value);
        } else if (ir_is_of_warp(wait)) {
            write_to_slot(region, slot[a], split_own_slot_type(slot[a]), value);
        } else {
            const ir_piece byte = split_temporary(region);
            ir_emit(&region->body, "  $ = trunc i32 $ to i8\n", byte, value);
            write_to_slot(region, PREDICATE_SLOT, split_byte_type(), byte);
        }
    }
}

static void write_wait_exit(split_region *region, int node)
{
    const int next = region->k->r->region_at[node + 1];
    write_arguments(region, &region->k->r->wait[node]);
    keep_for(region, next);
    leave(region, node, as_number(next));
}

static int region_of_target(const split_region *region, const ir_target *target)
{
    return ir_region_from(region->k->r, region->k->g->block[target->block].first_node);
}

/* Writes a branch between two regions. */
static void write_choice(split_region *region, int node, const ir_instr *branch, ir_piece condition)
{
    const ir_target *target = &region->k->g->target[branch->target];
    const ir_piece next = split_temporary(region);
    ir_emit(&region->body, "  $ = select i1 $, i32 $, i32 $\n", next, condition,
            as_number(region_of_target(region, &target[0])), as_number(region_of_target(region, &target[1])));
    leave(region, node, next);
}

/* Writes a switch between regions: the default, replaced by the case that equals the condition. */
static void write_choices(split_region *region, int node, const ir_instr *branch, ir_piece condition)
{
    const ir_target *target = &region->k->g->target[branch->target];
    const span type = ir_item(span_end(branch->opcode) + 1, " ");
    ir_piece next = as_number(region_of_target(region, target));
    for (int t = 1; t < branch->targets; ++t) {
        const ir_piece is_it = split_temporary(region), chosen = split_temporary(region);
        ir_emit(&region->body, "  $ = icmp eq $ $, $\n", is_it, as_text(type), condition, as_text(target[t].constant));
        ir_emit(&region->body, "  $ = select i1 $, i32 $, i32 $\n", chosen, is_it,
                as_number(region_of_target(region, &target[t])), next);
        next = chosen;
    }
    leave(region, node, next);
}

static void write_cut(split_region *region, int node)
{
    const ir_graph *g = region->k->g;
    const ir_instr *branch = ir_last_instr(g, node);
    const ir_node *n = &g->node[node];
    for (int s = 0; s < n->succs; ++s) {
        const int next = g->succ[n->succ + s];
        move_to(region, node, next, true);
        keep_for(region, region->k->r->region_at[next]);
    }
    if (n->succs == 1) {
        leave(region, node, as_number(ir_region_from(region->k->r, g->succ[n->succ])));
        return;
    }
    const ir_piece condition =
        find_operand(region, ir_condition(branch), branch->uses ? g->use[branch->use].value : -1);
    if (ir_is(branch, "br"))
        write_choice(region, node, branch, condition);
    else
        write_choices(region, node, branch, condition);
}

static void write_end_of_node(split_region *region, int node)
{
    const ir_graph *g = region->k->g;
    const ir_node *n = &g->node[node];
    const ir_instr *last = ir_last_instr(g, node);
    if (n->waits) {
        write_wait_exit(region, node);
    } else if (region->k->r->is_cut[node]) {
        write_cut(region, node);
    } else if (ir_is(last, "ret")) {
        leave(region, node, as_number(CPU_SPLIT_EXITED));
    } else {
        for (int s = 0; s < n->succs; ++s)
            if (region->k->r->region_at[g->succ[n->succ + s]] >= 0) move_to(region, node, g->succ[n->succ + s], false);
        write_instr(region, last, NULL);
    }
}

/* ---- nodes ---- */

static void write_phi(split_region *region, const ir_instr *phi)
{
    const ir_graph *g = region->k->g;
    const char *between = "";
    ir_emit(&region->body, "  $ = phi $ ", as_local("v", phi->value), as_text(g->value[phi->value].type));
    for (int k = 0; k < phi->incomings; ++k) {
        const ir_incoming *edge = &g->incoming[phi->incoming + k];
        const int node = g->block[edge->block].last_node;
        if (!region->inside[node]) continue;
        ir_emit(&region->body, "$[ $, $ ]", as_string(between),
                edge->value < 0 ? as_text(edge->text) : as_local_pair("e", node, edge->value), as_local("b", node));
        between = ", ";
    }
    fputc('\n', region->body.out);
}

/* Copies the value that a node passes to a phi within the region, at the node's end. */
static void write_outgoing_to(split_region *region, int node, const ir_instr *phi)
{
    const ir_graph *g = region->k->g;
    for (int k = 0; k < phi->incomings; ++k) {
        const ir_incoming *edge = &g->incoming[phi->incoming + k];
        if (edge->block != g->node[node].block || edge->value < 0 || region->outgoing[edge->value] == node + 1)
            continue;
        region->outgoing[edge->value] = node + 1;
        const ir_piece value = split_find_value(region, edge->value);
        write_copy(region, as_local_pair("e", node, edge->value), g->value[phi->value].type, value);
    }
}

static void write_outgoing(split_region *region, int node)
{
    const ir_graph *g = region->k->g;
    const ir_node *n = &g->node[node];
    for (int s = 0; s < n->succs && !ir_ends_region(region->k->r, node); ++s) {
        const int next = g->succ[n->succ + s];
        if (region->k->r->region_at[next] >= 0) continue;
        for (int i = g->node[next].first; i < g->node[next].end && ir_is_phi(&g->instr[i]); ++i)
            if (region->k->r->is_needed[i]) write_outgoing_to(region, node, &g->instr[i]);
    }
}

/* Stores the new value of one that lived at the region's start in its variable. */
static void write_change(split_region *region, int value)
{
    const ir_regions *r = region->k->r;
    if (value < 0 || !r->is_kept[value] || !ir_lives(r, region->number, value)) return;
    region->uses_variable[value] = true;
    split_write_store(&region->body, region->k->g->value[value].type, as_local("v", value), as_local("a", value),
                      NO_GROUP);
}

/* Whether the region contains the instruction: not one that is left out, or computed again at its uses. */
static bool is_written(const split_region *region, int instr)
{
    const ir_regions *r = region->k->r;
    const ir_instr *i = &region->k->g->instr[instr];
    if (!r->is_needed[instr] || ir_thread_component(i) >= 0) return false;
    return i->value < 0 ||
           !(r->is_local[i->value] || (ir_lives(r, region->number, i->value) && r->is_remade[i->value]));
}

static void write_node_phi(split_region *region, const ir_instr *phi)
{
    const int v = phi->value;
    if (!region->k->r->is_moved[v]) {
        write_phi(region, phi);
        return;
    }
    region->uses_moved[v] = true;
    split_write_load(&region->body, as_local("v", v), region->k->g->value[v].type, as_local("m", v), NO_GROUP);
}

/* Writes where the loop over x ends, if not all threads have something to do. */
static void narrow(split_region *region)
{
    split_bound b;
    region->is_narrow = split_find_narrow(&b, region);
    if (region->is_narrow) split_write_narrow(region, &b, find_operand(region, b.number, b.value));
}

static void write_node(split_region *region, int node)
{
    const ir_graph *g = region->k->g;
    const ir_node *n = &g->node[node];
    const bool is_end = ir_is(ir_last_instr(g, node), "unreachable");
    int i = n->first;
    ir_emit(&region->body, "b$:\n", as_number(node));
    for (; i < n->end && ir_is_phi(&g->instr[i]); ++i)
        if (is_written(region, i)) write_node_phi(region, &g->instr[i]);
    for (int phi = n->first; phi < i; ++phi)
        if (region->k->r->is_needed[phi]) write_change(region, g->instr[phi].value);
    for (; i < n->end - !is_end; ++i) {
        const ir_piece result = as_local("v", g->instr[i].value);
        if (!is_written(region, i)) continue;
        write_instr(region, &g->instr[i], g->instr[i].value < 0 ? NULL : &result);
        write_change(region, g->instr[i].value);
    }
    if (is_end) return;
    write_outgoing(region, node);
    if (node == region->k->r->entry[region->number]) narrow(region);
    write_end_of_node(region, node);
}

void split_write_body(split_region *region)
{
    for (int n = 0; n < region->k->g->nodes; ++n)
        if (region->inside[n]) write_node(region, n);
}
