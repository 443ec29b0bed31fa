/*
 * The parts of an SVG timeline, for the files that draw them: rows and legend (timeline_svg.c), shapes of operations
 * (timeline_svg_shapes.c), arrows and findings (timeline_svg_marks.c), the document around them
 * (timeline_svg_document.c), and what all of them use (timeline_svg_parts.c). Figures have other rows (figure_rows.c),
 * more marks (figure_marks.c) and a document of their own (figure_svg.c).
 */
#ifndef LAB_TRACE_DRAWING_TIMELINE_SVG_H
#define LAB_TRACE_DRAWING_TIMELINE_SVG_H

#include "timeline.h"

#include <stdio.h>

enum {
    SVG_WIDTH = 720,
    SVG_MARGIN = 10,
    SVG_LINE_HEIGHT = 22,
    SVG_REST_HEIGHT = 44,
    SVG_TITLE_COLUMNS = 54,
    SVG_ARROWS_MOST = 400,
};

typedef struct svg_drawing {
    FILE *out;
    const timeline *chart;
    double left, right; /* edges of the plot */
    double pitch, bar;  /* distance from row to row; height of a row's contents */
    int dense;          /* cells in a row; 0 if every operation is drawn */
    bool shown[TIMELINE_MARKS];
    int arrows;    /* of the run that has most */
    bool orders;   /* some arrows come from work, not from an event */
    bool outlined; /* work that is not yet done, in a figure with steps */
    double width;
    int step; /* of the figure, in which the next shapes appear; 0 for none */
} svg_drawing;

/* How a mark looks (timeline_look.h), and the class of its shapes. */
typedef struct timeline_look {
    const char *class, *color, *lines;
    double top, height;
} timeline_look;
extern const timeline_look lab_timeline_looks[TIMELINE_MARKS];

/* Writes clean text of at most `columns` columns, with XML's reserved characters escaped. */
void lab_svg_put_text(FILE *out, const char *text, int columns);

/* Writes a line of text at this height. */
void lab_svg_put_line(const svg_drawing *drawing, const char *class, double y, const char *text, int columns);

/* The x of a moment; whether the row combines several streams; the height of a row. */
double lab_svg_x(const svg_drawing *drawing, double when);
bool lab_svg_is_rest(const timeline_row *row);
double lab_svg_height(const svg_drawing *drawing, const timeline_row *row);

/* The height of what a row shows; the middle of a row below `top`. */
double lab_svg_inner(const svg_drawing *drawing, const timeline_row *row);
double lab_svg_middle(const svg_drawing *drawing, size_t row, double top);

/* Writes the attribute for the drawing's step, if there is one. */
void lab_svg_put_step(const svg_drawing *drawing);

/* Writes the attribute that refers to a pattern or a tip of the document. Styles do it for all timelines but figures: a
 * page shows several figures, hides some, and gives each its own names. */
void lab_svg_put_reference(const svg_drawing *drawing, const char *attribute, const char *name);

/* Opens a shape for a mark, relative to its row, where its look says or at `y`; returns the end tag. */
const char *lab_svg_open_shape(svg_drawing *drawing, timeline_mark mark, double x, double width);
const char *lab_svg_open_rect(svg_drawing *drawing, timeline_mark mark, double x, double y, double width,
                              double height);

/* "170 µs, from 1.23 ms to 1.40 ms" */
void lab_svg_put_times(const svg_drawing *drawing, int64_t begin, int64_t end);

/* The tooltip of an operation. */
void lab_svg_put_tooltip(const svg_drawing *drawing, const timeline_span *span, const char *label);

/* The parts of a timeline, from the top down. The legend's height is returned. */
void lab_svg_put_axis(const svg_drawing *drawing, double y, double bottom);
lab_status lab_svg_put_rows(svg_drawing *drawing, double top);
double lab_svg_put_legend(svg_drawing *drawing, double top);

/* The styles; and what shapes refer to. `own` adds the colours of a drawing that no page gives any. */
void lab_svg_put_styles(FILE *out, bool own);

/* What a figure's rows and runs have instead of, or in addition to, those of other timelines. */
void lab_figure_put_calls(svg_drawing *drawing, const timeline_row *row);
void lab_figure_put_span(svg_drawing *drawing, const timeline_row *row, const timeline_span *span);
void lab_figure_put_uses(svg_drawing *drawing, double top);
bool lab_figure_has_uses(const timeline *chart);
const lab_trace_finding *lab_figure_finding(const timeline *chart);
void lab_figure_put_finding(svg_drawing *drawing, double top, double y);
lab_status lab_figure_put_bracket(svg_drawing *drawing, double y);

/* Draws a frame around an operation, with its letter unless that is 0; gives the frame's middle. False if the
 * operation is not drawn. */
bool lab_svg_put_frame(const svg_drawing *drawing, double top, uint64_t id, char sign, double *x, double *y);

/* Draws arrows from event records to the operations that wait for them. `top` is the top of the rows. */
lab_status lab_svg_put_arrows(svg_drawing *drawing, double top);

/* Draws frames around the operations of findings, with their letters. The second writes the findings' texts below `y`
 * and returns their height. */
void lab_svg_put_findings(svg_drawing *drawing, double top);
double lab_svg_put_finding_texts(const svg_drawing *drawing, double y);

/* The inside of a document for laid-out timelines of one scale, from y = 0 down, each with its title, with one axis and
 * one legend: a string to be freed, and its height. */
lab_status lab_svg_draw(char **out, const timeline *chart, const char *const *title, size_t count, double *height);

#endif
