/* Numbers have 64 bits, as in the generator. */
#include "seeds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEEDS = 10000000 };

static bool add(seed_list *list, seed_entry entry)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        seed_entry *larger = capacity <= MOST_SEEDS ? realloc(list->entry, capacity * sizeof *larger) : NULL;
        if (!larger) {
            fputs("too many seeds\n", stderr);
            return false;
        }
        list->entry = larger;
        list->capacity = capacity;
    }
    list->entry[list->count++] = entry;
    return true;
}

static bool add_file(seed_list *list, const char *path)
{
    char line[1000];
    bool good = true;
    FILE *file = fopen(path, "re");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    while (good && fgets(line, sizeof line, file)) {
        line[strcspn(line, "#\n")] = '\0';
        char *rest;
        for (char *word = strtok_r(line, " \t", &rest); word && good; word = strtok_r(NULL, " \t", &rest))
            good = *word != '@' && seeds_add(list, word);
    }
    fclose(file);
    return good;
}

bool seeds_add(seed_list *list, const char *word)
{
    uint64_t first, last;
    int steps;
    char end;
    if (*word == '@') return add_file(list, word + 1);
    if (sscanf(word, "%" SCNu64 ":%d%c", &first, &steps, &end) == 2 && steps > 0)
        return add(list, (seed_entry){first, steps});
    if (sscanf(word, "%" SCNu64 "..%" SCNu64 "%c", &first, &last, &end) != 2) {
        if (sscanf(word, "%" SCNu64 "%c", &first, &end) != 1) {
            fprintf(stderr, "%s is not a seed: use 7, 0..99, 7:23 or @FILE\n", word);
            return false;
        }
        last = first;
    }
    for (uint64_t seed = first; seed <= last; seed++)
        if (!add(list, (seed_entry){seed, 0})) return false;
    return true;
}
