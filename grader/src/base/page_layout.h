/*
 * page_layout.h: lines of a terminal page: wrapped and padded text, colour as a second signal.
 */
#ifndef GRADER_BASE_PAGE_LAYOUT_H
#define GRADER_BASE_PAGE_LAYOUT_H

#include <stdio.h>

#include "base/terminal.h"

typedef enum page_color { PAGE_PLAIN, PAGE_GOOD, PAGE_BAD, PAGE_WARN, PAGE_DIM, PAGE_BOLD } page_color;

typedef struct text_page {
    FILE *file;
    lab_terminal terminal;
} text_page;

/* Prints the text in this colour, or plainly where the terminal has no colours. */
void page_colored(const text_page *page, page_color color, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the text and a newline, wrapped at the page's width. `column` is where the cursor stands; further lines are
 * indented to the same column. Newlines in the text begin new lines. */
void page_text(const text_page *page, int column, const char *text);

/* Prints `label` at column `indent`, padded to `width` columns, then the text as page_text does. */
void page_field(const text_page *page, int indent, int width, const char *label, const char *text);

/* Prints text indented but not wrapped: source lines and tables keep their form. */
void page_block(const text_page *page, int indent, const char *text);

/* Prints the text, cut to `width` columns; a cut text ends in "...". */
void page_cut(const text_page *page, int width, const char *text);

/* The width of a text in columns. */
int page_columns(const char *text);

/* Prints the text and pads it with spaces to `width` columns, on the right or on the left. */
void page_left(const text_page *page, int width, const char *text);
void page_right(const text_page *page, int width, const char *text);

/* Writes a time for a table: three digits, and all digits from a thousand on. */
void page_write_milliseconds(char *text, size_t size, double value);

#endif
