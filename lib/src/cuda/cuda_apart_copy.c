/*
 * Copies between the device and memory that only evidence_upload and _deliver reach. A copy that runs later, because
 * its memory is pinned or its stream captures, goes through a pinned buffer of the library, its bounce: a host function
 * of the stream fills it just before an upload, or empties it just after a download. Any other copy is made by the
 * calling thread, part by part, with the driver's own copies of pageable memory, so that the driver decides what they
 * wait for.
 *
 * Host functions of all streams may share one thread: one that waits holds back these copies too.
 */
#include "cuda_apart.h"

#include "base/system/evidence.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PART_BYTES = 4 << 20 };

static lab_status no_memory(void)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a copy of the program's memory");
}

/* ---- Bounces ---- */

typedef struct bounce {
    uint64_t address; /* of the program's memory that it stands for */
    size_t bytes;
    bool beside;                     /* the driver has pinned that memory too: needed while bytes are kept */
    _Atomic(unsigned char *) memory; /* NULL until the first copy through it */
    atomic_int users;                /* the list below, and errands */
    struct bounce *next;
} bounce;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bounce *open;  /* of memory that is pinned */
static bounce *ended; /* to be freed by the next thread that may call the driver */

/* Gives a use up. May be called where the driver must not be called. */
static void leave(bounce *left)
{
    if (atomic_fetch_sub(&left->users, 1) > 1) return;
    pthread_mutex_lock(&lock);
    left->next = ended;
    ended = left;
    pthread_mutex_unlock(&lock);
}

static void end_pages(void *memory, size_t bytes)
{
    CUresult ignored;
    CUDA_RELAXED(ignored, cuda.cuMemHostUnregister(memory));
    (void)ignored;
    munmap(memory, bytes);
}

/* Frees what has ended. The memory may be unpinned already, with the context that was current when it was pinned. */
static void free_ended(void)
{
    pthread_mutex_lock(&lock);
    bounce *list = ended;
    ended = NULL;
    pthread_mutex_unlock(&lock);
    for (bounce *next; list; list = next) {
        next = list->next;
        if (list->memory) end_pages(list->memory, list->bytes);
        free(list);
    }
}

/* The pages are its own: pinned memory that shared one could not be unpinned alone. */
static lab_status need_pages(bounce *of)
{
    if (of->memory) return LAB_SUCCESS;
    void *memory = mmap(NULL, of->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return no_memory();
    CUresult result;
    CUDA_RELAXED(result, cuda.cuMemHostRegister(memory, of->bytes, CU_MEMHOSTREGISTER_PORTABLE));
    if (result != CUDA_SUCCESS) {
        munmap(memory, of->bytes);
        return cuda_fail(result, "cuMemHostRegister");
    }
    unsigned char *none = NULL;
    if (!atomic_compare_exchange_strong(&of->memory, &none, memory)) end_pages(memory, of->bytes);
    return LAB_SUCCESS;
}

/* A buffer with one user. */
static lab_status make_bounce(bounce **out, uint64_t address, size_t bytes, bool beside)
{
    free_ended();
    bounce *made = malloc(sizeof *made);
    if (!made) return no_memory();
    *made = (bounce){.address = address, .bytes = bytes, .beside = beside, .users = 1};
    const lab_status status = beside ? LAB_SUCCESS : need_pages(made);
    if (status == LAB_SUCCESS)
        *out = made;
    else
        free(made);
    return status;
}

lab_status cuda_bounce_open(uint64_t address, size_t bytes, bool beside)
{
    bounce *made;
    LAB_TRY(make_bounce(&made, address, bytes, beside));
    pthread_mutex_lock(&lock);
    made->next = open;
    open = made;
    pthread_mutex_unlock(&lock);
    return LAB_SUCCESS;
}

bool cuda_bounce_close(uint64_t address)
{
    pthread_mutex_lock(&lock);
    bounce **link = &open;
    while (*link && (*link)->address != address) link = &(*link)->next;
    bounce *closed = *link;
    if (closed) *link = closed->next;
    pthread_mutex_unlock(&lock);
    const bool alone = closed && !closed->beside;
    if (closed) leave(closed);
    free_ended();
    return alone;
}

/* Finds the bounce of pinned memory and adds a user; NULL if the memory has none. */
static bounce *find_bounce(uint64_t address)
{
    pthread_mutex_lock(&lock);
    bounce *found = open;
    while (found && address - found->address >= found->bytes) found = found->next;
    if (found) atomic_fetch_add(&found->users, 1);
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- Copies that run later ---- */

/* What the host function next to a copy does. */
typedef struct errand {
    bounce *through;
    unsigned char *memory; /* in the bounce */
    uint64_t address;      /* of the program */
    size_t bytes;
    uint64_t number; /* the copy's */
    bool fetches;    /* fills the bounce */
} errand;

static void run_errand(void *user, lab_status status)
{
    const errand *run = user;
    if (status != LAB_SUCCESS) return;
    if (run->fetches ? evidence_upload(run->memory, run->address, run->bytes, run->number)
                     : evidence_deliver(run->address, run->memory, run->bytes, run->number))
        return;
    char message[HOST_MEMORY_GONE_WORDS];
    host_memory_say_gone(message, run->fetches, run->address, run->bytes);
    cuda_fail_for_good(LAB_ERROR_ILLEGAL_ADDRESS, message);
}

static void release_errand(void *user)
{
    errand *ended_errand = user;
    leave(ended_errand->through);
    free(ended_errand);
}

/* Enqueues the errand of a copy through the bounce, of which it becomes a user. */
static lab_status enqueue_errand(backend_stream *stream, const backend_copy *copy, bounce *through)
{
    const uint64_t address = backend_copy_host(copy);
    errand *made = malloc(sizeof *made);
    if (!made) return no_memory();
    *made = (errand){.through = through,
                     .memory = through->memory + (address - through->address),
                     .address = address,
                     .bytes = copy->bytes,
                     .number = copy->number,
                     .fetches = copy->kind == BACKEND_COPY_HTOD};
    atomic_fetch_add(&through->users, 1);
    return cuda_host_function_unseen(stream, &(backend_host_call){run_errand, release_errand, made, .callback = false});
}

/* The copy with another address on the host's side, which is memory of this process. */
static backend_copy with_host_side(const backend_copy *copy, const void *memory)
{
    backend_copy changed = *copy;
    *(copy->kind == BACKEND_COPY_HTOD ? &changed.source : &changed.destination) = (uintptr_t)memory;
    return changed;
}

/* The part of the copy that the driver makes. */
static lab_status copy_bounce(backend_stream *stream, const backend_copy *copy, const bounce *through,
                              backend_times *times)
{
    backend_copy inner = with_host_side(copy, through->memory + (backend_copy_host(copy) - through->address));
    inner.pinned = true;
    inner.wait = inner.source_only = false;
    inner.enqueued = (backend_enqueued){NULL, NULL};
    return cuda_copy(stream, &inner, times);
}

/* In a capture, the errand and the copy are one node for the caller. */
static lab_status enqueue_both(backend_stream *stream, const backend_copy *copy, bounce *through, backend_times *times)
{
    if (copy->kind == BACKEND_COPY_HTOD) {
        LAB_TRY(enqueue_errand(stream, copy, through));
        const CUgraphNode filled = cuda_capture_last(stream);
        LAB_TRY(copy_bounce(stream, copy, through, times));
        cuda_capture_merge(stream, cuda_capture_last(stream), filled);
        return LAB_SUCCESS;
    }
    LAB_TRY(copy_bounce(stream, copy, through, times));
    const CUgraphNode copied = cuda_capture_last(stream);
    LAB_TRY(enqueue_errand(stream, copy, through));
    cuda_capture_merge(stream, copied, cuda_capture_last(stream));
    return LAB_SUCCESS;
}

/* Finds the bounce of the copy's memory and adds a user; NULL if there is none, or its pages cannot be had. */
static bounce *use_bounce(const backend_copy *copy)
{
    bounce *found = copy->pinned ? find_bounce(backend_copy_host(copy)) : NULL;
    if (!found || need_pages(found) == LAB_SUCCESS) return found;
    leave(found);
    return NULL;
}

static lab_status copy_later(backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    bounce *through = use_bounce(copy);
    if (!through) LAB_TRY(make_bounce(&through, backend_copy_host(copy), copy->bytes, false));
    const lab_status status = enqueue_both(stream, copy, through, times);
    leave(through);
    LAB_TRY(status);
    if (copy->enqueued.call) copy->enqueued.call(copy->enqueued.user);
    return copy->wait ? cuda_stream_synchronize(stream) : LAB_SUCCESS;
}

/* ---- Copies by the calling thread ---- */

static lab_status fail_gone(const backend_copy *copy)
{
    char message[HOST_MEMORY_GONE_WORDS];
    host_memory_say_gone(message, copy->kind == BACKEND_COPY_HTOD, backend_copy_host(copy), copy->bytes);
    return lab_fail(LAB_ERROR_ILLEGAL_ADDRESS, "%s", message);
}

static size_t part_bytes(size_t left) { return left < PART_BYTES ? left : PART_BYTES; }

/* A synchronous upload reads its source when the work before it is done. While there are captures, it also waits for
 * streams that the null stream does not wait for: to wait for the null stream could end a capture. */
static lab_status wait_for_order(backend_stream *stream)
{
    return cuda_capture_possible() ? cuda_context_wait(stream->context) : cuda_stream_synchronize(stream);
}

/* On the null stream. The driver has read a part when the call returns. */
static lab_status upload_now(backend_stream *stream, const backend_copy *copy, unsigned char *buffer)
{
    LAB_TRY(wait_for_order(stream));
    for (size_t offset = 0; offset < copy->bytes; offset += PART_BYTES) {
        const size_t bytes = part_bytes(copy->bytes - offset);
        if (!evidence_upload(buffer, copy->source + offset, bytes, copy->number)) return fail_gone(copy);
        CUDA_TRY(cuMemcpyHtoD, copy->destination + offset, buffer, bytes);
    }
    return LAB_SUCCESS;
}

static void do_nothing(void *user, lab_status status) { (void)user, (void)status; }

/* The driver may still read a part when the call returns: a host function after the copy frees it. */
static lab_status upload_part(backend_stream *stream, const backend_copy *copy, size_t offset)
{
    const size_t bytes = part_bytes(copy->bytes - offset);
    unsigned char *part = malloc(bytes);
    if (!part) return no_memory();
    const bool there = evidence_upload(part, copy->source + offset, bytes, copy->number);
    const CUresult result =
        there ? cuda.cuMemcpyHtoDAsync(copy->destination + offset, part, bytes, stream->native) : CUDA_SUCCESS;
    if (there && result == CUDA_SUCCESS)
        return cuda_host_function_unseen(stream, &(backend_host_call){do_nothing, free, part, .callback = false});
    free(part);
    return there ? cuda_fail(result, "cuMemcpyHtoDAsync") : fail_gone(copy);
}

static lab_status upload(backend_stream *stream, const backend_copy *copy)
{
    for (size_t offset = 0; offset < copy->bytes; offset += PART_BYTES) LAB_TRY(upload_part(stream, copy, offset));
    return LAB_SUCCESS;
}

static CUresult download_part(backend_stream *stream, const backend_copy *copy, size_t offset, unsigned char *buffer)
{
    const size_t bytes = part_bytes(copy->bytes - offset);
    if (copy->wait && stream->null) return cuda.cuMemcpyDtoH(buffer, copy->source + offset, bytes);
    CUresult result = cuda.cuMemcpyDtoHAsync(buffer, copy->source + offset, bytes, stream->native);
    if (result == CUDA_SUCCESS) CUDA_RELAXED(result, cuda.cuStreamSynchronize(stream->native));
    return result;
}

static lab_status download(backend_stream *stream, const backend_copy *copy, unsigned char *buffer)
{
    for (size_t offset = 0; offset < copy->bytes; offset += PART_BYTES) {
        const CUresult result = download_part(stream, copy, offset, buffer);
        if (result != CUDA_SUCCESS) return cuda_fail(result, "cuMemcpyDtoH");
        if (!evidence_deliver(copy->destination + offset, buffer, part_bytes(copy->bytes - offset), copy->number))
            return fail_gone(copy);
    }
    return LAB_SUCCESS;
}

static lab_status move_parts(backend_stream *stream, const backend_copy *copy)
{
    const bool up = copy->kind == BACKEND_COPY_HTOD;
    if (up && !(copy->wait && stream->null)) {
        LAB_TRY(upload(stream, copy));
        return copy->wait ? cuda_stream_synchronize(stream) : LAB_SUCCESS;
    }
    unsigned char *buffer = malloc(part_bytes(copy->bytes));
    if (!buffer) return no_memory();
    const lab_status status = up ? upload_now(stream, copy, buffer) : download(stream, copy, buffer);
    free(buffer);
    return status;
}

/* The call may wait: it has its place in the order when it is made, as in cuda_copy. */
static lab_status copy_now(backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    if (copy->enqueued.call) copy->enqueued.call(copy->enqueued.user);
    cuda_span span = cuda_span_begin(stream, times);
    const lab_status status = move_parts(stream, copy);
    cuda_span_end(&span, stream, status == LAB_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN);
    return status;
}

lab_status cuda_apart_copy(backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    LAB_TRY(cuda_enter(stream->context));
    const bool captured = cuda_is_captured(stream);
    const void *local = evidence_direct(backend_copy_host(copy), copy->bytes);
    /* What is local during this call need not be so when a graph is launched, unless it is pinned. */
    if (local && (copy->pinned || !captured)) {
        const backend_copy inner = with_host_side(copy, local);
        return cuda_copy(stream, &inner, times);
    }
    return copy->pinned || captured ? copy_later(stream, copy, times) : copy_now(stream, copy, times);
}
