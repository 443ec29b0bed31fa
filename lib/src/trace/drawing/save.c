/*
 * A record as a Chrome trace-event file, which Perfetto and chrome://tracing open.
 *
 *   {"displayTimeUnit": "ns",
 *    "otherData": {"format": "lab-trace", "version": 1, ... the record's own fields},
 *    "traceEvents": [one event a line]}
 *
 * The host is one process with a track per thread; each device is another with a track per stream. The event that
 * carries all fields of an operation in its "args" is on the track of its stream if the device ran it, else on the
 * track of its host thread. A finding of the order checker is an event where the later of its two operations begins.
 * lab_trace_load reads these events and the names of streams, and nothing else. For viewers only, the file also has the
 * host's calls of operations that the device ran, arrows for waits, and arrows between the two operations of a finding.
 *
 * fields.c defines the fields of an operation.
 */
#include "trace/fields.h"
#include "arrows.h"
#include "timeline.h"
#include "base/status.h"
#include "base/system/whole_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of processes and tracks. Viewers treat a track with its process's number as the main thread, and some look up
 * tracks by number alone, so all numbers differ. Streams keep their own numbers. */
enum { HOST_PROCESS = 999999, FIRST_DEVICE_PROCESS = 1000000, FIRST_HOST_TRACK = 100000 };

/* Enough digits to show a nanosecond in a time of a hundred days in microseconds, without rounding noise. */
enum { JSON_FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(16) };

typedef struct writer {
    const lab_trace *trace;
    lab_whole_file *file;
    lab_arrows *arrows;
    size_t events;
    json_int_t arrows_written;
} writer;

/* The place of an event. */
typedef struct track {
    json_int_t process;
    json_int_t number;
} track;

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory to write the record"); }

static int write_piece(const char *bytes, size_t count, void *user)
{
    return lab_whole_file_write(user, bytes, count) == LAB_SUCCESS ? 0 : -1;
}

static lab_status write_text(writer *output, const char *text)
{
    return lab_whole_file_write(output->file, text, strlen(text));
}

/* Takes ownership of the value. NULL means that there was no memory for it. */
static lab_status write_json(writer *output, json_t *value)
{
    if (!value) return no_memory();
    int result = json_dump_callback(value, write_piece, output->file, JSON_FLAGS);
    json_decref(value);
    if (result == 0) return LAB_SUCCESS;
    lab_status status = write_text(output, ""); /* reports an error of the file */
    return status == LAB_SUCCESS ? no_memory() : status;
}

static lab_status write_event(writer *output, json_t *event)
{
    lab_status status = write_text(output, output->events++ == 0 ? "\n" : ",\n");
    if (status == LAB_SUCCESS) return write_json(output, event);
    json_decref(event);
    return status;
}

static double microseconds(int64_t nanoseconds) { return (double)nanoseconds / 1000; }

/* --- The head and the names of tracks --------------------------------------------------------------------------- */

static lab_status write_head(writer *output)
{
    const lab_trace *trace = output->trace;
    LAB_TRY(write_text(output, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":"));
    LAB_TRY(write_json(output, json_pack("{s:s, s:i, s:s, s:s, s:i, s:I, s:I}", "format", "lab-trace", "version", 1,
                                         "device_name", trace->device_name, "device_kind", trace->device_kind,
                                         "multiprocessors", trace->multiprocessors, "duration_ns",
                                         (json_int_t)trace->duration_ns, "operations", (json_int_t)trace->ops)));
    return write_text(output, ",\n\"traceEvents\":[");
}

static lab_status name_process(writer *output, json_int_t process, const char *name, int rank)
{
    LAB_TRY(write_event(output, json_pack("{s:s, s:s, s:I, s:{s:s}}", "ph", "M", "name", "process_name", "pid", process,
                                          "args", "name", name)));
    return write_event(output, json_pack("{s:s, s:s, s:I, s:{s:i}}", "ph", "M", "name", "process_sort_index", "pid",
                                         process, "args", "sort_index", rank));
}

static lab_status name_devices(writer *output)
{
    bool used[LAB_TRACE_DEVICES] = {true};
    for (size_t s = 0; s < output->trace->streams; s++) used[output->trace->stream[s].device] = true;
    for (size_t i = 0; i < output->trace->ops; i++) used[output->trace->op[i].device] = true;
    for (int device = 0; device < LAB_TRACE_DEVICES; device++) {
        char name[192];
        if (!used[device]) continue;
        if (device == 0)
            snprintf(name, sizeof name, "device 0 (%s)", output->trace->device_name);
        else
            snprintf(name, sizeof name, "device %d", device);
        LAB_TRY(name_process(output, FIRST_DEVICE_PROCESS + device, name, device + 1));
    }
    return LAB_SUCCESS;
}

/* These events also carry the stream's fields. */
static lab_status name_streams(writer *output)
{
    for (size_t s = 0; s < output->trace->streams; s++) {
        const lab_trace_stream *stream = &output->trace->stream[s];
        char name[64] = "null stream";
        if (!stream->null_stream) snprintf(name, sizeof name, "stream %" PRIu64, stream->id);
        LAB_TRY(write_event(output,
                            json_pack("{s:s, s:s, s:I, s:I, s:{s:s, s:o, s:i, s:o, s:i, s:b, s:b}}", "ph", "M", "name",
                                      "thread_name", "pid", (json_int_t)FIRST_DEVICE_PROCESS + stream->device, "tid",
                                      (json_int_t)stream->id, "args", "name", name, "stream",
                                      lab_fields_number(stream->id), "device", stream->device, "context",
                                      lab_fields_number(stream->context), "priority", stream->priority, "null_stream",
                                      stream->null_stream, "non_blocking", stream->non_blocking)));
    }
    return LAB_SUCCESS;
}

static lab_status name_host_threads(writer *output)
{
    bool *used = calloc(LAB_TRACE_THREADS + 1, sizeof *used);
    if (!used) return no_memory();
    for (size_t i = 0; i < output->trace->ops; i++)
        if (output->trace->op[i].thread <= LAB_TRACE_THREADS) used[output->trace->op[i].thread] = true;

    lab_status status = LAB_SUCCESS;
    for (int thread = 0; thread <= LAB_TRACE_THREADS && status == LAB_SUCCESS; thread++) {
        char name[32];
        if (!used[thread]) continue;
        snprintf(name, sizeof name, "host thread %d", thread);
        status = write_event(output, json_pack("{s:s, s:s, s:i, s:i, s:{s:s}}", "ph", "M", "name", "thread_name", "pid",
                                               HOST_PROCESS, "tid", FIRST_HOST_TRACK + thread, "args", "name", name));
    }
    free(used);
    return status;
}

/* --- Operations ------------------------------------------------------------------------------------------------- */

static track host_track(const lab_trace_op *op)
{
    return (track){HOST_PROCESS, FIRST_HOST_TRACK + (json_int_t)op->thread};
}

static track stream_track(const lab_trace_op *op)
{
    return (track){FIRST_DEVICE_PROCESS + op->device, (json_int_t)op->stream};
}

static bool on_stream_track(const lab_trace_op *op) { return lab_trace_ran(op) && op->stream != 0; }

/* "scale" for a kernel on its stream, "kernel scale" for its launch by the host. */
static void name_event(char *name, size_t size, const lab_trace_op *op, bool with_kind)
{
    const char *kind = lab_op_kind_name(op->kind);
    if (*op->name == '\0')
        snprintf(name, size, "%s", kind);
    else if (with_kind || op->kind != LAB_OP_KERNEL)
        snprintf(name, size, "%s %s", kind, op->name);
    else
        snprintf(name, size, "%s", op->name);
}

static lab_status write_span(writer *output, const lab_trace_op *op, track row, int64_t begin, int64_t end,
                             json_t *args)
{
    char name[LAB_TRACE_TEXT_BYTES + 32];
    bool host = row.process == HOST_PROCESS;
    name_event(name, sizeof name, op, host);
    if (!args) return no_memory();
    bool moment = op->kind == LAB_OP_MARK || (op->kind == LAB_OP_EVENT_RECORD && !host);
    const char *category = host ? "call" : lab_op_kind_name(op->kind);
    if (op->kind == LAB_OP_RANGE_PUSH || op->kind == LAB_OP_RANGE_POP)
        return write_event(output,
                           json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:o}", "ph",
                                     op->kind == LAB_OP_RANGE_PUSH ? "B" : "E", "name", op->name, "cat", "range", "pid",
                                     row.process, "tid", row.number, "ts", microseconds(begin), "args", args));
    if (moment)
        return write_event(output, json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:f, s:o}", "ph", "i", "s", "t", "name",
                                             name, "cat", category, "pid", row.process, "tid", row.number, "ts",
                                             microseconds(begin), "args", args));
    return write_event(output, json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:o}", "ph", "X", "name", name, "cat",
                                         category, "pid", row.process, "tid", row.number, "ts", microseconds(begin),
                                         "dur", microseconds(end - begin), "args", args));
}

static json_t *all_fields(const lab_trace_op *op)
{
    json_t *args = json_object();
    if (args && lab_fields_write(args, op)) return args;
    json_decref(args);
    return NULL;
}

/* A call that had not returned is drawn to the end of the record. */
static int64_t call_end(const lab_trace *trace, const lab_trace_op *op)
{
    if (op->return_ns >= op->call_ns) return op->return_ns;
    return trace->duration_ns > op->call_ns ? trace->duration_ns : op->call_ns;
}

static lab_status write_arrow_end(writer *output, const char *phase, const char *name, track row, int64_t when)
{
    return write_event(output, json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:f}", "ph", phase, "bp", "e", "name",
                                         name, "cat", "order", "id", output->arrows_written, "pid", row.process, "tid",
                                         row.number, "ts", microseconds(when)));
}

static lab_status write_arrows(writer *output, size_t index)
{
    const lab_trace *trace = output->trace;
    for (int w = 0; w < trace->op[index].waits; w++) {
        lab_arrow arrow;
        if (!lab_arrows_get(output->arrows, index, w, &arrow)) continue;
        const lab_trace_op *target = &trace->op[arrow.target];
        output->arrows_written++;
        LAB_TRY(write_arrow_end(output, "s", "waits", stream_track(&trace->op[arrow.source]), arrow.from_ns));
        LAB_TRY(write_arrow_end(output, "f", "waits", arrow.to_host ? host_track(target) : stream_track(target),
                                arrow.to_ns));
    }
    return LAB_SUCCESS;
}

static lab_status write_op(writer *output, size_t index)
{
    const lab_trace_op *op = &output->trace->op[index];
    int64_t returned = call_end(output->trace, op);
    if (on_stream_track(op)) {
        LAB_TRY(write_span(output, op, stream_track(op), op->start_ns, op->end_ns, all_fields(op)));
        LAB_TRY(write_span(output, op, host_track(op), op->call_ns, returned,
                           json_pack("{s:I}", "operation", (json_int_t)op->id)));
    } else {
        LAB_TRY(write_span(output, op, host_track(op), op->call_ns, returned, all_fields(op)));
    }
    return write_arrows(output, index);
}

/* --- Findings --------------------------------------------------------------------------------------------------- */

/* Where the operation begins. */
static track place_of(const lab_trace_op *op, int64_t *when)
{
    *when = on_stream_track(op) ? op->start_ns : op->call_ns;
    return on_stream_track(op) ? stream_track(op) : host_track(op);
}

static lab_status write_finding(writer *output, size_t index)
{
    const lab_trace_finding *finding = &output->trace->finding[index];
    const uint64_t later = finding->second ? finding->second : finding->first;
    char name[32];
    int64_t when, other_when;
    const track at = place_of(&output->trace->op[later - 1], &when);
    snprintf(name, sizeof name, "finding %c", lab_timeline_sign(index));
    LAB_TRY(write_event(output, json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:f, s:{s:i, s:I, s:I, s:s, s:s}}", "ph", "i",
                                          "s", "t", "name", name, "cat", "finding", "pid", at.process, "tid", at.number,
                                          "ts", microseconds(when), "args", "finding", (int)index + 1, "first",
                                          (json_int_t)finding->first, "second", (json_int_t)finding->second, "text",
                                          finding->text, "edge", finding->edge)));
    if (!finding->first || !finding->second) return LAB_SUCCESS;
    const track other = place_of(&output->trace->op[finding->first - 1], &other_when);
    output->arrows_written++;
    LAB_TRY(write_arrow_end(output, "s", "nothing orders the two", other, other_when));
    return write_arrow_end(output, "f", "nothing orders the two", at, when);
}

static lab_status write_all(writer *output)
{
    LAB_TRY(write_head(output));
    LAB_TRY(name_process(output, HOST_PROCESS, "host", 0));
    LAB_TRY(name_devices(output));
    LAB_TRY(name_streams(output));
    LAB_TRY(name_host_threads(output));
    for (size_t i = 0; i < output->trace->ops; i++) LAB_TRY(write_op(output, i));
    for (size_t i = 0; i < output->trace->findings; i++) LAB_TRY(write_finding(output, i));
    return write_text(output, "\n]}\n");
}

lab_status lab_trace_save(const lab_trace *trace, const char *path)
{
    writer output = {.trace = trace};
    LAB_TRY(lab_arrows_create(&output.arrows, trace));
    lab_status status = lab_whole_file_create(&output.file, path);
    if (status == LAB_SUCCESS) {
        status = write_all(&output);
        if (status == LAB_SUCCESS)
            status = lab_whole_file_finish(output.file);
        else
            lab_whole_file_abandon(output.file);
    }
    lab_arrows_free(output.arrows);
    return status;
}
