/*
 * The folder in which the cache keeps its entries: where it is, how large it may be, and which entries go when it is
 * too large. Knows files and their ages; refuses to know what is in them.
 */
#ifndef LAB_BASE_CACHE_FOLDER_H
#define LAB_BASE_CACHE_FOLDER_H

#include "lab.h"

#include <limits.h>

/* What the folder holds. */
typedef struct cache_content {
    size_t entries, bytes;
} cache_content;

/* Finds the folder, and makes it if need be; 0, or why there is none to use: `path` is then the one that was asked for,
 * or the last one tried. */
int cache_folder_find(char path[PATH_MAX]);

/* How many bytes it may hold: LAB_CACHE_SIZE, or the default, which is also taken for what makes no sense as a size;
 * *understood is then false. */
uint64_t cache_folder_limit(bool *understood);

/* The names of entries end in this; what is being written, or was when a process died, begins with the other. */
#define CACHE_ENTRY_END ".kernel"
#define CACHE_NEW_BEGIN "new-"

cache_content cache_folder_content(const char *path);

/* Removes the entries that were used longest ago until those that are left, with the one named `newest`, hold no more
 * than the limit; returns how many. Also removes what dead processes left half written. */
size_t cache_folder_shrink(const char *path, uint64_t limit, const char *newest);

/* Removes all entries; returns 0, or why one could not be. */
int cache_folder_clear(const char *path);

#endif
