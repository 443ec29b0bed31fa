/*
 * Vector clocks: for each lane (a stream, or a chain of a graph's nodes) the number of its last operation that is known
 * to be done. Holders share a clock; it is copied when one of them changes it. NULL is the clock that knows nothing.
 * Not thread-safe.
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

/* Makes the clock know the lane up to that time. False, with the clock unchanged, if memory ran out. */
bool order_clock_set(order_clock **clock, uint32_t lane, uint64_t time);

/* Adds what `other` knows to the clock. False if memory ran out. *changed becomes true if the clock has changed, and
 * else keeps its value; `changed` may be NULL. */
bool order_clock_join(order_clock **clock, const order_clock *other, bool *changed);

#endif
