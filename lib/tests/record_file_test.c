/* LAB_TRACE=FILE: the record of a whole program, written when it ends. Each test runs the program in a child. */
#include "conformance/gate.h"
#include "lab_trace.h"
#include "test_folder.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

static void use_the_library(void)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    LAB_CHECK(lab_memset_async(memory, 1, 64, NULL));
    LAB_CHECK(lab_mem_free(memory));
}

static void use_and_exit(void *path)
{
    setenv("LAB_TRACE", path, 1);
    use_the_library();
    exit(0);
}

static lab_trace *load(const char *path)
{
    lab_trace *trace = NULL;
    cr_assert_eq(lab_trace_load(&trace, path), LAB_SUCCESS, "%s", lab_error_message());
    return trace;
}

static void check_file(const char *path)
{
    lab_trace *trace = load(path);
    cr_assert_eq(trace->ops, 3);
    cr_assert_eq(trace->op[0].kind, LAB_OP_MEMORY_ALLOC);
    cr_assert_eq(trace->op[1].kind, LAB_OP_FILL);
    cr_assert_geq(trace->op[1].end_ns, trace->op[1].start_ns);
    cr_assert_eq(trace->op[2].kind, LAB_OP_MEMORY_FREE);
    lab_trace_free(trace);
}

Test(record_file, appears_when_the_program_exits)
{
    char output[512];
    test_folder folder = test_folder_make("trace.json");
    int status = test_in_child(use_and_exit, folder.file, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, output);
    cr_assert_str_eq(output, "");
    check_file(folder.file);
    cr_assert_eq(test_folder_remove(&folder), 1, "something is left beside the record");
}

/* Device 0 is current, and so is a stream of device 1. */
static void mark_on_another_device(void *path)
{
    lab_stream *stream = NULL;
    setenv("LAB_TRACE", path, 1);
    setenv("LAB_CPU_DEVICES", "2", 1);
    LAB_WITH_DEVICE(1) LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_WITH_STREAM(stream) lab_trace_mark("on device 0");
    exit(0);
}

Test(record_file, has_a_mark_beside_the_stream_of_another_device)
{
    char output[512];
    test_folder folder = test_folder_make("trace.json");
    int status = test_in_child(mark_on_another_device, folder.file, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, output);
    lab_trace *trace = load(folder.file);
    const lab_trace_op *mark = &trace->op[trace->ops - 1];
    cr_assert_str_eq(mark->name, "on device 0");
    cr_assert_eq(mark->device, 0);
    cr_assert_eq(trace->stream[lab_trace_find_stream(trace, mark->stream)].device, 1);
    lab_trace_free(trace);
    test_folder_remove(&folder);
}

/* From device 0 to device 1 and back, the second time with access to device 1's memory; then on device 0 alone. */
static void copy_between_devices(void *path)
{
    lab_deviceptr here, there;
    lab_context *other;
    setenv("LAB_TRACE", path, 1);
    setenv("LAB_CPU_DEVICES", "2", 1);
    LAB_CHECK(lab_mem_alloc(&here, 64));
    LAB_WITH_DEVICE(1) LAB_CHECK(lab_mem_alloc(&there, 64));
    LAB_CHECK(lab_memcpy_peer_async(there, 1, here, 0, 64, NULL));
    LAB_CHECK(lab_context_primary_retain(&other, 1));
    LAB_CHECK(lab_context_enable_peer_access(other));
    LAB_CHECK(lab_memcpy_peer_async(here, 0, there, 1, 64, NULL));
    LAB_CHECK(lab_memcpy_dtod_async(here + 32, here, 32, NULL));
    exit(0);
}

Test(record_file, has_the_other_device_of_a_copy)
{
    char output[512];
    test_folder folder = test_folder_make("trace.json");
    int status = test_in_child(copy_between_devices, folder.file, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, output);
    lab_trace *trace = load(folder.file);
    const lab_trace_op *copy[3];
    int copies = 0;
    for (size_t i = 0; i < trace->ops && copies < 3; i++)
        if (trace->op[i].kind == LAB_OP_COPY_DTOD) copy[copies++] = &trace->op[i];
    cr_assert_eq(copies, 3);
    cr_assert(copy[0]->peer == 2 && !copy[0]->peer_access, "to device 1 through the host");
    cr_assert(copy[1]->peer == 2 && copy[1]->peer_access, "from device 1 with access");
    cr_assert(copy[2]->peer == 0 && !copy[2]->peer_access, "on device 0");
    lab_trace_free(trace);
    test_folder_remove(&folder);
}

static void use_and_change_folder(void *path)
{
    if (chdir(path) != 0) _exit(9);
    setenv("LAB_TRACE", "trace.json", 1);
    use_the_library();
    if (chdir("/") != 0) _exit(9);
    unsetenv("LAB_TRACE");
    exit(0);
}

Test(record_file, is_where_its_name_meant_when_the_program_began)
{
    char output[512];
    test_folder folder = test_folder_make("trace.json");
    int status = test_in_child(use_and_change_folder, folder.path, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, output);
    check_file(folder.file);
    test_folder_remove(&folder);
}

static void use_and_fail_a_check(void *path)
{
    setenv("LAB_TRACE", path, 1);
    use_the_library();
    LAB_CHECK(lab_mem_free(1));
}

Test(record_file, appears_also_when_a_check_ends_the_program)
{
    char output[512];
    test_folder folder = test_folder_make("trace.json");
    int status = test_in_child(use_and_fail_a_check, folder.file, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %d: %s", status, output);
    check_file(folder.file);
    test_folder_remove(&folder);
}

Test(record_file, that_cannot_be_written_is_one_sentence_and_no_file)
{
    char output[1024], path[700];
    test_folder folder = test_folder_make("trace.json");
    snprintf(path, sizeof path, "%s/no/such/folder.json", folder.path);
    int status = test_in_child(use_and_exit, path, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, output);
    cr_assert_not_null(strstr(output, path), "%s", output);
    cr_assert_eq(strchr(output, '\n'), output + strlen(output) - 1, "more than one line: %s", output);
    cr_assert_eq(test_folder_remove(&folder), 0);
}

static void do_nothing(void *user) { (void)user; }

/* Makes every thread of the device do something: a thread that is still starting might hold a lock of the C library,
 * for which the forked child would then wait forever. */
static void wake_every_thread(lab_deviceptr memory)
{
    int *pinned;
    LAB_CHECK(lab_host_alloc((void **)&pinned, sizeof *pinned));
    *pinned = 1;
    LAB_CHECK(lab_memcpy_htod(memory, pinned, sizeof *pinned));
    LAB_CHECK(lab_memcpy_dtoh(pinned, memory, sizeof *pinned));
    LAB_CHECK(lab_memset_async(memory, 1, 64, NULL));
    LAB_CHECK(lab_stream_launch_host_func(NULL, do_nothing, NULL));
    LAB_CHECK(lab_device_synchronize());
}

static void use_and_fork(void *path)
{
    lab_deviceptr memory;
    setenv("LAB_TRACE", path, 1);
    setenv("LAB_CPU_MULTIPROCESSORS", "1", 1);
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    wake_every_thread(memory);
    lab_trace_mark("before the fork");
    pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
    if (access(path, F_OK) == 0) _exit(9);
    lab_trace_mark("after the fork");
    exit(0);
}

Test(record_file, is_not_written_by_a_forked_child)
{
    char output[512];
    test_folder folder = test_folder_make("trace.json");
    int status = test_in_child(use_and_fork, folder.file, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, output);
    lab_trace *trace = load(folder.file);
    cr_assert_str_eq(trace->op[trace->ops - 1].name, "after the fork");
    lab_trace_free(trace);
    test_folder_remove(&folder);
}

static void exit_here(void *user)
{
    (void)user;
    exit(3);
}

static void exit_in_a_host_function(void *path)
{
    setenv("LAB_TRACE", path, 1);
    LAB_CHECK(lab_stream_launch_host_func(NULL, exit_here, NULL));
    LAB_CHECK(lab_stream_synchronize(NULL));
}

Test(record_file, does_not_keep_a_program_from_ending_inside_a_host_function)
{
    char output[512];
    test_folder folder = test_folder_make("trace.json");
    int status = test_in_child(exit_in_a_host_function, folder.file, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3, "status %d: %s", status, output);
    test_folder_remove(&folder);
}

static void use_untraced(void *path)
{
    setenv("LAB_TRACE", "", 1);
    use_the_library();
    if (access(path, F_OK) == 0) _exit(9);
    lab_trace *trace;
    if (lab_trace_end(&trace) != LAB_ERROR_NOT_PERMITTED) _exit(10);
    exit(0);
}

Test(record_file, is_not_written_unless_requested)
{
    char output[512];
    test_folder folder = test_folder_make("trace.json");
    int status = test_in_child(use_untraced, folder.file, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, output);
    cr_assert_eq(test_folder_remove(&folder), 0);
}
