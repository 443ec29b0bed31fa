/* Submissions: one lock for all threads. The record and the order checker are told of each step. */
#include "submission.h"

#include "base/op_kind.h"
#include "record_entry.h"
#include "seam/checks.h"

#include <assert.h>

record_entry *submission_open(lab_op_kind kind, int device)
{
    assert(lab_op_is_stream_work(kind));
    order_enter();
    record_entry *entry = record_open(kind, device, true);
    if (entry)
        entry->submitting = true;
    else
        order_leave();
    return entry;
}

/* The operation as the order checker sees it: its id is the record_id, or 0 if it is not in a record. `copy` is room
 * for an operation that is recorded. */
static const lab_trace_op *op_to_check(record_entry *entry, lab_trace_op *copy)
{
    entry->op.name = entry->name;
    entry->op.access = entry->access;
    if (!entry->recorded) return &entry->op;
    *copy = entry->op;
    copy->id = record_id(entry);
    return copy;
}

lab_status submission_check(record_entry *entry, order_exec *exec)
{
    if (!entry || !order_is_on()) return LAB_SUCCESS;
    lab_trace_op copy;
    entry->checked = true;
    return order_check(op_to_check(entry, &copy), entry->op.declared, entry->stream, entry->capture, exec);
}

bool submission_is_measured(const record_entry *entry)
{
    return entry && order_is_on() && !entry->capture && kernel_check_is_on(KERNEL_CHECK_ORDER);
}

void submission_begin_check(record_entry *entry)
{
    lab_trace_op copy;
    entry->checked = true;
    order_begin(op_to_check(entry, &copy), entry->stream);
}

lab_status submission_end_check(record_entry *entry)
{
    lab_trace_op copy;
    return order_judge(op_to_check(entry, &copy), entry->op.declared);
}

void submission_calls(record_entry *entry, order_host_call *call)
{
    if (entry && entry->checked) order_calls(call);
}

void submission_ends_memory(record_entry *entry)
{
    if (entry && entry->checked) order_ends_memory();
}

static void finish(record_entry *entry, bool enqueued)
{
    if (!entry || !entry->submitting) return;
    if (entry->checked) order_commit(enqueued);
    if (entry->checked && enqueued && entry->op.host_waits)
        entry->covered = order_covered_by_last(entry->waits_for_source);
    entry->submitting = false;
    order_leave();
}

void submission_commit(record_entry *entry) { finish(entry, true); }

void submission_abort(record_entry *entry) { finish(entry, false); }

static void commit_by_device(void *entry) { submission_commit(entry); }

backend_enqueued submission_on_enqueued(record_entry *entry)
{
    return (backend_enqueued){entry ? commit_by_device : NULL, entry};
}

void submission_close(record_entry *entry, lab_status status)
{
    if (status == LAB_SUCCESS)
        submission_commit(entry);
    else
        submission_abort(entry);
    record_close(entry, status);
}

/* ------------------------------------------------------------------------------------------------------
 * Events and waits
 */

void submission_event_recorded(record_entry *entry, const void *event)
{
    if (entry && order_is_on()) order_event_recorded(event, entry->stream, entry->capture);
}

void submission_event_waited(record_entry *entry, const void *event)
{
    if (entry && order_is_on()) order_event_waited(event, entry->stream, entry->capture);
}

void record_waits_for_event(record_entry *entry, const void *event)
{
    if (entry) entry->covered = order_cover_event(event);
}

void record_waits_for_context(record_entry *entry, uint64_t context)
{
    if (entry) entry->covered = order_cover_context(context);
}

/* ------------------------------------------------------------------------------------------------------
 * Memory
 */

lab_status record_host_access(lab_op_kind kind, uint64_t address, size_t bytes)
{
    record_entry *entry = record_begin(kind, 0);
    record_bytes(entry, bytes);
    const bool writes = kind == LAB_OP_HOST_WRITE;
    record_access(entry, (lab_trace_access){address, bytes, .host = true, .reads = !writes, .writes = writes});
    lab_trace_op copy;
    const lab_status status = entry && order_is_on() ? order_host_access(op_to_check(entry, &copy)) : LAB_SUCCESS;
    record_end(entry, status);
    return status;
}

void record_made(record_entry *entry, uint64_t address, size_t bytes)
{
    if (!entry) return;
    record_memory(entry, address, bytes);
    if (!order_is_on()) return;
    lab_trace_op copy;
    order_memory_made(op_to_check(entry, &copy), entry->stream);
}

lab_status record_gives_back(record_entry *entry, uint64_t address, size_t bytes)
{
    if (!entry) return LAB_SUCCESS;
    record_memory(entry, address, bytes);
    if (!order_is_on()) return LAB_SUCCESS;
    lab_trace_op copy;
    return order_memory_given_back(op_to_check(entry, &copy), entry->stream, entry->covered);
}
