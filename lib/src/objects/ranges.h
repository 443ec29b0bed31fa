/* Tables of memory ranges that do not overlap, found by any address inside. Knows nothing of what the memory is. */
#ifndef LAB_OBJECTS_RANGES_H
#define LAB_OBJECTS_RANGES_H

#include "lab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct context;
struct stream;
typedef struct range range;

/* How to ask what cuts a range into blocks: a kind of pool. */
typedef struct range_cutter {
    /* Narrows the range to the used block around the address, to the bytes that were asked for; false if the address is not
     * in use. */
    bool (*narrow)(range *found, uint64_t address);
    /* Notes that the stream uses the block that `narrow` has found. `call` names the public function for messages. */
    lab_status (*note_use)(const range *found, struct stream *user, const char *call);
} range_cutter;

struct range {
    uint64_t address;
    size_t bytes;
    struct context *context;
    bool pinned;                /* host memory */
    bool registered;            /* pinned by lab_host_register, not allocated by us */
    uint64_t pool;              /* the handle of the pool that cuts it into blocks; 0 if there is none */
    const range_cutter *cutter; /* of what kind the pool is; NULL if there is none */
};

typedef struct ranges ranges;

/* Device allocations, variables of modules whose address was asked for, and pinned host memory, of this process. */
extern ranges *const device_ranges;
extern ranges *const variable_ranges;
extern ranges *const pinned_ranges;

/* False if memory ran out, or if the new range overlaps one that is there (`overlap` says which). */
bool ranges_add(ranges *table, range added, bool *overlap);

/* Takes out the range that begins at the address and copies it to *removed; false if none begins there. */
bool ranges_remove(ranges *table, uint64_t address, range *removed);

/* Takes out any one range of the context; false if it has none. */
bool ranges_remove_any(ranges *table, const struct context *context, range *removed);

/* How many ranges the context has, and their bytes together. */
void ranges_sum(ranges *table, const struct context *context, size_t *count, size_t *bytes);

/* Copies the range that holds the address to *found; false if none does. */
bool ranges_find(ranges *table, uint64_t address, range *found);

/* Hands the range that begins at the address from pool `before` to pool `after`, 0 being none; false if no range of at least
 * `bytes` begins there, or if it is not in `before`. */
bool ranges_set_pool(ranges *table, uint64_t address, size_t bytes, uint64_t before, uint64_t after,
                     const range_cutter *cutter);

#endif
