/*
 * Host memory: the only way in which the library reads and writes the program's memory that a call names. An address is
 * the program's. Records, the order checker and messages show it as it is.
 *
 * The program is this process unless host_memory_use names another way to its memory. Everything here may be called on
 * any thread, also on the threads of copy engines and of host functions, but not with the engine's lock: an answer may
 * take until the program gives it. `bytes` is never 0.
 */
#ifndef LAB_BASE_HOST_MEMORY_H
#define LAB_BASE_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Another way to the program's memory. */
typedef struct host_memory_access {
    /* A pointer by which this process reads and writes these bytes; NULL if it has none. The answer stays right until
     * the program frees the memory: pinned memory until pinned_free, registered memory until it is unregistered, any
     * other memory until the call that named it returns. */
    void *(*local)(uint64_t address, size_t bytes);
    /* Copy bytes from and to the program's memory; `into` and `from` belong to this process. False if the program has
     * no such memory or has ended; then any part may have been copied. Called where `local` gave NULL. */
    bool (*read)(void *into, uint64_t address, size_t bytes);
    bool (*write)(uint64_t address, const void *from, size_t bytes);
    /* Whether all of these bytes are memory of the program. NULL, as are read and write, if the program is this
     * process, which only has its pinned memory twice: then `local` is never NULL. */
    bool (*exists)(uint64_t address, size_t bytes);
    /* Memory of the program that is aligned to a page and suits copy engines; false if there is none. A kernel uses the
     * program's address, so that on a CPU device only memory that `local` gives at its own address suits kernels. */
    bool (*pinned_alloc)(uint64_t *address, size_t bytes);
    /* Called once for each success of pinned_alloc, perhaps after the program has ended. */
    void (*pinned_free)(uint64_t address, size_t bytes);
    /* The window that holds all pinned memory; NULL if there is none. */
    struct window *pinned;
} host_memory_access;

/* Reaches the program's memory in this way from now on. To be called before the library's first call; `access` stays
 * the caller's and is never freed. */
void host_memory_use(const host_memory_access *access);

/* NULL while the program is this process. */
extern const host_memory_access *host_memory_other;

/* Whether the library uses every address of the program as a pointer. */
static inline bool host_memory_is_direct(void) { return !host_memory_other; }

/* Whether the program is this process. */
static inline bool host_memory_is_own(void) { return !host_memory_other || !host_memory_other->exists; }

/* A pointer by which this process reads and writes these bytes; NULL if host_memory_read and _write must move them. */
static inline void *host_memory_local(uint64_t address, size_t bytes)
{
    return host_memory_other ? host_memory_other->local(address, bytes) : (void *)(uintptr_t)address;
}

/* Copy bytes from and to the program's memory, directly if possible. False if the program has no such memory or has
 * ended; in this process a bad address ends the program as any bad access does. */
static inline bool host_memory_read(void *into, uint64_t address, size_t bytes)
{
    const void *local = host_memory_local(address, bytes);
    if (!local) return host_memory_other->read(into, address, bytes);
    memmove(into, local, bytes);
    return true;
}

static inline bool host_memory_write(uint64_t address, const void *from, size_t bytes)
{
    void *local = host_memory_local(address, bytes);
    if (!local) return host_memory_other->write(address, from, bytes);
    memmove(local, from, bytes);
    return true;
}

/* Whether all of these bytes are memory of the program. */
bool host_memory_exists(uint64_t address, size_t bytes);

/* Memory for copy engines, aligned to a page; false if there is none. */
bool host_memory_pinned_alloc(uint64_t *address, size_t bytes);
void host_memory_pinned_free(uint64_t address, size_t bytes);

/* Room for host_memory_say_gone's text. */
enum { HOST_MEMORY_GONE_WORDS = 256 };

/* "a copy of 4096 bytes from host memory at 0x5581e0: ...": says that the program's memory could not be read, or
 * written. */
void host_memory_say_gone(char text[HOST_MEMORY_GONE_WORDS], bool read, uint64_t address, size_t bytes);

#endif
