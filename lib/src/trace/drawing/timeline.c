/* Chooses the window, the streams that get a row, and the contents of each row. */
#include "timeline.h"
#include "timeline_look.h"
#include "base/status.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the timeline"); }

const char *lab_timeline_mark_name(timeline_mark mark)
{
    switch (mark) {
    case TIMELINE_IDLE: return "idle";
#define TIMELINE_WORDS(mark, class, words, color, lines, top, height)                                                  \
    case mark: return words;
        TIMELINE_LOOKS(TIMELINE_WORDS)
#undef TIMELINE_WORDS
    case TIMELINE_MARKS: break;
    }
    return "unknown";
}

/* --- What an operation looks like ------------------------------------------------------------------------------- */

/* The mark on its stream's row; IDLE if it has none there. */
static timeline_mark mark_on_stream(const lab_trace_op *op)
{
    if (op->stream == 0 || op->start_ns < 0) return TIMELINE_IDLE;
    switch (op->kind) {
    case LAB_OP_COPY_HTOD: return TIMELINE_HTOD;
    case LAB_OP_KERNEL:
    case LAB_OP_GRAPH_LAUNCH: return TIMELINE_KERNEL;
    case LAB_OP_COPY_DTOH: return TIMELINE_DTOH;
    case LAB_OP_COPY_DTOD: return TIMELINE_DTOD;
    case LAB_OP_FILL: return TIMELINE_FILL;
    case LAB_OP_HOST_FUNCTION: return TIMELINE_HOST_FUNCTION;
    case LAB_OP_EVENT_RECORD: return TIMELINE_EVENT;
    default: return TIMELINE_IDLE;
    }
}

/* The mark on the host's row. A copy of pageable memory holds its caller while it is staged, even if it does not wait.
 * */
static timeline_mark mark_on_host(const lab_trace_op *op)
{
    bool copy = op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_COPY_DTOH;
    if (op->kind == LAB_OP_MARK) return TIMELINE_NOTE;
    return op->host_waits || (copy && op->host_memory == LAB_HOST_PAGEABLE) ? TIMELINE_WAIT : TIMELINE_CALL;
}

/* Work that had not ended is shown to the record's end. */
static int64_t end_of(const lab_trace *trace, int64_t begin, int64_t end)
{
    if (end >= begin) return end;
    return trace->duration_ns > begin ? trace->duration_ns : begin;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static bool in_window(const timeline *chart, int64_t begin, int64_t end)
{
    return end >= chart->begin && begin <= chart->end;
}

/* A figure's row needs work: events alone make none. */
static bool is_shown(const timeline *chart, const lab_trace_op *op)
{
    timeline_mark mark = mark_on_stream(op);
    return (chart->figure ? timeline_fills(mark) : mark != TIMELINE_IDLE) &&
           in_window(chart, op->start_ns, end_of(chart->trace, op->start_ns, op->end_ns));
}

/* --- The window ------------------------------------------------------------------------------------------------- */

/* From the first to the last of the device's operations; event records count only if there is nothing else. */
static bool find_window(timeline *chart, bool with_events)
{
    bool found = false;
    for (size_t i = 0; i < chart->trace->ops; i++) {
        const lab_trace_op *op = &chart->trace->op[i];
        timeline_mark mark = mark_on_stream(op);
        if (!timeline_fills(mark) && !(with_events && mark == TIMELINE_EVENT)) continue;
        int64_t end = end_of(chart->trace, op->start_ns, op->end_ns);
        chart->begin = found ? smaller(chart->begin, op->start_ns) : op->start_ns;
        chart->end = found ? larger(chart->end, end) : end;
        found = true;
    }
    return found;
}

static lab_status choose_window(timeline *chart, const lab_timeline_options *options)
{
    chart->begin = options->from_ns;
    chart->end = smaller(options->to_ns, LAB_TRACE_TIME_NS);
    if (chart->begin < 0 || chart->end < chart->begin)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "a timeline from %" PRId64 " to %" PRId64 " ns shows nothing",
                        chart->begin, chart->end);
    if (chart->begin == 0 && chart->end == 0 && !find_window(chart, false)) (void)find_window(chart, true);
    if (chart->end == chart->begin) chart->end = chart->begin + 1;
    return LAB_SUCCESS;
}

/* --- Rows ------------------------------------------------------------------------------------------------------- */

/* In a figure, streams stand in the order in which they were made. */
static size_t list_streams_of_figure(const timeline *chart, size_t *list)
{
    const lab_trace *trace = chart->trace;
    for (size_t i = 0; i < trace->ops; i++)
        if (is_shown(chart, &trace->op[i])) chart->row_of_stream[lab_trace_find_stream(trace, trace->op[i].stream)] = 0;
    size_t count = 0;
    for (size_t s = 0; s < trace->streams; s++) {
        if (chart->row_of_stream[s] != 0) continue;
        size_t at = count++;
        for (; at > 0 && trace->stream[list[at - 1]].id > trace->stream[s].id; at--) list[at] = list[at - 1];
        list[at] = s;
    }
    return count;
}

/* Lists the streams that have something in the window, null streams first, then in the order of first use; returns how
 * many. */
static size_t list_streams(const timeline *chart, size_t *list)
{
    if (chart->figure) return list_streams_of_figure(chart, list);
    const lab_trace *trace = chart->trace;
    size_t count = 0;
    for (int null_streams = 1; null_streams >= 0; null_streams--) {
        for (size_t i = 0; i < trace->ops; i++) {
            if (!is_shown(chart, &trace->op[i])) continue;
            size_t stream = lab_trace_find_stream(trace, trace->op[i].stream);
            if (stream == trace->streams || trace->stream[stream].null_stream != (null_streams == 1)) continue;
            if (chart->row_of_stream[stream] != SIZE_MAX) continue;
            chart->row_of_stream[stream] = 0;
            list[count++] = stream;
        }
    }
    return count;
}

static bool on_several_devices(const timeline *chart, const size_t *list)
{
    for (size_t i = 1; i < chart->streams; i++)
        if (chart->trace->stream[list[i]].device != chart->trace->stream[list[0]].device) return true;
    return false;
}

static bool in_several_contexts(const timeline *chart, const size_t *list)
{
    for (size_t i = 1; i < chart->streams; i++)
        if (chart->trace->stream[list[i]].context != chart->trace->stream[list[0]].context) return true;
    return false;
}

/* "stream 7", "null stream", "context 3, null stream", "stream 7 (device 1)": names as much as tells the rows apart. */
static void name_row(timeline_row *row, const lab_trace_stream *stream, bool name_context, bool name_device)
{
    char context[32] = "", name[32] = "null stream", device[24] = "";
    if (name_context) snprintf(context, sizeof context, "context %" PRIu64 ", ", stream->context);
    if (!stream->null_stream) snprintf(name, sizeof name, "stream %" PRIu64, stream->id);
    if (name_device) snprintf(device, sizeof device, " (device %d)", stream->device);
    snprintf(row->label, sizeof row->label, "%.31s%.31s%.23s", context, name, device);
}

/* In a figure, the name that it gives the stream. */
static void name_row_of_figure(timeline_row *row, const lab_figure_run *run, uint64_t stream)
{
    const char *name = run ? lab_figure_name_of(run, stream) : NULL;
    if (name) snprintf(row->label, sizeof row->label, "%.90s", name);
}

/* Moves the streams of findings to the front of the list, at most `most` of them, and keeps the order of the others.
 * Returns the number moved. */
static size_t find_marked(const timeline *chart, size_t *list, size_t most)
{
    const lab_trace *trace = chart->trace;
    size_t marked = 0;
    for (size_t i = 0; i < 2 * trace->findings && marked < most; i++) {
        const lab_trace_finding *finding = &trace->finding[i / 2];
        const uint64_t id = i % 2 == 0 ? finding->first : finding->second;
        const size_t stream =
            id && id <= trace->ops ? lab_trace_find_stream(trace, trace->op[id - 1].stream) : trace->streams;
        if (chart->row_of_stream[stream] != 0) continue; /* not in the list, or moved already */
        chart->row_of_stream[stream] = 1;
        size_t at = marked;
        while (list[at] != stream) at++;
        memmove(list + marked + 1, list + marked, (at - marked) * sizeof *list);
        list[marked++] = stream;
    }
    return marked;
}

/* Chooses `chosen` of the streams: those of findings first, then others at even distances from the first to the last.
 * Streams that are left out get the row SIZE_MAX. */
static void choose_streams(timeline *chart, size_t *list, size_t chosen)
{
    const size_t marked = find_marked(chart, list, chosen), others = chart->streams - marked, wanted = chosen - marked;
    for (size_t i = marked; i < chart->streams; i++) chart->row_of_stream[list[i]] = SIZE_MAX;
    for (size_t r = 0; r < wanted; r++)
        chart->row_of_stream[list[marked + (wanted < 2 ? 0 : r * (others - 1) / (wanted - 1))]] = 0;
}

/* With more streams than rows, some streams have their own row, and one row combines all others. */
static lab_status assign_rows(timeline *chart, const size_t *list, size_t most)
{
    size_t count = chart->streams;
    size_t chosen = count < most ? count : most;
    const bool name_device = on_several_devices(chart, list);
    const bool name_context = !name_device && in_several_contexts(chart, list);
    size_t *reordered = malloc((count + 1) * sizeof *reordered);
    if (!reordered) return no_memory();
    memcpy(reordered, list, count * sizeof *list);
    choose_streams(chart, reordered, chosen);
    free(reordered);
    for (size_t i = 0, r = 0; i < count; i++) {
        const size_t index = list[i];
        if (chart->row_of_stream[index] == SIZE_MAX) {
            chart->row_of_stream[index] = 1 + chart->ranges + chosen;
            continue;
        }
        chart->row_of_stream[index] = 1 + chart->ranges + r++;
        timeline_row *row = &chart->row[chart->row_of_stream[index]];
        row->streams = 1;
        name_row(row, &chart->trace->stream[index], name_context, name_device);
        name_row_of_figure(row, chart->run, chart->trace->stream[index].id);
    }
    chart->rows = 1 + chart->ranges + chosen;
    if (count > chosen) {
        timeline_row *rest = &chart->row[chart->rows++];
        rest->streams = count - chosen;
        snprintf(rest->label, sizeof rest->label, "+%zu stream%s", rest->streams, rest->streams == 1 ? "" : "s");
    }
    return LAB_SUCCESS;
}

static lab_status choose_rows(timeline *chart, const lab_timeline_options *options)
{
    if (chart->figure && chart->figure->rows != LAB_FIGURE_STREAMS) return lab_figure_choose_rows(chart);
    if (options->max_rows < 1)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "a timeline of %d rows shows nothing", options->max_rows);
    size_t streams = chart->trace->streams;
    size_t *list = calloc(streams + 1, sizeof *list);
    chart->row_of_stream = malloc((streams + 1) * sizeof *chart->row_of_stream);
    chart->row = calloc(streams + 2 + TIMELINE_RANGES, sizeof *chart->row);
    if (!list || !chart->row_of_stream || !chart->row) {
        free(list);
        return no_memory();
    }
    for (size_t s = 0; s <= streams; s++) chart->row_of_stream[s] = SIZE_MAX;
    strcpy(chart->row[0].label, "host");
    chart->streams = list_streams(chart, list);
    lab_status status = lab_timeline_choose_ranges(chart);
    if (status == LAB_SUCCESS) status = assign_rows(chart, list, (size_t)options->max_rows);
    for (size_t s = 0; s <= streams; s++)
        if (chart->row_of_stream[s] == SIZE_MAX) chart->row_of_stream[s] = chart->rows;
    free(list);
    return status;
}

/* --- Contents of the rows --------------------------------------------------------------------------------------- */

bool lab_timeline_has_host(const timeline *chart)
{
    return chart->rows > 0 && strcmp(chart->row[0].label, "host") == 0;
}

static size_t row_of_key(const timeline *chart, uint64_t key)
{
    size_t row = 0;
    while (row < chart->rows && chart->row[row].key != key) row++;
    return row;
}

size_t lab_timeline_row_of(const timeline *chart, const lab_trace_op *op)
{
    if (!chart->figure || chart->figure->rows == LAB_FIGURE_STREAMS)
        return chart->row_of_stream[lab_trace_find_stream(chart->trace, op->stream)];
    if (op->stream == 0 || *lab_op_kind_engine(op->kind) == '\0') return chart->rows;
    return row_of_key(chart, lab_figure_key_of(chart->figure, op));
}

static void add(timeline *chart, size_t *count, timeline_span span)
{
    if (span.mark == TIMELINE_IDLE || !in_window(chart, span.begin, span.end)) return;
    span.begin = larger(span.begin, chart->begin);
    span.end = smaller(span.end, chart->end);
    chart->span[(*count)++] = span;
}

/* An operation is queued from its call until it starts, except while an earlier one of its stream runs. */
static void add_op(timeline *chart, size_t *count, size_t index, int64_t *busy_until)
{
    const lab_trace_op *op = &chart->trace->op[index];
    int64_t returned = end_of(chart->trace, op->call_ns, op->return_ns);
    if (op->kind == LAB_OP_RANGE_PUSH && chart->range)
        add(chart, count,
            (timeline_span){lab_timeline_range_row(chart, index), op->call_ns, lab_timeline_range_end(chart, index),
                            TIMELINE_RANGE, index, 0});
    if (op->kind == LAB_OP_RANGE_PUSH || op->kind == LAB_OP_RANGE_POP) return;
    if (lab_figure_shows_call(chart, op) && (returned > op->call_ns || mark_on_host(op) != TIMELINE_CALL))
        add(chart, count, (timeline_span){0, op->call_ns, returned, mark_on_host(op), index, 0});
    if (lab_figure_call_words(chart, op))
        add(chart, count,
            (timeline_span){row_of_key(chart, op->thread), op->call_ns, returned, mark_on_host(op), index, 0});

    timeline_mark mark = mark_on_stream(op);
    size_t stream = lab_trace_find_stream(chart->trace, op->stream);
    size_t row = lab_timeline_row_of(chart, op);
    if (mark == TIMELINE_IDLE || row == chart->rows) return;
    int64_t end = end_of(chart->trace, op->start_ns, op->end_ns);
    add(chart, count, (timeline_span){row, op->start_ns, end, mark, index, 0});
    const bool queues = !chart->figure || (chart->figure->rows == LAB_FIGURE_STREAMS && chart->run->steps == 0);
    if (!timeline_fills(mark) || !queues) return;
    int64_t queued = larger(op->call_ns, busy_until[stream]);
    if (queued < op->start_ns) add(chart, count, (timeline_span){row, queued, op->start_ns, TIMELINE_QUEUED, index, 0});
    busy_until[stream] = larger(busy_until[stream], end);
}

static int by_row_and_time(const void *left, const void *right)
{
    const timeline_span *a = left;
    const timeline_span *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->op > b->op) - (a->op < b->op);
}

/* Drops the host's row if it is empty. */
static void drop_empty_host(timeline *chart)
{
    if (chart->row[0].spans > 0) return;
    chart->rows--;
    memmove(chart->row, chart->row + 1, chart->rows * sizeof *chart->row);
    for (size_t s = 0; chart->row_of_stream && s <= chart->trace->streams; s++) chart->row_of_stream[s]--;
}

static lab_status fill_rows(timeline *chart)
{
    const size_t spans_per_op = 4; /* on the host, on its thread, queued, running */
    size_t count = 0;
    int64_t *busy_until = calloc(chart->trace->streams + 1, sizeof *busy_until);
    chart->span = malloc((chart->trace->ops * spans_per_op + 1) * sizeof *chart->span);
    if (!busy_until || !chart->span) {
        free(busy_until);
        return no_memory();
    }
    for (size_t i = 0; i < chart->trace->ops; i++) add_op(chart, &count, i, busy_until);
    free(busy_until);

    qsort(chart->span, count, sizeof *chart->span, by_row_and_time);
    for (size_t i = count; i-- > 0;) {
        timeline_row *row = &chart->row[chart->span[i].row];
        row->span = &chart->span[i];
        row->spans++;
    }
    drop_empty_host(chart);
    if (chart->figure) lab_figure_assign_lanes(chart);
    return LAB_SUCCESS;
}

lab_timeline_options lab_timeline_complete(const lab_timeline_options *options)
{
    const lab_timeline_options usual = {LAB_TIMELINE_DEFAULTS};
    if (!options) return usual;
    lab_timeline_options complete = *options;
    if (complete.columns == 0) complete.columns = usual.columns;
    if (complete.max_rows == 0) complete.max_rows = usual.max_rows;
    return complete;
}

lab_status lab_timeline_same_scale(lab_timeline_options *out, const lab_timeline_run *run, size_t runs,
                                   const lab_timeline_options *given)
{
    if (runs < 1 || runs > LAB_TIMELINE_RUNS)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%zu runs cannot be drawn together; the number must be 1 to %d", runs,
                        LAB_TIMELINE_RUNS);
    int64_t longest = 0;
    for (size_t i = 0; i < runs; i++) {
        timeline chart = {.trace = run[i].trace};
        out[i] = lab_timeline_complete(given);
        out[i].title = run[i].title;
        LAB_TRY(choose_window(&chart, &out[i]));
        out[i].from_ns = chart.begin;
        longest = larger(longest, chart.end - chart.begin);
    }
    for (size_t i = 0; i < runs; i++) out[i].to_ns = out[i].from_ns + longest;
    return LAB_SUCCESS;
}

static lab_status lay_out(timeline *out, const lab_timeline_options *options)
{
    lab_status status = choose_window(out, options);
    if (status == LAB_SUCCESS) status = choose_rows(out, options);
    if (status == LAB_SUCCESS) status = fill_rows(out);
    if (status != LAB_SUCCESS) lab_timeline_clear(out);
    return status;
}

lab_status lab_timeline_lay_out(timeline *out, const lab_trace *trace, const lab_timeline_options *options)
{
    *out = (timeline){.trace = trace};
    return lay_out(out, options);
}

lab_status lab_timeline_lay_out_figure(timeline *out, const lab_figure *figure, const lab_figure_run *run, int64_t end)
{
    *out = (timeline){.trace = run->trace, .figure = figure, .run = run};
    return lay_out(out, &(lab_timeline_options){.max_rows = INT_MAX, .to_ns = end});
}

void lab_timeline_clear(timeline *chart)
{
    free(chart->row);
    free(chart->row_of_stream);
    free(chart->span);
    free(chart->range);
    *chart = (timeline){0};
}
