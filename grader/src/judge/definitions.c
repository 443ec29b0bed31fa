/* Reads names at the top level of a C file; see definitions.h. */
#include "definitions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/c_text.h"

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

/* Counts lines from one place of a text to a later one. */
static int lines_between(const char *from, const char *to)
{
    int lines = 0;
    for (; from < to; from++) lines += *from == '\n';
    return lines;
}

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t\r\n"); }

/* The end of the braces that open here, or of the text. */
static const char *end_of_braces(const char *at)
{
    int open = 0;
    do open += (*at == '{') - (*at == '}');
    while (open > 0 && *++at);
    return at;
}

static bool add(json_t *lines, const char *name, int first, int last)
{
    return json_object_get(lines, name) || json_object_set_new(lines, name, json_pack("[i, i]", first, last)) == 0;
}

enum { MOST_PARTS = 4096 }; /* of a definition: no table of a lab has as many entries */

/* Adds the entries of a table whose braces open at this line. */
static bool add_entries(json_t *lines, const char *table, const char *at, const char *end, int line)
{
    char name[128];
    for (int open = 0, number = 0; at < end && number < MOST_PARTS; at++) {
        line += *at == '\n';
        open += (*at == '{' || *at == '(' || *at == '[') - (*at == '}' || *at == ')' || *at == ']');
        if (open != 1 || (*at != '{' && *at != ',')) continue;
        const char *entry = skip_blanks(at + 1);
        const int where = line + lines_between(at, entry);
        snprintf(name, sizeof name, "%s[%d]", table, number++);
        if (entry < end && !add(lines, name, where, where)) return false;
    }
    return true;
}

/* Adds the cases of a function whose braces open at this line: "lab06_numpy_body(LAB_INT8)", and "(default)". */
static bool add_cases(json_t *lines, const char *function, const char *at, const char *end, int line)
{
    char name[128];
    for (int number = 0; at < end && number < MOST_PARTS; at++) {
        line += *at == '\n';
        const size_t word = strncmp(at, "case ", 5) == 0 ? 5 : strncmp(at, "default:", 8) == 0 ? 1 : 0;
        if (!word || c_text_is_word(at[-1])) continue;
        const char *begin = word == 1 ? at : skip_blanks(at + word);
        snprintf(name, sizeof name, "%s(%.*s)", function, (int)strcspn(begin, " :\n"), begin);
        if (!add(lines, name, line, line)) return false;
        number++;
    }
    return true;
}

/* Adds the words of a function whose braces open at this line, each with the first line that has it. */
static bool add_words(json_t *lines, const char *function, const char *at, const char *end, int line)
{
    char word[128];
    json_t *place = json_object_get(lines, function), *words = NULL;
    bool ok = json_array_size(place) > 2 || json_array_append_new(place, words = json_object()) == 0;
    for (const char *next; words && ok && at < end && json_object_size(words) < MOST_PARTS; at = next + 1) {
        for (next = at; c_text_is_word(*next);) next++;
        snprintf(word, sizeof word, "%.*s", (int)(next - at), at);
        if (next > at) ok = add(words, word, line, line);
        line += *next == '\n';
    }
    return ok;
}

/* Adds a definition at this line, if it is one, and moves `next` from behind its name to its end. */
static bool add_definition(json_t *lines, const char *name, const char **next, int line)
{
    const char *behind = *next;
    if (!is_definition(behind)) return true;
    const bool function = *skip_blanks(behind) == '(';
    const char *open = behind + strcspn(behind, function ? "{" : "{;"), *end = end_of_braces(open);
    const int opens = line + lines_between(behind, open), last = opens + lines_between(open, end);
    const int body = opens + (*open ? lines_between(open, skip_blanks(open + 1)) : 0);
    *next = end + (*end != '\0');
    if (!add(lines, name, function && *end && body < last ? body : line, last)) return false;
    if (function) return add_cases(lines, name, open, end, opens) && add_words(lines, name, open, end, opens);
    return *open != '{' || add_entries(lines, name, open, end, opens);
}

json_t *definitions_find(const char *source)
{
    json_t *lines = json_object();
    char *text = strdup(source);
    int line = 1, open = 0; /* brackets of any kind */
    bool ok = lines && text;
    if (ok) blank_out(text);
    /* Each step goes behind what it has read: the time is linear in the text, whatever a stranger wrote. */
    for (const char *at = text, *next; ok && *at; at = next) {
        next = at + 1;
        if (c_text_is_word(*at)) {
            while (c_text_is_word(*next)) next++;
            char *name = open ? NULL : strndup(at, (size_t)(next - at));
            ok = open || (name && add_definition(lines, name, &next, line));
            free(name);
        } else {
            open += (strchr("{([", *at) != NULL) - (strchr("})]", *at) != NULL);
            if (open < 0) open = 0;
        }
        line += lines_between(at, next);
    }
    free(text);
    if (ok) return lines;
    json_decref(lines);
    return NULL;
}

/* The first name in the text that begins with "LAB_" and has a definition; NULL if none has. */
static const char *name_in(const char *text, const json_t *definitions, const char *lab)
{
    const char *name, *first = NULL, *found = NULL;
    const size_t prefix = strlen(lab);
    json_t *lines;
    json_object_foreach((json_t *)definitions, name, lines)
    {
        const size_t length = strlen(name);
        if (strncmp(name, lab, prefix) != 0 || name[prefix] != '_') continue;
        for (const char *at = text; (at = strstr(at, name)); at += length) {
            if (c_text_is_word(at[length]) || (at > text && c_text_is_word(at[-1]))) continue;
            if (!first || at < first) first = at, found = name;
            break;
        }
    }
    return found;
}

/* The first such name in what a check says. */
static const char *name_of(const json_t *check, const json_t *definitions, const char *lab)
{
    static const char *const fields[] = {"message", "expected", "found"};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !name; i++) {
        const char *text = json_string_value(json_object_get(check, fields[i]));
        name = text ? name_in(text, definitions, lab) : NULL;
    }
    return name;
}

/* The lines of the definition at which a check says to look. If a case is missing they are those of the default, and
 * without a default those of the function or table. NULL for a name that is not defined. */
static json_t *lines_of(const json_t *definitions, const char *wanted)
{
    char name[128];
    const int length = (int)strcspn(wanted, "([");
    json_t *lines = json_object_get(definitions, wanted);
    snprintf(name, sizeof name, "%.*s(default)", length, wanted);
    if (!lines && wanted[length] == '(') lines = json_object_get(definitions, name);
    snprintf(name, sizeof name, "%.*s", length, wanted);
    return lines ? lines : json_object_get(definitions, name);
}

/* Whether one of a location's lines is in the definition. */
static bool is_within(const json_t *location, const json_t *lines)
{
    static const char *const keys[] = {"line", "called_at"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_int_t line = json_integer_value(json_object_get(location, keys[i]));
        if (line >= json_integer_value(json_array_get(lines, 0)) &&
            line <= json_integer_value(json_array_get(lines, 1)))
            return true;
    }
    return false;
}

static const char end_of[] = "end of ";

/* The same, and the name of the definition. Of "median in summarize", the first line with that word, if one has it. */
static json_t *place_of(const json_t *definitions, const char **wanted)
{
    char word[128];
    const char *in = strstr(*wanted, " in ");
    if (!in) return lines_of(definitions, *wanted);
    snprintf(word, sizeof word, "%.*s", (int)(in - *wanted), *wanted);
    *wanted = in + strlen(" in ");
    json_t *lines = lines_of(definitions, *wanted), *found = json_object_get(json_array_get(lines, 2), word);
    return found ? found : lines;
}

static bool locate(json_t *check, const json_t *definitions, const char *file, const char *lab)
{
    json_t *location = json_object_get(check, "location");
    const bool guessed = json_object_del(location, "guessed") == 0;
    const char *wanted = json_integer_value(json_object_get(location, "line"))
                             ? NULL
                             : json_string_value(json_object_get(location, "function"));
    if (json_is_object(location) && !guessed && !wanted) return true;
    const bool end = wanted && strncmp(wanted, end_of, strlen(end_of)) == 0;
    if (end) wanted += strlen(end_of);
    json_t *lines = wanted ? place_of(definitions, &wanted) : NULL;
    const char *name = lines ? wanted : name_of(check, definitions, lab);
    if (!lines && name) lines = json_object_get(definitions, name);
    if (guessed && (!lines || is_within(location, lines))) return true;
    json_t *place =
        lines ? json_pack("{s:s, s:O, s:s}", "file", file, "line", json_array_get(lines, end), "function", name)
              : json_null();
    return place && json_object_set_new(check, "location", place) == 0;
}

bool definitions_locate(json_t *checks, const json_t *definitions, const char *file, const char *lab)
{
    json_t *check;
    size_t index;
    json_array_foreach(checks, index, check)
    {
        const char *status = json_string_value(json_object_get(check, "status"));
        if (status && strcmp(status, "failed") == 0 && !locate(check, definitions, file, lab)) return false;
    }
    return true;
}
