/* Threads that wait for blocks, and the first thread, which loads modules. */
#include "kernels.h"
#include "checked.h"
#include "modules.h"
#include "system_calls.h"

#include "cpu/kernel/grid.h"
#include "cpu/kernel/kernel_run.h"
#include "cpu/kernel/kernel_signals.h"
#include "cpu/object/module_tables.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = MODULE_MOST_ARGUMENT_BYTES / MODULE_ARGUMENT_ALIGNMENT };

static apart_head *shared;
static atomic_bool never;
static pthread_barrier_t begun; /* the threads make the system calls of their start before there is a limit */

static void answer(wire_channel *channel, lab_status status, const char *message)
{
    apart_result *result = (apart_result *)(void *)channel->reply.bytes;
    result->status = status;
    snprintf(result->message, sizeof result->message, "%s", message);
}

/* ---- Kernels ---- */

/* Takes the next blocks of a claim. False if there is none, or if the threads are to pause. */
static bool take_blocks(kernel_blocks *blocks, apart_claim *claim)
{
    uint64_t next = atomic_load(&claim->next), count;
    do {
        if (next >= claim->blocks || atomic_load_explicit(&claim->pause, memory_order_relaxed)) return false;
        count = (claim->blocks - next) / (claim->threads * APART_SHARE);
        if (count == 0) count = 1;
    } while (!atomic_compare_exchange_weak(&claim->next, &next, next + count));
    blocks->first = next;
    blocks->count = count;
    return true;
}

static bool run_taken(kernel_error *error, const kernel_blocks *blocks, const apart_run *request)
{
    return blocks->kernel->variables ? checked_run(error, blocks, request) : cpu_kernel_run(error, blocks);
}

static bool run_blocks(kernel_error *error, kernel_blocks *blocks, const apart_run *request)
{
    const int32_t number = request->claim;
    blocks->together = number == APART_TOGETHER;
    if (number < 0) return run_taken(error, blocks, request);
    apart_claim *claim = &apart_claims(shared)[number];
    while (take_blocks(blocks, claim)) {
        if (run_taken(error, blocks, request)) continue;
        atomic_store(&claim->pause, 1);
        return false;
    }
    return true;
}

static void run(wire_channel *channel)
{
    static _Thread_local const void *args[MOST_ARGUMENTS];
    kernel_error error;
    const apart_run request = *(const apart_run *)(const void *)channel->request.bytes;
    const cpu_kernel *kernel = modules_kernel(request.module, request.kernel);
    if (!kernel) {
        answer(channel, LAB_ERROR_UNKNOWN, "there is no such kernel");
        return;
    }
    const unsigned char *value = channel->request.bytes + sizeof request;
    for (int i = 0; i < kernel->params; i++) {
        args[i] = value;
        value += module_argument_bytes(&kernel->param[i]);
    }
    const cpu_launch launch = {.grid = {request.grid[0], request.grid[1], request.grid[2]},
                               .block = {request.block[0], request.block[1], request.block[2]}};
    kernel_blocks blocks = {.kernel = kernel,
                            .args = args,
                            .launch = &launch,
                            .first = request.first,
                            .count = request.count,
                            .shuffle_seed = request.shuffled ? &request.seed : NULL};
    const bool done = run_blocks(&error, &blocks, &request);
    fflush(stdout);
    if (done)
        ((apart_result *)(void *)channel->reply.bytes)->status = LAB_SUCCESS;
    else
        answer(channel, error.status, error.message);
}

static void *run_always(void *user)
{
    wire_channel *channel = user;
    checked_ask_on(channel);
    pthread_barrier_wait(&begun);
    for (;;) {
        wire_await(channel, WIRE_DEVICE, &never);
        run(channel);
        wire_pass(channel, WIRE_DEVICE);
    }
    return NULL;
}

/* ---- Modules ---- */

static void load(wire_channel *channel)
{
    const apart_place place = *(const apart_place *)(const void *)channel->request.bytes;
    const char *fault = NULL;
    if (channel->request.number == APART_LOAD)
        fault = modules_load(&place);
    else
        modules_unload(&place);
    answer(channel, fault ? LAB_ERROR_UNKNOWN : LAB_SUCCESS, fault ? fault : "");
}

void kernels_serve(apart_head *head)
{
    wire_channel *channel = apart_channels(head);
    shared = head;
    cpu_kernel_signals_prepare();
    checked_open(head);
    /* Else the C library makes calls that end the process: it looks in files how many processors there are, when a
     * thread first allocates, and whether it may give back what threads have freed; and it remaps what grows. */
    mallopt(M_ARENA_MAX, (int)head->threads + 1);
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_MMAP_MAX, 0);
    pthread_barrier_init(&begun, NULL, head->threads + 1);
    for (uint32_t i = 1; i <= head->threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run_always, &channel[i]) != 0) return;
    }
    pthread_barrier_wait(&begun);
    if (head->cooperative && !grid_start_threads(GRID_MOST_BLOCKS)) return;
    if (!system_calls_limit()) return;
    for (;;) {
        wire_pass(channel, WIRE_DEVICE);
        wire_await(channel, WIRE_DEVICE, &never);
        load(channel);
    }
}
