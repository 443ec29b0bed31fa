/* Names in a submission; see file_names.h. */
#include "file_names.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "unpack.h"

/* The length of a name without ".c" or ".c.txt"; 0 if it has neither. */
static size_t source_stem(const char *name)
{
    static const char *const ends[] = {".c", ".c.txt"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t end = strlen(ends[i]);
        if (length > end && strcasecmp(name + length - end, ends[i]) == 0) return length - end;
    }
    return 0;
}

bool file_names_is_source(const char *name) { return source_stem(name) > 0; }

/* Whether these bytes after a file's name are what systems add to the name of a copy: after a space, in parentheses, in
 * another script, or a number after "-". */
static bool is_mark_of_system(const char *at, const char *end)
{
    if (at < end && *at == '-') {
        const char *digits = ++at;
        while (at < end && isdigit((unsigned char)*at)) at++;
        if (at == digits) return false;
    }
    return at == end || *at == ' ' || *at == '(' || (unsigned char)*at >= 0x80;
}

file_name_kind file_names_kind(const char *name, const char *file)
{
    const size_t wanted = strlen(file) - strlen(".c"), stem = source_stem(name);
    if (strcmp(name, file) == 0) return FILE_NAME_EXACT;
    if (stem < wanted) return FILE_NAME_OTHER;
    if (strncasecmp(name, file, wanted) == 0) {
        if (is_mark_of_system(name + wanted, name + stem)) return FILE_NAME_RENAMED;
        return strchr("-_.", name[wanted]) ? FILE_NAME_BY_HAND : FILE_NAME_OTHER;
    }
    const char *at_end = name + stem - wanted;
    const bool after_words = strncasecmp(at_end, file, wanted) == 0 && at_end > name && at_end[-1] == ' ';
    return after_words ? FILE_NAME_BY_HAND : FILE_NAME_OTHER;
}

bool file_names_is_likely(const char *name, const char *file)
{
    const size_t stem = strlen(file) - strlen(".c");
    return file_names_is_source(name) || (strncasecmp(name, file, stem) == 0 && (!name[stem] || name[stem] == '.'));
}

bool file_names_is_ignored_folder(const char *name)
{
    const bool build = strncasecmp(name, "build", 5) == 0 && strchr("-_.", name[5]);
    return build || name[0] == '.' || unpack_is_litter(name);
}

bool file_names_is_ignored(const char *path)
{
    char part[256];
    for (const char *slash; (slash = strchr(path, '/')); path = slash + 1) {
        const size_t length = (size_t)(slash - path);
        if (length >= sizeof part) continue;
        memcpy(part, path, length);
        part[length] = '\0';
        if (strcmp(part, ".") != 0 && strcmp(part, "..") != 0 && file_names_is_ignored_folder(part)) return true;
    }
    return false;
}

bool file_names_is_barred_folder(const char *name)
{
    return strcasecmp(name, "solutions") == 0 || strcasecmp(name, "grader") == 0;
}
