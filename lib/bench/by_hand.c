/* A team of threads that meet at a barrier before and after each loop. This file is compiled as kernels are: -O3 for
 * the machine's own processor. */
#include "by_hand.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct member {
    by_hand *team;
    int number;
    pthread_t thread;
} member;

struct by_hand {
    int threads;
    pthread_barrier_t begin, end;
    bool stop;
    float *y;
    const float *x;
    float a;
    size_t count;
    member member[];
};

static void saxpy(float *restrict y, const float *restrict x, float a, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) y[i] = a * x[i] + y[i];
}

static void do_slice(const by_hand *team, int number)
{
    size_t slice = (team->count + (size_t)team->threads - 1) / (size_t)team->threads;
    size_t from = slice * (size_t)number, to = from + slice;
    saxpy(team->y, team->x, team->a, from, to < team->count ? to : team->count);
}

static void *serve(void *user)
{
    const member *me = user;
    for (;;) {
        pthread_barrier_wait(&me->team->begin);
        if (me->team->stop) return NULL;
        do_slice(me->team, me->number);
        pthread_barrier_wait(&me->team->end);
    }
}

by_hand *by_hand_start(int threads)
{
    by_hand *team = calloc(1, sizeof *team + (size_t)threads * sizeof *team->member);
    if (!team) return NULL;
    team->threads = threads;
    pthread_barrier_init(&team->begin, NULL, (unsigned)threads);
    pthread_barrier_init(&team->end, NULL, (unsigned)threads);
    for (int i = 1; i < threads; i++) {
        team->member[i] = (member){.team = team, .number = i};
        if (pthread_create(&team->member[i].thread, NULL, serve, &team->member[i]) != 0) return NULL;
    }
    return team;
}

void by_hand_stop(by_hand *team)
{
    if (!team) return;
    team->stop = true;
    if (team->threads > 1) pthread_barrier_wait(&team->begin);
    for (int i = 1; i < team->threads; i++) pthread_join(team->member[i].thread, NULL);
    pthread_barrier_destroy(&team->begin);
    pthread_barrier_destroy(&team->end);
    free(team);
}

void by_hand_saxpy(by_hand *team, float *y, const float *x, float a, size_t count)
{
    team->y = y;
    team->x = x;
    team->a = a;
    team->count = count;
    pthread_barrier_wait(&team->begin);
    do_slice(team, 0);
    pthread_barrier_wait(&team->end);
}
