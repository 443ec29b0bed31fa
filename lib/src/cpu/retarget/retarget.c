/* Line by line, in the order of the module: the kernels and the arrays of dynamic shared memory are found first. */
#include "retarget.h"

#include "module.h"

#include <stdlib.h>

static found_name *add(retarget_pass *p, names *all, span name)
{
    if (all->count == all->capacity) {
        const int capacity = all->capacity ? 2 * all->capacity : 16;
        found_name *larger = realloc(all->list, (size_t)capacity * sizeof *larger);
        p->failed = p->failed || !larger;
        if (!larger) return NULL;
        all->list = larger;
        all->capacity = capacity;
    }
    found_name *added = &all->list[all->count++];
    *added = (found_name){.name = name};
    return added;
}

/* ---- what the module has ---- */

/* A node "!4 = !{void (float*)* @_Z5scalePf, !"kernel", i32 1}". */
static void find_kernel(retarget_pass *p, span line)
{
    if (*line.start != '!' || !memmem(line.start, line.length, ", !\"kernel\", i32 1}", 19)) return;
    const span name = retarget_name_after('@', line);
    if (name.length && !retarget_find(&p->kernels, name)) add(p, &p->kernels, name);
}

/* The initial value is missing: "@sums = external addrspace(3) global [0 x float], align 4". */
static void find_array(retarget_pass *p, span line)
{
    const char *global = span_find(line, " addrspace(3) global ");
    if (*line.start != '@' || !global || !span_find(line, " external ")) return;
    found_name *array = add(p, &p->arrays, retarget_name_after('@', line));
    if (array) array->type = ir_item(global + strlen(" addrspace(3) global "), ",");
}

static const char managed_section[] = ", section \"lab.managed\"";

static const char *find_managed_section(span line)
{
    return memmem(line.start, line.length, managed_section, strlen(managed_section));
}

static void find_managed(retarget_pass *p, span line)
{
    if (*line.start != '@' || !find_managed_section(line) || span_find(line, " external ")) return;
    const span name = retarget_name_after('@', line);
    found_name *variable = add(p, &p->managed, name);
    if (variable && asprintf(&variable->symbol, "%.*s" IR_MANAGED, (int)name.length, name.start) < 0) {
        variable->symbol = NULL;
        p->failed = true;
    }
}

static void find_definition(retarget_pass *p, span line)
{
    if (!span_starts_with(line, "define ")) return;
    found_name *kernel = retarget_find(&p->kernels, retarget_name_after('@', line));
    if (!kernel) return;
    kernel->head = line;
    if (!debug_of_function(&kernel->place, &p->debug, line)) kernel->place = (debug_place){0};
}

static bool has_name(const retarget_pass *p, int before, span name)
{
    for (int i = 0; i < before; i++)
        if (span_equal(p->kernels.list[i].place.function, name)) return true;
    return false;
}

static void find_all(retarget_pass *p)
{
    span line;
    for (const char *at = p->ir; (line = ir_line(at)).length; at += line.length) {
        find_kernel(p, line);
        find_array(p, line);
        find_managed(p, line);
        retarget_find_index_type(p, line);
    }
    for (const char *at = p->ir; (line = ir_line(at)).length; at += line.length) find_definition(p, line);
    int kept = 0;
    for (int i = 0; i < p->kernels.count; i++) {
        found_name kernel = p->kernels.list[i];
        if (!kernel.head.length) continue; /* a declaration only */
        const char *prefix = span_starts_with(kernel.name, "_Z") ? "kernel" : "";
        if (asprintf(&kernel.symbol, "%s%.*s", prefix, (int)kernel.name.length, kernel.name.start) < 0) {
            kernel.symbol = NULL;
            p->failed = true;
        }
        if (!kernel.place.function.length || has_name(p, kept, kernel.place.function))
            kernel.place.function = kernel.name;
        p->kernels.list[kept++] = kernel;
    }
    p->kernels.count = kept;
}

static const char *const no_words[] = {NULL};

/* ---- lines outside of functions ---- */

/* The list "[10 x i8*] [i8* bitcast (void (i8*)* @lab_check_done to i8*), ..." keeps the checks' functions alone. */
static void copy_used(const retarget_pass *p, span line)
{
    cpu_text kept = {0};
    FILE *out = open_memstream(&kept.data, &kept.size);
    const char *at = span_find(line, "] [");
    int count = 0;
    if (!out) return;
    for (at = at ? at + 3 : NULL; at && at < span_end(line);) {
        const span item = ir_item(at, ",");
        if (span_find(item, "@lab_check_")) {
            if (count++) fputs(", ", out);
            ir_emit_span(out, item);
        }
        at = *span_end(item) == ',' ? span_end(item) + 1 : NULL;
        while (at && *at == ' ') at++;
    }
    if (!ir_emit_end(out, &kept)) return;
    if (count)
        ir_emit(&p->e, "@llvm.compiler.used = appending global [$ x $] [$], section \"llvm.metadata\"\n",
                as_number(count), as_pointer(span_of("i8")), as_text((span){kept.data, kept.size}));
    free(kept.data);
}

/* Writes a variable that each thread of the host has of its own, from its type on. */
static void write_thread_variable(const retarget_pass *p, span name, const char *type, span line)
{
    static const char section[] = ", section \"lab.thread\"";
    const char *mark = memmem(type, (size_t)(span_end(line) - type), section, strlen(section));
    ir_emit(&p->e, "$ = internal thread_local global ", as_symbol("", name));
    const char *end = mark ? mark : span_end(line);
    retarget_copy_words(p, (span){type, (size_t)(end - type)}, (const char *const[]){" comdat,", NULL});
    if (mark) {
        mark += strlen(section);
        const size_t newline = span_end(line)[-1] == '\n';
        retarget_copy_words(p, (span){mark, (size_t)(span_end(line) - mark) - newline}, no_words);
        retarget_write_places(p, name, line);
        if (newline) fputc('\n', p->e.out);
    }
}

/* Each object has its own such variables, unless its loader gives it the addresses of others. */
static void write_managed_variable(const retarget_pass *p, span line)
{
    static const char *const dropped[] = {" dso_local", " internal", " externally_initialized", ", comdat", NULL};
    const char *mark = find_managed_section(line), *after = mark + strlen(managed_section);
    retarget_copy_words(p, (span){line.start, (size_t)(mark - line.start)}, dropped);
    retarget_copy_words(p, (span){after, (size_t)(span_end(line) - after)}, dropped);
}

/* Copies the beginning of a line, up to the word by which clang says that no other object's symbol takes the place of
 * this one: in a shared object that means hidden. Returns the rest. */
static span copy_hidden(const retarget_pass *p, span line, const char *const *dropped)
{
    const char *local = span_find(line, " dso_local ");
    if (!local) return line;
    retarget_copy_words(p, (span){line.start, (size_t)(local - line.start)}, dropped);
    fputs(" hidden", p->e.out);
    return (span){local, (size_t)(span_end(line) - local)};
}

static void copy_variable(const retarget_pass *p, span line)
{
    static const char *const dropped[] = {" dso_local", " externally_initialized", ", comdat", NULL};
    const span name = retarget_name_after('@', line);
    if (span_starts_with(name, "llvm.global.annotations") || retarget_find(&p->arrays, name)) return;
    if (span_is(name, "llvm.used") || span_is(name, "llvm.compiler.used")) {
        copy_used(p, line);
        return;
    }
    if (find_managed_section(line)) {
        write_managed_variable(p, line);
        return;
    }
    const char *global = span_find(line, " global ");
    const bool shared = global && span_find((span){line.start, (size_t)(global - line.start)}, " addrspace(3)");
    if (shared || (global && memmem(line.start, line.length, "section \"lab.thread\"", 20))) {
        write_thread_variable(p, name, global + strlen(" global "), line);
        return;
    }
    if (!span_find(line, " external ")) line = copy_hidden(p, line, dropped);
    const char *align = span_find(line, " addrspace(4) ") ? span_find(line, ", align ") : NULL;
    if (align) {
        retarget_copy_words(p, (span){line.start, (size_t)(align - line.start)}, dropped);
        fputs(IR_CONSTANT_SECTION "\"", p->e.out);
        line = (span){align, (size_t)(span_end(line) - align)};
    }
    retarget_copy_words(p, line, dropped);
}

/* Attributes of a GPU, and those that say nothing here. */
static void copy_attributes(const retarget_pass *p, span line)
{
    static const char *const texts[] = {
        " \"target-cpu\"=", " \"target-features\"=", " \"frame-pointer\"=", " \"uniform-work-group-size\"="};
    const char *end = span_end(line);
    for (const char *at = line.start; at < end;) {
        size_t skipped = retarget_begins(at, end, " convergent ") ? strlen(" convergent") : 0;
        for (size_t i = 0; i < sizeof texts / sizeof *texts && !skipped; i++)
            if (retarget_begins(at, end, texts[i]))
                skipped = strlen(texts[i]) + strcspn(at + strlen(texts[i]) + 1, "\"") + 2;
        if (skipped)
            at += skipped;
        else
            fputc(*at++, p->e.out);
    }
}

/* Every function of a GPU's code is convergent. Here only those are in which threads wait. */
static void copy_head(const retarget_pass *p, span line)
{
    static const char *const dropped[] = {" dso_local", " comdat", NULL};
    const span name = retarget_name_after('@', line);
    line = copy_hidden(p, line, dropped);
    const char *group = span_starts_with(name, "lab_suspend_") ? span_find(line, ") #") : NULL;
    if (group) {
        const char *after = group + 3 + strspn(group + 3, "0123456789");
        retarget_copy_words(p, (span){line.start, (size_t)(after - line.start)}, dropped);
        fputs(" convergent", p->e.out);
        line = (span){after, (size_t)(span_end(line) - after)};
    }
    retarget_copy_words(p, line, dropped);
}

/* An intrinsic may be declared for several kinds of memory: only the first stays. */
static bool is_declared(const retarget_pass *p, span line, span name)
{
    for (const char *at = p->ir; at < line.start; at += ir_line(at).length)
        if (strncmp(at, "declare ", 8) == 0 && retarget_same_intrinsic(retarget_name_after('@', ir_line(at)), name))
            return true;
    return false;
}

static void copy_declaration(const retarget_pass *p, span line)
{
    static const char *const dropped[] = {" dso_local", NULL};
    const span name = retarget_name_after('@', line);
    if (span_is(name, "lab_arguments") || span_is(name, "lab_kernel")) return;
    if (span_starts_with(name, "llvm.mem") && is_declared(p, line, name)) return;
    retarget_copy_words(p, line, dropped);
}

/* ---- the whole ---- */

/* The comments, and the line by which kernels.h knows kernels. */
static void write_lists(const retarget_pass *p)
{
    const ir_emitter *e = &p->e;
    for (int i = 0; i < p->kernels.count; i++) {
        const found_name *kernel = &p->kernels.list[i];
        ir_emit(e, "; kernel $ $ $ ", as_text(retarget_symbol(kernel)), as_number(kernel->place.line),
                as_text(kernel->name));
        retarget_write_kinds(p, kernel);
        ir_emit(e, " $\n", as_text(kernel->place.function));
    }
    for (int i = 0; i < p->managed.count; i++) ir_emit(e, "; managed $\n", as_text(p->managed.list[i].name));
    fputs("@llvm.global.annotations =", e->out);
    for (int i = 0; i < p->kernels.count; i++) ir_emit(e, " $", as_symbol("", retarget_symbol(&p->kernels.list[i])));
    fputc('\n', e->out);
}

static bool is_left_out(span line)
{
    static const char *const lines[] = {"target datalayout", "target triple", "source_filename ", "!nvvm.annotations",
                                        "; ModuleID"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (span_starts_with(line, lines[i])) return true;
    return *line.start == '$' && span_find(line, " = comdat ");
}

static bool is_template(span line)
{
    return span_starts_with(line, "define ") && (span_is(retarget_name_after('@', line), "lab_entry") ||
                                                 span_is(retarget_name_after('@', line), "lab_thread_entry"));
}

static void retarget(retarget_pass *p)
{
    bool inside = false;
    span line;
    find_all(p);
    write_lists(p);
    for (const char *at = p->ir; (line = ir_line(at)).length; at += line.length) {
        if (is_template(line)) inside = true;
        if (!inside && !is_left_out(line)) {
            if (*line.start == '@')
                copy_variable(p, line);
            else if (span_starts_with(line, "define "))
                copy_head(p, line);
            else if (span_starts_with(line, "declare "))
                copy_declaration(p, line);
            else if (span_starts_with(line, "attributes #"))
                copy_attributes(p, line);
            else if (*line.start == '!' && span_find(line, "!DI"))
                retarget_copy_node(p, line);
            else
                retarget_copy_words(p, line, no_words);
        }
        if (*line.start == '}') inside = false;
    }
    if (p->arrays.count)
        ir_emit(&p->e, "@lab_dynamic_shared = hidden thread_local global [$ x i8] zeroinitializer, align 128\n",
                as_number(CPU_DYNAMIC_SHARED_BYTES));
    retarget_write_entries(p);
    retarget_write_table(p);
}

static void free_names(names *all)
{
    for (int i = 0; i < all->count; i++) free(all->list[i].symbol);
    free(all->list);
}

bool cpu_ir_retarget(cpu_text *out, const char *ir)
{
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    retarget_pass p = {.e = {file, ir_has_typed_pointers(ir)}, .ir = ir};
    p.failed = !debug_read(&p.debug, ir);
    if (!p.failed) retarget(&p);
    debug_free(&p.debug);
    free_names(&p.kernels);
    free_names(&p.managed);
    free_names(&p.arrays);
    if (ir_emit_end(file, out) && !p.failed) return true;
    free(out->data);
    *out = (cpu_text){0};
    return false;
}

/* ---- a retargeted module ---- */

bool cpu_ir_leave_out_checks(cpu_text *out, const char *ir)
{
    static const char version[] = "!\"Debug Info Version\"", mark[] = " !dbg !";
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    bool inside = false;
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        if (span_starts_with(line, "define ") && span_starts_with(retarget_name_after('@', line), "lab_check_"))
            inside = true;
        const bool is_left = inside || span_starts_with(line, "@llvm.compiler.used ");
        if (*line.start == '}') inside = false;
        if (is_left) continue;
        const char *debug =
            *line.start == '!' ? memmem(line.start, line.length, version, strlen(version)) : span_find(line, mark);
        if (!debug) {
            ir_emit_span(file, line);
            continue;
        }
        /* Without a version LLVM ignores what is left of the debug information. */
        const char *after = *line.start == '!' ? debug + strlen(version)
                                               : debug + strlen(mark) + strspn(debug + strlen(mark), "0123456789");
        if (debug > line.start && debug[-1] == ',') debug--;
        ir_emit_span(file, (span){line.start, (size_t)(debug - line.start)});
        if (*line.start == '!') fputs("!\"lab\"", file);
        ir_emit_span(file, (span){after, (size_t)(span_end(line) - after)});
    }
    return ir_emit_end(file, out);
}
