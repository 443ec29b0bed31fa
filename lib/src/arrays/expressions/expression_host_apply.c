/* An expression on the host: its arguments are checked, its reductions computed, then its results, those of one shape
 * together. */
#include "expression.h"

#include "base/program/host_memory.h"

#include <stdlib.h>
#include <string.h>

static lab_status check_memory(const expression_tree *tree, int input, const lab_host_array *array)
{
    if (array->data || elements_of(array->shape) == 0) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s', input '%s': the host memory is NULL", tree->name,
                    tree->input[input]);
}

/* Checks that an input's shape broadcasts to the result's, and that an input that overlaps the result is the result. */
static lab_status check_input(const expression_tree *tree, int input, const lab_arg *argument, const lab_arg *result)
{
    char mine[96], other[96];
    const lab_host_array *array = argument->value.host, *out = result->value.host;
    if (!shape_broadcasts(array->shape, out->shape))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "expression '%s', input '%s' has the shape %s, which does not broadcast to %s of the result",
                        tree->name, tree->input[input], shape_text(mine, sizeof mine, array->shape),
                        shape_text(other, sizeof other, out->shape));
    const bool is_result =
        array->data == out->data && array->dtype == out->dtype && elements_of(array->shape) == elements_of(out->shape);
    if (!is_result && expression_overlap(argument, result))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "expression '%s', input '%s' and the result overlap without being the same host memory",
                        tree->name, tree->input[input]);
    return LAB_SUCCESS;
}

/* Checks the array of a result whose elements are one reduction's, and numbers. */
static lab_status check_reduced(const expression_tree *tree, const node *reduce, lab_shape given, lab_shape before)
{
    char text[96], right[96];
    bool reduced[LAB_MAX_DIMENSIONS];
    if (reduce->axes.count == OPERANDS_NO_AXES.count) {
        if (elements_of(given) == 1) return LAB_SUCCESS;
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "expression '%s': the result has one element, but its array has the shape %s", tree->name,
                        shape_text(text, sizeof text, given));
    }
    LAB_TRY(operands_mark_axes(reduced, tree->name, &before, reduce->axes));
    const lab_shape dropped = operands_reduced_shape(before, reduced, false);
    if (shapes_equal(given, dropped) || shapes_equal(given, operands_reduced_shape(before, reduced, true)))
        return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': the result has the shape %s, but its array has %s",
                    tree->name, shape_text(right, sizeof right, dropped), shape_text(text, sizeof text, given));
}

/* Checks that a result's array does not overlap those of the results before it. */
static lab_status check_apart(const expression_tree *tree, int which, lab_args args)
{
    const lab_arg *result = &args.arg[tree->inputs];
    for (int i = 0; i < which; i++)
        if (expression_overlap(&result[i], &result[which]))
            return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': the results %s and %s overlap", tree->name,
                            expression_results[i], expression_results[which]);
    return LAB_SUCCESS;
}

/* Checks a result's array with the inputs and reductions that it reads. */
static lab_status check_result(const expression_tree *tree, int which, const lab_shape *shape, lab_args args)
{
    const lab_host_array *out = args.arg[tree->inputs + which].value.host;
    const int direct = expression_direct(tree, which);
    const node_set used = expression_uses(tree, tree->result[which], -1);
    char mine[96], other[96];
    if (elements_of(out->shape) && !out->data)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': the host memory of the result is NULL", tree->name);
    LAB_TRY(check_apart(tree, which, args));
    if (direct) return check_reduced(tree, &tree->node[direct], out->shape, shape[tree->node[direct].left]);
    for (int i = 0; i < tree->nodes; i++) {
        const node *each = &tree->node[i];
        if (!used.has[i]) continue;
        if (each->kind == NODE_INPUT && args.arg[each->input].kind == LAB_ARG_HOST_ARRAY)
            LAB_TRY(check_input(tree, each->input, &args.arg[each->input], &args.arg[tree->inputs + which]));
        if (each->kind == NODE_REDUCE && !shape_broadcasts(shape[i], out->shape))
            return lab_fail(LAB_ERROR_INVALID_VALUE,
                            "expression '%s': %s(...) has the shape %s, which does not broadcast to %s of the result",
                            tree->name, each->reduction->name, shape_text(mine, sizeof mine, shape[i]),
                            shape_text(other, sizeof other, out->shape));
    }
    return LAB_SUCCESS;
}

/* Finds the arrays among the inputs. */
static lab_status open_inputs(host_input input[MOST_INPUTS], const expression_tree *tree, lab_args args)
{
    for (int i = 0; i < tree->inputs; i++) {
        if (args.arg[i].kind != LAB_ARG_HOST_ARRAY) continue;
        const lab_host_array *array = args.arg[i].value.host;
        const size_t bytes = elements_of(array->shape) * lab_dtype_size(array->dtype);
        LAB_TRY(check_memory(tree, i, array));
        input[i].local = bytes ? host_memory_local((uintptr_t)array->data, bytes) : NULL;
        input[i].first = input[i].count = 0;
    }
    return LAB_SUCCESS;
}

static lab_status fail_gone(const expression_tree *tree)
{
    return lab_fail(LAB_ERROR_ILLEGAL_ADDRESS,
                    "expression '%s': the program has ended, or part of the host memory is not its own", tree->name);
}

/* Computes the results of a group piece by piece. */
static lab_status write_group(evaluation *state, const result_groups *groups, int group)
{
    const expression_tree *tree = state->tree;
    const lab_arg *const out = &state->argument[tree->inputs];
    int first = 0;
    while (groups->group[first] != group) first++;
    state->shape = out[first].value.host->shape;
    const size_t count = elements_of(state->shape);
    for (state->first = 0; state->first < count && !*state->gone; state->first += PIECE) {
        piece values[MOST_RESULTS];
        state->count = count - state->first < PIECE ? count - state->first : PIECE;
        /* All are computed before one is written, which may be an input of another. */
        for (int i = 0; i < tree->results; i++)
            if (groups->group[i] == group) expression_piece(&values[i], state, tree->result[i]);
        for (int i = 0; i < tree->results && !*state->gone; i++) {
            if (groups->group[i] != group) continue;
            const size_t size = lab_dtype_size(out[i].value.host->dtype);
            *state->gone = !host_memory_write((uintptr_t)out[i].value.host->data + state->first * size, values[i].bytes,
                                              state->count * size);
        }
    }
    return *state->gone ? fail_gone(tree) : LAB_SUCCESS;
}

static lab_status compute(evaluation *state, unsigned char *reduced[MOST_NODES], const lab_shape *shape,
                          const result_groups *groups)
{
    const expression_tree *tree = state->tree;
    for (int i = 0; i < tree->nodes; i++) {
        if (tree->node[i].kind != NODE_REDUCE) continue;
        reduced[i] = malloc(elements_of(shape[i]) * lab_dtype_size(state->type[i].dtype) + 1);
        if (!reduced[i]) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for expression '%s'", tree->name);
        LAB_TRY(expression_reduce(reduced[i], state, i, shape[tree->node[i].left]));
        if (*state->gone) return fail_gone(tree);
    }
    for (int i = 0; i < groups->groups; i++) LAB_TRY(write_group(state, groups, i));
    return LAB_SUCCESS;
}

lab_status expression_evaluate(const expression_tree *tree, const node_type *type, lab_args args)
{
    lab_shape shape[MOST_NODES], input_shape[MOST_INPUTS], result_shape[MOST_RESULTS];
    unsigned char *reduced[MOST_NODES] = {NULL};
    host_input input[MOST_INPUTS];
    bool gone = false;
    for (int i = 0; i < tree->inputs; i++)
        input_shape[i] =
            args.arg[i].kind == LAB_ARG_HOST_ARRAY ? args.arg[i].value.host->shape : (lab_shape){.dimensions = 0};
    for (int i = 0; i < tree->results; i++) result_shape[i] = args.arg[tree->inputs + i].value.host->shape;
    const result_groups groups = expression_group(tree, result_shape);
    LAB_TRY(expression_shapes(shape, tree, input_shape));
    for (int i = 0; i < tree->results; i++) LAB_TRY(check_result(tree, i, shape, args));
    LAB_TRY(expression_check_order(tree, &groups, args.arg));
    LAB_TRY(open_inputs(input, tree, args));
    evaluation state = {.tree = tree,
                        .type = type,
                        .argument = args.arg,
                        .input = input,
                        .gone = &gone,
                        .reduced = reduced,
                        .reduced_shape = shape};
    const lab_status status = compute(&state, reduced, shape, &groups);
    for (int i = 0; i < tree->nodes; i++) free(reduced[i]);
    return status;
}
