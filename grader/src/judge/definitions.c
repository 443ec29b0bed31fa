/* Reads names at the top level of a C file; see definitions.h. */
#include "definitions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_text.h"

/* Replaces comments, literals and preprocessor lines by blanks, but keeps the lines. */
static void blank_out(char *text)
{
    bool line_start = true;
    for (char *at = text; *at;) {
        const size_t skip = c_text_skip(at, line_start);
        for (size_t i = 0; i < skip; i++)
            if (at[i] != '\n') at[i] = ' ';
        if (!skip) line_start = *at == '\n' || (line_start && isspace((unsigned char)*at));
        at += skip ? skip : 1;
    }
}

/* After the brackets that open here, the next character that is not blank; NULL if they do not close. */
static const char *behind_brackets(const char *at)
{
    int open = 0;
    do {
        open += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        at += *at != '\0';
        if (open == 0) at += strspn(at, " \t\r\n");
    } while (*at && (open > 0 || *at == '['));
    return *at ? at : NULL;
}

/* Whether a name that ends here is being defined: "(...) {", "[4][4] =", "=". */
static bool is_definition(const char *behind)
{
    behind += strspn(behind, " \t\r\n");
    const bool function = *behind == '(', table = *behind == '[';
    if (function || table) behind = behind_brackets(behind);
    return behind && (*behind == (function ? '{' : '=') && (function || behind[1] != '='));
}

json_t *definitions_find(const char *source, const char *lab)
{
    json_t *lines = json_object();
    char *text = strdup(source);
    const size_t prefix = strlen(lab);
    int line = 1, depth = 0;
    bool ok = lines && text;
    if (ok) blank_out(text);
    for (const char *at = text; ok && *at; at++) {
        line += *at == '\n';
        depth += (*at == '{') - (*at == '}');
        if (depth || !c_text_is_word(*at) || (at > text && c_text_is_word(at[-1]))) continue;
        size_t length = prefix;
        if (strncmp(at, lab, prefix) != 0 || at[prefix] != '_') continue;
        while (c_text_is_word(at[length])) length++;
        char *name = strndup(at, length);
        if (name && is_definition(at + length) && !json_object_get(lines, name))
            ok = json_object_set_new(lines, name, json_integer(line)) == 0;
        ok = ok && name;
        free(name);
    }
    free(text);
    if (ok) return lines;
    json_decref(lines);
    return NULL;
}

/* The first name in the text that has a definition; NULL if none has. */
static const char *name_in(const char *text, const json_t *definitions)
{
    const char *name, *first = NULL, *found = NULL;
    json_t *line;
    json_object_foreach((json_t *)definitions, name, line)
    {
        const size_t length = strlen(name);
        for (const char *at = text; (at = strstr(at, name)); at += length) {
            if (c_text_is_word(at[length]) || (at > text && c_text_is_word(at[-1]))) continue;
            if (!first || at < first) first = at, found = name;
            break;
        }
    }
    return found;
}

bool definitions_locate(json_t *checks, const json_t *definitions, const char *file)
{
    static const char *const fields[] = {"message", "expected", "found"};
    json_t *check;
    size_t index;
    json_array_foreach(checks, index, check)
    {
        const char *status = json_string_value(json_object_get(check, "status")), *name = NULL;
        if (!status || strcmp(status, "failed") != 0 || json_is_object(json_object_get(check, "location"))) continue;
        for (size_t i = 0; i < sizeof fields / sizeof *fields && !name; i++) {
            const char *text = json_string_value(json_object_get(check, fields[i]));
            name = text ? name_in(text, definitions) : NULL;
        }
        if (!name) continue;
        json_t *place =
            json_pack("{s:s, s:O, s:s}", "file", file, "line", json_object_get(definitions, name), "function", name);
        if (!place || json_object_set_new(check, "location", place)) return false;
    }
    return true;
}
