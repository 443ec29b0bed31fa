/* Parses text into nodes: sums of products of signed values. A value is a number, an input, a call or a sum in
 * parentheses. */
#include "expression.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

const char *const expression_results[MOST_RESULTS] = {"out", "out2", "out3", "out4", "out5"};

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
} reader;

static lab_status fail_at(const reader *input, const char *what)
{
    return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': %s at \"%.40s\" in \"%.200s\"", input->tree->name, what,
                    input->at, input->text);
}

static void skip_spaces(reader *input)
{
    while (isspace((unsigned char)*input->at)) input->at++;
}

static bool take(reader *input, char c)
{
    skip_spaces(input);
    if (*input->at != c) return false;
    input->at++;
    return true;
}

static lab_status add_node(int *index, reader *input, node made)
{
    if (input->tree->nodes == MOST_NODES)
        return lab_fail(LAB_ERROR_NOT_SUPPORTED, "expression '%s' has more than %d operations and operands",
                        input->tree->name, MOST_NODES);
    *index = input->tree->nodes++;
    input->tree->node[*index] = made;
    return LAB_SUCCESS;
}

static lab_status parse_sum(int *index, reader *input);

static lab_status parse_number(int *index, reader *input)
{
    char *end_integer, *end_real;
    errno = 0;
    long long integer = strtoll(input->at, &end_integer, 10);
    bool too_large = errno != 0;
    double real = strtod(input->at, &end_real);
    node made = {.kind = end_real > end_integer ? NODE_REAL : NODE_INTEGER, .integer = integer, .real = real};
    if ((made.kind == NODE_INTEGER && too_large) || !isfinite(real)) return fail_at(input, "the number is too large");
    input->at = end_real > end_integer ? end_real : end_integer;
    return add_node(index, input, made);
}

/* Parses the arguments of a call, from the opening parenthesis on. */
static lab_status parse_arguments(int *argument, int count, reader *input)
{
    if (!take(input, '(')) return fail_at(input, "a function needs an opening parenthesis");
    for (int i = 0; i < count; i++) {
        if (i > 0 && !take(input, ',')) return fail_at(input, "a comma and another argument are missing");
        LAB_TRY(parse_sum(&argument[i], input));
    }
    if (!take(input, ')')) return fail_at(input, "a closing parenthesis is missing");
    return LAB_SUCCESS;
}

static bool word_is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* Takes the word if it is the next one. */
static bool take_word(reader *input, const char *word)
{
    skip_spaces(input);
    const size_t length = strlen(word);
    if (strncmp(input->at, word, length) != 0 || isalnum((unsigned char)input->at[length])) return false;
    input->at += length;
    return true;
}

static lab_status parse_axis(lab_axes *axes, reader *input)
{
    char *end;
    skip_spaces(input);
    const long axis = strtol(input->at, &end, 10);
    if (end == input->at) return fail_at(input, "the number of an axis is missing");
    if (axes->count == LAB_MAX_DIMENSIONS) return fail_at(input, "there are more axes than an array has dimensions");
    if (axis < INT_MIN || axis > INT_MAX) return fail_at(input, "there is no such axis");
    axes->axis[axes->count++] = (int)axis;
    input->at = end;
    return LAB_SUCCESS;
}

/* "None", "1" or "(0, 2)" */
static lab_status parse_axes(lab_axes *axes, reader *input)
{
    *axes = OPERANDS_NO_AXES;
    if (take_word(input, "None")) return LAB_SUCCESS;
    axes->count = 0;
    if (!take(input, '(')) return parse_axis(axes, input);
    do {
        if (axes->count && take(input, ')')) return LAB_SUCCESS; /* "(0,)" */
        LAB_TRY(parse_axis(axes, input));
    } while (take(input, ','));
    return take(input, ')') ? LAB_SUCCESS : fail_at(input, "a closing parenthesis is missing");
}

/* Parses what follows the operand of a reduction: ", axis=(0, 2), keepdims=True)". */
static lab_status parse_options(node *reduce, reader *input)
{
    for (bool first = true; take(input, ','); first = false) {
        if (take_word(input, "keepdims")) {
            if (!take(input, '=')) return fail_at(input, "an equals sign is missing");
            reduce->keep = take_word(input, "True");
            if (!reduce->keep && !take_word(input, "False")) return fail_at(input, "keepdims is True or False");
        } else {
            const bool named = take_word(input, "axis");
            if (!named && !first) return fail_at(input, "a reduction also has an axis and keepdims");
            if (named && !take(input, '=')) return fail_at(input, "an equals sign is missing");
            LAB_TRY(parse_axes(&reduce->axes, input));
        }
    }
    return take(input, ')') ? LAB_SUCCESS : fail_at(input, "a closing parenthesis is missing");
}

/* Whether two nodes compute the same. */
static bool nodes_equal(const expression_tree *tree, int one, int other)
{
    const node *a = &tree->node[one], *b = &tree->node[other];
    if (one == other) return true;
    if (a->kind != b->kind || a->input != b->input || a->integer != b->integer || a->dtype != b->dtype ||
        a->function != b->function || a->reduction != b->reduction || a->keep != b->keep ||
        memcmp(&a->real, &b->real, sizeof a->real) != 0 || memcmp(&a->axes, &b->axes, sizeof a->axes) != 0)
        return false;
    return nodes_equal(tree, a->left, b->left) && nodes_equal(tree, a->right, b->right) &&
           nodes_equal(tree, a->condition, b->condition);
}

/* A reduction that the expression already has is computed once. */
static lab_status parse_reduction(int *index, reader *input, const expression_reduction *rule)
{
    expression_tree *tree = input->tree;
    const int before = tree->nodes;
    node reduce = {.kind = NODE_REDUCE, .reduction = rule, .axes = OPERANDS_NO_AXES};
    if (!take(input, '(')) return fail_at(input, "a function needs an opening parenthesis");
    LAB_TRY(parse_sum(&reduce.left, input));
    LAB_TRY(parse_options(&reduce, input));
    LAB_TRY(add_node(index, input, reduce));
    for (int i = 0; i < before; i++) {
        if (!nodes_equal(tree, i, *index)) continue;
        tree->nodes = before;
        *index = i;
        return LAB_SUCCESS;
    }
    tree->reduced = *index;
    return LAB_SUCCESS;
}

static lab_status parse_call(int *index, reader *input, const char *word, size_t length)
{
    static const struct {
        const char *name;
        node_kind kind;
        int arguments;
    } special[] = {{"abs", NODE_ABSOLUTE, 1},
                   {"absolute", NODE_ABSOLUTE, 1},
                   {"minimum", NODE_MINIMUM, 2},
                   {"maximum", NODE_MAXIMUM, 2},
                   {"where", NODE_WHERE, 3}};
    int argument[3] = {0, 0, 0};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        if (!word_is(word, length, special[i].name)) continue;
        LAB_TRY(parse_arguments(argument, special[i].arguments, input));
        if (special[i].kind == NODE_WHERE)
            return add_node(
                index, input,
                (node){.kind = NODE_WHERE, .condition = argument[0], .left = argument[1], .right = argument[2]});
        return add_node(index, input, (node){.kind = special[i].kind, .left = argument[0], .right = argument[1]});
    }
    const lab_dtype dtype = dtype_named(word, length);
    if (dtype) {
        LAB_TRY(parse_arguments(argument, 1, input));
        return add_node(index, input, (node){.kind = NODE_CAST, .left = argument[0], .dtype = dtype});
    }
    if (word_is(word, length, "inf") || word_is(word, length, "nan"))
        return add_node(index, input, (node){.kind = NODE_REAL, .real = *word == 'i' ? HUGE_VAL : (double)NAN});
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!word_is(word, length, functions[i].name)) continue;
        LAB_TRY(parse_arguments(argument, 1, input));
        return add_node(index, input, (node){.kind = NODE_FUNCTION, .left = argument[0], .function = &functions[i]});
    }
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        if (word_is(word, length, reductions[i].name)) return parse_reduction(index, input, &reductions[i]);
    input->at = word;
    return fail_at(input, "this is not the name of an input or a function");
}

static lab_status parse_value(int *index, reader *input)
{
    skip_spaces(input);
    if (isdigit((unsigned char)*input->at) || *input->at == '.') return parse_number(index, input);
    if (take(input, '(')) {
        LAB_TRY(parse_sum(index, input));
        return take(input, ')') ? LAB_SUCCESS : fail_at(input, "a closing parenthesis is missing");
    }
    const char *word = input->at;
    while (isalnum((unsigned char)*input->at) || *input->at == '_') input->at++;
    size_t length = (size_t)(input->at - word);
    if (length == 0) return fail_at(input, "a number, an input or a function is missing");
    for (int i = 0; i < input->tree->inputs; i++)
        if (word_is(word, length, input->tree->input[i]))
            return add_node(index, input, (node){.kind = NODE_INPUT, .input = i});
    return parse_call(index, input, word, length);
}

static lab_status parse_signed(int *index, reader *input)
{
    if (++input->depth > DEEPEST) return fail_at(input, "the expression is nested too deeply");
    lab_status status;
    if (take(input, '-')) {
        int negated;
        status = parse_signed(&negated, input);
        if (status == LAB_SUCCESS) status = add_node(index, input, (node){.kind = NODE_NEGATE, .left = negated});
    } else {
        status = take(input, '+') ? parse_signed(index, input) : parse_value(index, input);
    }
    input->depth--;
    return status;
}

static lab_status parse_product(int *index, reader *input)
{
    LAB_TRY(parse_signed(index, input));
    for (;;) {
        node_kind kind = take(input, '*') ? NODE_MULTIPLY : take(input, '/') ? NODE_DIVIDE : NODE_INPUT;
        if (kind == NODE_INPUT) return LAB_SUCCESS;
        int left = *index, right;
        LAB_TRY(parse_signed(&right, input));
        LAB_TRY(add_node(index, input, (node){.kind = kind, .left = left, .right = right}));
    }
}

static lab_status parse_sum(int *index, reader *input)
{
    LAB_TRY(parse_product(index, input));
    for (;;) {
        node_kind kind = take(input, '+') ? NODE_ADD : take(input, '-') ? NODE_SUBTRACT : NODE_INPUT;
        if (kind == NODE_INPUT) return LAB_SUCCESS;
        int left = *index, right;
        LAB_TRY(parse_product(&right, input));
        LAB_TRY(add_node(index, input, (node){.kind = kind, .left = left, .right = right}));
    }
}

/* Parses the names by the rules of a kernel's parameters: "x, y" is read as "T x, T y". */
static lab_status parse_inputs(expression_tree *tree, const char *inputs)
{
    signature names = {.kind = "expression's"};
    LAB_TRY(signature_set_name(&names, tree->name));
    const char *at = inputs;
    while (*at) {
        size_t length = strcspn(at, ",");
        char parameter_text[2 * NAME_BYTES];
        if (tree->inputs == MOST_INPUTS)
            return lab_fail(LAB_ERROR_NOT_SUPPORTED, "expression '%s' has more than %d inputs", tree->name,
                            MOST_INPUTS);
        if (length >= NAME_BYTES)
            return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': the name of the input \"%.40s...\" is too long",
                            tree->name, at);
        snprintf(parameter_text, sizeof parameter_text, "T %.*s", (int)length, at);
        LAB_TRY(signature_parse(&names, "", parameter_text));
        memcpy(tree->input[tree->inputs], names.parameter[tree->inputs].name, NAME_BYTES);
        tree->inputs++;
        at += length;
        if (*at == ',' && !*++at)
            return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': an input is missing after the last comma",
                            tree->name);
    }
    for (int i = 0; i < MOST_RESULTS; i++)
        if (signature_names(&names, expression_results[i]))
            return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': an input cannot be named %s, which is a result",
                            tree->name, expression_results[i]);
    return LAB_SUCCESS;
}

/* Parses the results, which commas separate. */
static lab_status parse_results(reader *input)
{
    expression_tree *tree = input->tree;
    do {
        if (tree->results == MOST_RESULTS) return fail_at(input, "there are more than five results");
        LAB_TRY(parse_sum(&tree->result[tree->results++], input));
    } while (take(input, ','));
    skip_spaces(input);
    if (*input->at) return fail_at(input, "an operator or the end is missing");
    return LAB_SUCCESS;
}

lab_status expression_parse(expression_tree *out, const char *inputs, const char *text, const char *name)
{
    reader input = {out, text, text, 0};
    snprintf(out->name, sizeof out->name, "%s", name);
    if (strlen(name) >= sizeof out->name)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_expression_create: the name \"%.40s...\" is too long", name);
    LAB_TRY(parse_inputs(out, inputs));
    return parse_results(&input);
}
