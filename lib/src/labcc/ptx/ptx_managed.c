/* nvcc writes an instruction, and the declaration of a variable, in one line. */
#include "ptx_managed.h"

#include "cpu/ir/text.h"
#include "seam/program/program_image.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char managed[] = ".attribute(.managed) ";

typedef struct names {
    span *list;
    size_t count;
} names;

static bool is_in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

/* The next name or number in the line at or behind *at, which moves behind it. Its length is 0 at the end. */
static span next_name(const char **at, const char *end)
{
    const char *begin = *at;
    while (begin < end && !is_in_name(*begin)) begin++;
    for (*at = begin; *at < end && is_in_name(**at);) ++*at;
    return (span){begin, (size_t)(*at - begin)};
}

/* The name of the managed variable that the line declares; its length is 0 if there is none. The name comes behind the
 * alignment and the type. */
static span declared_name(span line)
{
    const char *at = span_find(line, managed);
    span word = {line.start, 0};
    if (!at) return word;
    for (at += strlen(managed); *at == '.' || isdigit((unsigned char)*at); at += strspn(at, " "))
        at += strcspn(at, " ");
    return next_name(&at, span_end(line));
}

static bool add(names *all, span name)
{
    span *larger = realloc(all->list, (all->count + 1) * sizeof *larger);
    if (!larger) return false;
    all->list = larger;
    all->list[all->count++] = name;
    return true;
}

static bool has(const names *all, span name)
{
    for (size_t i = 0; i < all->count; i++)
        if (span_equal(all->list[i], name)) return true;
    return false;
}

/* A static variable that the host's code does not use has no memory there: it keeps its own. The device finds the
 * address by its name, also that of a static variable. */
static void write_declaration(FILE *out, span line, span name)
{
    const bool is_static = span_starts_with(line, ".global ");
    const char *mark = span_find(line, managed), *rest = mark + strlen(managed);
    const int length = (int)name.length;
    if (is_static) fprintf(out, "%.*s%.*s", (int)(mark - line.start), line.start, (int)(span_end(line) - rest), rest);
    fprintf(out, "%s%.*s.align 8 .u64 %.*s" PROGRAM_PTX_PLACE, is_static ? ".visible " : "", (int)(mark - line.start),
            line.start, length, name.start);
    if (is_static) fprintf(out, " = generic(%.*s)", length, name.start);
    fputs(";\n", out);
}

/* Writes the line with registers in place of managed variables, and what sets these before it. */
static void write_instruction(FILE *out, span line, const names *all)
{
    int count = 0;
    const char *end = span_end(line), *at = line.start;
    for (span name; (name = next_name(&at, end)).length;)
        if (has(all, name))
            fprintf(out, "{ .reg .u64 %%lab_at%d; ld.global.u64 %%lab_at%d, [%.*s" PROGRAM_PTX_PLACE "];\n", count,
                    count, (int)name.length, name.start),
                count++;
    int number = 0;
    const char *copied = at = line.start;
    for (span name; (name = next_name(&at, end)).length;) {
        if (!has(all, name)) continue;
        fprintf(out, "%.*s%%lab_at%d", (int)(name.start - copied), copied, number++);
        copied = at;
    }
    fwrite(copied, 1, (size_t)(end - copied), out);
    while (count-- > 0) fputs("}\n", out);
}

char *labcc_share_ptx_variables(const char *ptx)
{
    names all = {0};
    char *made = NULL;
    size_t bytes = 0;
    bool done = true;
    const char *at = ptx;
    for (span line; done && (line = ir_line(at)).length; at += line.length)
        if (declared_name(line).length) done = add(&all, declared_name(line));
    if (done && !all.count) return strdup(ptx);
    FILE *out = done ? open_memstream(&made, &bytes) : NULL;
    at = ptx;
    for (span line; out && (line = ir_line(at)).length; at += line.length) {
        const span name = declared_name(line);
        if (name.length)
            write_declaration(out, line, name);
        else if (strncmp(line.start + strspn(line.start, " \t"), "//", 2) == 0)
            fwrite(line.start, 1, line.length, out);
        else
            write_instruction(out, line, &all);
    }
    free(all.list);
    if (out && fclose(out) == 0) return made;
    free(made);
    return NULL;
}
