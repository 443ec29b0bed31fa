/* Threads stay for the next grid. One lock guards all grids: their blocks meet seldom. */
#include "grid.h"

#include "fiber.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct grid {
    const kernel_blocks *blocks;
    cpu_launch launch;
    grid_body *body;
    void *user;
    kernel_error *error;    /* of the first block that failed */
    uint64_t left, waiting; /* blocks that have not ended, and those of them that wait */
    uint64_t turn;          /* how often all have met */
    bool broken;            /* a block has ended: the others never meet again */
    bool failed;
    pthread_cond_t changed;
} grid;

typedef struct worker {
    pthread_cond_t given;
    grid *grid; /* NULL while it is idle */
    uint64_t number;
    struct worker *next;
} worker;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static worker *idle;
static int begun; /* threads that have made the system calls of their start */
static pthread_cond_t one_has_begun = PTHREAD_COND_INITIALIZER;

/* What orders the blocks, for racecheck: an atomic operation of each on one address, between fences. A block may come
 * to the next barrier, which has another address, before others have left this one. */
static void tell_checks(const cpu_launch *launch, uint64_t turn, bool before)
{
    static const cpu_site site = {.file = "",
                                  .function = "",
                                  .variable = "",
                                  .kind = CPU_SITE_ATOMIC,
                                  .space = CPU_SPACE_GLOBAL,
                                  .strength = CPU_ACCESS_ATOMIC,
                                  .align = 1};
    const grid *g = launch->grid_of;
    const char *address = (const char *)g + turn % 2;
    if (!launch->fence) return;
    const unsigned thread = g->blocks->kernel->suspends && !g->blocks->kernel->split ? cpu_fiber_thread(launch) : 0;
    if (!before) launch->accessed(launch, thread, address);
    launch->fence(launch, thread, CPU_FENCE_ALL);
    if (before) launch->accesses(launch, thread, address, 1, &site);
}

static uint64_t turn_of(const grid *g)
{
    pthread_mutex_lock(&lock);
    const uint64_t turn = g->turn;
    pthread_mutex_unlock(&lock);
    return turn;
}

/* cpu_launch.grid_wait */
static bool wait_for_grid(const cpu_launch *launch)
{
    grid *g = launch->grid_of;
    const uint64_t turn = turn_of(g);
    tell_checks(launch, turn, true);
    pthread_mutex_lock(&lock);
    if (!g->broken && ++g->waiting == g->left) {
        g->turn++;
        g->waiting = 0;
        pthread_cond_broadcast(&g->changed);
    }
    while (g->turn == turn && !g->broken) pthread_cond_wait(&g->changed, &lock);
    const bool met = g->turn != turn;
    pthread_mutex_unlock(&lock);
    if (met) tell_checks(launch, turn, false);
    return met;
}

/* A block has ended. Its failure comes before those of the blocks that wait for it. With the lock. */
static void leave(grid *g, bool done, const kernel_error *error)
{
    if (!done && !g->failed) *g->error = *error;
    g->failed = g->failed || !done;
    g->broken = true;
    g->left--;
    pthread_cond_broadcast(&g->changed);
}

static void *serve(void *user)
{
    worker *own = user;
    kernel_error error;
    pthread_mutex_lock(&lock);
    begun++;
    pthread_cond_signal(&one_has_begun);
    for (;;) {
        while (!own->grid) pthread_cond_wait(&own->given, &lock);
        grid *g = own->grid;
        kernel_blocks block = *g->blocks;
        block.launch = &g->launch;
        block.first += own->number;
        block.count = 1;
        block.together = false;
        pthread_mutex_unlock(&lock);
        const bool done = g->body(&error, &block, g->user);
        pthread_mutex_lock(&lock);
        own->grid = NULL;
        own->next = idle;
        idle = own;
        leave(g, done, &error);
    }
    return NULL;
}

/* Adds an idle thread; with the lock. The program's signal handlers run on the program's threads. */
static bool start_thread(void)
{
    sigset_t all, before;
    pthread_t thread;
    worker *made = calloc(1, sizeof *made);
    if (!made) return false;
    pthread_cond_init(&made->given, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, NULL, serve, made) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started) {
        free(made);
        return false;
    }
    pthread_detach(thread);
    made->next = idle;
    idle = made;
    return true;
}

bool grid_start_threads(int threads)
{
    bool started = true;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < threads && started; i++) started = start_thread();
    while (started && begun < threads) pthread_cond_wait(&one_has_begun, &lock);
    pthread_mutex_unlock(&lock);
    return started;
}

/* Takes a thread for each block off the idle ones; false if there are too few and no more can be started. With the
 * lock. */
static bool take_threads(worker *taken[GRID_MOST_BLOCKS], uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (!idle && !start_thread()) {
            for (; i > 0; i--) {
                taken[i - 1]->next = idle;
                idle = taken[i - 1];
            }
            return false;
        }
        taken[i] = idle;
        idle = idle->next;
    }
    return true;
}

bool grid_run(kernel_error *error, const kernel_blocks *blocks, grid_body *body, void *user)
{
    worker *taken[GRID_MOST_BLOCKS];
    grid g = {
        .blocks = blocks, .launch = *blocks->launch, .body = body, .user = user, .error = error, .left = blocks->count};
    g.launch.grid_wait = wait_for_grid;
    g.launch.grid_of = &g;
    pthread_cond_init(&g.changed, NULL);
    pthread_mutex_lock(&lock);
    g.failed = blocks->count > GRID_MOST_BLOCKS || !take_threads(taken, blocks->count);
    if (g.failed) {
        error->status = LAB_ERROR_OUT_OF_MEMORY;
        snprintf(error->message, sizeof error->message, "kernel '%s': no host thread for each of its %llu blocks",
                 blocks->kernel->name, (unsigned long long)blocks->count);
        g.left = 0;
    }
    for (uint64_t i = 0; i < g.left; i++) {
        taken[i]->grid = &g;
        taken[i]->number = i;
        pthread_cond_signal(&taken[i]->given);
    }
    while (g.left > 0) pthread_cond_wait(&g.changed, &lock);
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&g.changed);
    return !g.failed;
}
