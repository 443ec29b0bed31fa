/* The allocator that arrays use, and the allocators of the library: a pool, and the device itself. */
#include "allocator.h"

#include "base/handle.h"
#include "objects/contexts/context_stack.h"
#include "pool.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static lab_allocator chosen;
static atomic_bool is_chosen;           /* the usual case costs no lock */
static _Thread_local lab_allocator own; /* of the calling thread; without functions if it has none */

static void *as_user(uint64_t pool_handle) { return (void *)(uintptr_t)pool_handle; }

static lab_status resolve(pool **out, void *user, const char *call)
{
    LAB_TRY(runtime_check());
    *out = handle_get(HANDLE_MEMPOOL, (uintptr_t)user);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the memory pool that the allocator stands for was destroyed", call);
}

static lab_status alloc_from_pool(lab_deviceptr *out, size_t bytes, lab_stream *handle, void *user)
{
    RETIRE_SCOPE;
    pool *owner;
    struct stream *stream;
    uint64_t address;
    LAB_TRY(resolve(&owner, user, "allocating an array"));
    LAB_TRY(stream_resolve(&stream, handle, "allocating an array"));
    LAB_TRY(pool_alloc(&address, owner, bytes, stream, "allocating an array"));
    *out = address;
    return LAB_SUCCESS;
}

/* The pool knows which streams use the array. The stream on which it was allocated need not be one of them. */
static lab_status free_to_pool(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    RETIRE_SCOPE;
    (void)bytes, (void)stream;
    pool *owner;
    LAB_TRY(resolve(&owner, user, "freeing an array"));
    return pool_free(owner, memory, NULL, "freeing an array");
}

static lab_status alloc_from_device(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user)
{
    (void)stream, (void)user;
    return lab_mem_alloc(out, bytes);
}

static lab_status free_to_device(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    (void)bytes, (void)stream, (void)user;
    return lab_mem_free(memory);
}

lab_allocator allocator_of_pool(uint64_t handle)
{
    return (lab_allocator){alloc_from_pool, free_to_pool, as_user(handle)};
}

lab_status lab_mempool_allocator(lab_allocator *out, lab_mempool *handle)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mempool_allocator: out is NULL");
    *out = (lab_allocator){0};
    pool *found;
    if (!handle) handle = lab_mempool_default();
    if (!handle) return lab_fail(LAB_ERROR_NOT_INITIALIZED, "lab_mempool_allocator: there is no default pool");
    LAB_TRY(resolve(&found, handle, "lab_mempool_allocator"));
    *out = allocator_of_pool(found->handle);
    return LAB_SUCCESS;
}

lab_allocator lab_device_allocator(void) { return (lab_allocator){alloc_from_device, free_to_device, NULL}; }

static lab_status check_functions(const lab_allocator *allocator, const char *call)
{
    if (allocator->alloc && allocator->free) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the allocator has no %s function", call,
                    allocator->alloc ? "free" : "alloc");
}

lab_status lab_set_allocator(const lab_allocator *allocator)
{
    if (allocator) LAB_TRY(check_functions(allocator, "lab_set_allocator"));
    LAB_TRY(host_function_check());
    if (own.alloc)
        return lab_fail(LAB_ERROR_ILLEGAL_STATE,
                        "lab_set_allocator: this thread has an allocator of its own, by LAB_WITH_ALLOCATOR or "
                        "lab_thread_exchange_allocator; set one for all threads before or after");
    pthread_mutex_lock(&lock);
    chosen = allocator ? *allocator : (lab_allocator){0};
    atomic_store(&is_chosen, allocator != NULL);
    pthread_mutex_unlock(&lock);
    return LAB_SUCCESS;
}

lab_status lab_thread_exchange_allocator(lab_allocator *allocator)
{
    if (!allocator) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_thread_exchange_allocator: allocator is NULL");
    if (allocator->alloc || allocator->free) LAB_TRY(check_functions(allocator, "lab_thread_exchange_allocator"));
    LAB_TRY(host_function_check());
    const lab_allocator before = own;
    own = *allocator;
    *allocator = before;
    return LAB_SUCCESS;
}

static bool get_chosen(lab_allocator *out)
{
    *out = own;
    if (own.alloc) return true;
    if (!atomic_load_explicit(&is_chosen, memory_order_acquire)) return false;
    pthread_mutex_lock(&lock);
    *out = chosen;
    pthread_mutex_unlock(&lock);
    return out->alloc != NULL;
}

lab_status allocator_current(lab_allocator *out, struct context *context)
{
    if (get_chosen(out)) return LAB_SUCCESS;
    pool *found;
    LAB_TRY(pool_of_context(&found, context));
    *out = allocator_of_pool(found->handle);
    return LAB_SUCCESS;
}

lab_status lab_get_allocator(lab_allocator *out)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_get_allocator: out is NULL");
    *out = (lab_allocator){0};
    struct context *current;
    LAB_TRY(context_current(&current));
    return allocator_current(out, current);
}
