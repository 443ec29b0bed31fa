/* Line by line: the operands say what an instruction touches, the debug information and the function say where. */
#include "memcheck.h"
#include "shadows.h"

#include "cpu/ir/debug.h"
#include "cpu/ir/emit.h"
#include "cpu/ir/operand.h"
#include "cpu/ir/origins.h"

#include <stdlib.h>

enum { RECENT_TEXTS = 8 };

typedef struct pass {
    ir_emitter e;
    debug_info debug;
    origins origins;
    shadows shadows;
    unsigned form;           /* a sum of check_forms */
    bool failed;             /* memory ran out */
    operand done;            /* the address of the line's atomic or volatile access; length 0 if it has none */
    unsigned done_site;      /* the call before it */
    unsigned sites;          /* the calls written so far */
    span text[RECENT_TEXTS]; /* the last texts written, by number modulo RECENT_TEXTS */
    unsigned texts;
    ir_emitter constants; /* the constants that the calls name, for the end of the module */
} pass;

/* ---- the calls ---- */

/* Writes the type of a text and its zero byte: "[5 x i8]". */
static void write_text_type(FILE *out, span text) { fprintf(out, "[%zu x i8]", ir_decoded_length(text) + 1); }

/* Makes the text a constant of the module, unless it equals a recent one. Returns its number. */
static unsigned write_text(pass *p, span text)
{
    for (unsigned i = 0; i < RECENT_TEXTS && i < p->texts; i++)
        if (span_equal(p->text[(p->texts - 1 - i) % RECENT_TEXTS], text)) return p->texts - 1 - i;
    ir_emit(&p->constants, "@lab_text.$ = private unnamed_addr constant ", as_number(p->texts));
    write_text_type(p->constants.out, text);
    ir_emit(&p->constants, " c\"$\\00\"\n", as_text(text));
    p->text[p->texts % RECENT_TEXTS] = text;
    return p->texts++;
}

/* Writes the address of such a constant. */
static void write_text_address(const ir_emitter *e, unsigned number, span text)
{
    if (!e->typed_pointers) {
        ir_emit(e, "ptr @lab_text.$", as_number(number));
        return;
    }
    fputs("i8* getelementptr (", e->out);
    write_text_type(e->out, text);
    fputs(", ", e->out);
    write_text_type(e->out, text);
    ir_emit(e, "* @lab_text.$, i64 0, i64 0)", as_number(number));
}

/* The name of a variable of the module in the source: the last part of _ZZ5scaleE4tile. */
static span source_name(const variable *v)
{
    if (v->space == CPU_SPACE_LOCAL) return (span){"", 0};
    const span whole = ir_without_managed(v->name);
    if (!span_starts_with(whole, "_Z")) return whole;
    const char *end = span_end(whole);
    for (const char *at = whole.start; at < end; at++) {
        if (*at < '0' || *at > '9' || (at[-1] >= '0' && at[-1] <= '9')) continue;
        char *part;
        const size_t length = strtoul(at, &part, 10);
        if (length > (size_t)(end - part) || length == 0) continue;
        if (part + length == end || part[length] == '_') return (span){part, length};
    }
    return whole;
}

/* cpu_site */
static span site_type(const ir_emitter *e)
{
    return span_of(e->typed_pointers ? "{ i8*, i8*, i8*, i32, i32, i32, i32, i32, i32, i32 }"
                                     : "{ ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i32 }");
}

/* What an instruction does at an address. The size is that of the type that it loads or stores; if that has length 0,
 * it is the operand `bytes`, "i64 %5". */
typedef struct access {
    cpu_site_kind kind;
    cpu_strength strength;
    operand address;
    span type, bytes, align;
    span read;   /* the name of the value that a load reads, if it has a shadow from then on; else length 0 */
    span stored; /* the value that a store puts into shared memory, if it has a shadow; else length 0 */
} access;

static void write_site(pass *p, unsigned site, const debug_place *place, const variable *v, const access *a)
{
    const ir_emitter *e = &p->constants;
    const span text[] = {place->file, place->function, source_name(v)};
    unsigned number[3];
    for (int i = 0; i < 3; i++) number[i] = write_text(p, text[i]);
    ir_emit(e, "@lab_site.$ = private unnamed_addr constant $ { ", as_number(site), as_text(site_type(e)));
    for (int i = 0; i < 3; i++) {
        write_text_address(e, number[i], text[i]);
        fputs(", ", e->out);
    }
    ir_emit(e, "i32 $, i32 $, i32 $, i32 $, i32 $, i32 $, i32 $ }\n", as_number(place->line), as_number((int)a->kind),
            as_number((int)v->space), as_number((int)a->strength), a->align.length ? as_text(a->align) : as_string("1"),
            as_number(site % CPU_WINDOWS), as_number(a->read.length > 0));
}

/* A pointer to bytes with the address of another pointer: the value %lab.NAME.SITE where pointers have types. */
typedef struct byte_pointer {
    const char *name;
    unsigned site;
    ir_piece value; /* the other pointer, where they have none */
} byte_pointer;

static void write_cast(const ir_emitter *e, const byte_pointer *b, ir_piece type)
{
    if (e->typed_pointers)
        ir_emit(e, "  %lab.$.$ = bitcast $ $ to i8*\n", as_string(b->name), as_number(b->site), type, b->value);
}

static void write_pointer(const ir_emitter *e, const byte_pointer *b)
{
    if (e->typed_pointers)
        ir_emit(e, "i8* %lab.$.$", as_string(b->name), as_number(b->site));
    else
        ir_emit(e, "ptr $", b->value);
}

/* The name of a variable: %name for one of a thread, @name for one of the module. */
static ir_piece as_variable(const variable *v)
{
    const span with_sigil = {v->name.start - 1, v->name.length + 1};
    return v->space == CPU_SPACE_LOCAL ? as_text(with_sigil) : as_symbol("", v->name);
}

/* The arguments that name the bytes of an access and, unless `site` is none, its place. */
static void write_bytes(const pass *p, const access *a, const byte_pointer *address)
{
    write_pointer(&p->e, address);
    ir_emit(&p->e, a->type.length ? ", i64 $" : ", $", a->type.length ? as_size(a->type) : as_text(a->bytes));
}

static void write_site_address(const pass *p, unsigned site)
{
    if (p->e.typed_pointers)
        ir_emit(&p->e, "i8* bitcast ($* @lab_site.$ to i8*)", as_text(site_type(&p->e)), as_number(site));
    else
        ir_emit(&p->e, "ptr @lab_site.$", as_number(site));
}

/* The shadow of what the access reads, and of what it puts into shared memory. */
static void write_shadows(const pass *p, const access *a, const byte_pointer *address, unsigned line)
{
    if (a->read.length) {
        fputs("  ", p->e.out);
        shadows_write_name(&p->e, a->read);
        fputs(" = call i32 @lab_check_unwritten(", p->e.out);
        write_bytes(p, a, address);
        fputs(", ", p->e.out);
        write_site_address(p, address->site);
        fputs(")\n", p->e.out);
    }
    if (a->stored.length) {
        fputs("  call void @lab_check_holds(", p->e.out);
        write_bytes(p, a, address);
        fputs(", ", p->e.out);
        shadows_write(&p->shadows, &p->e, a->stored);
        fprintf(p->e.out, ", i32 %u)\n", line);
    }
}

/* Whether the access is checked. */
static bool write_check(pass *p, span line, const access *a)
{
    static const variable unnamed = {.name = {"", 0}};
    const ir_emitter *e = &p->e;
    debug_place place;
    const pointer made_from = origins_find(&p->origins, a->address.value);
    const bool is_dynamic = span_is(made_from.base.name, "lab_dynamic_shared");
    if ((made_from.base.own && !is_dynamic) || (made_from.inside && made_from.base.space == CPU_SPACE_LOCAL))
        return false;
    if (!debug_find(&place, &p->debug, line)) return false;
    const unsigned site = p->sites++;
    const bool named = made_from.base.space != CPU_SPACE_UNKNOWN && !is_dynamic;
    const variable *object = named ? &made_from.base : &unnamed;
    const byte_pointer address = {"address", site, as_text(a->address.value)};
    const byte_pointer begin = {"object", site, named ? as_variable(object) : as_string("")};

    write_site(p, site, &place, object, a);
    write_cast(e, &address, as_text(a->address.type));
    if (named) write_cast(e, &begin, as_pointer(object->type));
    ir_emit(e, "  call void @lab_check_$(", as_string(named ? "object" : "access"));
    write_bytes(p, a, &address);
    fputs(", ", e->out);
    write_site_address(p, site);
    if (named) {
        fputs(", ", e->out);
        write_pointer(e, &begin);
        ir_emit(e, ", i64 $", as_size(object->type));
    }
    fputs(")\n", e->out);
    write_shadows(p, a, &address, place.line);
    if (a->strength == CPU_ACCESS_PLAIN || a->strength == CPU_ACCESS_COPY || a->strength > CPU_ACCESS_BLOCK_ATOMIC)
        return true;
    p->done = a->address;
    p->done_site = site;
    return true;
}

/* Tells of the line's atomic or volatile access once it has taken place. */
static void write_done(pass *p)
{
    if (!p->done.value.length) return;
    fputs("  call void @lab_check_done(", p->e.out);
    write_pointer(&p->e, &(byte_pointer){"address", p->done_site, as_text(p->done.value)});
    fputs(")\n", p->e.out);
    p->done.value.length = 0;
}

/* ---- instructions ---- */

/* The alignment of an instruction; length 0 if it has none. */
static span alignment(span line)
{
    const char *mark = span_find(line, ", align ");
    if (!mark) return (span){"", 0};
    mark += strlen(", align ");
    return (span){mark, strspn(mark, "0123456789")};
}

/* "atomic volatile i32" after "load" or "store". */
static cpu_strength strength_of(const char *at)
{
    if (strncmp(at, "atomic volatile ", 16) == 0) return CPU_ACCESS_BLOCK_ATOMIC;
    if (strncmp(at, "atomic ", 7) == 0) return CPU_ACCESS_ATOMIC;
    return strncmp(at, "volatile ", 9) == 0 ? CPU_ACCESS_VOLATILE : CPU_ACCESS_PLAIN;
}

static const char *skip_words(const char *at, const char *const *words)
{
    for (bool skipped = true; skipped;) {
        skipped = false;
        for (int i = 0; words[i]; i++)
            if (strncmp(at, words[i], strlen(words[i])) == 0) {
                at += strlen(words[i]);
                skipped = true;
            }
    }
    return at;
}

/* Skips the promises after "getelementptr" that the address stays inside its array, or does not wrap around. */
static const char *skip_promises(const char *at)
{
    static const char *const words[] = {"inbounds ", "nusw ", "nuw ", NULL};
    return skip_words(at, words);
}

/* "float, float* %8, align 4" after "load". */
static void check_load(pass *p, span line, span name, const char *at)
{
    static const char *const words[] = {"atomic ", "volatile ", NULL};
    const cpu_strength strength = strength_of(at);
    at = skip_words(at, words);
    const char *end = operand_end_of_type(at);
    const access a = {.kind = CPU_SITE_READ,
                      .strength = strength,
                      .type = {at, (size_t)(end - at)},
                      .address = operand_read(operand_skip_spaces(end + (*end == ','))),
                      .align = alignment(line),
                      .read = p->shadows.values.names && shadows_begin(&p->origins, line) ? name : (span){"", 0}};
    if (write_check(p, line, &a) || !a.read.length) return;
    fputs("  ", p->e.out);
    shadows_write_name(&p->e, a.read);
    fputs(" = or i32 0, 0\n", p->e.out);
}

/* "float %7, float* %8, align 4" after "store". */
static void check_store(pass *p, span line, const char *at)
{
    static const char *const words[] = {"atomic ", "volatile ", NULL};
    const operand value = operand_read(skip_words(at, words));
    access a = {.kind = CPU_SITE_WRITE,
                .strength = strength_of(at),
                .type = value.type,
                .address = operand_next(&value),
                .align = alignment(line)};
    if (p->shadows.values.names && shadows_stores(&p->shadows, &p->origins, line)) a.stored = value.value;
    write_check(p, line, &a);
}

/* "add i32* %8, i32 1 monotonic, align 4" after "atomicrmw"; the same without "add" after "cmpxchg". An exchange, whose
 * result mostly nothing uses, counts as a write. */
static void check_atomic(pass *p, span line, const char *at)
{
    static const char *const words[] = {"weak ", "volatile ", NULL};
    const char *words_start = at;
    at = skip_words(at, words);
    const span skipped = {words_start, (size_t)(at - words_start)};
    const bool only_writes = strncmp(at, "xchg ", 5) == 0;
    if (operand_is_attribute(at) && strncmp(at, "ptr ", 4) != 0 && !strchr("i{[<%", *at))
        at += ir_item(at, " ").length + 1;
    const operand address = operand_read(at);
    const operand value = operand_next(&address);
    const access a = {.kind = only_writes ? CPU_SITE_WRITE : CPU_SITE_ATOMIC,
                      .strength = span_find(skipped, "volatile") ? CPU_ACCESS_BLOCK_ATOMIC : CPU_ACCESS_ATOMIC,
                      .type = value.type,
                      .address = address,
                      .align = alignment(line)};
    write_check(p, line, &a);
}

static span typed_value(const operand *o)
{
    return (span){o->type.start, (size_t)(o->value.start + o->value.length - o->type.start)};
}

/* "@llvm.memcpy...(i8* align 4 %3, i8* align 4 %5, i64 12, i1 false)". The read comes first. */
static void check_copy(pass *p, span line, const char *open)
{
    const operand destination = operand_read(open + 1), source = operand_next(&destination);
    const operand bytes = operand_next(&source);
    const access reads = {.kind = CPU_SITE_READ,
                          .strength = CPU_ACCESS_COPY,
                          .address = source,
                          .bytes = typed_value(&bytes),
                          .align = source.align};
    const access writes = {
        .kind = CPU_SITE_WRITE, .address = destination, .bytes = typed_value(&bytes), .align = destination.align};
    write_check(p, line, &reads);
    write_check(p, line, &writes);
}

static void check_fill(pass *p, span line, const char *open)
{
    const operand destination = operand_read(open + 1), value = operand_next(&destination);
    const operand bytes = operand_next(&value);
    const access writes = {
        .kind = CPU_SITE_WRITE, .address = destination, .bytes = typed_value(&bytes), .align = destination.align};
    write_check(p, line, &writes);
}

/* "@_ZL18lab_mark_read_onlyPKvm(i8* %4, i64 4)": a mark of the built-ins. */
static bool check_mark(pass *p, span line)
{
    const char *mark = span_find(line, "lab_mark_");
    if (!mark || !span_find(line, "call ")) return false;
    const operand first = operand_read(strchr(mark, '(') + 1);
    if (span_find(line, "lab_mark_fence")) {
        ir_emit(&p->e, "  call void @lab_check_fence($)\n", as_text(typed_value(&first)));
        return true;
    }
    const operand bytes = operand_next(&first);
    const bool reads = span_find(line, "lab_mark_read_only");
    write_check(p, line,
                &(access){.kind = reads ? CPU_SITE_READ : CPU_SITE_WRITE,
                          .strength = reads ? CPU_ACCESS_READ_ONLY : CPU_ACCESS_ASYNCHRONOUS,
                          .address = first,
                          .bytes = typed_value(&bytes)});
    return true;
}

static void note_pointer(pass *p, pointer made) { p->failed = !origins_add(&p->origins, made) || p->failed; }

/* "%3 = alloca [4 x float], align 16": a variable of the thread. */
static void note_local(pass *p, span name, const char *at)
{
    const span type = {at, (size_t)(operand_end_of_type(at) - at)};
    if (strncmp(type.start + type.length, ", align", 7) != 0 && type.start[type.length] != '\n') return;
    note_pointer(p, (pointer){name, {name, type, CPU_SPACE_LOCAL, false}, true});
}

/* Whether a getelementptr selects a member of a structure by constant indices: its address is inside. */
static bool selects_member(span type, const char *indices)
{
    if (*type.start != '%') return false;
    const span rest = {indices, strcspn(indices, "\n!")};
    return memchr(rest.start, '%', rest.length) == NULL;
}

/* "inbounds float, float* %5, i64 %7" after "getelementptr". */
static void note_element(pass *p, span name, const char *at)
{
    at = skip_promises(at);
    const char *end = operand_end_of_type(at);
    const operand base = operand_read(operand_skip_spaces(end + (*end == ',')));
    pointer made = origins_find(&p->origins, base.value);
    if (made.base.space == CPU_SPACE_UNKNOWN) return;
    made.name = name;
    made.inside = made.inside && selects_member((span){at, (size_t)(end - at)}, base.after);
    note_pointer(p, made);
}

/* "float* %5 to i8*" after "bitcast". */
static void note_cast(pass *p, span name, const char *at)
{
    operand source = operand_read(at);
    const char *type = span_find(source.value, " to ");
    if (type) source.value.length = (size_t)(type - source.value.start);
    pointer made = origins_find(&p->origins, source.value);
    if (made.base.space == CPU_SPACE_UNKNOWN) return;
    made.name = name;
    made.inside = false;
    note_pointer(p, made);
}

static bool begins(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    return true;
}

/* A call of LLVM's own function or, in the device code of a CUDA file, of the C library's. */
static const char *find_call(span line, const char *own, const char *library)
{
    const char *found = span_find(line, own);
    return found ? found : span_find(line, library);
}

/* Whether the instruction makes an address that may be that of a variable. */
static bool note_address(pass *p, span name, const char *at)
{
    if (begins(&at, "alloca "))
        note_local(p, name, at);
    else if (begins(&at, "getelementptr "))
        note_element(p, name, at);
    else if (begins(&at, "bitcast "))
        note_cast(p, name, at);
    else
        return false;
    return true;
}

/* What the instruction of the line does; NULL if it is none. The name of its result has length 0 if it has none. */
static const char *find_instruction(span *name, span line)
{
    const char *at = line.start + 2;
    *name = (span){at, 0};
    if (*at != '%') return at;
    *name = ir_item(at + 1, " ");
    at = name->start + name->length;
    return begins(&at, " = ") ? at : NULL;
}

static void check_instruction(pass *p, span line)
{
    span name;
    const char *at = find_instruction(&name, line);
    if (!at) return;
    if (begins(&at, "load "))
        check_load(p, line, name, at);
    else if (begins(&at, "store "))
        check_store(p, line, at);
    else if (begins(&at, "atomicrmw ") || begins(&at, "cmpxchg "))
        check_atomic(p, line, at);
    else if (begins(&at, "fence "))
        fprintf(p->e.out, "  call void @lab_check_fence(i32 %d)\n", strncmp(at, "acq_rel", 7) == 0);
    else if (!note_address(p, name, at) && !check_mark(p, line)) {
        const char *copy = find_call(line, "@llvm.memcpy.", "@memcpy(");
        if (!copy) copy = find_call(line, "@llvm.memmove.", "@memmove(");
        const char *fill = find_call(line, "@llvm.memset.", "@memset(");
        const char *open = copy ? strchr(copy, '(') : fill ? strchr(fill, '(') : NULL;
        if (open && fill)
            check_fill(p, line, open);
        else if (open)
            check_copy(p, line, open);
    }
}

/* ---- the module ---- */

/* The text at `at`, or around it, that the copy leaves out; length 0 if it leaves nothing out. */
static span omitted(const char *at)
{
    static const char element[] = "getelementptr ", debug[] = "!dbg !", loop[] = "!llvm.loop !";
    const char *start = at;
    if (begins(&at, element)) return (span){at, (size_t)(skip_promises(at) - at)};
    if (!begins(&at, debug) && !begins(&at, loop)) return (span){at, 0};
    start -= 1 + (start[-2] == ',');
    return (span){start, (size_t)(at + strspn(at, "0123456789") - start)};
}

/* Copies a line without its debug information, and without promises about addresses: the optimiser would conclude from
 * them that the checks cannot fail. */
static void copy_line(FILE *out, span line)
{
    const char *copied = line.start;
    for (const char *at = copied; at < span_end(line); ++at) {
        const span left_out = *at == '!' || *at == 'g' ? omitted(at) : (span){at, 0};
        if (!left_out.length) continue;
        ir_emit_span(out, (span){copied, (size_t)(left_out.start - copied)});
        copied = span_end(left_out);
        at = copied - 1;
    }
    ir_emit_span(out, (span){copied, (size_t)(span_end(line) - copied)});
}

/* define void @lab_variables(void (i8*, i8*, i64, i8*, i32)* %visit, i8* %user) */
static void write_variables(pass *p)
{
    const ir_emitter *e = &p->e;
    const ir_piece byte = as_pointer(span_of("i8")), function = as_pointer(span_of("void (i8*, i8*, i64, i8*, i32)"));
    ir_emit(e, "\ndefine void @lab_variables($ %visit, $ %user) {\n", function, byte);
    for (size_t i = 0; i < p->origins.globals; i++) {
        const variable *v = &p->origins.global[i];
        if (v->own && !span_is(v->name, "lab_dynamic_shared")) continue;
        const span name = source_name(v);
        const unsigned text = write_text(p, name);
        ir_emit(e, "  call void %visit($ %user, $, i64 $, ", byte, as_address(v->type, "", v->name), as_size(v->type));
        write_text_address(e, text, name);
        ir_emit(e, ", i32 $)\n", as_number((int)v->space));
    }
    fputs("  ret void\n}\n\n", e->out);
}

/* Finds the values with shadows of the function that begins here. */
static void find_shadows(pass *p, span definition, const char *body)
{
    span name;
    origins_forget_pointers(&p->origins);
    for (const char *at = body; *at != '}' && *at; at += ir_line(at).length) {
        const span line = ir_line(at);
        const char *instruction = span_starts_with(line, "  ") ? find_instruction(&name, line) : NULL;
        if (instruction) note_address(p, name, instruction);
    }
    if (p->form & CHECK_FORM_VALUES) shadows_find(&p->shadows, &p->origins, body, !span_find(definition, "lab_check_"));
    origins_forget_pointers(&p->origins);
    p->failed = p->failed || p->shadows.failed;
}

/* Uses of values with shadows before the line. */
static void write_uses(pass *p, span line)
{
    debug_place place;
    const unsigned number = debug_find(&place, &p->debug, line) ? place.line : 0;
    shadows_write_uses(&p->shadows, &p->e, &p->origins, line, number);
}

/* Writes the shadow of the value that the line reads from a local variable, behind what shadows_write_result writes. */
static void write_local(pass *p, span line)
{
    span name;
    debug_place place;
    const char *at = find_instruction(&name, line);
    const bool known = at && debug_find(&place, &p->debug, line);
    fputs("  ", p->e.out);
    shadows_write_name(&p->e, name);
    fputs(" = call i32 @lab_check_local(i32 ", p->e.out);
    shadows_write_local(&p->e, name);
    fputs(", ", p->e.out);
    if (known) {
        const unsigned site = p->sites++;
        write_site(p, site, &place, &(variable){.name = {"", 0}, .space = CPU_SPACE_LOCAL},
                   &(access){.kind = CPU_SITE_READ, .read = name});
        write_site_address(p, site);
    } else {
        fputs(p->e.typed_pointers ? "i8* null" : "ptr null", p->e.out);
    }
    fputs(")\n", p->e.out);
}

/* What the built-ins ask before they do anything for racecheck. */
static bool write_form(const pass *p, span line)
{
    static const char name[] = "@lab_check_races = ";
    if (!span_starts_with(line, name)) return false;
    fprintf(p->e.out, "%sprivate constant i8 %d\n", name, (p->form & CHECK_FORM_RACES) != 0);
    return true;
}

static void rewrite(pass *p, const char *ir)
{
    bool inside = false;
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        if (span_starts_with(line, "define ")) {
            inside = true;
            find_shadows(p, line, span_end(line));
        }
        if (*line.start == '}') inside = false;
        if (span_starts_with(line, "!llvm.dbg.cu") || write_form(p, line)) continue;
        const bool has_shadows = inside && span_starts_with(line, "  ") && p->shadows.values.names;
        if (inside && span_starts_with(line, "  ")) check_instruction(p, line);
        if (has_shadows) write_uses(p, line);
        if (inside)
            copy_line(p->e.out, line);
        else
            ir_emit_span(p->e.out, line);
        write_done(p);
        if (has_shadows) shadows_write_result(&p->shadows, &p->e, &p->origins, line);
        if (has_shadows && shadows_reads_local(&p->shadows, &p->origins, line)) write_local(p, line);
    }
}

/* Rewrites the module. The constants that the calls name are at its end. */
static bool check(pass *p, cpu_text *constants, const char *ir)
{
    p->constants.out = open_memstream(&constants->data, &constants->size);
    p->failed = !p->constants.out || !debug_read(&p->debug, ir) || !origins_read(&p->origins, ir);
    if (!p->failed) {
        rewrite(p, ir);
        write_variables(p);
    }
    if (p->constants.out && !ir_emit_end(p->constants.out, constants)) p->failed = true;
    if (!p->failed) fwrite(constants->data, 1, constants->size, p->e.out);
    return !p->failed;
}

bool cpu_ir_check(cpu_text *out, const char *ir, unsigned form)
{
    const bool typed_pointers = ir_has_typed_pointers(ir);
    cpu_text constants = {0};
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    pass p = {.e = {file, typed_pointers}, .form = form, .constants = {.typed_pointers = typed_pointers}};
    const bool done = check(&p, &constants, ir);
    free(constants.data);
    origins_free(&p.origins);
    shadows_free(&p.shadows);
    debug_free(&p.debug);
    return ir_emit_end(file, out) && done;
}
