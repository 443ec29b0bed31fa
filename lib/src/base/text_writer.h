/* Composes a text piece by piece in a buffer of the caller's. Allocates nothing, so a signal handler may use it. */
#ifndef LAB_BASE_TEXT_WRITER_H
#define LAB_BASE_TEXT_WRITER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

typedef struct text_writer {
    char *text;    /* always ends in a zero byte after the first write */
    size_t size;   /* of the buffer, at least 1 */
    size_t length; /* of the text so far */
} text_writer;

/* Appends formatted text. What does not fit is cut off. */
static inline void text_write(text_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline void text_write(text_writer *writer, const char *format, ...)
{
    const size_t room = writer->size - writer->length;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(writer->text + writer->length, room, format, arguments);
    va_end(arguments);
    if (length > 0) writer->length += (size_t)length < room ? (size_t)length : room - 1;
}

#endif
