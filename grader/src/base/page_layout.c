/* Wrapping, padding and colouring; see page_layout.h. */
#include "page_layout.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/plain_text.h"

void page_colored(const text_page *page, page_color color, const char *format, ...)
{
    static const char *const codes[] = {"", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[1m"};
    bool colored = page->terminal.color && color != PAGE_PLAIN;
    va_list arguments;
    if (colored) fputs(codes[color], page->file);
    va_start(arguments, format);
    vfprintf(page->file, format, arguments);
    va_end(arguments);
    if (colored) fputs("\x1b[0m", page->file);
}

/* Two columns for characters that may be wide (from Hangul on), one for letters, punctuation and symbols. */
static int character_columns(uint32_t character)
{
    bool symbol = character >= 0x2000 && character < 0x2C00;
    return character < 0x1100 || symbol || character == LAB_TEXT_REPLACEMENT ? 1 : 2;
}

static int columns_of(const char *text, size_t bytes)
{
    int columns = 0;
    for (size_t at = 0, length; at < bytes; at += length) {
        uint32_t character = lab_text_character(text + at, &length);
        if (length == 0) break;
        columns += character_columns(character);
    }
    return columns;
}

int page_columns(const char *text) { return columns_of(text, strlen(text)); }

/* Prints text. Where the page's character set is not UTF-8, each character beyond ASCII becomes "?". */
static void put(const text_page *page, const char *text, size_t bytes)
{
    for (size_t at = 0, length; at < bytes; at += length) {
        uint32_t character = lab_text_character(text + at, &length);
        if (length == 0) return;
        if (page->terminal.utf8 || character < 0x80)
            fwrite(text + at, 1, length, page->file);
        else
            fputc('?', page->file);
    }
}

static void pad(const text_page *page, int columns)
{
    for (int i = 0; i < columns; i++) fputc(' ', page->file);
}

void page_left(const text_page *page, int width, const char *text)
{
    put(page, text, strlen(text));
    pad(page, width - page_columns(text));
}

void page_right(const text_page *page, int width, const char *text)
{
    pad(page, width - page_columns(text));
    put(page, text, strlen(text));
}

void page_cut(const text_page *page, int width, const char *text)
{
    static const char rest[] = "...";
    bool fits = page_columns(text) <= width;
    put(page, text, fits ? strlen(text) : lab_text_fit(text, width - (int)strlen(rest)));
    if (!fits) fputs(rest, page->file);
}

/* The end of the word that begins at `at`. A command in backquotes is one word, unless it is too long for any line. */
static size_t word_end(const char *text, size_t at, int room)
{
    size_t end = at + strcspn(text + at, " \n"), quote = at + strcspn(text + at, "` \n");
    if (text[quote] != '`') return end;
    size_t close = quote + 1 + strcspn(text + quote + 1, "`\n");
    if (text[close] != '`') return end;
    size_t whole = close + strcspn(text + close, " \n");
    return columns_of(text + at, whole - at) <= room ? whole : end;
}

/* How many bytes of the text go on a line of `room` columns: up to its last space there, or the whole of a word that is
 * too long for any line. */
static size_t line_bytes(const char *text, int room)
{
    size_t end = strcspn(text, "\n"), fits = 0;
    for (size_t at = 0; at < end;) {
        size_t word = at + strspn(text + at, " ");
        word = word_end(text, word, room);
        if (fits > 0 && columns_of(text, word) > room) break;
        fits = at = word;
    }
    return fits;
}

void page_text(const text_page *page, int column, const char *text)
{
    enum { NARROWEST = 20 };
    int room = page->terminal.columns - column;
    if (room < NARROWEST) room = NARROWEST;
    for (bool first = true; first || *text; first = false) {
        size_t bytes = line_bytes(text, room);
        if (!first) pad(page, column);
        put(page, text, bytes);
        fputc('\n', page->file);
        text += bytes;
        text += *text == '\n' ? 1 : strspn(text, " ");
    }
}

void page_field(const text_page *page, int indent, int width, const char *label, const char *text)
{
    pad(page, indent);
    page_left(page, width, label);
    page_text(page, indent + width, text);
}

void page_block(const text_page *page, int indent, const char *text)
{
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        pad(page, bytes ? indent : 0);
        put(page, text, bytes);
        fputc('\n', page->file);
        text += bytes + (text[bytes] == '\n');
    }
}

void page_write_milliseconds(char *text, size_t size, double value)
{
    snprintf(text, size, value >= 999.5 ? "%.0f" : "%.3g", value);
}
