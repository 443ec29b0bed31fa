/*
 * Waiting for what the student's program answers, and what it can do wrong meanwhile. It knows messages, deadlines and
 * ends; it refuses to know what was asked, and believes nothing it is told.
 */
#include "check_program.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "sandbox/bounded_folder.h"
#include "base/clock.h"
#include "base/text.h"

/* ---- what a program did wrong ----------------------------------------------------------------------------- */

_Noreturn void check_program_fail(const check_program *program, check_kind kind, const char *format, ...)
{
    char message[PROTOCOL_TEXT_BYTES + 512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (program->reference) check_fault("the reference program failed: %s", message);
    check_fail(kind, "%s", message);
}

/* The last line that the program printed: programs that give up mostly say why. */
static void show_last_words(const check_program *program)
{
    size_t bytes;
    const char *output = subprocess_output(program->process, &bytes);
    while (bytes > 0 && (output[bytes - 1] == '\n' || output[bytes - 1] == ' ')) bytes--;
    size_t start = bytes;
    while (start > 0 && output[start - 1] != '\n' && bytes - start < 400) start--;
    if (bytes > start) check_found("its last line of output: %.*s", (int)(bytes - start), output + start);
}

/* Keeps the first output of a program of the student's: the result shows it. */
static void keep_output(const check_program *program)
{
    size_t bytes;
    const char *output = subprocess_output(program->process, &bytes);
    if (bytes == 0 || program->reference || check_now.output) return;
    check_now.output_truncated = bytes > CHECK_SHOWN_OUTPUT;
    check_now.output = text_clean(output, bytes < CHECK_SHOWN_OUTPUT ? bytes : CHECK_SHOWN_OUTPUT);
}

/* Ends the process and everything it started. */
bool program_end(check_program *program, subprocess_exit *how, grader_fault *fault)
{
    subprocess *process = program->process;
    if (!process) return true;
    keep_output(program);
    program->process = NULL;
    return subprocess_end(process, how, fault);
}

_Noreturn void program_fail_signal(check_program *program, int number, const char *what)
{
    const char *name = sigabbrev_np(number), *meaning = sigdescr_np(number);
    if (number == SIGXCPU) {
        program_note_hang(program, what);
        check_program_fail(program, CHECK_TIMEOUT, "%s used up its CPU time", what);
    }
    check_program_fail(program, CHECK_CRASH, "the program was ended by the signal SIG%s (%s) during %s",
                       name ? name : "?", meaning ? meaning : "unknown", what);
}

/* bubblewrap says why it cannot run a program, and ends, before the program could say anything. */
static void require_sandbox(const check_program *program)
{
    static const char begin[] = "bwrap: ";
    size_t bytes;
    const char *output = subprocess_output(program->process, &bytes);
    if (program->greeted || !program->cell.wrapper || strncmp(output, begin, strlen(begin)) != 0) return;
    check_fault("the sandbox does not start: %.*s", (int)strcspn(output, "\n"), output);
}

/* The group of processes that it belongs to had no memory left, so that the system ended it. */
void program_require_memory(const check_program *program, const subprocess_exit *how, const char *what)
{
    if (how->signal != SIGKILL || sandbox_cell_memory_kills(&program->cell) == program->memory_kills) return;
    check_cause("a loop that allocates, or memory that is never given back");
    check_program_fail(program, CHECK_MEMORY, "the program used more memory than it may during %s", what);
}

/* What the grader bounds the files of the student's program with, if it does. */
const char *program_room(const check_program *program) { return program->reference ? NULL : getenv("LAB_CHECK_ROOM"); }

void program_require_room(const check_program *program, const char *what)
{
    const char *room = program_room(program);
    if (!room || !bounded_folder_is_full(room)) return;
    check_expected("files that fit into the room that there is for them");
    check_cause("a loop that writes to a file, or files that are never removed");
    check_program_fail(program, CHECK_OUTPUT_FLOOD, "the program filled all the room for its files during %s", what);
}

/* It has ended although it was asked for something. */
static _Noreturn void fail_ended(check_program *program, const char *what)
{
    subprocess_exit how;
    grader_fault fault;
    program_require_room(program, what);
    show_last_words(program);
    require_sandbox(program);
    if (!program_end(program, &how, &fault)) check_fault("%s", fault.text);
    program_require_memory(program, &how, what);
    if (how.signal) program_fail_signal(program, how.signal, what);
    check_expected("the program runs until the check is done with it");
    check_program_fail(program, CHECK_CRASH, "the program exited by itself, with status %d, during %s", how.status,
                       what);
}

static void wait_for_end(check_program *program)
{
    enum { SECONDS = 2 };
    grader_fault fault;
    double deadline = clock_seconds() + SECONDS;
    if (subprocess_wait(program->process, -1, deadline, &fault) == SUBPROCESS_FAULT) check_fault("%s", fault.text);
}

_Noreturn void program_fail_rule(check_program *program, const char *did, const char *what)
{
    check_expected("the program leaves the connection to its check alone");
    check_program_fail(program, CHECK_RULE, "the program %s during %s", did, what);
}

/* The socket is readable: takes the message, or ends the check with what is wrong with it. */
static void take_message(check_program *program, const char *what)
{
    protocol_message *message = &program->message;
    ssize_t bytes = recv(program->socket, message, sizeof *message, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes <= 0) { /* its end of the connection is closed: mostly because it has ended */
        grader_fault fault;
        subprocess_event event = subprocess_wait(program->process, -1, clock_seconds() + 1, &fault);
        if (event == SUBPROCESS_EXITED) fail_ended(program, what);
        program_fail_rule(program, "closed the connection to its check", what);
    }
    if (!protocol_from_program_is_valid(message, (size_t)bytes)) {
        program_fail_rule(program, "sent its check a message that is none", what);
    }
    if (message->kind == PROTOCOL_CRASH) {
        wait_for_end(program);
        check_crash_report(message, program->path, program->reference);
    }
}

/* A wait that ended neither with a message nor with the program's end. */
_Noreturn void program_fail_event(check_program *program, subprocess_event event, double allowed, const char *what,
                                  const grader_fault *fault)
{
    if (event == SUBPROCESS_FLOOD) {
        check_program_fail(program, CHECK_OUTPUT_FLOOD, "the program printed more than %d KiB during %s",
                           CHECK_PROGRAM_OUTPUT / 1024, what);
    }
    if (event == SUBPROCESS_DEADLINE) {
        const char *sentence = check_text("%s did not end within %.3g seconds", what, ceil(allowed * 10) / 10);
        grader_fault at_its_end;
        if (!program_end(program, NULL, &at_its_end)) check_fault("%s", at_its_end.text);
        program_note_hang(program, what);
        program_require_full_time(program, sentence);
        check_hang_report(program->stuck, program->path, program->reference, sentence);
    }
    check_fault("%s", fault->text);
}

/* What a program may still take. The reference's time is its own: a program that leaves little must not make the reference
 * late, which would be the grader's fault. */
double *program_time_left(const check_program *program)
{
    return program->reference ? &check_now.reference_seconds_left : &check_now.seconds_left;
}

/* Whether the message that was taken only says where the program is. That is kept, and its answer may still come. */
static bool keep_where_it_is(check_program *program)
{
    if (program->message.kind != PROTOCOL_STUCK || !program->in_call) return false;
    if (!program->stuck) program->stuck = check_alloc(sizeof *program->stuck);
    *program->stuck = program->message;
    return true;
}

/* Its time is up: it may still say where it is, and nothing else counts any more. */
static void ask_where_it_is(check_program *program)
{
    enum { SECONDS = 1 };
    grader_fault fault;
    protocol_message *message = &program->message;
    if (program->stuck || !program->in_call) return;
    subprocess_event event = subprocess_wait(program->process, program->socket, clock_seconds() + SECONDS, &fault);
    if (event != SUBPROCESS_READABLE) return;
    ssize_t bytes = recv(program->socket, message, sizeof *message, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes > 0 && protocol_from_program_is_valid(message, (size_t)bytes)) keep_where_it_is(program);
}

/* Waits for the next message while the program runs. */
void program_wait(check_program *program, const char *what)
{
    grader_fault fault;
    double begun = clock_seconds(), *left = program_time_left(program), allowed = *left;
    subprocess_event event;
    program_require_hope(program, what);
    do {
        event = subprocess_wait(program->process, program->socket, begun + allowed, &fault);
        if (event == SUBPROCESS_READABLE) take_message(program, what);
    } while (event == SUBPROCESS_READABLE && keep_where_it_is(program));
    *left -= clock_seconds() - begun;
    if (event == SUBPROCESS_EXITED) fail_ended(program, what);
    if (event == SUBPROCESS_DEADLINE) ask_where_it_is(program);
    if (event != SUBPROCESS_READABLE) program_fail_event(program, event, allowed, what, &fault);
}

/* What no code can help: no compiler for kernels, no device, no place for files. */
static bool is_fault_of_the_machine(lab_status status)
{
    return status == LAB_ERROR_COMPILER_UNAVAILABLE || status == LAB_ERROR_NO_DEVICE || status == LAB_ERROR_IO ||
           status == LAB_ERROR_NOT_INITIALIZED;
}

/* Where an answer says that a call stands, if that is in the student's file. */
static void locate(const char *place)
{
    const char *source = getenv("LAB_CHECK_SOURCE"), *colon = strrchr(place, ':');
    if (!source || !colon || (size_t)(colon - place) != strlen(source)) return;
    if (strncmp(place, source, strlen(source)) == 0) check_location(source, atoi(colon + 1), NULL);
}

/* The program's word is not enough, or a fault of the grader would be had for the asking: the reference tries device,
 * compiler and a file. If it cannot either, that ends the check as a fault. */
static void probe_machine(void)
{
    check_program *reference = check_start_reference(1);
    check_program_request(reference, PROTOCOL_PROBE, "", "the probe of the machine");
}

/* The function has returned, and a thread of its own goes on. */
static _Noreturn void fail_left_running(const check_program *program, const char *text)
{
    check_expected("all that the function starts has ended when it returns");
    check_cause("a thread that is not joined: who starts a thread waits for its end with pthread_join or thrd_join");
    check_program_fail(program, CHECK_RACE_SUSPECTED, "%s", text);
}

static _Noreturn void fail_unordered(check_program *program, const char *what, const char *text)
{
    char *finding = check_text("%s", text);
    check_expected("something that orders every two uses of the same memory, one of them a write");
    check_cause("nothing makes one of the two wait for the other; if the numbers were right this time, that was luck");
    check_trace_show_finding(program, what, finding);
    check_program_fail(program, CHECK_RACE_SUSPECTED, "in %s, %s", what, finding);
}

/* The program says that it could not do what it was asked for; returns where the check allows that. */
static void take_failure(check_program *program, const char *what)
{
    const protocol_message *message = &program->message;
    const char *text = message->text[0] ? message->text : "no message";
    program_require_room(program, what);
    if (is_fault_of_the_machine((lab_status)message->status)) {
        if (program->reference || !program->greeted) check_fault("%s failed: %s", what, text);
        probe_machine();
    }
    if (message->status == LAB_ERROR_NOT_ORDERED && check_now.definition->any_order) {
        program->unordered = check_text("%s", text);
        return;
    }
    locate(message->name);
    if (message->status == LAB_ERROR_NOT_ORDERED) fail_unordered(program, what, text);
    if (message->status == PROTOCOL_LEFT_RUNNING) fail_left_running(program, text);
    check_expected("LAB_SUCCESS");
    check_found("%s", lab_status_name((lab_status)message->status));
    check_program_fail(program, CHECK_WRONG_RESULT, "%s failed: %s", what, text);
}

void program_expect(check_program *program, protocol_kind kind, uint64_t number, const char *what)
{
    program_wait(program, what);
    const protocol_message *message = &program->message;
    bool answers = message->kind == (uint32_t)kind || message->kind == PROTOCOL_FAILED;
    if (!answers || message->number != number)
        program_fail_rule(program, "gave an answer that it was not asked for", what);
    if (message->kind == PROTOCOL_FAILED) take_failure(program, what);
}
