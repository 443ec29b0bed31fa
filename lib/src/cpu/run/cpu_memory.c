/* Memory of the CPU devices: allocations are the host's, copies run on the two copy engines, copies of pageable memory
 * are staged through pinned buffers as CUDA's are. */
#include "cpu_device.h"
#include "schedule.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    DEVICE_ALIGNMENT = 256,
    PIECE_BYTES = 256 * 1024, /* of a copy of pageable memory */
    CHANNEL_BUFFERS = 2,
    FRESH_BYTE = 0xff, /* new device memory: not-a-number in every float, -1 in every integer */
};

static _Atomic size_t used_memory[CPU_MOST_DEVICES];

/* Counts the bytes as used if that many are free. */
static bool reserve(_Atomic size_t *used, size_t bytes, size_t total)
{
    size_t before = atomic_load(used);
    do {
        if (bytes > total || before > total - bytes) return false;
    } while (!atomic_compare_exchange_weak(used, &before, before + bytes));
    return true;
}

lab_status cpu_memory_alloc(uint64_t *address, backend_context *context, size_t bytes)
{
    LAB_TRY(cpu_process_check());
    size_t total = cpu_total_memory(), used = atomic_load(&used_memory[context->device]);
    void *memory = NULL;
    bool fits = reserve(&used_memory[context->device], bytes, total);
    if (!fits || posix_memalign(&memory, DEVICE_ALIGNMENT, bytes) != 0) {
        if (fits) atomic_fetch_sub(&used_memory[context->device], bytes);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "device %d: %zu bytes asked for, %zu of %zu are free", context->device,
                        bytes, used < total ? total - used : 0, total);
    }
    memset(memory, FRESH_BYTE, bytes);
    *address = (uintptr_t)memory;
    return LAB_SUCCESS;
}

lab_status cpu_memory_free(backend_context *context, uint64_t address, size_t bytes)
{
    lab_status status = cpu_context_drain(context);
    free((void *)(uintptr_t)address);
    atomic_fetch_sub(&used_memory[context->device], bytes);
    return status;
}

lab_status cpu_memory_info(size_t *free_bytes, size_t *total_bytes, backend_context *context)
{
    size_t total = cpu_total_memory(), used = atomic_load(&used_memory[context->device]);
    *total_bytes = total;
    *free_bytes = used < total ? total - used : 0;
    return LAB_SUCCESS;
}

lab_status cpu_host_alloc(void **out, backend_context *context, size_t bytes)
{
    (void)context;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%zu bytes of pinned host memory cannot be had", bytes);
    *out = memory;
    return LAB_SUCCESS;
}

lab_status cpu_host_free(backend_context *context, void *memory, size_t bytes)
{
    lab_status status = cpu_context_drain(context);
    munmap(memory, bytes);
    return status;
}

/* Any memory of the process suits the copy engines of this device: pinning needs no work, but the memory must be there. */
lab_status cpu_host_register(backend_context *context, void *memory, size_t bytes)
{
    (void)context;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)memory / page * page;
    /* Its only effect here: it fails with ENOMEM if a page is not mapped. */
    if (msync((void *)first, (uintptr_t)memory + bytes - first, MS_ASYNC) != 0)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_host_register: part of the %zu bytes at %p is not memory of this process", bytes, memory);
    return LAB_SUCCESS;
}

lab_status cpu_host_unregister(backend_context *context, void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
    return cpu_context_drain(context);
}

/* ------------------------------------------------------------------------------------------------------
 * Blocks of an operation that moves bytes
 */

enum { BLOCK_BYTES = 1024 * 1024 }; /* what a core fills or copies at a time within device memory */

/* The byte at which a block begins; the end, for the block after the last. */
static size_t block_begin(const cpu_op *op, uint64_t block)
{
    return block == op->blocks ? op->bytes : op->bytes / op->blocks * (size_t)block;
}

/* ------------------------------------------------------------------------------------------------------
 * Copies
 *
 * A copy of pageable memory is one operation like any other, but the copy engine does not touch the pageable side: it
 * passes the bytes, piece by piece, through pinned buffers that the calling thread fills or empties.
 */

/* Where the two meet: buffers used in turn, and how many pieces were put in and taken out. */
typedef struct channel {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t put, taken;
    bool begun; /* it is the operation's turn on its stream */
    int users;  /* the caller and the operation; the last one frees */
    unsigned char buffer[CHANNEL_BUFFERS][PIECE_BYTES];
} channel;

static channel *open_channel(void)
{
    channel *opened = malloc(sizeof *opened);
    if (!opened) {
        lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to stage a copy of pageable memory");
        return NULL;
    }
    pthread_mutex_init(&opened->lock, NULL);
    pthread_cond_init(&opened->changed, NULL);
    opened->put = opened->taken = 0;
    opened->begun = false;
    opened->users = 2;
    return opened;
}

static void leave_channel(channel *of)
{
    pthread_mutex_lock(&of->lock);
    bool last = --of->users == 0;
    pthread_mutex_unlock(&of->lock);
    if (!last) return;
    pthread_cond_destroy(&of->changed);
    pthread_mutex_destroy(&of->lock);
    free(of);
}

static size_t piece_bytes(size_t left) { return left < PIECE_BYTES ? left : PIECE_BYTES; }

static void advance(channel *through, size_t *counter)
{
    pthread_mutex_lock(&through->lock);
    ++*counter;
    pthread_cond_broadcast(&through->changed);
    pthread_mutex_unlock(&through->lock);
}

/* Puts all bytes in, piece by piece, each as soon as a buffer is free. Returns when the last piece is in. */
static void put_all(channel *through, const unsigned char *source, size_t bytes)
{
    for (size_t piece = 0, at = 0; at < bytes; piece++, at += PIECE_BYTES) {
        pthread_mutex_lock(&through->lock);
        while (piece - through->taken >= CHANNEL_BUFFERS) pthread_cond_wait(&through->changed, &through->lock);
        pthread_mutex_unlock(&through->lock);
        memcpy(through->buffer[piece % CHANNEL_BUFFERS], source + at, piece_bytes(bytes - at));
        advance(through, &through->put);
    }
}

/* Takes all bytes out, each piece as soon as it is there. */
static void take_all(channel *through, unsigned char *destination, size_t bytes)
{
    for (size_t piece = 0, at = 0; at < bytes; piece++, at += PIECE_BYTES) {
        pthread_mutex_lock(&through->lock);
        while (through->put <= piece) pthread_cond_wait(&through->changed, &through->lock);
        pthread_mutex_unlock(&through->lock);
        memcpy(destination + at, through->buffer[piece % CHANNEL_BUFFERS], piece_bytes(bytes - at));
        advance(through, &through->taken);
    }
}

static void begin(channel *through)
{
    pthread_mutex_lock(&through->lock);
    through->begun = true;
    pthread_cond_broadcast(&through->changed);
    pthread_mutex_unlock(&through->lock);
}

static void wait_until_begun(channel *through)
{
    pthread_mutex_lock(&through->lock);
    while (!through->begun) pthread_cond_wait(&through->changed, &through->lock);
    pthread_mutex_unlock(&through->lock);
}

/* Waits until everything that was put in has been taken out. */
static void wait_until_empty(channel *through)
{
    pthread_mutex_lock(&through->lock);
    while (through->taken < through->put) pthread_cond_wait(&through->changed, &through->lock);
    pthread_mutex_unlock(&through->lock);
}

typedef struct copy_work {
    unsigned char *destination;
    const unsigned char *source;
    size_t bytes;
    channel *through; /* NULL for pinned memory */
    void *staged;     /* what it frees: a copy of pageable memory, if that was staged at once; or NULL */
} copy_work;

static void run_copy(cpu_op *op, uint64_t first, uint64_t count)
{
    const copy_work *work = cpu_op_payload(op);
    const size_t from = block_begin(op, first), to = block_begin(op, first + count);
    memmove(work->destination + from, work->source + from, to - from);
}

static void run_staged_in(cpu_op *op, uint64_t first, uint64_t count)
{
    (void)first, (void)count;
    const copy_work *work = cpu_op_payload(op);
    begin(work->through);
    take_all(work->through, work->destination, work->bytes);
    leave_channel(work->through);
}

static void run_staged_out(cpu_op *op, uint64_t first, uint64_t count)
{
    (void)first, (void)count;
    const copy_work *work = cpu_op_payload(op);
    put_all(work->through, work->source, work->bytes);
    wait_until_empty(work->through);
    leave_channel(work->through);
}

static void free_staged(cpu_op *op)
{
    const copy_work *work = cpu_op_payload(op);
    free(work->staged);
}

static void describe_copy(cpu_captured *into, const cpu_op *op)
{
    static const lab_graph_node_kind kind[] = {[CPU_QUEUE_HTOD] = LAB_NODE_COPY_HTOD,
                                               [CPU_QUEUE_DTOH] = LAB_NODE_COPY_DTOH,
                                               [CPU_QUEUE_COMPUTE] = LAB_NODE_COPY_DTOD};
    const copy_work *work = (const void *)op->payload;
    into->node.kind = kind[op->queue];
    into->node.bytes = work->bytes;
}

static cpu_op *create_copy(const backend_copy *copy, channel *through, backend_times *times)
{
    static const cpu_queue queue[] = {[BACKEND_COPY_HTOD] = CPU_QUEUE_HTOD,
                                      [BACKEND_COPY_DTOH] = CPU_QUEUE_DTOH,
                                      [BACKEND_COPY_DTOD] = CPU_QUEUE_COMPUTE};
    cpu_op *op = cpu_op_create(queue[copy->kind], sizeof(copy_work));
    if (!op) return NULL;
    copy_work *work = cpu_op_payload(op);
    *work = (copy_work){(unsigned char *)(uintptr_t)copy->destination, (const unsigned char *)(uintptr_t)copy->source,
                        copy->bytes, through, NULL};
    op->times = times;
    op->bytes = copy->bytes;
    op->run = run_copy;
    if (!through) op->describe = describe_copy;
    if (through) op->run = copy->kind == BACKEND_COPY_HTOD ? run_staged_in : run_staged_out;
    if (copy->kind == BACKEND_COPY_DTOD) op->blocks = (copy->bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    const bool from_host = copy->kind == BACKEND_COPY_HTOD, to_host = copy->kind == BACKEND_COPY_DTOH;
    cpu_schedule_touches(op, (cpu_touch){copy->source, copy->source + copy->bytes - 1, .host = from_host});
    cpu_schedule_touches(
        op, (cpu_touch){copy->destination, copy->destination + copy->bytes - 1, .host = to_host, .writes = true});
    return op;
}

/* Enqueues a copy's operation and gives back a reference to it. One that its caller works with is run in any case. */
static lab_status enqueue_made(cpu_op **out, backend_stream *stream, cpu_op *op, const backend_copy *copy)
{
    const copy_work *work = cpu_op_payload(op);
    cpu_engine_lock();
    *out = cpu_op_retain(op);
    cpu_engine_unlock();
    lab_status status = work->through ? cpu_stream_enqueue_always(stream, op) : cpu_stream_enqueue(stream, op);
    if (status != LAB_SUCCESS)
        cpu_op_drop(*out);
    else if (copy->enqueued.call)
        copy->enqueued.call(copy->enqueued.user);
    return status;
}

/* Enqueues the copy and gives back a reference to it. */
static lab_status enqueue_copy(cpu_op **out, backend_stream *stream, const backend_copy *copy, channel *through,
                               backend_times *times)
{
    cpu_op *op = create_copy(copy, through, times);
    return op ? enqueue_made(out, stream, op, copy) : LAB_ERROR_OUT_OF_MEMORY;
}

/* The calling thread's part of a copy of pageable memory: to the device it returns when all is staged, which may be
 * before it has arrived; from the device when all has arrived. A synchronous copy reads the host's memory when its turn
 * on the stream has come, not before. */
static lab_status copy_pageable(cpu_op **out, backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    channel *through = open_channel();
    if (!through) return LAB_ERROR_OUT_OF_MEMORY;
    lab_status status = enqueue_copy(out, stream, copy, through, times);
    if (status == LAB_SUCCESS && copy->wait && copy->kind == BACKEND_COPY_HTOD) wait_until_begun(through);
    if (status != LAB_SUCCESS)
        leave_channel(through); /* for the operation, which will not run */
    else if (copy->kind == BACKEND_COPY_HTOD)
        put_all(through, (const unsigned char *)(uintptr_t)copy->source, copy->bytes);
    else
        take_all(through, (unsigned char *)(uintptr_t)copy->destination, copy->bytes);
    leave_channel(through);
    return status;
}

/* Waits until an operation enqueued on the stream now could run. */
static lab_status wait_for_turn(backend_stream *stream)
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

/* The same by a schedule, whose one thread must not wait for the caller: all is staged at once. As in CUDA, a synchronous
 * copy to the device begins when the work before it is done, and returns when the bytes are staged, not arrived. */
static lab_status copy_pageable_by_turns(cpu_op **out, backend_stream *stream, const backend_copy *copy,
                                         backend_times *times)
{
    if (copy->kind == BACKEND_COPY_DTOH) {
        LAB_TRY(enqueue_copy(out, stream, copy, NULL, times));
        cpu_op_wait(*out, false);
        return LAB_SUCCESS;
    }
    if (copy->wait) LAB_TRY(wait_for_turn(stream));
    cpu_op *op = create_copy(copy, NULL, times);
    if (!op) return LAB_ERROR_OUT_OF_MEMORY;
    copy_work *work = cpu_op_payload(op);
    op->describe = NULL;
    op->discard = free_staged;
    work->staged = malloc(copy->bytes);
    if (!work->staged) {
        cpu_op_drop(op);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to stage a copy of pageable memory");
    }
    memcpy(work->staged, work->source, copy->bytes);
    work->source = work->staged;
    return enqueue_made(out, stream, op, copy);
}

lab_status cpu_copy(backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    /* A captured copy runs later, without its caller: the copy engine then works on pageable memory. */
    bool pageable = copy->kind != BACKEND_COPY_DTOD && !copy->pinned && !cpu_capture_is_on(stream);
    const bool staged = pageable && copy->kind == BACKEND_COPY_HTOD;
    cpu_op *op;
    if (pageable && cpu_schedule_is_on())
        LAB_TRY(copy_pageable_by_turns(&op, stream, copy, times));
    else
        LAB_TRY(pageable ? copy_pageable(&op, stream, copy, times) : enqueue_copy(&op, stream, copy, NULL, times));
    if (copy->wait && !(staged && cpu_schedule_is_adversarial())) cpu_op_wait(op, false);
    cpu_op_drop(op);
    return copy->wait || pageable ? cpu_process_check() : LAB_SUCCESS;
}

typedef struct fill_work {
    unsigned char *destination;
    size_t bytes;
    unsigned char value;
} fill_work;

static void run_fill(cpu_op *op, uint64_t first, uint64_t count)
{
    const fill_work *work = cpu_op_payload(op);
    const size_t from = block_begin(op, first), to = block_begin(op, first + count);
    memset(work->destination + from, work->value, to - from);
}

static void describe_fill(cpu_captured *into, const cpu_op *op)
{
    const fill_work *work = (const void *)op->payload;
    into->node.kind = LAB_NODE_FILL;
    into->node.bytes = work->bytes;
}

lab_status cpu_fill(backend_stream *stream, uint64_t destination, unsigned char value, size_t bytes,
                    backend_times *times)
{
    cpu_op *op = cpu_op_create(CPU_QUEUE_COMPUTE, sizeof(fill_work));
    if (!op) return LAB_ERROR_OUT_OF_MEMORY;
    op->run = run_fill;
    op->describe = describe_fill;
    op->times = times;
    op->bytes = bytes;
    op->blocks = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    cpu_schedule_touches(op, (cpu_touch){destination, destination + bytes - 1, .writes = true});
    fill_work *work = cpu_op_payload(op);
    *work = (fill_work){(unsigned char *)(uintptr_t)destination, bytes, value};
    return cpu_stream_enqueue(stream, op);
}

/* An adversarial schedule overwrites it, so that who uses it all the same sees it. Work of the null stream would order
 * other streams: there it is left alone until nothing is pending. */
bool cpu_memory_left(backend_stream *stream, uint64_t address, size_t bytes)
{
    lab_capture_status capture;
    if (!cpu_schedule_is_adversarial()) return false;
    if (cpu_capture_status(&capture, stream) != LAB_SUCCESS || capture != LAB_CAPTURE_NONE) return false;
    if (cpu_stream_is_idle(stream)) {
        memset((void *)(uintptr_t)address, FRESH_BYTE, bytes);
        return false;
    }
    return !stream->null && cpu_fill(stream, address, FRESH_BYTE, bytes, NULL) == LAB_SUCCESS;
}
