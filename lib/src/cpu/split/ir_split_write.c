/*
 * How a split kernel is written, for a kernel `k` (kernel_abi.h says what the parts are for):
 *
 *     lab.frame.k    a structure: the result of the last barrier, then what all threads have in common from region to region
 *     lab.slots.k    a structure of arrays with an element a thread: where it goes next, its predicate at a barrier, what
 *                    it keeps from region to region
 *     k              puts its arguments into the frame
 *     lab.begin.k    a block begins
 *     lab.loop.k.N   region N, as a loop over threads in the order z, y, x
 *     lab.run.k      one of these loops
 *     lab.sizes.k    how much memory all that needs
 *     lab_split_k    the description of it
 *
 * Between barriers no thread may depend on what another writes, so the loops over x say that their iterations are
 * independent. In a region, what is kept is a variable on the stack, fetched at its start and put back at its end: the
 * optimiser turns those into values again.
 */
#include "ir_split_writer.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is kept where ---- */

static void place(split_writer *w)
{
    w->fields = 1;
    w->slots = 2;
    for (int v = 0; v < w->g->values; ++v) {
        w->field[v] = w->slot[v] = w->moved_field[v] = w->moved_slot[v] = -1;
        if (w->r->is_kept[v])
            *(w->r->varies[v] ? &w->slot[v] : &w->field[v]) = w->r->varies[v] ? w->slots++ : w->fields++;
        if (w->r->is_moved[v])
            *(w->r->varies[v] ? &w->moved_slot[v] : &w->moved_field[v]) = w->r->varies[v] ? w->slots++ : w->fields++;
    }
}

static void write_fields(const split_writer *w)
{
    char made[32];
    for (int v = 0; v < w->g->values; ++v) {
        const span type = split_type_of(w, v, made);
        if (w->field[v] >= 0) fprintf(w->out, ", %.*s", (int)type.length, type.start);
        if (w->moved_field[v] >= 0) fprintf(w->out, ", %.*s", (int)type.length, type.start);
    }
}

static void write_slots(const split_writer *w)
{
    char made[32];
    for (int v = 0; v < w->g->values; ++v) {
        const span type = split_kept_type(split_type_of(w, v, made));
        if (w->slot[v] >= 0) fprintf(w->out, ", [%d x %.*s]", SLOT_THREADS, (int)type.length, type.start);
        if (w->moved_slot[v] >= 0) fprintf(w->out, ", [%d x %.*s]", SLOT_THREADS, (int)type.length, type.start);
    }
}

static void write_types(const split_writer *w)
{
    fprintf(w->out, "%%lab.frame.%.*s = type { i32", (int)w->name.length, w->name.start);
    write_fields(w);
    fprintf(w->out, " }\n%%lab.slots.%.*s = type { [%d x i8], [%d x i8]", (int)w->name.length, w->name.start,
            SLOT_THREADS, SLOT_THREADS);
    write_slots(w);
    fputs(" }\n\n", w->out);
}

/* ---- the parts around the regions ---- */

/* lab.run.k: the loops of regions, by number. */
static void write_run(const split_writer *w, const char *cases)
{
    FILE *out = w->out;
    fprintf(out, "define internal i32 @lab.run.%.*s(i32 %%state, %s %%in, %s %%out, %s %%slots, %s %%local, ",
            (int)w->name.length, w->name.start, w->bytes, w->bytes, w->bytes, w->bytes);
    split_write_pointer(out, w, (span){"i32", 3});
    fprintf(out, " %%range) #%d {\n", w->context->attributes);
    static const char *const from[] = {"in", "out", "slots"}, *const to[] = {"frame.in", "frame.out", "slots.all"};
    for (int i = 0; i < 3; ++i) {
        fprintf(out, "  %%%s = bitcast %s %%%s to ", to[i], w->bytes, from[i]);
        split_write_pointer_to(out, w, i < 2 ? "lab.frame" : "lab.slots");
        fputc('\n', out);
    }
    fputs("  switch i32 %state, label %none [\n", out);
    for (int s = 0; s < w->r->states; ++s) fprintf(out, "    i32 %d, label %%r%d\n", s, s);
    fprintf(out, "  ]\n\nnone:\n  unreachable\n\n%s}\n\n", cases);
}

/* lab.sizes.k: the bytes of a frame, of the slots, and of each thread's own variables. */
static void write_sizes(const split_writer *w)
{
    FILE *out = w->out;
    fprintf(out, "define internal void @lab.sizes.%.*s(", (int)w->name.length, w->name.start);
    split_write_pointer(out, w, (span){"i64", 3});
    fprintf(out, " %%to) #%d {\n", w->context->attributes);
    split_write_local_layout(out, w);
    for (int i = 0; i < 3; ++i) {
        fprintf(out, "  %%at%d = getelementptr inbounds i64, ", i);
        split_write_pointer(out, w, (span){"i64", 3});
        fprintf(out, " %%to, i64 %d\n  store i64 ", i);
        if (i == 2) {
            fputs("%lab.bytes", out);
        } else {
            const char *what = i == 0 ? "lab.frame" : "lab.slots";
            fputs("ptrtoint (", out);
            split_write_pointer_to(out, w, what);
            fprintf(out, " getelementptr (%%%s.%.*s, ", what, (int)w->name.length, w->name.start);
            split_write_pointer_to(out, w, what);
            fputs(" null, i32 1) to i64)", out);
        }
        fputs(", ", out);
        split_write_pointer(out, w, (span){"i64", 3});
        fprintf(out, " %%at%d\n", i);
    }
    fputs("  ret void\n}\n\n", out);
}

/* The kernel itself, which lab_thread_k calls with the arguments. */
static void write_kernel(const split_writer *w)
{
    FILE *out = w->out;
    fprintf(out, "define internal void @%.*s(", (int)w->name.length, w->name.start);
    for (int p = 0; p < w->g->params; ++p)
        fprintf(out, "%s%.*s %%v%d", p ? ", " : "", (int)w->g->value[p].param_type.length,
                w->g->value[p].param_type.start, p);
    const char *pointer = w->typed ? "i8**" : "ptr";
    fprintf(out, ") noinline nounwind {\n  %%bytes = load %s, %s @lab_split_frame\n", w->bytes, pointer);
    fprintf(out, "  %%frame = bitcast %s %%bytes to ", w->bytes);
    split_write_pointer_to(out, w, "lab.frame");
    fputc('\n', out);
    for (int p = 0; p < w->g->params; ++p) {
        char name[24], value[24];
        if (w->field[p] < 0) continue;
        snprintf(name, sizeof name, "%%f%d", p);
        snprintf(value, sizeof value, "%%v%d", p);
        split_write_field_address(out, w, name, "frame", w->field[p]);
        split_write_store(out, w, w->g->value[p].param_type, value, name, false);
    }
    fputs("  ret void\n}\n\n", out);
}

/* The types of lab_thread_k's parameters, from its definition. */
static void write_begin(const split_writer *w)
{
    FILE *out = w->out;
    const char *open = strchr(w->context->thread_entry.start, '(');
    fprintf(out, "define internal void @lab.begin.%.*s(%s %%frame", (int)w->name.length, w->name.start, w->bytes);
    const char *at = open + 1;
    for (int i = 0; i < 4; ++i) {
        const span param = ir_item(at, ","), type = ir_item(param.start, " ");
        fprintf(out, ", %.*s %%p%d", (int)type.length, type.start, i);
        at = param.start + param.length + 2;
    }
    fprintf(out, ") #%d {\n  store %s %%frame, %s @lab_split_frame\n  call void @lab_thread_%.*s(",
            w->context->attributes, w->bytes, w->typed ? "i8**" : "ptr", (int)w->name.length, w->name.start);
    at = open + 1;
    for (int i = 0; i < 4; ++i) {
        const span param = ir_item(at, ","), type = ir_item(param.start, " ");
        fprintf(out, "%s%.*s %%p%d", i ? ", " : "", (int)type.length, type.start, i);
        at = param.start + param.length + 2;
    }
    fputs(")\n  ret void\n}\n\n", out);
}

static void write_function_address(const split_writer *w, const char *prefix, const char *type)
{
    if (w->typed)
        fprintf(w->out, "i8* bitcast (%s* @lab.%s.%.*s to i8*)", type, prefix, (int)w->name.length, w->name.start);
    else
        fprintf(w->out, "ptr @lab.%s.%.*s", prefix, (int)w->name.length, w->name.start);
}

/* cpu_split and its places, as kernel_abi.h has them. */
static void write_description(const split_writer *w)
{
    FILE *out = w->out;
    char begin[256] = "void (i8*";
    const char *at = strchr(w->context->thread_entry.start, '(') + 1;
    for (int i = 0; i < 4; ++i) {
        const span param = ir_item(at, ","), type = ir_item(param.start, " ");
        snprintf(begin + strlen(begin), sizeof begin - strlen(begin), ", %.*s", (int)type.length, type.start);
        at = param.start + param.length + 2;
    }
    strncat(begin, ")", sizeof begin - strlen(begin) - 1);
    fprintf(out, "@lab.places.%.*s = internal constant [%d x { i32, i32, %s }] [", (int)w->name.length, w->name.start,
            w->r->states, w->bytes);
    for (int s = 0; s < w->r->states; ++s) {
        const int before = w->r->entry[s] - 1;
        ir_barrier b = {.kind = (cpu_wait_kind)-1, .file = {"null", 4}, .line = {"0", 1}};
        if (before >= 0 && w->g->node[before].is_barrier) ir_read_barrier(&b, w->r, before);
        fprintf(out, "%s{ i32, i32, %s } { i32 %d, i32 %.*s, %s %.*s }", s ? ", " : "", w->bytes, (int)b.kind,
                (int)b.line.length, b.line.start, w->bytes, (int)b.file.length, b.file.start);
    }
    fprintf(out, "]\n@lab_split_%.*s = hidden constant { %s, %s, %s, i64, %s } { ", (int)w->name.length, w->name.start,
            w->bytes, w->bytes, w->bytes, w->bytes);
    write_function_address(w, "begin", begin);
    fputs(", ", out);
    write_function_address(w, "run", "i32 (i32, i8*, i8*, i8*, i8*, i32*)");
    fputs(", ", out);
    write_function_address(w, "sizes", "void (i64*)");
    fprintf(out, ", i64 %d, ", w->r->states);
    if (w->typed)
        fprintf(out, "i8* bitcast ([%d x { i32, i32, i8* }]* @lab.places.%.*s to i8*) }\n\n", w->r->states,
                (int)w->name.length, w->name.start);
    else
        fprintf(out, "ptr @lab.places.%.*s }\n\n", (int)w->name.length, w->name.start);
}

/* What the loops of the regions say of themselves: the accesses in their group depend on no other iteration. */
static void write_metadata(const split_writer *w, int first)
{
    for (int s = 0; s < w->r->states; ++s) {
        const int group = first + 2 * s;
        fprintf(w->out,
                "!%d = distinct !{}\n!%d = distinct !{!%d, !{!\"llvm.loop.parallel_accesses\", !%d}, "
                "!{!\"llvm.loop.unroll.disable\"}, !{!\"llvm.loop.interleave.count\", i32 1}}\n",
                group, group + 1, group + 1, group);
    }
}

bool ir_split_write(FILE *out, const ir_regions *r, ir_split_context *context)
{
    const ir_graph *g = &r->graph;
    const size_t values = (size_t)g->values + 1;
    char *cases = NULL;
    size_t cases_size = 0;
    FILE *writing = open_memstream(&cases, &cases_size);
    int *places = calloc(5 * values, sizeof *places);
    bool *flags = calloc(4 * values + (size_t)g->nodes + 2, 1);
    const int metadata = context->metadata;
    bool done = writing && places && flags;
    if (done) {
        split_writer w = {
            .out = out, .r = r, .g = g, .context = context, .name = g->name, .typed = context->typed_pointers};
        w.bytes = w.typed ? "i8*" : "ptr";
        w.field = places;
        w.slot = places + values;
        w.moved_field = places + 2 * values;
        w.moved_slot = places + 3 * values;
        w.outgoing = places + 4 * values;
        w.uses_variable = flags;
        w.uses_moved = flags + values;
        w.inside = flags + 2 * values;
        w.uses_slot = flags + 2 * values + (size_t)g->nodes; /* at most two a value, and two more */
        place(&w);
        write_types(&w);
        for (int s = 0; s < r->states && done; ++s) done = split_write_region(&w, s, writing);
        done = fclose(writing) == 0 && done;
        writing = NULL;
        if (done) {
            write_run(&w, cases);
            write_sizes(&w);
            write_kernel(&w);
            write_begin(&w);
            write_description(&w);
            write_metadata(&w, metadata);
        }
    }
    if (writing) fclose(writing);
    free(cases);
    free(places);
    free(flags);
    return done;
}
