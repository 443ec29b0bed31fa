/*
 * A timeline as lines of text: characters for marks, an axis above, a legend and the figures below. No line is wider
 * than asked for.
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
    const char *color; /* number of an ANSI colour or style; "" for none */
} look;

static const look looks[TIMELINE_MARKS] = {
    [TIMELINE_IDLE] = {" ", " ", ""},
    [TIMELINE_HTOD] = {">", "▀", "36"},
    [TIMELINE_KERNEL] = {"#", "█", "33"},
    [TIMELINE_DTOH] = {"<", "▄", "35"},
    [TIMELINE_DTOD] = {"%", "▒", "34"},
    [TIMELINE_FILL] = {"o", "░", "34"},
    [TIMELINE_HOST_FUNCTION] = {"f", "f", "32"},
    [TIMELINE_WAIT] = {"=", "═", "31"},
    [TIMELINE_QUEUED] = {".", "·", "2"},
    [TIMELINE_CALL] = {"-", "─", "2"},
    [TIMELINE_EVENT] = {"!", "╿", "1"},
    [TIMELINE_NOTE] = {"v", "v", "1"},
};

typedef struct drawing {
    FILE *out;
    const timeline *of;
    int columns;
    int label_columns;
    int cells;
    bool ascii, color;
    bool shown[TIMELINE_MARKS]; /* which marks the legend has to explain */
    bool counted;               /* whether it has to explain the counts of the last row */
} drawing;

static const char *glyph(const drawing *to, timeline_mark mark)
{
    return to->ascii ? looks[mark].ascii : looks[mark].unicode;
}

static const char *bar(const drawing *to) { return to->ascii ? "|" : "│"; }

/* Clean text, cut to the columns of a line. */
static void put_fitted(const drawing *to, const char *text)
{
    const char *cut = to->ascii ? "..." : "…";
    size_t length = lab_text_fit(text, to->columns);
    bool whole = text[length] == '\0';
    if (!whole) length = lab_text_fit(text, to->columns - (to->ascii ? 3 : 1));
    for (size_t at = 0, bytes; at < length; at += bytes) {
        uint32_t character = lab_text_character(text + at, &bytes);
        if (to->ascii && character >= 0x80)
            fputc('?', to->out);
        else
            fwrite(text + at, 1, bytes, to->out);
    }
    fprintf(to->out, "%s\n", whole ? "" : cut);
}

static lab_status put_title(const drawing *to, const char *title)
{
    if (!title || *title == '\0') return LAB_SUCCESS;
    size_t size = strlen(title) * 3 + 1; /* each byte may become U+FFFD */
    char *clean = malloc(size);
    if (!clean) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the timeline");
    lab_text_clean(clean, size, title, strlen(title));
    put_fitted(to, clean);
    free(clean);
    return LAB_SUCCESS;
}

/* --- Axis ------------------------------------------------------------------------------------------------------- */

/* The cell in which the tick stands. */
static int tick_cell(const drawing *to, int64_t when)
{
    return (int)((double)when / (double)(to->of->to - to->of->from) * to->cells);
}

/* A line of numbers and a ruler below it, one tick a number. */
static void put_axis(const drawing *to)
{
    const timeline_axis axis = lab_timeline_axis(to->of, to->cells / AXIS_LABEL_COLUMNS);
    const int64_t span = to->of->to - to->of->from;
    const char *unit = lab_timeline_unit(axis.unit_ns, to->ascii);
    int column = 0; /* the label's own begins at the first cell */
    fprintf(to->out, "time in %s%*s", unit, to->label_columns - HEADING_COLUMNS + (unit[1] == '\0') + FRAME_LEFT, "");
    for (int64_t when = 0; when <= span; when += axis.step_ns) {
        char label[32];
        int length = snprintf(label, sizeof label, "%.*f", axis.decimals, (double)when / (double)axis.unit_ns);
        int at = tick_cell(to, when);
        if (at < column || at + length > to->cells + 1) continue;
        fprintf(to->out, "%*s%s", at - column, "", label);
        column = at + length;
    }
    fprintf(to->out, "\n%*s", to->label_columns + FRAME_LEFT, "");

    int64_t next = 0;
    for (int cell = 0; cell < to->cells; cell++) {
        bool tick = next <= span && tick_cell(to, next) == cell;
        while (next <= span && tick_cell(to, next) <= cell) next += axis.step_ns;
        fputs(tick ? (to->ascii ? "+" : "┬") : (to->ascii ? "-" : "─"), to->out);
    }
    fputc('\n', to->out);
}

/* --- Rows ------------------------------------------------------------------------------------------------------- */

static void switch_color(const drawing *to, const char **current, const char *wanted)
{
    if (!to->color || strcmp(*current, wanted) == 0) return;
    if (**current) fputs("\033[0m", to->out);
    if (*wanted) fprintf(to->out, "\033[%sm", wanted);
    *current = wanted;
}

static void put_cells(drawing *to, const timeline_mark *cell)
{
    const char *color = "";
    for (int c = 0; c < to->cells; c++) {
        switch_color(to, &color, looks[cell[c]].color);
        fputs(glyph(to, cell[c]), to->out);
        to->shown[cell[c]] = true;
    }
    switch_color(to, &color, "");
}

/* The row of all streams without one: how many of them were at work, on average over the cell, from 1 to 9 and + for
 * more. */
static void put_counts(drawing *to, const double *time)
{
    const double width = (double)(to->of->to - to->of->from) / to->cells;
    for (int c = 0; c < to->cells; c++) {
        double busy = 0;
        for (timeline_mark mark = TIMELINE_HTOD; mark <= TIMELINE_WAIT; mark++) busy += time[c * TIMELINE_MARKS + mark];
        double count = busy / width + 0.5;
        if (busy > 0 && count < 1) count = 1;
        fputc(count < 1 ? ' ' : count < 10 ? '0' + (int)count : '+', to->out);
    }
    to->counted = true;
}

static lab_status put_row(drawing *to, const timeline_row *row)
{
    bool rest = row->streams > 1 || *row->label == '+';
    void *content = rest ? (void *)lab_timeline_measure(to->of, row, to->cells)
                         : (void *)lab_timeline_cells(to->of, row, to->cells);
    if (!content) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "not enough memory for the timeline");
    fprintf(to->out, "%-*.*s %s", to->label_columns, to->label_columns, row->label, bar(to));
    if (rest)
        put_counts(to, content);
    else
        put_cells(to, content);
    fprintf(to->out, "%s\n", bar(to));
    free(content);
    return LAB_SUCCESS;
}

/* --- Findings --------------------------------------------------------------------------------------------------- */

/* In which row an operation is, and in which cell it begins; false if it is in none. */
static bool find_cell(const drawing *to, uint64_t id, size_t *row, int *cell)
{
    const timeline *of = to->of;
    if (id < 1 || id > of->trace->ops) return false;
    const lab_trace_op *op = &of->trace->op[id - 1];
    bool host = op->start_ns < 0;
    int64_t when = host ? op->call_ns : op->start_ns;
    *row = host ? 0 : of->row_of_stream[lab_trace_find_stream(of->trace, op->stream)];
    if (when < of->from || when >= of->to || *row >= of->rows) return false;
    if (host && strcmp(of->row[0].label, "host") != 0) return false;
    *cell = tick_cell(to, when - of->from);
    return *cell < to->cells;
}

/* Below a row with operations of findings, their letters, each below where its operation begins. */
static void put_finding_marks(const drawing *to, size_t row)
{
    int column = 0;
    const lab_trace *trace = to->of->trace;
    const size_t marked = trace->findings < TIMELINE_FINDINGS ? trace->findings : TIMELINE_FINDINGS;
    for (int cell = 0; cell < to->cells; cell++)
        for (size_t i = 0; i < 2 * marked; i++) {
            const lab_trace_finding *finding = &trace->finding[i / 2];
            size_t its_row;
            int its_cell;
            if (!find_cell(to, i % 2 == 0 ? finding->first : finding->second, &its_row, &its_cell)) continue;
            if (its_row != row || its_cell != cell || cell < column) continue;
            if (column == 0) fprintf(to->out, "%*s", to->label_columns + FRAME_LEFT, "");
            fprintf(to->out, "%*s%c", cell - column, "", lab_timeline_sign(i / 2));
            column = cell + 1;
        }
    if (column > 0) fputc('\n', to->out);
}

/* --- Legend and figures ----------------------------------------------------------------------------------------- */

/* One entry of the legend, on a new line where this one has no room. */
static void put_entry(const drawing *to, int *column, const char *sign, const char *color, const char *meaning)
{
    const char *current = "";
    int gap = *column > 0 ? 3 : 0;
    size_t bytes;
    int sign_columns = 0;
    for (const char *at = sign; lab_text_character(at, &bytes) != 0; at += bytes) sign_columns++;
    int length = sign_columns + 1 + (int)strlen(meaning);
    if (*column + gap + length > to->columns) {
        fputc('\n', to->out);
        *column = gap = 0;
    }
    fprintf(to->out, "%*s", gap, "");
    switch_color(to, &current, color);
    fputs(sign, to->out);
    switch_color(to, &current, "");
    fprintf(to->out, " %s", meaning);
    *column += gap + length;
}

static void put_legend(const drawing *to)
{
    int column = 0;
    for (timeline_mark mark = TIMELINE_HTOD; mark < TIMELINE_MARKS; mark++)
        if (to->shown[mark]) put_entry(to, &column, glyph(to, mark), looks[mark].color, lab_timeline_mark_name(mark));
    if (to->counted) put_entry(to, &column, "1-9,+", "", "streams at work");
    if (column > 0) fputc('\n', to->out);
}

/* A phrase behind `column` columns of its first line, broken between words; the next lines begin as many in. */
static void put_phrase(const drawing *to, const char *phrase, int column)
{
    const int indent = column;
    bool fresh = true; /* nothing of the phrase stands in the line */
    while (*phrase) {
        size_t length = strcspn(phrase, " "), most = lab_text_fit(phrase, to->columns - indent);
        if (length > most && most > 0) length = most; /* a word too long for any line is broken */
        const bool fits = column + 1 + (int)length <= to->columns;
        if (!fresh && fits) fputc(' ', to->out);
        if (!fresh && !fits) fprintf(to->out, "\n%*s", indent, "");
        column = (fresh || !fits ? indent : column + 1) + (int)length;
        fresh = false;
        fwrite(phrase, 1, length, to->out);
        phrase += length;
        phrase += strspn(phrase, " ");
    }
    fputc('\n', to->out);
}

/* On one line if they fit, else a line each. */
static void put_figures(const drawing *to)
{
    timeline_figures figures = lab_timeline_figures(to->of->trace, to->ascii);
    char both[sizeof figures.extent + sizeof figures.overlap + 2];
    snprintf(both, sizeof both, "%s; %s", figures.extent, figures.overlap);
    if (*figures.overlap != '\0' && lab_text_fit(both, to->columns) == strlen(both)) {
        put_phrase(to, both, 0);
    } else {
        put_phrase(to, figures.extent, 0);
        if (*figures.overlap) put_phrase(to, figures.overlap, 0);
    }
}

/* Text of a record, which is clean, behind a sign. */
static void put_finding_text(const drawing *to, char sign, const char *before, const char *text)
{
    char line[LAB_TRACE_TEXT_BYTES + 32];
    snprintf(line, sizeof line, "%s%s", before, text);
    for (char *at = line; *at && to->ascii; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    fprintf(to->out, "%c ", sign);
    put_phrase(to, line, 2);
}

static void put_findings(const drawing *to)
{
    const lab_trace *trace = to->of->trace;
    for (size_t i = 0; i < trace->findings; i++) {
        put_finding_text(to, lab_timeline_sign(i), "", trace->finding[i].text);
        if (*trace->finding[i].edge) put_finding_text(to, ' ', "To order them: ", trace->finding[i].edge);
    }
}

static lab_status draw(drawing *to, const lab_timeline_options *options)
{
    LAB_TRY(put_title(to, options->title));
    if (to->of->streams > 0) {
        put_axis(to);
        for (size_t r = 0; r < to->of->rows; r++) {
            LAB_TRY(put_row(to, &to->of->row[r]));
            put_finding_marks(to, r);
        }
        put_legend(to);
    }
    put_figures(to);
    put_findings(to);
    return LAB_SUCCESS;
}

static void choose_columns(drawing *to)
{
    const int most = to->columns - FRAME_LEFT - FRAME_RIGHT - CELLS_LEAST;
    to->label_columns = HEADING_COLUMNS;
    for (size_t r = 0; r < to->of->rows; r++) {
        int length = (int)strlen(to->of->row[r].label);
        if (length > to->label_columns) to->label_columns = length;
    }
    if (to->label_columns > most) to->label_columns = most;
    to->cells = to->columns - FRAME_LEFT - FRAME_RIGHT - to->label_columns;
}

/* Writes one run; the options are complete. */
static lab_status put_run(FILE *out, const lab_trace *trace, const lab_timeline_options *options)
{
    timeline of;
    LAB_TRY(lab_timeline_lay_out(&of, trace, options));
    drawing to = {.out = out, .of = &of, .columns = options->columns, .ascii = options->ascii, .color = options->color};
    choose_columns(&to);
    lab_status status = draw(&to, options);
    lab_timeline_clear(&of);
    return status;
}

lab_status lab_timelines_text(char **out, const lab_timeline_run *run, size_t runs, const lab_timeline_options *given)
{
    lab_timeline_options options[LAB_TIMELINE_RUNS];
    LAB_TRY(lab_timeline_same_scale(options, run, runs, given));
    if (options[0].columns < COLUMNS_LEAST || options[0].columns > COLUMNS_MOST)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "a timeline cannot have %d columns; it can have %d to %d",
                        options[0].columns, COLUMNS_LEAST, COLUMNS_MOST);
    char *text = NULL;
    size_t size = 0;
    lab_status status = LAB_ERROR_OUT_OF_MEMORY;
    FILE *into = open_memstream(&text, &size);
    if (into) {
        status = LAB_SUCCESS;
        for (size_t i = 0; i < runs && status == LAB_SUCCESS; i++) {
            if (i > 0) fputc('\n', into);
            status = put_run(into, run[i].trace, &options[i]);
        }
        bool failed = ferror(into) != 0;
        if (fclose(into) != 0 || failed) status = LAB_ERROR_OUT_OF_MEMORY;
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
