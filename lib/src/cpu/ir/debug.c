/* A node is a line "!12 = !DILocation(line: 3, scope: !8)", and is found by its number. */
#include "debug.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct debug_node {
    span text; /* the line; length 0 if there is no such node */
};

enum { MOST_STEPS = 1000 }; /* along scopes and inlined calls: a damaged text may have a cycle */

static bool is_node(span line)
{
    return line.length > 1 && *line.start == '!' && line.start[1] >= '0' && line.start[1] <= '9';
}

bool debug_read(debug_info *info, const char *ir)
{
    *info = (debug_info){0};
    const char *at = ir;
    for (span line; (line = ir_line(at)).length; at += line.length) {
        if (!is_node(line)) continue;
        const size_t number = strtoul(line.start + 1, NULL, 10);
        if (number >= info->nodes) {
            const size_t nodes = 2 * number + 256;
            if (nodes > SIZE_MAX / sizeof *info->node) return false;
            debug_node *larger = realloc(info->node, nodes * sizeof *larger);
            if (!larger) return false;
            memset(larger + info->nodes, 0, (nodes - info->nodes) * sizeof *larger);
            info->node = larger;
            info->nodes = nodes;
        }
        info->node[number].text = line;
    }
    return true;
}

void debug_free(debug_info *info) { free(info->node); }

/* The text of the node; length 0 if it is not of this kind, "!DILocation(". */
static span get(const debug_info *info, size_t number, const char *kind)
{
    const span none = {"", 0};
    if (number >= info->nodes || !info->node[number].text.length) return none;
    return span_find(info->node[number].text, kind) ? info->node[number].text : none;
}

/* The text after "name: " in a node; NULL if it has no such field. */
static const char *field(span node, const char *name)
{
    const char *end = node.start + node.length;
    const size_t length = strlen(name);
    for (const char *at = node.start; (at = span_find((span){at, (size_t)(end - at)}, name)); at += length)
        if ((at[-1] == '(' || at[-1] == ' ') && strncmp(at + length, ": ", 2) == 0) return at + length + 2;
    return NULL;
}

/* The number of the node that a field refers to; SIZE_MAX if none. */
static size_t reference(span node, const char *name)
{
    const char *value = field(node, name);
    return value && *value == '!' ? strtoul(value + 1, NULL, 10) : SIZE_MAX;
}

static span text(span node, const char *name)
{
    const char *value = field(node, name);
    if (!value || *value != '"') return (span){"", 0};
    return (span){value + 1, strcspn(value + 1, "\"\n")};
}

/* The file of the innermost scope that names one, and the function around it. */
static void find_scope(debug_place *place, const debug_info *info, size_t scope)
{
    place->file = place->function = (span){"", 0};
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        const span function = get(info, scope, "!DISubprogram("), block = get(info, scope, "!DILexicalBlock");
        const span node = function.length ? function : block;
        if (!node.length) return;
        if (!place->file.length) place->file = text(get(info, reference(node, "file"), "!DIFile("), "filename");
        if (function.length) {
            place->function = text(function, "name");
            return;
        }
        scope = reference(node, "scope");
    }
}

bool debug_find(debug_place *place, const debug_info *info, span line)
{
    const char *mark = span_find(line, ", !dbg !");
    size_t at = mark ? strtoul(mark + strlen(", !dbg !"), NULL, 10) : SIZE_MAX;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        const span location = get(info, at, "!DILocation(");
        if (!location.length) return false;
        const char *number = field(location, "line");
        find_scope(place, info, reference(location, "scope"));
        place->line = number ? (unsigned)strtoul(number, NULL, 10) : 0;
        if (place->file.length && *place->file.start != '<') return true;
        at = reference(location, "inlinedAt");
    }
    return false;
}

bool debug_of_function(debug_place *place, const debug_info *info, span head)
{
    const char *mark = span_find(head, " !dbg !");
    const size_t at = mark ? strtoul(mark + strlen(" !dbg !"), NULL, 10) : SIZE_MAX;
    const span function = get(info, at, "!DISubprogram("), none = {"", 0};
    const char *number = function.length ? field(function, "line") : NULL;
    if (!function.length) return false;
    *place = (debug_place){none, none, number ? (unsigned)strtoul(number, NULL, 10) : 0};
    find_scope(place, info, at);
    return true;
}
