/* The public functions of streams: making, ending, waiting and queries. */
#include "base/program/host_memory.h"
#include "base/status.h"
#include "context_stack.h"
#include "stream_lifetime.h"
#include "stream_record.h"

static int clamp(int priority, int least, int greatest)
{
    return priority > least ? least : priority < greatest ? greatest : priority;
}

static lab_status create_public(lab_stream **out, unsigned flags, int priority, const char *call)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: out is NULL", call);
    *out = NULL;
    if (flags > LAB_STREAM_NON_BLOCKING)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: flags is %u; use LAB_STREAM_DEFAULT or LAB_STREAM_NON_BLOCKING",
                        call, flags);
    CONTEXT_HELD struct context *owner = NULL;
    struct stream *made;
    LAB_TRY(context_hold_current(&owner));
    int least, greatest;
    runtime_backend()->stream_priorities(&least, &greatest, owner->device);
    record_entry *entry = record_begin(LAB_OP_STREAM_CREATE, owner->device);
    lab_status status = stream_make(
        &made, (struct stream){.context = owner, .flags = flags, .priority = clamp(priority, least, greatest)});
    if (status == LAB_SUCCESS) {
        record_on_stream(entry, &made->identity, 0);
        *out = made->handle;
    }
    record_end(entry, status);
    return status;
}

lab_status lab_stream_create(lab_stream **out, unsigned flags)
{
    return create_public(out, flags, 0, "lab_stream_create");
}

lab_status lab_stream_create_with_priority(lab_stream **out, unsigned flags, int priority)
{
    return create_public(out, flags, priority, "lab_stream_create_with_priority");
}

static bool may_be_destroyed(const void *object)
{
    const struct stream *stream = object;
    return !stream->identity.null && !stream->per_thread;
}

lab_status lab_stream_destroy(lab_stream *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(runtime_check());
    struct stream *removed = handle_remove_if(HANDLE_STREAM, (uintptr_t)handle, may_be_destroyed);
    if (!removed) {
        LAB_TRY(stream_resolve(&removed, handle, "lab_stream_destroy"));
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "lab_stream_destroy: %s cannot be destroyed",
                        removed->identity.null ? "the null stream" : "a thread's default stream");
    }
    if (removed->wrapped) return stream_release(removed);
    record_entry *entry = stream_record_begin(LAB_OP_STREAM_DESTROY, removed);
    lab_status status = stream_release(removed);
    record_end(entry, status);
    return status;
}

lab_status lab_stream_synchronize(lab_stream *handle)
{
    RETIRE_SCOPE;
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_synchronize"));
    record_entry *entry = stream_record_begin(LAB_OP_STREAM_SYNC, found);
    uint64_t covered = stream_begin_wait(found);
    retire_keep(&found->retired);
    lab_status status = runtime_backend()->stream_synchronize(found->native);
    if (status == LAB_SUCCESS) stream_end_wait(found, covered);
    record_end(entry, status);
    return status;
}

lab_status lab_stream_query(lab_stream *handle)
{
    RETIRE_SCOPE;
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_query"));
    record_entry *entry = stream_record_begin(LAB_OP_STREAM_QUERY, found);
    lab_status status = runtime_backend()->stream_query(found->native);
    return record_end_query(entry, &found->answers, status);
}

lab_status lab_stream_get_id(uint64_t *id, lab_stream *handle)
{
    RETIRE_SCOPE;
    if (!id) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_get_id: id is NULL");
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_get_id"));
    *id = found->identity.id;
    return LAB_SUCCESS;
}

lab_status lab_stream_get_device(int *device, lab_stream *handle)
{
    RETIRE_SCOPE;
    if (!device) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_get_device: device is NULL");
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_get_device"));
    *device = found->context->device;
    return LAB_SUCCESS;
}

lab_status lab_stream_get_context(lab_context **context, lab_stream *handle)
{
    RETIRE_SCOPE;
    if (!context) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_get_context: context is NULL");
    *context = NULL;
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_get_context"));
    *context = found->context->handle;
    return LAB_SUCCESS;
}

lab_status lab_stream_get_flags(unsigned *flags, lab_stream *handle)
{
    RETIRE_SCOPE;
    if (!flags) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_get_flags: flags is NULL");
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_get_flags"));
    *flags = found->flags;
    return LAB_SUCCESS;
}

lab_status lab_stream_get_priority(int *priority, lab_stream *handle)
{
    RETIRE_SCOPE;
    if (!priority) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_get_priority: priority is NULL");
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_get_priority"));
    *priority = found->priority;
    return LAB_SUCCESS;
}

lab_status lab_stream_priority_range(int *least, int *greatest)
{
    RETIRE_SCOPE;
    if (!least || !greatest)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_priority_range: %s is NULL", least ? "greatest" : "least");
    CONTEXT_HELD struct context *current = NULL;
    LAB_TRY(context_hold_current(&current));
    runtime_backend()->stream_priorities(least, greatest, current->device);
    return LAB_SUCCESS;
}

lab_status lab_stream_is_equal(bool *equal, lab_stream *one, lab_stream *other)
{
    RETIRE_SCOPE;
    if (!equal) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_is_equal: equal is NULL");
    struct stream *first, *second;
    LAB_TRY(stream_resolve(&first, one, "lab_stream_is_equal"));
    LAB_TRY(stream_resolve(&second, other, "lab_stream_is_equal"));
    *equal = first == second;
    return LAB_SUCCESS;
}

lab_status lab_stream_native(void **native, lab_stream *handle)
{
    RETIRE_SCOPE;
    if (!native) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_native: native is NULL");
    *native = NULL;
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_native"));
    *native = runtime_backend()->stream_native(found->native);
    return LAB_SUCCESS;
}

/* The first handle for a stream that this library did not make. */
static lab_status wrap_foreign(struct stream **out, struct context *context, void *native)
{
    struct stream properties = {.context = context};
    char context_name[CONTEXT_NAME_BYTES];
    lab_status status = LAB_ERROR_INVALID_HANDLE; /* a program in another process cannot have made one here */
    if (host_memory_is_own())
        status = runtime_backend()->stream_wrap(&properties.native, context->native, native, &properties.flags,
                                                &properties.priority);
    if (status == LAB_ERROR_INVALID_HANDLE)
        return lab_fail(status, "lab_stream_from_native: %p is not the native handle of a stream of %s", native,
                        context_describe(context_name, sizeof context_name, context));
    return status == LAB_SUCCESS ? stream_begin(out, &properties) : status;
}

lab_status lab_stream_from_native(lab_stream **out, void *native)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_from_native: out is NULL");
    *out = NULL;
    CONTEXT_HELD struct context *current = NULL;
    LAB_TRY(context_hold_current(&current));
    lab_stream *known = stream_find_native(current, native);
    struct stream *made = NULL;
    LAB_TRY(known ? stream_make_alias(&made, current, known) : wrap_foreign(&made, current, native));
    *out = made->handle;
    return LAB_SUCCESS;
}
