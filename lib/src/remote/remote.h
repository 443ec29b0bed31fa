/*
 * The program's side of the wire: lab.h, each call a message to the device process. The first call connects: to the
 * socket that LAB_DEVICE_SOCKET names, or else to a device process that it starts. Every calling thread has a channel.
 */
#ifndef LAB_REMOTE_REMOTE_H
#define LAB_REMOTE_REMOTE_H

#include "wire/channel.h"
#include "wire/extra.h"

/* Begins the calling thread's message. NULL, with a message of LAB_ERROR_NOT_INITIALIZED, if the device process cannot
 * be reached. */
wire *remote_begin(uint32_t call);

/* Sends the message, answers the questions of the device process, and gives the reply. NULL, with a message, if the
 * device process has ended. */
wire *remote_ask(wire *call);

/* Takes over the message of a failure from the end of the reply. */
void remote_end(wire *reply);

/* The bytes that preceded the thread's last reply, followed by a zero; valid until its next call. */
char *remote_taken(size_t *bytes);

/* What the program's build of the calls is, which the device process must have too. */
extern const uint64_t remote_version;

/* There only in a program that calls lab_launch_cooperative, for it lies next to that function. */
extern const bool remote_cooperative_is_linked __attribute__((weak));

/* Questions. */

/* A thread's end of a channel. */
typedef struct remote_channel {
    wire_channel *shared;
    uint32_t number;
    bool callbacks; /* the device process begins: its questions may name any memory */
    wire message;
    const char *file; /* of the latest call that had one, as the device process knows it */
    char *taken;
    size_t taken_bytes, taken_room;
    struct remote_channel *next;
} remote_channel;

/* Answers the question that lies in the channel. */
void remote_answer(remote_channel *channel);

/* Connecting. */

/* The calling thread's channel, opened if necessary; NULL if there is none. */
remote_channel *remote_channel_open(void);
extern _Thread_local remote_channel *remote_channel_mine;

/* Whether the device process has ended. */
extern atomic_bool remote_lost;

#endif
