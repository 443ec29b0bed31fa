/* Line by line, with a table of the pointers that the current function has made from variables. */
#include "ir_memcheck.h"
#include "ir_debug.h"
#include "ir_operand.h"

#include "cpu/builtins/kernel_abi.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECENT_TEXTS = 8 };

/* A variable, of the module or of a thread. */
typedef struct variable {
    span name; /* without @ or % */
    span type;
    cpu_space space;
    bool own; /* the library's */
} variable;

/* A pointer of the current function, made from a variable. */
typedef struct pointer {
    span name;
    variable of;
    bool inside; /* cannot lie outside of it */
} pointer;

typedef struct pass {
    FILE *out;
    debug_info debug;
    bool failed;      /* for want of memory */
    bool typed;       /* i8*, not ptr */
    unsigned sites;   /* calls made so far */
    variable *global; /* of the module */
    size_t globals, global_capacity;
    pointer *pointer; /* of the current function: a hash table by name */
    size_t pointers, slots;
    span text[RECENT_TEXTS]; /* the last ones written, by number modulo their count */
    unsigned texts;
    FILE *constants; /* what the calls refer to, for the end of the module */
} pass;

#define BYTE_POINTER(p) ((p)->typed ? "i8*" : "ptr")

/* ---- variables of the module ---- */

static bool add_global(pass *p, variable added)
{
    if (p->globals == p->global_capacity) {
        const size_t capacity = p->global_capacity ? 2 * p->global_capacity : 64;
        variable *larger = realloc(p->global, capacity * sizeof *larger);
        if (!larger) return false;
        p->global = larger;
        p->global_capacity = capacity;
    }
    p->global[p->globals++] = added;
    return true;
}

/* "@name = internal thread_local global [256 x float] undef, align 16", or with `constant`. */
static bool read_global(variable *into, span line)
{
    const char *after, *end = line.start + line.length;
    *into = (variable){.name = ir_next_name('@', line.start, end, &after)};
    if (!into->name.length || strncmp(after, " = ", 3) != 0) after += *after == '"';
    const char *kind = span_find(line, " global "), *constant = span_find(line, " constant ");
    if (!into->name.length || (!kind && !constant)) return false;
    kind = !kind || (constant && constant < kind) ? constant + strlen(" constant ") : kind + strlen(" global ");
    into->type = ir_item(kind, " ,");
    const char *local = span_find(line, " thread_local");
    into->space = local && local < kind ? CPU_SPACE_SHARED : CPU_SPACE_GLOBAL;
    into->own = ir_is_own_name(into->name);
    return into->type.length > 0;
}

static bool read_globals(pass *p, const char *ir)
{
    variable found;
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        if (*line.start != '@' || span_starts_with(line, "@llvm.") || span_find(line, "\"llvm.metadata\"")) continue;
        if (read_global(&found, line) && !add_global(p, found)) return false;
    }
    return true;
}

static const variable *find_global(const pass *p, span name)
{
    for (size_t i = 0; i < p->globals; i++)
        if (span_equal(p->global[i].name, name)) return &p->global[i];
    return NULL;
}

/* ---- pointers of the current function ---- */

static size_t slot_of(const pass *p, span name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < name.length; i++) hash = (hash ^ (unsigned char)name.start[i]) * UINT64_C(1099511628211);
    size_t at = (size_t)(hash >> 20) & (p->slots - 1);
    while (p->pointer[at].name.length && !span_equal(p->pointer[at].name, name)) at = (at + 1) & (p->slots - 1);
    return at;
}

static void add_pointer(pass *p, pointer added)
{
    if (2 * (p->pointers + 1) > p->slots) {
        pass larger = *p;
        larger.slots = p->slots ? 2 * p->slots : 1024;
        larger.pointer = calloc(larger.slots, sizeof *larger.pointer);
        if (!larger.pointer) {
            p->failed = true;
            return;
        }
        for (size_t i = 0; i < p->slots; i++)
            if (p->pointer[i].name.length) larger.pointer[slot_of(&larger, p->pointer[i].name)] = p->pointer[i];
        free(p->pointer);
        p->pointer = larger.pointer;
        p->slots = larger.slots;
    }
    p->pointer[slot_of(p, added.name)] = added;
    p->pointers++;
}

static void forget_pointers(pass *p)
{
    if (p->slots) memset(p->pointer, 0, p->slots * sizeof *p->pointer);
    p->pointers = 0;
}

/* What an operand, "%12", "@name" or a constant expression, was made from; the space is unknown if nothing shows it. */
static pointer origin(const pass *p, span value)
{
    const pointer unknown = {.of.space = CPU_SPACE_UNKNOWN};
    const char *after, *end = value.start + value.length;
    if (*value.start == '%') {
        const span name = {value.start + 1, value.length - 1};
        return p->slots ? p->pointer[slot_of(p, name)] : unknown;
    }
    const span name = ir_next_name('@', value.start, end, &after);
    const variable *found = name.length ? find_global(p, name) : NULL;
    if (!found) return unknown;
    return (pointer){.of = *found, .inside = *value.start == '@'};
}

/* ---- the calls ---- */

/* The bytes that a text of the metadata stands for, with a zero byte at its end. */
static size_t text_bytes(span text)
{
    size_t bytes = 1;
    for (size_t i = 0; i < text.length; i++, bytes++)
        if (text.start[i] == '\\') i += 2;
    return bytes;
}

/* Makes the text a constant of the module, unless a recent one is the same; returns its number. */
static unsigned write_text(pass *p, span text)
{
    for (unsigned i = 0; i < RECENT_TEXTS && i < p->texts; i++)
        if (span_equal(p->text[(p->texts - 1 - i) % RECENT_TEXTS], text)) return p->texts - 1 - i;
    fprintf(p->constants, "@lab_text.%u = private unnamed_addr constant [%zu x i8] c\"%.*s\\00\"\n", p->texts,
            text_bytes(text), (int)text.length, text.start);
    p->text[p->texts % RECENT_TEXTS] = text;
    return p->texts++;
}

static void write_text_address(const pass *p, FILE *out, unsigned number, span text)
{
    const size_t bytes = text_bytes(text);
    if (p->typed)
        fprintf(out, "i8* getelementptr ([%zu x i8], [%zu x i8]* @lab_text.%u, i64 0, i64 0)", bytes, bytes, number);
    else
        fprintf(out, "ptr @lab_text.%u", number);
}

/* The name in the source of a variable of the module: the last part of _ZZ5scaleE4tile. */
static span source_name(const variable *of)
{
    if (of->space == CPU_SPACE_LOCAL) return (span){"", 0};
    if (!span_starts_with(of->name, "_Z")) return of->name;
    const char *end = of->name.start + of->name.length;
    for (const char *at = of->name.start; at < end; at++) {
        if (*at < '0' || *at > '9' || (at[-1] >= '0' && at[-1] <= '9')) continue;
        char *part;
        const size_t length = strtoul(at, &part, 10);
        if (length > (size_t)(end - part) || length == 0) continue;
        if (part + length == end || part[length] == '_') return (span){part, length};
    }
    return of->name;
}

/* cpu_site */
static void write_site(pass *p, unsigned site, const debug_place *place, const pointer *made_from, cpu_site_kind kind,
                       span align)
{
    const char *type = p->typed ? "{ i8*, i8*, i8*, i32, i32, i32, i32 }" : "{ ptr, ptr, ptr, i32, i32, i32, i32 }";
    const span text[] = {place->file, place->function, source_name(&made_from->of)};
    unsigned number[3];
    for (int i = 0; i < 3; i++) number[i] = write_text(p, text[i]);
    fprintf(p->constants, "@lab_site.%u = private unnamed_addr constant %s { ", site, type);
    for (int i = 0; i < 3; i++) {
        write_text_address(p, p->constants, number[i], text[i]);
        fputs(", ", p->constants);
    }
    fprintf(p->constants, "i32 %u, i32 %d, i32 %d, i32 %.*s }\n", place->line, (int)kind, (int)made_from->of.space,
            align.length ? (int)align.length : 1, align.length ? align.start : "1");
}

static void write_site_address(pass *p, unsigned site)
{
    if (p->typed)
        fprintf(p->out, "i8* bitcast ({ i8*, i8*, i8*, i32, i32, i32, i32 }* @lab_site.%u to i8*)", site);
    else
        fprintf(p->out, "ptr @lab_site.%u", site);
}

/* "i64 ptrtoint (float* getelementptr (float, float* null, i32 1) to i64)": the compiler knows the sizes of types. */
static void write_size(const pass *p, FILE *out, span type)
{
    const char *star = p->typed ? "*" : "";
    const int length = (int)type.length, pointed = p->typed ? length : 3;
    const char *to = p->typed ? type.start : "ptr";
    fprintf(out, "i64 ptrtoint (%.*s%s getelementptr (%.*s, %.*s%s null, i32 1) to i64)", pointed, to, star, length,
            type.start, pointed, to, star);
}

/* The address as i8*, a value of its own where pointers have types. */
static void write_address(pass *p, const char *name, unsigned site, span type, span value)
{
    if (p->typed)
        fprintf(p->out, "  %%lab.%s.%u = bitcast %.*s %.*s to i8*\n", name, site, (int)type.length, type.start,
                (int)value.length, value.start);
}

static void write_address_use(pass *p, const char *name, unsigned site, span value)
{
    if (p->typed)
        fprintf(p->out, "i8* %%lab.%s.%u", name, site);
    else
        fprintf(p->out, "ptr %.*s", (int)value.length, value.start);
}

/* What an instruction does at an address: `type` is what it loads or stores, or of length 0 where `bytes`, "i64 %5",
 * says how much. */
typedef struct access {
    cpu_site_kind kind;
    operand address;
    span type, bytes, align;
} access;

static void write_check(pass *p, span line, const access *a)
{
    debug_place place;
    const pointer made_from = origin(p, a->address.value);
    const bool is_dynamic = span_is(made_from.of.name, "lab_dynamic_shared");
    if ((made_from.of.own && !is_dynamic) || made_from.inside) return;
    if (!debug_find(&place, &p->debug, line)) return;
    const unsigned site = p->sites++;
    const bool named = made_from.of.space != CPU_SPACE_UNKNOWN && !is_dynamic;
    write_site(p, site, &place, named ? &made_from : &(pointer){0}, a->kind, a->align);
    write_address(p, "address", site, a->address.type, a->address.value);
    const char *sign = made_from.of.space == CPU_SPACE_LOCAL ? "%" : "@";
    char object[512], type[512];
    if (named) {
        snprintf(object, sizeof object, "%s%.*s", sign, (int)made_from.of.name.length, made_from.of.name.start);
        snprintf(type, sizeof type, "%.*s*", (int)made_from.of.type.length, made_from.of.type.start);
        write_address(p, "object", site, (span){type, strlen(type)}, (span){object, strlen(object)});
    }
    fprintf(p->out, "  call void @lab_check_%s(", named ? "object" : "access");
    write_address_use(p, "address", site, a->address.value);
    fputs(", ", p->out);
    if (a->type.length)
        write_size(p, p->out, a->type);
    else
        fwrite(a->bytes.start, 1, a->bytes.length, p->out);
    fputs(", ", p->out);
    write_site_address(p, site);
    if (named) {
        fputs(", ", p->out);
        write_address_use(p, "object", site, (span){object, strlen(object)});
        fputs(", ", p->out);
        write_size(p, p->out, made_from.of.type);
    }
    fputs(")\n", p->out);
}

/* ---- instructions ---- */

/* The number behind ", align " in an instruction. */
static span alignment(span line)
{
    const char *mark = span_find(line, ", align ");
    if (!mark) return (span){"", 0};
    mark += strlen(", align ");
    return (span){mark, strspn(mark, "0123456789")};
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

/* Behind the promises that an address stays inside of its array, or does not wrap around, that may follow "getelementptr". */
static const char *skip_promises(const char *at)
{
    static const char *const words[] = {"inbounds ", "nusw ", "nuw ", NULL};
    return skip_words(at, words);
}

/* "float, float* %8, align 4" behind "load". */
static void check_load(pass *p, span line, const char *at)
{
    static const char *const words[] = {"atomic ", "volatile ", NULL};
    at = skip_words(at, words);
    const char *end = operand_end_of_type(at);
    const access a = {.kind = CPU_SITE_READ,
                      .type = {at, (size_t)(end - at)},
                      .address = operand_read(operand_skip_spaces(end + (*end == ','))),
                      .align = alignment(line)};
    write_check(p, line, &a);
}

/* "float %7, float* %8, align 4" behind "store". */
static void check_store(pass *p, span line, const char *at)
{
    static const char *const words[] = {"atomic ", "volatile ", NULL};
    const operand value = operand_read(skip_words(at, words));
    const access a = {
        .kind = CPU_SITE_WRITE, .type = value.type, .address = operand_next(&value), .align = alignment(line)};
    write_check(p, line, &a);
}

/* "add i32* %8, i32 1 monotonic, align 4" behind "atomicrmw", the same without "add" behind "cmpxchg". */
static void check_atomic(pass *p, span line, const char *at)
{
    static const char *const words[] = {"weak ", "volatile ", NULL};
    at = skip_words(at, words);
    if (operand_is_attribute(at) && strncmp(at, "ptr ", 4) != 0 && !strchr("i{[<%", *at))
        at += ir_item(at, " ").length + 1;
    const operand address = operand_read(at);
    const operand value = operand_next(&address);
    const access a = {.kind = CPU_SITE_ATOMIC, .type = value.type, .address = address, .align = alignment(line)};
    write_check(p, line, &a);
}

static span typed_value(const operand *o)
{
    return (span){o->type.start, (size_t)(o->value.start + o->value.length - o->type.start)};
}

/* "@llvm.memcpy...(i8* align 4 %3, i8* align 4 %5, i64 12, i1 false)": first what is read. */
static void check_copy(pass *p, span line, const char *open)
{
    const operand destination = operand_read(open + 1), source = operand_next(&destination);
    const operand bytes = operand_next(&source);
    const access reads = {
        .kind = CPU_SITE_READ, .address = source, .bytes = typed_value(&bytes), .align = source.align};
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

/* "%3 = alloca [4 x float], align 16": a variable of the thread. */
static void note_local(pass *p, span name, const char *at)
{
    const span type = {at, (size_t)(operand_end_of_type(at) - at)};
    if (strncmp(type.start + type.length, ", align", 7) != 0 && type.start[type.length] != '\n') return;
    add_pointer(p, (pointer){name, {name, type, CPU_SPACE_LOCAL, false}, true});
}

/* Whether a getelementptr selects a member of a structure by numbers: it stays inside. */
static bool selects_member(span type, const char *indices)
{
    if (*type.start != '%') return false;
    const span rest = {indices, strcspn(indices, "\n!")};
    return memchr(rest.start, '%', rest.length) == NULL;
}

/* "inbounds float, float* %5, i64 %7" behind "getelementptr". */
static void note_element(pass *p, span name, const char *at)
{
    at = skip_promises(at);
    const char *end = operand_end_of_type(at);
    const operand from = operand_read(operand_skip_spaces(end + (*end == ',')));
    pointer made = origin(p, from.value);
    if (made.of.space == CPU_SPACE_UNKNOWN) return;
    made.name = name;
    made.inside = made.inside && selects_member((span){at, (size_t)(end - at)}, from.after);
    add_pointer(p, made);
}

/* "float* %5 to i8*" behind "bitcast". */
static void note_cast(pass *p, span name, const char *at)
{
    operand from = operand_read(at);
    const char *to = span_find(from.value, " to ");
    if (to) from.value.length = (size_t)(to - from.value.start);
    pointer made = origin(p, from.value);
    if (made.of.space == CPU_SPACE_UNKNOWN) return;
    made.name = name;
    made.inside = false;
    add_pointer(p, made);
}

static bool begins(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    return true;
}

static void check_instruction(pass *p, span line)
{
    const char *at = line.start + 2;
    span name = {at, 0};
    if (*at == '%') {
        name = ir_item(at + 1, " ");
        at = name.start + name.length;
        if (!begins(&at, " = ")) return;
    }
    if (begins(&at, "load "))
        check_load(p, line, at);
    else if (begins(&at, "store "))
        check_store(p, line, at);
    else if (begins(&at, "atomicrmw ") || begins(&at, "cmpxchg "))
        check_atomic(p, line, at);
    else if (begins(&at, "alloca "))
        note_local(p, name, at);
    else if (begins(&at, "getelementptr "))
        note_element(p, name, at);
    else if (begins(&at, "bitcast "))
        note_cast(p, name, at);
    else {
        const char *copy = span_find(line, "@llvm.memcpy."), *move = span_find(line, "@llvm.memmove.");
        const char *fill = span_find(line, "@llvm.memset.");
        const char *open = copy || move ? strchr(copy ? copy : move, '(') : fill ? strchr(fill, '(') : NULL;
        if (open && fill)
            check_fill(p, line, open);
        else if (open)
            check_copy(p, line, open);
    }
}

/* ---- the module ---- */

/* What is left out of the copy near `at`: from *from to what is returned, which are the same if nothing is. */
static const char *omitted(const char *at, const char **from)
{
    static const char element[] = "getelementptr ", debug[] = "!dbg !", loop[] = "!llvm.loop !";
    *from = at;
    if (begins(&at, element)) {
        *from = at;
        return skip_promises(at);
    }
    if (!begins(&at, debug) && !begins(&at, loop)) return at;
    *from -= 1 + ((*from)[-2] == ',');
    return at + strspn(at, "0123456789");
}

/* Copies a line without its debug information and what refers to that, and without the promises of where addresses
 * are: from these the optimiser would conclude what is to be checked. */
static void copy_line(FILE *out, span line)
{
    const char *copied = line.start, *end = line.start + line.length, *from;
    for (const char *at = copied; at < end; ++at) {
        if (*at != '!' && *at != 'g') continue;
        const char *behind = omitted(at, &from);
        if (behind == from) continue;
        fwrite(copied, 1, (size_t)(from - copied), out);
        copied = behind;
        at = copied - 1;
    }
    fwrite(copied, 1, (size_t)(end - copied), out);
}

/* define void @lab_variables(void (i8*, i8*, i64, i8*, i32)* %visit, i8* %user) */
static void write_variables(pass *p)
{
    const char *byte = BYTE_POINTER(p);
    const char *function = p->typed ? "void (i8*, i8*, i64, i8*, i32)*" : "ptr";
    fprintf(p->out, "\ndefine void @lab_variables(%s %%visit, %s %%user) {\n", function, byte);
    for (size_t i = 0; i < p->globals; i++) {
        const variable *v = &p->global[i];
        if (v->own && !span_is(v->name, "lab_dynamic_shared")) continue;
        const span name = source_name(v);
        const unsigned text = write_text(p, name);
        fprintf(p->out, "  call void %%visit(%s %%user, ", byte);
        if (p->typed)
            fprintf(p->out, "i8* bitcast (%.*s* @%.*s to i8*), ", (int)v->type.length, v->type.start,
                    (int)v->name.length, v->name.start);
        else
            fprintf(p->out, "ptr @%.*s, ", (int)v->name.length, v->name.start);
        write_size(p, p->out, v->type);
        fputs(", ", p->out);
        write_text_address(p, p->out, text, name);
        fprintf(p->out, ", i32 %d)\n", (int)v->space);
    }
    fputs("  ret void\n}\n\n", p->out);
}

static void rewrite(pass *p, const char *ir)
{
    bool inside = false;
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        if (span_starts_with(line, "define ")) {
            inside = true;
            forget_pointers(p);
        }
        if (*line.start == '}') inside = false;
        if (span_starts_with(line, "!llvm.dbg.cu")) continue;
        if (inside && span_starts_with(line, "  ")) check_instruction(p, line);
        if (inside)
            copy_line(p->out, line);
        else
            fwrite(line.start, 1, line.length, p->out);
    }
}

bool cpu_ir_check(cpu_text *out, const char *ir)
{
    char *constants = NULL;
    size_t constant_bytes = 0;
    pass p = {.out = open_memstream(&out->data, &out->size), .typed = !strstr(ir, " ptr ")};
    p.constants = open_memstream(&constants, &constant_bytes);
    p.failed = !p.out || !p.constants || !debug_read(&p.debug, ir) || !read_globals(&p, ir);
    if (!p.failed) {
        rewrite(&p, ir);
        write_variables(&p);
    }
    if (p.constants && fclose(p.constants) != 0) p.failed = true;
    if (!p.failed) fwrite(constants, 1, constant_bytes, p.out);
    if (p.out && fclose(p.out) != 0) p.failed = true;
    free(constants);
    free(p.global);
    free(p.pointer);
    debug_free(&p.debug);
    if (p.failed) {
        free(out->data);
        *out = (cpu_text){0};
    }
    return !p.failed;
}
