/*
 * Submissions: work that a call enqueues on a stream, from its first step until the device has accepted it.
 *
 * From submission_begin to submission_commit or submission_abort, no other thread submits anything. So the record's
 * entries, the order checker's steps and the device's queues share one order. The thread must not wait for the device
 * in between. With the record and the order checker off, submission_begin returns NULL, which every function accepts.
 *
 * Also what other calls report to the order checker: waits, memory that is allocated and freed, accesses by the host.
 */
#ifndef LAB_RECORD_SUBMISSION_H
#define LAB_RECORD_SUBMISSION_H

#include "record.h"

/* Opens the entry of a call that enqueues work of this kind. Other threads cannot submit until it is committed or
 * aborted. */
static inline record_entry *submission_begin(lab_op_kind kind, int device);

/* Asks the order checker whether the work may be enqueued, once all its accesses have been noted. Fails if it may not.
 * `exec`: the graph that a launch runs, as the checker knows it; NULL for other work. */
lab_status submission_check(record_entry *entry, order_exec *exec);

/* Whether the order checker is to judge the launch by what it touches, once the device has run it, instead of by what
 * the compiler knows of the kernel. */
bool submission_is_measured(const record_entry *entry);

/* submission_check in two steps for such a launch: before it is enqueued, and once its accesses are noted again. */
void submission_begin_check(record_entry *entry);
lab_status submission_end_check(record_entry *entry);

/* The work that was checked calls a host function, or is to become the node of a graph that does. */
void submission_calls(record_entry *entry, order_host_call *call);

/* The node that the work becomes ends the memory that it accesses: nodes after it must not use the memory. */
void submission_ends_memory(record_entry *entry);

/* Says that the device has accepted the work, or has not. Other threads may submit again, and the call may wait. */
void submission_commit(record_entry *entry);
void submission_abort(record_entry *entry);

/* submission_commit as a callback for the device, for a call that enqueues and then waits. */
backend_enqueued submission_on_enqueued(record_entry *entry);

/* Ends the call: commits or aborts as the status says, unless that has been done, and closes the entry. */
static inline void submission_end(record_entry *entry, lab_status status);

/* ---- Events and waits: the order checker learns what they order ---- */

/* The event was recorded on the entry's stream; the stream waits for the event. `event` is any address that names
 * it. */
void submission_event_recorded(record_entry *entry, const void *event);
void submission_event_waited(record_entry *entry, const void *event);

/* The call is about to wait on the host for the event, or for all work of the context. If it succeeds, that is done. */
void record_waits_for_event(record_entry *entry, const void *event);
void record_waits_for_context(record_entry *entry, uint64_t context);

/* ---- Memory ---- */

/* The host accesses this memory now: LAB_OP_HOST_READ or LAB_OP_HOST_WRITE. Fails if the order checker finds that the
 * device may be using it. */
lab_status record_host_access(lab_op_kind kind, uint64_t address, size_t bytes);

/* Memory that the call has allocated or pinned, or is about to free. Freeing fails if the order checker finds that the
 * memory is in use. The stream of the call, if it has one, has been set before. */
void record_made(record_entry *entry, uint64_t address, size_t bytes);
lab_status record_gives_back(record_entry *entry, uint64_t address, size_t bytes);

/* ---- Used by the inline functions only ---- */

record_entry *submission_open(lab_op_kind kind, int device);
void submission_close(record_entry *entry, lab_status status);

static inline record_entry *submission_begin(lab_op_kind kind, int device)
{
    return record_is_on() ? submission_open(kind, device) : NULL;
}

static inline void submission_end(record_entry *entry, lab_status status)
{
    if (entry) submission_close(entry, status);
}

#endif
