/* Vector clocks as arrays over the lanes. */
#include "order_clock.h"

#include <stdlib.h>
#include <string.h>

order_clock *order_clock_retain(order_clock *clock)
{
    if (clock) clock->references++;
    return clock;
}

void order_clock_release(order_clock *clock)
{
    if (clock && --clock->references == 0) free(clock);
}

/* Makes *clock unshared, with at least that length. */
static bool make_own(order_clock **clock, uint32_t length)
{
    order_clock *shared = *clock;
    uint32_t known = shared ? shared->length : 0;
    if (shared && shared->references == 1 && known >= length) return true;
    /* Lanes come one by one: room for a few more saves copies. The length is a multiple of 8, so that clocks that join
     * each other in turn do not grow. */
    uint32_t wanted = known >= length ? known : (length + 7) / 8 * 8;
    order_clock *own = malloc(sizeof *own + wanted * sizeof own->time[0]);
    if (!own) return false;
    own->references = 1;
    own->length = wanted;
    if (known) memcpy(own->time, shared->time, known * sizeof own->time[0]);
    memset(own->time + known, 0, (wanted - known) * sizeof own->time[0]);
    order_clock_release(shared);
    *clock = own;
    return true;
}

bool order_clock_set(order_clock **clock, uint32_t lane, uint64_t time)
{
    if (order_clock_covers(*clock, lane, time)) return true;
    if (!make_own(clock, lane + 1)) return false;
    (*clock)->time[lane] = time;
    return true;
}

/* The first lane of which `other` knows more; its length if there is none. */
static uint32_t first_news(const order_clock *clock, const order_clock *other)
{
    uint32_t lane = 0, both = clock ? clock->length : 0;
    if (both > other->length) both = other->length;
    while (lane < both && clock->time[lane] >= other->time[lane]) lane++;
    if (lane < both) return lane;
    while (lane < other->length && other->time[lane] == 0) lane++;
    return lane;
}

bool order_clock_join(order_clock **clock, const order_clock *other, bool *changed)
{
    if (!other || *clock == other) return true;
    uint32_t lane = first_news(*clock, other);
    if (lane == other->length) return true;
    if (!make_own(clock, other->length)) return false;
    for (uint64_t *time = (*clock)->time; lane < other->length; lane++)
        if (time[lane] < other->time[lane]) time[lane] = other->time[lane];
    if (changed) *changed = true;
    return true;
}
