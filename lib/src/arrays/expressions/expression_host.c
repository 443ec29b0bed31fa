/*
 * Expressions on the host: each node is computed for a piece of the elements at a time, by the device's rules, except
 * that every operation is rounded separately: nothing is contracted.
 */
#include "expression.h"

#include "base/program/host_memory.h"
#include "arrays/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Reads elements from the first on, as many as the window holds. An element that is not there reads as 0. */
static void move_window(host_input *input, const lab_host_array *array, size_t first, bool *gone)
{
    const size_t size = lab_dtype_size(array->dtype), left = elements_of(array->shape) - first;
    input->first = first;
    input->count = left < WINDOW_BYTES / size ? left : WINDOW_BYTES / size;
    if (host_memory_read(input->window, (uintptr_t)array->data + first * size, input->count * size)) return;
    memset(input->window, 0, sizeof input->window);
    *gone = true;
}

static void load_local(piece *out, const evaluation *state, const unsigned char *data, lab_dtype dtype, lab_shape shape)
{
    const size_t size = lab_dtype_size(dtype);
    if (elements_of(shape) == elements_of(state->shape)) {
        memcpy(out->bytes, data + state->first * size, state->count * size);
        return;
    }
    for (size_t i = 0; i < state->count; i++)
        memcpy(out->bytes + i * size, data + paired_element(shape, state->shape, state->first + i) * size, size);
}

static void load_by_window(piece *out, const evaluation *state, host_input *input, const lab_host_array *array)
{
    const size_t size = lab_dtype_size(array->dtype);
    const bool paired = elements_of(array->shape) != elements_of(state->shape);
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
        load_local(out, state, input->local, array->dtype, array->shape);
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

/* A node's values, in the type of the operation that uses them. */
static void evaluate_as(piece *out, const evaluation *state, int index, lab_dtype dtype)
{
    lab_dtype own = state->type[index].dtype;
    if (own == dtype) {
        expression_piece(out, state, index);
        return;
    }
    piece values;
    expression_piece(&values, state, index);
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

/* The left values where the condition differs from 0, else the right ones. */
static void select_where(piece *out, const evaluation *state, const node *each, lab_dtype dtype)
{
    const size_t size = lab_dtype_size(dtype);
    piece right, condition;
    evaluate_as(out, state, each->left, dtype);
    evaluate_as(&right, state, each->right, dtype);
    evaluate_as(&condition, state, each->condition, LAB_FLOAT64); /* in which only 0 becomes 0 */
    for (size_t i = 0; i < state->count; i++)
        if (condition.f64[i] == 0) memcpy(out->bytes + i * size, right.bytes + i * size, size);
}

void expression_piece(piece *out, const evaluation *state, int index)
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
    case NODE_REDUCE: load_local(out, state, state->reduced[index], dtype, state->reduced_shape[index]); break;
    case NODE_CAST: evaluate_as(out, state, each->left, dtype); break;
    case NODE_WHERE: select_where(out, state, each, dtype); break;
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

/* The value of `count` elements, in the type in which they are combined. */
static void reduce_elements(unsigned char *value, const value_source *source, const node *reduce, lab_dtype dtype,
                            size_t count)
{
    const size_t tile = reduction_tile(count), size = lab_dtype_size(dtype);
    unsigned char partial[REDUCTION_MOST_TILES * ELEMENT_BYTES];
    size_t tiles = 0;
    for (size_t first = 0; first < count; first += tile)
        combine(partial + tiles++ * size, source, reduce, dtype, first, smaller(first + tile, count));
    combine(value, &(value_source){NULL, partial}, reduce, dtype, 0, tiles);
}

/* All values of a reduction's operand, in memory order. The caller frees them; NULL if there is no memory. */
static unsigned char *evaluate_all(evaluation *state, int index, lab_dtype dtype)
{
    const size_t size = lab_dtype_size(dtype), count = elements_of(state->shape);
    unsigned char *all = malloc(count * size + 1);
    piece values;
    for (state->first = 0; all && state->first < count; state->first += PIECE) {
        state->count = smaller(count - state->first, PIECE);
        evaluate_as(&values, state, index, dtype);
        memcpy(all + state->first * size, values.bytes, state->count * size);
    }
    return all;
}

/* Where, in memory order, the element of the operand is whose index along the axes that are reduced, or along the
 * others, is `index`. */
static size_t place_of(lab_shape before, const bool *reduced, bool of_reduced, size_t index)
{
    size_t place = 0, step = 1;
    for (int i = before.dimensions - 1; i >= 0; i--) {
        if (reduced[i] == of_reduced) {
            place += index % before.size[i] * step;
            index /= before.size[i];
        }
        step *= before.size[i];
    }
    return place;
}

/* The reduction along axes: the elements of each result, one after the other. */
static lab_status reduce_along_axes(unsigned char *out, evaluation *state, int index, const bool *reduced,
                                    size_t results, size_t length)
{
    const node *reduce = &state->tree->node[index];
    const lab_dtype type = state->type[index].dtype, dtype = dtype_computing(type);
    const size_t size = lab_dtype_size(dtype);
    const lab_shape before = state->shape;
    unsigned char *all = evaluate_all(state, reduce->left, dtype), *line = malloc(length * size), value[ELEMENT_BYTES];
    for (size_t result = 0; all && line && result < results; result++) {
        const size_t base = place_of(before, reduced, false, result);
        for (size_t i = 0; i < length; i++)
            memcpy(line + i * size, all + (base + place_of(before, reduced, true, i)) * size, size);
        reduce_elements(value, &(value_source){NULL, line}, reduce, dtype, length);
        lab_cast_as_device(out + result * lab_dtype_size(type), type, value, dtype, 1); /* cannot fail */
    }
    const bool done = all && line;
    free(all);
    free(line);
    return done ? LAB_SUCCESS
                : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for expression '%s'", state->tree->name);
}

lab_status expression_reduce(unsigned char *out, evaluation *state, int index, lab_shape before)
{
    const node *reduce = &state->tree->node[index];
    const lab_dtype type = state->type[index].dtype, dtype = dtype_computing(type);
    const char *identity = reduce->reduction->identity;
    const size_t results = elements_of(state->reduced_shape[index]);
    size_t length = 1;
    bool reduced[LAB_MAX_DIMENSIONS];
    memset(reduced, true, sizeof reduced);
    const bool whole = reduce->axes.count == OPERANDS_NO_AXES.count;
    if (!whole) LAB_TRY(operands_mark_axes(reduced, state->tree->name, &before, reduce->axes));
    for (int i = 0; i < before.dimensions; i++)
        if (reduced[i]) length *= before.size[i];
    if (results && length == 0 && !identity)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "expression '%s': there are no elements, and %s of no elements has "
                        "no result",
                        state->tree->name, reduce->reduction->name);
    for (size_t i = 0; i < results && length == 0; i++)
        LAB_TRY(lab_cast_as_device(out + i * lab_dtype_size(type), type, &(int64_t){*identity - '0'}, LAB_INT64, 1));
    if (results == 0 || length == 0) return LAB_SUCCESS;
    state->shape = before;
    if (!whole) return reduce_along_axes(out, state, index, reduced, results, length);
    unsigned char value[ELEMENT_BYTES];
    reduce_elements(value, &(value_source){state, NULL}, reduce, dtype, length);
    return lab_cast_as_device(out, type, value, dtype, 1);
}
