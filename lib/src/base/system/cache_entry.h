/*
 * The file of one cache entry: a header with the sizes and a checksum, the key's text, the bytes. Nothing is flushed to
 * the disk: an entry that a crash of the machine left half written fails the check.
 */
#ifndef LAB_BASE_SYSTEM_CACHE_ENTRY_H
#define LAB_BASE_SYSTEM_CACHE_ENTRY_H

#include "cache.h"

#include <limits.h>

/* Finds the file's path. False if it is too long. */
bool cache_entry_path(char path[PATH_MAX], const char *folder, const cache_key *key);

/* The bytes of the key's entry, which the caller frees. NULL without one: *damaged says that something else has its
 * name. Does not follow symbolic links, nor block on a pipe. */
void *cache_entry_read(size_t *size, bool *damaged, const char *path, const cache_key *key);

/* How large the entry's file is. */
uint64_t cache_entry_bytes(const cache_key *key, size_t size);

/* Returns 0, or the errno that says why the entry could not be written. */
int cache_entry_write(const char *folder, const cache_key *key, const void *data, size_t size);

#endif
