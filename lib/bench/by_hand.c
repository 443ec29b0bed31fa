/* A team of threads that meet at a barrier before and after each loop. This file is compiled like kernels: -O3 for the
 * machine's own processor. */
#include "by_hand.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct member {
    by_hand *team;
    int number;
    pthread_t thread;
    float sum;
} member;

struct by_hand {
    int threads;
    pthread_barrier_t begin, end;
    bool stop;
    void (*loop)(by_hand *team, int number, size_t first, size_t end);
    float *y, *z;
    const float *x, *w;
    float a;
    size_t count;
    member member[];
};

static void saxpy(float *restrict y, const float *restrict x, float a, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) y[i] = a * x[i] + y[i];
}

static void squared_difference(float *restrict z, const float *restrict x, const float *restrict y, float a,
                               size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) z[i] = (x[i] - y[i]) * (x[i] - y[i]) + a;
}

enum { LANES = 16, VECTORS = 4 };
typedef float vector __attribute__((vector_size(LANES * sizeof(float))));

static float sum(const float *x, size_t first, size_t end)
{
    vector part[VECTORS] = {{0}};
    size_t i = first;
    for (; i + LANES * VECTORS <= end; i += LANES * VECTORS)
        for (int v = 0; v < VECTORS; v++) part[v] += *(const vector *)(x + i + LANES * v);
    float result = 0;
    for (; i < end; i++) result += x[i];
    for (int v = 0; v < VECTORS; v++)
        for (int lane = 0; lane < LANES; lane++) result += part[v][lane];
    return result;
}

static void loop_saxpy(by_hand *team, int number, size_t first, size_t end)
{
    (void)number;
    saxpy(team->y, team->x, team->a, first, end);
}

static void loop_squared_difference(by_hand *team, int number, size_t first, size_t end)
{
    (void)number;
    squared_difference(team->z, team->x, team->w, team->a, first, end);
}

static void loop_sum(by_hand *team, int number, size_t first, size_t end)
{
    team->member[number].sum = sum(team->x, first, end);
}

/* Whole cache lines. */
static void do_slice(by_hand *team, int number)
{
    size_t slice = (team->count + (size_t)team->threads - 1) / (size_t)team->threads;
    slice = (slice + LANES - 1) / LANES * LANES;
    size_t first = slice * (size_t)number, end = first + slice;
    if (first < team->count) team->loop(team, number, first, end < team->count ? end : team->count);
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

static void run(by_hand *team)
{
    pthread_barrier_wait(&team->begin);
    do_slice(team, 0);
    pthread_barrier_wait(&team->end);
}

void by_hand_saxpy(by_hand *team, float *y, const float *x, float a, size_t count)
{
    team->loop = loop_saxpy;
    team->y = y;
    team->x = x;
    team->a = a;
    team->count = count;
    run(team);
}

void by_hand_squared_difference(by_hand *team, float *z, const float *x, const float *y, float a, size_t count)
{
    team->loop = loop_squared_difference;
    team->z = z;
    team->x = x;
    team->w = y;
    team->a = a;
    team->count = count;
    run(team);
}

float by_hand_sum(by_hand *team, const float *x, size_t count)
{
    team->loop = loop_sum;
    team->x = x;
    team->count = count;
    for (int i = 0; i < team->threads; i++) team->member[i].sum = 0;
    run(team);
    float total = 0;
    for (int i = 0; i < team->threads; i++) total += team->member[i].sum;
    return total;
}
