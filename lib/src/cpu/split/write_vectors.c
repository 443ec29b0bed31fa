/*
 * A region that only computes, as between the steps of a shuffled sum, is written for a whole warp as instructions on
 * vectors with an element for each lane. So is the warp function behind it, if a whole warp completes it, and the
 * region behind that: only what lives after the last of them goes through slots.
 */
#include "writer.h"
#include "cpu/regions/instructions.h"

#include <stdlib.h>

enum { MOST_CHAINED = 16 };

/* The regions that are written one behind the other. */
typedef struct chain {
    const split_kernel *k;
    const ir_emitter *e;
    int first, number; /* the first region, and the one that is being written */
    ir_piece *made;    /* of each value: its vector, if is_made */
    bool *is_made;
    int temporaries;
} chain;

/* ---- what can be written ---- */

/* The vector of a type; the type itself if it has none. */
static span vector_of(span type)
{
    static const struct {
        const char *type, *vector;
    } known[] = {{"i1", "<32 x i1>"},   {"i8", "<32 x i8>"},       {"i16", "<32 x i16>"},      {"i32", "<32 x i32>"},
                 {"i64", "<32 x i64>"}, {"float", "<32 x float>"}, {"double", "<32 x double>"}};
    for (size_t t = 0; t < sizeof known / sizeof *known; ++t)
        if (span_is(type, known[t].type)) return span_of(known[t].vector);
    return type;
}

static bool is_scalar(span type) { return !span_equal(vector_of(type), type); }

static bool is_known(const ir_instr *i)
{
    static const char *const opcodes[] = {"add",    "sub",    "mul",    "shl",     "lshr", "ashr",    "and",
                                          "or",     "xor",    "fadd",   "fsub",    "fmul", "fdiv",    "fneg",
                                          "icmp",   "fcmp",   "trunc",  "zext",    "sext", "fptrunc", "fpext",
                                          "uitofp", "sitofp", "select", "bitcast", NULL};
    return span_is_one_of(i->opcode, opcodes) && !span_find(i->text, "(") && !span_find(i->text, "<");
}

static bool can_be_vector(const split_kernel *k, int region, int value, int *visits);

static bool can_be_written(const split_kernel *k, int region, const ir_instr *i, int *visits)
{
    if (ir_thread_component(i) >= 0) return true;
    if (!is_known(i) || --*visits < 0) return false;
    for (int u = 0; u < i->uses; ++u)
        if (!can_be_vector(k, region, k->g->use[i->use + u].value, visits)) return false;
    return true;
}

/* Whether a value, which the region uses or keeps, can be a vector. */
static bool can_be_vector(const split_kernel *k, int region, int value, int *visits)
{
    const ir_regions *r = k->r;
    if (r->is_local[value] || !is_scalar(k->g->value[value].type)) return false;
    if (!ir_lives(r, region, value) || !r->is_remade[value]) return true;
    return can_be_written(k, region, ir_defining(k->g, value), visits);
}

static bool is_written(const ir_regions *r, int region, int instr)
{
    const ir_instr *i = &r->graph.instr[instr];
    return r->is_needed[instr] && ir_thread_component(i) < 0 &&
           !(ir_lives(r, region, i->value) && r->is_remade[i->value]);
}

static bool can_be_vectors(const split_kernel *k, int region)
{
    const ir_regions *r = k->r;
    const ir_node *n = &k->g->node[r->entry[region]];
    if (!n->waits) return false;
    for (int i = n->first; i + 1 < n->end; ++i) {
        const ir_instr *instr = &k->g->instr[i];
        if (ir_is_dropped(instr) || !r->is_needed[i]) continue;
        if (instr->value < 0 || !is_scalar(k->g->value[instr->value].type)) return false;
        if (is_written(r, region, i) && !can_be_written(k, region, instr, ALL_VISITS)) return false;
    }
    const ir_wait *wait = &r->wait[r->entry[region]];
    for (int a = 0; a < wait->arguments; ++a)
        if (wait->argument[a].value >= 0 && !can_be_vector(k, region, wait->argument[a].value, ALL_VISITS))
            return false;
    const ir_wait *before = ir_wait_before(r, region);
    return !before || before->result < 0 || is_scalar(k->g->value[before->result].type);
}

/* ---- values ---- */

static ir_piece temporary(chain *c) { return as_local_pair("q", c->first, c->temporaries++); }

static void write_splat(const chain *c, span type, span constant)
{
    for (int lane = 0; lane < 32; ++lane)
        ir_emit(c->e, "$$ $", as_string(lane ? ", " : "<"), as_text(type), as_text(constant));
    fputc('>', c->e->out);
}

/* Gives all lanes a number. */
static ir_piece spread(chain *c, span type, ir_piece number)
{
    const ir_piece one = temporary(c), all = temporary(c);
    ir_emit(c->e, "  $ = insertelement <32 x $> undef, $ $, i32 0\n", one, as_text(type), as_text(type), number);
    ir_emit(c->e, "  $ = shufflevector <32 x $> $, <32 x $> undef, <32 x i32> zeroinitializer\n", all, as_text(type),
            one, as_text(type));
    return all;
}

static ir_piece index_of(chain *c, int component)
{
    static const char *const first[] = {"%warp.x", "%warp.y", "%warp.z"};
    const ir_piece all = spread(c, span_of("i32"), as_string(first[component]));
    if (component > 0) return all;
    const ir_piece index = temporary(c);
    ir_emit(c->e, "  $ = add <32 x i32> $, <", index, all);
    for (int lane = 0; lane < 32; ++lane) ir_emit(c->e, "$i32 $", as_string(lane ? ", " : ""), as_number(lane));
    fputs(">\n", c->e->out);
    return index;
}

/* Writes the address of the warp's elements of a slot whose elements have the first type, as a vector of the second. */
static ir_piece slot_at(chain *c, int slot, span own, span type)
{
    const ir_piece start = temporary(c), cast = temporary(c), first = temporary(c), vector = temporary(c);
    const split_kernel *k = c->k;
    ir_emit(c->e, "  $ = getelementptr inbounds $, $ %slots.all, i32 0, i32 $, i64 0\n", start, as_text(k->slots),
            as_pointer(k->slots), as_number(slot));
    ir_emit(c->e, "  $ = bitcast $ $ to $\n", cast, as_pointer(own), start, as_pointer(type));
    ir_emit(c->e, "  $ = getelementptr inbounds $, $ $, i64 $\n", first, as_text(type), as_pointer(type), cast,
            as_string(slot < WARP_SLOTS ? split_first_of_warp(slot, type) : "%warp.first"));
    ir_emit(c->e, "  $ = bitcast $ $ to $\n", vector, as_pointer(type), first, as_pointer(vector_of(type)));
    return vector;
}

static ir_piece load_slot(chain *c, int slot, span own, span type)
{
    const ir_piece at = slot_at(c, slot, own, type), vector = temporary(c);
    ir_emit(c->e, "  $ = load $, $ $, align $\n", vector, as_text(vector_of(type)), as_pointer(vector_of(type)), at,
            as_number(span_is(type, "i8") ? 1 : 4));
    return vector;
}

static void store_slot(chain *c, int slot, span own, span type, ir_piece vector)
{
    const ir_piece at = slot_at(c, slot, own, type);
    ir_emit(c->e, "  store $ $, $ $, align $\n", as_text(vector_of(type)), vector, as_pointer(vector_of(type)), at,
            as_number(span_is(type, "i8") ? 1 : 4));
}

static ir_piece convert(chain *c, const char *how, span from, ir_piece vector, span to)
{
    if (span_equal(from, to)) return vector;
    const ir_piece made = temporary(c);
    ir_emit(c->e, "  $ = $ $ $ to $\n", made, as_string(how), as_text(vector_of(from)), vector, as_text(vector_of(to)));
    return made;
}

static ir_piece load_field(chain *c, int field, span type)
{
    const ir_piece at = temporary(c), value = temporary(c);
    split_write_field_address(c->e, c->k, at, "%frame.in", field);
    split_write_load(c->e, value, type, at, NO_GROUP);
    return spread(c, type, value);
}

static ir_piece load_place(chain *c, int place)
{
    const split_place *p = &c->k->place[place];
    if (!p->is_slot) return load_field(c, p->number, p->type);
    const span kept = split_slot_type(p->type);
    return convert(c, "trunc", kept, load_slot(c, p->number, kept, kept), p->type);
}

/* The result of the wait before the first region. */
static ir_piece load_result(chain *c, const ir_wait *wait, span type)
{
    if (!ir_is_of_warp(wait)) return load_field(c, RESULT_FIELD, type);
    const span own = split_own_slot_type(RESULT_SLOT), word = span_of("i32");
    if (split_is_narrow(c->k->g, wait)) return convert(c, "zext", word, load_slot(c, RESULT_SLOT, own, word), type);
    return convert(c, "trunc", own, load_slot(c, RESULT_SLOT, own, own), type);
}

static ir_piece write_instr(chain *c, const ir_instr *i);

/* The vector of a value. */
static ir_piece find(chain *c, int value)
{
    const ir_regions *r = c->k->r;
    const ir_instr *i = ir_defining(c->k->g, value);
    const int component = i ? ir_thread_component(i) : -1;
    if (component >= 0) return index_of(c, component);
    if (c->is_made[value]) return c->made[value];
    if (r->is_remade[value]) return write_instr(c, i);
    const ir_wait *before = ir_wait_before(r, c->first);
    const bool is_result = before && before->result == value;
    c->made[value] = is_result ? load_result(c, before, c->k->g->value[value].type) : load_place(c, c->k->kept[value]);
    c->is_made[value] = true;
    return c->made[value];
}

/* ---- instructions ---- */

/* Writes an instruction with vectors in place of its types and operands. */
static ir_piece write_instr(chain *c, const ir_instr *i)
{
    const ir_graph *g = c->k->g;
    ir_piece operand[4] = {{0}};
    const ir_piece result = temporary(c);
    for (int u = 0; u < i->uses && u < 4; ++u) operand[u] = find(c, g->use[i->use + u].value);
    ir_emit(c->e, "  $ =", result);
    span type = {0};
    bool is_operand = false;
    int used = 0;
    for (const char *at = i->text.start, *end = span_end(i->text); at < end;) {
        const span word = ir_item(at, " ,");
        const bool ends_item = span_end(word) < end && *span_end(word) == ',';
        fputc(' ', c->e->out);
        if (is_scalar(word)) {
            ir_emit_span(c->e->out, vector_of(type = word));
            is_operand = true;
        } else if (is_operand && *word.start == '%') {
            ir_emit(c->e, "$", operand[used++]);
            is_operand = false;
        } else if (is_operand) {
            write_splat(c, type, word);
            is_operand = false;
        } else {
            ir_emit_span(c->e->out, word);
        }
        if (ends_item) fputc(',', c->e->out);
        is_operand = is_operand || ends_item;
        at = span_end(word) + (ends_item ? 2 : 1);
    }
    fputc('\n', c->e->out);
    return result;
}

static void write_region(chain *c)
{
    const ir_regions *r = c->k->r;
    const ir_node *n = &c->k->g->node[r->entry[c->number]];
    for (int i = n->first; i + 1 < n->end; ++i) {
        const ir_instr *instr = &c->k->g->instr[i];
        if (ir_is_dropped(instr) || !is_written(r, c->number, i)) continue;
        const ir_piece made = write_instr(c, instr);
        c->made[instr->value] = made;
        c->is_made[instr->value] = true;
    }
}

/* ---- from region to region ---- */

static ir_piece find_argument(chain *c, const ir_argument *a, span type)
{
    if (a->value >= 0) return find(c, a->value);
    const ir_piece vector = temporary(c);
    ir_emit(c->e, "  $ = or $ zeroinitializer, ", vector, as_text(vector_of(type)));
    write_splat(c, type, a->text);
    fputc('\n', c->e->out);
    return vector;
}

/* Stores what the lanes bring to the last wait, as the regions' loops do. */
static void write_arguments(chain *c, const ir_wait *wait)
{
    static const int slot[IR_MOST_ARGUMENTS] = {MASK_SLOT, VALUE_SLOT, ARGUMENT_SLOT, WIDTH_SLOT};
    const bool completes = split_completes(wait), varies = wait->arguments > 2 && wait->argument[2].value >= 0;
    for (int a = 0; a < wait->arguments; ++a) {
        if (completes && slot[a] != VALUE_SLOT && !(varies && slot[a] == ARGUMENT_SLOT)) continue;
        const bool is_barrier = !ir_is_of_warp(wait),
                   is_word = !is_barrier && slot[a] == VALUE_SLOT && completes && split_is_narrow(c->k->g, wait);
        const int number = is_barrier ? PREDICATE_SLOT : slot[a];
        const span own = split_own_slot_type(number), given = is_barrier ? span_of("i32") : own;
        const span stored = is_word ? span_of("i32") : own;
        const ir_piece vector = find_argument(c, &wait->argument[a], given);
        store_slot(c, number, own, stored, convert(c, "trunc", given, vector, stored));
    }
}

static void store_field(chain *c, const split_place *p, ir_piece vector)
{
    const ir_piece at = temporary(c), value = temporary(c);
    ir_emit(c->e, "  $ = extractelement $ $, i32 0\n", value, as_text(vector_of(p->type)), vector);
    split_write_field_address(c->e, c->k, at, "%frame.out", p->number);
    split_write_store(c->e, p->type, value, at, NO_GROUP);
}

/* Stores what the regions have made and the next one, or one after it, uses. */
static void keep_for(chain *c, int next)
{
    const ir_regions *r = c->k->r;
    const ir_wait *before = ir_wait_before(r, c->first);
    if (before && before->result >= 0 && ir_lives(r, next, before->result)) find(c, before->result);
    for (int v = 0; v < c->k->g->values; ++v) {
        if (!ir_lives(r, next, v) || r->is_remade[v] || !c->is_made[v]) continue;
        const split_place *p = &c->k->place[c->k->kept[v]];
        if (!p->is_slot) {
            store_field(c, p, c->made[v]);
            continue;
        }
        const span kept = split_slot_type(p->type);
        store_slot(c, p->number, kept, kept, convert(c, "zext", p->type, c->made[v], kept));
    }
}

/* Writes the warp function behind the region, and makes the region behind it the next one to be written. */
static void write_function(chain *c, const ir_wait *wait, int next)
{
    if (wait->kind != CPU_WAIT_SYNCWARP && wait->result >= 0) {
        const span own = split_own_slot_type(RESULT_SLOT), word = span_of("i32");
        const bool is_narrow = split_is_narrow(c->k->g, wait);
        const span type = is_narrow ? word : own, wanted = c->k->g->value[wait->result].type;
        const int name = (c->first + 1) * c->k->r->regions + next;
        ir_piece vector = find_argument(c, &wait->argument[1], own);
        vector = convert(c, "trunc", own, vector, type);
        const ir_piece result = split_write_function(c->e, name, wait, is_narrow, vector);
        c->made[wait->result] = convert(c, is_narrow ? "zext" : "trunc", type, result, wanted);
        c->is_made[wait->result] = true;
    }
    c->number = next;
}

bool split_write_vectors(const split_kernel *k, int region, const ir_emitter *e)
{
    if (!can_be_vectors(k, region)) return false;
    const size_t values = (size_t)k->g->values + 1;
    chain c = {.k = k, .e = e, .first = region, .number = region};
    c.made = calloc(values, sizeof *c.made);
    c.is_made = calloc(values, 1);
    const bool allocated = c.made && c.is_made;
    if (allocated) ir_emit(e, "v$:\n", as_number(region));
    for (int i = 0; allocated; ++i) {
        const int node = k->r->entry[c.number], next = k->r->region_at[node + 1];
        const ir_wait *wait = &k->r->wait[node];
        write_region(&c);
        if (i < MOST_CHAINED && split_is_operation(wait) && can_be_vectors(k, next)) {
            write_function(&c, wait, next);
            continue;
        }
        write_arguments(&c, wait);
        keep_for(&c, next);
        ir_emit(e, "  $ = add i32 0, $\n", as_local("v.to", region), as_number(next));
        split_write_way_on(k, e, region, next);
        break;
    }
    free(c.made);
    free(c.is_made);
    return allocated;
}
