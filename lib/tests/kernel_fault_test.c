/* Signals that a kernel's code raises on the CPU device: they end the kernel, and leave the program's own handlers
 * alone. */
#include "test.h"

#include "lab.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char SOURCE[] =
    "extern \"C\" __global__ void far(float *x, long i) { x[i + threadIdx.x] = 1; }\n"
    "extern \"C\" __global__ void far_fill(char *x, long i, long n) { memset(x + i, 0, n); }\n"
    "extern \"C\" __global__ void far_with_barriers(float *x, long i)\n"
    "{ __syncthreads(); if (threadIdx.x == 5) x[i] = 1; __syncthreads(); }\n"
    "__device__ __noinline__ int descend(int n)\n"
    "{ volatile int own[100]; own[n % 100] = n; return n < 0 ? 0 : descend(n + 1) + own[5]; }\n"
    "extern \"C\" __global__ void deep(int *x) { x[0] = descend(1); }\n"
    "extern \"C\" __global__ void deep_with_barriers(int *x) { __syncthreads(); x[0] = descend(1); __syncthreads(); "
    "}\n";

static const long FAR = 1L << 52; /* too large for an address on any processor */

static lab_function find(const char *name)
{
    static lab_module *module;
    lab_function function;
    if (!module) LAB_CHECK(lab_module_load_source(&module, SOURCE, "faults.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, name));
    return function;
}

static lab_deviceptr make_memory(void)
{
    lab_deviceptr x;
    LAB_CHECK(lab_mem_alloc(&x, 4096));
    LAB_CHECK(lab_memset_async(x, 1, 4096, NULL));
    return x;
}

static void check_end(const char *kernel, lab_args args, lab_status expected, const char *text)
{
    LAB_CHECK(lab_launch(find(kernel), LAB_DIM(40), LAB_DIM(64), 0, NULL, args));
    lab_status status = lab_device_synchronize();
    cr_assert_eq(status, expected, "%s", lab_error_message());
    cr_assert(strstr(lab_error_message(), text), "the message is: %s\nand lacks: %s", lab_error_message(), text);
    cr_assert(strstr(lab_error_message(), "; the launch is at kernel_fault_test.c:"), "%s", lab_error_message());
    cr_assert_eq(lab_device_synchronize(), expected, "the failure stays, and the process goes on");
}

Test(kernel_fault, missing_memory_is_an_illegal_address)
{
    check_end("far", LAB_ARGS(make_memory(), FAR), LAB_ERROR_ILLEGAL_ADDRESS,
              "; LAB_MEMCHECK=1 in the environment makes it name the thread and the line");
}

/* The sanitizers replace memset. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
Test(kernel_fault, a_fill_of_missing_memory_is_an_illegal_address)
{
    check_end("far_fill", LAB_ARGS(make_memory(), FAR, 1L << 20), LAB_ERROR_ILLEGAL_ADDRESS,
              "kernel 'far_fill': a thread used memory ");
}

Test(kernel_fault, a_fill_by_a_thread_that_runs_alone_is_an_illegal_address)
{
    setenv("LAB_SCHEDULE", "adversarial:1", 1);
    check_end("far_fill", LAB_ARGS(make_memory(), FAR, 1L << 20), LAB_ERROR_ILLEGAL_ADDRESS,
              "kernel 'far_fill': a thread used memory ");
}
#endif

Test(kernel_fault, missing_memory_ends_a_kernel_with_barriers)
{
    check_end("far_with_barriers", LAB_ARGS(make_memory(), FAR), LAB_ERROR_ILLEGAL_ADDRESS,
              "kernel 'far_with_barriers': a thread used memory ");
}

Test(kernel_fault, endless_recursion_uses_up_the_stack)
{
    check_end("deep", LAB_ARGS(make_memory()), LAB_ERROR_ILLEGAL_ADDRESS,
              "kernel 'deep': a thread used up its stack: a recursion without end, or local arrays that are too large");
}

Test(kernel_fault, endless_recursion_uses_up_the_stack_of_a_thread_that_waits)
{
    check_end("deep_with_barriers", LAB_ARGS(make_memory()), LAB_ERROR_ILLEGAL_ADDRESS,
              "kernel 'deep_with_barriers': a thread used up its stack");
}

static void say_and_end(int number)
{
    (void)number;
    static const char words[] = "the program's own handler";
    if (write(STDOUT_FILENO, words, sizeof words - 1) < 0) _exit(1);
    _exit(7);
}

static void crash(void *set_before)
{
    if (set_before) signal(SIGSEGV, say_and_end);
    find("far");
    if (!set_before) signal(SIGSEGV, say_and_end);
    raise(SIGSEGV);
}

Test(kernel_fault, a_handler_set_before_gets_the_programs_own_signals)
{
    char output[200];
    int status = test_in_child(crash, "before", output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x: %s", (unsigned)status, output);
    cr_assert_str_eq(output, "the program's own handler");
}

Test(kernel_fault, a_handler_set_afterwards_gets_the_programs_own_signals)
{
    char output[200];
    int status = test_in_child(crash, NULL, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7, "status %x: %s", (unsigned)status, output);
}

static void end_by_signal(void *unused)
{
    (void)unused;
    find("far");
    signal(SIGSEGV, SIG_DFL);
    lab_module *again;
    LAB_CHECK(lab_module_load_source(&again, SOURCE, "faults.cu"));
    kill(getpid(), SIGSEGV);
}

Test(kernel_fault, without_a_handler_the_programs_own_signals_end_it)
{
    char output[200];
    int status = test_in_child(end_by_signal, NULL, output, sizeof output);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "status %x: %s", (unsigned)status, output);
}
