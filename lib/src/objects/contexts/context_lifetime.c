/* How contexts begin and end, and what ends with them: members, memory, the null stream. */
#include "context_lifetime.h"

#include "base/handle.h"
#include "base/status.h"
#include "order/order.h"
#include "ranges.h"
#include "seam/ledger.h"
#include "stream_lifetime.h"

#include <stdlib.h>

static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct context *) primary[BACKEND_MOST_DEVICES]; /* NULL until made */
static _Atomic uint64_t last_number;

void context_end_members(struct context *context)
{
    runtime_backend()->context_wait(context->native);
    for (context_member *member; (member = context_take_member(context));) member->end(member);
    range memory;
    while (ranges_remove_any(device_ranges, context, &memory)) {
        ledger_remove(memory.address, memory.bytes);
        runtime_backend()->memory_free(context->native, memory.address, memory.bytes);
    }
    while (ranges_remove_any(pinned_ranges, context, &memory)) {
        ledger_remove(memory.address, memory.bytes);
        if (memory.registered)
            runtime_backend()->host_unregister(context->native, (void *)(uintptr_t)memory.address, memory.bytes);
        else
            runtime_backend()->host_free(context->native, (void *)(uintptr_t)memory.address, memory.bytes);
    }
    context_tell_end(context);
}

lab_status context_reset(struct context *context)
{
    pthread_rwlock_wrlock(&context->use);
    context_end_members(context);
    lab_status status = runtime_backend()->context_reset(context->native);
    pthread_rwlock_unlock(&context->use);
    return status;
}

/* ------------------------------------------------------------------------------------------------------
 * Beginning and end
 */

static void release(retired *object)
{
    struct context *ended = (struct context *)object;
    pthread_mutex_destroy(&ended->lock);
    pthread_rwlock_destroy(&ended->use);
    free(ended->peer);
    free(ended);
}

void context_end(struct context *ended)
{
    order_context_ended(ended->number);
    if (ended->null_stream) stream_drop_null(ended->null_stream);
    if (ended->native) runtime_backend()->context_destroy(ended->native);
    retire(&ended->retired, release);
}

static lab_status begin(struct context *made)
{
    const lab_backend *backend = runtime_backend();
    LAB_TRY(backend->device_info(&made->info, made->device));
    LAB_TRY(made->primary ? backend->context_primary(&made->native, made->device)
                          : backend->context_create(&made->native, made->device));
    LAB_TRY(stream_adopt_null(&made->null_stream, made));
    context_list_add(made); /* before another thread can find and destroy it */
    made->handle = (lab_context *)(uintptr_t)handle_create(HANDLE_CONTEXT, made);
    if (made->handle) return LAB_SUCCESS;
    context_list_remove(made);
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a context");
}

lab_status context_make(struct context **out, int device, bool is_primary)
{
    struct context *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a context on device %d", device);
    pthread_rwlock_init(&made->use, NULL);
    made->number = atomic_fetch_add(&last_number, 1) + 1;
    made->device = device;
    made->primary = is_primary;
    made->members.next = made->members.previous = &made->members;
    pthread_mutex_init(&made->lock, NULL);
    lab_status status = begin(made);
    if (status != LAB_SUCCESS) {
        context_end(made);
        return status;
    }
    *out = made;
    return LAB_SUCCESS;
}

/* The caller holds primary_lock. */
static lab_status make_primary(struct context **out, int device)
{
    *out = atomic_load_explicit(&primary[device], memory_order_relaxed);
    if (*out) return LAB_SUCCESS;
    LAB_TRY(context_make(out, device, true));
    atomic_store_explicit(&primary[device], *out, memory_order_release);
    return LAB_SUCCESS;
}

lab_status context_primary(struct context **out, int device, const char *call)
{
    LAB_TRY(runtime_check_device(device, call));
    *out = atomic_load_explicit(&primary[device], memory_order_acquire);
    if (*out) return LAB_SUCCESS;
    pthread_mutex_lock(&primary_lock);
    lab_status status = make_primary(out, device);
    pthread_mutex_unlock(&primary_lock);
    return status;
}

struct context *context_existing_primary(int device)
{
    return atomic_load_explicit(&primary[device], memory_order_acquire);
}
