/* A function is marked by another group of attributes. Every group exists three times: as it is, with a word for
 * inlining, and with one against. */
#include "split.h"
#include "module.h"

#include "cpu/ir/emit.h"
#include "cpu/ir/kernels.h"

#include <stdlib.h>

typedef enum role { AS_IT_IS, PART_OF_KERNEL, SPLITTABLE } role;

/* Whether a function has a loop: the front end marks the way back of each. */
static bool has_loop(const ir_symbol *function) { return span_find(function->text, "!llvm.loop ") != NULL; }

/* Whether threads may take turns in the kernel's loops. A kernel whose code stays apart is called for one thread after
 * another. */
static bool takes_turns(const char *ir, span head, const ir_symbol *kernel)
{
    return has_loop(kernel) && !ir_stays_apart(ir, head);
}

/* Decides what happens to a function, by the first line of its definition. */
static role role_of(const char *ir, ir_symbols *all, span head, const char *const *kernel, int count, bool with_loops)
{
    const char *after;
    const span name = ir_next_name('@', head.start, span_end(head), &after);
    if (span_starts_with(name, "lab_")) return AS_IT_IS;
    ir_symbol *function = ir_find_symbol(all, name);
    const bool is_kernel = split_is_kernel(name, kernel, count);
    ir_forget_reached(all);
    ir_reach(all, function);
    if (!ir_reached_wait(all))
        return with_loops && is_kernel && takes_turns(ir, head, function) ? SPLITTABLE : AS_IT_IS;
    return is_kernel ? SPLITTABLE : PART_OF_KERNEL;
}

/* Copies the head of a function with another group. A kernel becomes hidden, so that it keeps its name. */
static void copy_marked(FILE *out, span head, role what)
{
    static const char internal[] = "define internal ";
    const char *group = ir_find_group(head), *rest = group + strspn(group, "0123456789");
    const char *copied = head.start;
    if (what == SPLITTABLE && span_starts_with(head, internal)) {
        fputs("define hidden ", out);
        copied += sizeof internal - 1;
    }
    ir_emit_span(out, (span){copied, (size_t)(group - copied)});
    fprintf(out, "%d", atoi(group) + (what == SPLITTABLE ? KERNEL_GROUP : INLINED_GROUP));
    ir_emit_span(out, (span){rest, (size_t)(span_end(head) - rest)});
}

/* Copies "attributes #5 = { noinline nounwind ... }" under another number, with other words about inlining. */
static void copy_group(FILE *out, span line, int added, const char *instead)
{
    static const char *const words[] = {"noinline ", "alwaysinline ", "inlinehint ", "optnone "};
    const char *number = line.start + strlen("attributes #"), *brace = memchr(number, '{', line.length);
    fprintf(out, "attributes #%d = { %s", atoi(number) + added, instead);
    for (const char *at = brace + 1; at < span_end(line);) {
        size_t skipped = 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
            if (at[-1] == ' ' && strncmp(at, words[i], strlen(words[i])) == 0) skipped = strlen(words[i]);
        if (skipped)
            at += skipped;
        else
            fputc(*at++, out);
    }
}

static bool mark(FILE *out, bool *any, const char *ir, const char *const *kernel, int count, bool with_loops)
{
    ir_symbols all = {0};
    const bool found = ir_find_symbols(&all, ir);
    const char *at = ir;
    for (span line; found && (line = ir_line(at)).length; at += line.length) {
        role what = AS_IT_IS;
        if (span_starts_with(line, "define ") && ir_find_group(line))
            what = role_of(ir, &all, line, kernel, count, with_loops);
        *any = *any || what == SPLITTABLE;
        if (what == AS_IT_IS)
            ir_emit_span(out, line);
        else
            copy_marked(out, line, what);
        if (!span_starts_with(line, "attributes #")) continue;
        copy_group(out, line, INLINED_GROUP, "alwaysinline ");
        copy_group(out, line, KERNEL_GROUP, "noinline " KERNEL_MARK);
    }
    ir_free_symbols(&all);
    return found;
}

bool cpu_ir_mark_waits(cpu_text *out, bool *any, const char *ir, const char *const *kernel, int count, bool with_loops)
{
    *any = false;
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    const bool done = mark(file, any, ir, kernel, count, with_loops);
    return ir_emit_end(file, out) && done;
}
