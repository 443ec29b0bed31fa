/* A map from numbers other than 0 to pointers. Room is asked for beforehand, so that putting in never fails. Knows
 * nothing of what the numbers mean; one thread at a time. */
#ifndef LAB_SRC_NUMBER_MAP_H
#define LAB_SRC_NUMBER_MAP_H

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
void *number_map_get(const number_map *map, uint64_t key);

/* Nothing happens if the number is not there. */
void number_map_remove(number_map *map, uint64_t key);

/* Frees the map's memory and leaves an empty map. */
void number_map_clear(number_map *map);

#endif
