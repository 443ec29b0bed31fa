/* A byte for each byte, in ranges sorted by address. A range stays when its memory is freed: memory that comes back at
 * the same place finds it again. */
#include "written.h"

#include "checks.h"
#include "ledger.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct range {
    uint64_t address;
    size_t bytes;
    unsigned char *is_written;
} range;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static range *ranges;
static size_t count, capacity;

/* The number of ranges that begin at or before the address. */
static size_t count_up_to(uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (ranges[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The part of the bytes that a range holds, by its offset in the range; NULL if it holds none from the first one on. */
static unsigned char *find(uint64_t address, size_t *bytes)
{
    const size_t after = count_up_to(address);
    if (after == 0) return NULL;
    const range *found = &ranges[after - 1];
    const uint64_t offset = address - found->address;
    if (offset >= found->bytes) return NULL;
    if (*bytes > found->bytes - offset) *bytes = found->bytes - offset;
    return found->is_written + offset;
}

/* Other memory lay here: its kernels are done, since it was given back to the system. */
static void remove_overlapping(uint64_t address, size_t bytes)
{
    size_t first = count_up_to(address);
    if (first > 0 && address - ranges[first - 1].address < ranges[first - 1].bytes) first--;
    size_t end = first;
    while (end < count && ranges[end].address < address + bytes) free(ranges[end++].is_written);
    if (end == first) return;
    memmove(ranges + first, ranges + end, (count - end) * sizeof *ranges);
    count -= end - first;
}

/* With the lock. False without memory for the list. */
static bool add(uint64_t address, size_t bytes, unsigned char *is_written)
{
    remove_overlapping(address, bytes);
    if (count == capacity) {
        const size_t larger = capacity ? 2 * capacity : 64;
        range *grown = realloc(ranges, larger * sizeof *grown);
        if (!grown) return false;
        ranges = grown;
        capacity = larger;
    }
    const size_t at = count_up_to(address);
    memmove(ranges + at + 1, ranges + at, (count - at) * sizeof *ranges);
    ranges[at] = (range){address, bytes, is_written};
    count++;
    return true;
}

void written_keep_at(uint64_t address, size_t bytes, unsigned char *is_written)
{
    pthread_rwlock_wrlock(&lock);
    add(address, bytes, is_written);
    pthread_rwlock_unlock(&lock);
}

void written_begin(uint64_t address, size_t bytes)
{
    if (!kernel_check_is_on(KERNEL_CHECK_UNWRITTEN) || bytes == 0) return;
    pthread_rwlock_wrlock(&lock);
    size_t held = bytes;
    unsigned char *known = find(address, &held);
    if (known && held == bytes)
        memset(known, 0, bytes);
    else if (!(known = calloc(bytes, 1)) || !add(address, bytes, known))
        free(known);
    pthread_rwlock_unlock(&lock);
}

/* Threads of a kernel may write the same byte in turn, by atomic operations, while others read it. */
void written_set(unsigned char *known, size_t bytes)
{
    enum { MOST_OF_A_THREAD = 64 };
    if (bytes > MOST_OF_A_THREAD)
        memset(known, 1, bytes);
    else
        for (size_t i = 0; i < bytes; i++) __atomic_store_n(&known[i], 1, __ATOMIC_RELAXED);
}

size_t written_unset(const unsigned char *known, size_t bytes)
{
    size_t unset = 0;
    for (size_t i = 0; i < bytes; i++) unset += !__atomic_load_n(&known[i], __ATOMIC_RELAXED);
    return unset;
}

/* The part that find gives, unless its memory has been freed since. With the lock, for which the memory's next owner
 * waits. */
static unsigned char *find_kept(uint64_t address, size_t *bytes, uint64_t when)
{
    unsigned char *known = find(address, bytes);
    return known && !ledger_freed_since(address, *bytes, when) ? known : NULL;
}

void written_note(uint64_t address, size_t bytes, uint64_t when)
{
    if (!kernel_check_is_on(KERNEL_CHECK_UNWRITTEN)) return;
    pthread_rwlock_rdlock(&lock);
    unsigned char *known = find_kept(address, &bytes, when);
    if (known) written_set(known, bytes);
    pthread_rwlock_unlock(&lock);
}

void written_copy(uint64_t address, uint64_t source, size_t bytes, uint64_t when)
{
    if (!kernel_check_is_on(KERNEL_CHECK_UNWRITTEN)) return;
    pthread_rwlock_rdlock(&lock);
    size_t listed = bytes;
    unsigned char *known = find_kept(address, &bytes, when);
    const unsigned char *from = find_kept(source, &listed, when);
    if (known && from) memmove(known, from, bytes < listed ? bytes : listed);
    if (known && !from) written_set(known, bytes);
    pthread_rwlock_unlock(&lock);
}

size_t written_missing(uint64_t address, size_t bytes)
{
    pthread_rwlock_rdlock(&lock);
    const unsigned char *known = find(address, &bytes);
    const size_t missing = known ? written_unset(known, bytes) : 0;
    pthread_rwlock_unlock(&lock);
    return missing;
}

bool written_find(unsigned char **known, uint64_t address, size_t bytes)
{
    size_t held = bytes;
    pthread_rwlock_rdlock(&lock);
    *known = find(address, &held);
    const size_t end = count_up_to(address + (bytes - 1));
    const bool begins_later = !*known && end > 0 && ranges[end - 1].address > address;
    pthread_rwlock_unlock(&lock);
    return held == bytes && !begins_later;
}
