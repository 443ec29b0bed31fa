/* A kernel uses the symbols that its entry reaches. Sizes are constant expressions: the compiler knows the sizes of
 * types. */
#include "facts.h"
#include "accesses.h"
#include "variables.h"

#include "cpu/ir/emit.h"

#include <stdlib.h>

/* A module for which facts are written. */
typedef struct facts {
    ir_emitter e;
    ir_symbols all;
    ir_symbols with_probes; /* of the optimised code */
    const char *optimised;
} facts;

/* Writes texts, each of which ends with "\00", as an array of bytes that the module exports. */
static void write_texts(const ir_emitter *e, const char *name, const cpu_text *texts)
{
    const span text = {texts->data, texts->size};
    ir_emit(e, "@$ = constant [$ x i8] c\"$\\00\"\n", as_string(name),
            as_number((long long)ir_decoded_length(text) + 1), as_text(text));
}

/* ---- what a kernel uses ---- */

/* The type of a thread-local variable, from "= internal thread_local global [256 x float] undef, align 16". Length 0
 * for any other symbol. */
static span shared_type(const ir_symbol *s)
{
    const span none = {s->text.start, 0};
    const span line = ir_line(s->text.start);
    if (!span_starts_with(line, " = ") || !span_find(line, " thread_local")) return none;
    const char *global = span_find(line, " global ");
    return global ? ir_item(global + strlen(" global "), " ,") : none;
}

/* Writes the sum of the sizes of the reached __shared__ variables. */
static void write_shared_bytes(const facts *f)
{
    int open = 0;
    for (int i = 0; i < f->all.count; ++i) {
        const ir_symbol *s = &f->all.list[i];
        const span type = shared_type(s);
        if (!s->reached || !type.length || ir_is_own_name(s->name)) continue;
        ir_emit(&f->e, "add (i64 $, i64 ", as_size(type));
        ++open;
    }
    fputc('0', f->e.out);
    while (open--) fputc(')', f->e.out);
}

/* Writes CUDA's name of a reached function in which threads wait for each other: lab_suspend_syncthreads is
 * __syncthreads. */
static void write_suspends(FILE *out, const ir_symbols *all)
{
    const ir_symbol *wait = ir_reached_wait(all);
    const size_t skipped = strlen(IR_WAIT_PREFIX);
    if (wait) fprintf(out, "__%.*s", (int)(wait->name.length - skipped), wait->name.start + skipped);
}

/* Writes a letter for each of the module's variables, by what the kernel's probe reaches. A kernel without a probe is
 * judged by its entry, which has been reached. */
static void write_variable_letters(FILE *out, facts *f, const char *kernel)
{
    ir_symbol *probe = kernel ? ir_accesses_probe(&f->with_probes, kernel) : NULL;
    const ir_symbols *judged = probe ? &f->with_probes : &f->all;
    ir_forget_reached(&f->with_probes);
    ir_reach(&f->with_probes, probe);
    for (int i = 0; i < f->all.count; ++i) {
        if (!ir_variable_type(&f->all.list[i]).length) continue;
        const ir_symbol *variable = ir_find_symbol(judged, f->all.list[i].name);
        fputc(variable ? ir_variable_access(judged, variable) : 'n', out);
    }
}

/* Writes the address of a cpu_split, or null. */
static void write_split(const facts *f, const ir_symbol *split)
{
    static const char type[] = "{ i8*, i8*, i8*, i64, i8* }";
    if (split)
        ir_emit(&f->e, "$", as_address(span_of(type), "", split->name));
    else
        ir_emit(&f->e, "$ null", as_pointer(span_of("i8")));
}

/* Writes an element of lab_facts, and the kernel's texts to `texts`. */
static void write_kernel(facts *f, FILE *texts, const char *kernel)
{
    const span name = span_of(kernel ? kernel : "");
    ir_symbol *entry = kernel ? ir_find_prefixed(&f->all, "lab_entry_", name) : NULL;
    ir_symbol *split = kernel ? ir_find_prefixed(&f->all, "lab_split_", name) : NULL;
    const ir_symbol *dynamic = ir_find_symbol(&f->all, span_of("lab_dynamic_shared"));
    ir_forget_reached(&f->all);
    ir_reach(&f->all, entry);
    ir_reach(&f->all, split);

    ir_emit(&f->e, "  { i64, i64, i64, $ } { i64 ", as_pointer(span_of("i8")));
    write_shared_bytes(f);
    ir_emit(&f->e, ", i64 $, i64 $, ", as_number(dynamic && dynamic->reached), as_number(entry != NULL));
    write_split(f, split);
    fputs(" }", f->e.out);

    write_suspends(texts, &f->all);
    fputs("\\00", texts);
    if (kernel) ir_accesses_write(texts, f->optimised, kernel);
    fputs("\\00", texts);
    write_variable_letters(texts, f, kernel);
    fputs("\\00", texts);
}

static bool write_kernels(facts *f, const char *const *kernel, int count)
{
    cpu_text texts = {0};
    FILE *out = open_memstream(&texts.data, &texts.size);
    if (!out) return false;
    ir_emit(&f->e, "\n@lab_facts = constant [$ x { i64, i64, i64, $ }] [\n", as_number(count),
            as_pointer(span_of("i8")));
    for (int i = 0; i < count; ++i) {
        write_kernel(f, out, kernel[i]);
        fputs(i + 1 < count ? ",\n" : "\n", f->e.out);
    }
    fputs("]\n", f->e.out);
    const bool done = ir_emit_end(out, &texts);
    if (done) write_texts(&f->e, "lab_texts", &texts);
    free(texts.data);
    return done;
}

/* ---- the module's variables ---- */

static int count_variables(const ir_symbols *all)
{
    int count = 0;
    for (int i = 0; i < all->count; ++i) count += ir_variable_type(&all->list[i]).length > 0;
    return count;
}

static void write_variable_table(const facts *f)
{
    ir_emit(&f->e, "\n@lab_variable_table = constant [$ x { i64, i64 }] [\n", as_number(count_variables(&f->all) + 1));
    for (int i = 0; i < f->all.count; ++i) {
        const span type = ir_variable_type(&f->all.list[i]);
        if (type.length)
            ir_emit(&f->e, "  { i64, i64 } { i64 ptrtoint ($ $ to i64), i64 $ },\n", as_pointer(type),
                    as_symbol("", f->all.list[i].name), as_size(type));
    }
    fputs("  { i64, i64 } zeroinitializer\n]\n", f->e.out);
}

/* The name by which a host finds a variable. As on a GPU that is the source's also for a static one, _ZL5count. */
static span public_name(const ir_symbol *s)
{
    static const char mark[] = "_ZL";
    const span name = ir_without_managed(s->name);
    if (!span_starts_with(name, mark)) return name;
    const size_t skipped = strlen(mark) + strspn(name.start + strlen(mark), "0123456789");
    return (span){name.start + skipped, name.length - skipped};
}

static bool write_variable_names(const facts *f)
{
    cpu_text names = {0};
    FILE *out = open_memstream(&names.data, &names.size);
    if (!out) return false;
    for (int i = 0; i < f->all.count; ++i)
        if (ir_variable_type(&f->all.list[i]).length)
            ir_emit(&(ir_emitter){.out = out}, "$\\00", as_text(public_name(&f->all.list[i])));
    const bool done = ir_emit_end(out, &names);
    if (done) write_texts(&f->e, "lab_variable_names", &names);
    free(names.data);
    return done;
}

bool ir_write_facts(FILE *out, const char *ir, const char *optimised, const char *const *kernel, int count)
{
    facts f = {{out, ir_has_typed_pointers(ir)}, .optimised = optimised};
    bool done =
        ir_find_symbols(&f.all, ir) && ir_find_symbols(&f.with_probes, optimised) && write_kernels(&f, kernel, count);
    if (done) {
        write_variable_table(&f);
        done = write_variable_names(&f);
    }
    ir_free_symbols(&f.with_probes);
    ir_free_symbols(&f.all);
    return done;
}
