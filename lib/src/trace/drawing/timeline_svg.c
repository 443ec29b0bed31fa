/*
 * A timeline as one self-contained SVG document without scripts. Height, pattern and label distinguish what runs;
 * colour is a second signal (timeline_look.h). The drawing is light or dark like the reader's page; below 480 pixels
 * there is less text, and it is larger. The styles apply only below their class, so a page may hold several timelines.
 *
 * The size of the document depends on the number of rows, not on the record: with too many operations to draw each, the
 * drawing shows cells, as the text timeline does.
 */
#include "timeline_svg.h"
#include "base/plain_text.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPANS_MOST = 6000, /* up to here every span is drawn; an operation has one or two */
    CELLS_MOST = 6000, /* beyond that, in all rows together */
    CELLS_LEAST = 60,  /* per row */
    TICKS = 10,
    REST_CELLS = 160,
    LEGEND_COLUMNS = 3,
    DEVICE_COLUMNS = 62,
    RANGE_COLUMNS = 24, /* of a range's name */
};

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the timeline"); }

/* --- Rows ------------------------------------------------------------------------------------------------------- */

/* Writes a kernel's name into its bar if there is room. */
static void put_bar_name(const svg_drawing *drawing, const timeline_span *span, double x, double width)
{
    const char *name = drawing->chart->trace->op[span->op].name;
    const double character = 5.9;
    int columns = (int)((width - 6) / character);
    if (span->mark != TIMELINE_KERNEL || drawing->bar < 14 || *name == '\0' || columns < 4) return;
    if (lab_text_fit(name, columns) < strlen(name) && columns < 8) return;
    fprintf(drawing->out, "<text class=\"b\" x=\"%.2f\" y=\"%.4g\">", x + 3, drawing->bar / 2 + 3.5);
    lab_svg_put_text(drawing->out, name, columns);
    fputs("</text>", drawing->out);
}

/* Opens the path of a mark that is a line, as broad as the mark is high. */
static void open_line(const svg_drawing *drawing, uint32_t color, timeline_mark mark)
{
    const timeline_look *as = &lab_timeline_looks[mark];
    fprintf(drawing->out, "<path class=\"%s\"", as->class);
    if (color) fprintf(drawing->out, " style=\"stroke:#%06x\"", (unsigned)color & 0xffffff);
    if (as->height > 0) fprintf(drawing->out, " stroke-width=\"%.4g\"", as->height * drawing->bar);
    fputs(" d=\"", drawing->out);
}

/* Draws queued work, or the host's short calls, as lines: one path for the whole row. */
static void put_line(svg_drawing *drawing, const timeline_row *row, timeline_mark mark)
{
    const timeline_look *as = &lab_timeline_looks[mark];
    bool any = false;
    for (size_t i = 0; i < row->spans; i++) {
        const timeline_span *span = &row->span[i];
        if (span->mark != mark) continue;
        if (!any) open_line(drawing, row->color, mark);
        any = true;
        fprintf(drawing->out, "M%.2f %.4gH%.2f", lab_svg_x(drawing, (double)span->begin),
                (as->top + as->height / 2) * drawing->bar, lab_svg_x(drawing, (double)span->end));
    }
    if (!any) return;
    fputs("\"/>\n", drawing->out);
    drawing->shown[mark] = true;
}

static void put_operations(svg_drawing *drawing, const timeline_row *row)
{
    put_line(drawing, row, TIMELINE_QUEUED);
    if (drawing->chart->figure)
        lab_figure_put_calls(drawing, row);
    else
        put_line(drawing, row, TIMELINE_CALL);
    put_line(drawing, row, TIMELINE_RANGE);
    for (size_t i = 0; i < row->spans; i++) {
        const timeline_span *span = &row->span[i];
        if (!timeline_fills(span->mark) && !timeline_is_moment(span->mark)) continue;
        if (drawing->chart->figure) {
            lab_figure_put_span(drawing, row, span);
            continue;
        }
        double x = lab_svg_x(drawing, (double)span->begin);
        double width = lab_svg_x(drawing, (double)span->end) - x;
        const char *close = lab_svg_open_shape(drawing, span->mark, x, width);
        lab_svg_put_tooltip(drawing, span, row->label);
        fprintf(drawing->out, "%s", close);
        put_bar_name(drawing, span, x, width);
        fputc('\n', drawing->out);
    }
}

/* One shape for each run of equal cells. */
static lab_status put_cells(svg_drawing *drawing, const timeline_row *row)
{
    timeline_mark *cell = lab_timeline_cells(drawing->chart, row, drawing->dense);
    if (!cell) return no_memory();
    const double width = (double)(drawing->chart->end - drawing->chart->begin) / drawing->dense;
    for (int first = 0, after; first < drawing->dense; first = after) {
        for (after = first + 1; after < drawing->dense && cell[after] == cell[first];) after++;
        double begin = (double)drawing->chart->begin + first * width;
        double end = (double)drawing->chart->begin + after * width;
        if (cell[first] == TIMELINE_RANGE) {
            open_line(drawing, row->color, TIMELINE_RANGE);
            fprintf(drawing->out, "M%.2f %.4gH%.2f\"/>\n", lab_svg_x(drawing, begin), drawing->bar / 2,
                    lab_svg_x(drawing, end));
            drawing->shown[TIMELINE_RANGE] = true;
        }
        if (!timeline_fills(cell[first])) continue;
        const char *close = lab_svg_open_shape(drawing, cell[first], lab_svg_x(drawing, begin),
                                               lab_svg_x(drawing, end) - lab_svg_x(drawing, begin));
        fprintf(drawing->out, "<title>mostly %s, %s\n", lab_timeline_mark_name(cell[first]), row->label);
        lab_svg_put_times(drawing, (int64_t)begin, (int64_t)end);
        fprintf(drawing->out, "</title>%s\n", close);
    }
    free(cell);
    return LAB_SUCCESS;
}

/* The combined row: the number of streams that copied in, ran kernels and copied out, stacked. */
static lab_status put_rest(svg_drawing *drawing, const timeline_row *row)
{
    double *time = lab_timeline_measure(drawing->chart, row, REST_CELLS);
    if (!time) return no_memory();
    const double width = (double)(drawing->chart->end - drawing->chart->begin) / REST_CELLS;
    const double room = SVG_REST_HEIGHT - 16;
    double most = 0;
    for (int c = 0; c < REST_CELLS; c++) {
        double sum = 0;
        for (timeline_mark mark = TIMELINE_HTOD; mark < TIMELINE_WAIT; mark++) sum += time[c * TIMELINE_MARKS + mark];
        if (sum / width > most) most = sum / width;
    }
    fprintf(drawing->out,
            "<text class=\"m n\" x=\"%.2f\" y=\"8\">%zu more streams together; at most %.1f at work at once</text>\n",
            drawing->left, row->streams, most);
    double base[REST_CELLS] = {0};
    for (timeline_mark mark = TIMELINE_HTOD; mark < TIMELINE_WAIT && most > 0; mark++) {
        bool any = false;
        for (int c = 0; c < REST_CELLS; c++) {
            double height = time[c * TIMELINE_MARKS + mark] / width / most * room;
            if (height < 0.05) continue;
            if (!any) fprintf(drawing->out, "<path class=\"%s\" d=\"", lab_timeline_looks[mark].class);
            any = true;
            fprintf(drawing->out, "M%.2f %.4gv%.4gh%.2fv%.4gz",
                    lab_svg_x(drawing, (double)drawing->chart->begin + c * width), SVG_REST_HEIGHT - 4 - base[c],
                    -height, (drawing->right - drawing->left) / REST_CELLS, height);
            base[c] += height;
        }
        if (any) fprintf(drawing->out, "\"><title>%s, %s</title></path>\n", lab_timeline_mark_name(mark), row->label);
        drawing->shown[mark] |= any;
    }
    free(time);
    return LAB_SUCCESS;
}

/* Writes the label; the word that a narrow page has no room for is a separate element. */
static void put_label(const svg_drawing *drawing, const timeline_row *row, size_t index)
{
    const size_t every = drawing->pitch < SVG_LINE_HEIGHT ? 2 : 1; /* rows between labels on a narrow page */
    const char *label = row->label;
    fprintf(drawing->out, "<text class=\"%s%s\" x=\"%.4g\" y=\"%.4g\" text-anchor=\"end\">",
            drawing->pitch < 14 ? "l" : "", index % every == 0 || lab_svg_is_rest(row) ? "" : " n", drawing->left - 6,
            lab_svg_inner(drawing, row) / 2 + 3.5);
    const size_t range = strlen(TIMELINE_RANGE_WORD);
    if (strncmp(label, TIMELINE_RANGE_WORD, range) == 0) {
        fprintf(drawing->out, "<tspan class=\"n\">" TIMELINE_RANGE_WORD "</tspan>");
        lab_svg_put_text(drawing->out, label + range, RANGE_COLUMNS);
    } else if (strncmp(label, "stream ", 7) == 0) {
        int digits = (int)strcspn(label + 7, " ");
        fprintf(drawing->out, "<tspan class=\"n\">stream </tspan>%.*s<tspan class=\"n\">%s</tspan>", digits, label + 7,
                label + 7 + digits);
    } else {
        int word = (int)strcspn(label, " ");
        fprintf(drawing->out, "%.*s<tspan class=\"n\">%s</tspan>", word, label, label + word);
    }
    fputs("</text>\n", drawing->out);
}

lab_status lab_svg_put_rows(svg_drawing *drawing, double top)
{
    double y = top;
    for (size_t r = 0; r < drawing->chart->rows; r++) {
        const timeline_row *row = &drawing->chart->row[r];
        fprintf(drawing->out, "<g transform=\"translate(0 %.4g)\">\n", y + (drawing->pitch - drawing->bar) / 2);
        put_label(drawing, row, r);
        if (lab_svg_is_rest(row))
            LAB_TRY(put_rest(drawing, row));
        else if (drawing->dense > 0)
            LAB_TRY(put_cells(drawing, row));
        else
            put_operations(drawing, row);
        fputs("</g>\n", drawing->out);
        y += lab_svg_height(drawing, row);
    }
    return LAB_SUCCESS;
}

/* --- Around the rows -------------------------------------------------------------------------------------------- */

static timeline_axis axis_of(const svg_drawing *drawing)
{
    return lab_timeline_axis(drawing->chart, drawing->width < SVG_WIDTH ? TICKS / 2 : TICKS);
}

static void put_grid(const svg_drawing *drawing, double y, double bottom)
{
    const timeline_axis axis = axis_of(drawing);
    const int64_t span = drawing->chart->end - drawing->chart->begin;
    fprintf(drawing->out, "<path class=\"g\" d=\"M%.4g %.4gH%.4g", drawing->left, y, drawing->right);
    for (int64_t when = 0; when <= span; when += axis.step_ns)
        fprintf(drawing->out, "M%.2f %.4gV%.4g", lab_svg_x(drawing, (double)(drawing->chart->begin + when)), y - 4,
                bottom);
    fputs("\"/>\n", drawing->out);
}

void lab_svg_put_axis(const svg_drawing *drawing, double y, double bottom)
{
    const timeline_axis axis = axis_of(drawing);
    const int64_t span = drawing->chart->end - drawing->chart->begin;
    put_grid(drawing, y, bottom);
    fprintf(
        drawing->out,
        "<text class=\"m\" x=\"%.4g\" y=\"%.4g\" text-anchor=\"end\"><tspan class=\"n\">time in </tspan>%s</text>\n",
        drawing->left - 6, y - 7, lab_timeline_unit(axis.unit_ns, false));
    int index = 0;
    for (int64_t when = 0; when <= span; when += axis.step_ns, index++) {
        double x = lab_svg_x(drawing, (double)(drawing->chart->begin + when));
        const char *anchor = index == 0 ? "start" : x > drawing->right - 14 ? "end" : "middle";
        fprintf(drawing->out, "<text class=\"m%s\" x=\"%.2f\" y=\"%.4g\" text-anchor=\"%s\">%.*f</text>\n",
                index % 2 == 1 ? " n" : "", x, y - 7, anchor, axis.decimals, (double)when / (double)axis.unit_ns);
    }
}

/* Where the next entry of a legend is. A figure's is smaller, and its entries need no columns: below 480 pixels, where
 * the letters of other timelines are larger, they would. */
typedef struct legend {
    double x, y, scale;
} legend;

/* Opens a legend entry. Entries go from left to right, then down. */
static void open_entry(const svg_drawing *drawing, legend *at, const char *meaning)
{
    const double character = 5.8, room = 50, edge = 0.5;
    const double column = drawing->chart->figure ? at->scale * (room + (double)strlen(meaning) * character)
                                                 : (drawing->width - 2.0 * SVG_MARGIN) / LEGEND_COLUMNS;
    if (at->x + column > drawing->width - SVG_MARGIN + edge) {
        at->x = SVG_MARGIN;
        at->y += at->scale * SVG_LINE_HEIGHT;
    }
    fprintf(drawing->out, "<g transform=\"translate(%.4g %.4g)", at->x, at->y);
    if (drawing->chart->figure) fprintf(drawing->out, " scale(%.3g)", at->scale);
    fprintf(drawing->out, "\"><text x=\"34\" y=\"13\">%s</text>", meaning);
    at->x += column;
}

/* Explains each mark in the drawing; returns the legend's height. */
double lab_svg_put_legend(svg_drawing *drawing, double top)
{
    const double pitch = drawing->pitch, bar = drawing->bar;
    drawing->pitch = SVG_LINE_HEIGHT;
    drawing->bar = 16;
    drawing->step = 0;
    legend at = {SVG_MARGIN, top, drawing->chart->figure ? 0.87 : 1};
    for (timeline_mark mark = TIMELINE_HTOD; mark < TIMELINE_MARKS; mark++) {
        if (!drawing->shown[mark]) continue;
        open_entry(drawing, &at, lab_timeline_mark_name(mark));
        if (timeline_fills(mark)) {
            fputs(lab_svg_open_shape(drawing, mark, 2, 26), drawing->out);
        } else if (timeline_is_moment(mark)) {
            fprintf(drawing->out, "<path class=\"%s\" d=\"M15 9l-4-7h8zm-.6 0h1.2v9h-1.2z\"/>",
                    lab_timeline_looks[mark].class);
        } else {
            open_line(drawing, 0, mark);
            fputs("M2 9H28\"/>", drawing->out);
        }
        fputs("</g>\n", drawing->out);
    }
    if (drawing->arrows > 0) {
        open_entry(drawing, &at,
                   drawing->orders                     ? "waits for"
                   : drawing->arrows < SVG_ARROWS_MOST ? "event wait"
                                                       : "event wait (the first)");
        fputs("<path class=\"a\" d=\"M2 9H28\"", drawing->out);
        lab_svg_put_reference(drawing, "marker-end", "tip");
        fputs("/></g>\n", drawing->out);
    }
    if (drawing->outlined) {
        open_entry(drawing, &at, "queued work");
        fputs("<rect class=\"u\" stroke=\"var(--kernel)\" x=\"2\" y=\"1\" width=\"26\" height=\"15\"/></g>\n",
              drawing->out);
    }
    drawing->pitch = pitch;
    drawing->bar = bar;
    return at.x > SVG_MARGIN ? at.y + at.scale * SVG_LINE_HEIGHT - top : 0;
}

static double left_of(const timeline *chart)
{
    size_t label = 0;
    for (size_t r = 0; r < chart->rows; r++) {
        const size_t length = strlen(chart->row[r].label);
        if (length > label) label = length;
    }
    const double character = 6, least = 84, most = 190, left = (double)label * character + 14;
    return left < least ? least : left > most ? most : left;
}

/* Chooses sizes: rows get lower when there are many, and many operations are drawn as cells. */
static void choose_sizes(svg_drawing *drawing)
{
    const timeline *chart = drawing->chart;
    size_t spans = 0;
    for (size_t r = 0; r < chart->rows; r++)
        if (!lab_svg_is_rest(&chart->row[r])) spans += chart->row[r].spans;
    drawing->pitch = chart->rows <= 24 ? 24 : chart->rows <= 64 ? 16 : 11;
    drawing->bar = chart->rows <= 24 ? 17 : chart->rows <= 64 ? 11 : 8;
    drawing->dense = 0;
    if (spans <= SPANS_MOST) return;
    int cells = CELLS_MOST / (int)chart->rows;
    drawing->dense = cells < CELLS_LEAST ? CELLS_LEAST : cells;
}

static double put_head(const svg_drawing *drawing, const char *title, double y)
{
    const lab_trace *trace = drawing->chart->trace;
    if (*title) lab_svg_put_line(drawing, "t", y += SVG_LINE_HEIGHT - 4, title, SVG_TITLE_COLUMNS);
    char device[256];
    bool modelled = strcmp(trace->device_kind, "model") == 0; /* then its name says so */
    snprintf(device, sizeof device, "%s%s%s%s, %d multiprocessor%s",
             *trace->device_name ? trace->device_name : "device", modelled ? "" : ", ",
             modelled ? "" : trace->device_kind, modelled ? "" : " device", trace->multiprocessors,
             trace->multiprocessors == 1 ? "" : "s");
    lab_svg_put_line(drawing, "m", y += SVG_LINE_HEIGHT - 2, device, DEVICE_COLUMNS);
    return y;
}

/* Draws a run below *y, and moves that to its lower edge. All runs have one scale: the first with rows has the axis,
 * the last the legend. */
static lab_status draw_run(svg_drawing *drawing, const char *title, bool axis, bool last, double *y)
{
    const timeline *chart = drawing->chart;
    const timeline_figures figures = lab_timeline_figures(chart->trace, false);
    *y = put_head(drawing, title, *y + SVG_MARGIN) + (axis ? SVG_LINE_HEIGHT + 6 : SVG_MARGIN);
    if (chart->streams > 0) {
        double bottom = *y + 4;
        for (size_t r = 0; r < chart->rows; r++) bottom += lab_svg_height(drawing, &chart->row[r]);
        (axis ? lab_svg_put_axis : put_grid)(drawing, *y, bottom);
        LAB_TRY(lab_svg_put_rows(drawing, *y + 4));
        LAB_TRY(lab_svg_put_arrows(drawing, *y + 4));
        lab_svg_put_findings(drawing, *y + 4);
        *y = bottom + 10;
    }
    if (last) *y += lab_svg_put_legend(drawing, *y);
    lab_svg_put_line(drawing, "", *y += SVG_LINE_HEIGHT - 4, figures.extent, 90);
    if (*figures.overlap) lab_svg_put_line(drawing, "", *y += SVG_LINE_HEIGHT, figures.overlap, 90);
    *y += lab_svg_put_finding_texts(drawing, *y) + SVG_MARGIN;
    return LAB_SUCCESS;
}

lab_status lab_svg_draw(char **out, const timeline *chart, const char *const *title, size_t count, double *height)
{
    char *text = NULL;
    size_t size = 0;
    svg_drawing drawing = {.width = SVG_WIDTH, .out = open_memstream(&text, &size)};
    if (!drawing.out) return no_memory();
    drawing.right = drawing.width - SVG_MARGIN;
    for (size_t i = 0; i < count; i++)
        if (left_of(&chart[i]) > drawing.left) drawing.left = left_of(&chart[i]);
    lab_status status = LAB_SUCCESS;
    bool axis = true;
    *height = 0;
    for (size_t i = 0; i < count && status == LAB_SUCCESS; i++) {
        drawing.chart = &chart[i];
        choose_sizes(&drawing);
        status = draw_run(&drawing, title[i], axis, i + 1 == count, height);
        axis &= chart[i].streams == 0;
    }
    bool failed = ferror(drawing.out) != 0;
    if (fclose(drawing.out) != 0 || failed) status = no_memory();
    if (status == LAB_SUCCESS)
        *out = text;
    else
        free(text);
    return status;
}
