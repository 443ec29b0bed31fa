/* Replaces each kernel that can be split by its functions, and copies everything else. */
#include "split.h"
#include "module.h"
#include "writer.h"

#include "cpu/ir/emit.h"
#include "cpu/ir/kernels.h"
#include "cpu/regions/instructions.h"

#include <stdlib.h>

/* The module whose kernels are split. */
typedef struct pass {
    FILE *out;
    const char *ir; /* the whole module */
    ir_symbols all;
    split_module module;
    FILE *why; /* kernels that wait and stay as they are, with the reasons */
    bool any;  /* a kernel was split */
    ir_cuts cuts;
} pass;

static int next_metadata(const char *ir)
{
    int next = 0;
    for (span line; (line = ir_line(ir)).length; ir += line.length)
        if (*ir == '!' && atoi(ir + 1) >= next) next = atoi(ir + 1) + 1;
    return next;
}

/* threadIdx is one variable, _ZL10lab_thread, or three, _ZL10lab_thread.0 to .2, after the compiler has split it. */
static void find_thread_index(split_module *module, const ir_symbols *all)
{
    static const char own[] = "_ZL10lab_thread";
    for (int i = 0; i < all->count; ++i) {
        const span name = all->list[i].name;
        if (!span_starts_with(name, own) || !span_starts_with(all->list[i].text, " =")) continue;
        const bool is_whole = name.length == sizeof own - 1;
        module->whole_index = module->whole_index || is_whole;
        for (int part = 0; part < 3; ++part)
            if (is_whole || name.start[sizeof own] == '0' + part) module->thread_index[part] = name;
    }
}

/* Writes the group of attributes for a kernel's functions: the kernel's own as far as they name the processor, without
 * those that the compiler concluded from its code. */
static void write_attributes(FILE *out, const char *ir, span head, int number, const char *inlining)
{
    static const char start[] = "attributes #";
    const char *group = ir_find_group(head);
    span line = {"", 0};
    for (span each; group && (each = ir_line(ir)).length; ir += each.length)
        if (span_starts_with(each, start) && atoi(ir + sizeof start - 1) == atoi(group)) line = each;
    fprintf(out, "attributes #%d = { %s nounwind", number, inlining);
    for (const char *quote; (quote = memchr(line.start, '"', line.length));) {
        const char *end = quote + 1 + strcspn(quote + 1, "\"") + 1;
        if (strncmp(end, "=\"", 2) == 0) end += 2 + strcspn(end + 2, "\"") + 1;
        const span word = {quote, (size_t)(end - quote)};
        if (span_starts_with(word, "\"target") || span_starts_with(word, "\"tune") || span_starts_with(word, "\"no-") ||
            span_starts_with(word, "\"frame-pointer"))
            fprintf(out, " %.*s", (int)word.length, word.start);
        line = (span){end, (size_t)(span_end(line) - end)};
    }
    fputs(" }\n", out);
}

/* Whether a function that the kernel names, other than in its waits, may wait. It was not inlined, so it would have to
 * be split as well. */
static bool waits_in_functions(const ir_graph *g, ir_symbols *all)
{
    ir_forget_reached(all);
    for (int n = 0; n < g->nodes; ++n) {
        const ir_node *node = &g->node[n];
        for (int i = node->first; i < node->end - node->waits; ++i) {
            const char *at = g->instr[i].text.start, *end = span_end(g->instr[i].text);
            for (span name; (name = ir_next_name('@', at, end, &at)).length;) ir_reach(all, ir_find_symbol(all, name));
        }
    }
    return ir_reached_wait(all) != NULL;
}

/* Says why a kernel that waits stays as it is: `why`, or else that a reached function waits, and on which line. */
static void say_why(const pass *p, span kernel, const char *why)
{
    fprintf(p->why, "kernel '%.*s' gives every thread a stack: ", (int)kernel.length, kernel.start);
    for (int i = 0; i < p->all.count && !why; ++i) {
        const ir_symbol *function = &p->all.list[i];
        const char *call = function->reached ? span_find(function->text, "@" IR_WAIT_PREFIX) : NULL;
        if (!call || span_equal(function->name, kernel)) continue;
        const span line = ir_line(call);
        const char *close = memrchr(call, ')', line.length);
        const char *number = close ? memrchr(call, ' ', (size_t)(close - call)) : NULL;
        fprintf(p->why,
                "the barrier or warp function on line %d is in a function that calls itself or is called through a "
                "pointer\n",
                number ? atoi(number) : 0);
        return;
    }
    fprintf(p->why, "%s\n", why ? why : "it has a function of an unknown form");
}

/* Whether the kernel waits, itself or in what it calls. */
static bool kernel_waits(pass *p, span kernel)
{
    ir_forget_reached(&p->all);
    ir_reach(&p->all, ir_find_symbol(&p->all, kernel));
    return ir_reached_wait(&p->all) != NULL;
}

/* Reads the types of the parameters of lab_thread_k. False if it is not defined. */
static bool read_entry(span param[ENTRY_PARAMS], const ir_symbols *all, span kernel)
{
    const ir_symbol *entry = ir_find_prefixed(all, "lab_thread_", kernel);
    if (!entry || !span_starts_with(entry->text, "(")) return false;
    const char *at = entry->text.start + 1;
    for (int i = 0; i < ENTRY_PARAMS; ++i) {
        const span whole = ir_item(at, ",");
        param[i] = ir_item(at, " ");
        at = span_end(whole) + 2;
    }
    return true;
}

/* Writes the functions of a kernel. */
static ir_reading write_split(pass *p, const ir_regions *r)
{
    cpu_text written = {0};
    span entry_param[ENTRY_PARAMS];
    if (waits_in_functions(&r->graph, &p->all) || !read_entry(entry_param, &p->all, r->graph.name))
        return IR_NOT_UNDERSTOOD;
    FILE *file = open_memstream(&written.data, &written.size);
    if (!file) return IR_NO_MEMORY;
    bool done = split_write_kernel(file, r, &p->module, entry_param);
    done = ir_emit_end(file, &written) && done;
    if (done) {
        fwrite(written.data, 1, written.size, p->out);
        write_attributes(p->out, p->ir, r->graph.head, p->module.attributes++, "noinline");
        write_attributes(p->out, p->ir, r->graph.head, p->module.attributes++, "alwaysinline");
    }
    free(written.data);
    return done ? IR_READ : IR_NO_MEMORY;
}

static bool has_waits(const ir_graph *g)
{
    for (int n = 0; n < g->nodes; ++n)
        if (g->node[n].waits) return true;
    return false;
}

/* Whether the kernel is quicker in regions: it waits, its threads take turns, or it has loops for a shape of blocks. */
static bool gains(const ir_regions *r, const split_module *module)
{
    return r->has_turns || has_waits(&r->graph) || split_find_shape(r, module) != LOOP_OF_RANGE;
}

static ir_reading split_one(pass *p, span text)
{
    const char *after;
    const span kernel = ir_next_name('@', text.start, span_end(text), &after);
    ir_regions r;
    ir_reading reading = ir_regions_find(&r, text, p->cuts);
    if (reading == IR_READ) reading = gains(&r, &p->module) ? write_split(p, &r) : IR_NOT_UNDERSTOOD;
    if (reading == IR_NOT_UNDERSTOOD && kernel_waits(p, kernel)) say_why(p, kernel, r.why);
    ir_regions_free(&r);
    return reading;
}

/* Copies a group of attributes. A kernel that was not split is inlined into its caller again. */
static void copy_attributes(FILE *out, span line)
{
    static const char word[] = "noinline ";
    const char *found = span_find(line, KERNEL_MARK) ? span_find(line, word) : NULL;
    if (found) {
        fwrite(line.start, 1, (size_t)(found - line.start), out);
        fputs("alwaysinline ", out);
        line.length -= (size_t)(found + sizeof word - 1 - line.start);
        line.start = found + sizeof word - 1;
    }
    ir_emit_span(out, line);
}

/* Copies the declaration of a function of mathematics with what it lacks where the optimiser made the call, as ldexpf
 * for powf(2, i): without effects it is called once if all threads call it alike. Returns false and copies nothing for
 * any other line. */
static bool copy_math(FILE *out, span line)
{
    const char *after;
    if (!span_starts_with(line, "declare ") || !ir_is_math(ir_next_name('@', line.start, span_end(line), &after)))
        return false;
    ir_emit_span(out, (span){line.start, line.length - 1});
    fputs(" nounwind readnone speculatable willreturn\n", out);
    return true;
}

/* The text of the kernel that begins at this line; length 0 for any other line. */
static span kernel_text(span line, const char *const *kernel, int count)
{
    const span none = {line.start, 0};
    const char *after, *end = span_starts_with(line, "define hidden ") ? strstr(line.start, "\n}\n") : NULL;
    if (!end || !split_is_kernel(ir_next_name('@', line.start, span_end(line), &after), kernel, count)) return none;
    return (span){line.start, (size_t)(end + 3 - line.start)};
}

static bool split(pass *p, const char *const *kernel, int count)
{
    static const char hidden[] = "define hidden ";
    bool done = true;
    for (span rest = {p->ir, 0}, line; done && (line = ir_line(rest.start)).length; rest.start += rest.length) {
        const span text = kernel_text(line, kernel, count);
        rest.length = line.length;
        if (span_starts_with(line, "attributes #")) {
            copy_attributes(p->out, line);
        } else if (text.length) {
            const ir_reading reading = split_one(p, text);
            done = reading != IR_NO_MEMORY;
            p->any = p->any || reading == IR_READ;
            if (reading == IR_READ)
                rest.length = text.length;
            else
                ir_emit(&(ir_emitter){.out = p->out}, "define internal $",
                        as_text((span){line.start + sizeof hidden - 1, line.length - (sizeof hidden - 1)}));
        } else if (!copy_math(p->out, line)) {
            ir_emit_span(p->out, line);
        }
    }
    return done;
}

bool cpu_ir_split_kernels(cpu_text *out, cpu_text *why, bool *any, const char *ir, const char *const *kernel, int count,
                          ir_cuts cuts)
{
    *any = false;
    FILE *file = open_memstream(&out->data, &out->size), *reasons = open_memstream(&why->data, &why->size);
    if (!file || !reasons) {
        if (file) fclose(file);
        if (reasons) fclose(reasons);
        return false;
    }
    pass p = {file, ir, .why = reasons, .cuts = cuts,
              .module = {.typed_pointers = ir_has_typed_pointers(ir), .attributes = KERNEL_GROUP}};
    p.module.with_shapes = cuts == IR_CUT_AT_BRANCHES;
    p.module.metadata = next_metadata(ir);
    bool done = ir_find_symbols(&p.all, ir);
    if (done) {
        find_thread_index(&p.module, &p.all);
        done = split(&p, kernel, count);
    }
    *any = p.any;
    if (p.any)
        fprintf(file, "@lab_split_frame = internal thread_local global %s null\n",
                p.module.typed_pointers ? "i8*" : "ptr");
    ir_free_symbols(&p.all);
    done = ir_emit_end(reasons, why) && done;
    return ir_emit_end(file, out) && done;
}
