/*
 * protocol.h: the messages between a check and a program.
 *
 * Messages have a fixed size and go over a SOCK_SEQPACKET socket pair. The program calls the device process by a socket
 * of its own (lib/docs/wire.md). The shared memory is the beginning of a sealed memfd, which neither side can resize;
 * its size is the program's only argument. The check sends requests and waits for each answer. Unasked, the program
 * only says that it is ready at the start, that it crashes, and where it is stuck. A message of another size or kind,
 * with a wrong number, or with an unterminated text breaks the rules and ends the program.
 *
 *   check                              program
 *                                      HELLO           the memory is mapped
 *   CALL number name arguments                         sent while the program stands still; then the clock starts
 *                                                      and the program continues
 *                                      DONE number     or FAILED number
 *   PROBE                                              only to the reference: does the machine work?
 *                                      READY or FAILED
 *                                      CRASH           at any time, once, from a signal handler
 *                                      STUCK           each time a CALL's seconds are up, from a signal handler: where
 *                                                      the calling thread is, whether it waits; no answer to the CALL
 *
 * Each call has a new random number, so that no answer can be prepared before the call.
 */
#ifndef GRADER_HARNESS_PROTOCOL_H
#define GRADER_HARNESS_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The descriptors of a program besides standard input, output and error. */
enum { PROTOCOL_SOCKET = 3, PROTOCOL_MEMORY = 4, PROTOCOL_DEVICE = 5 };

enum {
    PROTOCOL_VERSION = 7,
    PROTOCOL_NAME_BYTES = 256,
    PROTOCOL_DATA_BYTES = 2048,
    PROTOCOL_TEXT_BYTES = 3072,
    PROTOCOL_FRAMES = 48,
};

typedef enum protocol_kind {
    PROTOCOL_CALL = 1,
    PROTOCOL_PROBE,
    PROTOCOL_HELLO = 100,
    PROTOCOL_READY,
    PROTOCOL_DONE,
    PROTOCOL_FAILED,
    PROTOCOL_CRASH,
    PROTOCOL_STUCK,
} protocol_kind;

/* The status if no call failed, but the function left something running after its return. */
enum { PROTOCOL_LEFT_UNJOINED = -1 };

/* The mark in the record where the student's file joined a thread that it had not started, or had joined before. */
#define PROTOCOL_JOINED_NO_THREAD "joined no thread"

/* A message in either direction. Fields that its kind does not use are zero. */
typedef struct protocol_message {
    uint32_t version;
    uint32_t kind;
    uint64_t number;
    int32_t status;         /* FAILED: a lab_status, or PROTOCOL_LEFT_UNJOINED */
    uint32_t data_bytes;    /* CALL, DONE: how much of `data` is used */
    uint32_t left_unjoined; /* FAILED: threads of the function that nothing has joined */
    uint64_t started_at;    /* Where the last of them was started, an address for addr2line; CRASH: or the thread */
    char name[PROTOCOL_NAME_BYTES];                       /* CALL: the entry */
    _Alignas(16) unsigned char data[PROTOCOL_DATA_BYTES]; /* CALL: arguments; DONE: result */
    char text[PROTOCOL_TEXT_BYTES]; /* FAILED: what went wrong, if the device process does not know */
    double seconds;                 /* CALL: after which it says STUCK, again and again */
    int32_t waits;                  /* STUCK: whether the calling thread was almost never ready to run */
    struct {                        /* CRASH; STUCK: the frames; DONE: base, frames and frame, of the call's way */
        int32_t signal;
        int32_t code;     /* siginfo's si_code */
        uint64_t stack;   /* an address in the stack frame of the program's start */
        uint64_t address; /* siginfo's si_addr */
        uint64_t base;    /* where the program is loaded; frames below or far above it are not its own */
        uint32_t frames;
        uint64_t frame[PROTOCOL_FRAMES]; /* return addresses, innermost first; the steps of the way, last first */
    } crash;
} protocol_message;

/* Whether bytes from the program are a valid message: the right version, a kind that programs send, counts within their
 * arrays, terminated texts. */
static inline bool protocol_from_program_is_valid(const protocol_message *message, size_t bytes)
{
    if (bytes != sizeof *message || message->version != PROTOCOL_VERSION) return false;
    if (message->kind < PROTOCOL_HELLO || message->kind > PROTOCOL_STUCK) return false;
    if (message->data_bytes > PROTOCOL_DATA_BYTES || message->crash.frames > PROTOCOL_FRAMES) return false;
    return message->name[PROTOCOL_NAME_BYTES - 1] == '\0' && message->text[PROTOCOL_TEXT_BYTES - 1] == '\0';
}

#endif
