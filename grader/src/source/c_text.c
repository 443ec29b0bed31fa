/* Reading C as text; see c_text.h. */
#include "c_text.h"

#include <ctype.h>
#include <string.h>

static size_t literal_length(const char *at)
{
    size_t i = 1;
    while (at[i] && at[i] != at[0] && at[i] != '\n') i += at[i] == '\\' && at[i + 1] ? 2 : 1;
    return i + (at[i] == at[0]);
}

size_t c_text_skip(const char *at, bool line_start)
{
    if (at[0] == '/' && at[1] == '/') return strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? (size_t)(end + 2 - at) : strlen(at);
    }
    if (at[0] == '"' || at[0] == '\'') return literal_length(at);
    if (at[0] != '#' || !line_start) return 0;
    size_t i = strcspn(at, "\n");
    while (at[i] && at[i - 1] == '\\') i += 1 + strcspn(at + i + 1, "\n");
    return i;
}

bool c_text_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }
