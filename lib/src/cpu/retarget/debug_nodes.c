/* A program that was compiled with -G has debug information for a debugger: types and variables, as for a GPU. Its
 * nodes become this machine's, and the variables of threadIdx and the others get those names. */
#include "module.h"

#include <stdlib.h>

/* How debug information says that a variable lies in a GPU's constant or shared memory. */
static const char in_memory_of_a_kind[] = "DW_OP_constu, ", kind_ends[] = ", DW_OP_swap, DW_OP_xderef";

/* What holds an index (builtins.cuh), and what programs call it. The objects that programs name have no data. */
static const char *const renamed[][2] = {
    {"name: \"lab_thread\", ", "threadIdx"},      {"name: \"lab_block\", ", "blockIdx"},
    {"name: \"lab_block_extent\", ", "blockDim"}, {"name: \"lab_grid_extent\", ", "gridDim"},
    {"name: \"threadIdx\", ", "lab_threadIdx"},   {"name: \"blockIdx\", ", "lab_blockIdx"},
    {"name: \"blockDim\", ", "lab_blockDim"},     {"name: \"gridDim\", ", "lab_gridDim"},
};

/* A coordinate's type is an enumeration without names, whose values debuggers do not show as numbers. */
void retarget_find_index_type(retarget_pass *p, span line)
{
    const char *base =
        *line.start == '!' && span_find(line, "name: \"lab_index\"") ? span_find(line, "baseType: ") : NULL;
    if (!base) return;
    p->index_type = (span){line.start, strcspn(line.start, " ")};
    p->index_base = (span){base + strlen("baseType: "), strcspn(base + strlen("baseType: "), ",)")};
}

/* gdb trusts clang's lines to tell where a function's parameters are in place, and knows it by its first word, which
 * Debian's and Ubuntu's have behind their own. */
static const char *skip_distribution(const char *at, const char *end)
{
    static const char producer[] = "producer: \"";
    const char *word = at + sizeof producer - 1;
    if (!retarget_begins(at, end, producer)) return NULL;
    const char *clang = memmem(word, strcspn(word, "\""), "clang ", 6);
    return clang && clang > word ? clang : NULL;
}

/* Writes what takes the place of the text at `at`. Returns the end of that text, or NULL if it stays as it is. */
static const char *replace(const retarget_pass *p, const char *at, span line)
{
    static const char type[] = "baseType: ";
    const char *end = span_end(line), *after = at + sizeof type - 1;
    if (retarget_begins(at, end, in_memory_of_a_kind)) {
        after = at + sizeof in_memory_of_a_kind - 1;
        after += strspn(after, "0123456789");
        return retarget_begins(after, end, kind_ends) ? after + sizeof kind_ends - 1 : NULL;
    }
    if (p->index_type.length && retarget_begins(at, end, type) &&
        span_equal((span){after, strcspn(after, ",)")}, p->index_type)) {
        ir_emit(&p->e, "$$", as_text(span_of(type)), as_text(p->index_base));
        return after + p->index_type.length;
    }
    if ((after = skip_distribution(at, end))) {
        fputs("producer: \"", p->e.out);
        return after;
    }
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (retarget_begins(at, end, renamed[i][0]) && span_find(line, "!DIGlobalVariable(")) {
            ir_emit(&p->e, "name: \"$\", ", as_text(span_of(renamed[i][1])));
            after = at + strlen(renamed[i][0]); /* a debugger takes the name from the linker's name, if there is one */
            return retarget_begins(after, end, "linkageName: ") ? after + strcspn(after, ",") + strlen(", ") : after;
        }
    return NULL;
}

void retarget_copy_node(const retarget_pass *p, span line)
{
    const char *copied = line.start, *after;
    for (const char *at = copied; at < span_end(line);) {
        /* What precedes is written before what takes a text's place. */
        const bool may_begin = *at == 'D' || *at == 'b' || *at == 'n' || *at == 'p';
        if (may_begin) ir_emit_span(p->e.out, (span){copied, (size_t)(at - copied)});
        if (may_begin) copied = at;
        after = may_begin ? replace(p, at, line) : NULL;
        at = after ? after : at + 1;
        if (after) copied = after;
    }
    ir_emit_span(p->e.out, (span){copied, (size_t)(span_end(line) - copied)});
}

/* The beginning of the line in which a place of the text is. */
static const char *line_of(const char *at, const char *text)
{
    while (at > text && at[-1] != '\n') at--;
    return at;
}

/* Writes the node of a variable's place, "!5", from that of the variable. */
static void write_place(const retarget_pass *p, span variable, span line)
{
    char *of = NULL, *mark = NULL;
    if (asprintf(&of, "!DIGlobalVariableExpression(var: %.*s,", (int)variable.length, variable.start) < 0) of = NULL;
    const char *found = of ? strstr(p->ir, of) : NULL, *node = found ? line_of(found, p->ir) : NULL;
    if (node && asprintf(&mark, ", !dbg %.*s", (int)strcspn(node, " "), node) < 0) mark = NULL;
    const char *known = mark ? span_find(line, mark) : NULL;
    if (mark && !(known && strchr(",\n", known[strlen(mark)]))) fputs(mark, p->e.out);
    free(mark);
    free(of);
}

void retarget_write_places(const retarget_pass *p, span name, span line)
{
    char *node;
    const char *plain = name.start + strlen("_ZL");
    if (!p->index_type.length || !span_starts_with(name, "_ZL")) return; /* without -G there are no such nodes */
    plain += strspn(plain, "0123456789");
    if (asprintf(&node, "!DIGlobalVariable(name: \"%.*s\",", (int)(span_end(name) - plain), plain) < 0) return;
    for (const char *at = p->ir; (at = strstr(at, node)); at++) {
        const char *variable = line_of(at, p->ir);
        write_place(p, (span){variable, strcspn(variable, " ")}, line);
    }
    free(node);
}
