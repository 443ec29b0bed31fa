/* Cleaning and building text; see text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/plain_text.h"

/* ---- growing ------------------------------------------------------------------------------------------- */

static bool reserve(text_buffer *buffer, size_t more)
{
    if (buffer->failed) return false;
    size_t needed = buffer->length + more + 1;
    if (needed <= buffer->room) return true;
    size_t room = buffer->room ? buffer->room : 256;
    while (room < needed) room *= 2;
    char *larger = realloc(buffer->text, room);
    if (!larger) {
        buffer->failed = true;
        return false;
    }
    buffer->text = larger;
    buffer->room = room;
    return true;
}

void text_append(text_buffer *buffer, const char *bytes, size_t length)
{
    if (!reserve(buffer, length)) return;
    if (length) memcpy(buffer->text + buffer->length, bytes, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
}

static void format_arguments(text_buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length >= 0 && reserve(buffer, (size_t)length)) {
        vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
}

void text_format(text_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_arguments(buffer, format, arguments);
    va_end(arguments);
}

/* The whole text, "" if nothing was appended; NULL if memory ran out. */
static char *finish(text_buffer *buffer)
{
    text_append(buffer, "", 0);
    if (!buffer->failed) return buffer->text;
    free(buffer->text);
    return NULL;
}

char *text_make(const char *format, ...)
{
    text_buffer buffer = {0};
    va_list arguments;
    va_start(arguments, format);
    format_arguments(&buffer, format, arguments);
    va_end(arguments);
    return finish(&buffer);
}

/* ---- cleaning ------------------------------------------------------------------------------------------ */

static void append_clean_line(text_buffer *buffer, const char *line, size_t bytes)
{
    size_t most = 3 * bytes + 1; /* each byte becomes at most U+FFFD, three bytes */
    if (!reserve(buffer, most)) return;
    buffer->length += lab_text_clean(buffer->text + buffer->length, most, line, bytes);
}

char *text_clean(const char *text, size_t bytes)
{
    text_buffer buffer = {0};
    for (const char *line = text, *end = text + bytes; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((newline ? newline : end) - line);
        bool foreign_end = newline && length > 0 && line[length - 1] == '\r';
        append_clean_line(&buffer, line, foreign_end ? length - 1 : length);
        if (newline) text_append(&buffer, "\n", 1);
        line += length + (newline != NULL);
    }
    return finish(&buffer);
}

char *text_clean_line(const char *text, size_t bytes)
{
    text_buffer buffer = {0};
    while (bytes > 0 && text[bytes - 1] == '\n') bytes--;
    append_clean_line(&buffer, text, bytes);
    return finish(&buffer);
}

static bool is_safe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
}

/* The grader's own files beside the folders of submissions begin like this: results.json, grades.db and the files that
 * SQLite keeps beside it, grading.jsonl. Case does not count, because some file systems ignore it. */
static bool is_own(const char *name)
{
    static const char *const begins[] = {"index.", "results.", "course.", "grades.", "grading.", "anonymous."};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        if (strncasecmp(name, begins[i], strlen(begins[i])) == 0) return true;
    }
    return false;
}

char *text_safe_name(const char *name)
{
    enum { LONGEST = 80 };
    size_t length = strlen(name);
    bool changed = length == 0 || length > LONGEST || name[0] == '.' || name[0] == '-' || is_own(name);
    text_buffer buffer = {0};
    for (size_t i = 0; i < length && i < LONGEST; i++) {
        bool keep = is_safe(name[i]) && !(i == 0 && (name[i] == '.' || name[i] == '-'));
        text_append(&buffer, keep ? &name[i] : "_", 1);
        changed = changed || !keep;
    }
    if (changed) text_format(&buffer, "-%08x", (unsigned)(lab_text_hash(name, length) >> 32));
    return finish(&buffer);
}

bool text_is_utf8(const char *text)
{
    for (size_t bytes; *text; text += bytes) {
        if (lab_text_character(text, &bytes) == LAB_TEXT_REPLACEMENT && bytes == 1) return false;
    }
    return true;
}
