/* Conversations of the program's threads with the device process: calls, and answers to its questions. */
#include "connect.h"

#include "base/call_site.h"
#include "base/status.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>

/* Passes the turn and answers questions until something else comes. False if the device process has ended. */
static bool converse(remote_channel *channel)
{
    wire_channel *shared = channel->shared;
    do {
        wire_pass(shared, WIRE_PROGRAM);
        if (!wire_await(shared, WIRE_PROGRAM, &remote_lost)) return false;
        if (shared->reply.kind != WIRE_QUESTION || shared->reply.number == WIRE_LEAVE) return true;
        remote_answer(channel);
    } while (true);
}

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

/* A thread of the program ends: so does its thread in the device process, before the program can join this one. */
static void end_thread(void *ended)
{
    remote_channel *channel = ended;
    channel->shared->request.kind = WIRE_END;
    wire_pass(channel->shared, WIRE_PROGRAM);
    wire_await(channel->shared, WIRE_PROGRAM, &remote_lost);
    remote_channel_mine = NULL;
    connect_drop(channel);
}

static void make_key(void) { pthread_key_create(&key, end_thread); }

/* A new thread inherits its starter's timer slack, whose nanoseconds here carry the number of the starter's channel (as
 * in order/order_thread.c). They add less than a millionth of a second. */
enum { MOST_SLACK = 1000 * 1000, MOST_NUMBERS = 1000 };

static uint32_t starter_of_thread(void)
{
    static atomic_int base = -1;
    int slack = prctl(PR_GET_TIMERSLACK), none = -1;
    if (slack < 0 || slack > MOST_SLACK) return 0;
    if (atomic_compare_exchange_strong(&base, &none, slack) || slack < none || slack >= none + MOST_NUMBERS) return 0;
    return (uint32_t)(slack - none);
}

static void carry_number(uint32_t starter, uint32_t number)
{
    int slack = prctl(PR_GET_TIMERSLACK);
    if (slack >= 0 && slack <= MOST_SLACK)
        prctl(PR_SET_TIMERSLACK, (unsigned long)slack - starter + number % MOST_NUMBERS);
}

/* Runs the program's host functions for a thread of the device. Threads that they start count as started
 * through this channel. */
static void *serve_callbacks(void *mine)
{
    remote_channel *channel = remote_channel_mine = mine;
    carry_number(starter_of_thread(), channel->number);
    bool asked = wire_await(channel->shared, WIRE_PROGRAM, &remote_lost);
    if (asked && channel->shared->reply.number != WIRE_LEAVE) {
        remote_answer(channel);
        converse(channel);
    }
    remote_channel_mine = NULL;
    connect_drop(channel);
    return NULL;
}

remote_channel *remote_channel_open(void)
{
    pthread_once(&key_once, make_key);
    uint32_t starter = starter_of_thread();
    remote_channel *opened = connect_open(starter, serve_callbacks);
    if (!opened) return NULL;
    carry_number(starter, opened->number);
    pthread_setspecific(key, opened);
    return remote_channel_mine = opened;
}

/* Where the program calls: the line, the caller, and the file's name if it is not that of the latest call. */
static void put_place(remote_channel *channel)
{
    call_site site = call_site_now();
    bool again = site.file == channel->file;
    if (call_site_find_caller) site.caller = call_site_find_caller(*site.file);
    wire_put(&channel->message, &site.line, sizeof site.line);
    wire_put(&channel->message, &site.caller, sizeof site.caller);
    wire_put_bool(&channel->message, again);
    if (!again) wire_put_text(&channel->message, site.file);
    channel->file = site.file;
}

wire *remote_begin(uint32_t call)
{
    remote_channel *channel = remote_channel_mine ? remote_channel_mine : remote_channel_open();
    if (!channel) return NULL;
    channel->shared->request.kind = WIRE_CALL;
    channel->shared->request.number = call;
    channel->message = (wire){.bytes = channel->shared->request.bytes, .end = WIRE_BYTES};
    put_place(channel);
    return &channel->message;
}

wire *remote_ask(wire *call)
{
    remote_channel *channel = remote_channel_mine;
    wire_channel *shared = channel->shared;
    if (call->fault) {
        lab_fail(LAB_ERROR_INVALID_VALUE, "%s", call->fault);
        return NULL;
    }
    shared->request.length = call->at;
    channel->taken_bytes = 0;
    if (!converse(channel)) {
        lab_fail(LAB_ERROR_NOT_INITIALIZED, "%s", connect_reason());
        return NULL;
    }
    channel->message = (wire){.bytes = shared->reply.bytes, .end = shared->reply.length};
    return &channel->message;
}

void remote_end(wire *reply)
{
    lab_status status;
    wire_get(reply, &status, sizeof status);
    if (status != LAB_SUCCESS) lab_fail(status, "%s", (const char *)reply->bytes + reply->at);
}

char *remote_taken(size_t *bytes)
{
    *bytes = remote_channel_mine->taken_bytes;
    return remote_channel_mine->taken;
}
