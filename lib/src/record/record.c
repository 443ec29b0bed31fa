/* The running record: entries in the order of the calls, filled by the calls and, with times, by the device. Also which
 * operations the null stream's rules order, for the record only: the device keeps its own order. */
#include "record_kept.h"
#include "base/monotonic.h"

#include "objects/capture.h"
#include "base/call_site.h"
#include "trace/trace.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER; /* one begin or end at a time */
static pthread_cond_t calls_ended = PTHREAD_COND_INITIALIZER;
_Atomic(record *) record_running;
static uint64_t entries_before_running; /* of earlier records: makes record_id unique in the process */
static uint64_t open_calls;             /* entries that were begun and not ended */
static stream_state *streams;
static size_t stream_count, stream_capacity;

static _Atomic uint64_t threads;
static _Thread_local uint64_t thread_number;

void record_stream(const struct stream *made)
{
    pthread_mutex_lock(&lock);
    if (made->id > stream_capacity) {
        size_t capacity = 2 * made->id + 64;
        stream_state *larger = realloc(streams, capacity * sizeof *larger);
        if (larger) {
            memset(larger + stream_capacity, 0, (capacity - stream_capacity) * sizeof *larger);
            streams = larger;
            stream_capacity = capacity;
        }
    }
    if (made->id <= stream_capacity) {
        streams[made->id - 1] = (stream_state){.device = made->context->device,
                                               .context = made->context->number,
                                               .null = made->null,
                                               .blocking = !(made->flags & LAB_STREAM_NON_BLOCKING)};
        if (made->id > stream_count) stream_count = made->id;
    }
    pthread_mutex_unlock(&lock);
}

uint64_t record_streams(void)
{
    pthread_mutex_lock(&lock);
    const uint64_t count = stream_count;
    pthread_mutex_unlock(&lock);
    return count;
}

bool record_get_stream(stream_state *out, uint64_t number)
{
    pthread_mutex_lock(&lock);
    const bool known = number > 0 && number <= stream_count;
    if (known) *out = streams[number - 1];
    pthread_mutex_unlock(&lock);
    return known;
}

static bool waits_on_host(lab_op_kind kind)
{
    switch (kind) {
    case LAB_OP_STREAM_SYNC:
    case LAB_OP_EVENT_SYNC:
    case LAB_OP_DEVICE_SYNC:
    case LAB_OP_MEMORY_FREE:
    case LAB_OP_HOST_FREE:
    case LAB_OP_HOST_UNREGISTER:
    case LAB_OP_CONTEXT_SYNC:
    case LAB_OP_CONTEXT_DESTROY:
    case LAB_OP_MODULE_UNLOAD: return true;
    default: return false;
    }
}

/* A fresh entry at the end, with the lock held; NULL if memory or the record's bound is reached. */
static record_entry *append(record *into)
{
    if (into->entries == LAB_TRACE_OPS - 1) { /* leaves room for the mark that says so */
        into->full = true;
        return NULL;
    }
    if (into->entries % CHUNK_ENTRIES == 0) {
        chunk *fresh = calloc(1, sizeof *fresh);
        if (!fresh) return NULL;
        if (into->last)
            into->last->next = fresh;
        else
            into->first = fresh;
        into->last = fresh;
    }
    record_entry *entry = &into->last->entry[into->entries % CHUNK_ENTRIES];
    entry->op.id = ++into->entries;
    return entry;
}

/* An entry that ends with its call, for the order checker alone. A thread has one at a time, but for a call within a
 * call. */
static _Thread_local record_entry passing;
static _Thread_local bool passing_is_used;

static record_entry *begin_passing(void)
{
    if (passing_is_used) return calloc(1, sizeof passing);
    passing_is_used = true;
    size_t bytes = offsetof(record_entry, few);
    __asm__("" : "+r"(bytes)); /* a call of memset: what gcc writes for a size that it knows takes five times as long */
    memset(&passing, 0, bytes);
    return &passing;
}

static void end_passing(record_entry *entry)
{
    if (entry == &passing)
        passing_is_used = false;
    else
        free(entry);
}

/* An entry of the running record; NULL if there is none, or no room. */
static record_entry *begin_recorded(void)
{
    pthread_mutex_lock(&lock);
    record *into = atomic_load(&record_running);
    record_entry *entry = into ? append(into) : NULL;
    if (entry) {
        open_calls++;
        entry->recorded = true;
        entry->op.call_ns = monotonic_ns() - into->begin_ns;
    }
    pthread_mutex_unlock(&lock);
    return entry;
}

static bool is_stream_work(lab_op_kind kind)
{
    return kind <= LAB_OP_GRAPH_LAUNCH; /* the table lists what is enqueued on a stream first */
}

record_entry *record_begin_entry(lab_op_kind kind, int device)
{
    bool is_recording = atomic_load_explicit(&record_running, memory_order_relaxed), is_checking = order_is_on();
    if (is_stream_work(kind)) order_enter();
    if (is_checking) order_meet_thread(is_stream_work(kind));
    record_entry *entry = is_recording ? begin_recorded() : NULL;
    if (!entry && is_checking) entry = begin_passing();
    if (!entry) {
        if (is_stream_work(kind)) order_leave();
        return NULL;
    }
    entry->op.kind = kind;
    entry->op.device = device;
    entry->op.host_waits = waits_on_host(kind);
    record_caller(&entry->op);
    entry->submitting = is_stream_work(kind);
    return entry;
}

void record_caller(lab_trace_op *op)
{
    if (!thread_number) thread_number = atomic_fetch_add(&threads, 1) + 1;
    call_place called_from = call_place_now();
    op->thread = thread_number;
    op->file = called_from.file;
    op->line = called_from.line;
}

/* As the order checker is told of it: its id is one that no other entry has, 0 if it is in no record. `copy` is room for
 * one that is. */
static const lab_trace_op *op_to_check(record_entry *entry, lab_trace_op *copy)
{
    entry->op.name = entry->name;
    entry->op.access = entry->access;
    if (!entry->recorded) return &entry->op;
    *copy = entry->op;
    copy->id = record_id(entry);
    return copy;
}

lab_status record_check(record_entry *entry, order_exec *exec)
{
    if (!entry || !order_is_on()) return LAB_SUCCESS;
    lab_trace_op copy;
    entry->checked = true;
    return order_check(op_to_check(entry, &copy), entry->told, entry->on, entry->captured, exec);
}

lab_status record_check_host(record_entry *entry)
{
    if (!entry || !order_is_on()) return LAB_SUCCESS;
    lab_trace_op copy;
    return order_host_access(op_to_check(entry, &copy));
}

void record_enqueued(record_entry *entry, lab_status status)
{
    if (!entry || !entry->submitting) return;
    if (entry->checked) order_commit(status == LAB_SUCCESS);
    if (entry->checked && status == LAB_SUCCESS && entry->op.host_waits)
        entry->covered = order_covered_by_last(entry->waits_for_source);
    entry->submitting = false;
    order_leave();
}

static void enqueued_by_device(void *user) { record_enqueued(user, LAB_SUCCESS); }

backend_enqueued record_on_enqueued(record_entry *entry)
{
    return (backend_enqueued){entry ? enqueued_by_device : NULL, entry};
}

static void free_lists(record_entry *of)
{
    if (of->recorded) free((char *)of->name);
    if (of->access != of->few) free(of->access);
    free(of->waits);
}

void record_end_entry(record_entry *entry, lab_status status)
{
    record_enqueued(entry, status);
    order_wait_ended(entry->covered, status == LAB_SUCCESS);
    entry->covered = NULL;
    if (!entry->recorded) {
        free_lists(entry);
        end_passing(entry);
        return;
    }
    pthread_mutex_lock(&lock);
    if (status != LAB_SUCCESS) entry->dropped = true;
    entry->op.return_ns = monotonic_ns();
    if (--open_calls == 0 && !atomic_load(&record_running)) pthread_cond_broadcast(&calls_ended);
    pthread_mutex_unlock(&lock);
}

uint64_t record_id(const record_entry *entry)
{
    return entry && entry->recorded ? entries_before_running + entry->op.id : 0;
}

backend_times *record_times(record_entry *entry) { return entry && entry->recorded ? &entry->times : NULL; }

/* ------------------------------------------------------------------------------------------------------
 * What an entry says
 */

void record_object(record_entry *entry, uint64_t object)
{
    if (entry) entry->op.object = object;
}

void record_name(record_entry *entry, const char *name)
{
    if (entry) entry->name = entry->recorded ? strdup(name) : name;
}

void record_made(record_entry *entry, uint64_t address, size_t bytes)
{
    record_memory(entry, address, bytes);
    if (!entry || !order_is_on()) return;
    lab_trace_op copy;
    order_memory_made(op_to_check(entry, &copy), entry->on);
}

lab_status record_gives_back(record_entry *entry, uint64_t address, size_t bytes)
{
    record_memory(entry, address, bytes);
    if (!entry || !order_is_on()) return LAB_SUCCESS;
    lab_trace_op copy;
    return order_memory_given_back(op_to_check(entry, &copy), entry->on);
}

void record_bytes(record_entry *entry, size_t bytes)
{
    if (entry) entry->op.bytes = bytes;
}

void record_memory(record_entry *entry, uint64_t address, size_t bytes)
{
    record_object(entry, address);
    record_bytes(entry, bytes);
}

void record_host_waits(record_entry *entry, bool source_alone)
{
    if (!entry) return;
    entry->op.host_waits = true;
    entry->waits_for_source = source_alone;
}

void record_host_memory(record_entry *entry, lab_host_memory memory)
{
    if (entry) entry->op.host_memory = memory;
}

void record_dimensions(record_entry *entry, lab_dim grid, lab_dim block)
{
    if (!entry) return;
    entry->op.grid = grid;
    entry->op.block = block;
}

void record_told_access(record_entry *entry, lab_trace_access access)
{
    const int before = entry ? entry->op.accesses : 0;
    record_access(entry, access);
    if (entry) entry->told += entry->op.accesses - before;
}

static bool lengthen(record_entry *entry)
{
    const int capacity = 2 * entry->access_capacity;
    lab_trace_access *own = entry->access == entry->few ? NULL : entry->access;
    lab_trace_access *larger = realloc(own, (size_t)capacity * sizeof *larger);
    if (!larger) return false;
    if (!own) memcpy(larger, entry->few, sizeof entry->few);
    entry->access = larger;
    entry->access_capacity = capacity;
    return true;
}

void record_access(record_entry *entry, lab_trace_access access)
{
    if (!entry) return;
    if (!entry->access) {
        entry->access = entry->few;
        entry->access_capacity = FEW_ACCESSES;
    }
    if (entry->op.accesses == entry->access_capacity && !lengthen(entry)) {
        entry->dropped = true;
        return;
    }
    entry->access[entry->op.accesses++] = access;
}

void record_waits_for(record_entry *entry, uint64_t id)
{
    if (!entry || id <= entries_before_running || id - entries_before_running >= entry->op.id) return;
    uint64_t *larger = realloc(entry->waits, (size_t)(entry->op.waits + 1) * sizeof *larger);
    if (!larger) {
        entry->dropped = true;
        return;
    }
    entry->waits = larger;
    entry->waits[entry->op.waits++] = id - entries_before_running;
}

/* The state of a context's null stream; NULL before it was made. */
static stream_state *null_stream_of(uint64_t context)
{
    for (size_t i = 0; i < stream_count; i++)
        if (streams[i].null && streams[i].context == context) return &streams[i];
    return NULL;
}

/* The null stream waits for what the blocking streams got since its own last operation; they wait for its last one. */
static void note_null_stream_order(record_entry *entry, const stream_state *state)
{
    if (state->null) {
        for (size_t i = 0; i < stream_count; i++)
            if (streams[i].blocking && !streams[i].null && streams[i].context == state->context &&
                streams[i].last_op > state->last_op)
                record_waits_for(entry, entries_before_running + streams[i].last_op);
    } else if (state->blocking) {
        const stream_state *null_state = null_stream_of(state->context);
        if (null_state && null_state->last_op > state->last_op)
            record_waits_for(entry, entries_before_running + null_state->last_op);
    }
}

void record_on_stream(record_entry *entry, const struct stream *on)
{
    if (!entry) return;
    entry->op.stream = on->id;
    entry->on = on;
    bool work = is_stream_work(entry->op.kind);
    if (work && capture_is_on(on)) {
        entry->dropped = entry->captured = true; /* it becomes part of a graph and does not run */
        return;
    }
    if (entry->op.kind == LAB_OP_STREAM_SYNC) entry->covered = order_cover_stream(on);
    if (!entry->recorded) return;
    pthread_mutex_lock(&lock);
    if (on->id <= stream_count) {
        stream_state *state = &streams[on->id - 1];
        if (work || (state->null && entry->op.kind == LAB_OP_STREAM_SYNC)) note_null_stream_order(entry, state);
        if (work) state->last_op = entry->op.id;
    }
    pthread_mutex_unlock(&lock);
}

static void free_record(record *of)
{
    uint64_t left = of->entries;
    for (chunk *each = of->first; each;) {
        for (uint64_t i = 0; i < CHUNK_ENTRIES && left > 0; i++, left--) {
            free_lists(&each->entry[i]);
        }
        chunk *next = each->next;
        free(each);
        each = next;
    }
    free(of);
}

void record_event_recorded(record_entry *entry, const backend_event *event)
{
    if (entry && order_is_on()) order_event_recorded(event, entry->on, entry->captured);
}

void record_event_waited(record_entry *entry, const backend_event *event)
{
    if (entry && order_is_on()) order_event_waited(event, entry->on, entry->captured);
}

void record_waits_for_event(record_entry *entry, const backend_event *event)
{
    if (entry) entry->covered = order_cover_event(event);
}

void record_waits_for_context(record_entry *entry, const struct context *of)
{
    if (entry) entry->covered = order_cover_context(of);
}

uint64_t record_thread(void) { return thread_number; }

/* As it is so far, for record_show. */
static lab_trace_op op_so_far(const record_entry *entry)
{
    lab_trace_op op = entry->op;
    const bool settled = op.return_ns || op.thread == thread_number;
    const int64_t start_ns = atomic_load(&entry->times.start_ns), end_ns = atomic_load(&entry->times.end_ns);
    op.name = settled && entry->name ? entry->name : "";
    op.waits_for = entry->waits;
    if (!settled) op.waits = 0;
    op.accesses = 0;
    op.start_ns = start_ns ? start_ns : -1;
    op.end_ns = end_ns ? end_ns : -1;
    return op;
}

static bool show_entries(const record *of, bool (*look)(void *user, const lab_trace_op *op), void *user)
{
    uint64_t left = of->entries;
    for (const chunk *each = of->first; each; each = each->next)
        for (uint64_t i = 0; i < CHUNK_ENTRIES && left > 0; i++, left--) {
            const lab_trace_op op = op_so_far(&each->entry[i]);
            if (!each->entry[i].dropped && op.file && !look(user, &op)) return true;
        }
    return true;
}

static _Thread_local bool is_showing;

bool record_show(bool (*look)(void *user, const lab_trace_op *op), void *user)
{
    const bool within = is_showing;
    if (!within && pthread_mutex_trylock(&lock) != 0) return false;
    is_showing = true;
    const record *of = atomic_load(&record_running);
    const bool shown = of && show_entries(of, look, user);
    is_showing = within;
    if (!within) pthread_mutex_unlock(&lock);
    return shown;
}

/* Stops recording, waits until no call and no device writes to the record any more, and hands it over. */
static record *stop(void)
{
    pthread_mutex_lock(&lock);
    record *stopped = atomic_exchange(&record_running, NULL);
    while (stopped && open_calls > 0) pthread_cond_wait(&calls_ended, &lock);
    for (size_t i = 0; i < stream_count; i++) streams[i].last_op = 0;
    if (stopped) entries_before_running += stopped->entries;
    pthread_mutex_unlock(&lock);
    if (!stopped) return NULL;
    context_synchronize_all();
    runtime_backend()->times_end();
    return stopped;
}

lab_status record_start(void)
{
    record *fresh = calloc(1, sizeof *fresh);
    if (!fresh) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_trace_begin: no host memory for a record");
    pthread_mutex_lock(&control);
    record *before = stop();
    if (before) free_record(before);
    runtime_backend()->times_begin();
    order_record_began();
    fresh->begin_ns = monotonic_ns();
    fresh->entries_before = entries_before_running;
    atomic_store(&record_running, fresh);
    pthread_mutex_unlock(&control);
    return LAB_SUCCESS;
}

lab_status lab_trace_begin(void)
{
    LAB_TRY(runtime_open());
    return record_start();
}

void lab_trace_mark(const char *name)
{
    if (runtime_open() != LAB_SUCCESS) return;
    record_entry *entry = record_begin(LAB_OP_MARK, 0);
    record_name(entry, name ? name : "");
    record_end(entry, LAB_SUCCESS);
}

lab_status lab_trace_end(lab_trace **out)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_trace_end: out is NULL");
    *out = NULL;
    pthread_mutex_lock(&control);
    record *stopped = stop();
    pthread_mutex_unlock(&control);
    if (!stopped)
        return lab_fail(LAB_ERROR_NOT_PERMITTED, "lab_trace_end: no record is running; lab_trace_begin starts one");
    lab_status status = record_to_trace(out, stopped);
    free_record(stopped);
    return status;
}
