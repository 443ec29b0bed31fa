/* The steps in which an expression is computed: which reductions first, which results together, and each step's own
 * tree. The same on host and device. */
#include "expression.h"

#include <string.h>

/* ---- shapes ---- */

static lab_status reduce_shape(lab_shape *shape, const expression_tree *tree, const node *reduce, lab_shape before)
{
    bool reduced[LAB_MAX_DIMENSIONS];
    memset(reduced, true, sizeof reduced);
    if (before.dimensions == 0)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': no array says how many elements there are to reduce",
                        tree->name);
    if (reduce->axes.count != OPERANDS_NO_AXES.count)
        LAB_TRY(operands_mark_axes(reduced, tree->name, &before, reduce->axes));
    *shape = operands_reduced_shape(before, reduced, reduce->keep);
    return LAB_SUCCESS;
}

static lab_status join(lab_shape *shape, const expression_tree *tree, lab_shape other)
{
    char mine[96], text[96];
    const lab_shape before = *shape;
    if (shape_join(shape, other)) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': the shapes %s and %s of two operands do not broadcast",
                    tree->name, shape_text(mine, sizeof mine, before), shape_text(text, sizeof text, other));
}

lab_status expression_shapes(lab_shape shape[MOST_NODES], const expression_tree *tree, const lab_shape *input)
{
    for (int i = 0; i < tree->nodes; i++) {
        const node *each = &tree->node[i];
        shape[i] = (lab_shape){.dimensions = 0};
        switch (each->kind) {
        case NODE_INPUT: shape[i] = input[each->input]; break;
        case NODE_INTEGER:
        case NODE_REAL: break;
        case NODE_NEGATE:
        case NODE_ABSOLUTE:
        case NODE_CAST:
        case NODE_FUNCTION: shape[i] = shape[each->left]; break;
        case NODE_REDUCE: LAB_TRY(reduce_shape(&shape[i], tree, each, shape[each->left])); break;
        case NODE_WHERE:
        case NODE_ADD:
        case NODE_SUBTRACT:
        case NODE_MULTIPLY:
        case NODE_DIVIDE:
        case NODE_MINIMUM:
        case NODE_MAXIMUM:
            if (each->kind == NODE_WHERE) LAB_TRY(join(&shape[i], tree, shape[each->condition]));
            LAB_TRY(join(&shape[i], tree, shape[each->left]));
            LAB_TRY(join(&shape[i], tree, shape[each->right]));
            break;
        }
    }
    return LAB_SUCCESS;
}

/* ---- what depends on what ---- */

/* The nodes that a node uses, as the last ones of three; returns the first. */
static int operands_of(int used_by[3], const node *each)
{
    used_by[0] = each->condition;
    used_by[1] = each->right;
    used_by[2] = each->left;
    switch (each->kind) {
    case NODE_INPUT:
    case NODE_INTEGER:
    case NODE_REAL: return 3;
    case NODE_NEGATE:
    case NODE_ABSOLUTE:
    case NODE_CAST:
    case NODE_FUNCTION:
    case NODE_REDUCE: return 2;
    case NODE_ADD:
    case NODE_SUBTRACT:
    case NODE_MULTIPLY:
    case NODE_DIVIDE:
    case NODE_MINIMUM:
    case NODE_MAXIMUM: return 1;
    case NODE_WHERE: break;
    }
    return 0;
}

/* A node comes after those that it uses, so one pass from the last to the first finds all. */
node_set expression_uses(const expression_tree *tree, int index, int open)
{
    node_set used = {.has = {[0] = false}};
    used.has[index] = true;
    for (int i = index; i >= 0; i--) {
        int used_by[3];
        if (!used.has[i] || (tree->node[i].kind == NODE_REDUCE && i != open)) continue;
        for (int k = operands_of(used_by, &tree->node[i]); k < 3; k++) used.has[used_by[k]] = true;
    }
    return used;
}

int expression_direct(const expression_tree *tree, int result)
{
    const node_set used = expression_uses(tree, tree->result[result], -1);
    int found = 0;
    for (int i = 0; i <= tree->result[result]; i++) {
        if (!used.has[i]) continue;
        if (tree->node[i].kind == NODE_INPUT || (tree->node[i].kind == NODE_REDUCE && found)) return 0;
        if (tree->node[i].kind == NODE_REDUCE) found = i;
    }
    return found;
}

/* ---- results together ---- */

result_groups expression_group(const expression_tree *tree, const lab_shape *result)
{
    result_groups made = {.groups = 0};
    for (int i = 0; i < tree->results; i++) {
        made.group[i] = made.groups;
        for (int k = 0; k < i && !expression_direct(tree, i); k++)
            if (!expression_direct(tree, k) && shapes_equal(result[i], result[k])) made.group[i] = made.group[k];
        if (made.group[i] == made.groups) made.groups++;
    }
    return made;
}

/* Where an array is; nothing for a number. */
static void find_bytes(uintptr_t *first, uintptr_t *end, const lab_arg *argument)
{
    *first = *end = 0;
    if (argument->kind == LAB_ARG_ARRAY) {
        const struct array *array = array_get(argument->value.array);
        if (!array) return; /* another thread has destroyed it */
        *first = array->data;
        *end = array->data + array->span;
    } else if (argument->kind == LAB_ARG_HOST_ARRAY) {
        const lab_host_array *array = argument->value.host;
        *first = (uintptr_t)array->data;
        *end = *first + elements_of(array->shape) * lab_dtype_size(array->dtype);
    }
}

bool expression_overlap(const lab_arg *one, const lab_arg *other)
{
    uintptr_t first[2], end[2];
    find_bytes(&first[0], &end[0], one);
    find_bytes(&first[1], &end[1], other);
    return first[0] < end[1] && first[1] < end[0];
}

lab_status expression_check_order(const expression_tree *tree, const result_groups *groups, const lab_arg *argument)
{
    for (int later = 0; later < tree->results; later++) {
        const node_set used = expression_uses(tree, tree->result[later], expression_direct(tree, later));
        for (int i = 0; i < tree->nodes; i++) {
            if (!used.has[i] || tree->node[i].kind != NODE_INPUT) continue;
            const int input = tree->node[i].input;
            for (int earlier = 0; earlier < tree->results; earlier++)
                if (groups->group[earlier] < groups->group[later] &&
                    expression_overlap(&argument[tree->inputs + earlier], &argument[input]))
                    return lab_fail(LAB_ERROR_INVALID_VALUE,
                                    "expression '%s': the result %s overwrites '%s', which the later result %s of "
                                    "another shape still reads; write it to another array",
                                    tree->name, expression_results[earlier], tree->input[input],
                                    expression_results[later]);
        }
    }
    return LAB_SUCCESS;
}

/* ---- a step's own tree ---- */

/* The name of an input that stands for a node: one that no other input has. */
static void name_value(char name[NAME_BYTES], const expression_tree *tree, int index)
{
    int length = snprintf(name, NAME_BYTES, "value%d", index);
    for (int i = 0; i < tree->inputs; i++)
        if (strcmp(tree->input[i], name) == 0) {
            name[length++] = '_';
            name[length] = 0;
            i = -1;
        }
}

/* The number that an input of the expression, or a node's value, has among the part's inputs. */
static lab_status input_of_part(int *number, expression_part *out, const expression_tree *tree, int input)
{
    expression_tree *part = &out->tree;
    for (*number = 0; *number < part->inputs; ++*number)
        if (out->input[*number] == input) return LAB_SUCCESS;
    if (part->inputs == MOST_INPUTS)
        return lab_fail(LAB_ERROR_NOT_SUPPORTED,
                        "expression '%s': a result needs more than %d inputs and reductions at once", tree->name,
                        MOST_INPUTS);
    if (input < MOST_INPUTS)
        memcpy(part->input[*number], tree->input[input], NAME_BYTES);
    else
        name_value(part->input[*number], tree, input - MOST_INPUTS);
    out->input[part->inputs++] = input;
    return LAB_SUCCESS;
}

lab_status expression_cut(expression_part *out, const expression_tree *tree, const int *result, int results, int open,
                          bool given)
{
    node_set used = {.has = {[0] = false}};
    int place[MOST_NODES] = {0};
    memset(out, 0, sizeof *out);
    memcpy(out->tree.name, tree->name, sizeof out->tree.name);
    for (int k = 0; k < results; k++) {
        const node_set more = expression_uses(tree, result[k], given ? -1 : open);
        for (int i = 0; i < tree->nodes; i++) used.has[i] |= more.has[i];
    }
    if (given) used.has[tree->node[open].left] = true;
    for (int i = 0; i < tree->nodes; i++) {
        if (!used.has[i]) continue;
        node *copied = &out->tree.node[out->tree.nodes];
        *copied = tree->node[i];
        const bool value = (copied->kind == NODE_REDUCE && i != open) || (given && i == tree->node[open].left);
        if (value || copied->kind == NODE_INPUT) {
            *copied = (node){.kind = NODE_INPUT};
            LAB_TRY(input_of_part(&copied->input, out, tree, value ? MOST_INPUTS + i : tree->node[i].input));
        }
        copied->left = place[copied->left];
        copied->right = place[copied->right];
        copied->condition = place[copied->condition];
        place[i] = out->tree.nodes++;
        if (i == open) out->tree.reduced = place[i];
    }
    for (int k = 0; k < results; k++) out->tree.result[out->tree.results++] = place[result[k]];
    return LAB_SUCCESS;
}
