/*
 * One file an entry, named by its key: a header with the key, the length and a checksum, then the bytes. A file that
 * does not fit its header is deleted. Nothing is flushed to the disk: what a crash of the machine leaves half written
 * fails the check.
 */
#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
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

static const char magic[8] = "labkern1";

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

/* ---- where ---- */

/* Makes the folder and those above it; 0, or why there is none. */
static int make_folder(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777);
        *slash = '/';
    }
    struct stat there;
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return errno;
    if (stat(path, &there) != 0) return errno;
    return S_ISDIR(there.st_mode) ? 0 : ENOTDIR;
}

/* A name that others can guess, in a folder where others can write: it must be ours alone. */
static int make_private_folder(char *path)
{
    struct stat there;
    const int error = make_folder(path);
    if (error) return error;
    if (lstat(path, &there) != 0) return errno;
    return S_ISDIR(there.st_mode) && there.st_uid == geteuid() && !(there.st_mode & 077) ? 0 : EPERM;
}

static bool set_path(char path[PATH_MAX], const char *folder, const char *rest)
{
    if (!folder || !*folder) return false;
    return snprintf(path, PATH_MAX, "%s%s", folder, rest) < PATH_MAX;
}

/* 0, or why there is no folder to use; `path` is then the one that was asked for, or the last one tried. */
static int find_folder(char path[PATH_MAX])
{
    if (set_path(path, getenv("LAB_CACHE_DIR"), "")) return make_folder(path);
    if (set_path(path, getenv("XDG_CACHE_HOME"), "/lab") && *path == '/' && make_folder(path) == 0) return 0;
    if (set_path(path, getenv("HOME"), "/.cache/lab") && make_folder(path) == 0) return 0;
    char own[32];
    snprintf(own, sizeof own, "/lab-%u", (unsigned)geteuid());
    if (!set_path(path, getenv("TMPDIR"), own) && !set_path(path, P_tmpdir, own)) return ENAMETOOLONG;
    return make_private_folder(path);
}

static bool entry_path(char path[PATH_MAX], const char *folder, cache_key key)
{
    return snprintf(path, PATH_MAX, "%s/%016llx%016llx.kernel", folder, (unsigned long long)key.high,
                    (unsigned long long)key.low) < PATH_MAX;
}

/* ---- reading ---- */

/* Exactly `size` bytes; false if there are fewer. */
static bool read_all(int descriptor, void *into, size_t size)
{
    char *at = into;
    while (size > 0) {
        const ssize_t count = read(descriptor, at, size);
        if (count == 0 || (count < 0 && errno != EINTR)) return false;
        if (count < 0) continue;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

/* The bytes after the header, if both are as they were written. */
static void *read_entry(int descriptor, cache_key key, size_t *size)
{
    header head;
    struct stat file;
    if (fstat(descriptor, &file) != 0 || !read_all(descriptor, &head, sizeof head)) return NULL;
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

bool cache_read(void **data, size_t *size, cache_key key)
{
    char folder[PATH_MAX], path[PATH_MAX];
    if (find_folder(folder) != 0 || !entry_path(path, folder, key)) return false;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    *data = read_entry(descriptor, key, size);
    close(descriptor);
    if (!*data) unlink(path);
    return *data != NULL;
}

/* ---- writing ---- */

/* Appends all of it; false, with errno set, if it does not fit. */
static bool write_all(int descriptor, const void *from, size_t size)
{
    const char *at = from;
    while (size > 0) {
        const ssize_t count = write(descriptor, at, size);
        if (count < 0 && errno != EINTR) return false;
        if (count < 0) continue;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

/* 0, or why the entry could not be written. */
static int write_entry(const char *folder, cache_key key, const void *data, size_t size)
{
    char path[PATH_MAX], temporary[PATH_MAX];
    if (!entry_path(path, folder, key) || !set_path(temporary, folder, "/new-XXXXXX")) return ENAMETOOLONG;
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
    static atomic_flag noted = ATOMIC_FLAG_INIT;
    char folder[PATH_MAX] = "";
    int error = find_folder(folder);
    if (!error) error = write_entry(folder, key, data, size);
    if (error && !atomic_flag_test_and_set(&noted))
        fprintf(stderr, "lab: compiled kernels are not kept, so every run compiles again: %s: %s\n", folder,
                strerror(error));
}
