/*
 * Handles: what the caller holds instead of an object's address. A handle names a slot and the slot's generation, so a
 * handle whose object was destroyed is detected when it is used. Another thread may destroy an object that a call has
 * found: it is retired (retire.h), and stays until the call has ended.
 */
#ifndef LAB_BASE_HANDLE_H
#define LAB_BASE_HANDLE_H

#include "retire.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum handle_kind {
    HANDLE_STREAM = 1,
    HANDLE_EVENT,
    HANDLE_ARRAY,
    HANDLE_MODULE,
    HANDLE_FUNCTION,
    HANDLE_CONTEXT,
    HANDLE_ELEMENTWISE,
    HANDLE_REDUCTION,
    HANDLE_EXPRESSION,
    HANDLE_MEMPOOL,
    HANDLE_PINNED_MEMPOOL,
    HANDLE_GRAPH,
    HANDLE_GRAPH_EXEC,
} handle_kind;

/* A handle for the object; 0 if memory ran out. */
uint64_t handle_create(handle_kind kind, void *object);

/* The table is here only so that handle_get, with which nearly every call begins, can be inlined. Slots live in chunks
 * that never move. A handle is kind (8 bits, never 0), generation (24 bits), slot (32 bits), or half as many bits of
 * each where it has to fit a pointer of 32 bits. */
enum {
    HANDLE_SLOT_BITS = sizeof(void *) * 4,
    HANDLE_KIND_AT = sizeof(void *) * 7,
    HANDLE_CHUNK_SLOTS = 1024,
    HANDLE_CHUNKS = sizeof(void *) == 8 ? 16384 : 64
};
typedef struct handle_slot {
    _Atomic uint64_t handle; /* the handle in use, 0 if none */
    _Atomic(void *) object;
    uint32_t generation;
    int64_t next_free;
} handle_slot;
extern _Atomic(handle_slot *) handle_chunk[HANDLE_CHUNKS];

static inline handle_slot *handle_slot_of(handle_kind kind, uint64_t handle)
{
    /* A number that is not a handle may select any slot: the slot holds another handle. */
    handle_slot *chunk =
        atomic_load_explicit(&handle_chunk[handle / HANDLE_CHUNK_SLOTS % HANDLE_CHUNKS], memory_order_acquire);
    if (!chunk || handle >> HANDLE_KIND_AT != (uint64_t)kind) return NULL;
    handle_slot *slot = &chunk[handle % HANDLE_CHUNK_SLOTS];
    return atomic_load(&slot->handle) == handle ? slot : NULL; /* after the thread has entered: see retire.h */
}

/* The object, or NULL if the handle is of another kind, was removed, or never existed. It stays until the thread leaves
 * its outermost RETIRE_SCOPE, in which it must be. */
static inline void *handle_get(handle_kind kind, uint64_t handle)
{
    assert(retire_is_inside());
    handle_slot *slot = handle_slot_of(kind, handle);
    void *object = slot ? atomic_load_explicit(&slot->object, memory_order_acquire) : NULL;
    /* Asked again: another thread may have given the slot to another object meanwhile. */
    return object && atomic_load_explicit(&slot->handle, memory_order_relaxed) == handle ? object : NULL;
}

/* Takes the handle out of use and returns its object; NULL if it was not in use. If two threads remove the same handle,
 * one gets the object, and is the one that ends it. Other threads may still be using it: the memory is retired. */
void *handle_remove(handle_kind kind, uint64_t handle);

/* The same, but only if `may` returns true for the object, which no other thread removes meanwhile. */
void *handle_remove_if(handle_kind kind, uint64_t handle, bool (*may)(const void *object));

#endif
