/* Tries to compute what is on the host on the device. Gains task 3. */
lab_status lab07_softplus(lab_arg x, lab_arg y)
{
    lab_expression *softplus;
    LAB_TRY(lab_expression_create(&softplus, "x", "maximum(0, x) + log1p(exp(-abs(x)))", "softplus"));
    if (x.kind != LAB_ARG_HOST_ARRAY) {
        LAB_TRY(lab_expression_apply(softplus, NULL, LAB_ARGS(x, y)));
        return lab_expression_destroy(softplus);
    }
    const lab_shape shape = x.value.host->shape;
    lab_array *from, *to;
    LAB_TRY(lab_array_from_host(&from, LAB_FLOAT32, shape, x.value.host->data));
    LAB_TRY(lab_array_empty(&to, LAB_FLOAT32, shape));
    LAB_TRY(lab_expression_apply(softplus, NULL, LAB_ARGS(from, to)));
    LAB_TRY(lab_array_get(to, y.value.host->data));
    LAB_TRY(lab_array_destroy(from));
    LAB_TRY(lab_array_destroy(to));
    return lab_expression_destroy(softplus);
}
