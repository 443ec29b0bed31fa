/* Types, addresses, and where local memory lies: the same in every part of a split kernel. */
#include "ir_split_writer.h"

#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

void split_write_pointer(FILE *out, const split_writer *w, span type)
{
    if (w->typed)
        fprintf(out, "%.*s*", (int)type.length, type.start);
    else
        fputs("ptr", out);
}

span split_type_of(const split_writer *w, int value, char made[static 32])
{
    const ir_value *v = &w->g->value[value];
    return v->instr < 0 ? v->param_type : ir_type_of(&w->g->instr[v->instr], made);
}

/* A bit is kept as a byte: arrays of bits cannot be read as vectors. */
span split_kept_type(span type) { return span_is(type, "i1") ? (span){"i8", 2} : type; }

/* "%lab.frame.k" as the type of a pointer to it. */
void split_write_pointer_to(FILE *out, const split_writer *w, const char *prefix)
{
    if (w->typed)
        fprintf(out, "%%%s.%.*s*", prefix, (int)w->name.length, w->name.start);
    else
        fputs("ptr", out);
}

bool split_lives(const split_writer *w, int value)
{
    return ir_has(w->r->live + (size_t)w->state * (size_t)w->r->words, value);
}

const ir_instr *split_defining(const split_writer *w, int value)
{
    const int instr = w->g->value[value].instr;
    return instr < 0 ? NULL : &w->g->instr[instr];
}

/* A pointer to where the thread keeps something. */
int split_write_slot_address(FILE *out, split_writer *w, int slot, span type)
{
    const span kept = split_kept_type(type);
    const int number = w->temporaries++;
    w->uses_slot[slot] = true;
    fprintf(out, "  %%t%d = getelementptr inbounds %.*s, ", number, (int)kept.length, kept.start);
    split_write_pointer(out, w, kept);
    fprintf(out, " %%s%d, i64 %%lab.t\n", slot);
    return number;
}

void split_write_store(FILE *out, const split_writer *w, span type, const char *value, const char *address,
                       bool in_group)
{
    fprintf(out, "  store %.*s %s, ", (int)type.length, type.start, value);
    split_write_pointer(out, w, type);
    fprintf(out, " %s", address);
    if (in_group) fprintf(out, ", !llvm.access.group !%d", w->group);
    fputc('\n', out);
}

const ir_instr *split_last_instr(const split_writer *w, int node) { return &w->g->instr[w->g->node[node].end - 1]; }

void split_write_field_address(FILE *out, const split_writer *w, const char *name, const char *frame, int field)
{
    fprintf(out, "  %s = getelementptr inbounds %%lab.frame.%.*s, ", name, (int)w->name.length, w->name.start);
    split_write_pointer_to(out, w, "lab.frame");
    fprintf(out, " %%%s, i32 0, i32 %d\n", frame, field);
}

span split_local_type(const split_writer *w, int value)
{
    const ir_instr *i = split_defining(w, value);
    return ir_item(i->text.start + strlen("alloca "), ",");
}

static int local_alignment(const split_writer *w, int value)
{
    const ir_instr *i = split_defining(w, value);
    const char *align = span_find(i->text, ", align ");
    return align ? atoi(align + strlen(", align ")) : 16;
}

/* The bytes of a thread's own variables, one after another: %lab.local.N up to the N-th of them; a whole, odd number of
 * cache lines in the end, so that threads do not all meet in the same ones. */
void split_write_local_layout(FILE *out, const split_writer *w)
{
    int number = 0;
    fputs("  %lab.local.0 = add i64 0, 0\n", out);
    for (int v = 0; v < w->g->values; ++v) {
        if (!w->r->is_local[v]) continue;
        const int instr = w->g->value[v].instr, align = local_alignment(w, v);
        if (!w->r->is_needed[instr]) continue;
        const span type = split_local_type(w, v);
        fprintf(out, "  %%lab.up.%d = add i64 %%lab.local.%d, %d\n", number, number, align - 1);
        fprintf(out, "  %%lab.at.%d = and i64 %%lab.up.%d, -%d\n", v, number, align);
        fprintf(out, "  %%lab.local.%d = add i64 %%lab.at.%d, ptrtoint (", number + 1, v);
        split_write_pointer(out, w, type);
        fprintf(out, " getelementptr (%.*s, ", (int)type.length, type.start);
        split_write_pointer(out, w, type);
        fputs(" null, i32 1) to i64)\n", out);
        ++number;
    }
    fprintf(out, "  %%lab.up = add i64 %%lab.local.%d, 63\n  %%lab.lines = lshr i64 %%lab.up, 6\n", number);
    fprintf(out, "  %%lab.odd = or i64 %%lab.lines, %d\n  %%lab.bytes = shl i64 %%lab.odd, 6\n", number > 0);
}
