/*
 * A split kernel `k` is written as these types, functions and constants (kernel_abi.h says what they are for):
 *
 *     lab.frame.k    a structure: the result of the last barrier, then the kept values that all threads have in common
 *     lab.slots.k    a structure of arrays with an element for each thread: a cpu_split_slots, or its beginning, then
 *                    the kept values of its own
 *     k              stores its arguments in the frame
 *     lab.begin.k    begins a block
 *     lab.loop.k.N   region N, as a loop over threads in the order z, y, x
 *     lab.rows.k.N   the same for blocks with rows of 16 threads, if the kernel reads threadIdx.y. Such a row is one
 *                    vector or two, and what a loop of any length does around its vectors would cost as much
 *     lab.warps.k.N  the same for blocks with rows of whole warps, if the kernel computes its lane or warp and does not
 *                    read threadIdx.y: two loops, whose numbers are warp and lane, so that lanes read neighbours
 *     lab.lanes.k.N  the same over the lanes of a warp that lies in a row; only in a kernel with warp functions
 *     lab.run.k      runs one of these loops; a whole warp, as many as it can (write_warps.c)
 *     lab.sizes.k    the sizes of frame, slots and local memory
 *     lab_split_k    the description, a cpu_split
 *
 * Between waits no thread may depend on another's writes, so the loops over x declare their iterations independent.
 * In a region a kept value is a variable on the stack, loaded at the region's start and stored at its end. The
 * optimiser turns these variables into values again.
 */
#include "writer.h"
#include "cpu/regions/instructions.h"

#include <stdlib.h>

static const char *comma_before(int i) { return i ? ", " : ""; }

/* ---- what is kept where ---- */

static int add_place(split_kernel *k, int value)
{
    const bool is_slot = k->r->varies[value];
    k->place[k->places] = (split_place){k->g->value[value].type, is_slot, is_slot ? k->slot_count++ : k->fields++};
    return k->places++;
}

/* The place of something kept, given the list of what shares and the places of the lists' first. */
static int find_place(split_kernel *k, const int *shares, int *place, int kept)
{
    int *shared = &place[shares[kept]];
    if (*shared < 0) *shared = add_place(k, kept / 2);
    return *shared;
}

split_loop split_find_shape(const ir_regions *r, const split_module *module)
{
    split_loop shape = LOOP_OF_RANGE;
    if (!module->with_shapes || ir_has_warp_waits(r)) return shape;
    for (int i = 0; i < r->graph.instrs; ++i) {
        if (!r->is_needed[i]) continue;
        if (ir_thread_component(&r->graph.instr[i]) == 1) return LOOP_OF_ROWS;
        if (split_part_of_index(&r->graph, &r->graph.instr[i]) != NO_PART) shape = LOOP_OF_WARPS;
    }
    return shape;
}

static bool find_places(split_kernel *k)
{
    const int values = k->g->values;
    int *shares = split_share_places(k->r), *place = malloc((2 * (size_t)values + 2) * sizeof *place);
    const bool done = shares && place;
    k->has_warps = ir_has_warp_waits(k->r);
    k->shape = split_find_shape(k->r, k->module);
    k->own_slots = k->has_warps ? WARP_SLOTS : BARRIER_SLOTS;
    k->fields = RESULT_FIELD + 1;
    k->slot_count = k->own_slots;
    for (int i = 0; done && i < 2 * values; ++i) place[i] = -1;
    for (int v = 0; done && v < values; ++v) {
        k->kept[v] = k->r->is_kept[v] ? find_place(k, shares, place, 2 * v) : -1;
        k->moved[v] = k->r->is_moved[v] ? find_place(k, shares, place, 2 * v + 1) : -1;
    }
    free(shares);
    free(place);
    return done;
}

static void write_types(const split_kernel *k, const ir_emitter *e)
{
    ir_emit(e, "$ = type { i32", as_text(k->frame));
    for (int p = 0; p < k->places; ++p)
        if (!k->place[p].is_slot) ir_emit(e, ", $", as_text(k->place[p].type));
    const ir_piece threads = as_number(CPU_SPLIT_STRIDE);
    ir_emit(e, " }\n$ = type {", as_text(k->slots));
    for (int slot = 0; slot < k->own_slots; ++slot)
        ir_emit(e, "$[$ x $]", as_string(slot ? ", " : " "), threads, as_text(split_own_slot_type(slot)));
    for (int p = 0; p < k->places; ++p)
        if (k->place[p].is_slot) ir_emit(e, ", [$ x $]", threads, as_text(split_slot_type(k->place[p].type)));
    fputs(" }\n\n", e->out);
}

/* ---- the parts around the regions ---- */

/* Goes to the loops for the kernel's shape of blocks if the range is whole rows of it. */
static void write_shape_start(const split_kernel *k, const ir_emitter *e)
{
    static const struct {
        const char *name;
        int number;
    } part[] = {{"x0", 0}, {"x1", 1}, {"width", 6}};
    const ir_piece number = as_pointer(span_of("i32"));
    for (int i = 0; i < 3; ++i) {
        const ir_piece name = as_string(part[i].name);
        ir_emit(e, "  %$.at = getelementptr inbounds i32, $ %range, i64 $\n", name, number, as_number(part[i].number));
        ir_emit(e, "  %$ = load i32, $ %$.at\n", name, number, name);
    }
    fputs("  %row.part = sub i32 %width, %x1\n  %row.other = or i32 %x0, %row.part\n", e->out);
    if (k->shape == LOOP_OF_ROWS)
        ir_emit(e, "  %width.other = xor i32 %width, $\n", as_number(SPLIT_ROW));
    else
        fputs("  %width.other = and i32 %width, 31\n", e->out);
    fputs("  %other = or i32 %row.other, %width.other\n"
          "  %is.whole = icmp eq i32 %other, 0\n  br i1 %is.whole, label %rows, label %any\n\nrows:\n"
          "  switch i32 %state, label %none [\n",
          e->out);
    for (int s = 0; s < k->r->regions; ++s) ir_emit(e, "    i32 $, label %w$\n", as_number(s), as_number(s));
    fputs("  ]\n\nany:\n", e->out);
}

/* lab.run.k */
static void write_run(const split_kernel *k, const ir_emitter *e, const cpu_text *cases)
{
    const ir_piece bytes = as_pointer(split_byte_type());
    ir_emit(e, "define internal i32 @lab.run.$(i32 %state, $ %in, $ %out, $ %slots, $ %local, $ %range) #$ {\n",
            as_text(k->name), bytes, bytes, bytes, bytes, as_pointer(span_of("i32")), as_number(k->module->attributes));
    ir_emit(e, "  %frame.in = bitcast $ %in to $\n", bytes, as_pointer(k->frame));
    ir_emit(e, "  %frame.out = bitcast $ %out to $\n", bytes, as_pointer(k->frame));
    ir_emit(e, "  %slots.all = bitcast $ %slots to $\n", bytes, as_pointer(k->slots));
    if (k->has_warps) split_write_warp_start(k, e);
    if (k->shape != LOOP_OF_RANGE) write_shape_start(k, e);
    fputs("  switch i32 %state, label %none [\n", e->out);
    for (int s = 0; s < k->r->regions; ++s) ir_emit(e, "    i32 $, label %r$\n", as_number(s), as_number(s));
    ir_emit(e, "  ]\n\nnone:\n  unreachable\n\n$", as_text((span){cases->data, cases->size}));
    if (k->has_warps) split_write_warps(k, e);
    fputs("}\n\n", e->out);
}

/* lab.sizes.k */
static void write_sizes(const split_kernel *k, const ir_emitter *e)
{
    const ir_piece size[] = {as_size(k->frame), as_size(k->slots), as_string("%lab.bytes")};
    const ir_piece pointer = as_pointer(span_of("i64"));
    ir_emit(e, "define internal void @lab.sizes.$($ %to) #$ {\n", as_text(k->name), pointer,
            as_number(k->module->attributes));
    split_write_local_layout(e, k);
    for (int i = 0; i < 3; ++i) {
        ir_emit(e, "  %at$ = getelementptr inbounds i64, $ %to, i64 $\n", as_number(i), pointer, as_number(i));
        split_write_store(e, span_of("i64"), size[i], as_local("at", i), NO_GROUP);
    }
    fputs("  ret void\n}\n\n", e->out);
}

/* The kernel itself. lab_thread_k calls it with the arguments. */
static void write_kernel(const split_kernel *k, const ir_emitter *e)
{
    const ir_piece bytes = as_pointer(split_byte_type());
    ir_emit(e, "define internal void $(", as_symbol("", k->name));
    for (int p = 0; p < k->g->params; ++p)
        ir_emit(e, "$$ $", as_string(comma_before(p)), as_text(k->g->value[p].type), as_local("v", p));
    fputs(") noinline nounwind {\n", e->out);
    ir_emit(e, "  %bytes = load $, $$ @lab_split_frame\n", bytes, bytes, as_string(e->typed_pointers ? "*" : ""));
    ir_emit(e, "  %frame = bitcast $ %bytes to $\n", bytes, as_pointer(k->frame));
    for (int p = 0; p < k->g->params; ++p) {
        if (k->kept[p] < 0) continue;
        split_write_field_address(e, k, as_local("f", p), "%frame", k->place[k->kept[p]].number);
        split_write_store(e, k->g->value[p].type, as_local("v", p), as_local("f", p), NO_GROUP);
    }
    fputs("  ret void\n}\n\n", e->out);
}

static void write_entry_params(const ir_emitter *e, const span param[ENTRY_PARAMS])
{
    for (int p = 0; p < ENTRY_PARAMS; ++p)
        ir_emit(e, "$$ $", as_string(comma_before(p)), as_text(param[p]), as_local("p", p));
}

static void write_begin(const split_kernel *k, const ir_emitter *e, const span param[ENTRY_PARAMS])
{
    const ir_piece bytes = as_pointer(split_byte_type());
    ir_emit(e, "define internal void @lab.begin.$($ %frame, ", as_text(k->name), bytes);
    write_entry_params(e, param);
    ir_emit(e, ") #$ {\n  store $ %frame, $$ @lab_split_frame\n", as_number(k->module->attributes), bytes, bytes,
            as_string(e->typed_pointers ? "*" : ""));
    ir_emit(e, "  call void @lab_thread_$(", as_text(k->name));
    write_entry_params(e, param);
    fputs(")\n  ret void\n}\n\n", e->out);
}

/* An array of cpu_split_place: the wait before each region. */
static void write_places(const split_kernel *k, const ir_emitter *e)
{
    static const ir_wait none = {.kind = (cpu_wait_kind)-1, .file = {"null", 4}, .line = {"0", 1}};
    const ir_piece bytes = as_pointer(split_byte_type());
    ir_emit(e, "@lab.places.$ = internal constant [$ x { i32, i32, $ }] [", as_text(k->name), as_number(k->r->regions),
            bytes);
    for (int s = 0; s < k->r->regions; ++s) {
        const ir_wait *before = ir_wait_before(k->r, s), *b = before ? before : &none;
        ir_emit(e, "${ i32, i32, $ } { i32 $, i32 $, $ $ }", as_string(comma_before(s)), bytes, as_number((int)b->kind),
                as_text(b->line), bytes, as_text(b->file));
    }
    fputs("]\n", e->out);
}

/* cpu_split */
static void write_description(const split_kernel *k, const ir_emitter *e, const span param[ENTRY_PARAMS])
{
    const ir_piece bytes = as_pointer(split_byte_type()), name = as_text(k->name), regions = as_number(k->r->regions);
    ir_emit(e, "@lab_split_$ = hidden constant { $, $, $, i64, $ } { ", name, bytes, bytes, bytes, bytes);
    if (e->typed_pointers) {
        ir_emit(e, "i8* bitcast (void (i8*, $, $, $, $)* @lab.begin.$ to i8*), ", as_text(param[0]), as_text(param[1]),
                as_text(param[2]), as_text(param[3]), name);
        ir_emit(e, "i8* bitcast (i32 (i32, i8*, i8*, i8*, i8*, i32*)* @lab.run.$ to i8*), ", name);
        ir_emit(e, "i8* bitcast (void (i64*)* @lab.sizes.$ to i8*), ", name);
        ir_emit(e, "i64 $, i8* bitcast ([$ x { i32, i32, i8* }]* @lab.places.$ to i8*) }\n\n", regions, regions, name);
    } else {
        ir_emit(e, "ptr @lab.begin.$, ptr @lab.run.$, ptr @lab.sizes.$, i64 $, ptr @lab.places.$ }\n\n", name, name,
                name, regions, name);
    }
}

/* ---- the whole ---- */

/* Makes the names of the two types, in one text. */
static char *name_types(split_kernel *k)
{
    static const char frame[] = "%lab.frame.", slots[] = "%lab.slots.";
    char *names;
    if (asprintf(&names, "%s%.*s%s%.*s", frame, (int)k->name.length, k->name.start, slots, (int)k->name.length,
                 k->name.start) < 0)
        return NULL;
    k->frame = (span){names, strlen(frame) + k->name.length};
    k->slots = (span){span_end(k->frame), strlen(slots) + k->name.length};
    return names;
}

/* Writes the loops of all regions, and their calls into `cases`. */
static bool write_regions(const split_kernel *k, FILE *out, cpu_text *cases)
{
    FILE *calls = open_memstream(&cases->data, &cases->size);
    bool done = calls;
    for (int s = 0; s < k->r->regions && done; ++s) done = split_write_region(k, s, out, calls);
    return calls && ir_emit_end(calls, cases) && done;
}

bool split_write_kernel(FILE *out, const ir_regions *r, split_module *module, const span entry_param[ENTRY_PARAMS])
{
    const size_t values = (size_t)r->graph.values + 1;
    split_kernel k = {.r = r, .g = &r->graph, .module = module, .name = r->graph.name};
    const ir_emitter e = split_emitter(&k, out);
    cpu_text cases = {0};
    char *names = name_types(&k);
    k.place = calloc(2 * values, sizeof *k.place);
    k.kept = calloc(values, sizeof *k.kept);
    k.moved = calloc(values, sizeof *k.moved);
    bool done = names && k.place && k.kept && k.moved;
    done = done && find_places(&k);
    if (done) {
        write_types(&k, &e);
        done = write_regions(&k, out, &cases);
    }
    if (done) {
        write_run(&k, &e, &cases);
        write_sizes(&k, &e);
        write_kernel(&k, &e);
        write_begin(&k, &e, entry_param);
        write_places(&k, &e);
        write_description(&k, &e, entry_param);
    }
    free(cases.data);
    free(names);
    free(k.place);
    free(k.kept);
    free(k.moved);
    return done;
}
