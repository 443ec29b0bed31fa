/* The public functions of contexts: making, ending, waiting, queries, and access to the memory of peers. */
#include "base/handle.h"
#include "base/status.h"
#include "context_lifetime.h"
#include "context_stack.h"
#include "ranges.h"
#include "record/submission.h"

#include <stdlib.h>

lab_status lab_context_primary_retain(lab_context **out, int device)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_context_primary_retain: out is NULL");
    *out = NULL;
    struct context *found;
    LAB_TRY(context_primary(&found, device, "lab_context_primary_retain"));
    atomic_fetch_add(&found->retained, 1);
    *out = found->handle;
    return LAB_SUCCESS;
}

lab_status lab_context_primary_release(int device)
{
    LAB_TRY(runtime_check_device(device, "lab_context_primary_release"));
    struct context *found = context_existing_primary(device);
    int before = found ? atomic_load(&found->retained) : 0;
    while (before > 0 && !atomic_compare_exchange_weak(&found->retained, &before, before - 1)) {}
    if (before == 0)
        return lab_fail(
            LAB_ERROR_INVALID_CONTEXT,
            "lab_context_primary_release: the primary context of device %d is not retained; every release needs "
            "a retain before it",
            device);
    return before == 1 && !atomic_load(&found->used_by_threads) ? context_reset(found) : LAB_SUCCESS;
}

lab_status lab_device_reset(int device)
{
    RETIRE_SCOPE;
    LAB_TRY(runtime_check_device(device, "lab_device_reset"));
    struct context *found = context_existing_primary(device);
    if (!found) return LAB_SUCCESS;
    record_entry *entry = record_begin(LAB_OP_CONTEXT_DESTROY, device);
    record_object(entry, found->number);
    record_waits_for_context(entry, found->number);
    retire_keep(NULL);
    lab_status status = context_reset(found);
    record_end(entry, status);
    return status;
}

lab_status lab_context_create(lab_context **out, int device)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_context_create: out is NULL");
    *out = NULL;
    LAB_TRY(runtime_check_device(device, "lab_context_create"));
    record_entry *entry = record_begin(LAB_OP_CONTEXT_CREATE, device);
    struct context *made = NULL;
    lab_status status = context_make(&made, device, false);
    if (status == LAB_SUCCESS) {
        record_object(entry, made->number);
        status = context_stack_push(made->handle, "lab_context_create");
        if (status != LAB_SUCCESS && handle_remove(HANDLE_CONTEXT, (uintptr_t)made->handle)) {
            context_list_remove(made);
            context_end(made);
        }
    }
    record_end(entry, status);
    if (status != LAB_SUCCESS) return status;
    *out = made->handle;
    return LAB_SUCCESS;
}

static bool is_own(const void *context) { return !((const struct context *)context)->primary; }

lab_status lab_context_destroy(lab_context *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(runtime_open());
    struct context *removed = handle_remove_if(HANDLE_CONTEXT, (uintptr_t)handle, is_own);
    if (!removed) {
        LAB_TRY(context_resolve(&removed, handle, "lab_context_destroy"));
        return lab_fail(LAB_ERROR_INVALID_CONTEXT,
                        "lab_context_destroy: the primary context of device %d is shared by all and not destroyed; "
                        "lab_device_reset ends what belongs to it",
                        removed->device);
    }
    record_entry *entry = record_begin(LAB_OP_CONTEXT_DESTROY, removed->device);
    record_object(entry, removed->number);
    record_waits_for_context(entry, removed->number);
    context_stack_leave(handle);
    context_list_remove(removed);
    retire_keep(NULL);                    /* the context and its members are this call's own */
    pthread_rwlock_wrlock(&removed->use); /* calls of other threads that have begun in it end first */
    context_end_members(removed);
    pthread_rwlock_unlock(&removed->use);
    context_end(removed);
    record_end(entry, LAB_SUCCESS);
    return LAB_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------
 * Waiting and queries
 */

/* Holds the context behind a handle; NULL means the current context. */
static lab_status hold_or_current(struct context **out, const lab_context *handle, const char *call)
{
    return handle ? context_hold(out, handle, call) : context_hold_current(out);
}

lab_status lab_context_synchronize(lab_context *handle)
{
    RETIRE_SCOPE;
    CONTEXT_HELD struct context *found = NULL;
    LAB_TRY(hold_or_current(&found, handle, "lab_context_synchronize"));
    retire_keep(NULL); /* the context is held */
    record_entry *entry = record_begin(LAB_OP_CONTEXT_SYNC, found->device);
    record_object(entry, found->number);
    record_waits_for_context(entry, found->number);
    lab_status status = runtime_backend()->context_synchronize(found->native);
    record_end(entry, status);
    return status;
}

lab_status lab_context_get_info(lab_context_info *info, const lab_context *handle)
{
    RETIRE_SCOPE;
    if (!info) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_context_get_info: info is NULL");
    CONTEXT_HELD struct context *found = NULL;
    LAB_TRY(hold_or_current(&found, handle, "lab_context_get_info"));
    *info = (lab_context_info){.id = found->number, .device = found->device, .primary = found->primary};
    ranges_sum(device_ranges, found, &info->allocations, &info->device_bytes);
    ranges_sum(pinned_ranges, found, &info->pinned_allocations, &info->pinned_bytes);
    return LAB_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------
 * Peers
 */

/* The index of the peer in the context's list, or -1. The caller holds the context's lock. */
static int find_peer(const struct context *context, uint64_t number)
{
    for (int i = 0; i < context->peers; i++)
        if (context->peer[i] == number) return i;
    return -1;
}

bool context_may_use(struct context *context, const struct context *memory_owner)
{
    if (context == memory_owner) return true;
    pthread_mutex_lock(&context->lock);
    bool may = find_peer(context, memory_owner->number) >= 0;
    pthread_mutex_unlock(&context->lock);
    return may;
}

/* The caller holds the context's lock. */
static lab_status add_peer(struct context *context, struct context *peer)
{
    char peer_name[CONTEXT_NAME_BYTES];
    if (find_peer(context, peer->number) >= 0)
        return lab_fail(LAB_ERROR_PEER_ACCESS_ALREADY_ENABLED,
                        "lab_context_enable_peer_access: access to the memory of %s is enabled already",
                        context_describe(peer_name, sizeof peer_name, peer));
    uint64_t *larger = realloc(context->peer, (size_t)(context->peers + 1) * sizeof *larger);
    if (!larger)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_context_enable_peer_access: no host memory to note the peer");
    context->peer = larger;
    LAB_TRY(runtime_backend()->peer_access(context->native, peer->native, true));
    context->peer[context->peers++] = peer->number;
    return LAB_SUCCESS;
}

lab_status lab_context_enable_peer_access(lab_context *peer_handle)
{
    RETIRE_SCOPE;
    CONTEXT_HELD struct context *current = NULL;
    struct context *peer; /* not held: a thread that held two contexts could meet one that holds them the other way */
    LAB_TRY(context_resolve(&peer, peer_handle, "lab_context_enable_peer_access"));
    LAB_TRY(context_hold_current(&current));
    if (peer == current)
        return lab_fail(LAB_ERROR_INVALID_CONTEXT,
                        "lab_context_enable_peer_access: the peer is the current context itself");
    if (!runtime_backend()->can_access_peer(current->device, peer->device))
        return lab_fail(
            LAB_ERROR_PEER_ACCESS_UNSUPPORTED,
            "lab_context_enable_peer_access: kernels on device %d cannot use the memory of another context on "
            "device %d (lab_device_can_access_peer); copy with lab_memcpy_peer",
            current->device, peer->device);
    pthread_mutex_lock(&current->lock);
    lab_status status = add_peer(current, peer);
    pthread_mutex_unlock(&current->lock);
    return status;
}

lab_status lab_context_disable_peer_access(lab_context *peer_handle)
{
    RETIRE_SCOPE;
    CONTEXT_HELD struct context *current = NULL;
    struct context *peer;
    LAB_TRY(context_resolve(&peer, peer_handle, "lab_context_disable_peer_access"));
    LAB_TRY(context_hold_current(&current));
    char peer_name[CONTEXT_NAME_BYTES];
    lab_status status = LAB_SUCCESS;
    pthread_mutex_lock(&current->lock);
    int index = find_peer(current, peer->number);
    if (index < 0) {
        status = lab_fail(LAB_ERROR_PEER_ACCESS_NOT_ENABLED,
                          "lab_context_disable_peer_access: access to the memory of %s is not enabled",
                          context_describe(peer_name, sizeof peer_name, peer));
    } else {
        current->peer[index] = current->peer[--current->peers];
        status = runtime_backend()->peer_access(current->native, peer->native, false);
    }
    pthread_mutex_unlock(&current->lock);
    return status;
}
