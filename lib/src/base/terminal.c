/* The rules for colour, character set and width. */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_LEAST = 40, COLUMNS_USUAL = 80, COLUMNS_MOST = 1000 };

/* The value of an environment variable; NULL if it is unset or empty. */
static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool obeys_sequences(int descriptor)
{
    const char *terminal = setting("TERM");
    return isatty(descriptor) && terminal && strcmp(terminal, "dumb") != 0;
}

static bool utf8_locale(void)
{
    const char *locale = setting("LC_ALL");
    if (!locale) locale = setting("LC_CTYPE");
    if (!locale) locale = setting("LANG");
    const char *charset = locale ? strchr(locale, '.') : NULL;
    return charset && (strncasecmp(charset, ".utf-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
}

static int width(int descriptor)
{
    struct winsize size;
    const char *value = setting("COLUMNS");
    char *end = NULL;
    long columns = value ? strtol(value, &end, 10) : 0;
    if (!value || *end != '\0' || columns <= 0)
        columns = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS_USUAL;
    if (columns < COLUMNS_LEAST) return COLUMNS_LEAST;
    return columns < COLUMNS_MOST ? (int)columns : COLUMNS_MOST;
}

lab_terminal lab_terminal_describe(int descriptor)
{
    bool rewrites = obeys_sequences(descriptor);
    return (lab_terminal){
        .color = rewrites && !setting("NO_COLOR"),
        .rewrites = rewrites,
        .utf8 = utf8_locale(),
        .columns = width(descriptor),
    };
}
