/* What is drawn over the rows of an SVG timeline: arrows of events, and findings of a checker. */
#include "timeline_svg.h"
#include "arrows.h"
#include "base/plain_text.h"

#include <stdio.h>
#include <string.h>

/* --- Arrows ----------------------------------------------------------------------------------------------------- */

/* The middle of the row that an end of an arrow is in; false if it has none of its own, or is outside the window. */
static bool place(const svg_drawing *to, size_t op, bool host, int64_t when, double top, double *y)
{
    const timeline *of = to->of;
    if (when < of->from || when > of->to) return false;
    bool has_host = strcmp(of->row[0].label, "host") == 0;
    size_t row = host ? 0 : of->row_of_stream[lab_trace_find_stream(of->trace, of->trace->op[op].stream)];
    if ((host && !has_host) || row == of->rows || lab_svg_is_rest(&of->row[row])) return false;
    *y = top + (double)row * to->pitch + to->pitch / 2; /* the row of the rest, of another height, is the last */
    return true;
}

/* A line that leaves and arrives level, and ends at the edge of the bar that it points to. */
static void put_arrow(const svg_drawing *to, double from_x, double from_y, double to_x, double to_y)
{
    double bend = (to_x - from_x) / 2;
    bend = bend < 0 ? 0 : bend > 40 ? 40 : bend;
    if (to_y > from_y) to_y -= to->bar / 2;
    if (to_y < from_y) to_y += to->bar / 2;
    fprintf(to->out, "<path class=\"a\" d=\"M%.2f %.4gC%.2f %.4g %.2f %.4g %.2f %.4g\"/>\n", from_x, from_y,
            from_x + bend, from_y, to_x - bend, to_y, to_x, to_y);
}

/* From records of events to what waits for them. */
lab_status lab_svg_put_arrows(svg_drawing *to, double top)
{
    const lab_trace *trace = to->of->trace;
    lab_arrows *arrows;
    LAB_TRY(lab_arrows_create(&arrows, trace));
    for (size_t i = 0; i < trace->ops; i++) {
        for (int w = 0; w < trace->op[i].waits && to->arrows < SVG_ARROWS_MOST; w++) {
            lab_arrow arrow;
            double from_y, to_y;
            if (!lab_arrows_get(arrows, i, w, &arrow) || trace->op[arrow.source].kind != LAB_OP_EVENT_RECORD ||
                !place(to, arrow.source, false, arrow.from_ns, top, &from_y) ||
                !place(to, arrow.target, arrow.to_host, arrow.to_ns, top, &to_y))
                continue;
            double from_x = lab_svg_x(to, (double)arrow.from_ns);
            double to_x = lab_svg_x(to, (double)arrow.to_ns);
            put_arrow(to, from_x, from_y, to_x, to_y);
            to->arrows++;
        }
    }
    lab_arrows_free(arrows);
    return LAB_SUCCESS;
}

/* --- Findings --------------------------------------------------------------------------------------------------- */

/* A frame around the operation with the finding's letter beside it; where the frame's middle is. */
static bool put_frame(const svg_drawing *to, double top, uint64_t id, char sign, double *x, double *y)
{
    const lab_trace *trace = to->of->trace;
    if (id < 1 || id > trace->ops) return false;
    const lab_trace_op *op = &trace->op[id - 1];
    bool host = op->start_ns < 0;
    int64_t from = host ? op->call_ns : op->start_ns, until = host ? op->return_ns : op->end_ns;
    if (until < from) until = from;
    if (from < to->of->from) from = to->of->from;
    if (until > to->of->to) until = to->of->to;
    if (until < from || !place(to, (size_t)id - 1, host, from, top, y)) return false;
    const double narrowest = 6;
    double left = lab_svg_x(to, (double)from), width = lab_svg_x(to, (double)until) - left;
    if (width < narrowest) {
        left -= (narrowest - width) / 2;
        width = narrowest;
    }
    fprintf(to->out, "<rect class=\"f\" x=\"%.2f\" y=\"%.4g\" width=\"%.2f\" height=\"%.4g\" rx=\"2\"/>", left - 1.5,
            *y - to->bar / 2 - 1.5, width + 3, to->bar + 3);
    const double room = 18, beside = left + width + 4; /* for the letter: behind the frame, or before it */
    fprintf(to->out, "<text class=\"fn\" x=\"%.2f\" y=\"%.4g\">%c</text>\n",
            beside + room <= SVG_WIDTH ? beside : left - room, *y + 4, sign);
    *x = left + width / 2;
    return true;
}

void lab_svg_put_findings(svg_drawing *to, double top)
{
    const lab_trace *trace = to->of->trace;
    size_t shown = trace->findings < TIMELINE_FINDINGS ? trace->findings : TIMELINE_FINDINGS;
    for (size_t i = 0; i < shown; i++) {
        const lab_trace_finding *finding = &trace->finding[i];
        double x[2], y[2];
        bool first = put_frame(to, top, finding->first, lab_timeline_sign(i), &x[0], &y[0]);
        bool second = put_frame(to, top, finding->second, lab_timeline_sign(i), &x[1], &y[1]);
        if (first && second)
            fprintf(to->out, "<path class=\"f\" d=\"M%.2f %.4gL%.2f %.4g\"/>\n", x[0],
                    y[0] + (y[1] > y[0] ? 1 : -1) * to->bar / 2, x[1], y[1] - (y[1] > y[0] ? 1 : -1) * to->bar / 2);
    }
}

/* Clean text on as many lines as it needs, broken between words; returns where the last one is. */
static double put_wrapped(const svg_drawing *to, double y, const char *text)
{
    const int columns = 60; /* what a narrow page has room for */
    while (*text) {
        size_t length = lab_text_fit(text, columns), at = length;
        if (text[length]) {
            while (at > 0 && text[at] != ' ') at--;
            if (at == 0) at = length;
        }
        char line[LAB_TRACE_TEXT_BYTES + 32];
        snprintf(line, sizeof line, "%.*s", (int)at, text);
        y += SVG_LINE_HEIGHT;
        fprintf(to->out, "<text x=\"%d\" y=\"%.4g\">", SVG_MARGIN + 24, y);
        lab_svg_put_text(to->out, line, columns + 1);
        fputs("</text>\n", to->out);
        text += at + strspn(text + at, " ");
    }
    return y;
}

double lab_svg_put_finding_texts(const svg_drawing *to, double y)
{
    const lab_trace *trace = to->of->trace;
    const double top = y;
    for (size_t i = 0; i < trace->findings && i < TIMELINE_FINDINGS; i++) {
        const lab_trace_finding *finding = &trace->finding[i];
        char edge[LAB_TRACE_TEXT_BYTES + 32];
        snprintf(edge, sizeof edge, "To order them: %s", finding->edge);
        y += SVG_LINE_HEIGHT / 2;
        fprintf(to->out, "<text class=\"fn\" x=\"%d\" y=\"%.4g\">%c</text>", SVG_MARGIN, y + SVG_LINE_HEIGHT,
                lab_timeline_sign(i));
        y = put_wrapped(to, y, finding->text);
        if (*finding->edge) y = put_wrapped(to, y, edge);
    }
    return y - top;
}
