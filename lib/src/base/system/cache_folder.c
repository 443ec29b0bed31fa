/* Entries are files. Reading one sets its time, and the oldest are removed first. A process that reads an entry while
 * another removes it has the file open, and so reads all of it. */
#include "cache_folder.h"

#include "base/monotonic.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ABANDONED_SECONDS = 3600 };

static const uint64_t usual_limit = UINT64_C(256) << 20;

/* ---- location ---- */

/* Makes the folder and those above it. Returns 0, or the errno of the failure. */
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

/* The name can be guessed, and others can write to the folder above: the folder must belong to this user alone. */
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

int cache_folder_find(char path[PATH_MAX])
{
    *path = '\0';
    if (set_path(path, getenv("LAB_CACHE_DIR"), "")) return make_folder(path);
    if (set_path(path, getenv("XDG_CACHE_HOME"), "/lab") && *path == '/' && make_folder(path) == 0) return 0;
    if (set_path(path, getenv("HOME"), "/.cache/lab") && make_folder(path) == 0) return 0;
    char own[32];
    snprintf(own, sizeof own, "/lab-%u", (unsigned)geteuid());
    if (!set_path(path, getenv("TMPDIR"), own) && !set_path(path, P_tmpdir, own)) return ENAMETOOLONG;
    return make_private_folder(path);
}

/* ---- size limit ---- */

uint64_t cache_folder_limit(bool *understood)
{
    static const char units[] = "KMG";
    const char *text = getenv("LAB_CACHE_SIZE"), *unit;
    *understood = true;
    if (!text || !*text) return usual_limit;
    char *end;
    errno = 0;
    uint64_t number = strtoull(text, &end, 10);
    *understood = isdigit((unsigned char)*text) && errno == 0;
    if (*end && (unit = strchr(units, *end))) {
        const int shift = 10 * (int)(unit - units + 1);
        if (number > UINT64_MAX >> shift) *understood = false;
        number <<= shift;
        end++;
    }
    if (*end) *understood = false;
    return *understood ? number : usual_limit;
}

/* ---- content ---- */

typedef struct entry {
    char name[80];
    uint64_t bytes;
    struct timespec used;
} entry;

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length > tail && strcmp(name + length - tail, end) == 0;
}

static bool is_entry(const char *name)
{
    return ends_in(name, CACHE_ENTRY_END) && strlen(name) < sizeof((entry *)0)->name;
}

static bool is_new(const char *name) { return strncmp(name, CACHE_NEW_BEGIN, strlen(CACHE_NEW_BEGIN)) == 0; }

cache_content cache_folder_content(const char *path)
{
    cache_content content = {0, 0};
    DIR *list = opendir(path);
    if (!list) return content;
    for (struct dirent *each; (each = readdir(list));) {
        struct stat file;
        if (!is_entry(each->d_name) || fstatat(dirfd(list), each->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0) continue;
        content.entries++;
        content.bytes += (size_t)file.st_size;
    }
    closedir(list);
    return content;
}

/* Appends an entry to the list; false if memory ran out. */
static bool add(entry **all, size_t *count, size_t *room, const char *name, const struct stat *file)
{
    if (*count == *room) {
        const size_t more = *room ? 2 * *room : 64;
        entry *grown = realloc(*all, more * sizeof *grown);
        if (!grown) return false;
        *all = grown;
        *room = more;
    }
    entry *added = &(*all)[(*count)++];
    memcpy(added->name, name, strlen(name) + 1); /* is_entry checked that it fits */
    added->bytes = (uint64_t)file->st_size;
    added->used = file->st_mtim;
    return true;
}

/* ---- files that are being written ---- */

/* Another process may take the new file for one of a dead writer before it is locked: then it is gone, and the next one
 * is tried. */
int cache_folder_new_file(char *path)
{
    char *const end = path + strlen(path) - strlen("XXXXXX");
    struct stat file;
    for (;;) {
        memcpy(end, "XXXXXX", strlen("XXXXXX"));
        const int descriptor = mkostemp(path, O_CLOEXEC);
        if (descriptor < 0) return -1;
        while (flock(descriptor, LOCK_EX) != 0 && errno == EINTR) continue;
        (void)fchmod(descriptor, 0644); /* who may pass the folder may read the entry */
        if (fstat(descriptor, &file) != 0 || file.st_nlink > 0) return descriptor;
        close(descriptor);
    }
}

/* Removes a new file whose writer has died. Where nothing can be locked, those of an hour ago are taken for dead. */
static bool remove_abandoned(int folder, const char *name, const struct stat *file)
{
    const int descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return false;
    const bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    const bool lives = !locked && errno == EWOULDBLOCK;
    const bool abandoned = locked || (!lives && time(NULL) - file->st_mtim.tv_sec > ABANDONED_SECONDS);
    if (abandoned) unlinkat(folder, name, 0); /* before the lock ends with the descriptor */
    close(descriptor);
    return abandoned;
}

/* Lists all entries, and sums their bytes and those of files that are being written. */
static size_t list_entries(entry **all, uint64_t *bytes, DIR *list)
{
    size_t count = 0, room = 0;
    *all = NULL;
    *bytes = 0;
    for (struct dirent *each; (each = readdir(list));) {
        struct stat file;
        if (!is_entry(each->d_name) && !is_new(each->d_name)) continue;
        if (fstatat(dirfd(list), each->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (is_new(each->d_name) && remove_abandoned(dirfd(list), each->d_name, &file)) continue;
        if (!is_new(each->d_name) && !add(all, &count, &room, each->d_name, &file)) break;
        *bytes += (uint64_t)file.st_size;
    }
    return count;
}

static int compare_ages(const void *one, const void *other)
{
    const struct timespec a = ((const entry *)one)->used, b = ((const entry *)other)->used;
    if (a.tv_sec != b.tv_sec) return a.tv_sec < b.tv_sec ? -1 : 1;
    return (a.tv_nsec > b.tv_nsec) - (a.tv_nsec < b.tv_nsec);
}

size_t cache_folder_shrink(const char *path, uint64_t limit, const char *newest)
{
    DIR *list = opendir(path);
    if (!list) return 0;
    entry *all;
    uint64_t bytes;
    size_t removed = 0;
    const size_t count = list_entries(&all, &bytes, list);
    if (bytes > limit) qsort(all, count, sizeof *all, compare_ages);
    for (size_t i = 0; i < count && bytes > limit; i++) {
        if (newest && strcmp(all[i].name, newest) == 0) continue;
        bytes -= all[i].bytes;
        removed += unlinkat(dirfd(list), all[i].name, 0) == 0; /* if it fails, another process was first */
    }
    free(all);
    closedir(list);
    return removed;
}

int cache_folder_clear(const char *path)
{
    DIR *list = opendir(path);
    if (!list) return errno == ENOENT ? 0 : errno;
    int error = 0;
    for (struct dirent *each; (each = readdir(list));) {
        struct stat file;
        if (is_entry(each->d_name) && unlinkat(dirfd(list), each->d_name, 0) != 0 && errno != ENOENT) error = errno;
        if (is_new(each->d_name) && fstatat(dirfd(list), each->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0)
            remove_abandoned(dirfd(list), each->d_name, &file);
    }
    closedir(list);
    return error;
}

/* ---- claims ----
 *
 * A claim is a lock on one byte of a file in the folder, which the digest chooses. It belongs to the open file: other
 * threads are refused too, and it ends with its owner, however that ends. */

/* Whoever is waited for may have been stopped. */
enum { MOST_SECONDS = 60, FIRST_PAUSE_US = 1000, MOST_PAUSE_US = 50000 };

static bool lock(int descriptor, off_t byte, off_t bytes)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = bytes};
    return fcntl(descriptor, F_OFD_SETLK, &range) == 0;
}

static bool find_file(char path[PATH_MAX], const char *folder)
{
    return snprintf(path, PATH_MAX, "%s/claims", folder) < PATH_MAX;
}

int cache_folder_claim(bool *waited, const char *folder, const digest *key)
{
    char path[PATH_MAX];
    uint64_t number;
    if (waited) *waited = false;
    memcpy(&number, key->byte, sizeof number);
    if (!find_file(path, folder)) return -1;
    const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    const int64_t end = monotonic_ns() + (int64_t)MOST_SECONDS * 1000000000;
    for (useconds_t pause = FIRST_PAUSE_US; descriptor >= 0 && !lock(descriptor, (off_t)(number >> 2), 1);) {
        if (waited) *waited = true;
        if (monotonic_ns() > end) break;
        usleep(pause);
        pause = 2 * pause < MOST_PAUSE_US ? 2 * pause : MOST_PAUSE_US;
    }
    return descriptor;
}

/* Who has opened the file meanwhile claims in one that is gone: at worst an entry is made twice. */
void cache_folder_end_claim(int claim, const char *folder)
{
    char path[PATH_MAX];
    if (lock(claim, 0, 0) && find_file(path, folder)) unlink(path);
    close(claim);
}
