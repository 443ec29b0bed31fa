/* The public functions of device memory pools: handles, checks of arguments, and statistics. */
#include "base/handle.h"
#include "objects/contexts/context_stack.h"
#include "order/order.h"
#include "pool.h"

static lab_mempool *as_handle(const pool *owner) { return (lab_mempool *)(uintptr_t)owner->handle; }

static lab_status resolve_any(pool **out, const lab_mempool *handle, const char *call)
{
    if (!handle) {
        struct context *current;
        LAB_TRY(context_current(&current));
        return pool_of_context(out, current);
    }
    LAB_TRY(runtime_check());
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the pool was destroyed before this call, or never created", call);
}

/* NULL means the default pool of the current device. */
static inline lab_status resolve(pool **out, const lab_mempool *handle, const char *call)
{
    *out = handle_get(HANDLE_MEMPOOL, (uintptr_t)handle);
    return *out ? runtime_check() : resolve_any(out, handle, call);
}

lab_mempool *lab_mempool_default(void)
{
    RETIRE_SCOPE;
    pool *found;
    return resolve(&found, NULL, "lab_mempool_default") == LAB_SUCCESS ? as_handle(found) : NULL;
}

lab_status lab_mempool_create(lab_mempool **out, const lab_allocator *source)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mempool_create: out is NULL");
    *out = NULL;
    if (source && (!source->alloc || !source->free))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mempool_create: the source has no %s function",
                        source->alloc ? "free" : "alloc");
    CONTEXT_HELD struct context *current = NULL;
    pool *made;
    LAB_TRY(context_hold_current(&current));
    LAB_TRY(pool_create(&made, current, source, "lab_mempool_create"));
    *out = as_handle(made);
    return LAB_SUCCESS;
}

lab_status lab_mempool_destroy(lab_mempool *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    pool *unused;
    LAB_TRY(resolve(&unused, handle, "lab_mempool_destroy"));
    if (unused == atomic_load(&unused->context->attachment[DEFAULT_POOL]))
        return lab_fail(LAB_ERROR_NOT_PERMITTED,
                        "lab_mempool_destroy: the default pool of device %d cannot be destroyed",
                        unused->context->device);
    return pool_destroy(unused, "lab_mempool_destroy");
}

lab_status lab_mempool_alloc(lab_deviceptr *out, lab_mempool *handle, size_t bytes, lab_stream *stream_handle)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mempool_alloc: out is NULL");
    *out = 0;
    pool *owner;
    struct stream *stream;
    LAB_TRY(resolve(&owner, handle, "lab_mempool_alloc"));
    LAB_TRY(stream_resolve(&stream, stream_handle, "lab_mempool_alloc"));
    uint64_t address;
    LAB_TRY(pool_alloc(&address, owner, bytes, stream, "lab_mempool_alloc"));
    *out = address;
    return LAB_SUCCESS;
}

lab_status lab_mempool_free(lab_mempool *handle, lab_deviceptr memory, lab_stream *stream_handle)
{
    RETIRE_SCOPE;
    if (memory == 0) return LAB_SUCCESS;
    pool *owner;
    struct stream *stream;
    LAB_TRY(resolve(&owner, handle, "lab_mempool_free"));
    LAB_TRY(stream_resolve(&stream, stream_handle, "lab_mempool_free"));
    return pool_free(owner, memory, stream, "lab_mempool_free");
}

lab_status lab_mempool_record_stream(lab_mempool *handle, lab_deviceptr memory, lab_stream *stream)
{
    RETIRE_SCOPE;
    pool *owner;
    struct stream *user;
    LAB_TRY(resolve(&owner, handle, "lab_mempool_record_stream"));
    LAB_TRY(stream_resolve(&user, stream, "lab_mempool_record_stream"));
    LAB_TRY(pool_record_stream(owner, memory, user, "lab_mempool_record_stream"));
    order_memory_told(false, memory, &user->identity);
    return LAB_SUCCESS;
}

lab_status lab_mempool_free_all_blocks(lab_mempool *handle)
{
    RETIRE_SCOPE;
    pool *owner;
    LAB_TRY(resolve(&owner, handle, "lab_mempool_free_all_blocks"));
    return pool_free_all(owner, NULL, "lab_mempool_free_all_blocks");
}

lab_status lab_mempool_free_stream_blocks(lab_mempool *handle, lab_stream *stream)
{
    RETIRE_SCOPE;
    pool *owner;
    struct stream *only;
    LAB_TRY(resolve(&owner, handle, "lab_mempool_free_stream_blocks"));
    LAB_TRY(stream_resolve(&only, stream, "lab_mempool_free_stream_blocks"));
    return pool_free_all(owner, only, "lab_mempool_free_stream_blocks");
}

lab_status lab_mempool_set_limit(lab_mempool *handle, size_t bytes)
{
    RETIRE_SCOPE;
    pool *owner;
    LAB_TRY(resolve(&owner, handle, "lab_mempool_set_limit"));
    pool_set_limit(owner, bytes);
    return LAB_SUCCESS;
}

lab_status lab_mempool_set_limit_percent(lab_mempool *handle, double percent)
{
    RETIRE_SCOPE;
    pool *owner;
    LAB_TRY(resolve(&owner, handle, "lab_mempool_set_limit_percent"));
    if (!(percent >= 0 && percent <= 100))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mempool_set_limit_percent: %g is not from 0 to 100", percent);
    pool_set_limit(owner, pool_limit_of_percent(percent, owner->context->info.total_memory));
    return LAB_SUCCESS;
}

enum statistic { USED, FREE, TOTAL, FREE_BLOCKS, LIMIT };

/* 0 for a pool that was destroyed. */
static size_t read_statistic(const lab_mempool *handle, enum statistic which)
{
    RETIRE_SCOPE;
    pool *owner;
    if (resolve(&owner, handle, "lab_mempool") != LAB_SUCCESS) return 0;
    pthread_mutex_lock(&owner->streams.lock);
    size_t value[] = {[USED] = owner->used,
                      [FREE] = owner->total - owner->used,
                      [TOTAL] = owner->total,
                      [FREE_BLOCKS] = owner->free_blocks,
                      [LIMIT] = owner->limit};
    pthread_mutex_unlock(&owner->streams.lock);
    return value[which];
}

size_t lab_mempool_used_bytes(const lab_mempool *handle) { return read_statistic(handle, USED); }

size_t lab_mempool_free_bytes(const lab_mempool *handle) { return read_statistic(handle, FREE); }

size_t lab_mempool_total_bytes(const lab_mempool *handle) { return read_statistic(handle, TOTAL); }

size_t lab_mempool_n_free_blocks(const lab_mempool *handle) { return read_statistic(handle, FREE_BLOCKS); }

size_t lab_mempool_get_limit(const lab_mempool *handle) { return read_statistic(handle, LIMIT); }
