/* What an attacker knows of the wire. on_labs.py puts this text into each attack that includes it, with that of the
 * headers, and the call's number in place of CALL_NUMBER(name). */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wire/channel.h"
#include "wire/note.h"

enum {
    W_BYTES = WIRE_BYTES,
    W_CALL = WIRE_CALL,
    W_ANSWER = WIRE_ANSWER,
    W_END = WIRE_END,
    W_REPLY = WIRE_REPLY,
    W_QUESTION = WIRE_QUESTION
};
enum { W_HELLO = NOTE_HELLO, W_MAPPED = NOTE_MAPPED, W_OPEN = NOTE_OPEN, W_LOOKED = NOTE_LOOKED };
typedef wire_message w_message;
typedef wire_channel w_channel;
typedef wire_note w_note;
/* What stands before this is in memory before what stands behind it. */
#define w_now() __asm__ volatile("" : : : "memory")
typedef struct w_range {
    uintptr_t begin, end;
} w_range;

/* The mappings of this process whose line has these words. */
__attribute__((unused)) static int w_maps(const char *words, w_range *range, int most)
{
    char line[1024];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && found < most && fgets(line, sizeof line, maps)) {
        if (!strstr(line, words)) continue;
        if (sscanf(line, "%lx-%lx", &range[found].begin, &range[found].end) == 2) found++;
    }
    if (maps) fclose(maps);
    return found;
}

__attribute__((unused)) static int w_socket(void)
{
    const char *number = getenv("LAB_DEVICE_SOCKET");
    if (number) return atoi(number);
    for (int file = 3; file < 64; file++) { /* without the variable: the second socket of packets */
        int kind = 0;
        socklen_t size = sizeof kind;
        if (getsockopt(file, SOL_SOCKET, SO_TYPE, &kind, &size) == 0 && kind == SOCK_SEQPACKET && file != 3)
            return file;
    }
    return -1;
}

/* Memory that this process may write, as far as one can tell. */
__attribute__((unused)) static bool w_is_there(const void *memory)
{
    unsigned char one;
    return mincore((void *)((uintptr_t)memory & ~4095ul), 1, &one) == 0;
}

/* The calling thread's own channel: the one that has the call which it has just made. */
__attribute__((unused)) static w_channel *w_own(void)
{
    w_range range[600];
    uint64_t id;
    lab_stream_get_id(&id, lab_stream_null());
    const int found = w_maps("memfd:lab channel", range, 600);
    for (int i = found - 1; i >= 0; i--) {
        w_channel *channel = (w_channel *)range[i].begin;
        if (channel->request.number == CALL_NUMBER(lab_stream_get_id)) return channel;
    }
    return NULL;
}

__attribute__((unused)) static bool w_note_out(int socket, uint32_t kind, uint32_t number, uint64_t address)
{
    const w_note note = {.kind = kind, .number = number, .address = address};
    return send(socket, &note, sizeof note, MSG_NOSIGNAL) == (ssize_t)sizeof note;
}

/* A new channel, which the library's own listener maps for us without knowing why. */
__attribute__((unused)) static w_channel *w_open(void)
{
    static w_range before[600], after[600];
    lab_stream_null();
    const int had = w_maps("memfd:lab channel", before, 600);
    if (!w_note_out(w_socket(), W_OPEN, 0, 0)) return NULL;
    for (int waited = 0; waited < 500; waited++) {
        const int have = w_maps("memfd:lab channel", after, 600);
        for (int i = 0; i < have; i++) {
            bool known = false;
            for (int k = 0; k < had; k++) known = known || before[k].begin == after[i].begin;
            if (!known) return (w_channel *)after[i].begin;
        }
        usleep(1000);
    }
    return NULL;
}

__attribute__((unused)) static void w_pass(w_channel *channel)
{
    atomic_store(&channel->turn, 1);
    syscall(SYS_futex, &channel->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

__attribute__((unused)) static bool w_await(w_channel *channel, int milliseconds)
{
    for (int i = 0; i < milliseconds * 10 && atomic_load(&channel->turn) != 0; i++) usleep(100);
    return atomic_load(&channel->turn) == 0;
}

/* Sends a call: its number, the place of the caller, and these arguments. */
__attribute__((unused)) static void w_send(w_channel *channel, uint32_t number, const void *arguments, size_t bytes)
{
    memset(channel->request.bytes, 0, 6);
    if (bytes) memcpy(channel->request.bytes + 6, arguments, bytes);
    channel->request.kind = W_CALL;
    channel->request.number = number;
    channel->request.length = 6 + bytes;
    w_pass(channel);
}

/* Sends a call and waits for its reply. Returns the status, or -1 without a reply. */
__attribute__((unused)) static int w_call(w_channel *channel, uint32_t number, const void *arguments, size_t bytes)
{
    int status;
    if (!channel) return -1;
    w_send(channel, number, arguments, bytes);
    if (!w_await(channel, 1000)) return -1;
    memcpy(&status, channel->reply.bytes, sizeof status);
    return status;
}
