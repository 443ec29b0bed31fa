/* What the rows of a figure show: calls, work with its name and in steps, uses of memory, findings, intervals. */
#include "timeline_svg.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

/* About how wide a letter of a bar's name is, and how high. */
static const double character = 5.4, letters = 9;

static double end_of_text(double x, const char *text) { return x + character * (double)strlen(text); }

/* --- Names ------------------------------------------------------------------------------------------------------ */

static const char *label_of(const lab_figure *figure, const char *kernel)
{
    for (size_t i = 0; i < figure->labels; i++)
        if (strcmp(figure->label[i].kernel, kernel) == 0) return figure->label[i].text;
    return kernel;
}

static const char *name_of(const svg_drawing *drawing, const timeline_span *span)
{
    const lab_trace_op *op = &drawing->chart->trace->op[span->op];
    if (op->kind == LAB_OP_GRAPH_LAUNCH) return "graph";
    return op->kind == LAB_OP_KERNEL ? label_of(drawing->chart->figure, op->name) : lab_timeline_mark_name(span->mark);
}

static void put_name(const svg_drawing *drawing, const char *class, double x, double y, const char *anchor,
                     const char *name)
{
    fprintf(drawing->out, "<text class=\"%s\" x=\"%.2f\" y=\"%.4g\" text-anchor=\"%s\"", class, x, y, anchor);
    lab_svg_put_step(drawing);
    fputc('>', drawing->out);
    lab_svg_put_text(drawing->out, name, (int)strlen(name) + 1);
    fputs("</text>", drawing->out);
}

/* Whether the row shows no other work between two places. */
static bool is_free(const svg_drawing *drawing, const timeline_row *row, const timeline_span *own, double from,
                    double to)
{
    for (size_t i = 0; i < row->spans; i++) {
        const timeline_span *span = &row->span[i];
        if (span != own && timeline_fills(span->mark) && lab_svg_x(drawing, (double)span->begin) < to &&
            lab_svg_x(drawing, (double)span->end) > from)
            return false;
    }
    return to < drawing->right;
}

/* On the bar if there is room. The name of a bar in which no letter has room stands right of it, unless others do. */
static void put_bar_name(const svg_drawing *drawing, const timeline_row *row, const timeline_span *span, double y,
                         double height)
{
    const double x = lab_svg_x(drawing, (double)span->begin), end = lab_svg_x(drawing, (double)span->end);
    const char *name = name_of(drawing, span);
    const bool patterned = *lab_timeline_looks[span->mark].lines != '\0';
    const double margin = 4, letter = 5, line = y + height / 2 + 3.5;
    if (height >= letters && end_of_text(x, name) + margin < end)
        put_name(drawing, patterned ? "p" : "b", (x + end) / 2, line, "middle", name);
    else if (end - x < letter && drawing->chart->figure->rows == LAB_FIGURE_STREAMS &&
             is_free(drawing, row, span, end, end_of_text(end + margin, name) + margin))
        put_name(drawing, "p", end + margin, line, "start", name);
}

/* --- Calls and work --------------------------------------------------------------------------------------------- */

static int step_of(const svg_drawing *drawing, const timeline_span *span)
{
    return lab_figure_step_of(drawing->chart->run, drawing->chart->trace->op[span->op].id);
}

void lab_figure_put_calls(svg_drawing *drawing, const timeline_row *row)
{
    const timeline_look *as = &lab_timeline_looks[TIMELINE_CALL];
    const double narrowest = 1.4, margin = 4;
    for (size_t i = 0; i < row->spans; i++) {
        const timeline_span *span = &row->span[i];
        if (span->mark != TIMELINE_CALL) continue;
        const double x = lab_svg_x(drawing, (double)span->begin), end = lab_svg_x(drawing, (double)span->end);
        drawing->shown[TIMELINE_CALL] = true;
        drawing->step = step_of(drawing, span);
        fprintf(drawing->out, "<rect class=\"w\" x=\"%.2f\" y=\"%.4g\" width=\"%.2f\" height=\"%.4g\"", x,
                as->top * drawing->bar, end - x < narrowest ? narrowest : end - x, as->height * drawing->bar);
        lab_svg_put_step(drawing);
        fputc('>', drawing->out);
        lab_svg_put_tooltip(drawing, span, row->label);
        fputs("</rect>", drawing->out);
        const char *words =
            row->key ? lab_figure_call_words(drawing->chart, &drawing->chart->trace->op[span->op]) : NULL;
        if (words && as->height * drawing->bar >= letters && end_of_text(x, words) + margin < end)
            put_name(drawing, "b", (x + end) / 2, drawing->bar / 2 + 3.5, "middle", words);
        fputc('\n', drawing->out);
    }
}

/* Where a span's shape is in its row: in its lane, or where its look says, but high enough for a name. */
static void place_of(const svg_drawing *drawing, const timeline_row *row, const timeline_span *span, double *y,
                     double *height)
{
    const timeline_look *as = &lab_timeline_looks[span->mark];
    const double name = 12, least = drawing->bar < name ? drawing->bar : name;
    if (row->lanes > 0) {
        const double lane = lab_svg_inner(drawing, row) / row->lanes;
        *y = span->lane * lane;
        *height = row->lanes > 1 ? lane - 1 : lane;
        return;
    }
    *height = as->height * drawing->bar;
    if (*height < least) *height = least;
    *y = as->top * drawing->bar;
    if (*y + *height > drawing->bar) *y = drawing->bar - *height;
}

static void put_piece(svg_drawing *drawing, const timeline_row *row, const timeline_span *span, int64_t from,
                      int64_t to)
{
    double y, height;
    place_of(drawing, row, span, &y, &height);
    const double x = lab_svg_x(drawing, (double)from), width = lab_svg_x(drawing, (double)to) - x;
    const double seam = to < span->end ? 0.4 : 0; /* two pieces of a bar leave no line between them */
    const char *close = lab_svg_open_rect(drawing, span->mark, x, y, width + seam, height);
    lab_svg_put_tooltip(drawing, span, row->label);
    fputs(close, drawing->out);
    if (to == span->end && span->mark != TIMELINE_WAIT) put_bar_name(drawing, row, span, y, height);
}

/* The outline of what a call enqueues. */
static void put_outline(svg_drawing *drawing, const timeline_row *row, const timeline_span *span)
{
    double y, height;
    place_of(drawing, row, span, &y, &height);
    const double x = lab_svg_x(drawing, (double)span->begin);
    fprintf(drawing->out, "<rect class=\"u\" stroke=\"var(--%s)\" x=\"%.2f\" y=\"%.4g\" width=\"%.2f\" height=\"%.4g\"",
            lab_timeline_looks[span->mark].color, x, y, lab_svg_x(drawing, (double)span->end) - x, height);
    lab_svg_put_step(drawing);
    fputs("/>", drawing->out);
    drawing->outlined = true;
}

/* Each step shows what the device did until its moment. */
static void put_in_steps(svg_drawing *drawing, const timeline_row *row, const timeline_span *span)
{
    const lab_figure_run *run = drawing->chart->run;
    int64_t from = span->begin;
    drawing->step = step_of(drawing, span);
    if (drawing->step > 0) put_outline(drawing, row, span);
    for (size_t i = 0; i < run->steps && from < span->end; i++) {
        const int64_t until = run->step[i].until < span->end ? run->step[i].until : span->end;
        if (until <= from) continue;
        drawing->step = run->step[i].number;
        put_piece(drawing, row, span, from, until);
        from = until;
    }
}

/* A reading of the host's clock is a line through its row. */
static void put_clock(const svg_drawing *drawing, const timeline_span *span)
{
    fprintf(drawing->out, "<path class=\"r\" d=\"M%.2f -3v%.4g\"", lab_svg_x(drawing, (double)span->begin),
            drawing->bar + 6);
    lab_svg_put_step(drawing);
    fputs("/>", drawing->out);
}

void lab_figure_put_span(svg_drawing *drawing, const timeline_row *row, const timeline_span *span)
{
    const lab_figure_run *run = drawing->chart->run;
    if (span->mark == TIMELINE_NOTE || span->mark == TIMELINE_WAIT) {
        drawing->step = step_of(drawing, span);
        if (span->mark == TIMELINE_NOTE)
            put_clock(drawing, span);
        else
            put_piece(drawing, row, span, span->begin, span->end);
    } else if (span->mark == TIMELINE_EVENT) {
        drawing->step = lab_figure_step_at(run, span->begin);
        const char *close = lab_svg_open_shape(drawing, span->mark, lab_svg_x(drawing, (double)span->begin), 0);
        lab_svg_put_tooltip(drawing, span, row->label);
        fputs(close, drawing->out);
    } else if (run->steps > 0) {
        put_in_steps(drawing, row, span);
    } else {
        put_piece(drawing, row, span, span->begin, span->end);
    }
    drawing->step = 0;
    fputc('\n', drawing->out);
}

/* --- Uses of memory by the program ------------------------------------------------------------------------------ */

static bool is_use(const lab_trace_op *op) { return op->kind == LAB_OP_HOST_READ || op->kind == LAB_OP_HOST_WRITE; }

bool lab_figure_has_uses(const timeline *chart)
{
    for (size_t i = 0; i < chart->trace->ops; i++)
        if (is_use(&chart->trace->op[i])) return true;
    return false;
}

/* A use has its word if no call stands there. Of several uses at one place only the last has it. */
static bool has_word(const svg_drawing *drawing, const lab_trace_op *use, double from, double to)
{
    const lab_trace *trace = drawing->chart->trace;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        const bool later = is_use(op) && op->call_ns > use->call_ns;
        if (op != use && lab_svg_x(drawing, (double)op->call_ns) < to &&
            (later || lab_svg_x(drawing, (double)op->return_ns) > from))
            return false;
    }
    return true;
}

void lab_figure_put_uses(svg_drawing *drawing, double top)
{
    const lab_trace *trace = drawing->chart->trace;
    if (!lab_timeline_has_host(drawing->chart)) return;
    const double y = lab_svg_middle(drawing, 0, top), half = drawing->bar / 2 - 1, wide = 5;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (!is_use(op)) continue;
        const char *word = op->kind == LAB_OP_HOST_READ ? "reads" : "writes";
        const double x = lab_svg_x(drawing, (double)op->call_ns), begin = x + wide + 2;
        fprintf(drawing->out,
                "<path class=\"w\" stroke=\"var(--paper)\" d=\"M%.2f %.4gl%.4g %.4gl%.4g %.4gl%.4g %.4gz\"><title>the "
                "host %s",
                x, y - half, wide, half, -wide, half, -wide, -half, word);
        fputs("</title></path>\n", drawing->out);
        if (has_word(drawing, op, begin, end_of_text(begin, word))) {
            put_name(drawing, "p", begin, y + 3.5, "start", word);
            fputc('\n', drawing->out);
        }
    }
}

/* --- A finding, and an interval --------------------------------------------------------------------------------- */

static const lab_trace_op *drawn_op(const timeline *chart, uint64_t id)
{
    if (id < 1 || id > chart->trace->ops) return NULL;
    const lab_trace_op *op = &chart->trace->op[id - 1];
    if (is_use(op)) return lab_timeline_has_host(chart) ? op : NULL;
    return lab_trace_ran(op) && lab_timeline_row_of(chart, op) < chart->rows ? op : NULL;
}

const lab_trace_finding *lab_figure_finding(const timeline *chart)
{
    if (chart->run->verdict == LAB_FIGURE_RIGHT || chart->run->steps > 0) return NULL;
    for (size_t i = 0; i < chart->trace->findings; i++) {
        const lab_trace_finding *finding = &chart->trace->finding[i];
        if (drawn_op(chart, finding->first) && drawn_op(chart, finding->second)) return finding;
    }
    return NULL;
}

static void put_title_of(const svg_drawing *drawing, uint64_t id)
{
    const lab_trace_op *op = &drawing->chart->trace->op[id - 1];
    switch (op->kind) {
    case LAB_OP_KERNEL: lab_svg_put_text(drawing->out, label_of(drawing->chart->figure, op->name), 60); return;
    case LAB_OP_HOST_READ: fputs("the host's read", drawing->out); return;
    case LAB_OP_HOST_WRITE: fputs("the host's write", drawing->out); return;
    case LAB_OP_COPY_HTOD: fputs("the copy in", drawing->out); return;
    case LAB_OP_COPY_DTOH: fputs("the copy out", drawing->out); return;
    default: fprintf(drawing->out, "the %s", lab_op_kind_name(op->kind));
    }
}

void lab_figure_put_finding(svg_drawing *drawing, double top, double y)
{
    const lab_trace_finding *finding = lab_figure_finding(drawing->chart);
    double x[2], middle[2];
    if (!finding || !lab_svg_put_frame(drawing, top, finding->first, 0, &x[0], &middle[0]) ||
        !lab_svg_put_frame(drawing, top, finding->second, 0, &x[1], &middle[1]))
        return;
    if (middle[0] != middle[1]) {
        const double half = (middle[1] > middle[0] ? 1 : -1) * (drawing->bar / 2 + 1);
        fprintf(drawing->out, "<path class=\"f\" d=\"M%.2f %.4gL%.2f %.4g\"/>\n", x[0], middle[0] + half, x[1],
                middle[1] - half);
    }
    fprintf(drawing->out, "<text class=\"x\" x=\"%.4g\" y=\"%.4g\">", drawing->left, y);
    fputs("✗ order checker: nothing orders ", drawing->out);
    const lab_trace_op *op = drawing->chart->trace->op;
    const bool turned = op[finding->second - 1].call_ns < op[finding->first - 1].call_ns;
    put_title_of(drawing, turned ? finding->second : finding->first);
    fputs(" and ", drawing->out);
    put_title_of(drawing, turned ? finding->first : finding->second);
    fputs("</text>\n", drawing->out);
}

/* An operation that ends an interval, and when. */
static bool ends_interval(const timeline *chart, const lab_trace_op *op, int64_t *when)
{
    const bool clock = chart->figure->bracket == LAB_FIGURE_CLOCK;
    *when = clock ? op->call_ns : op->end_ns;
    return clock ? op->kind == LAB_OP_MARK && strcmp(op->name, "clock") == 0
                 : op->kind == LAB_OP_EVENT_RECORD && lab_trace_ran(op);
}

lab_status lab_figure_put_bracket(svg_drawing *drawing, double y)
{
    const timeline *chart = drawing->chart;
    int64_t first = -1, last = -1, when;
    for (size_t i = 0; i < chart->trace->ops; i++) {
        if (!ends_interval(chart, &chart->trace->op[i], &when)) continue;
        *(first < 0 ? &first : &last) = when;
    }
    if (last < 0)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "the run \"%s\" has %d of the two ends of an interval",
                        chart->run->title, first >= 0);
    char text[64];
    lab_timeline_duration(text, sizeof text, (double)(last - first), false);
    strcat(text, chart->figure->bracket == LAB_FIGURE_CLOCK ? " by the clock" : " between the events");
    const double x0 = lab_svg_x(drawing, (double)first), x1 = lab_svg_x(drawing, (double)last);
    const double wide = 6.2, half = wide * (double)strlen(text) / 2;
    double x = (x0 + x1) / 2;
    x = x < drawing->left + half ? drawing->left + half : x > drawing->right - half ? drawing->right - half : x;
    drawing->step = lab_figure_step_at(chart->run, INT64_MAX);
    fprintf(drawing->out, "<path class=\"r\" d=\"M%.2f %.4gv4H%.2fv-4\"", x0, y - 4, x1);
    lab_svg_put_step(drawing);
    fputs("/>", drawing->out);
    put_name(drawing, "v", x, y + 11, "middle", text);
    fputc('\n', drawing->out);
    drawing->step = 0;
    return LAB_SUCCESS;
}
