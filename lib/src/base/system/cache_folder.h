/*
 * The folder of the cache: where it is, how large it may be, which entries are removed when it is too large, and who is
 * making one. Looks at names, sizes and ages of files, not at their content.
 */
#ifndef LAB_BASE_SYSTEM_CACHE_FOLDER_H
#define LAB_BASE_SYSTEM_CACHE_FOLDER_H

#include "lab.h"

#include "digest.h"

#include <limits.h>

typedef struct cache_content {
    size_t entries, bytes;
} cache_content;

/* Finds the folder, or makes it. Returns 0, or an errno if no folder can be used: `path` is then the one that the user
 * asked for, or the last one tried. */
int cache_folder_find(char path[PATH_MAX]);

/* The most bytes that it may hold: LAB_CACHE_SIZE, or the default if that is unset or not a size. *understood is false
 * if it is not a size. */
uint64_t cache_folder_limit(bool *understood);

/* Names of entries end in the first. Names of files still being written, or left by a dead process, begin with the
 * second. */
#define CACHE_ENTRY_END ".kernel"
#define CACHE_NEW_BEGIN "new-"

/* Makes a file that this process will write and then rename. Its name is in the cache's folder, begins as those do and
 * ends in XXXXXX, which is replaced. Returns a descriptor, or -1 with errno set. While it is open, the file is locked:
 * so others see that its writer lives. */
int cache_folder_new_file(char *path);

/* The entries alone. */
cache_content cache_folder_content(const char *path);

/* Removes the least recently used entries, but never the one named `newest`, until everything fits the limit, files
 * that are being written included. Returns how many it removed. Also removes what dead processes left half written. */
size_t cache_folder_shrink(const char *path, uint64_t limit, const char *newest);

/* Claims the making of the entry with this digest. Returns what the caller hands to cache_folder_end_claim, or -1 where
 * nothing can be claimed. *waited, where it is not NULL: another had the claim, and has ended it or keeps it for a
 * minute. */
int cache_folder_claim(bool *waited, const char *path, const digest *key);

/* The last one to end removes the file of claims. */
void cache_folder_end_claim(int claim, const char *path);

/* Removes all entries, and what dead processes left. Returns 0, or the errno of one that could not be removed. */
int cache_folder_clear(const char *path);

#endif
