/* Reads declarations and arguments word by word. */
#include "declaration.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A part of a text. */
typedef struct part {
    const char *at, *end;
} part;

static part trimmed(part text)
{
    while (text.at < text.end && isspace((unsigned char)*text.at)) text.at++;
    while (text.end > text.at && isspace((unsigned char)text.end[-1])) text.end--;
    return text;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool copy_name(char out[DECLARATION_NAME], part name)
{
    const size_t length = (size_t)(name.end - name.at);
    if (length == 0 || length >= DECLARATION_NAME) return false;
    memcpy(out, name.at, length);
    out[length] = '\0';
    return true;
}

static bool has(part text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text.at; at + length <= text.end; at++)
        if (strncmp(at, word, length) == 0) return true;
    return false;
}

/* "const float": the type of a value or an element; a pointer is 8 bytes. */
static bool read_type(declared_parameter *out, part type)
{
    static const struct {
        const char *word;
        declared_type type;
        size_t size;
    } known[] = {
        {"*", DECLARED_UNSIGNED, 8},      {"double", DECLARED_FLOATING, 8}, {"float", DECLARED_FLOATING, 4},
        {"size_t", DECLARED_UNSIGNED, 8}, {"long", DECLARED_SIGNED, 8},     {"short", DECLARED_SIGNED, 2},
        {"char", DECLARED_SIGNED, 1},     {"int", DECLARED_SIGNED, 4},      {"unsigned", DECLARED_UNSIGNED, 4}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!has(type, known[i].word)) continue;
        out->type = has(type, "unsigned") ? DECLARED_UNSIGNED : known[i].type;
        out->size = known[i].size;
        return true;
    }
    return false;
}

/* "const float from[count]": the number of elements is left in *count. */
static bool read_parameter(declared_parameter *out, part text, part *count)
{
    text = trimmed(text);
    const char *bracket = memchr(text.at, '[', (size_t)(text.end - text.at));
    *count = (part){NULL, NULL};
    out->array = bracket;
    out->counter = -1;
    if (bracket) {
        if (text.end[-1] != ']') return false;
        *count = trimmed((part){bracket + 1, text.end - 1});
        text = trimmed((part){text.at, bracket});
    }
    const char *name = text.end;
    while (name > text.at && is_word(name[-1])) name--;
    return copy_name(out->name, (part){name, text.end}) && read_type(out, (part){text.at, name}) &&
           (bracket || !has(text, "*"));
}

static bool find_counter(declaration *out, declared_parameter *array, part count)
{
    char name[DECLARATION_NAME];
    if (!copy_name(name, count)) return false;
    if (isdigit((unsigned char)*name)) {
        array->count = strtoull(name, NULL, 10);
        return true;
    }
    for (int i = 0; i < out->parameters; i++) {
        declared_parameter *each = &out->parameter[i];
        if (each->array || strcmp(each->name, name) != 0) continue;
        array->counter = i;
        each->counts = true;
        return true;
    }
    return false;
}

bool declaration_read(declaration *out, const char *text, const char **fault)
{
    part count[DECLARATION_PARAMETERS];
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    *out = (declaration){.parameters = 0};
    *fault = "it is not of the form \"name(type parameter, type array[parameter])\", with or without \", any grid\"";
    out->any_grid = close && strcmp(close, "), any grid") == 0;
    if (close && close[1] && !out->any_grid) return false;
    if (!open || !close || close < open || !copy_name(out->name, trimmed((part){text, open}))) return false;
    for (const char *at = open + 1; at < close;) {
        const char *comma = memchr(at, ',', (size_t)(close - at)), *end = comma ? comma : close;
        *fault =
            "it has too many parameters, or one without a name, a known type or, for a pointer, a number of elements";
        if (out->parameters == DECLARATION_PARAMETERS) return false;
        if (!read_parameter(&out->parameter[out->parameters], (part){at, end}, &count[out->parameters])) return false;
        out->parameters++;
        at = end + 1;
    }
    *fault = "an array's number of elements is neither a number nor another parameter";
    for (int i = 0; i < out->parameters; i++)
        if (out->parameter[i].array && !find_counter(out, &out->parameter[i], count[i])) return false;
    return true;
}

/* "0000803f": the bytes of a value, which must have this size. */
static bool read_bytes(unsigned char *out, size_t size, part word)
{
    if ((size_t)(word.end - word.at) != 2 * size) return false;
    for (size_t i = 0; i < size; i++) {
        const char digits[] = {word.at[2 * i], word.at[2 * i + 1], '\0'};
        if (!isxdigit((unsigned char)digits[0]) || !isxdigit((unsigned char)digits[1])) return false;
        out[i] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return true;
}

/* The machine is little-endian, as CUDA's hosts are. */
static bool read_value(double *out, const declared_parameter *parameter, part word)
{
    unsigned char bytes[8] = {0};
    uint64_t number = 0;
    float single;
    if (!read_bytes(bytes, parameter->size, word)) return false;
    memcpy(&number, bytes, parameter->size);
    if (parameter->type == DECLARED_FLOATING && parameter->size == 8) {
        memcpy(out, bytes, sizeof *out);
    } else if (parameter->type == DECLARED_FLOATING) {
        memcpy(&single, bytes, sizeof single);
        *out = single;
    } else if (parameter->type == DECLARED_SIGNED && bytes[parameter->size - 1] & 0x80) {
        *out = (double)(int64_t)(number | (parameter->size < 8 ? ~UINT64_C(0) << 8 * parameter->size : 0));
    } else {
        *out = (double)number;
    }
    return true;
}

bool launch_arguments_read(launch_arguments *out, const declaration *kernel, const char *text)
{
    *out = (launch_arguments){{0}, {0}};
    for (int i = 0; i < kernel->parameters; i++) {
        const part word = {text, text + strcspn(text, " ")};
        const bool pointer = strncmp(text, "0x", 2) == 0;
        if (word.at == word.end || pointer != kernel->parameter[i].array) return false;
        if (pointer)
            out->address[i] = strtoull(text, NULL, 16);
        else if (!read_value(&out->value[i], &kernel->parameter[i], word))
            return false;
        text = *word.end ? word.end + 1 : word.end;
    }
    return !*text;
}

double launch_arguments_count(const launch_arguments *arguments, const declaration *kernel, int parameter)
{
    const declared_parameter *array = &kernel->parameter[parameter];
    const double count = array->counter < 0 ? (double)array->count : arguments->value[array->counter];
    return count > 0 ? count : 0; /* a kernel with a negative number of elements has none */
}

uint64_t launch_arguments_bytes(const launch_arguments *arguments, const declaration *kernel, int parameter)
{
    const double bytes =
        launch_arguments_count(arguments, kernel, parameter) * (double)kernel->parameter[parameter].size;
    return bytes < 0x1p62 ? (uint64_t)bytes : UINT64_MAX;
}
