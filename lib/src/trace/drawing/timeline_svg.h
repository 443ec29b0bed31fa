/*
 * The parts of an SVG timeline, for the files that draw them: rows and legend (timeline_svg.c), arrows and findings
 * (timeline_svg_marks.c), the document around them (timeline_svg_document.c), and what all of them use
 * (timeline_svg_parts.c).
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
    int arrows;
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

/* Draws arrows from event records to the operations that wait for them. `top` is the top of the rows. */
lab_status lab_svg_put_arrows(svg_drawing *drawing, double top);

/* Draws frames around the operations of findings, with their letters. The second writes the findings' texts below `y`
 * and returns their height. */
void lab_svg_put_findings(svg_drawing *drawing, double top);
double lab_svg_put_finding_texts(const svg_drawing *drawing, double y);

/* The inside of a document for a laid-out timeline, from y = 0 down: a string to be freed, and its height. */
lab_status lab_svg_draw(char **out, const timeline *chart, const char *title, double *height);

#endif
