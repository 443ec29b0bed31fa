/*
 * tokens.h: C as the compiler reads it: the tokens that its preprocessor leaves, and what they define outside of
 * functions. Comments, directives and macros are no longer there, so nothing can hide in them. Independent of who runs
 * the preprocessor (judge/build.h).
 */
#ifndef GRADER_SOURCE_TOKENS_H
#define GRADER_SOURCE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

/* A preprocessed text, which may contain null characters. */
typedef struct preprocessed_text {
    const char *text;
    size_t length;
} preprocessed_text;

typedef struct source_token {
    const char *text; /* a digraph is spelled as what it stands for */
    int length;
    int line;         /* in the file that was asked for, by the compiler's count; 0 for a token of another file */
    const char *from; /* its place in the preprocessed text */
    int bytes;        /* its length there */
} source_token;

typedef struct source_tokens {
    source_token *token;
    size_t count;
} source_tokens;

/* Reads the tokens. Those of `file` have lines; a macro's are on the line that uses it, and a line that #line renames
 * is where #line says. Free them with tokens_free, also after a failure: false only without memory. The text must
 * outlive them. */
bool tokens_read(source_tokens *out, preprocessed_text of, const char *file);
void tokens_free(source_tokens *some);

bool token_is(const source_token *one, const char *text);
bool token_is_name(const source_token *one); /* a keyword too */
bool token_is_number(const source_token *one);
bool token_is_literal(const source_token *one); /* a string */

/* The name that a declaration declares, from its first token to the one before a body or '=': "get" of
 * "lab_status (*get(void))(int)". NULL without a name. */
const source_token *tokens_declared_name(const source_token *begin, const source_token *end);

/* Whether the tokens before a brace declare a function; attributes do not count. */
bool tokens_declare_function(const source_token *begin, const source_token *end);

/* A function with its body, or an object with its value. Functions in the old style, with declarations between brackets
 * and body, are not among them. */
typedef struct source_definition {
    const source_token *begin; /* of the declaration */
    const source_token *name;
    const source_token *open; /* the brace of the body; of an object, the value's first token */
    const source_token *last; /* the brace that ends the body; of an object, the ',' or ';' after the value */
    bool is_function;
} source_definition;

/* The next definition from token number `at` on, which becomes the one after it. False if there is none. A text that
 * breaks off ends the definition. Calls that read all definitions take a time that is linear in the text. */
bool tokens_next_definition(source_definition *out, const source_tokens *of, size_t *at);

#endif
