/* What is done once each stream's last operation is done, by CUDA's rules for streams. */
#include "order_state.h"

#include <stdlib.h>

static number_map streams; /* by id */
static order_context *contexts;

order_context *order_context_of(uint64_t number)
{
    for (order_context *each = contexts; each; each = each->next)
        if (each->number == number) return each;
    order_context *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    *made = (order_context){.number = number, .next = contexts};
    return contexts = made;
}

static order_stream *make_stream(const stream_identity *identity)
{
    order_context *context = order_context_of(identity->context);
    order_stream *made = context && number_map_reserve(&streams, 1) ? calloc(1, sizeof *made) : NULL;
    if (!made || !order_lane_take(&made->lane)) {
        free(made);
        order_give_up();
        return NULL;
    }
    made->id = identity->id;
    made->context = context;
    made->null = identity->null;
    made->blocking = identity->blocking;
    made->version = 1;
    made->next = context->streams;
    context->streams = made;
    if (identity->null) context->null = made;
    number_map_put(&streams, identity->id, made);
    return made;
}

order_stream *order_stream_find(const stream_identity *identity) { return number_map_get(&streams, identity->id); }

order_stream *order_stream_of(const stream_identity *identity)
{
    order_stream *known = number_map_get(&streams, identity->id);
    return known ? known : make_stream(identity);
}

void order_join_blocking(order_clock **clock, const order_context *context, order_stream *null)
{
    for (order_stream *each = context->streams; each; each = each->next) {
        if (!each->blocking || each->null || (null && each->seen_by_null == each->version)) continue;
        order_join(clock, each->known, NULL);
        if (null) each->seen_by_null = each->version;
    }
    order_join(clock, context->ended_blocking, NULL);
}

void order_advance(order_stream *stream, const order_thread_view *thread)
{
    const order_context *context = stream->context;
    if (stream->seen_thread != thread->number || stream->seen_thread_version != thread->version)
        order_join(&stream->known, thread->known, NULL);
    stream->seen_thread = thread->number;
    stream->seen_thread_version = thread->version;
    if (stream->null) {
        order_join_blocking(&stream->known, context, stream);
    } else if (stream->blocking && context->null && stream->seen_null != context->null->version) {
        order_join(&stream->known, context->null->known, NULL);
        stream->seen_null = context->null->version;
    }
    stream->version++;
}

order_clock *order_known_on(const stream_identity *identity)
{
    const order_stream *stream = identity ? order_stream_of(identity) : NULL;
    const order_thread_view *thread = order_thread_now();
    order_clock *known = NULL;
    if (stream) order_join(&known, stream->known, NULL);
    if (stream && stream->null) order_join_blocking(&known, stream->context, NULL);
    if (stream && stream->blocking && stream->context->null) order_join(&known, stream->context->null->known, NULL);
    if (thread) order_join(&known, thread->known, NULL);
    return known;
}

void order_join_stream(order_clock **clock, uint64_t id)
{
    const order_stream *stream = number_map_get(&streams, id);
    if (!stream) return;
    order_join(clock, stream->known, NULL);
    if (stream->null) order_join_blocking(clock, stream->context, NULL);
}

order_site *order_place_on(const stream_identity *identity, const order_node *node, uint64_t time)
{
    order_stream *stream = order_stream_of(identity);
    order_site *made = stream ? order_site_create(node, stream->lane, order_next_operation()) : NULL;
    if (made && time) made->time = time;
    if (!made || !order_clock_set(&stream->known, stream->lane, made->time)) order_give_up();
    if (made && !time) stream->version++;
    return made;
}

void order_drop_capture(order_stream *stream)
{
    order_capture_release(stream->capture);
    stream->capture = NULL;
}

static void free_stream(order_stream *stream)
{
    order_drop_capture(stream);
    order_clock_release(stream->known);
    order_lane_give_back(stream->lane);
    free(stream);
}

void order_stream_ended(const stream_identity *identity)
{
    if (!order_is_on()) return;
    order_enter();
    order_stream *gone = number_map_get(&streams, identity->id);
    if (gone) {
        order_context *context = gone->context;
        order_join(&context->ended, gone->known, NULL);
        if (gone->blocking) order_join(&context->ended_blocking, gone->known, NULL);
        order_stream **link = &context->streams;
        while (*link != gone) link = &(*link)->next;
        *link = gone->next;
        if (context->null == gone) context->null = NULL;
        number_map_remove(&streams, identity->id);
        free_stream(gone);
    }
    order_leave();
}

order_capture *order_take_capture(const stream_identity *identity)
{
    order_stream *origin = number_map_get(&streams, identity->id);
    order_capture *taken = origin ? order_capture_retain(origin->capture) : NULL;
    for (order_context *context = contexts; taken && context; context = context->next)
        for (order_stream *each = context->streams; each; each = each->next)
            if (each->capture == taken) order_drop_capture(each);
    return taken;
}

void order_context_ended(uint64_t context_number)
{
    if (!order_is_on()) return;
    order_enter();
    for (order_context **link = &contexts; *link; link = &(*link)->next) {
        order_context *gone = *link;
        if (gone->number != context_number) continue;
        *link = gone->next;
        for (order_stream *each = gone->streams, *next; each; each = next) {
            next = each->next;
            number_map_remove(&streams, each->id);
            free_stream(each);
        }
        order_clock_release(gone->ended);
        order_clock_release(gone->ended_blocking);
        free(gone);
        break;
    }
    order_leave();
}

void order_streams_forget(void)
{
    for (order_context *each = contexts, *next; each; each = next) {
        next = each->next;
        for (order_stream *stream = each->streams, *after; stream; stream = after) {
            after = stream->next;
            free_stream(stream);
        }
        order_clock_release(each->ended);
        order_clock_release(each->ended_blocking);
        free(each);
    }
    contexts = NULL;
    number_map_clear(&streams);
}
