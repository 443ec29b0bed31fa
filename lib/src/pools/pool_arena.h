/*
 * What the files of the device pools share: the lock, the free blocks in the arenas, and the structures of blocks. All
 * but the lock itself need the lock.
 */
#ifndef LAB_POOLS_POOL_ARENA_H
#define LAB_POOLS_POOL_ARENA_H

#include "pool.h"

#include <stdlib.h>

static inline void pool_lock(pool *owner) { pthread_mutex_lock(&owner->streams.lock); }
static inline void pool_unlock(pool *owner) { pthread_mutex_unlock(&owner->streams.lock); }

/* Makes room for one more block. False if memory ran out. */
static inline bool pool_make_room(pool *owner)
{
    if (!number_map_reserve(&owner->blocks, 1)) return false;
    if (!owner->spare) owner->spare = calloc(1, sizeof *owner->spare);
    return owner->spare;
}

/* Takes the block structure that pool_make_room has made sure of. */
static inline pool_block *pool_take_spare(pool *owner)
{
    pool_block *taken = owner->spare;
    owner->spare = taken->next;
    return taken;
}

/* Keeps an unused block structure for the next block. */
static inline void pool_keep_spare(pool *owner, pool_block *unused)
{
    unused->next = owner->spare;
    owner->spare = unused;
}

/* Adds a free block to the arena of its home stream. */
static inline void pool_add_free(pool *owner, pool_block *block)
{
    pool_tree_insert(&block->chunk->home->free_blocks, block);
    owner->free_blocks++;
}

static inline void pool_remove_free(pool *owner, pool_block *block)
{
    pool_tree_remove(&block->chunk->home->free_blocks, block);
    owner->free_blocks--;
}

/* How the table of device memory asks a pool about its blocks; in pool_use.c. */
extern const range_cutter pool_cutter;

#endif
