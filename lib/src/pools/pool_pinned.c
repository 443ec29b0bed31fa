/* Pinned memory pools: blocks of powers of two, never cut. The host may write to a block the moment it has it, so a free
 * block is handed out only when the streams that used it are done with it. */

#include "base/handle.h"
#include "base/status.h"
#include "objects/context_stack.h"
#include "objects/memory.h"
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
    struct pinned_block *next; /* among the free ones of its size */
} pinned_block;

typedef struct pinned_pool pinned_pool;

struct pinned_pool {
    pool_streams
        streams; /* its lock guards all that follows; it is not held while host memory is pinned or waited for */
    struct context *context;
    context_member member;
    uint64_t handle;
    number_map blocks; /* by address */
    struct {
        pinned_block *first, *last;
    } free[SIZES]; /* by the power of two; the longest free is first */
    size_t used, total, free_blocks, used_blocks;
};

static const range_cutter cutter; /* how this kind of pool cuts ranges */

static void lock(pinned_pool *of) { pthread_mutex_lock(&of->streams.lock); }

static void unlock(pinned_pool *of) { pthread_mutex_unlock(&of->streams.lock); }

static lab_status no_host_memory(const char *call)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory for the pool's list of blocks", call);
}

/* ------------------------------------------------------------------------------------------------------
 * Pools
 */

static pthread_mutex_t default_lock = PTHREAD_MUTEX_INITIALIZER;

/* Frees the pool's own lists; its memory is given back already, or goes with its context. */
static void free_pool(pinned_pool *of)
{
    for (size_t i = 0; of->blocks.slot && i < (size_t)1 << of->blocks.bits; i++) {
        pinned_block *block = of->blocks.slot[i].value;
        if (block) pool_uses_drop(&of->streams, &block->uses);
        free(block);
    }
    number_map_clear(&of->blocks);
    pool_streams_close(&of->streams);
    free(of);
}

static void end_with_context(context_member *member)
{
    pinned_pool *ended = (pinned_pool *)((char *)member - offsetof(pinned_pool, member));
    handle_remove(HANDLE_PINNED_MEMPOOL, ended->handle);
    atomic_compare_exchange_strong(&ended->context->attachment[DEFAULT_PINNED_POOL], &(void *){ended}, NULL);
    free_pool(ended);
}

static lab_status create(pinned_pool **out, struct context *on, const char *call)
{
    pinned_pool *made = calloc(1, sizeof *made);
    if (made) made->handle = handle_create(HANDLE_PINNED_MEMPOOL, made);
    if (!made || !made->handle) {
        free(made);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory for a memory pool", call);
    }
    made->context = on;
    pool_streams_open(&made->streams);
    context_add(on, &made->member, end_with_context);
    *out = made;
    return LAB_SUCCESS;
}

/* The default pool of the current context. */
static lab_status find_default(pinned_pool **out, const char *call)
{
    struct context *now;
    LAB_TRY(context_current(&now));
    *out = atomic_load_explicit(&now->attachment[DEFAULT_PINNED_POOL], memory_order_acquire);
    if (*out) return LAB_SUCCESS;
    pthread_mutex_lock(&default_lock);
    lab_status status = LAB_SUCCESS;
    *out = atomic_load_explicit(&now->attachment[DEFAULT_PINNED_POOL], memory_order_relaxed);
    if (!*out) {
        status = create(out, now, call);
        if (status == LAB_SUCCESS)
            atomic_store_explicit(&now->attachment[DEFAULT_PINNED_POOL], *out, memory_order_release);
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
    pinned_pool *found;
    if (find_default(&found, "lab_pinned_mempool_default") != LAB_SUCCESS) return NULL;
    return (lab_pinned_mempool *)(uintptr_t)found->handle;
}

lab_status lab_pinned_mempool_create(lab_pinned_mempool **out)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_pinned_mempool_create: out is NULL");
    *out = NULL;
    struct context *now;
    pinned_pool *made;
    LAB_TRY(context_current(&now));
    LAB_TRY(create(&made, now, "lab_pinned_mempool_create"));
    *out = (lab_pinned_mempool *)(uintptr_t)made->handle;
    return LAB_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------
 * Blocks
 */

/* The power of two that the size is rounded up to; SIZES if there is none. */
static unsigned bits_of(size_t bytes)
{
    if (bytes <= (size_t)1 << LEAST_BITS) return LEAST_BITS;
    return SIZES - (unsigned)__builtin_clzll(bytes - 1);
}

static unsigned bits_of_block(const pinned_block *block) { return (unsigned)__builtin_ctzll(block->bytes); }

static void add_free(pinned_pool *to, pinned_block *block)
{
    unsigned bits = bits_of_block(block);
    block->next = NULL;
    if (to->free[bits].last)
        to->free[bits].last->next = block;
    else
        to->free[bits].first = block;
    to->free[bits].last = block;
    to->free_blocks++;
}

static void hand_over(pinned_pool *from, pinned_block *block)
{
    block->used = true;
    from->used += block->bytes;
    from->used_blocks++;
}

/* The longest free block of the size that no stream uses any more, handed over; NULL if there is none. */
static pinned_block *take_free(pinned_pool *from, unsigned bits)
{
    pinned_block *before = NULL, *block = from->free[bits].first;
    while (block && !pool_uses_done(block->uses)) {
        before = block;
        block = block->next;
    }
    if (!block) return NULL;
    *(before ? &before->next : &from->free[bits].first) = block->next;
    if (from->free[bits].last == block) from->free[bits].last = before;
    from->free_blocks--;
    pool_uses_drop(&from->streams, &block->uses);
    hand_over(from, block);
    return block;
}

/* Gives a list of blocks that are out of the pool back to the host. */
static lab_status unpin_all(const pinned_pool *from, pinned_block *list)
{
    lab_status status = LAB_SUCCESS;
    while (list) {
        pinned_block *next = list->next;
        ranges_set_pool(pinned_ranges, list->address, list->bytes, from->handle, 0, NULL);
        lab_status given = lab_host_free((void *)(uintptr_t)list->address);
        if (status == LAB_SUCCESS) status = given;
        free(list);
        list = next;
    }
    return status;
}

/* Fails, and leaves the free blocks where they are, if there are some and a capture forbids to unpin them. */
static lab_status free_all(pinned_pool *of, const char *call)
{
    pinned_block *removed = NULL;
    lock(of);
    lab_status status = of->free_blocks ? runtime_backend()->capture_check_unsafe(call) : LAB_SUCCESS;
    if (status != LAB_SUCCESS) {
        unlock(of);
        return status;
    }
    for (unsigned bits = 0; bits < SIZES; bits++) {
        for (pinned_block *block = of->free[bits].first, *next; block; block = next) {
            next = block->next;
            number_map_remove(&of->blocks, block->address);
            pool_uses_drop(&of->streams, &block->uses);
            of->total -= block->bytes;
            block->next = removed;
            removed = block;
        }
        of->free[bits].first = of->free[bits].last = NULL;
    }
    of->free_blocks = 0;
    unlock(of);
    return unpin_all(of, removed);
}

/* Pins a new block; *out is NULL if the host has no more. */
static lab_status pin(pinned_block **out, pinned_pool *into, unsigned bits, const char *call)
{
    pinned_block *made = calloc(1, sizeof *made);
    if (!made) return no_host_memory(call);
    made->bytes = (size_t)1 << bits;
    *out = NULL;
    void *memory;
    lab_status status = memory_host_alloc_on(&memory, into->context, made->bytes, call);
    if (status != LAB_SUCCESS) {
        free(made);
        return status == LAB_ERROR_OUT_OF_MEMORY ? LAB_SUCCESS : status;
    }
    made->address = (uintptr_t)memory;
    ranges_set_pool(pinned_ranges, made->address, made->bytes, 0, into->handle, &cutter);
    ledger_set_pooled(made->address, true);
    lock(into);
    bool listed = number_map_reserve(&into->blocks, 1);
    if (listed) {
        number_map_put(&into->blocks, made->address, made);
        into->total += made->bytes;
        hand_over(into, made);
    }
    unlock(into);
    if (listed) {
        *out = made;
        return LAB_SUCCESS;
    }
    unpin_all(into, made);
    return no_host_memory(call);
}

static pinned_block *take_free_with_lock(pinned_pool *from, unsigned bits)
{
    lock(from);
    pinned_block *taken = take_free(from, bits);
    unlock(from);
    return taken;
}

/* A free block, a new one, one that is free once the device is done, or a new one after giving back what is free. */
static lab_status find_block(pinned_block **out, pinned_pool *from, unsigned bits, const char *call)
{
    *out = take_free_with_lock(from, bits);
    if (*out) return LAB_SUCCESS;
    LAB_TRY(pin(out, from, bits, call));
    if (*out) return LAB_SUCCESS;
    LAB_TRY(runtime_backend()->context_wait(from->context->native));
    *out = take_free_with_lock(from, bits);
    if (*out) return LAB_SUCCESS;
    LAB_TRY(free_all(from, call));
    return pin(out, from, bits, call);
}

static lab_status out_of_memory(pinned_pool *from, size_t bytes)
{
    lock(from);
    size_t used = from->used, unused = from->total - from->used;
    unlock(from);
    return lab_fail(
        LAB_ERROR_OUT_OF_MEMORY,
        "lab_pinned_mempool_alloc: %zu bytes asked for, but the host pins no more; the pool holds %zu bytes in use and "
        "%zu free; free what is not needed",
        bytes, used, unused);
}

static lab_status alloc(void **out, pinned_pool *from, size_t bytes)
{
    unsigned bits = bits_of(bytes);
    pinned_block *block = NULL;
    if (bits < SIZES) LAB_TRY(find_block(&block, from, bits, "lab_pinned_mempool_alloc"));
    if (!block) return out_of_memory(from, bytes);
    *out = (void *)(uintptr_t)block->address;
    return LAB_SUCCESS;
}

lab_status lab_pinned_mempool_alloc(void **out, lab_pinned_mempool *handle, size_t bytes)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_pinned_mempool_alloc: out is NULL");
    *out = NULL;
    pinned_pool *from;
    LAB_TRY(resolve(&from, handle, "lab_pinned_mempool_alloc"));
    if (bytes == 0) return LAB_SUCCESS;
    record_entry *entry = record_begin(LAB_OP_PINNED_POOL_ALLOC, from->context->device);
    lab_status status = alloc(out, from, bytes);
    if (status == LAB_SUCCESS) ledger_add((uintptr_t)*out, bytes, NULL);
    if (status == LAB_SUCCESS) record_made(entry, (uintptr_t)*out, bytes);
    record_end(entry, status);
    return status;
}

/* With the lock. */
static lab_status find_used(pinned_block **out, const pinned_pool *of, uint64_t address, const char *call)
{
    *out = number_map_get(&of->blocks, address);
    if (*out && (*out)->used) return LAB_SUCCESS;
    if (*out)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0x%llx was freed already", call, (unsigned long long)address);
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0x%llx is not the beginning of a block of this pool", call,
                    (unsigned long long)address);
}

lab_status lab_pinned_mempool_free(lab_pinned_mempool *handle, void *memory)
{
    if (!memory) return LAB_SUCCESS;
    pinned_pool *to;
    LAB_TRY(resolve(&to, handle, "lab_pinned_mempool_free"));
    record_entry *entry = record_begin(LAB_OP_PINNED_POOL_FREE, to->context->device);
    pinned_block *block;
    lock(to);
    lab_status status = find_used(&block, to, (uintptr_t)memory, "lab_pinned_mempool_free");
    if (status == LAB_SUCCESS) {
        ledger_remove(block->address, block->bytes);
        record_gives_back(entry, block->address, block->bytes);
        pool_uses_mark(&to->streams, block->uses);
        block->used = false;
        to->used -= block->bytes;
        to->used_blocks--;
        add_free(to, block);
    }
    unlock(to);
    record_end(entry, status);
    return status;
}

static lab_status note_use(pinned_pool *of, uint64_t address, struct stream *user, const char *call)
{
    pinned_block *block;
    lock(of);
    lab_status status = find_used(&block, of, address, call);
    if (status == LAB_SUCCESS) {
        pool_stream *by = pool_stream_of(&of->streams, user);
        if (!by || !pool_uses_note(&block->uses, by)) status = no_host_memory(call);
    }
    unlock(of);
    return status;
}

lab_status lab_pinned_mempool_record_stream(lab_pinned_mempool *handle, void *memory, lab_stream *stream)
{
    pinned_pool *of;
    struct stream *user;
    LAB_TRY(resolve(&of, handle, "lab_pinned_mempool_record_stream"));
    LAB_TRY(stream_resolve(&user, stream, "lab_pinned_mempool_record_stream"));
    return note_use(of, (uintptr_t)memory, user, "lab_pinned_mempool_record_stream");
}

static bool narrow(range *found, uint64_t address)
{
    pinned_pool *of = handle_get(HANDLE_PINNED_MEMPOOL, found->pool);
    if (!of) return false;
    lock(of);
    const pinned_block *block = number_map_get(&of->blocks, found->address);
    bool in_use = block && block->used && address - block->address < block->bytes;
    unlock(of);
    return in_use;
}

static lab_status note_use_in(const range *found, struct stream *user, const char *call)
{
    pinned_pool *of = handle_get(HANDLE_PINNED_MEMPOOL, found->pool);
    return of ? note_use(of, found->address, user, call) : LAB_SUCCESS;
}

static const range_cutter cutter = {narrow, note_use_in};

/* ------------------------------------------------------------------------------------------------------
 * What a pool holds
 */

lab_status lab_pinned_mempool_free_all_blocks(lab_pinned_mempool *handle)
{
    pinned_pool *of;
    LAB_TRY(resolve(&of, handle, "lab_pinned_mempool_free_all_blocks"));
    return free_all(of, "lab_pinned_mempool_free_all_blocks");
}

lab_status lab_pinned_mempool_destroy(lab_pinned_mempool *handle)
{
    if (!handle) return LAB_SUCCESS;
    pinned_pool *unused;
    LAB_TRY(resolve(&unused, handle, "lab_pinned_mempool_destroy"));
    if (unused == atomic_load(&unused->context->attachment[DEFAULT_PINNED_POOL]))
        return lab_fail(LAB_ERROR_NOT_PERMITTED, "lab_pinned_mempool_destroy: the default pool cannot be destroyed");
    lock(unused);
    size_t blocks = unused->used_blocks, held = unused->total;
    unlock(unused);
    if (blocks)
        return lab_fail(LAB_ERROR_NOT_PERMITTED,
                        "lab_pinned_mempool_destroy: %zu block%s of the pool still in use; free %s first", blocks,
                        blocks == 1 ? " is" : "s are", blocks == 1 ? "it" : "them");
    if (held) LAB_TRY(runtime_backend()->capture_check_unsafe("lab_pinned_mempool_destroy"));
    if (!handle_remove(HANDLE_PINNED_MEMPOOL, unused->handle))
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "lab_pinned_mempool_destroy: the pool was already destroyed");
    context_remove(unused->context, &unused->member);
    lab_status status = free_all(unused, "lab_pinned_mempool_destroy");
    free_pool(unused);
    return status;
}

enum statistic { USED, FREE, TOTAL, FREE_BLOCKS };

/* 0 for a pool that was destroyed. */
static size_t read_statistic(const lab_pinned_mempool *handle, enum statistic which)
{
    pinned_pool *of;
    if (resolve(&of, handle, "lab_pinned_mempool") != LAB_SUCCESS) return 0;
    lock(of);
    size_t value[] = {
        [USED] = of->used, [FREE] = of->total - of->used, [TOTAL] = of->total, [FREE_BLOCKS] = of->free_blocks};
    unlock(of);
    return value[which];
}

size_t lab_pinned_mempool_used_bytes(const lab_pinned_mempool *pool) { return read_statistic(pool, USED); }

size_t lab_pinned_mempool_free_bytes(const lab_pinned_mempool *pool) { return read_statistic(pool, FREE); }

size_t lab_pinned_mempool_total_bytes(const lab_pinned_mempool *pool) { return read_statistic(pool, TOTAL); }

size_t lab_pinned_mempool_n_free_blocks(const lab_pinned_mempool *pool) { return read_statistic(pool, FREE_BLOCKS); }
