/*
 * What a timeline shows, before it is drawn: the window of time, the rows and their contents, the axis. Text and SVG
 * are two drawings of it. Independent of characters and colours.
 */
#ifndef LAB_TRACE_DRAWING_TIMELINE_H
#define LAB_TRACE_DRAWING_TIMELINE_H

#include "figure.h"
#include "trace/trace.h"

/* What a row shows at one place, in the order of the legend. */
typedef enum timeline_mark {
    TIMELINE_IDLE,
    TIMELINE_HTOD, /* the first mark that fills a row */
    TIMELINE_KERNEL,
    TIMELINE_DTOH,
    TIMELINE_DTOD,
    TIMELINE_FILL,
    TIMELINE_HOST_FUNCTION,
    TIMELINE_WAIT,   /* the last mark that fills a row: a call holds the host */
    TIMELINE_QUEUED, /* enqueued, not yet running */
    TIMELINE_CALL,   /* the host is in another call */
    TIMELINE_RANGE,  /* the program is in a range of its own */
    TIMELINE_EVENT,  /* a moment: an event record or a mark of the program */
    TIMELINE_NOTE,
    TIMELINE_MARKS
} timeline_mark;

static inline bool timeline_fills(timeline_mark mark) { return mark >= TIMELINE_HTOD && mark <= TIMELINE_WAIT; }
static inline bool timeline_is_moment(timeline_mark mark) { return mark == TIMELINE_EVENT || mark == TIMELINE_NOTE; }

/* "copy in", "kernel", ...: the words of a legend. */
const char *lab_timeline_mark_name(timeline_mark mark);

/* A piece of a row, cut to the window. */
typedef struct timeline_span {
    size_t row;
    int64_t begin, end;
    timeline_mark mark;
    size_t op; /* index */
    int lane;  /* of the row, from 0; a figure's row has several where spans overlap */
} timeline_span;

typedef struct timeline_row {
    char label[96];      /* "host", "range load", "null stream", "stream 7", "context 3, null stream", "+184 streams" */
    size_t streams;      /* the streams shown in it: 0 in rows of the host, usually 1, more in the combined row */
    timeline_span *span; /* in the order of time */
    size_t spans;
    int lanes;      /* below each other; 0 is one */
    uint64_t key;   /* of a figure's row of an engine or a thread: its number */
    uint32_t color; /* 0xAARRGGBB, of the row's first range that has one; 0 is none */
} timeline_row;

typedef struct timeline {
    const lab_trace *trace;
    int64_t begin, end; /* the window; end > begin */
    timeline_row *row;
    size_t rows;
    size_t ranges;         /* rows of ranges, behind the host's */
    size_t streams;        /* streams that have something in the window */
    size_t *row_of_stream; /* by index of the stream; `rows` if it has none */
    timeline_span *span;
    size_t *range;            /* lab_trace_ranges; NULL in a figure */
    const lab_figure *figure; /* NULL if the timeline is not a figure's */
    const lab_figure_run *run;
} timeline;

/* The options with defaults for fields of 0; `options` may be NULL. */
lab_timeline_options lab_timeline_complete(const lab_timeline_options *options);

/* Completes the options for each run, so that all windows are as long as the longest. Fails for missing runs. */
lab_status lab_timeline_same_scale(lab_timeline_options *out, const lab_timeline_run *run, size_t runs,
                                   const lab_timeline_options *given);

/* Needs complete options. To be cleared after success. */
lab_status lab_timeline_lay_out(timeline *out, const lab_trace *trace, const lab_timeline_options *options);
void lab_timeline_clear(timeline *chart);

/* The same for a run of a figure, from the record's beginning to `end`. */
lab_status lab_timeline_lay_out_figure(timeline *out, const lab_figure *figure, const lab_figure_run *run, int64_t end);

/* The row of an operation's work; `rows` if it has none. Whether the first row is the host's. */
size_t lab_timeline_row_of(const timeline *chart, const lab_trace_op *op);
bool lab_timeline_has_host(const timeline *chart);

/* What figure_rows.c adds: rows of engines or threads in place of those of streams; lanes for spans that overlap; what
 * the host's row and those of threads show of a call. */
lab_status lab_figure_choose_rows(timeline *chart);
void lab_figure_assign_lanes(timeline *chart);
bool lab_figure_shows_call(const timeline *chart, const lab_trace_op *op);
const char *lab_figure_call_words(const timeline *chart, const lab_trace_op *op);

/* The nanoseconds of each mark in each of `cells` equal parts of the window: [cell * TIMELINE_MARKS + mark]. NULL if
 * there is no memory. To be freed with free(). */
double *lab_timeline_measure(const timeline *chart, const timeline_row *row, int cells);

/* Rows of ranges (timeline_ranges.c), at most this many: chooses them; and the row and the end of the range that begins
 * with this operation. */
enum { TIMELINE_RANGES = 8 };
#define TIMELINE_RANGE_WORD "range "
#define TIMELINE_OTHER_RANGES "other ranges"
lab_status lab_timeline_choose_ranges(timeline *chart);
size_t lab_timeline_range_row(const timeline *chart, size_t index);
int64_t lab_timeline_range_end(const timeline *chart, size_t index);

/* The mark to show in each of `cells` equal parts of the window: the one that takes most of the part. An operation too
 * short for that gets the part in its middle, or one next to it, if nothing else runs there; operations keep their
 * order. NULL if there is no memory. To be freed with free(). */
timeline_mark *lab_timeline_cells(const timeline *chart, const timeline_row *row, int cells);

/* Ticks at 0, step, 2 step, ... nanoseconds from the window's beginning, at most `ticks` + 1 of them. */
typedef struct timeline_axis {
    int64_t step_ns;
    int64_t unit_ns;
    int decimals;
} timeline_axis;
timeline_axis lab_timeline_axis(const timeline *chart, int ticks);

/* The letter of a finding, by its index: A to Z, then *. */
enum { TIMELINE_FINDINGS = 26 };
static inline char lab_timeline_sign(size_t finding)
{
    return finding < TIMELINE_FINDINGS ? (char)('A' + (int)finding) : '*';
}

/* "ns", "µs" ("us" in ASCII), "ms" or "s". */
const char *lab_timeline_unit(int64_t unit_ns, bool ascii);

/* "37.2 ms": three digits. */
void lab_timeline_duration(char *out, size_t size, double nanoseconds, bool ascii);

/* The summary of the whole record in two phrases: "200 streams, 37.2 ms" and "copies and kernels overlap 62% of the
 * time". */
typedef struct timeline_figures {
    char extent[160];
    char overlap[96];
} timeline_figures;
timeline_figures lab_timeline_figures(const lab_trace *trace, bool ascii);

#endif
