/* Ranges of host threads: NVTX, "Push/Pop Ranges": ranges nest, and each thread has its own. */
#include "test.h"

#include "lab.h"

#include <pthread.h>
#include <string.h>

/* lab.h, Ranges: a pop without a range is an error. */
Test(range, a_pop_needs_a_push_of_its_thread)
{
    cr_assert_eq(lab_range_pop(), LAB_ERROR_ILLEGAL_STATE);
    cr_assert_not_null(strstr(lab_error_message(), "no open range"), "%s", lab_error_message());
    LAB_CHECK(lab_range_push("outer"));
    LAB_CHECK(lab_range_push_color("", 0xffff0000));
    LAB_CHECK(lab_range_pop());
    LAB_CHECK(lab_range_pop());
    cr_assert_eq(lab_range_pop(), LAB_ERROR_ILLEGAL_STATE);
    cr_assert_eq(lab_range_push(NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_range_push_color(NULL, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_range_pop(), LAB_ERROR_ILLEGAL_STATE, "a push that failed opened no range");
}

static void *pop(void *status)
{
    *(lab_status *)status = lab_range_pop();
    return NULL;
}

/* lab.h, Ranges: a range is the calling thread's. */
Test(range, a_thread_cannot_end_anothers)
{
    lab_status of_other = LAB_SUCCESS;
    pthread_t other;
    LAB_CHECK(lab_range_push("mine"));
    cr_assert_eq(pthread_create(&other, NULL, pop, &of_other), 0);
    pthread_join(other, NULL);
    cr_assert_eq(of_other, LAB_ERROR_ILLEGAL_STATE);
    LAB_CHECK(lab_range_pop());
}

static int leaves_early(bool early)
{
    LAB_WITH_RANGE("braces")
    {
        if (early) return 1;
        LAB_WITH_RANGE("inner") LAB_CHECK(lab_device_synchronize());
    }
    return 0;
}

/* lab.h, Ranges: the range ends with the braces. */
Test(range, braces_end_it_however_they_are_left)
{
    cr_assert_eq(leaves_early(true), 1);
    cr_assert_eq(lab_range_pop(), LAB_ERROR_ILLEGAL_STATE);
    cr_assert_eq(leaves_early(false), 0);
    LAB_WITH_RANGE("loop") break;
    cr_assert_eq(lab_range_pop(), LAB_ERROR_ILLEGAL_STATE);
}
