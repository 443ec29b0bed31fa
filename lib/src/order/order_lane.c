/* Lanes, and the operations that memory remembers. A lane that was freed is reused once no memory remembers one of
 * its operations. Its numbers continue, so that clocks that knew the old lane say nothing about the new one. */
#include "order_state.h"

#include <stdlib.h>

typedef struct lane {
    uint64_t time; /* the number of its last operation */
    uint32_t held; /* its operations that some memory remembers */
    bool taken;
} lane;

static lane *lanes;
static uint32_t lane_count, lane_capacity, taken_lanes;
static uint32_t *free_lane;
static uint32_t free_lanes;

static bool make_room(void)
{
    if (lane_count < lane_capacity) return true;
    uint32_t capacity = 2 * lane_capacity + 64;
    lane *larger = realloc(lanes, capacity * sizeof *larger);
    if (!larger) return false;
    lanes = larger;
    uint32_t *list = realloc(free_lane, capacity * sizeof *list);
    if (!list) return false;
    free_lane = list;
    lane_capacity = capacity;
    return true;
}

bool order_lane_take(uint32_t *out)
{
    if (free_lanes > 0) {
        *out = free_lane[--free_lanes];
    } else {
        if (!make_room()) return false;
        lanes[lane_count] = (lane){0};
        *out = lane_count++;
    }
    lanes[*out].taken = true;
    taken_lanes++;
    return true;
}

static void recycle(uint32_t unused)
{
    if (!lanes[unused].taken && lanes[unused].held == 0) free_lane[free_lanes++] = unused;
}

void order_lane_give_back(uint32_t unused)
{
    lanes[unused].taken = false;
    taken_lanes--;
    recycle(unused);
}

size_t order_lanes_taken(void) { return taken_lanes; }

order_site order_site_of(const order_node *node, uint64_t number)
{
    return (order_site){.number = number,
                        .stream = node->stream,
                        .thread = node->thread,
                        .record = node->record,
                        .kind = node->kind,
                        .name = node->name,
                        .file = node->file,
                        .line = node->line,
                        .stream_made = node->stream_made,
                        .context = node->context,
                        .null_stream = node->null_stream,
                        .pageable = node->pageable,
                        .host_waits = node->host_waits,
                        .updated = node->updated};
}

order_site *order_site_create(const order_node *node, uint32_t lane_index, uint64_t number)
{
    order_site *made = malloc(sizeof *made);
    if (!made) return NULL;
    *made = order_site_of(node, number);
    made->references = 1;
    made->lane = lane_index;
    made->time = ++lanes[lane_index].time;
    lanes[lane_index].held++;
    return made;
}

order_site *order_site_unseen(const order_site *site)
{
    order_site *made = malloc(sizeof *made);
    if (!made) return NULL;
    *made = *site;
    made->references = 1;
    made->unseen = true;
    lanes[made->lane].held++;
    return made;
}

void order_site_release(order_site *site)
{
    if (--site->references > 0) return;
    lanes[site->lane].held--;
    recycle(site->lane);
    free(site);
}
