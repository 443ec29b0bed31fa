/* Arguments to parameters: types first, then shapes by NumPy's rules of broadcasting. */
#include "operands.h"

#include "objects/work/memory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

const char *shape_text(char *out, size_t bytes, lab_shape shape)
{
    size_t used = (size_t)snprintf(out, bytes, "(");
    for (int i = 0; i < shape.dimensions && used < bytes; i++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%zu", i ? ", " : "", shape.size[i]);
    if (used < bytes) snprintf(out + used, bytes - used, ")");
    return out;
}

/* ---- types ---- */

static lab_status bind_array(operands *bound, int which, const lab_arg *argument, const struct stream *stream)
{
    const parameter *formal = &bound->signature->parameter[which];
    const struct array *found = array_get(argument->value.array);
    if (!found)
        return OPERAND_FAIL(LAB_ERROR_INVALID_HANDLE, bound, which, "%s",
                            argument->value.array ? "is given an array that was destroyed"
                                                  : "is given NULL for an array");
    if (found->context != stream->context)
        return OPERAND_FAIL(LAB_ERROR_INVALID_CONTEXT, bound, which,
                            "is given an array on device %d, the stream is on device %d", found->context->device,
                            stream->context->device);
    lab_dtype *letter_type = &bound->letter[(unsigned char)formal->letter];
    if (formal->dtype && formal->dtype != found->dtype)
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, which,
                            "is %s, but the array holds %s; lab_array_astype converts it",
                            lab_dtype_name(formal->dtype), lab_dtype_name(found->dtype));
    if (formal->letter && *letter_type && *letter_type != found->dtype)
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, which,
                            "has the type %c, which another argument makes %s, but the array holds %s", formal->letter,
                            lab_dtype_name(*letter_type), lab_dtype_name(found->dtype));
    if (formal->letter) *letter_type = found->dtype;
    bound->operand[which] = (operand){.form = formal->raw ? OPERAND_RAW : OPERAND_ELEMENTS,
                                      .dtype = found->dtype,
                                      .array = found,
                                      .argument = *argument};
    return LAB_SUCCESS;
}

static bool integer_fits(int64_t value, lab_dtype dtype)
{
    size_t bits = 8 * lab_dtype_size(dtype);
    if (dtype_signed(dtype))
        return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
    return value >= 0 && (bits == 64 || value < INT64_C(1) << bits);
}

/* Rounds a number once, to the operand's type; a long double holds every 64-bit integer and every double. */
static void store_float(operand *number, long double value)
{
    number->argument.kind = LAB_ARG_FLOAT;
    if (dtype_narrow(number->dtype)) {
        number->narrow = dtype_narrowed(value, number->dtype);
        number->argument = LAB_BYTES(number->narrow);
    } else if (number->dtype == LAB_FLOAT32) {
        number->argument.value.f32 = (float)value;
    } else {
        number->argument.value.f64 = (double)value;
    }
}

static lab_status bind_integer(operands *bound, int which, const lab_arg *argument)
{
    operand *number = &bound->operand[which];
    const int64_t value = (int64_t)argument->value.integer;
    if (dtype_floating(number->dtype)) {
        store_float(number, (long double)value);
        return LAB_SUCCESS;
    }
    const bool fits = integer_fits(value, number->dtype) || (argument->size == 8 && number->argument.size == 8);
    if (!fits)
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, which, "is %s, which cannot hold %lld",
                            lab_dtype_name(number->dtype), (long long)value);
    number->argument.kind = LAB_ARG_INTEGER;
    number->argument.value.integer = (uint64_t)value;
    return LAB_SUCCESS;
}

static lab_status bind_float(operands *bound, int which, const lab_arg *argument)
{
    operand *number = &bound->operand[which];
    const double value = argument->size == 4 ? (double)argument->value.f32 : argument->value.f64;
    if (!dtype_floating(number->dtype))
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, which, "is %s, but %g is a floating-point number",
                            lab_dtype_name(number->dtype), value);
    store_float(number, value);
    return LAB_SUCCESS;
}

/* Converts a number to the parameter's type if it fits and keeps its kind. */
static lab_status bind_number(operands *bound, int which, const lab_arg *argument)
{
    const parameter *formal = &bound->signature->parameter[which];
    const lab_dtype dtype = formal->dtype ? formal->dtype : bound->letter[(unsigned char)formal->letter];
    if (formal->raw || formal->output)
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, which, "is %s and needs an array, but a number is given",
                            formal->raw ? "raw" : "an output");
    if (!dtype)
        return OPERAND_FAIL(
            LAB_ERROR_INVALID_VALUE, bound, which,
            "has the type %c, which no array of this call determines; give the parameter a type, such as float32",
            formal->letter);
    bound->operand[which] =
        (operand){.form = OPERAND_NUMBER, .dtype = dtype, .argument = {.size = lab_dtype_size(dtype)}};
    /* In C an unsigned long long and a device pointer have one type: it counts as a number where only a number fits. */
    const bool is_wide = argument->kind == LAB_ARG_POINTER && !dtype_floating(dtype) && lab_dtype_size(dtype) == 8;
    if (argument->kind == LAB_ARG_INTEGER || is_wide) return bind_integer(bound, which, argument);
    if (argument->kind == LAB_ARG_FLOAT) return bind_float(bound, which, argument);
    return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, which, "%s",
                        "needs an array or a number; a pointer or struct is given");
}

lab_status operands_bind_types(operands *bound, lab_args args, const struct stream *stream)
{
    const signature *sig = bound->signature;
    if (args.count != sig->count)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s kernel '%s' has %d parameter%s, the call gives %d argument%s",
                        sig->kind, sig->kernel, sig->count, sig->count == 1 ? "" : "s", args.count,
                        args.count == 1 ? "" : "s");
    for (int i = 0; i < sig->count; i++)
        if (args.arg[i].kind == LAB_ARG_ARRAY) LAB_TRY(bind_array(bound, i, &args.arg[i], stream));
    for (int i = 0; i < sig->count; i++)
        if (args.arg[i].kind != LAB_ARG_ARRAY) LAB_TRY(bind_number(bound, i, &args.arg[i]));
    return LAB_SUCCESS;
}

/* ---- shapes ---- */

bool shapes_equal(lab_shape a, lab_shape b)
{
    return a.dimensions == b.dimensions && memcmp(a.size, b.size, (size_t)a.dimensions * sizeof *a.size) == 0;
}

bool operand_is_shaped(const operands *bound, int which)
{
    return bound->operand[which].array && bound->operand[which].form != OPERAND_RAW;
}

/* Dimensions are matched from the last; a missing dimension counts as 1. */
static size_t size_from_last(lab_shape shape, int from_last)
{
    return from_last < shape.dimensions ? shape.size[shape.dimensions - 1 - from_last] : 1;
}

bool shape_join(lab_shape *common, lab_shape shape)
{
    lab_shape joined = {.dimensions = shape.dimensions > common->dimensions ? shape.dimensions : common->dimensions};
    for (int i = 0; i < joined.dimensions; i++) {
        size_t a = size_from_last(*common, i), b = size_from_last(shape, i);
        if (a != b && a != 1 && b != 1) return false;
        joined.size[joined.dimensions - 1 - i] = a == 1 ? b : a;
    }
    *common = joined;
    return true;
}

bool shape_broadcasts(lab_shape shape, lab_shape whole)
{
    lab_shape joined = whole;
    return shape_join(&joined, shape) && shapes_equal(joined, whole);
}

/* Finds the outputs' shape. */
static lab_status bind_outputs(operands *bound, int *shaped)
{
    const signature *sig = bound->signature;
    char mine[96], other[96];
    *shaped = -1;
    for (int i = 0; i < sig->count; i++) {
        if (!sig->parameter[i].output || !operand_is_shaped(bound, i)) continue;
        lab_shape shape = bound->operand[i].array->shape;
        if (*shaped >= 0 && !shapes_equal(shape, bound->shape))
            return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, i, "has the shape %s, but output '%s' has %s",
                                shape_text(mine, sizeof mine, shape), sig->parameter[*shaped].name,
                                shape_text(other, sizeof other, bound->shape));
        bound->shape = shape;
        *shaped = i;
    }
    return LAB_SUCCESS;
}

lab_status operands_bind_count(operands *bound, bool any_array, long long size)
{
    const signature *sig = bound->signature;
    char mine[96];
    if (any_array == (size != OPERANDS_SIZED_BY_ARRAYS))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        any_array
                            ? "%s kernel '%s': a size is given, but its arrays already give the number of elements"
                            : "%s kernel '%s': all arrays are raw, so none gives the number of elements; give a size",
                        sig->kind, sig->kernel);
    if (!any_array) bound->shape = (lab_shape){1, {(size_t)size}};
    bound->count = 1;
    for (int i = 0; i < bound->shape.dimensions; i++)
        if (bound->shape.size[i] == 0) bound->count = 0;
    for (int i = 0; i < bound->shape.dimensions; i++)
        if (__builtin_mul_overflow(bound->count, bound->shape.size[i], &bound->count) || bound->count > LLONG_MAX)
            return lab_fail(LAB_ERROR_INVALID_VALUE, "%s kernel '%s': the shape %s has too many elements", sig->kind,
                            sig->kernel, shape_text(mine, sizeof mine, bound->shape));
    return LAB_SUCCESS;
}

static lab_status bind_shapes(operands *bound, long long size)
{
    const signature *sig = bound->signature;
    char mine[96], other[96];
    int output;
    LAB_TRY(bind_outputs(bound, &output));
    bool any = output >= 0;
    for (int i = 0; i < sig->count; i++) {
        if (sig->parameter[i].output || !operand_is_shaped(bound, i)) continue;
        lab_shape shape = bound->operand[i].array->shape;
        if (output >= 0 && !shape_broadcasts(shape, bound->shape))
            return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, i,
                                "has the shape %s, which does not broadcast to %s of output '%s'",
                                shape_text(mine, sizeof mine, shape), shape_text(other, sizeof other, bound->shape),
                                sig->parameter[output].name);
        if (output < 0 && !any) bound->shape = shape;
        if (output < 0 && !shape_join(&bound->shape, shape))
            return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, i, "has the shape %s, which does not broadcast with %s",
                                shape_text(mine, sizeof mine, shape), shape_text(other, sizeof other, bound->shape));
        any = true;
    }
    return operands_bind_count(bound, any, size);
}

/* ---- rows ---- */

static bool in_rows(const operands *bound, int which)
{
    return bound->operand[which].form == OPERAND_ROWS || bound->operand[which].form == OPERAND_STRIDED;
}

/* The strides of an array in the dimensions of the whole shape: 0 where it repeats. */
static void find_strides(long long stride[LAB_MAX_DIMENSIONS], const struct array *array, lab_shape whole)
{
    for (int i = 0; i < whole.dimensions; i++) {
        const int own = array->shape.dimensions - 1 - i;
        const bool repeats = size_from_last(array->shape, i) == 1;
        stride[whole.dimensions - 1 - i] = repeats ? 0 : (long long)array->stride[own];
    }
}

/* Whether dimension k can be joined with the next: every array in rows passes through both as through one. */
static bool can_join(long long (*stride)[LAB_MAX_DIMENSIONS], const operands *bound, const lab_shape *whole, int k)
{
    for (int i = 0; i < bound->signature->count; i++)
        if (in_rows(bound, i) && stride[i][k] != stride[i][k + 1] * (long long)whole->size[k + 1]) return false;
    return true;
}

static void remove_dimension(long long (*stride)[LAB_MAX_DIMENSIONS], const operands *bound, lab_shape *whole, int k)
{
    for (int d = k; d + 1 < whole->dimensions; d++) {
        whole->size[d] = whole->size[d + 1];
        for (int i = 0; i < bound->signature->count; i++) stride[i][d] = stride[i][d + 1];
    }
    whole->dimensions--;
}

/* Makes a single row of one dimension, as arrays whose elements are apart may leave. */
static void add_dimension(long long (*stride)[LAB_MAX_DIMENSIONS], const operands *bound, lab_shape *whole)
{
    *whole = LAB_SHAPE(1, whole->size[0]);
    for (int i = 0; i < bound->signature->count; i++) {
        stride[i][1] = stride[i][0];
        stride[i][0] = 0;
    }
}

static void bind_rows(operands *bound)
{
    long long stride[MOST_PARAMETERS][LAB_MAX_DIMENSIONS] = {{0}};
    lab_shape whole = bound->shape;
    for (int i = 0; i < bound->signature->count; i++)
        if (in_rows(bound, i)) find_strides(stride[i], bound->operand[i].array, whole);
    for (int k = whole.dimensions - 1; k >= 0; k--)
        if (whole.size[k] == 1) remove_dimension(stride, bound, &whole, k);
    for (int k = whole.dimensions - 2; k >= 0; k--)
        if (can_join(stride, bound, &whole, k)) {
            whole.size[k + 1] *= whole.size[k];
            remove_dimension(stride, bound, &whole, k);
        }
    if (whole.dimensions == 1) add_dimension(stride, bound, &whole);
    bound->outer = whole.dimensions - 1;
    bound->rows.width = (long long)whole.size[bound->outer];
    for (int d = 1; d < bound->outer; d++) bound->rows.extent[d - 1] = (long long)whole.size[d];
    for (int i = 0; i < bound->signature->count; i++) {
        if (!in_rows(bound, i)) continue;
        memcpy(bound->rows.stride[i], stride[i], sizeof bound->rows.stride[i]);
        const long long last = stride[i][bound->outer];
        if (!bound->signature->parameter[i].output && last <= 1)
            bound->operand[i].form = last ? OPERAND_ROWS : OPERAND_COLUMNS;
    }
}

/* The form of an array that the element's index reaches. */
static operand_form form_of(const operands *bound, int which)
{
    const struct array *array = bound->operand[which].array;
    if (array->count == 1 && !bound->signature->parameter[which].output && bound->count != 1) return OPERAND_SINGLE;
    if (array->strided) return OPERAND_STRIDED;
    return array->count == bound->count ? OPERAND_ELEMENTS : OPERAND_ROWS;
}

static lab_status check_raw(const operands *bound)
{
    for (int i = 0; i < bound->signature->count; i++)
        if (bound->operand[i].form == OPERAND_RAW && bound->operand[i].array->strided)
            return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, i, "%s",
                                "is raw and needs a contiguous array; lab_array_copy makes one");
    return LAB_SUCCESS;
}

lab_status operands_bind(operands *out, const signature *sig, lab_args args, long long size,
                         const struct stream *stream)
{
    memset(out, 0, sizeof *out);
    out->signature = sig;
    LAB_TRY(operands_bind_types(out, args, stream));
    LAB_TRY(check_raw(out));
    LAB_TRY(bind_shapes(out, size));
    bool rows = false;
    for (int i = 0; i < sig->count; i++) {
        if (!operand_is_shaped(out, i)) continue;
        out->operand[i].form = form_of(out, i);
        rows = rows || in_rows(out, i);
    }
    if (rows && out->count > 0) bind_rows(out);
    return LAB_SUCCESS;
}

operands_key operands_key_of(const operands *bound)
{
    operands_key key = {
        .byte = {[MOST_PARAMETERS] = (unsigned char)(bound->outer | (bound->stride > 1) << 4),
                 [MOST_PARAMETERS + 1] = (unsigned char)(bound->groups[OF_RESULTS] << 4 | bound->groups[OF_ELEMENTS])}};
    for (int i = 0; i < bound->signature->count; i++)
        key.byte[i] = (unsigned char)(bound->operand[i].dtype << 4 | bound->operand[i].form);
    return key;
}

/* ---- overlapping ---- */

static bool overlap(const struct array *a, const struct array *b)
{
    return a->data < b->data + b->span && b->data < a->data + a->span;
}

/* Whether writing an element of the output can change another element's input. */
static bool disturbs(const operand *output, const operand *input)
{
    if (!overlap(output->array, input->array)) return false;
    const struct array *to = output->array, *from = input->array;
    const bool same_place = to->data == from->data && output->dtype == input->dtype && from->count == to->count;
    const bool same_strides =
        to->strided == from->strided && (!to->strided || (shapes_equal(to->shape, from->shape) &&
                                                          memcmp(to->stride, from->stride, sizeof to->stride) == 0));
    return !(same_place && same_strides && output->form != OPERAND_RAW && input->form != OPERAND_RAW);
}

static lab_status copy_input(operands *bound, int which, const struct stream *stream)
{
    const struct array *input = bound->operand[which].array;
    LAB_TRY(workspace_take(&bound->copy[which], input->span, stream));
    uint64_t address = workspace_address(bound->copy[which]) + WORKSPACE_ZEROS;
    backend_copy copy = {BACKEND_COPY_DTOD, address, input->data, input->span, .wait = false};
    bound->operand[which].argument = lab_arg_ptr(address);
    return memory_copy(&copy, stream->handle, bound->signature->kernel);
}

lab_status operands_separate(operands *bound, const struct stream *stream)
{
    const signature *kernel = bound->signature;
    for (int out = 0; out < kernel->count; out++) {
        if (!kernel->parameter[out].output) continue;
        for (int i = 0; i < kernel->count; i++) {
            const operand *other = &bound->operand[i];
            if (i == out || !other->array || bound->copy[i]) continue;
            if (kernel->parameter[i].output && overlap(bound->operand[out].array, other->array))
                return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, i, "overlaps output '%s'",
                                    kernel->parameter[out].name);
            if (!kernel->parameter[i].output && disturbs(&bound->operand[out], other))
                LAB_TRY(copy_input(bound, i, stream));
        }
    }
    return LAB_SUCCESS;
}

void operands_release(operands *bound, const struct stream *stream)
{
    for (int i = 0; i < bound->signature->count; i++) workspace_give(bound->copy[i], stream);
}

int operands_arguments(lab_arg *argument, const operands *bound)
{
    int count = 0;
    for (; count < bound->signature->count; count++) argument[count] = bound->operand[count].argument;
    if (bound->outer) argument[count++] = LAB_BYTES(bound->rows);
    if (bound->groups[OF_ELEMENTS]) argument[count++] = LAB_BYTES(bound->places);
    return count;
}
