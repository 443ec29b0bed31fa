/* Lists of seeds, as on the command line: 7, 0..99, 7:23 for at most 23 steps of that program, or @FILE with such
 * words, and comments from # to the end of a line. */
#ifndef LAB_TESTS_DIFFERENCES_SEEDS_H
#define LAB_TESTS_DIFFERENCES_SEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct seed_entry {
    uint64_t seed;
    int steps; /* 0: all */
} seed_entry;

typedef struct seed_list {
    seed_entry *entry;
    size_t count, capacity;
} seed_list;

/* Adds the word's seeds. False, with the reason on stderr, if the word is not valid. */
bool seeds_add(seed_list *list, const char *word);

#endif
