/* Kernels that do what no kernel should, in a process of their own. */
#include "test.h"

#include "base/system/kernels_apart.h"
#include "lab.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if KERNELS_CAN_BE_APART

static const char SOURCE[] = "extern \"C\" __global__ void poke(long address) { *(volatile long *)address = 7; }\n"
                             "extern \"C\" __global__ void upward(long bytes)\n"
                             "{ volatile char own[64]; for (long i = 0; i < bytes; i++) own[i] = (char)i; }\n"
                             "extern \"C\" __global__ void downward(long bytes)\n"
                             "{ volatile char own[64]; for (long i = 0; i > -bytes; i--) own[i] = (char)i; }\n"
                             "extern \"C\" __global__ void over_checks(int *x)\n"
                             "{ for (volatile long at = (long)&x;; at += 8) *(volatile long *)at = 0x4141; }\n"
                             "extern \"C\" __global__ void through_launch(int *x)\n"
                             "{ volatile long *at = (volatile long *)lab_launch; for (int i = -512; i < 512; i++) "
                             "at[i] = 0x4141414141414141; }\n"
                             "extern \"C\" __global__ void over_code(int *x) { *(volatile long *)&over_code = 0; }\n"
                             "extern \"C\" __global__ void into_code(int *x) { ((void (*)(int *))x)(x); }\n"
                             "extern \"C\" __global__ void stops(int *x) { abort(); }\n"
                             "extern \"C\" __global__ void runs_for_ever(int *x) { for (;;) *(volatile int *)x = 1; }\n"
                             "extern \"C\" __global__ void publish(int *x) { __threadfence(); atomicAdd(x, 1); }\n"
                             "extern \"C\" __global__ void add(int *x) { atomicAdd(x, 1); }\n";

static long own = 42;

static lab_function find(const char *name)
{
    static lab_module *module;
    lab_function function;
    setenv("LAB_KERNELS_APART", "1", 1);
    setenv("LAB_DEVICE", "cpu", 1);
    if (!module) LAB_CHECK(lab_module_load_source(&module, SOURCE, "hostile.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, name));
    return function;
}

static lab_deviceptr make_memory(void)
{
    lab_deviceptr x;
    find("poke");
    LAB_CHECK(lab_mem_alloc(&x, 4096));
    LAB_CHECK(lab_memset_async(x, 0, 4096, NULL));
    return x;
}

static lab_status run(const char *kernel, lab_args args)
{
    LAB_CHECK(lab_launch(find(kernel), LAB_DIM(1), LAB_DIM(1), 0, NULL, args));
    return lab_device_synchronize();
}

/* The kernel fails, by name, and this process goes on. */
static void check_fails(const char *kernel, lab_args args)
{
    char name[64];
    const lab_status status = run(kernel, args);
    snprintf(name, sizeof name, "kernel '%s'", kernel);
    cr_assert(status == LAB_ERROR_ILLEGAL_ADDRESS || status == LAB_ERROR_LAUNCH_FAILED, "%d: %s", (int)status,
              lab_error_message());
    cr_assert(strstr(lab_error_message(), name), "%s", lab_error_message());
    cr_assert_eq(lab_device_synchronize(), status, "the failure stays");
    cr_assert_eq(own, 42);
}

/* Ends with a status other than 0 if the kernel reaches the memory. */
static void poke(void *user)
{
    const long *target = user ? user : (const long[]){42}, before = *target;
    run("poke", LAB_ARGS((long)(intptr_t)target));
    if (*target != before) _exit(1);
}

Test(hostile, memory_of_the_device_process_is_out_of_reach)
{
    char output[256];
    long *heap = malloc(sizeof *heap);
    *heap = 42;
    cr_assert_eq(test_in_child(poke, &own, output, sizeof output), 0, "static memory");
    cr_assert_eq(test_in_child(poke, heap, output, sizeof output), 0, "the heap");
    cr_assert_eq(test_in_child(poke, NULL, output, sizeof output), 0, "a stack");
    cr_assert_eq(test_in_child(poke, (void *)((intptr_t)&lab_device_synchronize / 8 * 8), output, sizeof output), 0,
                 "code");
    free(heap);
}

Test(hostile, a_kernel_that_writes_over_its_stack_and_thread_fails) { check_fails("upward", LAB_ARGS(1L << 30)); }

static void turn_checks_on(void)
{
    static const char *const check[] = {"LAB_MEMCHECK", "LAB_RACECHECK", "LAB_INITCHECK", "LAB_SYNCCHECK"};
    for (int i = 0; i < 4; i++) setenv(check[i], "1", 1);
}

Test(hostile, a_checked_kernel_that_writes_over_its_checks_fails)
{
    turn_checks_on();
    check_fails("over_checks", LAB_ARGS(make_memory()));
}

Test(hostile, a_checked_kernel_that_aborts_ends_its_own_process)
{
    turn_checks_on();
    check_fails("stops", LAB_ARGS(make_memory()));
    cr_assert(strstr(lab_error_message(), "was ended by signal 6"), "%s", lab_error_message());
}

/* Its pairs of lines are more than are kept, and its function's name alone is longer than a message. */
Test(hostile, a_checked_kernel_with_many_races_fails)
{
    enum { LINES = 100 };
    static char name[1100], source[8192];
    char *at = source;
    turn_checks_on();
    find("poke");
    memset(name, 'f', sizeof name - 1);
    at += sprintf(at, "__device__ __noinline__ void %s(int *x)\n{\n", name);
    for (int i = 0; i < LINES; i++) at += sprintf(at, "    x[0] += 1;\n");
    sprintf(at, "}\nextern \"C\" __global__ void races(int *x) { %s(x); }\n", name);
    lab_module *module;
    lab_function races;
    LAB_CHECK(lab_module_load_source(&module, source, "races.cu"));
    LAB_CHECK(lab_module_get_function(&races, module, "races"));
    LAB_CHECK(lab_launch(races, LAB_DIM(8), LAB_DIM(64), 0, NULL, LAB_ARGS(make_memory())));
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_NOT_ORDERED, "%s", lab_error_message());
    cr_assert(strstr(lab_error_message(), "kernel 'races', block ["), "%s", lab_error_message());
}

/* The lists of what threads publish become long. */
Test(hostile, the_checks_of_a_kernel_with_many_fences_make_no_call_that_ends_the_process)
{
    turn_checks_on();
    const lab_deviceptr x = make_memory();
    LAB_CHECK(lab_launch(find("publish"), LAB_DIM(16), LAB_DIM(256), 0, NULL, LAB_ARGS(x)));
    cr_assert_eq(lab_device_synchronize(), LAB_SUCCESS, "%s", lab_error_message());
}

Test(hostile, a_kernel_that_writes_below_its_stack_fails) { check_fails("downward", LAB_ARGS(1L << 30)); }

Test(hostile, a_kernel_that_writes_over_its_launch_ends_nothing_here)
{
    run("through_launch", LAB_ARGS(make_memory()));
    cr_assert_eq(own, 42);
    lab_device_synchronize();
}

Test(hostile, a_kernel_cannot_change_code) { check_fails("over_code", LAB_ARGS(make_memory())); }

Test(hostile, a_kernel_cannot_run_what_is_in_device_memory) { check_fails("into_code", LAB_ARGS(make_memory())); }

Test(hostile, a_kernel_that_aborts_ends_its_own_process)
{
    check_fails("stops", LAB_ARGS(make_memory()));
    cr_assert(strstr(lab_error_message(), "was ended by signal 6"), "%s", lab_error_message());
}

Test(hostile, modules_and_launches_after_the_end_fail_as_well)
{
    check_fails("stops", LAB_ARGS(make_memory()));
    lab_module *module;
    lab_status status = lab_module_load_source(&module, SOURCE, "again.cu");
    cr_assert_neq(status, LAB_SUCCESS);
    cr_assert_eq(lab_launch(find("add"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS((lab_deviceptr)0)),
                 LAB_ERROR_LAUNCH_FAILED);
}

static void leave_endless_kernel(void *unused)
{
    (void)unused;
    LAB_CHECK(lab_launch(find("runs_for_ever"), LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(make_memory())));
    usleep(100 * 1000);
}

/* test_in_child reads to the end of the output, which the process of kernels has too. */
Test(hostile, an_endless_kernel_ends_with_the_device_process)
{
    char output[256];
    cr_assert_eq(test_in_child(leave_endless_kernel, NULL, output, sizeof output), 0, "%s", output);
}

Test(hostile, beside_an_endless_kernel_copies_go_on)
{
    lab_deviceptr x = make_memory();
    lab_stream *one, *two;
    char bytes[16] = {0};
    LAB_CHECK(lab_stream_create(&one, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&two, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_synchronize(NULL));
    LAB_CHECK(lab_launch(find("runs_for_ever"), LAB_DIM(1), LAB_DIM(1), 0, one, LAB_ARGS(x)));
    LAB_CHECK(lab_memcpy_dtoh_async(bytes, x + 1024, sizeof bytes, two));
    LAB_CHECK(lab_stream_synchronize(two));
    cr_assert_eq(lab_stream_query(one), LAB_ERROR_NOT_READY);
    fflush(NULL);
    _exit(0); /* nothing waits for the kernel */
}

#endif
