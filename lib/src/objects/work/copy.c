/* Copies and fills: checks that they stay inside allocations, finds out whether host memory is pinned, and records
 * them. The device moves the bytes. */
#include "base/status.h"
#include "base/system/evidence.h"
#include "objects/contexts/context_stack.h"
#include "memory.h"
#include "objects/contexts/stream_record.h"

#include <inttypes.h>

static bool reaches(const range *found, uint64_t address, size_t bytes)
{
    return bytes <= found->bytes - (size_t)(address - found->address);
}

/* Finds the device memory that holds the bytes. Fails if no allocation holds all of them. */
static lab_status check_device_range(range *found, uint64_t address, size_t bytes, const char *what, const char *call)
{
    if (!memory_find_device(found, address))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the %s 0x%" PRIx64 " is not device memory; was it freed?", call,
                        what, address);
    if (reaches(found, address, bytes)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "%s: the %s has %zu bytes from there to the end of its allocation, the call needs %zu", call, what,
                    found->bytes - (size_t)(address - found->address), bytes);
}

/* Keeps memory of a context other than the stream's from being freed before the work just enqueued is done. */
static void note_owner(const struct context *owner, const struct stream *stream)
{
    if (owner && owner != stream->context) runtime_backend()->context_used_by(owner->native, stream->native);
}

static bool is_own(const range *memory, const struct stream *stream)
{
    return !memory->context || memory->context == stream->context;
}

static bool may_wait(const backend_copy *copy) { return copy->kind != BACKEND_COPY_DTOD; }

static lab_op_kind op_kind_of(backend_copy_kind kind)
{
    return kind == BACKEND_COPY_HTOD   ? LAB_OP_COPY_HTOD
           : kind == BACKEND_COPY_DTOH ? LAB_OP_COPY_DTOH
                                       : LAB_OP_COPY_DTOD;
}

/* What the record says of a copy between devices. */
typedef struct peer_copy {
    int device; /* the one that is not the stream's; -1 if both ends are on one device */
    bool access;
} peer_copy;

static peer_copy peer_of(struct context *destination, struct context *source, const struct stream *stream)
{
    if (!record_is_on() || !destination || !source || destination->device == source->device)
        return (peer_copy){.device = -1};
    return (peer_copy){source->device == stream->identity.device ? destination->device : source->device,
                       context_may_use(destination, source) || context_may_use(source, destination)};
}

/* Managed memory is used at addresses of the host, also where it stands for device memory. */
static lab_status enqueue_copy(backend_copy *copy, const range *destination, const range *source, peer_copy peer,
                               struct stream *stream)
{
    bool host_reads = copy->kind == BACKEND_COPY_HTOD, host_writes = copy->kind == BACKEND_COPY_DTOH;
    record_entry *entry = submission_begin_on(op_kind_of(copy->kind), stream);
    record_bytes(entry, copy->bytes);
    if (copy->wait) record_host_waits(entry, copy->source_only && !copy->pinned);
    if (host_reads || host_writes) record_host_memory(entry, copy->pinned ? LAB_HOST_PINNED : LAB_HOST_PAGEABLE);
    if (peer.device >= 0) record_peer(entry, peer.device, peer.access);
    record_access(entry,
                  (lab_trace_access){copy->source, copy->bytes, .host = host_reads || source->pinned, .reads = true});
    record_access(entry, (lab_trace_access){copy->destination, copy->bytes, .host = host_writes || destination->pinned,
                                            .writes = true});
    if ((host_reads || host_writes) && evidence_is_kept()) copy->number = record_kept(entry);
    copy->enqueued = submission_on_enqueued(entry);
    lab_status status = submission_check(entry, NULL);
    if (status == LAB_SUCCESS) status = runtime_backend()->copy(stream->native, copy, record_times(entry));
    submission_end(entry, status);
    return status;
}

/* Finds out whether the host side of a copy is pinned. If so, notes that the stream uses it. */
static lab_status note_host_memory(backend_copy *copy, struct stream *stream, const char *call)
{
    uint64_t address = copy->kind == BACKEND_COPY_HTOD ? copy->source : copy->destination;
    range pinned;
    copy->pinned = copy->kind != BACKEND_COPY_DTOD && memory_find_pinned(&pinned, address) &&
                   reaches(&pinned, address, copy->bytes);
    return copy->pinned ? memory_note_use(&pinned, stream, call) : LAB_SUCCESS;
}

/* `destination` and `source` are the device memory of the copy; a side in host memory has no context. */
static lab_status enqueue_noted_copy(backend_copy copy, const range *destination, const range *source,
                                     struct stream *stream, const char *call)
{
    uint64_t covered = stream_begin_wait(stream), work = stream_begin_work(stream);
    if (may_wait(&copy) && is_own(destination, stream) && is_own(source, stream)) retire_keep(&stream->retired);
    lab_status status = memory_note_use(destination, stream, call);
    if (status == LAB_SUCCESS) status = memory_note_use(source, stream, call);
    if (status == LAB_SUCCESS) status = note_host_memory(&copy, stream, call);
    if (status == LAB_SUCCESS)
        status =
            enqueue_copy(&copy, destination, source, peer_of(destination->context, source->context, stream), stream);
    stream_end_work(stream);
    /* A copy from pageable memory may return once it is staged, before the bytes have arrived. */
    bool arrived = copy.pinned || copy.kind != BACKEND_COPY_HTOD;
    if (copy.wait && status == LAB_SUCCESS) stream_end_wait(stream, arrived && work == covered + 1 ? work : covered);
    retire_keep_end();
    if (status != LAB_SUCCESS) return status;
    note_owner(destination->context, stream);
    if (source->context != destination->context) note_owner(source->context, stream);
    return LAB_SUCCESS;
}

lab_status memory_copy(const backend_copy *copy, lab_stream *stream_handle, const char *call)
{
    struct stream *stream;
    LAB_TRY(stream_resolve(&stream, stream_handle, call));
    if (copy->bytes == 0) return LAB_SUCCESS;
    range destination = {0}, source = {0};
    if (copy->kind != BACKEND_COPY_DTOH)
        LAB_TRY(check_device_range(&destination, copy->destination, copy->bytes, "destination", call));
    if (copy->kind != BACKEND_COPY_HTOD)
        LAB_TRY(check_device_range(&source, copy->source, copy->bytes, "source", call));
    if (copy->kind == BACKEND_COPY_HTOD && !copy->source)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the host source is NULL", call);
    if (copy->kind == BACKEND_COPY_DTOH && !copy->destination)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the host destination is NULL", call);
    return enqueue_noted_copy(*copy, &destination, &source, stream, call);
}

static backend_copy htod(lab_deviceptr destination, const void *source, size_t bytes, bool wait)
{
    return (backend_copy){BACKEND_COPY_HTOD, destination, (uintptr_t)source, bytes, .wait = wait, .source_only = wait};
}

static backend_copy dtoh(void *destination, lab_deviceptr source, size_t bytes, bool wait)
{
    return (backend_copy){BACKEND_COPY_DTOH, (uintptr_t)destination, source, bytes, .wait = wait};
}

lab_status lab_memcpy_htod(lab_deviceptr destination, const void *source, size_t bytes)
{
    RETIRE_SCOPE;
    backend_copy copy = htod(destination, source, bytes, true);
    return memory_copy(&copy, lab_stream_null(), "lab_memcpy_htod");
}

lab_status lab_memcpy_dtoh(void *destination, lab_deviceptr source, size_t bytes)
{
    RETIRE_SCOPE;
    backend_copy copy = dtoh(destination, source, bytes, true);
    return memory_copy(&copy, lab_stream_null(), "lab_memcpy_dtoh");
}

lab_status lab_memcpy_htod_async(lab_deviceptr destination, const void *source, size_t bytes, lab_stream *stream)
{
    RETIRE_SCOPE;
    backend_copy copy = htod(destination, source, bytes, false);
    return memory_copy(&copy, stream, "lab_memcpy_htod_async");
}

lab_status lab_memcpy_dtoh_async(void *destination, lab_deviceptr source, size_t bytes, lab_stream *stream)
{
    RETIRE_SCOPE;
    backend_copy copy = dtoh(destination, source, bytes, false);
    return memory_copy(&copy, stream, "lab_memcpy_dtoh_async");
}

lab_status lab_memcpy_dtod_async(lab_deviceptr destination, lab_deviceptr source, size_t bytes, lab_stream *stream)
{
    RETIRE_SCOPE;
    backend_copy copy = {BACKEND_COPY_DTOD, destination, source, bytes, .wait = false};
    return memory_copy(&copy, stream, "lab_memcpy_dtod_async");
}

/* Checks that the memory is on the device that the caller names. */
static lab_status check_is_on(lab_deviceptr memory, int device, const char *what, const char *call)
{
    range found;
    LAB_TRY(runtime_check_device(device, call));
    if (!ranges_find(device_ranges, memory, &found))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the %s 0x%llx is not device memory; was it freed?", call, what,
                        memory);
    if (found.context->device == device) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the %s is on device %d, not on device %d", call, what,
                    found.context->device, device);
}

static lab_status copy_peer(const backend_copy *copy, int destination_device, int source_device, lab_stream *stream,
                            const char *call)
{
    LAB_TRY(check_is_on(copy->destination, destination_device, "destination", call));
    LAB_TRY(check_is_on(copy->source, source_device, "source", call));
    return memory_copy(copy, stream, call);
}

static lab_status synchronize_context_of(lab_deviceptr memory)
{
    range found;
    CONTEXT_HELD struct context *held = NULL;
    if (!ranges_find(device_ranges, memory, &found)) return LAB_SUCCESS;
    if (!context_try_hold(&held, found.context, found.context->handle)) return LAB_SUCCESS;
    order_clock *covered = order_cover_context(held->number);
    retire_keep(NULL); /* the context is held */
    lab_status status = runtime_backend()->context_wait(held->native);
    retire_keep_end();
    order_wait_ended(covered, status == LAB_SUCCESS);
    return status;
}

lab_status lab_memcpy_peer(lab_deviceptr destination, int destination_device, lab_deviceptr source, int source_device,
                           size_t bytes)
{
    RETIRE_SCOPE;
    backend_copy copy = {BACKEND_COPY_DTOD, destination, source, bytes, .wait = true};
    LAB_TRY(runtime_open());
    LAB_TRY(synchronize_context_of(destination));
    LAB_TRY(synchronize_context_of(source));
    return copy_peer(&copy, destination_device, source_device, lab_stream_null(), "lab_memcpy_peer");
}

lab_status lab_memcpy_peer_async(lab_deviceptr destination, int destination_device, lab_deviceptr source,
                                 int source_device, size_t bytes, lab_stream *stream)
{
    RETIRE_SCOPE;
    backend_copy copy = {BACKEND_COPY_DTOD, destination, source, bytes, .wait = false};
    return copy_peer(&copy, destination_device, source_device, stream, "lab_memcpy_peer_async");
}

static lab_status enqueue_fill(uint64_t destination, bool managed, unsigned char value, size_t bytes,
                               struct stream *stream)
{
    record_entry *entry = submission_begin_on(LAB_OP_FILL, stream);
    record_bytes(entry, bytes);
    record_access(entry, (lab_trace_access){destination, bytes, .host = managed, .writes = true});
    lab_status status = submission_check(entry, NULL);
    if (status == LAB_SUCCESS)
        status = runtime_backend()->fill(stream->native, destination, value, bytes, record_times(entry));
    submission_end(entry, status);
    return status;
}

lab_status lab_memset_async(lab_deviceptr destination, unsigned char value, size_t bytes, lab_stream *stream_handle)
{
    RETIRE_SCOPE;
    struct stream *stream;
    LAB_TRY(stream_resolve(&stream, stream_handle, "lab_memset_async"));
    if (bytes == 0) return LAB_SUCCESS;
    range filled;
    LAB_TRY(check_device_range(&filled, destination, bytes, "destination", "lab_memset_async"));
    stream_begin_work(stream);
    lab_status status = memory_note_use(&filled, stream, "lab_memset_async");
    if (status == LAB_SUCCESS) status = enqueue_fill(destination, filled.pinned, value, bytes, stream);
    stream_end_work(stream);
    if (status == LAB_SUCCESS) note_owner(filled.context, stream);
    return status;
}
