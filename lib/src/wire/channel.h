/*
 * A channel: memory that a thread of the program and a thread of the device process share. One of the two has the turn.
 * It writes a message, passes the turn, and waits until it has the turn again. The program begins and writes requests;
 * the device process writes replies. What the other side writes is never trusted: it may change at any time.
 */
#ifndef LAB_WIRE_CHANNEL_H
#define LAB_WIRE_CHANNEL_H

#include "wire.h"

#include <stdatomic.h>

typedef enum wire_side { WIRE_PROGRAM, WIRE_DEVICE } wire_side;

typedef enum wire_kind {
    /* of the program */
    WIRE_CALL = 1, /* number: the call */
    WIRE_ANSWER,   /* to the latest question */
    WIRE_END,      /* the program's thread has ended */
    /* of the device process */
    WIRE_REPLY,    /* to the latest call */
    WIRE_QUESTION, /* number: a wire_question */
} wire_kind;

/* What the device process may want while it has the turn. A question holds a wire_ask; the answer holds a wire_told. */
typedef enum wire_question {
    WIRE_READ = 1,      /* bytes of the program's memory, which follow the answer */
    WIRE_WRITE,         /* bytes, which follow the question, into the program's memory */
    WIRE_EXISTS,        /* is there such memory? */
    WIRE_OPEN_PINNED,   /* the memory at this place of the window is the program's now */
    WIRE_CLOSE_PINNED,  /* it is no longer */
    WIRE_HOST_FUNCTION, /* function(user) */
    WIRE_CALLBACK,      /* function(stream, status, user) */
    WIRE_ALLOC,         /* function(&memory, bytes, stream, user) */
    WIRE_FREE,          /* function(memory, bytes, stream, user) */
    WIRE_SETTING,       /* the environment's value of the name that follows the question; it follows the answer */
    WIRE_TAKE,          /* bytes follow that belong to the result of the call */
    WIRE_LEAVE,         /* the thread of the device process has ended */
} wire_question;

typedef struct wire_ask {
    uint64_t address, bytes; /* memory of the program or, for an allocator, of the device */
    uint64_t function, user; /* of the program */
    uint64_t stream;
    int64_t status;
} wire_ask;

typedef struct wire_told {
    uint64_t memory; /* of an allocator */
    int64_t status;  /* of an allocator; else whether the answer is yes */
} wire_told;

typedef struct wire_message {
    uint32_t kind, number;
    uint64_t length;
    unsigned char bytes[WIRE_BYTES];
} wire_message;

typedef struct wire_channel {
    _Alignas(64) _Atomic uint32_t turn; /* a wire_side */
    _Alignas(64) _Atomic uint32_t sleeps[2];
    _Alignas(64) wire_message request, reply;
} wire_channel;

/* Memory for a channel, as a file to be shared, of fixed size; -1 if there is none. */
int wire_channel_create(void);

/* NULL if there is no memory. Closes the file. */
wire_channel *wire_channel_map(int file);
void wire_channel_unmap(wire_channel *channel);

/* Passes the turn to the other side. False if this side did not have it. */
bool wire_pass(wire_channel *channel, wire_side self);

/* Waits for the turn: first awake for a tenth of a millisecond, if that has helped before, then asleep. False if
 * *ended became true, after which wire_wake wakes all who wait. */
bool wire_await(wire_channel *channel, wire_side self, const atomic_bool *ended);
void wire_wake(wire_channel *channel);

/* Ends all waits on the channel for good, also one that is about to begin: the turn is neither side's any more. */
void wire_abandon(wire_channel *channel);

#endif
