/*
 * Expressions on the host: each node is computed for a piece of the elements at a time, by the rules that hold on the
 * device, except that every operation is rounded by itself: nothing is contracted.
 */
#include "expression.h"

#include <math.h>
#include <string.h>

enum { PIECE = 128, ELEMENT_BYTES = 8 };

/* A piece of a node's values, of whatever type. */
typedef union piece {
    unsigned char bytes[PIECE * ELEMENT_BYTES];
    int8_t i8[PIECE];
    uint8_t u8[PIECE];
    int16_t i16[PIECE];
    uint16_t u16[PIECE];
    int32_t i32[PIECE];
    uint32_t u32[PIECE];
    int64_t i64[PIECE];
    uint64_t u64[PIECE];
    float f32[PIECE];
    double f64[PIECE];
} piece;

typedef struct evaluation {
    const expression_tree *tree;
    const node_type *type;
    const lab_arg *argument;
    lab_shape shape; /* of the result */
    size_t first, count;
} evaluation;

/* ---- operands ---- */

/* The element of an operand that NumPy's rules pair with an element of the whole. */
static size_t paired_element(lab_shape shape, lab_shape whole, size_t index)
{
    size_t at = 0, step = 1;
    for (int i = 1; i <= shape.dimensions; i++) {
        size_t size = shape.size[shape.dimensions - i], of_whole = whole.size[whole.dimensions - i];
        if (size > 1) at += index % of_whole * step;
        step *= size;
        index /= of_whole;
    }
    return at;
}

static size_t count_of(lab_shape shape)
{
    size_t count = 1;
    for (int i = 0; i < shape.dimensions; i++) count *= shape.size[i];
    return count;
}

static void load(piece *into, const evaluation *of, const lab_host_array *from)
{
    size_t size = lab_dtype_size(from->dtype);
    const unsigned char *data = from->data;
    if (count_of(from->shape) == count_of(of->shape)) {
        memcpy(into->bytes, data + of->first * size, of->count * size);
        return;
    }
    for (size_t i = 0; i < of->count; i++)
        memcpy(into->bytes + i * size, data + paired_element(from->shape, of->shape, of->first + i) * size, size);
}

static void repeat(piece *into, const unsigned char element[ELEMENT_BYTES], lab_dtype dtype, size_t count)
{
    size_t size = lab_dtype_size(dtype);
    for (size_t i = 0; i < count; i++) memcpy(into->bytes + i * size, element, size);
}

void expression_number(unsigned char element[8], const lab_arg *number, lab_dtype dtype)
{
    double real = number->kind != LAB_ARG_FLOAT ? 0 : number->size == 4 ? (double)number->value.f32 : number->value.f64;
    if (dtype == LAB_FLOAT64)
        memcpy(element, &real, sizeof real);
    else
        memcpy(element, &number->value.integer, sizeof number->value.integer);
}

/* ---- operations, type by type ---- */

#define EACH(field, expression)                                                                                        \
    for (size_t i = 0; i < count; i++) {                                                                               \
        a->field[i] = (expression);                                                                                    \
    }                                                                                                                  \
    break

#define IS_SIGNED(x)                                                                                                   \
    _Generic((x), uint8_t : false, uint16_t : false, uint32_t : false, uint64_t : false, default : true)
#define IS_NEGATIVE(x) (IS_SIGNED(x) && (int64_t)(x) < 0)

/* Integers are computed without sign, so that they wrap. */
#define INTEGER_CASE(dtype, field, unsigned_type)                                                                      \
    case dtype:                                                                                                        \
        switch (kind) {                                                                                                \
        case NODE_NEGATE: EACH(field, (unsigned_type)0 - (unsigned_type)a->field[i]);                                  \
        case NODE_ABSOLUTE:                                                                                            \
            EACH(field, IS_NEGATIVE(a->field[i]) ? (unsigned_type)0 - (unsigned_type)a->field[i]                       \
                                                 : (unsigned_type)a->field[i]);                                        \
        case NODE_ADD: EACH(field, (unsigned_type)a->field[i] + (unsigned_type)b->field[i]);                           \
        case NODE_SUBTRACT: EACH(field, (unsigned_type)a->field[i] - (unsigned_type)b->field[i]);                      \
        case NODE_MULTIPLY: EACH(field, (unsigned_type)a->field[i] * (unsigned_type)b->field[i]);                      \
        case NODE_MINIMUM: EACH(field, a->field[i] <= b->field[i] ? a->field[i] : b->field[i]);                        \
        case NODE_MAXIMUM: EACH(field, a->field[i] >= b->field[i] ? a->field[i] : b->field[i]);                        \
        default: break;                                                                                                \
        }                                                                                                              \
        break;

/* The larger or smaller one, and what is not a number if either is none. */
#define FLOAT_CASE(dtype, field, absolute)                                                                             \
    case dtype:                                                                                                        \
        switch (kind) {                                                                                                \
        case NODE_NEGATE: EACH(field, -a->field[i]);                                                                   \
        case NODE_ABSOLUTE: EACH(field, absolute(a->field[i]));                                                        \
        case NODE_ADD: EACH(field, a->field[i] + b->field[i]);                                                         \
        case NODE_SUBTRACT: EACH(field, a->field[i] - b->field[i]);                                                    \
        case NODE_MULTIPLY: EACH(field, a->field[i] * b->field[i]);                                                    \
        case NODE_DIVIDE: EACH(field, a->field[i] / b->field[i]);                                                      \
        case NODE_MINIMUM:                                                                                             \
            EACH(field, a->field[i] <= b->field[i] || a->field[i] != a->field[i] ? a->field[i] : b->field[i]);         \
        case NODE_MAXIMUM:                                                                                             \
            EACH(field, a->field[i] >= b->field[i] || a->field[i] != a->field[i] ? a->field[i] : b->field[i]);         \
        default: break;                                                                                                \
        }                                                                                                              \
        break;

/* Puts the results in the place of the left operands. */
static void operate(piece *a, const piece *b, node_kind kind, lab_dtype dtype, size_t count)
{
    switch (dtype) {
        INTEGER_CASE(LAB_INT8, i8, unsigned)
        INTEGER_CASE(LAB_UINT8, u8, unsigned)
        INTEGER_CASE(LAB_INT16, i16, unsigned)
        INTEGER_CASE(LAB_UINT16, u16, unsigned)
        INTEGER_CASE(LAB_INT32, i32, unsigned)
        INTEGER_CASE(LAB_UINT32, u32, unsigned)
        INTEGER_CASE(LAB_INT64, i64, uint64_t)
        INTEGER_CASE(LAB_UINT64, u64, uint64_t)
        FLOAT_CASE(LAB_FLOAT32, f32, fabsf)
        FLOAT_CASE(LAB_FLOAT64, f64, fabs)
    }
}

static void call_function(piece *a, const expression_function *function, lab_dtype dtype, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (dtype == LAB_FLOAT32)
            a->f32[i] = function->narrow(a->f32[i]);
        else
            a->f64[i] = function->wide(a->f64[i]);
}

/* ---- nodes ---- */

static void evaluate(piece *into, const evaluation *of, int index);

/* A node's values in the type of the operation that uses it. */
static void evaluate_as(piece *into, const evaluation *of, int index, lab_dtype dtype)
{
    lab_dtype own = of->type[index].dtype;
    if (own == dtype) {
        evaluate(into, of, index);
        return;
    }
    piece values;
    evaluate(&values, of, index);
    lab_cast_as_device(into->bytes, dtype, values.bytes, own, of->count); /* known types, no NULL: it succeeds */
}

static void evaluate(piece *into, const evaluation *of, int index)
{
    const node *each = &of->tree->node[index];
    const lab_arg *argument = &of->argument[each->input];
    lab_dtype dtype = of->type[index].dtype;
    unsigned char element[ELEMENT_BYTES];
    piece right;
    switch (each->kind) {
    case NODE_INPUT:
        if (argument->kind == LAB_ARG_HOST_ARRAY) {
            load(into, of, argument->value.host);
        } else {
            expression_number(element, argument, dtype);
            repeat(into, element, dtype, of->count);
        }
        break;
    case NODE_INTEGER: repeat(into, memcpy(element, &each->integer, sizeof each->integer), dtype, of->count); break;
    case NODE_REAL: repeat(into, memcpy(element, &each->real, sizeof each->real), dtype, of->count); break;
    case NODE_FUNCTION:
        evaluate_as(into, of, each->left, dtype);
        call_function(into, each->function, dtype, of->count);
        break;
    case NODE_NEGATE:
    case NODE_ABSOLUTE:
        evaluate_as(into, of, each->left, dtype);
        operate(into, into, each->kind, dtype, of->count);
        break;
    case NODE_ADD:
    case NODE_SUBTRACT:
    case NODE_MULTIPLY:
    case NODE_DIVIDE:
    case NODE_MINIMUM:
    case NODE_MAXIMUM:
        evaluate_as(into, of, each->left, dtype);
        evaluate_as(&right, of, each->right, dtype);
        operate(into, &right, each->kind, dtype, of->count);
        break;
    }
}

/* Host memory must be there, and its shape broadcast to the result's; an input that the result overlaps must be it. */
static lab_status check_input(const expression_tree *tree, int input, const lab_host_array *from,
                              const lab_host_array *out)
{
    char mine[96], other[96];
    size_t from_bytes = count_of(from->shape) * lab_dtype_size(from->dtype);
    size_t out_bytes = count_of(out->shape) * lab_dtype_size(out->dtype);
    if (!shape_broadcasts(from->shape, out->shape))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "expression '%s', input '%s' has the shape %s, which does not broadcast to %s of the result",
                        tree->name, tree->input[input], shape_text(mine, sizeof mine, from->shape),
                        shape_text(other, sizeof other, out->shape));
    if (!from->data && from_bytes)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s', input '%s': the host memory is NULL", tree->name,
                        tree->input[input]);
    uintptr_t from_start = (uintptr_t)from->data, out_start = (uintptr_t)out->data;
    bool overlap = from_start < out_start + out_bytes && out_start < from_start + from_bytes;
    if (overlap && (from_start != out_start || from_bytes != out_bytes || from->dtype != out->dtype))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "expression '%s', input '%s' and the result overlap without being the same host memory",
                        tree->name, tree->input[input]);
    return LAB_SUCCESS;
}

lab_status expression_evaluate(const expression_tree *of, const node_type *type, lab_args args)
{
    const lab_host_array *out = args.arg[of->inputs].value.host;
    int root = of->nodes - 1;
    for (int i = 0; i < of->inputs; i++)
        if (args.arg[i].kind == LAB_ARG_HOST_ARRAY) LAB_TRY(check_input(of, i, args.arg[i].value.host, out));
    evaluation piecewise = {of, type, args.arg, out->shape, 0, 0};
    size_t count = count_of(out->shape), size = lab_dtype_size(out->dtype);
    if (count && !out->data)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': the host memory of the result is NULL", of->name);
    for (; piecewise.first < count; piecewise.first += PIECE) {
        piece values;
        piecewise.count = count - piecewise.first < PIECE ? count - piecewise.first : PIECE;
        evaluate(&values, &piecewise, root);
        memcpy((unsigned char *)out->data + piecewise.first * size, values.bytes, piecewise.count * size);
    }
    return LAB_SUCCESS;
}
