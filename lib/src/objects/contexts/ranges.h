/* Tables of memory ranges that do not overlap. A range is found by any address inside. Thread-safe. */
#ifndef LAB_OBJECTS_CONTEXTS_RANGES_H
#define LAB_OBJECTS_CONTEXTS_RANGES_H

#include "lab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct stream;
typedef struct range range;

/* The functions of the kind of pool that cuts a range into blocks. */
typedef struct range_cutter {
    /* Narrows the range to the requested bytes of the used block around the address. False if the address is not in
     * use. */
    bool (*narrow)(range *found, uint64_t address);
    /* Notes that the stream uses the block that `narrow` found. `call` names the public function for messages. */
    lab_status (*note_use)(const range *found, struct stream *user, const char *call);
} range_cutter;

struct range {
    uint64_t address;
    size_t bytes;
    struct context *context;
    bool pinned;                /* host memory */
    bool registered;            /* pinned by lab_host_register, not allocated by the library */
    bool managed;               /* pinned memory that counts as device memory too */
    uint64_t pool;              /* the handle of the pool that cuts it into blocks, or 0 */
    const range_cutter *cutter; /* of that pool, or NULL */
};

typedef struct ranges ranges;

/* The tables of this process: device allocations, variables of modules whose address was asked for, and pinned host
 * memory. */
extern ranges *const device_ranges;
extern ranges *const variable_ranges;
extern ranges *const pinned_ranges;

/* Adds a range. False if it overlaps another (then *overlap is true) or memory ran out. */
bool ranges_add(ranges *table, range added, bool *overlap);

/* Removes the range that begins at the address and copies it to *removed. False if none begins there. */
bool ranges_remove(ranges *table, uint64_t address, range *removed);

/* Removes any one range of the context. False if it has none. */
bool ranges_remove_any(ranges *table, const struct context *context, range *removed);

/* Counts the ranges of the context, and their bytes. */
void ranges_sum(ranges *table, const struct context *context, size_t *count, size_t *bytes);

/* Copies the range that holds the address to *found. False if none does. */
bool ranges_find(ranges *table, uint64_t address, range *found);

/* Where the first range behind the address begins; UINT64_MAX if there is none. */
uint64_t ranges_next(ranges *table, uint64_t address);

/* Makes the range that begins at the address managed. False if none begins there. */
bool ranges_set_managed(ranges *table, uint64_t address);

/* Moves the range that begins at the address from pool `before` to pool `after`, where 0 means no pool. False if no
 * range of at least `bytes` begins there, or it does not belong to `before`. */
bool ranges_set_pool(ranges *table, uint64_t address, size_t bytes, uint64_t before, uint64_t after,
                     const range_cutter *cutter);

#endif
