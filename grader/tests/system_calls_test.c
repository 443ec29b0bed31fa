/* The filter of system calls: each forbidden call is tried with the filter and without it, so that another reason for
 * its failure cannot hide a hole. */
#include "test.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/text.h"
#include "base/word_list.h"
#include "sandbox/system_calls.h"
#include "sandbox_fixture.h"
#include "toy.h"

/* The path of try_calls; the caller frees it. */
static char *find_program(void)
{
    char *program = folder_path(toy_build(), "tests/try_calls"), *whole = realpath(program, NULL);
    cr_assert_not_null(whole, "make builds %s before the tests", program);
    free(program);
    return whole;
}

/* Makes the calls in a sandbox; a line of the output is about each. False where there is no sandbox. */
static bool make_calls(subprocess_result *out, char *const *calls, bool filtered)
{
    fixture f;
    char *program = find_program();
    if (!begin_with(&f, program)) {
        free(program);
        return false;
    }
    const char *unused[5];
    subprocess_options options = shell(&f, unused, "");
    word_list words = {0};
    sandbox_cell cell;
    grader_fault fault;
    const char *const read[] = {program, NULL};
    if (!filtered) f.box.filter_bytes = 0;
    cr_assert(sandbox_cell_open(&cell, &f.box, &(sandbox_view){.read = read}, &fault), "%s", fault.text);
    sandbox_cell_apply(&cell, &options);
    word_list_add(&words, program, NULL);
    word_list_add_all(&words, calls);
    char **arguments = word_list_take(&words);
    options.arguments = (const char *const *)arguments;
    options.directory = NULL;
    cr_assert(subprocess_run(out, &options, 30, &fault), "%s", fault.text);
    cr_assert_eq(out->exit.status, 0, "%s", out->output);
    word_list_free(arguments);
    sandbox_cell_close(&cell);
    end(&f);
    free(program);
    return true;
}

/* Tries each call both ways. With the filter it ends as `expected` says, without it otherwise. */
static void assert_filtered(word_list *calls, const char *expected)
{
    subprocess_result with, without;
    const size_t count = calls->count;
    char **list = word_list_take(calls);
    cr_assert(list && count > 0);
    if (make_calls(&with, list, true)) {
        make_calls(&without, list, false);
        char *these = with.output, *those = without.output;
        for (size_t i = 0; i < count; i++) {
            const char *this = strsep(&these, "\n"), *that = strsep(&those, "\n");
            cr_assert(this && strcmp(this, expected) == 0, "call %s: %s, not %s", list[i], this, expected);
            cr_assert(that && *that && strcmp(that, expected) != 0, "call %s fails without the filter too", list[i]);
        }
        subprocess_result_free(&with);
        subprocess_result_free(&without);
    }
    word_list_free(list);
}

static void add_call(word_list *calls, const char *name, const char *arguments)
{
    int number = seccomp_syscall_resolve_name(name);
    char *call = text_make("%d%s", number, arguments);
    if (number >= 0) word_list_add(calls, call, NULL);
    free(call);
}

static void add_calls(word_list *calls, const char *names)
{
    char *list = strdup(names), *rest = list;
    for (const char *name; (name = strsep(&rest, " "));) add_call(calls, name, "");
    free(list);
}

/* All calls of the table with this action, without arguments. */
static word_list calls_with(uint32_t action)
{
    word_list calls = {0};
    for (const system_call_rule *rule = system_call_rules; rule->names; rule++) {
        if (rule->action == action) add_calls(&calls, rule->names);
    }
    return calls;
}

Test(system_calls, dangerous_ones_end_the_program)
{
    word_list calls = calls_with(SCMP_ACT_KILL_PROCESS);
    char expected[32];
    add_calls(&calls, "keyctl add_key request_key ptrace userfaultfd bpf "
                      "io_uring_setup perf_event_open mount umount2 unshare setns kexec_load init_module");
    snprintf(expected, sizeof expected, "signal %d", SIGSYS);
    assert_filtered(&calls, expected);
}

Test(system_calls, ones_that_libraries_try_are_not_permitted)
{
    word_list calls = calls_with(SCMP_ACT_ERRNO(EPERM));
    char expected[32];
    snprintf(expected, sizeof expected, "error %d", EPERM);
    assert_filtered(&calls, expected);
}

Test(system_calls, others_look_like_those_of_a_newer_kernel)
{
    word_list calls = {0};
    char expected[32], arguments[64];
    snprintf(expected, sizeof expected, "error %d", ENOSYS);
    snprintf(arguments, sizeof arguments, ",%#x", CLONE_NEWNS | SIGCHLD);
    add_call(&calls, "clone", arguments);
    snprintf(arguments, sizeof arguments, ",%#x", CLONE_NEWUSER | SIGCHLD);
    add_call(&calls, "clone", arguments);
    snprintf(arguments, sizeof arguments, ",%d,%d,0", AF_PACKET, SOCK_RAW);
    add_call(&calls, "socket", arguments);
    snprintf(arguments, sizeof arguments, ",%d,%d,0", AF_VSOCK, SOCK_STREAM);
    add_call(&calls, "socket", arguments);
    add_call(&calls, "clone3", "");
    add_call(&calls, "shmget", ",0,4096,0");
    add_call(&calls, "mq_open", "");
    add_call(&calls, "vmsplice", "");
    assert_filtered(&calls, expected);
}

/* Its number has another bit set, by which filters that know numbers only are passed. */
Test(system_calls, those_of_another_processor_end_the_program)
{
#ifdef __x86_64__
    word_list calls = {0};
    char expected[32], call[32];
    snprintf(expected, sizeof expected, "signal %d", SIGSYS);
    snprintf(call, sizeof call, "%#x,0", 0x40000000u + 39);
    word_list_add(&calls, call, NULL);
    assert_filtered(&calls, expected);
#endif
}

/* A key that one job adds to its session stays in the kernel when the job ends. The test has a session, as a person who
 * has logged in has. */
Test(system_calls, key_of_a_job_is_not_there_for_the_next)
{
    subprocess_result first, second;
    word_list add = {0}, search = {0};
    syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
    add_call(&add, "add_key", ",@user,@lab-test,@x,1,-3");
    add_call(&search, "keyctl", ",10,-3,@user,@lab-test,0");
    char **adds = word_list_take(&add), **searches = word_list_take(&search);
    if (make_calls(&first, adds, false)) {
        make_calls(&second, searches, false);
        cr_assert_str_neq(second.output, "done\n", "the key was found");
        subprocess_result_free(&first);
        subprocess_result_free(&second);
    }
    word_list_free(adds);
    word_list_free(searches);
}
