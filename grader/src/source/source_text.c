/* What is no C source; see source_text.h. */
#include "source_text.h"

#include <string.h>
#include <strings.h>

bool source_text_is_web_page(const char *text)
{
    static const char byte_order[] = "\xEF\xBB\xBF", *const begins[] = {"<!doctype html", "<html", "<head", "<?xml"};
    if (strncmp(text, byte_order, strlen(byte_order)) == 0) text += strlen(byte_order);
    text += strspn(text, " \t\r\n\f\v");
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncasecmp(text, begins[i], strlen(begins[i])) == 0) return true;
    return false;
}

bool source_text_is_binary(const char *bytes, size_t count)
{
    static const char *const begins[] = {"%PDF-",
                                         "PK\x03\x04",
                                         "Rar!",
                                         "7z\xBC\xAF",
                                         "\x1F\x8B",
                                         "\x7F"
                                         "ELF"};
    if (memchr(bytes, '\0', count)) return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const size_t length = strlen(begins[i]);
        if (count >= length && memcmp(bytes, begins[i], length) == 0) return true;
    }
    return false;
}
