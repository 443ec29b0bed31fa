/* Arguments to parameters: types first, then shapes by NumPy's rules of broadcasting. */
#include "operands.h"

#include "objects/memory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

const char *shape_text(char *into, size_t bytes, lab_shape shape)
{
    size_t used = (size_t)snprintf(into, bytes, "(");
    for (int i = 0; i < shape.dimensions && used < bytes; i++)
        used += (size_t)snprintf(into + used, bytes - used, "%s%zu", i ? ", " : "", shape.size[i]);
    if (used < bytes) snprintf(into + used, bytes - used, ")");
    return into;
}

/* ---- types ---- */

static lab_status bind_array(operands *into, int which, const lab_arg *argument, const struct stream *on)
{
    const parameter *formal = &into->signature->parameter[which];
    const struct array *found = array_get(argument->value.array);
    if (!found)
        return OPERAND_FAIL(LAB_ERROR_INVALID_HANDLE, into, which, "%s",
                            argument->value.array ? "is given an array that was destroyed"
                                                  : "is given NULL for an array");
    if (found->context != on->context)
        return OPERAND_FAIL(LAB_ERROR_INVALID_CONTEXT, into, which,
                            "is given an array on device %d, the stream is on device %d", found->context->device,
                            on->context->device);
    lab_dtype *bound = &into->letter[(unsigned char)formal->letter];
    if (formal->dtype && formal->dtype != found->dtype)
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, into, which,
                            "is %s, but the array holds %s; lab_array_astype converts it",
                            lab_dtype_name(formal->dtype), lab_dtype_name(found->dtype));
    if (formal->letter && *bound && *bound != found->dtype)
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, into, which,
                            "has the type %c, which another argument makes %s, but the array holds %s", formal->letter,
                            lab_dtype_name(*bound), lab_dtype_name(found->dtype));
    if (formal->letter) *bound = found->dtype;
    into->operand[which] = (operand){formal->raw ? OPERAND_RAW : OPERAND_ELEMENTS, found->dtype, found, *argument};
    return LAB_SUCCESS;
}

static bool integer_fits(int64_t value, lab_dtype dtype)
{
    size_t bits = 8 * lab_dtype_size(dtype);
    if (dtype_signed(dtype))
        return bits == 64 || (value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1));
    return value >= 0 && (bits == 64 || value < INT64_C(1) << bits);
}

/* A number becomes one of the parameter's type if it can without changing its kind. */
static lab_status bind_number(operands *into, int which, const lab_arg *argument)
{
    const parameter *formal = &into->signature->parameter[which];
    lab_dtype dtype = formal->dtype ? formal->dtype : into->letter[(unsigned char)formal->letter];
    if (formal->raw || formal->output)
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, into, which, "is %s and needs an array, but a number is given",
                            formal->raw ? "raw" : "an output");
    if (!dtype)
        return OPERAND_FAIL(
            LAB_ERROR_INVALID_VALUE, into, which,
            "has the type %c, which no array of this call settles; give the parameter a type, such as float32",
            formal->letter);
    operand *bound = &into->operand[which];
    *bound = (operand){OPERAND_NUMBER, dtype, NULL, {.size = lab_dtype_size(dtype)}};
    /* In C an unsigned long long and a device pointer are one type: it is taken for a number where only that fits. */
    bool wide = argument->kind == LAB_ARG_POINTER && !dtype_floating(dtype) && bound->argument.size == 8;
    if (argument->kind == LAB_ARG_INTEGER || wide) {
        int64_t value = (int64_t)argument->value.integer;
        bool fits = integer_fits(value, dtype) || (argument->size == 8 && bound->argument.size == 8);
        if (!dtype_floating(dtype) && !fits)
            return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, into, which, "is %s, which cannot hold %lld",
                                lab_dtype_name(dtype), (long long)value);
        bound->argument.kind = dtype_floating(dtype) ? LAB_ARG_FLOAT : LAB_ARG_INTEGER;
        if (dtype == LAB_FLOAT32)
            bound->argument.value.f32 = (float)value;
        else if (dtype == LAB_FLOAT64)
            bound->argument.value.f64 = (double)value;
        else
            bound->argument.value.integer = (uint64_t)value;
        return LAB_SUCCESS;
    }
    if (argument->kind != LAB_ARG_FLOAT)
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, into, which, "%s",
                            "needs an array or a number; a pointer or struct is given");
    double value = argument->size == 4 ? (double)argument->value.f32 : argument->value.f64;
    if (!dtype_floating(dtype))
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, into, which, "is %s, but the number %g is a floating-point one",
                            lab_dtype_name(dtype), value);
    bound->argument.kind = LAB_ARG_FLOAT;
    if (dtype == LAB_FLOAT32)
        bound->argument.value.f32 = (float)value;
    else
        bound->argument.value.f64 = value;
    return LAB_SUCCESS;
}

lab_status operands_bind_types(operands *into, lab_args args, const struct stream *on)
{
    const signature *of = into->signature;
    if (args.count != of->count)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s kernel '%s' has %d parameter%s, the call gives %d argument%s",
                        of->kind, of->kernel, of->count, of->count == 1 ? "" : "s", args.count,
                        args.count == 1 ? "" : "s");
    for (int i = 0; i < of->count; i++)
        if (args.arg[i].kind == LAB_ARG_ARRAY) LAB_TRY(bind_array(into, i, &args.arg[i], on));
    for (int i = 0; i < of->count; i++)
        if (args.arg[i].kind != LAB_ARG_ARRAY) LAB_TRY(bind_number(into, i, &args.arg[i]));
    return LAB_SUCCESS;
}

/* ---- shapes ---- */

bool shapes_equal(lab_shape a, lab_shape b)
{
    return a.dimensions == b.dimensions && memcmp(a.size, b.size, (size_t)a.dimensions * sizeof *a.size) == 0;
}

bool operand_is_shaped(const operands *of, int which)
{
    return of->operand[which].array && of->operand[which].form != OPERAND_RAW;
}

/* Dimensions are matched from the last; where there is none it is as if it were 1. */
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

/* The outputs' shape. */
static lab_status bind_outputs(operands *into, int *shaped)
{
    const signature *of = into->signature;
    char mine[96], other[96];
    *shaped = -1;
    for (int i = 0; i < of->count; i++) {
        if (!of->parameter[i].output || !operand_is_shaped(into, i)) continue;
        lab_shape shape = into->operand[i].array->shape;
        if (*shaped >= 0 && !shapes_equal(shape, into->shape))
            return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, into, i, "has the shape %s, but output '%s' has %s",
                                shape_text(mine, sizeof mine, shape), of->parameter[*shaped].name,
                                shape_text(other, sizeof other, into->shape));
        into->shape = shape;
        *shaped = i;
    }
    return LAB_SUCCESS;
}

lab_status operands_bind_count(operands *into, bool any_array, long long size)
{
    const signature *of = into->signature;
    char mine[96];
    if (any_array == (size != OPERANDS_SIZED_BY_ARRAYS))
        return lab_fail(
            LAB_ERROR_INVALID_VALUE,
            any_array ? "%s kernel '%s': a size is given, but its arrays say how many elements there are"
                      : "%s kernel '%s': no array says how many elements there are, since all are raw; give a size",
            of->kind, of->kernel);
    if (!any_array) into->shape = (lab_shape){1, {(size_t)size}};
    into->count = 1;
    for (int i = 0; i < into->shape.dimensions; i++)
        if (into->shape.size[i] == 0) into->count = 0;
    for (int i = 0; i < into->shape.dimensions; i++)
        if (__builtin_mul_overflow(into->count, into->shape.size[i], &into->count) || into->count > LLONG_MAX)
            return lab_fail(LAB_ERROR_INVALID_VALUE, "%s kernel '%s': the shape %s has too many elements", of->kind,
                            of->kernel, shape_text(mine, sizeof mine, into->shape));
    return LAB_SUCCESS;
}

static lab_status bind_shapes(operands *into, long long size)
{
    const signature *of = into->signature;
    char mine[96], other[96];
    int output;
    LAB_TRY(bind_outputs(into, &output));
    bool any = output >= 0;
    for (int i = 0; i < of->count; i++) {
        if (of->parameter[i].output || !operand_is_shaped(into, i)) continue;
        lab_shape shape = into->operand[i].array->shape;
        if (output >= 0 && !shape_broadcasts(shape, into->shape))
            return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, into, i,
                                "has the shape %s, which does not broadcast to %s of output '%s'",
                                shape_text(mine, sizeof mine, shape), shape_text(other, sizeof other, into->shape),
                                of->parameter[output].name);
        if (output < 0 && !any) into->shape = shape;
        if (output < 0 && !shape_join(&into->shape, shape))
            return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, into, i, "has the shape %s, which does not broadcast with %s",
                                shape_text(mine, sizeof mine, shape), shape_text(other, sizeof other, into->shape));
        any = true;
    }
    return operands_bind_count(into, any, size);
}

/* ---- rows ---- */

/* The strides of a repeated array in the dimensions of the whole: 0 where it repeats. */
static void find_strides(long long stride[LAB_MAX_DIMENSIONS], lab_shape shape, lab_shape whole)
{
    long long next = 1;
    for (int i = 0; i < whole.dimensions; i++) {
        size_t size = size_from_last(shape, i);
        stride[whole.dimensions - 1 - i] = size == 1 ? 0 : next;
        next *= (long long)size;
    }
}

/* Joins dimension k with the one after it, if every repeated array goes through both as through one. */
static bool can_join(long long (*stride)[LAB_MAX_DIMENSIONS], const operands *of, const lab_shape *whole, int k)
{
    for (int i = 0; i < of->signature->count; i++)
        if (of->operand[i].form == OPERAND_ROWS && stride[i][k] != stride[i][k + 1] * (long long)whole->size[k + 1])
            return false;
    return true;
}

static void remove_dimension(long long (*stride)[LAB_MAX_DIMENSIONS], const operands *of, lab_shape *whole, int k)
{
    for (int d = k; d + 1 < whole->dimensions; d++) {
        whole->size[d] = whole->size[d + 1];
        for (int i = 0; i < of->signature->count; i++) stride[i][d] = stride[i][d + 1];
    }
    whole->dimensions--;
}

static void bind_rows(operands *into)
{
    long long stride[MOST_PARAMETERS][LAB_MAX_DIMENSIONS] = {{0}};
    lab_shape whole = into->shape;
    for (int i = 0; i < into->signature->count; i++)
        if (into->operand[i].form == OPERAND_ROWS) find_strides(stride[i], into->operand[i].array->shape, whole);
    for (int k = whole.dimensions - 1; k >= 0; k--)
        if (whole.size[k] == 1) remove_dimension(stride, into, &whole, k);
    for (int k = whole.dimensions - 2; k >= 0; k--)
        if (can_join(stride, into, &whole, k)) {
            whole.size[k + 1] *= whole.size[k];
            remove_dimension(stride, into, &whole, k);
        }
    into->outer = whole.dimensions - 1;
    into->rows.width = (long long)whole.size[into->outer];
    for (int d = 1; d < into->outer; d++) into->rows.extent[d - 1] = (long long)whole.size[d];
    for (int i = 0; i < into->signature->count; i++) {
        if (into->operand[i].form != OPERAND_ROWS) continue;
        memcpy(into->rows.stride[i], stride[i], sizeof into->rows.stride[i]);
        if (stride[i][into->outer] == 0) into->operand[i].form = OPERAND_COLUMNS;
    }
}

lab_status operands_bind(operands *out, const signature *of, lab_args args, long long size, const struct stream *on)
{
    memset(out, 0, sizeof *out);
    out->signature = of;
    LAB_TRY(operands_bind_types(out, args, on));
    LAB_TRY(bind_shapes(out, size));
    bool rows = false;
    for (int i = 0; i < of->count; i++) {
        operand *each = &out->operand[i];
        if (!operand_is_shaped(out, i)) continue;
        if (of->parameter[i].output || each->array->count == out->count) continue;
        each->form = each->array->count == 1 ? OPERAND_SINGLE : OPERAND_ROWS;
        if (each->form == OPERAND_ROWS) rows = true;
    }
    if (rows && out->count > 0) bind_rows(out);
    return LAB_SUCCESS;
}

operands_key operands_key_of(const operands *of)
{
    operands_key key = {.byte = {[MOST_PARAMETERS] = (unsigned char)(of->outer | (of->stride > 1) << 4)}};
    for (int i = 0; i < of->signature->count; i++)
        key.byte[i] = (unsigned char)(of->operand[i].dtype << 4 | of->operand[i].form);
    return key;
}

/* ---- overlapping ---- */

static bool overlap(const struct array *a, const struct array *b)
{
    return a->data < b->data + b->bytes && b->data < a->data + a->bytes;
}

/* Whether writing an element of the output can change another element's input. */
static bool disturbs(const operand *output, const operand *input)
{
    if (!overlap(output->array, input->array)) return false;
    bool same_place = output->array->data == input->array->data && output->dtype == input->dtype;
    return !(same_place && output->form == OPERAND_ELEMENTS && input->form == OPERAND_ELEMENTS);
}

static lab_status copy_input(operands *of, int which, const struct stream *on)
{
    const struct array *input = of->operand[which].array;
    LAB_TRY(scratch_take(&of->copy[which], input->bytes, on));
    uint64_t address = scratch_address(of->copy[which]) + SCRATCH_ZEROS;
    backend_copy copy = {BACKEND_COPY_DTOD, address, input->data, input->bytes, .wait = false};
    of->operand[which].argument = lab_arg_ptr(address);
    return memory_copy(&copy, on->handle, of->signature->kernel);
}

lab_status operands_separate(operands *of, const struct stream *on)
{
    const signature *kernel = of->signature;
    for (int out = 0; out < kernel->count; out++) {
        if (!kernel->parameter[out].output) continue;
        for (int i = 0; i < kernel->count; i++) {
            const operand *other = &of->operand[i];
            if (i == out || !other->array || of->copy[i]) continue;
            if (kernel->parameter[i].output && overlap(of->operand[out].array, other->array))
                return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, of, i, "overlaps output '%s'",
                                    kernel->parameter[out].name);
            if (!kernel->parameter[i].output && disturbs(&of->operand[out], other)) LAB_TRY(copy_input(of, i, on));
        }
    }
    return LAB_SUCCESS;
}

void operands_release(operands *of, const struct stream *on)
{
    for (int i = 0; i < of->signature->count; i++) scratch_give(of->copy[i], on);
}

int operands_arguments(lab_arg *into, const operands *of)
{
    int count = 0;
    for (; count < of->signature->count; count++) into[count] = of->operand[count].argument;
    if (of->outer) into[count++] = LAB_BYTES(of->rows);
    return count;
}
