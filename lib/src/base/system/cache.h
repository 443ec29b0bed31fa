/*
 * The cache of compiled kernels on disk. The key of an entry is the text of everything that it was made from. Entries
 * appear whole or not at all, are checked when read, and are deleted if damaged. Safe for any number of threads and
 * processes. lab.h says where the cache is and how large it may grow.
 *
 * Below the cache may lie another one, LAB_CACHE_BASE, which is only read. The grader uses it: each submission writes
 * a cache of its own, over that of the reference program.
 */
#ifndef LAB_BASE_SYSTEM_CACHE_H
#define LAB_BASE_SYSTEM_CACHE_H

#include "lab.h"

#include "digest.h"

typedef struct cache_bytes {
    const void *data;
    size_t size;
} cache_bytes;

/* Identifies an entry. The file is found by the digest; that it is the right one is decided by the text. */
typedef struct cache_key {
    char *text;
    size_t size;
    digest digest;
} cache_key;

/* Makes the key of an entry that depends on these parts. Moving bytes from one part to the next makes another key. The
 * caller frees it with cache_key_free. False if there is no memory. */
bool cache_key_make(cache_key *out, const cache_bytes *part, int parts);
void cache_key_free(cache_key *key);

/* Reads the entry: *data is the caller's to free. False if there is no entry, or it was damaged. A caller that then
 * makes it gives `claim`, else NULL: while another thread or process makes the entry, this waits for it; and *claim is
 * what the caller hands to cache_give_up once it has written the entry, or failed to. */
bool cache_read(void **data, size_t *size, int *claim, const cache_key *key);
void cache_give_up(int claim);

/* Keeps the bytes. A failure costs only time, and lab_cache_get_info says why. The thread's error message is left
 * alone. */
void cache_write(const cache_key *key, const void *data, size_t size);

/* From now on this process serves an untrusted program: lab_cache_clear fails, and lab_cache_get_info names no path. */
void cache_serve_untrusted(void);

#endif
