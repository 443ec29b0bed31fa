/*
 * check_program.h: what the files share that know the student's program: one holds it and calls it, one waits for its
 * answers.
 */
#ifndef GRADER_HARNESS_CHECK_PROGRAM_H
#define GRADER_HARNESS_CHECK_PROGRAM_H

#include "check_internal.h"

#include "sandbox/sandbox.h"
#include "base/subprocess.h"

struct check_program {
    check_program *next;
    bool reference;
    const char *path;
    char *folder; /* its current directory; removed with it */
    int socket;
    int memory_descriptor;
    unsigned char *memory;
    size_t memory_bytes;
    subprocess *process;
    sandbox_cell cell;     /* empty for no sandbox */
    unsigned memory_kills; /* in the cell before this program was started */
    bool greeted;          /* it has said that it is ready */
    bool in_call;
    char *unordered;          /* by its last call, where the check allows it */
    protocol_message message; /* the last one received */
    protocol_message *stuck;  /* where the call is that does not return, as the program said; NULL if it did not */
};

/* check_answer.c: waits for a message while the program runs; and for one of this kind, with the number that was asked for:
 * anything else that comes ends the check. `what` names what is waited for in its finding. */
void program_wait(check_program *program, const char *what);
void program_expect(check_program *program, protocol_kind kind, uint64_t number, const char *what);

/* check_answer.c: what the program may still take, in seconds. */
double *program_time_left(const check_program *program);

/* check_answer.c: ends the check with what the program did wrong. */
_Noreturn void program_fail_rule(check_program *program, const char *did, const char *what);
_Noreturn void program_fail_signal(check_program *program, int number, const char *what);
_Noreturn void program_fail_event(check_program *program, subprocess_event event, double allowed, const char *what,
                                  const grader_fault *fault);

/* check_answer.c: ends the check if the program used up its memory, or the room for its files, which program_room names:
 * NULL if nothing bounds it. */
void program_require_memory(const check_program *program, const subprocess_exit *how, const char *what);
void program_require_room(const check_program *program, const char *what);
const char *program_room(const check_program *program);

/* check_hang.c: ends the check as not run if `what` has hung in an earlier one and is not to be waited for again; or if it did
 * not end in time, as the sentence says, but was given less than its time because of that. Notes that it hung. */
void program_require_hope(const check_program *program, const char *what);
void program_require_full_time(const check_program *program, const char *sentence);
void program_note_hang(const check_program *program, const char *what);

/* check_answer.c: ends the process and everything it started. */
bool program_end(check_program *program, subprocess_exit *how, grader_fault *fault);

#endif
