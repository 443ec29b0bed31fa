/* UTF-8, the replacement of harmful characters, and a hash. */
#include "plain_text.h"

#include <stdbool.h>
#include <string.h>

/* Decodes one character from `left` > 0 bytes. A byte that begins no character counts alone, as U+FFFD. */
static uint32_t decode(const unsigned char *text, size_t left, size_t *bytes)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = text[0];
    size_t need = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    *bytes = 1;
    if (need == 1) return lead;
    if (need == 0 || need > left) return LAB_TEXT_REPLACEMENT;

    uint32_t character = lead & (0xFFu >> (need + 1));
    for (size_t i = 1; i < need; i++) {
        if ((text[i] & 0xC0) != 0x80) return LAB_TEXT_REPLACEMENT;
        character = character << 6 | (text[i] & 0x3Fu);
    }
    bool surrogate = character >= 0xD800 && character <= 0xDFFF;
    if (character < smallest[need] || character > 0x10FFFF || surrogate) return LAB_TEXT_REPLACEMENT;
    *bytes = need;
    return character;
}

size_t lab_text_encode(char out[4], uint32_t character)
{
    if (character < 0x80) {
        out[0] = (char)character;
        return 1;
    }
    size_t bytes = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = bytes - 1; i > 0; i--, character >>= 6) out[i] = (char)(0x80 | (character & 0x3F));
    out[0] = (char)((0xF00u >> bytes & 0xF0u) | character);
    return bytes;
}

static uint32_t harmless(uint32_t character)
{
    if (character == '\t' || character == '\n' || character == '\r') return ' ';
    bool control = character < 0x20 || (character >= 0x7F && character <= 0x9F);
    bool separator = character == 0x2028 || character == 0x2029;
    bool reorders = character == 0x061C || character == 0x200E || character == 0x200F ||
                    (character >= 0x202A && character <= 0x202E) || (character >= 0x2066 && character <= 0x2069);
    bool no_character = (character & 0xFFFE) == 0xFFFE || (character >= 0xFDD0 && character <= 0xFDEF);
    return control || separator || reorders || no_character ? LAB_TEXT_REPLACEMENT : character;
}

size_t lab_text_clean(char *out, size_t size, const char *text, size_t length)
{
    size_t written = 0;
    for (size_t position = 0, bytes; position < length; position += bytes) {
        char encoded[4];
        size_t count = lab_text_encode(
            encoded, harmless(decode((const unsigned char *)text + position, length - position, &bytes)));
        if (written + count >= size) break;
        memcpy(out + written, encoded, count);
        written += count;
    }
    out[written] = '\0';
    return written;
}

uint32_t lab_text_character(const char *text, size_t *bytes)
{
    *bytes = 0;
    if (*text == '\0') return 0;
    return decode((const unsigned char *)text, strnlen(text, 4), bytes);
}

static int columns_of(uint32_t character)
{
    enum { FIRST_WIDE = 0x1100 }; /* Hangul Jamo: no character below is wide */
    bool known_narrow = character == LAB_TEXT_REPLACEMENT || (character >= 0x2010 && character <= 0x2027);
    return character < FIRST_WIDE || known_narrow ? 1 : 2;
}

size_t lab_text_fit(const char *text, int columns)
{
    size_t length = 0;
    size_t bytes;
    for (uint32_t character; (character = lab_text_character(text + length, &bytes)) != 0; length += bytes) {
        columns -= columns_of(character);
        if (columns < 0) break;
    }
    return length;
}

uint64_t lab_text_hash(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash;
}
