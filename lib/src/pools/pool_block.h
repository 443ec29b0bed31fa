/*
 * Chunks and blocks: a pool gets memory in chunks and cuts them into blocks. A tree finds the smallest free block that
 * is large enough. Nothing here allocates or fails.
 */
#ifndef LAB_POOLS_POOL_BLOCK_H
#define LAB_POOLS_POOL_BLOCK_H

#include "pool_stream.h"

/* One piece of memory from the source. Its blocks fill it, in the order of their addresses. */
typedef struct pool_chunk {
    uint64_t address;
    size_t bytes;
    pool_stream *home; /* the stream whose arena holds its free blocks */
    pool_block *first;
    struct pool_chunk *next, *previous; /* in the same pool */
} pool_chunk;

struct pool_block {
    uint64_t address;
    size_t bytes;
    size_t asked; /* while used: the bytes that were requested */
    bool used;
    pool_chunk *chunk;
    pool_block *next, *previous; /* in the chunk */
    /* Which work uses it. On its home stream: the number of the last operation known to use it and, while it is used,
     * of the last one that concerned its memory before. On other streams: the list of uses. */
    uint64_t last, before;
    pool_stream *borrower; /* while used: the stream that has it, if that is not the home stream */
    pool_use *uses;
    /* While free: the tree has one node for each size. The other blocks of that size are in a list from that node. */
    pool_block *left, *right;
    pool_block *same, *same_before;
};

/* All sizes are multiples of it. */
enum { POOL_UNIT = 512 };

void pool_tree_insert(pool_block **root, pool_block *block);
void pool_tree_remove(pool_block **root, pool_block *block);

/* The smallest block of at least that size; NULL if there is none. */
pool_block *pool_tree_best_fit(pool_block *root, size_t bytes);

/* Cuts a block that is not in a tree. The block keeps the first `bytes`; `rest` becomes the following block. */
void pool_block_split(pool_block *block, size_t bytes, pool_block *rest);

/* Merges the following block into the first. Neither is in a tree. The structure of the second is the caller's to
 * keep. */
void pool_block_absorb(pool_block *block, pool_block *following);

#endif
