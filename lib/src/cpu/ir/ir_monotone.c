/*
 * The masks' instructions are followed back to the loop's counter. Allowed on the way are those through which growth
 * can be followed: additions of what stays, and extensions to more bits.
 *
 * Growth modulo 2^32 or 2^64 may pass the largest number. All lanes are seen not to do so by their last value being
 * no less than their first, in the order of the comparison: the test asks for a whole growth of less than 2^32, so that
 * a lane that passes the largest number ends below where it began.
 */
#include "ir_monotone.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* An instruction's words and operands: "add nsw <16 x i32> %a, %b". */
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
    const size_t skipped = word.length + strspn(word.start + word.length, ", ");
    text->start += skipped;
    text->length = skipped < text->length ? text->length - skipped : 0;
    return word;
}

/* Reads the operation, with the predicate of a comparison as the operation's end: "icmp slt". */
static parts read_parts(const function *f, int line)
{
    span text = function_instruction(f, line);
    parts p = {.operation = next_word(&text)};
    span word = next_word(&text);
    if (span_is(p.operation, "icmp")) {
        if (is_flag(word)) word = next_word(&text);
        p.operation.length = (size_t)(word.start + word.length - p.operation.start);
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

/* What a phi has on entry to the loop. */
static span entry_value(const function *f, const block *b, int phi)
{
    const span text = function_instruction(f, phi);
    const char *at = text.start;
    incoming in = {0};
    while (function_next_incoming(&in, &at, text.start + text.length))
        if (!span_equal(in.label, b->label)) return in.value;
    return in.value;
}

/* The line that gives a phi its value for the next iteration, or -1. */
static int next_line(const function *f, const block *b, int phi)
{
    const span text = function_instruction(f, phi);
    const char *at = text.start;
    for (incoming in; function_next_incoming(&in, &at, text.start + text.length);)
        if (span_equal(in.label, b->label)) return function_find_operand(f, b->start, b->end, in.value);
    return -1;
}

/* The number that a constant has in every lane, "16", "<i32 16, i32 16>" or "splat (i32 16)"; 0 if it is none. */
static int constant_step(span constant)
{
    const bool is_splat = span_starts_with(constant, "splat");
    const char *number = constant.start;
    if (is_splat || *number == '<') {
        number = strchr(number, ' ');
        if (is_splat && number) number = strchr(number + 1, ' ');
        if (!number || number >= constant.start + constant.length) return 0;
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

/* Whether a phi starts anywhere and grows by the loop's step. */
static bool is_counter(const function *f, const block *b, int phi)
{
    const int next = next_line(f, b, phi);
    if (next < 0) return false;
    const parts p = read_parts(f, next);
    return span_is(p.operation, "add") && function_find_operand(f, phi, phi + 1, p.first) >= 0 &&
           constant_step(p.second) == b->step;
}

/* The number of bits of "<16 x i32>" or "i32"; 0 if it is no such type. */
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

/* "select <16 x i1> %a, <16 x i1> %b, <16 x i1> zeroinitializer" is another way to say and. */
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

/* Whether each phi has one value from before the loop and one from the loop, and which block is before it. */
static bool find_before(block *b, const function *f)
{
    for (int i = b->start; i < b->body; ++i) {
        const span text = function_instruction(f, i);
        const char *at = text.start;
        int count = 0, from_loop = 0;
        for (incoming in; function_next_incoming(&in, &at, text.start + text.length); ++count) {
            if (span_equal(in.label, b->label))
                ++from_loop;
            else if (b->before.length && !span_equal(in.label, b->before))
                return false;
            else
                b->before = in.label;
        }
        if (count != 2 || from_loop != 1) return false;
    }
    return b->before.length > 0;
}

/* Whether the block ends as "br i1 %c, label %exit, label %itself" with a count from 0 to where it stays: "%c = icmp eq
 * i32 %next, %n". */
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
        b->is_monotone = follow_mask(b, f, (span){name, (size_t)(mask.start + mask.length - name)});
    }
}

/* ---- the test ---- */

typedef struct test {
    FILE *out;
    const function *f;
    const block *b;
    int number;
    int conditions;
} test;

static const char first[] = "lab.first.", last[] = "lab.last.";

/* Adds a condition on all lanes, which the caller writes after "lab.test.N.K = ". */
static int begin_condition(test *t)
{
    fprintf(t->out, "  %%lab.test.%d.%d = ", t->number, t->conditions);
    return t->conditions++;
}

static void write_operand(const test *t, const char *prefix, span operand)
{
    function_write_renamed(t->out, t->f, t->b->start, t->b->end, prefix, operand);
}

/* A counter in the first iteration is what it is on entry; in the last, that and the growth of all the iterations. */
static void write_counter(const test *t, int phi)
{
    const span start = entry_value(t->f, t->b, phi), name = t->f->defined[phi], type = counter_type(t->f, phi);
    const int bits = bits_of(type), count_bits = bits_of(t->b->count_type);
    const char *convert = bits > count_bits ? "zext" : bits < count_bits ? "trunc" : "bitcast";
    char vector[64], id[128];
    snprintf(vector, sizeof vector, "%.*s", (int)type.length, type.start);
    snprintf(id, sizeof id, "%d.%.*s", t->number, (int)name.length, name.start);

    fprintf(t->out, "  %%%s%.*s = add %s %.*s, zeroinitializer\n", first, (int)name.length, name.start, vector,
            (int)start.length, start.start);
    fprintf(t->out, "  %%lab.grown.%s = %s i%d %%lab.growth.%d to i%d\n", id, convert, count_bits, t->number, bits);
    fprintf(t->out, "  %%lab.lane.%s = insertelement %s undef, i%d %%lab.grown.%s, i32 0\n", id, vector, bits, id);
    fprintf(t->out, "  %%lab.lanes.%s = shufflevector %s %%lab.lane.%s, %s undef, <%d x i32> zeroinitializer\n", id,
            vector, id, vector, atoi(type.start + 1));
    fprintf(t->out, "  %%%s%.*s = add %s %%%s%.*s, %%lab.lanes.%s\n", last, (int)name.length, name.start, vector, first,
            (int)name.length, name.start, id);
}

/* That an operand is in the last iteration no less than in the first. */
static void write_order(test *t, char sign, span type, span operand)
{
    begin_condition(t);
    fprintf(t->out, "icmp %cle %.*s ", sign, (int)type.length, type.start);
    write_operand(t, first, operand);
    fputs(", ", t->out);
    write_operand(t, last, operand);
    fputc('\n', t->out);
}

/* An instruction on the way to the masks, for the first and the last iteration. */
static void write_slice(test *t, int line)
{
    if (line < t->b->body) {
        write_counter(t, line);
        return;
    }
    write_operand(t, first, t->f->line[line]);
    write_operand(t, last, t->f->line[line]);
    const parts p = read_parts(t->f, line);
    if (span_is(p.operation, "zext")) write_order(t, 'u', p.type, p.first);
    if (span_is(p.operation, "sext")) write_order(t, 's', p.type, p.first);
    if (span_starts_with(p.operation, "icmp "))
        write_order(t, p.operation.start[5], p.type, is_in_loop(t->f, t->b, p.first) ? p.first : p.second);
}

static void write_mask(test *t, const char *prefix, span mask)
{
    const char *name = memchr(mask.start, '%', mask.length);
    begin_condition(t);
    fputs("and ", t->out);
    write_operand(t, prefix, mask);
    fputs(", ", t->out);
    write_operand(t, prefix, (span){name, (size_t)(mask.start + mask.length - name)});
    fputc('\n', t->out);
}

void ir_write_monotone_test(FILE *out, const function *f, const block *b, int number)
{
    test t = {out, f, b, number, 0};
    const int lanes = atoi(b->mask[0].start + 1), bits = bits_of(b->count_type);
    fprintf(out, "lab.enter.%d:\n  %%lab.growth.%d = sub %.*s %.*s, %d\n", number, number, (int)b->count_type.length,
            b->count_type.start, (int)b->count.length, b->count.start, b->step);
    for (int i = 0; i < b->slices; ++i) write_slice(&t, b->slice[i]);
    for (int i = 0; i < b->masks; ++i) {
        write_mask(&t, first, b->mask[i]);
        write_mask(&t, last, b->mask[i]);
    }
    for (int i = 1; i < t.conditions; ++i) {
        fprintf(out, "  %%lab.sum.%d.%d = and <%d x i1> %%lab.test.%d.%d, ", number, i, lanes, number, i);
        fprintf(out, i == 1 ? "%%lab.test.%d.0\n" : "%%lab.sum.%d.%d\n", number, i - 1);
    }
    fprintf(out, "  %%lab.bits.%d = bitcast <%d x i1> %%lab.sum.%d.%d to i%d\n", number, lanes, number,
            t.conditions - 1, lanes);
    fprintf(out, "  %%lab.set.%d = icmp eq i%d %%lab.bits.%d, -1\n", number, lanes, number);
    fprintf(out, "  %%lab.short.%d = icmp ule i%d %%lab.growth.%d, %u\n", number, bits, number, UINT32_MAX);
    fprintf(out, "  %%lab.all.%d = and i1 %%lab.set.%d, %%lab.short.%d\n", number, number, number);
    fprintf(out, "  br i1 %%lab.all.%d, label %%lab.loop.%d, label %%%.*s\n\n", number, number, (int)b->label.length,
            b->label.start);
}
