/* Tries to begin and save a record of its own, in place of the one that the harness keeps. */
#include "lab_trace.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_trace *trace;
    (void)honest, (void)arguments, (void)bytes, (void)out, (void)in, (void)count;
    LAB_TRY(lab_trace_end(&trace));
    LAB_TRY(lab_trace_save(trace, "record.json"));
    return lab_trace_begin();
}
