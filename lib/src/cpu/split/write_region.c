/* Writes a region as a loop over the threads of a block, with the loads before its body and the stores after it. */
#include "writer.h"
#include "cpu/regions/instructions.h"

#include <stdlib.h>

static bool is_used_slot(const split_region *region, int place)
{
    return place >= 0 && region->k->place[place].is_slot && region->touches[place];
}

static bool is_field(const split_region *region, int place) { return place >= 0 && !region->k->place[place].is_slot; }

static bool is_changed_field(const split_region *region, int place)
{
    return is_field(region, place) && region->touches[place];
}

/* ---- what the region is ---- */

static void find_inside(split_region *region, int node)
{
    const ir_graph *g = region->k->g;
    const ir_node *n = &g->node[node];
    if (region->inside[node]) return;
    region->inside[node] = true;
    for (int s = 0; s < n->succs && !ir_ends_region(region->k->r, node); ++s) find_inside(region, g->succ[n->succ + s]);
}

/* The region after a node that ends this one: CPU_SPLIT_EXITED at the kernel's end, -1 if a branch chooses. */
static int next_of(const ir_regions *r, int node)
{
    const ir_node *n = &r->graph.node[node];
    if (!ir_ends_region(r, node)) return CPU_SPLIT_EXITED;
    if (n->waits) return r->region_at[node + 1];
    return n->succs == 1 ? ir_region_from(r, r->graph.succ[n->succ]) : -1;
}

static void find_exits(split_region *region)
{
    const ir_regions *r = region->k->r;
    const ir_graph *g = region->k->g;
    region->agrees = true;
    for (int n = 0; n < g->nodes; ++n) {
        const ir_instr *last = ir_last_instr(g, n);
        if (!region->inside[n] || !(ir_ends_region(r, n) || ir_is(last, "ret"))) continue;
        const int next = next_of(r, n);
        region->fixed = region->exits == 0 || region->fixed == next ? next : -1;
        ++region->exits;
        if (r->is_cut[n] && last->uses && r->varies[g->use[last->use].value]) region->agrees = false;
    }
}

static void find_calls(split_region *region)
{
    const ir_graph *g = region->k->g;
    for (int n = 0; n < g->nodes; ++n)
        for (int i = g->node[n].first; region->inside[n] && i + 1 < g->node[n].end; ++i)
            if (region->k->r->is_needed[i] && ir_calls_function(&g->instr[i])) region->calls = true;
}

/* ---- before the loop ---- */

/* The names of a loop's function, of its block in lab.run.k, and of the addresses of slots there. */
static const struct {
    const char *function, *block, *slot;
} names_of[] = {[LOOP_OF_RANGE] = {"lab.loop.", "r", "s"},
                [LOOP_OF_ROWS] = {"lab.rows.", "w", "t"},
                [LOOP_OF_WARPS] = {"lab.warps.", "w", "t"},
                [LOOP_OF_LANES] = {"lab.lanes.", "v", "u"}};

static bool is_of_lanes(const split_region *region) { return region->loop == LOOP_OF_LANES; }

/* Whether it is the loop for the kernel's own shape of blocks. */
static bool is_of_shape(const split_region *region)
{
    return region->loop == LOOP_OF_ROWS || region->loop == LOOP_OF_WARPS;
}

static void write_head(const split_region *region, const ir_emitter *e)
{
    const split_kernel *k = region->k;
    const ir_piece frame = as_pointer(k->frame), bytes = as_pointer(split_byte_type());
    ir_emit(e, "define internal i32 @$$.$($ %in, $ %out", as_string(names_of[region->loop].function), as_text(k->name),
            as_number(region->number), frame, frame);
    for (int slot = 0; slot < k->own_slots; ++slot)
        ir_emit(e, ", $ noalias $", as_pointer(split_own_slot_type(slot)), as_local("s", slot));
    for (int p = 0; p < k->places; ++p)
        if (is_used_slot(region, p))
            ir_emit(e, ", $ noalias $", as_pointer(split_slot_type(k->place[p].type)),
                    as_local("s", k->place[p].number));
    ir_emit(e, ", $ noalias %local, $) #$ {\nlab.start:\n", bytes,
            as_string(is_of_lanes(region) ? "i32 %lab.x0, i32 %lab.ty, i32 %lab.tz, i64 %lab.first64"
                      : e->typed_pointers ? "i32* %range"
                                          : "ptr %range"),
            as_number(k->module->attributes + is_of_lanes(region)));
}

static void write_alloca(const ir_emitter *e, ir_piece name, span type)
{
    ir_emit(e, "  $ = alloca $\n", name, as_text(type));
}

/* Loads a field as %iN. If the region changes it, makes the variable %oN for its new value. */
static void write_field(const split_kernel *k, const ir_emitter *e, int field, span type, bool is_out)
{
    const ir_piece value = as_local("i", field), changed = as_local("o", field);
    split_write_field_address(e, k, as_local("if", field), "%in", field);
    split_write_load(e, value, type, as_local("if", field), NO_GROUP);
    if (!is_out) return;
    write_alloca(e, changed, type);
    split_write_store(e, type, value, changed, NO_GROUP);
}

static void write_field_back(const split_kernel *k, const ir_emitter *e, const split_place *p)
{
    const ir_piece address = as_local("of", p->number), value = as_local("ov", p->number);
    split_write_field_address(e, k, address, "%out", p->number);
    split_write_load(e, value, p->type, as_local("o", p->number), NO_GROUP);
    split_write_store(e, p->type, value, address, NO_GROUP);
}

static void write_range(const ir_emitter *e, split_loop loop)
{
    static const int of_rows[] = {0, SPLIT_ROW, -1, -1, -1, -1, SPLIT_ROW, -1};
    static const char *const names[] = {"x0", "x1", "y0", "y1", "z0", "z1", "width", "height"};
    const ir_piece pointer = as_pointer(span_of("i32"));
    for (int i = 0; i < 8; ++i) {
        const ir_piece address = as_local("lab.r", i);
        if (loop == LOOP_OF_ROWS && of_rows[i] >= 0) {
            ir_emit(e, "  %lab.$ = add i32 0, $\n", as_string(names[i]), as_number(of_rows[i]));
            continue;
        }
        ir_emit(e, "  $ = getelementptr inbounds i32, $ %range, i64 $\n", address, pointer, as_number(i));
        ir_emit(e, "  %lab.$ = load i32, $ $\n", as_string(names[i]), pointer, address);
    }
}

/* The result of the wait before the region, as a value, or -1. */
static int result_before(const split_region *region)
{
    const ir_wait *before = ir_wait_before(region->k->r, region->number);
    return before ? before->result : -1;
}

static bool is_result_of_warp(const split_region *region)
{
    const ir_wait *before = ir_wait_before(region->k->r, region->number);
    return before && ir_is_of_warp(before);
}

static void write_start(const split_region *region, const ir_emitter *e)
{
    const split_kernel *k = region->k;
    if (!is_of_lanes(region)) write_range(e, region->loop);
    split_write_local_layout(e, k);
    if (result_before(region) >= 0 && !is_result_of_warp(region))
        write_field(k, e, RESULT_FIELD, span_of("i32"), false);
    for (int v = 0; v < k->g->values; ++v) {
        const span type = k->g->value[v].type;
        const int kept = k->kept[v], moved = k->moved[v];
        if (region->uses_variable[v] && !k->r->is_local[v]) write_alloca(e, as_local("a", v), type);
        if (region->uses_moved[v]) write_alloca(e, as_local("m", v), type);
        if (is_field(region, kept) && (region->uses_variable[v] || region->touches[kept]))
            write_field(k, e, k->place[kept].number, type, region->touches[kept]);
        if (is_field(region, moved) && (region->uses_moved[v] || region->touches[moved]))
            write_field(k, e, k->place[moved].number, type, region->touches[moved]);
    }
}

/* Begins the loop over the threads in the range, or that over the lanes of a warp. */
static void write_loop_start(const split_region *region, const ir_emitter *e)
{
    if (is_of_lanes(region)) {
        fputs("  br label %lab.x\n\nlab.x:\n"
              "  %lab.lane = phi i32 [ 0, %lab.start ], [ %lab.lane.next, %lab.x.end ]\n"
              "  %lab.tx = add nuw i32 %lab.x0, %lab.lane\n  %lab.lane64 = zext i32 %lab.lane to i64\n"
              "  %lab.t = add nuw nsw i64 %lab.first64, %lab.lane64\n",
              e->out);
        return;
    }
    fputs("  br label %lab.z\n\nlab.z:\n"
          "  %lab.tz = phi i32 [ %lab.z0, %lab.start ], [ %lab.z.next, %lab.z.end ]\n"
          "  %lab.plane = mul i32 %lab.tz, %lab.height\n  br label %lab.y\n\nlab.y:\n"
          "  %lab.ty = phi i32 [ %lab.y0, %lab.z ], [ %lab.y.next, %lab.y.end ]\n"
          "  %lab.line = add i32 %lab.plane, %lab.ty\n  %lab.first = mul i32 %lab.line, %lab.width\n"
          "  %lab.first64 = zext i32 %lab.first to i64\n",
          e->out);
    fputs(region->loop == LOOP_OF_WARPS
              ? "  br label %lab.w\n\nlab.w:\n"
                "  %lab.warp = phi i32 [ 0, %lab.y ], [ %lab.w.next, %lab.w.end ]\n"
                "  %lab.begin = shl nuw nsw i32 %lab.warp, 5\n  br label %lab.x\n\nlab.x:\n"
                "  %lab.lane = phi i32 [ 0, %lab.w ], [ %lab.x.next, %lab.x.end ]\n"
                "  %lab.tx = add nuw nsw i32 %lab.begin, %lab.lane\n"
              : "  br label %lab.x\n\nlab.x:\n  %lab.tx = phi i32 [ %lab.x0, %lab.y ], [ %lab.x.next, %lab.x.end ]\n",
          e->out);
    fputs("  %lab.tx64 = zext i32 %lab.tx to i64\n  %lab.t = add nuw nsw i64 %lab.first64, %lab.tx64\n", e->out);
}

/* ---- what each thread begins with ---- */

/* Loads a value from its slot into a variable. */
static void write_fetch(split_region *region, const ir_emitter *e, ir_piece variable, const split_place *p)
{
    const ir_piece address = split_write_slot_address(e, region, p->number, p->type), loaded = split_temporary(region);
    ir_piece value = loaded;
    split_write_load(e, loaded, split_slot_type(p->type), address, region->group);
    if (span_is(p->type, "i1")) {
        value = split_temporary(region);
        ir_emit(e, "  $ = trunc i8 $ to i1\n", value, loaded);
    }
    split_write_store(e, p->type, value, variable, NO_GROUP);
}

/* Puts the value in a place into a variable. */
static void write_from_place(split_region *region, const ir_emitter *e, ir_piece variable, int place)
{
    const split_place *p = &region->k->place[place];
    if (p->is_slot) {
        region->touches[place] = true;
        write_fetch(region, e, variable, p);
    } else {
        split_write_store(e, p->type, as_local("i", p->number), variable, NO_GROUP);
    }
}

static void write_local_address(const split_region *region, const ir_emitter *e, int value)
{
    const ir_piece bytes = as_pointer(split_byte_type()), product = as_local("lp", value);
    const ir_piece offset = as_local("lq", value), address = as_local("lr", value);
    ir_emit(e, "  $ = mul i64 %lab.t, %lab.bytes\n", product);
    ir_emit(e, "  $ = add i64 $, $\n", offset, product, as_local("lab.at.", value));
    ir_emit(e, "  $ = getelementptr inbounds i8, $ %local, i64 $\n", address, bytes, offset);
    ir_emit(e, "  $ = bitcast $ $ to $\n", as_local("v", value), bytes, address,
            as_pointer(split_variable_type(region->k, value)));
}

/* Sets threadIdx for the functions that the kernel calls. */
static void write_thread_index(const ir_emitter *e, const split_module *m)
{
    static const char *const index[] = {"%lab.tx", "%lab.ty", "%lab.tz"};
    const span type = span_of(m->whole_index ? "%struct.lab_index3" : "i32");
    for (int part = 0; part < 3; ++part) {
        if (!m->thread_index[part].length) continue;
        const ir_piece variable = as_symbol("", m->thread_index[part]);
        ir_emit(e, "  store i32 $, $ ", as_string(index[part]), as_pointer(span_of("i32")));
        if (m->whole_index)
            ir_emit(e, "getelementptr ($, $ $, i64 0, i32 $)\n", as_text(type), as_pointer(type), variable,
                    as_number(part));
        else
            ir_emit(e, "$\n", variable);
    }
}

/* Gives a variable the result of the wait before the region. */
static void write_result(split_region *region, const ir_emitter *e, ir_piece variable, span type)
{
    if (!is_result_of_warp(region)) {
        split_write_store(e, type, as_local("i", RESULT_FIELD), variable, NO_GROUP);
        return;
    }
    const bool is_narrow =
        is_of_lanes(region) && split_is_narrow(region->k->g, ir_wait_before(region->k->r, region->number));
    const span kept = is_narrow ? span_of("i32") : split_own_slot_type(RESULT_SLOT);
    const ir_piece address = is_narrow ? split_write_narrow_address(e, region, RESULT_SLOT)
                                       : split_write_slot_address(e, region, RESULT_SLOT, kept);
    const ir_piece whole = split_temporary(region);
    split_write_load(e, whole, kept, address, region->group);
    const bool is_whole = span_equal(type, kept);
    const ir_piece result = is_whole ? whole : split_temporary(region);
    if (!is_whole)
        ir_emit(e, "  $ = $ $ $ to $\n", result, as_string(is_narrow ? "zext" : "trunc"), as_text(kept), whole,
                as_text(type));
    split_write_store(e, type, result, variable, NO_GROUP);
}

static void write_thread_start(split_region *region, const ir_emitter *e)
{
    const split_kernel *k = region->k;
    const ir_regions *r = k->r;
    const int result = result_before(region), entry = r->entry[region->number];
    if (region->calls) write_thread_index(e, k->module);
    for (int v = 0; v < k->g->values; ++v) {
        const ir_instr *phi = ir_defining(k->g, v);
        const ir_piece variable = as_local("a", v);
        if (region->uses_variable[v] && r->is_local[v]) {
            write_local_address(region, e, v);
        } else if (region->uses_variable[v] && ir_lives(r, region->number, v)) {
            if (v == result)
                write_result(region, e, variable, k->g->value[v].type);
            else
                write_from_place(region, e, variable, k->kept[v]);
        }
        if (region->uses_moved[v] && phi && phi->node == entry)
            write_from_place(region, e, as_local("m", v), k->moved[v]);
    }
    ir_emit(e, "  br label %b$\n\n", as_number(entry));
}

/* ---- after the loop ---- */

/* Writes the next region: the loop's result if all threads have the same, else in each thread's slot. */
static void write_next(const split_region *region, const ir_emitter *e, const cpu_text *next, bool one)
{
    const ir_piece bytes = as_pointer(split_byte_type());
    if (region->exits)
        ir_emit(e, "\nlab.x.end:\n  %lab.next = phi i32 $\n", as_text((span){next->data, next->size}));
    else
        fputs("\nlab.x.end:\n  %lab.next = add i32 0, 0\n", e->out);
    if (one) return;
    fputs("  %lab.next8 = trunc i32 %lab.next to i8\n", e->out);
    ir_emit(e, "  %lab.next.at = getelementptr inbounds i8, $ %s0, i64 %lab.t\n", bytes);
    split_write_store(e, split_byte_type(), as_string("%lab.next8"), as_string("%lab.next.at"), region->group);
}

static void write_range_ends(const split_region *region, const ir_emitter *e)
{
    const ir_piece loop = as_number(region->group + 1);
    if (region->loop == LOOP_OF_WARPS)
        ir_emit(e,
                "  %lab.x.next = add nuw nsw i32 %lab.lane, 1\n  %lab.x.more = icmp ult i32 %lab.x.next, 32\n"
                "  br i1 %lab.x.more, label %lab.x, label %lab.w.end, !llvm.loop !$\n\nlab.w.end:\n"
                "  %lab.w.next = add nuw i32 %lab.warp, 1\n  %lab.warps = lshr i32 %lab.width, 5\n"
                "  %lab.w.more = icmp ult i32 %lab.w.next, %lab.warps\n"
                "  br i1 %lab.w.more, label %lab.w, label %lab.y.end\n",
                loop);
    else
        ir_emit(e,
                "  %lab.x.next = add nuw i32 %lab.tx, 1\n  %lab.x.more = icmp ult i32 %lab.x.next, $\n"
                "  br i1 %lab.x.more, label %lab.x, label %lab.y.end, !llvm.loop !$\n",
                as_string(region->is_narrow ? "%lab.hi" : "%lab.x1"), loop);
    fputs("\nlab.y.end:\n"
          "  %lab.y.next = add nuw i32 %lab.ty, 1\n  %lab.y.more = icmp ult i32 %lab.y.next, %lab.y1\n"
          "  br i1 %lab.y.more, label %lab.y, label %lab.z.end\n\nlab.z.end:\n"
          "  %lab.z.next = add nuw i32 %lab.tz, 1\n  %lab.z.more = icmp ult i32 %lab.z.next, %lab.z1\n"
          "  br i1 %lab.z.more, label %lab.z, label %lab.end\n\nlab.end:\n",
          e->out);
}

/* The accesses of the loop's group do not depend on other iterations. A row is as long as a vector, or a few: what is
 * left of its loop goes. */
static void write_metadata(const split_region *region, const ir_emitter *e)
{
    const ir_piece group = as_number(region->group), loop = as_number(region->group + 1);
    ir_emit(e,
            "!$ = distinct !{}\n!$ = distinct !{!$, !{!\"llvm.loop.parallel_accesses\", !$}, "
            "!{!\"llvm.loop.unroll.disable\"}, !{!\"llvm.loop.interleave.count\", i32 1}$}\n\n",
            group, loop, loop, group,
            as_string(is_of_shape(region) ? ", !{!\"llvm.loop.vectorize.followup_all\", !{!\"llvm.loop.isvectorized\"}}"
                                          : ""));
}

static void write_loop_ends(const split_region *region, const ir_emitter *e, const cpu_text *next)
{
    const split_kernel *k = region->k;
    const bool one = split_leaves_as_one(region);
    write_next(region, e, next, one);
    if (is_of_lanes(region))
        ir_emit(e,
                "  %lab.lane.next = add nuw i32 %lab.lane, 1\n  %lab.x.more = icmp ult i32 %lab.lane.next, $\n"
                "  br i1 %lab.x.more, label %lab.x, label %lab.end, !llvm.loop !$\n\nlab.end:\n",
                as_string(region->is_narrow ? "%lab.hi" : "32"), as_number(region->group + 1));
    else
        write_range_ends(region, e);
    for (int p = 0; p < k->places; ++p)
        if (is_changed_field(region, p)) write_field_back(k, e, &k->place[p]);
    if (one)
        fputs("  ret i32 %lab.next\n}\n\n", e->out);
    else
        ir_emit(e, "  ret i32 $\n}\n\n", as_number(CPU_SPLIT_APART));
}

static void write_cleared(const split_region *region, const ir_emitter *e, int place)
{
    const split_place *p = &region->k->place[place];
    const ir_piece address = as_local_pair("c", region->number, p->number);
    split_write_field_address(e, region->k, address, "%frame.out", p->number);
    split_write_store(e, p->type, as_string("zeroinitializer"), address, NO_GROUP);
}

/* Behind a barrier of the block: for no threads at all, clears the fields that nothing reads any more. */
static void write_clearing(const split_region *region, const ir_emitter *e)
{
    const split_kernel *k = region->k;
    const ir_piece number = as_number(region->number), i32 = as_pointer(span_of("i32"));
    const ir_wait *wait = ir_wait_before(k->r, region->number);
    if (!wait || ir_is_of_warp(wait)) return;
    ir_emit(e,
            "  %c$.at = getelementptr inbounds i32, $ %range, i64 1\n  %c$.end = load i32, $ %c$.at\n"
            "  %c$.none = icmp eq i32 %c$.end, 0\n  br i1 %c$.none, label %c$.clear, label %c$.run\n\nc$.clear:\n",
            number, i32, number, i32, number, number, number, number, number, number, number);
    for (int v = 0; v < k->g->values; ++v) {
        const ir_instr *phi = ir_defining(k->g, v);
        const bool begins = phi && phi->node == k->r->entry[region->number];
        if (is_field(region, k->kept[v]) && !ir_lives(k->r, region->number, v)) write_cleared(region, e, k->kept[v]);
        if (is_field(region, k->moved[v]) && !begins) write_cleared(region, e, k->moved[v]);
    }
    ir_emit(e, "  ret i32 $\n\nc$.run:\n", number, number);
}

/* Writes a case of a switch in lab.run.k: the call of the region's loop. */
static void write_case(const split_region *region, const ir_emitter *e)
{
    const split_kernel *k = region->k;
    const ir_piece number = as_number(region->number), frame = as_pointer(k->frame);
    const ir_piece bytes = as_pointer(split_byte_type()), block = as_string(names_of[region->loop].block);
    const char *slot_name = names_of[region->loop].slot;
    static const char slot_address[] = "  $ = getelementptr inbounds $, $ %slots.all, i32 0, i32 $, i64 0\n";
    ir_emit(e, "$$:\n", block, number);
    if (region->loop == LOOP_OF_RANGE) write_clearing(region, e);
    for (int slot = 0; slot < k->own_slots; ++slot)
        ir_emit(e, slot_address, as_local_pair(slot_name, region->number, slot), as_text(k->slots),
                as_pointer(k->slots), as_number(slot));
    for (int p = 0; p < k->places; ++p)
        if (is_used_slot(region, p))
            ir_emit(e, slot_address, as_local_pair(slot_name, region->number, k->place[p].number), as_text(k->slots),
                    as_pointer(k->slots), as_number(k->place[p].number));
    ir_emit(e, "  %$.to$ = call i32 @$$.$($ %frame.in, $ %frame.out", block, number,
            as_string(names_of[region->loop].function), as_text(k->name), number, frame, frame);
    for (int slot = 0; slot < k->own_slots; ++slot)
        ir_emit(e, ", $ $", as_pointer(split_own_slot_type(slot)), as_local_pair(slot_name, region->number, slot));
    for (int p = 0; p < k->places; ++p)
        if (is_used_slot(region, p))
            ir_emit(e, ", $ $", as_pointer(split_slot_type(k->place[p].type)),
                    as_local_pair(slot_name, region->number, k->place[p].number));
    if (is_of_lanes(region)) {
        ir_emit(e, ", $ %local, i32 %warp.x, i32 %warp.y, i32 %warp.z, i64 %warp.first)\n", bytes);
        split_write_way_on(k, e, region->number, region->fixed);
    } else {
        ir_emit(e, ", $ %local, $ %range)\n  ret i32 %$.to$\n\n", bytes, as_pointer(span_of("i32")), block, number);
    }
}

/* ---- the whole ---- */

/* Writes the loop around its body. */
static bool write_loop(split_region *region, FILE *out, FILE *cases)
{
    const ir_emitter e = split_emitter(region->k, out), calls = split_emitter(region->k, cases);
    cpu_text start = {0}, body = {0}, next = {0};
    const ir_emitter starting = split_emitter(region->k, open_memstream(&start.data, &start.size));
    region->body = split_emitter(region->k, open_memstream(&body.data, &body.size));
    region->ways_out = split_emitter(region->k, open_memstream(&next.data, &next.size));
    bool done = starting.out && region->body.out && region->ways_out.out;
    if (done) {
        split_write_body(region);
        write_start(region, &starting);
        write_loop_start(region, &starting);
        write_thread_start(region, &starting);
    }
    if (starting.out) done = ir_emit_end(starting.out, &start) && done;
    if (region->body.out) done = ir_emit_end(region->body.out, &body) && done;
    if (region->ways_out.out) done = ir_emit_end(region->ways_out.out, &next) && done;
    if (done && is_of_shape(region) && region->is_narrow) {
        ir_emit(&calls, "w$:\n  br label %r$\n\n", as_number(region->number), as_number(region->number));
    } else if (done) {
        write_head(region, &e);
        fwrite(start.data, 1, start.size, out);
        fwrite(body.data, 1, body.size, out);
        write_loop_ends(region, &e, &next);
        write_metadata(region, &e);
        write_case(region, &calls);
    }
    free(start.data);
    free(body.data);
    free(next.data);
    return done && !region->out_of_memory;
}

static bool write_one(const split_kernel *k, int number, split_loop loop, FILE *out, FILE *cases)
{
    const size_t values = (size_t)k->g->values + 1, nodes = (size_t)k->g->nodes;
    bool *flags = calloc(nodes + 4 * values, 1); /* at most two places for each value */
    split_region region = {
        .k = k, .number = number, .group = k->module->metadata, .fixed = -1, .inside = flags, .loop = loop};
    region.outgoing = calloc(values, sizeof *region.outgoing);
    const bool allocated = flags && region.outgoing;
    bool done = false;
    if (allocated) {
        region.uses_variable = flags + nodes;
        region.uses_moved = region.uses_variable + values;
        region.touches = region.uses_moved + values;
        k->module->metadata += 2;
        find_inside(&region, k->r->entry[number]);
        find_exits(&region);
        find_calls(&region);
        done = write_loop(&region, out, cases);
    }
    free(region.outgoing);
    free(flags);
    return done;
}

bool split_write_region(const split_kernel *k, int number, FILE *out, FILE *cases)
{
    const ir_emitter vectors = split_emitter(k, cases);
    return write_one(k, number, LOOP_OF_RANGE, out, cases) &&
           (k->shape == LOOP_OF_RANGE || write_one(k, number, k->shape, out, cases)) &&
           (!k->has_warps || split_write_vectors(k, number, &vectors) ||
            write_one(k, number, LOOP_OF_LANES, out, cases));
}
