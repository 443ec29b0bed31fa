#include "module.h"
#include "cpu/regions/waits.h"

bool split_is_kernel(span name, const char *const *kernel, int count)
{
    for (int i = 0; i < count; ++i)
        if (kernel[i] && span_is(name, kernel[i])) return true;
    return false;
}

bool split_waits(const ir_symbols *all)
{
    for (int i = 0; i < all->count; ++i)
        if (all->list[i].reached && ir_is_wait(all->list[i].name)) return true;
    return false;
}

const char *split_find_group(span head)
{
    const char *close = memrchr(head.start, ')', head.length);
    const char *mark = close ? memmem(close, (size_t)(span_end(head) - close), " #", 2) : NULL;
    return mark ? mark + 2 : NULL;
}
