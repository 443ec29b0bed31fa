/*
 * Feeds arbitrary bytes to the reader of profiles, and models a small record on every profile that it accepts. The
 * result must be a profile or a message, never a crash, and the model must end.
 */
#include "trace/model/profile.h"
#include "trace/trace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static lab_trace *small_record(void)
{
    lab_trace *trace;
    if (lab_trace_create(&trace) != LAB_SUCCESS) abort();
    for (uint64_t id = 1; id <= 3; id++)
        if (lab_trace_append_stream(trace, &(lab_trace_stream){.id = id, .null_stream = id == 1}) != LAB_SUCCESS)
            abort();
    static const lab_op_kind kinds[] = {LAB_OP_COPY_HTOD,     LAB_OP_KERNEL,    LAB_OP_FILL,       LAB_OP_COPY_DTOD,
                                        LAB_OP_HOST_FUNCTION, LAB_OP_COPY_DTOH, LAB_OP_DEVICE_SYNC};
    for (size_t i = 0; i < 28; i++) {
        lab_op_kind kind = kinds[i % 7];
        lab_trace_access access = {1000 * (i % 3), 2000, .reads = true, .writes = true};
        lab_trace_op op = {.kind = kind,
                           .name = "advance",
                           .thread = 1 + i % 2,
                           .stream = kind == LAB_OP_DEVICE_SYNC ? 0 : 1 + i % 3,
                           .bytes = 1000 * i,
                           .host_memory = (lab_host_memory)(i % 3),
                           .grid = LAB_DIM(3),
                           .block = LAB_DIM(64),
                           .host_waits = kind == LAB_OP_DEVICE_SYNC,
                           .start_ns = -1,
                           .end_ns = -1,
                           .access = &access,
                           .accesses = 1,
                           .lane = -1};
        if (lab_trace_append(trace, &op) != LAB_SUCCESS) abort();
    }
    return trace;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    lab_profile *profile = NULL;
    lab_model *model;
    char *text;
    if (lab_profile_parse(&profile, (const char *)bytes, size, "input") != LAB_SUCCESS) {
        if (profile || strncmp(lab_error_message(), "input:", 6) != 0) abort();
        return 0;
    }
    lab_trace *trace = small_record();
    if (lab_model_run(&model, trace, profile, NULL) != LAB_SUCCESS) abort();
    if (lab_model_text(&text, model, 80, false) != LAB_SUCCESS) abort();
    free(text);
    lab_model_free(model);
    lab_trace_free(trace);
    lab_profile_free(profile);
    return 0;
}
