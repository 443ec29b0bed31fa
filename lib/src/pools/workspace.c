/* Workspaces are in one list. Each is in use by a call, or free after the work of one stream. */
#include "workspace.h"

#include "objects/contexts/capture.h"
#include "seam/ledger.h"
#include "objects/work/memory.h"

#include <pthread.h>
#include <stdlib.h>

struct workspace {
    retired retired;
    context_member member;
    struct context *context;
    uint64_t address;
    size_t bytes;
    bool taken;
    uint64_t stream;     /* id of the stream that used it last */
    backend_event *used; /* done when that use is */
    workspace *next;
};

enum { SMALLEST_BYTES = 64 * 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static workspace *all;

/* The smallest free workspace that is large enough and that the stream's work may use. The lock is held. */
static workspace *find(size_t bytes, const struct stream *stream)
{
    bool captures = capture_is_on(stream); /* then its work is not ordered after its earlier work */
    workspace *best = NULL;
    for (workspace *each = all; each; each = each->next) {
        if (each->taken || each->context != stream->context || each->bytes < bytes) continue;
        if (best && best->bytes <= each->bytes) continue;
        if ((each->stream == stream->identity.id && !captures) || capture_event_done(each->used)) best = each;
    }
    return best;
}

/* Ends with the context, when all work is done. The context frees the memory. */
static void end_with_context(context_member *member)
{
    workspace *ended = (workspace *)(void *)((char *)member - offsetof(workspace, member));
    pthread_mutex_lock(&lock);
    workspace **link = &all;
    while (*link != ended) link = &(*link)->next;
    *link = ended->next;
    pthread_mutex_unlock(&lock);
    runtime_backend()->event_destroy(ended->used);
    retire(&ended->retired, retire_free);
}

/* Writes the zeros on the stream. On a capturing stream they would be written at each launch of the graph, so another
 * stream writes them. */
static lab_status write_zeros(uint64_t address, const struct stream *stream)
{
    if (!capture_is_on(stream)) return lab_memset_async(address, 0, WORKSPACE_ZEROS, stream->handle);
    const lab_backend *backend = runtime_backend();
    backend_stream *other;
    LAB_TRY(backend->stream_create(&other, stream->context->native, LAB_STREAM_NON_BLOCKING, 0));
    lab_status status = backend->fill(other, address, 0, WORKSPACE_ZEROS, NULL);
    if (status == LAB_SUCCESS) status = backend->stream_synchronize(other);
    backend->stream_destroy(other);
    return status;
}

static lab_status make(workspace **out, size_t bytes, const struct stream *stream)
{
    workspace *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a kernel's workspace");
    made->context = stream->context;
    made->bytes = bytes;
    lab_capture_mode before = capture_enter_relaxed(); /* the graph does not depend on the allocation */
    lab_status status = runtime_backend()->event_create(&made->used, stream->context->native, LAB_EVENT_DISABLE_TIMING);
    if (status == LAB_SUCCESS)
        status = memory_alloc_on(&made->address, stream->context, made->bytes, "a kernel's workspace");
    if (status == LAB_SUCCESS) status = write_zeros(made->address, stream);
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

lab_status workspace_take(workspace **out, size_t bytes, const struct stream *stream)
{
    if (__builtin_add_overflow(bytes, (size_t)WORKSPACE_ZEROS, &bytes))
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "a kernel needs more workspace than there can be");
    if (bytes < SMALLEST_BYTES) bytes = SMALLEST_BYTES;
    pthread_mutex_lock(&lock);
    workspace *found = find(bytes, stream);
    if (found) found->taken = true;
    pthread_mutex_unlock(&lock);
    if (!found) {
        CONTEXT_HELD struct context *held = NULL;
        LAB_TRY(context_hold_found(&held, stream->context, "a kernel's workspace"));
        LAB_TRY(make(&found, bytes, stream));
        found->taken = true;
        pthread_mutex_lock(&lock);
        found->next = all;
        all = found;
        pthread_mutex_unlock(&lock);
        context_add(stream->context, &found->member, end_with_context);
    }
    *out = found;
    return LAB_SUCCESS;
}

uint64_t workspace_address(const workspace *space) { return space->address; }

void workspace_give(workspace *space, const struct stream *stream)
{
    if (!space) return;
    bool ends =
        !capture_is_on(stream) && runtime_backend()->event_record(space->used, stream->native, NULL) == LAB_SUCCESS;
    pthread_mutex_lock(&lock);
    space->stream = stream->identity.id;
    space->taken = !ends; /* stays taken: a graph uses it at every launch, or the event failed */
    pthread_mutex_unlock(&lock);
}
