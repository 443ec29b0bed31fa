/* Cleaning and building text; see text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
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

/* The grader's own files next to the folders of submissions begin like this: results.json, grades.db and the files that
 * SQLite keeps next to it, grading.jsonl. Case does not count, because some file systems ignore it. */
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

/* The canonical decompositions of Unicode. */
static const struct {
    uint32_t mark;
    const char *plain;
    const char16_t *marked; /* in the order of `plain` */
} letter_marks[] = {
    {0x0300, "AEIOUaeiou", u"\u00c0\u00c8\u00cc\u00d2\u00d9\u00e0\u00e8\u00ec\u00f2\u00f9"},
    {0x0301, "AEIOUYaeiouyCcLlNnRrSsZz",
     u"\u00c1\u00c9\u00cd\u00d3\u00da\u00dd\u00e1\u00e9\u00ed\u00f3\u00fa\u00fd\u0106\u0107\u0139\u013a\u0143\u0144"
     u"\u0154\u0155\u015a\u015b\u0179\u017a"},
    {0x0302, "AEIOUaeiouCcGgHhJjSsWwYy",
     u"\u00c2\u00ca\u00ce\u00d4\u00db\u00e2\u00ea\u00ee\u00f4\u00fb\u0108\u0109\u011c\u011d\u0124\u0125\u0134\u0135"
     u"\u015c\u015d\u0174\u0175\u0176\u0177"},
    {0x0303, "ANOanoIiUu", u"\u00c3\u00d1\u00d5\u00e3\u00f1\u00f5\u0128\u0129\u0168\u0169"},
    {0x0304, "AaEeIiOoUu", u"\u0100\u0101\u0112\u0113\u012a\u012b\u014c\u014d\u016a\u016b"},
    {0x0306, "AaEeGgIiOoUu", u"\u0102\u0103\u0114\u0115\u011e\u011f\u012c\u012d\u014e\u014f\u016c\u016d"},
    {0x0307, "CcEeGgIZz", u"\u010a\u010b\u0116\u0117\u0120\u0121\u0130\u017b\u017c"},
    {0x0308, "AEIOUaeiouyY", u"\u00c4\u00cb\u00cf\u00d6\u00dc\u00e4\u00eb\u00ef\u00f6\u00fc\u00ff\u0178"},
    {0x030A, "AaUu", u"\u00c5\u00e5\u016e\u016f"},
    {0x030B, "OoUu", u"\u0150\u0151\u0170\u0171"},
    {0x030C, "CcDdEeLlNnRrSsTtZz",
     u"\u010c\u010d\u010e\u010f\u011a\u011b\u013d\u013e\u0147\u0148\u0158\u0159\u0160\u0161\u0164\u0165\u017d\u017e"},
    {0x0327, "CcGgKkLlNnRrSsTt",
     u"\u00c7\u00e7\u0122\u0123\u0136\u0137\u013b\u013c\u0145\u0146\u0156\u0157\u015e\u015f\u0162\u0163"},
    {0x0328, "AaEeIiUu", u"\u0104\u0105\u0118\u0119\u012e\u012f\u0172\u0173"},
};

uint32_t text_take_letter_apart(uint32_t letter, uint32_t *mark)
{
    for (size_t i = 0; i < sizeof letter_marks / sizeof *letter_marks; i++) {
        for (size_t k = 0; letter_marks[i].marked[k]; k++) {
            if (letter_marks[i].marked[k] != letter) continue;
            *mark = letter_marks[i].mark;
            return (unsigned char)letter_marks[i].plain[k];
        }
    }
    *mark = 0;
    return letter;
}
