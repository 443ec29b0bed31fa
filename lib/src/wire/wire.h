/*
 * Messages between a program and the device process: how values are written and read. Every read is checked against the
 * end of the message; the first fault stays in the cursor, and what is read after it is 0.
 */
#ifndef LAB_WIRE_WIRE_H
#define LAB_WIRE_WIRE_H

#include "lab.h"

#include <string.h>

enum { WIRE_BYTES = 128 * 1024 }; /* the most that a message holds */

/* A place in a message, to write at or to read from. */
typedef struct wire {
    unsigned char *bytes;
    size_t at, end;
    const char *fault;       /* what is wrong with the message; NULL if nothing is */
    struct wire_text *owned; /* texts that were read from the program's memory */
} wire;

/* Notes what is wrong, unless something was before. */
static inline void wire_fail(wire *message, const char *fault)
{
    if (!message->fault) message->fault = fault;
}

static inline void wire_put(wire *out, const void *value, size_t bytes)
{
    if (bytes > out->end - out->at) {
        wire_fail(out, "the values of the call do not fit into a message");
        return;
    }
    memcpy(out->bytes + out->at, value, bytes);
    out->at += bytes;
}

static inline void wire_get(wire *in, void *value, size_t bytes)
{
    if (bytes > in->end - in->at) {
        wire_fail(in, "the message ends too early");
        in->at = in->end;
        memset(value, 0, bytes);
        return;
    }
    memcpy(value, in->bytes + in->at, bytes);
    in->at += bytes;
}

/* A number of one byte, 0 or 1. */
static inline void wire_put_bool(wire *out, bool value) { wire_put(out, &(unsigned char){value}, 1); }

static inline bool wire_get_bool(wire *in)
{
    unsigned char value;
    wire_get(in, &value, 1);
    if (value > 1) wire_fail(in, "a truth value is neither 0 nor 1");
    return value == 1;
}

/* The object that an out-parameter points to, with what it holds before the call; the pointer may be NULL. */
static inline void wire_put_object(wire *out, const void *object, size_t bytes)
{
    wire_put_bool(out, object != NULL);
    if (object) wire_put(out, object, bytes);
}

/* Reads it into `room`. Returns `room`, or NULL if the program's pointer is NULL. */
static inline void *wire_get_object(wire *in, void *room, size_t bytes)
{
    if (!wire_get_bool(in)) return NULL;
    wire_get(in, room, bytes);
    return room;
}

/* A text; NULL is one. A long text stays in the program's memory until the device process reads it from there. The text
 * that wire_get_text gives is valid until wire_release. */
void wire_put_text(wire *out, const char *text);
const char *wire_get_text(wire *in);

/* Arguments of a kernel, at most WIRE_ARGS; more are cut to one more, which no kernel takes. */
enum { WIRE_ARGS = 64 };
typedef struct wire_args_room {
    lab_arg arg[WIRE_ARGS + 1];
    lab_host_array host[WIRE_ARGS + 1];
} wire_args_room;
void wire_put_args(wire *out, lab_args args);
lab_args wire_get_args(wire *in, wire_args_room *room);
void wire_put_arg(wire *out, lab_arg arg);
lab_arg wire_get_arg(wire *in, lab_host_array *room);

/* Frees what wire_get_... has read from the program's memory. */
void wire_release(wire *in);

#endif
