/* Each table is one array of ranges, sorted by address, under a read-write lock. */
#include "ranges.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct ranges {
    pthread_rwlock_t lock;
    range *sorted;
    size_t count, capacity;
};

static ranges device_table = {.lock = PTHREAD_RWLOCK_INITIALIZER};
static ranges variable_table = {.lock = PTHREAD_RWLOCK_INITIALIZER};
static ranges pinned_table = {.lock = PTHREAD_RWLOCK_INITIALIZER};
ranges *const device_ranges = &device_table;
ranges *const variable_ranges = &variable_table;
ranges *const pinned_ranges = &pinned_table;

/* How many ranges begin at or before the address. */
static size_t count_up_to(const ranges *table, uint64_t address)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->sorted[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(ranges *table)
{
    if (table->count < table->capacity) return true;
    size_t capacity = table->capacity ? 2 * table->capacity : 64;
    range *larger = realloc(table->sorted, capacity * sizeof *larger);
    if (!larger) return false;
    table->sorted = larger;
    table->capacity = capacity;
    return true;
}

static bool insert(ranges *table, range added, bool *overlap)
{
    size_t index = count_up_to(table, added.address);
    *overlap = (index > 0 && table->sorted[index - 1].address + table->sorted[index - 1].bytes > added.address) ||
               (index < table->count && added.address + added.bytes > table->sorted[index].address);
    if (*overlap || !make_room(table)) return false;
    memmove(table->sorted + index + 1, table->sorted + index, (table->count - index) * sizeof *table->sorted);
    table->sorted[index] = added;
    table->count++;
    return true;
}

bool ranges_add(ranges *table, range added, bool *overlap)
{
    pthread_rwlock_wrlock(&table->lock);
    bool inserted = insert(table, added, overlap);
    pthread_rwlock_unlock(&table->lock);
    return inserted;
}

static void take_out(ranges *table, size_t index)
{
    table->count--;
    memmove(table->sorted + index, table->sorted + index + 1, (table->count - index) * sizeof *table->sorted);
}

bool ranges_remove(ranges *table, uint64_t address, range *removed)
{
    pthread_rwlock_wrlock(&table->lock);
    size_t after = count_up_to(table, address);
    bool there = after > 0 && table->sorted[after - 1].address == address;
    if (there) {
        *removed = table->sorted[after - 1];
        take_out(table, after - 1);
    }
    pthread_rwlock_unlock(&table->lock);
    return there;
}

bool ranges_find(ranges *table, uint64_t address, range *found)
{
    pthread_rwlock_rdlock(&table->lock);
    size_t after = count_up_to(table, address);
    bool there = after > 0 && address - table->sorted[after - 1].address < table->sorted[after - 1].bytes;
    if (there) *found = table->sorted[after - 1];
    pthread_rwlock_unlock(&table->lock);
    return there;
}

uint64_t ranges_next(ranges *table, uint64_t address)
{
    pthread_rwlock_rdlock(&table->lock);
    const size_t after = count_up_to(table, address);
    const uint64_t next = after < table->count ? table->sorted[after].address : UINT64_MAX;
    pthread_rwlock_unlock(&table->lock);
    return next;
}

bool ranges_remove_any(ranges *table, const struct context *context, range *removed)
{
    pthread_rwlock_wrlock(&table->lock);
    size_t index = table->count;
    while (index > 0 && table->sorted[index - 1].context != context) index--;
    if (index > 0) *removed = table->sorted[index - 1];
    if (index > 0) take_out(table, index - 1);
    pthread_rwlock_unlock(&table->lock);
    return index > 0;
}

void ranges_sum(ranges *table, const struct context *context, size_t *count, size_t *bytes)
{
    *count = *bytes = 0;
    pthread_rwlock_rdlock(&table->lock);
    for (size_t i = 0; i < table->count; i++) {
        if (table->sorted[i].context != context) continue;
        ++*count;
        *bytes += table->sorted[i].bytes;
    }
    pthread_rwlock_unlock(&table->lock);
}

bool ranges_set_managed(ranges *table, uint64_t address)
{
    pthread_rwlock_wrlock(&table->lock);
    size_t count = count_up_to(table, address);
    range *held = count > 0 ? &table->sorted[count - 1] : NULL;
    const bool set = held && held->address == address;
    if (set) held->managed = true;
    pthread_rwlock_unlock(&table->lock);
    return set;
}

bool ranges_set_pool(ranges *table, uint64_t address, size_t bytes, uint64_t before, uint64_t after,
                     const range_cutter *cutter)
{
    pthread_rwlock_wrlock(&table->lock);
    size_t count = count_up_to(table, address);
    range *held = count > 0 ? &table->sorted[count - 1] : NULL;
    bool set = held && held->address == address && held->bytes >= bytes && held->pool == before;
    if (set) held->pool = after;
    if (set) held->cutter = after ? cutter : NULL;
    pthread_rwlock_unlock(&table->lock);
    return set;
}
