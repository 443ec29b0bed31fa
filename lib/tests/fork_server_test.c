/* Programs that are loaded once for several runs. */
#include "base/processes/fork_server.h"
#include "base/processes/process.h"
#include "test.h"
#include "test_folder.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

static const char *const environment[] = {"PATH=/usr/bin:/bin", NULL};

static fork_server start(const char *program)
{
    fork_server server;
    cr_assert(fork_server_start(&server, program, environment), "%s", program);
    return server;
}

/* Runs a copy with two arguments, for a second of processor time. */
static lab_process_result run(const fork_server *server, const char *first, const char *second, const char *variable)
{
    lab_process_result result;
    const char *const arguments[] = {"/nowhere/unused", first, second, NULL};
    const char *const variables[] = {variable, "PATH=/usr/bin:/bin", NULL};
    const lab_process process = {arguments[0], arguments, variables, "in", 2, 1, 600, server};
    cr_assert_eq(lab_process_run(&result, &process), LAB_SUCCESS, "%s", lab_error_message());
    return result;
}

static void assert_exits(const lab_process_result *result, int status)
{
    cr_assert(WIFEXITED(result->status) && WEXITSTATUS(result->status) == status, "%x", (unsigned)result->status);
}

Test(fork_server, each_run_has_its_own_arguments_environment_input_and_status)
{
    fork_server server = start("/bin/sh");
    for (int i = 0; i < 3; i++) {
        char line[64], colour[32], output[32];
        snprintf(line, sizeof line, "cat; echo $COLOUR$LD_PRELOAD; echo %d >&2; exit %d", i, i);
        snprintf(colour, sizeof colour, "COLOUR=%d", 10 + i);
        snprintf(output, sizeof output, "in%d\n", 10 + i);
        lab_process_result result = run(&server, "-c", line, colour);
        cr_assert_str_eq(result.output, output);
        cr_assert_eq(result.errors[0], '0' + i);
        assert_exits(&result, i);
        lab_process_result_free(&result);
    }
    fork_server_stop(&server);
}

Test(fork_server, all_runs_are_children_of_the_program_that_was_loaded)
{
    char number[32];
    fork_server server = start("/bin/sh");
    snprintf(number, sizeof number, "%d\n", (int)server.program);
    for (int i = 0; i < 2; i++) {
        lab_process_result result = run(&server, "-c", "echo $PPID", "A=b");
        cr_assert_str_eq(result.output, number);
        lab_process_result_free(&result);
    }
    fork_server_stop(&server);
}

Test(fork_server, a_run_that_is_ended_does_no_harm_to_the_next)
{
    fork_server server = start("/bin/sh");
    lab_process_result endless = run(&server, "-c", "echo begun; while :; do :; done", "A=b");
    cr_assert(endless.timed_out && WIFSIGNALED(endless.status) && WTERMSIG(endless.status) == SIGKILL);
    cr_assert_str_eq(endless.output, "begun\n");
    lab_process_result_free(&endless);
    lab_process_result next = run(&server, "-c", "kill -SEGV $$", "A=b");
    cr_assert(WIFSIGNALED(next.status) && WTERMSIG(next.status) == SIGSEGV);
    lab_process_result_free(&next);
    fork_server_stop(&server);
}

Test(fork_server, a_script_runs_with_the_arguments_of_each_run)
{
    const test_folder folder = test_folder_make("script");
    FILE *file = fopen(folder.file, "w");
    cr_assert_not_null(file);
    fputs("#!/bin/sh -e\necho \"$0 $# $1 $2\"\n", file);
    fclose(file);
    chmod(folder.file, 0700);
    fork_server server = start(folder.file);
    lab_process_result result = run(&server, "one", "two", "A=b");
    char expected[sizeof folder.file + 16];
    snprintf(expected, sizeof expected, "%s 2 one two\n", folder.file);
    cr_assert_str_eq(result.output, expected);
    lab_process_result_free(&result);
    fork_server_stop(&server);
    test_folder_remove(&folder);
}

/* The loader of programs is one itself, and loads nothing into itself. */
static const char *static_program(void)
{
    struct link_map *library;
    void *loader = dlopen(LD_SO, RTLD_LAZY);
    cr_assert(loader && dlinfo(loader, RTLD_DI_LINKMAP, &library) == 0);
    return library->l_name;
}

Test(fork_server, a_program_that_does_not_load_the_library_is_not_started_and_leaves_nothing)
{
    const char *const programs[] = {static_program(), "/nowhere/nothing"};
    for (int i = 0; i < 2; i++) {
        fork_server server;
        cr_assert(!fork_server_start(&server, programs[i], environment), "%s", programs[i]);
        cr_assert(!fork_server_runs(&server));
        cr_assert(waitpid(-1, NULL, 0) < 0 && errno == ECHILD, "a child is left");
    }
}

Test(fork_server, a_server_that_was_lost_is_left_out)
{
    fork_server server = start("/bin/sh");
    kill(server.program, SIGKILL);
    lab_process_result result;
    const char *const arguments[] = {"sh", "-c", "echo alone", NULL};
    const lab_process process = {"/bin/sh", arguments, environment, "", 0, 1, 600, &server};
    cr_assert_eq(lab_process_run(&result, &process), LAB_SUCCESS, "%s", lab_error_message());
    cr_assert_str_eq(result.output, "alone\n");
    assert_exits(&result, 0);
    lab_process_result_free(&result);
    fork_server_stop(&server);
}
