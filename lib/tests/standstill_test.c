/* Blocks that wait for blocks that have not begun: CUDA promises nothing, and the device says which they are. */
#include "test.h"

#include "lab.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 16, LONG_ENOUGH = 4 /* seconds, after which the device has told */ };

/* Each block waits for the one before it in the grid, for all of them, or for those that began before it. */
static const char source[] =
    "extern \"C\" __global__ void chain(volatile int *done, int *begun, long host)\n"
    "{\n"
    "    while (blockIdx.x > 0 && done[blockIdx.x - 1] == 0) {}\n"
    "    done[blockIdx.x] = 1;\n"
    "}\n"
    "extern \"C\" __global__ void crowd(int *done, volatile int *begun, long host)\n"
    "{\n"
    "    atomicAdd((int *)begun, 1);\n"
    "    while (*begun < gridDim.x) {}\n"
    "}\n"
    "extern \"C\" __global__ void wait_for_host(int *done, int *begun, long host)\n"
    "{\n"
    "    while (*(volatile int *)host == 0) {}\n"
    "}\n"
    "extern \"C\" __global__ void slow(int *done, int *begun, long host)\n"
    "{\n"
    "    for (int i = 0; *(volatile int *)host == 0; i++) done[blockIdx.x * 64 + i % 64] = i;\n"
    "}\n"
    "extern \"C\" __global__ void many(int *done, int *begun, long host)\n"
    "{\n"
    "    for (int i = 0; i < 100000 && *(volatile int *)host == 0; i++) {}\n"
    "}\n"
    "extern \"C\" __global__ void many_that_wait(int *done, int *begun, long host)\n"
    "{\n"
    "    for (int i = 0; i < 100000 && *(volatile int *)host == 0; i++) {}\n"
    "    __syncthreads();\n"
    "}\n";

static volatile int *host; /* pinned */

static void release(int signal_number) { *host = signal_number; }

typedef struct scene {
    const char *schedule, *kernel;
    int blocks;
    void (*at_alarm)(int signal_number);
} scene;

static void launch(void *user)
{
    const scene *s = user;
    lab_module *module;
    lab_function function;
    lab_deviceptr memory;
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_CPU_MULTIPROCESSORS", "2", 1);
    setenv("LAB_SCHEDULE", s->schedule, 1);
    LAB_CHECK(lab_module_load_source(&module, source, "standstill.cu"));
    LAB_CHECK(lab_module_get_function(&function, module, s->kernel));
    LAB_CHECK(lab_mem_alloc(&memory, 8192));
    LAB_CHECK(lab_memset_async(memory, 0, 8192, NULL));
    LAB_CHECK(lab_stream_synchronize(NULL));
    LAB_CHECK(lab_host_alloc((void **)&host, sizeof *host));
    *host = 0;
    signal(SIGALRM, s->at_alarm);
    alarm(LONG_ENOUGH);
    LAB_CHECK(lab_launch(function, LAB_DIM(s->blocks), LAB_DIM(1), 0, NULL,
                         LAB_ARGS(memory, memory + 4096, (long)(intptr_t)host)));
    LAB_CHECK(lab_stream_synchronize(NULL));
}

/* The kernel never ends: what its process says is read until it has said which blocks wait, or it ends. */
static void check_told(void (*body)(void *user), const char *schedule, const char *kernel, const char *words)
{
    char output[2048] = "";
    scene s = {schedule, kernel, BLOCKS, SIG_IGN};
    int channel[2];
    cr_assert_eq(pipe(channel), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(channel[1], STDERR_FILENO);
        close(channel[0]);
        close(channel[1]);
        body(&s);
        _exit(0);
    }
    close(channel[1]);
    size_t length = 0;
    for (ssize_t got = 1; got > 0 && !strstr(output, "One of the last to begin was block [");) {
        got = read(channel[0], output + length, sizeof output - 1 - length);
        if (got > 0) length += (size_t)got;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(channel[0]);
    cr_assert_not_null(strstr(output, words), "%s, %s: %s", schedule, kernel, output);
    cr_assert_not_null(strstr(output, "One of the last to begin was block ["), "%s", output);
}

Test(standstill, blocks_that_wait_for_those_before_them_are_named_under_unkind_schedules)
{
    check_told(launch, "adversarial:1", "chain", "kernel 'chain' stands still");
    check_told(launch, "random:1", "chain", "kernel 'chain' stands still");
}

Test(standstill, a_grid_that_meets_without_a_cooperative_launch_is_named_under_every_schedule)
{
    check_told(launch, "concurrent", "crowd", "kernel 'crowd' stands still");
    check_told(launch, "fifo", "crowd", "for 2 seconds none of its blocks has begun, and 15 of 16 have not. ");
}

static void launch_apart(void *user)
{
    setenv("LAB_KERNELS_APART", "1", 1);
    launch(user);
}

Test(standstill, kernels_in_a_process_of_their_own_are_named_too)
{
    check_told(launch_apart, "concurrent", "crowd", "kernel 'crowd' stands still");
}

Test(standstill, a_long_kernel_whose_blocks_have_all_begun_is_not_named)
{
    char output[2048];
    const int status =
        test_in_child(launch, &(scene){"concurrent", "wait_for_host", 1, release}, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0 && !*output, "%d: %s", status, output);
}

static void launch_with_fibers(void *user)
{
    setenv("LAB_BARRIERS", "fibers", 1);
    launch(user);
}

/* A thread of the engine takes so many that it would begin none for longer than LONG_ENOUGH. */
Test(standstill, many_blocks_that_get_on_are_not_named)
{
    static const struct {
        void (*launch)(void *user);
        const char *kernel;
    } way[] = {{launch, "many"}, {launch, "many_that_wait"}, {launch_with_fibers, "many_that_wait"}};
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        char output[2048];
        scene s = {"concurrent", way[i].kernel, 1 << 20, release};
        const int status = test_in_child(way[i].launch, &s, output, sizeof output);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0 && !*output, "%zu: %d: %s", i, status, output);
    }
}

static void launch_checked(void *user)
{
    setenv("LAB_RACECHECK", "1", 1);
    launch(user);
}

static void launch_checked_apart(void *user)
{
    setenv("LAB_KERNELS_APART", "1", 1);
    launch_checked(user);
}

Test(standstill, a_checked_kernel_that_gets_on_is_not_named_however_slow_it_is)
{
    char output[2048];
    const int status =
        test_in_child(launch_checked, &(scene){"concurrent", "slow", BLOCKS, release}, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0 && !*output, "%d: %s", status, output);
}

Test(standstill, a_checked_kernel_in_a_process_of_its_own_that_gets_on_is_not_named)
{
    char output[2048];
    const int status =
        test_in_child(launch_checked_apart, &(scene){"concurrent", "slow", BLOCKS, release}, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0 && !*output, "%d: %s", status, output);
}

Test(standstill, a_checked_kernel_that_stands_still_is_named)
{
    check_told(launch_checked, "concurrent", "crowd", "kernel 'crowd' stands still");
    check_told(launch_checked_apart, "concurrent", "crowd", "kernel 'crowd' stands still");
}

Test(standstill, a_chain_in_the_order_of_the_grid_ends_where_blocks_begin_in_it)
{
    char output[2048];
    const int status = test_in_child(launch, &(scene){"concurrent", "chain", BLOCKS, SIG_IGN}, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0 && !*output, "%d: %s", status, output);
}
