/* The list is a line "@llvm.global.annotations = appending global [2 x {...}] [{...} { i8* bitcast (...* @scale ...".
 * */
#include "kernels.h"

static const char list_name[] = "@llvm.global.annotations";

bool ir_is_annotations(span line) { return span_starts_with(line, list_name); }

span ir_find_annotations(const char *ir)
{
    const size_t skipped = strlen(list_name);
    for (span line; (line = ir_line(ir)).length; ir += line.length)
        if (ir_is_annotations(line)) return (span){line.start + skipped, line.length - skipped};
    return (span){ir, 0};
}

/* C++ functions are named _Z..., and the texts of annotations .str. */
span ir_next_kernel(const char **at, span annotations)
{
    for (;;) {
        const span name = ir_next_name('@', *at, span_end(annotations), at);
        if (!name.length || !(span_starts_with(name, ".") || span_starts_with(name, "_Z"))) return name;
    }
}

bool ir_has_kernel(const char *ir, const char *name)
{
    const span list = ir_find_annotations(ir);
    const char *at = list.start;
    for (span found; (found = ir_next_kernel(&at, list)).length;)
        if (span_is(found, name)) return true;
    return false;
}

span ir_find_other_kernel(const char *ir, const char *const *known, int count)
{
    const span list = ir_find_annotations(ir);
    const char *at = list.start;
    for (span found; (found = ir_next_kernel(&at, list)).length;) {
        bool is_known = false;
        for (int i = 0; i < count && !is_known; ++i) is_known = span_is(found, known[i]);
        if (!is_known) return found;
    }
    return (span){at, 0};
}

const char *ir_find_group(span head)
{
    const char *close = memrchr(head.start, ')', head.length);
    const char *mark = close ? memmem(close, (size_t)(span_end(head) - close), " #", 2) : NULL;
    return mark ? mark + 2 : NULL;
}

bool ir_stays_apart(const char *ir, span head)
{
    static const char begin[] = "attributes #";
    const char *group = ir_find_group(head);
    if (!group) return false;
    const size_t digits = strspn(group, "0123456789"), skipped = sizeof begin - 1;
    for (span line; (line = ir_line(ir)).length; ir += line.length)
        if (span_starts_with(line, begin) && strncmp(ir + skipped, group, digits) == 0 && ir[skipped + digits] == ' ')
            return span_find(line, " noinline ") != NULL;
    return false;
}
