/* Where functions and tables are in a student's file; see definitions.h. */
#include "definitions.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 128 };

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Writes a name that a check may say: no lab has others. */
static bool read_name(char *out, const source_token *name)
{
    if (name->length >= NAME_BYTES) return false;
    for (int i = 0; i < name->length; i++)
        if (!is_word(name->text[i])) return false;
    snprintf(out, NAME_BYTES, "%.*s", name->length, name->text);
    return true;
}

/* Adds lines of the file; those of another one are not looked for. */
static bool add(json_t *lines, const char *name, int first, int last)
{
    if (first < 1 || json_object_get(lines, name)) return true;
    return json_object_set_new(lines, name, json_pack("[i, i]", first, last < first ? first : last)) == 0;
}

enum { MOST_PARTS = 4096 }; /* of a definition: no table of a lab has as many entries */

/* Adds the entries of a table. */
static bool add_entries(json_t *lines, const char *table, const source_definition *of)
{
    char name[NAME_BYTES + 16];
    int open = 0, number = 0;
    for (const source_token *at = of->open; at < of->last && number < MOST_PARTS; at++) {
        open += token_is(at, "{") || token_is(at, "(") || token_is(at, "[");
        open -= token_is(at, "}") || token_is(at, ")") || token_is(at, "]");
        if (open != 1 || !(token_is(at, "{") || token_is(at, ",")) || token_is(at + 1, "}")) continue;
        snprintf(name, sizeof name, "%s[%d]", table, number++);
        if (!add(lines, name, at[1].line, at[1].line)) return false;
    }
    return true;
}

/* Adds the cases of a function: "lab06_numpy_body(LAB_INT8)", and "(default)". */
static bool add_cases(json_t *lines, const char *function, const source_definition *of)
{
    char name[2 * NAME_BYTES + 2], word[NAME_BYTES];
    int number = 0;
    for (const source_token *at = of->open; at + 1 < of->last && number < MOST_PARTS; at++) {
        const bool others = token_is(at, "default") && token_is(at + 1, ":");
        if (!others && !token_is(at, "case")) continue;
        if (!read_name(word, others ? at : at + 1)) continue;
        snprintf(name, sizeof name, "%s(%s)", function, word);
        if (!add(lines, name, at->line, at->line)) return false;
        number++;
    }
    return true;
}

/* Adds the words of a string, which may be lines of a kernel. */
static bool add_words_of_string(json_t *words, const source_token *string)
{
    char word[NAME_BYTES];
    bool ok = true;
    for (int i = 0, length; ok && i < string->length && json_object_size(words) < MOST_PARTS; i += length + 1) {
        for (length = 0; i + length < string->length && is_word(string->text[i + length]);) length++;
        const source_token part = {.text = string->text + i, .length = length, .line = string->line};
        if (length > 0 && read_name(word, &part)) ok = add(words, word, part.line, part.line);
        if (i + length < string->length && string->text[i + length] == '\\') length++; /* "\n": no word begins there */
    }
    return ok;
}

/* The line at which a function ends: that of its last statement, if this is a return, or else of its brace. */
static int end_line(const source_definition *of)
{
    const source_token *at = of->last - 1;
    while (at > of->open && !token_is(at - 1, ";") && !token_is(at - 1, "{") && !token_is(at - 1, "}")) at--;
    return at > of->open && at->line && token_is(at, "return") ? at->line : of->last->line;
}

/* Adds the words of a function, each with the first line that has it, of its code, or else of its strings; and before
 * them the line at which it ends. */
static bool add_words(json_t *lines, const char *function, const source_definition *of)
{
    char word[NAME_BYTES];
    json_t *place = json_object_get(lines, function), *words = NULL;
    bool ok = json_array_size(place) != 2 || (json_array_append_new(place, json_integer(end_line(of))) == 0 &&
                                              json_array_append_new(place, words = json_object()) == 0);
    for (const source_token *at = of->open; words && ok && at < of->last; at++) {
        if (json_object_size(words) >= MOST_PARTS) break;
        if (read_name(word, at)) ok = add(words, word, at->line, at->line);
    }
    for (const source_token *at = of->open; words && ok && at < of->last; at++)
        if (token_is_literal(at)) ok = add_words_of_string(words, at);
    return ok;
}

static bool add_definition(json_t *lines, const source_definition *of)
{
    char name[NAME_BYTES];
    const int last = of->last->line;
    if (!of->name->line || !read_name(name, of->name)) return true;
    const int body = of->is_function && of->open < of->last ? of->open[1].line : 0;
    if (!add(lines, name, body && body < last ? body : of->name->line, last)) return false;
    if (of->is_function) return add_cases(lines, name, of) && add_words(lines, name, of);
    return !token_is(of->open, "{") || add_entries(lines, name, of);
}

json_t *definitions_find(preprocessed_text source, const char *file)
{
    source_tokens tokens;
    source_definition found;
    json_t *lines = json_object();
    bool ok = tokens_read(&tokens, source, file) && lines;
    for (size_t at = 0; ok && tokens_next_definition(&found, &tokens, &at);) ok = add_definition(lines, &found);
    tokens_free(&tokens);
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
            if (is_word(at[length]) || (at > text && is_word(at[-1]))) continue;
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
    json_t *lines = lines_of(definitions, *wanted), *found = json_object_get(json_array_get(lines, 3), word);
    return found ? found : lines;
}

/* The place at which a check says to look, instead of a line; NULL if it says none. */
static const char *wanted_by(const json_t *check)
{
    const json_t *location = json_object_get(check, "location");
    const bool has_line = json_integer_value(json_object_get(location, "line")) != 0;
    return has_line ? NULL : json_string_value(json_object_get(location, "function"));
}

/* Whether a check failed and has no line, or one that is only guessed. */
static bool needs_line(const json_t *check)
{
    const json_t *location = json_object_get(check, "location");
    const char *status = json_string_value(json_object_get(check, "status"));
    const bool has_line = json_is_object(location) && !json_object_get(location, "guessed") && !wanted_by(check);
    return status && strcmp(status, "failed") == 0 && !has_line;
}

static bool locate(json_t *check, const json_t *definitions, const char *file, const char *lab)
{
    json_t *location = json_object_get(check, "location");
    const bool guessed = json_object_get(location, "guessed") != NULL;
    const char *wanted = wanted_by(check);
    const bool end = wanted && strncmp(wanted, end_of, strlen(end_of)) == 0;
    if (end) wanted += strlen(end_of);
    json_t *lines = wanted ? place_of(definitions, &wanted) : NULL;
    const char *name = lines ? wanted : name_of(check, definitions, lab);
    if (!lines && name) lines = json_object_get(definitions, name);
    if (guessed && (!lines || is_within(location, lines))) return true;
    json_t *line = end && json_array_get(lines, 2) ? json_array_get(lines, 2) : json_array_get(lines, end),
           *place = lines ? json_pack("{s:s, s:O, s:s}", "file", file, "line", line, "function", name) : json_null();
    return place && json_object_set_new(check, "location", place) == 0;
}

bool definitions_locate(json_t *checks, const json_t *definitions, const char *file, const char *lab)
{
    json_t *check;
    size_t index;
    json_array_foreach(checks, index, check)
    {
        if (needs_line(check) && !locate(check, definitions, file, lab)) return false;
    }
    return true;
}

/* The function with this line; NULL for none. Entries and cases are parts of functions and tables. */
static const char *function_with(const json_t *definitions, json_int_t line)
{
    const char *name;
    json_t *lines;
    json_object_foreach((json_t *)definitions, name, lines)
    {
        if (strpbrk(name, "[(")) continue;
        if (line >= json_integer_value(json_array_get(lines, 0)) &&
            line <= json_integer_value(json_array_get(lines, 1)))
            return name;
    }
    return NULL;
}

bool definitions_name(json_t *checks, const json_t *definitions, const char *file)
{
    json_t *check;
    size_t index;
    json_array_foreach(checks, index, check)
    {
        json_t *location = json_object_get(check, "location");
        const json_t *change = json_object_get(location, "change");
        const char *of = json_string_value(json_object_get(location, "file")),
                   *function = json_string_value(json_object_get(location, "function"));
        if (!of || strcmp(of, file) != 0 || !function || (*function && !change)) continue;
        function = function_with(definitions, json_integer_value(change ? change : json_object_get(location, "line")));
        if (function && json_object_set_new(location, "function", json_string(function)) != 0) return false;
    }
    return true;
}
