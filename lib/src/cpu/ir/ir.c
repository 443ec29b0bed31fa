/* Line by line over the text; what a change needs to know of types it takes from the declarations in that text. */
#include "ir.h"
#include "ir_accesses.h"
#include "ir_divide.h"
#include "ir_masks.h"
#include "ir_symbols.h"
#include "ir_text.h"
#include "ir_variables.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool starts_with(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static bool close_text(FILE *file, cpu_text *out)
{
    if (fclose(file) == 0) return true;
    free(out->data);
    *out = (cpu_text){0};
    return false;
}

/* ---- kernels ---- */

/* Calls of __global__ leave one line, which lists annotated functions; only kernels are annotated. */
static span annotations(const char *ir)
{
    const char *found = starts_with(ir, "@llvm.global.annotations") ? ir : strstr(ir, "\n@llvm.global.annotations");
    if (!found) return (span){ir, 0};
    span line = ir_line(found + (*found == '\n'));
    const char *list = memchr(line.start, '=', line.length);
    return (span){list, (size_t)(line.start + line.length - list)};
}

/* The next annotated function with a C name, from *at on. */
static span next_kernel(const char **at, const char *end)
{
    for (;;) {
        span name = ir_next_name('@', *at, end, at);
        if (name.length == 0 || (*name.start != '.' && !starts_with(name.start, "_Z"))) return name;
    }
}

bool cpu_ir_has_kernel(const char *ir, const char *name)
{
    const span list = annotations(ir);
    const char *at = list.start;
    for (span found; (found = next_kernel(&at, list.start + list.length)).length;)
        if (span_is(found, name)) return true;
    return false;
}

bool cpu_ir_find_other_kernel(char *name, size_t capacity, const char *ir, const char *const *known, int count)
{
    const span list = annotations(ir);
    const char *at = list.start;
    for (span found; (found = next_kernel(&at, list.start + list.length)).length;) {
        bool is_known = false;
        for (int i = 0; i < count && !is_known; ++i) is_known = span_is(found, known[i]);
        if (is_known) continue;
        snprintf(name, capacity, "%.*s", (int)found.length, found.start);
        return true;
    }
    return false;
}

/* ---- casts ---- */

/* A cast's name in the intermediate code: llvm.fptosi.sat.i8.f32. */
typedef struct cast {
    bool is_signed;
    int bits;  /* 8, 16, 32, 64 */
    bool wide; /* from double */
} cast;

enum { CASTS = 16 };
static const int cast_bits[] = {8, 16, 32, 64};
static cast cast_number(int i) { return (cast){i & 1, cast_bits[i >> 1 & 3], i >> 3}; }

static int cast_name(char *name, size_t capacity, const char *prefix, cast c)
{
    return snprintf(name, capacity, "@%s.fpto%ci.sat.i%d.f%d(", prefix, c.is_signed ? 's' : 'u', c.bits,
                    c.wide ? 64 : 32);
}

/* The number of the cast whose name stands at `at`, or -1. */
static int find_cast(const char *at)
{
    char name[64];
    for (int i = 0; i < CASTS; ++i) {
        cast_name(name, sizeof name, "llvm", cast_number(i));
        if (starts_with(at, name)) return i;
    }
    return -1;
}

/* What an H200 answers to NaN. */
static uint64_t cast_of_nan(cast c)
{
    if (c.bits == 64) return UINT64_C(1) << 63;
    return c.wide ? UINT64_C(1) << 31 : 0;
}

/* To 32 and 64 bits: saturates. The conversion of a value out of range has no result, but is not chosen then. The
 * limits are powers of two: in hexadecimal, as double whatever the type, the way IR writes them. */
static void write_saturating_cast(FILE *out, cast c)
{
    const char *type = c.wide ? "double" : "float";
    const char sign = c.is_signed ? 's' : 'u';
    const uint64_t most = c.is_signed ? (UINT64_C(1) << (c.bits - 1)) - 1 : UINT64_MAX >> (64 - c.bits);
    const uint64_t least = c.is_signed ? UINT64_C(1) << (c.bits - 1) : 0;
    const uint64_t above = (uint64_t)(1023 + c.bits - c.is_signed) << 52;
    const uint64_t lowest = c.is_signed ? above | UINT64_C(1) << 63 : 0;
    char name[64];
    cast_name(name, sizeof name, "lab", c);
    fprintf(out, "\ndefine internal i%d %s%s %%x) alwaysinline {\n", c.bits, name, type);
    fprintf(out, "  %%inside = fpto%ci %s %%x to i%d\n", sign, type, c.bits);
    fprintf(out, "  %%low = fcmp olt %s %%x, 0x%016llX\n", type, (unsigned long long)lowest);
    fprintf(out, "  %%high = fcmp oge %s %%x, 0x%016llX\n", type, (unsigned long long)above);
    fprintf(out, "  %%nan = fcmp uno %s %%x, %%x\n", type);
    fprintf(out, "  %%a = select i1 %%low, i%d %llu, i%d %%inside\n", c.bits, (unsigned long long)least, c.bits);
    fprintf(out, "  %%b = select i1 %%high, i%d %llu, i%d %%a\n", c.bits, (unsigned long long)most, c.bits);
    fprintf(out, "  %%c = select i1 %%nan, i%d %llu, i%d %%b\n", c.bits, (unsigned long long)cast_of_nan(c), c.bits);
    fprintf(out, "  ret i%d %%c\n}\n", c.bits);
}

/* To 8 and 16 bits: to 32 bits of the same sign, of which the low bits stay. */
static void write_narrowing_cast(FILE *out, cast c)
{
    const char *type = c.wide ? "double" : "float";
    char name[64], through[64];
    cast_name(name, sizeof name, "lab", c);
    cast_name(through, sizeof through, "lab", (cast){c.is_signed, 32, c.wide});
    fprintf(out, "\ndefine internal i%d %s%s %%x) alwaysinline {\n", c.bits, name, type);
    fprintf(out, "  %%whole = call i32 %s%s %%x)\n", through, type);
    fprintf(out, "  %%low = trunc i32 %%whole to i%d\n  ret i%d %%low\n}\n", c.bits, c.bits);
}

static void write_casts(FILE *out, const bool used[CASTS])
{
    bool needed[CASTS];
    memcpy(needed, used, sizeof needed);
    for (int i = 0; i < CASTS; ++i) {
        const cast c = cast_number(i);
        if (!used[i] || c.bits >= 32) continue;
        write_narrowing_cast(out, c);
        needed[(i & ~6) | 2 << 1] = true;
    }
    for (int i = 0; i < CASTS; ++i)
        if (needed[i] && cast_number(i).bits >= 32) write_saturating_cast(out, cast_number(i));
}

/* Copies a line with the casts in it renamed, and notes which they are. */
static void copy_casts(FILE *out, span line, bool used[CASTS])
{
    static const char start[] = "@llvm.fpto";
    const char *copied = line.start, *end = line.start + line.length;
    for (const char *at = copied; (at = memmem(at, (size_t)(end - at), start, sizeof start - 1)); ++at) {
        const int number = find_cast(at);
        if (number < 0) continue;
        used[number] = true;
        fwrite(copied, 1, (size_t)(at - copied), out);
        fputs("@lab", out);
        copied = at + strlen("@llvm");
    }
    fwrite(copied, 1, (size_t)(end - copied), out);
}

/* "%3 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @lab_thread)", as LLVM 15 and later have it, becomes
 * an address like any other: what LLVM knows of variables that no pointer leads to, it does not apply through the call
 * before version 19. False if the line is no such call. */
static bool copy_thread_local(FILE *out, span line)
{
    const char *call = span_find(line, " = call "), *name = span_find(line, "@llvm.threadlocal.address.p0("), *after;
    const char *variable = call && name ? strchr(name + 1, '@') : NULL;
    if (!variable || !ir_next_name('@', variable, line.start + line.length, &after).length) return false;
    fprintf(out, "%.*s = getelementptr i8, ptr %.*s, i64 0\n", (int)(call - line.start), line.start,
            (int)(after - variable), variable);
    return true;
}

/* A second copy of each kernel (ir_accesses.h), with the same changes. */
static void write_probes(FILE *out, const char *ir, bool used[CASTS])
{
    const span list = annotations(ir);
    const char *at = list.start;
    for (span name; (name = next_kernel(&at, list.start + list.length)).length;) {
        const span text = ir_accesses_find(ir, name);
        if (span_find(ir_line(text.start), "!dbg")) continue; /* lines are noted of one function each */
        const char *after = text.start, *end = text.start + text.length;
        for (span line; after < end && (line = ir_line(after)).length; after += line.length) {
            if (line.start == text.start) {
                const char *unused;
                ir_accesses_write_head(out, line, ir_next_name('@', line.start, end, &unused));
            } else if (!copy_thread_local(out, line)) {
                copy_casts(out, line, used);
            }
        }
    }
}

bool cpu_ir_prepare(cpu_text *out, const char *ir)
{
    const char *whole = ir;
    static const char hidden[] = "define hidden ";
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    bool used[CASTS] = {false};
    int divisions = 0;
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        if (starts_with(line.start, "@llvm.global.annotations")) continue;
        if (starts_with(line.start, "declare") && memmem(line.start, line.length, "@llvm.fpto", 10)) {
            const char *name = memmem(line.start, line.length, "@llvm.fpto", 10);
            if (find_cast(name) >= 0) continue;
        }
        if (starts_with(line.start, hidden)) {
            fputs("define internal ", file);
            line = (span){line.start + sizeof hidden - 1, line.length - (sizeof hidden - 1)};
            ir += sizeof hidden - 1;
        }
        if (copy_thread_local(file, line) || ir_variables_keep(file, line)) continue;
        if (ir_copy_division(file, line, divisions))
            ++divisions;
        else
            copy_casts(file, line, used);
    }
    write_probes(file, whole, used);
    write_casts(file, used);
    return close_text(file, out);
}

/* ---- what a kernel uses ---- */

/* cpu_facts */
#define FACTS_TYPE "{ [32 x i8], i64, i64, i64, %s, [72 x i8], [72 x i8] }"
enum { SUSPENDS_BYTES = 32, ACCESS_BYTES = 72, MOST_VARIABLES = ACCESS_BYTES - 1 };
_Static_assert(sizeof((cpu_facts *)NULL)->suspends == SUSPENDS_BYTES, "what is written is what is read");
_Static_assert(sizeof((cpu_facts *)NULL)->access == ACCESS_BYTES, "what is written is what is read");
_Static_assert(sizeof((cpu_facts *)NULL)->variables == ACCESS_BYTES, "what is written is what is read");
_Static_assert(sizeof(cpu_facts) == SUSPENDS_BYTES + 3 * 8 + sizeof(void *) + 2 * ACCESS_BYTES,
               "what is written is what is read");

/* The type of a thread-local variable, from "= internal thread_local global [256 x float] undef, align 16"; length 0
 * for anything else. */
static span shared_type(const ir_symbol *s)
{
    const span none = {s->text.start, 0};
    const span line = ir_line(s->text.start);
    if (!span_starts_with(line, " = ") || !span_find(line, " thread_local")) return none;
    const char *global = span_find(line, " global ");
    return global ? ir_item(global + strlen(" global "), " ,") : none;
}

/* The name of a function at which threads wait for each other, as CUDA has it: lab_suspend_syncthreads is
 * __syncthreads. Zeros up to the array's size. */
static void write_suspends(FILE *out, const ir_symbols *all)
{
    static const char prefix[] = "lab_suspend_";
    int length = 0;
    for (int i = 0; i < all->count && length == 0; ++i) {
        const span name = all->list[i].name;
        if (!all->list[i].reached || !starts_with(name.start, prefix)) continue;
        const size_t skipped = sizeof prefix - 1;
        length = fprintf(out, "__%.*s", (int)(name.length - skipped), name.start + skipped);
    }
    for (; length < SUSPENDS_BYTES; ++length) fputs("\\00", out);
}

/* The bytes of the __shared__ variables reached, as a sum the compiler works out: it knows the sizes of types. */
static void write_shared_bytes(FILE *out, const ir_symbols *all, bool typed_pointers)
{
    int open = 0;
    for (int i = 0; i < all->count; ++i) {
        const ir_symbol *s = &all->list[i];
        const span type = shared_type(s);
        if (!s->reached || !type.length || ir_is_own_name(s->name)) continue;
        char pointer[1024];
        snprintf(pointer, sizeof pointer, typed_pointers ? "%.*s*" : "ptr", (int)type.length, type.start);
        fprintf(out, "add (i64 ptrtoint (%s getelementptr (%.*s, %s null, i32 1) to i64), i64 ", pointer,
                (int)type.length, type.start, pointer);
        ++open;
    }
    fputc('0', out);
    while (open--) fputc(')', out);
}

static void write_letters(FILE *out, const char *letters)
{
    fputs(letters, out);
    for (size_t i = strlen(letters); i < ACCESS_BYTES; ++i) fputs("\\00", out);
}

static void write_access(FILE *out, const char *optimised, const char *kernel)
{
    char letters[ACCESS_BYTES] = "";
    if (kernel) ir_accesses_read(letters, sizeof letters, optimised, kernel);
    write_letters(out, letters);
}

static int count_variables(const ir_symbols *all)
{
    int count = 0;
    for (int i = 0; i < all->count; ++i) count += ir_variable_type(&all->list[i]).length > 0;
    return count < MOST_VARIABLES ? count : MOST_VARIABLES;
}

/* A letter for each of the module's variables. */
static void write_variables(FILE *out, const ir_symbols *all)
{
    char letters[ACCESS_BYTES] = "";
    int count = 0;
    for (int i = 0; i < all->count && count < MOST_VARIABLES; ++i)
        if (ir_variable_type(&all->list[i]).length) letters[count++] = ir_variable_access(all, &all->list[i]);
    write_letters(out, letters);
}

/* Where the variables are, as an array that the module exports as lab_variable_table. */
static void write_variable_table(FILE *out, const ir_symbols *all, bool typed_pointers)
{
    int left = count_variables(all);
    fprintf(out, "\n@lab_variable_table = constant [%d x { i64, i64 }] [\n", left + 1);
    for (int i = 0; i < all->count && left > 0; ++i) {
        const ir_symbol *s = &all->list[i];
        const span type = ir_variable_type(s);
        if (!type.length) continue;
        char pointer[1024];
        snprintf(pointer, sizeof pointer, typed_pointers ? "%.*s*" : "ptr", (int)type.length, type.start);
        fprintf(
            out,
            "  { i64, i64 } { i64 ptrtoint (%s @%.*s to i64), i64 ptrtoint (%s getelementptr (%.*s, %s null, i32 1) to "
            "i64) },\n",
            pointer, (int)s->name.length, s->name.start, pointer, (int)type.length, type.start, pointer);
        --left;
    }
    fputs("  { i64, i64 } zeroinitializer\n]\n", out);
}

/* What a variable is called outside of its source: a static one, which C++ calls _ZL5count, is found as on a GPU. */
static span public_name(const ir_symbol *s)
{
    static const char mark[] = "_ZL";
    const span name = s->name;
    if (!span_starts_with(name, mark)) return name;
    const size_t skipped = strlen(mark) + strspn(name.start + strlen(mark), "0123456789");
    return (span){name.start + skipped, name.length - skipped};
}

/* What they are called, as an array that the module exports as lab_variable_names: a word for each. */
static void write_variable_names(FILE *out, const ir_symbols *all)
{
    size_t bytes = 1, unused;
    int left = count_variables(all);
    char *names = NULL;
    FILE *text = open_memstream(&names, &unused);
    if (!text) return;
    for (int i = 0; i < all->count && left > 0; ++i) {
        const ir_symbol *s = &all->list[i];
        if (!ir_variable_type(s).length) continue;
        const span name = public_name(s);
        fprintf(text, "%.*s\\00", (int)name.length, name.start);
        bytes += name.length + 1;
        --left;
    }
    if (fclose(text) == 0) fprintf(out, "@lab_variable_names = constant [%zu x i8] c\"%s\\00\"\n", bytes, names);
    free(names);
}

static ir_symbol *find_with_prefix(const ir_symbols *all, const char *prefix, const char *kernel)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", prefix, kernel);
    return ir_find_symbol(all, (span){name, strlen(name)});
}

/* The address of lab_split_KERNEL, or null. */
static void write_split(FILE *out, const ir_symbol *split, const char *kernel, bool typed_pointers)
{
    if (!split)
        fprintf(out, "%s null", typed_pointers ? "i8*" : "ptr");
    else if (typed_pointers)
        fprintf(out, "i8* bitcast ({ i8*, i8*, i8*, i64, i8* }* @lab_split_%s to i8*)", kernel);
    else
        fprintf(out, "ptr @lab_split_%s", kernel);
}

static void write_facts(FILE *out, ir_symbols *all, const char *optimised, const char *kernel, bool typed_pointers)
{
    ir_symbol *entry = kernel ? find_with_prefix(all, "lab_entry_", kernel) : NULL;
    ir_symbol *split = kernel ? find_with_prefix(all, "lab_split_", kernel) : NULL;
    ir_forget_reached(all);
    ir_reach(all, entry);
    ir_reach(all, split);
    const ir_symbol *dynamic = ir_find_symbol(all, (span){"lab_dynamic_shared", strlen("lab_dynamic_shared")});

    fprintf(out, "  " FACTS_TYPE " { [%d x i8] c\"", typed_pointers ? "i8*" : "ptr", SUSPENDS_BYTES);
    write_suspends(out, all);
    fputs("\", i64 ", out);
    write_shared_bytes(out, all, typed_pointers);
    fprintf(out, ", i64 %d, i64 %d, ", dynamic && dynamic->reached, entry != NULL);
    write_split(out, split, kernel, typed_pointers);
    fprintf(out, ", [%d x i8] c\"", ACCESS_BYTES);
    write_access(out, optimised, kernel);
    fprintf(out, "\", [%d x i8] c\"", ACCESS_BYTES);
    write_variables(out, all);
    fputs("\" }", out);
}

static bool write_all_facts(FILE *out, const char *ir, const char *optimised, const char *const *kernel, int count)
{
    ir_symbols all = {0};
    const bool found = ir_find_symbols(&all, ir), typed_pointers = ir_has_typed_pointers(ir);
    fprintf(out, "\n@lab_facts = constant [%d x " FACTS_TYPE "] [\n", count, typed_pointers ? "i8*" : "ptr");
    for (int i = 0; i < count && found; ++i) {
        write_facts(out, &all, optimised, kernel[i], typed_pointers);
        fputs(i + 1 < count ? ",\n" : "\n", out);
    }
    fputs("]\n", out);
    write_variable_table(out, &all, typed_pointers);
    write_variable_names(out, &all);
    ir_free_symbols(&all);
    return found;
}

static bool finish(cpu_text *out, const char *ir, const char *optimised, const char *const *kernel, int count)
{
    FILE *file = open_memstream(&out->data, &out->size);
    if (!file) return false;
    bool done = cpu_ir_split_masks(file, ir);
    if (done && count > 0) done = write_all_facts(file, ir, optimised, kernel, count);
    return close_text(file, out) && done;
}

bool cpu_ir_finish(cpu_text *out, const char *ir, const char *const *kernel, int count)
{
    cpu_text compiled = {0};
    FILE *file = open_memstream(&compiled.data, &compiled.size);
    if (!file) return false;
    ir_accesses_leave_out(file, ir);
    bool done = close_text(file, &compiled) && finish(out, compiled.data, ir, kernel, count);
    free(compiled.data);
    return done;
}
