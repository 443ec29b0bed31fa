/* Counts own time, in memory that another process may read. */
#include "own_time.h"

#include "base/monotonic.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows, and all writes to the counted time */
static own_time before_sharing;
static own_time *counted = &before_sharing;
static int threads_within, file = -1;

void own_time_begins(void)
{
    pthread_mutex_lock(&lock);
    if (threads_within++ == 0) atomic_store(&counted->since, monotonic_ns());
    pthread_mutex_unlock(&lock);
}

void own_time_ends(void)
{
    pthread_mutex_lock(&lock);
    if (--threads_within == 0) {
        atomic_fetch_add(&counted->ended, own_time_of_stay(counted, monotonic_ns()));
        atomic_store(&counted->since, 0);
    }
    pthread_mutex_unlock(&lock);
}

/* Moves what has been counted to memory in a file. */
static void share(void)
{
    const int made = memfd_create("lab own time", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    const bool sized = made >= 0 && ftruncate(made, sizeof *counted) == 0 &&
                       fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
    own_time *memory = sized ? mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0) : MAP_FAILED;
    if (memory == MAP_FAILED) {
        if (made >= 0) close(made);
        return;
    }
    atomic_store(&memory->ended, atomic_load(&counted->ended));
    atomic_store(&memory->since, atomic_load(&counted->since));
    counted = memory;
    file = made;
}

int own_time_file(void)
{
    pthread_mutex_lock(&lock);
    if (file < 0) share();
    const int found = file;
    pthread_mutex_unlock(&lock);
    return found;
}
