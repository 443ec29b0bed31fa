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
    uint64_t runs; /* that it was used for */
    pthread_mutex_t lock;
} asking;

/* Usable memory that a thread has asked for. The answer holds for the run, as long as the ledger stays as it is. */
typedef struct answered {
    const asking *asked;
    uint64_t run, version, when;
    ledger_entry entry;
    char file[2][APART_FILE]; /* what the entry's calls name */
} answered;
enum { ANSWERS = 8 }; /* that a thread keeps: a kernel has few arrays */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list */
static checked_launch *launches;

void checked_open(apart_head *head)
{
    kernel_progress_keep_at(&head->progress);
    ledger_version_keep_at(&head->ledger_version);
    for (kernel_check check = 0; check < KERNEL_CHECKS; check++)
        if (head->checks >> check & 1) kernel_check_turn_on(check);
    const uint64_t noted = head->written, memory = head->address[0];
    if (noted) written_keep_at(memory + noted, head->bytes[0] - noted, (void *)(uintptr_t)memory);
}

/* ---- the ledger ---- */

static _Thread_local answered answers[ANSWERS];
static _Thread_local unsigned asked; /* the next answer's place follows from it */

static const answered *find_answer(const asking *own, uint64_t address, uint64_t when)
{
    const uint64_t version = ledger_version();
    for (unsigned i = 0; i < ANSWERS; i++) {
        const answered *each = &answers[i];
        if (each->asked == own && each->run == own->runs && each->version == version && each->when == when &&
            address - each->entry.address < each->entry.bytes)
            return each;
    }
    return NULL;
}

/* Takes the answer from the channel. */
static ledger_answer keep_answer(answered *place, const apart_question *question)
{
    static const char foreign;
    memcpy(place->file, question->file, sizeof place->file);
    place->entry = (ledger_entry){.address = question->found_address,
                                  .bytes = question->found_bytes,
                                  .owner = question->foreign ? (const void *)&foreign : NULL,
                                  .made = {place->file[0], question->line[0], 0},
                                  .freed = {place->file[1], question->line[1], 0},
                                  .died = question->died};
    return (ledger_answer)question->answer;
}

static ledger_answer ask(const ledger_asked *self, ledger_entry *found, uint64_t address, size_t bytes, uint64_t when)
{
    static atomic_bool never;
    asking *own = (asking *)self;
    const answered *known = find_answer(own, address, when);
    if (known) {
        *found = known->entry;
        return LEDGER_USABLE;
    }
    answered *place = &answers[asked++ % ANSWERS];
    wire_message *message = &own->channel->reply;
    apart_question *question = (apart_question *)(void *)message->bytes;
    pthread_mutex_lock(&own->lock);
    place->asked = NULL;
    place->version = ledger_version(); /* before the question: what changes afterwards is asked again */
    *question = (apart_question){.address = address, .bytes = bytes, .when = when};
    message->kind = WIRE_QUESTION;
    wire_pass(own->channel, WIRE_DEVICE);
    wire_await(own->channel, WIRE_DEVICE, &never);
    message->kind = WIRE_REPLY;
    const ledger_answer answer = keep_answer(place, question);
    pthread_mutex_unlock(&own->lock);
    *found = place->entry;
    place->run = own->runs;
    place->when = when;
    if (answer == LEDGER_USABLE) place->asked = own;
    return answer;
}

static _Thread_local asking this_thread = {.public = {ask}, .lock = PTHREAD_MUTEX_INITIALIZER};

void checked_ask_on(wire_channel *channel)
{
    this_thread.channel = channel;
    ledger_other = &this_thread.public;
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
    this_thread.runs++;
    if (!launch) {
        *error = (kernel_error){.status = LAB_ERROR_OUT_OF_MEMORY};
        kernel_error_say(error, "kernel '%s': no memory to check it", blocks->kernel->name);
        return false;
    }
    const bool done = cpu_memcheck_run(error, &launch->memcheck, blocks, request->ledger_count);
    leave(launch);
    return done;
}
