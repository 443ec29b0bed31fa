/* Which two operations begin and end a range: by a stack of open ranges for each thread. */
#include "base/status.h"
#include "trace/trace.h"

#include <stdlib.h>

lab_status lab_trace_ranges(size_t **out, const lab_trace *trace)
{
    *out = NULL;
    size_t *partner = malloc((trace->ops + 1) * sizeof *partner), *outer = malloc((trace->ops + 1) * sizeof *outer);
    size_t *open = malloc((LAB_TRACE_THREADS + 1) * sizeof *open); /* of each thread: the innermost open range */
    if (!partner || !outer || !open) {
        free(partner);
        free(outer);
        free(open);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the ranges of a record");
    }
    for (size_t thread = 0; thread <= LAB_TRACE_THREADS; thread++) open[thread] = SIZE_MAX;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        partner[i] = SIZE_MAX;
        if (op->thread > LAB_TRACE_THREADS) continue;
        size_t *innermost = &open[op->thread];
        if (op->kind == LAB_OP_RANGE_PUSH) {
            outer[i] = *innermost;
            *innermost = i;
        } else if (op->kind == LAB_OP_RANGE_POP && *innermost != SIZE_MAX) {
            partner[i] = *innermost;
            partner[*innermost] = i;
            *innermost = outer[*innermost];
        }
    }
    free(outer);
    free(open);
    *out = partner;
    return LAB_SUCCESS;
}
