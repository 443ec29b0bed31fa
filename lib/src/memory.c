/* Device and pinned host memory, copies and fills: which ranges exist, whether an operation stays inside them, and
 * whether host memory is pinned. Moving bytes is the device's. */
#include "memory.h"

#include "ranges.h"
#include "trace/record.h"

#include <inttypes.h>

lab_status memory_alloc_on(uint64_t *address, struct context *on, size_t bytes, const char *call)
{
    if (bytes == 0) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0 bytes asked for", call);
    record_entry *entry = record_begin(LAB_OP_MEMORY_ALLOC, on->device);
    lab_status status = runtime_backend()->memory_alloc(address, on->native, bytes);
    bool overlap;
    if (status == LAB_SUCCESS &&
        !ranges_add(device_ranges, (range){.address = *address, .bytes = bytes, .context = on}, &overlap)) {
        runtime_backend()->memory_free(on->native, *address, bytes);
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no memory for the list of allocations", call);
    }
    record_memory(entry, *address, bytes);
    record_end(entry, status);
    return status;
}

lab_status lab_mem_alloc(lab_deviceptr *out, size_t bytes)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mem_alloc: out is NULL");
    *out = 0;
    struct context *on;
    LAB_TRY(runtime_context(&on));
    uint64_t address = 0;
    LAB_TRY(memory_alloc_on(&address, on, bytes, "lab_mem_alloc"));
    *out = address;
    return LAB_SUCCESS;
}

lab_status lab_mem_free(lab_deviceptr memory)
{
    if (memory == 0) return LAB_SUCCESS;
    LAB_TRY(runtime_open());
    range removed;
    if (!ranges_remove(device_ranges, memory, &removed))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_mem_free: 0x%llx is not the beginning of an allocation; it was freed already, or never allocated",
                        memory);
    record_entry *entry = record_begin(LAB_OP_MEMORY_FREE, removed.context->device);
    record_memory(entry, memory, removed.bytes);
    lab_status status = runtime_backend()->memory_free(removed.context->native, memory, removed.bytes);
    record_end(entry, status);
    return status;
}

lab_status lab_mem_get_info(size_t *free_bytes, size_t *total_bytes)
{
    if (!free_bytes || !total_bytes)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mem_get_info: %s is NULL", free_bytes ? "total_bytes" : "free_bytes");
    struct context *on;
    LAB_TRY(runtime_context(&on));
    return runtime_backend()->memory_info(free_bytes, total_bytes, on->native);
}

lab_status lab_host_alloc(void **out, size_t bytes)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_host_alloc: out is NULL");
    *out = NULL;
    if (bytes == 0) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_host_alloc: 0 bytes asked for");
    struct context *on;
    LAB_TRY(runtime_context(&on));
    void *memory = NULL;
    record_entry *entry = record_begin(LAB_OP_HOST_ALLOC, on->device);
    lab_status status = runtime_backend()->host_alloc(&memory, on->native, bytes);
    bool overlap;
    if (status == LAB_SUCCESS &&
        !ranges_add(pinned_ranges, (range){.address = (uintptr_t)memory, .bytes = bytes, .context = on}, &overlap)) {
        runtime_backend()->host_free(on->native, memory, bytes);
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_host_alloc: no memory for the list of allocations");
    }
    record_memory(entry, (uintptr_t)memory, bytes);
    record_end(entry, status);
    if (status == LAB_SUCCESS) *out = memory;
    return status;
}

/* Takes a pinned range out of the table if the call that asks is the partner of the one that made it. */
static lab_status take_pinned(range *taken, void *memory, bool registered, const char *call)
{
    const char *maker = registered ? "lab_host_register" : "lab_host_alloc";
    range found;
    if (ranges_find(pinned_ranges, (uintptr_t)memory, &found) && found.registered == registered &&
        ranges_remove(pinned_ranges, (uintptr_t)memory, taken))
        return LAB_SUCCESS;
    return lab_fail(registered ? LAB_ERROR_HOST_MEMORY_NOT_REGISTERED : LAB_ERROR_INVALID_VALUE,
                    "%s: %p does not come from %s, or was given back already", call, memory, maker);
}

lab_status lab_host_free(void *memory)
{
    if (!memory) return LAB_SUCCESS;
    LAB_TRY(runtime_open());
    range taken;
    LAB_TRY(take_pinned(&taken, memory, false, "lab_host_free"));
    record_entry *entry = record_begin(LAB_OP_HOST_FREE, taken.context->device);
    record_memory(entry, taken.address, taken.bytes);
    lab_status status = runtime_backend()->host_free(taken.context->native, memory, taken.bytes);
    record_end(entry, status);
    return status;
}

lab_status lab_host_register(void *memory, size_t bytes)
{
    if (!memory || bytes == 0)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_host_register: %s", memory ? "0 bytes to pin" : "memory is NULL");
    uint64_t end;
    if (__builtin_add_overflow((uint64_t)(uintptr_t)memory, bytes, &end))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_host_register: %zu bytes from %p is more than there is", bytes, memory);
    struct context *on;
    LAB_TRY(runtime_context(&on));
    bool overlap;
    range pinned = {.address = (uintptr_t)memory, .bytes = bytes, .context = on, .registered = true};
    if (!ranges_add(pinned_ranges, pinned, &overlap))
        return overlap ? lab_fail(LAB_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                                  "lab_host_register: part of the %zu bytes at %p is pinned already", bytes, memory)
                       : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_host_register: no memory for the list of pinned memory");
    record_entry *entry = record_begin(LAB_OP_HOST_REGISTER, on->device);
    record_memory(entry, pinned.address, bytes);
    lab_status status = runtime_backend()->host_register(on->native, memory, bytes);
    if (status != LAB_SUCCESS) ranges_remove(pinned_ranges, pinned.address, &pinned);
    record_end(entry, status);
    return status;
}

lab_status lab_host_unregister(void *memory)
{
    if (!memory) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_host_unregister: memory is NULL");
    LAB_TRY(runtime_open());
    range taken;
    LAB_TRY(take_pinned(&taken, memory, true, "lab_host_unregister"));
    record_entry *entry = record_begin(LAB_OP_HOST_UNREGISTER, taken.context->device);
    record_memory(entry, taken.address, taken.bytes);
    lab_status status = runtime_backend()->host_unregister(taken.context->native, memory, taken.bytes);
    record_end(entry, status);
    return status;
}

/* Whether [address, address + bytes) lies inside one range of the table. */
static bool inside(ranges *table, uint64_t address, size_t bytes, range *found)
{
    return ranges_find(table, address, found) && bytes <= found->bytes - (size_t)(address - found->address);
}

/* Finds whose memory the bytes are, or says why they are nobody's. */
static lab_status check_device_range(struct context **owner, uint64_t address, size_t bytes, const char *what,
                                     const char *call)
{
    range found;
    bool whole = inside(device_ranges, address, bytes, &found);
    if (whole) *owner = found.context;
    if (whole) return LAB_SUCCESS;
    if (!ranges_find(device_ranges, address, &found))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the %s 0x%" PRIx64 " is not device memory; was it freed?", call, what,
                        address);
    size_t from = (size_t)(address - found.address);
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "%s: the %s has %zu bytes from there to the end of its allocation, the call needs %zu", call, what,
                    found.bytes - from, bytes);
}

/* Memory of another context than the stream's is not freed before what the stream was just given is done. */
static void note_owner(const struct context *owner, const struct stream *on)
{
    if (owner && owner != on->context) runtime_backend()->context_used_by(owner->native, on->native);
}

static lab_op_kind op_kind_of(backend_copy_kind kind)
{
    return kind == BACKEND_COPY_HTOD ? LAB_OP_COPY_HTOD : kind == BACKEND_COPY_DTOH ? LAB_OP_COPY_DTOH : LAB_OP_COPY_DTOD;
}

static lab_status enqueue_copy(backend_copy *copy, struct stream *on)
{
    bool host_reads = copy->kind == BACKEND_COPY_HTOD, host_writes = copy->kind == BACKEND_COPY_DTOH;
    range pinned;
    copy->pinned = inside(pinned_ranges, host_reads ? copy->source : copy->destination, copy->bytes, &pinned);
    record_entry *entry = record_begin(op_kind_of(copy->kind), on->context->device);
    record_on_stream(entry, on);
    record_bytes(entry, copy->bytes);
    if (copy->wait) record_host_waits(entry);
    if (host_reads || host_writes) record_host_memory(entry, copy->pinned ? LAB_HOST_PINNED : LAB_HOST_PAGEABLE);
    record_access(entry, (lab_trace_access){copy->source, copy->bytes, .host = host_reads, .reads = true});
    record_access(entry, (lab_trace_access){copy->destination, copy->bytes, .host = host_writes, .writes = true});
    lab_status status = runtime_backend()->copy(on->native, copy, record_times(entry));
    record_end(entry, status);
    return status;
}

lab_status memory_copy(const backend_copy *copy, lab_stream *stream_handle, const char *call)
{
    struct stream *on;
    LAB_TRY(stream_resolve(&on, stream_handle, call));
    if (copy->bytes == 0) return LAB_SUCCESS;
    struct context *writes_to = NULL, *reads_from = NULL;
    if (copy->kind != BACKEND_COPY_DTOH)
        LAB_TRY(check_device_range(&writes_to, copy->destination, copy->bytes, "destination", call));
    if (copy->kind != BACKEND_COPY_HTOD)
        LAB_TRY(check_device_range(&reads_from, copy->source, copy->bytes, "source", call));
    if (copy->kind == BACKEND_COPY_HTOD && !copy->source)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the host source is NULL", call);
    if (copy->kind == BACKEND_COPY_DTOH && !copy->destination)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the host destination is NULL", call);
    backend_copy checked = *copy;
    LAB_TRY(enqueue_copy(&checked, on));
    note_owner(writes_to, on);
    if (reads_from != writes_to) note_owner(reads_from, on);
    return LAB_SUCCESS;
}

static backend_copy htod(lab_deviceptr destination, const void *source, size_t bytes, bool wait)
{
    return (backend_copy){BACKEND_COPY_HTOD, destination, (uintptr_t)source, bytes, .wait = wait};
}

static backend_copy dtoh(void *destination, lab_deviceptr source, size_t bytes, bool wait)
{
    return (backend_copy){BACKEND_COPY_DTOH, (uintptr_t)destination, source, bytes, .wait = wait};
}

lab_status lab_memcpy_htod(lab_deviceptr destination, const void *source, size_t bytes)
{
    backend_copy copy = htod(destination, source, bytes, true);
    return memory_copy(&copy, lab_stream_null(), "lab_memcpy_htod");
}

lab_status lab_memcpy_dtoh(void *destination, lab_deviceptr source, size_t bytes)
{
    backend_copy copy = dtoh(destination, source, bytes, true);
    return memory_copy(&copy, lab_stream_null(), "lab_memcpy_dtoh");
}

lab_status lab_memcpy_htod_async(lab_deviceptr destination, const void *source, size_t bytes, lab_stream *stream)
{
    backend_copy copy = htod(destination, source, bytes, false);
    return memory_copy(&copy, stream, "lab_memcpy_htod_async");
}

lab_status lab_memcpy_dtoh_async(void *destination, lab_deviceptr source, size_t bytes, lab_stream *stream)
{
    backend_copy copy = dtoh(destination, source, bytes, false);
    return memory_copy(&copy, stream, "lab_memcpy_dtoh_async");
}

lab_status lab_memcpy_dtod_async(lab_deviceptr destination, lab_deviceptr source, size_t bytes, lab_stream *stream)
{
    backend_copy copy = {BACKEND_COPY_DTOD, destination, source, bytes, .wait = false};
    return memory_copy(&copy, stream, "lab_memcpy_dtod_async");
}

/* The memory must be where the caller says it is. */
static lab_status check_is_on(lab_deviceptr memory, int device, const char *what, const char *call)
{
    range found;
    LAB_TRY(runtime_check_device(device, call));
    if (!ranges_find(device_ranges, memory, &found))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the %s 0x%llx is not device memory; was it freed?", call, what, memory);
    if (found.context->device == device) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the %s is on device %d, not on device %d", call, what, found.context->device,
                    device);
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
    return ranges_find(device_ranges, memory, &found) ? runtime_backend()->context_synchronize(found.context->native)
                                                      : LAB_SUCCESS;
}

lab_status lab_memcpy_peer(lab_deviceptr destination, int destination_device, lab_deviceptr source, int source_device,
                           size_t bytes)
{
    backend_copy copy = {BACKEND_COPY_DTOD, destination, source, bytes, .wait = true};
    LAB_TRY(runtime_open());
    LAB_TRY(synchronize_context_of(destination));
    LAB_TRY(synchronize_context_of(source));
    return copy_peer(&copy, destination_device, source_device, lab_stream_null(), "lab_memcpy_peer");
}

lab_status lab_memcpy_peer_async(lab_deviceptr destination, int destination_device, lab_deviceptr source, int source_device,
                                 size_t bytes, lab_stream *stream)
{
    backend_copy copy = {BACKEND_COPY_DTOD, destination, source, bytes, .wait = false};
    return copy_peer(&copy, destination_device, source_device, stream, "lab_memcpy_peer_async");
}

lab_status lab_mem_get_device(int *device, lab_deviceptr memory)
{
    if (!device) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mem_get_device: device is NULL");
    LAB_TRY(runtime_open());
    range found;
    if (!ranges_find(device_ranges, memory, &found))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mem_get_device: 0x%llx is not device memory; was it freed?", memory);
    *device = found.context->device;
    return LAB_SUCCESS;
}

lab_status lab_memset_async(lab_deviceptr destination, unsigned char value, size_t bytes, lab_stream *stream_handle)
{
    struct stream *on;
    LAB_TRY(stream_resolve(&on, stream_handle, "lab_memset_async"));
    if (bytes == 0) return LAB_SUCCESS;
    struct context *owner;
    LAB_TRY(check_device_range(&owner, destination, bytes, "destination", "lab_memset_async"));
    record_entry *entry = record_begin(LAB_OP_FILL, on->context->device);
    record_on_stream(entry, on);
    record_bytes(entry, bytes);
    record_access(entry, (lab_trace_access){destination, bytes, .writes = true});
    lab_status status = runtime_backend()->fill(on->native, destination, value, bytes, record_times(entry));
    if (status == LAB_SUCCESS) note_owner(owner, on);
    record_end(entry, status);
    return status;
}
