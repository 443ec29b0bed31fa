/*
 * A block with masked operations
 *     B:  phis, the masks, masked operations, branch
 * becomes
 *     B:      phis, the masks, branch on whether all lanes of all masks are set
 *     masked: the rest, as it was
 *     plain:  the rest again, its values under other names, with plain operations
 * and every phi that had a value from B has one from each of the two. That is sound only if nothing else uses values
 * of the rest; a block of which something does is left as it is.
 */
#include "ir_masks.h"
#include "ir_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MASKS = 16, MAX_ARGUMENTS = 4 };

/* A call of llvm.masked.load or llvm.masked.store, in its parts. */
typedef struct masked_call {
    bool is_load;
    span argument[MAX_ARGUMENTS]; /* load: address, alignment, mask, other; store: value, address, alignment, mask */
    span rest;                    /* ", !tbaa !5" */
} masked_call;

static span call_mask(const masked_call *call) { return call->argument[call->is_load ? 2 : 3]; }

/* A block to be split, as lines of its function. */
typedef struct block {
    span label;
    int rest, end; /* lines [rest, end) are the rest */
    int masks;
    span mask[MAX_MASKS]; /* with their type: "<16 x i1> %41" */
} block;

typedef struct function {
    span *line;
    span *defined; /* the value each line defines, without the %; length 0 if none */
    int lines, capacity;
    block *block;
    int blocks;
} function;

static bool is_label(span line)
{
    return line.length > 1 && !isspace((unsigned char)*line.start) && *line.start != '}' && *line.start != ';' &&
           span_find(line, ":") && !span_starts_with(line, "define ");
}

static span label_of(span line) { return (span){line.start, (size_t)(span_find(line, ":") - line.start)}; }

static span definition(span line)
{
    const span none = {line.start, 0};
    if (!span_starts_with(line, "  %")) return none;
    const span name = ir_item(line.start + 3, " ");
    return strncmp(name.start + name.length, " = ", 3) == 0 ? name : none;
}

static bool is_phi(span line)
{
    const span name = definition(line);
    return name.length && strncmp(name.start + name.length, " = phi ", 7) == 0;
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

/* The line of [from, to) that defines the value, or -1. */
static int find_definition(const function *f, int from, int to, span name)
{
    for (int i = from; i < to; ++i)
        if (f->defined[i].length && span_equal(f->defined[i], name)) return i;
    return -1;
}

static bool has_mask(const block *b, span mask)
{
    for (int i = 0; i < b->masks; ++i)
        if (span_equal(b->mask[i], mask)) return true;
    return false;
}

/* Collects the masks of a block [from, b->end) that are known before its first masked operation, and finds where the
 * rest can begin: right after them. */
static void find_masks(block *b, const function *f, int from)
{
    int first = -1;
    b->rest = from;
    while (b->rest < b->end && is_phi(f->line[b->rest])) ++b->rest;
    for (int i = b->rest; i < b->end; ++i) {
        masked_call call;
        if (!read_call(&call, f->line[i])) continue;
        if (first < 0) first = i;
        const span mask = call_mask(&call);
        if (has_mask(b, mask) || b->masks == MAX_MASKS) continue;
        if (b->masks && !span_equal(mask_type(mask), mask_type(b->mask[0]))) continue;
        const int defined = find_definition(f, from, b->end, mask_name(mask));
        if (defined > first) continue;
        if (defined >= b->rest) b->rest = defined + 1;
        b->mask[b->masks++] = mask;
    }
}

/* A phi's next "[ value, %label ]" from *at on; false if there is none. */
static bool next_incoming(span *value, span *label, span *whole, const char **at, const char *end)
{
    const char *open = memmem(*at, (size_t)(end - *at), "[ ", 2);
    if (!open) return false;
    *value = ir_item(open + 2, ",");
    const char *mark = value->start + value->length;
    if (strncmp(mark, ", %", 3) != 0) return false;
    *label = ir_item(mark + 3, " ");
    *at = label->start + label->length + 2;
    *whole = (span){open, (size_t)(*at - open)};
    return *at <= end;
}

/* Whether the line uses a value of the block's rest, other than as what a phi has from the block. */
static bool uses_rest(const function *f, const block *b, span line)
{
    const char *at = line.start, *end = line.start + line.length;
    if (is_phi(line)) {
        span value, label, whole;
        at = strstr(at, " phi ");
        at += 5 + ir_item(at + 5, " ").length;
        while (next_incoming(&value, &label, &whole, &at, end)) {
            if (span_equal(label, b->label)) continue;
            if (*value.start == '%' &&
                find_definition(f, b->rest, b->end, (span){value.start + 1, value.length - 1}) >= 0)
                return true;
        }
        return false;
    }
    for (span name; (name = ir_next_name('%', at, end, &at)).length;)
        if (find_definition(f, b->rest, b->end, name) >= 0) return true;
    return false;
}

static bool is_used_elsewhere(const function *f, const block *b)
{
    for (int i = 0; i < f->lines; ++i)
        if ((i < b->rest || i >= b->end) && uses_rest(f, b, f->line[i])) return true;
    return false;
}

/* The entry block is skipped: it is no loop, and may have no label. */
static bool find_blocks(function *f)
{
    for (int i = 0; i < f->lines; ++i) {
        if (!is_label(f->line[i])) continue;
        block b = {.label = label_of(f->line[i]), .end = i + 1};
        while (b.end < f->lines && f->line[b.end].length > 1 && *f->line[b.end].start == ' ') ++b.end;
        find_masks(&b, f, i + 1);
        if (b.masks == 0 || is_used_elsewhere(f, &b)) continue;
        block *grown = realloc(f->block, (size_t)(f->blocks + 1) * sizeof *grown);
        if (!grown) return false;
        f->block = grown;
        f->block[f->blocks++] = b;
    }
    return true;
}

/* ---- writing ---- */

static void write_span(FILE *out, span s) { fwrite(s.start, 1, s.length, out); }

/* Copies text with the values of the block's rest under the names they have in its plain form. */
static void write_renamed(FILE *out, const function *f, const block *b, span text)
{
    const char *copied = text.start, *at = text.start, *end = text.start + text.length;
    for (span name; (name = ir_next_name('%', at, end, &at)).length;) {
        if (find_definition(f, b->rest, b->end, name) < 0) continue;
        fwrite(copied, 1, (size_t)(name.start - copied), out);
        fputs("lab.plain.", out);
        copied = name.start;
    }
    fwrite(copied, 1, (size_t)(end - copied), out);
}

/* Copies a phi; where a value comes from a split block, it comes from both forms of it. */
static void write_phi(FILE *out, const function *f, span line)
{
    const char *copied = line.start, *end = line.start + line.length;
    const char *at = strstr(line.start, " phi ");
    at += 5 + ir_item(at + 5, " ").length;
    for (span value, label, whole; next_incoming(&value, &label, &whole, &at, end);) {
        for (int i = 0; i < f->blocks; ++i) {
            if (!span_equal(label, f->block[i].label)) continue;
            fwrite(copied, 1, (size_t)(whole.start - copied), out);
            copied = at;
            fputs("[ ", out);
            write_span(out, value);
            fprintf(out, ", %%lab.masked.%d ], [ ", i);
            write_renamed(out, f, &f->block[i], value);
            fprintf(out, ", %%lab.plain.%d ]", i);
        }
    }
    fwrite(copied, 1, (size_t)(end - copied), out);
}

/* Ends the first part of a block: all masks as one, compared as a number of as many bits. */
static void write_test(FILE *out, const block *b, int number)
{
    const span type = mask_type(b->mask[0]);
    const int lanes = atoi(type.start + 1), last = b->masks - 1;
    for (int i = 1; i <= last; ++i) {
        fprintf(out, "  %%lab.mask.%d.%d = and ", number, i);
        write_span(out, b->mask[i]);
        if (i > 1)
            fprintf(out, ", %%lab.mask.%d.%d\n", number, i - 1);
        else
            fprintf(out, ", %%%.*s\n", (int)mask_name(b->mask[0]).length, mask_name(b->mask[0]).start);
    }
    fprintf(out, "  %%lab.bits.%d = bitcast ", number);
    if (last > 0)
        fprintf(out, "%.*s%%lab.mask.%d.%d", (int)type.length, type.start, number, last);
    else
        write_span(out, b->mask[0]);
    fprintf(out, " to i%d\n  %%lab.all.%d = icmp eq i%d %%lab.bits.%d, -1\n", lanes, number, lanes, number);
    fprintf(out, "  br i1 %%lab.all.%d, label %%lab.plain.%d, label %%lab.masked.%d\n\n", number, number, number);
    fprintf(out, "lab.masked.%d:\n", number);
}

static void write_plain(FILE *out, const function *f, const block *b, int number)
{
    fprintf(out, "\nlab.plain.%d:\n", number);
    for (int i = b->rest; i < b->end; ++i) {
        masked_call call;
        if (!read_call(&call, f->line[i]) || !has_mask(b, call_mask(&call))) {
            write_renamed(out, f, b, f->line[i]);
            continue;
        }
        const span address = call.argument[call.is_load ? 0 : 1], alignment = call.argument[call.is_load ? 1 : 2];
        if (call.is_load) {
            fputs("  %lab.plain.", out);
            write_span(out, f->defined[i]);
            fputs(" = load ", out);
            write_span(out, ir_item(strstr(f->line[i].start, " call ") + 6, " "));
        } else {
            fputs("  store ", out);
            write_renamed(out, f, b, call.argument[0]);
        }
        fputs(", ", out);
        write_renamed(out, f, b, address);
        fprintf(out, ", align %.*s", (int)alignment.length - 4, alignment.start + 4);
        write_span(out, call.rest);
        fputc('\n', out);
    }
}

static void write_function(FILE *out, const function *f)
{
    for (int i = 0; i < f->lines; ++i) {
        for (int b = 0; b < f->blocks; ++b)
            if (i == f->block[b].rest) write_test(out, &f->block[b], b);
        if (is_phi(f->line[i]))
            write_phi(out, f, f->line[i]);
        else
            write_span(out, f->line[i]);
        for (int b = 0; b < f->blocks; ++b)
            if (i + 1 == f->block[b].end) write_plain(out, f, &f->block[b], b);
    }
}

static bool add_line(function *f, span line)
{
    if (f->lines == f->capacity) {
        const int capacity = f->capacity ? 2 * f->capacity : 256;
        span *lines = realloc(f->line, (size_t)capacity * sizeof *lines);
        if (lines) f->line = lines;
        span *defined = lines ? realloc(f->defined, (size_t)capacity * sizeof *defined) : NULL;
        if (!defined) return false;
        f->defined = defined;
        f->capacity = capacity;
    }
    f->line[f->lines] = line;
    f->defined[f->lines++] = definition(line);
    return true;
}

/* Reads the lines of a function, from "define" to "}", and writes them changed. */
static bool copy_function(FILE *out, span text)
{
    function f = {0};
    bool done = true;
    const char *end = text.start + text.length;
    for (const char *at = text.start; at < end && done; at += ir_line(at).length) done = add_line(&f, ir_line(at));
    done = done && find_blocks(&f);
    if (done) write_function(out, &f);
    free(f.block);
    free(f.defined);
    free(f.line);
    return done;
}

bool cpu_ir_split_masks(FILE *out, const char *ir)
{
    for (span text; (text = ir_line(ir)).length; ir += text.length) {
        const char *end = span_starts_with(text, "define ") ? strstr(ir, "\n}\n") : NULL;
        if (end) text.length = (size_t)(end + 3 - ir);
        if (!end || !span_find(text, "@llvm.masked."))
            write_span(out, text);
        else if (!copy_function(out, text))
            return false;
    }
    return true;
}
