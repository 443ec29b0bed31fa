/* The table of handles: taking slots and giving them back. Reading, in handle.h, is lock-free. */
#include "handle.h"

#include <pthread.h>
#include <stdlib.h>

enum { NO_SLOT = -1, LAST_GENERATION = (1 << (HANDLE_KIND_AT - HANDLE_SLOT_BITS)) - 1 };

_Atomic(handle_slot *) handle_chunk[HANDLE_CHUNKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t slots;
static int64_t first_free = NO_SLOT;

static handle_slot *slot_at(int64_t index)
{
    return &atomic_load_explicit(&handle_chunk[index / HANDLE_CHUNK_SLOTS],
                                 memory_order_relaxed)[index % HANDLE_CHUNK_SLOTS];
}

/* An unused slot, with the lock held; NULL if memory ran out. */
static handle_slot *take_slot(int64_t *index)
{
    if (first_free != NO_SLOT) {
        *index = first_free;
        handle_slot *free_slot = slot_at(first_free);
        first_free = free_slot->next_free;
        return free_slot;
    }
    if (slots == (int64_t)HANDLE_CHUNKS * HANDLE_CHUNK_SLOTS) return NULL;
    if (slots % HANDLE_CHUNK_SLOTS == 0) {
        handle_slot *fresh = calloc(HANDLE_CHUNK_SLOTS, sizeof *fresh);
        if (!fresh) return NULL;
        atomic_store_explicit(&handle_chunk[slots / HANDLE_CHUNK_SLOTS], fresh, memory_order_release);
    }
    *index = slots++;
    return slot_at(*index);
}

uint64_t handle_create(handle_kind kind, void *object)
{
    uint64_t handle = 0;
    int64_t index;
    pthread_mutex_lock(&lock);
    handle_slot *taken = take_slot(&index);
    if (taken) {
        taken->generation++;
        handle = (uint64_t)kind << HANDLE_KIND_AT | (uint64_t)taken->generation << HANDLE_SLOT_BITS | (uint64_t)index;
        atomic_store_explicit(&taken->object, object, memory_order_release); /* see handle_get */
        atomic_store_explicit(&taken->handle, handle, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return handle;
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
    handle_slot *found = handle_slot_of(kind, handle);
    if (found && may(atomic_load_explicit(&found->object, memory_order_relaxed))) {
        object = atomic_load_explicit(&found->object, memory_order_relaxed);
        atomic_store(&found->handle, 0);
        if (found->generation < LAST_GENERATION) { /* a slot that has had all generations is retired */
            found->next_free = first_free;
            first_free = (int64_t)(handle & (((uint64_t)1 << HANDLE_SLOT_BITS) - 1));
        }
    }
    pthread_mutex_unlock(&lock);
    return object;
}
