/* A message is a line "file:line:column: kind: text" and the lines up to the next one. Warnings and notes about text
 * that the user did not write are left out. */
#include "diagnostics.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part ": error: ..." of a line that begins a message; NULL for any other line. */
static const char *message_kind(const char *line, size_t length)
{
    static const char *const kinds[] = {": error: ", ": fatal error: ", ": warning: ", ": note: "};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        const char *found = memmem(line, length, kinds[i], strlen(kinds[i]));
        if (found && found > line && isdigit((unsigned char)found[-1])) return found;
    }
    return NULL;
}

/* Whether a line is clang's last: "2 errors generated." */
static bool is_count(const char *line, size_t length)
{
    return isdigit((unsigned char)*line) && memmem(line, length, " generated.", 11);
}

char *cpu_diagnostics(const char *errors)
{
    char *text = NULL;
    size_t size = 0;
    bool is_kept = true, has_error = false;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    for (const char *line = errors; *line;) {
        const size_t length = strcspn(line, "\n"), whole = length + (line[length] == '\n');
        const char *kind = message_kind(line, length);
        const bool is_error = kind && memmem(kind, length - (size_t)(kind - line), "error: ", 7);
        if (kind) is_kept = is_error || *line != '<';
        has_error = has_error || is_error;
        if (is_kept && !is_count(line, length)) fwrite(line, 1, whole, out);
        line += whole;
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    if (!has_error) *text = '\0';
    for (size_t end = strlen(text); end > 0 && text[end - 1] == '\n';) text[--end] = '\0';
    return text;
}
