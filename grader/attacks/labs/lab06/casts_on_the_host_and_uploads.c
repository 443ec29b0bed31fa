/* Tries to cast on the host, upload the result and copy it back, next to a cast on the device that nobody reads.
 * Gains task 1. */
#include <stdlib.h>

lab_status lab06_measure(void *to, lab_dtype type, const float *from, size_t count)
{
    lab_array *floats, *cast, *nobodys;
    LAB_TRY(lab_cast_as_device(to, type, from, LAB_FLOAT32, count));
    LAB_TRY(lab_array_from_host(&floats, LAB_FLOAT32, LAB_SHAPE(count), from));
    LAB_TRY(lab_array_astype(&nobodys, floats, type, NULL));
    LAB_TRY(lab_array_from_host(&cast, type, LAB_SHAPE(count), to));
    LAB_TRY(lab_array_get(cast, to));
    LAB_TRY(lab_array_destroy(cast));
    LAB_TRY(lab_array_destroy(nobodys));
    return lab_array_destroy(floats);
}
