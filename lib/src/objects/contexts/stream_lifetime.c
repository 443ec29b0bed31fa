/* How streams begin and end: their objects, handles and numbers. */
#include "stream_lifetime.h"

#include "base/status.h"
#include "order/order.h"
#include "record/record.h"

#include <stdlib.h>

static _Atomic uint64_t last_id;

/* Makes a stream object with these properties, and its handle. */
static lab_status adopt(struct stream **out, const struct stream *properties)
{
    struct stream *made = malloc(sizeof *made);
    uint64_t handle = 0;
    if (made) {
        *made = *properties;
        handle = handle_create(HANDLE_STREAM, made);
    }
    if (!handle) {
        free(made);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for another stream");
    }
    made->handle = (lab_stream *)(uintptr_t)handle;
    *out = made;
    return LAB_SUCCESS;
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
    LAB_TRY(adopt(&made, &(struct stream){.context = owner, .native = runtime_backend()->stream_null(owner->native)}));
    give_number(made, true);
    *out = made->handle;
    return LAB_SUCCESS;
}

void stream_drop_null(lab_stream *handle)
{
    struct stream *removed = handle_remove(HANDLE_STREAM, (uintptr_t)handle);
    context_tell_stream_end(removed);
    free(removed);
}

/* The stream's context ends, and the stream with it. */
static void end_with_context(context_member *member)
{
    struct stream *ended = (struct stream *)((char *)member - offsetof(struct stream, member));
    handle_remove(HANDLE_STREAM, (uintptr_t)ended->handle);
    if (!ended->wrapped) context_tell_stream_end(ended);
    if (!ended->wrapped) order_stream_ended(&ended->identity);
    if (!ended->wrapped) runtime_backend()->stream_destroy(ended->native);
    free(ended);
}

lab_status stream_begin(struct stream **out, const struct stream *properties)
{
    lab_status status = adopt(out, properties);
    if (status != LAB_SUCCESS) {
        runtime_backend()->stream_destroy(properties->native);
        return status;
    }
    give_number(*out, false);
    context_add(properties->context, &(*out)->member, end_with_context);
    return LAB_SUCCESS;
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
    if (!removed->wrapped) context_tell_stream_end(removed);
    if (!removed->wrapped) order_stream_ended(&removed->identity);
    lab_status status = removed->wrapped ? LAB_SUCCESS : runtime_backend()->stream_destroy(removed->native);
    free(removed);
    return status;
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
    LAB_TRY(adopt(out, &(struct stream){.context = context, .wrapped = known}));
    context_add(context, &(*out)->member, end_with_context);
    return LAB_SUCCESS;
}
