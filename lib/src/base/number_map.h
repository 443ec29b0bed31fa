/* A map from numbers other than 0 to pointers. Room is reserved first, so that number_map_put never fails. Not
 * thread-safe. */
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

/* Makes room for `more` numbers; false if memory ran out. */
bool number_map_reserve(number_map *map, size_t more);

/* Adds a number that is not in the map. Needs room that was reserved. */
void number_map_put(number_map *map, uint64_t key, void *value);

/* The value of the number; NULL if it is not in the map. */
static inline void *number_map_get(const number_map *map, uint64_t key);

/* Does nothing if the number is not in the map. */
void number_map_remove(number_map *map, uint64_t key);

/* Frees the map's memory and leaves an empty map. */
void number_map_clear(number_map *map);

/* The slot where the search for the number begins: the high bits of its product with 2^64 divided by the golden ratio.
 * The map has slots. */
static inline size_t number_map_home(const number_map *map, uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - map->bits));
}

/* The slot that holds the number, or else the unused slot where it would go. The map has slots. */
static inline struct number_entry *number_map_find(const number_map *map, uint64_t key)
{
    const size_t mask = ((size_t)1 << map->bits) - 1;
    size_t index = number_map_home(map, key);
    while (map->slot[index].key && map->slot[index].key != key) index = (index + 1) & mask;
    return &map->slot[index];
}

static inline void *number_map_get(const number_map *map, uint64_t key)
{
    return map->slot && key ? number_map_find(map, key)->value : NULL;
}

#endif
