/* The running record: entries in the order of the calls. The calls fill them in; the device adds the times. */
#include "record.h"

#include "base/call_site.h"
#include "base/monotonic.h"
#include "base/op_kind.h"
#include "record_entry.h"
#include "trace/trace.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t calls_ended = PTHREAD_COND_INITIALIZER;
_Atomic(record *) record_running;
static uint64_t entries_before_running; /* in earlier records: makes record_id unique in the process */
static uint64_t open_calls;             /* entries that were opened and not closed */
static uint64_t last_told;              /* record_id of the last entry that tells the host, or may, what is done */
static _Atomic bool answers_late;

static _Atomic uint64_t threads;
static _Thread_local uint64_t thread_number;
static _Thread_local uint64_t last_call; /* record_id of this thread's last entry, queries aside */

/* ------------------------------------------------------------------------------------------------------
 * Entries
 */

/* A fresh entry at the end; NULL if memory ran out or the record is full. The lock is held. */
static record_entry *append(record *running)
{
    if (running->entries == LAB_TRACE_OPS - 1) { /* one place is left for the mark that says so */
        running->full = true;
        return NULL;
    }
    if (running->entries % CHUNK_ENTRIES == 0) {
        record_chunk *fresh = calloc(1, sizeof *fresh);
        if (!fresh) return NULL;
        if (running->last)
            running->last->next = fresh;
        else
            running->first = fresh;
        running->last = fresh;
    }
    record_entry *entry = &running->last->entry[running->entries % CHUNK_ENTRIES];
    entry->op.id = ++running->entries;
    return entry;
}

/* An entry that ends with its call: for the order checker alone, or of a query. A thread needs more than this one only
 * for a call within a call. */
static _Thread_local record_entry passing;
static _Thread_local bool passing_is_used;

static record_entry *open_passing(void)
{
    if (passing_is_used) return calloc(1, sizeof passing);
    passing_is_used = true;
    size_t bytes = offsetof(record_entry, few);
    __asm__("" : "+r"(bytes)); /* forces a call of memset: gcc's inline code is five times slower */
    memset(&passing, 0, bytes);
    return &passing;
}

static void close_passing(record_entry *entry)
{
    if (entry == &passing)
        passing_is_used = false;
    else
        free(entry);
}

static bool frees_memory(lab_op_kind kind)
{
    return kind == LAB_OP_MEMORY_FREE || kind == LAB_OP_HOST_FREE || kind == LAB_OP_HOST_UNREGISTER ||
           kind == LAB_OP_POOL_FREE || kind == LAB_OP_PINNED_POOL_FREE;
}

static bool allocates_memory(lab_op_kind kind)
{
    return kind == LAB_OP_MEMORY_ALLOC || kind == LAB_OP_HOST_ALLOC || kind == LAB_OP_HOST_REGISTER ||
           kind == LAB_OP_POOL_ALLOC || kind == LAB_OP_PINNED_POOL_ALLOC;
}

/* An entry of the running record; NULL if there is no record or no room. */
static record_entry *open_recorded(lab_op_kind kind)
{
    pthread_mutex_lock(&lock);
    record *running = atomic_load(&record_running);
    record_entry *entry = running ? append(running) : NULL;
    if (entry) {
        open_calls++;
        entry->recorded = true;
        entry->op.call_ns = monotonic_ns() - running->begin_ns;
        last_call = entries_before_running + entry->op.id;
        if (frees_memory(kind)) running->last_free = entry->op.id;
    }
    pthread_mutex_unlock(&lock);
    return entry;
}

/* An entry of a query: a passing one, since only an answer is recorded. */
static record_entry *open_query(void)
{
    record_entry *entry = open_passing();
    if (!entry) return NULL;
    entry->asks = true;
    entry->op.id = UINT64_MAX;
    entry->op.call_ns = monotonic_ns();
    return entry;
}

/* `entered`: the caller is within order_enter. NULL if neither the record nor the order checker wants an entry. */
record_entry *record_open(lab_op_kind kind, int device, bool entered)
{
    const bool is_recording = atomic_load_explicit(&record_running, memory_order_relaxed), is_checking = order_is_on();
    if (is_checking) order_meet_thread(entered);
    record_entry *entry = !is_recording ? NULL : lab_op_is_query(kind) ? open_query() : open_recorded(kind);
    if (!entry && is_checking) entry = open_passing();
    if (!entry) return NULL;
    entry->op.kind = kind;
    entry->op.device = device;
    entry->op.host_waits = lab_op_waits_on_host(kind);
    record_caller(&entry->op);
    return entry;
}

void record_caller(lab_trace_op *op)
{
    if (!thread_number) thread_number = atomic_fetch_add(&threads, 1) + 1;
    call_site called_from = call_site_now();
    op->thread = thread_number;
    op->file = called_from.file;
    op->line = called_from.line;
    op->caller = called_from.caller;
}

static void free_lists(record_entry *entry)
{
    if (entry->recorded) free((char *)entry->name);
    free(entry->module);
    free(entry->arguments);
    if (entry->access != entry->few) free(entry->access);
    free(entry->waits);
}

/* An allocation may get the memory that another thread's call, begun later, has freed. It then comes after that call:
 * the order of entries is one in which the memory is never in use twice. The lock is held. */
static void come_after_frees(record_entry *entry)
{
    record *running = atomic_load(&record_running);
    const bool overtaken = running && running->last_free > entry->op.id && allocates_memory(entry->op.kind);
    record_entry *later = overtaken ? append(running) : NULL;
    if (!later) return;
    const uint64_t id = later->op.id;
    *later = *entry;
    later->op.id = id;
    if (entry->access == entry->few) later->access = later->few;
    entry->name = NULL;
    entry->arguments = NULL;
    entry->access = NULL;
    entry->waits = NULL;
    entry->dropped = true;
}

void record_close(record_entry *entry, lab_status status)
{
    order_wait_ended(entry->covered, status == LAB_SUCCESS);
    entry->covered = NULL;
    if (!entry->recorded) {
        free_lists(entry);
        close_passing(entry);
        return;
    }
    pthread_mutex_lock(&lock);
    if (status != LAB_SUCCESS) {
        entry->dropped = true;
        entry->capture = 0;
    }
    entry->op.return_ns = monotonic_ns();
    if (entry->op.host_waits || entry->op.kind == LAB_OP_HOST_FUNCTION)
        last_told = entries_before_running + entry->op.id;
    if (!entry->dropped) come_after_frees(entry);
    if (--open_calls == 0 && !atomic_load(&record_running)) pthread_cond_broadcast(&calls_ended);
    pthread_mutex_unlock(&lock);
}

/* The record_id of the last operation that a query asks for; 0 if no operation of the record is among them. */
static uint64_t asked_for(const record_entry *entry)
{
    uint64_t last = 0;
    for (int i = 0; i < entry->op.waits; i++)
        if (entry->waits[i] > last) last = entry->waits[i];
    return last && !entry->dropped ? entries_before_running + last : 0;
}

void record_answer_late(void) { atomic_store(&answers_late, true); }

/* What the query answers. The lock is held. */
static lab_status answer_late(record_answers *answers, uint64_t asked, lab_status status)
{
    const bool is_first = asked > answers->not_ready, may_be_known = asked <= last_told;
    if (status == LAB_SUCCESS && is_first && !may_be_known && atomic_load(&answers_late)) status = LAB_ERROR_NOT_READY;
    if (status == LAB_ERROR_NOT_READY && is_first) answers->not_ready = asked;
    return status;
}

/* Notes the answer to a query. Returns whether the thread learns from it that work of the record is done. The lock is
 * held. */
static bool note_answer(record_answers *answers, uint64_t done, lab_status status)
{
    if (status == LAB_ERROR_NOT_READY) {
        answers->not_ready_thread = thread_number;
        answers->not_ready_after = last_call;
    }
    if (status != LAB_SUCCESS || !done) return false;
    if (done > answers->done) {
        answers->done = done;
        answers->learned = 0;
    }
    const uint64_t bit = thread_number <= 64 ? (uint64_t)1 << (thread_number - 1) : 0;
    const bool is_news = !(answers->learned & bit);
    if (done == answers->done) answers->learned |= bit;
    return is_news;
}

/* Moves what a passing entry says to a new entry of the running record, which has begun before it. The lock is held. */
static void keep_answer(record *running, record_entry *entry, bool host_waits)
{
    record_entry *kept = append(running);
    if (!kept) return;
    const uint64_t id = kept->op.id;
    kept->op = entry->op;
    kept->op.id = id;
    kept->op.call_ns -= running->begin_ns;
    kept->op.return_ns = monotonic_ns();
    kept->op.host_waits = host_waits;
    kept->waits = entry->waits;
    kept->recorded = true;
    entry->waits = NULL;
    last_told = entries_before_running + id;
}

lab_status record_close_query(record_entry *entry, record_answers *answers, lab_status status)
{
    if (entry->asks) {
        pthread_mutex_lock(&lock);
        record *running = atomic_load(&record_running);
        const bool host_waits = answers->not_ready_thread == thread_number && answers->not_ready_after == last_call;
        if (running && entry->op.call_ns > running->begin_ns) {
            const uint64_t asked = asked_for(entry);
            status = answer_late(answers, asked, status);
            if (note_answer(answers, asked, status)) keep_answer(running, entry, host_waits);
        }
        pthread_mutex_unlock(&lock);
    }
    record_close(entry, status);
    return status;
}

uint64_t record_id(const record_entry *entry)
{
    return entry && entry->recorded ? entries_before_running + entry->op.id : 0;
}

backend_times *record_times(record_entry *entry) { return entry && entry->recorded ? &entry->times : NULL; }

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

/* Lists the entries of the capture's work in the running record; `node` has room for `nodes`. Returns how many there
 * are. The lock is held. */
static int find_captured(record_entry **node, int nodes, uint64_t capture)
{
    const record *running = atomic_load(&record_running);
    int found = 0;
    if (!running) return 0;
    for (record_walk walk = record_walk_begin(running); record_walk_step(&walk);) {
        if (walk.entry->capture != capture || !*lab_op_kind_engine(walk.entry->op.kind)) continue;
        if (found < nodes) node[found] = walk.entry;
        found++;
    }
    return found;
}

static void make_node(record_entry *entry, uint64_t graph)
{
    if (!entry->name) entry->name = strdup(lab_op_kind_name(entry->op.kind));
    entry->op.kind = LAB_OP_GRAPH_NODE;
    entry->op.object = graph;
    entry->op.kept = 0;
    entry->dropped = false;
}

void record_graph(uint64_t capture, uint64_t graph, int nodes, const lab_graph_edge *edge, int edges)
{
    record_entry **node = calloc((size_t)nodes + 1, sizeof *node);
    if (!node) return;
    pthread_mutex_lock(&lock);
    if (find_captured(node, nodes, capture) == nodes) {
        for (int i = 0; i < nodes; i++) make_node(node[i], graph);
        for (int i = 0; i < edges; i++) record_waits_for(node[edge[i].to], record_id(node[edge[i].from]));
    }
    pthread_mutex_unlock(&lock);
    free(node);
}

uint64_t record_thread(void) { return thread_number; }

/* ------------------------------------------------------------------------------------------------------
 * Inspection
 */

/* The operation as far as it is known now. */
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

static void show_entries(const record *running, bool (*look)(void *user, const lab_trace_op *op), void *user)
{
    for (record_walk walk = record_walk_begin(running); record_walk_step(&walk);) {
        const lab_trace_op op = op_so_far(walk.entry);
        if (!walk.entry->dropped && op.file && !look(user, &op)) return;
    }
}

static _Thread_local bool is_showing;

bool record_show(bool (*look)(void *user, const lab_trace_op *op), void *user)
{
    const bool within = is_showing;
    if (!within && pthread_mutex_trylock(&lock) != 0) return false;
    is_showing = true;
    const record *running = atomic_load(&record_running);
    if (running) show_entries(running, look, user);
    is_showing = within;
    if (!within) pthread_mutex_unlock(&lock);
    return running;
}

/* ------------------------------------------------------------------------------------------------------
 * Beginning and end
 */

void record_attach(record *fresh)
{
    fresh->begin_ns = monotonic_ns();
    fresh->entries_before = entries_before_running;
    atomic_store(&record_running, fresh);
}

record *record_detach(void)
{
    pthread_mutex_lock(&lock);
    record *stopped = atomic_exchange(&record_running, NULL);
    while (stopped && open_calls > 0) pthread_cond_wait(&calls_ended, &lock);
    if (stopped) entries_before_running += stopped->entries;
    pthread_mutex_unlock(&lock);
    return stopped;
}

void record_free(record *ended)
{
    for (record_walk walk = record_walk_begin(ended); record_walk_step(&walk);) free_lists(walk.entry);
    for (record_chunk *chunk = ended->first, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(ended);
}
