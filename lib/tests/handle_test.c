/* Handles: a destroyed object's handle is detected on every thread, whatever took the object's place. */
#include "base/handle.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

/* As a call does. */
static void *find(handle_kind kind, uint64_t handle)
{
    RETIRE_SCOPE;
    return handle_get(kind, handle);
}

Test(handle, finds_the_object_it_was_made_for)
{
    int first, second;
    uint64_t of_first = handle_create(HANDLE_STREAM, &first), of_second = handle_create(HANDLE_STREAM, &second);
    cr_assert_neq(of_first, of_second);
    cr_assert_eq(find(HANDLE_STREAM, of_first), (void *)&first);
    cr_assert_eq(find(HANDLE_STREAM, of_second), (void *)&second);
}

Test(handle, of_another_kind_finds_nothing)
{
    int object;
    uint64_t handle = handle_create(HANDLE_EVENT, &object);
    cr_assert_null(find(HANDLE_STREAM, handle));
    cr_assert_null(handle_remove(HANDLE_ARRAY, handle));
    cr_assert_eq(find(HANDLE_EVENT, handle), (void *)&object, "a remove of the wrong kind must not remove");
}

Test(handle, removed_handle_finds_nothing_and_cannot_be_removed_again)
{
    int object;
    uint64_t handle = handle_create(HANDLE_ARRAY, &object);
    cr_assert_eq(handle_remove(HANDLE_ARRAY, handle), (void *)&object);
    cr_assert_null(find(HANDLE_ARRAY, handle));
    cr_assert_null(handle_remove(HANDLE_ARRAY, handle));
}

Test(handle, numbers_that_were_never_handles_find_nothing)
{
    static const uint64_t never[] = {0,
                                     1,
                                     UINT64_MAX,
                                     (uint64_t)HANDLE_STREAM << 56,
                                     (uint64_t)HANDLE_STREAM << 56 | UINT32_MAX,
                                     0x00007fffffffe000};
    int object;
    handle_create(HANDLE_STREAM, &object);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        cr_assert_null(find(HANDLE_STREAM, never[i]), "handle 0x%llx", (unsigned long long)never[i]);
        cr_assert_null(handle_remove(HANDLE_STREAM, never[i]), "handle 0x%llx", (unsigned long long)never[i]);
    }
}

Test(handle, of_a_removed_object_does_not_find_the_one_that_took_its_place)
{
    int before, after;
    uint64_t old = handle_create(HANDLE_MODULE, &before);
    handle_remove(HANDLE_MODULE, old);
    uint64_t fresh = handle_create(HANDLE_MODULE, &after);
    cr_assert_neq(old, fresh);
    cr_assert_null(find(HANDLE_MODULE, old));
    cr_assert_null(handle_remove(HANDLE_MODULE, old));
    cr_assert_eq(find(HANDLE_MODULE, fresh), (void *)&after);
}

Test(handle, stays_dead_however_often_its_place_is_used_again)
{
    enum { MORE_THAN_ALL_GENERATIONS = (1 << 24) + 2 };
    int before, after;
    uint64_t old = handle_create(HANDLE_EVENT, &before);
    handle_remove(HANDLE_EVENT, old);
    for (int i = 0; i < MORE_THAN_ALL_GENERATIONS; i++) {
        uint64_t fresh = handle_create(HANDLE_EVENT, &after);
        cr_assert_neq(fresh, old, "after %d others the handle is alive again", i);
        handle_remove(HANDLE_EVENT, fresh);
    }
    cr_assert_null(find(HANDLE_EVENT, old));
}

Test(handle, many_objects_each_keep_their_own)
{
    enum { MANY = 5000 };
    static int object[MANY];
    static uint64_t handle[MANY];
    for (int i = 0; i < MANY; i++) handle[i] = handle_create(HANDLE_STREAM, &object[i]);
    for (int i = 0; i < MANY; i += 2) cr_assert_eq(handle_remove(HANDLE_STREAM, handle[i]), (void *)&object[i]);
    for (int i = 0; i < MANY; i++)
        cr_assert_eq(find(HANDLE_STREAM, handle[i]), i % 2 ? (void *)&object[i] : NULL, "object %d", i);
}

enum { THREADS = 4, ROUNDS = 2000 };

/* Creates, finds and removes its own objects; returns whether it ever found another thread's object. */
static void *churn(void *user)
{
    (void)user;
    int object[8];
    uint64_t handle[8];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 8; i++) handle[i] = handle_create(HANDLE_ARRAY, &object[i]);
        for (int i = 0; i < 8; i++)
            if (find(HANDLE_ARRAY, handle[i]) != &object[i]) return "found another's object";
        for (int i = 0; i < 8; i++)
            if (handle_remove(HANDLE_ARRAY, handle[i]) != &object[i]) return "removed another's object";
        for (int i = 0; i < 8; i++)
            if (find(HANDLE_ARRAY, handle[i])) return "found an object after its removal";
    }
    return NULL;
}

Test(handle, threads_that_create_and_remove_do_not_meet)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) cr_assert_eq(pthread_create(&thread[i], NULL, churn, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        cr_assert_null(wrong, "%s", (const char *)wrong);
    }
}

static uint64_t contested[ROUNDS];
static atomic_int removals;

static void *remove_all(void *user)
{
    (void)user;
    for (int i = 0; i < ROUNDS; i++)
        if (handle_remove(HANDLE_EVENT, contested[i])) atomic_fetch_add(&removals, 1);
    return NULL;
}

Test(handle, of_two_threads_that_remove_it_one_gets_the_object)
{
    int object;
    for (int i = 0; i < ROUNDS; i++) contested[i] = handle_create(HANDLE_EVENT, &object);
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) cr_assert_eq(pthread_create(&thread[i], NULL, remove_all, NULL), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    cr_assert_eq(atomic_load(&removals), ROUNDS);
}

enum { TURNS = 300000 };
static int its_own, other;
static _Atomic uint64_t latest;
static atomic_bool over;

/* Looks the latest handle up again and again; returns whether it ever found what took the object's place. */
static void *look_up(void *user)
{
    (void)user;
    while (!atomic_load(&over)) {
        const void *found = find(HANDLE_MODULE, atomic_load(&latest));
        if (found && found != &its_own) return "found what took the object's place";
    }
    return NULL;
}

Test(handle, whose_place_another_object_takes_during_the_call_finds_nothing_or_its_own)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) cr_assert_eq(pthread_create(&thread[i], NULL, look_up, NULL), 0);
    for (int i = 0; i < TURNS; i++) {
        atomic_store(&latest, handle_create(HANDLE_MODULE, &its_own));
        handle_remove(HANDLE_MODULE, atomic_load(&latest));
        handle_remove(HANDLE_STREAM, handle_create(HANDLE_STREAM, &other));
    }
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        cr_assert_null(wrong, "%s", (const char *)wrong);
    }
}
