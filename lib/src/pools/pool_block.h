/*
 * Blocks and chunks: the pieces into which a pool cuts what it got, and the tree that finds the smallest free piece that
 * is large enough. Nothing here allocates or fails. Knows nothing of streams but the name of one.
 */
#ifndef LAB_POOLS_POOL_BLOCK_H
#define LAB_POOLS_POOL_BLOCK_H

#include "pool_stream.h"

/* What the source gave in one piece. Its blocks, in the order of their addresses, fill it. */
typedef struct pool_chunk {
    uint64_t address;
    size_t bytes;
    pool_stream *home; /* whose arena its free blocks are in */
    pool_block *first;
    struct pool_chunk *next, *previous; /* of the same pool */
} pool_chunk;

struct pool_block {
    uint64_t address;
    size_t bytes;
    size_t asked; /* while used: the bytes that its user may touch */
    bool used;
    pool_chunk *chunk;
    pool_block *next, *previous; /* in the chunk */
    /* Which work uses it. Of the stream it belongs to: the number of the last operation known to use it, and, while it is
     * used, of the last one that had to do with its memory before. Of other streams: the list. */
    uint64_t last, before;
    pool_stream *borrower; /* while used: the stream that has it, if that is not its home */
    pool_use *uses;
    /* While free: the tree has one node a size; the other blocks of that size hang off it. */
    pool_block *left, *right;
    pool_block *same, *same_before;
};

/* Sizes are multiples of it. */
enum { POOL_UNIT = 512 };

void pool_tree_insert(pool_block **root, pool_block *block);
void pool_tree_remove(pool_block **root, pool_block *block);

/* The smallest block of at least that size; NULL if there is none. */
pool_block *pool_tree_best_fit(pool_block *root, size_t bytes);

/* Cuts a block that is in no tree: the block keeps the first `bytes`, `rest` becomes what follows. */
void pool_block_split(pool_block *block, size_t bytes, pool_block *rest);

/* Takes the block that follows into the first one; neither is in a tree. What is left of it is the caller's. */
void pool_block_absorb(pool_block *block, pool_block *following);

#endif
