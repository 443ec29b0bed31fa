/* Orders of warps and lanes as lists. */
#include "thread_order.h"

#include "base/shuffle.h"
#include "warp.h"

static void shuffle_list(unsigned char *list, unsigned count, uint64_t seed, uint64_t turn)
{
    const shuffle order = shuffle_by_seed(seed, turn, count);
    for (unsigned i = 0; i < count; i++) list[i] = (unsigned char)shuffle_at(&order, i);
}

static void shuffle_all(thread_order *order)
{
    enum { REGIONS = 1 << 20 }; /* the turns of one block have numbers of their own */
    const uint64_t turn = 2 * (order->block * REGIONS + order->region % REGIONS);
    shuffle_list(order->warp, order->warps, order->seed, turn);
    shuffle_list(order->lane, order->lanes, order->seed, turn + 1);
}

void thread_order_begin(thread_order *order, uint64_t seed, uint64_t block, unsigned threads)
{
    order->seed = seed;
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

static unsigned find_first(const unsigned char *list, unsigned count, uint32_t wanted)
{
    for (unsigned i = 0; i + 1 < count; i++)
        if (wanted >> list[i] & 1) return list[i];
    return list[count - 1];
}

unsigned thread_order_first_warp(const thread_order *order, uint32_t warps)
{
    return find_first(order->warp, order->warps, warps);
}

unsigned thread_order_first_lane(const thread_order *order, uint32_t lanes)
{
    return find_first(order->lane, order->lanes, lanes);
}
