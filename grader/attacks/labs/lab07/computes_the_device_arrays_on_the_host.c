/* Tries to compute what is on the device on the host, with the same expression, and to upload it. Gains task 3. */
#include <stdlib.h>

lab_status lab07_softplus(lab_arg x, lab_arg y)
{
    lab_expression *softplus;
    LAB_TRY(lab_expression_create(&softplus, "x", "maximum(0, x) + log1p(exp(-abs(x)))", "softplus"));
    if (x.kind == LAB_ARG_HOST_ARRAY) {
        LAB_TRY(lab_expression_apply(softplus, NULL, LAB_ARGS(x, y)));
        return lab_expression_destroy(softplus);
    }
    const size_t count = lab_array_count(x.value.array);
    float *numbers = malloc(2 * count * sizeof(float) + 1);
    if (!numbers) return LAB_ERROR_OUT_OF_MEMORY;
    LAB_TRY(lab_array_get(x.value.array, numbers));
    LAB_TRY(lab_expression_apply(softplus, NULL,
                                 LAB_ARGS(LAB_HOST_ARRAY(numbers, LAB_FLOAT32, LAB_SHAPE(count)),
                                          LAB_HOST_ARRAY(numbers + count, LAB_FLOAT32, LAB_SHAPE(count)))));
    LAB_TRY(lab_array_set((lab_array *)y.value.array, numbers + count));
    free(numbers);
    return lab_expression_destroy(softplus);
}
