/*
 * Retired objects: memory that one thread frees while other threads may still be using it.
 *
 * A thread is inside from the beginning of a public call to its end. Whoever ends an object first makes it impossible
 * to find, then retires it. It is released once all threads have left that were inside at that time and might have
 * found it. Entering costs one atomic store to a place of the thread's own; nothing waits for anything.
 *
 * A call that waits for the device would delay the release of everything retired meanwhile. It says that it uses one
 * object alone from now on (retire_keep), and is then outside while it waits (retire_pause).
 */
#ifndef LAB_BASE_RETIRE_H
#define LAB_BASE_RETIRE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The first member of an object that can be retired. All zeros until then. */
typedef struct retired {
    struct retired *next;
    uint64_t epoch;
    void (*release)(struct retired *object);
} retired;

/* Releases the object with `release` once no thread uses it any more; on whichever thread leaves, which holds no lock
 * then. Never before the calling thread has left. Objects that one thread retires are released in that order, unless
 * a thread keeps one. Allocates nothing. */
void retire(retired *object, void (*release)(retired *object));

/* A release that only calls free(object). */
void retire_free(retired *object);

/* The rest of the enclosing block is inside. Blocks may be nested: the outermost counts. Everything that finds an
 * object or uses it stands behind this line. */
#define RETIRE_SCOPE __attribute__((cleanup(retire_scope_end), unused)) const bool retire_scope = retire_scope_begin()

/* From here to retire_keep_end, or until the thread leaves, it uses of all objects only this one, or none if NULL; and
 * what cannot be retired meanwhile. Without effect in a block within another. */
void retire_keep(const retired *object);
void retire_keep_end(void);

/* Before and after a wait: the thread is outside meanwhile if it has said what it keeps. Else nothing happens. */
bool retire_pause(void);
void retire_resume(bool paused);

/* How many objects are retired and not released yet. */
uint64_t retire_pending(void);

/* ---- Used by the inline functions only ---- */

/* Where other threads see what a thread may be using. */
typedef struct retire_place {
    _Alignas(64) _Atomic uint64_t epoch; /* when the thread entered; 0 outside */
    _Atomic(const retired *) kept;
    atomic_bool taken; /* by a thread that has not ended */
    struct retire_place *next;
} retire_place;

typedef struct retire_thread {
    int depth;           /* of nested blocks */
    bool keeps;          /* since it entered */
    retire_place *place; /* NULL if there was no memory for one */
} retire_thread;

extern _Thread_local retire_thread retire_self;
extern _Atomic uint64_t retire_epoch;
extern _Atomic uint64_t retire_latest; /* epoch of the object that was retired last; 0 if none is pending */
retire_place *retire_take_place(void);
void retire_enter_without_place(void);
void retire_left(void);

static inline bool retire_is_inside(void) { return retire_self.depth > 0; }

static inline bool retire_scope_begin(void)
{
    if (retire_self.depth++ > 0) return true;
    retire_place *place = retire_self.place ? retire_self.place : retire_take_place();
    if (!place)
        retire_enter_without_place();
    else /* sequentially consistent: before everything that the thread looks for */
        atomic_store(&place->epoch, atomic_load(&retire_epoch));
    return true;
}

static inline void retire_scope_end(const bool *scope)
{
    (void)scope;
    if (--retire_self.depth > 0) return;
    retire_place *place = retire_self.place;
    if (!place || retire_self.keeps) {
        retire_left();
        return;
    }
    const uint64_t entered = atomic_load_explicit(&place->epoch, memory_order_relaxed);
    atomic_store_explicit(&place->epoch, 0, memory_order_release);
    if (entered <= atomic_load_explicit(&retire_latest, memory_order_relaxed)) retire_left();
}

#endif
