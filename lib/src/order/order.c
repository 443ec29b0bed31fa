/* The order checker's steps: operations, events, waits, and the order that the program declares between its threads. */
#include "order_state.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

typedef struct event_state {
    order_clock *clock; /* what is done once its last record is done */
    order_capture *capture;
} event_state;

/* An operation between its check and its commit. */
typedef struct pending_work {
    order_site *site;
    order_clock *clock;
    order_stream *stream;
    order_exec *exec;
    order_capture *capture;
    order_node node; /* if there is a site or a capture */
} pending_work;

static struct {
    number_map events, keys; /* by address; the clocks of the program's keys */
    pending_work pending;
} checker;

/* ------------------------------------------------------------------------------------------------------
 * Operations
 */

static void clear_pending(void)
{
    pending_work *work = &checker.pending;
    if (work->site) order_site_release(work->site);
    order_clock_release(work->clock);
    work->site = NULL;
    work->clock = NULL;
    work->stream = NULL;
    work->exec = NULL;
    work->capture = NULL;
}

/* Begins the check of an operation. Returns the stream and the thread. False if memory ran out. */
static bool open_pending(order_stream **stream, const order_thread_view **thread, const lab_trace_op *op,
                         const stream_identity *identity)
{
    clear_pending();
    *stream = order_stream_of(identity);
    *thread = order_thread_now();
    if (!*stream || !*thread) return false;
    order_node_set(&checker.pending.node, op, identity);
    checker.pending.stream = *stream;
    return true;
}

/* Gives the operation that is checked its place in the order. False if memory ran out. */
static bool take_place(order_stream *stream, const order_thread_view *thread)
{
    pending_work *work = &checker.pending;
    order_drop_capture(stream);
    work->node.number = order_next_operation();
    order_uses_prune(work->node.number);
    order_advance(stream, thread);
    work->site = order_site_create(&work->node, stream->lane, work->node.number);
    if (!work->site || !order_clock_set(&stream->known, stream->lane, work->site->time)) {
        order_give_up();
        return false;
    }
    work->clock = order_clock_retain(stream->known);
    return true;
}

lab_status order_check(const lab_trace_op *op, int declared, const stream_identity *identity, bool captured,
                       order_exec *exec)
{
    order_stream *stream;
    const order_thread_view *thread;
    if (!open_pending(&stream, &thread, op, identity)) return LAB_SUCCESS;
    pending_work *work = &checker.pending;
    work->node.declared = declared;
    work->exec = exec;
    if (captured) work->capture = stream->capture;
    if (captured || !take_place(stream, thread)) return LAB_SUCCESS;
    return exec ? order_exec_examine(exec, work->clock, &work->node)
                : order_examine(work->site, &work->node, work->clock);
}

void order_begin(const lab_trace_op *op, const stream_identity *identity)
{
    order_stream *stream;
    const order_thread_view *thread;
    if (open_pending(&stream, &thread, op, identity)) take_place(stream, thread);
}

lab_status order_judge(const lab_trace_op *op, int declared)
{
    pending_work *work = &checker.pending;
    if (!work->site || !work->clock) return LAB_SUCCESS;
    work->node.access = (lab_trace_access *)op->access;
    work->node.accesses = op->accesses;
    work->node.declared = declared;
    return order_examine(work->site, &work->node, work->clock);
}

void order_calls(order_host_call *call)
{
    pending_work *work = &checker.pending;
    if (work->capture)
        work->node.call = call;
    else
        order_host_call_learn(call, work->clock);
}

void order_ends_memory(void) { checker.pending.node.ends_memory = true; }

void order_commit(bool enqueued)
{
    pending_work *work = &checker.pending;
    if (enqueued && work->capture) {
        order_node *added = order_capture_add(work->capture, &work->node);
        if (added)
            order_allocations_remember(added);
        else
            order_give_up();
    } else if (enqueued && work->site) {
        if (work->exec)
            order_exec_note(work->exec, &work->stream->known);
        else
            order_note_uses(work->site, &work->node, work->clock);
        order_clock_release(work->clock);
        work->clock = order_clock_retain(work->stream->known);
    }
    work->capture = NULL;
    work->node.access = NULL; /* belongs to the call */
}

order_clock *order_covered_by_last(bool source_alone)
{
    const pending_work *work = &checker.pending;
    order_clock *covered = order_clock_retain(work->clock);
    if (!source_alone || !covered || !work->site) return covered;
    order_clock *before = NULL;
    order_join(&before, covered, NULL);
    if (before) before->time[work->site->lane] = work->site->time - 1;
    order_clock_release(covered);
    return before;
}

/* ------------------------------------------------------------------------------------------------------
 * Events
 */

static event_state *event_of(const void *event)
{
    event_state *known = number_map_get(&checker.events, (uintptr_t)event);
    if (known) return known;
    event_state *made = number_map_reserve(&checker.events, 1) ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        order_give_up();
        return NULL;
    }
    number_map_put(&checker.events, (uintptr_t)event, made);
    return made;
}

static void forget_record(event_state *state)
{
    order_clock_release(state->clock);
    order_capture_release(state->capture);
    *state = (event_state){0};
}

void order_event_recorded(const void *event, const stream_identity *identity, bool captured)
{
    event_state *state = event_of(event);
    order_stream *stream = order_stream_of(identity);
    const order_thread_view *thread = order_thread_now();
    if (!state || !stream || !thread) return;
    forget_record(state);
    if (captured) {
        state->capture = order_capture_retain(stream->capture);
        return;
    }
    order_advance(stream, thread);
    state->clock = order_clock_retain(stream->known);
}

void order_event_waited(const void *event, const stream_identity *identity, bool captured)
{
    const event_state *state = number_map_get(&checker.events, (uintptr_t)event);
    order_stream *stream = order_stream_of(identity);
    const order_thread_view *thread = order_thread_now();
    if (!state || !stream || !thread) return;
    if (captured) {
        if (!stream->capture) stream->capture = order_capture_retain(state->capture);
        return;
    }
    order_advance(stream, thread);
    order_join(&stream->known, state->clock, &stream->version);
}

static void end_event(uint64_t key)
{
    event_state *gone = number_map_get(&checker.events, key);
    if (!gone) return;
    forget_record(gone);
    number_map_remove(&checker.events, key);
    free(gone);
}

void order_event_ended(const void *event)
{
    if (!order_is_on()) return;
    order_enter();
    end_event((uintptr_t)event);
    order_leave();
}

/* ------------------------------------------------------------------------------------------------------
 * Waiting
 */

order_clock *order_cover_stream(const stream_identity *identity)
{
    if (!order_is_on()) return NULL;
    order_enter();
    const order_stream *stream = order_stream_find(identity);
    order_clock *covered = stream ? order_clock_retain(stream->known) : NULL;
    const order_context *context = identity->null ? order_context_of(identity->context) : NULL;
    if (context) order_join_blocking(&covered, context, NULL);
    order_leave();
    return covered;
}

order_clock *order_cover_event(const void *event)
{
    if (!order_is_on()) return NULL;
    order_enter();
    const event_state *state = number_map_get(&checker.events, (uintptr_t)event);
    order_clock *covered = state ? order_clock_retain(state->clock) : NULL;
    order_leave();
    return covered;
}

order_clock *order_cover_context(uint64_t context_number)
{
    if (!order_is_on()) return NULL;
    order_enter();
    order_clock *covered = NULL;
    const order_context *context = order_context_of(context_number);
    for (const order_stream *each = context ? context->streams : NULL; each; each = each->next)
        order_join(&covered, each->known, NULL);
    if (context) order_join(&covered, context->ended, NULL);
    order_leave();
    return covered;
}

void order_wait_ended(order_clock *covered, bool success)
{
    if (!covered) return;
    order_enter();
    if (success && order_is_on()) order_thread_learn(covered, true);
    order_clock_release(covered);
    order_leave();
}

/* ------------------------------------------------------------------------------------------------------
 * Order that the program declares
 */

static void hand_over(const void *key, const order_clock *known)
{
    if (!known) return;
    order_clock *held = number_map_get(&checker.keys, (uintptr_t)key);
    bool fresh = !held;
    order_join(&held, known, NULL);
    if (!fresh) number_map_remove(&checker.keys, (uintptr_t)key);
    if (number_map_reserve(&checker.keys, 1))
        number_map_put(&checker.keys, (uintptr_t)key, held);
    else
        order_give_up();
}

void order_release(const void *key)
{
    order_enter();
    const order_thread_view *self = order_thread_now();
    if (self) hand_over(key, self->known);
    order_leave();
}

typedef struct release_note {
    order_note note;
    const void *key;
    unsigned mark;
} release_note;

static void take_release(order_note *note)
{
    release_note *release = (release_note *)note;
    hand_over(release->key, order_host_call_known(release->mark));
    free(release);
}

void order_host_call_release_key(const void *key)
{
    const unsigned mark = order_host_call_now();
    if (!mark) return;
    release_note *release = malloc(sizeof *release);
    if (!release) {
        order_give_up();
        return;
    }
    *release = (release_note){{.take = take_release}, key, mark};
    order_leave_note(&release->note);
}

void order_acquire(const void *key)
{
    order_enter();
    order_thread_learn(number_map_get(&checker.keys, (uintptr_t)key), false);
    order_leave();
}

/* ------------------------------------------------------------------------------------------------------
 * Captures
 */

void order_capture_began(const stream_identity *identity)
{
    order_enter();
    order_stream *stream = order_is_on() ? order_stream_of(identity) : NULL;
    if (stream) {
        order_drop_capture(stream);
        stream->capture = order_capture_create();
        if (!stream->capture) order_give_up();
    }
    order_leave();
}

/* ------------------------------------------------------------------------------------------------------
 * Start and stop
 */

static void forget_events(void)
{
    for (size_t i = 0; checker.events.slot && i < (size_t)1 << checker.events.bits; i++) {
        if (!checker.events.slot[i].key) continue;
        forget_record(checker.events.slot[i].value);
        free(checker.events.slot[i].value);
    }
    number_map_clear(&checker.events);
    for (size_t i = 0; checker.keys.slot && i < (size_t)1 << checker.keys.bits; i++)
        if (checker.keys.slot[i].key) order_clock_release(checker.keys.slot[i].value);
    number_map_clear(&checker.keys);
}

static void forget_all(void)
{
    clear_pending();
    order_uses_begin();
    order_streams_forget();
    forget_events();
    order_allocations_clear();
    memset(&checker, 0, sizeof checker);
    order_gate_begin();
}

lab_status lab_order_start(lab_order_mode mode)
{
    if ((unsigned)mode > LAB_ORDER_ERROR)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_order_start: %d is not a lab_order_mode", (int)mode);
    order_enter();
    order_pages_open(0, UINT64_MAX);
    if (mode != LAB_ORDER_OFF) {
        forget_all();
        order_report_clear();
    }
    atomic_store(&order_mode_now, mode);
    if (mode != LAB_ORDER_OFF) order_threads_begin();
    order_leave();
    return LAB_SUCCESS;
}

lab_order_counts lab_order_get_counts(void)
{
    order_enter();
    lab_order_counts counts = {0};
    order_gate_count(&counts);
    counts.segments = order_uses_segments();
    counts.findings = order_report_count();
    counts.lanes = order_lanes_taken();
    order_leave();
    return counts;
}
