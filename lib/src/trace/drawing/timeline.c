/* Chooses the window, the streams that get a row, and what lies in each row. */
#include "timeline.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the timeline"); }

const char *lab_timeline_mark_name(timeline_mark mark)
{
    switch (mark) {
    case TIMELINE_IDLE: return "idle";
    case TIMELINE_HTOD: return "copy to device";
    case TIMELINE_KERNEL: return "kernel";
    case TIMELINE_DTOH: return "copy to host";
    case TIMELINE_DTOD: return "copy on device";
    case TIMELINE_FILL: return "fill";
    case TIMELINE_HOST_FUNCTION: return "host function";
    case TIMELINE_WAIT: return "host waits";
    case TIMELINE_QUEUED: return "queued";
    case TIMELINE_CALL: return "host calls";
    case TIMELINE_EVENT: return "event";
    case TIMELINE_NOTE: return "mark";
    case TIMELINE_MARKS: break;
    }
    return "unknown";
}

/* --- What an operation looks like ------------------------------------------------------------------------------- */

/* On its stream's row; IDLE if it has no place there. */
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

/* On the host's row. A copy of pageable memory holds its caller while it is staged, even where it does not wait. */
static timeline_mark mark_on_host(const lab_trace_op *op)
{
    bool copy = op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_COPY_DTOH;
    if (op->kind == LAB_OP_MARK) return TIMELINE_NOTE;
    return op->host_waits || (copy && op->host_memory == LAB_HOST_PAGEABLE) ? TIMELINE_WAIT : TIMELINE_CALL;
}

/* What had not ended is shown up to the record's end. */
static int64_t end_of(const lab_trace *trace, int64_t from, int64_t to)
{
    if (to >= from) return to;
    return trace->duration_ns > from ? trace->duration_ns : from;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static bool in_window(const timeline *of, int64_t from, int64_t to) { return to >= of->from && from <= of->to; }

static bool is_shown(const timeline *of, const lab_trace_op *op)
{
    return mark_on_stream(op) != TIMELINE_IDLE &&
           in_window(of, op->start_ns, end_of(of->trace, op->start_ns, op->end_ns));
}

/* --- The window ------------------------------------------------------------------------------------------------- */

/* From the first to the last of the device's operations; event records count only where nothing else is. */
static bool find_window(timeline *of, bool with_events)
{
    bool found = false;
    for (size_t i = 0; i < of->trace->ops; i++) {
        const lab_trace_op *op = &of->trace->op[i];
        timeline_mark mark = mark_on_stream(op);
        if (!timeline_fills(mark) && !(with_events && mark == TIMELINE_EVENT)) continue;
        int64_t to = end_of(of->trace, op->start_ns, op->end_ns);
        of->from = found ? smaller(of->from, op->start_ns) : op->start_ns;
        of->to = found ? larger(of->to, to) : to;
        found = true;
    }
    return found;
}

static lab_status choose_window(timeline *of, const lab_timeline_options *options)
{
    of->from = options->from_ns;
    of->to = smaller(options->to_ns, LAB_TRACE_TIME_NS);
    if (of->from < 0 || of->to < of->from)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "a timeline from %" PRId64 " to %" PRId64 " ns shows nothing",
                        of->from, of->to);
    if (of->from == 0 && of->to == 0 && !find_window(of, false)) (void)find_window(of, true);
    if (of->to == of->from) of->to = of->from + 1;
    return LAB_SUCCESS;
}

/* --- Rows ------------------------------------------------------------------------------------------------------- */

/* Lists the streams that have something in the window, null streams first, then in the order of first use; returns how
 * many. */
static size_t list_streams(const timeline *of, size_t *list)
{
    const lab_trace *trace = of->trace;
    size_t count = 0;
    for (int null_streams = 1; null_streams >= 0; null_streams--) {
        for (size_t i = 0; i < trace->ops; i++) {
            if (!is_shown(of, &trace->op[i])) continue;
            size_t stream = lab_trace_find_stream(trace, trace->op[i].stream);
            if (stream == trace->streams || trace->stream[stream].null_stream != (null_streams == 1)) continue;
            if (of->row_of_stream[stream] != SIZE_MAX) continue;
            of->row_of_stream[stream] = 0;
            list[count++] = stream;
        }
    }
    return count;
}

static bool on_several_devices(const timeline *of, const size_t *list)
{
    for (size_t i = 1; i < of->streams; i++)
        if (of->trace->stream[list[i]].device != of->trace->stream[list[0]].device) return true;
    return false;
}

/* Puts the streams of findings to the front of the list, at most `most` of them, the others behind in their order;
 * returns how many there are. */
static size_t find_marked(const timeline *of, size_t *list, size_t most)
{
    const lab_trace *trace = of->trace;
    size_t marked = 0;
    for (size_t i = 0; i < 2 * trace->findings && marked < most; i++) {
        const lab_trace_finding *finding = &trace->finding[i / 2];
        const uint64_t id = i % 2 == 0 ? finding->first : finding->second;
        const size_t stream =
            id && id <= trace->ops ? lab_trace_find_stream(trace, trace->op[id - 1].stream) : trace->streams;
        if (of->row_of_stream[stream] != 0) continue; /* not in the list, or in front already */
        of->row_of_stream[stream] = 1;
        size_t at = marked;
        while (list[at] != stream) at++;
        memmove(list + marked + 1, list + marked, (at - marked) * sizeof *list);
        list[marked++] = stream;
    }
    return marked;
}

/* Chooses `chosen` of the streams, those of findings first and of the others an even choice from the first to the last,
 * and notes SIZE_MAX for the row of those that are left out. */
static void choose_streams(timeline *of, size_t *list, size_t chosen)
{
    const size_t marked = find_marked(of, list, chosen), others = of->streams - marked, wanted = chosen - marked;
    for (size_t i = marked; i < of->streams; i++) of->row_of_stream[list[i]] = SIZE_MAX;
    for (size_t r = 0; r < wanted; r++)
        of->row_of_stream[list[marked + (wanted < 2 ? 0 : r * (others - 1) / (wanted - 1))]] = 0;
}

/* More streams than rows: some have one of their own, and there is a row for all others. */
static lab_status assign_rows(timeline *of, const size_t *list, size_t most)
{
    size_t count = of->streams;
    size_t chosen = count < most ? count : most;
    bool name_device = on_several_devices(of, list);
    size_t *reordered = malloc((count + 1) * sizeof *reordered);
    if (!reordered) return no_memory();
    memcpy(reordered, list, count * sizeof *list);
    choose_streams(of, reordered, chosen);
    free(reordered);
    for (size_t i = 0, r = 0; i < count; i++) {
        const size_t index = list[i];
        if (of->row_of_stream[index] == SIZE_MAX) {
            of->row_of_stream[index] = 1 + chosen;
            continue;
        }
        const lab_trace_stream *stream = &of->trace->stream[index];
        timeline_row *row = &of->row[1 + r];
        of->row_of_stream[index] = 1 + r++;
        row->streams = 1;
        int used = stream->null_stream ? snprintf(row->label, sizeof row->label, "null stream")
                                       : snprintf(row->label, sizeof row->label, "stream %" PRIu64, stream->id);
        if (name_device) snprintf(row->label + used, sizeof row->label - (size_t)used, " (device %d)", stream->device);
    }
    of->rows = 1 + chosen;
    if (count > chosen) {
        timeline_row *rest = &of->row[of->rows++];
        rest->streams = count - chosen;
        snprintf(rest->label, sizeof rest->label, "+%zu stream%s", rest->streams, rest->streams == 1 ? "" : "s");
    }
    return LAB_SUCCESS;
}

static lab_status choose_rows(timeline *of, const lab_timeline_options *options)
{
    if (options->max_rows < 1)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "a timeline of %d rows shows nothing", options->max_rows);
    size_t streams = of->trace->streams;
    size_t *list = calloc(streams + 1, sizeof *list);
    of->row_of_stream = malloc((streams + 1) * sizeof *of->row_of_stream);
    of->row = calloc(streams + 2, sizeof *of->row);
    if (!list || !of->row_of_stream || !of->row) {
        free(list);
        return no_memory();
    }
    for (size_t s = 0; s <= streams; s++) of->row_of_stream[s] = SIZE_MAX;
    strcpy(of->row[0].label, "host");
    of->streams = list_streams(of, list);
    const lab_status status = assign_rows(of, list, (size_t)options->max_rows);
    for (size_t s = 0; s <= streams; s++)
        if (of->row_of_stream[s] == SIZE_MAX) of->row_of_stream[s] = of->rows;
    free(list);
    return status;
}

/* --- What lies in the rows -------------------------------------------------------------------------------------- */

static void add(timeline *of, size_t *count, timeline_span span)
{
    if (span.mark == TIMELINE_IDLE || !in_window(of, span.from, span.to)) return;
    span.from = larger(span.from, of->from);
    span.to = smaller(span.to, of->to);
    of->span[(*count)++] = span;
}

/* An operation is queued from its call on, but for as long as an earlier one of its stream runs. */
static void add_op(timeline *of, size_t *count, size_t index, int64_t *busy_until)
{
    const lab_trace_op *op = &of->trace->op[index];
    int64_t returned = end_of(of->trace, op->call_ns, op->return_ns);
    if (returned > op->call_ns || mark_on_host(op) != TIMELINE_CALL)
        add(of, count, (timeline_span){0, op->call_ns, returned, mark_on_host(op), index});

    timeline_mark mark = mark_on_stream(op);
    size_t stream = lab_trace_find_stream(of->trace, op->stream);
    size_t row = of->row_of_stream[stream];
    if (mark == TIMELINE_IDLE || row == of->rows) return;
    int64_t end = end_of(of->trace, op->start_ns, op->end_ns);
    add(of, count, (timeline_span){row, op->start_ns, end, mark, index});
    if (!timeline_fills(mark)) return;
    int64_t queued = larger(op->call_ns, busy_until[stream]);
    if (queued < op->start_ns) add(of, count, (timeline_span){row, queued, op->start_ns, TIMELINE_QUEUED, index});
    busy_until[stream] = larger(busy_until[stream], end);
}

static int by_row_and_time(const void *left, const void *right)
{
    const timeline_span *a = left;
    const timeline_span *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->op > b->op) - (a->op < b->op);
}

/* The host's row goes where there is nothing in it. */
static void drop_empty_host(timeline *of)
{
    if (of->row[0].spans > 0) return;
    of->rows--;
    memmove(of->row, of->row + 1, of->rows * sizeof *of->row);
    for (size_t s = 0; s <= of->trace->streams; s++) of->row_of_stream[s]--;
}

static lab_status fill_rows(timeline *of)
{
    const size_t spans_per_op = 3; /* on the host, queued, running */
    size_t count = 0;
    int64_t *busy_until = calloc(of->trace->streams + 1, sizeof *busy_until);
    of->span = malloc((of->trace->ops * spans_per_op + 1) * sizeof *of->span);
    if (!busy_until || !of->span) {
        free(busy_until);
        return no_memory();
    }
    for (size_t i = 0; i < of->trace->ops; i++) add_op(of, &count, i, busy_until);
    free(busy_until);

    qsort(of->span, count, sizeof *of->span, by_row_and_time);
    for (size_t i = count; i-- > 0;) {
        timeline_row *row = &of->row[of->span[i].row];
        row->span = &of->span[i];
        row->spans++;
    }
    drop_empty_host(of);
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
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%zu runs cannot be drawn together; it can be 1 to %d", runs,
                        LAB_TIMELINE_RUNS);
    int64_t longest = 0;
    for (size_t i = 0; i < runs; i++) {
        timeline of = {.trace = run[i].trace};
        out[i] = lab_timeline_complete(given);
        out[i].title = run[i].title;
        LAB_TRY(choose_window(&of, &out[i]));
        out[i].from_ns = of.from;
        longest = larger(longest, of.to - of.from);
    }
    for (size_t i = 0; i < runs; i++) out[i].to_ns = out[i].from_ns + longest;
    return LAB_SUCCESS;
}

lab_status lab_timeline_lay_out(timeline *out, const lab_trace *trace, const lab_timeline_options *options)
{
    *out = (timeline){.trace = trace};
    lab_status status = choose_window(out, options);
    if (status == LAB_SUCCESS) status = choose_rows(out, options);
    if (status == LAB_SUCCESS) status = fill_rows(out);
    if (status != LAB_SUCCESS) lab_timeline_clear(out);
    return status;
}

void lab_timeline_clear(timeline *of)
{
    free(of->row);
    free(of->row_of_stream);
    free(of->span);
    *of = (timeline){0};
}

/* --- Cells ------------------------------------------------------------------------------------------------------ */

static int cell_at(const timeline *of, int cells, int64_t when)
{
    double share = (double)(when - of->from) / (double)(of->to - of->from);
    int cell = (int)(share * cells);
    return cell < cells ? cell : cells - 1;
}

double *lab_timeline_measure(const timeline *of, const timeline_row *row, int cells)
{
    double *time = calloc((size_t)cells * TIMELINE_MARKS, sizeof *time);
    /* Cells that a span covers whole are counted by where they begin (+1) and stop (-1). */
    double *whole = calloc(((size_t)cells + 1) * TIMELINE_MARKS, sizeof *whole);
    if (!time || !whole) {
        free(time);
        free(whole);
        return NULL;
    }
    const double width = (double)(of->to - of->from) / cells;
    for (size_t i = 0; i < row->spans; i++) {
        const timeline_span *span = &row->span[i];
        int first = cell_at(of, cells, span->from);
        int last = cell_at(of, cells, span->to);
        double from = (double)(span->from - of->from);
        double to = (double)(span->to - of->from);
        if (first == last) {
            time[first * TIMELINE_MARKS + span->mark] += to - from;
            continue;
        }
        time[first * TIMELINE_MARKS + span->mark] += (first + 1) * width - from;
        time[last * TIMELINE_MARKS + span->mark] += to - last * width;
        whole[(first + 1) * TIMELINE_MARKS + span->mark] += 1;
        whole[last * TIMELINE_MARKS + span->mark] -= 1;
    }
    for (int mark = 0; mark < TIMELINE_MARKS; mark++) {
        double covered = 0;
        for (int cell = 0; cell < cells; cell++) {
            covered += whole[cell * TIMELINE_MARKS + mark];
            time[cell * TIMELINE_MARKS + mark] += covered * width;
        }
    }
    free(whole);
    return time;
}

/* What most of a cell was spent with. */
static timeline_mark majority(const double *time, double width)
{
    timeline_mark filling = TIMELINE_HTOD;
    double filled = 0;
    for (timeline_mark mark = TIMELINE_HTOD; mark <= TIMELINE_WAIT; mark++) {
        filled += time[mark];
        if (time[mark] > time[filling]) filling = mark;
    }
    timeline_mark waiting = time[TIMELINE_QUEUED] > 0 ? TIMELINE_QUEUED : TIMELINE_CALL;
    if (filled + time[waiting] < width / 2) return TIMELINE_IDLE;
    return filled >= time[waiting] ? filling : waiting;
}

static bool appears(const timeline_mark *cell, int first, int last, timeline_mark mark)
{
    for (int c = first; c <= last; c++)
        if (cell[c] == mark) return true;
    return false;
}

/* An operation that won no cell gets the one in its middle, or the next on its side of that, if nothing runs there. */
static void keep_short(const timeline *of, const timeline_span *span, timeline_mark *cell, int cells)
{
    int first = cell_at(of, cells, span->from);
    int last = cell_at(of, cells, span->to);
    if (appears(cell, first > 0 ? first - 1 : 0, last < cells - 1 ? last + 1 : last, span->mark)) return;

    int64_t middle = span->from + (span->to - span->from) / 2;
    int at = cell_at(of, cells, middle);
    int side = cell_at(of, 2 * cells, middle) % 2 == 0 ? -1 : 1;
    if (timeline_fills(cell[at])) at += side;
    if (at >= 0 && at < cells && !timeline_fills(cell[at])) cell[at] = span->mark;
}

/* A moment may take one cell of an operation that has three or more. */
static bool can_spare(const timeline_mark *cell, int cells, int at)
{
    int from = at, to = at;
    while (from > 0 && cell[from - 1] == cell[at] && at - from < 3) from--;
    while (to < cells - 1 && cell[to + 1] == cell[at] && to - at < 3) to++;
    return to - from >= 2;
}

timeline_mark *lab_timeline_cells(const timeline *of, const timeline_row *row, int cells)
{
    double *time = lab_timeline_measure(of, row, cells);
    timeline_mark *cell = calloc((size_t)cells, sizeof *cell);
    if (!time || !cell) {
        free(time);
        free(cell);
        return NULL;
    }
    const double width = (double)(of->to - of->from) / cells;
    for (int c = 0; c < cells; c++) cell[c] = majority(&time[c * TIMELINE_MARKS], width);
    free(time);

    for (size_t i = 0; i < row->spans; i++)
        if (timeline_fills(row->span[i].mark)) keep_short(of, &row->span[i], cell, cells);
    for (size_t i = 0; i < row->spans; i++) {
        int at = cell_at(of, cells, row->span[i].from);
        if (timeline_is_moment(row->span[i].mark) && (!timeline_fills(cell[at]) || can_spare(cell, cells, at)))
            cell[at] = row->span[i].mark;
    }
    return cell;
}

/* --- Axis and figures ------------------------------------------------------------------------------------------- */

static const int64_t units[] = {1000000000, 1000000, 1000, 1};

static int64_t unit_for(double nanoseconds)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (nanoseconds >= (double)units[i]) return units[i];
    return 1;
}

const char *lab_timeline_unit(int64_t unit_ns, bool ascii)
{
    switch (unit_ns) {
    case 1000000000: return "s";
    case 1000000: return "ms";
    case 1000: return ascii ? "us" : "µs";
    default: return "ns";
    }
}

timeline_axis lab_timeline_axis(const timeline *of, int ticks)
{
    int64_t span = of->to - of->from;
    int64_t step = 1;
    for (int turn = 0; span / step >= ticks && span > step; turn++) step = turn % 3 == 1 ? step / 2 * 5 : step * 2;

    timeline_axis axis = {step, unit_for((double)span), 0};
    int64_t scaled = step;
    for (; scaled % axis.unit_ns != 0; scaled *= 10) axis.decimals++;
    return axis;
}

void lab_timeline_duration(char *out, size_t size, double nanoseconds, bool ascii)
{
    int64_t unit = unit_for(nanoseconds);
    double value = nanoseconds / (double)unit;
    int decimals = unit == 1 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(out, size, "%.*f %s", decimals, value, lab_timeline_unit(unit, ascii));
}

/* Fills, host functions, copies within the device: the figures leave them out. */
static bool other_work_ran(const lab_trace *trace)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (lab_trace_ran(&trace->op[i]) && *lab_op_kind_engine(trace->op[i].kind)) return true;
    return false;
}

timeline_figures lab_timeline_figures(const lab_trace *trace, bool ascii)
{
    timeline_figures figures = {"nothing ran on the device", ""};
    lab_trace_summary sum = lab_trace_summarize(trace);
    size_t copies = sum.copies_htod + sum.copies_dtoh;
    if (sum.kernels + copies == 0) {
        if (other_work_ran(trace)) strcpy(figures.extent, "no kernels, and no copies between host and device");
        return figures;
    }

    char span[32];
    lab_timeline_duration(span, sizeof span, sum.span_ms * 1e6, ascii);
    bool modelled = strcmp(trace->device_kind, "model") == 0; /* then its name says on what */
    snprintf(figures.extent, sizeof figures.extent, "%zu stream%s, %s%s%.100s", sum.streams_used,
             sum.streams_used == 1 ? "" : "s", span, modelled ? ", " : "", modelled ? trace->device_name : "");
    double percent = sum.span_ms > 0 ? 100 * sum.copy_kernel_overlap_ms / sum.span_ms : 0;
    if (sum.kernels == 0)
        strcpy(figures.overlap, "copies only, no kernels");
    else if (copies == 0)
        strcpy(figures.overlap, "kernels only, no copies");
    else if (sum.copy_kernel_overlap_ms <= 0)
        strcpy(figures.overlap, "copies and kernels never overlap");
    else
        snprintf(figures.overlap, sizeof figures.overlap, "copies and kernels overlap %s%.0f%% of the time",
                 percent < 1 ? "less than " : "", percent < 1 ? 1 : percent);
    return figures;
}
