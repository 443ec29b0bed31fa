/* Contexts: their beginning and end, and what belongs to one. Which context is current is context_stack.c's. */
#include "context.h"

#include "base/handle.h"
#include "seam/ledger.h"
#include "pools/pool_stream.h"
#include "ranges.h"
#include "runtime.h"
#include "stream.h"
#include "order/order.h"
#include "record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct context *all;
static _Atomic(struct context *) primary[RUNTIME_MOST_DEVICES]; /* NULL until made */
static _Atomic uint64_t last_number;

const char *context_describe(char *into, size_t bytes, const struct context *of)
{
    if (of->primary)
        snprintf(into, bytes, "the primary context of device %d", of->device);
    else
        snprintf(into, bytes, "context %llu on device %d", (unsigned long long)of->number, of->device);
    return into;
}

lab_status context_resolve(struct context **out, const lab_context *handle, const char *call)
{
    LAB_TRY(runtime_open());
    *out = handle_get(HANDLE_CONTEXT, (uintptr_t)handle);
    if (*out) return LAB_SUCCESS;
    if (!handle) return lab_fail(LAB_ERROR_INVALID_CONTEXT, "%s: the context is NULL", call);
    return lab_fail(LAB_ERROR_CONTEXT_IS_DESTROYED, "%s: the context was destroyed before this call, or never created",
                    call);
}

/* ------------------------------------------------------------------------------------------------------
 * What belongs to a context
 */

void context_add(struct context *to, context_member *member, void (*end)(context_member *member))
{
    context_member *head = &to->members;
    member->end = end;
    pthread_mutex_lock(&to->lock);
    member->next = head->next;
    member->previous = head;
    head->next->previous = member;
    head->next = member;
    pthread_mutex_unlock(&to->lock);
}

static void unlink_member(context_member *member)
{
    if (!member->next) return;
    member->next->previous = member->previous;
    member->previous->next = member->next;
    member->next = member->previous = NULL;
}

void context_remove(struct context *from, context_member *member)
{
    pthread_mutex_lock(&from->lock);
    unlink_member(member);
    pthread_mutex_unlock(&from->lock);
}

/* The youngest member, no longer in the context; NULL if there is none. */
static context_member *take_member(struct context *from)
{
    context_member *head = &from->members, *taken = NULL;
    pthread_mutex_lock(&from->lock);
    if (head->next != head) {
        taken = head->next;
        unlink_member(taken);
    }
    pthread_mutex_unlock(&from->lock);
    return taken;
}

/* Waits for the context's work, failed or not, then ends all that belongs to it but its null stream. */
static void end_members(struct context *of)
{
    runtime_backend()->context_wait(of->native);
    for (context_member *member; (member = take_member(of));) member->end(member);
    range memory;
    while (ranges_remove_any(device_ranges, of, &memory)) {
        ledger_remove(memory.address, memory.bytes);
        runtime_backend()->memory_free(of->native, memory.address, memory.bytes);
    }
    while (ranges_remove_any(pinned_ranges, of, &memory)) {
        ledger_remove(memory.address, memory.bytes);
        if (memory.registered)
            runtime_backend()->host_unregister(of->native, (void *)(uintptr_t)memory.address, memory.bytes);
        else
            runtime_backend()->host_free(of->native, (void *)(uintptr_t)memory.address, memory.bytes);
    }
    pools_note_context_end(of);
}

/* What the primary context does instead of ending. */
static lab_status reset(struct context *of)
{
    end_members(of);
    return runtime_backend()->context_reset(of->native);
}

/* ------------------------------------------------------------------------------------------------------
 * Beginning and end
 */

static void free_context(struct context *of)
{
    order_context_ended(of);
    if (of->null_stream) stream_drop_null(of->null_stream);
    if (of->native) runtime_backend()->context_destroy(of->native);
    pthread_mutex_destroy(&of->lock);
    free(of->peer);
    free(of);
}

static lab_status begin(struct context *made)
{
    const lab_backend *backend = runtime_backend();
    LAB_TRY(backend->device_info(&made->info, made->device));
    LAB_TRY(made->primary ? backend->context_primary(&made->native, made->device)
                          : backend->context_create(&made->native, made->device));
    LAB_TRY(stream_adopt_null(&made->null_stream, made));
    made->handle = (lab_context *)(uintptr_t)handle_create(HANDLE_CONTEXT, made);
    return made->handle ? LAB_SUCCESS : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a context");
}

static lab_status make_context(struct context **out, int device, bool is_primary)
{
    struct context *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a context on device %d", device);
    made->number = atomic_fetch_add(&last_number, 1) + 1;
    made->device = device;
    made->primary = is_primary;
    made->members.next = made->members.previous = &made->members;
    pthread_mutex_init(&made->lock, NULL);
    lab_status status = begin(made);
    if (status != LAB_SUCCESS) {
        free_context(made);
        return status;
    }
    *out = made;
    return LAB_SUCCESS;
}

static void list_context(struct context *made)
{
    made->next = all;
    all = made;
}

static void unlist_context(const struct context *ended)
{
    pthread_mutex_lock(&list_lock);
    struct context **link = &all;
    while (*link != ended) link = &(*link)->next;
    *link = ended->next;
    pthread_mutex_unlock(&list_lock);
}

/* With the list's lock. */
static lab_status make_primary(struct context **out, int device)
{
    *out = atomic_load_explicit(&primary[device], memory_order_relaxed);
    if (*out) return LAB_SUCCESS;
    LAB_TRY(make_context(out, device, true));
    list_context(*out);
    atomic_store_explicit(&primary[device], *out, memory_order_release);
    return LAB_SUCCESS;
}

lab_status runtime_primary_context(struct context **out, int device, const char *call)
{
    LAB_TRY(runtime_check_device(device, call));
    *out = atomic_load_explicit(&primary[device], memory_order_acquire);
    if (*out) return LAB_SUCCESS;
    pthread_mutex_lock(&list_lock);
    lab_status status = make_primary(out, device);
    pthread_mutex_unlock(&list_lock);
    return status;
}

lab_status lab_context_primary_retain(lab_context **out, int device)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_context_primary_retain: out is NULL");
    *out = NULL;
    struct context *found;
    LAB_TRY(runtime_primary_context(&found, device, "lab_context_primary_retain"));
    pthread_mutex_lock(&list_lock);
    found->retained++;
    pthread_mutex_unlock(&list_lock);
    *out = found->handle;
    return LAB_SUCCESS;
}

lab_status lab_context_primary_release(int device)
{
    LAB_TRY(runtime_check_device(device, "lab_context_primary_release"));
    struct context *found = atomic_load_explicit(&primary[device], memory_order_acquire);
    pthread_mutex_lock(&list_lock);
    bool retained = found && found->retained > 0;
    bool last = retained && --found->retained == 0;
    pthread_mutex_unlock(&list_lock);
    if (!retained)
        return lab_fail(
            LAB_ERROR_INVALID_CONTEXT,
            "lab_context_primary_release: the primary context of device %d is not retained; every release needs "
            "a retain before it",
            device);
    return last && !atomic_load(&found->used_by_threads) ? reset(found) : LAB_SUCCESS;
}

lab_status lab_device_reset(int device)
{
    LAB_TRY(runtime_check_device(device, "lab_device_reset"));
    struct context *found = atomic_load_explicit(&primary[device], memory_order_acquire);
    if (!found) return LAB_SUCCESS;
    record_entry *entry = record_begin(LAB_OP_CONTEXT_DESTROY, device);
    record_object(entry, found->number);
    record_waits_for_context(entry, found);
    lab_status status = reset(found);
    record_end(entry, status);
    return status;
}

lab_status lab_context_create(lab_context **out, int device)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_context_create: out is NULL");
    *out = NULL;
    LAB_TRY(runtime_check_device(device, "lab_context_create"));
    record_entry *entry = record_begin(LAB_OP_CONTEXT_CREATE, device);
    struct context *made = NULL;
    lab_status status = make_context(&made, device, false);
    if (status == LAB_SUCCESS) {
        record_object(entry, made->number);
        status = context_stack_push(made->handle, "lab_context_create");
        if (status != LAB_SUCCESS) {
            handle_remove(HANDLE_CONTEXT, (uintptr_t)made->handle);
            free_context(made);
        }
    }
    record_end(entry, status);
    if (status != LAB_SUCCESS) return status;
    pthread_mutex_lock(&list_lock);
    list_context(made);
    pthread_mutex_unlock(&list_lock);
    *out = made->handle;
    return LAB_SUCCESS;
}

static bool is_own(const void *context) { return !((const struct context *)context)->primary; }

lab_status lab_context_destroy(lab_context *handle)
{
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
    record_waits_for_context(entry, removed);
    context_stack_leave(handle);
    unlist_context(removed);
    end_members(removed);
    free_context(removed);
    record_end(entry, LAB_SUCCESS);
    return LAB_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------
 * Asking and waiting
 */

void context_synchronize_all(void)
{
    pthread_mutex_lock(&list_lock);
    for (const struct context *each = all; each; each = each->next) runtime_backend()->context_wait(each->native);
    pthread_mutex_unlock(&list_lock);
}

/* The context behind a handle; NULL is the current one. */
static lab_status resolve_or_current(struct context **out, const lab_context *handle, const char *call)
{
    return handle ? context_resolve(out, handle, call) : runtime_context(out);
}

lab_status lab_context_synchronize(lab_context *handle)
{
    struct context *found;
    LAB_TRY(resolve_or_current(&found, handle, "lab_context_synchronize"));
    record_entry *entry = record_begin(LAB_OP_CONTEXT_SYNC, found->device);
    record_object(entry, found->number);
    record_waits_for_context(entry, found);
    lab_status status = runtime_backend()->context_synchronize(found->native);
    record_end(entry, status);
    return status;
}

lab_status lab_context_get_info(lab_context_info *info, const lab_context *handle)
{
    if (!info) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_context_get_info: info is NULL");
    struct context *found;
    LAB_TRY(resolve_or_current(&found, handle, "lab_context_get_info"));
    *info = (lab_context_info){.id = found->number, .device = found->device, .primary = found->primary};
    ranges_sum(device_ranges, found, &info->allocations, &info->device_bytes);
    ranges_sum(pinned_ranges, found, &info->pinned_allocations, &info->pinned_bytes);
    return LAB_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------
 * Peers
 */

/* Where the peer is in the context's list, with its lock; -1 if it is not. */
static int find_peer(const struct context *of, uint64_t number)
{
    for (int i = 0; i < of->peers; i++)
        if (of->peer[i] == number) return i;
    return -1;
}

bool context_may_use(struct context *of, const struct context *memory_of)
{
    if (of == memory_of) return true;
    pthread_mutex_lock(&of->lock);
    bool may = find_peer(of, memory_of->number) >= 0;
    pthread_mutex_unlock(&of->lock);
    return may;
}

/* With the context's lock. */
static lab_status add_peer(struct context *to, struct context *peer)
{
    char words[CONTEXT_WORDS];
    if (find_peer(to, peer->number) >= 0)
        return lab_fail(LAB_ERROR_PEER_ACCESS_ALREADY_ENABLED,
                        "lab_context_enable_peer_access: the memory of %s may be used already",
                        context_describe(words, sizeof words, peer));
    uint64_t *larger = realloc(to->peer, (size_t)(to->peers + 1) * sizeof *larger);
    if (!larger)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_context_enable_peer_access: no host memory to note the peer");
    to->peer = larger;
    LAB_TRY(runtime_backend()->peer_access(to->native, peer->native, true));
    to->peer[to->peers++] = peer->number;
    return LAB_SUCCESS;
}

lab_status lab_context_enable_peer_access(lab_context *peer_handle)
{
    struct context *current, *peer;
    LAB_TRY(context_resolve(&peer, peer_handle, "lab_context_enable_peer_access"));
    LAB_TRY(runtime_context(&current));
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
    struct context *current, *peer;
    LAB_TRY(context_resolve(&peer, peer_handle, "lab_context_disable_peer_access"));
    LAB_TRY(runtime_context(&current));
    char words[CONTEXT_WORDS];
    lab_status status = LAB_SUCCESS;
    pthread_mutex_lock(&current->lock);
    int at = find_peer(current, peer->number);
    if (at < 0) {
        status = lab_fail(LAB_ERROR_PEER_ACCESS_NOT_ENABLED,
                          "lab_context_disable_peer_access: the memory of %s was not made usable before",
                          context_describe(words, sizeof words, peer));
    } else {
        current->peer[at] = current->peer[--current->peers];
        status = runtime_backend()->peer_access(current->native, peer->native, false);
    }
    pthread_mutex_unlock(&current->lock);
    return status;
}
