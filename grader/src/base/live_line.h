/*
 * live_line.h: shows work in progress in the last line of a terminal. Each line replaces the one before, and the next
 * ordinary output replaces the line. Writes nothing where a line cannot be replaced: a pipe, a file, a dumb terminal.
 * The text must fit into the terminal's width.
 */
#ifndef GRADER_BASE_LIVE_LINE_H
#define GRADER_BASE_LIVE_LINE_H

#include <stdbool.h>

#include "page_layout.h"

typedef struct live_line {
    text_page page;
    bool shown; /* the terminal shows it now */
} live_line;

/* Shows the text in place of the text before. */
void live_line_show(live_line *line, const char *text);

/* Removes the line: the next output begins in its place. */
void live_line_clear(live_line *line);

#endif
