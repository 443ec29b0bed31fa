/* Characters decide: quotes and brackets are the only structure that is followed. */
#include "text.h"

#include <ctype.h>

bool span_starts_with(span s, const char *prefix)
{
    const size_t length = strlen(prefix);
    return s.length >= length && memcmp(s.start, prefix, length) == 0;
}

bool span_equal(span a, span b)
{
    if (a.length != b.length) return false;
    return a.length == 0 || memcmp(a.start, b.start, a.length) == 0; /* an empty span may have no address */
}

bool span_is(span s, const char *text) { return span_equal(s, span_of(text)); }

bool span_is_joined(span s, const char *first, span second)
{
    const size_t skipped = strlen(first);
    return span_starts_with(s, first) && span_equal((span){s.start + skipped, s.length - skipped}, second);
}

int span_compare(span a, span b)
{
    if (a.length != b.length) return a.length < b.length ? -1 : 1;
    return a.length ? memcmp(a.start, b.start, a.length) : 0;
}

bool span_is_one_of(span s, const char *const *texts)
{
    for (; *texts; ++texts)
        if (span_is(s, *texts)) return true;
    return false;
}

const char *span_find(span s, const char *text)
{
    const size_t length = strlen(text);
    const char *outside = s.start, *end = span_end(s);
    for (const char *found; (found = memmem(outside, (size_t)(end - outside), text, length));) {
        const char *open, *close;
        while (outside <= found && (open = memchr(outside, '"', (size_t)(found - outside))) != NULL) {
            close = memchr(open + 1, '"', (size_t)(end - open - 1));
            if (!close) return NULL;
            outside = close + 1;
        }
        if (outside <= found) return found;
    }
    return NULL;
}

span ir_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return (span){at, end ? (size_t)(end + 1 - at) : strlen(at)};
}

static bool is_name_character(char c) { return isalnum((unsigned char)c) || (c && strchr("$._-", c)); }

bool ir_is_plain_name(span name)
{
    for (size_t i = 0; i < name.length; ++i)
        if (!is_name_character(name.start[i])) return false;
    return true;
}

size_t ir_decoded_length(span text)
{
    size_t bytes = 0;
    for (size_t i = 0; i < text.length; ++i, ++bytes)
        if (text.start[i] == '\\') i += i + 1 < text.length && text.start[i + 1] == '\\' ? 1 : 2;
    return bytes;
}

span ir_next_name(char sigil, const char *at, const char *end, const char **after)
{
    for (; at < end; ++at) {
        if (*at == '"') {
            while (++at < end && *at != '"') continue;
        } else if (*at == sigil && at + 1 < end && at[1] == '"') {
            const char *close = memchr(at + 2, '"', (size_t)(end - at - 2));
            *after = close ? close + 1 : end;
            if (close) return (span){at + 2, (size_t)(close - at - 2)};
            break;
        } else if (*at == sigil) {
            const char *start = at + 1;
            for (at = start; at < end && is_name_character(*at); ++at) continue;
            *after = at;
            if (at > start) return (span){start, (size_t)(at - start)};
            --at;
        }
    }
    *after = end;
    return (span){end, 0};
}

span ir_item(const char *at, const char *stops)
{
    int depth = 0;
    const char *end = at;
    for (; *end && *end != '\n'; ++end) {
        if (depth == 0 && strchr(stops, *end)) break;
        if (strchr("<[{(", *end)) ++depth;
        if (strchr(">]})", *end) && --depth < 0) break;
        if (*end == '"') end += strcspn(end + 1, "\"\n") + 1;
    }
    return (span){at, (size_t)(end - at)};
}

bool ir_is_own_name(span name)
{
    if (!span_starts_with(name, "_ZL")) return span_starts_with(name, "lab_");
    const size_t digits = strspn(name.start + 3, "0123456789");
    return strncmp(name.start + 3 + digits, "lab_", 4) == 0;
}

span ir_without_managed(span name)
{
    const size_t length = strlen(IR_MANAGED);
    const bool has = name.length > length && memcmp(span_end(name) - length, IR_MANAGED, length) == 0;
    return (span){name.start, has ? name.length - length : name.length};
}

bool ir_has_typed_pointers(const char *ir)
{
    for (span line; (line = ir_line(ir)).length; ir += line.length)
        if ((span_starts_with(line, "define ") || span_starts_with(line, "declare ")) && span_find(line, "*"))
            return true;
    return false;
}
