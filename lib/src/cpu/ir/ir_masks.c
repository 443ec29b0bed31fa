/*
 * Two ways to give a block B a form without masks, the first where ir_monotone.h says it can be had:
 *
 *     before -> enter, a test for all iterations -> loop: B without masks -> what follows
 *                                                -> B as it was           -> what follows
 *
 *     B, up to where the masks are known, and a test for this iteration -> plain: the rest without masks -> as B
 *                                                                       -> masked: the rest as it was    -> as B
 *
 * A copy's values have other names, and every phi that had a value from B has one from each of the two. That is sound
 * only if nothing else uses values of what is copied; where something does, the block stays as it is.
 */
#include "ir_masks.h"
#include "ir_function.h"
#include "ir_monotone.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char loop_prefix[] = "lab.loop.", plain_prefix[] = "lab.plain.";

enum { MAX_ARGUMENTS = 4 };

/* A call of llvm.masked.load or llvm.masked.store, in its parts. */
typedef struct masked_call {
    bool is_load;
    span argument[MAX_ARGUMENTS]; /* load: address, alignment, mask, other; store: value, address, alignment, mask */
    span rest;                    /* ", !tbaa !5" */
} masked_call;

typedef struct block_list {
    block *list;
    int count;
} block_list;

static span call_mask(const masked_call *call) { return call->argument[call->is_load ? 2 : 3]; }

static bool is_label(span line)
{
    return line.length > 1 && !isspace((unsigned char)*line.start) && *line.start != '}' && *line.start != ';' &&
           span_find(line, ":") && !span_starts_with(line, "define ");
}

static bool read_call(masked_call *call, span line)
{
    const char *name = span_find(line, "@llvm.masked.load.v");
    call->is_load = name != NULL;
    if (!name) name = span_find(line, "@llvm.masked.store.v");
    if (!name || !span_find(line, " call ")) return false;
    const char *at = strchr(name, '(');
    for (int i = 0; i < MAX_ARGUMENTS; ++i) {
        call->argument[i] = ir_item(at + 1, ",");
        at = call->argument[i].start + call->argument[i].length;
        if (*at == ',') ++at;
    }
    if (*at != ')') return false;
    ++at;
    if (strncmp(at, " #", 2) == 0) at += 2 + strspn(at + 2, "0123456789");
    call->rest = (span){at, strcspn(at, "\n")};
    const span mask = call_mask(call), alignment = call->argument[call->is_load ? 1 : 2];
    return span_starts_with(alignment, "i32 ") && span_starts_with(mask, "<") &&
           isdigit((unsigned char)mask.start[1]) && span_find(mask, " x i1> %");
}

/* ---- which blocks ---- */

static span mask_name(span mask)
{
    const char *name = strchr(mask.start, '%') + 1;
    return (span){name, (size_t)(mask.start + mask.length - name)};
}

static span mask_type(span mask) { return (span){mask.start, (size_t)(strchr(mask.start, '%') - mask.start)}; }

static bool has_mask(const block *b, span mask)
{
    for (int i = 0; i < b->masks; ++i)
        if (span_equal(b->mask[i], mask)) return true;
    return false;
}

/* Collects the masks that are known before the block's first masked operation, and finds where the rest can begin:
 * right after them. */
static void find_masks(block *b, const function *f)
{
    int first = -1;
    b->rest = b->body;
    for (int i = b->body; i < b->end; ++i) {
        masked_call call;
        if (!read_call(&call, f->line[i])) continue;
        if (first < 0) first = i;
        const span mask = call_mask(&call);
        if (has_mask(b, mask) || b->masks == MAX_MASKS) continue;
        if (b->masks && !span_equal(mask_type(mask), mask_type(b->mask[0]))) continue;
        const int defined = function_find(f, b->start, b->end, mask_name(mask));
        if (defined > first) continue;
        if (defined >= b->rest) b->rest = defined + 1;
        b->mask[b->masks++] = mask;
    }
}

/* Whether a line uses a value that lines [from, b->end) define, other than as what a phi has from the block. */
static bool uses_values(const function *f, const block *b, int from, int line)
{
    const span text = f->line[line];
    const char *at = text.start, *end = text.start + text.length;
    if (function_is_phi(f, line)) {
        at = function_instruction(f, line).start;
        for (incoming in; function_next_incoming(&in, &at, end);)
            if (!span_equal(in.label, b->label) && function_find_operand(f, from, b->end, in.value) >= 0) return true;
        return false;
    }
    for (span name; (name = ir_next_name('%', at, end, &at)).length;)
        if (function_find(f, from, b->end, name) >= 0) return true;
    return false;
}

static bool is_used_elsewhere(const function *f, const block *b, int from)
{
    for (int i = 0; i < f->lines; ++i)
        if ((i < from || i >= b->end) && uses_values(f, b, from, i)) return true;
    return false;
}

/* The entry block is skipped: it is no loop, and may have no label. */
static bool find_blocks(block_list *all, const function *f)
{
    for (int i = 0; i < f->lines; ++i) {
        if (!is_label(f->line[i]) || *f->line[i].start == '"') continue;
        const span line = f->line[i];
        block b = {.label = {line.start, (size_t)(span_find(line, ":") - line.start)}, .start = i + 1, .end = i + 1};
        while (b.end < f->lines && f->line[b.end].length > 1 && *f->line[b.end].start == ' ') ++b.end;
        for (b.body = b.start; b.body < b.end && function_is_phi(f, b.body);) ++b.body;
        find_masks(&b, f);
        if (b.masks == 0 || is_used_elsewhere(f, &b, b.rest)) continue;
        if (!is_used_elsewhere(f, &b, b.start)) ir_find_monotone(&b, f);
        block *grown = realloc(all->list, (size_t)(all->count + 1) * sizeof *grown);
        if (!grown) return false;
        all->list = grown;
        all->list[all->count++] = b;
    }
    return true;
}

/* A loop can be entered through a test only from a block that is left as it is. */
static void check_entries(block_list *all)
{
    for (int i = 0; i < all->count; ++i)
        for (int other = 0; other < all->count; ++other)
            if (span_equal(all->list[i].before, all->list[other].label)) all->list[i].is_monotone = false;
}

/* ---- writing ---- */

/* Which copy of a block's lines is being written: `own` is its number in the list, or -1 for a line of no block in it;
 * the values of lines [from, to) get the prefix. */
typedef struct form {
    int own;
    int from, to;
    const char *prefix;
} form;

typedef struct writer {
    FILE *out;
    const function *f;
    block_list all;
} writer;

/* The number of the block with this label, or -1. */
static int find_block(const writer *w, span label)
{
    for (int i = 0; i < w->all.count; ++i)
        if (span_equal(label, w->all.list[i].label)) return i;
    return -1;
}

/* Writes where a branch goes: to a loop with a test before it, by way of the test; in the copy of such a loop, back to
 * the copy. */
static void write_target(const writer *w, const form *to, span label)
{
    const int target = find_block(w, label);
    const bool has_test = target >= 0 && w->all.list[target].is_monotone;
    if (has_test && target != to->own)
        fprintf(w->out, "lab.enter.%d", target);
    else if (has_test && to->prefix == loop_prefix)
        fprintf(w->out, "lab.loop.%d", target);
    else
        span_write(w->out, label);
}

/* Copies text with the names it has in this form. */
static void write_text(const writer *w, const form *to, span text)
{
    static const char mark[] = "label %";
    const size_t length = sizeof mark - 1;
    const char *copied = text.start, *at = text.start, *end = text.start + text.length;
    for (span name; (name = ir_next_name('%', at, end, &at)).length;) {
        const bool is_target =
            (size_t)(name.start - text.start) >= length && memcmp(name.start - length, mark, length) == 0;
        if (!is_target && function_find(w->f, to->from, to->to, name) < 0) continue;
        fwrite(copied, 1, (size_t)(name.start - copied), w->out);
        copied = name.start;
        if (!is_target) {
            fputs(to->prefix, w->out);
            continue;
        }
        write_target(w, to, name);
        copied += name.length;
    }
    fwrite(copied, 1, (size_t)(end - copied), w->out);
}

static void write_incoming(const writer *w, const form *to, span value, const char *from, int number)
{
    fputs("[ ", w->out);
    write_text(w, to, value);
    fprintf(w->out, ", %%%s%d ]", from, number);
}

/* One "[ value, %label ]" of a phi, for each block that is now in the place of that one. */
static void write_incomings(const writer *w, const form *to, const incoming *in)
{
    const int from = find_block(w, in->label);
    const block *own = to->own >= 0 ? &w->all.list[to->own] : NULL, *b = from >= 0 ? &w->all.list[from] : NULL;
    const form unchanged = {-1, 0, 0, ""};
    if (own && own->is_monotone && from != to->own) {
        write_incoming(w, &unchanged, in->value, "lab.enter.", to->own);
    } else if (own && own->is_monotone && to->prefix == loop_prefix) {
        write_incoming(w, to, in->value, "lab.loop.", to->own);
    } else if (!b || (b->is_monotone && from == to->own)) {
        span_write(w->out, in->whole);
    } else if (b->is_monotone) {
        const form loop = {from, b->start, b->end, loop_prefix};
        span_write(w->out, in->whole);
        fputs(", ", w->out);
        write_incoming(w, &loop, in->value, "lab.loop.", from);
    } else {
        const form plain = {from, b->rest, b->end, plain_prefix};
        write_incoming(w, &unchanged, in->value, "lab.masked.", from);
        fputs(", ", w->out);
        write_incoming(w, &plain, in->value, "lab.plain.", from);
    }
}

static void write_phi(const writer *w, const form *to, int line)
{
    const span text = w->f->line[line], instruction = function_instruction(w->f, line);
    const char *copied = text.start, *at = instruction.start, *end = text.start + text.length;
    for (incoming in; function_next_incoming(&in, &at, end); copied = at) {
        write_text(w, to, (span){copied, (size_t)(in.whole.start - copied)});
        write_incomings(w, to, &in);
    }
    fwrite(copied, 1, (size_t)(end - copied), w->out);
}

static void write_line(const writer *w, const form *to, int line)
{
    if (function_is_phi(w->f, line))
        write_phi(w, to, line);
    else
        write_text(w, to, w->f->line[line]);
}

/* Copies a line of block `to->own` for a form without masks. */
static void write_unmasked(const writer *w, const form *to, int line)
{
    masked_call call;
    const span text = w->f->line[line], defined = w->f->defined[line];
    if (!read_call(&call, text) || !has_mask(&w->all.list[to->own], call_mask(&call))) {
        write_line(w, to, line);
        return;
    }
    const span address = call.argument[call.is_load ? 0 : 1], alignment = call.argument[call.is_load ? 1 : 2];
    if (call.is_load) {
        const span type = ir_item(strstr(text.start, " call ") + strlen(" call "), " ");
        fprintf(w->out, "  %%%s%.*s = load %.*s", to->prefix, (int)defined.length, defined.start, (int)type.length,
                type.start);
    } else {
        fputs("  store ", w->out);
        write_text(w, to, call.argument[0]);
    }
    fputs(", ", w->out);
    write_text(w, to, address);
    fprintf(w->out, ", align %.*s", (int)alignment.length - 4, alignment.start + 4);
    span_write(w->out, call.rest);
    fputc('\n', w->out);
}

/* Before a loop: the test for all its iterations, and its form without masks. */
static void write_loop(const writer *w, int number)
{
    const block *b = &w->all.list[number];
    const form loop = {number, b->start, b->end, loop_prefix};
    ir_write_monotone_test(w->out, w->f, b, number);
    fprintf(w->out, "lab.loop.%d:\n", number);
    for (int i = b->start; i < b->end; ++i) write_unmasked(w, &loop, i);
    fputc('\n', w->out);
}

/* Ends the first part of a block: all masks as one, compared as a number of as many bits. */
static void write_test(const writer *w, int number)
{
    const block *b = &w->all.list[number];
    const span type = mask_type(b->mask[0]);
    const int lanes = atoi(type.start + 1);
    for (int i = 0; i < b->masks; ++i) {
        fprintf(w->out, "  %%lab.mask.%d.%d = and ", number, i);
        span_write(w->out, b->mask[i]);
        if (i > 0)
            fprintf(w->out, ", %%lab.mask.%d.%d\n", number, i - 1);
        else
            fprintf(w->out, ", %%%.*s\n", (int)mask_name(b->mask[0]).length, mask_name(b->mask[0]).start);
    }
    fprintf(w->out, "  %%lab.bits.%d = bitcast %.*s%%lab.mask.%d.%d to i%d\n", number, (int)type.length, type.start,
            number, b->masks - 1, lanes);
    fprintf(w->out, "  %%lab.all.%d = icmp eq i%d %%lab.bits.%d, -1\n", number, lanes, number);
    fprintf(w->out, "  br i1 %%lab.all.%d, label %%lab.plain.%d, label %%lab.masked.%d\n\n", number, number, number);
    fprintf(w->out, "lab.masked.%d:\n", number);
}

static void write_plain(const writer *w, int number)
{
    const block *b = &w->all.list[number];
    const form plain = {number, b->rest, b->end, plain_prefix};
    fprintf(w->out, "\nlab.plain.%d:\n", number);
    for (int i = b->rest; i < b->end; ++i) write_unmasked(w, &plain, i);
}

static void write_function(const writer *w)
{
    for (int i = 0; i < w->f->lines; ++i) {
        form to = {-1, 0, 0, ""};
        for (int n = 0; n < w->all.count; ++n) {
            const block *b = &w->all.list[n];
            if (i >= b->start && i < b->end) to.own = n;
            if (b->is_monotone && i + 1 == b->start) write_loop(w, n);
            if (!b->is_monotone && i == b->rest) write_test(w, n);
        }
        write_line(w, &to, i);
        if (to.own >= 0 && !w->all.list[to.own].is_monotone && i + 1 == w->all.list[to.own].end) write_plain(w, to.own);
    }
}

static bool copy_function(FILE *out, span text)
{
    function f;
    writer w = {.out = out, .f = &f};
    const bool done = function_read(&f, text) && find_blocks(&w.all, &f);
    if (done) {
        check_entries(&w.all);
        write_function(&w);
    }
    free(w.all.list);
    function_free(&f);
    return done;
}

bool cpu_ir_split_masks(FILE *out, const char *ir)
{
    for (span text; (text = ir_line(ir)).length; ir += text.length) {
        const char *end = span_starts_with(text, "define ") ? strstr(ir, "\n}\n") : NULL;
        if (end) text.length = (size_t)(end + 3 - ir);
        if (!end || !span_find(text, "@llvm.masked."))
            span_write(out, text);
        else if (!copy_function(out, text))
            return false;
    }
    return true;
}
