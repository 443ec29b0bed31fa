/*
 * The cache of compiled kernels on disk. The key of an entry is a digest of everything that it was made from. Entries
 * appear whole or not at all, are checked when read, and are deleted if damaged. Safe for any number of threads and
 * processes. lab.h says where the cache is and how large it may grow.
 */
#ifndef LAB_BASE_SYSTEM_CACHE_H
#define LAB_BASE_SYSTEM_CACHE_H

#include "lab.h"

typedef struct cache_bytes {
    const void *data;
    size_t size;
} cache_bytes;

/* Identifies an entry. */
typedef struct cache_key {
    uint64_t high, low;
} cache_key;

/* The key of an entry that depends on these parts. Moving bytes from one part to the next gives another key. */
cache_key cache_key_of(const cache_bytes *part, int parts);

/* Reads the entry: *data is the caller's to free. False if there is no entry, or it was damaged. */
bool cache_read(void **data, size_t *size, cache_key key);

/* Keeps the bytes. A failure costs only time, and lab_cache_get_info says why. The thread's error message is left
 * alone. */
void cache_write(cache_key key, const void *data, size_t size);

/* From now on lab_cache_clear fails: this process serves a stranger's program, and the cache serves others too. */
void cache_refuse_to_clear(void);

#endif
