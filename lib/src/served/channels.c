/* The channels of a program's threads, and the end of the connection. */
#include "channels.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_CHANNELS = 512 };

atomic_bool served_ended = true;
bool served_trusted;
_Atomic uint64_t served_first_thread;
_Thread_local served_channel *channels_own;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static served_channel *channels;
static int channel_count;
static uint32_t last_number;
static char fault_text[256]; /* why the connection was ended; "" if the program ended it */
static int program = -1;     /* the socket */

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

void served_refuse(const char *fault, const char *call)
{
    wire_note note = {.kind = NOTE_REFUSED};
    pthread_mutex_lock(&lock);
    if (!atomic_load(&served_ended) && !*fault_text) {
        snprintf(fault_text, sizeof fault_text, "the device process ended the connection: %s%s%s", call ? call : "",
                 call ? ": " : "", fault);
        snprintf(note.text, sizeof note.text, "%s", fault_text);
        wire_send_note(program, &note, -1);
        shutdown(program, SHUT_RDWR);
    }
    pthread_mutex_unlock(&lock);
}

/* Makes a channel and tells the program. The lock is held. */
static served_channel *make_channel(wire_note_kind kind, size_t bytes)
{
    int file = channel_count < MOST_CHANNELS && !atomic_load(&served_ended) ? wire_channel_create() : -1;
    served_channel *made = file >= 0 ? calloc(1, bytes) : NULL;
    if (made) made->shared = wire_channel_map(dup(file));
    if (made && made->shared) {
        if (++last_number % CHANNEL_NUMBERS == 0) last_number++; /* 0 means no channel */
        made->number = last_number;
        made->callbacks = kind == NOTE_CALLBACKS;
        if (made->callbacks) atomic_store(&made->shared->turn, WIRE_DEVICE);
        made->next = channels;
        channels = made;
        channel_count++;
    } else {
        free(made);
        made = NULL;
    }
    wire_note note = {.kind = kind, .number = made ? made->number : 0};
    if (made || kind == NOTE_CHANNEL) wire_send_note(program, &note, made ? file : -1);
    if (file >= 0) close(file);
    return made;
}

void channels_drop(served_channel *channel)
{
    pthread_mutex_lock(&lock);
    served_channel **link = &channels;
    while (*link != channel) link = &(*link)->next;
    *link = channel->next;
    channel_count--;
    pthread_mutex_unlock(&lock);
    wire_channel_unmap(channel->shared);
    free(channel);
}

/* A thread of the device that asked the program has ended, or the program has. */
static void leave(void *channel)
{
    served_channel *left = channel;
    if (!atomic_load(&served_ended)) {
        left->shared->reply.kind = WIRE_QUESTION;
        left->shared->reply.number = WIRE_LEAVE;
        wire_pass(left->shared, WIRE_DEVICE);
    }
    channels_own = NULL;
    channels_drop(left);
}

static void make_key(void) { pthread_key_create(&key, leave); }

served_channel *served_channel_mine(void)
{
    served_channel *own = channels_own;
    if (own && !(own->callbacks && atomic_load(&own->ended))) return own;
    pthread_once(&key_once, make_key);
    if (own) channels_drop(own); /* of a program that has ended */
    pthread_mutex_lock(&lock);
    channels_own = make_channel(NOTE_CALLBACKS, sizeof *own);
    pthread_mutex_unlock(&lock);
    pthread_setspecific(key, channels_own);
    return channels_own;
}

/* The channel with that number, as far as numbers distinguish channels; NULL if there is none. The lock is held. */
static served_channel *find_channel(uint32_t number)
{
    served_channel *each = number ? channels : NULL;
    while (each && each->number % CHANNEL_NUMBERS != number) each = each->next;
    return each;
}

served_channel *channels_open(uint32_t starter, size_t bytes)
{
    pthread_mutex_lock(&lock);
    const served_channel *known = find_channel(starter);
    const unsigned starter_mark = known ? atomic_load(&known->starter_mark) : 0;
    served_channel *made = make_channel(NOTE_CHANNEL, bytes);
    if (made) atomic_store(&made->starter_mark, starter_mark);
    pthread_mutex_unlock(&lock);
    return made;
}

served_channel *channels_find_ended(int *running)
{
    served_channel *found = NULL;
    *running = 0;
    pthread_mutex_lock(&lock);
    for (served_channel *each = channels; each; each = each->next) {
        *running += !each->callbacks;
        if (!each->callbacks && atomic_load(&each->ended)) found = each;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void channels_begin(int socket, bool trusted)
{
    program = socket;
    served_trusted = trusted;
    *fault_text = '\0';
    atomic_store(&served_ended, false);
}

const char *channels_end(void)
{
    atomic_store(&served_ended, true);
    pthread_mutex_lock(&lock);
    for (served_channel *each = channels; each; each = each->next) {
        if (each->callbacks) atomic_store(&each->ended, true);
        wire_wake(each->shared);
    }
    pthread_mutex_unlock(&lock);
    return *fault_text ? fault_text : NULL;
}
