/* Memory of graphs. Each allocation has memory of its own from the creation of its node until no graph has it and
 * nothing that it was left with is still to be freed; no two allocations share an address. */
#include "graph_memory.h"

#include "base/status.h"
#include "objects/work/graph_memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

struct graph_memory {
    uint64_t address;
    size_t bytes;
    int device;
    int holders;           /* graphs and executable graphs, and one for a launch that left the memory unfreed */
    bool is_there;         /* left unfreed by a launch */
    bool ended_by_owner;   /* the graph that allocates it frees it */
    bool ended_by_another; /* another graph has a node that frees it */
    bool gone;             /* with its device */
    lab_event *freed;      /* where it was freed last, for its next owner; NULL if never */
    struct graph_memory *next;
};

/* A capture under way that allocates or frees. */
typedef struct captured_memory {
    uint64_t capture;
    graph_memories memories;
    struct captured_memory *next;
} captured_memory;

enum { MOST_DEVICES = 64, BLOCK = 32 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static graph_memory *all;
static captured_memory *captures;

/* Of each device, in bytes, in blocks of an H200's driver: what is there now, and what CUDA would keep for later
 * launches until it is trimmed. Both current values of CUDA's are the latter. `high`: its highest since each of CUDA's
 * two marks was reset. */
static struct {
    uint64_t there, kept, high[2];
} footprint[MOST_DEVICES];

uint64_t cudart_graph_memory_address(const graph_memory *memory) { return memory->address; }
size_t cudart_graph_memory_bytes(const graph_memory *memory) { return memory->bytes; }

static graph_memory *find(uint64_t address)
{
    graph_memory *found = all;
    while (found && found->address != address) found = found->next;
    return found;
}

static lab_status refuse(const char *text, uint64_t address)
{
    return lab_fail(LAB_ERROR_INVALID_VALUE, "memory of a graph: 0x%" PRIx64 " %s", address, text);
}

/* ---- who has it ---- */

static void let_go(graph_memory *memory)
{
    pthread_mutex_lock(&lock);
    const bool last = --memory->holders == 0;
    graph_memory **link = &all;
    while (last && *link && *link != memory) link = &(*link)->next;
    if (last && *link) *link = memory->next;
    pthread_mutex_unlock(&lock);
    if (!last) return;
    if (!memory->gone) graph_memory_drop(memory->address);
    if (memory->freed && !memory->gone) lab_event_destroy(memory->freed);
    free(memory);
}

static graph_memory_use *use_of(const graph_memories *memories, const graph_memory *memory)
{
    for (size_t i = 0; i < memories->count; i++)
        if (memories->use[i].memory == memory) return &memories->use[i];
    return NULL;
}

/* Adds a use, which holds the memory. The caller holds the lock. */
static lab_status add_use_locked(graph_memories *memories, graph_memory_use added)
{
    graph_memory_use *larger = realloc(memories->use, (memories->count + 1) * sizeof *larger);
    if (!larger) return LAB_ERROR_OUT_OF_MEMORY;
    memories->use = larger;
    larger[memories->count++] = added;
    added.memory->holders++;
    return LAB_SUCCESS;
}

static lab_status add_use(graph_memories *memories, graph_memory_use added)
{
    pthread_mutex_lock(&lock);
    const lab_status status = add_use_locked(memories, added);
    pthread_mutex_unlock(&lock);
    return status;
}

lab_status cudart_graph_memory_add(graph_memory **out, graph_memories *memories, int device, size_t bytes)
{
    graph_memory *made = calloc(1, sizeof *made);
    if (!made) return LAB_ERROR_OUT_OF_MEMORY;
    *made = (graph_memory){.bytes = bytes, .device = device};
    int current = -1;
    lab_status status = LAB_SUCCESS;
    if (lab_device_current(&current) == LAB_SUCCESS && current == device)
        status = graph_memory_make(&made->address, bytes, "memory of a graph");
    else
        LAB_WITH_DEVICE(device) status = graph_memory_make(&made->address, bytes, "memory of a graph");
    if (status == LAB_SUCCESS) {
        status = add_use(memories, (graph_memory_use){.memory = made, .begins = true});
        if (status != LAB_SUCCESS) graph_memory_drop(made->address);
    }
    if (status != LAB_SUCCESS) {
        free(made);
        return status;
    }
    pthread_mutex_lock(&lock);
    made->next = all;
    all = made;
    pthread_mutex_unlock(&lock);
    *out = made;
    return LAB_SUCCESS;
}

lab_status cudart_graph_memory_end(graph_memory **out, graph_memories *memories, uint64_t address)
{
    pthread_mutex_lock(&lock);
    graph_memory *memory = find(address);
    graph_memory_use *use = memory ? use_of(memories, memory) : NULL;
    const char *fault = !memory                           ? "was not allocated by a node"
                        : use && use->ends                ? "is freed by this graph already"
                        : use && memory->ended_by_another ? "is freed by another graph already"
                        : !use && memory->ended_by_owner  ? "is freed by the graph that allocates it"
                                                          : NULL;
    lab_status status = LAB_SUCCESS;
    if (!fault && use) use->ends = memory->ended_by_owner = true;
    if (!fault && !use) status = add_use_locked(memories, (graph_memory_use){.memory = memory, .ends = true});
    if (!fault && !use && status == LAB_SUCCESS) memory->ended_by_another = true;
    pthread_mutex_unlock(&lock);
    if (fault) return refuse(fault, address);
    *out = memory;
    return status;
}

void cudart_graph_memory_undo(graph_memories *memories, graph_memory *memory)
{
    graph_memory_use *use = use_of(memories, memory);
    if (use->begins && use->ends) {
        use->ends = memory->ended_by_owner = false;
        return;
    }
    if (use->ends) memory->ended_by_another = false;
    *use = memories->use[--memories->count];
    let_go(memory);
}

bool cudart_graph_memory_copy(graph_memories *copy, const graph_memories *memories)
{
    for (size_t i = 0; i < memories->count; i++)
        if (add_use(copy, memories->use[i]) != LAB_SUCCESS) return false;
    return true;
}

void cudart_graph_memory_release(graph_memories *memories)
{
    for (size_t i = 0; i < memories->count; i++) let_go(memories->use[i].memory);
    free(memories->use);
    *memories = (graph_memories){0};
}

void cudart_graph_memory_forget(int device)
{
    pthread_mutex_lock(&lock);
    for (graph_memory **link = &all; *link;) {
        graph_memory *memory = *link;
        if (memory->device != device) {
            link = &memory->next;
            continue;
        }
        memory->gone = true;
        *link = memory->next;
        const bool left_unfreed = memory->is_there;
        memory->is_there = false;
        if (left_unfreed && --memory->holders == 0) free(memory);
    }
    if (device < MOST_DEVICES) footprint[device].there = footprint[device].kept = 0;
    pthread_mutex_unlock(&lock);
}

/* ---- when it is there ---- */

static uint64_t blocks_of(size_t bytes) { return ((uint64_t)bytes + BLOCK - 1) / BLOCK * BLOCK; }

/* The caller holds the lock. */
static void count(const graph_memory *memory, bool begins)
{
    if (memory->device >= MOST_DEVICES) return;
    uint64_t *there = &footprint[memory->device].there, *kept = &footprint[memory->device].kept;
    *there = begins ? *there + blocks_of(memory->bytes) : *there - blocks_of(memory->bytes);
    if (*there > *kept) *kept = *there;
    for (int i = 0; i < 2; i++)
        if (*kept > footprint[memory->device].high[i]) footprint[memory->device].high[i] = *kept;
}

/* The caller holds the lock. */
static void set_there(graph_memory *memory, bool there)
{
    if (memory->is_there == there) return;
    memory->is_there = there;
    memory->holders += there ? 1 : -1; /* a graph, or the caller, has it too */
    count(memory, there);
}

static lab_status begin(const graph_memory *memory, lab_stream *stream)
{
    if (memory->freed) LAB_TRY(lab_stream_wait_event(stream, memory->freed));
    return graph_memory_begin(memory->address, memory->bytes, stream);
}

/* Ends it after the stream's work, which its next owner will wait for. */
static lab_status end(graph_memory *memory, lab_stream *stream)
{
    LAB_TRY(graph_memory_end(memory->address, memory->bytes, stream));
    if (!memory->freed) LAB_TRY(lab_event_create(&memory->freed, LAB_EVENT_DISABLE_TIMING));
    return lab_event_record(memory->freed, stream);
}

/* Whether a launch may begin and end what it does. The caller holds the lock. */
static lab_status check_launch(const graph_memories *memories, bool frees_first)
{
    for (size_t i = 0; i < memories->count; i++) {
        const graph_memory_use *use = &memories->use[i];
        if (use->begins && use->memory->is_there && !frees_first)
            return refuse("is not freed since the graph was launched before", use->memory->address);
        if (!use->begins && !use->memory->is_there)
            return refuse("is to be freed by the graph, and is not there", use->memory->address);
    }
    return LAB_SUCCESS;
}

lab_status cudart_graph_memory_launch(const graph_memories *memories, lab_graph_exec *exec, lab_stream *stream,
                                      bool frees_first)
{
    if (!memories->count || graph_memory_capture(stream)) return lab_graph_launch(exec, stream);
    bool *was_there = calloc(memories->count, sizeof *was_there);
    if (!was_there) return LAB_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    lab_status status = check_launch(memories, frees_first);
    for (size_t i = 0; status == LAB_SUCCESS && i < memories->count; i++) {
        was_there[i] = memories->use[i].memory->is_there;
        set_there(memories->use[i].memory, memories->use[i].begins);
    }
    pthread_mutex_unlock(&lock);
    if (status != LAB_SUCCESS) {
        free(was_there);
        return status;
    }
    size_t begun = 0;
    for (; status == LAB_SUCCESS && begun < memories->count; begun++) {
        const graph_memory_use *use = &memories->use[begun];
        if (!use->begins) continue;
        if (was_there[begun]) status = end(use->memory, stream);
        if (status == LAB_SUCCESS) status = begin(use->memory, stream);
    }
    if (status == LAB_SUCCESS) status = lab_graph_launch(exec, stream);
    const bool launched = status == LAB_SUCCESS;
    for (size_t i = 0; i < memories->count; i++) {
        const graph_memory_use *use = &memories->use[i];
        if (launched && !use->ends) continue;
        const lab_status ended = launched || (use->begins && i < begun) ? end(use->memory, stream) : LAB_SUCCESS;
        if (status == LAB_SUCCESS) status = ended;
        pthread_mutex_lock(&lock);
        set_there(use->memory, !launched && !use->begins);
        pthread_mutex_unlock(&lock);
    }
    free(was_there);
    return status;
}

lab_status cudart_graph_memory_free(uint64_t address, lab_stream *stream, bool *done)
{
    pthread_mutex_lock(&lock);
    graph_memory *memory = find(address);
    const char *fault = !memory                  ? NULL
                        : memory->ended_by_owner ? "is freed by the graph that allocates it"
                        : !memory->is_there      ? "is not there: no launch has allocated it since it was freed"
                                                 : NULL;
    if (memory && !fault) {
        memory->holders++;
        set_there(memory, false);
    }
    pthread_mutex_unlock(&lock);
    *done = memory != NULL;
    if (fault) return refuse(fault, address);
    if (!memory) return LAB_SUCCESS;
    const lab_status status = end(memory, stream);
    let_go(memory);
    return status;
}

lab_status cudart_graph_memory_wait_and_free(uint64_t address, bool *done)
{
    pthread_mutex_lock(&lock);
    *done = find(address) != NULL;
    pthread_mutex_unlock(&lock);
    if (!*done) return LAB_SUCCESS;
    LAB_TRY(lab_device_synchronize());
    return cudart_graph_memory_free(address, lab_stream_null(), done);
}

/* ---- captures ---- */

/* What the capture that the stream is in has so far; NULL if the stream does not capture, or memory ran out. */
static captured_memory *find_capture(lab_stream *stream, bool *captures_now)
{
    const uint64_t capture = graph_memory_capture(stream);
    *captures_now = capture != 0;
    if (!capture) return NULL;
    pthread_mutex_lock(&lock);
    captured_memory *found = captures;
    while (found && found->capture != capture) found = found->next;
    if (!found && (found = calloc(1, sizeof *found))) {
        *found = (captured_memory){.capture = capture, .next = captures};
        captures = found;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

lab_status cudart_graph_memory_capture_begin(void **out, size_t bytes, lab_stream *stream, bool *done)
{
    int device;
    graph_memory *memory;
    captured_memory *capture = find_capture(stream, done);
    if (!*done) return LAB_SUCCESS;
    if (!capture) return LAB_ERROR_OUT_OF_MEMORY;
    LAB_TRY(lab_stream_get_device(&device, stream));
    LAB_TRY(cudart_graph_memory_add(&memory, &capture->memories, device, bytes));
    const lab_status status = graph_memory_add_node(stream, memory->address, bytes, false);
    if (status == LAB_SUCCESS)
        *out = (void *)(uintptr_t)memory->address;
    else
        cudart_graph_memory_undo(&capture->memories, memory);
    return status;
}

lab_status cudart_graph_memory_capture_end(uint64_t address, lab_stream *stream, bool *done)
{
    graph_memory *memory;
    captured_memory *capture = find_capture(stream, done);
    if (!*done) return LAB_SUCCESS;
    if (!capture) return LAB_ERROR_OUT_OF_MEMORY;
    LAB_TRY(cudart_graph_memory_end(&memory, &capture->memories, address));
    const lab_status status = graph_memory_add_node(stream, address, memory->bytes, true);
    if (status != LAB_SUCCESS) cudart_graph_memory_undo(&capture->memories, memory);
    return status;
}

graph_memories cudart_graph_memory_captured(lab_stream *stream)
{
    graph_memories taken = {0};
    const uint64_t capture = graph_memory_capture(stream);
    pthread_mutex_lock(&lock);
    captured_memory **link = &captures;
    while (*link && (*link)->capture != capture) link = &(*link)->next;
    captured_memory *found = *link;
    if (found) {
        taken = found->memories;
        *link = found->next;
    }
    pthread_mutex_unlock(&lock);
    free(found);
    return taken;
}

/* ---- what a device has for graphs ---- */

static cudaError_t check_device(int device)
{
    lab_device_info info;
    return cudart_end(device < MOST_DEVICES ? lab_device_get_info(&info, device) : LAB_ERROR_INVALID_DEVICE);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    CUDART_BEGIN;
    const cudaError_t failed = check_device(device);
    if (failed != cudaSuccess) return failed;
    pthread_mutex_lock(&lock);
    footprint[device].kept = footprint[device].there;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static bool is_high_mark(enum cudaGraphMemAttributeType attribute)
{
    return attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
}

static uint64_t *high_mark(int device, enum cudaGraphMemAttributeType attribute)
{
    return &footprint[device].high[attribute == cudaGraphMemAttrReservedMemHigh];
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    CUDART_BEGIN;
    if (!value || (unsigned)attribute > cudaGraphMemAttrReservedMemHigh)
        return cudart_fail(cudaErrorInvalidValue,
                           "cudaDeviceGetGraphMemAttribute: value is NULL, or there is no attribute %d",
                           (int)attribute);
    const cudaError_t failed = check_device(device);
    if (failed != cudaSuccess) return failed;
    pthread_mutex_lock(&lock);
    *(uint64_t *)value = is_high_mark(attribute) ? *high_mark(device, attribute) : footprint[device].kept;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void *value)
{
    CUDART_BEGIN;
    if (!value || *(uint64_t *)value || !is_high_mark(attribute))
        return cudart_fail(cudaErrorInvalidValue, "cudaDeviceSetGraphMemAttribute: value is NULL, or it is not a high "
                                                  "mark that is set to 0");
    const cudaError_t failed = check_device(device);
    if (failed != cudaSuccess) return failed;
    pthread_mutex_lock(&lock);
    *high_mark(device, attribute) = 0;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}
