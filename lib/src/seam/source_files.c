/* What counts is that no directive is missed, whatever compiler reads the text. */
#include "source_files.h"
#include "kernel_scan.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static bool refused;

void source_files_refuse(void) { refused = true; }

bool source_files_are_refused(void) { return refused; }

lab_status source_files_fail(const char *name)
{
    return lab_fail(LAB_ERROR_INVALID_SOURCE,
                    "%s does not compile:\n%s: error: it includes a file or asks for one, and kernels of this program "
                    "may not read files; put the text into the source",
                    name, name);
}

/* The bytes of the end of a line; 0 if there is none here. */
static size_t line_end(const char *text)
{
    return *text == '\r' && text[1] == '\n' ? 2 : *text == '\n' || *text == '\r';
}

/* The bytes of what joins a line with the next; 0 if nothing does here. */
static size_t joint(const char *text)
{
    const size_t mark = *text == '\\' ? 1
                        : strncmp(text,
                                  "?"
                                  "?/",
                                  3) == 0
                            ? 3
                            : 0;
    if (mark == 0) return 0;
    const size_t blanks = strspn(text + mark, " \t\v\f"), end = line_end(text + mark + blanks);
    return end ? mark + blanks + end : 0;
}

/* The text with its joined lines as one. */
static char *join_lines(const char *source)
{
    char *joined = malloc(strlen(source) + 1), *at = joined;
    while (joined && *source) {
        const size_t bytes = joint(source);
        if (bytes > 0)
            source += bytes;
        else
            *at++ = *source++;
    }
    if (joined) *at = '\0';
    return joined;
}

/* Whether a compiler may take the letter for a blank. */
static bool is_blank(char letter) { return (letter > 0 && letter <= ' ') || (letter & 0x80) != 0 || letter == 0x7f; }

/* The end of the blanks and comments that begin here. */
static const char *skip_blanks(const char *text, bool with_lines)
{
    for (;;) {
        if (strncmp(text, "/*", 2) == 0) {
            const char *end = strstr(text + 2, "*/");
            if (!end) return text + strlen(text);
            text = end + 2;
        } else if (is_blank(*text) && (with_lines || !line_end(text))) {
            text++;
        } else {
            return text;
        }
    }
}

/* The bytes of the mark of a directive. */
static size_t directive_mark(const char *text)
{
    return *text == '#'                  ? 1
           : strncmp(text, "%:", 2) == 0 ? 2
           : strncmp(text,
                     "?"
                     "?=",
                     3) == 0
               ? 3
               : 0;
}

static bool names_file(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_\\";
    char word[64];
    size_t length = strspn(name, letters);
    if (memchr(name, '\\', length)) return true; /* a letter in disguise */
    if (length >= sizeof word) length = sizeof word - 1;
    memcpy(word, name, length);
    word[length] = '\0';
    return strstr(word, "include") || strstr(word, "import") || strstr(word, "embed");
}

/* Whether a directive that names a file may begin at the start of a line, or where a comment ends. */
static bool begins_with_file(const char *text)
{
    const char *first = skip_blanks(text, true);
    const size_t mark = directive_mark(first);
    return mark > 0 && names_file(skip_blanks(first + mark, false));
}

static bool has_file(const char *text)
{
    if (strstr(text, "__has_include") || strstr(text, "__has_embed") || begins_with_file(text)) return true;
    for (; *text; text++)
        if ((line_end(text) && begins_with_file(text + 1)) ||
            (strncmp(text, "*/", 2) == 0 && begins_with_file(text + 2)))
            return true;
    return false;
}

lab_status source_files_check(const char *source, const char *name)
{
    if (!refused) return LAB_SUCCESS;
    kernel_scan scan;
    char *joined = kernel_scan_source(&scan, source) ? join_lines(scan.plain) : NULL;
    kernel_scan_free(&scan);
    if (!joined) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory to read %s", name);
    const bool found = has_file(joined);
    free(joined);
    return found ? source_files_fail(name) : LAB_SUCCESS;
}
