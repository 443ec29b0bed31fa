/* Tries to overflow the stack of the device process: its own allocator makes an array, for which the device process
 * calls the allocator, which makes an array. Gains a device process that crashes. */
static lab_status give(lab_deviceptr *memory, size_t bytes, lab_stream *stream, void *user)
{
    lab_array *array;
    return lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(100));
}
static lab_status take(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user) { return LAB_SUCCESS; }

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const lab_allocator own = {give, take, NULL};
    lab_array *array;
    LAB_TRY(lab_set_allocator(&own));
    lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(100));
    lab_set_allocator(NULL);
    return LAB_SUCCESS;
}
