/* The process's runtime: settings of its environment, forbidden calls, and the messages of failing calls. */
#include "conformance/gate.h"
#include "base/status.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* --- The environment ---------------------------------------------------------------------------------------- */

typedef struct setting {
    const char *name, *value;
} setting;

/* In a child: prints the result of opening the device under the setting, at the second try. */
static void open_under(void *user)
{
    const setting *given = user;
    setenv(given->name, given->value, 1);
    int devices = 0;
    lab_device_info info = {0};
    lab_device_count(&devices);
    lab_status status = lab_device_count(&devices);
    if (status == LAB_SUCCESS) status = lab_device_get_info(&info, 0);
    printf("%s|%d devices|%d multiprocessors|%s", lab_status_name(status), devices, info.multiprocessors,
           lab_error_message());
}

static void check_setting(const char *name, const char *value, const char *expected, const char *also)
{
    char output[1024];
    setting given = {name, value};
    int status = test_in_child(open_under, &given, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s=%s: status %d: %s", name, value, status, output);
    cr_assert_eq(strncmp(output, expected, strlen(expected)), 0, "%s=%s: %s", name, value, output);
    cr_assert_not_null(strstr(output, also), "%s=%s: %s", name, value, output);
}

Test(runtime, unknown_devices_are_refused_with_the_names_there_are)
{
    static const char *const wrong[] = {
        "gpu", "CPU", "cpu:0", "cpu ", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cudax", " "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_setting("LAB_DEVICE", wrong[i], "LAB_ERROR_INVALID_VALUE|0 devices", "use auto, cpu, cuda or cuda:N");
}

Test(runtime, the_cpu_device_is_there_by_name) { check_setting("LAB_DEVICE", "cpu", "LAB_SUCCESS|1 devices|", ""); }

Test(runtime, some_device_is_there_without_a_wish)
{
    check_setting("LAB_DEVICE", "auto", "LAB_SUCCESS|", "");
    check_setting("LAB_DEVICE", "", "LAB_SUCCESS|", "");
}

Test(runtime, multiprocessors_can_be_set_on_the_cpu_device)
{
    setenv("LAB_DEVICE", "cpu", 1);
    check_setting("LAB_CPU_MULTIPROCESSORS", "1", "LAB_SUCCESS|1 devices|1 multiprocessors|", "");
    check_setting("LAB_CPU_MULTIPROCESSORS", "7", "LAB_SUCCESS|1 devices|7 multiprocessors|", "");
}

Test(runtime, invalid_and_too_large_numbers_are_refused)
{
    static const char *const wrong[] = {"0", "-1", "x", "3x", "1.5", "1000000", "99999999999999999999", " "};
    setenv("LAB_DEVICE", "cpu", 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_setting("LAB_CPU_MULTIPROCESSORS", wrong[i], "LAB_ERROR_INVALID_VALUE|0 devices", wrong[i]);
}

static void *count_devices(void *user)
{
    int devices;
    if (lab_device_count(&devices) != LAB_ERROR_INVALID_VALUE) return "it succeeded";
    (void)user;
    return strstr(lab_error_message(), "LAB_DEVICE=gpu") ? NULL : "its message does not say why";
}

Test(runtime, a_device_that_could_not_be_opened_is_explained_to_every_call_and_thread)
{
    setenv("LAB_DEVICE", "gpu", 1);
    lab_stream *stream;
    lab_array *array;
    cr_assert_eq(lab_stream_create(&stream, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(4)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_device_synchronize(), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_synchronize(NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(lab_stream_null());
    pthread_t thread;
    void *wrong;
    cr_assert_eq(pthread_create(&thread, NULL, count_devices, NULL), 0);
    pthread_join(thread, &wrong);
    cr_assert_null(wrong, "%s", (const char *)wrong);
}

/* --- Devices ------------------------------------------------------------------------------------------------ */

Test(runtime, device_numbers_begin_at_0_and_end_before_the_count)
{
    int devices;
    lab_device_info info;
    LAB_CHECK(lab_device_count(&devices));
    cr_assert_geq(devices, 1);
    cr_assert_eq(lab_device_get_info(&info, -1), LAB_ERROR_INVALID_DEVICE);
    cr_assert_eq(lab_device_get_info(&info, devices), LAB_ERROR_INVALID_DEVICE);
    cr_assert_not_null(strstr(lab_error_message(), "numbered from 0"), "%s", lab_error_message());
    cr_assert_eq(lab_device_get_info(NULL, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_device_count(NULL), LAB_ERROR_INVALID_VALUE);
}

Test(runtime, device_info_is_complete)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    cr_assert(*info.name && *info.kind);
    cr_assert(info.multiprocessors >= 1 && info.copy_engines >= 1);
    cr_assert_geq(info.max_block_threads, 1024);
    cr_assert_geq(info.max_shared_bytes, 48 * 1024);
    cr_assert_gt(info.total_memory, 0);
}

/* --- Host functions and forks ------------------------------------------------------------------------------- */

typedef struct inside_calls {
    lab_stream *stream;
    lab_event *event;
    lab_array *array;
    lab_module *module;
    lab_status status[10];
    int calls;
} inside_calls;

static void call_the_library(void *user)
{
    inside_calls *inside = user;
    lab_deviceptr memory;
    inside->status[inside->calls++] = lab_stream_synchronize(inside->stream);
    inside->status[inside->calls++] = lab_stream_query(inside->stream);
    inside->status[inside->calls++] = lab_event_record(inside->event, inside->stream);
    inside->status[inside->calls++] = lab_mem_alloc(&memory, 16);
    inside->status[inside->calls++] = lab_array_destroy(inside->array);
    inside->status[inside->calls++] = lab_event_destroy(inside->event);
    inside->status[inside->calls++] = lab_stream_destroy(inside->stream);
    inside->status[inside->calls++] = lab_module_unload(inside->module);
    inside->status[inside->calls++] = lab_device_synchronize();
}

Test(runtime, calls_from_a_host_function_are_refused_and_change_nothing)
{
    inside_calls inside = {0};
    float host[4] = {0};
    lab_function nothing;
    LAB_CHECK(lab_stream_create(&inside.stream, 0));
    LAB_CHECK(lab_event_create(&inside.event, 0));
    LAB_CHECK(lab_array_empty(&inside.array, LAB_FLOAT32, LAB_SHAPE(4)));
    LAB_CHECK(lab_module_load_source(&inside.module, "extern \"C\" __global__ void nothing() {}", NULL));
    LAB_CHECK(lab_stream_launch_host_func(inside.stream, call_the_library, &inside));
    LAB_CHECK(lab_stream_synchronize(inside.stream));
    for (int i = 0; i < inside.calls; i++) cr_assert_eq(inside.status[i], LAB_ERROR_NOT_PERMITTED, "call %d", i);
    cr_assert_eq(lab_module_get_function(&nothing, inside.module, "nothing"), LAB_SUCCESS);
    cr_assert_eq(lab_array_get(inside.array, host), LAB_SUCCESS);
    cr_assert_eq(lab_event_destroy(inside.event), LAB_SUCCESS);
    cr_assert_eq(lab_array_destroy(inside.array), LAB_SUCCESS);
    cr_assert_eq(lab_module_unload(inside.module), LAB_SUCCESS);
    cr_assert_eq(lab_stream_destroy(inside.stream), LAB_SUCCESS);
}

typedef struct before_fork {
    lab_stream *stream;
    lab_event *event;
    lab_array *array;
} before_fork;

/* In the child every call is refused; a call that waited would never return, since the child lacks the device's
 * threads. */
static void use_after_fork(void *user)
{
    before_fork *old = user;
    lab_deviceptr memory;
    float host[4];
    lab_status status[] = {
        lab_stream_synchronize(old->stream), lab_event_record(old->event, old->stream),
        lab_event_synchronize(old->event),   lab_mem_alloc(&memory, 16),
        lab_array_get(old->array, host),     lab_device_synchronize(),
    };
    for (size_t i = 0; i < sizeof status / sizeof *status; i++)
        if (status[i] != LAB_ERROR_NOT_INITIALIZED) _exit(10 + (int)i);
    printf("%s", lab_error_message());
}

Test(runtime, a_forked_child_is_refused_not_hung)
{
    char output[512];
    before_fork old;
    LAB_CHECK(lab_stream_create(&old.stream, 0));
    LAB_CHECK(lab_event_create(&old.event, 0));
    LAB_CHECK(lab_array_empty(&old.array, LAB_FLOAT32, LAB_SHAPE(4)));
    int status = test_in_child(use_after_fork, &old, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, output);
    cr_assert_not_null(strstr(output, "forked"), "%s", output);
    cr_assert_eq(lab_stream_synchronize(old.stream), LAB_SUCCESS, "the parent goes on");
}

static void use_in_the_child(void *user)
{
    (void)user;
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, 16));
    LAB_CHECK(lab_memset_async(memory, 0, 16, NULL));
    LAB_CHECK(lab_device_synchronize());
}

Test(runtime, a_child_forked_before_the_first_call_has_a_device_of_its_own)
{
    char output[512];
    for (int i = 0; i < 2; i++) {
        int status = test_in_child(use_in_the_child, NULL, output, sizeof output);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d: %s", status, output);
    }
    use_in_the_child(NULL);
}

/* --- Status and messages ------------------------------------------------------------------------------------ */

Test(status, every_code_has_its_name_and_text)
{
#define CHECK_NAME(name, code, text)                                                                                   \
    cr_assert_eq((int)name, code);                                                                                     \
    cr_assert_str_eq(lab_status_name(name), #name);                                                                    \
    cr_assert_str_eq(lab_status_text(name), text);
    LAB_STATUS_TABLE(CHECK_NAME)
#undef CHECK_NAME
    cr_assert_str_eq(lab_status_name((lab_status)12345), "LAB_ERROR_UNKNOWN");
    cr_assert_gt(strlen(lab_status_text((lab_status)-1)), 0);
}

Test(status, message_is_empty_until_a_call_fails_and_stays_until_the_next_failure)
{
    cr_assert_str_eq(lab_error_message(), "");
    cr_assert_eq(lab_mem_alloc(NULL, 1), LAB_ERROR_INVALID_VALUE);
    char first[128];
    snprintf(first, sizeof first, "%s", lab_error_message());
    LAB_CHECK(lab_device_synchronize());
    cr_assert_str_eq(lab_error_message(), first);
    cr_assert_eq(lab_host_alloc(NULL, 1), LAB_ERROR_INVALID_VALUE);
    cr_assert_str_neq(lab_error_message(), first);
}

Test(status, place_is_that_of_the_call_whose_message_it_is)
{
    const char *file;
    int line;
    lab_error_place(&file, &line);
    cr_assert_str_eq(file, "");
    cr_assert_eq(line, 0);
    const int here = __LINE__ + 1;
    lab_status failed = lab_mem_alloc(NULL, 1);
    cr_assert_eq(failed, LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_device_synchronize());
    lab_error_place(&file, &line);
    cr_assert_str_eq(file, __FILE__);
    cr_assert_eq(line, here, "%d, not %d", line, here);
    cr_assert_eq((lab_mem_alloc)(NULL, 1), LAB_ERROR_INVALID_VALUE);
    lab_error_place(&file, &line);
    cr_assert_str_eq(file, "", "a call that does not say where it stands");
}

static void *message_of_a_new_thread(void *user)
{
    snprintf(user, 128, "%s", lab_error_message());
    return NULL;
}

Test(status, message_belongs_to_the_thread)
{
    char seen[128] = "not called";
    cr_assert_eq(lab_mem_alloc(NULL, 1), LAB_ERROR_INVALID_VALUE);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, message_of_a_new_thread, seen), 0);
    pthread_join(thread, NULL);
    cr_assert_str_eq(seen, "");
}

Test(status, message_longer_than_its_space_ends_in_three_dots)
{
    enum { LONG = 1 << 20 };
    char *text = malloc(LONG);
    memset(text, 'x', LONG - 1);
    text[LONG - 1] = '\0';
    cr_assert_eq(lab_fail(LAB_ERROR_IO, "%s", text), LAB_ERROR_IO);
    size_t length = strlen(lab_error_message());
    cr_assert(length > 1000 && length < LONG);
    cr_assert_str_eq(lab_error_message() + length - 3, "...");
    free(text);
}

static lab_status try_three(int *made, lab_status second)
{
    LAB_TRY((++*made, LAB_SUCCESS));
    LAB_TRY((++*made, second));
    LAB_TRY((++*made, LAB_SUCCESS));
    return LAB_SUCCESS;
}

Test(status, try_returns_the_first_failure_and_makes_each_call_once)
{
    int made = 0;
    cr_assert_eq(try_three(&made, LAB_ERROR_IO), LAB_ERROR_IO);
    cr_assert_eq(made, 2);
    made = 0;
    cr_assert_eq(try_three(&made, LAB_SUCCESS), LAB_SUCCESS);
    cr_assert_eq(made, 3);
}

static void check_a_failing_call(void *user)
{
    (void)user;
    LAB_CHECK(lab_mem_alloc(NULL, 1));
}

Test(status, check_prints_place_call_and_message_and_exits_with_1)
{
    enum { LINE_OF_THE_CHECK = __LINE__ - 5 };
    char output[1024], place[64];
    int status = test_in_child(check_a_failing_call, NULL, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %d", status);
    snprintf(place, sizeof place, "runtime_test.c:%d: ", LINE_OF_THE_CHECK);
    cr_assert_not_null(strstr(output, place), "%s", output);
    cr_assert_not_null(strstr(output, "lab_mem_alloc(NULL, 1): lab_mem_alloc: out is NULL (LAB_ERROR_INVALID_VALUE)"),
                       "%s", output);
}
