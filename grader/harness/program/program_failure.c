/* Ends the check with what a program did wrong, keeps what it printed, and knows the bounds of its memory and files;
 * see program.h. */
#include "program/program.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sandbox/bounded_folder.h"

_Noreturn void program_fail_with(const check_program *program, check_finding finding)
{
    if (program->reference) check_fault("the reference program failed: %s", finding.message);
    check_fail_with(finding);
}

/* Keeps the first output of a student's program, and then of its kernels, for the result. */
static void keep_output(const check_program *program)
{
    size_t bytes, more = 0;
    const char *output = subprocess_output(program->process, &bytes);
    const char *of_kernels = program->device ? subprocess_output(program->device, &more) : "";
    const bool unheard = program->sanitized && !program->greeted; /* the plain program follows */
    if (bytes + more == 0 || program->reference || unheard || this_check.output) return;
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
    return program_end_process(process, ended, fault);
}

/* The steps that hung before, one per line; NULL if the grader does not pass them on. They are not waited for again:
 * a second time tells a student nothing new. */
static const char *hung_before(const check_program *program)
{
    return program->reference ? NULL : getenv("LAB_CHECK_HUNG");
}

static bool is_among(const char *lines, const char *line)
{
    size_t length = strlen(line);
    while (*lines) {
        size_t next = strcspn(lines, "\n");
        if (next == length && strncmp(lines, line, length) == 0) return true;
        lines += next + (lines[next] == '\n');
    }
    return false;
}

void program_skip_if_hung(const check_program *program, const char *step)
{
    const char *hung = hung_before(program);
    if (hung && is_among(hung, step)) end_not_run("it needs %s, which did not end above", step);
}

void program_require_full_time(const check_program *program, const char *sentence)
{
    const char *hung = hung_before(program);
    if (hung) end_not_run("%s; it is given longer once %.*s ends", sentence, (int)strcspn(hung, "\n"), hung);
}

void program_note_hang(const check_program *program, const char *step)
{
    if (!program->reference) this_check.hung = check_text("%s", step);
}

_Noreturn void program_fail_signal(check_program *program, int number, const char *step, const char *last_line)
{
    const char *name = sigabbrev_np(number), *meaning = sigdescr_np(number);
    if (number == SIGXCPU) {
        program_note_hang(program, step);
        program_fail(program, CHECK_TIMEOUT, check_text("%s used up its CPU time", step));
    }
    program_fail(program, CHECK_CRASH,
                 check_text("the program was ended by the signal SIG%s (%s) during %s", name ? name : "?",
                            meaning ? meaning : "unknown", step),
                 .found = last_line);
}

void program_box_enter(program_box *box, subprocess_options *options, const check_program *program,
                       const char *variable, const char *folder)
{
    grader_fault fault;
    const char *path = program->reference ? NULL : getenv(variable);
    if (!path) return;
    if (!sandbox_cell_load(&box->cell, path, folder, &fault)) check_fault("%s", fault.text);
    sandbox_cell_apply(&box->cell, options);
    box->memory_kills = sandbox_cell_memory_kills(&box->cell);
}

void program_require_memory(const check_program *program, const program_box *box, const subprocess_exit *ended,
                            const char *step)
{
    if (ended->signal != SIGKILL || sandbox_cell_memory_kills(&box->cell) == box->memory_kills) return;
    program_fail(program, CHECK_MEMORY, check_text("the program used more memory than it may during %s", step),
                 .cause = "a loop that allocates, or memory that is never released");
}

const char *program_bounded_folder(const check_program *program)
{
    return program->reference ? NULL : getenv("LAB_CHECK_ROOM");
}

void program_require_space(const check_program *program, const char *step)
{
    const char *folder = program_bounded_folder(program);
    if (!folder || !bounded_folder_is_full(folder)) return;
    program_fail(program, CHECK_OUTPUT_FLOOD,
                 check_text("the program filled all the room for its files during %s", step),
                 .expected = "files that fit into the space for them",
                 .cause = "a loop that writes to a file, or files that are never removed");
}

_Noreturn void program_fail_rule(check_program *program, const char *did, const char *step)
{
    program_fail(program, CHECK_RULE, check_text("the program %s during %s", did, step),
                 .expected = "the program leaves the connection to its check alone");
}

static const char *describe_deadline(const check_program *program, double allowed, const char *step)
{
    if (program_is_idle(program))
        return check_text("%s did not end, and had nothing to do for %.3g seconds", step, program_idle_seconds());
    if (!program->reference && allowed <= 0)
        return check_text("%s had no time left: its check's earlier calls took the %.3g seconds that all of them have",
                          step, CHECK_MOST_LIMITS * this_check.limit);
    const char *sentence = check_text("%s did not end within %.3g seconds", step, ceil(fmax(allowed, 0.1) * 10) / 10);
    if (program->reference || allowed >= this_check.limit) return sentence;
    return check_text("%s, the rest of the %.3g that all calls of this check have", sentence,
                      CHECK_MOST_LIMITS * this_check.limit);
}

_Noreturn void program_fail_event(check_program *program, subprocess_event event, double allowed, const char *step,
                                  const grader_fault *fault)
{
    if (event == SUBPROCESS_FLOOD) {
        program_fail(program, CHECK_OUTPUT_FLOOD,
                     check_text("the program printed more than %d KiB during %s", CHECK_PROGRAM_OUTPUT / 1024, step));
    }
    if (event == SUBPROCESS_DEADLINE) {
        const char *sentence = describe_deadline(program, allowed, step);
        grader_fault second;
        if (!program_end(program, NULL, &second)) check_fault("%s", second.text);
        program_note_hang(program, step);
        program_require_full_time(program, sentence);
        report_hang(program, sentence);
    }
    check_fault("%s", fault->text);
}
