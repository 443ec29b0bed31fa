/*
 * A figure: timelines of several runs above each other on one scale of time, with one axis and one legend, for a page
 * that has its own colours, title and caption, such as a slide. Records of several machines stand next to each other.
 *
 * It is drawn with the shapes of every other timeline. What it may add: names for rows and kernels, rows of engines or
 * threads, a bracket over an interval, and steps, so that a page shows the drawing part by part.
 *
 * figure_load.c reads a figure from a JSON file, and says what the file holds.
 */
#ifndef LAB_TRACE_DRAWING_FIGURE_H
#define LAB_TRACE_DRAWING_FIGURE_H

#include "lab_trace.h"

typedef enum lab_figure_rows { LAB_FIGURE_STREAMS, LAB_FIGURE_ENGINES, LAB_FIGURE_THREADS } lab_figure_rows;

/* The interval that a bracket spans: between the first and the last event record, or between the marks "clock". */
typedef enum lab_figure_bracket { LAB_FIGURE_NO_BRACKET, LAB_FIGURE_EVENTS, LAB_FIGURE_CLOCK } lab_figure_bracket;

typedef enum lab_figure_verdict { LAB_FIGURE_NO_VERDICT, LAB_FIGURE_WRONG, LAB_FIGURE_RIGHT } lab_figure_verdict;

/* The name of a stream or a thread; only threads that have one are drawn. */
typedef struct lab_figure_name {
    uint64_t id;
    const char *text;
} lab_figure_name;

/* What a bar says in place of the kernel's name. */
typedef struct lab_figure_label {
    const char *kernel, *text;
} lab_figure_label;

/* Step 1, 2, ... of the figure shows a call, and the device's work until that moment. */
typedef struct lab_figure_step {
    uint64_t op;
    int64_t until;
    int number;
} lab_figure_step;

typedef struct lab_figure_run {
    lab_trace *trace;
    const char *title; /* "" for none */
    lab_figure_verdict verdict;
    lab_figure_name *name;
    size_t names;
    lab_figure_step *step;
    size_t steps;
} lab_figure_run;

/* The runs of one machine. */
typedef struct lab_figure_column {
    const char *head; /* "" for none */
    lab_figure_run *run;
    size_t runs;
} lab_figure_column;

/* To be read with lab_figure_load. Sizes are the figure's on the page; letters on it are 18 high there. */
typedef struct lab_figure {
    const char *title, *about; /* for a reader who does not see the drawing */
    lab_figure_rows rows;
    lab_figure_bracket bracket;
    bool host; /* has a row for the host */
    int width, height;
    lab_figure_label *label;
    size_t labels;
    lab_figure_column *column;
    size_t columns;
    void *storage; /* holds the texts */
} lab_figure;

lab_status lab_figure_load(lab_figure **out, const char *path);
lab_status lab_figure_load_bytes(lab_figure **out, const char *bytes, size_t size, const char *name);
void lab_figure_free(lab_figure *figure);

/* The figure as an SVG whose colours are the page's variables. *out is the caller's to free. */
lab_status lab_figure_svg(char **out, const lab_figure *figure);

/* The name that the run gives a stream or thread; NULL if none. */
const char *lab_figure_name_of(const lab_figure_run *run, uint64_t id);

/* The number of the engine's or thread's row that holds an operation's work. */
uint64_t lab_figure_key_of(const lab_figure *figure, const lab_trace_op *op);

/* The step of a call, and the step that shows a moment; 0 if the run has no steps or the call is none. */
int lab_figure_step_of(const lab_figure_run *run, uint64_t op);
int lab_figure_step_at(const lab_figure_run *run, int64_t when);

#endif
