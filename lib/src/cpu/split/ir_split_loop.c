/* A region as a loop over the threads of a block: what is fetched before the loop and in it, and put back after. */
#include "ir_split_writer.h"

#include <stdlib.h>
#include <string.h>

/* ---- a region ---- */

static void write_head(const split_writer *w)
{
    FILE *out = w->out;
    char type_text[32];
    fprintf(out, "define internal i32 @lab.loop.%.*s.%d(", (int)w->name.length, w->name.start, w->state);
    split_write_pointer_to(out, w, "lab.frame");
    fputs(" %in, ", out);
    split_write_pointer_to(out, w, "lab.frame");
    fprintf(out, " %%out, %s noalias %%s0, %s noalias %%s1", w->bytes, w->bytes);
    for (int v = 0; v < w->g->values; ++v) {
        const int slot[] = {w->slot[v], w->moved_slot[v]};
        for (int k = 0; k < 2; ++k) {
            if (slot[k] < 0 || !w->uses_slot[slot[k]]) continue;
            fputs(", ", out);
            split_write_pointer(out, w, split_kept_type(split_type_of(w, v, type_text)));
            fprintf(out, " noalias %%s%d", slot[k]);
        }
    }
    fprintf(out, ", %s noalias %%local, ", w->bytes);
    split_write_pointer(out, w, (span){"i32", 3});
    fprintf(out, " %%range) #%d {\nlab.start:\n", w->context->attributes);
}

static void write_alloca(FILE *out, char letter, int number, span type)
{
    fprintf(out, "  %%%c%d = alloca %.*s\n", letter, number, (int)type.length, type.start);
}

/* Fetches what a field has, as %iN, and makes the variable for what it will have. */
static void write_field(const split_writer *w, int field, span type, bool is_out)
{
    char name[24], value[24], address[24];
    snprintf(name, sizeof name, "%%if%d", field);
    snprintf(value, sizeof value, "%%i%d", field);
    snprintf(address, sizeof address, "%%o%d", field);
    split_write_field_address(w->out, w, name, "in", field);
    fprintf(w->out, "  %s = load %.*s, ", value, (int)type.length, type.start);
    split_write_pointer(w->out, w, type);
    fprintf(w->out, " %s\n", name);
    if (!is_out) return;
    write_alloca(w->out, 'o', field, type);
    split_write_store(w->out, w, type, value, address, false);
}

static void write_field_back(const split_writer *w, int field, span type)
{
    char name[24], value[24];
    snprintf(name, sizeof name, "%%of%d", field);
    snprintf(value, sizeof value, "%%ov%d", field);
    split_write_field_address(w->out, w, name, "out", field);
    fprintf(w->out, "  %s = load %.*s, ", value, (int)type.length, type.start);
    split_write_pointer(w->out, w, type);
    fprintf(w->out, " %%o%d\n", field);
    split_write_store(w->out, w, type, value, name, false);
}

static void write_range(const split_writer *w)
{
    static const char *const names[] = {"x0", "x1", "y0", "y1", "z0", "z1", "width", "height"};
    for (int i = 0; i < 8; ++i) {
        fprintf(w->out, "  %%lab.r%d = getelementptr inbounds i32, ", i);
        split_write_pointer(w->out, w, (span){"i32", 3});
        fprintf(w->out, " %%range, i64 %d\n  %%lab.%s = load i32, ", i, names[i]);
        split_write_pointer(w->out, w, (span){"i32", 3});
        fprintf(w->out, " %%lab.r%d\n", i);
    }
}

static int result_of_entry(const split_writer *w)
{
    const int before = w->r->entry[w->state] - 1;
    if (before < 0 || !w->g->node[before].is_barrier) return -1;
    return split_last_instr(w, before)->value;
}

static void write_start(split_writer *w, const bool *outs)
{
    char type_text[32];
    const int result = result_of_entry(w);
    write_range(w);
    split_write_local_layout(w->out, w);
    if (result >= 0) write_field(w, 0, (span){"i32", 3}, false);
    for (int v = 0; v < w->g->values; ++v) {
        const span type = split_type_of(w, v, type_text);
        const int moved = w->moved_field[v];
        if (w->uses_variable[v] && !w->r->is_local[v]) write_alloca(w->out, 'a', v, type);
        if (w->uses_moved[v]) write_alloca(w->out, 'm', v, type);
        if (w->field[v] >= 0 && (w->uses_variable[v] || outs[w->field[v]]))
            write_field(w, w->field[v], type, outs[w->field[v]]);
        if (moved >= 0 && (w->uses_moved[v] || outs[moved])) write_field(w, moved, type, outs[moved]);
    }
    fputs("  br label %lab.z\n\nlab.z:\n"
          "  %lab.tz = phi i32 [ %lab.z0, %lab.start ], [ %lab.z.next, %lab.z.end ]\n"
          "  %lab.plane = mul i32 %lab.tz, %lab.height\n  br label %lab.y\n\nlab.y:\n"
          "  %lab.ty = phi i32 [ %lab.y0, %lab.z ], [ %lab.y.next, %lab.y.end ]\n"
          "  %lab.line = add i32 %lab.plane, %lab.ty\n  %lab.first = mul i32 %lab.line, %lab.width\n"
          "  %lab.first64 = zext i32 %lab.first to i64\n  br label %lab.x\n\nlab.x:\n"
          "  %lab.tx = phi i32 [ %lab.x0, %lab.y ], [ %lab.x.next, %lab.x.end ]\n"
          "  %lab.tx64 = zext i32 %lab.tx to i64\n  %lab.t = add nuw nsw i64 %lab.first64, %lab.tx64\n",
          w->out);
}

/* Fetches a value from a slot into a variable. */
static void write_fetch(split_writer *w, char letter, int value, int slot, span type)
{
    const span kept = split_kept_type(type);
    char number[24], address[24];
    const int from = split_write_slot_address(w->out, w, slot, type), loaded = w->temporaries++;
    fprintf(w->out, "  %%t%d = load %.*s, ", loaded, (int)kept.length, kept.start);
    split_write_pointer(w->out, w, kept);
    fprintf(w->out, " %%t%d, !llvm.access.group !%d\n", from, w->group);
    snprintf(number, sizeof number, "%%t%d", loaded);
    if (span_is(type, "i1")) {
        snprintf(number, sizeof number, "%%t%d", w->temporaries++);
        fprintf(w->out, "  %s = trunc i8 %%t%d to i1\n", number, loaded);
    }
    snprintf(address, sizeof address, "%%%c%d", letter, value);
    split_write_store(w->out, w, type, number, address, false);
}

static void write_from_field(const split_writer *w, char letter, int value, int field, span type)
{
    char number[24], address[24];
    snprintf(number, sizeof number, "%%i%d", field);
    snprintf(address, sizeof address, "%%%c%d", letter, value);
    split_write_store(w->out, w, type, number, address, false);
}

static void write_local_address(const split_writer *w, int value)
{
    const span type = split_local_type(w, value);
    fprintf(w->out, "  %%lp%d = mul i64 %%lab.t, %%lab.bytes\n", value);
    fprintf(w->out, "  %%lq%d = add i64 %%lp%d, %%lab.at.%d\n", value, value, value);
    fprintf(w->out, "  %%lr%d = getelementptr inbounds i8, %s %%local, i64 %%lq%d\n", value, w->bytes, value);
    fprintf(w->out, "  %%v%d = bitcast %s %%lr%d to ", value, w->bytes, value);
    split_write_pointer(w->out, w, type);
    fputc('\n', w->out);
}

/* What each thread begins with. */
static void write_thread_start(split_writer *w)
{
    char type_text[32];
    const int result = result_of_entry(w);
    static const char *const index[] = {"%lab.tx", "%lab.ty", "%lab.tz"};
    for (int k = 0; k < 3 && w->calls; ++k) {
        if (!w->context->thread_index[k].length) continue;
        fprintf(w->out, "  store i32 %s, %.*s\n", index[k], (int)w->context->thread_index[k].length,
                w->context->thread_index[k].start);
    }
    for (int v = 0; v < w->g->values; ++v) {
        const span type = split_type_of(w, v, type_text);
        if (w->uses_variable[v] && w->r->is_local[v]) {
            write_local_address(w, v);
        } else if (w->uses_variable[v] && split_lives(w, v)) {
            if (v == result)
                write_from_field(w, 'a', v, 0, type);
            else if (w->slot[v] >= 0)
                write_fetch(w, 'a', v, w->slot[v], type);
            else
                write_from_field(w, 'a', v, w->field[v], type);
        }
        const ir_instr *phi = split_defining(w, v);
        if (!w->uses_moved[v] || !phi || phi->node != w->r->entry[w->state]) continue;
        if (w->moved_slot[v] >= 0)
            write_fetch(w, 'm', v, w->moved_slot[v], type);
        else
            write_from_field(w, 'm', v, w->moved_field[v], type);
    }
    fprintf(w->out, "  br label %%b%d\n\n", w->r->entry[w->state]);
}

static void write_loop_ends(const split_writer *w, const char *next, const bool *outs)
{
    char type_text[32];
    const bool one = w->fixed >= 0 || (w->exits == 1 && w->agrees);
    if (w->exits)
        fprintf(w->out, "\nlab.x.end:\n  %%lab.next = phi i32 %s\n", next);
    else
        fputs("\nlab.x.end:\n  %lab.next = add i32 0, 0\n", w->out);
    if (!one)
        fprintf(w->out,
                "  %%lab.next8 = trunc i32 %%lab.next to i8\n"
                "  %%lab.next.at = getelementptr inbounds i8, %s %%s0, i64 %%lab.t\n"
                "  store i8 %%lab.next8, %s %%lab.next.at, !llvm.access.group !%d\n",
                w->bytes, w->bytes, w->group);
    fprintf(w->out,
            "  %%lab.x.next = add nuw i32 %%lab.tx, 1\n  %%lab.x.more = icmp ult i32 %%lab.x.next, %%lab.x1\n"
            "  br i1 %%lab.x.more, label %%lab.x, label %%lab.y.end, !llvm.loop !%d\n\nlab.y.end:\n"
            "  %%lab.y.next = add nuw i32 %%lab.ty, 1\n  %%lab.y.more = icmp ult i32 %%lab.y.next, %%lab.y1\n"
            "  br i1 %%lab.y.more, label %%lab.y, label %%lab.z.end\n\nlab.z.end:\n"
            "  %%lab.z.next = add nuw i32 %%lab.tz, 1\n  %%lab.z.more = icmp ult i32 %%lab.z.next, %%lab.z1\n"
            "  br i1 %%lab.z.more, label %%lab.z, label %%lab.end\n\nlab.end:\n",
            w->group + 1);
    for (int v = 0; v < w->g->values; ++v) {
        const span type = split_type_of(w, v, type_text);
        if (w->field[v] >= 0 && outs[w->field[v]]) write_field_back(w, w->field[v], type);
        if (w->moved_field[v] >= 0 && outs[w->moved_field[v]]) write_field_back(w, w->moved_field[v], type);
    }
    if (one)
        fputs("  ret i32 %lab.next\n}\n\n", w->out);
    else
        fprintf(w->out, "  ret i32 %d\n}\n\n", CPU_SPLIT_APART);
}

/* One way of the switch in lab.run.k: the call of the region's loop. */
static void write_case(split_writer *w, FILE *cases)
{
    char type_text[32];
    fprintf(cases, "r%d:\n", w->state);
    for (int slot = 0; slot < w->slots; ++slot) {
        if (slot > 1 && !w->uses_slot[slot]) continue;
        fprintf(cases, "  %%s%d.%d = getelementptr inbounds %%lab.slots.%.*s, ", w->state, slot, (int)w->name.length,
                w->name.start);
        split_write_pointer_to(cases, w, "lab.slots");
        fprintf(cases, " %%slots.all, i32 0, i32 %d, i64 0\n", slot);
    }
    fprintf(cases, "  %%to%d = call i32 @lab.loop.%.*s.%d(", w->state, (int)w->name.length, w->name.start, w->state);
    split_write_pointer_to(cases, w, "lab.frame");
    fputs(" %frame.in, ", cases);
    split_write_pointer_to(cases, w, "lab.frame");
    fprintf(cases, " %%frame.out, %s %%s%d.0, %s %%s%d.1", w->bytes, w->state, w->bytes, w->state);
    for (int v = 0; v < w->g->values; ++v) {
        const int slot[] = {w->slot[v], w->moved_slot[v]};
        for (int k = 0; k < 2; ++k) {
            if (slot[k] < 0 || !w->uses_slot[slot[k]]) continue;
            fputs(", ", cases);
            split_write_pointer(cases, w, split_kept_type(split_type_of(w, v, type_text)));
            fprintf(cases, " %%s%d.%d", w->state, slot[k]);
        }
    }
    fprintf(cases, ", %s %%local, ", w->bytes);
    split_write_pointer(cases, w, (span){"i32", 3});
    fprintf(cases, " %%range)\n  ret i32 %%to%d\n\n", w->state);
}

static void write_text(FILE *out, FILE **from, char **text, size_t *size, split_writer *w)
{
    if (fclose(*from) != 0)
        w->context->out_of_memory = true;
    else
        fwrite(*text, 1, *size, out);
    *from = NULL;
}

bool split_write_region(split_writer *w, int state, FILE *cases)
{
    const size_t values = (size_t)w->g->values + 1;
    char *body = NULL, *next = NULL, *start = NULL;
    size_t body_size = 0, next_size = 0, start_size = 0;
    bool *outs = calloc((size_t)w->fields, 1);
    FILE *out = w->out;
    w->body = open_memstream(&body, &body_size);
    w->next = open_memstream(&next, &next_size);
    w->out = open_memstream(&start, &start_size);
    const bool done = outs && w->body && w->next && w->out;
    if (done) {
        w->state = state;
        w->group = w->context->metadata;
        w->context->metadata += 2;
        w->temporaries = w->exits = 0;
        w->fixed = -1;
        w->agrees = true;
        w->calls = false;
        memset(w->inside, 0, (size_t)w->g->nodes);
        memset(w->uses_variable, 0, values);
        memset(w->uses_moved, 0, values);
        memset(w->uses_slot, 0, (size_t)w->slots);
        split_find_inside(w, w->r->entry[state]);
        for (int n = 0; n < w->g->nodes; ++n)
            if (w->inside[n]) split_write_node(w, n, outs);
        write_start(w, outs);
        write_thread_start(w);
        FILE *starting = w->out;
        w->out = out;
        write_head(w);
        write_text(out, &starting, &start, &start_size, w);
        write_text(out, &w->body, &body, &body_size, w);
        if (fclose(w->next) != 0)
            w->context->out_of_memory = true;
        else
            write_loop_ends(w, next, outs);
        w->next = NULL;
        write_case(w, cases);
    } else {
        if (w->out) fclose(w->out);
        if (w->body) fclose(w->body);
        if (w->next) fclose(w->next);
        w->out = out;
    }
    free(body);
    free(next);
    free(start);
    free(outs);
    return done && !w->context->out_of_memory;
}
