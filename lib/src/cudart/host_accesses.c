/*
 * The host's own reads and writes of pinned and managed memory, for the order checker.
 *
 * A program that is compiled with -fsanitize=thread calls the functions below before its loads and stores: their names
 * and forms are those of clang's and gcc's instrumentation. No thread sanitizer is linked. An access is declared as
 * lab_host_reads and lab_host_writes do, at the place "host+0x1234": the offset in the program of the instruction, for
 * addr2line. Without LAB_ORDER they return at once.
 */
#include "lab.h"

#include "base/retire.h"
#include "objects/work/memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
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

/* The names of instructions that access pinned memory, as long as the process lives: the order checker keeps them. */
typedef struct host_place {
    struct host_place *next;
    const void *caller;
    char name[32];
} host_place;
enum { PLACE_LISTS = 1024 };
static host_place *places[PLACE_LISTS];
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;

/* "host+0x1234"; "" if memory ran out. The address is one before where the call returns to. */
static const char *name_of_place(const void *caller)
{
    host_place **list = &places[(uintptr_t)caller / 4 % PLACE_LISTS], *found;
    pthread_mutex_lock(&places_lock);
    for (found = *list; found && found->caller != caller;) found = found->next;
    if (!found && (found = calloc(1, sizeof *found))) {
        Dl_info object;
        const char *base = dladdr(caller, &object) ? object.dli_fbase : NULL;
        snprintf(found->name, sizeof found->name, "host+0x%zx", (size_t)((const char *)caller - base) - 1);
        found->caller = caller;
        found->next = *list;
        *list = found;
    }
    pthread_mutex_unlock(&places_lock);
    return found ? found->name : "";
}

__attribute__((noinline)) static void declare(const void *address, size_t bytes, bool writes, const void *caller)
{
    inside = true;
    if (is_pinned(address)) {
        lab_here(name_of_place(caller), 0);
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
