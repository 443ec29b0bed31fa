/* What a program declares because no other call shows it: memory that the host accesses, memory that the next operation
 * uses besides its arguments, and order between host threads. Checks the memory and passes the rest on to the record
 * and the order checker. */
#include "declared_uses.h"

#include "base/program/host_function.h"
#include "base/status.h"
#include "memory.h"
#include "order/order.h"
#include "record/submission.h"

#include <inttypes.h>

/* No process has addresses with more bits. A larger size is a mistake. */
enum { MOST_ADDRESS_BITS = 56 };

/* Checks that this can be host memory. Whether pageable memory was freed is unknown. */
static lab_status check_host(const void *memory, size_t bytes, const char *call)
{
    RETIRE_SCOPE;
    uint64_t address = (uintptr_t)memory, end;
    if (!address || bytes == 0)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %s", call, address ? "0 bytes" : "memory is NULL");
    if ((uint64_t)bytes >> MOST_ADDRESS_BITS || __builtin_add_overflow(address, bytes, &end))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %zu bytes from %p go past the end of the address space", call,
                        bytes, memory);
    LAB_TRY(runtime_open());
    range found;
    if (memory_find_device(&found, address) && !found.pinned)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "%s: %p is device memory, which the host cannot use; declare a kernel's use with lab_next_uses",
                        call, memory);
    return LAB_SUCCESS;
}

/* Checks that a kernel can use the memory. *pinned: it is pinned host memory. */
static lab_status check_device(bool *pinned, uint64_t address, size_t bytes, const char *call)
{
    RETIRE_SCOPE;
    *pinned = false;
    if (!address || bytes == 0)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %s", call, address ? "0 bytes" : "memory is 0");
    LAB_TRY(runtime_open());
    range found;
    if (!memory_find_device(&found, address) && !memory_find_pinned(&found, address))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: 0x%" PRIx64 " is neither device memory nor pinned; was it freed?",
                        call, address);
    size_t left = found.bytes - (size_t)(address - found.address);
    if (bytes > left)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "%s: the memory has %zu bytes from 0x%" PRIx64 " to the end of its allocation, not %zu", call,
                        left, address, bytes);
    *pinned = found.pinned;
    return LAB_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------
 * The host
 */

static lab_status host_access(lab_op_kind kind, const void *memory, size_t bytes, const char *call)
{
    LAB_TRY(check_host(memory, bytes, call));
    return record_host_access(kind, (uintptr_t)memory, bytes);
}

lab_status lab_host_reads(const void *memory, size_t bytes)
{
    return host_access(LAB_OP_HOST_READ, memory, bytes, "lab_host_reads");
}

lab_status lab_host_writes(const void *memory, size_t bytes)
{
    return host_access(LAB_OP_HOST_WRITE, memory, bytes, "lab_host_writes");
}

/* ------------------------------------------------------------------------------------------------------
 * The next kernel or host function
 */

enum { MOST_DECLARED = 32 };
static _Thread_local lab_trace_access declared[MOST_DECLARED];
static _Thread_local int declared_count;

void declared_uses_take(record_entry *entry)
{
    for (int i = 0; i < declared_count; i++) record_declared_access(entry, declared[i]);
    declared_count = 0;
}

static lab_status declare(lab_trace_access use, const char *call)
{
    if (declared_count == MOST_DECLARED)
        return lab_fail(LAB_ERROR_NOT_PERMITTED,
                        "%s: %d uses are declared for the next operation, the most there can be", call, MOST_DECLARED);
    use.reads = !use.writes;
    declared[declared_count++] = use;
    return LAB_SUCCESS;
}

lab_status lab_next_uses(lab_deviceptr memory, size_t bytes, bool writes)
{
    bool pinned;
    LAB_TRY(check_device(&pinned, memory, bytes, "lab_next_uses"));
    return declare((lab_trace_access){memory, bytes, .host = pinned, .writes = writes}, "lab_next_uses");
}

lab_status lab_next_uses_host(const void *memory, size_t bytes, bool writes)
{
    LAB_TRY(check_host(memory, bytes, "lab_next_uses_host"));
    return declare((lab_trace_access){(uintptr_t)memory, bytes, .host = true, .writes = writes}, "lab_next_uses_host");
}

/* ------------------------------------------------------------------------------------------------------
 * Host threads
 */

/* Inside a host function, which does not run on a host thread of the program, the checker alone is told, and what is
 * released is what is done when the function runs. */
static void declare_order(lab_op_kind kind, const void *key)
{
    if (key && host_function_runs && kind == LAB_OP_HOST_RELEASE) order_host_call_release_key(key);
    if (!key || host_function_runs) return;
    record_entry *entry = record_begin(kind, 0);
    record_object(entry, (uintptr_t)key);
    if (order_is_on()) (kind == LAB_OP_HOST_RELEASE ? order_release : order_acquire)(key);
    record_end(entry, LAB_SUCCESS);
}

void lab_host_release(const void *key) { declare_order(LAB_OP_HOST_RELEASE, key); }
void lab_host_acquire(const void *key) { declare_order(LAB_OP_HOST_ACQUIRE, key); }
