/* Running programs to their end. */
#include "base/processes/process.h"
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 600 }; /* no test waits so long */

static lab_status run_within(lab_process_result *result, const char *line, const char *input, size_t size, int seconds)
{
    const char *const arguments[] = {"sh", "-c", line, NULL};
    static const char *const environment[] = {"PATH=/usr/bin:/bin", "COLOUR=blue", NULL};
    const lab_process process = {"/bin/sh", arguments, environment, input, size, 1, seconds, NULL};
    return lab_process_run(result, &process);
}

/* Runs a line of shell with this input, for one second of processor time at most. */
static lab_status run_shell(lab_process_result *result, const char *line, const char *input, size_t size)
{
    return run_within(result, line, input, size, PATIENCE);
}

Test(process, output_errors_and_status_are_told_apart)
{
    lab_process_result result;
    cr_assert_eq(run_shell(&result, "echo $COLOUR; echo wrong >&2; exit 3", "", 0), LAB_SUCCESS);
    cr_assert_str_eq(result.output, "blue\n");
    cr_assert_str_eq(result.errors, "wrong\n");
    cr_assert(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 3);
    lab_process_result_free(&result);
}

Test(process, large_input_and_output_pass_at_the_same_time)
{
    enum { SIZE = 3 * 1024 * 1024 };
    char *input = malloc(SIZE);
    for (int i = 0; i < SIZE; i++) input[i] = (char)(i % 251);
    lab_process_result result;
    cr_assert_eq(run_shell(&result, "cat", input, SIZE), LAB_SUCCESS);
    cr_assert_eq(result.output_size, SIZE);
    cr_assert_arr_eq(result.output, input, SIZE);
    lab_process_result_free(&result);
    free(input);
}

Test(process, a_program_that_does_not_read_its_input_does_no_harm)
{
    enum { SIZE = 1024 * 1024 };
    char *input = calloc(1, SIZE);
    lab_process_result result;
    cr_assert_eq(run_shell(&result, "exec <&-; echo done", input, SIZE), LAB_SUCCESS);
    cr_assert_str_eq(result.output, "done\n");
    lab_process_result_free(&result);
    free(input);
}

Test(process, a_program_that_only_waits_has_taken_no_processor_time)
{
    lab_process_result result;
    cr_assert_eq(run_shell(&result, "sleep 1.5; echo done", "", 0), LAB_SUCCESS);
    cr_assert(!result.timed_out);
    cr_assert_str_eq(result.output, "done\n");
    lab_process_result_free(&result);
}

Test(process, a_program_that_waits_for_ever_is_ended)
{
    lab_process_result result;
    cr_assert_eq(run_within(&result, "echo begun; exec sleep 600", "", 0, 3), LAB_SUCCESS);
    cr_assert(result.timed_out);
    cr_assert_str_eq(result.output, "begun\n");
    cr_assert(WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGKILL);
    lab_process_result_free(&result);
}

Test(process, a_program_that_takes_too_long_is_ended)
{
    lab_process_result result;
    cr_assert_eq(run_shell(&result, "echo begun; while :; do :; done", "", 0), LAB_SUCCESS);
    cr_assert(result.timed_out);
    cr_assert_str_eq(result.output, "begun\n");
    cr_assert(WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGKILL);
    lab_process_result_free(&result);
}

Test(process, a_program_that_is_not_there_is_an_error)
{
    static const char *const none[] = {"nothing", NULL};
    const lab_process process = {"/nowhere/nothing", none, none + 1, "", 0, 1, 1, NULL};
    lab_process_result result;
    cr_assert_eq(lab_process_run(&result, &process), LAB_ERROR_FILE_NOT_FOUND);
    cr_assert_str_eq(lab_error_message(), "/nowhere/nothing cannot be run: No such file or directory");
    lab_process_result_free(&result);
}
