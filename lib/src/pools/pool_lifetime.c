/* How device memory pools begin and end, and the default pool of each context. */
#include "pool_arena.h"

#include "base/handle.h"

static pthread_mutex_t default_pools_lock = PTHREAD_MUTEX_INITIALIZER;

/* Frees the pool and its lists. Its memory has been returned, or has ended with its context. */
static void release(retired *object)
{
    pool *owner = (pool *)object;
    pool_streams_begin_close();
    for (pool_chunk *chunk = owner->chunks, *next_chunk; chunk; chunk = next_chunk) {
        next_chunk = chunk->next;
        for (pool_block *block = chunk->first, *next; block; block = next) {
            next = block->next;
            pool_uses_drop(&owner->streams, &block->uses);
            free(block);
        }
        pool_stream_release(&owner->streams, chunk->home);
        free(chunk);
    }
    while (owner->spare) free(pool_take_spare(owner));
    number_map_clear(&owner->blocks);
    pool_streams_close(&owner->streams);
    free(owner);
}

static void end_with_context(context_member *member)
{
    pool *ended = (pool *)((char *)member - offsetof(pool, member));
    if (!handle_remove(HANDLE_MEMPOOL, ended->handle)) return;
    atomic_compare_exchange_strong(&ended->context->attachment[DEFAULT_POOL], &(void *){ended}, NULL);
    pool_lock(ended);
    ended->ended = true;
    pool_unlock(ended);
    retire(&ended->retired, release);
}

lab_status pool_create(pool **out, struct context *context, const lab_allocator *source, const char *call)
{
    size_t limit;
    LAB_TRY(pool_limit_from_environment(&limit, context->info.total_memory));
    pool *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory for a memory pool", call);
    made->context = context;
    if (source) made->source = *source;
    made->limit = limit;
    pool_streams_open(&made->streams);
    context_add(context, &made->member, end_with_context);
    made->handle = handle_create(HANDLE_MEMPOOL, made);
    *out = made;
    if (made->handle) return LAB_SUCCESS;
    context_remove(context, &made->member);
    release(&made->retired);
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory for a memory pool", call);
}

/* Takes the handle out of use unless blocks are in use. With the lock, so that no other thread allocates meanwhile. */
static lab_status end(pool *unused, const char *call)
{
    const size_t blocks = unused->used_blocks;
    if (blocks)
        return lab_fail(LAB_ERROR_NOT_PERMITTED,
                        "%s: %zu block%s of the pool (%zu bytes) %s still in use; free %s first", call, blocks,
                        blocks == 1 ? "" : "s", unused->used, blocks == 1 ? "is" : "are", blocks == 1 ? "it" : "them");
    if (unused->total) LAB_TRY(runtime_backend()->capture_check_unsafe(call));
    if (!handle_remove(HANDLE_MEMPOOL, unused->handle))
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the pool was already destroyed", call);
    unused->ended = true;
    return LAB_SUCCESS;
}

lab_status pool_destroy(pool *unused, const char *call)
{
    pool_lock(unused);
    lab_status status = end(unused, call);
    pool_unlock(unused);
    if (status != LAB_SUCCESS) return status;
    context_remove(unused->context, &unused->member);
    status = pool_free_all(unused, NULL, call);
    retire(&unused->retired, release);
    return status;
}

lab_status pool_of_context(pool **out, struct context *context)
{
    *out = atomic_load(&context->attachment[DEFAULT_POOL]); /* after the thread has entered: see base/retire.h */
    if (*out) return LAB_SUCCESS;
    CONTEXT_HELD struct context *held = NULL;
    LAB_TRY(context_hold_found(&held, context, "the default memory pool"));
    pthread_mutex_lock(&default_pools_lock);
    lab_status status = LAB_SUCCESS;
    *out = atomic_load_explicit(&context->attachment[DEFAULT_POOL], memory_order_relaxed);
    if (!*out) {
        status = pool_create(out, context, NULL, "the default memory pool");
        if (status == LAB_SUCCESS)
            atomic_store_explicit(&context->attachment[DEFAULT_POOL], *out, memory_order_release);
    }
    pthread_mutex_unlock(&default_pools_lock);
    return status;
}
