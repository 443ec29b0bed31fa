/* Expressions as objects: made, asked for their types, and applied to arguments, which are checked. */
#include "expression.h"

#include "base/handle.h"

#include <stdlib.h>
#include <string.h>

typedef struct expression {
    retired retired;
    expression_tree tree;
    expression_kernels *kernels;
} expression;

static lab_status resolve(expression **out, const lab_expression *handle, const char *call)
{
    *out = handle_get(HANDLE_EXPRESSION, (uintptr_t)handle);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the expression %s", call,
                    handle ? "was destroyed before this call, or never created" : "is NULL");
}

/* ---- making ---- */

static void expression_free(expression *expr)
{
    if (expr->kernels) expression_kernels_free(expr->kernels);
    free(expr);
}

lab_status lab_expression_create(lab_expression **out, const char *inputs, const char *text, const char *name)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_expression_create: out is NULL");
    *out = NULL;
    if (!inputs || !text)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_expression_create: %s is NULL", inputs ? "text" : "inputs");
    LAB_TRY(host_function_check());
    expression *made = calloc(1, sizeof *made);
    if (made) made->kernels = expression_kernels_make();
    if (!made || !made->kernels) {
        free(made);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_expression_create: no host memory for the expression");
    }
    lab_status status = expression_parse(&made->tree, inputs, text, name ? name : "expression");
    uint64_t handle = status == LAB_SUCCESS ? handle_create(HANDLE_EXPRESSION, made) : 0;
    if (status == LAB_SUCCESS && !handle)
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_expression_create: no host memory for the expression");
    if (status != LAB_SUCCESS) {
        expression_free(made);
        return status;
    }
    *out = (lab_expression *)(uintptr_t)handle;
    return LAB_SUCCESS;
}

static void release(retired *object) { expression_free((expression *)object); }

lab_status lab_expression_destroy(lab_expression *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(host_function_check());
    expression *removed = handle_remove(HANDLE_EXPRESSION, (uintptr_t)handle);
    if (!removed)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "lab_expression_destroy: the expression was already destroyed, or never created");
    retire(&removed->retired, release);
    return LAB_SUCCESS;
}

/* ---- types ---- */

static const char *name_of(const expression_tree *tree, int which)
{
    return which < tree->inputs ? tree->input[which] : expression_results[which - tree->inputs];
}

/* Whether a shape is well formed and memory could hold its elements. */
static bool fits_memory(lab_shape shape)
{
    if (shape.dimensions < 1 || shape.dimensions > LAB_MAX_DIMENSIONS) return false;
    size_t bytes = sizeof(double);
    for (int i = 0; i < shape.dimensions; i++)
        if (__builtin_mul_overflow(bytes, shape.size[i], &bytes)) return false;
    return true;
}

/* The type of an argument; the type of a number is weak. */
static lab_status type_of_argument(node_type *type, const expression_tree *tree, int which, const lab_arg *argument)
{
    const struct array *array;
    const lab_host_array *host = argument->value.host;
    switch (argument->kind) {
    case LAB_ARG_ARRAY:
        array = array_get(argument->value.array);
        if (!array)
            return lab_fail(LAB_ERROR_INVALID_HANDLE, "expression '%s', '%s': the array %s", tree->name,
                            name_of(tree, which), argument->value.array ? "was destroyed" : "is NULL");
        *type = (node_type){array->dtype, false};
        return LAB_SUCCESS;
    case LAB_ARG_HOST_ARRAY:
        if (!host || !dtype_known(host->dtype) || !fits_memory(host->shape))
            return lab_fail(LAB_ERROR_INVALID_VALUE,
                            "expression '%s', '%s': the host array has an invalid type, or a shape that memory cannot "
                            "hold",
                            tree->name, name_of(tree, which));
        *type = (node_type){host->dtype, false};
        return LAB_SUCCESS;
    case LAB_ARG_INTEGER: *type = (node_type){LAB_INT64, true}; return LAB_SUCCESS;
    case LAB_ARG_FLOAT: *type = (node_type){LAB_FLOAT64, true}; return LAB_SUCCESS;
    case LAB_ARG_POINTER:
    case LAB_ARG_BYTES:
    case LAB_ARG_RAW: break;
    }
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "expression '%s', '%s': needs an array or a number; a pointer or struct is given", tree->name,
                    name_of(tree, which));
}

static lab_status find_types(node_type type[MOST_NODES], node_type input[MOST_INPUTS], const expression_tree *tree,
                             lab_args args)
{
    memset(input, 0, MOST_INPUTS * sizeof *input);
    for (int i = 0; i < tree->inputs; i++) LAB_TRY(type_of_argument(&input[i], tree, i, &args.arg[i]));
    return expression_types(type, tree, input);
}

static lab_status find_dtype(lab_dtype *out, const lab_expression *handle, int result, lab_args inputs,
                             const char *call)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: out is NULL", call);
    *out = 0;
    expression *found;
    node_type type[MOST_NODES], input[MOST_INPUTS];
    LAB_TRY(host_function_check());
    LAB_TRY(resolve(&found, handle, call));
    if (inputs.count != found->tree.inputs)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s' has %d inputs, the call gives %d", found->tree.name,
                        found->tree.inputs, inputs.count);
    if (result < 0 || result >= found->tree.results)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s' has no result %d; it has %d, numbered from 0",
                        found->tree.name, result, found->tree.results);
    LAB_TRY(find_types(type, input, &found->tree, inputs));
    *out = type[found->tree.result[result]].dtype;
    return LAB_SUCCESS;
}

lab_status lab_expression_dtype(lab_dtype *out, const lab_expression *handle, lab_args inputs)
{
    return find_dtype(out, handle, 0, inputs, "lab_expression_dtype");
}

lab_status lab_expression_result_dtype(lab_dtype *out, const lab_expression *handle, int result, lab_args inputs)
{
    return find_dtype(out, handle, result, inputs, "lab_expression_result_dtype");
}

/* ---- applying ---- */

/* Checks the arguments: all arrays must be on the host, or all on the device. */
static lab_status check_arguments(bool *on_host, const expression_tree *tree, lab_args args)
{
    const int count = tree->inputs + tree->results;
    if (args.count != count)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s' needs %d arguments, for %d input%s and %s; %d given",
                        tree->name, count, tree->inputs, tree->inputs == 1 ? "" : "s",
                        tree->results == 1 ? "the result" : "the results", args.count);
    const lab_arg_kind side = args.arg[tree->inputs].kind;
    for (int i = 0; i < count; i++) {
        const bool is_array = args.arg[i].kind == LAB_ARG_ARRAY || args.arg[i].kind == LAB_ARG_HOST_ARRAY;
        if (i >= tree->inputs && !is_array)
            return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s', '%s': needs an array for the result", tree->name,
                            name_of(tree, i));
        if (is_array && args.arg[i].kind != side && (side == LAB_ARG_ARRAY || side == LAB_ARG_HOST_ARRAY))
            return lab_fail(LAB_ERROR_INVALID_VALUE,
                            "expression '%s', '%s' is on the %s, the result on the %s; copy one of them", tree->name,
                            name_of(tree, i), side == LAB_ARG_ARRAY ? "host" : "device",
                            side == LAB_ARG_ARRAY ? "device" : "host");
    }
    *on_host = side == LAB_ARG_HOST_ARRAY;
    return LAB_SUCCESS;
}

/* Checks that each array for a result holds the result's type. */
static lab_status check_results(const expression_tree *tree, const node_type *type, lab_args args)
{
    for (int i = 0; i < tree->results; i++) {
        node_type out;
        const lab_dtype given = type[tree->result[i]].dtype;
        LAB_TRY(type_of_argument(&out, tree, tree->inputs + i, &args.arg[tree->inputs + i]));
        if (out.dtype != given)
            return lab_fail(LAB_ERROR_INVALID_VALUE,
                            "expression '%s' gives %s here, but the array for the result%s%s holds %s", tree->name,
                            lab_dtype_name(given), tree->results > 1 ? " " : "",
                            tree->results > 1 ? expression_results[i] : "", lab_dtype_name(out.dtype));
    }
    return LAB_SUCCESS;
}

lab_status lab_expression_apply(lab_expression *handle, lab_stream *stream, lab_args args)
{
    RETIRE_SCOPE;
    expression *found;
    node_type type[MOST_NODES], input[MOST_INPUTS];
    bool on_host = false;
    LAB_TRY(host_function_check());
    LAB_TRY(resolve(&found, handle, "lab_expression_apply"));
    const expression_tree *tree = &found->tree;
    LAB_TRY(check_arguments(&on_host, tree, args));
    LAB_TRY(find_types(type, input, tree, args));
    LAB_TRY(check_results(tree, type, args));
    if (on_host) return expression_evaluate(tree, type, args);
    return expression_enqueue(found->kernels, tree, type, input, stream, args);
}
