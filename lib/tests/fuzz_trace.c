/*
 * Feeds any bytes to the reader of records, and what it accepts to all that shows a record. Whatever the bytes are,
 * there is a record or a message, and no crash.
 */
#include "lab_trace.h"
#include "trace/trace.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void draw(const lab_trace *trace, const lab_timeline_options *options)
{
    char *drawn = NULL;
    if (lab_timeline_text(&drawn, trace, options) == LAB_SUCCESS) free(drawn);
    if (lab_timeline_svg(&drawn, trace, options) == LAB_SUCCESS) free(drawn);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    lab_trace *trace = NULL;
    if (lab_trace_load_bytes(&trace, (const char *)bytes, size, "input") != LAB_SUCCESS) {
        if (trace || *lab_error_message() == '\0') abort();
        return 0;
    }
    (void)lab_trace_summarize(trace);
    draw(trace, NULL);
    draw(trace, &(lab_timeline_options){.columns = 40, .max_rows = 1, .ascii = true, .from_ns = 5, .to_ns = 50});
    lab_trace_free(trace);
    return 0;
}
