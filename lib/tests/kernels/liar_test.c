/* What the device process makes of a process of kernels that lies. */
#include "lies.h"
#include "test.h"

#include "base/system/kernels_apart.h"
#include "lab.h"

#include <stdlib.h>
#include <string.h>

#if KERNELS_CAN_BE_APART

static lab_module *module;

/* Starts the liar in place of labkernels, from the folder of this program. */
static lab_function begin(const char *kernel)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    cr_assert_gt(length, 0);
    path[length] = '\0';
    strcpy(strrchr(path, '/'), "/kernels_liar");
    setenv("LAB_KERNELS", path, 1);
    setenv("LAB_KERNELS_APART", "1", 1);
    setenv("LAB_DEVICE", "cpu", 1);
    lab_function function;
    LAB_CHECK(lab_module_load_source(&module,
                                     "__device__ int variable;\n"
                                     "extern \"C\" __global__ void told(int lie) { variable = lie; }\n",
                                     "told.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, kernel));
    return function;
}

/* One block is one message; many blocks are divided by the other process. */
static lab_status tell(int lie, unsigned blocks)
{
    LAB_CHECK(lab_launch(begin("told"), LAB_DIM(blocks), LAB_DIM(32), 0, NULL, LAB_ARGS(lie)));
    return lab_device_synchronize();
}

static void check(int lie, lab_status expected, const char *text)
{
    const lab_status status = tell(lie, 1);
    cr_assert_eq(status, expected, "%s", lab_error_message());
    cr_assert(strstr(lab_error_message(), text), "the message is: %s\nand lacks: %s", lab_error_message(), text);
    cr_assert_eq(lab_device_synchronize(), expected, "the failure stays, and the process goes on");
}

#define SENSELESS "kernel 'told': its process gives an answer that makes no sense"

Test(liar, a_launch_of_many_blocks_that_were_not_run_ends)
{
    cr_assert_eq(tell(LIE_DONE, 1000), LAB_SUCCESS, "%s", lab_error_message());
}

Test(liar, more_blocks_than_there_are_end_a_launch)
{
    cr_assert_eq(tell(LIE_TOO_MANY_BLOCKS, 1000), LAB_SUCCESS, "%s", lab_error_message());
}

Test(liar, an_unknown_status_fails_the_launch) { check(LIE_UNKNOWN_STATUS, LAB_ERROR_LAUNCH_FAILED, SENSELESS); }

Test(liar, a_status_beyond_all_numbers_fails_the_launch) { check(LIE_HUGE_STATUS, LAB_ERROR_LAUNCH_FAILED, SENSELESS); }

Test(liar, a_status_that_no_kernel_has_fails_the_launch)
{
    check(LIE_FOREIGN_STATUS, LAB_ERROR_LAUNCH_FAILED, SENSELESS);
}

Test(liar, a_text_without_end_is_cut)
{
    check(LIE_ENDLESS_TEXT, LAB_ERROR_ASSERT, "kernel 'told': AAAA");
    cr_assert_lt(strlen(lab_error_message()), 2000);
}

Test(liar, a_text_about_another_kernel_is_not_shown)
{
    check(LIE_OTHER_NAME, LAB_ERROR_LAUNCH_FAILED, SENSELESS);
    cr_assert_null(strstr(lab_error_message(), "other"));
}

Test(liar, a_text_cannot_control_a_terminal)
{
    check(LIE_CONTROLS, LAB_ERROR_ASSERT, "[2J");
    cr_assert_null(strpbrk(lab_error_message(), "\033\n\xff\xfe"));
}

Test(liar, a_race_that_is_none_fails_the_launch) { check(LIE_RACE, LAB_ERROR_NOT_ORDERED, "kernel 'told': a race"); }

Test(liar, a_race_told_without_end_is_cut)
{
    check(LIE_ENDLESS_RACE, LAB_ERROR_NOT_ORDERED, "kernel 'told': AAAA");
    cr_assert_lt(strlen(lab_error_message()), 2000);
}

/* The ledger that the questions are about is kept, with one array in it. */
static void keep_ledger(void)
{
    lab_deviceptr x;
    setenv("LAB_RACECHECK", "1", 1);
    begin("told");
    LAB_CHECK(lab_mem_alloc(&x, 100));
}

Test(liar, questions_about_any_memory_are_answered)
{
    keep_ledger();
    cr_assert_eq(tell(LIE_QUESTIONS, 1), LAB_SUCCESS, "%s", lab_error_message());
}

Test(liar, beside_questions_without_end_memory_is_allocated_and_copied)
{
    lab_deviceptr x;
    lab_stream *one, *two;
    char bytes[16] = {0};
    keep_ledger();
    LAB_CHECK(lab_stream_create(&one, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&two, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_launch(begin("told"), LAB_DIM(1), LAB_DIM(32), 0, one, LAB_ARGS((int){LIE_ENDLESS_QUESTIONS})));
    LAB_CHECK(lab_mem_alloc(&x, sizeof bytes));
    LAB_CHECK(lab_memcpy_htod_async(x, bytes, sizeof bytes, two));
    LAB_CHECK(lab_stream_synchronize(two));
    cr_assert_eq(lab_stream_query(one), LAB_ERROR_NOT_READY);
    fflush(NULL);
    _exit(0); /* nothing waits for the kernel */
}

Test(liar, what_is_written_over_all_shared_memory_changes_nothing_here)
{
    cr_assert_eq(tell(LIE_FILL, 1), LAB_SUCCESS, "%s", lab_error_message());
    lab_deviceptr address;
    size_t bytes;
    LAB_CHECK(lab_module_get_global(&address, &bytes, module, "variable"));
    cr_assert_eq(bytes, sizeof(int), "what is known of a module comes from its object");
    LAB_CHECK(lab_module_unload(module));
    LAB_CHECK(lab_device_synchronize());
}

Test(liar, a_process_that_gives_the_turn_to_nobody_and_ends_fails_the_launch)
{
    check(LIE_NO_TURN, LAB_ERROR_LAUNCH_FAILED, "the process of kernels ended with status 5");
}

Test(liar, a_process_that_ends_fails_the_launch)
{
    check(LIE_EXIT, LAB_ERROR_LAUNCH_FAILED, "the process of kernels ended with status 3");
}

Test(liar, a_process_that_a_signal_ends_fails_the_launch)
{
    check(LIE_SIGNAL, LAB_ERROR_ILLEGAL_ADDRESS, "the process of kernels was ended by signal 11");
}

Test(liar, a_failure_ends_launches_of_many_blocks)
{
    cr_assert_eq(tell(LIE_EXIT, 1000), LAB_ERROR_LAUNCH_FAILED, "%s", lab_error_message());
}

#endif
