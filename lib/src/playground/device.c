/* A device whose work is done when it is enqueued. Its addresses are numbers that nothing is behind. */
#include "device.h"

#include "base/status.h"
#include "capture.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 64, MOST_PARAMS = 8, UNIT = 4096 };

/* Pointers may have 32 bits. */
static const uint64_t first_device = 0x7f0000000000, first_host = 0x40000000;
static uint64_t next_device, next_host;

static uint64_t take(uint64_t *next, size_t bytes)
{
    const uint64_t taken = *next;
    *next += (bytes + UNIT - 1) / UNIT * UNIT + UNIT; /* no two of them touch */
    return taken;
}

void *play_pageable(size_t bytes) { return (void *)(uintptr_t)take(&next_host, bytes); }

static lab_status open_device(int *devices)
{
    next_device = first_device;
    next_host = first_host;
    *devices = 1;
    return LAB_SUCCESS;
}

static lab_status describe(lab_device_info *info, int device)
{
    (void)device;
    *info = (lab_device_info){.name = "the playground",
                              .kind = "cpu",
                              .multiprocessors = 1,
                              .copy_engines = 2,
                              .max_block_threads = 1024,
                              .max_shared_bytes = 48 << 10,
                              .total_memory = (size_t)1 << 31};
    return LAB_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------
 * Contexts, streams and events: addresses that tell one from the other
 */

struct backend_context {
    char unused;
};
static backend_context only_context;
static backend_stream null_stream = {.null = true};

static lab_status give_context(backend_context **out, int device)
{
    (void)device;
    *out = &only_context;
    return LAB_SUCCESS;
}

static lab_status done_with_context(backend_context *context)
{
    (void)context;
    return LAB_SUCCESS;
}

static lab_status reset(backend_context *context)
{
    int devices;
    (void)context;
    capture_forget();
    return open_device(&devices);
}

static backend_stream *give_null(backend_context *context)
{
    (void)context;
    return &null_stream;
}

static void priorities(int *least, int *greatest, int device)
{
    (void)device;
    *least = *greatest = 0;
}

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for another object"); }

static lab_status make_stream(backend_stream **out, backend_context *context, unsigned flags, int priority)
{
    (void)context;
    (void)priority;
    *out = malloc(sizeof **out);
    if (!*out) return no_memory();
    **out = (backend_stream){.blocking = !(flags & LAB_STREAM_NON_BLOCKING)};
    return LAB_SUCCESS;
}

static lab_status end_stream(backend_stream *stream)
{
    free(stream);
    return LAB_SUCCESS;
}

static lab_status make_event(backend_event **out, backend_context *context, unsigned flags)
{
    (void)context;
    (void)flags;
    *out = calloc(1, sizeof **out);
    return *out ? LAB_SUCCESS : no_memory();
}

static lab_status end_event(backend_event *event)
{
    free(event);
    return LAB_SUCCESS;
}

static lab_status record_event(backend_event *event, backend_stream *stream, backend_times *times)
{
    (void)times;
    capture_records(event, stream);
    return LAB_SUCCESS;
}

static lab_status wait_for_event(backend_stream *stream, backend_event *event)
{
    lab_status status;
    return capture_waits(&status, stream, event) ? status : LAB_SUCCESS;
}

static void wait_in_vain(backend_stream *stream, backend_event *event)
{
    (void)stream;
    (void)event;
}

/* ------------------------------------------------------------------------------------------------------
 * Memory and work
 */

static lab_status alloc_memory(uint64_t *address, backend_context *context, size_t bytes)
{
    (void)context;
    *address = take(&next_device, bytes);
    return LAB_SUCCESS;
}

static lab_status free_memory(backend_context *context, uint64_t address, size_t bytes)
{
    (void)context;
    (void)address;
    (void)bytes;
    return LAB_SUCCESS;
}

static bool leave_memory(backend_stream *stream, uint64_t address, size_t bytes)
{
    (void)stream;
    (void)address;
    (void)bytes;
    return false;
}

static lab_status alloc_pinned(void **out, backend_context *context, size_t bytes)
{
    (void)context;
    *out = play_pageable(bytes);
    return LAB_SUCCESS;
}

static lab_status free_pinned(backend_context *context, void *memory, size_t bytes)
{
    (void)context;
    (void)memory;
    (void)bytes;
    return LAB_SUCCESS;
}

static lab_status copy(backend_stream *stream, const backend_copy *copied, backend_times *times)
{
    static const lab_graph_node_kind kinds[] = {LAB_NODE_COPY_HTOD, LAB_NODE_COPY_DTOH, LAB_NODE_COPY_DTOD};
    const lab_graph_node node = {.kind = kinds[copied->kind], .name = "", .bytes = copied->bytes};
    lab_status status = LAB_SUCCESS;
    (void)times;
    if (!copied->wait && capture_takes(&status, stream, &node, 0)) return status;
    if (copied->wait) status = capture_check_stream(stream);
    if (status == LAB_SUCCESS && copied->enqueued.call) copied->enqueued.call(copied->enqueued.user);
    return status;
}

static lab_status fill(backend_stream *stream, uint64_t destination, unsigned char value, size_t bytes,
                       backend_times *times)
{
    const lab_graph_node node = {.kind = LAB_NODE_FILL, .name = "", .bytes = bytes};
    lab_status status;
    (void)destination;
    (void)value;
    (void)times;
    return capture_takes(&status, stream, &node, 0) ? status : LAB_SUCCESS;
}

static lab_status call_host(backend_stream *stream, const backend_host_call *call, backend_times *times)
{
    const lab_graph_node node = {.kind = LAB_NODE_HOST_FUNCTION, .name = ""};
    lab_status status = LAB_SUCCESS;
    (void)times;
    capture_takes(&status, stream, &node, 0);
    if (status == LAB_SUCCESS) call->release(call->user);
    return status;
}

static lab_status launch(backend_stream *stream, const backend_launch *launched, backend_times *times)
{
    const lab_graph_node node = {
        .kind = LAB_NODE_KERNEL, .name = launched->kernel->name, .grid = launched->grid, .block = launched->block};
    lab_status status;
    (void)times;
    return capture_takes(&status, stream, &node, launched->function) ? status : LAB_SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------
 * Modules
 */

struct backend_module {
    char source[PLAY_SOURCE_BYTES];
    int kernels;
    backend_kernel kernel[MOST_KERNELS];
    backend_param param[MOST_KERNELS][MOST_PARAMS];
};

static void read_kernel(backend_module *module, const char *name, const char *letters)
{
    backend_param *param = module->param[module->kernels];
    backend_kernel *made = &module->kernel[module->kernels++];
    *made = (backend_kernel){.name = name, .param = param};
    for (; *letters && made->params < MOST_PARAMS; letters++)
        param[made->params++] = (backend_param){.name = "",
                                                .type = "",
                                                .kind = LAB_ARG_POINTER,
                                                .size = 8,
                                                .reads = *letters != 'w',
                                                .writes = *letters != 'r'};
}

static lab_status load(backend_module **out, int64_t *compile_ns, backend_context *context, const char *source,
                       const char *name)
{
    (void)context;
    (void)name;
    *compile_ns = 0;
    backend_module *made = calloc(1, sizeof *made);
    if (!made) return no_memory();
    strncpy(made->source, source, sizeof made->source - 1);
    char *rest = made->source;
    for (char *word; (word = strsep(&rest, " ")) && rest && made->kernels < MOST_KERNELS;)
        read_kernel(made, word, strsep(&rest, "\n"));
    *out = made;
    return LAB_SUCCESS;
}

static lab_status unload(backend_module *module, backend_context *context)
{
    (void)context;
    free(module);
    return LAB_SUCCESS;
}

static int list_kernels(const backend_kernel **first, const backend_module *module)
{
    *first = module->kernel;
    return module->kernels;
}

static void find_accesses(backend_module *module, backend_context *context)
{
    (void)module;
    (void)context;
}

/* ------------------------------------------------------------------------------------------------------
 * No times, which the model adds
 */

static void nothing(void) {}

/* The entries that are missing belong to calls that no statement of a program makes. */
const lab_backend cpu_backend = {
    .kind = "cpu",
    .open = open_device,
    .device_info = describe,
    .stream_priorities = priorities,
    .context_primary = give_context,
    .context_reset = reset,
    .context_synchronize = capture_check_context,
    .context_wait = done_with_context,
    .stream_null = give_null,
    .stream_create = make_stream,
    .stream_destroy = end_stream,
    .stream_synchronize = capture_check_stream,
    .stream_query = capture_check_stream,
    .stream_wait_event = wait_for_event,
    .stream_wait_in_vain = wait_in_vain,
    .host_function = call_host,
    .event_create = make_event,
    .event_destroy = end_event,
    .event_record = record_event,
    .event_query = capture_check_event,
    .event_synchronize = capture_check_event,
    .memory_alloc = alloc_memory,
    .memory_free = free_memory,
    .memory_left = leave_memory,
    .host_alloc = alloc_pinned,
    .host_free = free_pinned,
    .copy = copy,
    .fill = fill,
    .module_load = load,
    .module_unload = unload,
    .module_kernels = list_kernels,
    .module_find_accesses = find_accesses,
    .launch = launch,
    .capture_begin = capture_begin,
    .capture_end = capture_end,
    .capture_id = capture_number,
    .capture_any = capture_any,
    .capture_status = capture_status,
    .capture_exchange_mode = capture_exchange_mode,
    .capture_check_unsafe = capture_check_unsafe,
    .graph_destroy = capture_graph_destroy,
    .graph_nodes = capture_graph_nodes,
    .graph_edges = capture_graph_edges,
    .graph_function = capture_graph_function,
    .exec_create = capture_exec_create,
    .exec_destroy = capture_exec_destroy,
    .exec_launch = capture_exec_launch,
    .times_begin = nothing,
    .times_end = nothing,
};
