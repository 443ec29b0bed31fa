/*
 * What the order checker found, as a text: the same whether the checker runs in a program or in WebAssembly.
 *
 * note_calls.c notes, for each program of the catalogue, every call that the library makes to the checker (order.h),
 * and replay.c makes these calls in WebAssembly. A call is a line: the number of the thread, the call, its arguments.
 */
#ifndef LAB_TESTS_ORDER_REPLAY_FINDINGS_H
#define LAB_TESTS_ORDER_REPLAY_FINDINGS_H

#include "lab_trace.h"

#include <inttypes.h>
#include <stdio.h>

/* What the calls of all programs may have. */
enum { REPLAY_THREADS = 1000, REPLAY_HANDLES = 100000, REPLAY_ACCESSES = 64, REPLAY_EDGES = 256 };

static inline void write_side(FILE *out, const lab_order_side *side)
{
    fprintf(out, "  %d %s number %" PRIu64 " stream %" PRIu64 " thread %" PRIu64 " graph %" PRIu64 " %s:%d%s%s",
            side->kind, side->name, side->number, side->stream, side->thread, side->graph, side->file, side->line,
            side->writes ? " writes" : "", side->null_stream ? " null" : "");
    fprintf(out, " context %" PRIu64 " made %s:%d launched %s:%d\n", side->context, side->stream_file,
            side->stream_line, side->launch_file, side->launch_line);
}

/* Writes the findings and counts of the checker that was started last. */
static inline void write_findings(FILE *out)
{
    lab_order_finding found;
    for (size_t i = 0; lab_order_get_finding(&found, i) == LAB_SUCCESS; i++) {
        fprintf(out, "%zu: %s\n  %s\n", i + 1, found.text, found.edge);
        write_side(out, &found.first);
        write_side(out, &found.second);
        fprintf(out, "  %d host %d address %" PRIx64 " bytes %" PRIu64 " offset %" PRIu64 " of %" PRIu64 " %s:%d %s",
                found.kind, found.host, found.address, found.bytes, found.offset, found.allocation_bytes,
                found.allocation_file, found.allocation_line, found.variable);
        fprintf(out, " cause %" PRIu64 " times %" PRIu64 "\n", found.same_cause, found.times);
    }
    const lab_order_counts counts = lab_order_get_counts();
    fprintf(out, "%" PRIu64 " operations, %" PRIu64 " findings, %zu segments, %zu lanes%s\n", counts.operations,
            counts.findings, counts.segments, counts.lanes, counts.gave_up ? ", gave up" : "");
}

#endif
