/* Pinned memory pools: blocks of powers of two, never cut. The host may write to a block as soon as it has it, so a
 * free block is reused only once the streams that used it are done. */

#include "base/handle.h"
#include "base/status.h"
#include "objects/contexts/context_stack.h"
#include "objects/work/memory.h"
#include "order/order.h"
#include "pool_stream.h"
#include "record/submission.h"
#include "seam/ledger.h"

#include <stdlib.h>

enum { LEAST_BITS = 9, SIZES = 64 }; /* the smallest block is 512 bytes */

typedef struct pinned_block {
    uint64_t address;
    size_t bytes;
    bool used;
    pool_use *uses;
    struct pinned_block *next; /* among the free blocks of its size */
} pinned_block;

typedef struct pinned_pool pinned_pool;

struct pinned_pool {
    retired retired;
    pool_streams streams; /* its lock guards what follows; never held while host memory is pinned or waited for */
    struct context *context;
    context_member member;
    uint64_t handle;
    number_map blocks; /* by address */
    struct {
        pinned_block *first, *last;
    } free[SIZES]; /* by the power of two; the block that has been free longest is first */
    size_t used, total, free_blocks, used_blocks;
    bool ended; /* destroyed: nothing more is allocated or freed */
};

static const range_cutter cutter; /* the functions of this kind of pool */

static void lock(pinned_pool *owner) { pthread_mutex_lock(&owner->streams.lock); }

static void unlock(pinned_pool *owner) { pthread_mutex_unlock(&owner->streams.lock); }

/* ------------------------------------------------------------------------------------------------------
 * Pools
 */

static pthread_mutex_t default_lock = PTHREAD_MUTEX_INITIALIZER;

/* Frees the pool and its lists. Its memory has been returned, or has ended with its context. */
static void release(retired *object)
{
    pinned_pool *owner = (pinned_pool *)object;
    pool_streams_begin_close();
    for (size_t i = 0; owner->blocks.slot && i < (size_t)1 << owner->blocks.bits; i++) {
        pinned_block *block = owner->blocks.slot[i].value;
        if (block) pool_uses_drop(&owner->streams, &block->uses);
        free(block);
    }
    number_map_clear(&owner->blocks);
    pool_streams_close(&owner->streams);
    free(owner);
}

static void end_with_context(context_member *member)
{
    pinned_pool *ended = (pinned_pool *)((char *)member - offsetof(pinned_pool, member));
    if (!handle_remove(HANDLE_PINNED_MEMPOOL, ended->handle)) return;
    atomic_compare_exchange_strong(&ended->context->attachment[DEFAULT_PINNED_POOL], &(void *){ended}, NULL);
    lock(ended);
    ended->ended = true;
    unlock(ended);
    retire(&ended->retired, release);
}

static lab_status create(pinned_pool **out, struct context *context, const char *call)
{
    pinned_pool *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory for a memory pool", call);
    made->context = context;
    pool_streams_open(&made->streams);
    context_add(context, &made->member, end_with_context);
    made->handle = handle_create(HANDLE_PINNED_MEMPOOL, made);
    *out = made;
    if (made->handle) return LAB_SUCCESS;
    context_remove(context, &made->member);
    release(&made->retired);
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory for a memory pool", call);
}

/* The default pool of the current context. */
static lab_status find_default(pinned_pool **out, const char *call)
{
    struct context *current;
    LAB_TRY(context_current(&current));
    *out = atomic_load(&current->attachment[DEFAULT_PINNED_POOL]); /* after the thread has entered: base/retire.h */
    if (*out) return LAB_SUCCESS;
    CONTEXT_HELD struct context *held = NULL;
    LAB_TRY(context_hold_found(&held, current, call));
    pthread_mutex_lock(&default_lock);
    lab_status status = LAB_SUCCESS;
    *out = atomic_load_explicit(&current->attachment[DEFAULT_PINNED_POOL], memory_order_relaxed);
    if (!*out) {
        status = create(out, current, call);
        if (status == LAB_SUCCESS)
            atomic_store_explicit(&current->attachment[DEFAULT_PINNED_POOL], *out, memory_order_release);
    }
    pthread_mutex_unlock(&default_lock);
    return status;
}

static lab_status resolve(pinned_pool **out, const lab_pinned_mempool *handle, const char *call)
{
    if (!handle) return find_default(out, call);
    LAB_TRY(runtime_check());
    *out = handle_get(HANDLE_PINNED_MEMPOOL, (uintptr_t)handle);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the pool was destroyed before this call, or never created", call);
}

lab_pinned_mempool *lab_pinned_mempool_default(void)
{
    RETIRE_SCOPE;
    pinned_pool *found;
    if (find_default(&found, "lab_pinned_mempool_default") != LAB_SUCCESS) return NULL;
    return (lab_pinned_mempool *)(uintptr_t)found->handle;
}

lab_status lab_pinned_mempool_create(lab_pinned_mempool **out)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_pinned_mempool_create: out is NULL");
    *out = NULL;
    CONTEXT_HELD struct context *current = NULL;
    pinned_pool *made;
    LAB_TRY(context_hold_current(&current));
    LAB_TRY(create(&made, current, "lab_pinned_mempool_create"));
    *out = (lab_pinned_mempool *)(uintptr_t)made->handle;
    return LAB_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------
 * Blocks
 */

/* The exponent of the power of two that the size is rounded up to; SIZES if it is too large. */
static unsigned bits_of(size_t bytes)
{
    if (bytes <= (size_t)1 << LEAST_BITS) return LEAST_BITS;
    return SIZES - (unsigned)__builtin_clzll(bytes - 1);
}

static unsigned bits_of_block(const pinned_block *block) { return (unsigned)__builtin_ctzll(block->bytes); }

static void add_free(pinned_pool *owner, pinned_block *block)
{
    unsigned bits = bits_of_block(block);
    block->next = NULL;
    if (owner->free[bits].last)
        owner->free[bits].last->next = block;
    else
        owner->free[bits].first = block;
    owner->free[bits].last = block;
    owner->free_blocks++;
}

static void hand_over(pinned_pool *owner, pinned_block *block)
{
    block->used = true;
    owner->used += block->bytes;
    owner->used_blocks++;
}

/* Hands over the longest free block of the size that no stream uses any more; NULL if there is none. */
static pinned_block *take_free(pinned_pool *owner, unsigned bits)
{
    pinned_block *before = NULL, *block = owner->ended ? NULL : owner->free[bits].first;
    while (block && !pool_uses_done(block->uses)) {
        before = block;
        block = block->next;
    }
    if (!block) return NULL;
    *(before ? &before->next : &owner->free[bits].first) = block->next;
    if (owner->free[bits].last == block) owner->free[bits].last = before;
    owner->free_blocks--;
    pool_uses_drop(&owner->streams, &block->uses);
    hand_over(owner, block);
    return block;
}

/* Returns a list of blocks that were removed from the pool to the host. */
static lab_status unpin_all(const pinned_pool *owner, pinned_block *list)
{
    lab_status status = LAB_SUCCESS;
    while (list) {
        pinned_block *next = list->next;
        ranges_set_pool(pinned_ranges, list->address, list->bytes, owner->handle, 0, NULL);
        lab_status given = lab_host_free((void *)(uintptr_t)list->address);
        if (status == LAB_SUCCESS) status = given;
        free(list);
        list = next;
    }
    return status;
}

/* Unpins all free blocks. Fails without unpinning any if there are some and a capture forbids it. */
static lab_status free_all(pinned_pool *owner, const char *call)
{
    pinned_block *removed = NULL;
    lock(owner);
    lab_status status = owner->free_blocks ? runtime_backend()->capture_check_unsafe(call) : LAB_SUCCESS;
    if (status != LAB_SUCCESS) {
        unlock(owner);
        return status;
    }
    for (unsigned bits = 0; bits < SIZES; bits++) {
        for (pinned_block *block = owner->free[bits].first, *next; block; block = next) {
            next = block->next;
            number_map_remove(&owner->blocks, block->address);
            pool_uses_drop(&owner->streams, &block->uses);
            owner->total -= block->bytes;
            block->next = removed;
            removed = block;
        }
        owner->free[bits].first = owner->free[bits].last = NULL;
    }
    owner->free_blocks = 0;
    unlock(owner);
    return unpin_all(owner, removed);
}

/* Pins a new block and hands it over. *out is NULL if the host pins no more memory. */
static lab_status pin(pinned_block **out, pinned_pool *owner, unsigned bits, const char *call)
{
    pinned_block *made = calloc(1, sizeof *made);
    if (!made) return pool_no_host_memory(call);
    made->bytes = (size_t)1 << bits;
    *out = NULL;
    void *memory;
    lab_status status = memory_host_alloc_on(&memory, owner->context, made->bytes, call);
    if (status != LAB_SUCCESS) {
        free(made);
        return status == LAB_ERROR_OUT_OF_MEMORY ? LAB_SUCCESS : status;
    }
    made->address = (uintptr_t)memory;
    ranges_set_pool(pinned_ranges, made->address, made->bytes, 0, owner->handle, &cutter);
    ledger_set_pooled(made->address, true);
    lock(owner);
    const bool ended = owner->ended, listed = !ended && number_map_reserve(&owner->blocks, 1);
    if (listed) {
        number_map_put(&owner->blocks, made->address, made);
        owner->total += made->bytes;
        hand_over(owner, made);
    }
    unlock(owner);
    if (listed) {
        *out = made;
        return LAB_SUCCESS;
    }
    unpin_all(owner, made);
    return ended ? pool_ended(call) : pool_no_host_memory(call);
}

static pinned_block *take_free_with_lock(pinned_pool *owner, unsigned bits)
{
    lock(owner);
    pinned_block *taken = take_free(owner, bits);
    unlock(owner);
    return taken;
}

/* Tries a free block, a new block, a block that is free once the device is done, and a new block after unpinning the
 * free ones. */
static lab_status find_block(pinned_block **out, pinned_pool *owner, unsigned bits, const char *call)
{
    *out = take_free_with_lock(owner, bits);
    if (*out) return LAB_SUCCESS;
    LAB_TRY(pin(out, owner, bits, call));
    if (*out) return LAB_SUCCESS;
    LAB_TRY(runtime_backend()->context_wait(owner->context->native));
    *out = take_free_with_lock(owner, bits);
    if (*out) return LAB_SUCCESS;
    LAB_TRY(free_all(owner, call));
    return pin(out, owner, bits, call);
}

static lab_status out_of_memory(pinned_pool *owner, size_t bytes)
{
    lock(owner);
    size_t used = owner->used, unused = owner->total - owner->used;
    unlock(owner);
    return lab_fail(
        LAB_ERROR_OUT_OF_MEMORY,
        "lab_pinned_mempool_alloc: %zu bytes asked for, but the host pins no more; the pool holds %zu bytes in use and "
        "%zu free; free what is not needed",
        bytes, used, unused);
}

static lab_status alloc(void **out, pinned_pool *owner, size_t bytes)
{
    unsigned bits = bits_of(bytes);
    pinned_block *block = NULL;
    if (bits < SIZES) LAB_TRY(find_block(&block, owner, bits, "lab_pinned_mempool_alloc"));
    if (!block) return out_of_memory(owner, bytes);
    *out = (void *)(uintptr_t)block->address;
    return LAB_SUCCESS;
}

lab_status lab_pinned_mempool_alloc(void **out, lab_pinned_mempool *handle, size_t bytes)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_pinned_mempool_alloc: out is NULL");
    *out = NULL;
    pinned_pool *owner;
    LAB_TRY(resolve(&owner, handle, "lab_pinned_mempool_alloc"));
    if (bytes == 0) return LAB_SUCCESS;
    record_entry *entry = record_begin(LAB_OP_PINNED_POOL_ALLOC, owner->context->device);
    lab_status status = alloc(out, owner, bytes);
    if (status == LAB_SUCCESS) ledger_add((uintptr_t)*out, bytes, NULL);
    if (status == LAB_SUCCESS) record_made(entry, (uintptr_t)*out, bytes);
    record_end(entry, status);
    return status;
}

/* The caller holds the lock. */
static lab_status find_used(pinned_block **out, const pinned_pool *owner, uint64_t address, const char *call)
{
    if (owner->ended) return pool_ended(call);
    *out = number_map_get(&owner->blocks, address);
    if (*out && (*out)->used) return LAB_SUCCESS;
    if (*out)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0x%llx was freed already", call, (unsigned long long)address);
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0x%llx is not the beginning of a block of this pool", call,
                    (unsigned long long)address);
}

lab_status lab_pinned_mempool_free(lab_pinned_mempool *handle, void *memory)
{
    RETIRE_SCOPE;
    if (!memory) return LAB_SUCCESS;
    pinned_pool *owner;
    LAB_TRY(resolve(&owner, handle, "lab_pinned_mempool_free"));
    record_entry *entry = record_begin(LAB_OP_PINNED_POOL_FREE, owner->context->device);
    pinned_block *block;
    lock(owner);
    lab_status status = find_used(&block, owner, (uintptr_t)memory, "lab_pinned_mempool_free");
    if (status == LAB_SUCCESS) status = record_gives_back(entry, block->address, block->bytes);
    if (status == LAB_SUCCESS) {
        ledger_remove(block->address, block->bytes);
        pool_uses_mark(&owner->streams, block->uses);
        block->used = false;
        owner->used -= block->bytes;
        owner->used_blocks--;
        add_free(owner, block);
    }
    unlock(owner);
    record_end(entry, status);
    return status;
}

static lab_status note_use(pinned_pool *owner, uint64_t address, struct stream *user, const char *call)
{
    pinned_block *block;
    lock(owner);
    lab_status status = find_used(&block, owner, address, call);
    if (status == LAB_SUCCESS) {
        pool_stream *stream = pool_stream_of(&owner->streams, user);
        if (!stream || !pool_uses_note(&block->uses, stream)) status = pool_stream_refused(user, call);
    }
    unlock(owner);
    return status;
}

lab_status lab_pinned_mempool_record_stream(lab_pinned_mempool *handle, void *memory, lab_stream *stream)
{
    RETIRE_SCOPE;
    pinned_pool *owner;
    struct stream *user;
    LAB_TRY(resolve(&owner, handle, "lab_pinned_mempool_record_stream"));
    LAB_TRY(stream_resolve(&user, stream, "lab_pinned_mempool_record_stream"));
    LAB_TRY(note_use(owner, (uintptr_t)memory, user, "lab_pinned_mempool_record_stream"));
    order_memory_told(true, (uintptr_t)memory, &user->identity);
    return LAB_SUCCESS;
}

static bool narrow(range *found, uint64_t address)
{
    pinned_pool *owner = handle_get(HANDLE_PINNED_MEMPOOL, found->pool);
    if (!owner) return false;
    lock(owner);
    const pinned_block *block = number_map_get(&owner->blocks, found->address);
    bool in_use = block && block->used && address - block->address < block->bytes;
    unlock(owner);
    return in_use;
}

static lab_status note_use_in(const range *found, struct stream *user, const char *call)
{
    pinned_pool *owner = handle_get(HANDLE_PINNED_MEMPOOL, found->pool);
    return owner ? note_use(owner, found->address, user, call) : LAB_SUCCESS;
}

static const range_cutter cutter = {narrow, note_use_in};

/* ------------------------------------------------------------------------------------------------------
 * Statistics, and returning memory
 */

lab_status lab_pinned_mempool_free_all_blocks(lab_pinned_mempool *handle)
{
    RETIRE_SCOPE;
    pinned_pool *owner;
    LAB_TRY(resolve(&owner, handle, "lab_pinned_mempool_free_all_blocks"));
    return free_all(owner, "lab_pinned_mempool_free_all_blocks");
}

/* Takes the handle out of use unless blocks are in use. With the lock, so that no other thread allocates meanwhile. */
static lab_status end(pinned_pool *unused)
{
    const size_t blocks = unused->used_blocks;
    if (blocks)
        return lab_fail(LAB_ERROR_NOT_PERMITTED,
                        "lab_pinned_mempool_destroy: %zu block%s of the pool still in use; free %s first", blocks,
                        blocks == 1 ? " is" : "s are", blocks == 1 ? "it" : "them");
    if (unused->total) LAB_TRY(runtime_backend()->capture_check_unsafe("lab_pinned_mempool_destroy"));
    if (!handle_remove(HANDLE_PINNED_MEMPOOL, unused->handle))
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "lab_pinned_mempool_destroy: the pool was already destroyed");
    unused->ended = true;
    return LAB_SUCCESS;
}

lab_status lab_pinned_mempool_destroy(lab_pinned_mempool *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    pinned_pool *unused;
    LAB_TRY(resolve(&unused, handle, "lab_pinned_mempool_destroy"));
    if (unused == atomic_load(&unused->context->attachment[DEFAULT_PINNED_POOL]))
        return lab_fail(LAB_ERROR_NOT_PERMITTED, "lab_pinned_mempool_destroy: the default pool cannot be destroyed");
    lock(unused);
    lab_status status = end(unused);
    unlock(unused);
    if (status != LAB_SUCCESS) return status;
    context_remove(unused->context, &unused->member);
    status = free_all(unused, "lab_pinned_mempool_destroy");
    retire(&unused->retired, release);
    return status;
}

enum statistic { USED, FREE, TOTAL, FREE_BLOCKS };

/* 0 for a pool that was destroyed. */
static size_t read_statistic(const lab_pinned_mempool *handle, enum statistic which)
{
    RETIRE_SCOPE;
    pinned_pool *owner;
    if (resolve(&owner, handle, "lab_pinned_mempool") != LAB_SUCCESS) return 0;
    lock(owner);
    size_t value[] = {[USED] = owner->used,
                      [FREE] = owner->total - owner->used,
                      [TOTAL] = owner->total,
                      [FREE_BLOCKS] = owner->free_blocks};
    unlock(owner);
    return value[which];
}

size_t lab_pinned_mempool_used_bytes(const lab_pinned_mempool *pool) { return read_statistic(pool, USED); }

size_t lab_pinned_mempool_free_bytes(const lab_pinned_mempool *pool) { return read_statistic(pool, FREE); }

size_t lab_pinned_mempool_total_bytes(const lab_pinned_mempool *pool) { return read_statistic(pool, TOTAL); }

size_t lab_pinned_mempool_n_free_blocks(const lab_pinned_mempool *pool) { return read_statistic(pool, FREE_BLOCKS); }
