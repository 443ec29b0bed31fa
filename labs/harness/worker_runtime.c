/* What the worker asks of the runtime library: the device, the record and the last message. It knows lab.h, lab_trace.h
 * and when calls begin and end, and nothing of checks or messages between processes. */
#include "worker.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

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
    static size_t asked;
    lab_order_finding found;
    if (asked >= lab_order_get_counts().findings || lab_order_get_finding(&found, asked) != LAB_SUCCESS) return NULL;
    asked++;
    *place = place_text(found.second.file, found.second.line);
    snprintf(text, sizeof text, "%s. To order them: %s", found.text, found.edge);
    return text;
}

/* A source that was never compiled: what is in the cache needs no compiler. */
lab_status worker_runtime_probe(void)
{
    char source[128];
    struct timespec now;
    lab_module *module;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(source, sizeof source, "extern \"C\" __global__ void probe(long *to) { *to = %ld%09ld; }",
             (long)now.tv_sec, now.tv_nsec);
    LAB_TRY(lab_module_load_source(&module, source, "probe"));
    LAB_TRY(lab_module_unload(module));
    FILE *file = fopen("probe", "we");
    bool written = file && fwrite(source, sizeof source, 1, file) == 1;
    return file && fclose(file) == 0 && written ? LAB_SUCCESS : LAB_ERROR_IO;
}

void worker_runtime_returned(const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "%.100s returned", name);
    lab_trace_mark(text);
}

/* ---- the record, and what was enqueued when nobody had asked for it ------------------------------------------------ */

enum { MOST_CALLS = 1024 };
static struct {
    int64_t begins, ends; /* of calls since the record began; of the last of MOST_CALLS, the rest's too */
} call[MOST_CALLS];
static int calls;
static int64_t record_begins, record_begun; /* the record's own beginning is between the two */
static char left_over[512];

/* The record's clock. */
static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

lab_status worker_runtime_record_begin(void)
{
    calls = 0;
    record_begins = now();
    lab_status status = lab_trace_begin();
    record_begun = now();
    return status;
}

static uint64_t failures_before; /* the call that is under way */

void worker_runtime_call_begins(void)
{
    failures_before = lab_failures();
    if (calls < MOST_CALLS) call[calls++].begins = now();
    call[calls - 1].ends = INT64_MAX;
}

void worker_runtime_call_ends(void) { call[calls - 1].ends = now(); }

/* Whether something of the record, by its time in it, can have been within a call. */
static bool is_in_a_call(int64_t record_ns)
{
    int64_t earliest = record_begins + record_ns, latest = record_begun + record_ns;
    bool within = false;
    for (int i = 0; i < calls; i++) within = within || (latest >= call[i].begins && earliest <= call[i].ends);
    return within;
}

/* Whether the record holds something that no call has enqueued, which is then described. */
static bool is_left_over(const lab_trace *trace)
{
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (is_in_a_call(op->call_ns)) continue;
        snprintf(left_over, sizeof left_over, "%s:%d: %s, after the function had returned", op->file, op->line,
                 lab_op_kind_name(op->kind));
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

const char *worker_runtime_message(void) { return *left_over ? left_over : lab_error_message(); }

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
