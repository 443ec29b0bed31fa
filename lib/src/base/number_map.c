/* Open addressing with linear probing. At most half of the slots are used. A removal moves later entries up, so there
 * are no tombstones. */
#include "number_map.h"

#include <stdlib.h>

enum { FIRST_BITS = 6 };

static size_t slots(const number_map *map) { return map->slot ? (size_t)1 << map->bits : 0; }

bool number_map_reserve(number_map *map, size_t more)
{
    if (2 * (map->count + more) <= slots(map)) return true;
    number_map larger = {.bits = map->slot ? map->bits : FIRST_BITS};
    while (2 * (map->count + more) > (size_t)1 << larger.bits) larger.bits++;
    larger.slot = calloc((size_t)1 << larger.bits, sizeof *larger.slot);
    if (!larger.slot) return false;
    for (size_t i = 0; i < slots(map); i++)
        if (map->slot[i].key) number_map_put(&larger, map->slot[i].key, map->slot[i].value);
    number_map_clear(map);
    *map = larger;
    return true;
}

void number_map_put(number_map *map, uint64_t key, void *value)
{
    *number_map_find(map, key) = (struct number_entry){key, value};
    map->count++;
}

void number_map_remove(number_map *map, uint64_t key)
{
    if (!map->slot || !key) return;
    size_t mask = slots(map) - 1, hole = (size_t)(number_map_find(map, key) - map->slot);
    if (!map->slot[hole].key) return;
    for (size_t index = (hole + 1) & mask; map->slot[index].key; index = (index + 1) & mask) {
        size_t distance = (index - number_map_home(map, map->slot[index].key)) & mask;
        if (distance < ((index - hole) & mask)) continue; /* this entry may not move in front of its home */
        map->slot[hole] = map->slot[index];
        hole = index;
    }
    map->slot[hole] = (struct number_entry){0};
    map->count--;
}

void number_map_clear(number_map *map)
{
    free(map->slot);
    *map = (number_map){0};
}
