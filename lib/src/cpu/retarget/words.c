/* A line is copied word by word; what stands in quotes is copied as it is. */
#include "module.h"

found_name *retarget_find(const names *all, span name)
{
    for (int i = 0; i < all->count; i++)
        if (span_equal(all->list[i].name, name)) return &all->list[i];
    return NULL;
}

span retarget_name_after(char sigil, span line)
{
    const char *after;
    return ir_next_name(sigil, line.start, span_end(line), &after);
}

bool retarget_begins(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

/* An intrinsic of pointers to all kinds of memory: llvm.memcpy.p3i8.p0i8.i64 becomes llvm.memcpy.p0i8.p0i8.i64. */
static void write_intrinsic(const retarget_pass *p, span name)
{
    fputc('@', p->e.out);
    for (size_t i = 0; i < name.length; i++) {
        fputc(name.start[i], p->e.out);
        if (i == 0 || name.start[i] != 'p' || name.start[i - 1] != '.') continue;
        const size_t digits = strspn(name.start + i + 1, "0123456789");
        if (digits == 0) continue;
        fputc('0', p->e.out);
        i += digits;
    }
}

bool retarget_same_intrinsic(span a, span b)
{
    const char *x = a.start, *y = b.start;
    while (x < span_end(a) && y < span_end(b)) {
        if (*x != *y) return false;
        const bool kind = *x == 'p' && x[-1] == '.';
        ++x, ++y;
        if (kind) x += strspn(x, "0123456789"), y += strspn(y, "0123456789");
    }
    return x == span_end(a) && y == span_end(b);
}

static void write_array(const retarget_pass *p, const found_name *array)
{
    if (p->e.typed_pointers)
        ir_emit(&p->e, "bitcast ([$ x i8]* @lab_dynamic_shared to $*)", as_number(CPU_DYNAMIC_SHARED_BYTES),
                as_text(array->type));
    else
        fputs("@lab_dynamic_shared", p->e.out);
}

/* Writes a name with its sigil, which begins at `at`. Returns the end of it. */
static const char *copy_name(const retarget_pass *p, const char *at, const char *end)
{
    const char *after;
    const span name = ir_next_name('@', at, end, &after);
    const found_name *array = retarget_find(&p->arrays, name), *kernel = retarget_find(&p->kernels, name);
    const found_name *renamed = kernel ? kernel : retarget_find(&p->managed, name);
    if (!name.length || name.start > at + 2) {
        fputc(*at, p->e.out);
        return at + 1;
    }
    if (array)
        write_array(p, array);
    else if (renamed)
        ir_emit(&p->e, "$", as_symbol("", retarget_symbol(renamed)));
    else if (span_starts_with(name, "llvm."))
        write_intrinsic(p, name);
    else
        ir_emit_span(p->e.out, (span){at, (size_t)(after - at)});
    return after;
}

/* Copies a part of a line without the words about kinds of memory. `dropped` is a list of further words, each with the
 * space before it, that ends with NULL. */
void retarget_copy_words(const retarget_pass *p, span text, const char *const *dropped)
{
    const char *end = span_end(text);
    for (const char *at = text.start; at < end;) {
        size_t skipped = 0;
        if (retarget_begins(at, end, " addrspace(")) skipped = strcspn(at, ")") + 1;
        for (int i = 0; dropped[i] && !skipped; i++)
            if (retarget_begins(at, end, dropped[i])) skipped = strlen(dropped[i]);
        if (skipped) {
            at += skipped;
        } else if (*at == '"') {
            const char *close = memchr(at + 1, '"', (size_t)(end - at - 1));
            const char *after = close ? close + 1 : end;
            ir_emit_span(p->e.out, (span){at, (size_t)(after - at)});
            at = after;
        } else if (retarget_begins(at, end, "addrspacecast ")) {
            fputs("bitcast ", p->e.out);
            at += strlen("addrspacecast ");
        } else if (*at == '@') {
            at = copy_name(p, at, end);
        } else {
            fputc(*at++, p->e.out);
        }
    }
}
