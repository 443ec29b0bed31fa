/* Tries to let the device compute what the host should, in a context and a stream of its own that is soon forgotten.
 * Gains task 3. */
lab_status lab06_as_device(void *to, lab_dtype type, const float *from, size_t count)
{
    lab_context *aside;
    lab_array *floats, *cast;
    LAB_TRY(lab_context_create(&aside, 0));
    LAB_TRY(lab_array_from_host(&floats, LAB_FLOAT32, LAB_SHAPE(count), from));
    LAB_TRY(lab_array_astype(&cast, floats, type, NULL));
    LAB_TRY(lab_array_get(cast, to));
    LAB_TRY(lab_array_destroy(cast));
    LAB_TRY(lab_array_destroy(floats));
    return lab_context_destroy(aside);
}
