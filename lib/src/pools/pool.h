/*
 * Device memory pools: CuPy's rules (512-byte units, one arena for each stream, best fit, split and merge), and the
 * order between streams that use the same block one after another. "Memory pools" in lab.h says what is promised.
 */
#ifndef LAB_POOLS_POOL_H
#define LAB_POOLS_POOL_H

#include "pool_block.h"
#include "objects/contexts/ranges.h"

typedef struct pool pool;

struct pool {
    retired retired;
    /* Its lock guards what follows. Never held while memory is allocated from the source, returned to it or waited
     * for. */
    pool_streams streams;
    struct context *context;
    context_member member;
    lab_allocator source; /* of chunks; .alloc is NULL for the device itself */
    uint64_t handle;
    number_map blocks; /* by address */
    pool_chunk *chunks;
    pool_block *spare; /* unused block structures, linked by `next` */
    size_t limit;      /* bytes; 0 means no limit */
    size_t used, total, free_blocks, used_blocks;
    size_t arriving; /* bytes being allocated from the source */
    bool ended;      /* destroyed: nothing more is allocated or freed */
};

/* Makes a pool of the context's memory. If `source` is NULL, chunks come from the device. `call` names the public
 * function for messages, here and below. */
lab_status pool_create(pool **out, struct context *context, const lab_allocator *source, const char *call);

/* Returns all memory to the source and retires the pool. Fails while blocks are in use. */
lab_status pool_destroy(pool *unused, const char *call);

/* The default pool of a context, made on first use. Borrowed. */
lab_status pool_of_context(pool **out, struct context *context);

/* Allocates a block for use on the stream. *address is 0 if `bytes` is 0. */
lab_status pool_alloc(uint64_t *address, pool *owner, size_t bytes, struct stream *stream, const char *call);

/* Frees the block that begins at the address, in the order of the stream. If `stream` is NULL, only streams that are
 * known to use the block use it. */
lab_status pool_free(pool *owner, uint64_t address, struct stream *stream, const char *call);

/* Notes that the stream uses the block that begins at the address. */
lab_status pool_record_stream(pool *owner, uint64_t address, struct stream *user, const char *call);

/* Returns the chunks without a used block to the source: all of them, or those in the arena of the stream `only`. Fails
 * without returning any if there are some and a capture forbids it. */
lab_status pool_free_all(pool *owner, const struct stream *only, const char *call);

void pool_set_limit(pool *owner, size_t bytes);

size_t pool_limit_of_percent(double percent, size_t total_memory);

/* The limit that LAB_GPU_MEMORY_LIMIT sets, in bytes; 0 if it sets none. */
lab_status pool_limit_from_environment(size_t *bytes, size_t total_memory);

#endif
