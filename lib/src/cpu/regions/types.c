/* The opcode decides: the type is the first in the text, part of it, that of an operand, or the one after "to". */
#include "types.h"

#include "cpu/ir/operand.h"

#include <ctype.h>
#include <stdlib.h>

static bool is_type(span word)
{
    static const char *const names[] = {"float", "double", "half", "bfloat", "void", "ptr"};
    if (!word.length) return false;
    if (strchr("<{[%", *word.start)) return true;
    if (*word.start == 'i' && isdigit((unsigned char)word.start[1])) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (span_starts_with(word, names[i]) && !isalnum((unsigned char)word.start[strlen(names[i])])) return true;
    return false;
}

/* The first type at or after `at` in the instruction. Skips other words. */
static span first_type(const char *at, const char *end)
{
    while (at < end) {
        const span word = ir_item(at, " ,");
        if (is_type(word)) return word;
        at = span_end(word);
        at += strspn(at, " ,(");
        if (!word.length && at < end && !*at) break;
    }
    return (span){end, 0};
}

/* The whole type that begins with this one: "void (i32)*" of "void". A call has the result's alone. */
static span whole_type(span begin)
{
    return begin.length ? (span){begin.start, (size_t)(operand_end_of_type(begin.start) - begin.start)} : begin;
}

static const char *after_comma(span type_and_operand)
{
    const span item = ir_item(type_and_operand.start, ",");
    return span_end(item) + (*span_end(item) == ',' ? 2 : 0);
}

/* "i1", or for vectors "<8 x i1>". */
static span comparison_type(span compared, char **made)
{
    static const char scalable[] = "<vscale x ";
    const size_t skipped = span_starts_with(compared, scalable) ? sizeof scalable - 1 : 0;
    const char *element = *compared.start == '<' ? strstr(compared.start + skipped, " x ") : NULL;
    if (!element) return span_of("i1");
    const size_t length = (size_t)(element + strlen(" x ") - compared.start);
    const span type = {*made, length + strlen("i1>")};
    memcpy(*made, compared.start, length);
    memcpy(*made + length, "i1>", strlen("i1>"));
    *made += type.length;
    return type;
}

/* The type of field 0 of "{ i32, i1 } %5, 0". */
static span field_type(span aggregate, const char *end)
{
    if (*aggregate.start != '{') return (span){end, 0};
    const char *comma = memrchr(aggregate.start, ',', (size_t)(end - aggregate.start));
    const char *at = aggregate.start + 2;
    for (int field = comma ? atoi(comma + 1) : 0; field > 0; --field) {
        at += ir_item(at, ",").length;
        at += *at == ',' ? 2 : 0;
    }
    return ir_item(at, ", ");
}

/* "float" of "<8 x float>". */
static span element_type(span vector, const char *end)
{
    const char *element = strstr(vector.start, " x ");
    if (!element || element >= end) return (span){end, 0};
    return (span){element + 3, (size_t)(span_end(vector) - element - 4)};
}

static span type_behind(const char *word, const char *at, const char *end)
{
    const char *found = memmem(at, (size_t)(end - at), word, strlen(word));
    return found ? ir_item(found + strlen(word), ", ") : (span){end, 0};
}

span ir_type_of(const ir_instr *i, char **made)
{
    static const char *const first[] = {"add",         "sub",           "mul",  "udiv",   "sdiv", "urem", "srem",
                                        "shl",         "lshr",          "ashr", "and",    "or",   "xor",  "fadd",
                                        "fsub",        "fmul",          "fdiv", "frem",   "fneg", "load", "phi",
                                        "insertvalue", "insertelement", "call", "freeze", NULL};
    static const char *const comparisons[] = {"icmp", "fcmp", NULL};
    static const char *const casts[] = {"trunc",  "zext",   "sext",    "fptrunc",  "fpext",    "fptoui", "fptosi",
                                        "uitofp", "sitofp", "bitcast", "ptrtoint", "inttoptr", NULL};
    const char *end = span_end(i->text), *operands = span_end(i->opcode) + 1;
    const span none = {end, 0}, type = operands < end ? first_type(operands, end) : none;
    if (!type.length) return none;
    if (span_is_one_of(i->opcode, first)) return ir_is(i, "call") ? type : whole_type(type);
    if (span_is_one_of(i->opcode, comparisons)) return comparison_type(type, made);
    if (span_is_one_of(i->opcode, casts)) return whole_type(type_behind(" to ", operands, end));
    if (ir_is(i, "select")) return whole_type(first_type(after_comma(type), end));
    if (ir_is(i, "extractvalue")) return field_type(type, end);
    if (ir_is(i, "extractelement")) return element_type(type, end);
    if (ir_is(i, "atomicrmw")) {
        const char *comma = memchr(operands, ',', (size_t)(end - operands));
        return comma ? first_type(comma + 2, end) : none;
    }
    if (ir_is(i, "getelementptr") && span_find(i->text, "ptr ") && !span_find(i->text, "*")) return span_of("ptr");
    return none;
}
