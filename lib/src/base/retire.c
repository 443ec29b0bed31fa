/* Retired objects are in one list, each with the epoch in which it was retired. A thread that entered in a later epoch
 * cannot have found it. */
#include "retire.h"

#include <pthread.h>
#include <stdlib.h>

_Thread_local retire_thread retire_self;
_Atomic uint64_t retire_epoch = 1;
_Atomic uint64_t retire_latest;

static _Atomic(retire_place *) places;
static atomic_int without_place; /* threads inside */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static retired *first, **last_link = &first;
static uint64_t pending;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* its destructor gives the place of a thread that ends to another */

/* ---- Places ---- */

static void give_place(void *place)
{
    retire_self.place = NULL;
    atomic_store(&((retire_place *)place)->taken, false);
}

static void make_key(void) { pthread_key_create(&key, give_place); }

static retire_place *find_free_place(void)
{
    for (retire_place *each = atomic_load(&places); each; each = each->next) {
        bool taken = false;
        if (atomic_compare_exchange_strong(&each->taken, &taken, true)) return each;
    }
    return NULL;
}

static retire_place *make_place(void)
{
    retire_place *made;
    if (posix_memalign((void **)&made, _Alignof(retire_place), sizeof *made) != 0) return NULL;
    *made = (retire_place){.taken = true, .next = atomic_load(&places)};
    while (!atomic_compare_exchange_weak(&places, &made->next, made)) {}
    return made;
}

retire_place *retire_take_place(void)
{
    pthread_once(&key_once, make_key);
    retire_place *place = find_free_place();
    if (!place) place = make_place();
    if (place && pthread_setspecific(key, place) != 0) {
        atomic_store(&place->taken, false);
        return NULL;
    }
    return retire_self.place = place;
}

void retire_enter_without_place(void) { atomic_fetch_add(&without_place, 1); }

/* ---- Releasing ---- */

/* The earliest epoch in which a thread has entered that is still inside; UINT64_MAX if none is. */
static uint64_t find_earliest(void)
{
    uint64_t earliest = atomic_load(&without_place) > 0 ? 0 : UINT64_MAX;
    for (const retire_place *each = atomic_load(&places); each; each = each->next) {
        const uint64_t entered = atomic_load(&each->epoch);
        if (entered != 0 && entered < earliest) earliest = entered;
    }
    return earliest;
}

static bool is_kept(const retired *object)
{
    for (const retire_place *each = atomic_load(&places); each; each = each->next)
        if (atomic_load(&each->kept) == object) return true;
    return false;
}

/* Takes the objects that no thread uses any more out of the list, in their order. What a thread keeps is read after the
 * epochs: a thread names it before it pauses. */
static retired *take_unused(void)
{
    retired *taken = NULL, **taken_link = &taken;
    pthread_mutex_lock(&lock);
    const uint64_t earliest = find_earliest();
    for (retired **link = &first; *link && (*link)->epoch < earliest;) {
        retired *object = *link;
        if (is_kept(object)) {
            link = &object->next;
            continue;
        }
        *link = object->next;
        if (last_link == &object->next) last_link = link;
        object->next = NULL;
        *taken_link = object;
        taken_link = &object->next;
        pending--;
    }
    if (!first) atomic_store(&retire_latest, 0);
    pthread_mutex_unlock(&lock);
    return taken;
}

/* Releases may retire more, which is released behind what is taken already. */
static void release_unused(void)
{
    static _Thread_local bool releases;
    if (releases) return;
    releases = true;
    for (retired *taken; (taken = take_unused());)
        for (retired *next; taken; taken = next) {
            next = taken->next;
            taken->release(taken);
        }
    releases = false;
}

void retire(retired *object, void (*release)(retired *object))
{
    object->release = release;
    object->next = NULL;
    pthread_mutex_lock(&lock);
    object->epoch = atomic_fetch_add(&retire_epoch, 1);
    *last_link = object;
    last_link = &object->next;
    pending++;
    atomic_store(&retire_latest, object->epoch);
    pthread_mutex_unlock(&lock);
    if (!retire_is_inside()) release_unused();
}

void retire_free(retired *object) { free(object); }

uint64_t retire_pending(void)
{
    pthread_mutex_lock(&lock);
    const uint64_t count = pending;
    pthread_mutex_unlock(&lock);
    return count;
}

/* ---- Leaving and waiting ---- */

void retire_left(void)
{
    if (retire_self.keeps) atomic_store(&retire_self.place->kept, NULL);
    retire_self.keeps = false;
    if (retire_self.place)
        atomic_store(&retire_self.place->epoch, 0);
    else
        atomic_fetch_sub(&without_place, 1);
    if (atomic_load(&retire_latest) > 0) release_unused();
}

void retire_keep(const retired *object)
{
    if (retire_self.depth != 1 || !retire_self.place) return;
    retire_self.keeps = true;
    atomic_store(&retire_self.place->kept, object);
}

void retire_keep_end(void)
{
    if (retire_self.depth != 1 || !retire_self.keeps) return;
    retire_self.keeps = false;
    atomic_store(&retire_self.place->kept, NULL);
}

bool retire_pause(void)
{
    if (retire_self.depth != 1 || !retire_self.keeps) return false;
    atomic_store(&retire_self.place->epoch, 0);
    return true;
}

void retire_resume(bool paused)
{
    if (paused) atomic_store(&retire_self.place->epoch, atomic_load(&retire_epoch));
}
