/* Spans are mostly added at the end. */
#include "spans.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(spans *all)
{
    if (all->count < all->capacity) return true;
    const size_t capacity = all->capacity ? 2 * all->capacity : 16;
    span *larger = reallocarray(all->span, capacity, sizeof *larger);
    if (!larger) return false;
    all->span = larger;
    all->capacity = capacity;
    return true;
}

bool spans_add(spans *all, size_t first, size_t end)
{
    size_t at = all->count, after;
    if (!make_room(all)) return false;
    while (at > 0 && all->span[at - 1].end >= first) at--;
    for (after = at; after < all->count && all->span[after].first <= end; after++) {
        if (all->span[after].first < first) first = all->span[after].first;
        if (all->span[after].end > end) end = all->span[after].end;
    }
    memmove(&all->span[at + 1], &all->span[after], (all->count - after) * sizeof *all->span);
    all->span[at] = (span){first, end};
    all->count = all->count + 1 - (after - at);
    return true;
}

bool spans_have(const spans *all, size_t first, size_t end)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->span[i].first <= first && end <= all->span[i].end) return true;
    return false;
}

size_t spans_first_missing(const spans *all, size_t size)
{
    if (all->count == 0 || all->span[0].first > 0) return 0;
    return all->span[0].end < size ? all->span[0].end : size;
}

size_t spans_bytes(const spans *all)
{
    size_t bytes = 0;
    for (size_t i = 0; i < all->count; i++) bytes += all->span[i].end - all->span[i].first;
    return bytes;
}
