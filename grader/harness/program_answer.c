/* Waits for the answers of the student's program, and ends the check with what the program did wrong; see program.h.
 * Nothing that the program sends is trusted. */
#include "program.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/text.h"
#include "device_process.h"
#include "sandbox/bounded_folder.h"

/* ---- what a program can do wrong -------------------------------------------------------------------------- */

_Noreturn void program_fail(const check_program *program, check_kind kind, const char *format, ...)
{
    char message[PROTOCOL_TEXT_BYTES + 512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (program->reference) check_fault("the reference program failed: %s", message);
    check_fail(kind, "%s", message);
}

/* Shows the last line that the program printed: programs that give up mostly say why. */
static void show_last_line(const check_program *program)
{
    size_t bytes;
    const char *output = subprocess_output(program->process, &bytes);
    while (bytes > 0 && (output[bytes - 1] == '\n' || output[bytes - 1] == ' ')) bytes--;
    size_t start = bytes;
    while (start > 0 && output[start - 1] != '\n' && bytes - start < 400) start--;
    if (bytes > start) check_found("its last line of output: %.*s", (int)(bytes - start), output + start);
}

/* Keeps the first output of a student's program, and then of its kernels, for the result. */
static void keep_output(const check_program *program)
{
    size_t bytes, more = 0;
    const char *output = subprocess_output(program->process, &bytes);
    const char *of_kernels = program->device ? subprocess_output(program->device, &more) : "";
    if (bytes + more == 0 || program->reference || this_check.output) return;
    this_check.output_truncated = bytes + more > CHECK_SHOWN_OUTPUT;
    if (bytes > CHECK_SHOWN_OUTPUT) bytes = CHECK_SHOWN_OUTPUT;
    if (more > CHECK_SHOWN_OUTPUT - bytes) more = CHECK_SHOWN_OUTPUT - bytes;
    char *both = check_alloc(bytes + more + 1);
    memcpy(both, output, bytes);
    memcpy(both + bytes, of_kernels, more);
    this_check.output = text_clean(both, bytes + more);
}

bool program_end(check_program *program, subprocess_exit *ended, grader_fault *fault)
{
    subprocess *process = program->process;
    if (!process) return true;
    keep_output(program);
    program->process = NULL;
    return subprocess_end(process, ended, fault);
}

_Noreturn void program_fail_signal(check_program *program, int number, const char *step)
{
    const char *name = sigabbrev_np(number), *meaning = sigdescr_np(number);
    if (number == SIGXCPU) {
        program_note_hang(program, step);
        program_fail(program, CHECK_TIMEOUT, "%s used up its CPU time", step);
    }
    program_fail(program, CHECK_CRASH, "the program was ended by the signal SIG%s (%s) during %s", name ? name : "?",
                 meaning ? meaning : "unknown", step);
}

/* bubblewrap ends with a message if it cannot run a program, before the program could say anything. */
static void require_sandbox(const check_program *program)
{
    static const char begin[] = "bwrap: ";
    size_t bytes;
    const char *output = subprocess_output(program->process, &bytes);
    if (program->greeted || !program->cell.wrapper || strncmp(output, begin, strlen(begin)) != 0) return;
    check_fault("the sandbox does not start: %.*s", (int)strcspn(output, "\n"), output);
}

_Noreturn void program_fail_memory(const check_program *program, const char *step)
{
    check_cause("a loop that allocates, or memory that is never given back");
    program_fail(program, CHECK_MEMORY, "the program used more memory than it may during %s", step);
}

void program_require_memory(const check_program *program, const subprocess_exit *ended, const char *step)
{
    if (ended->signal != SIGKILL || sandbox_cell_memory_kills(&program->cell) == program->memory_kills) return;
    program_fail_memory(program, step);
}

const char *program_bounded_folder(const check_program *program)
{
    return program->reference ? NULL : getenv("LAB_CHECK_ROOM");
}

void program_require_space(const check_program *program, const char *step)
{
    const char *folder = program_bounded_folder(program);
    if (!folder || !bounded_folder_is_full(folder)) return;
    check_expected("files that fit into the space for them");
    check_cause("a loop that writes to a file, or files that are never removed");
    program_fail(program, CHECK_OUTPUT_FLOOD, "the program filled all the room for its files during %s", step);
}

/* The program has ended during a request. */
static _Noreturn void fail_ended(check_program *program, const char *step)
{
    subprocess_exit ended;
    grader_fault fault;
    program_require_space(program, step);
    show_last_line(program);
    require_sandbox(program);
    if (!program_end(program, &ended, &fault)) check_fault("%s", fault.text);
    program_require_memory(program, &ended, step);
    if (ended.signal) program_fail_signal(program, ended.signal, step);
    check_expected("the program runs until the check is done with it");
    program_fail(program, CHECK_CRASH, "the program exited by itself, with status %d, during %s", ended.status, step);
}

static void wait_for_end(check_program *program)
{
    enum { SECONDS = 2 };
    grader_fault fault;
    double deadline = clock_seconds() + SECONDS;
    if (subprocess_wait(program->process, -1, deadline, &fault) == SUBPROCESS_FAULT) check_fault("%s", fault.text);
}

_Noreturn void program_fail_rule(check_program *program, const char *did, const char *step)
{
    check_expected("the program leaves the connection to its check alone");
    program_fail(program, CHECK_RULE, "the program %s during %s", did, step);
}

/* Takes the message that the socket has, or ends the check with what is wrong. */
static void take_message(check_program *program, const char *step)
{
    protocol_message *message = &program->message;
    ssize_t bytes = recv(program->socket, message, sizeof *message, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes <= 0) { /* the program's end of the connection is closed, mostly because it has ended */
        grader_fault fault;
        subprocess_event event = subprocess_wait(program->process, -1, clock_seconds() + 1, &fault);
        if (event == SUBPROCESS_EXITED) fail_ended(program, step);
        program_fail_rule(program, "closed the connection to its check", step);
    }
    if (!protocol_from_program_is_valid(message, (size_t)bytes)) {
        program_fail_rule(program, "sent its check an invalid message", step);
    }
    if (message->kind == PROTOCOL_CRASH) {
        wait_for_end(program);
        report_crash(program, message);
    }
}

_Noreturn void program_fail_event(check_program *program, subprocess_event event, double allowed, const char *step,
                                  const grader_fault *fault)
{
    if (event == SUBPROCESS_FLOOD) {
        program_fail(program, CHECK_OUTPUT_FLOOD, "the program printed more than %d KiB during %s",
                     CHECK_PROGRAM_OUTPUT / 1024, step);
    }
    if (event == SUBPROCESS_DEADLINE) {
        const char *sentence = owned_text("%s did not end within %.3g seconds", step, ceil(allowed * 10) / 10);
        grader_fault second;
        if (!program_end(program, NULL, &second)) check_fault("%s", second.text);
        program_note_hang(program, step);
        program_require_full_time(program, sentence);
        report_hang(program, sentence);
    }
    check_fault("%s", fault->text);
}

/* The reference has time of its own. A student's program that leaves little time must not make the reference late,
 * which would be a fault of the grader. */
double *program_time_left(const check_program *program)
{
    return program->reference ? &this_check.reference_seconds_left : &this_check.seconds_left;
}

/* Whether the last message only says where the program is stuck. Keeps that message; the answer may still come. */
static bool keep_stuck(check_program *program)
{
    if (program->message.kind != PROTOCOL_STUCK || !program->in_call) return false;
    if (!program->stuck) program->stuck = check_alloc(sizeof *program->stuck);
    *program->stuck = program->message;
    return true;
}

/* The program's time is up. It may still say where it is stuck; nothing else counts any more. */
static void wait_for_stuck(check_program *program)
{
    enum { SECONDS = 1 };
    grader_fault fault;
    protocol_message *message = &program->message;
    if (program->stuck || !program->in_call) return;
    subprocess_event event = subprocess_wait(program->process, program->socket, clock_seconds() + SECONDS, &fault);
    if (event != SUBPROCESS_READABLE) return;
    ssize_t bytes = recv(program->socket, message, sizeof *message, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes > 0 && protocol_from_program_is_valid(message, (size_t)bytes)) keep_stuck(program);
}

/* The device process knows what the program waits for. */
static void ask_for_wait(check_program *program)
{
    if (!program->in_call || !program->device) return;
    program->waits_for = check_alloc(sizeof *program->waits_for);
    *program_time_left(program) += 1; /* for the question */
    *program->waits_for = *device_process_tell(program, CONTROL_WAIT, 0, "the question what it waits for");
}

void program_wait(check_program *program, const char *step)
{
    grader_fault fault;
    double begun = clock_seconds(), *left = program_time_left(program), allowed = *left;
    subprocess_event event;
    program_skip_if_hung(program, step);
    do {
        event = subprocess_wait(program->process, program->socket, begun + allowed, &fault);
        if (event == SUBPROCESS_READABLE) take_message(program, step);
    } while (event == SUBPROCESS_READABLE && keep_stuck(program));
    *left -= clock_seconds() - begun;
    if (event == SUBPROCESS_EXITED) fail_ended(program, step);
    if (event == SUBPROCESS_LOST) device_process_fail_lost(program, step);
    if (event == SUBPROCESS_DEADLINE) {
        wait_for_stuck(program);
        ask_for_wait(program);
    }
    if (event != SUBPROCESS_READABLE) program_fail_event(program, event, allowed, step, &fault);
}
