/* Types of expressions by NumPy's rules (NEP 50), for the library's types. */
#include "expression.h"

/* The smallest type that holds both arrays' types; uint64 and a signed type give float64, since no integer holds both.
 * */
static lab_dtype promote(lab_dtype a, lab_dtype b)
{
    size_t a_size = lab_dtype_size(a), b_size = lab_dtype_size(b);
    if (a == b) return a;
    if (dtype_floating(a) && dtype_floating(b)) return a_size == b_size ? LAB_FLOAT32 : a_size > b_size ? a : b;
    if (dtype_floating(a) || dtype_floating(b)) {
        lab_dtype integer = dtype_floating(a) ? b : a, real = dtype_floating(a) ? a : b;
        if (lab_dtype_size(integer) > 2) return LAB_FLOAT64;
        return lab_dtype_size(integer) < lab_dtype_size(real) ? real : LAB_FLOAT32;
    }
    if (dtype_signed(a) == dtype_signed(b)) return a_size > b_size ? a : b;
    lab_dtype with_sign = dtype_signed(a) ? a : b, without = dtype_signed(a) ? b : a;
    if (lab_dtype_size(with_sign) > lab_dtype_size(without)) return with_sign;
    return without == LAB_UINT64 ? LAB_FLOAT64 : (lab_dtype)(without + 1); /* the signed type of twice the size */
}

/* A number in the program takes the array's type if that is of the same kind or can hold fractions. */
static node_type combine(node_type a, node_type b)
{
    if (a.weak == b.weak) return (node_type){promote(a.dtype, b.dtype), a.weak};
    node_type strong = a.weak ? b : a, weak = a.weak ? a : b;
    if (dtype_floating(weak.dtype) && !dtype_floating(strong.dtype)) strong.dtype = LAB_FLOAT64;
    return strong;
}

/* The type in which a function of floating-point numbers computes. */
static node_type real_for(node_type operand_type)
{
    if (dtype_floating(operand_type.dtype)) return operand_type;
    const size_t size = lab_dtype_size(operand_type.dtype);
    operand_type.dtype = size == 1 ? LAB_FLOAT16 : size == 2 ? LAB_FLOAT32 : LAB_FLOAT64;
    return operand_type;
}

/* NumPy's sums and products of integers have 64-bit types. */
static node_type type_of_reduction(const expression_reduction *rule, node_type operand_type)
{
    bool grows = rule->operation == NODE_ADD || rule->operation == NODE_MULTIPLY;
    if (grows && !dtype_floating(operand_type.dtype))
        operand_type.dtype = dtype_signed(operand_type.dtype) ? LAB_INT64 : LAB_UINT64;
    operand_type.weak = false;
    return operand_type;
}

static node_type type_of_node(const node *each, const node_type *type, const node_type *input)
{
    switch (each->kind) {
    case NODE_INPUT: return input[each->input];
    case NODE_INTEGER: return (node_type){LAB_INT64, true};
    case NODE_REAL: return (node_type){LAB_FLOAT64, true};
    case NODE_NEGATE:
    case NODE_ABSOLUTE: return type[each->left];
    case NODE_FUNCTION: return real_for(type[each->left]);
    case NODE_REDUCE: return type_of_reduction(each->reduction, type[each->left]);
    case NODE_CAST: return (node_type){each->dtype, false};
    case NODE_DIVIDE: {
        node_type both = combine(type[each->left], type[each->right]);
        if (!dtype_floating(both.dtype)) both.dtype = LAB_FLOAT64;
        return both;
    }
    case NODE_ADD:
    case NODE_SUBTRACT:
    case NODE_MULTIPLY:
    case NODE_MINIMUM:
    case NODE_MAXIMUM:
    case NODE_WHERE: break;
    }
    return combine(type[each->left], type[each->right]);
}

/* Checks that a whole number in the text fits the integer type that it takes. */
static lab_status check_fits(const expression_tree *tree, int index, lab_dtype dtype)
{
    const node *number = &tree->node[index];
    if (number->kind != NODE_INTEGER || dtype_floating(dtype)) return LAB_SUCCESS;
    int bits = 8 * (int)lab_dtype_size(dtype) - dtype_signed(dtype);
    if (bits >= 63 || number->integer < INT64_C(1) << bits) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "expression '%s': the number %lld does not fit %s, the type it is combined with", tree->name,
                    (long long)number->integer, lab_dtype_name(dtype));
}

lab_status expression_types(node_type type[MOST_NODES], const expression_tree *tree, const node_type *input)
{
    for (int i = 0; i < tree->nodes; i++) {
        const node *each = &tree->node[i];
        type[i] = type_of_node(each, type, input);
        bool binary = each->kind >= NODE_ADD && each->kind <= NODE_WHERE;
        if (!binary || type[i].weak) continue;
        LAB_TRY(check_fits(tree, each->left, type[i].dtype));
        LAB_TRY(check_fits(tree, each->right, type[i].dtype));
    }
    return LAB_SUCCESS;
}
