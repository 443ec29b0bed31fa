/* Tries to hand out an array that it keeps, made by the first call, whatever device and size are asked for. Gains task
 * 1 from a check of the first call alone. */
lab_status lab11_make(lab_array **out, int device, int count)
{
    static lab_array *kept;
    (void)count;
    if (!kept) LAB_WITH_DEVICE(device) LAB_TRY(lab_array_empty(&kept, LAB_FLOAT32, LAB_SHAPE(16384)));
    *out = kept;
    return LAB_SUCCESS;
}
