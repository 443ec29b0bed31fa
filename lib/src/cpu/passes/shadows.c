/* An instruction passes its operands on to its result, or moves them between variables, or uses them. What is not known
 * here uses them. */
#include "shadows.h"

#include "cpu/ir/operand.h"

#include <stdint.h>
#include <stdlib.h>

/* ---- names ---- */

static size_t slot_of(const name_set *set, span name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < name.length; i++) hash = (hash ^ (unsigned char)name.start[i]) * UINT64_C(1099511628211);
    size_t at = (size_t)(hash >> 20) & (set->slots - 1);
    while (set->name[at].length && !span_equal(set->name[at], name)) at = (at + 1) & (set->slots - 1);
    return at;
}

static bool has(const name_set *set, span name) { return set->names && set->name[slot_of(set, name)].length; }

/* Whether the name was not there. */
static bool add(shadows *s, name_set *set, span name)
{
    if (has(set, name)) return false;
    if (2 * (set->names + 1) > set->slots) {
        name_set larger = {.names = set->names, .slots = set->slots ? 2 * set->slots : 256};
        larger.name = calloc(larger.slots, sizeof *larger.name);
        if (!larger.name) return s->failed = true, false;
        for (size_t i = 0; i < set->slots; i++)
            if (set->name[i].length) larger.name[slot_of(&larger, set->name[i])] = set->name[i];
        free(set->name);
        *set = larger;
    }
    set->name[slot_of(set, name)] = name;
    set->names++;
    return true;
}

static void empty(name_set *set)
{
    if (set->names) memset(set->name, 0, set->slots * sizeof *set->name);
    set->names = 0;
}

void shadows_free(shadows *s)
{
    free(s->values.name);
    free(s->variables.name);
    free(s->taken.name);
    free(s->unset.name);
}

/* ---- instructions ---- */

typedef enum instruction_kind {
    USES,
    PASSES,
    JOINS,
    SELECTS,
    LOADS,
    STORES,
    ALLOCATES,
    CASTS,
    COPIES,
    SHUFFLES
} instruction_kind;

#define SHUFFLE " @lab_suspend_shfl_"

typedef struct instruction {
    instruction_kind kind;
    span name;      /* of the result; length 0 if there is none */
    const char *at; /* behind the word */
    const char *end;
} instruction;

static const char *const passing[] = {
    "add",   "fadd",   "sub",    "fsub",   "mul",    "fmul", "udiv", "sdiv",  "fdiv",   "urem",          "srem",
    "frem",  "shl",    "lshr",   "ashr",   "and",    "or",   "xor",  "trunc", "zext",   "sext",          "fptrunc",
    "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "icmp", "fcmp", "fneg",  "freeze", "getelementptr", NULL};

static instruction read_instruction(span line)
{
    instruction i = {.kind = USES, .at = line.start + 2, .end = span_end(line)};
    if (*i.at == '%') {
        const char *after;
        i.name = ir_next_name('%', i.at, i.end, &after);
        i.at = strncmp(after, " = ", 3) == 0 ? after + 3 : i.end;
    }
    const span word = {i.at, strcspn(i.at, " \n")};
    i.at += word.length;
    if (*i.at == ' ') i.at++;
    if (span_is(word, "load"))
        i.kind = LOADS;
    else if (span_is(word, "store"))
        i.kind = STORES;
    else if (span_is(word, "alloca"))
        i.kind = ALLOCATES;
    else if (span_is(word, "phi"))
        i.kind = JOINS;
    else if (span_is(word, "select"))
        i.kind = SELECTS;
    else if (span_is(word, "bitcast"))
        i.kind = CASTS;
    else if (i.name.length && span_find(line, SHUFFLE))
        i.kind = SHUFFLES;
    else if (span_find(line, " @llvm.memcpy."))
        i.kind = COPIES;
    else if (span_is_one_of(word, passing) || (i.name.length && span_find(line, " @llvm.")))
        i.kind = PASSES;
    return i;
}

/* The next operand of an instruction that has a name; length 0 at the end. */
static span next_name(const char **at, const instruction *i) { return ir_next_name('%', *at, i->end, at); }

static bool is_single(span type)
{
    return type.length > 0 &&
           (type.start[type.length - 1] == '*' || strchr("ifdhb", *type.start) || span_starts_with(type, "ptr"));
}

/* The local variable that an address was made from, if only by casts; length 0 if there is none. Any other way to make
 * an address from that of a variable takes it. */
static span variable_at(const origins *o, span value)
{
    const pointer found = *value.start == '%' ? origins_find(o, value) : (pointer){0};
    span name = found.base.name;
    if (found.base.space != CPU_SPACE_LOCAL) return (span){value.start, 0};
    if (*name.start == '"') name = (span){name.start + 1, name.length - 2};
    return name;
}

bool shadows_is_shared(const origins *o, span value)
{
    const variable base = origins_find(o, value).base;
    return base.space == CPU_SPACE_SHARED && (!base.own || span_is(base.name, "lab_dynamic_shared"));
}

typedef struct access_operands {
    operand value, address; /* of a load, only the type of the value */
    bool plain;
} access_operands;

static access_operands read_access(const instruction *i)
{
    access_operands a = {.plain = strncmp(i->at, "volatile ", 9) != 0 && strncmp(i->at, "atomic ", 7) != 0};
    const char *at = i->at;
    while (strncmp(at, "volatile ", 9) == 0 || strncmp(at, "atomic ", 7) == 0) at = strchr(at, ' ') + 1;
    if (i->kind == STORES) {
        a.value = operand_read(at);
        a.address = operand_next(&a.value);
        return a;
    }
    const char *end = operand_end_of_type(at);
    a.value.type = (span){at, (size_t)(end - at)};
    a.address = operand_read(operand_skip_spaces(end + (*end == ',')));
    return a;
}

bool shadows_begin(const origins *o, span line)
{
    const instruction i = read_instruction(line);
    if (i.kind != LOADS) return false;
    const access_operands a = read_access(&i);
    return a.plain && is_single(a.value.type) && shadows_is_shared(o, a.address.value);
}

bool shadows_is_shuffle(span line) { return read_instruction(line).kind == SHUFFLES; }

static bool mentions(span line, span name)
{
    const char *at = line.start;
    for (span other; (other = ir_next_name('%', at, span_end(line), &at)).length;)
        if (span_equal(other, name)) return true;
    return false;
}

/* Whether the variable gets a value next, in the same row of instructions. */
static bool is_stored_next(const char *at, span name)
{
    for (span line; span_starts_with(line = ir_line(at), "  "); at += line.length) {
        if (span_find(line, "@llvm.dbg.") || !mentions(line, name)) continue;
        const instruction i = read_instruction(line);
        if (i.kind != STORES) return false;
        const access_operands a = read_access(&i);
        return span_equal(ir_next_name('%', a.address.value.start, i.end, &at), name) && !mentions(a.value.value, name);
    }
    return false;
}

/* Whether the line gives a variable the pattern with which it begins, and the source may not give it a value before it
 * is used. The compiler does so for each variable. */
static bool has_pattern(span line)
{
    const char *after;
    if (!span_find(line, ", !annotation !")) return false;
    const instruction i = read_instruction(line);
    if (i.kind != STORES) return true;
    return !is_stored_next(span_end(line), ir_next_name('%', read_access(&i).address.value.start, i.end, &after));
}
static bool gives_pattern(const shadows *s, span line) { return s->locals && has_pattern(line); }

/* What a lane brings to a shuffle: the third argument. */
static span brought(const instruction *i)
{
    const char *open = strchr(strstr(i->at, SHUFFLE), '(');
    const operand launch = operand_read(open + 1), mask = operand_next(&launch);
    return operand_next(&mask).value;
}

/* The variables between which a line copies all bytes; false if it does not. */
typedef struct moved_variables {
    span from, to;
} moved_variables;

static bool read_copy(moved_variables *moved, const origins *o, const instruction *i)
{
    if (i->kind != COPIES) return false;
    const operand to = operand_read(strchr(i->at, '(') + 1), from = operand_next(&to);
    *moved = (moved_variables){variable_at(o, from.value), variable_at(o, to.value)};
    return moved->from.length && moved->to.length;
}

/* ---- which values have shadows ---- */

static void take_all(shadows *s, const origins *o, const instruction *i, const char *at)
{
    for (span name; (name = next_name(&at, i)).length;) {
        const size_t quote = name.start[-1] == '"';
        const span target = variable_at(o, (span){name.start - 1 - quote, name.length + 1 + 2 * quote});
        if (target.length) add(s, &s->taken, target);
    }
}

static void note_taken(shadows *s, const origins *o, span line)
{
    const instruction i = read_instruction(line);
    if (i.kind == ALLOCATES) {
        const span type = {i.at, (size_t)(operand_end_of_type(i.at) - i.at)};
        if (!is_single(type)) add(s, &s->taken, i.name);
    } else if (i.kind == STORES) {
        const access_operands a = read_access(&i);
        const span stored = a.value.value, target = variable_at(o, stored);
        if (target.length) add(s, &s->taken, target);
    } else if (i.kind != LOADS && i.kind != CASTS && !read_copy(&(moved_variables){0}, o, &i)) {
        take_all(s, o, &i, i.at);
    }
}

bool shadows_have(const shadows *s, span value)
{
    const char *after;
    const span name = *value.start == '%' ? ir_next_name('%', value.start, span_end(value), &after) : (span){"", 0};
    return name.length && has(&s->values, name);
}

static bool has_any(const shadows *s, const instruction *i)
{
    const char *at = i->at;
    for (span name; (name = next_name(&at, i)).length;)
        if (has(&s->values, name)) return true;
    return false;
}

/* Whether the line gives a shadow to another value or variable. */
static bool note(shadows *s, const origins *o, span line)
{
    const instruction i = read_instruction(line);
    if (i.kind == ALLOCATES || i.kind == USES) return false;
    if (i.kind == SHUFFLES) return s->shuffles && add(s, &s->values, i.name);
    if (i.kind == COPIES) {
        moved_variables moved;
        if (!read_copy(&moved, o, &i) || has(&s->taken, moved.to)) return false;
        const bool is_new = has(&s->unset, moved.from) && add(s, &s->unset, moved.to);
        return (has(&s->variables, moved.from) && add(s, &s->variables, moved.to)) || is_new;
    }
    if (i.kind == PASSES || i.kind == CASTS || i.kind == JOINS || i.kind == SELECTS)
        return i.name.length && has_any(s, &i) && add(s, &s->values, i.name);
    const access_operands a = read_access(&i);
    const span target = variable_at(o, a.address.value);
    if (i.kind == LOADS)
        return (target.length ? has(&s->variables, target) : s->reads && shadows_begin(o, line)) &&
               add(s, &s->values, i.name);
    if (!target.length || has(&s->taken, target)) return false;
    const bool is_new = gives_pattern(s, line) && add(s, &s->unset, target);
    return ((shadows_have(s, a.value.value) || has(&s->unset, target)) && add(s, &s->variables, target)) || is_new;
}

static void find(shadows *s, const origins *o, const char *body, bool reads, bool shuffles, bool locals)
{
    empty(&s->values);
    empty(&s->variables);
    empty(&s->unset);
    s->reads = reads;
    s->shuffles = shuffles;
    s->locals = locals;
    for (bool more = reads || shuffles || locals; more;) {
        const char *at = body;
        more = false;
        for (span line; (line = ir_line(at)).length && *line.start != '}'; at += line.length)
            if (span_starts_with(line, "  ") && note(s, o, line)) more = true;
    }
}

/* Whether the line passes on a value with a shadow to where it is not followed, and perhaps not used. */
static bool passes_on(const shadows *s, const origins *o, span line)
{
    const instruction i = read_instruction(line);
    if (i.kind == STORES) {
        const access_operands a = read_access(&i);
        const span target = variable_at(o, a.address.value);
        const bool is_local = origins_find(o, a.address.value).base.space == CPU_SPACE_LOCAL;
        return is_local && (!target.length || has(&s->taken, target)) && shadows_have(s, a.value.value);
    }
    const span word = ir_item(line.start + 2, " ");
    const bool leaves = span_is(word, "ret") || span_is(word, "br") || span_is(word, "switch") ||
                        (span_find(line, "call ") && !span_find(line, " @lab_suspend_"));
    moved_variables moved;
    if (read_copy(&moved, o, &i)) return has(&s->variables, moved.from) && has(&s->taken, moved.to);
    return (i.kind == USES || i.kind == COPIES) && leaves && has_any(s, &i);
}

void shadows_find(shadows *s, const origins *o, const char *body, bool locals)
{
    bool reads = false, shuffles = false, patterns = false;
    empty(&s->taken);
    for (const char *at = body; *at != '}' && *at; at += ir_line(at).length) {
        const span line = ir_line(at);
        if (!span_starts_with(line, "  ")) continue;
        note_taken(s, o, line);
        reads = reads || shadows_begin(o, line);
        shuffles = shuffles || shadows_is_shuffle(line);
        patterns = patterns || has_pattern(line);
    }
    if (shuffles) find(s, o, body, false, true, false);
    for (const char *at = body; shuffles && *at != '}' && *at; at += ir_line(at).length)
        if (span_starts_with(ir_line(at), "  ") && passes_on(s, o, ir_line(at))) shuffles = false;
    find(s, o, body, reads, shuffles, locals && patterns);
}

/* ---- what is written ---- */

static void write_name(const ir_emitter *e, const char *prefix, span name, const char *suffix)
{
    const char *quote = ir_is_plain_name(name) ? "" : "\"";
    fprintf(e->out, "%%%s%s%.*s%s%s", quote, prefix, (int)name.length, name.start, suffix, quote);
}

void shadows_write_name(const ir_emitter *e, span name) { write_name(e, "lab.s.", name, ""); }

static void write_shadow(const shadows *s, const ir_emitter *e, span name)
{
    if (has(&s->values, name))
        shadows_write_name(e, name);
    else
        fputs("0", e->out);
}

void shadows_write(const shadows *s, const ir_emitter *e, span value)
{
    const char *after;
    fputs("i32 ", e->out);
    if (*value.start == '%')
        write_shadow(s, e, ir_next_name('%', value.start, span_end(value), &after));
    else
        fputs("0", e->out);
}

static void write_call(const shadows *s, const ir_emitter *e, const char *function, span name, unsigned number)
{
    if (!has(&s->values, name)) return;
    fprintf(e->out, "  call void @lab_check_%s(i32 ", function);
    write_shadow(s, e, name);
    fprintf(e->out, ", i32 %u)\n", number);
}

static void write_use(const shadows *s, const ir_emitter *e, span name, unsigned number)
{
    write_call(s, e, "use", name, number);
}

/* Whether the line hands its operands on to what may discard them: another function, a lane, whoever called. */
static bool hands_on(span line)
{
    const span word = ir_item(line.start + 2, " ");
    return span_is(word, "ret") || span_find(line, "call ") || span_find(line, "invoke ");
}

static void write_operand_call(const shadows *s, const ir_emitter *e, const char *function, span value, unsigned number)
{
    const char *after;
    if (*value.start == '%')
        write_call(s, e, function, ir_next_name('%', value.start, span_end(value), &after), number);
}

static void write_operand_use(const shadows *s, const ir_emitter *e, span value, unsigned number)
{
    write_operand_call(s, e, "use", value, number);
}

bool shadows_reads_local(const shadows *s, const origins *o, span line)
{
    const instruction i = read_instruction(line);
    return i.kind == LOADS && i.name.length && has(&s->values, i.name) &&
           has(&s->unset, variable_at(o, read_access(&i).address.value));
}

void shadows_write_local(const ir_emitter *e, span name) { write_name(e, "lab.u.", name, ""); }

bool shadows_stores(const shadows *s, const origins *o, span line)
{
    const instruction i = read_instruction(line);
    if (i.kind != STORES) return false;
    const access_operands a = read_access(&i);
    return a.plain && shadows_have(s, a.value.value) && !variable_at(o, a.address.value).length;
}

void shadows_write_uses(const shadows *s, const ir_emitter *e, const origins *o, span line, unsigned number)
{
    const instruction i = read_instruction(line);
    if (!s->values.names || i.kind == PASSES || i.kind == CASTS || i.kind == JOINS || i.kind == ALLOCATES) return;
    if (i.kind == SELECTS) {
        write_operand_use(s, e, operand_read(i.at).value, number);
        return;
    }
    const char *at = i.at;
    if (i.kind == SHUFFLES && s->shuffles) {
        const span value = brought(&i);
        for (span name; (name = next_name(&at, &i)).length;)
            if (name.start != value.start + 1) write_use(s, e, name, number);
        fputs("  ", e->out);
        write_name(e, "lab.t.", i.name, "");
        fputs(" = call i32 @lab_check_brings(", e->out);
        shadows_write(s, e, value);
        fputs(")\n", e->out);
        return;
    }
    if (i.kind == LOADS || i.kind == STORES) {
        const access_operands a = read_access(&i);
        const bool moves = variable_at(o, a.address.value).length ? !has(&s->taken, variable_at(o, a.address.value))
                                                                  : a.plain && shadows_is_shared(o, a.address.value);
        write_operand_use(s, e, a.address.value, number);
        const char *function = variable_at(o, a.address.value).length ? "pass" : "use";
        if (i.kind == STORES && !moves && !shadows_stores(s, o, line))
            write_operand_call(s, e, function, a.value.value, number);
        return;
    }
    const char *function = hands_on(line) ? "pass" : "use";
    for (span name; (name = next_name(&at, &i)).length;) write_call(s, e, function, name, number);
}

/* The first operand's shadow that is not 0. */
static void write_combined(const shadows *s, const ir_emitter *e, const instruction *i)
{
    span before = {"", 0};
    char step[16] = "";
    const char *at = i->at;
    int steps = 0;
    for (span name; (name = next_name(&at, i)).length;) {
        if (!has(&s->values, name) || span_equal(name, before)) continue;
        char next[16];
        snprintf(next, sizeof next, ".%d", ++steps);
        fputs("  ", e->out);
        if (before.length) {
            write_name(e, "lab.n.", i->name, next);
            fputs(" = icmp ne i32 ", e->out);
            write_name(e, "lab.c.", i->name, step);
            fputs(", 0\n  ", e->out);
        }
        write_name(e, "lab.c.", i->name, next);
        if (before.length) {
            fputs(" = select i1 ", e->out);
            write_name(e, "lab.n.", i->name, next);
            fputs(", i32 ", e->out);
            write_name(e, "lab.c.", i->name, step);
            fputs(", i32 ", e->out);
        } else {
            fputs(" = or i32 0, ", e->out);
        }
        shadows_write_name(e, name);
        fputs("\n", e->out);
        memcpy(step, next, sizeof step);
        before = name;
    }
    fputs("  ", e->out);
    shadows_write_name(e, i->name);
    fputs(" = or i32 0, ", e->out);
    write_name(e, "lab.c.", i->name, step);
    fputs("\n", e->out);
}

/* "i32 [ %3, %4 ], [ 0, %7 ]" after "phi". */
static void write_joined(const shadows *s, const ir_emitter *e, const instruction *i)
{
    fputs("  ", e->out);
    shadows_write_name(e, i->name);
    fputs(" = phi i32", e->out);
    const char *separator = " ", *at = operand_skip_spaces(operand_end_of_type(i->at));
    if (*at != '[') at = operand_end_of_type(at); /* what was no type is allowed to the arithmetic */
    for (;;) {
        at = operand_skip_spaces(at + (*at == ','));
        if (*at != '[') break;
        const span value = ir_item(operand_skip_spaces(at + 1), ",");
        const span label = ir_item(operand_skip_spaces(span_end(value) + 1), " ]");
        fprintf(e->out, "%s[ ", separator);
        const char *after;
        if (*value.start == '%')
            write_shadow(s, e, ir_next_name('%', value.start, span_end(value), &after));
        else
            fputs("0", e->out);
        fprintf(e->out, ", %.*s ]", (int)label.length, label.start);
        separator = ", ";
        at = span_end(label) + strcspn(span_end(label), "]\n");
        at += *at == ']';
    }
    fputs("\n", e->out);
}

/* "i1 %2, i32 %3, i32 7" after "select". */
static void write_selected(const shadows *s, const ir_emitter *e, const instruction *i)
{
    const operand which = operand_read(i->at), first = operand_next(&which), second = operand_next(&first);
    if (!span_is(which.type, "i1")) {
        write_combined(s, e, i);
        return;
    }
    fputs("  ", e->out);
    shadows_write_name(e, i->name);
    ir_emit(e, " = select $ $, ", as_text(which.type), as_text(which.value));
    shadows_write(s, e, first.value);
    fputs(", ", e->out);
    shadows_write(s, e, second.value);
    fputs("\n", e->out);
}

static void write_variable(const ir_emitter *e, span name)
{
    ir_emit(e, "$ ", as_pointer(span_of("i32")));
    write_name(e, "lab.v.", name, "");
}

/* Moves the shadow of a variable to another one, by way of a value. */
static void write_moved(shadows *s, const ir_emitter *e, const moved_variables *moved)
{
    if (!has(&s->variables, moved->to)) return;
    if (has(&s->variables, moved->from)) {
        fprintf(e->out, "  %%lab.m.%u = load i32, ", ++s->moves);
        write_variable(e, moved->from);
        fprintf(e->out, ", align 4\n  store i32 %%lab.m.%u, ", s->moves);
    } else {
        fputs("  store i32 0, ", e->out);
    }
    write_variable(e, moved->to);
    fputs(", align 4\n", e->out);
}

void shadows_write_result(shadows *s, const ir_emitter *e, const origins *o, span line)
{
    moved_variables moved;
    const instruction i = read_instruction(line);
    if (read_copy(&moved, o, &i)) {
        write_moved(s, e, &moved);
        return;
    }
    if (i.kind == ALLOCATES && has(&s->variables, i.name)) {
        fputs("  ", e->out);
        write_name(e, "lab.v.", i.name, "");
        fputs(" = alloca i32, align 4\n  store i32 0, ", e->out);
        write_variable(e, i.name);
        fputs(", align 4\n", e->out);
    } else if (i.kind == STORES) {
        const access_operands a = read_access(&i);
        const span target = variable_at(o, a.address.value);
        if (!target.length || !has(&s->variables, target)) return;
        fputs("  store ", e->out);
        if (gives_pattern(s, line))
            fputs("i32 " SHADOW_OF_NO_VALUE, e->out);
        else
            shadows_write(s, e, a.value.value);
        fputs(", ", e->out);
        write_variable(e, target);
        fputs(", align 4\n", e->out);
    } else if (i.name.length && has(&s->values, i.name)) {
        if (i.kind == LOADS) {
            const span target = variable_at(o, read_access(&i).address.value);
            if (!target.length) return; /* the read of shared memory has written it */
            fputs("  ", e->out);
            if (has(&s->unset, target))
                write_name(e, "lab.u.", i.name, "");
            else
                shadows_write_name(e, i.name);
            fputs(" = load i32, ", e->out);
            write_variable(e, target);
            fputs(", align 4\n", e->out);
        } else if (i.kind == SHUFFLES) {
            fputs("  ", e->out);
            shadows_write_name(e, i.name);
            fputs(" = call i32 @lab_check_gets(i32 ", e->out);
            write_name(e, "lab.t.", i.name, "");
            fputs(")\n", e->out);
        } else if (i.kind == JOINS) {
            write_joined(s, e, &i);
        } else if (i.kind == SELECTS) {
            write_selected(s, e, &i);
        } else {
            write_combined(s, e, &i);
        }
    }
}
