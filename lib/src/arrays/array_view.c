/* Views: arrays on the memory of another, in another shape, of a part, or with other strides. */
#include "array.h"

#include "base/handle.h"
#include "base/status.h"

/* The properties of the array that a view begins with. What links the array with the context's others is not copied: it
 * changes under the context's lock. */
static lab_status begin(struct array *view, lab_array **out, const lab_array *handle, const char *call)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: out is NULL", call);
    *out = NULL;
    struct array *found;
    LAB_TRY(array_resolve(&found, handle, call));
    *view = (struct array){.dtype = found->dtype,
                           .shape = found->shape,
                           .count = found->count,
                           .data = found->data,
                           .context = found->context,
                           .storage = found->storage};
    for (int i = 0; i < LAB_MAX_DIMENSIONS; i++) view->stride[i] = found->stride[i];
    array_measure(view);
    return LAB_SUCCESS;
}

static lab_status end(lab_array **out, struct array *view, const char *call)
{
    array_measure(view);
    return array_view(out, view, call);
}

lab_status lab_array_reshape(lab_array **out, lab_array *handle, lab_shape shape)
{
    RETIRE_SCOPE;
    struct array view;
    size_t count;
    LAB_TRY(begin(&view, out, handle, "lab_array_reshape"));
    LAB_TRY(array_count_elements(&count, shape, lab_dtype_size(view.dtype), "lab_array_reshape"));
    if (count != view.count)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_reshape: the array has %zu elements, the shape %zu",
                        view.count, count);
    if (view.strided)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_array_reshape: the array is not contiguous; lab_array_copy makes one that is");
    view.shape = shape;
    array_lay_out(&view);
    return array_view(out, &view, "lab_array_reshape");
}

/* A negative axis counts from the last. */
static lab_status find_axis(int *axis, const lab_shape *shape, const char *call)
{
    const int given = *axis;
    if (given < 0) *axis += shape->dimensions;
    if (*axis >= 0 && *axis < shape->dimensions) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: there is no axis %d; the array has %d dimension%s", call, given,
                    shape->dimensions, shape->dimensions == 1 ? "" : "s");
}

static lab_status slice(lab_array **out, const lab_array *handle, int axis, size_t first, size_t count, size_t step,
                        const char *call)
{
    RETIRE_SCOPE;
    struct array view;
    LAB_TRY(begin(&view, out, handle, call));
    LAB_TRY(find_axis(&axis, &view.shape, call));
    const size_t size = view.shape.size[axis];
    if (step == 0) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the step is 0; it is at least 1", call);
    if (first > size || (count && (first == size || count - 1 > (size - 1 - first) / step)))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "%s: %zu from index %zu on in steps of %zu reach past axis %d, which has the size %zu", call,
                        count, first, step, axis, size);
    view.count = size ? view.count / size * count : 0;
    view.data = view.count ? view.data + first * view.stride[axis] * lab_dtype_size(view.dtype) : 0;
    view.shape.size[axis] = count;
    view.stride[axis] *= step;
    return end(out, &view, call);
}

lab_status lab_array_slice(lab_array **out, lab_array *handle, size_t first, size_t count)
{
    return slice(out, handle, 0, first, count, 1, "lab_array_slice");
}

lab_status lab_array_slice_axis(lab_array **out, lab_array *handle, int axis, size_t first, size_t count, size_t step)
{
    return slice(out, handle, axis, first, count, step, "lab_array_slice_axis");
}

lab_status lab_array_transpose(lab_array **out, lab_array *handle, lab_axes order)
{
    RETIRE_SCOPE;
    struct array view;
    LAB_TRY(begin(&view, out, handle, "lab_array_transpose"));
    const struct array before = view;
    bool taken[LAB_MAX_DIMENSIONS] = {false};
    if (order.count != view.shape.dimensions)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_transpose: %d axes are given; the array has %d",
                        order.count, view.shape.dimensions);
    for (int i = 0; i < order.count; i++) {
        int axis = order.axis[i];
        LAB_TRY(find_axis(&axis, &before.shape, "lab_array_transpose"));
        if (taken[axis])
            return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_transpose: axis %d is given twice", order.axis[i]);
        taken[axis] = true;
        view.shape.size[i] = before.shape.size[axis];
        view.stride[i] = before.stride[axis];
    }
    return end(out, &view, "lab_array_transpose");
}

lab_shape lab_array_strides(const lab_array *handle)
{
    RETIRE_SCOPE;
    const struct array *found = array_get(handle);
    lab_shape strides = {.dimensions = found ? found->shape.dimensions : 0};
    for (int i = 0; i < strides.dimensions; i++) strides.size[i] = found->stride[i];
    return strides;
}
