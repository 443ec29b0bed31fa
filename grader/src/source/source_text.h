/* source_text.h: what the bytes of a file show that no C source has. */
#ifndef GRADER_SOURCE_SOURCE_TEXT_H
#define GRADER_SOURCE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text, which ends with a NUL, begins as a web page does: a browser has saved the page that shows the
 * file. */
bool source_text_is_web_page(const char *text);

/* What the bytes are that no compiler reads as C, whatever the file is called, behind "is not plain text but": an
 * archive, a program, a document. NULL for a text. */
const char *source_text_other(const char *bytes, size_t count);

#endif
