/* Contexts as objects: their members, the list of all contexts, and the listener to their end. */
#include "context.h"

#include "base/handle.h"
#include "base/status.h"
#include "record/record.h"

#include <stdio.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct context *all;
static _Atomic(const lifetime_listener *) listener;

const char *context_describe(char *out, size_t bytes, const struct context *context)
{
    if (context->primary)
        snprintf(out, bytes, "the primary context of device %d", context->device);
    else
        snprintf(out, bytes, "context %llu on device %d", (unsigned long long)context->number, context->device);
    return out;
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

bool context_try_hold(struct context **out, struct context *found, const lab_context *handle)
{
    pthread_rwlock_rdlock(&found->use);
    if (handle_get(HANDLE_CONTEXT, (uintptr_t)handle) == found)
        *out = found;
    else
        pthread_rwlock_unlock(&found->use);
    return *out;
}

lab_status context_hold_found(struct context **out, struct context *found, const char *call)
{
    const lab_context *handle = found->handle;
    return context_try_hold(out, found, handle) ? LAB_SUCCESS : context_resolve(&found, handle, call);
}

lab_status context_hold(struct context **out, const lab_context *handle, const char *call)
{
    struct context *found;
    *out = NULL;
    LAB_TRY(context_resolve(&found, handle, call));
    return context_hold_found(out, found, call);
}

void context_release(struct context **held)
{
    if (*held) pthread_rwlock_unlock(&(*held)->use);
}

/* ------------------------------------------------------------------------------------------------------
 * Members
 */

void context_add(struct context *context, context_member *member, void (*end)(context_member *member))
{
    context_member *head = &context->members;
    member->end = end;
    pthread_mutex_lock(&context->lock);
    member->next = head->next;
    member->previous = head;
    head->next->previous = member;
    head->next = member;
    pthread_mutex_unlock(&context->lock);
}

static void unlink_member(context_member *member)
{
    if (!member->next) return;
    member->next->previous = member->previous;
    member->previous->next = member->next;
    member->next = member->previous = NULL;
}

void context_remove(struct context *context, context_member *member)
{
    pthread_mutex_lock(&context->lock);
    unlink_member(member);
    pthread_mutex_unlock(&context->lock);
}

context_member *context_take_member(struct context *context)
{
    context_member *head = &context->members, *taken = NULL;
    pthread_mutex_lock(&context->lock);
    if (head->next != head) {
        taken = head->next;
        unlink_member(taken);
    }
    pthread_mutex_unlock(&context->lock);
    return taken;
}

/* ------------------------------------------------------------------------------------------------------
 * The list of all contexts
 */

/* Waits for the work of all contexts, at the end of a record. */
static void wait_for_all(void)
{
    pthread_mutex_lock(&list_lock);
    for (const struct context *each = all; each; each = each->next) runtime_backend()->context_wait(each->native);
    pthread_mutex_unlock(&list_lock);
}

void context_list_add(struct context *made)
{
    record_set_wait(wait_for_all);
    pthread_mutex_lock(&list_lock);
    made->next = all;
    all = made;
    pthread_mutex_unlock(&list_lock);
}

void context_list_remove(const struct context *ended)
{
    pthread_mutex_lock(&list_lock);
    struct context **link = &all;
    while (*link != ended) link = &(*link)->next;
    *link = ended->next;
    pthread_mutex_unlock(&list_lock);
}

lab_context *context_list_made(void)
{
    pthread_mutex_lock(&list_lock);
    const struct context *each = all;
    while (each && each->primary) each = each->next;
    lab_context *handle = each ? each->handle : NULL;
    pthread_mutex_unlock(&list_lock);
    return handle;
}

/* ------------------------------------------------------------------------------------------------------
 * The listener
 */

void context_set_listener(const lifetime_listener *added) { atomic_store(&listener, added); }

void context_tell_stream_end(struct stream *ending)
{
    const lifetime_listener *active = atomic_load(&listener);
    if (active) active->stream_ends(ending);
}

void context_tell_end(struct context *ending)
{
    const lifetime_listener *active = atomic_load(&listener);
    if (active) active->context_ends(ending);
}
