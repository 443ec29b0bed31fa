/* Looks at a program that is silent: whether all of its threads wait. The program answers when it can. */
#include "looks.h"

#include "served.h"

#include <pthread.h>

static pthread_mutex_t look_lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static int program_socket = -1;
static uint32_t looks, looked; /* the numbers of the latest look, and of the latest one that was answered */
static bool all_waited;
static int64_t program_computed;

void looks_take(const wire_note *note)
{
    pthread_mutex_lock(&look_lock);
    looked = note->number;
    all_waited = note->bytes != 0;
    program_computed = (int64_t)note->address;
    pthread_mutex_unlock(&look_lock);
}

bool served_all_wait(int64_t *computed_ns)
{
    pthread_mutex_lock(&look_lock);
    const bool answered = looked == looks && looks > 0;
    const bool all = answered && all_waited;
    const wire_note look = {.kind = NOTE_LOOK, .number = ++looks};
    *computed_ns = program_computed;
    if (answered || looks == 1)
        wire_send_note(program_socket, &look, -1);
    else
        looks--;
    pthread_mutex_unlock(&look_lock);
    return all;
}

void looks_begin(int socket)
{
    pthread_mutex_lock(&look_lock);
    program_socket = socket;
    looks = looked = 0;
    pthread_mutex_unlock(&look_lock);
}
