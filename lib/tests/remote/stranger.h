/*
 * A program that speaks to the device process without liblab-remote, so that a test may send what no program sends. The
 * device process, build/bin/labserver, serves one connection after another and trusts none.
 */
#ifndef LAB_TESTS_STRANGER_H
#define LAB_TESTS_STRANGER_H

#include "test.h"
#include "wire/channel.h"
#include "wire/note.h"

#include <sys/types.h>

typedef struct stranger {
    int socket;
    wire_channel *channel;
    uint64_t window, window_bytes; /* of pinned memory, not mapped */
    wire message;                  /* that is being written */
} stranger;

/* Starts the device process of the test. stranger_end_device asserts that it still lives, and ends it. */
pid_t stranger_start_device(void);
void stranger_end_device(void);

/* A socket that is connected to the device process; -1 if there is none. */
int stranger_connect(void);

/* Connects and opens a channel; and leaves without a word, as a program that is killed. */
void stranger_meet(stranger *self);
void stranger_leave(stranger *self);

/* Opens another channel; NULL if the device process refuses. */
wire_channel *stranger_open(const stranger *self);

/* Begins a call, given by its name: the caller adds the arguments with wire_put and sends the message. */
void stranger_begin(stranger *self, const char *call);
void stranger_send(stranger *self, wire_kind kind);

/* Waits for the turn; false if the device process has ended the connection. */
bool stranger_await(const stranger *self);

/* Waits for either, but no longer than this: false if neither has happened. */
bool stranger_await_for(const stranger *self, int milliseconds);

/* Asserts that the device process ended the connection for a reason with these words, and that it serves others. */
void stranger_is_refused(stranger *self, const char *words);

/* Calls without arguments but the place, or with one out-parameter of 4 bytes: the status; for a program in order. */
lab_status stranger_count_devices(stranger *self, int *count);

/* The calls of the table by their numbers: their names, and a word and a size for each argument: "object4 value8". */
uint32_t stranger_calls(void);
const char *stranger_name(uint32_t call);
const char *stranger_words(uint32_t call);

#endif
