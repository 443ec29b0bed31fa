/*
 * Splitting kernels at their barriers: which ones, and their module around them. What is done in between, the compiler
 * itself does: it makes the functions with barriers part of their kernels, and variables into values.
 */
#include "cpu/ir/ir.h"
#include "ir_split_write.h"
#include "cpu/ir/ir_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Groups of attributes of the marked code, by what is added to their number. */
enum { INLINED = 100000, KERNEL = 200000 };
static const char kernel_mark[] = "\"lab-kernel\"";

static bool close_text(FILE *file, cpu_text *out)
{
    if (fclose(file) == 0) return true;
    free(out->data);
    *out = (cpu_text){0};
    return false;
}

static bool is_kernel(span name, const char *const *kernel, int count)
{
    for (int i = 0; i < count; ++i)
        if (kernel[i] && span_is(name, kernel[i])) return true;
    return false;
}

/* ---- which kernels ---- */

static bool waits_at_barrier(const ir_symbols *all)
{
    for (int i = 0; i < all->count; ++i)
        if (all->list[i].reached && ir_is_barrier(all->list[i].name)) return true;
    return false;
}

static bool waits_at_other(const ir_symbols *all)
{
    for (int i = 0; i < all->count; ++i)
        if (all->list[i].reached && span_starts_with(all->list[i].name, "lab_suspend_") &&
            !ir_is_barrier(all->list[i].name))
            return true;
    return false;
}

/* ---- marking ---- */

/* Where the number of a definition's group of attributes is: ") #5 {". */
static const char *find_group(span head)
{
    const char *close = memrchr(head.start, ')', head.length);
    const char *mark = close ? memmem(close, (size_t)(head.start + head.length - close), " #", 2) : NULL;
    return mark ? mark + 2 : NULL;
}

typedef enum role { AS_IT_IS, PART_OF_KERNEL, SPLITTABLE } role;

/* What becomes of a function: see cpu_ir_mark_barriers. */
static role role_of(ir_symbols *all, span name, const char *const *kernel, int count)
{
    if (span_starts_with(name, "lab_")) return AS_IT_IS;
    ir_forget_reached(all);
    ir_reach(all, ir_find_symbol(all, name));
    if (!waits_at_barrier(all)) return AS_IT_IS;
    if (!is_kernel(name, kernel, count)) return PART_OF_KERNEL;
    return waits_at_other(all) ? AS_IT_IS : SPLITTABLE;
}

static void copy_marked(FILE *out, span head, role what)
{
    static const char internal[] = "define internal ";
    const char *group = find_group(head);
    if (what == SPLITTABLE && span_starts_with(head, internal)) {
        fputs("define hidden ", out);
        head.start += sizeof internal - 1;
        head.length -= sizeof internal - 1;
    }
    const size_t before = (size_t)(group - head.start), digits = strspn(group, "0123456789");
    fwrite(head.start, 1, before, out);
    fprintf(out, "%d", atoi(group) + (what == SPLITTABLE ? KERNEL : INLINED));
    fwrite(group + digits, 1, head.length - before - digits, out);
}

/* Copies "attributes #5 = { noinline nounwind ... }" under another number, with a word for or against inlining. */
static void copy_group(FILE *out, span line, int added, const char *instead)
{
    static const char *const words[] = {"noinline ", "alwaysinline ", "inlinehint ", "optnone "};
    const char *number = line.start + strlen("attributes #"), *brace = memchr(number, '{', line.length);
    fprintf(out, "attributes #%d = { %s", atoi(number) + added, instead);
    const char *end = line.start + line.length;
    for (const char *at = brace + 1; at < end;) {
        size_t skipped = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
            if (at[-1] == ' ' && strncmp(at, words[i], strlen(words[i])) == 0) skipped = strlen(words[i]);
        if (skipped)
            at += skipped;
        else
            fputc(*at++, out);
    }
}

static bool mark(FILE *out, bool *any, const char *ir, const char *const *kernel, int count)
{
    char instead[64];
    ir_symbols all = {0};
    const bool found = ir_find_symbols(&all, ir);
    snprintf(instead, sizeof instead, "noinline %s", kernel_mark);
    for (span line; found && (line = ir_line(ir)).length; ir += line.length) {
        role what = AS_IT_IS;
        if (span_starts_with(line, "define ") && find_group(line)) {
            const char *after;
            what = role_of(&all, ir_next_name('@', ir, ir + line.length, &after), kernel, count);
        }
        *any = *any || what == SPLITTABLE;
        if (what == AS_IT_IS)
            fwrite(line.start, 1, line.length, out);
        else
            copy_marked(out, line, what);
        if (!span_starts_with(line, "attributes #")) continue;
        copy_group(out, line, INLINED, "alwaysinline ");
        copy_group(out, line, KERNEL, instead);
    }
    ir_free_symbols(&all);
    return found;
}

bool cpu_ir_mark_barriers(cpu_text *out, bool *any, const char *ir, const char *const *kernel, int count)
{
    *any = false;
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    const bool done = mark(file, any, ir, kernel, count);
    return close_text(file, out) && done;
}

/* ---- splitting ---- */

static int next_metadata(const char *ir)
{
    int next = 0;
    for (span line; (line = ir_line(ir)).length; ir += line.length)
        if (*ir == '!' && atoi(ir + 1) >= next) next = atoi(ir + 1) + 1;
    return next;
}

/* The pointers to threadIdx's parts: of one variable, or of one each if the compiler has taken it apart. */
typedef struct thread_index {
    char text[3][160];
} thread_index;

static void find_thread_index(ir_split_context *context, thread_index *index, const ir_symbols *all)
{
    for (int i = 0; i < all->count; ++i) {
        const span name = all->list[i].name;
        static const char own[] = "_ZL10lab_thread";
        if (!span_starts_with(name, own) || !span_starts_with(all->list[i].text, " =")) continue;
        const bool whole = name.length == sizeof own - 1;
        for (int k = 0; k < 3; ++k) {
            if (!whole && name.start[sizeof own] != '0' + k) continue;
            if (!whole)
                snprintf(index->text[k], sizeof index->text[k], "%s @%.*s", context->typed_pointers ? "i32*" : "ptr",
                         (int)name.length, name.start);
            else if (context->typed_pointers)
                snprintf(index->text[k], sizeof index->text[k],
                         "i32* getelementptr (%%struct.lab_index3, %%struct.lab_index3* @%s, i64 0, i32 %d)", own, k);
            else
                snprintf(index->text[k], sizeof index->text[k],
                         "ptr getelementptr (%%struct.lab_index3, ptr @%s, i64 0, i32 %d)", own, k);
            context->thread_index[k] = (span){index->text[k], strlen(index->text[k])};
        }
    }
}

/* Attributes for what is written: what the code is compiled for, as the kernel has it, and nothing that was concluded
 * about the kernel. */
static void write_attributes(FILE *out, const char *ir, span head, int number)
{
    char start[64];
    const char *group = find_group(head);
    snprintf(start, sizeof start, "\nattributes #%d = {", group ? atoi(group) : -1);
    const char *line = strstr(ir, start);
    fprintf(out, "attributes #%d = { noinline nounwind", number);
    for (const char *at = line ? line + 1 : ""; *at && *at != '\n';) {
        const char *quote = strpbrk(at, "\"\n");
        if (!quote || *quote == '\n') break;
        const char *end = quote + 1 + strcspn(quote + 1, "\"") + 1;
        if (strncmp(end, "=\"", 2) == 0) end += 2 + strcspn(end + 2, "\"") + 1;
        const span word = {quote, (size_t)(end - quote)};
        if (span_starts_with(word, "\"target") || span_starts_with(word, "\"tune") || span_starts_with(word, "\"no-") ||
            span_starts_with(word, "\"frame-pointer"))
            fprintf(out, " %.*s", (int)word.length, word.start);
        at = end;
    }
    fputs(" }\n", out);
}

/* Whether everything a kernel names, but barriers, never waits: what is left in functions of their own, or behind
 * pointers, would have to be split as well. */
static bool waits_elsewhere(const ir_regions *r, ir_symbols *all)
{
    ir_forget_reached(all);
    for (int n = 0; n < r->graph.nodes; ++n) {
        const ir_node *node = &r->graph.node[n];
        for (int i = node->first; i < node->end - node->is_barrier; ++i) {
            const span text = r->graph.instr[i].text;
            const char *at = text.start, *end = at + text.length;
            for (span name; (name = ir_next_name('@', at, end, &at)).length;) ir_reach(all, ir_find_symbol(all, name));
        }
    }
    return waits_at_barrier(all) || waits_at_other(all);
}

static ir_reading split_kernel(FILE *out, const char *ir, span text, ir_symbols *all, ir_split_context *context)
{
    ir_regions r;
    ir_reading reading = ir_regions_find(&r, text);
    if (reading == IR_READ && waits_elsewhere(&r, all)) reading = IR_NOT_UNDERSTOOD;
    char *written = NULL;
    size_t size = 0;
    FILE *file = reading == IR_READ ? open_memstream(&written, &size) : NULL;
    if (reading == IR_READ) {
        char name[512];
        snprintf(name, sizeof name, "lab_thread_%.*s", (int)r.graph.name.length, r.graph.name.start);
        const ir_symbol *entry = ir_find_symbol(all, (span){name, strlen(name)});
        context->thread_entry = entry ? entry->text : (span){"", 0};
        if (!entry)
            reading = IR_NOT_UNDERSTOOD;
        else if (!file || !ir_split_write(file, &r, context))
            reading = IR_NO_MEMORY;
    }
    if (file && fclose(file) != 0) reading = IR_NO_MEMORY;
    if (reading == IR_READ) {
        fwrite(written, 1, size, out);
        write_attributes(out, ir, r.graph.head, context->attributes++);
    }
    free(written);
    ir_regions_free(&r);
    return reading;
}

/* A line of attributes; a kernel that was not split becomes part of what calls it, as it was to. */
static void copy_attributes(FILE *out, span line)
{
    static const char word[] = "noinline ";
    const char *found = span_find(line, kernel_mark) ? span_find(line, word) : NULL;
    if (found) {
        fwrite(line.start, 1, (size_t)(found - line.start), out);
        fputs("alwaysinline ", out);
        line.length -= (size_t)(found + sizeof word - 1 - line.start);
        line.start = found + sizeof word - 1;
    }
    fwrite(line.start, 1, line.length, out);
}

static bool split(FILE *out, const char *ir, const char *const *kernel, int count)
{
    static const char hidden[] = "define hidden ";
    ir_symbols all = {0};
    ir_split_context context = {.typed_pointers = ir_has_typed_pointers(ir), .attributes = KERNEL};
    thread_index index;
    bool done = ir_find_symbols(&all, ir), any = false;
    const char *whole = ir;
    context.metadata = next_metadata(ir);
    if (done) find_thread_index(&context, &index, &all);
    for (span line; done && (line = ir_line(ir)).length; ir += line.length) {
        const char *after, *end;
        if (span_starts_with(line, "attributes #")) {
            copy_attributes(out, line);
            continue;
        }
        if (span_starts_with(line, hidden) && (end = strstr(ir, "\n}\n")) &&
            is_kernel(ir_next_name('@', ir, ir + line.length, &after), kernel, count)) {
            const span text = {ir, (size_t)(end + 3 - ir)};
            const ir_reading reading = split_kernel(out, whole, text, &all, &context);
            done = reading != IR_NO_MEMORY;
            any = any || reading == IR_READ;
            if (reading == IR_READ) {
                line.length = text.length;
                continue;
            }
            fputs("define internal ", out);
            ir += sizeof hidden - 1;
            line = ir_line(ir);
        }
        fwrite(line.start, 1, line.length, out);
    }
    if (any)
        fprintf(out, "@lab_split_frame = internal thread_local global %s null\n",
                context.typed_pointers ? "i8*" : "ptr");
    ir_free_symbols(&all);
    return done;
}

bool cpu_ir_split_kernels(cpu_text *out, const char *ir, const char *const *kernel, int count)
{
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    const bool done = split(file, ir, kernel, count);
    return close_text(file, out) && done;
}
