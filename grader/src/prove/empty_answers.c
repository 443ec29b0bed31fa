/* Making files that do nothing; see empty_answers.h. */
#include "empty_answers.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "source/c_text.h"
#include "base/text.h"

/* The text after a body's closing brace; `at` is at the opening one. */
static const char *end_of_body(const char *at)
{
    int depth = 0;
    while (*at) {
        size_t skip = c_text_skip(at, false);
        if (skip) {
            at += skip;
            continue;
        }
        depth += (*at == '{') - (*at == '}');
        at++;
        if (depth == 0) break;
    }
    return at;
}

/* Appends the declaration's words before the function's name, without storage classes: its type. */
static bool append_type(text_buffer *type, const char *declaration, size_t length)
{
    const char *open = memchr(declaration, '(', length);
    const char *end = open ? open : declaration + length;
    while (end > declaration && isspace((unsigned char)end[-1])) end--;
    while (end > declaration && c_text_is_word(end[-1])) end--;
    for (const char *at = declaration; at < end;) {
        size_t word = 0;
        while (at + word < end && c_text_is_word(at[word])) word++;
        bool storage = (word == 6 && strncmp(at, "static", 6) == 0) || (word == 6 && strncmp(at, "inline", 6) == 0);
        bool space = word == 0 && isspace((unsigned char)*at);
        if (space && type->length && type->text[type->length - 1] != ' ') text_append(type, " ", 1);
        if (!space && !storage) text_append(type, at, word ? word : 1);
        at += word ? word : 1;
    }
    while (type->length && type->text[type->length - 1] == ' ') type->text[--type->length] = '\0';
    text_append(type, "", 0);
    return !type->failed && type->text;
}

static bool is_void(const char *type)
{
    type += strspn(type, " \n\t");
    return strncmp(type, "void", 4) == 0 && type[4 + strspn(type + 4, " \n\t")] == '\0';
}

/* `code` is the declaration without comments and preprocessor lines. */
static void append_empty_body(text_buffer *out, const text_buffer *code)
{
    text_buffer type = {0};
    if (!append_type(&type, code->text, code->length)) out->failed = true;
    if (type.text && is_void(type.text))
        text_format(out, "{}");
    else if (type.text)
        text_format(out, "{ return (%s){0}; }", type.text);
    free(type.text);
}

static bool ends_with_parenthesis(const text_buffer *code)
{
    size_t length = code->length;
    while (length && isspace((unsigned char)code->text[length - 1])) length--;
    return length && code->text[length - 1] == ')';
}

static void forget(text_buffer *code)
{
    code->length = 0;
    if (code->text) code->text[0] = '\0';
}

char *empty_answers_bodies(const char *source)
{
    text_buffer out = {0}, code = {0};
    int depth = 0;
    bool line_start = true;
    text_append(&out, "", 0);
    for (const char *at = source; *at;) {
        size_t skip = c_text_skip(at, line_start);
        if (skip) {
            text_append(&out, at, skip);
            at += skip;
            continue;
        }
        if (depth == 0 && *at == '{' && ends_with_parenthesis(&code)) {
            append_empty_body(&out, &code);
            at = end_of_body(at);
            forget(&code);
            continue;
        }
        depth += (*at == '{') - (*at == '}');
        line_start = *at == '\n' || (line_start && isspace((unsigned char)*at));
        text_append(&out, at, 1);
        text_append(&code, at, 1);
        if (depth == 0 && (*at == ';' || *at == '}')) forget(&code);
        at++;
    }
    free(code.text);
    if (!out.failed) return out.text;
    free(out.text);
    return NULL;
}

char *empty_answers_all(const char *source)
{
    text_buffer out = {0};
    text_append(&out, "", 0);
    for (const char *at = source; *at;) {
        size_t length = strcspn(at, "\n");
        text_format(&out, "// %.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    if (!out.failed) return out.text;
    free(out.text);
    return NULL;
}
