/*
 * The memory behind a record: growing arrays of operations and streams, and an arena for text and lists.
 */
#include "trace/trace.h"
#include "base/plain_text.h"
#include "base/status.h"

#include <assert.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Chunks, which never move, hold text and lists. */
typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    alignas(max_align_t) char bytes[];
} chunk;

/* An open-addressed table; a zero hash marks a free slot. */
typedef struct slot {
    uint64_t hash;
    union {
        const char *text;
        size_t stream;
    } value;
} slot;

typedef struct table {
    slot *slot;
    size_t slots, used; /* slots is a power of two */
} table;

typedef struct storage {
    chunk *chunks;
    size_t op_capacity, stream_capacity, finding_capacity;
    table texts, streams;
    uint64_t seed; /* makes the tables' order unpredictable, since an attacker may have written the text */
} storage;

enum {
    CHUNK_BYTES = 64 * 1024,
    TABLE_SLOTS = 64,
    PROBES_MOST = 32, /* a text that finds no slot within these is stored again, to bound the search */
};

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the record"); }

lab_status lab_trace_create(lab_trace **out)
{
    lab_trace *trace = calloc(1, sizeof *trace);
    storage *store = calloc(1, sizeof *store);
    if (!trace || !store) {
        free(trace);
        free(store);
        return no_memory();
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    store->seed = (uint64_t)(uintptr_t)store * 0x9E3779B97F4A7C15u + (uint64_t)now.tv_nsec;
    trace->storage = store;
    strcpy(trace->device_kind, "cpu");
    *out = trace;
    return LAB_SUCCESS;
}

void lab_trace_free(lab_trace *trace)
{
    if (!trace) return;
    storage *store = trace->storage;
    for (chunk *at = store->chunks, *next; at; at = next) {
        next = at->next;
        free(at);
    }
    free(store->texts.slot);
    free(store->streams.slot);
    free(store);
    free(trace->op);
    free(trace->stream);
    free(trace->finding);
    free(trace);
}

void lab_trace_set_device(lab_trace *trace, const char *name, const char *kind, int multiprocessors)
{
    lab_text_clean(trace->device_name, sizeof trace->device_name, name, strlen(name));
    lab_text_clean(trace->device_kind, sizeof trace->device_kind, kind, strlen(kind));
    trace->multiprocessors = multiprocessors;
}

/* --- Memory --------------------------------------------------------------------------------------------------- */

/* NULL if there is no memory. */
static void *take(storage *store, size_t bytes)
{
    const size_t unit = alignof(max_align_t);
    bytes = (bytes + unit - 1) / unit * unit;
    chunk *top = store->chunks;
    if (!top || top->size - top->used < bytes) {
        size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        top = malloc(sizeof *top + size);
        if (!top) return NULL;
        *top = (chunk){.next = store->chunks, .size = size};
        store->chunks = top;
    }
    void *memory = top->bytes + top->used;
    top->used += bytes;
    return memory;
}

/* The array, perhaps moved, with room for one more element; NULL, and the array unchanged, if there is no memory. */
static void *with_room(void *array, size_t *capacity, size_t used, size_t element_bytes)
{
    if (used < *capacity) return array;
    size_t wanted = *capacity ? *capacity * 2 : 64;
    void *grown = reallocarray(array, wanted, element_bytes);
    if (grown) *capacity = wanted;
    return grown;
}

/* --- Tables --------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    value ^= value >> 31;
    return value ? value : 1;
}

static uint64_t hash_text(const char *text, size_t length, uint64_t seed)
{
    uint64_t hash = seed;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001B3u;
    return mix(hash);
}

static void place(table *hash_table, slot new)
{
    size_t at = new.hash &(hash_table->slots - 1);
    while (hash_table->slot[at].hash != 0) at = (at + 1) & (hash_table->slots - 1);
    hash_table->slot[at] = new;
    hash_table->used++;
}

/* Keeps the table at most half full; false if there is no memory. */
static bool insert(table *hash_table, slot new)
{
    if (hash_table->used * 2 >= hash_table->slots) {
        table grown = {calloc(hash_table->slots ? hash_table->slots * 2 : TABLE_SLOTS, sizeof(slot)), 0, 0};
        if (!grown.slot) return false;
        grown.slots = hash_table->slots ? hash_table->slots * 2 : TABLE_SLOTS;
        for (size_t i = 0; i < hash_table->slots; i++)
            if (hash_table->slot[i].hash != 0) place(&grown, hash_table->slot[i]);
        free(hash_table->slot);
        *hash_table = grown;
    }
    place(hash_table, new);
    return true;
}

/* --- Text and lists ------------------------------------------------------------------------------------------- */

lab_status lab_trace_intern(lab_trace *trace, const char **out, const char *text)
{
    storage *store = trace->storage;
    char clean[LAB_TRACE_TEXT_BYTES];
    size_t length = lab_text_clean(clean, sizeof clean, text, strlen(text));
    if (length == 0) {
        *out = "";
        return LAB_SUCCESS;
    }

    uint64_t hash = hash_text(clean, length, store->seed);
    size_t probes = 0;
    for (; probes < PROBES_MOST && probes < store->texts.slots; probes++) {
        const slot *at = &store->texts.slot[(hash + probes) & (store->texts.slots - 1)];
        if (at->hash == 0) break;
        if (at->hash == hash && strcmp(at->value.text, clean) == 0) {
            *out = at->value.text;
            return LAB_SUCCESS;
        }
    }
    char *copy = take(store, length + 1);
    if (!copy) return no_memory();
    memcpy(copy, clean, length + 1);
    if (probes < PROBES_MOST && !insert(&store->texts, (slot){hash, {.text = copy}})) return no_memory();
    *out = copy;
    return LAB_SUCCESS;
}

static lab_status copy_list(lab_trace *trace, const void **out, const void *list, int count, size_t element_bytes)
{
    *out = NULL;
    if (count == 0) return LAB_SUCCESS;
    assert(count > 0);
    void *copy = take(trace->storage, (size_t)count * element_bytes);
    if (!copy) return no_memory();
    memcpy(copy, list, (size_t)count * element_bytes);
    *out = copy;
    return LAB_SUCCESS;
}

lab_status lab_trace_copy_accesses(lab_trace *trace, const lab_trace_access **out, const lab_trace_access *access,
                                   int count)
{
    const void *copy;
    LAB_TRY(copy_list(trace, &copy, access, count, sizeof *access));
    *out = copy;
    return LAB_SUCCESS;
}

lab_status lab_trace_copy_waits(lab_trace *trace, const uint64_t **out, const uint64_t *waits, int count)
{
    const void *copy;
    LAB_TRY(copy_list(trace, &copy, waits, count, sizeof *waits));
    *out = copy;
    return LAB_SUCCESS;
}

/* --- Streams and operations ----------------------------------------------------------------------------------- */

size_t lab_trace_find_stream(const lab_trace *trace, uint64_t id)
{
    const storage *store = trace->storage;
    uint64_t hash = mix(id ^ store->seed);
    for (size_t i = 0; i < store->streams.slots; i++) {
        const slot *at = &store->streams.slot[(hash + i) & (store->streams.slots - 1)];
        if (at->hash == 0) break;
        if (at->hash == hash && trace->stream[at->value.stream].id == id) return at->value.stream;
    }
    return trace->streams;
}

lab_status lab_trace_append_stream(lab_trace *trace, const lab_trace_stream *stream)
{
    assert(stream->id != 0 && stream->device >= 0 && stream->device < LAB_TRACE_DEVICES);
    storage *store = trace->storage;
    if (lab_trace_find_stream(trace, stream->id) < trace->streams)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "stream %llu is in the record already",
                        (unsigned long long)stream->id);
    void *array = with_room(trace->stream, &store->stream_capacity, trace->streams, sizeof *trace->stream);
    if (!array) return no_memory();
    trace->stream = array;
    if (!insert(&store->streams, (slot){mix(stream->id ^ store->seed), {.stream = trace->streams}})) return no_memory();
    trace->stream[trace->streams++] = *stream;
    return LAB_SUCCESS;
}

lab_status lab_trace_append(lab_trace *trace, const lab_trace_op *op)
{
    assert(op->kind < LAB_OP_KINDS && op->device >= 0 && op->device < LAB_TRACE_DEVICES);
    storage *store = trace->storage;
    lab_trace_op copy = *op;
    copy.id = trace->ops + 1;
    LAB_TRY(lab_trace_intern(trace, &copy.name, op->name ? op->name : ""));
    LAB_TRY(lab_trace_intern(trace, &copy.module, op->module ? op->module : ""));
    LAB_TRY(lab_trace_intern(trace, &copy.arguments, op->arguments ? op->arguments : ""));
    LAB_TRY(lab_trace_intern(trace, &copy.file, op->file ? op->file : ""));
    LAB_TRY(lab_trace_copy_accesses(trace, &copy.access, op->access, op->accesses));
    LAB_TRY(lab_trace_copy_waits(trace, &copy.waits_for, op->waits_for, op->waits));
    void *array = with_room(trace->op, &store->op_capacity, trace->ops, sizeof *trace->op);
    if (!array) return no_memory();
    trace->op = array;
    trace->op[trace->ops++] = copy;
    return LAB_SUCCESS;
}

lab_status lab_trace_append_finding(lab_trace *trace, const lab_trace_finding *finding)
{
    storage *store = trace->storage;
    lab_trace_finding copy = *finding;
    if (trace->findings == LAB_TRACE_FINDINGS)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "the record has more than %d findings", LAB_TRACE_FINDINGS);
    LAB_TRY(lab_trace_intern(trace, &copy.text, finding->text));
    LAB_TRY(lab_trace_intern(trace, &copy.edge, finding->edge));
    void *array = with_room(trace->finding, &store->finding_capacity, trace->findings, sizeof *trace->finding);
    if (!array) return no_memory();
    trace->finding = array;
    trace->finding[trace->findings++] = copy;
    return LAB_SUCCESS;
}
