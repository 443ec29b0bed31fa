/* Parameter lists of generated kernels: words separated by commas. */
#include "signature.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* A C name that does not collide with what generated kernels define. */
static bool is_usable_name(const char *name, size_t length)
{
    if (length == 0 || length >= NAME_BYTES || isdigit((unsigned char)*name)) return false;
    for (size_t i = 0; i < length; i++)
        if (!is_word(name[i])) return false;
    if (length == 1 && (*name == 'i' || *name == 'n')) return false;
    return length < 4 || (memcmp(name, "lab_", 4) != 0 && memcmp(name, "LAB_", 4) != 0);
}

/* The next word at or after *at, before a comma or the end; length 0 if there is none. */
static size_t next_word(const char **word, const char **at)
{
    while (isspace((unsigned char)**at)) (*at)++;
    *word = *at;
    while (**at && **at != ',' && !isspace((unsigned char)**at)) (*at)++;
    return (size_t)(*at - *word);
}

static bool word_is(const char *word, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(word, text, length) == 0;
}

static lab_status parse_type(parameter *parsed, const signature *sig, const char *word, size_t length)
{
    parsed->dtype = dtype_named(word, length);
    if (parsed->dtype) return LAB_SUCCESS;
    if (length == 1 && isalpha((unsigned char)*word) && is_usable_name(word, 1)) {
        parsed->letter = *word;
        return LAB_SUCCESS;
    }
    return lab_fail(
        LAB_ERROR_INVALID_VALUE,
        "%s kernel '%s': '%.*s' is not a parameter type; a type is one letter, such as T, for any type, or a "
        "name, such as float32",
        sig->kind, sig->kernel, (int)length, word);
}

static lab_status parse_parameter(signature *sig, const char **at, bool output)
{
    if (sig->count == MOST_PARAMETERS)
        return lab_fail(LAB_ERROR_NOT_SUPPORTED, "%s kernel '%s': more than %d parameters", sig->kind, sig->kernel,
                        MOST_PARAMETERS);
    parameter parsed = {.output = output};
    const char *word, *start = *at;
    size_t length = next_word(&word, at);
    if (word_is(word, length, "raw")) {
        parsed.raw = true;
        length = next_word(&word, at);
    }
    LAB_TRY(parse_type(&parsed, sig, word, length));
    length = next_word(&word, at);
    const char *rest;
    size_t more = next_word(&rest, at);
    if (length == 0 || more > 0)
        return lab_fail(
            LAB_ERROR_INVALID_VALUE,
            "%s kernel '%s': '%.*s' is not a parameter; a parameter is a type and a name, such as \"T x\" or \"raw "
            "float32 table\"",
            sig->kind, sig->kernel, (int)(*at - start), start);
    if (!is_usable_name(word, length))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "%s kernel '%s': a parameter cannot be named '%.*s'; i, n and names that begin with lab_ are "
                        "reserved",
                        sig->kind, sig->kernel, (int)length, word);
    memcpy(parsed.name, word, length);
    if (signature_names(sig, parsed.name))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s kernel '%s': two parameters are named '%s'", sig->kind,
                        sig->kernel, parsed.name);
    sig->parameter[sig->count++] = parsed;
    return LAB_SUCCESS;
}

static lab_status parse_list(signature *sig, const char *list, bool output)
{
    const char *at = list, *word;
    if (next_word(&word, &at) == 0 && !*at) return LAB_SUCCESS;
    for (at = list;; at++) {
        LAB_TRY(parse_parameter(sig, &at, output));
        if (!*at) return LAB_SUCCESS;
    }
}

bool signature_names(const signature *sig, const char *name)
{
    for (int i = 0; i < sig->count; i++)
        if (strcmp(sig->parameter[i].name, name) == 0) return true;
    return false;
}

lab_status signature_set_name(signature *sig, const char *kernel)
{
    if (!is_usable_name(kernel, strlen(kernel)))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "%s kernel: '%.80s' cannot be a kernel's name; a name is a C "
                        "identifier",
                        sig->kind, kernel);
    snprintf(sig->kernel, sizeof sig->kernel, "%s", kernel);
    return LAB_SUCCESS;
}

lab_status signature_parse(signature *sig, const char *inputs, const char *outputs)
{
    LAB_TRY(parse_list(sig, inputs, false));
    int count = sig->count;
    LAB_TRY(parse_list(sig, outputs, true));
    if (sig->count > count) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s kernel '%s': it has no output parameter", sig->kind, sig->kernel);
}
