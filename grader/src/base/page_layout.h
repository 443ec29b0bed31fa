/*
 * page_layout.h: lines of a terminal page: wrapped text, colour as a second signal, marks with an ASCII form.
 * It knows columns and characters; not what they say.
 */
#ifndef GRADER_BASE_PAGE_LAYOUT_H
#define GRADER_BASE_PAGE_LAYOUT_H

#include <stdio.h>

#include "base/terminal.h"

typedef enum page_color { PAGE_PLAIN, PAGE_GOOD, PAGE_BAD, PAGE_WARN, PAGE_DIM, PAGE_BOLD } page_color;

typedef struct text_page {
    FILE *to;
    lab_terminal terminal;
} text_page;

/* Prints the text in this colour, or plainly where there is none. */
void page_colored(const text_page *page, page_color color, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the text and a newline from where the cursor stands, `column`, wrapped at the page's width; the lines that
 * follow are indented to the same column. Newlines in the text begin new lines. */
void page_text(const text_page *page, int column, const char *text);

/* Prints `label` at column `indent`, padded to `width` columns, then the text as page_text does. */
void page_field(const text_page *page, int indent, int width, const char *label, const char *text);

/* Prints text as it stands, indented, each line cut at nothing: source lines and tables keep their form. */
void page_block(const text_page *page, int indent, const char *text);

/* Prints the text; what does not fit into `width` columns gives way to "...". */
void page_cut(const text_page *page, int width, const char *text);

/* How many columns a text takes. */
int page_columns(const char *text);

/* Prints the text and pads it with spaces to `width` columns, on the right or on the left. */
void page_left(const text_page *page, int width, const char *text);
void page_right(const text_page *page, int width, const char *text);

#endif
