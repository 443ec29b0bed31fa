/* check_each: the check's own work on many arrays, on all cores. */
#include "check_state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct each_work {
    void (*work)(void *user, int k);
    void *user;
    int count;
    atomic_int next;
} each_work;

static void *take_turns(void *user)
{
    each_work *all = user;
    for (int k; (k = atomic_fetch_add(&all->next, 1)) < all->count;) all->work(all->user, k);
    return NULL;
}

/* A thread that cannot be created is not needed: the calling thread does the rest. */
void check_each(int count, void (*work)(void *user, int k), void *user)
{
    enum { MOST_HELPERS = 31 };
    each_work all = {work, user, count, 0};
    pthread_t helper[MOST_HELPERS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int helpers = 0, most = cores - 1 < MOST_HELPERS ? (int)cores - 1 : MOST_HELPERS;
    if (most > count - 1) most = count - 1;
    while (helpers < most && pthread_create(&helper[helpers], NULL, take_turns, &all) == 0) helpers++;
    take_turns(&all);
    for (int i = 0; i < helpers; i++) pthread_join(helper[i], NULL);
}
