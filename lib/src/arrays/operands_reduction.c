/* The shapes of a reduction's operands: inputs of one shape or a single element, of which all elements, or all along
 * one axis, become one result; and outputs with an element for each result. */
#include "operands.h"

#include <string.h>

/* The shape that the inputs have, other than those of a single element. */
static lab_status bind_inputs(operands *into, long long size)
{
    const signature *of = into->signature;
    bool any = false, same = true;
    for (int i = 0; i < of->count; i++) {
        if (of->parameter[i].output || !operand_is_shaped(into, i)) continue;
        if (!any) into->shape = into->operand[i].array->shape;
        same = same && shape_join(&into->shape, into->operand[i].array->shape);
        any = true;
    }
    LAB_TRY(operands_bind_count(into, any, size));
    for (int i = 0; i < of->count; i++) {
        operand *each = &into->operand[i];
        if (of->parameter[i].output || !operand_is_shaped(into, i) || each->array->count == into->count) continue;
        each->form = OPERAND_SINGLE;
        same = same && each->array->count == 1;
    }
    if (same) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "reduction kernel '%s': its inputs differ in shape; they are not broadcast", of->kernel);
}

static lab_status bind_axis(operands *into, int axis)
{
    const lab_shape *shape = &into->shape;
    char text[96];
    into->results = into->stride = 1;
    into->length = into->count;
    if (axis == OPERANDS_NO_AXIS) return LAB_SUCCESS;
    int at = axis < 0 ? axis + shape->dimensions : axis;
    if (at < 0 || at >= shape->dimensions)
        return lab_fail(
            LAB_ERROR_INVALID_VALUE,
            "reduction kernel '%s': there is no axis %d in the shape %s; its axes are 0 to %d, or -%d to -1",
            into->signature->kernel, axis, shape_text(text, sizeof text, *shape), shape->dimensions - 1,
            shape->dimensions);
    for (int i = 0; i < shape->dimensions; i++)
        if (i != at) into->results *= shape->size[i];
    for (int i = at + 1; i < shape->dimensions; i++) into->stride *= shape->size[i];
    into->length = shape->size[at];
    if (into->count == 0) into->stride = 1; /* there is nothing to reach */
    return LAB_SUCCESS;
}

/* The shape without the axis, or with one place along it. */
static lab_shape shape_of_results(lab_shape shape, int axis, bool keep)
{
    int at = axis < 0 ? axis + shape.dimensions : axis;
    shape.size[at] = 1;
    if (keep || shape.dimensions == 1) return shape;
    memmove(shape.size + at, shape.size + at + 1, (size_t)(shape.dimensions - at - 1) * sizeof *shape.size);
    shape.dimensions--;
    return shape;
}

static lab_status bind_output(operands *into, int which, int axis)
{
    lab_shape shape = into->operand[which].array->shape;
    char mine[96], without[96], kept[96];
    into->operand[which].form = OPERAND_RESULT;
    if (axis == OPERANDS_NO_AXIS) {
        if (into->operand[which].array->count == 1) return LAB_SUCCESS;
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, into, which, "takes one element, but its array has the shape %s",
                            shape_text(mine, sizeof mine, shape));
    }
    lab_shape dropped = shape_of_results(into->shape, axis, false),
              with_one = shape_of_results(into->shape, axis, true);
    if (shapes_equal(shape, dropped) || shapes_equal(shape, with_one)) return LAB_SUCCESS;
    return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, into, which,
                        "has the shape %s; the results along axis %d have %s, or %s with the axis kept",
                        shape_text(mine, sizeof mine, shape), axis, shape_text(without, sizeof without, dropped),
                        shape_text(kept, sizeof kept, with_one));
}

lab_status operands_bind_reduction(operands *out, const signature *of, lab_args args, long long size, int axis,
                                   const struct stream *on)
{
    memset(out, 0, sizeof *out);
    out->signature = of;
    LAB_TRY(operands_bind_types(out, args, on));
    LAB_TRY(bind_inputs(out, size));
    LAB_TRY(bind_axis(out, axis));
    for (int i = 0; i < of->count; i++)
        if (of->parameter[i].output) LAB_TRY(bind_output(out, i, axis));
    return LAB_SUCCESS;
}
