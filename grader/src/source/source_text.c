/* What is no C source; see source_text.h. */
#include "source_text.h"

#include <ctype.h>
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

static bool begins_with(const char *bytes, size_t count, const char *with)
{
    return count >= strlen(with) && memcmp(bytes, with, strlen(with)) == 0;
}

/* One odd byte in a text is still text: a compiler says where it is, or ignores it. */
const char *source_text_other(const char *bytes, size_t count)
{
    enum { TEXT_BYTES_FOR_ODD_ONE = 50 };
    size_t odd = 0, nulls = 0;
    if (begins_with(bytes, count, "{\\rtf")) return "a document of a word processor (RTF): save it as text";
    if (begins_with(bytes, count, "%PDF-")) return "a PDF: hand in the file that you compile";
    for (size_t i = 0; i < count; i++) {
        nulls += bytes[i] == 0;
        odd += iscntrl((unsigned char)bytes[i]) && !memchr("\t\n\v\f\r", bytes[i], 5);
    }
    const bool every_second = 5 * nulls > 2 * count && 5 * nulls < 3 * count;
    if (begins_with(bytes, count, "\xFF\xFE") || begins_with(bytes, count, "\xFE\xFF") || every_second)
        return "UTF-16: save it as UTF-8";
    return odd > count / TEXT_BYTES_FOR_ODD_ONE + 1 ? "other bytes: hand in the file that you compile" : NULL;
}
