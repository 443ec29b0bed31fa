/* The shapes of a reduction's operands. Inputs have one shape or a single element, and all their elements, or those
 * along some axes, become one result. Outputs have an element for each result. */
#include "base/text_writer.h"
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

lab_status operands_mark_axes(bool reduced[LAB_MAX_DIMENSIONS], const char *kernel, const lab_shape *shape,
                              lab_axes axes)
{
    char text[96];
    memset(reduced, 0, LAB_MAX_DIMENSIONS * sizeof *reduced);
    if (axes.count < 1 || axes.count > LAB_MAX_DIMENSIONS)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "reduction kernel '%s': %d axes are given; 1 to %d are allowed",
                        kernel, axes.count, LAB_MAX_DIMENSIONS);
    for (int i = 0; i < axes.count; i++) {
        const int axis = axes.axis[i], at = axis < 0 ? axis + shape->dimensions : axis;
        if (at < 0 || at >= shape->dimensions)
            return lab_fail(
                LAB_ERROR_INVALID_VALUE,
                "reduction kernel '%s': there is no axis %d in the shape %s; its axes are 0 to %d, or -%d to -1",
                kernel, axis, shape_text(text, sizeof text, *shape), shape->dimensions - 1, shape->dimensions);
        if (reduced[at])
            return lab_fail(LAB_ERROR_INVALID_VALUE, "reduction kernel '%s': axis %d is given twice", kernel, axis);
        reduced[at] = true;
    }
    return LAB_SUCCESS;
}

/* Adjacent dimensions of which all are reduced, or none is: as one. */
typedef struct dimension_group {
    bool reduced;
    size_t size, stride;
} dimension_group;

/* Joins dimensions into groups, from the last to the first; returns their number. Dimensions of size 1 are left out. */
static int join_dimensions(dimension_group group[LAB_MAX_DIMENSIONS], const lab_shape *shape, const bool *reduced)
{
    size_t stride = 1;
    int groups = 0;
    for (int i = shape->dimensions - 1; i >= 0; i--) {
        if (shape->size[i] == 1) continue;
        if (groups == 0 || group[groups - 1].reduced != reduced[i])
            group[groups++] = (dimension_group){reduced[i], 1, stride};
        group[groups - 1].size *= shape->size[i];
        stride *= shape->size[i];
    }
    return groups;
}

/* Where the elements are if reduced groups, or groups that are kept, are apart in memory. */
static void find_places(operands *bound, const dimension_group *group, int groups)
{
    for (int i = 0; i < groups; i++) {
        const int which = group[i].reduced ? OF_ELEMENTS : OF_RESULTS, at = bound->groups[which]++;
        bound->places.size[which][at] = (long long)group[i].size;
        bound->places.stride[which][at] = (long long)group[i].stride;
    }
}

static lab_status bind_axes(operands *bound, lab_axes axes)
{
    const lab_shape *shape = &bound->shape;
    bool reduced[LAB_MAX_DIMENSIONS];
    dimension_group group[LAB_MAX_DIMENSIONS];
    bound->results = bound->stride = 1;
    bound->length = bound->count;
    if (axes.count == OPERANDS_NO_AXES.count) return LAB_SUCCESS;
    LAB_TRY(operands_mark_axes(reduced, bound->signature->kernel, &bound->shape, axes));
    bound->length = 1;
    for (int i = 0; i < shape->dimensions; i++) *(reduced[i] ? &bound->length : &bound->results) *= shape->size[i];
    if (bound->count == 0) return LAB_SUCCESS; /* no elements */
    const int groups = join_dimensions(group, shape, reduced);
    const int last = groups > 0 && !group[0].reduced; /* the first group that may be reduced */
    if (groups - last > 2)
        find_places(bound, group, groups);
    else if (last)
        bound->stride = group[0].size;
    return LAB_SUCCESS;
}

lab_shape operands_reduced_shape(lab_shape shape, const bool *reduced, bool keep)
{
    lab_shape rest = {.dimensions = 0};
    for (int i = 0; i < shape.dimensions; i++)
        if (keep || !reduced[i]) rest.size[rest.dimensions++] = reduced[i] ? 1 : shape.size[i];
    return rest.dimensions ? rest : LAB_SHAPE(1);
}

/* "axis 1", or "axes 0, 2" */
static const char *axes_text(char *out, size_t bytes, lab_axes axes)
{
    text_writer text = {out, bytes, 0};
    text_write(&text, axes.count == 1 ? "axis" : "axes");
    for (int i = 0; i < axes.count; i++) text_write(&text, "%s%d", i ? ", " : " ", axes.axis[i]);
    return out;
}

static lab_status bind_output(operands *bound, int which, lab_axes axes)
{
    lab_shape shape = bound->operand[which].array->shape;
    char mine[96], without[96], kept[96], along[64];
    bool reduced[LAB_MAX_DIMENSIONS];
    bound->operand[which].form = OPERAND_RESULT;
    if (axes.count == OPERANDS_NO_AXES.count) {
        if (bound->operand[which].array->count == 1) return LAB_SUCCESS;
        return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, which, "has one element, but its array has the shape %s",
                            shape_text(mine, sizeof mine, shape));
    }
    LAB_TRY(operands_mark_axes(reduced, bound->signature->kernel, &bound->shape, axes));
    lab_shape dropped = operands_reduced_shape(bound->shape, reduced, false),
              with_one = operands_reduced_shape(bound->shape, reduced, true);
    if (shapes_equal(shape, dropped) || shapes_equal(shape, with_one)) return LAB_SUCCESS;
    return OPERAND_FAIL(LAB_ERROR_INVALID_VALUE, bound, which,
                        "has the shape %s; the results along %s have %s, or %s with %s kept",
                        shape_text(mine, sizeof mine, shape), axes_text(along, sizeof along, axes),
                        shape_text(without, sizeof without, dropped), shape_text(kept, sizeof kept, with_one),
                        axes.count == 1 ? "the axis" : "the axes");
}

lab_status operands_bind_reduction(operands *out, const signature *sig, lab_args args, long long size, lab_axes axes,
                                   const struct stream *stream)
{
    memset(out, 0, sizeof *out);
    out->signature = sig;
    LAB_TRY(operands_bind_types(out, args, stream));
    LAB_TRY(bind_inputs(out, size));
    LAB_TRY(bind_axes(out, axes));
    for (int i = 0; i < sig->count; i++)
        if (sig->parameter[i].output) LAB_TRY(bind_output(out, i, axes));
    return LAB_SUCCESS;
}
