/*
 * test.h: the header of every test, for both ways to run it. Independent of what is tested.
 *
 *   #include "test.h"
 *
 *   Test(event, wait_before_record_has_no_effect)
 *   {
 *       cr_assert_eq(lab_event_query(event), LAB_SUCCESS, "an event never recorded is done: %s", lab_error_message());
 *   }
 *
 * Normally these names are Criterion's. Criterion passes tests that leak, and does not start under the thread
 * sanitizer. The builds of the sanitizers and of valgrind therefore define LAB_PLAIN_TESTS, and get the same names
 * from the lines below and from plain_main.c.
 *
 * Both have Test(suite, name) without options, and the cr_assert... calls below with an optional printf-like
 * message. Each test runs in a process of its own, for at most TEST_SECONDS, in the root of the repository.
 * test_in_child runs code that ends its process (LAB_CHECK, a signal).
 */
#ifndef LAB_TESTS_TEST_H
#define LAB_TESTS_TEST_H

#include <stddef.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Calls body(user) in a child process, waits for its end and returns its status as waitpid does, for WIFEXITED,
 * WEXITSTATUS and WTERMSIG, or -1 if no child can be made. A body that returns ends with status 0. Writes the
 * child's stdout and stderr to output, cut to capacity bytes with the final zero. The child is made by fork: call
 * this function before the test starts threads, and assert nothing in the body. */
static inline int test_in_child(void (*body)(void *user), void *user, char *output, size_t capacity)
{
    int channel[2];
    if (pipe(channel) != 0) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(channel[1], STDOUT_FILENO);
        dup2(channel[1], STDERR_FILENO);
        close(channel[0]);
        close(channel[1]);
        body(user);
        fflush(NULL);
        _exit(0);
    }
    close(channel[1]);

    size_t length = 0;
    char chunk[512];
    for (ssize_t got; child > 0 && (got = read(channel[0], chunk, sizeof chunk)) > 0;)
        for (ssize_t i = 0; i < got; i++)
            if (length + 1 < capacity) output[length++] = chunk[i];
    if (capacity > 0) output[length] = '\0';
    close(channel[0]);

    int status = -1;
    if (child > 0) waitpid(child, &status, 0);
    return status;
}

#ifndef TEST_SECONDS
#define TEST_SECONDS 1000
#endif

#ifndef LAB_PLAIN_TESTS
#include <criterion/criterion.h>

/* Criterion's own Test, with a limit of time. */
#undef Test
#define Test(suite, name) CR_EXPAND(CR_TEST_BASE(suite, name, .timeout = TEST_SECONDS, .sentinel_ = 0))

/* Criterion's name for this is cr_assert_fail; its cr_fail is internal. */
#undef cr_fail
#undef cr_assert_fail
#define cr_fail(...) cr_assert(false, __VA_ARGS__)

#else

#include <math.h>
#include <string.h>

/* A test. A constructor links it into the list that plain_main.c runs. */
typedef struct test_case {
    const char *suite;
    const char *name;
    void (*body)(void);
    struct test_case *next;
} test_case;

void test_register(test_case *test);

/* Prints the place and the reason, and ends the test's process with failure. The message after "; " may be empty. */
_Noreturn void test_failed(const char *file, int line, const char *assertion, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define Test(suite, name)                                                                                              \
    static void suite##_##name##_body(void);                                                                           \
    __attribute__((constructor)) static void suite##_##name##_register(void)                                           \
    {                                                                                                                  \
        static test_case test = {#suite, #name, suite##_##name##_body, NULL};                                          \
        test_register(&test);                                                                                          \
    }                                                                                                                  \
    static void suite##_##name##_body(void)

#define TEST_THAT(condition, assertion, ...)                                                                           \
    do {                                                                                                               \
        if (!(condition)) test_failed(__FILE__, __LINE__, assertion, "; " __VA_ARGS__);                                \
    } while (0)

#define cr_fail(...) test_failed(__FILE__, __LINE__, "cr_fail", "; " __VA_ARGS__)
#define cr_assert(condition, ...) TEST_THAT(condition, #condition, __VA_ARGS__)
#define cr_assert_not(condition, ...) TEST_THAT(!(condition), "not " #condition, __VA_ARGS__)
#define cr_assert_eq(actual, expected, ...) TEST_THAT((actual) == (expected), #actual " == " #expected, __VA_ARGS__)
#define cr_assert_neq(actual, other, ...) TEST_THAT((actual) != (other), #actual " != " #other, __VA_ARGS__)
#define cr_assert_lt(actual, limit, ...) TEST_THAT((actual) < (limit), #actual " < " #limit, __VA_ARGS__)
#define cr_assert_gt(actual, limit, ...) TEST_THAT((actual) > (limit), #actual " > " #limit, __VA_ARGS__)
#define cr_assert_leq(actual, limit, ...) TEST_THAT((actual) <= (limit), #actual " <= " #limit, __VA_ARGS__)
#define cr_assert_geq(actual, limit, ...) TEST_THAT((actual) >= (limit), #actual " >= " #limit, __VA_ARGS__)
#define cr_assert_null(pointer, ...) TEST_THAT((pointer) == NULL, #pointer " == NULL", __VA_ARGS__)
#define cr_assert_not_null(pointer, ...) TEST_THAT((pointer) != NULL, #pointer " != NULL", __VA_ARGS__)
#define cr_assert_str_eq(actual, expected, ...)                                                                        \
    TEST_THAT(strcmp((actual), (expected)) == 0, #actual " is the text " #expected, __VA_ARGS__)
#define cr_assert_str_neq(actual, other, ...)                                                                          \
    TEST_THAT(strcmp((actual), (other)) != 0, #actual " is not the text " #other, __VA_ARGS__)
#define cr_assert_arr_eq(actual, expected, bytes, ...)                                                                 \
    TEST_THAT(memcmp((actual), (expected), (bytes)) == 0, #actual " holds the bytes of " #expected, __VA_ARGS__)
#define cr_assert_float_eq(actual, expected, within, ...)                                                              \
    TEST_THAT(fabs((double)(actual) - (double)(expected)) <= (double)(within),                                         \
              #actual " == " #expected " within " #within, __VA_ARGS__)

#endif
#endif
