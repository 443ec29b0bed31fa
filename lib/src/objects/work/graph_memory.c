/* Memory of graphs, for the device, the ledger, the order checker and the record. */
#include "graph_memory.h"

#include "base/status.h"
#include "host_call.h"
#include "memory.h"
#include "objects/contexts/context_stack.h"
#include "objects/contexts/stream_record.h"
#include "order/order.h"
#include "seam/ledger.h"
#include "seam/written.h"

uint64_t graph_memory_capture(lab_stream *handle)
{
    RETIRE_SCOPE;
    struct stream *stream;
    if (!capture_is_any_on() || stream_resolve(&stream, handle, "graph_memory_capture") != LAB_SUCCESS) return 0;
    return capture_id(stream);
}

lab_status graph_memory_make(uint64_t *address, size_t bytes, const char *call)
{
    RETIRE_SCOPE;
    CONTEXT_HELD struct context *context = NULL;
    LAB_TRY(context_hold_current(&context));
    const lab_capture_mode before = capture_enter_relaxed();
    const lab_status status = memory_alloc_on(address, context, bytes, call);
    capture_leave_relaxed(before);
    if (status != LAB_SUCCESS) return status;
    ledger_set_pooled(*address, true);
    order_memory_is_of_graph(*address);
    return LAB_SUCCESS;
}

lab_status graph_memory_drop(uint64_t address)
{
    const lab_capture_mode before = capture_enter_relaxed();
    const lab_status status = lab_mem_free(address);
    capture_leave_relaxed(before);
    return status;
}

lab_status graph_memory_begin(uint64_t address, size_t bytes, lab_stream *handle)
{
    RETIRE_SCOPE;
    struct stream *stream;
    LAB_TRY(stream_resolve(&stream, handle, "graph_memory_begin"));
    record_entry *entry = stream_record_begin(LAB_OP_POOL_ALLOC, stream);
    ledger_add(address, bytes, stream->context->native);
    written_begin(address, bytes);
    record_made(entry, address, bytes);
    record_end(entry, LAB_SUCCESS);
    return LAB_SUCCESS;
}

lab_status graph_memory_end(uint64_t address, size_t bytes, lab_stream *handle)
{
    RETIRE_SCOPE;
    struct stream *stream;
    LAB_TRY(stream_resolve(&stream, handle, "graph_memory_end"));
    record_entry *entry = stream_record_begin(LAB_OP_POOL_FREE, stream);
    const lab_status status = record_gives_back(entry, address, bytes);
    if (status == LAB_SUCCESS) ledger_remove(address, bytes);
    record_end(entry, status);
    return status;
}

static void do_nothing(void *user) { (void)user; }

lab_status graph_memory_add_node(lab_stream *stream, uint64_t address, size_t bytes, bool ends)
{
    const lab_trace_access whole = {address, bytes, .writes = true};
    return host_call_enqueue_for_memory(stream, do_nothing, ends ? GRAPH_MEMORY_ENDS : GRAPH_MEMORY_BEGINS, &whole,
                                        ends);
}
