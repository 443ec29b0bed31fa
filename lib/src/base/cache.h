/*
 * The cache of compiled kernels on disk: bytes found again by the content of what they were made from. Entries
 * appear whole or not at all, are checked when read, and are thrown away if they are not as they were written. Safe
 * for any number of threads and processes. Refuses to know what the bytes are; lab.h says where it is and how large.
 */
#ifndef LAB_BASE_CACHE_H
#define LAB_BASE_CACHE_H

#include "lab.h"

typedef struct cache_bytes {
    const void *data;
    size_t size;
} cache_bytes;

/* What an entry is found by. */
typedef struct cache_key {
    uint64_t high, low;
} cache_key;

/* The key of everything an entry depends on. Moving bytes from one part to the next gives another key. */
cache_key cache_key_of(const cache_bytes *part, int parts);

/* The entry's bytes, which are the caller's to free; false if there is none, or it was damaged. */
bool cache_read(void **data, size_t *size, cache_key key);

/* Keeps the bytes. If that fails the caller loses nothing but time, and lab_cache_get_info says why. The thread's
 * message is left alone. */
void cache_write(cache_key key, const void *data, size_t size);

#endif
