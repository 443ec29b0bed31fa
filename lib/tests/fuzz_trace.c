/*
 * Feeds arbitrary bytes to the reader of records, and every record that it accepts to everything that draws, models or
 * queries a record. The result must be a record or a message, never a crash.
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

static void model(const lab_trace *trace)
{
    lab_profile *profile;
    lab_model *made;
    char *text;
    if (lab_profile_open(&profile, "h200") != LAB_SUCCESS) abort();
    if (lab_model_run(&made, trace, profile, &(lab_model_options){.scale = 64}) == LAB_SUCCESS) {
        if (lab_model_text(&text, made, 60, true) == LAB_SUCCESS) free(text);
        lab_model_free(made);
    }
    lab_profile_free(profile);
}

static void ask(const lab_trace *trace)
{
    lab_relations *relations;
    lab_lifetime *leaks;
    size_t count;
    if (lab_trace_leaks(&leaks, &count, trace) == LAB_SUCCESS) free(leaks);
    if (lab_relations_create(&relations, trace) != LAB_SUCCESS) return;
    (void)lab_relations_may_overlap(relations, 1, trace->ops);
    (void)lab_relations_by_event_only(relations, 1, trace->ops);
    lab_relations_free(relations);
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
    model(trace);
    ask(trace);
    lab_trace_free(trace);
    return 0;
}
