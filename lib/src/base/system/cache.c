/*
 * Each entry is one file, named by its key: a header with the key, the length and a checksum, then the bytes. A file
 * that does not match its header is deleted. Nothing is flushed to the disk: an entry that a crash of the machine left
 * half written fails the check.
 */
#include "cache.h"

#include "cache_folder.h"
#include "write_all.h"
#include "base/program/host_function.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

typedef struct header {
    char magic[8];
    cache_key key;
    uint64_t size;
    cache_key checksum;
} header;

static const char magic[8] = {'l', 'a', 'b', 'k', 'e', 'r', 'n', '1'};

static cache_key digest_of(const void *data, size_t size)
{
    const XXH128_hash_t hash = XXH3_128bits(data, size);
    return (cache_key){hash.high64, hash.low64};
}

static bool same_key(cache_key a, cache_key b) { return a.high == b.high && a.low == b.low; }

/* The digest of the parts' digests and sizes. */
cache_key cache_key_of(const cache_bytes *part, int parts)
{
    cache_key key = {0, 0};
    for (int i = 0; i < parts; i++) {
        const cache_key digest = digest_of(part[i].data, part[i].size);
        const uint64_t link[] = {key.high, key.low, part[i].size, digest.high, digest.low};
        key = digest_of(link, sizeof link);
    }
    return key;
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

/* Counts an entry that could not be kept. The first reason is remembered. */
static void note_problem(const char *where, int error)
{
    pthread_mutex_lock(&seen.lock);
    seen.not_kept++;
    if (!*seen.problem) snprintf(seen.problem, sizeof seen.problem, "%.400s: %s", where, strerror(error));
    pthread_mutex_unlock(&seen.lock);
}

/* ---- names ---- */

enum { NAME_BYTES = 48 };

static void entry_name(char name[NAME_BYTES], cache_key key)
{
    snprintf(name, NAME_BYTES, "%016llx%016llx" CACHE_ENTRY_END, (unsigned long long)key.high,
             (unsigned long long)key.low);
}

static bool path_in(char path[PATH_MAX], const char *folder, const char *name)
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

static bool is_off(void)
{
    bool understood;
    return cache_folder_limit(&understood) == 0;
}

/* ---- reading ---- */

/* Reads exactly `size` bytes; false if there are fewer. */
static bool read_all(int descriptor, void *buffer, size_t size)
{
    char *next = buffer;
    while (size > 0) {
        const ssize_t count = read(descriptor, next, size);
        if (count == 0 || (count < 0 && errno != EINTR)) return false;
        if (count < 0) continue;
        next += count;
        size -= (size_t)count;
    }
    return true;
}

/* The bytes after the header; NULL if they or the header are damaged. */
static void *read_entry(int descriptor, cache_key key, size_t *size)
{
    header head;
    struct stat file;
    if (fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode)) return NULL;
    if (!read_all(descriptor, &head, sizeof head)) return NULL;
    if (memcmp(head.magic, magic, sizeof magic) != 0 || !same_key(head.key, key)) return NULL;
    if (head.size == 0 || (uint64_t)file.st_size != sizeof head + head.size) return NULL;
    void *data = malloc(head.size);
    if (data && read_all(descriptor, data, head.size) && same_key(digest_of(data, head.size), head.checksum)) {
        *size = head.size;
        return data;
    }
    free(data);
    return NULL;
}

/* The bytes of the key's entry, or NULL. *damaged: its file was not a valid entry and has been deleted. Does not follow
 * symbolic links, nor block on a pipe. */
static void *find_entry(size_t *size, bool *damaged, cache_key key)
{
    char folder[PATH_MAX], path[PATH_MAX], name[NAME_BYTES];
    *damaged = false;
    entry_name(name, key);
    if (is_off() || cache_folder_find(folder) != 0 || !path_in(path, folder, name)) return NULL;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0 && errno != ELOOP) return NULL;
    void *data = descriptor < 0 ? NULL : read_entry(descriptor, key, size);
    if (data) (void)futimens(descriptor, NULL); /* marks it as used now */
    if (descriptor >= 0) close(descriptor);
    *damaged = !data;
    if (*damaged) unlink(path);
    return data;
}

bool cache_read(void **data, size_t *size, cache_key key)
{
    bool damaged;
    *data = find_entry(size, &damaged, key);
    count(*data ? &seen.hits : &seen.misses, 1);
    if (damaged) count(&seen.replaced, 1);
    return *data != NULL;
}

/* ---- writing ---- */

/* 0, or the errno that says why the entry could not be written. */
static int write_entry(const char *folder, const char *name, cache_key key, const void *data, size_t size)
{
    char path[PATH_MAX], temporary[PATH_MAX];
    if (!path_in(path, folder, name) || !path_in(temporary, folder, CACHE_NEW_BEGIN "XXXXXX")) return ENAMETOOLONG;
    const int descriptor = mkostemp(temporary, O_CLOEXEC);
    if (descriptor < 0) return errno;
    header head = {.key = key, .size = size, .checksum = digest_of(data, size)};
    memcpy(head.magic, magic, sizeof magic);
    int error = 0;
    if (!write_all(descriptor, &head, sizeof head) || !write_all(descriptor, data, size)) error = errno;
    if (close(descriptor) != 0 && !error) error = errno;
    if (!error && rename(temporary, path) != 0) error = errno;
    if (error) unlink(temporary);
    return error;
}

void cache_write(cache_key key, const void *data, size_t size)
{
    char folder[PATH_MAX], name[NAME_BYTES];
    bool understood;
    const uint64_t limit = cache_folder_limit(&understood);
    if (limit == 0) return;
    entry_name(name, key);
    int error = cache_folder_find(folder);
    if (!error && sizeof(header) + size > limit) error = EFBIG;
    if (!error) error = write_entry(folder, name, key, data, size);
    if (error)
        note_problem(folder, error);
    else
        count(&seen.evicted, cache_folder_shrink(folder, limit, name));
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
    snprintf(info->folder, sizeof info->folder, "%s", folder);
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
    if (!*info->problem && error) snprintf(info->problem, sizeof info->problem, "%.400s: %s", folder, strerror(error));
    if (!*info->problem && !understood)
        snprintf(info->problem, sizeof info->problem,
                 "LAB_CACHE_SIZE=%.100s is not a size; use bytes, or a unit, as in 64M", getenv("LAB_CACHE_SIZE"));
    return LAB_SUCCESS;
}

static bool refuses_to_clear;

void cache_refuse_to_clear(void) { refuses_to_clear = true; }

lab_status lab_cache_clear(void)
{
    LAB_TRY(host_function_check());
    if (refuses_to_clear)
        return lab_fail(LAB_ERROR_NOT_PERMITTED, "lab_cache_clear: this program may not clear the cache, which serves "
                                                 "other programs too");
    char folder[PATH_MAX];
    int error = cache_folder_find(folder);
    if (!error) error = cache_folder_clear(folder);
    if (!error) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_IO, "lab_cache_clear: %.400s: %s", folder, strerror(error));
}
