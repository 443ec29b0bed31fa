/* Device and pinned host memory: allocates, pins and frees it, and finds the memory at an address. */
#include "memory.h"

#include "base/status.h"
#include "objects/contexts/context_stack.h"
#include "seam/ledger.h"
#include "seam/written.h"
#include "objects/contexts/stream_record.h"

#include <inttypes.h>
#include <string.h>

lab_status memory_alloc_on(uint64_t *address, struct context *context, size_t bytes, const char *call)
{
    if (bytes == 0) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0 bytes asked for", call);
    LAB_TRY(runtime_backend()->capture_check_unsafe(call));
    CONTEXT_HELD struct context *held = NULL;
    LAB_TRY(context_hold_found(&held, context, call));
    record_entry *entry = record_begin(LAB_OP_MEMORY_ALLOC, context->device);
    lab_status status = runtime_backend()->memory_alloc(address, context->native, bytes);
    bool overlap;
    if (status == LAB_SUCCESS &&
        !ranges_add(device_ranges, (range){.address = *address, .bytes = bytes, .context = context}, &overlap)) {
        runtime_backend()->memory_free(context->native, *address, bytes);
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no memory for the list of allocations", call);
    }
    if (status == LAB_SUCCESS) {
        ledger_add(*address, bytes, context->native);
        written_begin(*address, bytes);
    }
    if (status == LAB_SUCCESS) record_made(entry, *address, bytes);
    record_end(entry, status);
    return status;
}

lab_status lab_mem_alloc(lab_deviceptr *out, size_t bytes)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mem_alloc: out is NULL");
    *out = 0;
    CONTEXT_HELD struct context *context = NULL;
    LAB_TRY(context_hold_current(&context));
    uint64_t address = 0;
    LAB_TRY(memory_alloc_on(&address, context, bytes, "lab_mem_alloc"));
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

/* Holds the context of memory that the call has taken out of its table, and lets the call wait for the context's work.
 * A context that has ended has no work. */
static void hold_to_wait(struct context **held, struct context *owner)
{
    if (context_try_hold(held, owner, owner->handle)) retire_keep(NULL);
}

/* Fails for memory of a pool, which must be freed with `instead`. */
static lab_status refuse_pooled(ranges *table, uint64_t address, const char *call, const char *instead)
{
    range found;
    if (!ranges_find(table, address, &found) || !found.pool) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0x%" PRIx64 " belongs to a memory pool; use %s", call, address,
                    instead);
}

lab_status lab_mem_free(lab_deviceptr memory)
{
    RETIRE_SCOPE;
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
    CONTEXT_HELD struct context *held = NULL;
    hold_to_wait(&held, removed.context);
    record_entry *entry = record_begin(LAB_OP_MEMORY_FREE, removed.context->device);
    ledger_remove(memory, removed.bytes);
    record_gives_back(entry, memory, removed.bytes);
    record_waits_for_context(entry, removed.context->number);
    lab_status status = runtime_backend()->memory_free(removed.context->native, memory, removed.bytes);
    record_end(entry, status);
    return status;
}

lab_status lab_mem_get_info(size_t *free_bytes, size_t *total_bytes)
{
    RETIRE_SCOPE;
    if (!free_bytes || !total_bytes)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mem_get_info: %s is NULL",
                        free_bytes ? "total_bytes" : "free_bytes");
    CONTEXT_HELD struct context *context = NULL;
    LAB_TRY(context_hold_current(&context));
    return runtime_backend()->memory_info(free_bytes, total_bytes, context->native);
}

/* Allocates pinned host memory, which is also managed if the call says so. */
static lab_status host_alloc_on(void **out, struct context *context, size_t bytes, bool managed, const char *call)
{
    LAB_TRY(runtime_backend()->capture_check_unsafe(call));
    CONTEXT_HELD struct context *held = NULL;
    LAB_TRY(context_hold_found(&held, context, call));
    void *memory = NULL;
    record_entry *entry = record_begin(LAB_OP_HOST_ALLOC, context->device);
    lab_status status = runtime_backend()->host_alloc(&memory, context->native, bytes);
    bool overlap;
    range pinned = {
        .address = (uintptr_t)memory, .bytes = bytes, .context = context, .pinned = true, .managed = managed};
    if (status == LAB_SUCCESS && !ranges_add(pinned_ranges, pinned, &overlap)) {
        runtime_backend()->host_free(context->native, memory, bytes);
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no memory for the list of allocations", call);
    }
    if (status == LAB_SUCCESS) ledger_add((uintptr_t)memory, bytes, NULL);
    if (status == LAB_SUCCESS) record_made(entry, (uintptr_t)memory, bytes);
    record_end(entry, status);
    if (status == LAB_SUCCESS) *out = memory;
    return status;
}

lab_status memory_host_alloc_on(void **out, struct context *context, size_t bytes, const char *call)
{
    return host_alloc_on(out, context, bytes, false, call);
}

static lab_status host_alloc(void **out, size_t bytes, bool managed, const char *call)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: out is NULL", call);
    *out = NULL;
    if (bytes == 0) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0 bytes asked for", call);
    CONTEXT_HELD struct context *context = NULL;
    LAB_TRY(context_hold_current(&context));
    return host_alloc_on(out, context, bytes, managed, call);
}

lab_status lab_host_alloc(void **out, size_t bytes) { return host_alloc(out, bytes, false, "lab_host_alloc"); }

lab_status lab_managed_alloc(void **out, size_t bytes) { return host_alloc(out, bytes, true, "lab_managed_alloc"); }

bool memory_make_managed(uint64_t address) { return ranges_set_managed(pinned_ranges, address); }

static const char *maker_of(const range *pinned)
{
    return pinned->registered ? "lab_host_register" : pinned->managed ? "lab_managed_alloc" : "lab_host_alloc";
}

/* Removes a pinned range from the table, if the calling function is the counterpart of `maker`, which made it. */
static lab_status take_pinned(range *taken, void *memory, const char *maker, const char *call)
{
    range found;
    const bool pinned = ranges_find(pinned_ranges, (uintptr_t)memory, &found);
    if (pinned && strcmp(maker_of(&found), maker) == 0 && ranges_remove(pinned_ranges, (uintptr_t)memory, taken))
        return LAB_SUCCESS;
    const bool registered = strcmp(maker, "lab_host_register") == 0;
    return lab_fail(registered && !pinned ? LAB_ERROR_HOST_MEMORY_NOT_REGISTERED : LAB_ERROR_INVALID_VALUE,
                    "%s: %p does not come from %s, or was released already", call, memory, maker);
}

/* Tells the record that the range is released once its context is at rest. If that is refused, the range stays. */
static lab_status leave_pinned(record_entry *entry, const range *taken)
{
    bool overlap;
    record_waits_for_context(entry, taken->context->number);
    lab_status status = record_gives_back(entry, taken->address, taken->bytes);
    if (status == LAB_SUCCESS)
        ledger_remove(taken->address, taken->bytes);
    else
        ranges_add(pinned_ranges, *taken, &overlap);
    return status;
}

static lab_status host_free(void *memory, const char *maker, const char *call)
{
    RETIRE_SCOPE;
    if (!memory) return LAB_SUCCESS;
    LAB_TRY(runtime_open());
    LAB_TRY(refuse_pooled(pinned_ranges, (uintptr_t)memory, call, "lab_pinned_mempool_free"));
    range taken;
    LAB_TRY(runtime_backend()->capture_check_unsafe(call));
    LAB_TRY(take_pinned(&taken, memory, maker, call));
    CONTEXT_HELD struct context *held = NULL;
    hold_to_wait(&held, taken.context);
    record_entry *entry = record_begin(LAB_OP_HOST_FREE, taken.context->device);
    lab_status status = leave_pinned(entry, &taken);
    if (status == LAB_SUCCESS) status = runtime_backend()->host_free(taken.context->native, memory, taken.bytes);
    record_end(entry, status);
    return status;
}

lab_status lab_host_free(void *memory) { return host_free(memory, "lab_host_alloc", "lab_host_free"); }

lab_status lab_managed_free(void *memory) { return host_free(memory, "lab_managed_alloc", "lab_managed_free"); }

lab_status lab_host_register(void *memory, size_t bytes)
{
    RETIRE_SCOPE;
    if (!memory || bytes == 0)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_host_register: %s", memory ? "0 bytes to pin" : "memory is NULL");
    uint64_t end;
    if (__builtin_add_overflow((uint64_t)(uintptr_t)memory, bytes, &end))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_host_register: %zu bytes from %p go past the end of the address space", bytes, memory);
    CONTEXT_HELD struct context *context = NULL;
    LAB_TRY(context_hold_current(&context));
    LAB_TRY(runtime_backend()->capture_check_unsafe("lab_host_register"));
    bool overlap;
    range pinned = {
        .address = (uintptr_t)memory, .bytes = bytes, .context = context, .pinned = true, .registered = true};
    if (!ranges_add(pinned_ranges, pinned, &overlap))
        return overlap
                   ? lab_fail(LAB_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                              "lab_host_register: part of the %zu bytes at %p is pinned already", bytes, memory)
                   : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_host_register: no memory for the list of pinned memory");
    record_entry *entry = record_begin(LAB_OP_HOST_REGISTER, context->device);
    lab_status status = runtime_backend()->host_register(context->native, memory, bytes);
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
    RETIRE_SCOPE;
    if (!memory) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_host_unregister: memory is NULL");
    LAB_TRY(runtime_open());
    range taken;
    LAB_TRY(runtime_backend()->capture_check_unsafe("lab_host_unregister"));
    LAB_TRY(take_pinned(&taken, memory, "lab_host_register", "lab_host_unregister"));
    CONTEXT_HELD struct context *held = NULL;
    hold_to_wait(&held, taken.context);
    record_entry *entry = record_begin(LAB_OP_HOST_UNREGISTER, taken.context->device);
    lab_status status = leave_pinned(entry, &taken);
    if (status == LAB_SUCCESS) status = runtime_backend()->host_unregister(taken.context->native, memory, taken.bytes);
    record_end(entry, status);
    return status;
}

static bool find_managed(range *found, uint64_t address)
{
    return ranges_find(pinned_ranges, address, found) && found->managed;
}

bool memory_find_device(range *found, uint64_t address)
{
    if (ranges_find(device_ranges, address, found)) return !found->cutter || found->cutter->narrow(found, address);
    return ranges_find(variable_ranges, address, found) || find_managed(found, address);
}

bool memory_find_pinned(range *found, uint64_t address)
{
    return ranges_find(pinned_ranges, address, found) && (!found->cutter || found->cutter->narrow(found, address));
}

bool memory_find_allocation(range *found, uint64_t address)
{
    return ranges_find(device_ranges, address, found) || ranges_find(variable_ranges, address, found) ||
           ranges_find(pinned_ranges, address, found);
}

uint64_t memory_next_allocation(uint64_t address)
{
    ranges *const tables[] = {device_ranges, variable_ranges, pinned_ranges};
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const uint64_t begin = ranges_next(tables[i], address);
        if (begin < next) next = begin;
    }
    return next;
}

lab_status memory_note_use(const range *found, struct stream *user, const char *call)
{
    return found->cutter ? found->cutter->note_use(found, user, call) : LAB_SUCCESS;
}

lab_status lab_mem_get_device(int *device, lab_deviceptr memory)
{
    RETIRE_SCOPE;
    if (!device) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mem_get_device: device is NULL");
    LAB_TRY(runtime_open());
    range found;
    if (!ranges_find(device_ranges, memory, &found) && !find_managed(&found, memory))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_mem_get_device: 0x%llx is not device memory; was it freed?",
                        memory);
    *device = found.context->device;
    return LAB_SUCCESS;
}
