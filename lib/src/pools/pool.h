/*
 * Device memory pools above the seam: CuPy's rules (512-byte units, an arena a stream, best fit, split and merge), and
 * the order between streams that use the same block one after the other. lab.h's "Memory pools" says what is promised.
 */
#ifndef LAB_POOLS_POOL_H
#define LAB_POOLS_POOL_H

#include "pool_block.h"
#include "objects/ranges.h"

typedef struct pool pool;

struct pool {
    pool_streams streams; /* its lock guards all that follows, but is never held while memory is asked for, given back
                             to the source or waited for */
    struct context *context;
    context_member member;
    lab_allocator source; /* where chunks come from; .alloc is NULL for the device itself */
    uint64_t handle;
    number_map blocks; /* by address */
    pool_chunk *chunks;
    pool_block *spare; /* block structures that are not in use, linked by `after` */
    size_t limit;      /* bytes; 0 is none */
    size_t used, total, free_blocks, used_blocks;
    size_t arriving; /* bytes that are being asked of the source */
};

/* A pool of the context's memory. `source` NULL means the device. `call` names the public function for messages, here
 * and below. */
lab_status pool_create(pool **out, struct context *on, const lab_allocator *source, const char *call);

/* Gives all memory back and the pool too; refused while blocks are used. */
lab_status pool_destroy(pool *unused, const char *call);

/* The pool of a context that arrays use unless told otherwise, made if need be. Borrowed. */
lab_status pool_of_context(pool **out, struct context *of);

lab_status pool_alloc(uint64_t *address, pool *from, size_t bytes, struct stream *on, const char *call);

/* `freed_on` NULL: the streams that are known to use the block are all that do. */
lab_status pool_free(pool *to, uint64_t address, struct stream *freed_on, const char *call);

/* Notes that the stream uses the block that begins at the address. */
lab_status pool_record_stream(pool *of, uint64_t address, struct stream *user, const char *call);

/* Gives the chunks without a used block back to the source: all, or those in the arena of one stream. Fails, and leaves
 * them where they are, if there are some and a capture forbids it. */
lab_status pool_free_all(pool *of, const struct stream *only, const char *call);

void pool_set_limit(pool *of, size_t bytes);

size_t pool_limit_of_percent(double percent, size_t total_memory);

/* The limit that LAB_GPU_MEMORY_LIMIT sets, in bytes; 0 if it sets none. */
lab_status pool_limit_from_environment(size_t *bytes, size_t total_memory);

#endif
