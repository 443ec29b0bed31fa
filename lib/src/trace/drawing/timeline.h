/*
 * What a timeline shows, before it is drawn: the window of time, the rows, what lies in them, the axis. Text and SVG
 * are two drawings of this. Knows times and labels; refuses to know characters and colours.
 */
#ifndef LAB_TRACE_DRAWING_TIMELINE_H
#define LAB_TRACE_DRAWING_TIMELINE_H

#include "trace/trace.h"

/* What can be seen at one place of a row. The order is that of the legend. */
typedef enum timeline_mark {
    TIMELINE_IDLE,
    TIMELINE_HTOD, /* the first of what fills a row */
    TIMELINE_KERNEL,
    TIMELINE_DTOH,
    TIMELINE_DTOD,
    TIMELINE_FILL,
    TIMELINE_HOST_FUNCTION,
    TIMELINE_WAIT,   /* the last of what fills a row: the host is held by a call */
    TIMELINE_QUEUED, /* enqueued, not yet running */
    TIMELINE_CALL,   /* the host is in another call */
    TIMELINE_EVENT,  /* moments: an event record, a mark of the program */
    TIMELINE_NOTE,
    TIMELINE_MARKS
} timeline_mark;

static inline bool timeline_fills(timeline_mark mark) { return mark >= TIMELINE_HTOD && mark <= TIMELINE_WAIT; }
static inline bool timeline_is_moment(timeline_mark mark) { return mark == TIMELINE_EVENT || mark == TIMELINE_NOTE; }

/* "copy to device", "kernel", ...: the words of a legend. */
const char *lab_timeline_mark_name(timeline_mark mark);

/* A piece of a row, cut to the window. */
typedef struct timeline_span {
    size_t row;
    int64_t from, to;
    timeline_mark mark;
    size_t op; /* index */
} timeline_span;

typedef struct timeline_row {
    char label[64];      /* "host", "null stream", "stream 7", "+184 streams" */
    size_t streams;      /* whose work is in it: 0 in the host's row, 1, or more in that of the rest */
    timeline_span *span; /* by time */
    size_t spans;
} timeline_row;

typedef struct timeline {
    const lab_trace *trace;
    int64_t from, to; /* the window; to > from */
    timeline_row *row;
    size_t rows;
    size_t streams;        /* that have something in the window */
    size_t *row_of_stream; /* by index of the stream; `rows` if it has none */
    timeline_span *span;
} timeline;

/* The options with a default wherever they say nothing; they may be NULL. */
lab_timeline_options lab_timeline_complete(const lab_timeline_options *options);

/* Completes the options once for each run, so that all windows are as long as the longest. Refuses runs that are none. */
lab_status lab_timeline_same_scale(lab_timeline_options *out, const lab_timeline_run *run, size_t runs,
                                   const lab_timeline_options *given);

/* The options are complete. To be cleared after success. */
lab_status lab_timeline_lay_out(timeline *out, const lab_trace *trace, const lab_timeline_options *options);
void lab_timeline_clear(timeline *of);

/* How many nanoseconds of each mark lie in each of `cells` equal parts of the window: [cell * TIMELINE_MARKS + mark].
 * NULL if there is no memory. To be freed with free(). */
double *lab_timeline_measure(const timeline *of, const timeline_row *row, int cells);

/* What to show in each of `cells` equal parts of the window: what most of the part was spent with. An operation too
 * short for that has the part in its middle, or one beside it, if nothing else runs there. NULL if there is no
 * memory. To be freed with free(). */
timeline_mark *lab_timeline_cells(const timeline *of, const timeline_row *row, int cells);

/* Ticks at 0, step, 2 step, ... nanoseconds from the window's beginning, at most `ticks` of them and one. */
typedef struct timeline_axis {
    int64_t step_ns;
    int64_t unit_ns;
    int decimals;
} timeline_axis;
timeline_axis lab_timeline_axis(const timeline *of, int ticks);

/* The letter of a finding of the record, by its index: A to Z, and * for those beyond. */
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
