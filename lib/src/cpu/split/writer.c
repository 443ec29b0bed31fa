/* Accesses, addresses and the layout of local memory are the same in every part of a split kernel. */
#include "writer.h"
#include "cpu/regions/instructions.h"

#include <stdlib.h>

ir_emitter split_emitter(const split_kernel *k, FILE *out) { return (ir_emitter){out, k->module->typed_pointers}; }

span split_byte_type(void) { return span_of("i8"); }

span split_slot_type(span type) { return span_is(type, "i1") ? split_byte_type() : type; }

span split_own_slot_type(int slot)
{
    static const char *const type[] = {"i8", "i8", "i32", "i32", "i32", "i64", "i64"};
    return span_of(type[slot]);
}

ir_piece split_temporary(split_region *region) { return as_local("t", region->temporaries++); }

/* ---- accesses ---- */

static void write_group(const ir_emitter *e, int group)
{
    if (group != NO_GROUP) ir_emit(e, ", !llvm.access.group !$", as_number(group));
    fputc('\n', e->out);
}

void split_write_load(const ir_emitter *e, ir_piece result, span type, ir_piece address, int group)
{
    ir_emit(e, "  $ = load $, $ $", result, as_text(type), as_pointer(type), address);
    write_group(e, group);
}

void split_write_store(const ir_emitter *e, span type, ir_piece value, ir_piece address, int group)
{
    ir_emit(e, "  store $ $, $ $", as_text(type), value, as_pointer(type), address);
    write_group(e, group);
}

ir_piece split_write_slot_address(const ir_emitter *e, split_region *region, int slot, span type)
{
    const ir_piece address = split_temporary(region);
    ir_emit(e, "  $ = getelementptr inbounds $, $ $, i64 %lab.t\n", address, as_text(split_slot_type(type)),
            as_pointer(split_slot_type(type)), as_local("s", slot));
    return address;
}

ir_piece split_write_narrow_address(const ir_emitter *e, split_region *region, int slot)
{
    const ir_piece number = as_pointer(span_of("i32")), first = split_temporary(region);
    const ir_piece index = split_temporary(region), address = split_temporary(region);
    ir_emit(e, "  $ = bitcast $ $ to $\n", first, as_pointer(split_own_slot_type(slot)), as_local("s", slot), number);
    ir_emit(e, "  $ = add nuw nsw i64 %lab.first64, %lab.t\n", index);
    ir_emit(e, "  $ = getelementptr inbounds i32, $ $, i64 $\n", address, number, first, index);
    return address;
}

void split_write_field_address(const ir_emitter *e, const split_kernel *k, ir_piece name, const char *frame, int field)
{
    ir_emit(e, "  $ = getelementptr inbounds $, $ $, i32 0, i32 $\n", name, as_text(k->frame), as_pointer(k->frame),
            as_string(frame), as_number(field));
}

/* ---- local memory ---- */

span split_variable_type(const split_kernel *k, int value)
{
    return ir_item(ir_defining(k->g, value)->text.start + strlen("alloca "), ",");
}

static int alignment(const split_kernel *k, int value)
{
    const char *align = span_find(ir_defining(k->g, value)->text, ", align ");
    return align ? atoi(align + strlen(", align ")) : 16;
}

/* The variables follow each other; %lab.local.N is the end of the N-th. Together they have an odd number of cache
 * lines, so that the threads' variables do not all compete for the same sets of the cache. */
void split_write_local_layout(const ir_emitter *e, const split_kernel *k)
{
    int count = 0;
    fputs("  %lab.local.0 = add i64 0, 0\n", e->out);
    for (int v = 0; v < k->g->values; ++v) {
        if (!k->r->is_local[v] || !k->r->is_needed[k->g->value[v].instr]) continue;
        const int align = alignment(k, v);
        const ir_piece n = as_number(count), at = as_local("lab.at.", v);
        ir_emit(e, "  %lab.up.$ = add i64 %lab.local.$, $\n", n, n, as_number(align - 1));
        ir_emit(e, "  $ = and i64 %lab.up.$, -$\n", at, n, as_number(align));
        ir_emit(e, "  $ = add i64 $, $\n", as_local("lab.local.", ++count), at, as_size(split_variable_type(k, v)));
    }
    ir_emit(e, "  %lab.up = add i64 $, 63\n  %lab.lines = lshr i64 %lab.up, 6\n", as_local("lab.local.", count));
    ir_emit(e, "  %lab.odd = or i64 %lab.lines, $\n  %lab.bytes = shl i64 %lab.odd, 6\n", as_number(count > 0));
}

split_part split_part_of_index(const ir_graph *g, const ir_instr *i)
{
    static const struct {
        const char *opcode, *end;
        split_part part;
    } forms[] = {{"and", ", 31", PART_LANE},
                 {"urem", ", 32", PART_LANE},
                 {"lshr", ", 5", PART_WARP},
                 {"udiv", ", 32", PART_WARP}};
    const ir_instr *of = i->uses == 1 ? ir_defining(g, g->use[i->use].value) : NULL;
    if (!of || ir_thread_component(of) != 0) return NO_PART;
    for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
        const size_t length = strlen(forms[f].end);
        if (ir_is(i, forms[f].opcode) && memcmp(span_end(i->text) - length, forms[f].end, length) == 0)
            return forms[f].part;
    }
    return NO_PART;
}

bool split_changes(const split_region *region, int value)
{
    const ir_graph *g = region->k->g;
    const ir_instr *i = ir_defining(g, value);
    if (!i) return false;
    if (ir_is_wait_instr(g, i)) return region->k->r->entry[region->number] == i->node + 1;
    return region->inside[i->node];
}
