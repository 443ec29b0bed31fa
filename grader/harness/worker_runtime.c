/* The worker's use of the runtime library: the device, the record, failures and findings; see worker.h. */
#include "worker.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/monotonic.h"
#include "lab_trace.h"

lab_status worker_runtime_device(worker_device *device)
{
    lab_device_info info;
    LAB_TRY(lab_device_get_info(&info, 0));
    memcpy(device->kind, info.kind, sizeof device->kind);
    memcpy(device->name, info.name, sizeof device->name);
    device->multiprocessors = info.multiprocessors;
    return LAB_SUCCESS;
}

lab_status worker_runtime_order_begin(void) { return lab_order_start(LAB_ORDER_COLLECT); }

static const char *place_text(const char *file, int line)
{
    static char text[256];
    snprintf(text, sizeof text, "%.200s:%d", file, line);
    return file[0] ? text : "";
}

const char *worker_runtime_finding(const char **place)
{
    static char text[2600];
    static size_t returned;
    lab_order_finding found;
    if (returned >= lab_order_get_counts().findings) return NULL;
    if (lab_order_get_finding(&found, returned) != LAB_SUCCESS) return NULL;
    returned++;
    *place = place_text(found.second.file, found.second.line);
    snprintf(text, sizeof text, "%s. To order them: %s", found.text, found.edge);
    return text;
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

void worker_runtime_returned(const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "%.100s returned", name);
    lab_trace_mark(text);
}

/* ---- the record, and work that was enqueued outside of calls
 * -------------------------------------------------------- */

enum { MOST_CALLS = 1024 };
static struct {
    int64_t begins, ends; /* of the calls since the record began; the last entry covers all further calls */
} call[MOST_CALLS];
static int calls;
static char left_over[128], left_over_place[256];
static int64_t record_earliest, record_latest; /* the record's own beginning lies between these times */

lab_status worker_runtime_record_begin(void)
{
    calls = 0;
    record_earliest = monotonic_ns();
    lab_status status = lab_trace_begin();
    record_latest = monotonic_ns();
    return status;
}

static uint64_t failures_before; /* the number of the library's failures when the call began */

void worker_runtime_call_begins(void)
{
    failures_before = lab_failures();
    if (calls < MOST_CALLS) call[calls++].begins = monotonic_ns();
    call[calls - 1].ends = INT64_MAX;
}

void worker_runtime_call_ends(void) { call[calls - 1].ends = monotonic_ns(); }

/* Whether a time in the record can lie within a call. */
static bool is_in_a_call(int64_t record_ns)
{
    int64_t earliest = record_earliest + record_ns, latest = record_latest + record_ns;
    bool within = false;
    for (int i = 0; i < calls; i++) within = within || (latest >= call[i].begins && earliest <= call[i].ends);
    return within;
}

/* Whether the record holds an operation that was enqueued outside of calls; describes it. */
static bool is_left_over(const lab_trace *trace)
{
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (is_in_a_call(op->call_ns)) continue;
        snprintf(left_over, sizeof left_over,
                 "a thread enqueued a %s after the function that had started it had returned",
                 lab_op_kind_name(op->kind));
        snprintf(left_over_place, sizeof left_over_place, "%s:%d", op->file, op->line);
        return true;
    }
    return false;
}

lab_status worker_runtime_record_save(const char *path)
{
    lab_trace *trace;
    LAB_TRY(lab_trace_end(&trace));
    lab_status status = is_left_over(trace) ? LAB_ERROR_NOT_READY : lab_trace_save(trace, path);
    lab_trace_free(trace);
    return status;
}

const char *worker_runtime_left_running(const char **place)
{
    *place = left_over_place;
    return *left_over ? left_over : NULL;
}

const char *worker_runtime_message(void) { return *own_message ? own_message : lab_error_message(); }

worker_failure worker_runtime_failure(lab_status status)
{
    lab_failure last;
    worker_failure failure = {.place = ""};
    if (lab_last_failure(&last, status, failures_before)) {
        snprintf(failure.message, sizeof failure.message, "%s", last.message);
        snprintf(failure.place, sizeof failure.place, "%s", place_text(last.file, last.line));
    } else {
        snprintf(failure.message, sizeof failure.message, "%s", lab_status_text(status));
    }
    return failure;
}

void worker_runtime_describe_wait(char *description, size_t bytes, bool *own)
{
    lab_trace_wait wait;
    description[0] = '\0';
    *own = true;
    if (!lab_trace_find_wait(&wait) || !*wait.text) return;
    *own = wait.own;
    if (wait.own)
        snprintf(description, bytes, "%s", wait.text);
    else
        snprintf(description, bytes, "the %s of %s:%d waits for %s", lab_op_kind_name(wait.kind), wait.file, wait.line,
                 wait.text);
}
