/* Orders as multiples of a step, so that an order needs no memory. */
#include "shuffle.h"

#include <stdbool.h>

uint64_t shuffle_mix(uint64_t value)
{
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool is_at_an_end(uint64_t number, const shuffle *order)
{
    return shuffle_at(order, 0) == number || shuffle_at(order, order->count - 1) == number;
}

/* The first and the last number are mostly the ones that write for all others or read from them. Inside the order, they
 * have some of the others on the wrong side. Below 5 numbers no order has room for both. */
static bool keeps_ends_inside(const shuffle *order)
{
    return !is_at_an_end(0, order) && (order->count < 5 || !is_at_an_end(order->count - 1, order));
}

shuffle shuffle_make(uint64_t count, uint64_t step_chance, uint64_t first_chance, uint64_t turn)
{
    shuffle order = {.count = count, .step = 1 + step_chance % count};
    while (common_divisor(order.step, count) != 1) order.step++;
    if (count == 2) {
        order.first = (first_chance ^ turn) % 2;
        return order;
    }
    order.first = first_chance % count;
    for (uint64_t tried = 0; tried < count && !keeps_ends_inside(&order); tried++)
        order.first = (order.first + 1) % count;
    return order;
}

shuffle shuffle_by_seed(uint64_t seed, uint64_t turn, uint64_t count)
{
    const uint64_t chance = shuffle_mix(shuffle_mix(seed) + turn);
    return shuffle_make(count, chance, shuffle_mix(count == 2 ? seed : chance), turn);
}
