/*
 * layout.h: lines of a terminal page: wrapped text, colour as a second signal, marks with an ASCII form.
 * It knows columns and characters; not what they say.
 */
#ifndef GRADER_LAYOUT_H
#define GRADER_LAYOUT_H

#include <stdio.h>

#include "base/terminal.h"

typedef enum layout_color { LAYOUT_PLAIN, LAYOUT_GOOD, LAYOUT_BAD, LAYOUT_WARN, LAYOUT_DIM, LAYOUT_BOLD } layout_color;

typedef struct layout_page {
    FILE *to;
    lab_terminal terminal;
} layout_page;

/* Prints the text in this colour, or plainly where there is none. */
void layout_colored(const layout_page *page, layout_color color, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the text and a newline from where the cursor stands, `column`, wrapped at the page's width; the lines that
 * follow are indented to the same column. Newlines in the text begin new lines. */
void layout_text(const layout_page *page, int column, const char *text);

/* Prints `label` at column `indent`, padded to `width` columns, then the text as layout_text does. */
void layout_field(const layout_page *page, int indent, int width, const char *label, const char *text);

/* Prints text as it stands, indented, each line cut at nothing: source lines and tables keep their form. */
void layout_block(const layout_page *page, int indent, const char *text);

/* Prints the text; what does not fit into `width` columns gives way to "...". */
void layout_cut(const layout_page *page, int width, const char *text);

/* How many columns a text takes. */
int layout_columns(const char *text);

/* Prints the text and pads it with spaces to `width` columns, on the right or on the left. */
void layout_left(const layout_page *page, int width, const char *text);
void layout_right(const layout_page *page, int width, const char *text);

#endif
