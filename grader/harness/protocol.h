/*
 * protocol.h: what a check and a program say to each other.
 *
 * Fixed-size messages over a SOCK_SEQPACKET socket pair, and one shared memory area (a sealed memfd: neither side
 * can resize it). The check speaks first and waits for each answer; the program says nothing unasked, except that
 * it is ready to begin with, and that it crashes. A message of another size or kind, with a number that was not
 * asked for, or with a text that does not end, breaks the rules and ends the program.
 *
 *   check                              program
 *                                      HELLO           memory is mapped, the record has begun
 *   CALL number name arguments                         sent while the program stands still; then the clock starts
 *                                                      and the program is continued
 *                                      DONE number     or FAILED number
 *   RECORD_BEGIN
 *                                      READY or FAILED
 *   RECORD_SAVE path
 *                                      READY or FAILED
 *   PROBE                                              only to the reference: does the machine work?
 *                                      READY or FAILED
 *   LEAVE                                              the program returns from main
 *                                      CRASH           at any time, once, from the signal handler
 *                                      STUCK           once the time of a CALL has passed, from a signal handler: where the
 *                                                      calling thread is, and what it waits for. It does not answer the call
 *
 * The number of a call is random and new, so that no answer can be prepared before the call.
 * It knows the bytes of a message and nothing of who sends it.
 */
#ifndef GRADER_HARNESS_PROTOCOL_H
#define GRADER_HARNESS_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The descriptors that a program is started with, beside standard input, output and error. */
enum { PROTOCOL_SOCKET = 3, PROTOCOL_MEMORY = 4 };

enum {
    PROTOCOL_VERSION = 3,
    PROTOCOL_NAME_BYTES = 256, /* an entry's name, or a path */
    PROTOCOL_DATA_BYTES = 2048,
    PROTOCOL_TEXT_BYTES = 3072,
    PROTOCOL_FRAMES = 48,
};

typedef enum protocol_kind {
    PROTOCOL_CALL = 1,
    PROTOCOL_RECORD_BEGIN,
    PROTOCOL_RECORD_SAVE,
    PROTOCOL_LEAVE,
    PROTOCOL_PROBE,
    PROTOCOL_HELLO = 100,
    PROTOCOL_READY,
    PROTOCOL_DONE,
    PROTOCOL_FAILED,
    PROTOCOL_CRASH,
    PROTOCOL_STUCK,
} protocol_kind;

/* The status where no call failed, and something of the function's goes on after it has returned. */
enum { PROTOCOL_LEFT_RUNNING = -1 };

/* One message, either way; what a kind does not use is zero. */
typedef struct protocol_message {
    uint32_t version;
    uint32_t kind;
    uint64_t number;
    int32_t
        status; /* FAILED: a lab_status, or PROTOCOL_LEFT_RUNNING; STUCK: whether `text` is of the calling thread's own
                     * call */
    uint32_t data_bytes; /* CALL, DONE: how much of `data` is used; FAILED: as DONE if only the order was wrong */
    char name[PROTOCOL_NAME_BYTES]; /* CALL: the entry; RECORD_SAVE: the path; FAILED: "FILE:LINE" of a call */
    _Alignas(16) unsigned char data[PROTOCOL_DATA_BYTES]; /* CALL: arguments; DONE: result */
    char text[PROTOCOL_TEXT_BYTES]; /* FAILED: what went wrong; STUCK: what is waited for, "" if nothing is */
    double seconds;                 /* CALL: what it may take */
    int32_t waits;                  /* STUCK: whether the calling thread used next to no time of a core */
    struct {                        /* CRASH; STUCK: the frames */
        int32_t signal;
        int32_t code;     /* siginfo's si_code */
        uint64_t stack;   /* where the stack was when the program began to serve */
        uint64_t address; /* siginfo's si_addr */
        uint64_t base;    /* where the program is loaded; frames below or far above it are not its own */
        uint32_t frames;
        uint64_t frame[PROTOCOL_FRAMES]; /* return addresses, innermost first */
    } crash;
} protocol_message;

/* Whether a message that came from the other process is one: its version, a kind that a program sends, counts
 * within their arrays, texts that end. */
static inline bool protocol_from_program_is_valid(const protocol_message *message, size_t bytes)
{
    if (bytes != sizeof *message || message->version != PROTOCOL_VERSION) return false;
    if (message->kind < PROTOCOL_HELLO || message->kind > PROTOCOL_STUCK) return false;
    if (message->data_bytes > PROTOCOL_DATA_BYTES || message->crash.frames > PROTOCOL_FRAMES) return false;
    return message->name[PROTOCOL_NAME_BYTES - 1] == '\0' && message->text[PROTOCOL_TEXT_BYTES - 1] == '\0';
}

#endif
