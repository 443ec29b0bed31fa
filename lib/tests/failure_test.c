/* What lab_last_failure keeps of calls that failed, for who looks from another thread. */
#include "test.h"

#include <pthread.h>
#include <string.h>

#include "lab_trace.h"

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
    cr_assert_eq(last.line, 12);
}

Test(failure, the_latest_with_the_status_is_told)
{
    lab_failure last;
    fail_on_another_thread("first.cu");
    fail_on_another_thread("second.cu");
    cr_assert_eq(lab_device_use(99), LAB_ERROR_INVALID_DEVICE);
    cr_assert(lab_last_failure(&last, LAB_ERROR_FILE_NOT_FOUND, 0));
    cr_assert(strstr(last.message, "second.cu"), "%s", last.message);
}

Test(failure, what_failed_before_is_not_told)
{
    lab_failure last;
    fail_on_another_thread("before.cu");
    uint64_t before = lab_failures();
    cr_assert_not(lab_last_failure(&last, LAB_ERROR_FILE_NOT_FOUND, before));
    fail_on_another_thread("after.cu");
    cr_assert(lab_last_failure(&last, LAB_ERROR_FILE_NOT_FOUND, before));
    cr_assert(strstr(last.message, "after.cu"), "%s", last.message);
}
