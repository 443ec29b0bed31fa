/* The CUDA devices: their list, their properties, and their table for the seam. */
#include "cuda_device_state.h"

#include "cuda_device.h"
#include "seam/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUdevice native[BACKEND_MOST_DEVICES];
static int devices;

CUdevice cuda_native_device(int device) { return native[device]; }

static int attribute(int device, CUdevice_attribute which)
{
    int value = 0;
    cuda.cuDeviceGetAttribute(&value, which, native[device]);
    return value;
}

int cuda_architecture(int device)
{
    return 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
           attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
}

/* LAB_DEVICE=cuda:N selects one device; any other value selects all. */
static lab_status open_devices(int *found)
{
    int count = 0, only = -1;
    const char *wish = getenv("LAB_DEVICE");
    if (wish && strncmp(wish, "cuda:", 5) == 0) only = (int)strtol(wish + 5, NULL, 10);
    LAB_TRY(cuda_driver_open());
    CUDA_TRY(cuDeviceGetCount, &count);
    if (count == 0) return lab_fail(LAB_ERROR_NO_DEVICE, "no CUDA device: the driver sees no GPU");
    if (only >= count)
        return lab_fail(LAB_ERROR_NO_DEVICE, "LAB_DEVICE=%s: there %s %d CUDA device%s, numbered from 0", wish,
                        count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
    devices = 0;
    for (int i = 0; i < count && devices < BACKEND_MOST_DEVICES; i++)
        if (only < 0 || only == i) CUDA_TRY(cuDeviceGet, &native[devices++], i);
    *found = devices;
    return LAB_SUCCESS;
}

static lab_status device_info(lab_device_info *info, int device)
{
    *info = (lab_device_info){
        .kind = "cuda",
        .multiprocessors = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .copy_engines = attribute(device, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT),
        .max_block_threads = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .max_shared_bytes = (size_t)attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
    };
    CUDA_TRY(cuDeviceGetName, info->name, sizeof info->name, native[device]);
    CUDA_TRY(cuDeviceTotalMem, &info->total_memory, native[device]);
    return LAB_SUCCESS;
}

static bool can_access_peer(int device, int peer)
{
    int can = 0;
    return cuda.cuDeviceCanAccessPeer(&can, native[device], native[peer]) == CUDA_SUCCESS && can;
}

static const lab_backend backend = {
    .kind = "cuda",
    .generated = &cuda_generated,
    .open = open_devices,
    .device_info = device_info,
    .stream_priorities = cuda_stream_priorities,
    .can_access_peer = can_access_peer,
    .context_primary = cuda_context_primary,
    .context_create = cuda_context_create,
    .context_destroy = cuda_context_destroy,
    .context_reset = cuda_context_reset,
    .context_synchronize = cuda_context_synchronize,
    .context_wait = cuda_context_wait,
    .peer_access = cuda_peer_access,
    .context_used_by = cuda_context_used_by,
    .stream_null = cuda_stream_null,
    .stream_create = cuda_stream_create,
    .stream_native = cuda_stream_native,
    .stream_wrap = cuda_stream_wrap,
    .stream_destroy = cuda_stream_destroy,
    .stream_synchronize = cuda_stream_synchronize,
    .stream_query = cuda_stream_query,
    .stream_wait_event = cuda_stream_wait_event,
    .host_function = cuda_host_function,
    .event_create = cuda_event_create,
    .event_destroy = cuda_event_destroy,
    .event_record = cuda_event_record,
    .event_query = cuda_event_query,
    .event_synchronize = cuda_event_synchronize,
    .event_elapsed_time = cuda_event_elapsed_time,
    .memory_alloc = cuda_memory_alloc,
    .memory_free = cuda_memory_free,
    .memory_info = cuda_memory_info,
    .host_alloc = cuda_host_alloc,
    .host_free = cuda_host_free,
    .host_register = cuda_host_register,
    .host_unregister = cuda_host_unregister,
    .copy = cuda_copy,
    .fill = cuda_fill,
    .memory_left = cuda_memory_left,
    .module_load = cuda_module_load,
    .module_unload = cuda_module_unload,
    .module_kernels = cuda_module_kernels,
    .module_global = cuda_module_global,
    .module_find_accesses = cuda_module_find_accesses,
    .launch = cuda_launch,
    .capture_begin = cuda_capture_begin,
    .capture_end = cuda_capture_end,
    .capture_status = cuda_capture_status,
    .capture_exchange_mode = cuda_capture_exchange_mode,
    .capture_check_unsafe = cuda_capture_check_unsafe,
    .graph_destroy = cuda_graph_destroy,
    .graph_nodes = cuda_graph_nodes,
    .graph_edges = cuda_graph_edges,
    .graph_function = cuda_graph_function,
    .exec_create = cuda_exec_create,
    .exec_destroy = cuda_exec_destroy,
    .exec_launch = cuda_exec_launch,
    .exec_update_kernel = cuda_exec_update_kernel,
    .times_begin = cuda_times_begin,
    .times_end = cuda_times_end,
    .times_come_late = true,
};

const lab_backend *cuda_backend(void) { return &backend; }
