/* Symbols by reading lines: only definitions and declarations begin one. */
#include "ir_symbols.h"

#include <stdlib.h>
#include <string.h>

static bool starts_with(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static bool add_symbol(ir_symbols *all, span name, span text)
{
    if (all->count == all->capacity) {
        const int capacity = all->capacity ? 2 * all->capacity : 64;
        ir_symbol *grown = realloc(all->list, (size_t)capacity * sizeof *grown);
        if (!grown) return false;
        all->list = grown;
        all->capacity = capacity;
    }
    all->list[all->count++] = (ir_symbol){.name = name, .text = text};
    return true;
}

static int compare_names(span a, span b)
{
    if (a.length != b.length) return a.length < b.length ? -1 : 1;
    return memcmp(a.start, b.start, a.length);
}

static int compare_symbols(const void *a, const void *b)
{
    return compare_names(((const ir_symbol *)a)->name, ((const ir_symbol *)b)->name);
}

ir_symbol *ir_find_symbol(const ir_symbols *all, span name)
{
    const ir_symbol wanted = {.name = name};
    return all->count ? bsearch(&wanted, all->list, (size_t)all->count, sizeof wanted, compare_symbols) : NULL;
}

static bool add_edge(ir_symbols *all, int to)
{
    if (all->edges == all->edge_capacity) {
        const int capacity = all->edge_capacity ? 2 * all->edge_capacity : 256;
        int *grown = realloc(all->edge, (size_t)capacity * sizeof *grown);
        if (!grown) return false;
        all->edge = grown;
        all->edge_capacity = capacity;
    }
    all->edge[all->edges++] = to;
    return true;
}

static bool find_edges(ir_symbols *all, ir_symbol *of)
{
    const char *at = of->text.start, *end = at + of->text.length;
    of->edge = all->edges;
    for (span name; (name = ir_next_name('@', at, end, &at)).length;) {
        const ir_symbol *found = ir_find_symbol(all, name);
        if (found && !add_edge(all, (int)(found - all->list))) return false;
    }
    of->edges = all->edges - of->edge;
    return true;
}

/* A variable is a line "@name = ..."; a function goes from "define" to a line "}". */
bool ir_find_symbols(ir_symbols *all, const char *ir)
{
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        const bool is_function = starts_with(ir, "define "), is_declared = starts_with(ir, "declare ");
        if (!is_function && !is_declared && *ir != '@') continue;
        const char *end = is_function ? strstr(ir, "\n}") : NULL, *after;
        if (end) line.length = (size_t)(end + 2 - ir);
        const span name = ir_next_name('@', ir, ir + line.length, &after);
        const span text = {after, (size_t)(ir + line.length - after)};
        if (name.length && !add_symbol(all, name, text)) return false;
    }
    if (all->count) qsort(all->list, (size_t)all->count, sizeof *all->list, compare_symbols);
    for (int i = 0; i < all->count; ++i)
        if (!find_edges(all, &all->list[i])) return false;
    return true;
}

void ir_free_symbols(ir_symbols *all)
{
    free(all->list);
    free(all->edge);
}

/* Each symbol is entered once, so the depth is bounded by their number. */
void ir_reach(const ir_symbols *all, ir_symbol *from)
{
    if (!from || from->reached) return;
    from->reached = true;
    for (int i = 0; i < from->edges; ++i) ir_reach(all, &all->list[all->edge[from->edge + i]]);
}

void ir_forget_reached(ir_symbols *all)
{
    for (int i = 0; i < all->count; ++i) all->list[i].reached = false;
}
