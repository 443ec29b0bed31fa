/*
 * Expressions on the host: each node is computed for a piece of the elements at a time, by the device's rules, except
 * that every operation is rounded separately: nothing is contracted.
 */
#include "expression.h"

#include "base/program/host_memory.h"
#include "reduction.h"

#include <math.h>
#include <string.h>

enum { PIECE = 128, ELEMENT_BYTES = 8, WINDOW_BYTES = 4096 };

/* A piece of a node's values, of any type. */
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

/* An array of the program: where it is in this process, else the elements that were read last. */
typedef struct host_input {
    const unsigned char *local; /* NULL: */
    size_t first, count;        /* of the elements in `window` */
    unsigned char window[WINDOW_BYTES];
} host_input;

typedef struct evaluation {
    const expression_tree *tree;
    const node_type *type;
    const lab_arg *argument;
    host_input *input; /* of each argument that is an array */
    bool *gone;        /* set once the program's memory cannot be reached */
    lab_shape shape;   /* the result's shape */
    size_t first, count;
    unsigned char reduced[ELEMENT_BYTES]; /* the value of the reduction, once computed */
} evaluation;

/* ---- operands ---- */

/* The element of an operand that NumPy's rules pair with an element of the whole shape. */
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

/* Reads elements from the first on, as many as the window holds. An element that is not there reads as 0. */
static void move_window(host_input *input, const lab_host_array *array, size_t first, bool *gone)
{
    const size_t size = lab_dtype_size(array->dtype), left = count_of(array->shape) - first;
    input->first = first;
    input->count = left < WINDOW_BYTES / size ? left : WINDOW_BYTES / size;
    if (host_memory_read(input->window, (uintptr_t)array->data + first * size, input->count * size)) return;
    memset(input->window, 0, sizeof input->window);
    *gone = true;
}

static void load_local(piece *out, const evaluation *state, const unsigned char *data, const lab_host_array *array)
{
    const size_t size = lab_dtype_size(array->dtype);
    if (count_of(array->shape) == count_of(state->shape)) {
        memcpy(out->bytes, data + state->first * size, state->count * size);
        return;
    }
    for (size_t i = 0; i < state->count; i++)
        memcpy(out->bytes + i * size, data + paired_element(array->shape, state->shape, state->first + i) * size, size);
}

static void load_by_window(piece *out, const evaluation *state, host_input *input, const lab_host_array *array)
{
    const size_t size = lab_dtype_size(array->dtype);
    const bool paired = count_of(array->shape) != count_of(state->shape);
    for (size_t i = 0; i < state->count; i++) {
        const size_t index = state->first + i;
        const size_t element = paired ? paired_element(array->shape, state->shape, index) : index;
        if (element - input->first >= input->count) move_window(input, array, element, state->gone);
        memcpy(out->bytes + i * size, input->window + (element - input->first) * size, size);
    }
}

static void load(piece *out, const evaluation *state, int which)
{
    host_input *input = &state->input[which];
    const lab_host_array *array = state->argument[which].value.host;
    if (input->local)
        load_local(out, state, input->local, array);
    else
        load_by_window(out, state, input, array);
}

static void repeat(piece *out, const unsigned char element[ELEMENT_BYTES], lab_dtype dtype, size_t count)
{
    size_t size = lab_dtype_size(dtype);
    for (size_t i = 0; i < count; i++) memcpy(out->bytes + i * size, element, size);
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

/* Computes integers as unsigned, so that they wrap. */
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

/* The larger or smaller operand; NaN if either is NaN. */
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

/* Replaces the left operands by the results. */
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
    case LAB_FLOAT16:
    case LAB_BFLOAT16: break; /* these are computed with as LAB_FLOAT32 */
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

static void evaluate(piece *out, const evaluation *state, int index);

/* A node's values, in the type of the operation that uses them. */
static void evaluate_as(piece *out, const evaluation *state, int index, lab_dtype dtype)
{
    lab_dtype own = state->type[index].dtype;
    if (own == dtype) {
        evaluate(out, state, index);
        return;
    }
    piece values;
    evaluate(&values, state, index);
    lab_cast_as_device(out->bytes, dtype, values.bytes, own,
                       state->count); /* cannot fail: the types are known and nothing is NULL */
}

/* A node's values, rounded to the type of the operation that uses them, in the type in which it computes. */
static void evaluate_operand(piece *out, const evaluation *state, int index, lab_dtype dtype)
{
    piece values;
    if (!dtype_narrow(dtype)) {
        evaluate_as(out, state, index, dtype);
        return;
    }
    evaluate_as(&values, state, index, dtype);
    lab_cast_as_device(out->bytes, dtype_computing(dtype), values.bytes, dtype, state->count); /* cannot fail */
}

/* Rounds results to the type of the operation. */
static void round_results(piece *results, const evaluation *state, lab_dtype dtype)
{
    if (!dtype_narrow(dtype)) return;
    piece values = *results;
    lab_cast_as_device(results->bytes, dtype, values.bytes, dtype_computing(dtype), state->count); /* cannot fail */
}

static void evaluate(piece *out, const evaluation *state, int index)
{
    const node *each = &state->tree->node[index];
    const lab_arg *argument = &state->argument[each->input];
    const lab_dtype dtype = state->type[index].dtype, computing = dtype_computing(dtype);
    unsigned char element[ELEMENT_BYTES];
    piece right;
    switch (each->kind) {
    case NODE_INPUT:
        if (argument->kind == LAB_ARG_HOST_ARRAY) {
            load(out, state, each->input);
        } else {
            expression_number(element, argument, dtype);
            repeat(out, element, dtype, state->count);
        }
        break;
    case NODE_INTEGER: repeat(out, memcpy(element, &each->integer, sizeof each->integer), dtype, state->count); break;
    case NODE_REAL: repeat(out, memcpy(element, &each->real, sizeof each->real), dtype, state->count); break;
    case NODE_REDUCE: memcpy(out->bytes, state->reduced, sizeof state->reduced); break;
    case NODE_FUNCTION:
        evaluate_operand(out, state, each->left, dtype);
        call_function(out, each->function, computing, state->count);
        round_results(out, state, dtype);
        break;
    case NODE_NEGATE:
    case NODE_ABSOLUTE:
        evaluate_operand(out, state, each->left, dtype);
        operate(out, out, each->kind, computing, state->count);
        round_results(out, state, dtype);
        break;
    case NODE_ADD:
    case NODE_SUBTRACT:
    case NODE_MULTIPLY:
    case NODE_DIVIDE:
    case NODE_MINIMUM:
    case NODE_MAXIMUM:
        evaluate_operand(out, state, each->left, dtype);
        evaluate_operand(&right, state, each->right, dtype);
        operate(out, &right, each->kind, computing, state->count);
        round_results(out, state, dtype);
        break;
    }
}

/* ---- reducing ---- */

/* The source of the values: the elements, or the tiles' values. */
typedef struct value_source {
    evaluation *state;          /* evaluates the reduction's operand; or, if `ready` is set, */
    const unsigned char *ready; /* values of the reduction's type */
} value_source;

static void fetch(piece *out, const value_source *source, lab_dtype dtype, const node *reduce, size_t first,
                  size_t count)
{
    size_t size = lab_dtype_size(dtype);
    if (source->ready) {
        memcpy(out->bytes, source->ready + first * size, count * size);
        return;
    }
    source->state->first = first;
    source->state->count = count;
    evaluate_as(out, source->state, reduce->left, dtype);
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Combines the values [first, end) in the device's order: lanes, then a tree over them. */
static void combine(unsigned char *result, const value_source *source, const node *reduce, lab_dtype dtype,
                    size_t first, size_t end)
{
    enum { HALVES = REDUCTION_LANES / PIECE };
    piece lane[HALVES], next;
    size_t size = lab_dtype_size(dtype), width = smaller(end - first, REDUCTION_LANES);
    node_kind kind = reduce->reduction->operation;
    for (size_t at = first; at < end; at += PIECE) {
        piece *half = &lane[(at - first) / PIECE % HALVES];
        size_t count = smaller(end - at, PIECE);
        fetch(at - first < REDUCTION_LANES ? half : &next, source, dtype, reduce, at, count);
        if (at - first >= REDUCTION_LANES) operate(half, &next, kind, dtype, count);
    }
    for (size_t step = REDUCTION_LANES / 2; step > 0; step /= 2) {
        if (step >= width) continue;
        size_t pairs = smaller(step, width - step);
        memcpy(next.bytes, lane[step / PIECE].bytes + step % PIECE * size, pairs * size);
        operate(&lane[0], &next, kind, dtype, pairs);
    }
    memcpy(result, lane[0].bytes, size);
}

/* The value of the expression's reduction. */
static lab_status reduce_all(evaluation *state, size_t count)
{
    const node *reduce = &state->tree->node[state->tree->reduced];
    const lab_dtype type = state->type[state->tree->reduced].dtype, dtype = dtype_computing(type);
    const char *identity = reduce->reduction->identity;
    size_t tile = reduction_tile(count), tiles = 0, size = lab_dtype_size(dtype);
    unsigned char partial[REDUCTION_MOST_TILES * ELEMENT_BYTES];
    if (count == 0 && !identity)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "expression '%s': there are no elements, and %s of no elements has "
                        "no result",
                        state->tree->name, reduce->reduction->name);
    if (count == 0) return lab_cast_as_device(state->reduced, type, &(int64_t){*identity - '0'}, LAB_INT64, 1);
    for (size_t first = 0; first < count; first += tile)
        combine(partial + tiles++ * size, &(value_source){state, NULL}, reduce, dtype, first,
                smaller(first + tile, count));
    unsigned char value[ELEMENT_BYTES];
    combine(value, &(value_source){state, partial}, reduce, dtype, 0, tiles);
    return lab_cast_as_device(state->reduced, type, value, dtype, 1);
}

/* ---- the whole ---- */

static lab_status check_memory(const expression_tree *tree, int input, const lab_host_array *array)
{
    if (array->data || count_of(array->shape) == 0) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s', input '%s': the host memory is NULL", tree->name,
                    tree->input[input]);
}

/* Checks that an input's shape broadcasts to the result's, and that an input that overlaps the result is the result. */
static lab_status check_input(const expression_tree *tree, int input, const lab_host_array *array,
                              const lab_host_array *out)
{
    char mine[96], other[96];
    size_t from_bytes = count_of(array->shape) * lab_dtype_size(array->dtype);
    size_t out_bytes = count_of(out->shape) * lab_dtype_size(out->dtype);
    if (!shape_broadcasts(array->shape, out->shape))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "expression '%s', input '%s' has the shape %s, which does not broadcast to %s of the result",
                        tree->name, tree->input[input], shape_text(mine, sizeof mine, array->shape),
                        shape_text(other, sizeof other, out->shape));
    LAB_TRY(check_memory(tree, input, array));
    uintptr_t from_start = (uintptr_t)array->data, out_start = (uintptr_t)out->data;
    bool overlap = from_start < out_start + out_bytes && out_start < from_start + from_bytes;
    if (overlap && (from_start != out_start || from_bytes != out_bytes || array->dtype != out->dtype))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "expression '%s', input '%s' and the result overlap without being the same host memory",
                        tree->name, tree->input[input]);
    return LAB_SUCCESS;
}

/* The shape of the reduction's operand: inputs have one shape or a single element. Checks that the result has one
 * element. */
static lab_status find_reduced_shape(lab_shape *shape, const expression_tree *tree, lab_args args)
{
    char text[96];
    bool any = false, same = true;
    const lab_host_array *out = args.arg[tree->inputs].value.host;
    if (count_of(out->shape) != 1)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "expression '%s': the result has one element, but its array has the shape %s", tree->name,
                        shape_text(text, sizeof text, out->shape));
    for (int i = 0; i < tree->inputs; i++) {
        if (args.arg[i].kind != LAB_ARG_HOST_ARRAY) continue;
        const lab_host_array *array = args.arg[i].value.host;
        LAB_TRY(check_memory(tree, i, array));
        if (!any) *shape = array->shape;
        same = same && shape_join(shape, array->shape);
        any = true;
    }
    for (int i = 0; i < tree->inputs; i++) {
        if (args.arg[i].kind != LAB_ARG_HOST_ARRAY) continue;
        size_t count = count_of(args.arg[i].value.host->shape);
        same = same && (count == 1 || count == count_of(*shape));
    }
    if (any && same) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    any ? "expression '%s': its inputs differ in shape; a reduction's operand is not broadcast"
                        : "expression '%s': no array says how many elements there are to reduce",
                    tree->name);
}

/* Finds the arrays among the inputs. */
static void open_inputs(host_input input[MOST_INPUTS], const expression_tree *tree, lab_args args)
{
    for (int i = 0; i < tree->inputs; i++) {
        if (args.arg[i].kind != LAB_ARG_HOST_ARRAY) continue;
        const lab_host_array *array = args.arg[i].value.host;
        const size_t bytes = count_of(array->shape) * lab_dtype_size(array->dtype);
        input[i].local = bytes ? host_memory_local((uintptr_t)array->data, bytes) : NULL;
        input[i].first = input[i].count = 0;
    }
}

static lab_status fail_gone(const expression_tree *tree)
{
    return lab_fail(LAB_ERROR_ILLEGAL_ADDRESS,
                    "expression '%s': the program has ended, or part of the host memory is not its own", tree->name);
}

static lab_status evaluate_reduction(const expression_tree *tree, const node_type *type, lab_args args)
{
    const lab_host_array *out = args.arg[tree->inputs].value.host;
    host_input input[MOST_INPUTS];
    bool gone = false;
    evaluation whole = {.tree = tree, .type = type, .argument = args.arg, .input = input, .gone = &gone};
    piece result;
    LAB_TRY(find_reduced_shape(&whole.shape, tree, args));
    if (!out->data)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': the host memory of the result is NULL", tree->name);
    open_inputs(input, tree, args);
    LAB_TRY(reduce_all(&whole, count_of(whole.shape)));
    whole.first = 0;
    whole.count = 1;
    evaluate(&result, &whole, tree->result[0]);
    const bool there = !gone && host_memory_write((uintptr_t)out->data, result.bytes, lab_dtype_size(out->dtype));
    return there ? LAB_SUCCESS : fail_gone(tree);
}

/* Checks a result's array with the inputs and with the results before it. */
static lab_status check_result(const expression_tree *tree, int which, lab_args args)
{
    const lab_host_array *out = args.arg[tree->inputs + which].value.host;
    const size_t bytes = count_of(out->shape) * lab_dtype_size(out->dtype);
    if (bytes && !out->data)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': the host memory of the result is NULL", tree->name);
    for (int i = 0; i < tree->inputs; i++)
        if (args.arg[i].kind == LAB_ARG_HOST_ARRAY) LAB_TRY(check_input(tree, i, args.arg[i].value.host, out));
    for (int i = 0; i < which; i++) {
        const lab_host_array *other = args.arg[tree->inputs + i].value.host;
        const size_t other_bytes = count_of(other->shape) * lab_dtype_size(other->dtype);
        const uintptr_t begin = (uintptr_t)out->data, other_begin = (uintptr_t)other->data;
        if (!shapes_equal(out->shape, other->shape))
            return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': the results %s and %s differ in shape",
                            tree->name, expression_results[i], expression_results[which]);
        if (begin < other_begin + other_bytes && other_begin < begin + bytes)
            return lab_fail(LAB_ERROR_INVALID_VALUE, "expression '%s': the results %s and %s overlap", tree->name,
                            expression_results[i], expression_results[which]);
    }
    return LAB_SUCCESS;
}

lab_status expression_evaluate(const expression_tree *tree, const node_type *type, lab_args args)
{
    if (tree->reduced) return evaluate_reduction(tree, type, args);
    for (int i = 0; i < tree->results; i++) LAB_TRY(check_result(tree, i, args));
    const lab_arg *const out = &args.arg[tree->inputs];
    host_input input[MOST_INPUTS];
    bool gone = false;
    evaluation piecewise = {.tree = tree,
                            .type = type,
                            .argument = args.arg,
                            .input = input,
                            .gone = &gone,
                            .shape = out->value.host->shape};
    const size_t count = count_of(piecewise.shape);
    open_inputs(input, tree, args);
    for (; piecewise.first < count && !gone; piecewise.first += PIECE) {
        piece values[MOST_RESULTS];
        piecewise.count = count - piecewise.first < PIECE ? count - piecewise.first : PIECE;
        /* All are computed before one is written, which may be an input of another. */
        for (int i = 0; i < tree->results; i++) evaluate(&values[i], &piecewise, tree->result[i]);
        for (int i = 0; i < tree->results && !gone; i++) {
            const size_t size = lab_dtype_size(out[i].value.host->dtype);
            gone = !host_memory_write((uintptr_t)out[i].value.host->data + piecewise.first * size, values[i].bytes,
                                      piecewise.count * size);
        }
    }
    return gone ? fail_gone(tree) : LAB_SUCCESS;
}
