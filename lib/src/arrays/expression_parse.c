/* Text to nodes: sums of products of signed values, where a value is a number, an input, a call or in parentheses. */
#include "expression.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

static const expression_function functions[] = {
    {"sqrt", "sqrt", sqrtf, sqrt},     {"exp", "exp", expf, exp},         {"exp2", "exp2", exp2f, exp2},
    {"expm1", "expm1", expm1f, expm1}, {"log", "log", logf, log},         {"log2", "log2", log2f, log2},
    {"log10", "log10", log10f, log10}, {"log1p", "log1p", log1pf, log1p}, {"sin", "sin", sinf, sin},
    {"cos", "cos", cosf, cos},         {"tan", "tan", tanf, tan},         {"arcsin", "asin", asinf, asin},
    {"arccos", "acos", acosf, acos},   {"arctan", "atan", atanf, atan},   {"sinh", "sinh", sinhf, sinh},
    {"cosh", "cosh", coshf, cosh},     {"tanh", "tanh", tanhf, tanh},     {"floor", "floor", floorf, floor},
    {"ceil", "ceil", ceilf, ceil},
};

#define WRAPPED(operator) "(lab_value)((unsigned long long)a " operator" (unsigned long long)b)"
static const expression_reduction reductions[] = {
    {"sum", NODE_ADD, "a + b", WRAPPED("+"), "0"},
    {"prod", NODE_MULTIPLY, "a * b", WRAPPED("*"), "1"},
    {"min", NODE_MINIMUM, "lab_minimum(a, b)", "lab_minimum(a, b)", NULL},
    {"max", NODE_MAXIMUM, "lab_maximum(a, b)", "lab_maximum(a, b)", NULL},
};

typedef struct reader {
    expression_tree *tree;
    const char *text;
    const char *at;
    int depth;
    int reduced_from; /* the first node inside the reduction */
} reader;

static lab_status fail_at(const reader *in, const char *what)
{
    return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': %s at \"%.40s\" in \"%.200s\"", in->tree->name, what,
                    in->at, in->text);
}

static void skip_spaces(reader *in)
{
    while (isspace((unsigned char)*in->at)) in->at++;
}

static bool take(reader *in, char c)
{
    skip_spaces(in);
    if (*in->at != c) return false;
    in->at++;
    return true;
}

static lab_status add_node(int *index, reader *in, node made)
{
    if (in->tree->nodes == MOST_NODES)
        return lab_fail(LAB_ERROR_NOT_SUPPORTED, "expression '%s' has more than %d operations and operands",
                        in->tree->name, MOST_NODES);
    *index = in->tree->nodes++;
    in->tree->node[*index] = made;
    return LAB_SUCCESS;
}

static lab_status parse_sum(int *index, reader *in);

static lab_status parse_number(int *index, reader *in)
{
    char *end_integer, *end_real;
    errno = 0;
    long long integer = strtoll(in->at, &end_integer, 10);
    bool too_large = errno != 0;
    double real = strtod(in->at, &end_real);
    node made = {.kind = end_real > end_integer ? NODE_REAL : NODE_INTEGER, .integer = integer, .real = real};
    if ((made.kind == NODE_INTEGER && too_large) || !isfinite(real)) return fail_at(in, "the number is too large");
    in->at = end_real > end_integer ? end_real : end_integer;
    return add_node(index, in, made);
}

/* The arguments of a call, from the opening parenthesis on. */
static lab_status parse_arguments(int *argument, int count, reader *in)
{
    if (!take(in, '(')) return fail_at(in, "a function needs an opening parenthesis");
    for (int i = 0; i < count; i++) {
        if (i > 0 && !take(in, ',')) return fail_at(in, "a comma and another argument are missing");
        LAB_TRY(parse_sum(&argument[i], in));
    }
    if (!take(in, ')')) return fail_at(in, "a closing parenthesis is missing");
    return LAB_SUCCESS;
}

static bool word_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

static lab_status parse_reduction(int *index, reader *in, const expression_reduction *by, const char *word)
{
    int argument, first = in->tree->nodes;
    LAB_TRY(parse_arguments(&argument, 1, in));
    if (in->tree->reduced) {
        in->at = word;
        return fail_at(in, "there can be one reduction to a single value, and this is another");
    }
    LAB_TRY(add_node(index, in, (node){.kind = NODE_REDUCE, .left = argument, .reduction = by}));
    in->tree->reduced = *index;
    in->reduced_from = first;
    return LAB_SUCCESS;
}

/* What is left of a reduction is one value, which has no elements to be paired with. */
static lab_status check_outside(const reader *in)
{
    const expression_tree *tree = in->tree;
    for (int i = 0; tree->reduced && i < tree->nodes; i++) {
        if (tree->node[i].kind != NODE_INPUT || (i >= in->reduced_from && i < tree->reduced)) continue;
        return lab_fail(
            LAB_ERROR_INVALID_VALUE,
            "expression '%s': the input '%s' stands outside of %s(...), where only numbers can, in \"%.200s\"",
            tree->name, tree->input[tree->node[i].input], tree->node[tree->reduced].reduction->name, in->text);
    }
    return LAB_SUCCESS;
}

static lab_status parse_call(int *index, reader *in, const char *word, size_t length)
{
    static const struct {
        const char *name;
        node_kind kind;
        int arguments;
    } special[] = {{"abs", NODE_ABSOLUTE, 1},
                   {"absolute", NODE_ABSOLUTE, 1},
                   {"minimum", NODE_MINIMUM, 2},
                   {"maximum", NODE_MAXIMUM, 2}};
    int argument[2] = {0, 0};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        if (!word_is(word, length, special[i].name)) continue;
        LAB_TRY(parse_arguments(argument, special[i].arguments, in));
        return add_node(index, in, (node){.kind = special[i].kind, .left = argument[0], .right = argument[1]});
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!word_is(word, length, functions[i].name)) continue;
        LAB_TRY(parse_arguments(argument, 1, in));
        return add_node(index, in, (node){.kind = NODE_FUNCTION, .left = argument[0], .function = &functions[i]});
    }
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        if (word_is(word, length, reductions[i].name)) return parse_reduction(index, in, &reductions[i], word);
    in->at = word;
    return fail_at(in, "no input and no function has this name");
}

static lab_status parse_value(int *index, reader *in)
{
    skip_spaces(in);
    if (isdigit((unsigned char)*in->at) || *in->at == '.') return parse_number(index, in);
    if (take(in, '(')) {
        LAB_TRY(parse_sum(index, in));
        return take(in, ')') ? LAB_SUCCESS : fail_at(in, "a closing parenthesis is missing");
    }
    const char *word = in->at;
    while (isalnum((unsigned char)*in->at) || *in->at == '_') in->at++;
    size_t length = (size_t)(in->at - word);
    if (length == 0) return fail_at(in, "a number, an input or a function is missing");
    for (int i = 0; i < in->tree->inputs; i++)
        if (word_is(word, length, in->tree->input[i]))
            return add_node(index, in, (node){.kind = NODE_INPUT, .input = i});
    return parse_call(index, in, word, length);
}

static lab_status parse_signed(int *index, reader *in)
{
    if (++in->depth > DEEPEST) return fail_at(in, "the expression is nested too deeply");
    lab_status status;
    if (take(in, '-')) {
        int negated;
        status = parse_signed(&negated, in);
        if (status == LAB_SUCCESS) status = add_node(index, in, (node){.kind = NODE_NEGATE, .left = negated});
    } else {
        status = take(in, '+') ? parse_signed(index, in) : parse_value(index, in);
    }
    in->depth--;
    return status;
}

static lab_status parse_product(int *index, reader *in)
{
    LAB_TRY(parse_signed(index, in));
    for (;;) {
        node_kind kind = take(in, '*') ? NODE_MULTIPLY : take(in, '/') ? NODE_DIVIDE : NODE_INPUT;
        if (kind == NODE_INPUT) return LAB_SUCCESS;
        int left = *index, right;
        LAB_TRY(parse_signed(&right, in));
        LAB_TRY(add_node(index, in, (node){.kind = kind, .left = left, .right = right}));
    }
}

static lab_status parse_sum(int *index, reader *in)
{
    LAB_TRY(parse_product(index, in));
    for (;;) {
        node_kind kind = take(in, '+') ? NODE_ADD : take(in, '-') ? NODE_SUBTRACT : NODE_INPUT;
        if (kind == NODE_INPUT) return LAB_SUCCESS;
        int left = *index, right;
        LAB_TRY(parse_product(&right, in));
        LAB_TRY(add_node(index, in, (node){.kind = kind, .left = left, .right = right}));
    }
}

/* The names, by the rules of a kernel's parameters: "x, y" is read as "T x, T y". */
static lab_status parse_inputs(expression_tree *into, const char *inputs)
{
    signature names = {.kind = "expression's"};
    LAB_TRY(signature_set_name(&names, into->name));
    const char *at = inputs;
    while (*at) {
        size_t length = strcspn(at, ",");
        char parameter_text[2 * NAME_BYTES];
        if (into->inputs == MOST_INPUTS)
            return lab_fail(LAB_ERROR_NOT_SUPPORTED, "expression '%s' has more than %d inputs", into->name,
                            MOST_INPUTS);
        if (length >= NAME_BYTES)
            return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': the input \"%.40s...\" is too long a name",
                            into->name, at);
        snprintf(parameter_text, sizeof parameter_text, "T %.*s", (int)length, at);
        LAB_TRY(signature_parse(&names, "", parameter_text));
        memcpy(into->input[into->inputs], names.parameter[into->inputs].name, NAME_BYTES);
        into->inputs++;
        at += length;
        if (*at == ',' && !*++at)
            return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': an input is missing after the last comma",
                            into->name);
    }
    if (!signature_names(&names, "out")) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': an input cannot be named out, which is the result",
                    into->name);
}

lab_status expression_parse(expression_tree *out, const char *inputs, const char *text, const char *name)
{
    reader in = {out, text, text, 0, 0};
    int root;
    snprintf(out->name, sizeof out->name, "%s", name);
    if (strlen(name) >= sizeof out->name)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_expression_create: the name \"%.40s...\" is too long", name);
    LAB_TRY(parse_inputs(out, inputs));
    LAB_TRY(parse_sum(&root, &in));
    skip_spaces(&in);
    return *in.at ? fail_at(&in, "an operator or the end is missing") : check_outside(&in);
}
