/* Stands in front of a device, for the calls that wait for nothing which a program has enqueued. What may wait for such
 * work (freeing memory, unloading a module, every synchronisation) is the device's own, and so are loads of modules,
 * which begin with a compiler: its processor time is no secret of a driver's. */
#include "timed_backend.h"

#include "base/system/own_time.h"

static const lab_backend *device;

#define TIMED(entry, parameters, arguments)                                                                            \
    static lab_status entry parameters                                                                                 \
    {                                                                                                                  \
        own_time_begins();                                                                                             \
        const lab_status status = device->entry arguments;                                                             \
        own_time_ends();                                                                                               \
        return status;                                                                                                 \
    }

TIMED(open, (int *devices), (devices))
TIMED(context_primary, (backend_context * *out, int number), (out, number))
TIMED(context_create, (backend_context * *out, int number), (out, number))
TIMED(context_reset, (backend_context * context), (context))
TIMED(stream_create, (backend_stream * *out, backend_context *context, unsigned flags, int priority),
      (out, context, flags, priority))
TIMED(event_create, (backend_event * *out, backend_context *context, unsigned flags), (out, context, flags))
TIMED(memory_alloc, (uint64_t * address, backend_context *context, size_t bytes), (address, context, bytes))
TIMED(host_alloc, (void **out, backend_context *context, size_t bytes), (out, context, bytes))
TIMED(host_register, (backend_context * context, void *memory, size_t bytes), (context, memory, bytes))
TIMED(exec_create, (backend_exec * *out, const backend_graph *graph), (out, graph))

static void context_destroy(backend_context *context)
{
    own_time_begins();
    device->context_destroy(context);
    own_time_ends();
}

static void times_begin(void)
{
    own_time_begins();
    device->times_begin();
    own_time_ends();
}

/* The work of the record is done by then. */
static void times_end(void)
{
    own_time_begins();
    device->times_end();
    own_time_ends();
}

const lab_backend *timed_backend(const lab_backend *backend)
{
    static lab_backend timed;
    device = backend;
    timed = *backend;
    timed.open = open;
    timed.context_primary = context_primary;
    timed.context_create = context_create;
    timed.context_destroy = context_destroy;
    timed.context_reset = context_reset;
    timed.stream_create = stream_create;
    timed.event_create = event_create;
    timed.memory_alloc = memory_alloc;
    timed.host_alloc = host_alloc;
    timed.host_register = host_register;
    timed.exec_create = exec_create;
    timed.times_begin = times_begin;
    timed.times_end = times_end;
    return &timed;
}
