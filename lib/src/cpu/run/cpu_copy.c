/* A copy of pageable memory is one operation like any other, but the copy engine does not touch the pageable side:
 * it passes the bytes, piece by piece, through pinned buffers that the calling thread fills or empties. */
#include "cpu_copy.h"

#include "base/program/host_memory.h"
#include "base/retire.h"
#include "base/system/evidence.h"
#include "base/system/window.h"
#include "cpu/apart/apart.h"
#include "cpu/engine/engine.h"
#include "cpu/engine/engine_lock.h"
#include "cpu/engine/process_failure.h"
#include "cpu/engine/schedule_setting.h"
#include "cpu/kernel/kernel_signals.h"
#include "cpu_capture.h"
#include "cpu_graph.h"
#include "cpu_memory.h"
#include "cpu_stream.h"
#include "seam/ledger.h"
#include "seam/written.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_BYTES = 1024 * 1024, /* what a core fills or copies at a time within device memory */
    PIECE_BYTES = 256 * 1024,  /* of a copy of pageable memory */
    CHANNEL_BUFFERS = 2,
};

/* The byte at which a block of an operation begins; the end, for the block after the last. */
static size_t block_begin(const cpu_op *op, uint64_t block)
{
    return block == op->blocks ? op->bytes : op->bytes / op->blocks * (size_t)block;
}

/* ---- Memory that was freed after its use was enqueued, or captured: the device fails, not the process ---- */

/* A part of a copy or of a fill, as `what` says, of `whole` bytes. */
typedef struct moving {
    const char *what;
    size_t whole;
    cpu_moved part;
    bool host[2]; /* whether that address of the part is the program's */
} moving;

/* The first of the bytes that lies in a window and was freed; 0 if there is none. */
static uint64_t find_freed(uint64_t address, size_t bytes, bool host)
{
    if (!host || host_memory_is_direct()) return apart_find_free(address, bytes);
    return host_memory_other->pinned ? window_find_free(host_memory_other->pinned, address, bytes) : 0;
}

/* Calls the work, which moves that part. False if some of its bytes are not there: then the device has failed. A window
 * stays mapped, so that its list of blocks decides; all other memory decides by the signal. */
static bool move(const moving *moved, void (*work)(void *user), void *user)
{
    const cpu_moved *part = &moved->part;
    uint64_t missing = find_freed(part->address[0], part->bytes, moved->host[0]);
    if (!missing) missing = find_freed(part->address[1], part->bytes, moved->host[1]);
    if (!missing && cpu_signals_move(&missing, part, work, user)) return true;
    char message[256];
    snprintf(message, sizeof message,
             "a %s of %zu bytes used memory at 0x%" PRIx64
             ", where there is none; LAB_ORDER=report in the environment makes it "
             "name the call that freed the memory",
             moved->what, moved->whole, missing);
    cpu_process_fail(LAB_ERROR_ILLEGAL_ADDRESS, message);
    return false;
}

/* ---- The channel of a copy of pageable memory ---- */

/* Buffers used in turn, and how many pieces were put in and taken out. */
typedef struct copy_channel {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t put, taken;
    bool begun;  /* the work before the copy on its stream is done */
    bool broken; /* the caller could not reach its memory: no more pieces come */
    int users;   /* the caller and the operation; the last one frees the channel */
    unsigned char buffer[CHANNEL_BUFFERS][PIECE_BYTES];
} copy_channel;

static copy_channel *open_channel(void)
{
    copy_channel *opened = malloc(sizeof *opened);
    if (!opened) {
        lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to stage a copy of pageable memory");
        return NULL;
    }
    pthread_mutex_init(&opened->lock, NULL);
    pthread_cond_init(&opened->changed, NULL);
    opened->put = opened->taken = 0;
    opened->begun = opened->broken = false;
    opened->users = 2;
    return opened;
}

static void leave_channel(copy_channel *left)
{
    pthread_mutex_lock(&left->lock);
    bool last = --left->users == 0;
    pthread_mutex_unlock(&left->lock);
    if (!last) return;
    pthread_cond_destroy(&left->changed);
    pthread_mutex_destroy(&left->lock);
    free(left);
}

static size_t piece_bytes(size_t left) { return left < PIECE_BYTES ? left : PIECE_BYTES; }

static void advance(copy_channel *channel, size_t *counter)
{
    pthread_mutex_lock(&channel->lock);
    ++*counter;
    pthread_cond_broadcast(&channel->changed);
    pthread_mutex_unlock(&channel->lock);
}

static void break_off(copy_channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    channel->broken = true;
    pthread_cond_broadcast(&channel->changed);
    pthread_mutex_unlock(&channel->lock);
}

/* Waits until more pieces than `least` were counted; false if no more pieces come. */
static bool wait_for_more(copy_channel *channel, const size_t *counter, size_t least)
{
    pthread_mutex_lock(&channel->lock);
    while (*counter <= least && !channel->broken) pthread_cond_wait(&channel->changed, &channel->lock);
    const bool whole = !channel->broken;
    pthread_mutex_unlock(&channel->lock);
    return whole;
}

/* Reads or writes a piece of the copy's source or destination; false if it is not there. */
typedef bool piece_reader(void *into, uint64_t address, size_t bytes, uint64_t number);
typedef bool piece_writer(uint64_t address, const void *from, size_t bytes, uint64_t number);

static bool read_device(void *into, uint64_t address, size_t bytes, uint64_t number)
{
    (void)number;
    memcpy(into, (const void *)(uintptr_t)address, bytes);
    return true;
}

static bool write_device(uint64_t address, const void *from, size_t bytes, uint64_t number)
{
    (void)number;
    memcpy((void *)(uintptr_t)address, from, bytes);
    return true;
}

/* Puts all bytes in, piece by piece, each as soon as a buffer is free. Returns when the last piece is in. */
static bool put_all(copy_channel *channel, piece_reader *read, const backend_copy *copy)
{
    const size_t bytes = copy->bytes;
    for (size_t piece = 0, offset = 0; offset < bytes; piece++, offset += PIECE_BYTES) {
        if (piece >= CHANNEL_BUFFERS && !wait_for_more(channel, &channel->taken, piece - CHANNEL_BUFFERS)) return false;
        if (!read(channel->buffer[piece % CHANNEL_BUFFERS], copy->source + offset, piece_bytes(bytes - offset),
                  copy->number))
            return false;
        advance(channel, &channel->put);
    }
    return true;
}

/* Takes all bytes out, each piece as soon as it is in. */
static bool take_all(copy_channel *channel, piece_writer *write, const backend_copy *copy)
{
    const size_t bytes = copy->bytes;
    for (size_t piece = 0, offset = 0; offset < bytes; piece++, offset += PIECE_BYTES) {
        if (!wait_for_more(channel, &channel->put, piece)) return false;
        if (!write(copy->destination + offset, channel->buffer[piece % CHANNEL_BUFFERS], piece_bytes(bytes - offset),
                   copy->number))
            return false;
        advance(channel, &channel->taken);
    }
    return true;
}

static void begin_copy(copy_channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    channel->begun = true;
    pthread_cond_broadcast(&channel->changed);
    pthread_mutex_unlock(&channel->lock);
}

static void wait_until_begun(copy_channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    while (!channel->begun) pthread_cond_wait(&channel->changed, &channel->lock);
    pthread_mutex_unlock(&channel->lock);
}

/* Waits until everything that was put in has been taken out, as far as it will be. */
static void wait_until_empty(copy_channel *channel) { wait_for_more(channel, &channel->taken, channel->put - 1); }

/* ---- Copies ---- */

typedef struct copy_work {
    backend_copy copy;
    copy_channel *channel; /* NULL for pinned memory */
    void *staged; /* the bytes of pageable memory, if they are staged at once: freed with the operation; or NULL */
} copy_work;

/* Fails the call whose thread did not find the program's memory. The device is as usable as before. */
static lab_status fail_gone(const backend_copy *copy)
{
    char message[HOST_MEMORY_GONE_WORDS];
    host_memory_say_gone(message, copy->kind == BACKEND_COPY_HTOD, backend_copy_host(copy), copy->bytes);
    return lab_fail(LAB_ERROR_ILLEGAL_ADDRESS, "%s", message);
}

static bool move_bytes(const cpu_op *op, const backend_copy *copy, size_t begin, size_t end)
{
    const uint64_t destination = copy->destination + begin, source = copy->source + begin;
    if (copy->kind == BACKEND_COPY_HTOD) written_note(destination, end - begin, cpu_op_ledger_count(op));
    if (copy->kind == BACKEND_COPY_DTOD) written_copy(destination, source, end - begin, cpu_op_ledger_count(op));
    switch (copy->kind) {
    case BACKEND_COPY_HTOD: return evidence_upload((void *)(uintptr_t)destination, source, end - begin, copy->number);
    case BACKEND_COPY_DTOH:
        return evidence_deliver(destination, (const void *)(uintptr_t)source, end - begin, copy->number);
    case BACKEND_COPY_DTOD: break;
    }
    memmove((void *)(uintptr_t)destination, (const void *)(uintptr_t)source, end - begin);
    return true;
}

/* A part of an operation that moves bytes. */
typedef struct part {
    cpu_op *op;
    size_t begin, end;
    bool found; /* the program's memory */
} part;

static void move_part(void *user)
{
    part *moved = user;
    const copy_work *work = cpu_op_payload(moved->op);
    moved->found = move_bytes(moved->op, &work->copy, moved->begin, moved->end);
}

/* A copy engine that does not find memory fails as a kernel does: for good. */
static void run_copy(cpu_op *op, uint64_t first, uint64_t count)
{
    const backend_copy *copy = &((const copy_work *)cpu_op_payload(op))->copy;
    part moved = {op, block_begin(op, first), block_begin(op, first + count), false};
    const cpu_moved bytes = {{copy->source + moved.begin, copy->destination + moved.begin}, moved.end - moved.begin};
    const bool reads_host = copy->kind == BACKEND_COPY_HTOD, writes_host = copy->kind == BACKEND_COPY_DTOH;
    if (!move(&(moving){"copy", copy->bytes, bytes, {reads_host, writes_host}}, move_part, &moved) || moved.found)
        return;
    char message[HOST_MEMORY_GONE_WORDS];
    host_memory_say_gone(message, reads_host, backend_copy_host(copy), copy->bytes);
    cpu_process_fail(LAB_ERROR_ILLEGAL_ADDRESS, message);
}

static void run_staged_in(cpu_op *op, uint64_t first, uint64_t count)
{
    (void)first, (void)count;
    const copy_work *work = cpu_op_payload(op);
    begin_copy(work->channel);
    written_note(work->copy.destination, work->copy.bytes, cpu_op_ledger_count(op));
    take_all(work->channel, write_device, &work->copy);
    leave_channel(work->channel);
}

static void run_staged_out(cpu_op *op, uint64_t first, uint64_t count)
{
    (void)first, (void)count;
    const copy_work *work = cpu_op_payload(op);
    if (put_all(work->channel, read_device, &work->copy)) wait_until_empty(work->channel);
    leave_channel(work->channel);
}

static void free_staged(cpu_op *op)
{
    const copy_work *work = cpu_op_payload(op);
    free(work->staged);
}

static void describe_copy(cpu_captured *captured, const cpu_op *op)
{
    static const lab_graph_node_kind kind[] = {[CPU_QUEUE_HTOD] = LAB_NODE_COPY_HTOD,
                                               [CPU_QUEUE_DTOH] = LAB_NODE_COPY_DTOH,
                                               [CPU_QUEUE_COMPUTE] = LAB_NODE_COPY_DTOD};
    captured->node.kind = kind[op->queue];
    captured->node.bytes = op->bytes;
}

static cpu_op *create_copy(const backend_copy *copy, copy_channel *channel, backend_times *times)
{
    static const cpu_queue queue[] = {[BACKEND_COPY_HTOD] = CPU_QUEUE_HTOD,
                                      [BACKEND_COPY_DTOH] = CPU_QUEUE_DTOH,
                                      [BACKEND_COPY_DTOD] = CPU_QUEUE_COMPUTE};
    cpu_op *op = cpu_op_create(queue[copy->kind], sizeof(copy_work));
    if (!op) return NULL;
    copy_work *work = cpu_op_payload(op);
    *work = (copy_work){*copy, channel, NULL};
    op->times = times;
    op->bytes = copy->bytes;
    op->ledger_count = ledger_now();
    op->run = run_copy;
    if (!channel) op->describe = describe_copy;
    if (channel) op->run = copy->kind == BACKEND_COPY_HTOD ? run_staged_in : run_staged_out;
    if (copy->kind == BACKEND_COPY_DTOD) op->blocks = (copy->bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    const bool reads_host = copy->kind == BACKEND_COPY_HTOD, writes_host = copy->kind == BACKEND_COPY_DTOH;
    cpu_op_touches(op, (cpu_touch){copy->source, copy->source + copy->bytes - 1, .host = reads_host});
    cpu_op_touches(
        op, (cpu_touch){copy->destination, copy->destination + copy->bytes - 1, .host = writes_host, .writes = true});
    return op;
}

/* Enqueues a copy's operation and returns a reference to it. A copy with a channel runs in any case: its caller
 * works with it. */
static lab_status enqueue_made(cpu_op **out, backend_stream *stream, cpu_op *op, const backend_copy *copy)
{
    const copy_work *work = cpu_op_payload(op);
    cpu_engine_lock();
    *out = cpu_op_retain(op);
    cpu_engine_unlock();
    lab_status status = work->channel ? cpu_stream_enqueue_always(stream, op) : cpu_stream_enqueue(stream, op);
    if (status != LAB_SUCCESS)
        cpu_op_drop(*out);
    else if (copy->enqueued.call)
        copy->enqueued.call(copy->enqueued.user);
    return status;
}

/* Creates and enqueues the copy's operation and returns a reference to it. */
static lab_status enqueue_copy(cpu_op **out, backend_stream *stream, const backend_copy *copy, copy_channel *channel,
                               backend_times *times)
{
    cpu_op *op = create_copy(copy, channel, times);
    return op ? enqueue_made(out, stream, op, copy) : LAB_ERROR_OUT_OF_MEMORY;
}

/* Moves the calling thread's side of a copy whose operation is enqueued. If that fails, the operation ends with part of
 * the bytes copied. */
static lab_status move_pieces(copy_channel *channel, const backend_copy *copy)
{
    const bool whole = copy->kind == BACKEND_COPY_HTOD ? put_all(channel, evidence_upload, copy)
                                                       : take_all(channel, evidence_deliver, copy);
    if (whole) return LAB_SUCCESS;
    break_off(channel);
    return fail_gone(copy);
}

/* The calling thread's part of a copy of pageable memory. To the device it returns when all is staged, perhaps before
 * all has arrived; from the device when all has arrived. A synchronous copy reads the host's memory when the work
 * before it on the stream is done, not before. */
static lab_status copy_pageable(cpu_op **out, backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    copy_channel *channel = open_channel();
    if (!channel) return LAB_ERROR_OUT_OF_MEMORY;
    lab_status status = enqueue_copy(out, stream, copy, channel, times);
    const bool paused = retire_pause(); /* the stream is needed no more */
    if (status == LAB_SUCCESS && copy->wait && copy->kind == BACKEND_COPY_HTOD) wait_until_begun(channel);
    if (status != LAB_SUCCESS)
        leave_channel(channel); /* for the operation, which will not run */
    else if ((status = move_pieces(channel, copy)) != LAB_SUCCESS)
        cpu_op_drop(*out);
    leave_channel(channel);
    retire_resume(paused);
    return status;
}

/* Waits for the work that an operation enqueued on the stream now would wait for. */
static lab_status wait_for_order(backend_stream *stream)
{
    cpu_op *marker = cpu_op_create(CPU_QUEUE_NONE, 0);
    if (!marker) return LAB_ERROR_OUT_OF_MEMORY;
    cpu_engine_lock();
    lab_status status = cpu_stream_append(stream, cpu_op_retain(marker));
    cpu_engine_unlock();
    if (status == LAB_SUCCESS) cpu_op_wait(marker, false);
    cpu_op_drop(marker);
    return status;
}

/* The operation of a copy that passes all bytes through a buffer of its own; NULL (with the message set) if memory ran
 * out. */
static cpu_op *create_staged(const backend_copy *copy, backend_times *times)
{
    cpu_op *op = create_copy(copy, NULL, times);
    if (!op) return NULL;
    copy_work *work = cpu_op_payload(op);
    op->describe = NULL;
    op->discard = free_staged;
    work->staged = malloc(copy->bytes);
    if (!work->staged) {
        cpu_op_drop(op);
        lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to stage a copy of pageable memory");
        return NULL;
    }
    *(copy->kind == BACKEND_COPY_HTOD ? &work->copy.source : &work->copy.destination) = (uintptr_t)work->staged;
    work->copy.kind = BACKEND_COPY_DTOD;
    return op;
}

/* With a schedule, whose one thread must not wait for the caller, pageable memory is staged at once. As in CUDA, a
 * synchronous copy to the device begins when the work before it is done, and returns when the bytes are staged, not
 * arrived. */
static lab_status put_by_schedule(cpu_op **out, backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    if (copy->wait) LAB_TRY(wait_for_order(stream));
    cpu_op *op = create_staged(copy, times);
    if (!op) return LAB_ERROR_OUT_OF_MEMORY;
    const copy_work *work = cpu_op_payload(op);
    if (evidence_upload(work->staged, copy->source, copy->bytes, copy->number))
        return enqueue_made(out, stream, op, copy);
    cpu_op_drop(op);
    return fail_gone(copy);
}

static lab_status take_by_schedule(cpu_op **out, backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    cpu_op *op = create_staged(copy, times);
    if (!op) return LAB_ERROR_OUT_OF_MEMORY;
    const copy_work *work = cpu_op_payload(op);
    LAB_TRY(enqueue_made(out, stream, op, copy));
    cpu_op_wait_outside(op, false);
    if (atomic_load(&cpu_process_failure) ||
        evidence_deliver(copy->destination, work->staged, copy->bytes, copy->number))
        return LAB_SUCCESS;
    cpu_op_drop(op);
    return fail_gone(copy);
}

/* Enqueues a copy of pageable memory. The calling thread's part is done on return. */
static lab_status enqueue_pageable(cpu_op **out, backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    if (!cpu_schedule_is_on()) return copy_pageable(out, stream, copy, times);
    return copy->kind == BACKEND_COPY_HTOD ? put_by_schedule(out, stream, copy, times)
                                           : take_by_schedule(out, stream, copy, times);
}

/* Whether an asynchronous copy to pageable memory may arrive after its call has returned, as CUDA allows. */
static bool arrives_late(const backend_copy *copy)
{
    return copy->kind == BACKEND_COPY_DTOH && !copy->wait && cpu_schedule_is_adversarial();
}

lab_status cpu_copy(backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    const bool captured = cpu_capture_id(stream) != 0;
    if (copy->wait && captured) return cpu_capture_check_stream(stream, "a copy that returns when it is done");
    /* A captured copy runs later, without its caller: then the copy engine reaches pageable memory itself. */
    const bool pageable = copy->kind != BACKEND_COPY_DTOD && !copy->pinned && !captured && !arrives_late(copy);
    const bool staged = pageable && copy->kind == BACKEND_COPY_HTOD;
    cpu_op *op;
    LAB_TRY(pageable ? enqueue_pageable(&op, stream, copy, times) : enqueue_copy(&op, stream, copy, NULL, times));
    if (copy->wait && !(staged && cpu_schedule_is_adversarial())) cpu_op_wait_outside(op, false);
    cpu_op_drop(op);
    return copy->wait || pageable ? cpu_process_check() : LAB_SUCCESS;
}

/* ---- Fills ---- */

typedef struct fill_work {
    unsigned char *destination;
    size_t bytes;
    unsigned char value;
} fill_work;

static void fill_part(void *user)
{
    const part *filled = user;
    const fill_work *work = cpu_op_payload(filled->op);
    memset(work->destination + filled->begin, work->value, filled->end - filled->begin);
}

static void run_fill(cpu_op *op, uint64_t first, uint64_t count)
{
    const fill_work *work = cpu_op_payload(op);
    part filled = {op, block_begin(op, first), block_begin(op, first + count), true};
    const uint64_t address = (uintptr_t)work->destination + filled.begin;
    const size_t bytes = filled.end - filled.begin;
    if (move(&(moving){"fill", work->bytes, {{address, address}, bytes}, {false, false}}, fill_part, &filled))
        written_note(address, bytes, cpu_op_ledger_count(op));
}

static void describe_fill(cpu_captured *captured, const cpu_op *op)
{
    const fill_work *work = (const void *)op->payload;
    captured->node.kind = LAB_NODE_FILL;
    captured->node.bytes = work->bytes;
}

static cpu_op *create_fill(fill_work fill)
{
    const uint64_t destination = (uintptr_t)fill.destination;
    const size_t bytes = fill.bytes;
    cpu_op *op = cpu_op_create(CPU_QUEUE_COMPUTE, sizeof(fill_work));
    if (!op) return NULL;
    op->run = run_fill;
    op->describe = describe_fill;
    op->bytes = bytes;
    op->ledger_count = ledger_now();
    op->blocks = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    cpu_op_touches(op, (cpu_touch){destination, destination + bytes - 1, .writes = true});
    fill_work *work = cpu_op_payload(op);
    *work = fill;
    return op;
}

lab_status cpu_fill(backend_stream *stream, uint64_t destination, unsigned char value, size_t bytes,
                    backend_times *times)
{
    cpu_op *op = create_fill((fill_work){(unsigned char *)(uintptr_t)destination, bytes, value});
    if (!op) return LAB_ERROR_OUT_OF_MEMORY;
    op->times = times;
    return cpu_stream_enqueue(stream, op);
}

static bool spoil(backend_stream *stream, uint64_t address, size_t bytes)
{
    cpu_op *op = create_fill((fill_work){(unsigned char *)(uintptr_t)address, bytes, CPU_FRESH_BYTE});
    if (!op) return false;
    op->entry->spoils = true;
    return cpu_stream_enqueue(stream, op) == LAB_SUCCESS;
}

/* An adversarial schedule overwrites the memory, so that a later use of it shows. On the null stream such work would
 * order blocking streams: while one of them has work the memory is left alone. */
bool cpu_memory_left(backend_stream *stream, uint64_t address, size_t bytes)
{
    lab_capture_status capture;
    if (!cpu_schedule_is_adversarial()) return false;
    if (cpu_capture_status(&capture, stream) != LAB_SUCCESS || capture != LAB_CAPTURE_NONE) return false;
    if (cpu_stream_is_idle(stream)) {
        memset((void *)(uintptr_t)address, CPU_FRESH_BYTE, bytes);
        return false;
    }
    return !cpu_stream_orders_others(stream) && spoil(stream, address, bytes);
}

/* ---- Host functions ---- */

void cpu_host_work(const backend_host_work *work)
{
    const char *what = work->source == work->destination ? "fill" : "copy";
    const cpu_moved all = {{work->source, work->destination}, work->bytes};
    move(&(moving){what, work->bytes, all, {true, true}}, work->function, work->user);
}
