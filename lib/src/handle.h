/*
 * Handles: what the caller holds instead of an object's address. A handle names a slot and the slot's generation,
 * so that using one after its object was destroyed is found, not suffered.
 */
#ifndef LAB_SRC_HANDLE_H
#define LAB_SRC_HANDLE_H

#include <stdbool.h>
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

/* The object, or NULL if the handle is of another kind, was removed, or never existed. */
void *handle_get(handle_kind kind, uint64_t handle);

/* Takes the handle out of use and returns its object; NULL if it was not in use. Of two threads that remove the
 * same handle one gets the object. */
void *handle_remove(handle_kind kind, uint64_t handle);

/* The same if the object is one that may be removed. Nobody removes it while `may` looks at it. */
void *handle_remove_if(handle_kind kind, uint64_t handle, bool (*may)(const void *object));

#endif
