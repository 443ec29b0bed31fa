/* Waits for the answers of the student's program; see program.h. Nothing that the program sends is trusted. */
#include "program/program.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/monotonic.h"
#include "program/device_process.h"

/* The last line that the program printed: programs that give up mostly say why. NULL for none. */
static const char *last_line(const check_program *program)
{
    size_t bytes;
    const char *output = subprocess_output(program->process, &bytes);
    while (bytes > 0 && (output[bytes - 1] == '\n' || output[bytes - 1] == ' ')) bytes--;
    size_t start = bytes;
    while (start > 0 && output[start - 1] != '\n' && bytes - start < 400) start--;
    return bytes > start ? check_text("its last line of output: %.*s", (int)(bytes - start), output + start) : NULL;
}

/* bubblewrap ends with a message if it cannot run a program, before the program could say anything. */
static void require_sandbox(const check_program *program)
{
    static const char begin[] = "bwrap: ";
    size_t bytes;
    const char *output = subprocess_output(program->process, &bytes);
    if (program->greeted || !program->box.cell.wrapper || strncmp(output, begin, strlen(begin)) != 0) return;
    check_fault("the sandbox does not start: %.*s", (int)strcspn(output, "\n"), output);
}

/* The program has ended during a request. */
static _Noreturn void fail_ended(check_program *program, const char *step)
{
    subprocess_exit ended;
    grader_fault fault;
    program_require_space(program, step);
    const char *said = last_line(program);
    require_sandbox(program);
    if (!program_end(program, &ended, &fault)) check_fault("%s", fault.text);
    program_require_memory(program, &program->box, &ended, step);
    if (ended.signal) program_fail_signal(program, ended.signal, step, said);
    program_fail(program, CHECK_CRASH,
                 check_text("the program exited by itself, with status %d, during %s", ended.status, step),
                 .expected = "the program runs until the check is done with it", .found = said);
}

/* Waits a little for the program's end. */
static subprocess_event wait_for_end(check_program *program, const char *step)
{
    grader_fault fault;
    double left = 2;
    const subprocess_event event = program_await(program->process, -1, &left, step, &fault);
    if (event == SUBPROCESS_FAULT) check_fault("%s", fault.text);
    return event;
}

/* Takes the message that the socket has, or ends the check with what is wrong. */
static void take_message(check_program *program, const char *step)
{
    protocol_message *message = &program->message;
    ssize_t bytes = recv(program->socket, message, sizeof *message, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes <= 0) { /* the program's end of the connection is closed, mostly because it has ended */
        if (wait_for_end(program, step) == SUBPROCESS_EXITED) fail_ended(program, step);
        program_fail_rule(program, "closed the connection to its check", step);
    }
    if (!protocol_from_program_is_valid(message, (size_t)bytes)) {
        program_fail_rule(program, "sent its check an invalid message", step);
    }
    if (message->kind == PROTOCOL_CRASH) {
        wait_for_end(program, step);
        report_end(program, message);
    }
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
static void wait_for_stuck(check_program *program, const char *step)
{
    grader_fault fault;
    double left = 1;
    protocol_message *message = &program->message;
    if (program->stuck || !program->in_call) return;
    subprocess_event event = program_await(program->process, program->socket, &left, step, &fault);
    if (event != SUBPROCESS_READABLE) return;
    ssize_t bytes = recv(program->socket, message, sizeof *message, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes > 0 && protocol_from_program_is_valid(message, (size_t)bytes)) keep_stuck(program);
}

static const double moment = 0.25;

/* Whether the program or its device process is ready to run for half of a moment. */
static bool is_at_work(check_program *program)
{
    grader_fault ignored;
    const machine_time begun = machine_time_now();
    const processor_time before = program_processor_time();
    subprocess_wait(program->process, -1, clock_seconds() + moment, &ignored);
    processor_time had = processor_time_since(program_processor_time(), before);
    had = processor_time_with_stolen(had, begun, machine_time_now());
    return had.used + had.waited > moment / 2;
}

static double seconds_of_stay(const check_program *program)
{
    return program->own_time ? (double)own_time_of_stay(program->own_time, monotonic_ns()) / 1e9 : 0;
}

/* One call of the device that waits for nothing of the program's and takes as long as the check allows is no fault of
 * the program's. */
static void require_no_endless_stay(const check_program *program, const char *step)
{
    const double stay = seconds_of_stay(program);
    if (stay < this_check.limit) return;
    check_fault("the device is busy: %s did not end, because the device has been at work on its own for %.1f seconds",
                step, stay);
}

/* The device process knows what the program waits for. */
static void ask_for_wait(check_program *program)
{
    if (!program->in_call || !program->device) return;
    program->device_works = seconds_of_stay(program) > moment;
    program->works = is_at_work(program);
    program->waits_for = check_alloc(sizeof *program->waits_for);
    program_time_is_up(program);
    *program->waits_for = *device_process_tell(program, CONTROL_WAIT, 0, "the question what it waits for");
}

void program_wait(check_program *program, const char *step)
{
    grader_fault fault;
    double left = program_seconds(program), allowed = left;
    subprocess_event event;
    program->looks = (patience_looks){0};
    program_skip_if_hung(program, step);
    do {
        event = program_await_answer(&left, program, program->process, program->socket, step, &fault);
        if (event == SUBPROCESS_READABLE) take_message(program, step);
    } while (event == SUBPROCESS_READABLE && keep_stuck(program));
    if (event == SUBPROCESS_EXITED) fail_ended(program, step);
    if (event == SUBPROCESS_LOST) device_process_fail_lost(program, step);
    if (event == SUBPROCESS_DEADLINE) {
        require_no_endless_stay(program, step);
        wait_for_stuck(program, step);
        ask_for_wait(program);
    }
    if (event != SUBPROCESS_READABLE) program_fail_event(program, event, allowed, step, &fault);
}
