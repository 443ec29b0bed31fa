/*
 * Vector clocks: for each lane (a stream, or a chain of a graph's nodes) the number of its last operation that is known
 * to be done before something else. A clock is shared by who holds it and copied when one of them changes it; NULL is
 * the clock that knows nothing. Knows nothing of what a lane is; one thread at a time.
 */
#ifndef LAB_ORDER_ORDER_CLOCK_H
#define LAB_ORDER_ORDER_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct order_clock {
    uint32_t references;
    uint32_t length; /* lanes from here on are unknown */
    uint64_t time[];
} order_clock;

/* Whether the lane's operation of that number is known to be done. */
static inline bool order_clock_covers(const order_clock *clock, uint32_t lane, uint64_t time)
{
    return clock && lane < clock->length && clock->time[lane] >= time;
}

/* NULL for NULL. */
order_clock *order_clock_retain(order_clock *clock);
void order_clock_release(order_clock *clock);

/* Makes the clock know the lane up to that time. False, and nothing changed, if memory ran out. */
bool order_clock_set(order_clock **clock, uint32_t lane, uint64_t time);

/* Makes a clock know what the other knows, too; *changed becomes true if that was more, and is left alone if not.
 * `changed` may be NULL. */
bool order_clock_join(order_clock **into, const order_clock *from, bool *changed);

#endif
