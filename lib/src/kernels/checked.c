/* A launch has a place as long as blocks of it run or have run; the place is then another's. */
#include "checked.h"

#include "seam/checks.h"
#include "seam/ledger.h"
#include "seam/written.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct checked_launch {
    struct checked_launch *next;
    uint64_t number;
    unsigned runs; /* under way */
    cpu_memcheck memcheck;
    char file[APART_FILE];
} checked_launch;

/* A thread's way to the ledger, which all threads of a cooperative launch use. */
typedef struct asking {
    ledger_asked public;
    wire_channel *channel;
    pthread_mutex_t lock;
} asking;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list */
static checked_launch *launches;

void checked_open(apart_head *head)
{
    kernel_progress_keep_at(&head->progress);
    for (kernel_check check = 0; check < KERNEL_CHECKS; check++)
        if (head->checks >> check & 1) kernel_check_turn_on(check);
    const uint64_t noted = head->written, memory = head->address[0];
    if (noted) written_keep_at(memory + noted, head->bytes[0] - noted, (void *)(uintptr_t)memory);
}

/* ---- the ledger ---- */

static ledger_answer ask(const ledger_asked *self, ledger_entry *found, uint64_t address, size_t bytes, uint64_t when)
{
    static _Thread_local char file[2][APART_FILE];
    static const char foreign;
    static atomic_bool never;
    asking *own = (asking *)self;
    wire_message *message = &own->channel->reply;
    apart_question *question = (apart_question *)(void *)message->bytes;
    pthread_mutex_lock(&own->lock);
    *question = (apart_question){.address = address, .bytes = bytes, .when = when};
    message->kind = WIRE_QUESTION;
    wire_pass(own->channel, WIRE_DEVICE);
    wire_await(own->channel, WIRE_DEVICE, &never);
    message->kind = WIRE_REPLY;
    memcpy(file, question->file, sizeof file);
    *found = (ledger_entry){.address = question->found_address,
                            .bytes = question->found_bytes,
                            .owner = question->foreign ? (const void *)&foreign : NULL,
                            .made = {file[0], question->line[0], 0},
                            .freed = {file[1], question->line[1], 0},
                            .died = question->died};
    const ledger_answer answer = (ledger_answer)question->answer;
    pthread_mutex_unlock(&own->lock);
    return answer;
}

void checked_ask_on(wire_channel *channel)
{
    static _Thread_local asking own = {.public = {ask}, .lock = PTHREAD_MUTEX_INITIALIZER};
    own.channel = channel;
    ledger_other = &own.public;
}

/* ---- launches ---- */

/* The place of the request's launch; NULL if memory runs out. */
static checked_launch *enter(const apart_run *request)
{
    checked_launch *unused = NULL, *found;
    pthread_mutex_lock(&lock);
    for (found = launches; found && found->number != request->number; found = found->next)
        if (found->runs == 0 && found->memcheck.done == 0) unused = found;
    if (!found && !unused && (unused = calloc(1, sizeof *unused))) {
        unused->next = launches;
        launches = unused;
    }
    if (!found && unused) {
        found = unused;
        found->number = request->number;
        memcpy(found->file, request->file, sizeof found->file);
        found->memcheck = (cpu_memcheck){.dynamic_shared = request->dynamic_shared,
                                         .launched = {.file = found->file, .line = request->line}};
    }
    if (found) found->runs++;
    pthread_mutex_unlock(&lock);
    return found;
}

static void leave(checked_launch *launch)
{
    pthread_mutex_lock(&lock);
    launch->runs--;
    pthread_mutex_unlock(&lock);
}

bool checked_run(kernel_error *error, const kernel_blocks *blocks, const apart_run *request)
{
    checked_launch *launch = enter(request);
    if (!launch) {
        *error = (kernel_error){.status = LAB_ERROR_OUT_OF_MEMORY};
        kernel_error_say(error, "kernel '%s': no memory to check it", blocks->kernel->name);
        return false;
    }
    const bool done = cpu_memcheck_run(error, &launch->memcheck, blocks, request->ledger_count);
    leave(launch);
    return done;
}
