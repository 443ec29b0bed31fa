/* Marks over the rows of an SVG timeline: arrows of events, and findings of the order checker. */
#include "timeline_svg.h"
#include "arrows.h"
#include "base/plain_text.h"

#include <stdio.h>
#include <string.h>

/* --- Arrows ----------------------------------------------------------------------------------------------------- */

/* The middle of the row of an arrow's end; false if the operation has no row of its own or is outside the window. */
static bool place(const svg_drawing *drawing, size_t op, bool host, int64_t when, double top, double *y)
{
    const timeline *chart = drawing->chart;
    if (when < chart->begin || when > chart->end) return false;
    size_t row = host ? 0 : lab_timeline_row_of(chart, &chart->trace->op[op]);
    if ((host && !lab_timeline_has_host(chart)) || row == chart->rows || lab_svg_is_rest(&chart->row[row]))
        return false;
    *y = lab_svg_middle(drawing, row, top);
    return true;
}

/* Draws a curve that leaves and arrives horizontally and ends at the edge of the target's bar. In a figure, whose bars
 * have names, it is a line from edge to edge. */
static void put_arrow(const svg_drawing *drawing, double from_x, double from_y, double to_x, double to_y)
{
    const double edge = to_y > from_y ? drawing->bar / 2 : to_y < from_y ? -drawing->bar / 2 : 0;
    double bend = (to_x - from_x) / 2;
    bend = bend < 0 ? 0 : bend > 40 ? 40 : bend;
    fputs("<path class=\"a\"", drawing->out);
    lab_svg_put_reference(drawing, "marker-end", "tip");
    lab_svg_put_step(drawing);
    if (drawing->chart->figure)
        fprintf(drawing->out, " d=\"M%.2f %.4gL%.2f %.4g\"/>\n", from_x, from_y + edge, to_x, to_y - edge);
    else
        fprintf(drawing->out, " d=\"M%.2f %.4gC%.2f %.4g %.2f %.4g %.2f %.4g\"/>\n", from_x, from_y, from_x + bend,
                from_y, to_x - bend, to_y - edge, to_x, to_y - edge);
}

/* Arrows come from event records. In a figure of streams they also come from work that the null stream's rules put
 * before other streams'. */
static bool is_drawn(const svg_drawing *drawing, const lab_arrow *arrow)
{
    const timeline *chart = drawing->chart;
    const lab_trace_op *source = &chart->trace->op[arrow->source];
    if (!chart->figure) return source->kind == LAB_OP_EVENT_RECORD;
    return chart->figure->rows == LAB_FIGURE_STREAMS && !arrow->to_host &&
           source->stream != chart->trace->op[arrow->target].stream;
}

lab_status lab_svg_put_arrows(svg_drawing *drawing, double top)
{
    const lab_trace *trace = drawing->chart->trace;
    lab_arrows *arrows;
    int drawn = 0;
    LAB_TRY(lab_arrows_create(&arrows, trace));
    for (size_t i = 0; i < trace->ops; i++) {
        for (int w = 0; w < trace->op[i].waits && drawn < SVG_ARROWS_MOST; w++) {
            lab_arrow arrow;
            double from_y, to_y;
            if (!lab_arrows_get(arrows, i, w, &arrow) || !is_drawn(drawing, &arrow) ||
                !place(drawing, arrow.source, false, arrow.from_ns, top, &from_y) ||
                !place(drawing, arrow.target, arrow.to_host, arrow.to_ns, top, &to_y))
                continue;
            double from_x = lab_svg_x(drawing, (double)arrow.from_ns);
            double to_x = lab_svg_x(drawing, (double)arrow.to_ns);
            drawing->step = drawing->chart->run ? lab_figure_step_at(drawing->chart->run, arrow.to_ns) : 0;
            drawing->orders |= trace->op[arrow.source].kind != LAB_OP_EVENT_RECORD;
            put_arrow(drawing, from_x, from_y, to_x, to_y);
            drawn++;
        }
    }
    drawing->step = 0;
    if (drawn > drawing->arrows) drawing->arrows = drawn;
    lab_arrows_free(arrows);
    return LAB_SUCCESS;
}

/* --- Findings --------------------------------------------------------------------------------------------------- */

bool lab_svg_put_frame(const svg_drawing *drawing, double top, uint64_t id, char sign, double *x, double *y)
{
    const lab_trace *trace = drawing->chart->trace;
    if (id < 1 || id > trace->ops) return false;
    const lab_trace_op *op = &trace->op[id - 1];
    bool host = op->start_ns < 0;
    int64_t begin = host ? op->call_ns : op->start_ns, end = host ? op->return_ns : op->end_ns;
    const bool use = drawing->chart->figure && host; /* which has a sign of its own */
    if (end < begin || use) end = begin;
    if (begin < drawing->chart->begin) begin = drawing->chart->begin;
    if (end > drawing->chart->end) end = drawing->chart->end;
    if (end < begin || !place(drawing, (size_t)id - 1, host, begin, top, y)) return false;
    const double narrowest = use ? 10 : 6;
    double left = lab_svg_x(drawing, (double)begin), width = lab_svg_x(drawing, (double)end) - left;
    if (width < narrowest) {
        left -= (narrowest - width) / 2;
        width = narrowest;
    }
    fprintf(drawing->out, "<rect class=\"f\" x=\"%.2f\" y=\"%.4g\" width=\"%.2f\" height=\"%.4g\" rx=\"2\"/>",
            left - 1.5, *y - drawing->bar / 2 - 1.5, width + 3, drawing->bar + 3);
    const double room = 18, gap = left + width + 4; /* for the letter, after the frame or before it */
    if (sign)
        fprintf(drawing->out, "<text class=\"fn\" x=\"%.2f\" y=\"%.4g\">%c</text>\n",
                gap + room <= drawing->width ? gap : left - room, *y + 4, sign);
    *x = left + width / 2;
    return true;
}

void lab_svg_put_findings(svg_drawing *drawing, double top)
{
    const lab_trace *trace = drawing->chart->trace;
    size_t shown = trace->findings < TIMELINE_FINDINGS ? trace->findings : TIMELINE_FINDINGS;
    for (size_t i = 0; i < shown; i++) {
        const lab_trace_finding *finding = &trace->finding[i];
        double x[2], y[2];
        bool first = lab_svg_put_frame(drawing, top, finding->first, lab_timeline_sign(i), &x[0], &y[0]);
        bool second = lab_svg_put_frame(drawing, top, finding->second, lab_timeline_sign(i), &x[1], &y[1]);
        if (first && second)
            fprintf(drawing->out, "<path class=\"f\" d=\"M%.2f %.4gL%.2f %.4g\"/>\n", x[0],
                    y[0] + (y[1] > y[0] ? 1 : -1) * drawing->bar / 2, x[1],
                    y[1] - (y[1] > y[0] ? 1 : -1) * drawing->bar / 2);
    }
}

/* Writes clean text on as many lines as it needs, broken between words; returns the y of the last line. */
static double put_wrapped(const svg_drawing *drawing, double y, const char *text)
{
    const int columns = 60; /* fits a narrow page */
    while (*text) {
        size_t length = lab_text_fit(text, columns), at = length;
        if (text[length]) {
            while (at > 0 && text[at] != ' ') at--;
            if (at == 0) at = length;
        }
        char line[LAB_TRACE_TEXT_BYTES + 32];
        snprintf(line, sizeof line, "%.*s", (int)at, text);
        y += SVG_LINE_HEIGHT;
        fprintf(drawing->out, "<text x=\"%d\" y=\"%.4g\">", SVG_MARGIN + 24, y);
        lab_svg_put_text(drawing->out, line, columns + 1);
        fputs("</text>\n", drawing->out);
        text += at + strspn(text + at, " ");
    }
    return y;
}

double lab_svg_put_finding_texts(const svg_drawing *drawing, double y)
{
    const lab_trace *trace = drawing->chart->trace;
    const double top = y;
    for (size_t i = 0; i < trace->findings && i < TIMELINE_FINDINGS; i++) {
        const lab_trace_finding *finding = &trace->finding[i];
        char edge[LAB_TRACE_TEXT_BYTES + 32];
        snprintf(edge, sizeof edge, "To order them: %s", finding->edge);
        y += SVG_LINE_HEIGHT / 2;
        fprintf(drawing->out, "<text class=\"fn\" x=\"%d\" y=\"%.4g\">%c</text>", SVG_MARGIN, y + SVG_LINE_HEIGHT,
                lab_timeline_sign(i));
        y = put_wrapped(drawing, y, finding->text);
        if (*finding->edge) y = put_wrapped(drawing, y, edge);
    }
    return y - top;
}
