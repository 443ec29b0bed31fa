/*
 * The parts of an SVG timeline, for the files that draw them: rows and legend (timeline_svg.c), arrows and findings
 * (timeline_svg_marks.c), the document around (timeline_svg_document.c).
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
    const timeline *of;
    double left, right; /* of the plot */
    double pitch, bar;  /* from row to row; the height of what is in one */
    int dense;          /* cells of a row; 0 if every operation is drawn */
    bool shown[TIMELINE_MARKS];
    int arrows;
} svg_drawing;

/* Clean text of at most so many columns, with what XML reserves escaped. */
void lab_svg_put_text(FILE *out, const char *text, int columns);

/* A line of text on its own at this height. */
void lab_svg_put_line(const svg_drawing *to, const char *class, double y, const char *text, int columns);

/* Where a moment is; whether a row is that of all streams without one; how high a row is. */
double lab_svg_x(const svg_drawing *to, double when);
bool lab_svg_is_rest(const timeline_row *row);
double lab_svg_height(const svg_drawing *to, const timeline_row *row);

/* From records of events to what waits for them. `top` is where the rows begin. */
lab_status lab_svg_put_arrows(svg_drawing *to, double top);

/* Frames around the operations of findings, with their letters; below `y` what each says. The latter returns how high that
 * is. */
void lab_svg_put_findings(svg_drawing *to, double top);
double lab_svg_put_finding_texts(const svg_drawing *to, double y);

/* The inside of a document for a laid-out timeline, from y = 0 down: a string to be freed, and how high it is. */
lab_status lab_svg_draw(char **out, const timeline *of, const char *title, double *height);

#endif
