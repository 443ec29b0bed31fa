/* The variables of a module are a list: they are few. The pointers of a function are a hash table by name. */
#include "origins.h"

#include <stdint.h>
#include <stdlib.h>

/* ---- variables of the module ---- */

static bool add_global(origins *o, variable added)
{
    if (o->globals == o->global_capacity) {
        const size_t capacity = o->global_capacity ? 2 * o->global_capacity : 64;
        variable *larger = realloc(o->global, capacity * sizeof *larger);
        if (!larger) return false;
        o->global = larger;
        o->global_capacity = capacity;
    }
    o->global[o->globals++] = added;
    return true;
}

/* Reads "@name = internal thread_local global [256 x float] undef, align 16", or the same with `constant`. */
static bool read_global(variable *found, span line)
{
    const char *after, *end = span_end(line);
    *found = (variable){.name = ir_next_name('@', line.start, end, &after)};
    if (!found->name.length || strncmp(after, " = ", 3) != 0) after += *after == '"';
    const char *kind = span_find(line, " global "), *constant = span_find(line, " constant ");
    if (!found->name.length || (!kind && !constant)) return false;
    kind = !kind || (constant && constant < kind) ? constant + strlen(" constant ") : kind + strlen(" global ");
    found->type = ir_item(kind, " ,");
    const char *local = span_find(line, " thread_local");
    found->space = local && local < kind ? CPU_SPACE_SHARED : CPU_SPACE_GLOBAL;
    found->own = ir_is_own_name(found->name);
    return found->type.length > 0;
}

bool origins_read(origins *o, const char *ir)
{
    variable found;
    *o = (origins){0};
    for (span line; (line = ir_line(ir)).length; ir += line.length) {
        if (*line.start != '@' || span_starts_with(line, "@llvm.") || span_find(line, "\"llvm.metadata\"")) continue;
        if (read_global(&found, line) && !add_global(o, found)) return false;
    }
    return true;
}

static const variable *find_global(const origins *o, span name)
{
    for (size_t i = 0; i < o->globals; i++)
        if (span_equal(o->global[i].name, name)) return &o->global[i];
    return NULL;
}

/* ---- pointers of the current function ---- */

static size_t slot_of(const origins *o, span name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < name.length; i++) hash = (hash ^ (unsigned char)name.start[i]) * UINT64_C(1099511628211);
    size_t at = (size_t)(hash >> 20) & (o->slots - 1);
    while (o->pointer[at].name.length && !span_equal(o->pointer[at].name, name)) at = (at + 1) & (o->slots - 1);
    return at;
}

bool origins_add(origins *o, pointer added)
{
    if (2 * (o->pointers + 1) > o->slots) {
        origins larger = *o;
        larger.slots = o->slots ? 2 * o->slots : 1024;
        larger.pointer = calloc(larger.slots, sizeof *larger.pointer);
        if (!larger.pointer) return false;
        for (size_t i = 0; i < o->slots; i++)
            if (o->pointer[i].name.length) larger.pointer[slot_of(&larger, o->pointer[i].name)] = o->pointer[i];
        free(o->pointer);
        o->pointer = larger.pointer;
        o->slots = larger.slots;
    }
    o->pointer[slot_of(o, added.name)] = added;
    o->pointers++;
    return true;
}

void origins_forget_pointers(origins *o)
{
    if (o->slots) memset(o->pointer, 0, o->slots * sizeof *o->pointer);
    o->pointers = 0;
}

pointer origins_find(const origins *o, span value)
{
    const pointer unknown = {.base.space = CPU_SPACE_UNKNOWN};
    const char *after, *end = span_end(value);
    if (*value.start == '%') {
        const span name = {value.start + 1, value.length - 1};
        return o->slots ? o->pointer[slot_of(o, name)] : unknown;
    }
    const span name = ir_next_name('@', value.start, end, &after);
    const variable *found = name.length ? find_global(o, name) : NULL;
    if (!found) return unknown;
    return (pointer){.base = *found, .inside = *value.start == '@'};
}

void origins_free(origins *o)
{
    free(o->global);
    free(o->pointer);
}
