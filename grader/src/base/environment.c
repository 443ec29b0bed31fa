/* Choosing environment variables; see environment.h. */
#include "environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text.h"
#include "word_list.h"

static bool has_name(const char *variable, const char *name, size_t length)
{
    return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

static bool is_kept(const char *variable)
{
    static const char *const names[] = {"PATH",           "HOME",        "LANG",           "LC_ALL",
                                        "LC_CTYPE",       "TMPDIR",      "XDG_CACHE_HOME", "CUDA_VISIBLE_DEVICES",
                                        "CUDA_PATH",      "CUDA_HOME",   "TZDIR",          "CPATH",
                                        "C_INCLUDE_PATH", "LIBRARY_PATH"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (has_name(variable, names[i], strlen(names[i]))) return true;
    }
    bool ours = strncmp(variable, "LAB_", 4) == 0;
    return ours && strncmp(variable, "LAB_CHECK_", 10) != 0 && !has_name(variable, "LAB_TRACE", 9);
}

static bool is_in(const char *const *list, const char *variable)
{
    size_t length = strcspn(variable, "=");
    for (size_t i = 0; list && list[i]; i++) {
        if (has_name(list[i], variable, length)) return true;
    }
    return false;
}

/* Adds LD_LIBRARY_PATH without its folders that are not absolute: an empty one is the folder of a student's files. */
static void add_library_path(word_list *variables)
{
    const char *rest = getenv("LD_LIBRARY_PATH");
    text_buffer kept = {0};
    while (rest && *rest) {
        int length = (int)strcspn(rest, ":");
        if (*rest == '/') text_format(&kept, "%s%.*s", kept.length ? ":" : "LD_LIBRARY_PATH=", length, rest);
        rest += length + (rest[length] == ':');
    }
    if (kept.failed) variables->failed = true;
    if (kept.length && !kept.failed) word_list_add(variables, kept.text, NULL);
    free(kept.text);
}

char **environment_make(const char *const *extra)
{
    word_list variables = {0};
    for (size_t i = 0; extra && extra[i]; i++) word_list_add(&variables, extra[i], NULL);
    for (size_t i = 0; environ[i]; i++) {
        if (is_kept(environ[i]) && !is_in(extra, environ[i])) word_list_add(&variables, environ[i], NULL);
    }
    if (!is_in(extra, "LD_LIBRARY_PATH=")) add_library_path(&variables);
    return word_list_take(&variables);
}

void environment_free(char **environment) { word_list_free(environment); }
