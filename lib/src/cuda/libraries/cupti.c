/*
 * CUPTI reports two kinds of record: that a numbered driver call was made for one of our operations, and that the GPU
 * ran work for the call with a number. They come in buffers, in any order, so both are kept until the end.
 */
#include "cupti.h"

#include "base/monotonic.h"

#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CUPTI_CALLS(X)                                                                                                 \
    X(cuptiActivityEnable)                                                                                             \
    X(cuptiActivityDisable)                                                                                            \
    X(cuptiActivityRegisterCallbacks)                                                                                  \
    X(cuptiActivityRegisterTimestampCallback)                                                                          \
    X(cuptiActivityGetNextRecord)                                                                                      \
    X(cuptiActivityFlushAll)                                                                                           \
    X(cuptiActivityPushExternalCorrelationId)                                                                          \
    X(cuptiActivityPopExternalCorrelationId)

static struct {
#define FIELD(name) __typeof__(&name) name;
    CUPTI_CALLS(FIELD)
#undef FIELD
} cupti;

static const CUpti_ActivityKind KINDS[] = {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                           CUPTI_ACTIVITY_KIND_DRIVER,
                                           CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                           CUPTI_ACTIVITY_KIND_MEMCPY,
                                           CUPTI_ACTIVITY_KIND_MEMCPY2,
                                           CUPTI_ACTIVITY_KIND_MEMSET};
enum { HOST_KINDS = 2, KIND_COUNT = sizeof KINDS / sizeof KINDS[0], BUFFER_BYTES = 4 << 20 };

/* A note about a driver call: its operation, or when the GPU ran a part of it. */
typedef struct note {
    uint32_t call;
    uint64_t operation;
    uint64_t start, end;
} note;

typedef struct notes {
    note *list;
    size_t count, capacity;
} notes;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static notes operations, runs;

/* Operations have numbers that are never reused: records that arrive after the end match no operation. */
static struct {
    backend_times **list;
    uint64_t first; /* the number of the list's first operation; 0 means none */
    size_t count, capacity;
} asked = {.first = 1};
static bool opened, refused;

static pthread_mutex_t kinds_lock = PTHREAD_MUTEX_INITIALIZER; /* protects the enabled kinds */
static bool collecting;
static atomic_int resting; /* graph launches in progress */

/* Drops the note if there is no memory: its operation then has no times. */
static void keep(notes *list, const note *kept)
{
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 1024;
        note *larger = realloc(list->list, capacity * sizeof *larger);
        if (!larger) return;
        list->list = larger;
        list->capacity = capacity;
    }
    list->list[list->count++] = *kept;
}

/* ---- called by CUPTI ---- */

static uint64_t CUPTIAPI now(void) { return (uint64_t)monotonic_ns(); }

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most_records)
{
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *most_records = 0;
}

/* The first members are the same in all versions of these structures. */
static void take_record(const CUpti_Activity *record)
{
    const CUpti_ActivityExternalCorrelation *made = (const void *)record;
    const CUpti_ActivityKernel10 *kernel = (const void *)record;
    const CUpti_ActivityMemcpy6 *copy = (const void *)record;
    const CUpti_ActivityMemcpyPtoP4 *peer_copy = (const void *)record;
    const CUpti_ActivityMemset4 *fill = (const void *)record;
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        keep(&operations, &(note){made->correlationId, made->externalId, 0, 0});
        break;
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        keep(&runs, &(note){kernel->correlationId, 0, kernel->start, kernel->end});
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY: keep(&runs, &(note){copy->correlationId, 0, copy->start, copy->end}); break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        keep(&runs, &(note){peer_copy->correlationId, 0, peer_copy->start, peer_copy->end});
        break;
    case CUPTI_ACTIVITY_KIND_MEMSET: keep(&runs, &(note){fill->correlationId, 0, fill->start, fill->end}); break;
    default: break;
    }
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    (void)context, (void)stream, (void)size;
    CUpti_Activity *record = NULL;
    pthread_mutex_lock(&lock);
    while (valid > 0 && cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) take_record(record);
    pthread_mutex_unlock(&lock);
    free(buffer);
}

/* ---- opening ---- */

static bool find_calls(void *library)
{
    void *found;
#define FIND(name)                                                                                                     \
    if (!(found = dlsym(library, #name))) return false;                                                                \
    memcpy(&cupti.name, &found, sizeof found);
    CUPTI_CALLS(FIND)
#undef FIND
    return true;
}

static bool open_library(void)
{
    static const char *const names[] = {"libcupti.so.13",
                                        "libcupti.so.12",
                                        "libcupti.so",
                                        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
                                        "/usr/local/cuda/lib64/libcupti.so",
                                        "/opt/cuda/extras/CUPTI/lib64/libcupti.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library && find_calls(library))
            return cupti.cuptiActivityRegisterTimestampCallback(now) == CUPTI_SUCCESS &&
                   cupti.cuptiActivityRegisterCallbacks(give_buffer, take_buffer) == CUPTI_SUCCESS;
    }
    return false;
}

/* ---- collecting ---- */

/* Enables the kinds from `first` on; false if CUPTI refuses one. */
static bool enable(int first)
{
    for (int i = first; i < KIND_COUNT; i++)
        if (cupti.cuptiActivityEnable(KINDS[i]) != CUPTI_SUCCESS) return false;
    return true;
}

static void disable(int first)
{
    for (int i = first; i < KIND_COUNT; i++) cupti.cuptiActivityDisable(KINDS[i]);
}

bool cuda_cupti_begin(void)
{
    if (refused) return false;
    if (!opened) opened = open_library();
    pthread_mutex_lock(&kinds_lock);
    refused = !opened || !enable(0);
    if (opened && (refused || resting > 0)) disable(refused ? 0 : HOST_KINDS);
    collecting = !refused;
    pthread_mutex_unlock(&kinds_lock);
    return !refused;
}

void cuda_cupti_rest(void)
{
    pthread_mutex_lock(&kinds_lock);
    if (resting++ == 0 && collecting) disable(HOST_KINDS);
    pthread_mutex_unlock(&kinds_lock);
}

void cuda_cupti_resume(void)
{
    pthread_mutex_lock(&kinds_lock);
    if (--resting == 0 && collecting) enable(HOST_KINDS);
    pthread_mutex_unlock(&kinds_lock);
}

bool cuda_cupti_rests(void) { return atomic_load_explicit(&resting, memory_order_relaxed) > 0; }

/* Requests the times; returns the request's number, or 0 if there is no memory. */
static uint64_t ask(backend_times *times)
{
    uint64_t number = 0;
    pthread_mutex_lock(&lock);
    if (asked.count == asked.capacity) {
        const size_t capacity = 2 * asked.capacity + 1024;
        backend_times **larger = realloc(asked.list, capacity * sizeof *larger);
        if (larger) {
            asked.list = larger;
            asked.capacity = capacity;
        }
    }
    if (asked.count < asked.capacity) {
        number = asked.first + asked.count;
        asked.list[asked.count++] = times;
    }
    pthread_mutex_unlock(&lock);
    return number;
}

void cuda_cupti_push(backend_times *times)
{
    cupti.cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, ask(times));
}

void cuda_cupti_pop(void)
{
    cupti.cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, NULL);
}

static int by_call(const void *one, const void *other)
{
    uint32_t a = ((const note *)one)->call, b = ((const note *)other)->call;
    return (a > b) - (a < b);
}

/* A copy may have run in pieces: from the first start to the last end. */
static void write_times(backend_times *times, const note *run)
{
    int64_t start = atomic_load(&times->start_ns), end = atomic_load(&times->end_ns);
    if (run->start == 0 || run->end == 0) return;
    if (start == 0 || (int64_t)run->start < start) atomic_store(&times->start_ns, (int64_t)run->start);
    if ((int64_t)run->end > end) atomic_store(&times->end_ns, (int64_t)run->end);
}

static void match(void)
{
    if (operations.count > 0) qsort(operations.list, operations.count, sizeof(note), by_call);
    for (size_t i = 0; i < runs.count && operations.count > 0; i++) {
        const note *made = bsearch(&runs.list[i], operations.list, operations.count, sizeof(note), by_call);
        if (made && made->operation >= asked.first && made->operation - asked.first < asked.count)
            write_times(asked.list[made->operation - asked.first], &runs.list[i]);
    }
}

void cuda_cupti_end(void)
{
    cupti.cuptiActivityFlushAll(0);
    pthread_mutex_lock(&kinds_lock);
    disable(0);
    collecting = false;
    pthread_mutex_unlock(&kinds_lock);
    pthread_mutex_lock(&lock);
    match();
    free(operations.list);
    free(runs.list);
    free(asked.list);
    operations = runs = (notes){0};
    asked.first += asked.count;
    asked.list = NULL;
    asked.count = asked.capacity = 0;
    pthread_mutex_unlock(&lock);
}
