/* The worker's use of the runtime library: the device, the shared memory, marks; see worker.h. */
#include "worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unwind.h>

#include "base/call_site.h"
#include "lab_trace.h"
#include "wire/extra.h"

static lab_status list_uuids(worker_device *device)
{
    size_t length = 0;
    for (int i = 0; i < device->devices && i < WORKER_MOST_DEVICES; i++) {
        lab_device_info info;
        LAB_TRY(lab_device_get_info(&info, i));
        if (i > 0) device->uuids[length++] = ',';
        for (size_t k = 0; k < sizeof info.uuid; k++, length += 2)
            snprintf(device->uuids + length, sizeof device->uuids - length, "%02x", info.uuid[k]);
    }
    return LAB_SUCCESS;
}

lab_status worker_runtime_device(worker_device *device)
{
    lab_device_info info;
    LAB_TRY(lab_device_get_info(&info, 0));
    memcpy(device->kind, info.kind, sizeof device->kind);
    memcpy(device->name, info.name, sizeof device->name);
    device->multiprocessors = info.multiprocessors;
    LAB_TRY(lab_device_count(&device->devices));
    return list_uuids(device);
}

/* ---- callers ----------------------------------------------------------------------------------------------------- */

/* The student's functions, which have a section of their own (student_code.ld). */
extern const char __start_student_code[] __attribute__((weak)), __stop_student_code[] __attribute__((weak));

typedef struct caller_search {
    bool skips, skipped; /* the innermost function, whose line the library knows */
    uint64_t found;
} caller_search;

static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *frame, void *user)
{
    caller_search *search = user;
    const uint64_t address = _Unwind_GetIP(frame) - 1; /* a return address is one past the call */
    const bool inside = address >= (uintptr_t)__start_student_code && address < (uintptr_t)__stop_student_code;
    const bool skips = inside && search->skips && !search->skipped;
    if (skips) search->skipped = true;
    if (inside && !skips) search->found = address - worker_base();
    return skips || (!inside && !search->skipped) ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static _Thread_local uint64_t thread_started_at; /* 0 in a thread that the student's file has not started */

void worker_runtime_thread(uint64_t started_at) { thread_started_at = started_at; }

static uint64_t find_caller(bool has_line)
{
    caller_search search = {.skips = has_line};
    if (thread_started_at) return thread_started_at;
    _Unwind_Backtrace(look_at_frame, &search);
    return search.found;
}

/* A #line directive, or a call of lab_here, names any file: what the student's functions call is in the student's. */
static const char *student_file;
static const char *find_file(const char *named, const void *caller)
{
    const uintptr_t address = (uintptr_t)caller - 1; /* a return address is one past the call */
    const bool inside = address >= (uintptr_t)__start_student_code && address < (uintptr_t)__stop_student_code;
    return inside ? student_file : named;
}

lab_status worker_runtime_memory(void **out, int file, size_t bytes)
{
    uint64_t address;
    (void)file, (void)bytes;
    if (__start_student_code && getenv("LAB_CALLERS")) call_site_find_caller = find_caller;
    if (__start_student_code && getenv("LAB_STUDENT_FILE")) {
        student_file = strdup(getenv("LAB_STUDENT_FILE"));
        if (!student_file) return LAB_ERROR_OUT_OF_MEMORY;
        call_site_file = find_file;
    }
    LAB_TRY(wire_shared_memory(&address));
    *out = (void *)(uintptr_t)address;
    return LAB_SUCCESS;
}

static char own_message[512]; /* for a failure that the library has no message for */

/* Runs a kernel that writes this number. A new number makes a new source, which the cache cannot have compiled
 * before. */
static lab_status probe_kernel(int64_t number)
{
    char source[128];
    lab_module *module;
    lab_function probe;
    lab_array *array;
    int64_t found;
    snprintf(source, sizeof source, "extern \"C\" __global__ void probe(long long *out) { *out = %lldLL; }",
             (long long)number);
    LAB_TRY(lab_module_load_source(&module, source, "probe"));
    LAB_TRY(lab_module_get_function(&probe, module, "probe"));
    LAB_TRY(lab_array_zeros(&array, LAB_INT64, LAB_SHAPE(1)));
    LAB_TRY(lab_launch(probe, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_ARGS(array)));
    LAB_TRY(lab_array_get(array, &found));
    LAB_TRY(lab_array_destroy(array));
    LAB_TRY(lab_module_unload(module));
    if (found == number) return LAB_SUCCESS;
    snprintf(own_message, sizeof own_message, "a kernel's result is wrong");
    return LAB_ERROR_UNKNOWN;
}

static lab_status probe_file(void)
{
    static const char text[] = "probe\n";
    FILE *file = fopen("probe", "we");
    bool written = file && fwrite(text, sizeof text, 1, file) == 1;
    if (file && fclose(file) == 0 && written) return LAB_SUCCESS;
    snprintf(own_message, sizeof own_message, "no file can be written in the program's folder: %s", strerror(errno));
    return LAB_ERROR_IO;
}

lab_status worker_runtime_probe(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    LAB_TRY(probe_kernel((int64_t)time.tv_sec * 1000000000 + time.tv_nsec));
    return probe_file();
}

void worker_runtime_hand_on(const void *key) { lab_host_release(key); }

void worker_runtime_take_on(const void *key) { lab_host_acquire(key); }

void worker_runtime_mark(const char *name) { lab_trace_mark(name); }

enum { MOST_STREAMS = 8 };
static lab_stream *made[MOST_STREAMS]; /* in the call */
static int streams_made;

lab_status worker_runtime_stream(lab_stream **out, const char *mark)
{
    if (streams_made == MOST_STREAMS) return LAB_ERROR_INVALID_VALUE;
    LAB_TRY(lab_stream_create(out, LAB_STREAM_NON_BLOCKING));
    made[streams_made++] = *out;
    LAB_WITH_STREAM(*out) lab_trace_mark(mark);
    return LAB_SUCCESS;
}

lab_status worker_runtime_release(lab_status status)
{
    for (int i = 0; i < streams_made && status == LAB_SUCCESS; i++) status = lab_stream_destroy(made[i]);
    streams_made = 0;
    return status;
}

lab_status worker_runtime_synchronize(void) { return lab_device_synchronize(); }

lab_status worker_runtime_pin(void *memory, size_t bytes)
{
    static bool pinned;
    if (!pinned) LAB_TRY(lab_host_register(memory, bytes));
    pinned = true;
    return LAB_SUCCESS;
}

lab_status worker_runtime_kernel(lab_function *out, const char *name)
{
    static lab_module *kernels;
    const lab_status loaded = kernels ? LAB_SUCCESS : lab_module_load_file(&kernels, "kernels.cu");
    return loaded == LAB_SUCCESS ? lab_module_get_function(out, kernels, name) : loaded;
}

void worker_runtime_returned(const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "%.100s returned", name);
    worker_runtime_mark(text);
}

const char *worker_runtime_message(void) { return *own_message ? own_message : lab_error_message(); }

const char *worker_runtime_explanation(lab_status status) { return lab_status_text(status); }
