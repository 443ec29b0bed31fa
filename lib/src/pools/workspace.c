/* Scratch memory: one list of blocks, each in use by a call, or free after the work of one stream. */
#include "workspace.h"

#include "objects/capture.h"
#include "seam/ledger.h"
#include "objects/memory.h"

#include <pthread.h>
#include <stdlib.h>

struct scratch {
    context_member member;
    struct context *context;
    uint64_t address;
    size_t bytes;
    bool taken;
    uint64_t stream;     /* the id of the stream that used it last */
    backend_event *used; /* done when that use is */
    scratch *next;
};

enum { SMALLEST_BYTES = 64 * 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static scratch *all;

/* The smallest free block that is large enough and that the stream's work may use, with the lock held. */
static scratch *find(size_t bytes, const struct stream *on)
{
    bool captures = capture_is_on(on); /* then its order is not that of its earlier work */
    scratch *best = NULL;
    for (scratch *each = all; each; each = each->next) {
        if (each->taken || each->context != on->context || each->bytes < bytes) continue;
        if (best && best->bytes <= each->bytes) continue;
        if ((each->stream == on->identity.id && !captures) || capture_event_done(each->used)) best = each;
    }
    return best;
}

/* Its context ends, when all work is done; the memory goes with the context's other memory. */
static void end_with_context(context_member *member)
{
    scratch *ended = (scratch *)(void *)((char *)member - offsetof(scratch, member));
    pthread_mutex_lock(&lock);
    scratch **link = &all;
    while (*link != ended) link = &(*link)->next;
    *link = ended->next;
    pthread_mutex_unlock(&lock);
    runtime_backend()->event_destroy(ended->used);
    free(ended);
}

/* On the stream, unless that captures: then the zeros would be written when the graph runs, and again each time. */
static lab_status write_zeros(uint64_t address, const struct stream *on)
{
    if (!capture_is_on(on)) return lab_memset_async(address, 0, SCRATCH_ZEROS, on->handle);
    const lab_backend *backend = runtime_backend();
    backend_stream *aside;
    LAB_TRY(backend->stream_create(&aside, on->context->native, LAB_STREAM_NON_BLOCKING, 0));
    lab_status status = backend->fill(aside, address, 0, SCRATCH_ZEROS, NULL);
    if (status == LAB_SUCCESS) status = backend->stream_synchronize(aside);
    backend->stream_destroy(aside);
    return status;
}

static lab_status make(scratch **out, size_t bytes, const struct stream *on)
{
    scratch *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a kernel's scratch memory");
    made->context = on->context;
    made->bytes = bytes;
    lab_capture_mode before = capture_enter_relaxed(); /* the graph does not depend on when it was allocated */
    lab_status status = runtime_backend()->event_create(&made->used, on->context->native, LAB_EVENT_DISABLE_TIMING);
    if (status == LAB_SUCCESS)
        status = memory_alloc_on(&made->address, on->context, made->bytes, "a kernel's scratch memory");
    if (status == LAB_SUCCESS) status = write_zeros(made->address, on);
    if (status == LAB_SUCCESS) {
        ledger_set_internal(made->address);
        *out = made;
    } else {
        if (made->address) lab_mem_free(made->address);
        if (made->used) runtime_backend()->event_destroy(made->used);
        free(made);
    }
    capture_leave_relaxed(before);
    return status;
}

lab_status scratch_take(scratch **out, size_t bytes, const struct stream *on)
{
    if (__builtin_add_overflow(bytes, (size_t)SCRATCH_ZEROS, &bytes))
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "a kernel needs more scratch memory than there is");
    if (bytes < SMALLEST_BYTES) bytes = SMALLEST_BYTES;
    pthread_mutex_lock(&lock);
    scratch *found = find(bytes, on);
    if (found) found->taken = true;
    pthread_mutex_unlock(&lock);
    if (!found) {
        LAB_TRY(make(&found, bytes, on));
        found->taken = true;
        pthread_mutex_lock(&lock);
        found->next = all;
        all = found;
        pthread_mutex_unlock(&lock);
        context_add(on->context, &found->member, end_with_context);
    }
    *out = found;
    return LAB_SUCCESS;
}

uint64_t scratch_address(const scratch *of) { return of->address; }

void scratch_give(scratch *of, const struct stream *on)
{
    if (!of) return;
    bool ends = !capture_is_on(on) && runtime_backend()->event_record(of->used, on->native, NULL) == LAB_SUCCESS;
    pthread_mutex_lock(&lock);
    of->stream = on->identity.id;
    of->taken = !ends; /* a graph uses it whenever it is launched; without the event nobody knows when its use ends */
    pthread_mutex_unlock(&lock);
}
