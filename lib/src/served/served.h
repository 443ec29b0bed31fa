/*
 * The device process: serves the calls of one program at a time, which it does not trust. Every thread of the program
 * has a thread here, so that what the library keeps for each thread is as in one process. A request is copied before it
 * is looked at. One that is malformed ends the connection, never this process.
 */
#ifndef LAB_SERVED_SERVED_H
#define LAB_SERVED_SERVED_H

#include "base/program/program.h"
#include "wire/channel.h"

/* Serves the program at the other end of the socket until it ends. Calls that take long may then still be under way.
 * `trusted`: it may use the calls that are for the check alone. Returns why the connection was ended, valid until the
 * next one; NULL if the program ended it. */
const char *served_run(int socket, bool trusted);

/* Waits until no thread serves the program any more, then frees what the program held. */
void served_release(void);

/* Calls. */

typedef struct served_call {
    const char *name;
    void (*serve)(wire *in, wire *out);
} served_call;
extern const served_call served_calls[];
extern const uint32_t served_call_count;
extern const uint64_t served_version;

/* Whether a message was read completely and without a fault, so that its call may be made. */
bool served_may_call(wire *in, bool only_trusted);

/* Executes the call in a request, which is private to this process, and writes the reply. Returns the fault of a
 * malformed request, else NULL. */
const char *served_execute(const wire_message *request, wire_message *reply, const char **file);

/* Failures that a check puts into calls (control.h). A call that goes back gives something back or makes something
 * current again: it is made and reports a failure all the same. So is the end of a capture, which then gives no graph.
 * Any other has no effect. */

typedef enum served_kind { SERVED_WORKS, SERVED_WAITS, SERVED_QUERIES, SERVED_GOES_BACK, SERVED_ENDS } served_kind;

/* Whether this call of the program, which the calling thread serves, is to fail; then sets its status and message. */
bool served_fails(lab_status *status, const char *name, served_kind kind);

/* Calls whose place is in `file` or unknown are counted from now on. The call number `number` of `name` at that line
 * fails with the status; 0 for none. */
void served_failing_begin(const char *file, int line, const char *name, uint64_t number, lab_status status);

/* Ends this; whether the call has failed, and its caller. Writes what was counted, a line for each place:
 * "lab_array_sum works lab01.c:12 2" for two calls. Where the file made a call that works after the failure, the
 * first line is that one's: "lab_array_fill next lab01.c:14 1". */
bool served_failing_end(char *text, size_t bytes, uint64_t *caller);

/* Threads. */

/* A channel's end here. */
typedef struct served_channel {
    wire_channel *shared;
    uint32_t number;
    atomic_bool ended;        /* the thread has said that it ends */
    bool callbacks;           /* of a thread that no thread of the program called */
    const char *file;         /* of the latest call that had one */
    int depth;                /* calls within questions */
    atomic_uint starter_mark; /* the thread's in the order checker, or first that of its starter; else 0 */
    struct served_channel *next;
} served_channel;

/* The channel by which the calling thread may ask the program; NULL if there is no program. */
served_channel *served_channel_mine(void);

/* The program has sent what no program sends, in that call or, if it is NULL, in none: ends the connection. */
void served_refuse(const char *fault, const char *call);

/* True once the connection has ended. */
extern atomic_bool served_ended;
extern bool served_trusted;

/* Asks the program on the calling thread, whose calls meanwhile are executed here. `sent` follows the question and
 * `got` the answer; both may be NULL. False if the program has ended. */
typedef struct served_question {
    wire_question question;
    wire_ask ask;
    const void *sent;
    size_t sent_bytes;
    void *got;
    size_t got_bytes;
} served_question;
bool served_ask(wire_told *told, const served_question *question);

/* Answers requests until the program's thread ends. */
void served_converse(served_channel *channel);

/* Sends bytes that belong to the result of the call. */
lab_status served_give(const void *bytes, size_t count);

/* Makes the window of pinned memory, agrees with the program on its place, and sets the way to the program's memory. */
bool served_meet(int socket);

/* Answers a check's requests (wire/control.h) on a thread of its own, and ends this process with the socket. To be
 * called before served_run, whose program is then not trusted, and has this process's settings. False if there is no
 * thread. */
bool served_control(int socket);
extern bool served_checked; /* whether it was called */

/* The number in records of the thread that serves the program's first thread; 0 if none has called yet. */
extern _Atomic uint64_t served_first_thread;

/* Makes the memory that the program and the check share, at the beginning of the window. To be called before the
 * program connects. Returns the window's file; -1 if there is no such memory. */
int memory_share(uint64_t bytes);

/* Where it is, once the program has connected. */
uint64_t memory_shared_address(void);

/* Of program_access. */
bool served_all_wait(int64_t *computed_ns);
bool served_launches_cooperatively(void);

/* The way to the program's functions and settings. */
extern const program_access served_program;

#endif
