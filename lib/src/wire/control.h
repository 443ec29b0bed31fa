/*
 * Control: what a check and the device process of a program say to each other, over a socket that the program does not
 * have. The check asks; the device process answers each request with a message of the same kind. Both are trusted. The
 * end of the socket ends the device process.
 */
#ifndef LAB_WIRE_CONTROL_H
#define LAB_WIRE_CONTROL_H

#include <stdint.h>

typedef enum control_kind {
    CONTROL_MEMORY = 1,     /* bytes: memory that the program and the check share. Answer: a file that begins with it */
    CONTROL_OWN_TIME,       /* Answer: the file of the process's own time (base/system/own_time.h) */
    CONTROL_EVIDENCE,       /* bytes: keeps what copies move, in a memory of this size. Answer: its file */
    CONTROL_RECORD_BEGIN,   /* drops the record and begins another; the first one starts the order checker too */
    CONTROL_RECORD_END,     /* Answer: the record as a file; bytes: the address that it has for the shared memory;
                             LAB_ERROR_NOT_READY with text and place if something was enqueued outside of calls */
    CONTROL_CALL_BEGINS,    /* a call of a function of the program begins */
    CONTROL_CALL_ENDS,      /* Answer: text and place of the order checker's next finding; "" if there is none */
    CONTROL_FAILURE,        /* status: what the function returned. Answer: text and place of the latest call since it
                             began that failed with it; "" if none did */
    CONTROL_FAILING_BEGINS, /* place: "FILE:LINE". Counts the calls that the program makes in this file, or at an
                             unknown place. text: the name of one at this line; number `bytes` of these fails with
                             `status`, and has no effect unless it gives something back. bytes 0: none fails */
    CONTROL_FAILING_ENDS,   /* Answer: bytes: whether the call has failed; text: what was counted, a line for each place
                             (served.h); captures: whether a stream of the program captures now */
    CONTROL_WAIT, /* Answer: text: what an unfinished call waits for, "" if unknown; bytes: whether it is a call
                             of the thread that runs the function; place: of a checked kernel that runs now */
} control_kind;

/* In an answer, `status` is a lab_status; if it is not LAB_SUCCESS, `text` says why. */
typedef struct control_message {
    uint32_t kind;
    int32_t status;
    uint32_t captures;
    uint64_t bytes;
    uint64_t caller; /* lab_trace_op's, for the place; 0 if unknown */
    char place[256]; /* "FILE:LINE" */
    char text[3072];
} control_message;

#endif
