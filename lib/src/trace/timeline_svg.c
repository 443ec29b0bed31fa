/*
 * A timeline as one SVG document without scripts or anything outside it. What runs is told apart by height, pattern
 * and label; colour is a second signal. Light or dark as the reader's page is; below 480 pixels the text is larger and
 * there is less of it. The styles apply only below their class, so that a page may hold several timelines.
 *
 * The size of the document depends on the rows asked for, not on the record: one with too many operations to draw each
 * is drawn as the text timeline is, in cells.
 */
#include "trace/timeline.h"
#include "trace/arrows.h"
#include "plain_text.h"
#include "status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 720,
    MARGIN = 10,
    SPANS_MOST = 6000, /* up to here each is drawn: an operation has one or two */
    CELLS_MOST = 6000, /* of all rows together beyond */
    CELLS_LEAST = 60,  /* of a row */
    ARROWS_MOST = 400,
    TICKS = 10,
    REST_HEIGHT = 44,
    REST_CELLS = 160,
    LEGEND_COLUMNS = 3,
    LINE_HEIGHT = 22,
    TITLE_COLUMNS = 54,
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

static const char style[] =
    "<style>"
    ".lab-timeline{--paper:#fff;--ink:#1b1f24;--soft:#5b6570;--line:#dfe3e8;--in:#0069a8;--run:#b84a00;"
    "--out:#86358a;--wait:#6b7480;color-scheme:light dark;max-width:100%;height:auto;font:11px system-ui,sans-serif}"
    "@media(prefers-color-scheme:dark){.lab-timeline{--paper:#15181c;--ink:#e6e9ec;--soft:#a3adb8;--line:#30363d;"
    "--in:#56b4e9;--run:#f0a030;--out:#d58bd8;--wait:#8b95a1}}"
    ".lab-timeline text{fill:var(--ink)}"
    ".lab-timeline .t{font-size:15px;font-weight:600}"
    ".lab-timeline .m{fill:var(--soft)}"
    ".lab-timeline .l{font-size:9px}"
    ".lab-timeline .b{fill:var(--paper);font-size:10px;pointer-events:none}"
    ".lab-timeline .g{stroke:var(--line);fill:none}"
    ".lab-timeline .i{fill:url(#lab-timeline-in);stroke:var(--in);stroke-width:.8}"
    ".lab-timeline .k{fill:var(--run)}"
    ".lab-timeline .o{fill:url(#lab-timeline-out);stroke:var(--out);stroke-width:.8}"
    ".lab-timeline .d{fill:var(--soft)}"
    ".lab-timeline .h{fill:none;stroke:var(--run);stroke-width:1.5}"
    ".lab-timeline .s{fill:url(#lab-timeline-wait);stroke:var(--wait);stroke-width:.6}"
    ".lab-timeline .q{stroke:var(--soft);stroke-dasharray:1.5 3;fill:none}"
    ".lab-timeline .c{stroke:var(--wait);stroke-width:3;fill:none}"
    ".lab-timeline .e{fill:var(--ink)}"
    ".lab-timeline .a{stroke:var(--ink);stroke-width:1.1;fill:none;marker-end:url(#lab-timeline-tip)}"
    "@media(max-width:480px){.lab-timeline text{font-size:21px}.lab-timeline .t{font-size:21px}"
    ".lab-timeline .n,.lab-timeline .b{display:none}}"
    "</style>\n";

static const char definitions[] =
    "<defs>"
    "<pattern id=\"lab-timeline-in\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" style=\"fill:var(--in)\"/>"
    "<rect width=\"1.6\" height=\"5\" style=\"fill:var(--paper)\"/></pattern>"
    "<pattern id=\"lab-timeline-out\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(-45)\"><rect width=\"5\" height=\"5\" style=\"fill:var(--out)\"/>"
    "<rect width=\"1.6\" height=\"5\" style=\"fill:var(--paper)\"/></pattern>"
    "<pattern id=\"lab-timeline-wait\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\">"
    "<rect width=\"1\" height=\"4\" style=\"fill:var(--wait);opacity:.6\"/></pattern>"
    "<marker id=\"lab-timeline-tip\" viewBox=\"0 0 6 6\" refX=\"5.5\" refY=\"3\" markerWidth=\"5\" markerHeight=\"5\" "
    "orient=\"auto\"><path d=\"M0 0L6 3L0 6z\" style=\"fill:var(--ink)\"/></marker>"
    "</defs>\n";

typedef struct drawing {
    FILE *out;
    const timeline *of;
    double left, right; /* of the plot */
    double pitch, bar;  /* from row to row; the height of what is in one */
    int dense;          /* cells of a row; 0 if every operation is drawn */
    bool shown[TIMELINE_MARKS];
    int arrows;
} drawing;

static lab_status no_memory(void) { return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the timeline"); }

/* --- Text ------------------------------------------------------------------------------------------------------- */

/* Clean text of at most so many columns, with what XML reserves escaped. */
static void put_text(FILE *out, const char *text, int columns)
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

static void put_moment(const drawing *to, int64_t when)
{
    char text[32];
    lab_timeline_duration(text, sizeof text, (double)(when - to->of->from), false);
    fputs(text, to->out);
}

/* "170 µs, from 1.23 ms to 1.40 ms" */
static void put_times(const drawing *to, int64_t from, int64_t until)
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
    put_text(out, slash ? slash + 1 : op->file, NAME_COLUMNS);
    fprintf(out, ":%d", op->line);
}

/* What a reader sees who points at the operation: a line of what and where, one of when, and what else is known. */
static void put_tooltip(const drawing *to, const timeline_span *span, const char *label)
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
    put_text(to->out, op->name, NAME_COLUMNS);
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

static double x_of(const drawing *to, double when)
{
    double share = (when - (double)to->of->from) / (double)(to->of->to - to->of->from);
    return to->left + share * (to->right - to->left);
}

static bool is_rest(const timeline_row *row) { return *row->label == '+'; }

static double height_of(const drawing *to, const timeline_row *row) { return is_rest(row) ? REST_HEIGHT : to->pitch; }

/* A shape for a mark, `</rect>` or `</path>` still to come. Coordinates are relative to the row. */
static const char *open_shape(drawing *to, timeline_mark mark, double x, double width)
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
static void put_bar_name(const drawing *to, const timeline_span *span, double x, double width)
{
    const char *name = to->of->trace->op[span->op].name;
    const double character = 5.9;
    int columns = (int)((width - 6) / character);
    if (span->mark != TIMELINE_KERNEL || to->bar < 14 || *name == '\0' || columns < 4) return;
    if (lab_text_fit(name, columns) < strlen(name) && columns < 8) return;
    fprintf(to->out, "<text class=\"b\" x=\"%.2f\" y=\"%.4g\">", x + 3, to->bar / 2 + 3.5);
    put_text(to->out, name, columns);
    fputs("</text>", to->out);
}

/* Queued work and the host's short calls are a line, all of a row in one path. */
static void put_line(drawing *to, const timeline_row *row, timeline_mark mark)
{
    bool any = false;
    for (size_t i = 0; i < row->spans; i++) {
        const timeline_span *span = &row->span[i];
        if (span->mark != mark) continue;
        if (!any) fprintf(to->out, "<path class=\"%s\" d=\"", looks[mark].class);
        any = true;
        fprintf(to->out, "M%.2f %.4gH%.2f", x_of(to, (double)span->from), looks[mark].top * to->bar,
                x_of(to, (double)span->to));
    }
    if (!any) return;
    fputs("\"/>\n", to->out);
    to->shown[mark] = true;
}

static void put_operations(drawing *to, const timeline_row *row)
{
    put_line(to, row, TIMELINE_QUEUED);
    put_line(to, row, TIMELINE_CALL);
    for (size_t i = 0; i < row->spans; i++) {
        const timeline_span *span = &row->span[i];
        if (!timeline_fills(span->mark) && !timeline_is_moment(span->mark)) continue;
        double x = x_of(to, (double)span->from);
        double width = x_of(to, (double)span->to) - x;
        const char *close = open_shape(to, span->mark, x, width);
        put_tooltip(to, span, row->label);
        fprintf(to->out, "%s", close);
        put_bar_name(to, span, x, width);
        fputc('\n', to->out);
    }
}

/* One shape for each run of equal cells. */
static lab_status put_cells(drawing *to, const timeline_row *row)
{
    timeline_mark *cell = lab_timeline_cells(to->of, row, to->dense);
    if (!cell) return no_memory();
    const double width = (double)(to->of->to - to->of->from) / to->dense;
    for (int first = 0, after; first < to->dense; first = after) {
        for (after = first + 1; after < to->dense && cell[after] == cell[first];) after++;
        if (!timeline_fills(cell[first])) continue;
        double from = (double)to->of->from + first * width;
        double until = (double)to->of->from + after * width;
        const char *close = open_shape(to, cell[first], x_of(to, from), x_of(to, until) - x_of(to, from));
        fprintf(to->out, "<title>mostly %s, %s\n", lab_timeline_mark_name(cell[first]), row->label);
        put_times(to, (int64_t)from, (int64_t)until);
        fprintf(to->out, "</title>%s\n", close);
    }
    free(cell);
    return LAB_SUCCESS;
}

/* The streams without a row of their own: how many of them copied in, ran kernels and copied out, one upon another. */
static lab_status put_rest(drawing *to, const timeline_row *row)
{
    double *time = lab_timeline_measure(to->of, row, REST_CELLS);
    if (!time) return no_memory();
    const double width = (double)(to->of->to - to->of->from) / REST_CELLS;
    const double room = REST_HEIGHT - 16;
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
            fprintf(to->out, "M%.2f %.4gv%.4gh%.2fv%.4gz", x_of(to, (double)to->of->from + c * width),
                    REST_HEIGHT - 4 - base[c], -height, (to->right - to->left) / REST_CELLS, height);
            base[c] += height;
        }
        if (any) fprintf(to->out, "\"><title>%s, %s</title></path>\n", lab_timeline_mark_name(mark), row->label);
        to->shown[mark] |= any;
    }
    free(time);
    return LAB_SUCCESS;
}

/* The label, with the word that a narrow page has no room for apart. */
static void put_label(const drawing *to, const timeline_row *row, size_t index)
{
    const size_t every = to->pitch < LINE_HEIGHT ? 2 : 1; /* row has a label on a narrow page */
    const char *label = row->label;
    fprintf(to->out, "<text class=\"%s%s\" x=\"%.4g\" y=\"%.4g\" text-anchor=\"end\">", to->pitch < 14 ? "l" : "",
            index % every == 0 || is_rest(row) ? "" : " n", to->left - 6,
            (is_rest(row) ? REST_HEIGHT : to->bar) / 2 + 3.5);
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

static lab_status put_rows(drawing *to, double top)
{
    double y = top;
    for (size_t r = 0; r < to->of->rows; r++) {
        const timeline_row *row = &to->of->row[r];
        fprintf(to->out, "<g transform=\"translate(0 %.4g)\">\n", y + (to->pitch - to->bar) / 2);
        put_label(to, row, r);
        if (is_rest(row))
            LAB_TRY(put_rest(to, row));
        else if (to->dense > 0)
            LAB_TRY(put_cells(to, row));
        else
            put_operations(to, row);
        fputs("</g>\n", to->out);
        y += height_of(to, row);
    }
    return LAB_SUCCESS;
}

/* --- Arrows ----------------------------------------------------------------------------------------------------- */

/* The middle of the row that an end of an arrow is in; false if it has none of its own, or is outside the window. */
static bool place(const drawing *to, size_t op, bool host, int64_t when, double top, double *y)
{
    const timeline *of = to->of;
    if (when < of->from || when > of->to) return false;
    bool has_host = strcmp(of->row[0].label, "host") == 0;
    size_t row = host ? 0 : of->row_of_stream[lab_trace_find_stream(of->trace, of->trace->op[op].stream)];
    if ((host && !has_host) || row == of->rows || is_rest(&of->row[row])) return false;
    *y = top + (double)row * to->pitch + to->pitch / 2; /* the row of the rest, of another height, is the last */
    return true;
}

/* A line that leaves and arrives level, and ends at the edge of the bar that it points to. */
static void put_arrow(const drawing *to, double from_x, double from_y, double to_x, double to_y)
{
    double bend = (to_x - from_x) / 2;
    bend = bend < 0 ? 0 : bend > 40 ? 40 : bend;
    if (to_y > from_y) to_y -= to->bar / 2;
    if (to_y < from_y) to_y += to->bar / 2;
    fprintf(to->out, "<path class=\"a\" d=\"M%.2f %.4gC%.2f %.4g %.2f %.4g %.2f %.4g\"/>\n", from_x, from_y,
            from_x + bend, from_y, to_x - bend, to_y, to_x, to_y);
}

/* From records of events to what waits for them. */
static lab_status put_arrows(drawing *to, double top)
{
    const lab_trace *trace = to->of->trace;
    lab_arrows *arrows;
    LAB_TRY(lab_arrows_create(&arrows, trace));
    for (size_t i = 0; i < trace->ops; i++) {
        for (int w = 0; w < trace->op[i].waits && to->arrows < ARROWS_MOST; w++) {
            lab_arrow arrow;
            double from_y, to_y;
            if (!lab_arrows_get(arrows, i, w, &arrow) || trace->op[arrow.source].kind != LAB_OP_EVENT_RECORD ||
                !place(to, arrow.source, false, arrow.from_ns, top, &from_y) ||
                !place(to, arrow.target, arrow.to_host, arrow.to_ns, top, &to_y))
                continue;
            double from_x = x_of(to, (double)arrow.from_ns);
            double to_x = x_of(to, (double)arrow.to_ns);
            put_arrow(to, from_x, from_y, to_x, to_y);
            to->arrows++;
        }
    }
    lab_arrows_free(arrows);
    return LAB_SUCCESS;
}

/* --- Around the rows -------------------------------------------------------------------------------------------- */

static void put_axis(const drawing *to, double y, double bottom)
{
    const timeline_axis axis = lab_timeline_axis(to->of, TICKS);
    const int64_t span = to->of->to - to->of->from;
    fprintf(to->out, "<path class=\"g\" d=\"M%.4g %.4gH%.4g", to->left, y, to->right);
    for (int64_t when = 0; when <= span; when += axis.step_ns)
        fprintf(to->out, "M%.2f %.4gV%.4g", x_of(to, (double)(to->of->from + when)), y - 4, bottom);
    fputs("\"/>\n", to->out);

    fprintf(
        to->out,
        "<text class=\"m\" x=\"%.4g\" y=\"%.4g\" text-anchor=\"end\"><tspan class=\"n\">time in </tspan>%s</text>\n",
        to->left - 6, y - 7, lab_timeline_unit(axis.unit_ns, false));
    int index = 0;
    for (int64_t when = 0; when <= span; when += axis.step_ns, index++) {
        double x = x_of(to, (double)(to->of->from + when));
        const char *anchor = index == 0 ? "start" : x > to->right - 14 ? "end" : "middle";
        fprintf(to->out, "<text class=\"m%s\" x=\"%.2f\" y=\"%.4g\" text-anchor=\"%s\">%.*f</text>\n",
                index % 2 == 1 ? " n" : "", x, y - 7, anchor, axis.decimals, (double)when / (double)axis.unit_ns);
    }
}

/* The y of the entry's upper left corner; entries go from left to right, then down. */
static double open_entry(const drawing *to, int index, double top, const char *meaning)
{
    const double column = (WIDTH - 2.0 * MARGIN) / LEGEND_COLUMNS;
    double x = MARGIN + index % LEGEND_COLUMNS * column;
    double y = top + (double)(index / LEGEND_COLUMNS * LINE_HEIGHT);
    fprintf(to->out, "<g transform=\"translate(%.4g %.4g)\"><text x=\"34\" y=\"13\">%s</text>", x, y, meaning);
    return y;
}

/* Says what each mark in the drawing means; returns how high it is. */
static double put_legend(drawing *to, double top)
{
    const double pitch = to->pitch, bar = to->bar;
    to->pitch = LINE_HEIGHT;
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
        open_entry(to, index++, top, to->arrows < ARROWS_MOST ? "event wait" : "event wait (the first)");
        fputs("<path class=\"a\" d=\"M2 9H28\"/></g>\n", to->out);
    }
    to->pitch = pitch;
    to->bar = bar;
    return (index + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS * (double)LINE_HEIGHT;
}

static void put_line_of_text(const drawing *to, const char *class, double y, const char *text, int columns)
{
    fprintf(to->out, "<text class=\"%s\" x=\"%d\" y=\"%.4g\">", class, MARGIN, y);
    put_text(to->out, text, columns);
    fputs("</text>\n", to->out);
}

/* Chooses sizes: many rows are lower, and many operations are drawn as cells. */
static void choose_sizes(drawing *to)
{
    const timeline *of = to->of;
    size_t label = 0, spans = 0;
    for (size_t r = 0; r < of->rows; r++) {
        size_t length = strlen(of->row[r].label);
        if (length > label) label = length;
        if (!is_rest(&of->row[r])) spans += of->row[r].spans;
    }
    const double character = 6, left_least = 84, left_most = 190;
    to->left = (double)label * character + 14;
    to->left = to->left < left_least ? left_least : to->left > left_most ? left_most : to->left;
    to->right = WIDTH - MARGIN;
    to->pitch = of->rows <= 24 ? 24 : of->rows <= 64 ? 16 : 11;
    to->bar = of->rows <= 24 ? 17 : of->rows <= 64 ? 11 : 8;
    if (spans <= SPANS_MOST) return;
    int cells = CELLS_MOST / (int)of->rows;
    to->dense = cells < CELLS_LEAST ? CELLS_LEAST : cells;
}

/* Everything but the outermost element, whose height is known only afterwards: it is returned. */
static lab_status draw(drawing *to, const char *title, double *height)
{
    const timeline *of = to->of;
    const lab_trace *trace = of->trace;
    const timeline_figures figures = lab_timeline_figures(trace, false);
    double y = MARGIN;
    if (*title) put_line_of_text(to, "t", y += LINE_HEIGHT - 4, title, TITLE_COLUMNS);
    char device[256];
    bool modelled = strcmp(trace->device_kind, "model") == 0; /* its name says so */
    snprintf(device, sizeof device, "%s%s%s%s, %d multiprocessor%s",
             *trace->device_name ? trace->device_name : "device", modelled ? "" : ", ",
             modelled ? "" : trace->device_kind, modelled ? "" : " device", trace->multiprocessors,
             trace->multiprocessors == 1 ? "" : "s");
    put_line_of_text(to, "m", y += LINE_HEIGHT - 2, device, DEVICE_COLUMNS);
    y += LINE_HEIGHT + 6;

    if (of->streams > 0) {
        double bottom = y + 4;
        for (size_t r = 0; r < of->rows; r++) bottom += height_of(to, &of->row[r]);
        put_axis(to, y, bottom);
        LAB_TRY(put_rows(to, y + 4));
        LAB_TRY(put_arrows(to, y + 4));
        y = bottom + 10;
        y += put_legend(to, y);
    }
    put_line_of_text(to, "", y += LINE_HEIGHT - 4, figures.extent, 90);
    if (*figures.overlap) put_line_of_text(to, "", y += LINE_HEIGHT, figures.overlap, 90);
    *height = y + MARGIN;
    return LAB_SUCCESS;
}

/* The document around the drawing. */
static void put_document(FILE *out, const char *drawn, double height, const char *title)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lab-timeline\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
            "height=\"%.0f\" role=\"img\" aria-label=\"Timeline",
            WIDTH, height, WIDTH, height);
    if (*title) fputs(": ", out);
    put_text(out, title, 200);
    fprintf(out, "\">\n%s%s<rect width=\"%d\" height=\"%.0f\" style=\"fill:var(--paper)\"/>\n%s</svg>\n", style,
            definitions, WIDTH, height, drawn);
}

static lab_status draw_to_memory(char **out, const timeline *of, const char *title, double *height)
{
    char *text = NULL;
    size_t size = 0;
    drawing to = {.of = of, .out = open_memstream(&text, &size)};
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

lab_status lab_timeline_svg(char **out, const lab_trace *trace, const lab_timeline_options *given)
{
    const lab_timeline_options options = lab_timeline_complete(given);
    timeline of;
    char title[LAB_TRACE_TEXT_BYTES] = "";
    char *drawn = NULL, *text = NULL;
    size_t size = 0;
    double height = 0;
    if (options.title) lab_text_clean(title, sizeof title, options.title, strlen(options.title));
    LAB_TRY(lab_timeline_lay_out(&of, trace, &options));
    lab_status status = draw_to_memory(&drawn, &of, title, &height);
    lab_timeline_clear(&of);
    if (status != LAB_SUCCESS) return status;

    FILE *document = open_memstream(&text, &size);
    if (document) {
        put_document(document, drawn, height, title);
        bool failed = ferror(document) != 0;
        if (fclose(document) != 0 || failed) status = no_memory();
    } else {
        status = no_memory();
    }
    free(drawn);
    if (status == LAB_SUCCESS)
        *out = text;
    else
        free(text);
    return status;
}
