/* The access to memory that is apart, and the functions of lab.h that name host memory. The build gives each of these
 * the calls that the tests make to the function without `apart_`. */
#include "apart.h"

#include "base/program/host_memory.h"

#define LAB_NO_LOCATION
#include "lab.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Added to an address: no processor accepts the sum, and the library does not take it for an impossible address. */
static const uint64_t AWAY = UINT64_C(1) << 52;

/* Pinned memory comes from here, and is never used twice. */
static const size_t WINDOW_BYTES = (size_t)1 << 36;
static uintptr_t window;
static _Atomic size_t window_used;
static bool pinned_is_shared;

/* ---- the access ---- */

atomic_size_t apart_bytes_read, apart_bytes_written;
static _Atomic pthread_t mover;
static _Atomic size_t left = SIZE_MAX; /* bytes until the program ends */

bool apart_moved_here(void) { return pthread_equal(mover, pthread_self()); }

void apart_end_after(size_t bytes) { atomic_store(&left, bytes); }

/* The memory of this process at the program's address; NULL if that is not the program's memory. */
static void *find(uint64_t address, size_t bytes)
{
    const uint64_t real = address - AWAY, page = (uint64_t)sysconf(_SC_PAGESIZE), first = real / page * page;
    if (address < AWAY || bytes == 0 || bytes > AWAY - real) return NULL;
    return msync((void *)(uintptr_t)first, real + bytes - first, MS_ASYNC) == 0 ? (void *)(uintptr_t)real : NULL;
}

/* Counts bytes that are moved now. Returns how many of them there are before the program ends. */
static size_t begin_move(atomic_size_t *count, size_t bytes)
{
    size_t now = atomic_load(&left), part;
    do part = bytes < now ? bytes : now;
    while (now != SIZE_MAX && !atomic_compare_exchange_weak(&left, &now, now - part));
    atomic_fetch_add(count, part);
    atomic_store(&mover, pthread_self());
    return part;
}

static bool read_apart(void *into, uint64_t address, size_t bytes)
{
    const void *memory = find(address, bytes);
    if (!memory) return false;
    const size_t part = begin_move(&apart_bytes_read, bytes);
    memcpy(into, memory, part);
    return part == bytes;
}

static bool write_apart(uint64_t address, const void *from, size_t bytes)
{
    void *memory = find(address, bytes);
    if (!memory) return false;
    const size_t part = begin_move(&apart_bytes_written, bytes);
    memcpy(memory, from, part);
    return part == bytes;
}

static bool is_in_window(uint64_t address) { return address - window < WINDOW_BYTES; }

static void *find_local(uint64_t address, size_t bytes)
{
    (void)bytes;
    return is_in_window(address) ? (void *)(uintptr_t)address : NULL;
}

static bool exists_apart(uint64_t address, size_t bytes) { return find(address, bytes); }

static bool pinned_alloc_apart(uint64_t *address, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes > WINDOW_BYTES / 4) return false;
    const size_t begin = atomic_fetch_add(&window_used, (bytes + page - 1) / page * page);
    if (begin > WINDOW_BYTES / 2) return false;
    if (mprotect((void *)(window + begin), bytes, PROT_READ | PROT_WRITE) != 0) return false;
    *address = window + begin + (pinned_is_shared ? 0 : AWAY);
    return true;
}

static void pinned_free_apart(uint64_t address, size_t bytes)
{
    mmap((void *)(uintptr_t)(address - (pinned_is_shared ? 0 : AWAY)), bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static const host_memory_access access_apart = {find_local,         read_apart,        write_apart, exists_apart,
                                                pinned_alloc_apart, pinned_free_apart, NULL};

__attribute__((constructor)) static void install(void)
{
    const char *pinned = getenv("APART_PINNED");
    pinned_is_shared = pinned && strcmp(pinned, "shared") == 0;
    window = (uintptr_t)mmap(NULL, WINDOW_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if ((void *)window == MAP_FAILED) abort();
    host_memory_use(&access_apart);
}

/* ---- the calls ---- */

/* The program's address, as the library gets it, and back. */
static void *away(const void *memory)
{
    const bool stays = !memory || (pinned_is_shared && is_in_window((uintptr_t)memory));
    return (void *)((uintptr_t)memory + (stays ? 0 : AWAY));
}

static void *back(const void *memory) { return (void *)((uintptr_t)memory - ((uintptr_t)memory < AWAY ? 0 : AWAY)); }

uint64_t apart_address(const void *memory) { return (uintptr_t)away(memory); }

#define CALL(name, ...)                                                                                                \
    __typeof__(lab_##name) apart_##name;                                                                               \
    lab_status apart_##name(__VA_ARGS__)

CALL(host_alloc, void **out, size_t bytes)
{
    const lab_status status = lab_host_alloc(out, bytes);
    if (out) *out = back(*out);
    return status;
}

CALL(host_free, void *memory) { return lab_host_free(away(memory)); }

CALL(host_register, void *memory, size_t bytes) { return lab_host_register(away(memory), bytes); }

CALL(host_unregister, void *memory) { return lab_host_unregister(away(memory)); }

CALL(pinned_mempool_alloc, void **out, lab_pinned_mempool *pool, size_t bytes)
{
    const lab_status status = lab_pinned_mempool_alloc(out, pool, bytes);
    if (out) *out = back(*out);
    return status;
}

CALL(pinned_mempool_free, lab_pinned_mempool *pool, void *memory)
{
    return lab_pinned_mempool_free(pool, away(memory));
}

CALL(pinned_mempool_record_stream, lab_pinned_mempool *pool, void *memory, lab_stream *stream)
{
    return lab_pinned_mempool_record_stream(pool, away(memory), stream);
}

CALL(memcpy_htod, lab_deviceptr destination, const void *source, size_t bytes)
{
    return lab_memcpy_htod(destination, away(source), bytes);
}

CALL(memcpy_dtoh, void *destination, lab_deviceptr source, size_t bytes)
{
    return lab_memcpy_dtoh(away(destination), source, bytes);
}

CALL(memcpy_htod_async, lab_deviceptr destination, const void *source, size_t bytes, lab_stream *stream)
{
    return lab_memcpy_htod_async(destination, away(source), bytes, stream);
}

CALL(memcpy_dtoh_async, void *destination, lab_deviceptr source, size_t bytes, lab_stream *stream)
{
    return lab_memcpy_dtoh_async(away(destination), source, bytes, stream);
}

CALL(array_set, lab_array *array, const void *host) { return lab_array_set(array, away(host)); }

CALL(array_get, const lab_array *array, void *host) { return lab_array_get(array, away(host)); }

CALL(array_set_async, lab_array *array, const void *host, lab_stream *stream)
{
    return lab_array_set_async(array, away(host), stream);
}

CALL(array_get_async, const lab_array *array, void *host, lab_stream *stream)
{
    return lab_array_get_async(array, away(host), stream);
}

CALL(array_get_item, const lab_array *array, size_t index, void *value)
{
    return lab_array_get_item(array, index, away(value));
}

CALL(array_set_item, lab_array *array, size_t index, const void *value)
{
    return lab_array_set_item(array, index, away(value));
}

CALL(array_from_host, lab_array **out, lab_dtype dtype, lab_shape shape, const void *host)
{
    return lab_array_from_host(out, dtype, shape, away(host));
}

CALL(array_from_host_async, lab_array **out, lab_dtype dtype, lab_shape shape, const void *host, lab_stream *stream)
{
    return lab_array_from_host_async(out, dtype, shape, away(host), stream);
}

CALL(host_reads, const void *memory, size_t bytes) { return lab_host_reads(away(memory), bytes); }

CALL(host_writes, const void *memory, size_t bytes) { return lab_host_writes(away(memory), bytes); }

CALL(next_uses_host, const void *memory, size_t bytes, bool writes)
{
    return lab_next_uses_host(away(memory), bytes, writes);
}

/* Device memory, or pinned memory. */
CALL(next_uses, lab_deviceptr memory, size_t bytes, bool writes)
{
    return lab_next_uses(is_in_window(memory) ? (uintptr_t)away((void *)(uintptr_t)memory) : memory, bytes, writes);
}

CALL(expression_apply, lab_expression *expression, lab_stream *stream, lab_args args)
{
    enum { MOST = 16 };
    lab_arg arg[MOST];
    lab_host_array host[MOST];
    for (int i = 0; i < args.count && i < MOST; i++) {
        arg[i] = args.arg[i];
        if (arg[i].kind != LAB_ARG_HOST_ARRAY || !arg[i].value.host) continue;
        host[i] = *arg[i].value.host;
        host[i].data = away(host[i].data);
        arg[i].value.host = &host[i];
    }
    return lab_expression_apply(expression, stream, args.count <= MOST ? (lab_args){arg, args.count} : args);
}
