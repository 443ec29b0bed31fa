/* Only the lines of definitions and declarations begin a symbol. */
#include "symbols.h"

#include <stdlib.h>

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

static int compare_symbols(const void *a, const void *b)
{
    return span_compare(((const ir_symbol *)a)->name, ((const ir_symbol *)b)->name);
}

ir_symbol *ir_find_symbol(const ir_symbols *all, span name)
{
    const ir_symbol wanted = {.name = name};
    return all->count ? bsearch(&wanted, all->list, (size_t)all->count, sizeof wanted, compare_symbols) : NULL;
}

ir_symbol *ir_find_prefixed(const ir_symbols *all, const char *prefix, span name)
{
    for (int i = 0; i < all->count; ++i)
        if (span_is_joined(all->list[i].name, prefix, name)) return &all->list[i];
    return NULL;
}

static bool add_edge(ir_symbols *all, int target)
{
    if (all->edges == all->edge_capacity) {
        const int capacity = all->edge_capacity ? 2 * all->edge_capacity : 256;
        int *grown = realloc(all->edge, (size_t)capacity * sizeof *grown);
        if (!grown) return false;
        all->edge = grown;
        all->edge_capacity = capacity;
    }
    all->edge[all->edges++] = target;
    return true;
}

static bool find_edges(ir_symbols *all, ir_symbol *symbol)
{
    const char *at = symbol->text.start, *end = span_end(symbol->text);
    symbol->edge = all->edges;
    for (span name; (name = ir_next_name('@', at, end, &at)).length;) {
        const ir_symbol *found = ir_find_symbol(all, name);
        if (found && !add_edge(all, (int)(found - all->list))) return false;
    }
    symbol->edges = all->edges - symbol->edge;
    return true;
}

/* A variable is a line "@name = ...". A function goes from "define" to a line "}". */
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
void ir_reach(const ir_symbols *all, ir_symbol *symbol)
{
    if (!symbol || symbol->reached) return;
    symbol->reached = true;
    for (int i = 0; i < symbol->edges; ++i) ir_reach(all, &all->list[all->edge[symbol->edge + i]]);
}

void ir_forget_reached(ir_symbols *all)
{
    for (int i = 0; i < all->count; ++i) all->list[i].reached = false;
}

const ir_symbol *ir_reached_wait(const ir_symbols *all)
{
    for (int i = 0; i < all->count; ++i)
        if (all->list[i].reached && ir_is_wait(all->list[i].name)) return &all->list[i];
    return NULL;
}
