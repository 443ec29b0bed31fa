/* Device memory is the host's, counted against the device's share of it. */
#include "cpu_memory.h"

#include "base/program/host_memory.h"
#include "cpu/apart/apart.h"
#include "cpu/engine/engine.h"
#include "cpu/engine/process_failure.h"
#include "cpu_context.h"
#include "cpu_device.h"
#include "cpu_objects.h"

#include <stdlib.h>
#include <string.h>

/* A gap follows each allocation, so that what lies just past its end is never another one. */
enum { DEVICE_ALIGNMENT = 256, GAP_BYTES = 256 };

static _Atomic size_t used_memory[CPU_MOST_DEVICES];

/* Counts the bytes as used; fails if fewer are free. */
static bool reserve(_Atomic size_t *used, size_t bytes, size_t total)
{
    size_t before = atomic_load(used);
    do {
        if (bytes > total || before > total - bytes) return false;
    } while (!atomic_compare_exchange_weak(used, &before, before + bytes));
    return true;
}

/* NULL if there is none. Kernels in a process of their own have the same memory. */
static void *take_memory(size_t bytes)
{
    void *memory = NULL;
    if (apart_is_on()) return (void *)(uintptr_t)apart_memory_take(bytes + GAP_BYTES);
    return posix_memalign(&memory, DEVICE_ALIGNMENT, bytes + GAP_BYTES) == 0 ? memory : NULL;
}

static void give_memory(void *memory, size_t bytes)
{
    if (apart_is_on())
        apart_memory_give((uintptr_t)memory, bytes + GAP_BYTES);
    else
        free(memory);
}

lab_status cpu_memory_alloc(uint64_t *address, backend_context *context, size_t bytes)
{
    LAB_TRY(cpu_process_check());
    size_t total = cpu_device_memory(), used = atomic_load(&used_memory[context->device]);
    const bool fits = reserve(&used_memory[context->device], bytes, total);
    void *memory = fits ? take_memory(bytes) : NULL;
    if (!memory) {
        if (fits) atomic_fetch_sub(&used_memory[context->device], bytes);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "device %d: %zu bytes asked for, %zu of %zu are free", context->device,
                        bytes, used < total ? total - used : 0, total);
    }
    memset(memory, CPU_FRESH_BYTE, bytes);
    *address = (uintptr_t)memory;
    return LAB_SUCCESS;
}

lab_status cpu_memory_free(backend_context *context, uint64_t address, size_t bytes)
{
    cpu_context_drain(context);
    give_memory((void *)(uintptr_t)address, bytes);
    atomic_fetch_sub(&used_memory[context->device], bytes);
    return LAB_SUCCESS;
}

lab_status cpu_memory_info(size_t *free_bytes, size_t *total_bytes, backend_context *context)
{
    size_t total = cpu_device_memory(), used = atomic_load(&used_memory[context->device]);
    *total_bytes = total;
    *free_bytes = used < total ? total - used : 0;
    return LAB_SUCCESS;
}

/* Pinned memory that this program shares with its process of kernels. */
static bool has_own_pinned(void) { return host_memory_is_direct() && apart_is_on(); }

lab_status cpu_host_alloc(void **out, backend_context *context, size_t bytes)
{
    (void)context;
    uint64_t address = 0;
    if (has_own_pinned() ? !(address = apart_pinned_take(bytes)) : !host_memory_pinned_alloc(&address, bytes))
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%zu bytes of pinned host memory cannot be had", bytes);
    *out = (void *)(uintptr_t)address;
    return LAB_SUCCESS;
}

lab_status cpu_host_free(backend_context *context, void *memory, size_t bytes)
{
    cpu_context_drain(context);
    if (has_own_pinned())
        apart_pinned_give((uintptr_t)memory, bytes);
    else
        host_memory_pinned_free((uintptr_t)memory, bytes);
    return LAB_SUCCESS;
}

/* The copy engines of this device reach any memory of the program: pinning needs no work, but the memory must exist. */
lab_status cpu_host_register(backend_context *context, void *memory, size_t bytes)
{
    (void)context;
    if (host_memory_exists((uintptr_t)memory, bytes)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "lab_host_register: part of the %zu bytes at %p is not memory of this process", bytes, memory);
}

lab_status cpu_host_unregister(backend_context *context, void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
    cpu_context_drain(context);
    return LAB_SUCCESS;
}
