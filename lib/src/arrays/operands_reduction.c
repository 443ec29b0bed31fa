/* The shapes of a reduction's operands. Inputs have one shape or a single element, and all their elements, or those
 * along one axis, become one result. Outputs have an element for each result. */
#include "operands.h"

#include <string.h>

/* The common shape of all inputs that have more than a single element. */
static lab_status bind_inputs(operands *bound, long long size)
{
    const signature *sig = bound->signature;
    bool any = false, same = true;
    for (int i = 0; i < sig->count; i++) {
        if (sig->parameter[i].output || !operand_is_shaped(bound, i)) continue;
        if (!any) bound->shape = bound->operand[i].array->shape;
        same = same && shape_join(&bound->shape, bound->operand[i].array->shape);
        any = true;
    }
    LAB_TRY(operands_bind_count(bound, any, size));
    for (int i = 0; i < sig->count; i++) {
        operand *each = &bound->operand[i];
        if (sig->parameter[i].output || !operand_is_shaped(bound, i) || each->array->count == bound->count) continue;
        each->form = OPERAND_SINGLE;
        same = same && each->array->count == 1;
    }
    if (same) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "reduction kernel '%s': its inputs differ in shape; they are not broadcast", sig->kernel);
}

static lab_status bind_axis(operands *bound, int axis)
{
    const lab_shape *shape = &bound->shape;
    char text[96];
    bound->results = bound->stride = 1;
    bound->length = bound->count;
    if (axis == OPERANDS_NO_AXIS) return LAB_SUCCESS;
    int at = axis < 0 ? axis + shape->dimensions : axis;
    if (at < 0 || at >= shape->dimensions)
        return lab_fail(
            LAB_ERROR_INVALID_VALUE,
            "reduction kernel '%s': there is no axis %d in the shape %s; its axes are 0 to %d, or -%d to -1",
            bound->signature->kernel, axis, shape_text(text, sizeof text, *shape), shape->dimensions - 1,
            shape->dimensions);
    for (int i = 0; i < shape->dimensions; i++)
        if (i != at) bound->results *= shape->size[i];
    for (int i = at + 1; i < shape->dimensions; i++) bound->stride *= shape->size[i];
    bound->length = shape->size[at];
    if (bound->count == 0) bound->stride = 1; /* no elements */
    return LAB_SUCCESS;
}

/* The shape without the axis, or with size 1 along it. */
static lab_shape shape_of_results(lab_shape shape, int axis, bool keep)
{
    int at = axis < 0 ? axis + shape.dimensions : axis;
    shape.size[at] = 1;
    if (keep || shape.dimensions == 1) return shape;
    memmove(shape.size + at, shape.size + at + 1, (size_t)(shape.dimensions - at - 1) * sizeof *shape.size);
    shape.dimensions--;
    return shape;
}

static lab_status bind_output(operands *bound, int which, int axis)
{
    lab_shape shape = bound->operand[which].array->shape;
    char mine[96], without[96], kept[96];
    bound->operand[which].form = OPERAND_RESULT;
    if (axis == OPERANDS_NO_AXIS) {
        if (bound->operand[which].array->count == 1) return LAB_SUCCESS;
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, which, "has one element, but its array has the shape %s",
                            shape_text(mine, sizeof mine, shape));
    }
    lab_shape dropped = shape_of_results(bound->shape, axis, false),
              with_one = shape_of_results(bound->shape, axis, true);
    if (shapes_equal(shape, dropped) || shapes_equal(shape, with_one)) return LAB_SUCCESS;
    return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, which,
                        "has the shape %s; the results along axis %d have %s, or %s with the axis kept",
                        shape_text(mine, sizeof mine, shape), axis, shape_text(without, sizeof without, dropped),
                        shape_text(kept, sizeof kept, with_one));
}

lab_status operands_bind_reduction(operands *out, const signature *sig, lab_args args, long long size, int axis,
                                   const struct stream *stream)
{
    memset(out, 0, sizeof *out);
    out->signature = sig;
    LAB_TRY(operands_bind_types(out, args, stream));
    LAB_TRY(bind_inputs(out, size));
    LAB_TRY(bind_axis(out, axis));
    for (int i = 0; i < sig->count; i++)
        if (sig->parameter[i].output) LAB_TRY(bind_output(out, i, axis));
    return LAB_SUCCESS;
}
