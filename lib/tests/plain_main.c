/*
 * Runs tests without Criterion, for the sanitizers. Knows processes and the list of tests; refuses to know what
 * a test does.
 *
 *   lib_tests [PART]    runs the tests whose "suite/name" contains PART, all without it
 *
 * Each test is a forked process. It has passed if that process exits with status 0, which a sanitizer's
 * finding prevents, also a leak found at exit. The last line is "N passed, N failed".
 */
#ifndef LAB_PLAIN_TESTS
#define LAB_PLAIN_TESTS
#endif
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

static test_case *tests;
static test_case **last_link = &tests;

void test_register(test_case *test)
{
    *last_link = test;
    last_link = &test->next;
}

void test_failed(const char *file, int line, const char *assertion, const char *format, ...)
{
    char message[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);

    bool empty = strcmp(message, "; ") == 0;
    fprintf(stderr, "%s:%d: failed: %s%s\n", file, line, assertion, empty ? "" : message);
    fflush(NULL);
    _exit(EXIT_FAILURE);
}

/* The test's process: a group of its own, so that what it starts ends with it. */
static _Noreturn void run_body(const test_case *test)
{
    setpgid(0, 0);
    alarm(TEST_SECONDS);
    test->body();
    exit(EXIT_SUCCESS);
}

static bool run(const test_case *test)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) run_body(test);
    if (child < 0) {
        fprintf(stderr, "[FAIL] %s/%s: no process for it: %s\n", test->suite, test->name, strerror(errno));
        return false;
    }

    int status = 0;
    waitpid(child, &status, 0);
    kill(-child, SIGKILL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) return true;

    fprintf(stderr, "[FAIL] %s/%s: ", test->suite, test->name);
    if (WIFEXITED(status))
        fprintf(stderr, "exit status %d\n", WEXITSTATUS(status));
    else if (WTERMSIG(status) == SIGALRM)
        fprintf(stderr, "still running after %d s\n", TEST_SECONDS);
    else
        fprintf(stderr, "signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return false;
}

int main(int argument_count, char **argument)
{
    const char *part = argument_count > 1 ? argument[1] : "";
    int passed = 0;
    int failed = 0;
    for (const test_case *test = tests; test; test = test->next) {
        char full_name[512];
        snprintf(full_name, sizeof full_name, "%s/%s", test->suite, test->name);
        if (!strstr(full_name, part)) continue;
        if (run(test))
            passed++;
        else
            failed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
