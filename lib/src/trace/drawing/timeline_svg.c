/*
 * A timeline as one SVG document without scripts or anything outside it. What runs is told apart by height, pattern
 * and label; colour is a second signal. Light or dark as the reader's page is; below 480 pixels the text is larger and
 * there is less of it. The styles apply only below their class, so that a page may hold several timelines.
 *
 * The size of the document depends on the rows asked for, not on the record: one with too many operations to draw each
 * is drawn as the text timeline is, in cells.
 */
#include "timeline_svg.h"
#include "base/plain_text.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPANS_MOST = 6000, /* up to here each is drawn: an operation has one or two */
    CELLS_MOST = 6000, /* of all rows together beyond */
    CELLS_LEAST = 60,  /* of a row */
    TICKS = 10,
    REST_CELLS = 160,
    LEGEND_COLUMNS = 3,
    DEVICE_COLUMNS = 62,
    NAME_COLUMNS = 60, /* of a name in a tooltip */
};

/* How a mark looks: its class, and which part of the row's height it takes. Heights alone tell copies from kernels. */
typedef struct look {
    const char *class;
    double top, height;
} look;

static const look looks[TIMELINE_MARKS] = {
    [TIMELINE_HTOD] = {"i", 0, 0.6},    [TIMELINE_KERNEL] = {"k", 0, 1},    [TIMELINE_DTOH] = {"o", 0.4, 0.6},
    [TIMELINE_DTOD] = {"d", 0.2, 0.6},  [TIMELINE_FILL] = {"d", 0.35, 0.3}, [TIMELINE_HOST_FUNCTION] = {"h", 0.1, 0.8},
    [TIMELINE_WAIT] = {"s", 0.15, 0.7}, [TIMELINE_QUEUED] = {"q", 0.5, 0},  [TIMELINE_CALL] = {"c", 0.5, 0},
    [TIMELINE_EVENT] = {"e", 0, 0},     [TIMELINE_NOTE] = {"e", 0, 0},
};

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the timeline"); }

/* --- Text ------------------------------------------------------------------------------------------------------- */

void lab_svg_put_text(FILE *out, const char *text, int columns)
{
    size_t length = lab_text_fit(text, columns);
    bool whole = text[length] == '\0';
    if (!whole) length = lab_text_fit(text, columns - 1);
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: fputc(text[i], out);
        }
    }
    if (!whole) fputs("…", out);
}

static void put_moment(const svg_drawing *to, int64_t when)
{
    char text[32];
    lab_timeline_duration(text, sizeof text, (double)(when - to->of->from), false);
    fputs(text, to->out);
}

/* "170 µs, from 1.23 ms to 1.40 ms" */
static void put_times(const svg_drawing *to, int64_t from, int64_t until)
{
    char text[32];
    lab_timeline_duration(text, sizeof text, (double)(until - from), false);
    fprintf(to->out, "%s, from ", text);
    put_moment(to, from);
    fputs(" to ", to->out);
    put_moment(to, until);
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

/* What a reader sees who points at the operation: a line of what and where, one of when, and what else is known. */
static void put_tooltip(const svg_drawing *to, const timeline_span *span, const char *label)
{
    const lab_trace_op *op = &to->of->trace->op[span->op];
    const char *name = lab_timeline_mark_name(span->mark);
    bool on_host = span->mark == TIMELINE_WAIT || span->mark == TIMELINE_NOTE;
    fputs("<title>", to->out);
    if (span->mark == TIMELINE_EVENT)
        fprintf(to->out, "event %" PRIu64 " recorded", op->object);
    else if (span->mark == TIMELINE_WAIT)
        fprintf(to->out, "host waits: %s", lab_op_kind_name(op->kind));
    else
        fputs(name, to->out);
    if (*op->name) fputc(' ', to->out);
    lab_svg_put_text(to->out, op->name, NAME_COLUMNS);
    if (!on_host) fprintf(to->out, ", %s", label);
    fputc('\n', to->out);
    if (timeline_is_moment(span->mark)) {
        fputs("at ", to->out);
        put_moment(to, span->from);
    } else if (on_host) {
        put_times(to, op->call_ns, op->return_ns < op->call_ns ? span->to : op->return_ns);
    } else {
        put_times(to, op->start_ns, op->end_ns < op->start_ns ? span->to : op->end_ns);
    }
    if (op->kind == LAB_OP_KERNEL)
        fprintf(to->out, "\ngrid %u×%u×%u, block %u×%u×%u", op->grid.x, op->grid.y, op->grid.z, op->block.x,
                op->block.y, op->block.z);
    if (op->bytes > 0) {
        fputc('\n', to->out);
        put_bytes(to->out, op->bytes);
        if (op->host_memory != LAB_HOST_NONE)
            fputs(op->host_memory == LAB_HOST_PINNED ? ", pinned" : ", pageable", to->out);
    }
    put_place(to->out, op);
    fputs("</title>", to->out);
}

/* --- Rows ------------------------------------------------------------------------------------------------------- */

double lab_svg_x(const svg_drawing *to, double when)
{
    double share = (when - (double)to->of->from) / (double)(to->of->to - to->of->from);
    return to->left + share * (to->right - to->left);
}

bool lab_svg_is_rest(const timeline_row *row) { return *row->label == '+'; }

double lab_svg_height(const svg_drawing *to, const timeline_row *row)
{
    return lab_svg_is_rest(row) ? SVG_REST_HEIGHT : to->pitch;
}

/* A shape for a mark, `</rect>` or `</path>` still to come. Coordinates are relative to the row. */
static const char *open_shape(svg_drawing *to, timeline_mark mark, double x, double width)
{
    const look *as = &looks[mark];
    to->shown[mark] = true;
    if (timeline_is_moment(mark)) {
        double size = to->pitch - to->bar - 1;
        fprintf(to->out, "<path class=\"%s\" d=\"M%.2f 0l%.1f %.1fh%.1fz\">", as->class, x, -size * 0.5, -size, size);
        return "</path>";
    }
    const double narrowest = 1;
    fprintf(to->out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.4g\" width=\"%.2f\" height=\"%.4g\">", as->class, x,
            as->top * to->bar, width < narrowest ? narrowest : width, as->height * to->bar);
    return "</rect>";
}

/* The name of a kernel in its bar, where it has room. */
static void put_bar_name(const svg_drawing *to, const timeline_span *span, double x, double width)
{
    const char *name = to->of->trace->op[span->op].name;
    const double character = 5.9;
    int columns = (int)((width - 6) / character);
    if (span->mark != TIMELINE_KERNEL || to->bar < 14 || *name == '\0' || columns < 4) return;
    if (lab_text_fit(name, columns) < strlen(name) && columns < 8) return;
    fprintf(to->out, "<text class=\"b\" x=\"%.2f\" y=\"%.4g\">", x + 3, to->bar / 2 + 3.5);
    lab_svg_put_text(to->out, name, columns);
    fputs("</text>", to->out);
}

/* Queued work and the host's short calls are a line, all of a row in one path. */
static void put_line(svg_drawing *to, const timeline_row *row, timeline_mark mark)
{
    bool any = false;
    for (size_t i = 0; i < row->spans; i++) {
        const timeline_span *span = &row->span[i];
        if (span->mark != mark) continue;
        if (!any) fprintf(to->out, "<path class=\"%s\" d=\"", looks[mark].class);
        any = true;
        fprintf(to->out, "M%.2f %.4gH%.2f", lab_svg_x(to, (double)span->from), looks[mark].top * to->bar,
                lab_svg_x(to, (double)span->to));
    }
    if (!any) return;
    fputs("\"/>\n", to->out);
    to->shown[mark] = true;
}

static void put_operations(svg_drawing *to, const timeline_row *row)
{
    put_line(to, row, TIMELINE_QUEUED);
    put_line(to, row, TIMELINE_CALL);
    for (size_t i = 0; i < row->spans; i++) {
        const timeline_span *span = &row->span[i];
        if (!timeline_fills(span->mark) && !timeline_is_moment(span->mark)) continue;
        double x = lab_svg_x(to, (double)span->from);
        double width = lab_svg_x(to, (double)span->to) - x;
        const char *close = open_shape(to, span->mark, x, width);
        put_tooltip(to, span, row->label);
        fprintf(to->out, "%s", close);
        put_bar_name(to, span, x, width);
        fputc('\n', to->out);
    }
}

/* One shape for each run of equal cells. */
static lab_status put_cells(svg_drawing *to, const timeline_row *row)
{
    timeline_mark *cell = lab_timeline_cells(to->of, row, to->dense);
    if (!cell) return no_memory();
    const double width = (double)(to->of->to - to->of->from) / to->dense;
    for (int first = 0, after; first < to->dense; first = after) {
        for (after = first + 1; after < to->dense && cell[after] == cell[first];) after++;
        if (!timeline_fills(cell[first])) continue;
        double from = (double)to->of->from + first * width;
        double until = (double)to->of->from + after * width;
        const char *close =
            open_shape(to, cell[first], lab_svg_x(to, from), lab_svg_x(to, until) - lab_svg_x(to, from));
        fprintf(to->out, "<title>mostly %s, %s\n", lab_timeline_mark_name(cell[first]), row->label);
        put_times(to, (int64_t)from, (int64_t)until);
        fprintf(to->out, "</title>%s\n", close);
    }
    free(cell);
    return LAB_SUCCESS;
}

/* The streams without a row of their own: how many of them copied in, ran kernels and copied out, one upon another. */
static lab_status put_rest(svg_drawing *to, const timeline_row *row)
{
    double *time = lab_timeline_measure(to->of, row, REST_CELLS);
    if (!time) return no_memory();
    const double width = (double)(to->of->to - to->of->from) / REST_CELLS;
    const double room = SVG_REST_HEIGHT - 16;
    double most = 0;
    for (int c = 0; c < REST_CELLS; c++) {
        double sum = 0;
        for (timeline_mark mark = TIMELINE_HTOD; mark < TIMELINE_WAIT; mark++) sum += time[c * TIMELINE_MARKS + mark];
        if (sum / width > most) most = sum / width;
    }
    fprintf(to->out,
            "<text class=\"m n\" x=\"%.2f\" y=\"8\">%zu more streams together; at most %.1f at work at once</text>\n",
            to->left, row->streams, most);
    double base[REST_CELLS] = {0};
    for (timeline_mark mark = TIMELINE_HTOD; mark < TIMELINE_WAIT && most > 0; mark++) {
        bool any = false;
        for (int c = 0; c < REST_CELLS; c++) {
            double height = time[c * TIMELINE_MARKS + mark] / width / most * room;
            if (height < 0.05) continue;
            if (!any) fprintf(to->out, "<path class=\"%s\" d=\"", looks[mark].class);
            any = true;
            fprintf(to->out, "M%.2f %.4gv%.4gh%.2fv%.4gz", lab_svg_x(to, (double)to->of->from + c * width),
                    SVG_REST_HEIGHT - 4 - base[c], -height, (to->right - to->left) / REST_CELLS, height);
            base[c] += height;
        }
        if (any) fprintf(to->out, "\"><title>%s, %s</title></path>\n", lab_timeline_mark_name(mark), row->label);
        to->shown[mark] |= any;
    }
    free(time);
    return LAB_SUCCESS;
}

/* The label, with the word that a narrow page has no room for apart. */
static void put_label(const svg_drawing *to, const timeline_row *row, size_t index)
{
    const size_t every = to->pitch < SVG_LINE_HEIGHT ? 2 : 1; /* row has a label on a narrow page */
    const char *label = row->label;
    fprintf(to->out, "<text class=\"%s%s\" x=\"%.4g\" y=\"%.4g\" text-anchor=\"end\">", to->pitch < 14 ? "l" : "",
            index % every == 0 || lab_svg_is_rest(row) ? "" : " n", to->left - 6,
            (lab_svg_is_rest(row) ? SVG_REST_HEIGHT : to->bar) / 2 + 3.5);
    if (strncmp(label, "stream ", 7) == 0) {
        int digits = (int)strcspn(label + 7, " ");
        fprintf(to->out, "<tspan class=\"n\">stream </tspan>%.*s<tspan class=\"n\">%s</tspan>", digits, label + 7,
                label + 7 + digits);
    } else {
        int word = (int)strcspn(label, " ");
        fprintf(to->out, "%.*s<tspan class=\"n\">%s</tspan>", word, label, label + word);
    }
    fputs("</text>\n", to->out);
}

static lab_status put_rows(svg_drawing *to, double top)
{
    double y = top;
    for (size_t r = 0; r < to->of->rows; r++) {
        const timeline_row *row = &to->of->row[r];
        fprintf(to->out, "<g transform=\"translate(0 %.4g)\">\n", y + (to->pitch - to->bar) / 2);
        put_label(to, row, r);
        if (lab_svg_is_rest(row))
            LAB_TRY(put_rest(to, row));
        else if (to->dense > 0)
            LAB_TRY(put_cells(to, row));
        else
            put_operations(to, row);
        fputs("</g>\n", to->out);
        y += lab_svg_height(to, row);
    }
    return LAB_SUCCESS;
}

/* --- Around the rows -------------------------------------------------------------------------------------------- */

static void put_axis(const svg_drawing *to, double y, double bottom)
{
    const timeline_axis axis = lab_timeline_axis(to->of, TICKS);
    const int64_t span = to->of->to - to->of->from;
    fprintf(to->out, "<path class=\"g\" d=\"M%.4g %.4gH%.4g", to->left, y, to->right);
    for (int64_t when = 0; when <= span; when += axis.step_ns)
        fprintf(to->out, "M%.2f %.4gV%.4g", lab_svg_x(to, (double)(to->of->from + when)), y - 4, bottom);
    fputs("\"/>\n", to->out);

    fprintf(
        to->out,
        "<text class=\"m\" x=\"%.4g\" y=\"%.4g\" text-anchor=\"end\"><tspan class=\"n\">time in </tspan>%s</text>\n",
        to->left - 6, y - 7, lab_timeline_unit(axis.unit_ns, false));
    int index = 0;
    for (int64_t when = 0; when <= span; when += axis.step_ns, index++) {
        double x = lab_svg_x(to, (double)(to->of->from + when));
        const char *anchor = index == 0 ? "start" : x > to->right - 14 ? "end" : "middle";
        fprintf(to->out, "<text class=\"m%s\" x=\"%.2f\" y=\"%.4g\" text-anchor=\"%s\">%.*f</text>\n",
                index % 2 == 1 ? " n" : "", x, y - 7, anchor, axis.decimals, (double)when / (double)axis.unit_ns);
    }
}

/* The y of the entry's upper left corner; entries go from left to right, then down. */
static double open_entry(const svg_drawing *to, int index, double top, const char *meaning)
{
    const double column = (SVG_WIDTH - 2.0 * SVG_MARGIN) / LEGEND_COLUMNS;
    double x = SVG_MARGIN + index % LEGEND_COLUMNS * column;
    double y = top + (double)(index / LEGEND_COLUMNS * SVG_LINE_HEIGHT);
    fprintf(to->out, "<g transform=\"translate(%.4g %.4g)\"><text x=\"34\" y=\"13\">%s</text>", x, y, meaning);
    return y;
}

/* Says what each mark in the drawing means; returns how high it is. */
static double put_legend(svg_drawing *to, double top)
{
    const double pitch = to->pitch, bar = to->bar;
    to->pitch = SVG_LINE_HEIGHT;
    to->bar = 16;
    int index = 0;
    for (timeline_mark mark = TIMELINE_HTOD; mark < TIMELINE_MARKS; mark++) {
        if (!to->shown[mark]) continue;
        open_entry(to, index++, top, lab_timeline_mark_name(mark));
        if (timeline_fills(mark))
            fputs(open_shape(to, mark, 2, 26), to->out);
        else if (timeline_is_moment(mark))
            fprintf(to->out, "<path class=\"%s\" d=\"M15 12l-4-7h8z\"/>", looks[mark].class);
        else
            fprintf(to->out, "<path class=\"%s\" d=\"M2 9H28\"/>", looks[mark].class);
        fputs("</g>\n", to->out);
    }
    if (to->arrows > 0) {
        open_entry(to, index++, top, to->arrows < SVG_ARROWS_MOST ? "event wait" : "event wait (the first)");
        fputs("<path class=\"a\" d=\"M2 9H28\"/></g>\n", to->out);
    }
    to->pitch = pitch;
    to->bar = bar;
    return (index + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS * (double)SVG_LINE_HEIGHT;
}

void lab_svg_put_line(const svg_drawing *to, const char *class, double y, const char *text, int columns)
{
    fprintf(to->out, "<text class=\"%s\" x=\"%d\" y=\"%.4g\">", class, SVG_MARGIN, y);
    lab_svg_put_text(to->out, text, columns);
    fputs("</text>\n", to->out);
}

/* Chooses sizes: many rows are lower, and many operations are drawn as cells. */
static void choose_sizes(svg_drawing *to)
{
    const timeline *of = to->of;
    size_t label = 0, spans = 0;
    for (size_t r = 0; r < of->rows; r++) {
        size_t length = strlen(of->row[r].label);
        if (length > label) label = length;
        if (!lab_svg_is_rest(&of->row[r])) spans += of->row[r].spans;
    }
    const double character = 6, left_least = 84, left_most = 190;
    to->left = (double)label * character + 14;
    to->left = to->left < left_least ? left_least : to->left > left_most ? left_most : to->left;
    to->right = SVG_WIDTH - SVG_MARGIN;
    to->pitch = of->rows <= 24 ? 24 : of->rows <= 64 ? 16 : 11;
    to->bar = of->rows <= 24 ? 17 : of->rows <= 64 ? 11 : 8;
    if (spans <= SPANS_MOST) return;
    int cells = CELLS_MOST / (int)of->rows;
    to->dense = cells < CELLS_LEAST ? CELLS_LEAST : cells;
}

/* Everything but the outermost element, whose height is known only afterwards: it is returned. */
static lab_status draw(svg_drawing *to, const char *title, double *height)
{
    const timeline *of = to->of;
    const lab_trace *trace = of->trace;
    const timeline_figures figures = lab_timeline_figures(trace, false);
    double y = SVG_MARGIN;
    if (*title) lab_svg_put_line(to, "t", y += SVG_LINE_HEIGHT - 4, title, SVG_TITLE_COLUMNS);
    char device[256];
    bool modelled = strcmp(trace->device_kind, "model") == 0; /* its name says so */
    snprintf(device, sizeof device, "%s%s%s%s, %d multiprocessor%s",
             *trace->device_name ? trace->device_name : "device", modelled ? "" : ", ",
             modelled ? "" : trace->device_kind, modelled ? "" : " device", trace->multiprocessors,
             trace->multiprocessors == 1 ? "" : "s");
    lab_svg_put_line(to, "m", y += SVG_LINE_HEIGHT - 2, device, DEVICE_COLUMNS);
    y += SVG_LINE_HEIGHT + 6;

    if (of->streams > 0) {
        double bottom = y + 4;
        for (size_t r = 0; r < of->rows; r++) bottom += lab_svg_height(to, &of->row[r]);
        put_axis(to, y, bottom);
        LAB_TRY(put_rows(to, y + 4));
        LAB_TRY(lab_svg_put_arrows(to, y + 4));
        lab_svg_put_findings(to, y + 4);
        y = bottom + 10;
        y += put_legend(to, y);
    }
    lab_svg_put_line(to, "", y += SVG_LINE_HEIGHT - 4, figures.extent, 90);
    if (*figures.overlap) lab_svg_put_line(to, "", y += SVG_LINE_HEIGHT, figures.overlap, 90);
    y += lab_svg_put_finding_texts(to, y);
    *height = y + SVG_MARGIN;
    return LAB_SUCCESS;
}

lab_status lab_svg_draw(char **out, const timeline *of, const char *title, double *height)
{
    char *text = NULL;
    size_t size = 0;
    svg_drawing to = {.of = of, .out = open_memstream(&text, &size)};
    if (!to.out) return no_memory();
    choose_sizes(&to);
    lab_status status = draw(&to, title, height);
    bool failed = ferror(to.out) != 0;
    if (fclose(to.out) != 0 || failed) status = no_memory();
    if (status == LAB_SUCCESS)
        *out = text;
    else
        free(text);
    return status;
}
