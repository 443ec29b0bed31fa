/* Line by line. The debug information tells which functions are built-ins: their file's name begins with "<". */
#include "parts.h"

#include "cpu/ir/debug.h"
#include "cpu/ir/emit.h"
#include "cpu/ir/symbols.h"
#include "seam/program/program_image.h"

#include <stdlib.h>

typedef struct part_pass {
    FILE *out;
    debug_info debug;
    ir_symbols all;
    int number;
} part_pass;

static span defined_name(span line)
{
    const char *after;
    return ir_next_name('@', line.start, span_end(line), &after);
}

static bool is_built_in(const part_pass *p, span line)
{
    debug_place place;
    const span name = defined_name(line);
    if (ir_is_own_name(name)) return true;
    if (*line.start == '@') return memmem(line.start, line.length, "section \"lab.thread\"", 20);
    return debug_of_function(&place, &p->debug, line) && span_starts_with(place.file, "<");
}

/* Whether the symbol gets the number of the file. */
static bool is_numbered(const part_pass *p, span name)
{
    const ir_symbol *found = ir_find_symbol(&p->all, name);
    return found && found->reached;
}

static bool is_definition(span line)
{
    return span_starts_with(line, "define ") || (*line.start == '@' && !span_find(line, " external "));
}

/* Marks the definitions that the file has of its own. */
static void find_numbered(const part_pass *p, const char *ir)
{
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        if (!is_definition(line) || is_built_in(p, line)) continue;
        ir_symbol *found = ir_find_symbol(&p->all, defined_name(line));
        char *name = found ? strndup(found->name.start, found->name.length) : NULL;
        if (name && program_name_is_static(name)) found->reached = true;
        free(name);
    }
}

/* Copies with the numbers of the names, and without the word by which objects share a definition. */
static void copy_names(const part_pass *p, const char *at, const char *end)
{
    static const char comdat[] = " comdat";
    const char *shared = span_find((span){at, (size_t)(end - at)}, comdat);
    if (shared) {
        const char *behind = shared + strlen(comdat);
        if (*behind == '(') behind += strcspn(behind, ")") + 1;
        copy_names(p, at, shared[-1] == ',' ? shared - 1 : shared);
        at = behind;
    }
    const char *after;
    for (span name; (name = ir_next_name('@', at, end, &after)).length; at = after) {
        ir_emit_span(p->out, (span){at, (size_t)(after - at)});
        if (is_numbered(p, name)) fprintf(p->out, ".file%d", p->number);
    }
    ir_emit_span(p->out, (span){at, (size_t)(end - at)});
}

/* The built-ins of all files become those of one, and so do templates and inline functions. */
static void copy_shared(const part_pass *p, span line)
{
    static const char *const words[] = {" internal ", " linkonce_odr ", " dso_local "};
    const char *begin = line.start, *linkage = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words && !linkage; i++)
        if ((linkage = span_find(line, words[i]))) begin = linkage + strlen(words[i]) - 1;
    if (linkage) {
        ir_emit_span(p->out, (span){line.start, (size_t)(linkage - line.start)});
        fputs(" weak_odr", p->out);
    }
    copy_names(p, begin, span_end(line));
}

static void copy_part(const part_pass *p, const char *ir)
{
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        if (span_starts_with(line, "target ") || *line.start == '$') continue;
        if (is_definition(line) && (is_built_in(p, line) || span_find(line, " comdat")))
            copy_shared(p, line);
        else
            copy_names(p, line.start, span_end(line));
    }
}

bool cpu_ir_make_part(cpu_text *out, const char *ir, int number)
{
    part_pass p = {.out = open_memstream(&out->data, &out->size), .number = number};
    if (!p.out) return false;
    bool done = debug_read(&p.debug, ir) && ir_find_symbols(&p.all, ir);
    if (done) {
        ir_forget_reached(&p.all);
        find_numbered(&p, ir);
        copy_part(&p, ir);
    }
    debug_free(&p.debug);
    ir_free_symbols(&p.all);
    return ir_emit_end(p.out, out) && done;
}

bool cpu_ir_find_undefined(span *name, const char *ir)
{
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        const bool is_variable = *line.start == '@' && span_find(line, " = external ");
        if (!is_variable && !span_starts_with(line, "declare ")) continue;
        *name = defined_name(line);
        if (is_variable || span_starts_with(*name, "_Z")) return true;
    }
    return false;
}

span cpu_ir_source_name(span name)
{
    char *after = NULL;
    const size_t length = span_starts_with(name, "_Z") ? strtoul(name.start + 2, &after, 10) : 0;
    return length && length <= (size_t)(span_end(name) - after) ? (span){after, length} : name;
}
