/*
 * The running record: an entry for each call, with what the call notes in it and when the device ran it. While no
 * record is running and the order checker is off, record_begin returns NULL. Every function accepts NULL, so a call
 * costs one load.
 *
 * Calls that enqueue work on a stream begin with submission_begin (submission.h) instead of record_begin.
 */
#ifndef LAB_RECORD_RECORD_H
#define LAB_RECORD_RECORD_H

#include "base/stream_identity.h"
#include "lab_trace.h"
#include "order/order.h"
#include "seam/backend.h"

typedef struct record_entry record_entry;

/* Whether a record is running or the order checker is on, so that entries are wanted. */
static inline bool record_is_on(void);

/* Opens an entry for a call that begins now on this thread and does not enqueue work on a stream. */
static inline record_entry *record_begin(lab_op_kind kind, int device);

/* Closes the entry when the call returns. The entry of a failed call is dropped. */
static inline void record_end(record_entry *entry, lab_status status);

/* What queries of one stream or event have answered while a record was running. All zero at first. */
typedef struct record_answers {
    uint64_t done;                              /* the record_id of the last operation that they said is done, ... */
    uint64_t learned;                           /* ... and the threads, 1 to 64, that they said it to: one bit each */
    uint64_t not_ready_thread, not_ready_after; /* whom they last said "not ready" to, and the last call it had made */
    uint64_t not_ready;                         /* the record_id of the last operation that they said it of */
} record_answers;

/* Closes the entry of a query, which becomes an operation if the thread learns from it that work is done. Returns what
 * the query answers. */
static inline lab_status record_end_query(record_entry *entry, record_answers *answers, lab_status status);

/* ---- What the call works on ---- */

void record_object(record_entry *entry, uint64_t object);
void record_name(record_entry *entry, const char *name);
void record_bytes(record_entry *entry, size_t bytes);
void record_memory(record_entry *entry, uint64_t address, size_t bytes);
void record_host_waits(record_entry *entry, bool source_alone);
void record_host_memory(record_entry *entry, lab_host_memory memory);
/* The copy is from or to another device; whether one of the two may use the other's memory. */
void record_peer(record_entry *entry, int device, bool access);
void record_dimensions(record_entry *entry, lab_dim grid, lab_dim block);
/* The module whose kernel runs, and its arguments. */
void record_kernel(record_entry *entry, const char *module, const char *arguments);
/* The source that a load was given, and how long the compiler ran. */
void record_load(record_entry *entry, const char *module, int64_t compile_ns);
/* The copy's bytes are kept as evidence. Returns the number by which it names the copy. */
uint64_t record_kept(record_entry *entry);
void record_access(record_entry *entry, lab_trace_access access);
/* Forgets all accesses of the call that were noted. */
void record_no_access(record_entry *entry);
/* An access that the program declared with lab_next_uses. Added after all other accesses. */
void record_declared_access(record_entry *entry, lab_trace_access access);

/* Sets the stream of the call, borrowed until record_end. Notes which operations of other streams the null stream's
 * rules make it wait for. `capture`: the number of the capture that the stream is in, or 0; there stream work becomes
 * part of a graph and does not run. */
void record_on_stream(record_entry *entry, const stream_identity *stream, uint64_t capture);

/* The capture has ended, and its work is the nodes of this graph, with these edges. */
void record_graph(uint64_t capture, uint64_t graph, int nodes, const lab_graph_edge *edge, int edges);

/* From now on the first query for an operation of a record says LAB_ERROR_NOT_READY, so that who asks until it is done
 * waits in the record too, however fast the device and slow the host. Not where the host may know already that it is
 * done: by a wait, by another query, or by a host function that was enqueued later. */
void record_answer_late(void);

/* Notes that the operation waits for the one with this record_id. An id of an earlier record is ignored. */
void record_waits_for(record_entry *entry, uint64_t id);

/* A number that is unique among all entries of this process; 0 for NULL. */
uint64_t record_id(const record_entry *entry);

/* Where the device notes when it ran the operation; NULL for NULL. Valid until the record has ended. */
backend_times *record_times(record_entry *entry);

/* Sets thread, file and line to those of the calling thread's call. */
void record_caller(lab_trace_op *op);

/* The calling thread's number in records; 0 if it has none yet. */
uint64_t record_thread(void);

/* ---- Streams ---- */

/* Notes that a stream exists. Called when it is made, whether or not a record is running. */
void record_stream(const stream_identity *made);

/* ---- Beginning, end, and inspection ---- */

/* Sets the backend whose work is recorded. Called once, when the devices are opened. */
void record_set_backend(const lab_backend *backend);

/* Sets the function that waits for all work of all devices, before there is any. A record ends when its work has
 * ended. */
void record_set_wait(void (*wait)(void));

/* Waits for all work of all devices that are in use. */
void record_wait_for_work(void);

/* Begins a record. A record that is running ends and is lost. */
lab_status record_start(void);

/* Begins the record that LAB_TRACE=FILE asks for, at the first call only. */
lab_status record_start_from_environment(void);

/* Shows the operations of the running record to `look`, in the order of the calls, until `look` returns false.
 * Operations are borrowed. return_ns is 0 for a call under way; one of another thread has no name and no waits.
 * Accesses are not shown. Waits for no lock and allocates nothing: false if there is no record, or another thread is
 * changing it. `look` may call record_show. */
bool record_show(bool (*look)(void *user, const lab_trace_op *op), void *user);

/* lab_trace_find_wait for the thread with that number. */
bool record_find_wait(lab_trace_wait *out, uint64_t thread);

/* Whether the times of operations are known only when the record ends. */
bool record_times_come_late(void);

/* ---- Used by the inline functions only ---- */

extern _Atomic(struct record *) record_running;
record_entry *record_open(lab_op_kind kind, int device, bool entered);
void record_close(record_entry *entry, lab_status status);
lab_status record_close_query(record_entry *entry, record_answers *answers, lab_status status);

static inline bool record_is_on(void)
{
    return atomic_load_explicit(&record_running, memory_order_relaxed) || order_is_on();
}

static inline record_entry *record_begin(lab_op_kind kind, int device)
{
    return record_is_on() ? record_open(kind, device, false) : NULL;
}

static inline void record_end(record_entry *entry, lab_status status)
{
    if (entry) record_close(entry, status);
}

static inline lab_status record_end_query(record_entry *entry, record_answers *answers, lab_status status)
{
    return entry ? record_close_query(entry, answers, status) : status;
}

#endif
