/* Turns a record that has ended into a lab_trace: without dropped entries, with the streams and findings that the other
 * entries name. */
#include "base/monotonic.h"
#include "base/status.h"
#include "record_entry.h"
#include "trace/trace.h"

#include <stdlib.h>

static int64_t since(int64_t begin_ns, int64_t time_ns) { return time_ns ? time_ns - begin_ns : -1; }

/* Appends the entry as an operation. Its waits are renumbered, since dropped entries are not in the trace. `awaited`
 * says for each earlier entry which operation is done when the entry is: its own or, if it was dropped, the one before
 * it on its stream. */
static lab_status append_entry(lab_trace *trace, record_entry *entry, int64_t begin_ns, const uint64_t *awaited)
{
    lab_trace_op op = entry->op;
    int kept = 0;
    for (int i = 0; i < op.waits; i++) {
        uint64_t renumbered = awaited[entry->waits[i]];
        if (renumbered) entry->waits[kept++] = renumbered;
    }
    op.name = entry->name ? entry->name : "";
    op.module = entry->module;
    op.arguments = entry->arguments;
    op.return_ns -= begin_ns;
    op.start_ns = since(begin_ns, atomic_load(&entry->times.start_ns));
    op.end_ns = since(begin_ns, atomic_load(&entry->times.end_ns));
    op.lane = *lab_op_kind_engine(op.kind) ? atomic_load(&entry->times.lane) : -1;
    op.access = entry->access;
    op.waits_for = entry->waits;
    op.waits = kept;
    return lab_trace_append(trace, &op);
}

/* Appends the streams that operations of the record name. */
static lab_status append_streams(lab_trace *trace, const record *ended)
{
    const uint64_t count = record_streams();
    bool *mentioned = calloc(count + 1, sizeof *mentioned);
    if (!mentioned) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_trace_end: no host memory for the record");
    for (record_walk walk = record_walk_begin(ended); record_walk_step(&walk);)
        if (!walk.entry->dropped && walk.entry->op.stream <= count) mentioned[walk.entry->op.stream] = true;
    lab_status status = LAB_SUCCESS;
    stream_identity stream;
    for (uint64_t id = 1; id <= count && status == LAB_SUCCESS; id++)
        if (mentioned[id] && record_get_stream(&stream, id))
            status = lab_trace_append_stream(trace, &(lab_trace_stream){.id = id,
                                                                        .device = stream.device,
                                                                        .context = stream.context,
                                                                        .priority = stream.priority,
                                                                        .null_stream = stream.null,
                                                                        .non_blocking = !stream.blocking});
    free(mentioned);
    return status;
}

static lab_status append_full_mark(lab_trace *trace)
{
    return lab_trace_append(trace, &(lab_trace_op){.kind = LAB_OP_MARK,
                                                   .name = "the record is full: later calls are missing",
                                                   .thread = 1,
                                                   .call_ns = trace->duration_ns,
                                                   .return_ns = trace->duration_ns,
                                                   .start_ns = -1,
                                                   .end_ns = -1,
                                                   .lane = -1,
                                                   .file = ""});
}

/* Appends the findings that concern operations of the record, which get their new ids. */
static lab_status append_findings(lab_trace *trace, const record *ended, const uint64_t *new_id)
{
    lab_trace_finding found;
    for (size_t i = 0; i < LAB_TRACE_FINDINGS && order_recorded_finding(&found, i); i++) {
        uint64_t *side[] = {&found.first, &found.second};
        for (int k = 0; k < 2; k++) {
            const uint64_t entry = *side[k] - ended->entries_before;
            *side[k] = *side[k] > ended->entries_before && entry <= ended->entries ? new_id[entry] : 0;
        }
        if (found.first || found.second) LAB_TRY(lab_trace_append_finding(trace, &found));
    }
    return LAB_SUCCESS;
}

static lab_status append_entries(lab_trace *trace, const record *ended)
{
    uint64_t *new_id = calloc(2 * (ended->entries + 1), sizeof *new_id), *awaited = new_id + ended->entries + 1;
    if (!new_id) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_trace_end: no host memory for the record");
    lab_status status = LAB_SUCCESS;
    for (record_walk walk = record_walk_begin(ended); status == LAB_SUCCESS && record_walk_step(&walk);) {
        const record_entry *entry = walk.entry;
        if (!entry->dropped) {
            status = append_entry(trace, walk.entry, ended->begin_ns, awaited);
            new_id[entry->op.id] = awaited[entry->op.id] = trace->ops;
        } else if (entry->previous > ended->entries_before) {
            awaited[entry->op.id] = awaited[entry->previous - ended->entries_before];
        }
    }
    if (status == LAB_SUCCESS) status = append_findings(trace, ended, new_id);
    free(new_id);
    return status;
}

lab_status record_to_trace(lab_trace **out, const record *ended, const lab_backend *backend)
{
    lab_device_info info;
    LAB_TRY(backend->device_info(&info, 0));
    lab_trace *trace;
    LAB_TRY(lab_trace_create(&trace));
    lab_trace_set_device(trace, info.name, info.kind, info.multiprocessors);
    trace->duration_ns = monotonic_ns() - ended->begin_ns;
    lab_status status = append_streams(trace, ended);
    if (status == LAB_SUCCESS) status = append_entries(trace, ended);
    if (status == LAB_SUCCESS && ended->full) status = append_full_mark(trace);
    if (status != LAB_SUCCESS) {
        lab_trace_free(trace);
        return status;
    }
    *out = trace;
    return LAB_SUCCESS;
}
