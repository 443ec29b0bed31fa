#include "cache_entry.h"

#include "cache_folder.h"
#include "write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct header {
    char magic[8];
    uint64_t key_size, size;
    uint64_t checksum; /* of the bytes */
} header;

static const char magic[8] = {'l', 'a', 'b', 'k', 'e', 'r', 'n', '2'};

/* Finds damage, which is all that it is for: whoever writes the file can write the checksum too. Any change of eight
 * bytes is found. */
static uint64_t checksum_of(const void *data, size_t size)
{
    const char *next = data;
    uint64_t sum = size;
    for (size_t left = size; left > 0;) {
        const size_t count = left < sizeof sum ? left : sizeof sum;
        uint64_t word = 0;
        memcpy(&word, next, count);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 32;
        next += count;
        left -= count;
    }
    return sum;
}

/* ---- names ---- */

static bool path_in(char path[PATH_MAX], const char *folder, const char *name)
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

bool cache_entry_path(char path[PATH_MAX], const char *folder, const cache_key *key)
{
    char name[DIGEST_DIGITS + sizeof CACHE_ENTRY_END];
    digest_write(name, &key->digest);
    strcat(name, CACHE_ENTRY_END);
    return path_in(path, folder, name);
}

uint64_t cache_entry_bytes(const cache_key *key, size_t size) { return sizeof(header) + key->size + size; }

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

/* Reads the sizes and the key's text, and compares that. */
static bool read_header(header *head, int descriptor, const cache_key *key)
{
    struct stat file;
    if (fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode)) return false;
    if (!read_all(descriptor, head, sizeof *head) || memcmp(head->magic, magic, sizeof magic) != 0) return false;
    if (head->key_size != key->size || head->size == 0 || head->size > SIZE_MAX - sizeof *head - key->size ||
        (uint64_t)file.st_size != cache_entry_bytes(key, head->size))
        return false;
    char *text = malloc(key->size);
    const bool same = text && read_all(descriptor, text, key->size) && memcmp(text, key->text, key->size) == 0;
    free(text);
    return same;
}

/* NULL if the file is not the key's entry, or is damaged. */
static void *read_entry(size_t *size, int descriptor, const cache_key *key)
{
    header head;
    if (!read_header(&head, descriptor, key)) return NULL;
    void *data = malloc(head.size);
    if (data && read_all(descriptor, data, head.size) && checksum_of(data, head.size) == head.checksum) {
        *size = head.size;
        return data;
    }
    free(data);
    return NULL;
}

void *cache_entry_read(size_t *size, bool *damaged, const char *path, const cache_key *key)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    *damaged = descriptor < 0 && errno == ELOOP;
    if (descriptor < 0) return NULL;
    void *data = read_entry(size, descriptor, key);
    if (data) (void)futimens(descriptor, NULL); /* marks it as used now */
    close(descriptor);
    *damaged = !data;
    return data;
}

/* ---- writing ---- */

int cache_entry_write(const char *folder, const cache_key *key, const void *data, size_t size)
{
    char path[PATH_MAX], temporary[PATH_MAX];
    if (!cache_entry_path(path, folder, key) || !path_in(temporary, folder, CACHE_NEW_BEGIN "XXXXXX"))
        return ENAMETOOLONG;
    const int descriptor = cache_folder_new_file(temporary);
    if (descriptor < 0) return errno;
    header head = {.key_size = key->size, .size = size, .checksum = checksum_of(data, size)};
    memcpy(head.magic, magic, sizeof magic);
    int error = 0;
    if (!write_all(descriptor, &head, sizeof head) || !write_all(descriptor, key->text, key->size) ||
        !write_all(descriptor, data, size) || rename(temporary, path) != 0)
        error = errno;
    if (error) unlink(temporary);
    close(descriptor); /* last: until then the file is locked */
    return error;
}
