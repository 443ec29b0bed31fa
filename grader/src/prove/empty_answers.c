/* Making files that do nothing; see empty_answers.h. */
#include "empty_answers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static bool is_storage(const source_token *word)
{
    return token_is(word, "static") || token_is(word, "inline") || token_is(word, "extern");
}

/* Appends the words before the function's name, without storage classes: its type. */
static void append_type(text_buffer *out, const source_definition *of)
{
    bool first = true;
    for (const source_token *at = of->begin; at < of->name; at++) {
        if (is_storage(at)) continue;
        text_format(out, "%s%.*s", first ? "" : " ", at->length, at->text);
        first = false;
    }
}

static bool is_void(const source_definition *of)
{
    return token_is(of->name - 1, "void") && (of->name - 1 == of->begin || is_storage(of->name - 2));
}

static void append_empty_body(text_buffer *out, const source_definition *of)
{
    if (of->name == of->begin || is_void(of)) return text_append(out, "{}", 2);
    text_format(out, "{ return (");
    append_type(out, of);
    text_format(out, "){0}; }");
}

char *empty_answers_bodies(preprocessed_text source, const char *file)
{
    text_buffer out = {0};
    source_tokens tokens;
    source_definition found;
    const char *rest = source.text;
    bool ok = tokens_read(&tokens, source, file);
    for (size_t at = 0; ok && tokens_next_definition(&found, &tokens, &at);) {
        if (!found.is_function || !found.name->line) continue;
        text_append(&out, rest, (size_t)(found.open->from - rest));
        append_empty_body(&out, &found);
        rest = found.last->from + found.last->bytes;
    }
    if (ok) text_append(&out, rest, source.length - (size_t)(rest - source.text));
    tokens_free(&tokens);
    if (ok && !out.failed) return out.text;
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
