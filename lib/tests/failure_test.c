/* A call that fails leaves a message and a place for its own thread, which belong together. lab_last_failure keeps
 * them for other threads. */
#include "base/status.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lab_trace.h"

enum { LINE_OF_THE_LOAD = __LINE__ + 5 };

static void *fail_with_a_name(void *name)
{
    lab_module *module;
    lab_status status = lab_module_load_file(&module, name);
    return status == LAB_ERROR_FILE_NOT_FOUND ? name : NULL;
}

static void fail_on_another_thread(const char *name)
{
    pthread_t thread;
    void *ended;
    cr_assert_eq(pthread_create(&thread, NULL, fail_with_a_name, (void *)name), 0);
    cr_assert_eq(pthread_join(thread, &ended), 0);
    cr_assert_eq(ended, name);
}

Test(failure, another_threads_message_and_line_are_kept)
{
    lab_failure last;
    fail_on_another_thread("there-is-none.cu");
    cr_assert_str_eq(lab_error_message(), "", "the message belongs to the thread");
    cr_assert(lab_last_failure(&last, LAB_ERROR_FILE_NOT_FOUND, 0));
    cr_assert(strstr(last.message, "there-is-none.cu"), "%s", last.message);
    cr_assert(strstr(last.file, "failure_test.c"), "%s", last.file);
    cr_assert_eq(last.line, LINE_OF_THE_LOAD);
}

Test(failure, the_latest_with_the_status_is_found)
{
    lab_failure last;
    fail_on_another_thread("first.cu");
    fail_on_another_thread("second.cu");
    cr_assert_eq(lab_device_use(99), LAB_ERROR_INVALID_DEVICE);
    cr_assert(lab_last_failure(&last, LAB_ERROR_FILE_NOT_FOUND, 0));
    cr_assert(strstr(last.message, "second.cu"), "%s", last.message);
}

Test(failure, earlier_ones_are_left_out)
{
    lab_failure last;
    fail_on_another_thread("before.cu");
    uint64_t before = lab_failures();
    cr_assert_not(lab_last_failure(&last, LAB_ERROR_FILE_NOT_FOUND, before));
    fail_on_another_thread("after.cu");
    cr_assert(lab_last_failure(&last, LAB_ERROR_FILE_NOT_FOUND, before));
    cr_assert(strstr(last.message, "after.cu"), "%s", last.message);
}

/* ---- message and place ---- */

/* Fails as a call at that place would. */
static void fail_at(const char *file, int line, const char *message)
{
    lab_here(file, line);
    lab_here_ends(lab_fail(LAB_ERROR_IO, "%s", message));
}

static void assert_thread_has(const char *file, int line, const char *message)
{
    const char *found_file;
    int found_line;
    lab_error_place(&found_file, &found_line);
    cr_assert_str_eq(lab_error_message(), message);
    cr_assert_str_eq(found_file, file);
    cr_assert_eq(found_line, line, "%d, not %d", found_line, line);
}

Test(failure, place_in_nested_calls_is_that_of_the_one_that_failed)
{
    lab_here("outer.c", 1);
    fail_at("inner.c", 2, "the inner call");
    lab_here_ends(LAB_SUCCESS);
    assert_thread_has("inner.c", 2, "the inner call");
    lab_here("outer.c", 3);
    fail_at("inner.c", 4, "the inner call");
    lab_here_ends(lab_fail(LAB_ERROR_IO, "the outer call"));
    assert_thread_has("outer.c", 3, "the outer call");
}

Test(failure, calls_nested_too_deep_have_no_place)
{
    enum { DEEP = 100 };
    fail_at("before.c", 1, "before");
    for (int i = 0; i < DEEP; i++) lab_here("deep.c", i + 1);
    lab_fail(LAB_ERROR_IO, "deep");
    assert_thread_has("", 0, "deep");
    for (int i = 0; i < DEEP; i++) lab_here_ends(LAB_SUCCESS);
    fail_at("after.c", 2, "after");
    assert_thread_has("after.c", 2, "after");
}

Test(failure, a_call_without_a_known_place_leaves_no_place)
{
    lab_failure last;
    fail_at("before.c", 1, "before");
    fail_at(NULL, 7, "nowhere");
    assert_thread_has("", 0, "nowhere");
    cr_assert(lab_last_failure(&last, LAB_ERROR_IO, 0));
    cr_assert_str_eq(last.file, "");
    cr_assert_eq(last.line, 0);
    cr_assert_str_eq(last.message, "nowhere");
}

Test(failure, success_and_not_ready_leave_message_and_place)
{
    lab_failure last;
    fail_at("failed.c", 1, "failed");
    lab_here("later.c", 2);
    lab_here_ends(LAB_SUCCESS);
    assert_thread_has("failed.c", 1, "failed");
    lab_here("later.c", 3);
    lab_here_ends(LAB_ERROR_NOT_READY);
    assert_thread_has("failed.c", 1, "failed");
    cr_assert_eq(lab_failures(), 1);
    cr_assert_not(lab_last_failure(&last, LAB_SUCCESS, 0));
    cr_assert_not(lab_last_failure(&last, LAB_ERROR_NOT_READY, 0));
}

Test(failure, an_attempt_that_fails_leaves_message_and_place)
{
    lab_failure last;
    fail_at("failed.c", 1, "failed");
    lab_here("opens.c", 2);
    status_try_begin();
    cr_assert_eq(lab_fail(LAB_ERROR_NO_DEVICE, "tried"), LAB_ERROR_NO_DEVICE);
    status_try_begin();
    fail_at("within.c", 3, "tried within");
    status_try_end();
    lab_fail(LAB_ERROR_NO_DEVICE, "tried again");
    status_try_end();
    lab_here_ends(LAB_SUCCESS);
    assert_thread_has("failed.c", 1, "failed");
    cr_assert_eq(lab_failures(), 1);
    cr_assert_not(lab_last_failure(&last, LAB_ERROR_NO_DEVICE, 0));
    fail_at("after.c", 4, "after");
    assert_thread_has("after.c", 4, "after");
    cr_assert_eq(lab_failures(), 2);
}

Test(failure, the_search_for_a_preferred_device_leaves_message_and_place)
{
    int devices;
    setenv("LAB_DEVICE", "auto", 1);
    fail_at("failed.c", 1, "failed");
    LAB_CHECK(lab_device_count(&devices));
    assert_thread_has("failed.c", 1, "failed");
    cr_assert_eq(lab_failures(), 1);
}

/* Threads that fail again and again, each time at another line and with that line in the message. */
enum { THREADS = 2, FAILURES = 20000 };
static atomic_int running = THREADS;

static int line_in(const char *message) { return (int)strtol(message, NULL, 10); }

/* Returns how often its own message and place were not those of its own call. */
static void *fail_often(void *first_line)
{
    intptr_t torn = 0;
    for (int i = 0; i < FAILURES; i++) {
        const int line = *(const int *)first_line + i;
        char message[32];
        const char *file;
        int found;
        snprintf(message, sizeof message, "%d", line);
        fail_at("often.c", line, message);
        lab_error_place(&file, &found);
        torn += found != line || line_in(lab_error_message()) != line;
    }
    atomic_fetch_sub(&running, 1);
    return (void *)torn;
}

Test(failure, messages_and_places_of_two_threads_stay_together)
{
    static int first_line[THREADS] = {1, 1 + FAILURES};
    pthread_t thread[THREADS];
    lab_failure last = {0};
    fail_at("main.c", 1000000, "1000000");
    for (int i = 0; i < THREADS; i++) cr_assert_eq(pthread_create(&thread[i], NULL, fail_often, &first_line[i]), 0);
    do {
        cr_assert(lab_last_failure(&last, LAB_ERROR_IO, 0));
        cr_assert_eq(line_in(last.message), last.line, "'%s' at %s:%d", last.message, last.file, last.line);
    } while (atomic_load(&running) > 0);
    for (int i = 0; i < THREADS; i++) {
        void *torn;
        cr_assert_eq(pthread_join(thread[i], &torn), 0);
        cr_assert_eq((intptr_t)torn, 0);
    }
    cr_assert_eq(lab_failures(), 1 + THREADS * FAILURES);
    assert_thread_has("main.c", 1000000, "1000000");
}
