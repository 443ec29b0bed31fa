/* Devices: a thread's current device, the device of each object, and memory used across two devices (cuda.h, "Device
 * Management" and "Peer Context Memory Access"; CUDA C++ Programming Guide, "Multi-Device System"). */
#include "alone.h"
#include "gate.h"
#include "test.h"
#include "two_devices.h"

#include <ctype.h>
#include <string.h>

static const char fill_source[] =
    "extern \"C\" __global__ void fill(int *out, int value) { out[threadIdx.x] = value; }\n";

enum { COUNT = 64 };

static lab_array *make_array(int device)
{
    lab_array *array;
    LAB_WITH_DEVICE(device) LAB_CHECK(lab_array_empty(&array, LAB_INT32, LAB_SHAPE(COUNT)));
    return array;
}

static lab_stream *make_stream(int device)
{
    lab_stream *stream;
    LAB_WITH_DEVICE(device) LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    return stream;
}

/* cuda.h, Context Management: cuCtxGetDevice, cuCtxSetCurrent. */
Test(device, zero_is_current_at_first)
{
    int device = -1;
    LAB_CHECK(lab_device_current(&device));
    cr_assert_eq(device, 0);
}

/* lab.h, Devices: LAB_CPU_DEVICES. */
Test(device, as_many_cpu_devices_as_the_environment_says)
{
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_CPU_DEVICES", "3", 1);
    int count;
    LAB_CHECK(lab_device_count(&count));
    cr_assert_eq(count, 3);
    for (int i = 0; i < count; i++) {
        lab_device_info info, next;
        LAB_CHECK(lab_device_get_info(&info, i));
        cr_assert_geq(info.multiprocessors, 1);
        cr_assert_gt(info.total_memory, 0u);
        LAB_CHECK(lab_device_get_info(&next, (i + 1) % count));
        cr_assert_neq(memcmp(info.uuid, next.uuid, sizeof info.uuid), 0, "two devices have one UUID");
    }
}

/* lab.h, Devices: LAB_CPU_DEVICES. */
Test(device, a_wrong_number_of_cpu_devices_is_refused_with_the_variable_named)
{
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_CPU_DEVICES", "many", 1);
    int count;
    cr_assert_eq(lab_device_count(&count), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "LAB_CPU_DEVICES=many"), "%s", lab_error_message());
}

/* lab.h, Devices: LAB_CPU_PRIORITIES. */
Test(device, as_many_priorities_as_the_environment_says)
{
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_CPU_PRIORITIES", "3", 1);
    int least, greatest, priority;
    lab_stream *stream;
    LAB_CHECK(lab_stream_priority_range(&least, &greatest));
    cr_assert_eq(least, 0);
    cr_assert_eq(greatest, -2);
    LAB_CHECK(lab_stream_create_with_priority(&stream, LAB_STREAM_DEFAULT, -5));
    LAB_CHECK(lab_stream_get_priority(&priority, stream));
    cr_assert_eq(priority, -2);
}

/* lab.h, Devices: LAB_CPU_PRIORITIES. */
Test(device, more_priorities_than_there_are_are_refused_with_the_variable_named)
{
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_CPU_PRIORITIES", "7", 1);
    int least, greatest;
    cr_assert_eq(lab_stream_priority_range(&least, &greatest), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "LAB_CPU_PRIORITIES=7"), "%s", lab_error_message());
}

/* cuda.h, Device Management: cuDeviceGetName, cuDeviceGetAttribute. */
Test(device, properties_are_filled)
{
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    cr_assert_neq(info.name[0], '\0');
    cr_assert_neq(info.kind[0], '\0');
    cr_assert_geq(info.multiprocessors, 1);
    cr_assert_geq(info.copy_engines, 1);
    cr_assert_geq(info.max_block_threads, 1024);
    cr_assert_geq(info.max_shared_bytes, 48u * 1024);
}

/* cuda.h, Device Management: cuDeviceGetUuid. */
Test(device, each_has_a_uuid_of_its_own_which_stays)
{
    lab_device_info first, again, other;
    const unsigned char nothing[sizeof first.uuid] = {0};
    int count;
    LAB_CHECK(lab_device_count(&count));
    LAB_CHECK(lab_device_get_info(&first, 0));
    LAB_CHECK(lab_device_get_info(&again, 0));
    cr_assert_neq(memcmp(first.uuid, nothing, sizeof nothing), 0);
    cr_assert_eq(memcmp(first.uuid, again.uuid, sizeof first.uuid), 0);
    for (int i = 1; i < count; i++) {
        LAB_CHECK(lab_device_get_info(&other, i));
        cr_assert_neq(memcmp(first.uuid, other.uuid, sizeof first.uuid), 0, "device %d has that of device 0", i);
    }
}

static bool is_place(const char *id)
{
    const char pattern[] = "xxxx:xx:xx.x";
    for (size_t i = 0; i < sizeof pattern; i++)
        if (pattern[i] == 'x' ? !isxdigit((unsigned char)id[i]) : id[i] != pattern[i]) return false;
    return true;
}

/* cuda.h, Device Management: cuDeviceGetPCIBusId, cuDeviceGetByPCIBusId. */
Test(device, each_is_found_by_its_place_on_the_bus)
{
    int count;
    LAB_CHECK(lab_device_count(&count));
    for (int i = 0; i < count; i++) {
        lab_device_info info, its;
        int found = -1;
        LAB_CHECK(lab_device_get_info(&info, i));
        cr_assert(is_place(info.pci_bus_id), "%s", info.pci_bus_id);
        LAB_CHECK(lab_device_by_pci_bus_id(&found, info.pci_bus_id));
        LAB_CHECK(lab_device_get_info(&its, found));
        cr_assert_str_eq(its.pci_bus_id, info.pci_bus_id);
        cr_assert_leq(found, i, "the first device at this place");
        for (char *each = info.pci_bus_id; *each; each++) *each = (char)toupper((unsigned char)*each);
        LAB_CHECK(lab_device_by_pci_bus_id(&found, info.pci_bus_id));
        cr_assert_leq(found, i, "letters may be large");
    }
}

/* lab.h, Devices: a CPU device is at its number. */
Test(device, cpu_devices_are_at_different_places)
{
    setenv("LAB_DEVICE", "cpu", 1);
    setenv("LAB_CPU_DEVICES", "2", 1);
    const char *const place[] = {"0000:01:00.0", "0000:01:00", "01:00.0", "1:0"};
    for (int i = 0; i < 4; i++) {
        int device = -1;
        LAB_CHECK(lab_device_by_pci_bus_id(&device, place[i]));
        cr_assert_eq(device, 1, "%s", place[i]);
    }
}

/* cuda.h, Device Management: cuDeviceGetByPCIBusId. */
Test(device, a_place_that_cannot_be_or_is_empty_finds_none)
{
    const char *const wrong[] = {"",     "fake:id", "0000",      "0000:",   "0:0:0:0",
                                 "0:0.", "0:0.x",   "10000:0:0", "0:100:0", " 0:0"};
    int device = -1;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_eq(lab_device_by_pci_bus_id(&device, wrong[i]), LAB_ERROR_INVALID_VALUE, "%s", wrong[i]);
    cr_assert_eq(lab_device_by_pci_bus_id(&device, "FFFF:FF:FF.F"), LAB_ERROR_INVALID_DEVICE);
    cr_assert_eq(lab_device_by_pci_bus_id(NULL, "0000:00:00.0"), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_device_by_pci_bus_id(&device, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(device, -1);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_DEVICE. */
Test(device, a_number_that_is_not_there_is_an_invalid_device)
{
    lab_device_info info;
    lab_context *context = NULL;
    bool can;
    const int wrong[] = {-1, 1000};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(lab_device_get_info(&info, wrong[i]), LAB_ERROR_INVALID_DEVICE);
        cr_assert_eq(lab_device_use(wrong[i]), LAB_ERROR_INVALID_DEVICE);
        cr_assert_eq(lab_device_reset(wrong[i]), LAB_ERROR_INVALID_DEVICE);
        cr_assert_eq(lab_context_create(&context, wrong[i]), LAB_ERROR_INVALID_DEVICE);
        cr_assert_eq(lab_context_primary_retain(&context, wrong[i]), LAB_ERROR_INVALID_DEVICE);
        cr_assert_eq(lab_context_primary_release(wrong[i]), LAB_ERROR_INVALID_DEVICE);
        cr_assert_eq(lab_device_can_access_peer(&can, 0, wrong[i]), LAB_ERROR_INVALID_DEVICE);
        cr_assert_eq(lab_device_can_access_peer(&can, wrong[i], 0), LAB_ERROR_INVALID_DEVICE);
    }
    int device;
    LAB_CHECK(lab_device_current(&device));
    cr_assert_eq(device, 0);
}

/* cuda.h, Context Management: cuCtxGetDevice, cuCtxSetCurrent. */
Test(device, inside_a_scope_of_a_device_that_is_not_there_calls_fail)
{
    lab_deviceptr memory;
    lab_stream *stream;
    int device;
    LAB_WITH_DEVICE(1000)
    {
        cr_assert_eq(lab_mem_alloc(&memory, 64), LAB_ERROR_INVALID_DEVICE);
        cr_assert_eq(lab_stream_create(&stream, 0), LAB_ERROR_INVALID_DEVICE);
        cr_assert_eq(lab_device_current(&device), LAB_ERROR_INVALID_DEVICE);
        cr_assert_null(lab_stream_null());
    }
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    LAB_CHECK(lab_mem_free(memory));
}

static int leave_by_return(void)
{
    int device = -1;
    LAB_WITH_DEVICE(1)
    {
        LAB_CHECK(lab_device_current(&device));
        return device;
    }
    return -1;
}

/* cuda.h, Context Management: cuCtxGetDevice, cuCtxSetCurrent. */
Test(device, a_scope_restores_the_device_on_every_way_out)
{
    if (!two_devices()) return;
    int device;
    cr_assert_eq(leave_by_return(), 1);
    LAB_WITH_DEVICE(1)
    {
        LAB_WITH_DEVICE(0)
        {
            LAB_CHECK(lab_device_current(&device));
            cr_assert_eq(device, 0);
        }
        LAB_CHECK(lab_device_current(&device));
        cr_assert_eq(device, 1);
        break;
    }
    LAB_CHECK(lab_device_current(&device));
    cr_assert_eq(device, 0);
}

static void *current_of_a_new_thread(void *device)
{
    LAB_CHECK(lab_device_current(device));
    return NULL;
}

/* cuda.h, Context Management: cuCtxGetDevice, cuCtxSetCurrent. */
Test(device, the_current_one_belongs_to_the_thread)
{
    if (!two_devices()) return;
    int of_thread = -1;
    pthread_t thread;
    LAB_CHECK(lab_device_use(1));
    cr_assert_eq(pthread_create(&thread, NULL, current_of_a_new_thread, &of_thread), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(of_thread, 0);
}

/* CUDA C++ Programming Guide, Multi-Device System: device selection. */
Test(device, what_is_made_knows_its_device)
{
    if (!two_devices()) return;
    LAB_CHECK(lab_device_use(1));
    lab_array *array;
    lab_stream *stream;
    lab_event *event;
    lab_module *module;
    lab_deviceptr memory;
    LAB_CHECK(lab_array_empty(&array, LAB_INT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_module_load_source(&module, fill_source, NULL));
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    LAB_CHECK(lab_device_use(0));
    int of_stream, of_event, of_module, of_memory, of_null;
    LAB_CHECK(lab_stream_get_device(&of_stream, stream));
    LAB_CHECK(lab_event_get_device(&of_event, event));
    LAB_CHECK(lab_module_get_device(&of_module, module));
    LAB_CHECK(lab_mem_get_device(&of_memory, memory + 63));
    LAB_CHECK(lab_stream_get_device(&of_null, NULL));
    cr_assert_eq(lab_array_device(array), 1);
    cr_assert_eq(of_stream, 1);
    cr_assert_eq(of_event, 1);
    cr_assert_eq(of_module, 1);
    cr_assert_eq(of_memory, 1);
    cr_assert_eq(of_null, 0);
    LAB_CHECK(lab_array_destroy(array));
    cr_assert_eq(lab_array_device(array), -1);
}

/* CUDA C++ Programming Guide, Multi-Device System: stream and event behavior. */
Test(device, each_has_its_own_null_stream)
{
    if (!two_devices()) return;
    gate closed = GATE_CLOSED;
    lab_stream *first = lab_stream_null(), *second = NULL;
    LAB_WITH_DEVICE(1) second = lab_stream_null();
    cr_assert_neq(first, second);
    gate_close_stream(&closed, first);
    cr_assert_eq(lab_stream_query(second), LAB_SUCCESS);
    cr_assert_eq(lab_stream_synchronize(second), LAB_SUCCESS);
    cr_assert_eq(lab_stream_query(first), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(first));
}

/* cuda.h, Context Management: cuCtxSynchronize. */
Test(device, synchronize_waits_for_the_current_one_only)
{
    if (!two_devices()) return;
    gate closed = GATE_CLOSED;
    lab_stream *held = make_stream(1);
    gate_close_stream(&closed, held);
    LAB_CHECK(lab_device_synchronize());
    cr_assert_eq(lab_stream_query(held), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_WITH_DEVICE(1) LAB_CHECK(lab_device_synchronize());
    cr_assert_eq(lab_stream_query(held), LAB_SUCCESS);
}

/* CUDA C++ Programming Guide, Multi-Device System: stream and event behavior. */
Test(device, each_keeps_the_threads_current_stream)
{
    if (!two_devices()) return;
    lab_stream *first = make_stream(0), *second = make_stream(1);
    LAB_CHECK(lab_stream_use(first));
    LAB_CHECK(lab_device_use(1));
    cr_assert_eq(lab_stream_current(), lab_stream_null());
    LAB_CHECK(lab_stream_use(second));
    LAB_CHECK(lab_device_use(0));
    cr_assert_eq(lab_stream_current(), first);
    LAB_CHECK(lab_device_use(1));
    cr_assert_eq(lab_stream_current(), second);
    cr_assert_neq(lab_stream_per_thread(), NULL);
    int device;
    LAB_CHECK(lab_stream_get_device(&device, lab_stream_per_thread()));
    cr_assert_eq(device, 1);
}

/* CUDA C++ Programming Guide, Multi-Device System: stream and event behavior. */
Test(device, a_stream_of_another_device_cannot_be_made_current)
{
    if (!two_devices()) return;
    lab_stream *other = make_stream(1);
    cr_assert_eq(lab_stream_use(other), LAB_ERROR_INVALID_CONTEXT);
    cr_assert_not_null(strstr(lab_error_message(), "device 1"), "%s", lab_error_message());
    LAB_WITH_STREAM(other) cr_assert_eq(lab_stream_query(NULL), LAB_ERROR_INVALID_CONTEXT);
    cr_assert_eq(lab_stream_current(), lab_stream_null());
}

/* cuda.h, Memory Management: cuMemGetInfo. */
Test(device, memory_is_counted_for_each)
{
    if (!two_devices() || !memory_is_ours()) return;
    size_t before[2], after[2], total;
    lab_deviceptr memory;
    for (int i = 0; i < 2; i++) LAB_WITH_DEVICE(i) LAB_CHECK(lab_mem_get_info(&before[i], &total));
    LAB_WITH_DEVICE(1) LAB_CHECK(lab_mem_alloc(&memory, 1 << 22));
    for (int i = 0; i < 2; i++) LAB_WITH_DEVICE(i) LAB_CHECK(lab_mem_get_info(&after[i], &total));
    cr_assert_eq(after[0], before[0]);
    cr_assert_geq(before[1] - after[1], (size_t)1 << 22);
    LAB_CHECK(lab_mem_free(memory));
    LAB_WITH_DEVICE(1) LAB_CHECK(lab_mem_get_info(&after[1], &total));
    cr_assert_eq(after[1], before[1]);
}

/* cuda.h, Execution Control: cuLaunchKernel. */
Test(device, kernels_run_on_both)
{
    if (!two_devices()) return;
    for (int device = 0; device < 2; device++) LAB_WITH_DEVICE(device)
        {
            lab_module *module;
            lab_function fill;
            lab_array *array;
            int host[COUNT];
            LAB_CHECK(lab_module_load_source(&module, fill_source, NULL));
            LAB_CHECK(lab_module_get_function(&fill, module, "fill"));
            LAB_CHECK(lab_array_empty(&array, LAB_INT32, LAB_SHAPE(COUNT)));
            LAB_CHECK(lab_launch(fill, LAB_DIM(1), LAB_DIM(COUNT), 0, NULL, LAB_ARGS(array, 70 + device)));
            LAB_CHECK(lab_array_get(array, host));
            for (int i = 0; i < COUNT; i++) cr_assert_eq(host[i], 70 + device);
            LAB_CHECK(lab_array_destroy(array));
            LAB_CHECK(lab_module_unload(module));
        }
}

/* CUDA C++ Programming Guide, Multi-Device System: stream and event behavior. */
Test(device, a_kernel_is_not_launched_on_a_stream_of_another)
{
    if (!two_devices()) return;
    lab_module *module;
    lab_function fill;
    LAB_CHECK(lab_module_load_source(&module, fill_source, NULL));
    LAB_CHECK(lab_module_get_function(&fill, module, "fill"));
    lab_array *array = make_array(1);
    cr_assert_eq(lab_launch(fill, LAB_DIM(1), LAB_DIM(COUNT), 0, make_stream(1), LAB_ARGS(array, 1)),
                 LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "'fill'"), "%s", lab_error_message());
    cr_assert_not_null(strstr(lab_error_message(), "device 1"), "%s", lab_error_message());
}

/* Launches the kernel on device 0 with an argument of device 1. */
static lab_status launch_on_peer_memory(lab_array *array)
{
    static lab_module *module;
    lab_function fill;
    if (!module) LAB_CHECK(lab_module_load_source(&module, fill_source, NULL));
    LAB_CHECK(lab_module_get_function(&fill, module, "fill"));
    lab_status by_array = lab_launch(fill, LAB_DIM(1), LAB_DIM(COUNT), 0, NULL, LAB_ARGS(array, 5));
    lab_status by_pointer = lab_launch(fill, LAB_DIM(1), LAB_DIM(COUNT), 0, NULL, LAB_ARGS(lab_array_data(array), 5));
    cr_assert_eq(by_array, by_pointer);
    return by_array;
}

/* cuda.h, Peer Context Memory Access: cuCtxEnablePeerAccess. */
Test(device, kernels_use_memory_of_another_only_once_peer_access_is_enabled)
{
    if (!two_devices()) return;
    bool can;
    lab_context *peer;
    int host[COUNT];
    lab_array *array = make_array(1);
    LAB_CHECK(lab_context_primary_retain(&peer, 1));
    LAB_CHECK(lab_device_can_access_peer(&can, 0, 1));
    cr_assert_eq(launch_on_peer_memory(array), LAB_ERROR_INVALID_CONTEXT);
    if (!can) {
        cr_assert_eq(lab_context_enable_peer_access(peer), LAB_ERROR_PEER_ACCESS_UNSUPPORTED);
        return;
    }
    cr_assert_not_null(strstr(lab_error_message(), "lab_context_enable_peer_access"), "%s", lab_error_message());
    LAB_CHECK(lab_context_enable_peer_access(peer));
    cr_assert_eq(lab_context_enable_peer_access(peer), LAB_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    cr_assert_eq(launch_on_peer_memory(array), LAB_SUCCESS);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_array_get(array, host));
    cr_assert_eq(host[COUNT - 1], 5);
    LAB_CHECK(lab_context_disable_peer_access(peer));
    cr_assert_eq(lab_context_disable_peer_access(peer), LAB_ERROR_PEER_ACCESS_NOT_ENABLED);
    cr_assert_eq(launch_on_peer_memory(array), LAB_ERROR_INVALID_CONTEXT);
}

/* cuda.h, Peer Context Memory Access: cuCtxEnablePeerAccess. */
Test(device, peer_access_goes_one_way)
{
    if (!two_devices()) return;
    bool can;
    lab_context *first, *second;
    LAB_CHECK(lab_device_can_access_peer(&can, 0, 1));
    if (!can) return;
    LAB_CHECK(lab_context_primary_retain(&first, 0));
    LAB_CHECK(lab_context_primary_retain(&second, 1));
    LAB_CHECK(lab_context_enable_peer_access(second));
    LAB_WITH_DEVICE(1) cr_assert_eq(lab_context_disable_peer_access(first), LAB_ERROR_PEER_ACCESS_NOT_ENABLED);
}

/* cuda.h, Peer Context Memory Access: cuDeviceCanAccessPeer. */
Test(device, has_no_peer_access_to_itself)
{
    bool can = true;
    lab_context *primary;
    LAB_CHECK(lab_device_can_access_peer(&can, 0, 0));
    cr_assert_not(can);
    LAB_CHECK(lab_context_primary_retain(&primary, 0));
    cr_assert_eq(lab_context_enable_peer_access(primary), LAB_ERROR_INVALID_CONTEXT);
    cr_assert_eq(lab_context_enable_peer_access(NULL), LAB_ERROR_INVALID_CONTEXT);
    cr_assert_eq(lab_context_disable_peer_access(NULL), LAB_ERROR_INVALID_CONTEXT);
}

static void fill_host(int *host, int first)
{
    for (int i = 0; i < COUNT; i++) host[i] = first + i;
}

/* cuda.h, Memory Management: cuMemcpyPeer. */
Test(device, a_peer_copy_moves_the_bytes)
{
    if (!two_devices()) return;
    lab_array *source = make_array(0), *destination = make_array(1);
    int host[COUNT], back[COUNT] = {0};
    fill_host(host, 1000);
    LAB_CHECK(lab_array_set(source, host));
    LAB_CHECK(lab_memcpy_peer(lab_array_data(destination), 1, lab_array_data(source), 0, sizeof host));
    LAB_CHECK(lab_array_get(destination, back));
    cr_assert_arr_eq(back, host, sizeof host);
}

/* CUDA C++ Programming Guide, Multi-Device System: peer-to-peer memory copy. */
Test(device, a_peer_copy_waits_for_the_work_of_both)
{
    if (!two_devices()) return;
    lab_array *source = make_array(0), *destination = make_array(1);
    lab_stream *on_source = make_stream(0);
    int *host, back[COUNT] = {0};
    LAB_CHECK(lab_host_alloc((void **)&host, COUNT * sizeof *host));
    fill_host(host, 3);
    LAB_CHECK(lab_array_set_async(source, host, on_source));
    LAB_CHECK(lab_memcpy_peer(lab_array_data(destination), 1, lab_array_data(source), 0, COUNT * sizeof *host));
    cr_assert_eq(lab_stream_query(on_source), LAB_SUCCESS);
    LAB_CHECK(lab_array_get(destination, back));
    cr_assert_eq(back[COUNT - 1], host[COUNT - 1]);
}

/* CUDA C++ Programming Guide, Multi-Device System: peer-to-peer memory copy. */
Test(device, an_asynchronous_peer_copy_is_ordered_on_its_stream)
{
    if (!two_devices()) return;
    gate closed = GATE_CLOSED;
    lab_array *source = make_array(0), *destination = make_array(1);
    lab_stream *stream = make_stream(0), *other = make_stream(1);
    lab_event *copied;
    int *host, back[COUNT] = {0};
    LAB_CHECK(lab_event_create(&copied, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_host_alloc((void **)&host, COUNT * sizeof *host));
    fill_host(host, 500);
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_array_set_async(source, host, stream));
    LAB_CHECK(
        lab_memcpy_peer_async(lab_array_data(destination), 1, lab_array_data(source), 0, COUNT * sizeof *host, stream));
    LAB_CHECK(lab_event_record(copied, stream));
    LAB_CHECK(lab_stream_wait_event(other, copied));
    LAB_CHECK(lab_memset_async(lab_array_data(destination), 0, sizeof(int), other));
    cr_assert_eq(lab_stream_query(other), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(other));
    LAB_CHECK(lab_array_get(destination, back));
    cr_assert_eq(back[0], 0);
    cr_assert_arr_eq(back + 1, host + 1, (COUNT - 1) * sizeof *host);
}

/* cuda.h, Memory Management: cuMemcpyPeer. */
Test(device, a_peer_copy_checks_where_the_memory_is)
{
    if (!two_devices()) return;
    lab_deviceptr source = lab_array_data(make_array(0)), destination = lab_array_data(make_array(1));
    size_t bytes = COUNT * sizeof(int);
    cr_assert_eq(lab_memcpy_peer(destination, 0, source, 0, bytes), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "destination is on device 1"), "%s", lab_error_message());
    cr_assert_eq(lab_memcpy_peer(destination, 1, source, 1, bytes), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_peer(destination, 9, source, 0, bytes), LAB_ERROR_INVALID_DEVICE);
    cr_assert_eq(lab_memcpy_peer(0, 1, source, 0, bytes), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_peer(destination, 1, source, 0, bytes + 1), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_peer(destination, 1, source, 0, SIZE_MAX), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_peer_async(destination, 0, source, 0, bytes, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_memcpy_peer_async(destination, 1, source, 0, 0, NULL), LAB_SUCCESS);
}

/* cuda.h, Unified Addressing: a copy finds the device of an address. */
Test(device, copies_find_the_device_of_the_memory_by_themselves)
{
    if (!two_devices()) return;
    lab_array *source = make_array(0), *destination = make_array(1);
    int host[COUNT], back[COUNT] = {0};
    fill_host(host, 9);
    LAB_CHECK(lab_array_set(destination, host));
    LAB_CHECK(lab_memcpy_dtod_async(lab_array_data(source), lab_array_data(destination), sizeof host, NULL));
    LAB_CHECK(lab_array_get(source, back));
    cr_assert_arr_eq(back, host, sizeof host);
}

static void *free_memory(void *memory)
{
    LAB_CHECK(lab_mem_free(*(lab_deviceptr *)memory));
    return NULL;
}

/* cuda.h, Memory Management: cuMemFree. */
Test(device, memory_that_another_devices_stream_copies_is_not_freed_before)
{
    if (!two_devices()) return;
    gate closed = GATE_CLOSED;
    lab_array *source = make_array(0);
    lab_stream *stream = make_stream(0);
    lab_deviceptr destination;
    int host[COUNT];
    fill_host(host, 1);
    LAB_CHECK(lab_array_set(source, host));
    LAB_CHECK(lab_device_synchronize()); /* the copy from pageable memory may still be running */
    LAB_WITH_DEVICE(1) LAB_CHECK(lab_mem_alloc(&destination, sizeof host));
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_memcpy_peer_async(destination, 1, lab_array_data(source), 0, sizeof host, stream));
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, free_memory, &destination), 0);
    gate_open(&closed);
    pthread_join(thread, NULL);
    cr_assert_eq(lab_stream_query(stream), LAB_SUCCESS);
}

/* cuda.h, Primary Context Management: cuDevicePrimaryCtxReset. */
Test(device, reset_ends_what_belongs_to_the_primary_context)
{
    lab_array *array;
    lab_stream *stream;
    lab_deviceptr memory;
    size_t before, after, total;
    LAB_CHECK(lab_mem_get_info(&before, &total));
    LAB_CHECK(lab_array_empty(&array, LAB_INT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    LAB_CHECK(lab_device_reset(0));
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_destroy(array), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mem_free(memory), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_mem_get_info(&after, &total));
    if (memory_is_ours()) cr_assert_eq(after, before);
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    LAB_CHECK(lab_memset_async(memory, 1, 64, lab_stream_per_thread()));
    LAB_CHECK(lab_mem_free(memory));
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_VALUE. */
Test(device, results_need_somewhere_to_go)
{
    lab_stream *stream = lab_stream_null();
    lab_event *event;
    lab_deviceptr memory;
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    cr_assert_eq(lab_device_count(NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_device_current(NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_device_get_info(NULL, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_device_can_access_peer(NULL, 0, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_get_device(NULL, stream), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_event_get_device(NULL, event), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_module_get_device(NULL, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mem_get_device(NULL, memory), LAB_ERROR_INVALID_VALUE);
    int device;
    cr_assert_eq(lab_mem_get_device(&device, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_event_get_device(&device, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_module_get_device(&device, NULL), LAB_ERROR_INVALID_HANDLE);
}
