/* The end of a context's work is the end of its streams, and of what other contexts do with its memory. */
#include "cpu_context.h"

#include "cpu/engine/engine.h"
#include "cpu/engine/engine_lock.h"
#include "cpu/engine/process_failure.h"
#include "cpu/checks/memcheck.h"
#include "cpu_capture.h"
#include "cpu_device.h"
#include "cpu_stream.h"

#include <stdlib.h>

lab_status cpu_context_create(backend_context **out, int device)
{
    LAB_TRY(cpu_process_check());
    LAB_TRY(cpu_device_start(device));
    backend_context *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a context on device %d", device);
    int least, greatest;
    cpu_stream_priorities(&least, &greatest, device);
    made->device = device;
    made->null_stream = (backend_stream){.context = made, .null = true, .blocking = true, .rank = least - greatest};
    made->visitors = (backend_stream){.context = made};
    *out = made;
    return LAB_SUCCESS;
}

void cpu_context_destroy(backend_context *context)
{
    cpu_engine_lock();
    cpu_streams_reap(context);
    cpu_stream_close(&context->null_stream);
    cpu_stream_close(&context->visitors);
    cpu_engine_unlock();
    cpu_memcheck_forget_peers(context);
    retire(&context->retired, retire_free);
}

lab_status cpu_context_reset(backend_context *context)
{
    (void)context;
    return cpu_process_check();
}

/* Makes the operation wait for all streams, and for what other contexts do with the memory. */
static lab_status depend_on_all(cpu_op *op, backend_context *context)
{
    LAB_TRY(cpu_op_depend(op, context->null_stream.tail));
    LAB_TRY(cpu_op_depend(op, context->visitors.tail));
    return cpu_streams_depend(op, context, false);
}

void cpu_context_drain(backend_context *context)
{
    cpu_op *end = cpu_op_create(CPU_QUEUE_NONE, 0);
    lab_status status = end ? LAB_SUCCESS : LAB_ERROR_OUT_OF_MEMORY;
    if (end) {
        cpu_engine_lock();
        status = depend_on_all(end, context);
        cpu_op_submit(end);
        cpu_streams_reap(context);
        cpu_engine_unlock();
        cpu_op_wait_outside(end, false);
        cpu_op_drop(end);
    }
    if (status != LAB_SUCCESS) cpu_streams_wait(context, false);
}

lab_status cpu_context_wait(backend_context *context)
{
    cpu_context_drain(context);
    return cpu_process_check();
}

lab_status cpu_context_synchronize(backend_context *context)
{
    LAB_TRY(cpu_capture_check_context(context));
    return cpu_context_wait(context);
}

/* Kernels reach all memory, which is the host's: only memcheck needs to know. */
lab_status cpu_context_peer_access(backend_context *context, backend_context *peer, bool enable)
{
    if (cpu_memcheck_set_peer(context, peer, enable)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to note whose memory kernels may use");
}

void cpu_context_used_by(backend_context *context, backend_stream *stream)
{
    cpu_op *marker = cpu_op_create(CPU_QUEUE_NONE, 0);
    lab_status status = marker ? LAB_SUCCESS : LAB_ERROR_OUT_OF_MEMORY;
    if (marker) {
        cpu_engine_lock();
        status = cpu_op_depend(marker, context->visitors.tail);
        if (status == LAB_SUCCESS) status = cpu_op_depend(marker, stream->tail);
        cpu_op_submit(marker);
        const bool follows = status == LAB_SUCCESS && !context->visitors.destroyed;
        cpu_op *replaced = follows ? context->visitors.tail : marker;
        if (follows) context->visitors.tail = marker;
        cpu_op_release(replaced);
        cpu_engine_unlock();
    }
    if (status != LAB_SUCCESS) cpu_stream_wait(stream);
}
