/* Reading command lines; see arguments.h. */
#include "arguments.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const arguments_option *find_option(const char *word, const arguments_option *options, size_t count)
{
    for (size_t i = 0; strncmp(word, "--", 2) == 0 && i < count; i++) {
        if (strcmp(word + 2, options[i].name) == 0) return &options[i];
    }
    return NULL;
}

bool arguments_read(int count, char **argument, const arguments_option *options, size_t option_count)
{
    for (int i = 1; i < count; i++) {
        const arguments_option *option = find_option(argument[i], options, option_count);
        if (!option) {
            fprintf(stderr, "%s: there is no option %s; --help lists them\n", argument[0], argument[i]);
            return false;
        }
        if (option->flag) {
            *option->flag = true;
        } else if (i + 1 < count) {
            *option->value = argument[++i];
        } else {
            fprintf(stderr, "%s: --%s needs a value\n", argument[0], option->name);
            return false;
        }
    }
    return true;
}

bool arguments_number(uint64_t *out, const char *option, const char *text)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    if (*text && strspn(text, "0123456789") == strlen(text) && errno == 0) return true;
    fprintf(stderr, "--%s %s: a whole number from 0 to %llu is needed\n", option, text, (unsigned long long)UINT64_MAX);
    return false;
}

bool arguments_seconds(double *out, const char *option, const char *text)
{
    char *end;
    *out = strtod(text, &end);
    if (end > text && *end == '\0' && isfinite(*out) && *out > 0 && *out <= 86400) return true;
    fprintf(stderr, "--%s %s: a number of seconds above 0 and at most 86400 is needed\n", option, text);
    return false;
}
