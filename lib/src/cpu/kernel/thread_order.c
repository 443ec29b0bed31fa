/* Orders of warps and lanes as lists, made from the schedule's seed. */
#include "thread_order.h"

#include "cpu/run/schedule.h"
#include "warp.h"

static void shuffle(unsigned char *list, unsigned count, uint64_t turn)
{
    uint64_t factor, number;
    cpu_schedule_shuffle(&factor, &number, turn, count);
    for (unsigned i = 0; i < count; i++, number = (number + factor) % count) list[i] = (unsigned char)number;
}

static void shuffle_all(thread_order *order)
{
    enum { REGIONS = 1 << 20 }; /* numbers of turns of one block */
    const uint64_t turn = 2 * (order->block * REGIONS + order->region % REGIONS);
    shuffle(order->warp, order->warps, turn);
    shuffle(order->lane, order->lanes, turn + 1);
}

void thread_order_begin(thread_order *order, uint64_t block, unsigned threads)
{
    order->block = block;
    order->region = 0;
    order->warps = (threads + CPU_WARP_LANES - 1) / CPU_WARP_LANES;
    order->lanes = threads < CPU_WARP_LANES ? threads : CPU_WARP_LANES;
    shuffle_all(order);
}

void thread_order_pass_barrier(thread_order *order)
{
    order->region++;
    shuffle_all(order);
}

static unsigned first_of(const unsigned char *list, unsigned count, uint32_t wanted)
{
    for (unsigned i = 0; i + 1 < count; i++)
        if (wanted >> list[i] & 1) return list[i];
    return list[count - 1];
}

unsigned thread_order_first_warp(const thread_order *order, uint32_t warps)
{
    return first_of(order->warp, order->warps, warps);
}

unsigned thread_order_first_lane(const thread_order *order, uint32_t lanes)
{
    return first_of(order->lane, order->lanes, lanes);
}
