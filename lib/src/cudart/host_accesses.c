/*
 * The host's own reads and writes of pinned and managed memory, for the order checker.
 *
 * A program that is compiled with -fsanitize=thread calls the functions below before its loads and stores: their names
 * and forms are those of clang's and gcc's instrumentation. No thread sanitizer is linked. An access is declared as
 * lab_host_reads and lab_host_writes do, at the place "host+0x1234": the offset in the program of the instruction, for
 * addr2line. Without LAB_ORDER they return at once.
 */
#include "lab.h"

#include "base/program/host_place.h"
#include "base/retire.h"
#include "objects/work/memory.h"

#include <stdlib.h>
#include <string.h>

static bool watches;
static _Thread_local bool inside; /* of the library, whose own accesses do not count */

__attribute__((constructor)) static void begin(void)
{
    const char *order = getenv("LAB_ORDER");
    watches = order && *order && strcmp(order, "off") != 0;
}

static bool is_pinned(const void *address)
{
    range found;
    RETIRE_SCOPE;
    return memory_find_pinned(&found, (uintptr_t)address);
}

__attribute__((noinline)) static void declare(const void *address, size_t bytes, bool writes, const void *caller)
{
    inside = true;
    if (is_pinned(address)) {
        lab_here(host_place_name((const char *)caller - 1), 0); /* before where the call returns to */
        lab_here_ends(writes ? (lab_host_writes)(address, bytes) : (lab_host_reads)(address, bytes));
    }
    inside = false;
}

static inline void note(const void *address, size_t bytes, bool writes, const void *caller)
{
    if (__builtin_expect(watches && !inside, 0)) declare(address, bytes, writes, caller);
}

#define CALLER __builtin_return_address(0)
#define ACCESS(name, bytes, writes)                                                                                    \
    void name(const void *address);                                                                                    \
    void name(const void *address) { note(address, bytes, writes, CALLER); }
#define ACCESSES(bytes)                                                                                                \
    ACCESS(__tsan_read##bytes, bytes, false)                                                                           \
    ACCESS(__tsan_write##bytes, bytes, true)                                                                           \
    ACCESS(__tsan_unaligned_read##bytes, bytes, false)                                                                 \
    ACCESS(__tsan_unaligned_write##bytes, bytes, true)                                                                 \
    ACCESS(__tsan_read_write##bytes, bytes, true)                                                                      \
    ACCESS(__tsan_unaligned_read_write##bytes, bytes, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define RANGE(name, writes)                                                                                            \
    void name(const void *address, size_t bytes);                                                                      \
    void name(const void *address, size_t bytes)                                                                       \
    {                                                                                                                  \
        if (bytes) note(address, bytes, writes, CALLER);                                                               \
    }
RANGE(__tsan_read_range, false)
RANGE(__tsan_write_range, true)

/* What the compilers make of copies and fills. */
void *__tsan_memcpy(void *to, const void *from, size_t bytes);
void *__tsan_memmove(void *to, const void *from, size_t bytes);
void *__tsan_memset(void *to, int value, size_t bytes);

static void note_copy(const void *to, const void *from, size_t bytes, const void *caller)
{
    if (!bytes) return;
    note(from, bytes, false, caller);
    note(to, bytes, true, caller);
}

void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    note_copy(to, from, bytes, CALLER);
    return memcpy(to, from, bytes);
}

void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    note_copy(to, from, bytes, CALLER);
    return memmove(to, from, bytes);
}

void *__tsan_memset(void *to, int value, size_t bytes)
{
    if (bytes) note(to, bytes, true, CALLER);
    return memset(to, value, bytes);
}

/* What else the instrumentation calls. */
void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_vptr_update(void **pointer, void *value);
void __tsan_vptr_read(void **pointer);
void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **pointer, void *value) { (void)pointer, (void)value; }
void __tsan_vptr_read(void **pointer) { (void)pointer; }
