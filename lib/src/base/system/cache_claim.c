/* A claim is a lock on one byte of a file in the cache's folder, which the key's digest chooses. It belongs to the open
 * file: other threads are refused too, and it ends with its owner, however that ends. */
#include "cache_claim.h"

#include "cache_folder.h"
#include "base/monotonic.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whoever is waited for may have been stopped. */
enum { MOST_SECONDS = 60, FIRST_PAUSE_US = 1000, MOST_PAUSE_US = 50000 };

static bool lock(int descriptor, off_t byte, off_t bytes)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = bytes};
    return fcntl(descriptor, F_OFD_SETLK, &range) == 0;
}

static bool find_file(char path[PATH_MAX], const char *folder)
{
    return snprintf(path, PATH_MAX, "%s/" CACHE_CLAIMS, folder) < PATH_MAX;
}

int cache_claim(bool *waited, const char *folder, const digest *key)
{
    char path[PATH_MAX];
    uint64_t number;
    *waited = false;
    memcpy(&number, key->byte, sizeof number);
    if (!find_file(path, folder)) return -1;
    const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    const int64_t end = monotonic_ns() + (int64_t)MOST_SECONDS * 1000000000;
    for (useconds_t pause = FIRST_PAUSE_US; descriptor >= 0 && !lock(descriptor, (off_t)(number >> 2), 1);) {
        *waited = true;
        if (monotonic_ns() > end) break;
        usleep(pause);
        pause = 2 * pause < MOST_PAUSE_US ? 2 * pause : MOST_PAUSE_US;
    }
    return descriptor;
}

/* Who has opened the file meanwhile claims in one that is gone: at worst an entry is made twice. */
void cache_claim_end(int claim, const char *folder)
{
    char path[PATH_MAX];
    if (lock(claim, 0, 0) && find_file(path, folder)) unlink(path);
    close(claim);
}
