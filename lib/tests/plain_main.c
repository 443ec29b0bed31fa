/*
 * Runs tests without Criterion, for the sanitizers and valgrind. Independent of what a test does.
 *
 *   lib_tests [PART...] [-START...]    runs the tests whose "suite/name" contains every PART and begins with no START
 *
 * Each test is a forked process, as many at once as there are cores. A test passes if its process exits with status 0.
 * A sanitizer's finding prevents that, also a leak found at exit. The output of a test is shown if the test fails. The
 * last line is "N passed, N failed".
 */
#ifndef LAB_PLAIN_TESTS
#define LAB_PLAIN_TESTS
#endif
#include "test.h"
#include "turns.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

/* A test that is running; `test` is NULL in a free place. */
typedef struct running_test {
    const test_case *test;
    pid_t process;
    FILE *output;
} running_test;

enum { MOST_AT_ONCE = 64 };

static test_case *tests;
static test_case **last_link = &tests;
static running_test running[MOST_AT_ONCE];

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

/* The test's process leads a group of its own, so that the processes it starts end with it. */
static _Noreturn void run_body(const running_test *place)
{
    setpgid(0, 0);
    dup2(fileno(place->output), STDOUT_FILENO);
    dup2(fileno(place->output), STDERR_FILENO);
    alarm(TEST_SECONDS);
    place->test->body();
    exit(EXIT_SUCCESS);
}

/* Starts the test in a free place; false if no process can be made. */
static bool start(running_test *place, const test_case *test)
{
    *place = (running_test){.test = test, .output = tmpfile()};
    fflush(NULL);
    place->process = place->output ? fork() : -1;
    if (place->process == 0) run_body(place);
    if (place->process > 0) return true;

    fprintf(stderr, "[FAIL] %s/%s: no process can be made: %s\n", test->suite, test->name, strerror(errno));
    if (place->output) fclose(place->output);
    place->test = NULL;
    return false;
}

static void print_failure(const running_test *place, int status)
{
    char chunk[4096];
    rewind(place->output);
    for (size_t got; (got = fread(chunk, 1, sizeof chunk, place->output)) > 0;) fwrite(chunk, 1, got, stderr);

    fprintf(stderr, "[FAIL] %s/%s: ", place->test->suite, place->test->name);
    if (WIFEXITED(status))
        fprintf(stderr, "exit status %d\n", WEXITSTATUS(status));
    else if (WTERMSIG(status) == SIGALRM)
        fprintf(stderr, "still running after %d s\n", TEST_SECONDS);
    else
        fprintf(stderr, "signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* Waits until one of the running tests ends, and frees its place; true if it has passed. */
static bool finish_one(void)
{
    int status = 0;
    pid_t process = waitpid(-1, &status, 0);
    running_test *place = running;
    while (place->process != process || !place->test) place++;
    kill(-process, SIGKILL);

    bool passed = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
    if (!passed) print_failure(place, status);
    fclose(place->output);
    place->test = NULL;
    return passed;
}

/* Whether the arguments select the test of this name. */
static bool wanted(const char *name, char **argument)
{
    for (; *argument; argument++) {
        const char *start = *argument + 1;
        bool fits = **argument == '-' ? strncmp(name, start, strlen(start)) != 0 : strstr(name, *argument) != NULL;
        if (!fits) return false;
    }
    return true;
}

int main(int argument_count, char **argument)
{
    (void)argument_count;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int places = cores < 1 ? 1 : cores < MOST_AT_ONCE ? (int)cores : MOST_AT_ONCE;
    int busy = 0;
    int result[2] = {0, 0}; /* the numbers of tests that failed and that passed */

    for (const test_case *test = tests; test; test = test->next) {
        char full_name[512];
        snprintf(full_name, sizeof full_name, "%s/%s", test->suite, test->name);
        if (!test_has_its_turn(test->suite) || !wanted(full_name, argument + 1)) continue;

        if (busy == places) {
            result[finish_one()]++;
            busy--;
        }
        running_test *place = running;
        while (place->test) place++;
        if (start(place, test))
            busy++;
        else
            result[false]++;
    }
    for (; busy > 0; busy--) result[finish_one()]++;

    test_tell_turns();
    printf("%d passed, %d failed\n", result[true], result[false]);
    return result[false] > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
