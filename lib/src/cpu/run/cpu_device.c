/* The CPU devices: how many there are, what they say of themselves, and their table behind the seam. */
#include "cpu_device.h"

#include "capacity.h"
#include "schedule.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As on a current GPU. */
enum { MAX_BLOCK_THREADS = 1024, SHARED_BYTES = 48 * 1024, MOST_MULTIPROCESSORS = 1024 };

static int device_count;
static int multiprocessors[CPU_MOST_DEVICES];
static size_t device_memory; /* bytes of each */

/* The number in the environment; `otherwise` if the variable is not set. */
static lab_status read_number(int *number, const char *variable, int most, int otherwise)
{
    const char *wish = getenv(variable);
    *number = otherwise;
    if (!wish || !*wish) return LAB_SUCCESS;
    char *end;
    errno = 0;
    long read = strtol(wish, &end, 10);
    if (errno || *end || read < 1 || read > most)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s=%s is not a number from 1 to %d", variable, wish, most);
    *number = (int)read;
    return LAB_SUCCESS;
}

/* The devices share the cores and the memory evenly; a core more here or there, and at least one each. */
static lab_status open_devices(int *devices)
{
    int cores = cpu_usable_cores(), asked_for;
    LAB_TRY(cpu_schedule_open());
    LAB_TRY(read_number(&device_count, "LAB_CPU_DEVICES", CPU_MOST_DEVICES, 1));
    LAB_TRY(read_number(&asked_for, "LAB_CPU_MULTIPROCESSORS", MOST_MULTIPROCESSORS, 0));
    for (int i = 0; i < device_count; i++) {
        int share = cores / device_count + (i < cores % device_count ? 1 : 0);
        multiprocessors[i] = asked_for ? asked_for : share > 0 ? share : 1;
    }
    device_memory = cpu_usable_memory() / 2 / (size_t)device_count;
    *devices = device_count;
    return LAB_SUCCESS;
}

size_t cpu_total_memory(void) { return device_memory; }

lab_status cpu_device_start(int device) { return cpu_engine_start(device, multiprocessors[device]); }

/* "AMD EPYC 9355 (2 cores)" */
static void name_device(char *name, size_t bytes, int cores)
{
    char line[512], model[100] = "CPU";
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        char *value = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (!value) continue;
        value += strspn(value, ": \t");
        value[strcspn(value, "\n")] = '\0';
        snprintf(model, sizeof model, "%.*s", (int)sizeof model - 1, value);
        break;
    }
    if (file) fclose(file);
    snprintf(name, bytes, "%s (%d core%s)", model, cores, cores == 1 ? "" : "s");
}

static lab_status device_info(lab_device_info *info, int device)
{
    *info = (lab_device_info){
        .kind = "cpu",
        .multiprocessors = multiprocessors[device],
        .copy_engines = 2,
        .max_block_threads = MAX_BLOCK_THREADS,
        .max_shared_bytes = SHARED_BYTES,
        .total_memory = cpu_total_memory(),
    };
    name_device(info->name, sizeof info->name, multiprocessors[device]);
    return LAB_SUCCESS;
}

/* The engine writes times as it runs. */
static void no_preparation(void) {}

bool cpu_can_access_peer(int device, int peer) { return device != peer; }

const lab_backend cpu_backend = {
    .kind = "cpu",
    .generated = &cpu_generated,
    .open = open_devices,
    .device_info = device_info,
    .stream_priorities = cpu_stream_priorities,
    .can_access_peer = cpu_can_access_peer,
    .context_primary = cpu_context_create,
    .context_create = cpu_context_create,
    .context_destroy = cpu_context_destroy,
    .context_reset = cpu_context_reset,
    .context_synchronize = cpu_capture_synchronize_context,
    .context_wait = cpu_context_synchronize,
    .peer_access = cpu_peer_access,
    .context_used_by = cpu_context_used_by,
    .stream_null = cpu_stream_null,
    .stream_create = cpu_stream_create,
    .stream_native = cpu_stream_native,
    .stream_wrap = cpu_stream_wrap,
    .stream_destroy = cpu_stream_destroy,
    .stream_synchronize = cpu_stream_synchronize,
    .stream_query = cpu_stream_query,
    .stream_wait_event = cpu_stream_wait_event,
    .host_function = cpu_host_function,
    .event_create = cpu_event_create,
    .event_destroy = cpu_event_destroy,
    .event_record = cpu_event_record,
    .event_query = cpu_event_query,
    .event_synchronize = cpu_event_synchronize,
    .event_elapsed_time = cpu_event_elapsed_time,
    .memory_alloc = cpu_memory_alloc,
    .memory_free = cpu_memory_free,
    .memory_info = cpu_memory_info,
    .host_alloc = cpu_host_alloc,
    .host_free = cpu_host_free,
    .host_register = cpu_host_register,
    .host_unregister = cpu_host_unregister,
    .copy = cpu_copy,
    .fill = cpu_fill,
    .memory_left = cpu_memory_left,
    .module_load = cpu_module_open,
    .module_unload = cpu_module_close,
    .module_kernels = cpu_module_kernels,
    .module_global = cpu_module_global,
    .module_find_accesses = cpu_module_find_accesses,
    .launch = cpu_launch_kernel,
    .capture_begin = cpu_capture_begin,
    .capture_end = cpu_capture_end,
    .capture_status = cpu_capture_status,
    .capture_exchange_mode = cpu_capture_exchange_mode,
    .capture_check_unsafe = cpu_capture_check_unsafe,
    .graph_destroy = cpu_graph_destroy,
    .graph_nodes = cpu_graph_nodes,
    .graph_edges = cpu_graph_edges,
    .graph_function = cpu_graph_function,
    .exec_create = cpu_exec_create,
    .exec_destroy = cpu_exec_destroy,
    .exec_launch = cpu_exec_launch,
    .exec_update_kernel = cpu_exec_update_kernel,
    .times_begin = no_preparation,
    .times_end = no_preparation,
};
