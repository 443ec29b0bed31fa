/* Device and pinned host memory, copies and fills: which ranges exist, whether an operation stays inside them, and
 * whether host memory is pinned. Moving bytes is the device's. */
#include "memory.h"

#include "seam/ledger.h"
#include "pools/pool.h"
#include "pools/pool_pinned.h"
#include "order/order.h"
#include "record/record.h"

#include <inttypes.h>

lab_status memory_alloc_on(uint64_t *address, struct context *on, size_t bytes, const char *call)
{
    if (bytes == 0) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0 bytes asked for", call);
    LAB_TRY(runtime_backend()->capture_check_unsafe(call));
    record_entry *entry = record_begin(LAB_OP_MEMORY_ALLOC, on->device);
    lab_status status = runtime_backend()->memory_alloc(address, on->native, bytes);
    bool overlap;
    if (status == LAB_SUCCESS &&
        !ranges_add(device_ranges, (range){.address = *address, .bytes = bytes, .context = on}, &overlap)) {
        runtime_backend()->memory_free(on->native, *address, bytes);
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no memory for the list of allocations", call);
    }
    if (status == LAB_SUCCESS) ledger_add(*address, bytes, on->native);
    if (status == LAB_SUCCESS) record_made(entry, *address, bytes);
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

static lab_status refuse_variable(uint64_t address, const char *call)
{
    range found;
    if (!ranges_find(variable_ranges, address, &found)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "%s: 0x%" PRIx64 " belongs to a variable of a module, which goes with lab_module_unload", call,
                    address);
}

/* Memory of a pool goes back to the pool. */
static lab_status refuse_pooled(ranges *table, uint64_t address, const char *call, const char *instead)
{
    range found;
    if (!ranges_find(table, address, &found) || !found.pool) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0x%" PRIx64 " belongs to a memory pool; use %s", call, address,
                    instead);
}

lab_status lab_mem_free(lab_deviceptr memory)
{
    if (memory == 0) return LAB_SUCCESS;
    LAB_TRY(runtime_open());
    LAB_TRY(
        refuse_pooled(device_ranges, memory, "lab_mem_free", "lab_mempool_free, or lab_array_destroy for an array"));
    LAB_TRY(refuse_variable(memory, "lab_mem_free"));
    LAB_TRY(runtime_backend()->capture_check_unsafe("lab_mem_free"));
    range removed;
    if (!ranges_remove(device_ranges, memory, &removed)) {
        char where[LEDGER_PLACE_WORDS];
        return lab_fail(
            LAB_ERROR_INVALID_VALUE,
            "lab_mem_free: 0x%llx is not the beginning of an allocation; it was freed already%s, or never allocated",
            memory, ledger_where_freed(where, sizeof where, memory));
    }
    record_entry *entry = record_begin(LAB_OP_MEMORY_FREE, removed.context->device);
    ledger_remove(memory, removed.bytes);
    record_gives_back(entry, memory, removed.bytes);
    record_waits_for_context(entry, removed.context);
    lab_status status = runtime_backend()->memory_free(removed.context->native, memory, removed.bytes);
    record_end(entry, status);
    return status;
}

lab_status lab_mem_get_info(size_t *free_bytes, size_t *total_bytes)
{
    if (!free_bytes || !total_bytes)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mem_get_info: %s is NULL",
                        free_bytes ? "total_bytes" : "free_bytes");
    struct context *on;
    LAB_TRY(runtime_context(&on));
    return runtime_backend()->memory_info(free_bytes, total_bytes, on->native);
}

lab_status memory_host_alloc_on(void **out, struct context *on, size_t bytes, const char *call)
{
    LAB_TRY(runtime_backend()->capture_check_unsafe(call));
    void *memory = NULL;
    record_entry *entry = record_begin(LAB_OP_HOST_ALLOC, on->device);
    lab_status status = runtime_backend()->host_alloc(&memory, on->native, bytes);
    bool overlap;
    range pinned = {.address = (uintptr_t)memory, .bytes = bytes, .context = on, .pinned = true};
    if (status == LAB_SUCCESS && !ranges_add(pinned_ranges, pinned, &overlap)) {
        runtime_backend()->host_free(on->native, memory, bytes);
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no memory for the list of allocations", call);
    }
    if (status == LAB_SUCCESS) ledger_add((uintptr_t)memory, bytes, NULL);
    if (status == LAB_SUCCESS) record_made(entry, (uintptr_t)memory, bytes);
    record_end(entry, status);
    if (status == LAB_SUCCESS) *out = memory;
    return status;
}

lab_status lab_host_alloc(void **out, size_t bytes)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_host_alloc: out is NULL");
    *out = NULL;
    if (bytes == 0) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_host_alloc: 0 bytes asked for");
    struct context *on;
    LAB_TRY(runtime_context(&on));
    return memory_host_alloc_on(out, on, bytes, "lab_host_alloc");
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
    LAB_TRY(refuse_pooled(pinned_ranges, (uintptr_t)memory, "lab_host_free", "lab_pinned_mempool_free"));
    range taken;
    LAB_TRY(runtime_backend()->capture_check_unsafe("lab_host_free"));
    LAB_TRY(take_pinned(&taken, memory, false, "lab_host_free"));
    record_entry *entry = record_begin(LAB_OP_HOST_FREE, taken.context->device);
    ledger_remove(taken.address, taken.bytes);
    record_gives_back(entry, taken.address, taken.bytes);
    record_waits_for_context(entry, taken.context);
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
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_host_register: %zu bytes from %p is more than there is", bytes,
                        memory);
    struct context *on;
    LAB_TRY(runtime_context(&on));
    LAB_TRY(runtime_backend()->capture_check_unsafe("lab_host_register"));
    bool overlap;
    range pinned = {.address = (uintptr_t)memory, .bytes = bytes, .context = on, .pinned = true, .registered = true};
    if (!ranges_add(pinned_ranges, pinned, &overlap))
        return overlap
                   ? lab_fail(LAB_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                              "lab_host_register: part of the %zu bytes at %p is pinned already", bytes, memory)
                   : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_host_register: no memory for the list of pinned memory");
    record_entry *entry = record_begin(LAB_OP_HOST_REGISTER, on->device);
    lab_status status = runtime_backend()->host_register(on->native, memory, bytes);
    if (status == LAB_SUCCESS) {
        ledger_add(pinned.address, bytes, NULL);
        record_made(entry, pinned.address, bytes);
    } else {
        ranges_remove(pinned_ranges, pinned.address, &pinned);
    }
    record_end(entry, status);
    return status;
}

lab_status lab_host_unregister(void *memory)
{
    if (!memory) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_host_unregister: memory is NULL");
    LAB_TRY(runtime_open());
    range taken;
    LAB_TRY(runtime_backend()->capture_check_unsafe("lab_host_unregister"));
    LAB_TRY(take_pinned(&taken, memory, true, "lab_host_unregister"));
    record_entry *entry = record_begin(LAB_OP_HOST_UNREGISTER, taken.context->device);
    ledger_remove(taken.address, taken.bytes);
    record_gives_back(entry, taken.address, taken.bytes);
    record_waits_for_context(entry, taken.context);
    lab_status status = runtime_backend()->host_unregister(taken.context->native, memory, taken.bytes);
    record_end(entry, status);
    return status;
}

bool memory_find_device(range *found, uint64_t address)
{
    if (ranges_find(device_ranges, address, found)) return !found->pool || pool_narrow(found, address);
    return ranges_find(variable_ranges, address, found);
}

bool memory_find_pinned(range *found, uint64_t address)
{
    return ranges_find(pinned_ranges, address, found) && (!found->pool || pinned_pool_narrow(found, address));
}

lab_status memory_note_use(const range *found, struct stream *user, const char *call)
{
    if (!found->pool) return LAB_SUCCESS;
    return found->pinned ? pinned_pool_note_use(found, user, call) : pool_note_use(found, user, call);
}

static bool reaches(const range *found, uint64_t address, size_t bytes)
{
    return bytes <= found->bytes - (size_t)(address - found->address);
}

/* Finds whose memory the bytes are, or says why they are nobody's. */
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

/* Memory of another context than the stream's is not freed before what the stream was just given is done. */
static void note_owner(const struct context *owner, const struct stream *on)
{
    if (owner && owner != on->context) runtime_backend()->context_used_by(owner->native, on->native);
}

static lab_op_kind op_kind_of(backend_copy_kind kind)
{
    return kind == BACKEND_COPY_HTOD   ? LAB_OP_COPY_HTOD
           : kind == BACKEND_COPY_DTOH ? LAB_OP_COPY_DTOH
                                       : LAB_OP_COPY_DTOD;
}

static lab_status enqueue_copy(backend_copy *copy, struct stream *on)
{
    bool host_reads = copy->kind == BACKEND_COPY_HTOD, host_writes = copy->kind == BACKEND_COPY_DTOH;
    record_entry *entry = record_begin_on(op_kind_of(copy->kind), on);
    record_bytes(entry, copy->bytes);
    if (copy->wait) record_host_waits(entry, copy->source_only && !copy->pinned);
    if (host_reads || host_writes) record_host_memory(entry, copy->pinned ? LAB_HOST_PINNED : LAB_HOST_PAGEABLE);
    record_access(entry, (lab_trace_access){copy->source, copy->bytes, .host = host_reads, .reads = true});
    record_access(entry, (lab_trace_access){copy->destination, copy->bytes, .host = host_writes, .writes = true});
    copy->enqueued = record_on_enqueued(entry);
    lab_status status = record_check(entry, NULL);
    if (status == LAB_SUCCESS) status = runtime_backend()->copy(on->native, copy, record_times(entry));
    record_end(entry, status);
    return status;
}

/* The host side of a copy: whether it is pinned, and if so noted as used by the stream. */
static lab_status note_host_memory(backend_copy *copy, struct stream *on, const char *call)
{
    uint64_t address = copy->kind == BACKEND_COPY_HTOD ? copy->source : copy->destination;
    range pinned;
    copy->pinned = copy->kind != BACKEND_COPY_DTOD && memory_find_pinned(&pinned, address) &&
                   reaches(&pinned, address, copy->bytes);
    return copy->pinned ? memory_note_use(&pinned, on, call) : LAB_SUCCESS;
}

/* `writes_to` and `reads_from` are the device memory of the copy, or have no context. */
static lab_status enqueue_noted_copy(backend_copy copy, const range *writes_to, const range *reads_from,
                                     struct stream *on, const char *call)
{
    uint64_t covered = stream_begin_wait(on), work = stream_begin_work(on);
    lab_status status = memory_note_use(writes_to, on, call);
    if (status == LAB_SUCCESS) status = memory_note_use(reads_from, on, call);
    if (status == LAB_SUCCESS) status = note_host_memory(&copy, on, call);
    if (status == LAB_SUCCESS) status = enqueue_copy(&copy, on);
    stream_end_work(on);
    if (status != LAB_SUCCESS) return status;
    /* A copy from pageable memory returns when it is staged: that it has arrived is not known. */
    bool arrived = copy.pinned || copy.kind != BACKEND_COPY_HTOD;
    if (copy.wait) stream_end_wait(on, arrived && work == covered + 1 ? work : covered);
    note_owner(writes_to->context, on);
    if (reads_from->context != writes_to->context) note_owner(reads_from->context, on);
    return LAB_SUCCESS;
}

lab_status memory_copy(const backend_copy *copy, lab_stream *stream_handle, const char *call)
{
    struct stream *on;
    LAB_TRY(stream_resolve(&on, stream_handle, call));
    if (copy->bytes == 0) return LAB_SUCCESS;
    range writes_to = {0}, reads_from = {0};
    if (copy->kind != BACKEND_COPY_DTOH)
        LAB_TRY(check_device_range(&writes_to, copy->destination, copy->bytes, "destination", call));
    if (copy->kind != BACKEND_COPY_HTOD)
        LAB_TRY(check_device_range(&reads_from, copy->source, copy->bytes, "source", call));
    if (copy->kind == BACKEND_COPY_HTOD && !copy->source)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the host source is NULL", call);
    if (copy->kind == BACKEND_COPY_DTOH && !copy->destination)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the host destination is NULL", call);
    return enqueue_noted_copy(*copy, &writes_to, &reads_from, on, call);
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
    if (!ranges_find(device_ranges, memory, &found)) return LAB_SUCCESS;
    order_clock *covered = order_cover_context(found.context);
    lab_status status = runtime_backend()->context_wait(found.context->native);
    order_wait_ended(covered, status == LAB_SUCCESS);
    return status;
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

lab_status lab_memcpy_peer_async(lab_deviceptr destination, int destination_device, lab_deviceptr source,
                                 int source_device, size_t bytes, lab_stream *stream)
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
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mem_get_device: 0x%llx is not device memory; was it freed?",
                        memory);
    *device = found.context->device;
    return LAB_SUCCESS;
}

static lab_status enqueue_fill(uint64_t destination, unsigned char value, size_t bytes, struct stream *on)
{
    record_entry *entry = record_begin_on(LAB_OP_FILL, on);
    record_bytes(entry, bytes);
    record_access(entry, (lab_trace_access){destination, bytes, .writes = true});
    lab_status status = record_check(entry, NULL);
    if (status == LAB_SUCCESS)
        status = runtime_backend()->fill(on->native, destination, value, bytes, record_times(entry));
    record_end(entry, status);
    return status;
}

lab_status lab_memset_async(lab_deviceptr destination, unsigned char value, size_t bytes, lab_stream *stream_handle)
{
    struct stream *on;
    LAB_TRY(stream_resolve(&on, stream_handle, "lab_memset_async"));
    if (bytes == 0) return LAB_SUCCESS;
    range filled;
    LAB_TRY(check_device_range(&filled, destination, bytes, "destination", "lab_memset_async"));
    stream_begin_work(on);
    lab_status status = memory_note_use(&filled, on, "lab_memset_async");
    if (status == LAB_SUCCESS) status = enqueue_fill(destination, value, bytes, on);
    stream_end_work(on);
    if (status == LAB_SUCCESS) note_owner(filled.context, on);
    return status;
}
