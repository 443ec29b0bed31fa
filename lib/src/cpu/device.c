/* The CPU device: what it says of itself, and its table behind the seam. */
#include "device.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As on a current GPU. */
enum { MAX_BLOCK_THREADS = 1024, SHARED_BYTES = 48 * 1024, MOST_MULTIPROCESSORS = 1024 };

static int multiprocessors;

/* LAB_CPU_MULTIPROCESSORS, else the cores that this process may use. */
static lab_status count_multiprocessors(int *count)
{
    const char *wish = getenv("LAB_CPU_MULTIPROCESSORS");
    if (wish && *wish) {
        char *end;
        errno = 0;
        long number = strtol(wish, &end, 10);
        if (errno || *end || number < 1 || number > MOST_MULTIPROCESSORS)
            return lab_fail(LAB_ERROR_INVALID_VALUE, "LAB_CPU_MULTIPROCESSORS=%s is not a number from 1 to %d", wish,
                            MOST_MULTIPROCESSORS);
        *count = (int)number;
        return LAB_SUCCESS;
    }
    cpu_set_t cores;
    *count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
    return LAB_SUCCESS;
}

static lab_status open_devices(int *devices)
{
    LAB_TRY(count_multiprocessors(&multiprocessors));
    LAB_TRY(cpu_engine_start(multiprocessors));
    *devices = 1;
    return LAB_SUCCESS;
}

/* "AMD EPYC 9355 (2 cores)" */
static void name_device(char *name, size_t bytes)
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
    snprintf(name, bytes, "%s (%d core%s)", model, multiprocessors, multiprocessors == 1 ? "" : "s");
}

static lab_status device_info(lab_device_info *info, int device)
{
    (void)device;
    *info = (lab_device_info){
        .kind = "cpu",
        .multiprocessors = multiprocessors,
        .copy_engines = 2,
        .max_block_threads = MAX_BLOCK_THREADS,
        .max_shared_bytes = SHARED_BYTES,
        .total_memory = cpu_total_memory(),
    };
    name_device(info->name, sizeof info->name);
    return LAB_SUCCESS;
}

const lab_backend cpu_backend = {
    .kind = "cpu",
    .open = open_devices,
    .device_info = device_info,
    .context_primary = cpu_context_primary,
    .context_synchronize = cpu_context_synchronize,
    .stream_null = cpu_stream_null,
    .stream_create = cpu_stream_create,
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
    .module_load = cpu_module_open,
    .module_unload = cpu_module_close,
    .module_kernels = cpu_module_kernels,
    .launch = cpu_launch_kernel,
};
