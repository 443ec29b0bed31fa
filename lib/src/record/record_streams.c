/* The list of streams, and which of their operations the null stream's rules order. For the record alone: the device
 * keeps its own order. */
#include "base/op_kind.h"
#include "record_entry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A stream, at its number minus 1. */
typedef struct stream_state {
    stream_identity identity;
    uint64_t last_op; /* record_id of the last operation enqueued on it in the running record, or 0 */
} stream_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static stream_state *streams;
static size_t stream_count, stream_capacity;

static bool make_room(uint64_t number)
{
    if (number <= stream_capacity) return true;
    const size_t capacity = 2 * number + 64;
    stream_state *larger = realloc(streams, capacity * sizeof *larger);
    if (!larger) return false;
    memset(larger + stream_capacity, 0, (capacity - stream_capacity) * sizeof *larger);
    streams = larger;
    stream_capacity = capacity;
    return true;
}

void record_stream(const stream_identity *made)
{
    pthread_mutex_lock(&lock);
    if (make_room(made->id)) {
        streams[made->id - 1] = (stream_state){.identity = *made};
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

bool record_get_stream(stream_identity *out, uint64_t number)
{
    pthread_mutex_lock(&lock);
    const bool known = number > 0 && number <= stream_count;
    if (known) *out = streams[number - 1].identity;
    pthread_mutex_unlock(&lock);
    return known;
}

void record_streams_forget_work(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < stream_count; i++) streams[i].last_op = 0;
    pthread_mutex_unlock(&lock);
}

/* The state of a context's null stream; NULL before it is made. */
static const stream_state *null_stream_of(uint64_t context)
{
    for (size_t i = 0; i < stream_count; i++)
        if (streams[i].identity.null && streams[i].identity.context == context) return &streams[i];
    return NULL;
}

/* The null stream waits for what was enqueued on blocking streams since its own last operation. Blocking streams wait
 * for its last operation. */
static void note_null_stream_order(record_entry *entry, const stream_state *state)
{
    const stream_identity *identity = &state->identity;
    if (identity->null) {
        for (size_t i = 0; i < stream_count; i++)
            if (streams[i].identity.blocking && !streams[i].identity.null &&
                streams[i].identity.context == identity->context && streams[i].last_op > state->last_op)
                record_waits_for(entry, streams[i].last_op);
    } else if (identity->blocking) {
        const stream_state *null_state = null_stream_of(identity->context);
        if (null_state && null_state->last_op > state->last_op) record_waits_for(entry, null_state->last_op);
    }
}

/* Whether a call of this kind waits for its stream. */
static bool is_wait(lab_op_kind kind) { return kind == LAB_OP_STREAM_SYNC || kind == LAB_OP_STREAM_QUERY; }

static void note_order(record_entry *entry, bool is_work)
{
    pthread_mutex_lock(&lock);
    if (entry->stream->id <= stream_count) {
        stream_state *state = &streams[entry->stream->id - 1];
        if (is_work || (state->identity.null && is_wait(entry->op.kind))) note_null_stream_order(entry, state);
        if (entry->op.kind == LAB_OP_STREAM_QUERY) record_waits_for(entry, state->last_op);
        if (is_work) {
            entry->previous = state->last_op;
            state->last_op = record_id(entry);
        }
    }
    pthread_mutex_unlock(&lock);
}

void record_on_stream(record_entry *entry, const stream_identity *stream, uint64_t capture)
{
    if (!entry) return;
    entry->op.stream = stream->id;
    entry->stream = stream;
    const bool is_work = lab_op_is_stream_work(entry->op.kind);
    if (is_work && capture) {
        entry->dropped = true; /* it does not run; record_graph makes it a node */
        entry->capture = capture;
        return;
    }
    if (is_wait(entry->op.kind)) entry->covered = order_cover_stream(stream);
    if (entry->asks) order_enter(); /* so that the last operation noted is one that the device has accepted */
    if (entry->recorded || entry->asks) note_order(entry, is_work);
    if (entry->asks) order_leave();
}
