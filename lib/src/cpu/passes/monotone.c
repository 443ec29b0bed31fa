/*
 * The instructions that compute a mask are followed back to the loop's counter. They may be additions of values that
 * the loop does not change, and extensions to more bits: through both a value still grows.
 *
 * Growth modulo 2^32 or 2^64 may wrap around. The test rules that out for all lanes: each lane's last value must be no
 * less than its first, in the order of the comparison, and the whole growth less than 2^32. A lane that wraps around
 * then ends below its first value.
 */
#include "monotone.h"

#include "cpu/ir/emit.h"

#include <stdint.h>
#include <stdlib.h>

/* The parts of an instruction "add nsw <16 x i32> %a, %b". */
typedef struct parts {
    span operation, type, first, second;
} parts;

static bool is_flag(span word)
{
    return span_is(word, "nsw") || span_is(word, "nuw") || span_is(word, "nneg") || span_is(word, "samesign");
}

static span next_word(span *text)
{
    const span word = ir_item(text->start, " ,\n");
    const size_t skipped = word.length + strspn(span_end(word), ", ");
    text->start += skipped;
    text->length = skipped < text->length ? text->length - skipped : 0;
    return word;
}

/* The operation of a comparison includes its predicate: "icmp slt". */
static parts read_parts(const function *f, int line)
{
    span text = function_instruction(f, line);
    parts p = {.operation = next_word(&text)};
    span word = next_word(&text);
    if (span_is(p.operation, "icmp")) {
        if (is_flag(word)) word = next_word(&text);
        p.operation.length = (size_t)(span_end(word) - p.operation.start);
        word = next_word(&text);
    }
    while (is_flag(word)) word = next_word(&text);
    p.type = word;
    p.first = next_word(&text);
    p.second = next_word(&text);
    return p;
}

static bool is_in_loop(const function *f, const block *b, span operand)
{
    return function_find_operand(f, b->start, b->end, operand) >= 0;
}

static bool add_slice(block *b, int line)
{
    for (int i = 0; i < b->slices; ++i)
        if (b->slice[i] == line) return true;
    if (b->slices == MAX_SLICE) return false;
    int place = b->slices++;
    for (; place > 0 && b->slice[place - 1] > line; --place) b->slice[place] = b->slice[place - 1];
    b->slice[place] = line;
    return true;
}

/* The value of a phi on entry to the loop. */
static span entry_value(const function *f, const block *b, int phi)
{
    const span text = function_instruction(f, phi);
    const char *at = text.start;
    incoming edge = {0};
    while (function_next_incoming(&edge, &at, span_end(text)))
        if (!span_equal(edge.label, b->label)) return edge.value;
    return edge.value;
}

/* The line that gives a phi its value for the next iteration, or -1. */
static int next_line(const function *f, const block *b, int phi)
{
    const span text = function_instruction(f, phi);
    const char *at = text.start;
    for (incoming edge; function_next_incoming(&edge, &at, span_end(text));)
        if (span_equal(edge.label, b->label)) return function_find_operand(f, b->start, b->end, edge.value);
    return -1;
}

/* The positive number in every lane of a constant: "16", "<i32 16, i32 16>" or "splat (i32 16)". 0 for others. */
static int constant_step(span constant)
{
    const bool is_splat = span_starts_with(constant, "splat");
    const char *number = constant.start;
    if (is_splat || *number == '<') {
        number = strchr(number, ' ');
        if (is_splat && number) number = strchr(number + 1, ' ');
        if (!number || number >= span_end(constant)) return 0;
        ++number;
    }
    char *end;
    const long value = strtol(number, &end, 10);
    if (end == number || value <= 0 || value > 1024) return 0;
    if (*constant.start != '<') return (int)value;
    const span element = {constant.start + 1, (size_t)(end - constant.start - 1)};
    for (const char *at = constant.start + 1;;) {
        if (strncmp(at, element.start, element.length) != 0) return 0;
        at += element.length;
        if (*at == '>') return (int)value;
        if (strncmp(at, ", ", 2) != 0) return 0;
        at += 2;
    }
}

/* Whether a phi grows by the loop's step, whatever its value on entry. */
static bool is_counter(const function *f, const block *b, int phi)
{
    const int next = next_line(f, b, phi);
    if (next < 0) return false;
    const parts p = read_parts(f, next);
    return span_is(p.operation, "add") && function_find_operand(f, phi, phi + 1, p.first) >= 0 &&
           constant_step(p.second) == b->step;
}

/* The number of bits of "<16 x i32>" or "i32"; 0 for other types. */
static int bits_of(span type)
{
    const char *i = type.length ? memrchr(type.start, 'i', type.length) : NULL;
    return i ? atoi(i + 1) : 0;
}

static span counter_type(const function *f, int phi)
{
    span text = function_instruction(f, phi);
    next_word(&text);
    return next_word(&text);
}

static bool follow_growth(block *b, const function *f, span operand)
{
    const int line = function_find_operand(f, b->start, b->end, operand);
    if (line < 0 || !add_slice(b, line)) return false;
    if (line < b->body) return is_counter(f, b, line) && bits_of(counter_type(f, line)) >= 32;
    const parts p = read_parts(f, line);
    if (span_is(p.operation, "zext") || span_is(p.operation, "sext")) return follow_growth(b, f, p.first);
    if (!span_is(p.operation, "add")) return false;
    if (is_in_loop(f, b, p.first)) return !is_in_loop(f, b, p.second) && follow_growth(b, f, p.first);
    return follow_growth(b, f, p.second);
}

static bool follow_mask(block *b, const function *f, span operand);

/* "select <16 x i1> %a, <16 x i1> %b, <16 x i1> zeroinitializer" is another form of and. */
static bool follow_select(block *b, const function *f, int line)
{
    span text = function_instruction(f, line), word[7];
    for (int i = 0; i < 7; ++i) word[i] = next_word(&text);
    return span_is(word[6], "zeroinitializer") && follow_mask(b, f, word[2]) && follow_mask(b, f, word[4]);
}

static bool follow_mask(block *b, const function *f, span operand)
{
    const int line = function_find_operand(f, b->start, b->end, operand);
    if (line < 0) return true;
    if (line < b->body || !add_slice(b, line)) return false;
    const parts p = read_parts(f, line);
    if (span_is(p.operation, "and")) return follow_mask(b, f, p.first) && follow_mask(b, f, p.second);
    if (span_is(p.operation, "select")) return follow_select(b, f, line);
    if (!span_starts_with(p.operation, "icmp ") || !strchr("su", p.operation.start[5])) return false;
    if (is_in_loop(f, b, p.first)) return !is_in_loop(f, b, p.second) && follow_growth(b, f, p.first);
    return follow_growth(b, f, p.second);
}

/* Finds the block before the loop. False unless each phi has one value from there and one from the loop. */
static bool find_before(block *b, const function *f)
{
    for (int i = b->start; i < b->body; ++i) {
        const span text = function_instruction(f, i);
        const char *at = text.start;
        int count = 0, from_loop = 0;
        for (incoming edge; function_next_incoming(&edge, &at, span_end(text)); ++count) {
            if (span_equal(edge.label, b->label))
                ++from_loop;
            else if (b->before.length && !span_equal(edge.label, b->before))
                return false;
            else
                b->before = edge.label;
        }
        if (count != 2 || from_loop != 1) return false;
    }
    return b->before.length > 0;
}

/* Whether the block ends with "br i1 %c, label %exit, label %itself" and counts from 0 to a value that it does not
 * change: "%c = icmp eq i32 %next, %n". */
static bool find_count(block *b, const function *f)
{
    span text = function_instruction(f, b->end - 1);
    if (!span_starts_with(text, "br i1 %")) return false;
    next_word(&text);
    next_word(&text);
    const int test = function_find_operand(f, b->body, b->end, next_word(&text));
    next_word(&text);
    const span taken = next_word(&text);
    next_word(&text);
    const span other = next_word(&text);
    if (test < 0 || !span_starts_with(other, "%") || !span_equal((span){other.start + 1, other.length - 1}, b->label) ||
        span_equal(taken, other))
        return false;

    const parts compare = read_parts(f, test);
    const int next = function_find_operand(f, b->body, b->end, compare.first);
    if (!span_is(compare.operation, "icmp eq") || next < 0 || is_in_loop(f, b, compare.second)) return false;
    const parts add = read_parts(f, next);
    const int counter = function_find_operand(f, b->start, b->body, add.first);
    if (!span_is(add.operation, "add") || counter < 0 || next_line(f, b, counter) != next) return false;
    if (!span_is(entry_value(f, b, counter), "0")) return false;
    b->step = constant_step(add.second);
    b->count_type = compare.type;
    b->count = compare.second;
    return b->step > 0;
}

void ir_find_monotone(block *b, const function *f)
{
    b->is_monotone = find_before(b, f) && find_count(b, f);
    for (int i = 0; i < b->masks && b->is_monotone; ++i) {
        const span mask = b->mask[i];
        const char *name = memchr(mask.start, '%', mask.length);
        b->is_monotone = follow_mask(b, f, (span){name, (size_t)(span_end(mask) - name)});
    }
}

/* ---- the test ---- */

typedef struct test {
    ir_emitter e;
    const function *f;
    const block *b;
    int number;
    int conditions;
} test;

static const char first[] = "lab.first.", last[] = "lab.last.";

/* Begins a condition on all lanes: the caller writes it after "%lab.test.N.K = ". */
static void begin_condition(test *t)
{
    ir_emit(&t->e, "  %lab.test.$.$ = ", as_number(t->number), as_number(t->conditions++));
}

static void write_operand(const test *t, const char *prefix, span operand)
{
    function_write_renamed(t->e.out, t->f, t->b->start, t->b->end, prefix, operand);
}

/* A counter has its value on entry in the first iteration, and that value plus the whole growth in the last. */
static void write_counter(const test *t, int phi)
{
    const span type = counter_type(t->f, phi);
    const int bits = bits_of(type), count_bits = bits_of(t->b->count_type);
    const char *convert = bits > count_bits ? "zext" : bits < count_bits ? "trunc" : "bitcast";
    const ir_piece number = as_number(t->number), name = as_text(t->f->defined[phi]), vector = as_text(type);
    const ir_piece begin = as_string(first), end = as_string(last);
    const ir_piece wide = as_number(bits), narrow = as_number(count_bits), lanes = as_number(atoi(type.start + 1));

    ir_emit(&t->e, "  %$$ = add $ $, zeroinitializer\n", begin, name, vector, as_text(entry_value(t->f, t->b, phi)));
    ir_emit(&t->e, "  %lab.grown.$.$ = $ i$ %lab.growth.$ to i$\n", number, name, as_string(convert), narrow, number,
            wide);
    ir_emit(&t->e, "  %lab.lane.$.$ = insertelement $ undef, i$ %lab.grown.$.$, i32 0\n", number, name, vector, wide,
            number, name);
    ir_emit(&t->e, "  %lab.lanes.$.$ = shufflevector $ %lab.lane.$.$, $ undef, <$ x i32> zeroinitializer\n", number,
            name, vector, number, name, vector, lanes);
    ir_emit(&t->e, "  %$$ = add $ %$$, %lab.lanes.$.$\n", end, name, vector, begin, name, number, name);
}

/* Writes the condition that an operand is no less in the last iteration than in the first. */
static void write_order(test *t, const char *comparison, span type, span operand)
{
    begin_condition(t);
    ir_emit(&t->e, "icmp $ $ ", as_string(comparison), as_text(type));
    write_operand(t, first, operand);
    fputs(", ", t->e.out);
    write_operand(t, last, operand);
    fputc('\n', t->e.out);
}

/* Writes an instruction on the way to the masks, for the first and the last iteration. */
static void write_slice(test *t, int line)
{
    if (line < t->b->body) {
        write_counter(t, line);
        return;
    }
    write_operand(t, first, t->f->line[line]);
    write_operand(t, last, t->f->line[line]);
    const parts p = read_parts(t->f, line);
    if (span_is(p.operation, "zext")) write_order(t, "ule", p.type, p.first);
    if (span_is(p.operation, "sext")) write_order(t, "sle", p.type, p.first);
    if (span_starts_with(p.operation, "icmp "))
        write_order(t, p.operation.start[strlen("icmp ")] == 'u' ? "ule" : "sle", p.type,
                    is_in_loop(t->f, t->b, p.first) ? p.first : p.second);
}

static void write_mask(test *t, const char *prefix, span mask)
{
    const char *name = memchr(mask.start, '%', mask.length);
    begin_condition(t);
    fputs("and ", t->e.out);
    write_operand(t, prefix, mask);
    fputs(", ", t->e.out);
    write_operand(t, prefix, (span){name, (size_t)(span_end(mask) - name)});
    fputc('\n', t->e.out);
}

/* Combines all conditions into one, %lab.set.N. */
static void write_sum(const test *t)
{
    const ir_piece n = as_number(t->number), lanes = as_number(atoi(t->b->mask[0].start + 1));
    for (int i = 1; i < t->conditions; ++i) {
        ir_emit(&t->e, "  %lab.sum.$.$ = and <$ x i1> %lab.test.$.$, ", n, as_number(i), lanes, n, as_number(i));
        ir_emit(&t->e, "%lab.$.$.$\n", as_string(i == 1 ? "test" : "sum"), n, as_number(i - 1));
    }
    ir_emit(&t->e, "  %lab.bits.$ = bitcast <$ x i1> %lab.sum.$.$ to i$\n", n, lanes, n, as_number(t->conditions - 1),
            lanes);
    ir_emit(&t->e, "  %lab.set.$ = icmp eq i$ %lab.bits.$, -1\n", n, lanes, n);
}

void ir_write_monotone_test(FILE *out, const function *f, const block *b, int number)
{
    test t = {{.out = out}, f, b, number, 0};
    const ir_piece n = as_number(number);
    ir_emit(&t.e, "lab.enter.$:\n  %lab.growth.$ = sub $ $, $\n", n, n, as_text(b->count_type), as_text(b->count),
            as_number(b->step));
    for (int i = 0; i < b->slices; ++i) write_slice(&t, b->slice[i]);
    for (int i = 0; i < b->masks; ++i) {
        write_mask(&t, first, b->mask[i]);
        write_mask(&t, last, b->mask[i]);
    }
    write_sum(&t);
    ir_emit(&t.e, "  %lab.short.$ = icmp ule i$ %lab.growth.$, $\n", n, as_number(bits_of(b->count_type)), n,
            as_number(UINT32_MAX));
    ir_emit(&t.e, "  %lab.all.$ = and i1 %lab.set.$, %lab.short.$\n", n, n, n);
    ir_emit(&t.e, "  br i1 %lab.all.$, label %lab.loop.$, label %$\n\n", n, n, as_text(b->label));
}
