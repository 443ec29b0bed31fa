/* Happens-before: what each stream's last operation, each event and each host thread knows to be done, as vector clocks.
 * Memory is order_use.c's, host threads are order_thread.c's, words are order_report.c's. */
#include "order_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

atomic_int order_mode_now = LAB_ORDER_OFF;

static pthread_mutex_t submission = PTHREAD_MUTEX_INITIALIZER;

typedef struct event_state {
    order_clock *clock; /* what was done when its last record is */
    order_capture *capture;
} event_state;

/* An operation between its check and its commit. */
typedef struct pending_work {
    order_site *site;
    order_clock *clock;
    order_stream *on;
    order_exec *exec;
    order_capture *capture;
    order_node node; /* if there is a site or a capture */
} pending_work;

static struct {
    number_map streams, events, keys; /* by id; by address; clocks by the program's keys */
    order_context *contexts;
    pending_work pending;
    lab_order_counts counts;
} now;

void order_enter(void) { pthread_mutex_lock(&submission); }

void order_leave(void) { pthread_mutex_unlock(&submission); }

void order_give_up(void)
{
    now.counts.gave_up = true;
    atomic_store(&order_mode_now, LAB_ORDER_OFF);
    fprintf(stderr, "LAB_ORDER: no host memory is left for the order checker; it stops here\n");
}

static void join(order_clock **into, const order_clock *from, uint64_t *version)
{
    bool changed = false;
    if (!order_clock_join(into, from, &changed)) order_give_up();
    if (changed && version) ++*version;
}

/* ------------------------------------------------------------------------------------------------------
 * Streams
 */

static order_context *context_of(uint64_t number)
{
    for (order_context *each = now.contexts; each; each = each->next)
        if (each->number == number) return each;
    order_context *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    *made = (order_context){.number = number, .next = now.contexts};
    return now.contexts = made;
}

static order_stream *make_stream(const struct stream *of)
{
    order_context *context = context_of(of->context->number);
    order_stream *made = context && number_map_reserve(&now.streams, 1) ? calloc(1, sizeof *made) : NULL;
    if (!made || !order_lane_take(&made->lane)) {
        free(made);
        order_give_up();
        return NULL;
    }
    made->id = of->id;
    made->context = context;
    made->null = of->null;
    made->blocking = !(of->flags & LAB_STREAM_NON_BLOCKING);
    made->version = 1;
    made->next = context->streams;
    context->streams = made;
    if (of->null) context->null = made;
    number_map_put(&now.streams, of->id, made);
    return made;
}

static order_stream *stream_of(const struct stream *of)
{
    order_stream *known = number_map_get(&now.streams, of->id);
    return known ? known : make_stream(of);
}

/* What the null stream waits for beside its own work. */
static void join_blocking(order_clock **into, const order_context *context, order_stream *null)
{
    for (order_stream *each = context->streams; each; each = each->next) {
        if (!each->blocking || each->null || (null && each->seen_by_null == each->version)) continue;
        join(into, each->known, NULL);
        if (null) each->seen_by_null = each->version;
    }
    join(into, context->ended_blocking, NULL);
}

/* Something is enqueued on the stream by this thread: what it waits for by the rules. */
static void advance(order_stream *on, const order_thread_view *by)
{
    const order_context *context = on->context;
    if (on->seen_thread != by->number || on->seen_thread_version != by->version) join(&on->known, by->known, NULL);
    on->seen_thread = by->number;
    on->seen_thread_version = by->version;
    if (on->null) {
        join_blocking(&on->known, context, on);
    } else if (on->blocking && context->null && on->seen_null != context->null->version) {
        join(&on->known, context->null->known, NULL);
        on->seen_null = context->null->version;
    }
    on->version++;
}

order_clock *order_known_on(const struct stream *on)
{
    const order_stream *stream = stream_of(on);
    const order_thread_view *by = order_thread_now();
    order_clock *known = NULL;
    if (stream) join(&known, stream->known, NULL);
    if (by) join(&known, by->known, NULL);
    return known;
}

order_site *order_place_on(const struct stream *on, const order_node *of, uint64_t time)
{
    order_stream *stream = stream_of(on);
    order_site *made = stream ? order_site_create(of, stream->lane, order_next_operation()) : NULL;
    if (made && time) made->time = time;
    if (!made || !order_clock_set(&stream->known, stream->lane, made->time)) order_give_up();
    if (made && !time) stream->version++;
    return made;
}

uint64_t order_next_operation(void) { return ++now.counts.operations; }

static void drop_capture(order_stream *of)
{
    order_capture_release(of->capture);
    of->capture = NULL;
}

static void free_stream(order_stream *of)
{
    drop_capture(of);
    order_clock_release(of->known);
    order_lane_give_back(of->lane);
    free(of);
}

void order_stream_ended(const struct stream *ended)
{
    if (!order_is_on()) return;
    order_enter();
    order_stream *gone = number_map_get(&now.streams, ended->id);
    if (gone) {
        order_context *context = gone->context;
        join(&context->ended, gone->known, NULL);
        if (gone->blocking) join(&context->ended_blocking, gone->known, NULL);
        order_stream **link = &context->streams;
        while (*link != gone) link = &(*link)->next;
        *link = gone->next;
        if (context->null == gone) context->null = NULL;
        number_map_remove(&now.streams, ended->id);
        free_stream(gone);
    }
    order_leave();
}

/* ------------------------------------------------------------------------------------------------------
 * Operations
 */

static void clear_pending(void)
{
    pending_work *work = &now.pending;
    if (work->site) order_site_release(work->site);
    order_clock_release(work->clock);
    work->site = NULL;
    work->clock = NULL;
    work->on = NULL;
    work->exec = NULL;
    work->capture = NULL;
}

lab_status order_check(const lab_trace_op *op, int told, const struct stream *on, bool captured, order_exec *exec)
{
    clear_pending();
    order_stream *stream = stream_of(on);
    const order_thread_view *by = order_thread_now();
    if (!stream || !by) return LAB_SUCCESS;
    pending_work *work = &now.pending;
    order_node_set(&work->node, op);
    work->node.told = told;
    work->on = stream;
    work->exec = exec;
    if (captured) {
        work->capture = stream->capture;
        return LAB_SUCCESS;
    }
    drop_capture(stream);
    work->node.number = order_next_operation();
    order_uses_prune(work->node.number);
    advance(stream, by);
    work->site = order_site_create(&work->node, stream->lane, now.counts.operations);
    if (!work->site || !order_clock_set(&stream->known, stream->lane, work->site->time)) {
        order_give_up();
        return LAB_SUCCESS;
    }
    work->clock = order_clock_retain(stream->known);
    return exec ? order_exec_examine(exec, work->clock, &work->node)
                : order_examine(work->site, &work->node, work->clock);
}

void order_commit(bool enqueued)
{
    pending_work *work = &now.pending;
    if (enqueued && work->capture) {
        if (!order_capture_add(work->capture, &work->node)) order_give_up();
    } else if (enqueued && work->site) {
        if (work->exec)
            order_exec_note(work->exec, &work->on->known);
        else
            order_note_uses(work->site, &work->node, work->clock);
        order_clock_release(work->clock);
        work->clock = order_clock_retain(work->on->known);
    }
    work->capture = NULL;
    work->node.access = NULL; /* goes with the call */
}

order_clock *order_covered_by_last(bool source_alone)
{
    const pending_work *work = &now.pending;
    order_clock *covered = order_clock_retain(work->clock);
    if (!source_alone || !covered || !work->site) return covered;
    order_clock *before = NULL;
    join(&before, covered, NULL);
    if (before) before->time[work->site->lane] = work->site->time - 1;
    order_clock_release(covered);
    return before;
}

/* ------------------------------------------------------------------------------------------------------
 * Events
 */

static event_state *event_of(const backend_event *event)
{
    event_state *known = number_map_get(&now.events, (uintptr_t)event);
    if (known) return known;
    event_state *made = number_map_reserve(&now.events, 1) ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        order_give_up();
        return NULL;
    }
    number_map_put(&now.events, (uintptr_t)event, made);
    return made;
}

static void forget_record(event_state *of)
{
    order_clock_release(of->clock);
    order_capture_release(of->capture);
    *of = (event_state){0};
}

void order_event_recorded(const backend_event *event, const struct stream *on, bool captured)
{
    event_state *of = event_of(event);
    order_stream *stream = stream_of(on);
    const order_thread_view *by = order_thread_now();
    if (!of || !stream || !by) return;
    forget_record(of);
    if (captured) {
        of->capture = order_capture_retain(stream->capture);
        return;
    }
    advance(stream, by);
    of->clock = order_clock_retain(stream->known);
}

void order_event_waited(const backend_event *event, const struct stream *on, bool captured)
{
    const event_state *of = number_map_get(&now.events, (uintptr_t)event);
    order_stream *stream = stream_of(on);
    const order_thread_view *by = order_thread_now();
    if (!of || !stream || !by) return;
    if (captured) {
        if (!stream->capture) stream->capture = order_capture_retain(of->capture);
        return;
    }
    advance(stream, by);
    join(&stream->known, of->clock, &stream->version);
}

static void end_event(uint64_t key)
{
    event_state *gone = number_map_get(&now.events, key);
    if (!gone) return;
    forget_record(gone);
    number_map_remove(&now.events, key);
    free(gone);
}

void order_event_ended(const backend_event *event)
{
    if (!order_is_on()) return;
    order_enter();
    end_event((uintptr_t)event);
    order_leave();
}

/* ------------------------------------------------------------------------------------------------------
 * Waiting
 */

order_clock *order_cover_stream(const struct stream *of)
{
    if (!order_is_on()) return NULL;
    order_enter();
    const order_stream *stream = number_map_get(&now.streams, of->id);
    order_clock *covered = stream ? order_clock_retain(stream->known) : NULL;
    const order_context *context = of->null ? context_of(of->context->number) : NULL;
    if (context) join_blocking(&covered, context, NULL);
    order_leave();
    return covered;
}

order_clock *order_cover_event(const backend_event *event)
{
    if (!order_is_on()) return NULL;
    order_enter();
    const event_state *of = number_map_get(&now.events, (uintptr_t)event);
    order_clock *covered = of ? order_clock_retain(of->clock) : NULL;
    order_leave();
    return covered;
}

order_clock *order_cover_context(const struct context *of)
{
    if (!order_is_on()) return NULL;
    order_enter();
    order_clock *covered = NULL;
    const order_context *context = context_of(of->number);
    for (const order_stream *each = context ? context->streams : NULL; each; each = each->next)
        join(&covered, each->known, NULL);
    if (context) join(&covered, context->ended, NULL);
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
 * Order that the program tells of
 */

void order_release(const void *key)
{
    order_enter();
    const order_thread_view *self = order_thread_now();
    order_clock *held = number_map_get(&now.keys, (uintptr_t)key);
    bool fresh = !held;
    if (self && self->known) {
        join(&held, self->known, NULL);
        if (!fresh) number_map_remove(&now.keys, (uintptr_t)key);
        if (number_map_reserve(&now.keys, 1))
            number_map_put(&now.keys, (uintptr_t)key, held);
        else
            order_give_up();
    }
    order_leave();
}

void order_acquire(const void *key)
{
    order_enter();
    order_thread_learn(number_map_get(&now.keys, (uintptr_t)key), false);
    order_leave();
}

/* ------------------------------------------------------------------------------------------------------
 * Captures
 */

void order_capture_began(const struct stream *on)
{
    order_enter();
    order_stream *stream = order_is_on() ? stream_of(on) : NULL;
    if (stream) {
        drop_capture(stream);
        stream->capture = order_capture_create();
        if (!stream->capture) order_give_up();
    }
    order_leave();
}

/* Takes the capture from its streams: the caller's reference to it, or NULL. */
order_capture *order_take_capture(const struct stream *on)
{
    order_stream *origin = number_map_get(&now.streams, on->id);
    order_capture *taken = origin ? order_capture_retain(origin->capture) : NULL;
    for (order_context *context = now.contexts; taken && context; context = context->next)
        for (order_stream *each = context->streams; each; each = each->next)
            if (each->capture == taken) drop_capture(each);
    return taken;
}

/* ------------------------------------------------------------------------------------------------------
 * Start and stop
 */

void order_context_ended(const struct context *ended)
{
    if (!order_is_on()) return;
    order_enter();
    for (order_context **link = &now.contexts; *link; link = &(*link)->next) {
        order_context *gone = *link;
        if (gone->number != ended->number) continue;
        *link = gone->next;
        for (order_stream *each = gone->streams, *next; each; each = next) {
            next = each->next;
            number_map_remove(&now.streams, each->id);
            free_stream(each);
        }
        order_clock_release(gone->ended);
        order_clock_release(gone->ended_blocking);
        free(gone);
        break;
    }
    order_leave();
}

static void forget_streams(void)
{
    for (order_context *each = now.contexts, *next; each; each = next) {
        next = each->next;
        for (order_stream *stream = each->streams, *after; stream; stream = after) {
            after = stream->next;
            free_stream(stream);
        }
        order_clock_release(each->ended);
        order_clock_release(each->ended_blocking);
        free(each);
    }
    now.contexts = NULL;
    number_map_clear(&now.streams);
}

static void forget_events(void)
{
    for (size_t i = 0; now.events.slot && i < (size_t)1 << now.events.bits; i++) {
        if (!now.events.slot[i].key) continue;
        forget_record(now.events.slot[i].value);
        free(now.events.slot[i].value);
    }
    number_map_clear(&now.events);
    for (size_t i = 0; now.keys.slot && i < (size_t)1 << now.keys.bits; i++)
        if (now.keys.slot[i].key) order_clock_release(now.keys.slot[i].value);
    number_map_clear(&now.keys);
}

static void forget_all(void)
{
    clear_pending();
    order_uses_begin();
    forget_streams();
    forget_events();
    order_allocations_clear();
    memset(&now, 0, sizeof now);
}

lab_status lab_order_start(lab_order_mode mode)
{
    if ((unsigned)mode > LAB_ORDER_ERROR)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_order_start: %d is no lab_order_mode", (int)mode);
    order_enter();
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
    lab_order_counts counts = now.counts;
    counts.segments = order_uses_segments();
    counts.findings = order_report_count();
    counts.lanes = order_lanes_taken();
    order_leave();
    return counts;
}

static pthread_once_t environment_read = PTHREAD_ONCE_INIT;
static lab_status environment_status;

static void read_environment(void)
{
    const char *wish = getenv("LAB_ORDER");
    if (!wish || !*wish || strcmp(wish, "off") == 0) return;
    if (strcmp(wish, "report") == 0)
        environment_status = lab_order_start(LAB_ORDER_REPORT);
    else if (strcmp(wish, "error") == 0)
        environment_status = lab_order_start(LAB_ORDER_ERROR);
    else
        environment_status =
            lab_fail(LAB_ERROR_INVALID_VALUE, "LAB_ORDER=%s is no mode; use off, report or error", wish);
}

lab_status order_start_from_environment(void)
{
    pthread_once(&environment_read, read_environment);
    return environment_status;
}
