/*
 * program.h: the student's program, for the files that start it, call it and wait for its answers.
 *
 * In all of these functions `step` names what the program is doing, for messages: "lab03_open", "the program's start".
 */
#ifndef GRADER_HARNESS_PROGRAM_PROGRAM_H
#define GRADER_HARNESS_PROGRAM_PROGRAM_H

#include "check_state.h"

#include "base/subprocess.h"
#include "base/system/own_time.h"
#include "flow/kept_bytes.h"
#include "protocol.h"
#include "sandbox/sandbox.h"
#include "wire/control.h"

/* The sandbox of a process; empty without one. */
typedef struct program_box {
    sandbox_cell cell;
    unsigned memory_kills; /* in the cell before the process was started */
} program_box;

struct check_program {
    check_program *next;
    bool reference;
    bool fails;           /* its calls are made to fail: nobody looks at its outputs */
    bool sanitized;       /* built with the sanitizers (judge/build.h) */
    const char *schedule; /* its LAB_SCHEDULE; NULL for the user's own */
    const char *path;
    char *folder; /* its current directory; removed with it */
    int socket;
    int memory_descriptor;
    unsigned char *memory;
    size_t memory_bytes;
    uint64_t memory_address; /* in the last record; 0 before the first */
    int kept_descriptor;     /* of what copies moved; -1 if that is not kept */
    check_evidence kept;
    subprocess *process;
    subprocess *device; /* its device process (device_process.h) */
    char *device_folder;
    program_box device_box;
    const own_time *own_time; /* of the device process; NULL if it counts none */
    int control;
    control_message answer; /* of the device process, the last one */
    program_box box;
    bool greeted;  /* it has said HELLO */
    bool recorded; /* the check has begun its record */
    bool in_call;
    char *unordered;            /* the order checker's finding in the last call, where the check allows it */
    protocol_message message;   /* the last one received */
    protocol_message *stuck;    /* the program's word on where the current call is stuck; NULL if it has not said */
    control_message *waits_for; /* and the word of the device process */
    bool works;                 /* one of the two was at work when the time was up */
    bool device_works;          /* the device was at work on its own then */
    patience_looks looks;       /* at both, in the current wait for an answer */
};

/* ---- program.c ---- */

/* Let the program and its device process go on, and stop both, with everything that they started. */
void program_continue(check_program *program);
void program_pause(check_program *program);

/* What the copies of a student's program moved since its record began; a fault in checks that measure. */
const check_evidence *check_evidence_of(check_program *program);

/* Fails the check because a function has returned before it has joined a thread that it started. */
_Noreturn void program_fail_left_unjoined(const check_program *program, const char *text, check_place at);

/* What a function returned, and whether it left threads that are not joined. */
typedef struct program_return {
    lab_status status;
    bool left_unjoined;
} program_return;

/* check_call for a function that may fail; what the order checker finds in the call does not matter. `step` says in
 * messages what the program is doing. */
program_return program_call_that_may_fail(check_program *program, const char *name, const void *arguments, size_t bytes,
                                          const char *step);

/* The student's program without the sanitizers and without kept bytes: for runs in which a call fails. A function that
 * returns then may leave work behind that writes to its variables, and that is no finding. */
check_program *program_start_plain(size_t bytes);

/* Ends this program, which is then no more. */
void program_drop(check_program *program);

/* Ends all programs of the check and keeps the output of the student's. */
void programs_end(void);

/* ---- program_device.c ---- */

/* From now on this check's programs run on the CPU device, and check_device tells of that one. */
void check_use_cpu_device(void);

/* Whether they are known to run there now; asks nobody, so that it may be called while a program runs. */
bool check_is_on_cpu_device(void);

/* Which device programs run on now, and to go back to it. Owned by the check; NULL where nothing chooses. */
typedef struct check_chosen_device {
    const char *chosen, *known; /* LAB_DEVICE, LAB_CHECK_DEVICE */
} check_chosen_device;
check_chosen_device check_chosen_device_now(void);
void check_choose_device(check_chosen_device device);

/* ---- program_patience.c ---- */

/* Waits as subprocess_wait does, for `left` seconds, from which the wait is taken off. Time in which the check's
 * programs lost the processors to others is added (patience.h). The check ends as a fault of the grader if the machine
 * stays busy for too long. `step` is what is waited for. */
subprocess_event program_await(subprocess *process, int descriptor, double *left, const char *step,
                               grader_fault *fault);

/* What the check's programs and their device processes have had of the processors. */
processor_time program_processor_time(void);

/* The same for the next answer of a program or of its device process, or for its end, if `descriptor` is -1. A wait may
 * take the check's limit, whatever earlier ones took, until all together have had several times as long. The start of a
 * program is no time of the check's calls. `left` begins as program_seconds. */
subprocess_event program_await_answer(double *left, check_program *program, subprocess *process, int descriptor,
                                      const char *step, grader_fault *fault);

/* The seconds that the next wait for the program may take, and all further ones. */
double program_seconds(const check_program *program);
double program_whole_seconds(const check_program *program);

/* So long the program and its CPU device may have nothing to do in a call. Then it ends. */
double program_idle_seconds(void);

/* After so many seconds of a call the program says where it is, and each time they have passed again. */
double program_stuck_seconds(const check_program *program);

/* Whether the last wait for an answer ended because neither of the two had anything to do. */
bool program_is_idle(const check_program *program);

/* From now on only questions are asked, each for a second. */
void program_time_is_up(const check_program *program);

/* Ends a process of a program. What it had of the processors still counts. Accepts NULL. */
bool program_end_process(subprocess *process, subprocess_exit *ended, grader_fault *fault);

/* ---- program_answer.c ---- */

/* Waits for a message while the program runs. Anything else that happens ends the check. */
void program_wait(check_program *program, const char *step);

/* ---- program_failure.c ---- */

/* Fails the check; or ends it as a fault of the grader if the program is the reference. The message comes first, as
 * with check_fail. */
#define program_fail(of_program, of_kind, ...)                                                                         \
    program_fail_with((of_program), (check_finding){.kind = (of_kind), .message = __VA_ARGS__})
_Noreturn void program_fail_with(const check_program *program, check_finding finding);

/* End the check with what the program did wrong: `did` is "sent its check an invalid message". */
_Noreturn void program_fail_rule(check_program *program, const char *did, const char *step);
/* `last_line` is what the program printed last, for the finding; NULL for nothing. */
_Noreturn void program_fail_signal(check_program *program, int number, const char *step, const char *last_line);

/* Ends the check with the event that ended a wait, which was neither a message nor the program's end. */
_Noreturn void program_fail_event(check_program *program, subprocess_event event, double allowed, const char *step,
                                  const grader_fault *fault);

/* Makes a process run in the sandbox that the grader made for a student's program, if there is one: the file that this
 * variable names describes it. `folder` is the folder that the process may write to. */
void program_box_enter(program_box *box, subprocess_options *options, const check_program *program,
                       const char *variable, const char *folder);

/* End the check if a process used up the memory of its box, or filled the folder of bounded size that holds the
 * program's files. */
void program_require_memory(const check_program *program, const program_box *box, const subprocess_exit *ended,
                            const char *step);
void program_require_space(const check_program *program, const char *step);

/* That folder; NULL if the size of the program's files is not bounded. */
const char *program_bounded_folder(const check_program *program);

/* Ends the process and everything it started. */
bool program_end(check_program *program, subprocess_exit *ended, grader_fault *fault);

/* Ends the check as not run if this step hung in an earlier check and is not to be waited for again. */
void program_skip_if_hung(const check_program *program, const char *step);

/* Ends the check as not run if the program was given less than its full time, because something hung before. `sentence`
 * says what did not end in time. */
void program_require_full_time(const check_program *program, const char *sentence);

/* Notes in the evidence that this step hung. */
void program_note_hang(const check_program *program, const char *step);

/* ---- crash_report.c ---- */

/* A place "FILE:LINE" that a process of the program has told, with the address of the call that led there, 0 for none.
 * Not known if that is not in the student's file. */
check_place program_place(const check_program *program, const char *place, uint64_t caller);

/* Fails the check with what a crash message says, resolved to function and line. */
_Noreturn void report_crash(const check_program *program, const protocol_message *message);

/* Fails the check because a call did not end in time; `sentence` says so. */
_Noreturn void report_hang(const check_program *program, const char *sentence);

/* Where the program is in the student's file. */
typedef struct source_place {
    char function[128];
    char file[128];
    int line;       /* 0 if unknown */
    int called_at;  /* where the function was called in that file, as far out as it is known; 0 if it was not */
    char call[128]; /* the library's function that is still running there; "" if none is */
    bool innermost; /* the frame has called no other code of the program */
} source_place;

/* Finds the innermost frame in the student's file among those of a CRASH or STUCK message, or among
 * addresses in the program; false without such a frame, or without addr2line. */
bool source_place_of_message(source_place *found, const protocol_message *message, const check_program *program);
bool source_place_of_addresses(source_place *found, const uint64_t *address, size_t count,
                               const check_program *program);

/* Such a place of a finding; its caller, an address in the program, 0 for none. */
check_place place_of_source(const source_place *place, const check_program *program, uint64_t caller);

/* Where the student's function was last in its last call, as the program tells it: a guess, which the verdict shows
 * only if the message speaks of that function. Not known without. */
check_place place_of_way(const check_program *program);

/* ---- sanitizer_report.c ---- */

/* The environment that makes a sanitizer write its report into the program's folder and abort. */
extern const char sanitizer_address_options[], sanitizer_undefined_options[];

/* What the sanitizer's own memory counts as private memory of the process, though the system has given none. */
extern const uint64_t sanitizer_data_bytes;

/* Fails the check with what a sanitizer reported before this CRASH message; if it reported nothing, with the crash. */
_Noreturn void report_end(const check_program *program, const protocol_message *message);

#endif
