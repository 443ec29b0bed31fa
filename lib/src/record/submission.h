/*
 * Submissions: work that a call enqueues on a stream, from its first step to the device's acceptance.
 *
 * From submission_begin to submission_commit or submission_abort no other thread submits anything. So the record's entries,
 * the order checker's steps and the device's queues share one order. Nothing may be waited for in between. The record and
 * the order checker hear of each step; with both off, submission_begin returns NULL, which every function accepts.
 *
 * Also what other calls tell the order checker: waits, memory that comes and goes, accesses of the host.
 */
#ifndef LAB_RECORD_SUBMISSION_H
#define LAB_RECORD_SUBMISSION_H

#include "record.h"

/* Opens the entry of a call that enqueues work of this kind, and keeps other threads from submitting. */
static inline record_entry *submission_begin(lab_op_kind kind, int device);

/* All that the work uses has been noted. Fails if the order checker finds that it may not be enqueued. `exec`: the graph that
 * a launch runs, as the checker knows it; NULL for other work. */
lab_status submission_check(record_entry *entry, order_exec *exec);

/* The device has accepted the work, or has not: other threads may submit again, and the call may wait. */
void submission_commit(record_entry *entry);
void submission_abort(record_entry *entry);

/* submission_commit for the device to call, where a call enqueues and then waits. */
backend_enqueued submission_on_enqueued(record_entry *entry);

/* Ends the call: commits or aborts, as the status says, unless that was done before, and closes the entry. */
static inline void submission_end(record_entry *entry, lab_status status);

/* ---- Events and waits: the order checker learns what they order ---- */

/* The event was recorded on the entry's stream; the stream waits for the event. `event` is any address that names it. */
void submission_event_recorded(record_entry *entry, const void *event);
void submission_event_waited(record_entry *entry, const void *event);

/* The call is about to wait on the host for the event, or for all work of the context; success means that it is done. */
void record_waits_for_event(record_entry *entry, const void *event);
void record_waits_for_context(record_entry *entry, uint64_t context);

/* ---- Memory ---- */

/* The host touches what the entry's accesses say. Fails if the order checker finds that the device may be using it. */
lab_status record_check_host(record_entry *entry);

/* Memory that the call made; memory that it is about to give back, which may be refused. The stream, if there is one, has
 * been noted before. */
void record_made(record_entry *entry, uint64_t address, size_t bytes);
lab_status record_gives_back(record_entry *entry, uint64_t address, size_t bytes);

/* ---- What the short functions call; not for others ---- */

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
