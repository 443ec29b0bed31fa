/* Keys, counts, the two layers and the public functions. The file of an entry is in cache_entry.c. */
#include "cache.h"

#include "cache_entry.h"
#include "cache_folder.h"
#include "base/program/host_function.h"
#include "base/status.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The size of each part, then its bytes. */
bool cache_key_make(cache_key *out, const cache_bytes *part, int parts)
{
    size_t size = 0;
    for (int i = 0; i < parts; i++) size += sizeof(uint64_t) + part[i].size;
    *out = (cache_key){.text = malloc(size + 1), .size = size};
    if (!out->text) return false;
    char *end = out->text;
    for (int i = 0; i < parts; i++) {
        const uint64_t bytes = part[i].size;
        end = (char *)memcpy(end, &bytes, sizeof bytes) + sizeof bytes;
        if (bytes) end = (char *)memcpy(end, part[i].data, bytes) + bytes;
    }
    out->digest = digest_of(out->text, size);
    return true;
}

void cache_key_free(cache_key *key)
{
    free(key->text);
    *key = (cache_key){.text = NULL};
}

/* ---- counts of this process ---- */

static struct {
    pthread_mutex_t lock;
    uint64_t hits, misses, replaced, evicted, not_kept;
    char problem[LAB_CACHE_PROBLEM_BYTES];
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void count(uint64_t *counter, uint64_t added)
{
    pthread_mutex_lock(&seen.lock);
    *counter += added;
    pthread_mutex_unlock(&seen.lock);
}

static bool serves_untrusted;

void cache_serve_untrusted(void) { serves_untrusted = true; }

static void write_problem(char text[LAB_CACHE_PROBLEM_BYTES], const char *folder, int error)
{
    snprintf(text, LAB_CACHE_PROBLEM_BYTES, "%.400s: %s", serves_untrusted ? "the cache" : folder, strerror(error));
}

/* Counts an entry that could not be kept. The first reason is remembered. */
static void note_problem(const char *folder, int error)
{
    pthread_mutex_lock(&seen.lock);
    seen.not_kept++;
    if (!*seen.problem) write_problem(seen.problem, folder, error);
    pthread_mutex_unlock(&seen.lock);
}

/* ---- the layers ---- */

static bool is_off(void)
{
    bool understood;
    return cache_folder_limit(&understood) == 0;
}

/* The layer below is not written: what is damaged there stays. */
static void *find_below(size_t *size, const cache_key *key)
{
    bool damaged;
    char path[PATH_MAX];
    const char *folder = getenv("LAB_CACHE_BASE");
    if (!folder || !*folder || !cache_entry_path(path, folder, key)) return NULL;
    return cache_entry_read(size, &damaged, path, key);
}

/* The bytes of the key's entry, or NULL. *damaged: its file was not a valid entry and has been deleted. */
static void *find_entry(size_t *size, bool *damaged, const cache_key *key)
{
    char folder[PATH_MAX], path[PATH_MAX];
    *damaged = false;
    if (is_off()) return NULL;
    void *data = find_below(size, key);
    if (data || cache_folder_find(folder) != 0 || !cache_entry_path(path, folder, key)) return data;
    data = cache_entry_read(size, damaged, path, key);
    if (*damaged) unlink(path);
    return data;
}

/* Looks again: another may have made the entry, also without having been waited for. An untrusted program might never
 * give a claim up. */
static int claim_entry(void **data, size_t *size, const cache_key *key)
{
    char folder[PATH_MAX];
    bool damaged;
    if (is_off() || serves_untrusted || cache_folder_find(folder) != 0) return -1;
    const int claim = cache_folder_claim(NULL, folder, &key->digest);
    if (claim >= 0) *data = find_entry(size, &damaged, key);
    return claim;
}

bool cache_read(void **data, size_t *size, int *claim, const cache_key *key)
{
    bool damaged;
    *data = find_entry(size, &damaged, key);
    if (claim) *claim = *data ? -1 : claim_entry(data, size, key);
    count(*data ? &seen.hits : &seen.misses, 1);
    if (damaged) count(&seen.replaced, 1);
    return *data != NULL;
}

void cache_give_up(int claim)
{
    char folder[PATH_MAX];
    if (claim < 0) return;
    cache_folder_find(folder);
    cache_folder_end_claim(claim, folder);
}

/* Makes room first, so that the folder holds no more than the limit while the entry is written; and again afterwards,
 * since other processes write too. */
void cache_write(const cache_key *key, const void *data, size_t size)
{
    char folder[PATH_MAX], path[PATH_MAX];
    bool understood;
    const uint64_t limit = cache_folder_limit(&understood), bytes = cache_entry_bytes(key, size);
    if (limit == 0) return;
    int error = cache_folder_find(folder);
    if (!error && bytes > limit) error = EFBIG;
    if (!error && !cache_entry_path(path, folder, key)) error = ENAMETOOLONG;
    if (!error) {
        const char *name = strrchr(path, '/') + 1;
        count(&seen.evicted, cache_folder_shrink(folder, limit - bytes, NULL));
        error = cache_entry_write(folder, key, data, size);
        if (!error) count(&seen.evicted, cache_folder_shrink(folder, limit, name));
    }
    if (error) note_problem(folder, error);
}

/* ---- public functions ---- */

lab_status lab_cache_get_info(lab_cache_info *info)
{
    if (!info) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_cache_get_info: info is NULL");
    *info = (lab_cache_info){.entries = 0};
    LAB_TRY(host_function_check());
    char folder[PATH_MAX];
    bool understood;
    info->limit = cache_folder_limit(&understood);
    const int error = cache_folder_find(folder);
    if (!serves_untrusted) snprintf(info->folder, sizeof info->folder, "%s", folder);
    const cache_content content = error ? (cache_content){0, 0} : cache_folder_content(folder);
    info->entries = content.entries;
    info->bytes = content.bytes;
    pthread_mutex_lock(&seen.lock);
    info->hits = seen.hits;
    info->misses = seen.misses;
    info->replaced = seen.replaced;
    info->evicted = seen.evicted;
    info->not_kept = seen.not_kept;
    memcpy(info->problem, seen.problem, sizeof seen.problem);
    pthread_mutex_unlock(&seen.lock);
    if (!*info->problem && error) write_problem(info->problem, folder, error);
    if (!*info->problem && !understood)
        snprintf(info->problem, sizeof info->problem,
                 "LAB_CACHE_SIZE=%.100s is not a size; use bytes, or a unit, as in 64M", getenv("LAB_CACHE_SIZE"));
    return LAB_SUCCESS;
}

lab_status lab_cache_clear(void)
{
    LAB_TRY(host_function_check());
    if (serves_untrusted)
        return lab_fail(LAB_ERROR_NOT_PERMITTED, "lab_cache_clear: this program may not clear the cache, which serves "
                                                 "other programs too");
    char folder[PATH_MAX];
    int error = cache_folder_find(folder);
    if (!error) error = cache_folder_clear(folder);
    if (!error) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_IO, "lab_cache_clear: %.400s: %s", folder, strerror(error));
}
