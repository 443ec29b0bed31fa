/* A map from numbers other than 0 to pointers. Room is asked for beforehand, so that putting in never fails. Knows
 * nothing of what the numbers mean; one thread at a time. */
#ifndef LAB_BASE_NUMBER_MAP_H
#define LAB_BASE_NUMBER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct number_map {
    struct number_entry {
        uint64_t key; /* 0: unused */
        void *value;
    } * slot;
    unsigned bits; /* there are 1 << bits slots, or none */
    size_t count;
} number_map;

/* Makes sure that `more` numbers can be put in; false if memory ran out. */
bool number_map_reserve(number_map *map, size_t more);

/* Puts in a number that is not there yet; room has been reserved. */
void number_map_put(number_map *map, uint64_t key, void *value);

/* NULL if the number is not there. */
static inline void *number_map_get(const number_map *map, uint64_t key);

/* Nothing happens if the number is not there. */
void number_map_remove(number_map *map, uint64_t key);

/* Frees the map's memory and leaves an empty map. */
void number_map_clear(number_map *map);

/* The slot that holds the number, or the unused one where it would go: from where the number belongs, the high bits of its
 * product with 2^64 divided by the golden ratio, onwards. The map has slots. */
static inline size_t number_map_home(const number_map *map, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - map->bits));
}

static inline struct number_entry *number_map_find(const number_map *map, uint64_t key)
{
    const size_t mask = ((size_t)1 << map->bits) - 1;
    size_t at = number_map_home(map, key);
    while (map->slot[at].key && map->slot[at].key != key) at = (at + 1) & mask;
    return &map->slot[at];
}

static inline void *number_map_get(const number_map *map, uint64_t key)
{
    return map->slot && key ? number_map_find(map, key)->value : NULL;
}

#endif
