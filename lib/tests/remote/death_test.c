/* The end of either process: the device process frees what a program held, and a program is told why it goes on without
 * a device. */
#include "stranger.h"

#include "base/system/kernels_apart.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static stranger self;

/* The status of the reply in the channel. */
static lab_status get_status(void)
{
    lab_status status;
    memcpy(&status, self.channel->reply.bytes, sizeof status);
    return status;
}

static void call(const char *name, const void *arguments, size_t bytes)
{
    stranger_begin(&self, name);
    if (bytes) wire_put(&self.message, arguments, bytes);
    stranger_send(&self, WIRE_CALL);
}

static uint64_t create(const char *name, uint64_t argument, size_t bytes)
{
    uint64_t made = 0;
    stranger_begin(&self, name);
    wire_put_object(&self.message, &made, sizeof made);
    wire_put(&self.message, &argument, bytes);
    stranger_send(&self, WIRE_CALL);
    cr_assert(stranger_await(&self));
    cr_assert_eq(get_status(), LAB_SUCCESS, "%s", name);
    memcpy(&made, self.channel->reply.bytes + sizeof(lab_status), sizeof made);
    return made;
}

static uint64_t free_memory(void)
{
    uint64_t bytes[2] = {0};
    stranger_begin(&self, "lab_mem_get_info");
    wire_put_object(&self.message, &bytes[0], sizeof bytes[0]);
    wire_put_object(&self.message, &bytes[1], sizeof bytes[1]);
    stranger_send(&self, WIRE_CALL);
    cr_assert(stranger_await(&self));
    memcpy(bytes, self.channel->reply.bytes + sizeof(lab_status), sizeof bytes);
    return bytes[0];
}

Test(death, frees_what_the_program_held)
{
    stranger_start_device();
    stranger_meet(&self);
    const uint64_t before = free_memory();
    create("lab_mem_alloc", 1 << 24, 8);
    const uint64_t context = create("lab_context_create", 0, 4);
    create("lab_mem_alloc", 1 << 24, 8);
    cr_assert_leq(free_memory() + (2 << 24), before);
    stranger_leave(&self);
    stranger_meet(&self);
    cr_assert_eq(free_memory(), before);
    call("lab_context_push", &context, sizeof context);
    cr_assert(stranger_await(&self));
    cr_assert_eq(get_status(), LAB_ERROR_CONTEXT_IS_DESTROYED);
    stranger_end_device();
}

/* Enqueues a host function, which the device process will ask for, and waits for its stream. */
static void wait_for_host_function(void)
{
    uint64_t arguments[3] = {create("lab_stream_create", LAB_STREAM_NON_BLOCKING, 4), 0x1000, 0};
    call("lab_stream_launch_host_func", arguments, sizeof arguments);
    cr_assert(stranger_await(&self));
    cr_assert_eq(get_status(), LAB_SUCCESS);
    call("lab_stream_synchronize", arguments, sizeof arguments[0]);
}

Test(death, in_a_host_function_ends_the_wait_for_it)
{
    stranger_start_device();
    for (int i = 0; i < 5; i++) {
        stranger_meet(&self);
        wait_for_host_function();
        wire_note note;
        int file;
        cr_assert(wire_receive_note(&note, &file, self.socket));
        cr_assert_eq(note.kind, (uint32_t)NOTE_CALLBACKS);
        close(file);
        stranger_leave(&self);
    }
    stranger_meet(&self);
    stranger_end_device();
}

Test(death, at_every_moment_of_a_call)
{
    stranger_start_device();
    for (int i = 0; i < 40; i++) {
        int count = 0;
        stranger_meet(&self);
        stranger_begin(&self, "lab_device_count");
        wire_put_object(&self.message, &count, sizeof count);
        if (i % 4 > 0) stranger_send(&self, WIRE_CALL);
        if (i % 4 > 1) usleep((useconds_t)(i * 20));
        if (i % 4 > 2) stranger_await(&self);
        stranger_leave(&self);
    }
    stranger_meet(&self);
    stranger_end_device();
}

Test(death, with_a_capture_under_way)
{
    stranger_start_device();
    stranger_meet(&self);
    const uint64_t stream = create("lab_stream_create", 0, 4), before = free_memory();
    create("lab_mem_alloc", 1 << 20, 8);
    stranger_begin(&self, "lab_stream_begin_capture");
    wire_put(&self.message, &stream, sizeof stream);
    wire_put(&self.message, &(lab_capture_mode){LAB_CAPTURE_GLOBAL}, sizeof(lab_capture_mode));
    stranger_send(&self, WIRE_CALL);
    cr_assert(stranger_await(&self));
    cr_assert_eq(get_status(), LAB_SUCCESS);
    stranger_leave(&self);
    stranger_meet(&self);
    cr_assert_geq(free_memory(), before);
    create("lab_mem_alloc", 1 << 20, 8);
    stranger_end_device();
}

/* In a child: a program that runs a kernel k, and ends without waiting unless the kernel is empty. */
static void run_kernel(void *user)
{
    const char *source = user;
    char number[16];
    lab_module *module;
    lab_function kernel;
    snprintf(number, sizeof number, "%d", stranger_connect());
    setenv("LAB_DEVICE_SOCKET", number, 1);
    LAB_CHECK(lab_module_load_source(&module, source, "left.cu"));
    LAB_CHECK(lab_module_get_function(&kernel, module, "k"));
    LAB_CHECK(lab_launch(kernel, LAB_DIM(4), LAB_DIM(32), 0, NULL, LAB_NO_ARGS));
    if (strstr(source, "{}"))
        LAB_CHECK(lab_device_synchronize());
    else
        usleep(50 * 1000);
    _exit(0);
}

/* The next programs are served, and their kernels run. */
static void check_left_kernel(const char *source)
{
    char output[2000];
    stranger_start_device();
    for (int i = 0; i < 4; i++) {
        const char *own = i % 2 == 0 ? source : "extern \"C\" __global__ void k() {}\n";
        cr_assert_eq(test_in_child(run_kernel, (char *)own, output, sizeof output), 0, "program %d: %s", i, output);
    }
    stranger_end_device();
}

Test(death, with_a_kernel_that_never_ends)
{
    check_left_kernel("__device__ volatile int x; extern \"C\" __global__ void k() { for (;;) x = 1; }\n");
}

Test(death, with_a_kernel_that_has_failed)
{
    check_left_kernel("extern \"C\" __global__ void k() { *(volatile int *)8 = 1; }\n");
}

#if KERNELS_CAN_BE_APART

/* In a child: a program whose kernel ends its process. */
static void run_aborting_kernel(void *unused)
{
    char number[16];
    lab_module *module;
    lab_function kernel;
    (void)unused;
    snprintf(number, sizeof number, "%d", stranger_connect());
    setenv("LAB_DEVICE_SOCKET", number, 1);
    LAB_CHECK(lab_module_load_source(&module, "extern \"C\" __global__ void k() { abort(); }\n", "aborts.cu"));
    LAB_CHECK(lab_module_get_function(&kernel, module, "k"));
    LAB_CHECK(lab_launch(kernel, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS));
    lab_device_synchronize();
    printf("%s\n", lab_error_message());
}

Test(death, settings_that_check_kernels_leave_those_of_a_stranger_in_their_own_process)
{
    static const char *const check[] = {"LAB_MEMCHECK", "LAB_RACECHECK", "LAB_INITCHECK", "LAB_SYNCCHECK"};
    for (int i = 0; i < 4; i++) {
        char output[2000];
        setenv(check[i], "1", 1);
        stranger_start_device();
        test_in_child(run_aborting_kernel, NULL, output, sizeof output);
        cr_assert_not_null(strstr(output, "the process of kernels was ended by signal 6"), "%s: %s", check[i], output);
        stranger_end_device();
        unsetenv(check[i]);
    }
}

#endif
