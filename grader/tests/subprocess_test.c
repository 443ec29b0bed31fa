/* Other programs: starting, watching, stopping and ending them. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/folder.h"
#include "base/subprocess.h"

static const char *const no_environment[] = {NULL};

/* The options of every test: a shell script. */
static subprocess_options shell(const char *arguments[4], const char *script)
{
    arguments[0] = "/bin/sh";
    arguments[1] = "-c";
    arguments[2] = script;
    arguments[3] = NULL;
    return (subprocess_options){.arguments = arguments, .environment = no_environment, .output_limit = 1 << 20};
}

static subprocess_result run(const char *script)
{
    const char *arguments[4];
    subprocess_options options = shell(arguments, script);
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 30, &fault), "%s", fault.text);
    return result;
}

static subprocess *start(const subprocess_options *options)
{
    subprocess *process;
    grader_fault fault;
    cr_assert(subprocess_start(&process, options, &fault), "%s", fault.text);
    return process;
}

static void end(subprocess *process)
{
    grader_fault fault;
    cr_assert(subprocess_end(process, NULL, &fault), "%s", fault.text);
}

/* Waits until the process and what it started are busy, or are not. */
static void wait_until_busy(const subprocess *process, bool busy)
{
    while (subprocess_is_busy(process) != busy) usleep(1000);
}

Test(subprocess, process_is_busy_while_something_that_it_started_has_work)
{
    const char *arguments[4];
    grader_fault fault;
    /* The shell waits by itself: one that starts a program may be stopped while it waits for it as if for a disk. */
    const subprocess_options options = shell(arguments, "(while :; do :; done) & wait");
    subprocess *process = start(&options);
    wait_until_busy(process, true);
    cr_assert(subprocess_stop(process, &fault), "%s", fault.text);
    wait_until_busy(process, false);
    end(process);
}

Test(subprocess, process_that_only_waits_is_not_busy)
{
    const char *arguments[4];
    const subprocess_options options = shell(arguments, "exec sleep 1000");
    subprocess *process = start(&options);
    wait_until_busy(process, false);
    end(process);
}

Test(subprocess, run_gives_output_and_status)
{
    subprocess_result result = run("echo out; echo err >&2; exit 3");
    cr_assert_eq(result.event, SUBPROCESS_EXITED);
    cr_assert_eq(result.exit.status, 3);
    cr_assert_str_eq(result.output, "out\nerr\n");
    subprocess_result_free(&result);
}

Test(subprocess, run_tells_a_signal_from_a_status)
{
    subprocess_result result = run("kill -SEGV $$");
    cr_assert_eq(result.exit.status, -1);
    cr_assert_eq(result.exit.signal, 11);
    subprocess_result_free(&result);
}

Test(subprocess, errors_come_apart_when_asked_for)
{
    const char *arguments[4];
    subprocess_options options = shell(arguments, "echo out; echo err >&2");
    options.separate_errors = true;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 30, &fault), "%s", fault.text);
    cr_assert_str_eq(result.output, "out\n");
    cr_assert_str_eq(result.errors, "err\n");
    subprocess_result_free(&result);
}

/* Lets the process end after its first second has been reported. */
static void let_it_end(void *user, double seconds)
{
    cr_assert_gt(seconds, 0);
    cr_assert_eq(close(open(user, O_WRONLY | O_CREAT, 0600)), 0);
}

Test(subprocess, run_tells_how_long_it_lasts_while_it_lasts)
{
    grader_fault fault;
    char *folder;
    const char *arguments[4];
    cr_assert(folder_make_private(&folder, "subprocess-test", &fault), "%s", fault.text);
    subprocess_options options = shell(arguments, "until [ -e seen ]; do sleep 0.1; done; echo seen");
    options.directory = folder;
    options.each_second = let_it_end;
    options.user = folder_path(folder, "seen");
    subprocess_result result;
    cr_assert(subprocess_run(&result, &options, 60, &fault), "%s", fault.text);
    cr_assert_eq(result.event, SUBPROCESS_EXITED);
    cr_assert_str_eq(result.output, "seen\n");
    subprocess_result_free(&result);
    folder_remove(folder);
    free(options.user);
    free(folder);
}

Test(subprocess, start_of_a_missing_program_is_a_fault_that_names_it)
{
    const char *const arguments[] = {"/nowhere/program", NULL};
    subprocess_options options = {.arguments = arguments, .environment = no_environment};
    subprocess *process;
    grader_fault fault;
    cr_assert_not(subprocess_start(&process, &options, &fault));
    cr_assert_str_eq(fault.text, "cannot start /nowhere/program: No such file or directory");
}

Test(subprocess, environment_is_exactly_the_given_one)
{
    const char *arguments[4];
    const char *const environment[] = {"ONE=1", NULL};
    setenv("LAB_CHECK_SEED", "secret", 1);
    subprocess_options options = shell(arguments, "/usr/bin/env");
    options.environment = environment;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 30, &fault), "%s", fault.text);
    cr_assert_not_null(strstr(result.output, "ONE=1\n"));
    cr_assert_null(strstr(result.output, "secret"), "%s", result.output);
    subprocess_result_free(&result);
}

/* 0, 1, 2 and the descriptor of the listing itself, but nothing that was open here. */
Test(subprocess, descriptors_are_only_those_given)
{
    int channel[2];
    cr_assert_eq(pipe(channel), 0);
    subprocess_result result = run("ls /proc/self/fd | wc -l");
    cr_assert_eq(atoi(result.output), 4, "%s", result.output);
    subprocess_result_free(&result);
}

Test(subprocess, descriptors_given_begin_at_3)
{
    int channel[2];
    const char *arguments[4];
    subprocess_options options = shell(arguments, "echo through >&3");
    cr_assert_eq(pipe(channel), 0);
    options.descriptors = &channel[1];
    options.descriptor_count = 1;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 30, &fault), "%s", fault.text);
    char text[16] = "";
    cr_assert_eq(read(channel[0], text, sizeof text - 1), 8);
    cr_assert_str_eq(text, "through\n");
    subprocess_result_free(&result);
}

Test(subprocess, input_is_empty)
{
    subprocess_result result = run("cat; echo end");
    cr_assert_str_eq(result.output, "end\n");
    subprocess_result_free(&result);
}

Test(subprocess, wrapper_runs_the_arguments)
{
    const char *arguments[4];
    const char *const wrapper[] = {"/usr/bin/env", "WRAPPED=yes", NULL};
    subprocess_options options = shell(arguments, "echo $WRAPPED");
    options.wrapper = wrapper;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 30, &fault), "%s", fault.text);
    cr_assert_str_eq(result.output, "yes\n");
    subprocess_result_free(&result);
}

Test(subprocess, deadline_ends_a_program_that_ignores_signals)
{
    const char *arguments[4];
    subprocess_options options = shell(arguments, "trap '' TERM INT HUP; while :; do :; done");
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 0.05, &fault), "%s", fault.text);
    cr_assert_eq(result.event, SUBPROCESS_DEADLINE);
    cr_assert_eq(result.exit.signal, 9);
    subprocess_result_free(&result);
}

Test(subprocess, flood_is_noticed_and_cut)
{
    const char *arguments[4];
    subprocess_options options = shell(arguments, "while :; do echo again; done");
    options.output_limit = 10000;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 30, &fault), "%s", fault.text);
    cr_assert_eq(result.event, SUBPROCESS_FLOOD);
    cr_assert_eq(result.output_bytes, 10001u);
    subprocess_result_free(&result);
}

Test(subprocess, file_limit_holds)
{
    const char *arguments[4];
    subprocess_options options = shell(arguments, "head -c 5000 /dev/zero >&3");
    FILE *file = tmpfile();
    int descriptor = fileno(file);
    options.descriptors = &descriptor;
    options.descriptor_count = 1;
    options.file_limit = 1000;
    subprocess_result result;
    grader_fault fault;
    cr_assert(subprocess_run(&result, &options, 30, &fault), "%s", fault.text);
    cr_assert_eq(lseek(descriptor, 0, SEEK_END), 1000);
    subprocess_result_free(&result);
    fclose(file);
}

/* The daemon leaves its process group and session, and its parent is gone. It prints its number, so that the test looks
 * for exactly this process. */
static void expect_that_end_takes_daemons_along(void)
{
    const char *arguments[4];
    subprocess_options options = shell(
        arguments, "setsid sh -c '{ trap \"\" TERM HUP; sh -c \"echo \\$PPID.\"; sleep 1000; sleep 1000; } & exit' &"
                   "wait; sleep 1000");
    subprocess *process = start(&options);
    grader_fault fault;
    size_t bytes;
    while (!strchr(subprocess_output(process, &bytes), '.')) {
        cr_assert_neq(subprocess_wait(process, -1, clock_seconds() + 0.001, &fault), SUBPROCESS_FAULT);
    }
    int daemon = atoi(subprocess_output(process, &bytes));
    cr_assert_eq(kill(daemon, 0), 0);
    end(process);
    cr_assert(kill(daemon, 0) < 0 && errno == ESRCH, "process %d is still there", daemon);
}

/* The script prints without end. */
static void expect_that_nothing_runs_between_stop_and_continue(const char *script)
{
    const char *arguments[4];
    char path[4096];
    snprintf(path, sizeof path, "PATH=%s", getenv("PATH"));
    subprocess_options options = shell(arguments, script);
    options.environment = (const char *const[]){path, NULL};
    options.output_limit = 64 << 20;
    subprocess *process = start(&options);
    grader_fault fault;
    size_t first, second, third = 0;
    while (subprocess_output(process, &first), first == 0) subprocess_wait(process, -1, clock_seconds(), &fault);
    cr_assert(subprocess_stop(process, &fault), "%s", fault.text);
    subprocess_output(process, &first);
    subprocess_wait(process, -1, clock_seconds() + 0.01, &fault);
    subprocess_output(process, &second);
    cr_assert_eq(first, second, "it wrote while it stood still");
    subprocess_continue(process);
    while (third <= second) {
        cr_assert_eq(subprocess_wait(process, -1, clock_seconds() + 0.001, &fault), SUBPROCESS_DEADLINE);
        subprocess_output(process, &third);
    }
    end(process);
}

static const char child_and_parent[] = "(while :; do echo child; done) & while :; do echo parent; done";

Test(subprocess, end_takes_daemons_along) { expect_that_end_takes_daemons_along(); }

Test(subprocess, nothing_runs_between_stop_and_continue)
{
    expect_that_nothing_runs_between_stop_and_continue(child_and_parent);
}

/* The kernel lists a process as the child of the thread that started it. */
Test(subprocess, nothing_runs_that_a_second_thread_has_started)
{
    expect_that_nothing_runs_between_stop_and_continue(
        "exec python3 -c 'import subprocess, threading\n"
        "threading.Thread(target=subprocess.run, args=([\"sh\", \"-c\", \"while :; do echo x; done\"],)).start()'");
}

/* Makes this kernel one that lists no children: nothing asks for access to another file. */
static void hide_lists_of_children(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOENT), SCMP_SYS(access), 0);
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOENT), SCMP_SYS(faccessat), 0);
    cr_assert(filter && seccomp_load(filter) == 0, "no filter of system calls");
    cr_assert(access("/proc/thread-self/children", R_OK) < 0);
    seccomp_release(filter);
}

Test(subprocess, end_takes_daemons_along_without_lists_of_children)
{
    hide_lists_of_children();
    expect_that_end_takes_daemons_along();
}

Test(subprocess, nothing_runs_between_stop_and_continue_without_lists_of_children)
{
    hide_lists_of_children();
    expect_that_nothing_runs_between_stop_and_continue(child_and_parent);
}

Test(subprocess, descriptor_of_the_caller_wakes_the_wait)
{
    int channel[2];
    const char *arguments[4];
    subprocess_options options = shell(arguments, "while :; do :; done");
    cr_assert_eq(pipe(channel), 0);
    subprocess *process = start(&options);
    cr_assert_eq(write(channel[1], "x", 1), 1);
    grader_fault fault;
    cr_assert_eq(subprocess_wait(process, channel[0], clock_seconds() + 30, &fault), SUBPROCESS_READABLE);
    end(process);
}

Test(environment, keeps_what_is_needed_and_no_secret)
{
    const char *const extra[] = {"TMPDIR=/private", NULL};
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_CHECK_SEED", "secret", 1);
    setenv("LAB_TRACE", "file", 1);
    setenv("LD_PRELOAD_NOT", "x", 1);
    setenv("LD_LIBRARY_PATH", ":/one:here:/two:", 1);
    setenv("LIBRARY_PATH", "/one", 1);
    setenv("TMPDIR", "/shared", 1);
    char **made = environment_make(extra);
    bool device = false, temporary = false, libraries = false, linked = false;
    for (char **variable = made; *variable; variable++) {
        cr_assert(strncmp(*variable, "LAB_CHECK_", 10) != 0 && strncmp(*variable, "LAB_TRACE=", 10) != 0, "%s",
                  *variable);
        cr_assert_neq(strncmp(*variable, "LD_PRELOAD", 10), 0, "%s", *variable);
        cr_assert_str_neq(*variable, "TMPDIR=/shared");
        device = device || strcmp(*variable, "LAB_DEVICE=cpu") == 0;
        temporary = temporary || strcmp(*variable, "TMPDIR=/private") == 0;
        /* no folder of the one who is graded */
        libraries = libraries || strcmp(*variable, "LD_LIBRARY_PATH=/one:/two") == 0;
        linked = linked || strcmp(*variable, "LIBRARY_PATH=/one") == 0;
    }
    cr_assert(device && temporary && libraries && linked);
    environment_free(made);
}
