/* What the worker asks of the runtime library: the device, the record and the last message. It knows lab.h and
 * lab_trace.h, and nothing of checks or messages between processes. */
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
    snprintf(text, sizeof text, "%s:%d", file, line);
    return file[0] ? text : "";
}

const char *worker_runtime_place(void)
{
    const char *file;
    int line;
    lab_error_place(&file, &line);
    return place_text(file, line);
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

lab_status worker_runtime_record_begin(void) { return lab_trace_begin(); }

lab_status worker_runtime_record_save(const char *path)
{
    lab_trace *trace;
    LAB_TRY(lab_trace_end(&trace));
    lab_status status = lab_trace_save(trace, path);
    lab_trace_free(trace);
    return status;
}

const char *worker_runtime_message(void) { return lab_error_message(); }
