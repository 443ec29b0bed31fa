/*
 * But for the name of an operator, no other code of C++ has a < after <<. Templates end with > > >, which stays as it
 * is where no launch is open.
 */
#include "launch_marks.h"

#include <ctype.h>
#include <string.h>

/* The end of a raw string that begins at the quote: R"tag( ... )tag". */
static char *after_raw_string(char *quote)
{
    enum { MOST_TAG = 16 }; /* C++ allows no longer one */
    const char *tag = quote + 1;
    const size_t length = strcspn(tag, "(");
    if (length > MOST_TAG) return quote + 1;
    for (char *end = quote; (end = strchr(end, ')')); end++)
        if (strncmp(end + 1, tag, length) == 0 && end[1 + length] == '"') return end + length + 2;
    return quote + strlen(quote);
}

static char *after_quoted(char *at)
{
    const char quote = *at++;
    while (*at && *at != quote && *at != '\n') at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

/* What follows a comment, a text or a character that begins here; `at` if none does. */
static char *after_text(char *at, const char *begin)
{
    char *end;
    if (at[0] == '/' && at[1] == '*') return (end = strstr(at + 2, "*/")) ? end + 2 : at + strlen(at);
    if (at[0] == '/' && at[1] == '/') {
        while (*at && *at != '\n') at += at[0] == '\\' && at[1] ? 2 : 1;
        return at;
    }
    if (*at == '"') return at > begin && at[-1] == 'R' ? after_raw_string(at) : after_quoted(at);
    /* 1'000 is a number. */
    if (*at == '\'' && !(at > begin && isxdigit((unsigned char)at[-1]))) return after_quoted(at);
    return at;
}

/* operator<< <T> */
static bool names_operator(const char *at, const char *begin)
{
    static const char name[] = "operator";
    const size_t length = sizeof name - 1;
    while (at > begin && isspace((unsigned char)at[-1])) at--;
    return (size_t)(at - begin) >= length && strncmp(at - length, name, length) == 0;
}

/* The end of a launch's mark that begins here: three of these characters, perhaps with blanks between. Or NULL. */
static char *after_mark(char *at, char mark)
{
    for (int found = 0;; at++) {
        if (*at == mark && ++found == 3) return at + 1;
        if (*at != mark && !(found && isspace((unsigned char)*at))) return NULL;
    }
}

/* Moves the mark's characters to its beginning, and the blanks and line ends between them behind them. */
static bool close_up(char *at, const char *end, char mark)
{
    if (end - at == 3) return false;
    char *blank = (char *)end;
    for (char *from = (char *)end; from-- > at;)
        if (*from != mark) *--blank = *from;
    memset(at, mark, 3);
    return true;
}

/* extern "C"__global__ becomes extern"C" __global__. The text begins at the quote. */
static bool part_from_linkage(char *at, const char *begin)
{
    static const char before[] = "extern ", linkage[] = "\"C\"";
    const size_t length = sizeof before - 1, quoted = sizeof linkage - 1;
    if (strncmp(at, linkage, quoted) != 0 || at[quoted] != '_') return false;
    if ((size_t)(at - begin) < length || strncmp(at - length, before, length) != 0) return false;
    memmove(at - 1, at, quoted);
    at[quoted - 1] = ' ';
    return true;
}

bool labcc_close_launches(char *text)
{
    bool is_open = false, changed = false;
    for (char *at = text; *at;) {
        char *after = after_text(at, text);
        if (after != at) {
            changed = part_from_linkage(at, text) || changed;
            at = after;
            continue;
        }
        const char mark = is_open ? '>' : '<';
        if (*at == mark && !names_operator(at, text) && (after = after_mark(at, mark))) {
            changed = close_up(at, after, mark) || changed;
            is_open = !is_open;
            at = after;
        } else {
            if (*at == ';') is_open = false;
            at++;
        }
    }
    return changed;
}
