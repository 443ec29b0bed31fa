/*
 * live_line.h: what is under way, in the last line of a terminal: each line takes the place of the one before, and gives
 * way to what is printed next. Where a line cannot be written over (a pipe, a file, a dumb terminal) nothing is written.
 * It knows the one line; not what it says, which must fit into the terminal's width.
 */
#ifndef GRADER_BASE_LIVE_LINE_H
#define GRADER_BASE_LIVE_LINE_H

#include <stdbool.h>

#include "page_layout.h"

typedef struct live_line {
    text_page page;
    bool shown; /* it stands there now */
} live_line;

/* Writes the line in place of what it said before. */
void live_line_show(live_line *line, const char *text);

/* Takes it away: what is printed next begins in its place. */
void live_line_clear(live_line *line);

#endif
