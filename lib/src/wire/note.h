/* Notes: what the program and the device process say to each other over their socket, besides the channels: how they
 * meet, new channels, and why the device process ends the connection. The end of the socket is the end of either. */
#ifndef LAB_WIRE_NOTE_H
#define LAB_WIRE_NOTE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum wire_note_kind {
    /* of the device process */
    NOTE_HELLO = 1, /* version; the window of pinned memory, as a file, and the address proposed for it */
    NOTE_AGREED,    /* the program's address suits the device process too */
    NOTE_CHANNEL,   /* a channel, as a file, for the thread that asked for it; without one there is none */
    NOTE_CALLBACKS, /* a channel on which the device process begins with a question */
    NOTE_REFUSED,   /* text: why the connection ends */
    NOTE_LOOK,      /* do all threads of the program wait? number: of this look */
    /* of the program */
    NOTE_MAPPED, /* the address of the window in the program; number: whether it may launch cooperatively */
    NOTE_OPEN,   /* a thread needs a channel; number: the channel of the thread that started it, 0 if unknown */
    NOTE_LOOKED, /* number: of the look; bytes: whether all wait; address: nanoseconds that the program has computed */
} wire_note_kind;

typedef struct wire_note {
    uint32_t kind, number;
    uint64_t version, address, bytes;
    char text[256];
} wire_note;

/* Sends a note, with a file unless it is -1. False if the other side has ended. */
bool wire_send_note(int socket, const wire_note *note, int file);

/* Waits for a note. *file is the caller's, -1 if none came. False if the other side has ended or sent anything else. */
bool wire_receive_note(wire_note *note, int *file, int socket);

#endif
