/* The CPU devices behind the seam: the table of their operations, and how they run generated kernels. */
#include "cpu_capture.h"
#include "cpu_context.h"
#include "cpu_copy.h"
#include "cpu_device.h"
#include "cpu_event.h"
#include "cpu_exec.h"
#include "cpu_graph.h"
#include "cpu_launch.h"
#include "cpu_memory.h"
#include "cpu_module.h"
#include "cpu_stream.h"

/* The prelude is read by the assembler; its path is relative to the folder that make runs in. */
extern const char cpu_generated_prelude[];
__asm__(".pushsection .rodata\n"
        ".global cpu_generated_prelude\n"
        "cpu_generated_prelude:\n"
        ".incbin \"lib/src/cpu/run/generated.cuh\"\n"
        ".byte 0\n"
        ".popsection\n");

/* A block of so many elements takes microseconds, so the cost of starting a block does not matter. */
static const backend_generated generated = {
    .prelude = cpu_generated_prelude,
    .block_threads = 1,
    .reduction_threads = 1,
    .reduction_columns = 256, /* a tree of that many partial results fits the first cache */
    .block_elements = 8192,
    .blocks_per_multiprocessor = 32,
};

/* The engine writes times as it runs: nothing has to be prepared. */
static void prepare_nothing(void) {}

const lab_backend cpu_backend = {
    .kind = "cpu",
    .generated = &generated,
    .open = cpu_device_open,
    .device_info = cpu_device_info,
    .stream_priorities = cpu_stream_priorities,
    .can_access_peer = cpu_device_can_access_peer,
    .context_primary = cpu_context_create,
    .context_create = cpu_context_create,
    .context_destroy = cpu_context_destroy,
    .context_reset = cpu_context_reset,
    .context_synchronize = cpu_context_synchronize,
    .context_wait = cpu_context_wait,
    .peer_access = cpu_context_peer_access,
    .context_used_by = cpu_context_used_by,
    .stream_null = cpu_stream_null,
    .stream_create = cpu_stream_create,
    .stream_native = cpu_stream_native,
    .stream_wrap = cpu_stream_wrap,
    .stream_destroy = cpu_stream_destroy,
    .stream_synchronize = cpu_stream_synchronize,
    .stream_query = cpu_stream_query,
    .stream_wait_event = cpu_stream_wait_event,
    .stream_wait_in_vain = cpu_stream_wait_in_vain,
    .host_function = cpu_stream_host_function,
    .host_work = cpu_host_work,
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
    .capture_id = cpu_capture_id,
    .capture_any = cpu_capture_any,
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
    .times_begin = prepare_nothing,
    .times_end = prepare_nothing,
};
