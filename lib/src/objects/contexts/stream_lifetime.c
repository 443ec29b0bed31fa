/* How streams begin and end: their objects, handles and numbers. */
#include "stream_lifetime.h"

#include "base/status.h"
#include "order/order.h"
#include "record/record.h"

#include <stdlib.h>

static _Atomic uint64_t last_id;

static lab_status no_host_memory(void)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for another stream");
}

/* Makes a stream object with these properties. */
static lab_status make_object(struct stream **out, const struct stream *properties)
{
    struct stream *made = malloc(sizeof *made);
    if (!made) return no_host_memory();
    *made = *properties;
    *out = made;
    return LAB_SUCCESS;
}

/* From here on, other threads may find the stream, and destroy it. */
static lab_status publish(struct stream *made)
{
    made->handle = (lab_stream *)(uintptr_t)handle_create(HANDLE_STREAM, made);
    return made->handle ? LAB_SUCCESS : no_host_memory();
}

static void give_number(struct stream *made, bool null)
{
    made->identity = (stream_identity){.id = atomic_fetch_add(&last_id, 1) + 1,
                                       .context = made->context->number,
                                       .device = made->context->device,
                                       .priority = made->priority,
                                       .null = null,
                                       .blocking = !(made->flags & LAB_STREAM_NON_BLOCKING),
                                       .made = call_site_now()};
    record_stream(&made->identity);
}

lab_status stream_adopt_null(lab_stream **out, struct context *owner)
{
    struct stream *made = NULL;
    LAB_TRY(make_object(&made,
                        &(struct stream){.context = owner, .native = runtime_backend()->stream_null(owner->native)}));
    give_number(made, true);
    lab_status status = publish(made);
    if (status == LAB_SUCCESS)
        *out = made->handle;
    else
        free(made);
    return status;
}

/* Tells everything that knows the stream that it ends. Calls that have found it may still be under way. */
static void tell_end(struct stream *ending)
{
    atomic_store(&ending->ended, true);
    context_tell_stream_end(ending);
    order_stream_ended(&ending->identity);
}

void stream_drop_null(lab_stream *handle)
{
    struct stream *removed = handle_remove(HANDLE_STREAM, (uintptr_t)handle);
    atomic_store(&removed->ended, true);
    context_tell_stream_end(removed);
    retire(&removed->retired, retire_free);
}

static lab_status end_stream(struct stream *removed)
{
    if (!removed->wrapped) tell_end(removed);
    lab_status status = removed->wrapped ? LAB_SUCCESS : runtime_backend()->stream_destroy(removed->native);
    retire(&removed->retired, retire_free);
    return status;
}

/* The stream's context ends, and the stream with it. */
static void end_with_context(context_member *member)
{
    struct stream *ended = (struct stream *)((char *)member - offsetof(struct stream, member));
    if (handle_remove(HANDLE_STREAM, (uintptr_t)ended->handle)) end_stream(ended);
}

lab_status stream_begin(struct stream **out, const struct stream *properties)
{
    struct stream *made = NULL;
    lab_status status = make_object(&made, properties);
    if (status != LAB_SUCCESS) {
        runtime_backend()->stream_destroy(properties->native);
        return status;
    }
    give_number(made, false);
    context_add(made->context, &made->member, end_with_context);
    *out = made;
    status = publish(made);
    if (status != LAB_SUCCESS) stream_release(made);
    return status;
}

lab_status stream_make(struct stream **out, struct stream properties)
{
    LAB_TRY(runtime_backend()->stream_create(&properties.native, properties.context->native, properties.flags,
                                             properties.priority));
    return stream_begin(out, &properties);
}

lab_status stream_release(struct stream *removed)
{
    context_remove(removed->context, &removed->member);
    return end_stream(removed);
}

lab_stream *stream_find_native(struct context *context, const void *native)
{
    const lab_backend *backend = runtime_backend();
    if (backend->stream_native(backend->stream_null(context->native)) == native) return context->null_stream;
    lab_stream *found = NULL;
    pthread_mutex_lock(&context->lock);
    for (context_member *each = context->members.next; each != &context->members && !found; each = each->next) {
        if (each->end != end_with_context) continue;
        const struct stream *stream = (struct stream *)((char *)each - offsetof(struct stream, member));
        if (!stream->wrapped && backend->stream_native(stream->native) == native) found = stream->handle;
    }
    pthread_mutex_unlock(&context->lock);
    return found;
}

lab_status stream_make_alias(struct stream **out, struct context *context, lab_stream *known)
{
    struct stream *made = NULL;
    LAB_TRY(make_object(&made, &(struct stream){.context = context, .wrapped = known}));
    context_add(context, &made->member, end_with_context);
    *out = made;
    lab_status status = publish(made);
    if (status != LAB_SUCCESS) stream_release(made);
    return status;
}
