/*
 * A timeline as lines of text: characters for marks, an axis above, a legend and the figures below. No line is wider
 * than the given number of columns.
 */
#include "timeline.h"
#include "base/plain_text.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_LEAST = 40, COLUMNS_MOST = 10000, CELLS_LEAST = 16, AXIS_LABEL_COLUMNS = 7 };
enum { FRAME_LEFT = 2, FRAME_RIGHT = 1, HEADING_COLUMNS = 10 }; /* " |", "|", "time in ms" */

typedef struct look {
    const char *ascii, *unicode;
    const char *color; /* the number of an ANSI colour or style; "" for none */
} look;

/* The terminal's hues that are nearest to those of timeline_look.h. */
static const look looks[TIMELINE_MARKS] = {
    [TIMELINE_IDLE] = {" ", " ", ""},
    [TIMELINE_HTOD] = {">", "▀", "36"},
    [TIMELINE_KERNEL] = {"#", "█", "33"},
    [TIMELINE_DTOH] = {"<", "▄", "32"},
    [TIMELINE_DTOD] = {"%", "▒", "33"},
    [TIMELINE_FILL] = {"o", "░", "33"},
    [TIMELINE_HOST_FUNCTION] = {"f", "f", "35"},
    [TIMELINE_WAIT] = {"=", "═", "35"},
    [TIMELINE_QUEUED] = {".", "·", "2"},
    [TIMELINE_CALL] = {"-", "─", "35"},
    [TIMELINE_RANGE] = {"~", "~", "1"},
    [TIMELINE_EVENT] = {"!", "╿", "1"},
    [TIMELINE_NOTE] = {"v", "v", "1"},
};

typedef struct drawing {
    FILE *out;
    const timeline *chart;
    int columns;
    int label_columns;
    int cells;
    bool ascii, color;
    bool shown[TIMELINE_MARKS]; /* the marks that the legend explains */
    bool counted;               /* whether it also explains the counts of the last row */
} drawing;

static const char *glyph(const drawing *canvas, timeline_mark mark)
{
    return canvas->ascii ? looks[mark].ascii : looks[mark].unicode;
}

static const char *bar(const drawing *canvas) { return canvas->ascii ? "|" : "│"; }

/* Writes clean text, cut to the width of a line. */
static void put_fitted(const drawing *canvas, const char *text)
{
    const char *cut = canvas->ascii ? "..." : "…";
    size_t length = lab_text_fit(text, canvas->columns);
    bool whole = text[length] == '\0';
    if (!whole) length = lab_text_fit(text, canvas->columns - (canvas->ascii ? 3 : 1));
    for (size_t at = 0, bytes; at < length; at += bytes) {
        uint32_t character = lab_text_character(text + at, &bytes);
        if (canvas->ascii && character >= 0x80)
            fputc('?', canvas->out);
        else
            fwrite(text + at, 1, bytes, canvas->out);
    }
    fprintf(canvas->out, "%s\n", whole ? "" : cut);
}

static lab_status put_title(const drawing *canvas, const char *title)
{
    if (!title || *title == '\0') return LAB_SUCCESS;
    size_t size = strlen(title) * 3 + 1; /* each byte may become U+FFFD */
    char *clean = malloc(size);
    if (!clean) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the timeline");
    lab_text_clean(clean, size, title, strlen(title));
    put_fitted(canvas, clean);
    free(clean);
    return LAB_SUCCESS;
}

/* --- Axis ------------------------------------------------------------------------------------------------------- */

/* The cell of the tick. */
static int tick_cell(const drawing *canvas, int64_t when)
{
    return (int)((double)when / (double)(canvas->chart->end - canvas->chart->begin) * canvas->cells);
}

/* Writes a line of numbers and a ruler below it, with a tick per number. */
static void put_axis(const drawing *canvas)
{
    const timeline_axis axis = lab_timeline_axis(canvas->chart, canvas->cells / AXIS_LABEL_COLUMNS);
    const int64_t span = canvas->chart->end - canvas->chart->begin;
    const char *unit = lab_timeline_unit(axis.unit_ns, canvas->ascii);
    int column = 0; /* counted from the first cell, where the labels begin */
    fprintf(canvas->out, "time in %s%*s", unit,
            canvas->label_columns - HEADING_COLUMNS + (unit[1] == '\0') + FRAME_LEFT, "");
    for (int64_t when = 0; when <= span; when += axis.step_ns) {
        char label[32];
        int length = snprintf(label, sizeof label, "%.*f", axis.decimals, (double)when / (double)axis.unit_ns);
        int at = tick_cell(canvas, when);
        if (at < column || at + length > canvas->cells + 1) continue;
        fprintf(canvas->out, "%*s%s", at - column, "", label);
        column = at + length;
    }
    fprintf(canvas->out, "\n%*s", canvas->label_columns + FRAME_LEFT, "");

    int64_t next = 0;
    for (int cell = 0; cell < canvas->cells; cell++) {
        bool tick = next <= span && tick_cell(canvas, next) == cell;
        while (next <= span && tick_cell(canvas, next) <= cell) next += axis.step_ns;
        fputs(tick ? (canvas->ascii ? "+" : "┬") : (canvas->ascii ? "-" : "─"), canvas->out);
    }
    fputc('\n', canvas->out);
}

/* --- Rows ------------------------------------------------------------------------------------------------------- */

static void switch_color(const drawing *canvas, const char **current, const char *wanted)
{
    if (!canvas->color || strcmp(*current, wanted) == 0) return;
    if (**current) fputs("\033[0m", canvas->out);
    if (*wanted) fprintf(canvas->out, "\033[%sm", wanted);
    *current = wanted;
}

static void put_cells(drawing *canvas, const timeline_mark *cell)
{
    const char *color = "";
    for (int c = 0; c < canvas->cells; c++) {
        switch_color(canvas, &color, looks[cell[c]].color);
        fputs(glyph(canvas, cell[c]), canvas->out);
        canvas->shown[cell[c]] = true;
    }
    switch_color(canvas, &color, "");
}

/* The combined row: the number of busy streams, on average over the cell, from 1 to 9, and + for more. */
static void put_counts(drawing *canvas, const double *time)
{
    const double width = (double)(canvas->chart->end - canvas->chart->begin) / canvas->cells;
    for (int c = 0; c < canvas->cells; c++) {
        double busy = 0;
        for (timeline_mark mark = TIMELINE_HTOD; mark <= TIMELINE_WAIT; mark++) busy += time[c * TIMELINE_MARKS + mark];
        double count = busy / width + 0.5;
        if (busy > 0 && count < 1) count = 1;
        fputc(count < 1 ? ' ' : count < 10 ? '0' + (int)count : '+', canvas->out);
    }
    canvas->counted = true;
}

static lab_status put_row(drawing *canvas, const timeline_row *row)
{
    bool rest = row->streams > 1 || *row->label == '+';
    void *content = rest ? (void *)lab_timeline_measure(canvas->chart, row, canvas->cells)
                         : (void *)lab_timeline_cells(canvas->chart, row, canvas->cells);
    if (!content) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the timeline");
    fprintf(canvas->out, "%-*.*s %s", canvas->label_columns, canvas->label_columns, row->label, bar(canvas));
    if (rest)
        put_counts(canvas, content);
    else
        put_cells(canvas, content);
    fprintf(canvas->out, "%s\n", bar(canvas));
    free(content);
    return LAB_SUCCESS;
}

/* --- Findings --------------------------------------------------------------------------------------------------- */

/* The row of an operation and the cell in which it begins; false if it has none. */
static bool find_cell(const drawing *canvas, uint64_t id, size_t *row, int *cell)
{
    const timeline *chart = canvas->chart;
    if (id < 1 || id > chart->trace->ops) return false;
    const lab_trace_op *op = &chart->trace->op[id - 1];
    bool host = op->start_ns < 0;
    int64_t when = host ? op->call_ns : op->start_ns;
    *row = host ? 0 : chart->row_of_stream[lab_trace_find_stream(chart->trace, op->stream)];
    if (when < chart->begin || when >= chart->end || *row >= chart->rows) return false;
    if (host && strcmp(chart->row[0].label, "host") != 0) return false;
    *cell = tick_cell(canvas, when - chart->begin);
    return *cell < canvas->cells;
}

/* Writes the letters of findings below a row, each below the beginning of its operation. */
static void put_finding_marks(const drawing *canvas, size_t row)
{
    int column = 0;
    const lab_trace *trace = canvas->chart->trace;
    const size_t marked = trace->findings < TIMELINE_FINDINGS ? trace->findings : TIMELINE_FINDINGS;
    for (int cell = 0; cell < canvas->cells; cell++)
        for (size_t i = 0; i < 2 * marked; i++) {
            const lab_trace_finding *finding = &trace->finding[i / 2];
            size_t its_row;
            int its_cell;
            if (!find_cell(canvas, i % 2 == 0 ? finding->first : finding->second, &its_row, &its_cell)) continue;
            if (its_row != row || its_cell != cell || cell < column) continue;
            if (column == 0) fprintf(canvas->out, "%*s", canvas->label_columns + FRAME_LEFT, "");
            fprintf(canvas->out, "%*s%c", cell - column, "", lab_timeline_sign(i / 2));
            column = cell + 1;
        }
    if (column > 0) fputc('\n', canvas->out);
}

/* --- Legend and figures ----------------------------------------------------------------------------------------- */

/* Writes one entry of the legend, on a new line if this one has no room. */
static void put_entry(const drawing *canvas, int *column, const char *sign, const char *color, const char *meaning)
{
    const char *current = "";
    int gap = *column > 0 ? 3 : 0;
    size_t bytes;
    int sign_columns = 0;
    for (const char *at = sign; lab_text_character(at, &bytes) != 0; at += bytes) sign_columns++;
    int length = sign_columns + 1 + (int)strlen(meaning);
    if (*column + gap + length > canvas->columns) {
        fputc('\n', canvas->out);
        *column = gap = 0;
    }
    fprintf(canvas->out, "%*s", gap, "");
    switch_color(canvas, &current, color);
    fputs(sign, canvas->out);
    switch_color(canvas, &current, "");
    fprintf(canvas->out, " %s", meaning);
    *column += gap + length;
}

static void put_legend(const drawing *canvas)
{
    int column = 0;
    for (timeline_mark mark = TIMELINE_HTOD; mark < TIMELINE_MARKS; mark++)
        if (canvas->shown[mark])
            put_entry(canvas, &column, glyph(canvas, mark), looks[mark].color, lab_timeline_mark_name(mark));
    if (canvas->counted) put_entry(canvas, &column, "1-9,+", "", "streams at work");
    if (column > 0) fputc('\n', canvas->out);
}

/* Writes a phrase after `column` columns of its first line, broken between words; the next lines are indented as much.
 * */
static void put_phrase(const drawing *canvas, const char *phrase, int column)
{
    const int indent = column;
    bool fresh = true; /* the line has no word of the phrase yet */
    while (*phrase) {
        size_t length = strcspn(phrase, " "), most = lab_text_fit(phrase, canvas->columns - indent);
        if (length > most && most > 0) length = most; /* a word too long for any line is broken */
        const bool fits = column + 1 + (int)length <= canvas->columns;
        if (!fresh && fits) fputc(' ', canvas->out);
        if (!fresh && !fits) fprintf(canvas->out, "\n%*s", indent, "");
        column = (fresh || !fits ? indent : column + 1) + (int)length;
        fresh = false;
        fwrite(phrase, 1, length, canvas->out);
        phrase += length;
        phrase += strspn(phrase, " ");
    }
    fputc('\n', canvas->out);
}

/* Writes the figures on one line if they fit, else on a line each. */
static void put_figures(const drawing *canvas)
{
    timeline_figures figures = lab_timeline_figures(canvas->chart->trace, canvas->ascii);
    char both[sizeof figures.extent + sizeof figures.overlap + 2];
    snprintf(both, sizeof both, "%s; %s", figures.extent, figures.overlap);
    if (*figures.overlap != '\0' && lab_text_fit(both, canvas->columns) == strlen(both)) {
        put_phrase(canvas, both, 0);
    } else {
        put_phrase(canvas, figures.extent, 0);
        if (*figures.overlap) put_phrase(canvas, figures.overlap, 0);
    }
}

/* Writes a record's text, which is clean, after a sign. */
static void put_finding_text(const drawing *canvas, char sign, const char *before, const char *text)
{
    char line[LAB_TRACE_TEXT_BYTES + 32];
    snprintf(line, sizeof line, "%s%s", before, text);
    for (char *at = line; *at && canvas->ascii; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    fprintf(canvas->out, "%c ", sign);
    put_phrase(canvas, line, 2);
}

static void put_findings(const drawing *canvas)
{
    const lab_trace *trace = canvas->chart->trace;
    for (size_t i = 0; i < trace->findings; i++) {
        put_finding_text(canvas, lab_timeline_sign(i), "", trace->finding[i].text);
        if (*trace->finding[i].edge) put_finding_text(canvas, ' ', "To order them: ", trace->finding[i].edge);
    }
}

static lab_status draw(drawing *canvas, const lab_timeline_options *options)
{
    LAB_TRY(put_title(canvas, options->title));
    if (canvas->chart->streams > 0) {
        put_axis(canvas);
        for (size_t r = 0; r < canvas->chart->rows; r++) {
            LAB_TRY(put_row(canvas, &canvas->chart->row[r]));
            put_finding_marks(canvas, r);
        }
        put_legend(canvas);
    }
    put_figures(canvas);
    put_findings(canvas);
    return LAB_SUCCESS;
}

static void choose_columns(drawing *canvas)
{
    const int most = canvas->columns - FRAME_LEFT - FRAME_RIGHT - CELLS_LEAST;
    canvas->label_columns = HEADING_COLUMNS;
    for (size_t r = 0; r < canvas->chart->rows; r++) {
        int length = (int)strlen(canvas->chart->row[r].label);
        if (length > canvas->label_columns) canvas->label_columns = length;
    }
    if (canvas->label_columns > most) canvas->label_columns = most;
    canvas->cells = canvas->columns - FRAME_LEFT - FRAME_RIGHT - canvas->label_columns;
}

/* Writes one run; needs complete options. */
static lab_status put_run(FILE *out, const lab_trace *trace, const lab_timeline_options *options)
{
    timeline chart;
    LAB_TRY(lab_timeline_lay_out(&chart, trace, options));
    drawing canvas = {
        .out = out, .chart = &chart, .columns = options->columns, .ascii = options->ascii, .color = options->color};
    choose_columns(&canvas);
    lab_status status = draw(&canvas, options);
    lab_timeline_clear(&chart);
    return status;
}

lab_status lab_timelines_text(char **out, const lab_timeline_run *run, size_t runs, const lab_timeline_options *given)
{
    lab_timeline_options options[LAB_TIMELINE_RUNS];
    LAB_TRY(lab_timeline_same_scale(options, run, runs, given));
    if (options[0].columns < COLUMNS_LEAST || options[0].columns > COLUMNS_MOST)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "a timeline cannot have %d columns; the number must be %d to %d",
                        options[0].columns, COLUMNS_LEAST, COLUMNS_MOST);
    char *text = NULL;
    size_t size = 0;
    lab_status status = LAB_ERROR_OUT_OF_MEMORY;
    FILE *file = open_memstream(&text, &size);
    if (file) {
        status = LAB_SUCCESS;
        for (size_t i = 0; i < runs && status == LAB_SUCCESS; i++) {
            if (i > 0) fputc('\n', file);
            status = put_run(file, run[i].trace, &options[i]);
        }
        bool failed = ferror(file) != 0;
        if (fclose(file) != 0 || failed) status = LAB_ERROR_OUT_OF_MEMORY;
    }
    if (status == LAB_SUCCESS) {
        *out = text;
        return LAB_SUCCESS;
    }
    free(text);
    return status == LAB_ERROR_OUT_OF_MEMORY ? lab_fail(status, "not enough memory for the timeline") : status;
}

lab_status lab_timeline_text(char **out, const lab_trace *trace, const lab_timeline_options *options)
{
    return lab_timelines_text(out, &(lab_timeline_run){trace, options ? options->title : NULL}, 1, options);
}
