/* Retired objects: when they are released, and when not. */
#include "base/retire.h"
#include "test.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* An object that counts its releases. */
typedef struct thing {
    retired retired;
    int releases, place; /* `place`: the how-manieth release of all it was */
} thing;

static atomic_int all_releases;

static void release(retired *object)
{
    thing *released = (thing *)object;
    released->releases++;
    released->place = atomic_fetch_add(&all_releases, 1) + 1;
}

/* A thread that enters, and leaves when it is told. */
typedef struct visitor {
    pthread_t thread;
    sem_t entered, told, paused, resumed;
    const retired *keeps;
    bool pauses;
} visitor;

static void *visit(void *user)
{
    visitor *self = user;
    RETIRE_SCOPE;
    sem_post(&self->entered);
    if (self->pauses) {
        sem_wait(&self->told);
        retire_keep(self->keeps);
        const bool paused = retire_pause();
        sem_post(&self->paused);
        sem_wait(&self->told);
        retire_resume(paused);
        sem_post(&self->resumed);
    }
    sem_wait(&self->told);
    return NULL;
}

static void start(visitor *made, bool pauses, const retired *keeps)
{
    *made = (visitor){.pauses = pauses, .keeps = keeps};
    sem_init(&made->entered, 0, 0);
    sem_init(&made->told, 0, 0);
    sem_init(&made->paused, 0, 0);
    sem_init(&made->resumed, 0, 0);
    cr_assert_eq(pthread_create(&made->thread, NULL, visit, made), 0);
    sem_wait(&made->entered);
}

static void tell(visitor *told, sem_t *then)
{
    sem_post(&told->told);
    sem_wait(then);
}

static void end(visitor *ended)
{
    sem_post(&ended->told);
    pthread_join(ended->thread, NULL);
}

Test(retire, outside_releases_at_once)
{
    thing object = {0};
    retire(&object.retired, release);
    cr_assert_eq(object.releases, 1);
    cr_assert_eq(retire_pending(), 0);
}

static void retire_inside(thing *object)
{
    RETIRE_SCOPE;
    retire(&object->retired, release);
    cr_assert_eq(object->releases, 0);
}

Test(retire, inside_releases_when_the_outermost_block_ends)
{
    thing object = {0};
    {
        RETIRE_SCOPE;
        retire_inside(&object);
        cr_assert_eq(object.releases, 0, "the outer block goes on");
        cr_assert(retire_is_inside());
    }
    cr_assert_eq(object.releases, 1);
    cr_assert_not(retire_is_inside());
}

Test(retire, waits_for_a_thread_that_was_inside)
{
    visitor other;
    thing object = {0};
    start(&other, false, NULL);
    retire(&object.retired, release);
    cr_assert_eq(object.releases, 0);
    cr_assert_eq(retire_pending(), 1);
    end(&other);
    cr_assert_eq(object.releases, 1, "the thread that left releases it");
}

Test(retire, does_not_wait_for_a_thread_that_entered_later)
{
    visitor earlier, later;
    thing object = {0};
    start(&earlier, false, NULL);
    retire(&object.retired, release);
    start(&later, false, NULL);
    end(&earlier);
    cr_assert_eq(object.releases, 1);
    end(&later);
}

Test(retire, releases_in_the_order_of_retiring)
{
    visitor other;
    thing object[20] = {0};
    start(&other, false, NULL);
    for (int i = 0; i < 20; i++) retire(&object[i].retired, release);
    end(&other);
    for (int i = 0; i < 20; i++) cr_assert_eq(object[i].place, i + 1);
}

Test(retire, pause_holds_up_only_what_the_thread_keeps)
{
    visitor waiting;
    thing kept = {0}, others[20] = {0};
    start(&waiting, true, &kept.retired);
    retire(&others[0].retired, release);
    cr_assert_eq(others[0].releases, 0, "before the pause everything stays");
    tell(&waiting, &waiting.paused);
    retire(&kept.retired, release);
    for (int i = 1; i < 20; i++) retire(&others[i].retired, release);
    for (int i = 0; i < 20; i++) cr_assert_eq(others[i].releases, 1);
    cr_assert_eq(kept.releases, 0);
    tell(&waiting, &waiting.resumed);
    retire(&(thing){0}.retired, release);
    cr_assert_eq(kept.releases, 0, "the thread uses it until it leaves");
    end(&waiting);
    cr_assert_eq(kept.releases, 1);
    cr_assert_eq(retire_pending(), 0);
}

Test(retire, pause_needs_to_know_what_the_thread_keeps)
{
    RETIRE_SCOPE;
    cr_assert_not(retire_pause());
    retire_keep(NULL);
    cr_assert(retire_pause());
    retire_resume(true);
    retire_keep_end();
    cr_assert_not(retire_pause());
}

static void keep_and_pause_inside(void)
{
    RETIRE_SCOPE;
    retire_keep(NULL);
    cr_assert_not(retire_pause());
}

/* The outer call uses what it has found. */
Test(retire, pause_in_a_call_within_a_call_has_no_effect)
{
    RETIRE_SCOPE;
    keep_and_pause_inside();
    cr_assert_not(retire_pause());
    retire_keep(NULL);
    keep_and_pause_inside();
}

static thing second;

static void release_and_retire(retired *object)
{
    release(object);
    retire(&second.retired, release);
}

Test(retire, release_may_retire_more_which_comes_last)
{
    thing first = {0}, other = {0};
    {
        RETIRE_SCOPE;
        retire(&first.retired, release_and_retire);
        retire(&other.retired, release);
    }
    cr_assert_eq(first.place, 1);
    cr_assert_eq(other.place, 2);
    cr_assert_eq(second.place, 3);
    cr_assert_eq(retire_pending(), 0);
}

static void *enter_and_leave(void *user)
{
    RETIRE_SCOPE;
    return user;
}

Test(retire, threads_that_have_ended_hold_up_nothing)
{
    thing object = {0};
    for (int i = 0; i < 100; i++) {
        pthread_t thread;
        cr_assert_eq(pthread_create(&thread, NULL, enter_and_leave, NULL), 0);
        pthread_join(thread, NULL);
    }
    retire(&object.retired, release);
    cr_assert_eq(object.releases, 1);
}

/* ---- Several threads ---- */

enum { READERS = 3, REPLACEMENTS = 20000, ALIVE = 0x600d };

typedef struct shared {
    retired retired;
    int state;
} shared;

static _Atomic(shared *) current;
static atomic_bool over;
static atomic_int wrong;

static shared *make_shared(void)
{
    shared *made = calloc(1, sizeof *made);
    if (made) made->state = ALIVE;
    return made;
}

static void release_shared(retired *object)
{
    ((shared *)object)->state = 0;
    free(object);
}

static void *read_current(void *user)
{
    (void)user;
    while (!atomic_load(&over)) {
        RETIRE_SCOPE;
        const shared *found = atomic_load(&current);
        for (int i = 0; i < 5; i++)
            if (found->state != ALIVE) atomic_fetch_add(&wrong, 1);
    }
    return NULL;
}

Test(retire, object_that_threads_read_stays_while_another_replaces_it)
{
    pthread_t thread[READERS];
    atomic_store(&current, make_shared());
    for (int i = 0; i < READERS; i++) cr_assert_eq(pthread_create(&thread[i], NULL, read_current, NULL), 0);
    for (int i = 0; i < REPLACEMENTS; i++) retire(&atomic_exchange(&current, make_shared())->retired, release_shared);
    atomic_store(&over, true);
    for (int i = 0; i < READERS; i++) pthread_join(thread[i], NULL);
    cr_assert_eq(atomic_load(&wrong), 0);
    retire(&atomic_load(&current)->retired, release_shared);
    cr_assert_eq(retire_pending(), 0, "nothing is left when all are outside");
}
