/* The table of handles. Reading is lock-free; slots live in chunks that never move. Knows nothing of the objects. */
#include "handle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A handle is kind (8 bits, never 0), generation (24 bits), slot (32 bits). */
enum { CHUNK_SLOTS = 1024, CHUNKS = 16384, NO_SLOT = -1, LAST_GENERATION = 0xffffff };

typedef struct slot {
    _Atomic uint64_t handle; /* the handle in use, 0 if none */
    _Atomic(void *) object;
    uint32_t generation;
    int64_t next_free;
} slot;

static _Atomic(slot *) chunk[CHUNKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t slots;
static int64_t first_free = NO_SLOT;

static slot *slot_at(uint64_t index)
{
    slot *slots_of_chunk =
        index / CHUNK_SLOTS < CHUNKS ? atomic_load_explicit(&chunk[index / CHUNK_SLOTS], memory_order_acquire) : NULL;
    return slots_of_chunk ? &slots_of_chunk[index % CHUNK_SLOTS] : NULL;
}

static slot *slot_of(handle_kind kind, uint64_t handle)
{
    if (handle >> 56 != (uint64_t)kind) return NULL;
    slot *found = slot_at(handle & UINT32_MAX);
    return found && atomic_load_explicit(&found->handle, memory_order_acquire) == handle ? found : NULL;
}

/* An unused slot, with the lock held; NULL if memory ran out. */
static slot *take_slot(int64_t *index)
{
    if (first_free != NO_SLOT) {
        *index = first_free;
        slot *free_slot = slot_at((uint64_t)first_free);
        first_free = free_slot->next_free;
        return free_slot;
    }
    if (slots == (int64_t)CHUNKS * CHUNK_SLOTS) return NULL;
    if (slots % CHUNK_SLOTS == 0) {
        slot *fresh = calloc(CHUNK_SLOTS, sizeof *fresh);
        if (!fresh) return NULL;
        atomic_store_explicit(&chunk[slots / CHUNK_SLOTS], fresh, memory_order_release);
    }
    *index = slots++;
    return slot_at((uint64_t)*index);
}

uint64_t handle_create(handle_kind kind, void *object)
{
    uint64_t handle = 0;
    int64_t index;
    pthread_mutex_lock(&lock);
    slot *taken = take_slot(&index);
    if (taken) {
        taken->generation++;
        handle = (uint64_t)kind << 56 | (uint64_t)taken->generation << 32 | (uint64_t)index;
        atomic_store_explicit(&taken->object, object, memory_order_relaxed);
        atomic_store_explicit(&taken->handle, handle, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

void *handle_get(handle_kind kind, uint64_t handle)
{
    slot *found = slot_of(kind, handle);
    return found ? atomic_load_explicit(&found->object, memory_order_relaxed) : NULL;
}

static bool always(const void *object)
{
    (void)object;
    return true;
}

void *handle_remove(handle_kind kind, uint64_t handle) { return handle_remove_if(kind, handle, always); }

void *handle_remove_if(handle_kind kind, uint64_t handle, bool (*may)(const void *object))
{
    void *object = NULL;
    pthread_mutex_lock(&lock);
    slot *found = slot_of(kind, handle);
    if (found && may(atomic_load_explicit(&found->object, memory_order_relaxed))) {
        object = atomic_load_explicit(&found->object, memory_order_relaxed);
        atomic_store_explicit(&found->handle, 0, memory_order_release);
        if (found->generation < LAST_GENERATION) { /* a slot that has had them all is not used again */
            found->next_free = first_free;
            first_free = (int64_t)(handle & UINT32_MAX);
        }
    }
    pthread_mutex_unlock(&lock);
    return object;
}
