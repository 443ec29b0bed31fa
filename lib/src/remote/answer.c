/* What the device process asks of the program: its memory, its functions and its settings. */
#include "remote.h"

#include "base/program/host_memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* Copies within this process. A thread that calls copies as its own code would: a bad address ends the program at the
 * line that named it. On behalf of the device's engines, a bad address is an answer. */
static bool copy(const remote_channel *channel, void *into, const void *from, size_t bytes)
{
    struct iovec local = {into, bytes}, remote = {(void *)from, bytes};
    if (channel->callbacks) return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
    memcpy(into, from, bytes);
    return true;
}

static bool take(remote_channel *channel, const void *bytes, size_t count)
{
    if (channel->taken_bytes + count + 1 > channel->taken_room) {
        size_t room = 2 * channel->taken_room + count + 1;
        char *larger = realloc(channel->taken, room);
        if (!larger) return false;
        channel->taken = larger;
        channel->taken_room = room;
    }
    memcpy(channel->taken + channel->taken_bytes, bytes, count);
    channel->taken_bytes += count;
    channel->taken[channel->taken_bytes] = '\0';
    return true;
}

/* Calls one of the program's functions. */
static void call_function(wire_told *told, uint32_t question, const wire_ask *ask)
{
    void *function = (void *)(uintptr_t)ask->function, *user = (void *)(uintptr_t)ask->user;
    lab_stream *stream = (lab_stream *)(uintptr_t)ask->stream;
    lab_deviceptr memory = 0;
    switch (question) {
    case WIRE_HOST_FUNCTION: ((void (*)(void *))function)(user); break;
    case WIRE_CALLBACK:
        ((void (*)(lab_stream *, lab_status, void *))function)(stream, (lab_status)ask->status, user);
        break;
    case WIRE_ALLOC:
        told->status =
            ((lab_status(*)(lab_deviceptr *, size_t, lab_stream *, void *))function)(&memory, ask->bytes, stream, user);
        told->memory = memory;
        break;
    case WIRE_FREE:
        told->status = ((lab_status(*)(lab_deviceptr, size_t, lab_stream *, void *))function)(ask->address, ask->bytes,
                                                                                              stream, user);
        break;
    default: break;
    }
}

/* Writes what follows the answer and returns its length. */
static size_t answer(remote_channel *channel, wire_told *told, uint32_t question, const wire_ask *ask)
{
    unsigned char *into = channel->shared->request.bytes + sizeof *told;
    const unsigned char *from = channel->shared->reply.bytes + sizeof *ask;
    void *memory = (void *)(uintptr_t)ask->address;
    const char *setting;
    switch (question) {
    case WIRE_READ: told->status = copy(channel, into, memory, ask->bytes); return ask->bytes;
    case WIRE_WRITE: told->status = copy(channel, memory, from, ask->bytes); return 0;
    case WIRE_EXISTS: told->status = host_memory_exists(ask->address, ask->bytes); return 0;
    case WIRE_OPEN_PINNED: told->status = mprotect(memory, ask->bytes, PROT_READ | PROT_WRITE) == 0; return 0;
    case WIRE_CLOSE_PINNED: told->status = mprotect(memory, ask->bytes, PROT_NONE) == 0; return 0;
    case WIRE_TAKE: told->status = take(channel, from, ask->bytes); return 0;
    case WIRE_SETTING:
        setting = getenv((const char *)from);
        told->status = setting != NULL;
        if (setting) strncpy((char *)into, setting, ask->bytes);
        return setting ? ask->bytes : 0;
    default: call_function(told, question, ask); return 0;
    }
}

void remote_answer(remote_channel *channel)
{
    wire_channel *shared = channel->shared;
    wire_ask ask;
    wire_told told = {0};
    memcpy(&ask, shared->reply.bytes, sizeof ask);
    size_t bytes = answer(channel, &told, shared->reply.number, &ask);
    shared->request.kind = WIRE_ANSWER;
    shared->request.length = sizeof told + bytes;
    memcpy(shared->request.bytes, &told, sizeof told);
}
