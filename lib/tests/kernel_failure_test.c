/* The CPU device's messages about a kernel that stopped or got stuck, giving things back afterwards, and the lines of
 * printf. */
#include "test.h"

#include "lab.h"

#include <stdlib.h>
#include <string.h>

static const char SOURCE[] =
    "extern \"C\" __global__ void check(int limit)\n"                                          /* 1 */
    "{\n"                                                                                      /* 2 */
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                     /* 3 */
    "    assert(i < limit);\n"                                                                 /* 4 */
    "}\n"                                                                                      /* 5 */
    "extern \"C\" __global__ void divergent()\n"                                               /* 6 */
    "{\n"                                                                                      /* 7 */
    "    if (threadIdx.x < 16)\n"                                                              /* 8 */
    "        __syncthreads();\n"                                                               /* 9 */
    "    else\n"                                                                               /* 10 */
    "        __syncthreads();\n"                                                               /* 11 */
    "}\n"                                                                                      /* 12 */
    "extern \"C\" __global__ void stuck(int *x)\n"                                             /* 13 */
    "{\n"                                                                                      /* 14 */
    "    if (threadIdx.x == 5 || threadIdx.x > 40) return;\n"                                  /* 15 */
    "    if (threadIdx.x < 20)\n"                                                              /* 16 */
    "        __syncthreads();\n"                                                               /* 17 */
    "    else\n"                                                                               /* 18 */
    "        *x = __shfl_sync(0xffffffff, threadIdx.x, 0);\n"                                  /* 19 */
    "}\n"                                                                                      /* 20 */
    "extern \"C\" __global__ void masks(int *x)\n"                                             /* 21 */
    "{\n"                                                                                      /* 22 */
    "    x[threadIdx.x] = __ballot_sync(threadIdx.x ? 0xffffffff : 1 | 2, 1);\n"               /* 23 */
    "}\n"                                                                                      /* 24 */
    "__device__ __noinline__ void stop() { __trap(); }\n"                                      /* 25 */
    "extern \"C\" __global__ void trap(int *x)\n"                                              /* 26 */
    "{ __syncthreads(); if (threadIdx.y == 2 && blockIdx.z == 1) stop(); __syncthreads(); }\n" /* 27 */
    "extern \"C\" __global__ void print() { printf(\"block %d thread %d of %s\\n\", blockIdx.x, "
    "threadIdx.x, \"a line that is long enough to be cut if it were cut\"); }\n"
    "extern \"C\" __global__ void print_with_barriers()\n"
    "{ for (int i = 0; i < 3; i++) { printf(\"round %d\\n\", i); __syncthreads(); } }\n";

static lab_module *module;

static lab_function find(const char *name)
{
    lab_function function;
    if (!module) LAB_CHECK(lab_module_load_source(&module, SOURCE, "failing.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, name));
    return function;
}

static void check_message(lab_status status, lab_status expected, const char *text)
{
    cr_assert_eq(status, expected, "%s", lab_error_message());
    cr_assert(strstr(lab_error_message(), text), "the message is: %s\nand lacks: %s", lab_error_message(), text);
}

/* Device memory of 64 ints. */
static lab_deviceptr make_ints(void)
{
    lab_deviceptr x;
    LAB_CHECK(lab_mem_alloc(&x, 64 * sizeof(int)));
    return x;
}

Test(kernel_failure_report, a_failed_assert_names_kernel_block_thread_and_line)
{
    LAB_CHECK(lab_launch(find("check"), LAB_DIM(4), LAB_DIM(8), 0, NULL, LAB_ARGS(31)));
    check_message(
        lab_device_synchronize(), LAB_ERROR_ASSERT,
        "kernel 'check', block [3,0,0], thread [7,0,0]: failing.cu:4: Assertion `i < limit` failed in void check(int)");
}

Test(kernel_failure_report, a_trap_in_a_function_of_a_kernel_with_barriers_names_the_same)
{
    LAB_CHECK(lab_launch(find("trap"), LAB_DIM(1, 1, 2), LAB_DIM(1, 3), 0, NULL, LAB_ARGS(make_ints())));
    check_message(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED,
                  "kernel 'trap', block [0,0,1], thread [0,2,0]: failing.cu:25: __trap() was called in void stop()");
}

Test(kernel_failure_report, threads_at_different_barriers_are_named_with_their_lines)
{
    LAB_CHECK(lab_launch(find("divergent"), LAB_DIM(1), LAB_DIM(40), 0, NULL, LAB_NO_ARGS));
    check_message(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED,
                  "kernel 'divergent', block [0,0,0]: its threads wait at different barriers, but a barrier is for all "
                  "threads of the block: threads 0-15 wait at __syncthreads, failing.cu:9; threads 16-39 wait at "
                  "__syncthreads, failing.cu:11");
}

Test(kernel_failure_report, threads_that_wait_for_each_other_are_named_with_their_lines)
{
    LAB_CHECK(lab_launch(find("stuck"), LAB_DIM(1), LAB_DIM(50), 0, NULL, LAB_ARGS(make_ints())));
    check_message(
        lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED,
        "kernel 'stuck', block [0,0,0]: its threads wait for each other and none can go on: threads 0-4 wait at "
        "__syncthreads, failing.cu:17; thread 5 has exited; threads 6-19 wait at __syncthreads, failing.cu:17; threads "
        "20-31 wait at __shfl_sync, failing.cu:19; threads 32-49 have exited");
}

Test(kernel_failure_report, lanes_with_masks_that_contradict_each_other_are_stuck)
{
    LAB_CHECK(lab_launch(find("masks"), LAB_DIM(1), LAB_DIM(32), 0, NULL, LAB_ARGS(make_ints())));
    check_message(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED,
                  "none can go on: threads 0-31 wait at __ballot_sync, failing.cu:23");
}

Test(kernel_failure_report, giving_back_succeeds)
{
    lab_stream *stream;
    lab_event *event;
    lab_array *array;
    void *pinned;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(100)));
    LAB_CHECK(lab_host_alloc(&pinned, 100));
    LAB_CHECK(lab_launch(find("divergent"), LAB_DIM(1), LAB_DIM(40), 0, stream, LAB_NO_ARGS));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_LAUNCH_FAILED);
    cr_assert_eq(lab_array_destroy(array), LAB_SUCCESS);
    cr_assert_eq(lab_event_destroy(event), LAB_SUCCESS);
    cr_assert_eq(lab_stream_destroy(stream), LAB_SUCCESS);
    cr_assert_eq(lab_host_free(pinned), LAB_SUCCESS);
    cr_assert_eq(lab_module_unload(module), LAB_SUCCESS);
}

/* The copy waits behind the kernel that fails: the engine and the caller hand pieces to each other, and neither may be
 * left waiting. */
Test(kernel_failure_report, a_copy_of_pageable_memory_behind_the_kernel_returns)
{
    enum { BYTES = 3 << 20 };
    lab_deviceptr memory;
    unsigned char *host = calloc(1, BYTES);
    LAB_CHECK(lab_mem_alloc(&memory, BYTES));
    LAB_CHECK(lab_launch(find("divergent"), LAB_DIM(2000), LAB_DIM(40), 0, NULL, LAB_NO_ARGS));
    cr_assert_eq(lab_memcpy_dtoh(host, memory, BYTES), LAB_ERROR_LAUNCH_FAILED);
    free(host);
}

static void run_print(void *name)
{
    LAB_CHECK(lab_launch(find(name), LAB_DIM(40), LAB_DIM(25), 0, NULL, LAB_NO_ARGS));
    LAB_CHECK(lab_device_synchronize());
}

Test(kernel_failure_report, printf_of_blocks_that_run_at_once_comes_out_in_whole_lines)
{
    enum { CAPACITY = 200000 };
    static char output[CAPACITY];
    int status = test_in_child(run_print, "print", output, CAPACITY), seen[40 * 25] = {0};
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", output);
    for (char *line = output; *line;) {
        int block, thread, length = 0;
        sscanf(line, "block %d thread %d of a line that is long enough to be cut if it were cut\n%n", &block, &thread,
               &length);
        cr_assert_gt(length, 0, "not a line of the kernel's: %.100s", line);
        seen[block * 25 + thread]++;
        line = strchr(line, '\n') + 1;
    }
    for (int i = 0; i < 40 * 25; i++) cr_assert_eq(seen[i], 1, "thread %d printed %d times", i, seen[i]);
}

Test(kernel_failure_report, printf_between_barriers_keeps_the_order_of_the_rounds)
{
    enum { CAPACITY = 200000 };
    static char output[CAPACITY];
    int status = test_in_child(run_print, "print_with_barriers", output, CAPACITY), lines = 0;
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", output);
    for (const char *line = output; *line; line = strchr(line, '\n') + 1) lines += strncmp(line, "round ", 6) == 0;
    cr_assert_eq(lines, 40 * 25 * 3, "%d lines", lines);
}
