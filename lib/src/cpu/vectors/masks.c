/*
 * A block B gets a form without masks:
 *
 *     B, up to where the masks are known, and a test for this iteration -> plain: the rest without masks -> as B
 *                                                                       -> masked: the rest as it was    -> as B
 *
 * The values of the copy have other names, and every phi that had a value from B has one from each of the two forms.
 * That is sound only if nothing else uses the values that are copied; otherwise the block stays as it is.
 */
#include "masks.h"
#include "function.h"

#include "cpu/ir/emit.h"

#include <ctype.h>
#include <stdlib.h>

static const char plain_prefix[] = "lab.plain.";

enum { MAX_ARGUMENTS = 4 };

/* The parts of a call of llvm.masked.load or llvm.masked.store. */
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
        at = span_end(call->argument[i]);
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
    return (span){name, (size_t)(span_end(mask) - name)};
}

static span mask_type(span mask) { return (span){mask.start, (size_t)(strchr(mask.start, '%') - mask.start)}; }

static bool has_mask(const block *b, span mask)
{
    for (int i = 0; i < b->masks; ++i)
        if (span_equal(b->mask[i], mask)) return true;
    return false;
}

/* Collects the masks that are known before the block's first masked operation. The rest of the block begins right after
 * them. */
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

/* Whether a line uses a value that lines [first, b->end) define. A phi's value from the block does not count. */
static bool uses_values(const function *f, const block *b, int first, int line)
{
    const span text = f->line[line];
    const char *at = text.start, *end = span_end(text);
    if (function_is_phi(f, line)) {
        at = function_instruction(f, line).start;
        for (incoming edge; function_next_incoming(&edge, &at, end);)
            if (!span_equal(edge.label, b->label) && function_find_operand(f, first, b->end, edge.value) >= 0)
                return true;
        return false;
    }
    for (span name; (name = ir_next_name('%', at, end, &at)).length;)
        if (function_find(f, first, b->end, name) >= 0) return true;
    return false;
}

static bool is_used_elsewhere(const function *f, const block *b, int first)
{
    for (int i = 0; i < f->lines; ++i)
        if ((i < first || i >= b->end) && uses_values(f, b, first, i)) return true;
    return false;
}

/* Skips the entry block, which cannot be a loop and may have no label. */
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
        block *grown = realloc(all->list, (size_t)(all->count + 1) * sizeof *grown);
        if (!grown) return false;
        all->list = grown;
        all->list[all->count++] = b;
    }
    return true;
}

/* ---- writing ---- */

/* The copy of a block's lines that is being written. `own` is the number of the block in the list, or -1 for a line
 * outside all of them. The values of lines [first, end) get the prefix. */
typedef struct form {
    int own;
    int first, end;
    const char *prefix;
} form;

typedef struct writer {
    ir_emitter e;
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

/* Writes text with the names of this form. */
static void write_text(const writer *w, const form *copy, span text)
{
    const char *copied = text.start, *at = text.start;
    for (span name; (name = ir_next_name('%', at, span_end(text), &at)).length;) {
        if (function_find(w->f, copy->first, copy->end, name) < 0) continue;
        ir_emit_span(w->e.out, (span){copied, (size_t)(name.start - copied)});
        copied = name.start;
        fputs(copy->prefix, w->e.out);
    }
    ir_emit_span(w->e.out, (span){copied, (size_t)(span_end(text) - copied)});
}

/* Writes a phi's value from the block whose label is the prefix and a number. */
static void write_incoming(const writer *w, const form *copy, span value, const char *prefix, int number)
{
    fputs("[ ", w->e.out);
    write_text(w, copy, value);
    ir_emit(&w->e, ", $ ]", as_local(prefix, number));
}

/* Writes one "[ value, %label ]" of a phi, once for each form of the block with that label. */
static void write_incomings(const writer *w, const incoming *in)
{
    const int number = find_block(w, in->label);
    if (number < 0) {
        ir_emit_span(w->e.out, in->whole);
        return;
    }
    const form unchanged = {-1, 0, 0, ""};
    const form plain = {number, w->all.list[number].rest, w->all.list[number].end, plain_prefix};
    write_incoming(w, &unchanged, in->value, "lab.masked.", number);
    fputs(", ", w->e.out);
    write_incoming(w, &plain, in->value, plain_prefix, number);
}

static void write_phi(const writer *w, const form *copy, int line)
{
    const span text = w->f->line[line], instruction = function_instruction(w->f, line);
    const char *copied = text.start, *at = instruction.start, *end = span_end(text);
    for (incoming in; function_next_incoming(&in, &at, end); copied = at) {
        write_text(w, copy, (span){copied, (size_t)(in.whole.start - copied)});
        write_incomings(w, &in);
    }
    ir_emit_span(w->e.out, (span){copied, (size_t)(end - copied)});
}

static void write_line(const writer *w, const form *copy, int line)
{
    if (function_is_phi(w->f, line))
        write_phi(w, copy, line);
    else
        write_text(w, copy, w->f->line[line]);
}

/* Writes a line of block `copy->own` without masks. */
static void write_unmasked(const writer *w, const form *copy, int line)
{
    masked_call call;
    const span text = w->f->line[line];
    if (!read_call(&call, text) || !has_mask(&w->all.list[copy->own], call_mask(&call))) {
        write_line(w, copy, line);
        return;
    }
    const span address = call.argument[call.is_load ? 0 : 1], alignment = call.argument[call.is_load ? 1 : 2];
    if (call.is_load) {
        const span type = ir_item(strstr(text.start, " call ") + strlen(" call "), " ");
        ir_emit(&w->e, "  %$$ = load $, ", as_string(copy->prefix), as_text(w->f->defined[line]), as_text(type));
    } else {
        fputs("  store ", w->e.out);
        write_text(w, copy, call.argument[0]);
        fputs(", ", w->e.out);
    }
    write_text(w, copy, address);
    const size_t skipped = strlen("i32 ");
    ir_emit(&w->e, ", align $$\n", as_text((span){alignment.start + skipped, alignment.length - skipped}),
            as_text(call.rest));
}

/* Ends the first part of a block: combines all masks and compares them, as a number, with all ones. */
static void write_test(const writer *w, int number)
{
    const block *b = &w->all.list[number];
    const ir_piece n = as_number(number), type = as_text(mask_type(b->mask[0]));
    const ir_piece lanes = as_number(atoi(b->mask[0].start + 1));
    for (int i = 0; i < b->masks; ++i) {
        ir_emit(&w->e, "  %lab.mask.$.$ = and $, ", n, as_number(i), as_text(b->mask[i]));
        if (i > 0)
            ir_emit(&w->e, "%lab.mask.$.$\n", n, as_number(i - 1));
        else
            ir_emit(&w->e, "%$\n", as_text(mask_name(b->mask[0])));
    }
    ir_emit(&w->e, "  %lab.bits.$ = bitcast $%lab.mask.$.$ to i$\n", n, type, n, as_number(b->masks - 1), lanes);
    ir_emit(&w->e, "  %lab.all.$ = icmp eq i$ %lab.bits.$, -1\n", n, lanes, n);
    ir_emit(&w->e, "  br i1 %lab.all.$, label %lab.plain.$, label %lab.masked.$\n\n", n, n, n);
    ir_emit(&w->e, "lab.masked.$:\n", n);
}

static void write_plain(const writer *w, int number)
{
    const block *b = &w->all.list[number];
    const form plain = {number, b->rest, b->end, plain_prefix};
    ir_emit(&w->e, "\nlab.plain.$:\n", as_number(number));
    for (int i = b->rest; i < b->end; ++i) write_unmasked(w, &plain, i);
}

static void write_function(const writer *w)
{
    for (int i = 0; i < w->f->lines; ++i) {
        form copy = {-1, 0, 0, ""};
        for (int n = 0; n < w->all.count; ++n) {
            const block *b = &w->all.list[n];
            if (i >= b->start && i < b->end) copy.own = n;
            if (i == b->rest) write_test(w, n);
        }
        write_line(w, &copy, i);
        if (copy.own >= 0 && i + 1 == w->all.list[copy.own].end) write_plain(w, copy.own);
    }
}

static bool copy_function(FILE *out, span text)
{
    function f;
    writer w = {.e = {.out = out}, .f = &f};
    const bool done = function_read(&f, text) && find_blocks(&w.all, &f);
    if (done) write_function(&w);
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
            ir_emit_span(out, text);
        else if (!copy_function(out, text))
            return false;
    }
    return true;
}
