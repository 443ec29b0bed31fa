/* The document of a figure: its columns, one for each machine, their runs, and one legend. */
#include "timeline_svg.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MOST = 16 };
enum {
    AXIS = 20,
    HEAD = 18,
    TITLE = 18,
    NO_TITLE = 3,
    BRACKET = 19,
    FINDING = 15,
    BELOW_RUN = 3,
    ROOM = 4,
    COLUMN_GAP = 20
};

/* A unit of the drawing on the page: a letter is 11 units high and has to be read from the last row. */
static const double unit = 1150.0 / SVG_WIDTH;
static const double lowest = 11;

typedef struct column {
    const lab_figure_column *as;
    timeline chart[RUNS_MOST];
    size_t charts;
} column;

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the figure"); }

static int64_t end_of(const lab_figure_column *as)
{
    int64_t end = 1;
    for (size_t r = 0; r < as->runs; r++) {
        for (size_t i = 0; i < as->run[r].trace->ops; i++) {
            const lab_trace_op *op = &as->run[r].trace->op[i];
            if (op->return_ns > end) end = op->return_ns;
            if (op->end_ns > end) end = op->end_ns;
        }
    }
    return end + end / 100;
}

static void clear(column *shown)
{
    for (size_t r = 0; r < shown->charts; r++) lab_timeline_clear(&shown->chart[r]);
    shown->charts = 0;
}

static lab_status lay_out(column *shown, const lab_figure *figure, const lab_figure_column *as)
{
    shown->as = as;
    const int64_t end = end_of(as);
    for (size_t r = 0; r < as->runs; r++) {
        lab_status status = lab_timeline_lay_out_figure(&shown->chart[r], figure, &as->run[r], end);
        if (status != LAB_SUCCESS) clear(shown);
        LAB_TRY(status);
        shown->charts++;
    }
    return LAB_SUCCESS;
}

/* --- Heights ---------------------------------------------------------------------------------------------------- */

/* Arrows and events need room between the rows of streams. */
static void set_pitch(svg_drawing *drawing, double pitch)
{
    const bool tight = drawing->chart->figure->rows != LAB_FIGURE_STREAMS;
    drawing->pitch = pitch;
    drawing->bar = pitch - (tight ? 3 : pitch >= 22 ? 7 : pitch >= 16 ? 4 : 3);
}

static double rows_height(svg_drawing *drawing, const timeline *chart)
{
    double height = 0;
    for (size_t r = 0; r < chart->rows; r++) height += lab_svg_height(drawing, &chart->row[r]);
    return height;
}

static double run_height(svg_drawing *drawing, const timeline *chart)
{
    return (*chart->run->title ? TITLE : NO_TITLE) + rows_height(drawing, chart) +
           (chart->figure->bracket ? BRACKET : 0) + (lab_figure_finding(chart) ? FINDING : 0) + BELOW_RUN;
}

static double column_height(svg_drawing *drawing, const column *shown)
{
    double height = AXIS + (*shown->as->head ? HEAD : 0);
    for (size_t r = 0; r < shown->charts; r++) height += run_height(drawing, &shown->chart[r]);
    return height;
}

/* A figure with steps stands next to its program, so it is narrow, and all of its room is below it. */
static double highest(const column *shown) { return shown->as->runs && shown->as->run[0].steps ? 48 : 32; }

/* Rows as high as there is room for. */
static void choose_pitch(svg_drawing *drawing, const column *shown, double room)
{
    double pitch = highest(shown);
    for (set_pitch(drawing, pitch); pitch > lowest && column_height(drawing, shown) > room; pitch--)
        set_pitch(drawing, pitch - 1);
}

static void choose_edges(svg_drawing *drawing, const column *shown)
{
    const double letter = 6, least = 66, use = 38;
    bool uses = false;
    drawing->left = least;
    for (size_t r = 0; r < shown->charts; r++) {
        uses |= lab_figure_has_uses(&shown->chart[r]);
        for (size_t i = 0; i < shown->chart[r].rows; i++) {
            const double wide = (double)strlen(shown->chart[r].row[i].label) * letter + 14;
            if (wide > drawing->left) drawing->left = wide;
        }
    }
    drawing->right = drawing->width - (uses ? use : SVG_MARGIN);
}

/* --- Drawing ---------------------------------------------------------------------------------------------------- */

static int64_t took(const lab_trace *trace)
{
    int64_t end = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        if (trace->op[i].return_ns > end) end = trace->op[i].return_ns;
        if (trace->op[i].end_ns > end) end = trace->op[i].end_ns;
    }
    return end;
}

/* Threads work for longer than their rows tell, so their titles say how long. */
static void put_title(const svg_drawing *drawing, double y)
{
    static const char *const class[] = {"v", "x", "y"}, *const sign[] = {"", "✗ ", "✓ "};
    const lab_figure_run *run = drawing->chart->run;
    if (!*run->title) return;
    fprintf(drawing->out, "<text class=\"%s\" x=\"%d\" y=\"%.4g\">%s", class[run->verdict], SVG_MARGIN, y,
            sign[run->verdict]);
    lab_svg_put_text(drawing->out, run->title, LAB_TRACE_TEXT_BYTES);
    if (drawing->chart->figure->rows == LAB_FIGURE_THREADS) {
        char time[32];
        lab_timeline_duration(time, sizeof time, (double)took(run->trace), false);
        fprintf(drawing->out, ": %s", time);
    }
    fputs("</text>\n", drawing->out);
}

static lab_status put_run(svg_drawing *drawing, const timeline *chart, double y)
{
    drawing->chart = chart;
    if (*chart->run->title) put_title(drawing, y + 12);
    const double top = y + (*chart->run->title ? TITLE : NO_TITLE);
    double below = top + rows_height(drawing, chart);
    LAB_TRY(lab_svg_put_rows(drawing, top));
    LAB_TRY(lab_svg_put_arrows(drawing, top));
    lab_figure_put_uses(drawing, top);
    lab_figure_put_finding(drawing, top, below + 10);
    if (lab_figure_finding(chart)) below += FINDING;
    return chart->figure->bracket ? lab_figure_put_bracket(drawing, below + 4) : LAB_SUCCESS;
}

static lab_status put_column(svg_drawing *drawing, const column *shown, double x)
{
    double y = 0;
    fprintf(drawing->out, "<g transform=\"translate(%.4g 0)\">\n", x);
    if (*shown->as->head) {
        fprintf(drawing->out, "<text class=\"m\" x=\"%d\" y=\"12\">", SVG_MARGIN);
        lab_svg_put_text(drawing->out, shown->as->head, LAB_TRACE_TEXT_BYTES);
        fputs("</text>\n", drawing->out);
        y += HEAD;
    }
    lab_svg_put_axis(drawing, y + 17, column_height(drawing, shown) - BELOW_RUN);
    y += AXIS;
    for (size_t r = 0; r < shown->charts; r++) {
        LAB_TRY(put_run(drawing, &shown->chart[r], y));
        y += run_height(drawing, &shown->chart[r]);
    }
    fputs("</g>\n", drawing->out);
    return LAB_SUCCESS;
}

/* Draws the columns and the legend; gives their height. */
static lab_status put_columns(svg_drawing *drawing, const lab_figure *figure, double *height)
{
    const double whole = drawing->width;
    const double wide = (whole + COLUMN_GAP) / (double)figure->columns - COLUMN_GAP;
    const double room = figure->height / unit - SVG_LINE_HEIGHT - ROOM;
    double deepest = 0;
    column *shown = calloc(1, sizeof *shown);
    if (!shown) return no_memory();
    lab_status status = LAB_SUCCESS;
    for (size_t c = 0; c < figure->columns && status == LAB_SUCCESS; c++) {
        status = lay_out(shown, figure, &figure->column[c]);
        if (status != LAB_SUCCESS) break;
        drawing->width = wide;
        drawing->chart = &shown->chart[0];
        choose_edges(drawing, shown);
        choose_pitch(drawing, shown, room);
        status = put_column(drawing, shown, (double)c * (wide + COLUMN_GAP));
        const double own = column_height(drawing, shown);
        if (own > deepest) deepest = own;
        if (c + 1 < figure->columns) clear(shown);
    }
    drawing->width = whole;
    if (status == LAB_SUCCESS) *height = deepest + ROOM + lab_svg_put_legend(drawing, deepest + ROOM);
    clear(shown);
    free(shown);
    return status;
}

static void put_document(FILE *out, const lab_figure *figure, const char *inside, double width, double height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lab-timeline\" viewBox=\"0 0 %.4g %.0f\" "
            "font-size=\"11\">\n<title>",
            width, height);
    lab_svg_put_text(out, figure->title, LAB_TRACE_TEXT_BYTES);
    fputs("</title>\n<desc>", out);
    lab_svg_put_text(out, figure->about, LAB_TRACE_TEXT_BYTES);
    fputs("</desc>\n", out);
    lab_svg_put_styles(out, false);
    fprintf(out, "%s</svg>\n", inside);
}

static lab_status finished(FILE *out, lab_status status)
{
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) return no_memory();
    return status;
}

lab_status lab_figure_svg(char **out, const lab_figure *figure)
{
    char *inside = NULL, *whole = NULL;
    size_t size = 0;
    double height = 0;
    svg_drawing drawing = {.width = figure->width / unit, .out = open_memstream(&inside, &size)};
    if (!drawing.out) return no_memory();
    const double width = drawing.width;
    lab_status status = finished(drawing.out, put_columns(&drawing, figure, &height));
    FILE *document = status == LAB_SUCCESS ? open_memstream(&whole, &size) : NULL;
    if (document) {
        put_document(document, figure, inside, width, height);
        status = finished(document, LAB_SUCCESS);
    } else if (status == LAB_SUCCESS) {
        status = no_memory();
    }
    free(inside);
    if (status == LAB_SUCCESS)
        *out = whole;
    else
        free(whole);
    return status;
}
