/* The shapes of operations, and their tooltips. */
#include "timeline_svg.h"
#include "base/plain_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COLUMNS = 60 }; /* a name in a tooltip */

/* --- Tooltips --------------------------------------------------------------------------------------------------- */

static void put_moment(const svg_drawing *drawing, int64_t when)
{
    char text[32];
    lab_timeline_duration(text, sizeof text, (double)(when - drawing->chart->begin), false);
    fputs(text, drawing->out);
}

void lab_svg_put_times(const svg_drawing *drawing, int64_t begin, int64_t end)
{
    char text[32];
    lab_timeline_duration(text, sizeof text, (double)(end - begin), false);
    fprintf(drawing->out, "%s, from ", text);
    put_moment(drawing, begin);
    fputs(" to ", drawing->out);
    put_moment(drawing, end);
}

static void put_bytes(FILE *out, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit < 6; unit++) value /= 1024;
    fprintf(out, "%.*f %s", unit == 0 || value >= 99.95 ? 0 : 2, value, units[unit]);
}

static void put_place(FILE *out, const lab_trace_op *op)
{
    if (*op->file == '\0') return;
    const char *slash = strrchr(op->file, '/');
    fputc('\n', out);
    lab_svg_put_text(out, slash ? slash + 1 : op->file, NAME_COLUMNS);
    fprintf(out, ":%d", op->line);
}

/* A line for what and where, a line for when, and what else is known. */
void lab_svg_put_tooltip(const svg_drawing *drawing, const timeline_span *span, const char *label)
{
    const lab_trace_op *op = &drawing->chart->trace->op[span->op];
    const char *name = lab_timeline_mark_name(span->mark);
    const bool calls = span->mark == TIMELINE_WAIT || span->mark == TIMELINE_CALL;
    const bool on_host = calls || span->mark == TIMELINE_NOTE;
    fputs("<title>", drawing->out);
    if (span->mark == TIMELINE_EVENT)
        fprintf(drawing->out, "event %" PRIu64 " recorded", op->object);
    else if (calls)
        fprintf(drawing->out, "%s: %s", name, lab_op_kind_name(op->kind));
    else
        fputs(name, drawing->out);
    if (*op->name) fputc(' ', drawing->out);
    lab_svg_put_text(drawing->out, op->name, NAME_COLUMNS);
    if (!on_host) fprintf(drawing->out, ", %s", label);
    fputc('\n', drawing->out);
    if (timeline_is_moment(span->mark)) {
        fputs("at ", drawing->out);
        put_moment(drawing, span->begin);
    } else if (on_host) {
        lab_svg_put_times(drawing, op->call_ns, op->return_ns < op->call_ns ? span->end : op->return_ns);
    } else {
        lab_svg_put_times(drawing, op->start_ns, op->end_ns < op->start_ns ? span->end : op->end_ns);
    }
    if (op->kind == LAB_OP_KERNEL && (op->grid.x > 0 || !drawing->chart->figure)) /* slides keep no sizes */
        fprintf(drawing->out, "\ngrid %u×%u×%u, block %u×%u×%u", op->grid.x, op->grid.y, op->grid.z, op->block.x,
                op->block.y, op->block.z);
    if (op->bytes > 0) {
        fputc('\n', drawing->out);
        put_bytes(drawing->out, op->bytes);
        if (op->host_memory != LAB_HOST_NONE)
            fputs(op->host_memory == LAB_HOST_PINNED ? ", pinned" : ", pageable", drawing->out);
    }
    put_place(drawing->out, op);
    fputs("</title>", drawing->out);
}

/* --- Shapes ----------------------------------------------------------------------------------------------------- */

const char *lab_svg_open_rect(svg_drawing *drawing, timeline_mark mark, double x, double y, double width, double height)
{
    const timeline_look *as = &lab_timeline_looks[mark];
    const double narrowest = 1;
    drawing->shown[mark] = true;
    fprintf(drawing->out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.4g\" width=\"%.2f\" height=\"%.4g\"", as->class, x, y,
            width < narrowest ? narrowest : width, height);
    if (*as->lines) lab_svg_put_reference(drawing, "fill", as->class);
    lab_svg_put_step(drawing);
    fputc('>', drawing->out);
    return "</rect>";
}

const char *lab_svg_open_shape(svg_drawing *drawing, timeline_mark mark, double x, double width)
{
    const timeline_look *as = &lab_timeline_looks[mark];
    drawing->shown[mark] = true;
    if (timeline_is_moment(mark)) {
        double size = drawing->pitch - drawing->bar - 1;
        fprintf(drawing->out, "<path class=\"%s\" d=\"M%.2f 0l%.1f %.1fh%.1fzm-.6 0h1.2v%.4gh-1.2z\"", as->class, x,
                -size * 0.5, -size, size, drawing->bar);
        lab_svg_put_step(drawing);
        fputc('>', drawing->out);
        return "</path>";
    }
    return lab_svg_open_rect(drawing, mark, x, as->top * drawing->bar, width, as->height * drawing->bar);
}
