/* The references to memory that nodes remember. order_allocations.c makes it and ends it. */
#include "order_state.h"

#include <stdlib.h>

order_life *order_life_retain(order_life *life)
{
    if (life) life->references++;
    return life;
}

void order_life_release(order_life *life)
{
    if (!life || --life->references > 0) return;
    free(life->freed);
    free(life);
}
