/*
 * Recording: what each public call notes about itself while a record is running. With no record running
 * record_begin returns NULL, which every function here accepts, so a call costs one load.
 */
#ifndef LAB_RECORD_RECORD_H
#define LAB_RECORD_RECORD_H

#include "seam/backend.h"
#include "lab_trace.h"
#include "objects/stream.h"
#include "order/order.h"

typedef struct record_entry record_entry;

/* Whether a record is running or the order checker is on: somebody will look at what operations use. */
static inline bool record_is_on(void);

/* Opens an entry for a call that begins now on this thread; NULL if no record is running and the order checker is off.
 * From an entry for work on a stream to its record_enqueued or record_end no other thread enqueues anything, so that the
 * order of the entries is the order in which the device gets the work: nothing may be waited for meanwhile. */
static inline record_entry *record_begin(lab_op_kind kind, int device);

/* The same, with record_on_stream. */
static inline record_entry *record_begin_on(lab_op_kind kind, const struct stream *on);

/* Work on a stream: all that it uses is noted. Fails if the order checker finds that it may not be enqueued. `exec`: the
 * graph that a launch runs, as the checker knows it; NULL for other work. */
lab_status record_check(record_entry *entry, order_exec *exec);

/* The host touches now what the entry says it does: fails if the order checker finds that the device may be at it. */
lab_status record_check_host(record_entry *entry);

/* The work has been enqueued, or has not. What record_end does otherwise, for calls that then wait. */
void record_enqueued(record_entry *entry, lab_status status);
backend_enqueued record_on_enqueued(record_entry *entry);

/* Closes the entry when the call returns. The entry of a call that failed is dropped. */
static inline void record_end(record_entry *entry, lab_status status);

/* What the call works on. record_on_stream also notes which operations of other streams the null stream's rules make
 * it wait for. */
void record_on_stream(record_entry *entry, const struct stream *on);
void record_object(record_entry *entry, uint64_t object);
void record_name(record_entry *entry, const char *name);
void record_bytes(record_entry *entry, size_t bytes);
void record_memory(record_entry *entry, uint64_t address, size_t bytes);
void record_host_waits(record_entry *entry, bool source_alone);
void record_host_memory(record_entry *entry, lab_host_memory memory);
void record_dimensions(record_entry *entry, lab_dim grid, lab_dim block);
void record_access(record_entry *entry, lab_trace_access access);
/* One that the program told of: after all others. */
void record_told_access(record_entry *entry, lab_trace_access access);
void record_waits_for(record_entry *entry, uint64_t id);

/* Memory that the call made; memory that it is about to give back, which may be refused. The latter with the stream noted
 * before, if there is one. */
void record_made(record_entry *entry, uint64_t address, size_t bytes);
lab_status record_gives_back(record_entry *entry, uint64_t address, size_t bytes);

/* The event was recorded on the entry's stream, or the stream waits for it. */
void record_event_recorded(record_entry *entry, const backend_event *event);
void record_event_waited(record_entry *entry, const backend_event *event);

/* The call is about to wait for the event, or for all of the context's work; if it succeeds, that is done. */
void record_waits_for_event(record_entry *entry, const backend_event *event);
void record_waits_for_context(record_entry *entry, const struct context *of);

/* Adds what the program told by lab_next_uses: for kernels and host functions. In told.c. */
void record_told_uses(record_entry *entry);

/* Sets thread, file and line as those of the calling thread's call. */
void record_caller(lab_trace_op *op);

/* A number for the entry that no other entry of this process has, 0 for NULL: what record_waits_for of a later call
 * takes. One from an earlier record is ignored there. */
uint64_t record_id(const record_entry *entry);

/* Where the device notes when it ran the operation; NULL for NULL. Stays valid until the record has ended. */
backend_times *record_times(record_entry *entry);

/* The calling thread's number in records; 0 if it has none yet. */
uint64_t record_thread(void);

/* Shows the operations of the running record to `look`, in the order of the calls, until that returns false; borrowed, with
 * return_ns 0 for a call under way, and without lists for one of another thread. Waits for no lock and allocates nothing:
 * false if there is no record, or somebody else is at it just now. `look` may show the record itself. */
bool record_show(bool (*look)(void *user, const lab_trace_op *op), void *user);

/* Notes that a stream exists; called when it is made, whether or not a record is running. */
void record_stream(const struct stream *made);

/* Begins the record that LAB_TRACE=FILE asks for, once; called when the runtime opens. */
lab_status record_start_from_environment(void);

/* What the short functions here look at and call, which is not for others. */
extern _Atomic(struct record *) record_running;
record_entry *record_begin_entry(lab_op_kind kind, int device);
void record_end_entry(record_entry *entry, lab_status status);

static inline bool record_is_on(void)
{
    return atomic_load_explicit(&record_running, memory_order_relaxed) || order_is_on();
}

static inline record_entry *record_begin(lab_op_kind kind, int device)
{
    return record_is_on() ? record_begin_entry(kind, device) : NULL;
}

static inline record_entry *record_begin_on(lab_op_kind kind, const struct stream *on)
{
    record_entry *entry = record_begin(kind, on->context->device);
    if (entry) record_on_stream(entry, on);
    return entry;
}

static inline void record_end(record_entry *entry, lab_status status)
{
    if (entry) record_end_entry(entry, status);
}

#endif
